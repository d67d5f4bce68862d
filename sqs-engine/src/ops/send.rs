//! SendMessage and SendMessageBatch.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use sqs::digest::Md5;
use sqs::shapes::message::message_size;
use sqs::{
    Error, ErrorCode, MessageAttributeValue, MessageSystemAttributeValue, Operation,
    SendMessageBatchInput, SendMessageBatchOutput, SendMessageBatchRequestEntry,
    SendMessageBatchResultEntry, SendMessageInput, SendMessageOutput, limits,
};

use crate::access::queue_for;
use crate::checks;
use crate::engine::{Context, Engine};
use crate::errors::{self, invalid_parameter, invalid_value};
use crate::id::QueueId;
use crate::ops::{batch, message_attributes};
use crate::queue::Stored;
use crate::queue::attributes::QueueAttributes;
use crate::queue::fifo_attributes::{FifoAttributes, QueueKind};
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
        md5_of_message_body: Some(sent.body_md5.to_string()),
        md5_of_message_attributes: sent.attributes_md5.map(|md5| md5.to_string()),
        md5_of_message_system_attributes: sent.system_attributes_md5.map(|md5| md5.to_string()),
        message_id: Some(sent.stored.id.to_string()),
        sequence_number: sent.sequence_number(),
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
    if let Some(fifo) = engine.queue(queue)?.attributes.fifo() {
        check_fifo_batch(&entries, fifo)?;
    }
    let mut output = SendMessageBatchOutput::default();
    for (number, (id, entry)) in (1..).zip(entries) {
        if let Some(failed) = context.directives.failed_entry(&id) {
            output.failed.push(failed.clone());
            continue;
        }
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
                message_id: sent.stored.id.to_string(),
                sequence_number: sent.sequence_number(),
                md5_of_message_body: sent.body_md5.to_string(),
                md5_of_message_attributes: sent.attributes_md5.map(|md5| md5.to_string()),
                md5_of_message_system_attributes: sent
                    .system_attributes_md5
                    .map(|md5| md5.to_string()),
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

/// What a send gives. The digests are those of what was sent, also if it repeats an earlier send
/// with another body: clients compare them with what they sent.
struct Sent {
    stored: Stored,
    body_md5: Md5,
    attributes_md5: Option<Md5>,
    system_attributes_md5: Option<Md5>,
}

impl Sent {
    fn sequence_number(&self) -> Option<String> {
        let number = self.stored.sequence_number?;
        Some(number.to_string())
    }
}

fn send_one(
    engine: &mut Engine,
    context: &Context,
    queue: QueueId,
    unchecked: Unchecked,
    place: Place,
) -> Result<Sent, Error> {
    let to = engine.queue(queue)?;
    let is_foreign = *to.name.account != *context.account;
    let trace_header = context.trace_header.as_deref();
    let (mut draft, system_attributes_md5) =
        unchecked.check(&to.attributes, trace_header, place)?;
    if is_foreign {
        draft.extras.set_sender(&context.account);
    }
    let (id, now) = (engine.ids.next_message(), engine.now);
    let (body_md5, attributes_md5) = (draft.body_md5, draft.attributes.digest());
    Ok(Sent {
        stored: engine.queue_mut(queue)?.send(id, draft, now),
        body_md5,
        attributes_md5,
        system_attributes_md5,
    })
}

impl Unchecked {
    /// Checks the message for a queue with these attributes. Gives it with the digest of the system
    /// attributes in the request: a trace header that came as a header of HTTP is kept and has no
    /// digest.
    fn check(
        self,
        queue: &QueueAttributes,
        trace_header: Option<&str>,
        place: Place,
    ) -> Result<(Draft, Option<Md5>), Error> {
        let body = self
            .body
            .filter(|body| !body.is_empty())
            .ok_or_else(|| place.no_body())?;
        if queue.fifo().is_some() && self.group_id.is_none() {
            return Err(errors::missing_parameter("MessageGroupId"));
        }
        let max = queue.maximum_message_size();
        if message_size(&body, &self.attributes) > max {
            return Err(place.too_long(max));
        }
        if let Some(character) = message_attributes::forbidden(&body) {
            let message = message_attributes::forbidden_text(character, "body");
            return Err(Error::new(ErrorCode::InvalidMessageContents, message));
        }
        let attributes = message_attributes::parse(&self.attributes)?;
        let (sent_trace, system) = message_attributes::parse_system(&self.system_attributes)?;
        let delay = delay(self.delay_seconds, queue.kind())?;
        let deduplication_id = deduplication_id(self.deduplication_id, &body, queue.fifo())?;
        let mut extras = Extras::new(group_id(self.group_id)?, deduplication_id);
        if let Some(trace_header) = sent_trace.or(trace_header) {
            extras.set_trace_header(trace_header);
        }
        let body_md5 = Md5::of(&body);
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

/// A FIFO queue's messages have no delay of their own. Zero may be said, and changes nothing: the
/// queue's delay applies all the same.
fn delay(given: Option<i32>, kind: QueueKind) -> Result<Option<Duration>, Error> {
    let Some(given) = given else {
        return Ok(None);
    };
    if kind == QueueKind::Fifo && given > 0 {
        return Err(errors::not_for_this_queue_type(given, "DelaySeconds"));
    }
    let delay = checks::seconds(limits::DELAY_SECONDS, given).ok_or_else(|| {
        let reason = "DelaySeconds must be >= 0 and <= 900.";
        invalid_value(given, "DelaySeconds", reason)
    })?;
    Ok(match kind {
        QueueKind::Standard => Some(delay),
        QueueKind::Fifo => None,
    })
}

fn group_id(given: Option<String>) -> Result<Option<Arc<str>>, Error> {
    if let Some(id) = &given
        && !checks::is_fifo_id(limits::FIFO_ID_LENGTH, id)
    {
        return Err(errors::invalid_fifo_id(id, "MessageGroupId"));
    }
    Ok(given.map(Into::into))
}

/// The id given, or else, if the queue is told so, one made from the body.
fn deduplication_id(
    given: Option<String>,
    body: &str,
    fifo: Option<&FifoAttributes>,
) -> Result<Option<Arc<str>>, Error> {
    let parameter = "MessageDeduplicationId";
    match (given, fifo) {
        (None, None) => Ok(None),
        (Some(id), None) => Err(errors::not_for_this_queue_type(id, parameter)),
        (Some(id), Some(_)) if checks::is_fifo_id(limits::FIFO_ID_LENGTH, &id) => {
            Ok(Some(id.into()))
        }
        (Some(id), Some(_)) => Err(errors::invalid_fifo_id(&id, parameter)),
        (None, Some(fifo)) if fifo.content_based => {
            Ok(Some(hex::encode(Sha256::digest(body)).into()))
        }
        (None, Some(_)) => Err(no_deduplication_id()),
    }
}

fn no_deduplication_id() -> Error {
    let message = "The queue should either have ContentBasedDeduplication enabled or \
                   MessageDeduplicationId provided explicitly";
    invalid_parameter(message)
}

/// Without a group or a deduplication id not the entry fails but the batch, and the code for a
/// group is not the one that SendMessage gives.
fn check_fifo_batch(
    entries: &[(String, SendMessageBatchRequestEntry)],
    fifo: &FifoAttributes,
) -> Result<(), Error> {
    let mut entries = entries.iter().map(|(_, entry)| entry);
    if entries
        .clone()
        .any(|entry| entry.message_group_id.is_none())
    {
        let missing = errors::missing_parameter("MessageGroupId");
        return Err(invalid_parameter(missing.message()));
    }
    let has_id = |entry: &SendMessageBatchRequestEntry| entry.message_deduplication_id.is_some();
    if !fifo.content_based && !entries.all(has_id) {
        return Err(no_deduplication_id());
    }
    Ok(())
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
    let sent: usize = entries.iter().map(|(_, entry)| entry.size()).sum();
    let max = limits::BATCH_SIZE.max();
    if u32::try_from(sent).is_ok_and(|sent| sent <= max) {
        return Ok(());
    }
    let message =
        format!("Batch requests cannot be longer than {max} bytes. You have sent {sent} bytes.");
    Err(Error::new(ErrorCode::BatchRequestTooLong, message))
}
