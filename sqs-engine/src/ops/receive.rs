//! ReceiveMessage, at once or when there is something.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqs::{
    Error, ErrorCode, MessageSystemAttributeName, Operation, QueueAttributeName,
    ReceiveMessageInput, ReceiveMessageOutput, Response, limits,
};

use crate::access::queue_for;
use crate::checks;
use crate::digest::PackedAttributes;
use crate::engine::{Context, Engine, Outcome};
use crate::errors;
use crate::id::{IdSource, MessageKey, Receipt};
use crate::queue::fifo_attributes::QueueKind;
use crate::queue::message::Message;
use crate::queue::messages::{Exhausted, Wanted};
use crate::queue::{NotRetryable, Queue};
use crate::time::Timestamp;
use crate::waiters::Waiter;

/// A checked ReceiveMessage: all that is needed to answer it, now or later.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Receive {
    max: usize,
    /// `None` leaves it to the queue, as it is when the messages are delivered.
    visibility: Option<Duration>,
    #[serde(with = "system_names")]
    system: BTreeSet<MessageSystemAttributeName>,
    selection: Selection,
    /// Under what a FIFO queue's receive can be repeated.
    attempt_id: Option<Box<str>>,
    /// What the order of the messages follows from, if it is not the usual one. Never while it
    /// waits, so that a snapshot has none of it.
    #[serde(skip)]
    shuffle: Option<u64>,
}

/// Which message attributes are asked for.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Selection {
    names: BTreeSet<String>,
    prefixes: BTreeSet<String>,
}

pub(super) fn receive(
    engine: &mut Engine,
    context: &Context,
    input: ReceiveMessageInput,
) -> Outcome {
    match attempt(engine, context, input) {
        Ok(Attempt::Answered(response)) => Outcome::Done(Ok(response)),
        Ok(Attempt::Waits(waiter)) => Outcome::Waiting(engine.waiters.add(waiter)),
        Err(error) => Outcome::Done(Err(error)),
    }
}

/// What a receive without messages answers.
pub(crate) fn nothing() -> Result<Response, Error> {
    Ok(Response::ReceiveMessage(ReceiveMessageOutput::default()))
}

enum Attempt {
    Answered(Response),
    Waits(Waiter),
}

fn attempt(
    engine: &mut Engine,
    context: &Context,
    input: ReceiveMessageInput,
) -> Result<Attempt, Error> {
    let queue = queue_for(
        engine,
        context,
        input.queue_url.as_deref(),
        Operation::ReceiveMessage,
    )?;
    let wait = wait(&input)?;
    let mut receive = Receive::parse(input, engine.queue(queue)?.attributes.kind())?;
    if context.directives.gives_nothing() {
        return Ok(Attempt::Answered(nothing()?));
    }
    receive.shuffle = context.directives.shuffle();
    // An explicit zero wins over the queue's own wait.
    let wait = wait.unwrap_or(engine.queue_mut(queue)?.attributes.receive_wait());
    if let Some(answer) = engine.attempt(queue, &receive) {
        return answer.map(Attempt::Answered);
    }
    if wait.is_zero() {
        // AWS does not say whether a full queue without a visible message is an error too. Here it
        // is: what is wrong is the number of messages in flight, whatever else there is.
        let queue = engine.queue(queue)?;
        if queue.attributes.kind() == QueueKind::Standard && queue.room() == 0 {
            return Err(over_limit());
        }
        return Ok(Attempt::Answered(nothing()?));
    }
    receive.shuffle = None;
    Ok(Attempt::Waits(Waiter {
        queue,
        deadline: engine.now.after(wait),
        receive: Arc::new(receive),
    }))
}

fn over_limit() -> Error {
    Error::new(
        ErrorCode::OverLimit,
        "Too many messages have been received without being deleted.\n\
         Please delete your received messages or let them timeout before receiving more.",
    )
}

fn wait(input: &ReceiveMessageInput) -> Result<Option<Duration>, Error> {
    let Some(given) = input.wait_time_seconds else {
        return Ok(None);
    };
    let reason = "Must be >= 0 and <= 20, if provided.";
    checks::seconds(limits::WAIT_TIME_SECONDS, given)
        .map(Some)
        .ok_or_else(|| errors::invalid_value(given, "WaitTimeSeconds", reason))
}

/// By the names that AWS gives them.
mod system_names {
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    use super::*;

    pub(super) fn serialize<S: Serializer>(
        names: &BTreeSet<MessageSystemAttributeName>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(names.iter().map(|name| name.name()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeSet<MessageSystemAttributeName>, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        let known = |name: &String| {
            let unknown = || D::Error::custom(format!("no attribute is called {name:?}"));
            MessageSystemAttributeName::from_name(name).ok_or_else(unknown)
        };
        names.iter().map(known).collect()
    }
}

impl Receive {
    /// How many messages it takes at most.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Under what it can be repeated.
    pub(crate) fn attempt_id(&self) -> Option<&str> {
        self.attempt_id.as_deref()
    }

    /// `ReceiveRequestAttemptId` is for FIFO queues; AWS ignores it on standard ones.
    fn parse(input: ReceiveMessageInput, kind: QueueKind) -> Result<Self, Error> {
        let max = input.max_number_of_messages.unwrap_or(1);
        let max = checks::count(limits::MAX_NUMBER_OF_MESSAGES, max).ok_or_else(|| {
            let reason = "Must be between 1 and 10, if provided.";
            errors::invalid_value(max, "MaxNumberOfMessages", reason)
        })?;
        let visibility = match input.visibility_timeout {
            None => None,
            Some(given) => Some(
                checks::seconds(limits::VISIBILITY_TIMEOUT, given).ok_or_else(|| {
                    let reason = "Must be >= 0 and <= 43200, if provided.";
                    errors::invalid_value(given, "VisibilityTimeout", reason)
                })?,
            ),
        };
        let names = input.attribute_names.into_iter().flatten();
        let names = names.chain(input.message_system_attribute_names.into_iter().flatten());
        Ok(Self {
            max,
            visibility,
            system: system_attributes(names)?,
            selection: Selection::parse(input.message_attribute_names.unwrap_or_default()),
            attempt_id: match kind {
                QueueKind::Standard => None,
                QueueKind::Fifo => attempt_id(input.receive_request_attempt_id)?,
            },
            shuffle: None,
        })
    }

    /// Delivers what the queue has; `None` if it has nothing. Beside it what was received `limit`
    /// times and now leaves the queue.
    ///
    /// # Errors
    ///
    /// `InvalidParameterValueException` if it repeats a receive that cannot be repeated any more.
    pub(crate) fn attempt(
        &self,
        queue: &mut Queue,
        limit: Option<u32>,
        ids: &IdSource,
        now: Timestamp,
    ) -> (Option<Result<Response, Error>>, Exhausted) {
        let wanted = Wanted {
            max: self.max,
            timeout: self.visibility.unwrap_or(queue.visibility()),
            limit,
            shuffle: self.shuffle,
        };
        let attempt_id = self.attempt_id();
        let received = match queue.receive(wanted, attempt_id, now) {
            Ok(received) => received,
            Err(NotRetryable) => {
                let error = not_retryable(attempt_id.unwrap_or_default());
                return (Some(Err(error)), Vec::new());
            }
        };
        if received.receipts.is_empty() {
            return (None, received.exhausted);
        }
        let messages = received
            .receipts
            .into_iter()
            .filter_map(|receipt| {
                let message = queue.messages.get(receipt.message)?;
                Some(self.present(queue, receipt, message, ids))
            })
            .collect();
        let answer = Response::ReceiveMessage(ReceiveMessageOutput { messages });
        (Some(Ok(answer)), received.exhausted)
    }

    /// The message as its receiver sees it.
    fn present(
        &self,
        queue: &Queue,
        receipt: Receipt,
        message: &Message,
        ids: &IdSource,
    ) -> sqs::Message {
        let selected = PackedAttributes::pack(
            message
                .attributes
                .iter()
                .filter(|attribute| self.selection.takes(attribute.name)),
        );
        sqs::Message {
            message_id: Some(message.id.to_string()),
            receipt_handle: Some(ids.handle(receipt, message.id)),
            md5_of_body: Some(message.body_md5.to_string()),
            body: Some(message.body.to_string()),
            attributes: shown_system_attributes(&self.system, queue, receipt.message, message),
            md5_of_message_attributes: selected.digest().map(|md5| md5.to_string()),
            message_attributes: selected.shapes(),
        }
    }
}

/// All system attributes that a message has, by name.
pub(crate) fn all_system_attributes(
    queue: &Queue,
    key: MessageKey,
    message: &Message,
) -> BTreeMap<String, String> {
    let all = MessageSystemAttributeName::ALL.iter().copied().collect();
    shown_system_attributes(&all, queue, key, message)
}

/// Those that are asked for of the system attributes that a message has.
fn shown_system_attributes(
    asked: &BTreeSet<MessageSystemAttributeName>,
    queue: &Queue,
    key: MessageKey,
    message: &Message,
) -> BTreeMap<String, String> {
    let value = |name: &MessageSystemAttributeName| match name {
        // An account, since there are no users here: AWS's answer for its root user.
        MessageSystemAttributeName::SenderId => {
            Some(message.sender().unwrap_or(&queue.name.account).to_owned())
        }
        MessageSystemAttributeName::SentTimestamp => Some(message.sent_at.to_string()),
        MessageSystemAttributeName::ApproximateReceiveCount => {
            Some(message.receive_count.to_string())
        }
        MessageSystemAttributeName::ApproximateFirstReceiveTimestamp => {
            message.first_received_at().map(|at| at.to_string())
        }
        MessageSystemAttributeName::AwsTraceHeader => message.trace_header().map(str::to_owned),
        MessageSystemAttributeName::MessageGroupId => message.group().map(str::to_owned),
        MessageSystemAttributeName::MessageDeduplicationId => {
            message.deduplication_id().map(str::to_owned)
        }
        MessageSystemAttributeName::SequenceNumber => match queue.attributes.kind() {
            QueueKind::Standard => None,
            QueueKind::Fifo => Some(key.sequence_number().to_string()),
        },
        MessageSystemAttributeName::DeadLetterQueueSourceArn => {
            message.dead_letter().map(|letter| letter.source.arn())
        }
        // It stands for the others.
        MessageSystemAttributeName::All => None,
    };
    asked
        .iter()
        .filter_map(|name| Some((name.name().to_owned(), value(name)?)))
        .collect()
}

/// The text of a malformed id is not known; this is how AWS puts it for the other ids of FIFO's.
fn attempt_id(given: Option<String>) -> Result<Option<Box<str>>, Error> {
    if let Some(id) = &given
        && !checks::is_fifo_id(limits::FIFO_ID_LENGTH, id)
    {
        return Err(errors::invalid_fifo_id(id, "ReceiveRequestAttemptId"));
    }
    Ok(given.map(String::into_boxed_str))
}

fn not_retryable(id: &str) -> Error {
    let reason = "The receiveRequestAttemptId is not valid anymore since the receive call is not \
                  retryable.";
    errors::invalid_value(id, "ReceiveRequestAttemptId", reason)
}

impl Selection {
    /// `All`, `.*` and `*` take everything; `<prefix>.*` takes what begins with the prefix, without
    /// the dot. Names that cannot be are no error: they take nothing.
    fn parse(names: Vec<String>) -> Self {
        let mut selection = Self::default();
        for name in names {
            if name == "All" || name == "*" {
                selection.prefixes.insert(String::new());
            } else if let Some(prefix) = name.strip_suffix(".*") {
                selection.prefixes.insert(prefix.to_owned());
            } else {
                selection.names.insert(name);
            }
        }
        selection
    }

    /// Looks for the name's beginnings among the prefixes rather than the other way round: a name
    /// is short, and a request may bring very many prefixes.
    fn takes(&self, name: &str) -> bool {
        let begins = |end: usize| {
            let prefix = name.get(..end);
            prefix.is_some_and(|prefix| self.prefixes.contains(prefix))
        };
        self.names.contains(name) || (0..=name.len()).any(begins)
    }
}

/// The two lists of names united. A queue attribute's name is legal and selects nothing; any other
/// unknown name is refused as the queue attributes' unknown names are.
fn system_attributes(
    names: impl Iterator<Item = String>,
) -> Result<BTreeSet<MessageSystemAttributeName>, Error> {
    let mut system = BTreeSet::new();
    for name in names {
        if name == "All" {
            system.extend(MessageSystemAttributeName::ALL);
        } else if let Some(known) = MessageSystemAttributeName::from_name(&name) {
            system.insert(known);
        } else if QueueAttributeName::from_name(&name).is_none() {
            return Err(errors::unknown_attribute(&name));
        }
    }
    Ok(system)
}
