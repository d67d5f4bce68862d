//! The queues of the document, with their messages.

use serde_json::Value;
use sqs::{Blob, MessageAttributeValue, QueueAttributeName};
use toml::de::DeValue;

use super::Configuration;
use super::document::{ACCOUNT, region};
use super::reader::{Entry, Mistakes, Place, Table};
use crate::declare::{self, Part};
use crate::{MessageDeclaration, QueueDeclaration};

/// Where the parts of a declared queue stand.
pub(super) struct QueuePlaces {
    queue: Place,
    attributes: Vec<(String, Place)>,
    tags: Place,
    dead_letter: Place,
    messages: Vec<Place>,
}

impl QueuePlaces {
    fn of(&self, part: &Part) -> &Place {
        match part {
            Part::Queue => &self.queue,
            Part::Attribute(name) => {
                let mut attributes = self.attributes.iter();
                let found = attributes.find(|(given, _)| given == name);
                found.map_or(&self.queue, |(_, place)| place)
            }
            Part::Tags => &self.tags,
            Part::DeadLetter => &self.dead_letter,
            Part::Message(number) => self.messages.get(*number).unwrap_or(&self.queue),
        }
    }
}

/// Reads one of them.
pub(super) fn queue(mut table: Table<'_, '_>) -> Option<(QueueDeclaration, QueuePlaces)> {
    let name = table.need("name");
    let mut places = QueuePlaces {
        queue: name
            .as_ref()
            .map_or(&table.place, |name| &name.place)
            .clone(),
        attributes: Vec::new(),
        tags: table.place.clone(),
        dead_letter: table.place.clone(),
        messages: Vec::new(),
    };
    let name = name.and_then(Entry::string);
    // Without a name its parts are read all the same, for what is wrong with them.
    let mut queue = QueueDeclaration::new(name.clone().unwrap_or_default());
    if let Some(account) = table
        .take("account")
        .and_then(|entry| entry.parsed(ACCOUNT))
    {
        queue = queue.account(account);
    }
    if let Some(region) = table.take("region").and_then(region) {
        queue = queue.region(region);
    }
    let attributes = table.take("attributes").and_then(Entry::table);
    for (name, entry) in attributes.into_iter().flat_map(Table::all) {
        let place = entry.place.clone();
        if name == QueueAttributeName::RedrivePolicy.name() {
            places.dead_letter = place.clone();
        }
        if let Some(value) = attribute(&entry) {
            queue = queue.attribute(&name, value);
            places.attributes.push((name, place));
        }
    }
    if let Some(tags) = table.take("tags") {
        places.tags = tags.place.clone();
        for (key, value) in tags.table().into_iter().flat_map(Table::all) {
            if let Some(value) = value.string() {
                queue = queue.tag(key, value);
            }
        }
    }
    if let Some(entry) = table.take("dead_letter") {
        if places.dead_letter != table.place {
            entry.wrong("the queue has a RedrivePolicy too, which says the same; leave one out");
        }
        places.dead_letter = entry.place.clone();
        if let Some((target, count)) = entry.table().and_then(dead_letter) {
            queue = queue.dead_letter(target, count);
        }
    }
    for entry in table.take("messages").into_iter().flat_map(Entry::elements) {
        let place = entry.place.clone();
        if let Some(message) = entry.table().and_then(message) {
            queue = queue.message(message);
            places.messages.push(place);
        }
    }
    table.finish();
    name.map(|_| (queue, places))
}

fn dead_letter(mut table: Table<'_, '_>) -> Option<(String, u32)> {
    let queue = table.need("queue").and_then(Entry::string);
    let count = table.need("max_receive_count");
    let count = count.and_then(|entry| entry.integer(1..=1_000, "a whole number from 1 to 1000"));
    table.finish();
    Some((queue?, count?))
}

/// The text of an attribute's value: SQS takes nothing else.
fn attribute(entry: &Entry<'_, '_>) -> Option<String> {
    match &entry.value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Table(_) => Some(json(&entry.value).to_string()),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) => {
            entry.wrong("it must be a string, a whole number, a boolean, or a table for JSON");
            None
        }
    }
}

/// The same value in JSON. A date is its text.
pub(super) fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or_else(|_| Value::from(number.to_string()), Value::from)
        }
        DeValue::Float(number) => number
            .to_string()
            .parse::<f64>()
            .map_or(Value::Null, Value::from),
        DeValue::Boolean(value) => Value::from(*value),
        DeValue::Datetime(value) => Value::from(value.to_string()),
        DeValue::Array(elements) => elements
            .iter()
            .map(|element| json(element.get_ref()))
            .collect(),
        DeValue::Table(entries) => entries
            .iter()
            .map(|(name, value)| (name.get_ref().to_string(), json(value.get_ref())))
            .collect(),
    }
}

fn message(mut table: Table<'_, '_>) -> Option<MessageDeclaration> {
    let body = table.need("body").and_then(Entry::string);
    let mut message = MessageDeclaration::new(body.clone().unwrap_or_default());
    let attributes = table.take("attributes").and_then(Entry::table);
    for (name, entry) in attributes.into_iter().flat_map(Table::all) {
        if let Some(value) = message_attribute(entry) {
            message = message.attribute(name, value);
        }
    }
    if let Some(id) = table.take("group_id").and_then(Entry::string) {
        message = message.group_id(id);
    }
    if let Some(id) = table.take("deduplication_id").and_then(Entry::string) {
        message = message.deduplication_id(id);
    }
    let delay = table.take("delay_seconds");
    let form = "a whole number of seconds from 0 to 900";
    if let Some(delay) = delay.and_then(|entry| entry.integer(0..=900, form)) {
        message = message.delay_seconds(delay);
    }
    table.finish();
    body.map(|_| message)
}

fn message_attribute(entry: Entry<'_, '_>) -> Option<MessageAttributeValue> {
    match &entry.value {
        DeValue::String(text) => Some(MessageAttributeValue::string(text.as_ref())),
        DeValue::Integer(number) => Some(MessageAttributeValue::number(number.to_string())),
        DeValue::Float(number) => Some(MessageAttributeValue::number(number.to_string())),
        DeValue::Table(_) => entry.table().and_then(typed_attribute),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) => {
            entry.wrong(
                "it must be a string, a number, or a table with `type` and `value`, since SQS has \
                 no attributes but String, Number and Binary",
            );
            None
        }
    }
}

fn typed_attribute(mut table: Table<'_, '_>) -> Option<MessageAttributeValue> {
    let kind = table.need("type").and_then(Entry::string);
    let value = table.need("value").and_then(|entry| {
        let place = entry.place.clone();
        Some((entry.string()?, place))
    });
    let made = match (kind, value) {
        (Some(kind), Some((value, place))) if kind.split('.').next() == Some("Binary") => {
            let blob: Result<Blob, _> = serde_json::from_value(Value::from(value));
            if blob.is_err() {
                table.wrong_at(Some(&place), "it must be base64, since the type is Binary");
            }
            blob.ok().map(|blob| MessageAttributeValue {
                data_type: Some(kind),
                ..MessageAttributeValue::binary(blob)
            })
        }
        (Some(kind), Some((value, _))) => Some(MessageAttributeValue {
            data_type: Some(kind),
            ..MessageAttributeValue::string(value)
        }),
        (None, _) | (_, None) => None,
    };
    table.finish();
    made
}

/// Has the engine look at the queues.
pub(super) fn check_queues(
    configuration: &Configuration,
    places: &[QueuePlaces],
    mistakes: &Mistakes,
) {
    let settings = &configuration.settings;
    let account = settings.account.unwrap_or_default();
    let region = settings.region.as_deref().unwrap_or(crate::server::REGION);
    let queues = settings.queues.iter();
    let declared: Vec<_> = queues.map(|queue| queue.resolve(account, region)).collect();
    for fault in declare::trial(&declared) {
        if let Some(places) = places.get(fault.queue) {
            mistakes.add(places.of(&fault.part), fault.reason);
        }
    }
}
