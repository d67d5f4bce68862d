//! SendMessage and SendMessageBatch.

use std::collections::BTreeMap;

use sqs::{
    Error, ErrorCode, MessageAttributeValue, MessageSystemAttributeValue, Operation,
    SendMessageBatchInput, SendMessageBatchOutput, SendMessageBatchRequestEntry,
    SendMessageBatchResultEntry, SendMessageInput, SendMessageOutput, limits,
};

use crate::access::queue_for;
use crate::checks;
use crate::digest::Md5Digest;
use crate::engine::{Context, Engine};
use crate::errors::{self, invalid_parameter, invalid_value};
use crate::id::{MessageId, QueueId};
use crate::ops::{batch, message_attributes};
use crate::queue::message::{Draft, Extras};

pub(super) fn send(
    engine: &mut Engine,
    context: &Context,
    input: SendMessageInput,
) -> Result<SendMessageOutput, Error> {
    let queue = queue_for(
        engine,
        context,
        input.queue_url.as_deref(),
        Operation::SendMessage,
    )?;
    let unchecked = Unchecked {
        body: input.message_body,
        delay_seconds: input.delay_seconds,
        attributes: input.message_attributes.unwrap_or_default(),
        system_attributes: input.message_system_attributes.unwrap_or_default(),
        deduplication_id: input.message_deduplication_id,
        group_id: input.message_group_id,
    };
    let sent = send_one(engine, context, queue, unchecked, Place::Single)?;
    Ok(SendMessageOutput {
        md5_of_message_body: Some(sent.body_md5.to_hex()),
        md5_of_message_attributes: sent.attributes_md5.map(Md5Digest::to_hex),
        md5_of_message_system_attributes: sent.system_attributes_md5.map(Md5Digest::to_hex),
        message_id: Some(sent.id.to_string()),
        sequence_number: None,
    })
}

pub(super) fn send_batch(
    engine: &mut Engine,
    context: &Context,
    input: SendMessageBatchInput,
) -> Result<SendMessageBatchOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::SendMessageBatch)?;
    let entries = batch::check(input.entries)?;
    check_batch_size(&entries)?;
    let mut output = SendMessageBatchOutput::default();
    for (number, (id, entry)) in (1..).zip(entries) {
        let unchecked = Unchecked {
            body: entry.message_body,
            delay_seconds: entry.delay_seconds,
            attributes: entry.message_attributes.unwrap_or_default(),
            system_attributes: entry.message_system_attributes.unwrap_or_default(),
            deduplication_id: entry.message_deduplication_id,
            group_id: entry.message_group_id,
        };
        match send_one(engine, context, queue, unchecked, Place::Entry(number)) {
            Ok(sent) => output.successful.push(SendMessageBatchResultEntry {
                id,
                message_id: sent.id.to_string(),
                md5_of_message_body: sent.body_md5.to_hex(),
                md5_of_message_attributes: sent.attributes_md5.map(Md5Digest::to_hex),
                md5_of_message_system_attributes: sent.system_attributes_md5.map(Md5Digest::to_hex),
                sequence_number: None,
            }),
            Err(error) => output.failed.push(batch::failed(id, &error)),
        }
    }
    Ok(output)
}

/// A message as a request or an entry of one gives it.
struct Unchecked {
    body: Option<String>,
    delay_seconds: Option<i32>,
    attributes: BTreeMap<String, MessageAttributeValue>,
    system_attributes: BTreeMap<String, MessageSystemAttributeValue>,
    deduplication_id: Option<String>,
    group_id: Option<String>,
}

/// Where a message stands in its request; some of AWS's texts depend on it.
#[derive(Clone, Copy)]
enum Place {
    Single,
    /// Counted from 1.
    Entry(usize),
}

struct Sent {
    id: MessageId,
    body_md5: Md5Digest,
    attributes_md5: Option<Md5Digest>,
    system_attributes_md5: Option<Md5Digest>,
}

fn send_one(
    engine: &mut Engine,
    context: &Context,
    queue: QueueId,
    unchecked: Unchecked,
    place: Place,
) -> Result<Sent, Error> {
    let to = engine.queue(queue)?;
    let max = to.attributes.maximum_message_size();
    let is_foreign = *to.name.account != *context.account;
    let trace_header = context.trace_header.as_deref();
    let (mut draft, system_attributes_md5) = unchecked.check(max, trace_header, place)?;
    draft.extras.sender = is_foreign.then(|| context.account.as_str().into());
    let sent = Sent {
        id: engine.ids.next_message(),
        body_md5: draft.body_md5,
        attributes_md5: draft.attributes.digest(),
        system_attributes_md5,
    };
    let now = engine.now;
    engine.queue_mut(queue)?.send(sent.id, draft, now);
    Ok(sent)
}

impl Unchecked {
    /// Checks the message for a standard queue that takes `max` bytes. Gives it with the digest of
    /// the system attributes in the request: a trace header that came as a header of HTTP is kept
    /// and has no digest.
    fn check(
        self,
        max: usize,
        trace_header: Option<&str>,
        place: Place,
    ) -> Result<(Draft, Option<Md5Digest>), Error> {
        let body = self
            .body
            .filter(|body| !body.is_empty())
            .ok_or_else(|| place.no_body())?;
        if body.len() + message_attributes::size(&self.attributes) > max {
            return Err(place.too_long(max));
        }
        if let Some(character) = message_attributes::forbidden(&body) {
            let message = message_attributes::forbidden_text(character, "body");
            return Err(Error::new(ErrorCode::InvalidMessageContents, message));
        }
        let attributes = message_attributes::parse(&self.attributes)?;
        let (sent_trace, system) = message_attributes::parse_system(&self.system_attributes)?;
        let delay = match self.delay_seconds {
            None => None,
            Some(given) => Some(checks::seconds(limits::DELAY_SECONDS, given).ok_or_else(
                || {
                    invalid_value(
                        given,
                        "DelaySeconds",
                        "DelaySeconds must be >= 0 and <= 900.",
                    )
                },
            )?),
        };
        if let Some(group) = &self.group_id
            && !checks::is_fifo_id(limits::FIFO_ID_LENGTH, group)
        {
            let reason = "MessageGroupId can only include alphanumeric and punctuation characters. \
                          1 to 128 in length.";
            return Err(invalid_value(group, "MessageGroupId", reason));
        }
        if let Some(id) = &self.deduplication_id {
            let reason = "The request include parameter that is not valid for this queue type.";
            return Err(invalid_value(id, "MessageDeduplicationId", reason));
        }
        let extras = Extras {
            group: self.group_id.map(String::into_boxed_str),
            sender: None,
            trace_header: sent_trace.or(trace_header).map(Into::into),
            dead_letter: None,
        };
        let body_md5 = Md5Digest::of(body.as_bytes());
        let system_md5 = system.digest();
        Ok((
            Draft {
                body: body.into(),
                body_md5,
                attributes,
                extras,
                delay,
            },
            system_md5,
        ))
    }
}

impl Place {
    fn no_body(self) -> Error {
        match self {
            Self::Single => errors::missing_parameter("MessageBody"),
            Self::Entry(number) => errors::missing_parameter(&format!(
                "SendMessageBatchRequestEntry.{number}.MessageBody"
            )),
        }
    }

    /// A message of exactly `max` bytes is accepted, whatever the text says.
    fn too_long(self, max: usize) -> Error {
        let verdict = match self {
            Self::Single => "are invalid",
            Self::Entry(_) => "cannot be validated",
        };
        invalid_parameter(format!(
            "One or more parameters {verdict}. Reason: Message must be shorter than {max} bytes."
        ))
    }
}

/// A batch has a limit of its own, whatever its queue's is.
fn check_batch_size(entries: &[(String, SendMessageBatchRequestEntry)]) -> Result<(), Error> {
    let size = |entry: &SendMessageBatchRequestEntry| {
        entry.message_body.as_ref().map_or(0, String::len)
            + entry
                .message_attributes
                .as_ref()
                .map_or(0, message_attributes::size)
    };
    let sent: usize = entries.iter().map(|(_, entry)| size(entry)).sum();
    let max = limits::BATCH_SIZE.max();
    if u32::try_from(sent).is_ok_and(|sent| sent <= max) {
        return Ok(());
    }
    let message =
        format!("Batch requests cannot be longer than {max} bytes. You have sent {sent} bytes.");
    Err(Error::new(ErrorCode::BatchRequestTooLong, message))
}
