//! What can be done to an engine, as a value that can be written down and done again.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sqs::{Decoder, Operation, Request};

use crate::engine::{Context, Outcome};
use crate::id::MessageId;
use crate::waiters::WaiterId;

/// Everything that changes an engine, besides time. [`Engine::perform`](crate::Engine::perform)
/// does it.
///
/// A list of these with the times at which they were performed is an engine's whole history: an
/// engine with the same [`Config`](crate::Config) that performs them again answers the same, byte
/// for byte. Time that passes between them needs no entry, since each command lets it pass first.
///
/// They serialise in any format that describes itself, such as JSON.
///
/// # Example
///
/// ```
/// use sqs::SendMessageInput;
/// use sqs_engine::{Command, Context};
///
/// let context = Context::new("000000000000", "test", "us-east-1", "http://127.0.0.1:9324");
/// let request = SendMessageInput::new("orders", "hello").into();
/// let command = Command::Handle { context, request };
/// let written = serde_json::to_string(&command)?;
/// assert!(written.ends_with(
///     r#""request":["SendMessage",{"QueueUrl":"orders","MessageBody":"hello"}]}}"#
/// ));
/// assert_eq!(serde_json::from_str::<Command>(&written)?, command);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every command is the large one, and it is moved once"
)]
pub enum Command {
    /// An SQS call: [`Engine::handle`](crate::Engine::handle).
    Handle {
        /// Who calls.
        context: Context,
        /// What for.
        #[serde(with = "named")]
        request: Request,
    },
    /// A long poll's client has gone: [`Engine::cancel`](crate::Engine::cancel).
    Cancel {
        /// The poll.
        waiter: WaiterId,
    },
    /// An account is forgotten: [`Engine::remove_account`](crate::Engine::remove_account).
    RemoveAccount {
        /// Its number.
        account: String,
    },
    /// Somebody reaches into a queue from outside.
    Control {
        /// The queue.
        queue: QueueAddress,
        /// What is done to it.
        action: ControlAction,
    },
}

impl Command {
    /// Whether it only looks: whoever keeps a history may leave it out.
    ///
    /// ```
    /// use sqs::{ListQueuesInput, ReceiveMessageInput};
    /// use sqs_engine::{Command, Context};
    ///
    /// let context = Context::new("000000000000", "test", "us-east-1", "http://127.0.0.1:9324");
    /// let request = ListQueuesInput::default().into();
    /// assert!(Command::Handle { context: context.clone(), request }.only_looks());
    /// // Also one that gets nothing may have moved dead letters.
    /// let request = ReceiveMessageInput::new("orders").into();
    /// assert!(!Command::Handle { context, request }.only_looks());
    /// ```
    #[must_use]
    pub fn only_looks(&self) -> bool {
        match self {
            Self::Handle { request, .. } => match request.operation() {
                Operation::GetQueueAttributes
                | Operation::GetQueueUrl
                | Operation::ListDeadLetterSourceQueues
                | Operation::ListMessageMoveTasks
                | Operation::ListQueueTags
                | Operation::ListQueues => true,
                Operation::AddPermission
                | Operation::CancelMessageMoveTask
                | Operation::ChangeMessageVisibility
                | Operation::ChangeMessageVisibilityBatch
                | Operation::CreateQueue
                | Operation::DeleteMessage
                | Operation::DeleteMessageBatch
                | Operation::DeleteQueue
                | Operation::PurgeQueue
                | Operation::ReceiveMessage
                | Operation::RemovePermission
                | Operation::SendMessage
                | Operation::SendMessageBatch
                | Operation::SetQueueAttributes
                | Operation::StartMessageMoveTask
                | Operation::TagQueue
                | Operation::UntagQueue => false,
            },
            Self::Cancel { .. } | Self::RemoveAccount { .. } | Self::Control { .. } => false,
        }
    }
}

/// Where a queue is: its account, its region, and its name there.
///
/// # Example
///
/// ```
/// use sqs_engine::QueueAddress;
///
/// let orders = QueueAddress::new("000000000000", "us-east-1", "orders");
/// assert_eq!(orders.to_string(), "000000000000/us-east-1/orders");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QueueAddress {
    /// The account, 12 digits.
    pub account: String,
    /// The region.
    pub region: String,
    /// The name, as in the queue's URL.
    pub name: String,
}

impl QueueAddress {
    /// The queue of this name in this account and region.
    #[must_use]
    pub fn new(
        account: impl Into<String>,
        region: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self {
            account: account.into(),
            region: region.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for QueueAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.account, self.region, self.name)
    }
}

/// What can be done to a queue that no client of SQS could ask for. No rule of SQS stands in its
/// way, and none is set off by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ControlAction {
    /// Removes every message, and in a FIFO queue all that is remembered of sends and receives. The
    /// rule of one purge in 60 seconds neither stops it nor counts it.
    Purge,
    /// Removes the queue. Its name can be used again at once.
    DeleteQueue,
    /// Lets the name be used again though a queue of that name was deleted in the last 60 seconds.
    FreeName,
    /// Removes a message, in whatever state it is. Its receipt handles are then as after a
    /// DeleteMessage.
    DeleteMessage {
        /// The message.
        id: MessageId,
    },
    /// Makes a message visible now that is delayed or in flight. Its receipt handles are then as
    /// after the end of its visibility timeout.
    ReleaseMessage {
        /// The message.
        id: MessageId,
    },
}

/// What comes of a [`Command`].
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a command may have been refused"]
pub enum Effect {
    /// Of [`Command::Handle`].
    Call(Outcome),
    /// Of [`Command::Control`].
    Control(Result<(), Missing>),
    /// Of the others, which cannot fail.
    Done,
}

/// What a [`Command::Control`] is about does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such queue.
    Queue,
    /// The queue has no such message.
    Message,
}

/// Writes a request as a pair of its operation's name and its input. The name comes first, so that
/// a reader knows what the input must be.
mod named {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        request: &Request,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_tuple(2)?;
        pair.serialize_element(request.operation().name())?;
        pair.serialize_element(request)?;
        pair.end()
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Request, D::Error> {
        deserializer.deserialize_tuple(2, Pair)
    }

    struct Pair;

    impl<'de> Visitor<'de> for Pair {
        type Value = Request;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of an operation, followed by its input")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Request, A::Error> {
            let missing = |at| A::Error::invalid_length(at, &Self);
            let name: String = pair.next_element()?.ok_or_else(|| missing(0))?;
            let operation = Operation::from_name(&name)
                .ok_or_else(|| A::Error::custom(format!("SQS has no operation {name:?}")))?;
            pair.next_element_seed(InputOf(operation))?
                .ok_or_else(|| missing(1))
        }
    }

    struct InputOf(Operation);

    impl<'de> DeserializeSeed<'de> for InputOf {
        type Value = Request;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Request, D::Error> {
            Request::read(self.0, Input(deserializer, PhantomData))
        }
    }

    struct Input<'de, D>(D, PhantomData<&'de ()>);

    impl<'de, D: Deserializer<'de>> Decoder for Input<'de, D> {
        type Error = D::Error;

        fn decode<T: DeserializeOwned>(self) -> Result<T, D::Error> {
            T::deserialize(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_operation_is_written_with_its_name_and_read_back() {
        for operation in Operation::ALL.iter().copied() {
            struct Empty;
            impl Decoder for Empty {
                type Error = serde_json::Error;
                fn decode<T: DeserializeOwned>(self) -> Result<T, Self::Error> {
                    serde_json::from_str("{}")
                }
            }
            let request = Request::read(operation, Empty).expect("all may be absent");
            let context = Context::new("1", "k", "r", "u");
            let command = Command::Handle { context, request };
            let written = serde_json::to_value(&command).expect("written");
            assert_eq!(written["Handle"]["request"], json!([operation.name(), {}]));
            let read: Command = serde_json::from_value(written).expect("read");
            assert_eq!(read, command);
        }
    }

    #[test]
    fn what_is_no_command_is_an_error() {
        let context = json!({"account": "1", "access_key": "k", "region": "r", "base_url": "u"});
        for (request, words) in [
            (json!(["Bogus", {}]), "SQS has no operation \"Bogus\""),
            (json!([]), "invalid length 0"),
            (json!(["SendMessage"]), "invalid length 1"),
            (json!({"SendMessage": {}}), "the name of an operation"),
        ] {
            let written = json!({"Handle": {"context": context, "request": request}});
            let error = serde_json::from_value::<Command>(written).expect_err(words);
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn the_other_commands_are_read_back_too() {
        let id = "01234567-89ab-4cde-8f01-23456789abcd"
            .parse()
            .expect("an id");
        for action in [
            ControlAction::Purge,
            ControlAction::DeleteQueue,
            ControlAction::FreeName,
            ControlAction::DeleteMessage { id },
            ControlAction::ReleaseMessage { id },
        ] {
            let queue = QueueAddress::new("1", "r", "q");
            let command = Command::Control { queue, action };
            let written = serde_json::to_string(&command).expect("written");
            assert_eq!(
                serde_json::from_str::<Command>(&written).expect("read"),
                command
            );
        }
        let written = json!({"Cancel": {"waiter": 7}});
        let cancel: Command = serde_json::from_value(written.clone()).expect("read");
        assert_eq!(serde_json::to_value(&cancel).expect("written"), written);
    }
}
