//! Between the words of a script and the shapes of the API.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use sqs::{MessageAttributeValue, MessageSystemAttributeValue, SendMessageBatchRequestEntry};

use super::parse::Options;

pub(crate) struct Json<'a>(pub(crate) &'a str);

impl sqs::Decoder for Json<'_> {
    type Error = serde_json::Error;

    fn decode<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0)
    }
}

/// The body is the name, unless the message is to have a size.
pub(crate) fn entry(name: &str, options: &Options<'_>) -> SendMessageBatchRequestEntry {
    let mut body = name.to_owned();
    if let Some(size) = options.number("size") {
        let fill = options.text("fill").unwrap_or("x");
        body = fill.repeat(usize::try_from(size).expect("a size") / fill.len());
    }
    let mut entry = SendMessageBatchRequestEntry::new(name, body);
    entry.delay_seconds = options.number("delay");
    entry.message_group_id = options.text("group").map(str::to_owned);
    entry.message_deduplication_id = options.text("dedup").map(str::to_owned);
    entry.message_system_attributes = options.text("trace").map(|trace| {
        [(
            "AWSTraceHeader".into(),
            MessageSystemAttributeValue::string(trace),
        )]
        .into()
    });
    let attributes: BTreeMap<_, _> = options
        .0
        .iter()
        .filter_map(|(option, value)| {
            let (name, data_type) = option.split_once(':')?;
            Some((name.to_owned(), attribute(data_type, value)))
        })
        .collect();
    entry.message_attributes = (!attributes.is_empty()).then_some(attributes);
    entry
}

/// A binary value is written as text, whose bytes it is.
pub(crate) fn attribute(data_type: &str, value: &str) -> MessageAttributeValue {
    let mut attribute = if data_type.starts_with("Binary") {
        MessageAttributeValue::binary(value.as_bytes())
    } else {
        MessageAttributeValue::string(value)
    };
    attribute.data_type = Some(data_type.to_owned());
    attribute
}

pub(crate) fn attribute_text((name, value): (&String, &MessageAttributeValue)) -> (String, String) {
    let data_type = value.data_type.as_deref().expect("a type");
    let text = match (&value.string_value, &value.binary_value) {
        (Some(text), None) => text.clone(),
        (None, Some(bytes)) => String::from_utf8_lossy(bytes.as_ref()).into_owned(),
        values => panic!("{name} does not have one value: {values:?}"),
    };
    (format!("{name}:{data_type}"), text)
}

pub(crate) fn pairs(map: &BTreeMap<String, String>) -> String {
    if map.is_empty() {
        return "none".into();
    }
    map.iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether JSON is as expected; `"*"` fits any string.
pub(crate) fn fits(expected: &Value, given: &Value) -> bool {
    match (expected, given) {
        (Value::String(any), Value::String(_)) if any == "*" => true,
        (Value::Object(expected), Value::Object(given)) => {
            expected.len() == given.len()
                && expected
                    .iter()
                    .all(|(name, value)| given.get(name).is_some_and(|given| fits(value, given)))
        }
        (Value::Array(expected), Value::Array(given)) => {
            expected.len() == given.len()
                && expected
                    .iter()
                    .zip(given)
                    .all(|(expected, given)| fits(expected, given))
        }
        (expected, given) => expected == given,
    }
}
