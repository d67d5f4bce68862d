//! The 23 operations: [`Operation`], [`Request`] and [`Response`], all made from one table.

pub(crate) mod table;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use self::table::operation_table;
use crate::shapes::attributes::{
    GetQueueAttributesInput, GetQueueAttributesOutput, SetQueueAttributesInput,
    SetQueueAttributesOutput,
};
use crate::shapes::delete::{
    DeleteMessageBatchInput, DeleteMessageBatchOutput, DeleteMessageInput, DeleteMessageOutput,
};
use crate::shapes::move_task::{
    CancelMessageMoveTaskInput, CancelMessageMoveTaskOutput, ListMessageMoveTasksInput,
    ListMessageMoveTasksOutput, StartMessageMoveTaskInput, StartMessageMoveTaskOutput,
};
use crate::shapes::permissions::{
    AddPermissionInput, AddPermissionOutput, RemovePermissionInput, RemovePermissionOutput,
};
use crate::shapes::purge::{PurgeQueueInput, PurgeQueueOutput};
use crate::shapes::queues::{
    CreateQueueInput, CreateQueueOutput, DeleteQueueInput, DeleteQueueOutput, GetQueueUrlInput,
    GetQueueUrlOutput, ListDeadLetterSourceQueuesInput, ListDeadLetterSourceQueuesOutput,
    ListQueuesInput, ListQueuesOutput,
};
use crate::shapes::receive::{ReceiveMessageInput, ReceiveMessageOutput};
use crate::shapes::send::{
    SendMessageBatchInput, SendMessageBatchOutput, SendMessageInput, SendMessageOutput,
};
use crate::shapes::tags::{
    ListQueueTagsInput, ListQueueTagsOutput, TagQueueInput, TagQueueOutput, UntagQueueInput,
    UntagQueueOutput,
};
use crate::shapes::visibility::{
    ChangeMessageVisibilityBatchInput, ChangeMessageVisibilityBatchOutput,
    ChangeMessageVisibilityInput, ChangeMessageVisibilityOutput,
};

/// The name of the service in a credential scope.
pub const SIGNING_NAME: &str = "sqs";

/// The part of `X-Amz-Target` before the dot: `AmazonSQS.SendMessage`.
pub const TARGET_PREFIX: &str = "AmazonSQS";

/// Reads one value from wherever a request's members are, for [`Request::read`].
///
/// This crate does not choose how JSON is read or what a failure looks like: a server hands in the
/// reader of its protocol, which knows AWS's words for a wrong type.
///
/// ```
/// use serde::de::DeserializeOwned;
/// use sqs::{Decoder, Operation, Request, SendMessageInput};
///
/// struct Json<'a>(&'a [u8]);
///
/// impl Decoder for Json<'_> {
///     type Error = serde_json::Error;
///
///     fn decode<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
///         serde_json::from_slice(self.0)
///     }
/// }
///
/// let body = br#"{"QueueUrl":"orders","MessageBody":"hi"}"#;
/// let request = Request::read(Operation::SendMessage, Json(body))?;
/// assert_eq!(request, Request::from(SendMessageInput::new("orders", "hi")));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait Decoder {
    /// What is said of a value that cannot be read.
    type Error;

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// When what there is does not have the shape of `T`.
    fn decode<T: DeserializeOwned>(self) -> Result<T, Self::Error>;
}

/// Whether sending an operation again, when nobody knows what became of the first try, is harmless.
#[derive(Clone, Copy)]
enum Repeat {
    Safe,
    Unsafe,
}

/// What the body of a successful response holds.
#[derive(Clone, Copy)]
enum Body {
    /// The output as a JSON object, `{}` when it has nothing to say.
    Object,
    /// No bytes at all.
    Empty,
}

/// How soon SQS answers.
#[derive(Clone, Copy)]
enum Pace {
    /// As soon as it can.
    Prompt,
    /// When there is something to answer with, or when the wait that was asked for ends.
    LongPoll,
}

/// Writes everything that there is one of for each operation.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $name:ident $method:ident($input:ident)
            -> $output:ident, $body:ident, $repeat:ident, $pace:ident;
    )+) => {
        /// An operation of the SQS API, version 2012-11-05.
        ///
        /// Each variant says whether it is [safe to send again](Operation::is_safe_to_retry), and
        /// why. The enum is exhaustive on purpose: a server that learns of a new operation has to
        /// say what it does with it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $(
                $(#[$doc])*
                #[doc = concat!(
                    "\n\n[AWS's page](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_",
                    stringify!($name),
                    ".html)"
                )]
                $name,
            )+
        }

        impl Operation {
            /// Every operation, by name.
            pub const ALL: &[Operation] = &[$(Operation::$name),+];

            /// The name as it is in `X-Amz-Target` after the dot.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Operation::$name => stringify!($name),)+
                }
            }

            const fn repeat(self) -> Repeat {
                const REPEATS: &[Repeat] = &[$(Repeat::$repeat),+];
                REPEATS[self as usize]
            }

            const fn body(self) -> Body {
                const BODIES: &[Body] = &[$(Body::$body),+];
                BODIES[self as usize]
            }

            const fn pace(self) -> Pace {
                const PACES: &[Pace] = &[$(Pace::$pace),+];
                PACES[self as usize]
            }
        }

        /// A request: which operation, with what input.
        ///
        /// Serialises as the input alone, which is the body that goes over the wire.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Request {
            $(
                #[doc = concat!("Asks for [`Operation::", stringify!($name), "`].")]
                $name($input),
            )+
        }

        impl Request {
            /// Reads the input of `operation`. See [`Decoder`] for an example.
            ///
            /// # Errors
            ///
            /// Those of the decoder, when a member has the wrong type. An absent member is none.
            pub fn read<D: Decoder>(operation: Operation, decoder: D) -> Result<Request, D::Error> {
                match operation {
                    $(Operation::$name => decoder.decode().map(Request::$name),)+
                }
            }

            /// Which operation is asked for.
            #[must_use]
            pub const fn operation(&self) -> Operation {
                match self {
                    $(Request::$name(_) => Operation::$name,)+
                }
            }
        }

        impl Serialize for Request {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Request::$name(input) => input.serialize(serializer),)+
                }
            }
        }

        /// A response: which operation succeeded, with what output.
        ///
        /// Serialises as the output alone. Whether that goes over the wire or an empty body does is
        /// [`Response::to_body`]'s to know.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Response {
            $(
                #[doc = concat!("The answer to [`Operation::", stringify!($name), "`].")]
                $name($output),
            )+
        }

        impl Response {
            /// Which operation this answers.
            #[must_use]
            pub const fn operation(&self) -> Operation {
                match self {
                    $(Response::$name(_) => Operation::$name,)+
                }
            }
        }

        impl Serialize for Response {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Response::$name(output) => output.serialize(serializer),)+
                }
            }
        }

        $(
            impl From<$input> for Request {
                fn from(input: $input) -> Request {
                    Request::$name(input)
                }
            }

            impl From<$output> for Response {
                fn from(output: $output) -> Response {
                    Response::$name(output)
                }
            }
        )+
    };
}

operation_table!(operations);

impl Operation {
    /// The operation of this name; none for another. Case counts, as it does for AWS.
    ///
    /// ```
    /// use sqs::Operation;
    ///
    /// assert_eq!(Operation::from_name("SendMessage"), Some(Operation::SendMessage));
    /// assert_eq!(Operation::from_name("sendmessage"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Operation> {
        // The table is sorted by name; a test holds it to that.
        let found = Operation::ALL.binary_search_by(|operation| operation.name().cmp(name));
        found.ok().map(|index| Operation::ALL[index])
    }

    /// Whether it may be sent again when nobody knows what became of the first try: the queue is
    /// then as one call would have left it, and the repetition sends, loses or moves no message.
    ///
    /// It says nothing of the second answer, which may be a refusal where the first try succeeded;
    /// each variant names that.
    ///
    /// ```
    /// use sqs::Operation;
    ///
    /// assert!(Operation::ReceiveMessage.is_safe_to_retry());
    /// assert!(!Operation::SendMessage.is_safe_to_retry());
    /// ```
    #[must_use]
    pub const fn is_safe_to_retry(self) -> bool {
        matches!(self.repeat(), Repeat::Safe)
    }

    /// Whether SQS may hold the answer back until there is one, so that silence is no sign of
    /// trouble; at most for [`limits::WAIT_TIME_SECONDS`](crate::limits::WAIT_TIME_SECONDS).
    ///
    /// ```
    /// use sqs::Operation;
    ///
    /// assert!(Operation::ReceiveMessage.is_long_poll());
    /// assert!(!Operation::SendMessage.is_long_poll());
    /// ```
    #[must_use]
    pub const fn is_long_poll(self) -> bool {
        matches!(self.pace(), Pace::LongPoll)
    }

    /// Whether a success has a JSON body. Operations without an output answer with no bytes at all,
    /// not even `{}`.
    #[must_use]
    pub const fn has_output(self) -> bool {
        matches!(self.body(), Body::Object)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Response {
    /// The body of the HTTP response: the output as JSON, or no bytes for an operation
    /// [without one](Operation::has_output).
    ///
    /// ```
    /// use sqs::{DeleteMessageOutput, ReceiveMessageOutput, Response};
    ///
    /// assert_eq!(Response::from(ReceiveMessageOutput::default()).to_body()?, b"{}");
    /// assert_eq!(Response::from(DeleteMessageOutput::default()).to_body()?, b"");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When an output cannot be written as JSON. No shape of this crate can fail to be.
    pub fn to_body(&self) -> Result<Vec<u8>, serde_json::Error> {
        match self.operation().body() {
            Body::Object => {
                let mut body = Vec::with_capacity(BODY_USUAL);
                serde_json::to_writer(&mut body, self)?;
                Ok(body)
            }
            Body::Empty => Ok(Vec::new()),
        }
    }
}

/// Room for a body of a usual length, so that it need not grow step by step.
const BODY_USUAL: usize = 512;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The operations of AWS's model, those with an output, typed from the model.
    const WITH_OUTPUT: [&str; 14] = [
        "CancelMessageMoveTask",
        "ChangeMessageVisibilityBatch",
        "CreateQueue",
        "DeleteMessageBatch",
        "GetQueueAttributes",
        "GetQueueUrl",
        "ListDeadLetterSourceQueues",
        "ListMessageMoveTasks",
        "ListQueueTags",
        "ListQueues",
        "ReceiveMessage",
        "SendMessage",
        "SendMessageBatch",
        "StartMessageMoveTask",
    ];

    /// The operations of AWS's model that have no output.
    const WITHOUT_OUTPUT: [&str; 9] = [
        "AddPermission",
        "ChangeMessageVisibility",
        "DeleteMessage",
        "DeleteQueue",
        "PurgeQueue",
        "RemovePermission",
        "SetQueueAttributes",
        "TagQueue",
        "UntagQueue",
    ];

    struct Value(serde_json::Value);

    impl Decoder for Value {
        type Error = serde_json::Error;

        fn decode<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
            serde_json::from_value(self.0)
        }
    }

    #[test]
    fn the_operations_are_those_of_the_model() {
        assert_eq!(
            Operation::ALL.len(),
            WITH_OUTPUT.len() + WITHOUT_OUTPUT.len()
        );
        for name in WITH_OUTPUT {
            assert!(
                Operation::from_name(name).expect(name).has_output(),
                "{name}"
            );
        }
        for name in WITHOUT_OUTPUT {
            assert!(
                !Operation::from_name(name).expect(name).has_output(),
                "{name}"
            );
        }
    }

    #[test]
    fn every_name_leads_back_to_its_operation() {
        assert!(Operation::ALL.is_sorted_by_key(|operation| operation.name()));
        for operation in Operation::ALL.iter().copied() {
            assert_eq!(Operation::from_name(operation.name()), Some(operation));
        }
        for name in [
            "",
            "Bogus",
            "AmazonSQS.SendMessage",
            "SendMessage ",
            "receive_message",
        ] {
            assert_eq!(Operation::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn what_would_send_or_lose_messages_is_not_safe_to_retry() {
        let not_safe: Vec<_> = Operation::ALL
            .iter()
            .filter(|operation| !operation.is_safe_to_retry())
            .map(|operation| operation.name())
            .collect();
        assert_eq!(
            not_safe,
            [
                "AddPermission",
                "PurgeQueue",
                "SendMessage",
                "SendMessageBatch",
                "StartMessageMoveTask"
            ]
        );
    }

    #[test]
    fn only_a_receive_waits() {
        for operation in Operation::ALL.iter().copied() {
            let waits = operation == Operation::ReceiveMessage;
            assert_eq!(operation.is_long_poll(), waits, "{operation}");
        }
    }

    #[test]
    fn an_empty_object_is_a_request_of_every_operation() {
        for operation in Operation::ALL.iter().copied() {
            let request = Request::read(operation, Value(json!({}))).expect("all may be absent");
            assert_eq!(request.operation(), operation);
            assert_eq!(
                serde_json::to_string(&request).expect("JSON"),
                "{}",
                "{operation}"
            );
        }
    }

    #[test]
    fn a_member_of_the_wrong_type_is_the_decoders_error() {
        let error = Request::read(
            Operation::SendMessage,
            Value(json!({ "DelaySeconds": "5" })),
        )
        .expect_err("a string is not an integer");
        assert!(error.to_string().contains("expected i32"), "{error}");
    }

    #[test]
    fn a_response_knows_its_operation_and_its_body() {
        let response = Response::from(CreateQueueOutput {
            queue_url: Some("u".into()),
        });
        assert_eq!(response.operation(), Operation::CreateQueue);
        assert_eq!(response.to_body().expect("JSON"), br#"{"QueueUrl":"u"}"#);

        let response = Response::from(PurgeQueueOutput {});
        assert_eq!(response.operation(), Operation::PurgeQueue);
        assert_eq!(response.to_body().expect("JSON"), b"");
        assert_eq!(serde_json::to_string(&response).expect("JSON"), "{}");
    }
}
