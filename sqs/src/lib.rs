//! Amazon SQS's JSON API as Rust types: the shapes of all 23 operations, the table of its errors,
//! the names of its attributes, and its limits. With the feature `client`, also a typed client.
//!
//! Without features this crate does no input or output and knows no HTTP: a client, a server and a
//! simulation can all stand on it. It holds what is the same for all of them, namely what goes over
//! the wire and which numbers SQS holds it to; it does not check a value.
//!
//! ```
//! use sqs::{MessageAttributeValue, Operation, Request, SendMessageInput};
//!
//! let request = Request::from(SendMessageInput {
//!     message_attributes: Some([("color".into(), MessageAttributeValue::string("blue"))].into()),
//!     ..SendMessageInput::new("http://127.0.0.1:9324/000000000000/orders", "hi")
//! });
//! assert_eq!(request.operation(), Operation::SendMessage);
//! assert!(!request.operation().is_safe_to_retry());
//! ```
//!
//! | what | where |
//! |---|---|
//! | what an operation takes and gives | [`shapes`], by family; every shape is also at the root |
//! | which operations there are, and which are safe to send again | [`Operation`] |
//! | which status, code and fault an error has | [`ErrorCode`] |
//! | which attributes a queue has | [`QueueAttributeName`] |
//! | which attributes SQS gives a message | [`MessageSystemAttributeName`] |
//! | how a queue is named where no URL is taken | [`QueueArn`] |
//! | how much of anything is allowed | [`limits`] |
//! | how SQS digests a message, with the feature `md5` | `digest` |
//! | how calls are made, and batches of any number of entries, with `client` | `client` |
//! | how the older Query protocol is read and written, with `query` | `query` |
//! | how a program works off a queue, with `receiver` | `receiver` |
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `client` | a method for each operation, over plain http; batches of any number of entries |
//! | `tls`, `rustls`, `http2` | what they add to `aws-json`; whoever talks to AWS wants `tls` |
//! | `md5` | the digests of messages; with `client` also their checks, which a client is to be told to make |
//! | `query` | the older Query protocol for servers: forms in, XML out |
//! | `receiver` | the receiver loop, on a runtime of tokio |

mod arn;
mod attributes;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "md5")]
pub mod digest;
mod error;
pub mod limits;
mod operation;
#[cfg(feature = "query")]
pub mod query;
pub mod shapes;

pub use crate::arn::{QueueArn, QueueArnError, partition};
pub use crate::attributes::{MessageSystemAttributeName, QueueAttributeName};
#[cfg(feature = "client")]
pub use crate::client::Client;
#[cfg(feature = "receiver")]
pub use crate::client::receiver;
pub use crate::error::{Error, ErrorCode, Fault, Namespace};
pub use crate::operation::{Decoder, Operation, Request, Response, SIGNING_NAME, TARGET_PREFIX};
pub use crate::shapes::{
    attributes::{
        GetQueueAttributesInput, GetQueueAttributesOutput, SetQueueAttributesInput,
        SetQueueAttributesOutput,
    },
    delete::{
        DeleteMessageBatchInput, DeleteMessageBatchOutput, DeleteMessageBatchRequestEntry,
        DeleteMessageBatchResultEntry, DeleteMessageInput, DeleteMessageOutput,
    },
    message::{BatchResultErrorEntry, Blob, MessageAttributeValue, MessageSystemAttributeValue},
    move_task::{
        CancelMessageMoveTaskInput, CancelMessageMoveTaskOutput, ListMessageMoveTasksInput,
        ListMessageMoveTasksOutput, ListMessageMoveTasksResultEntry, StartMessageMoveTaskInput,
        StartMessageMoveTaskOutput,
    },
    permissions::{
        AddPermissionInput, AddPermissionOutput, RemovePermissionInput, RemovePermissionOutput,
    },
    purge::{PurgeQueueInput, PurgeQueueOutput},
    queues::{
        CreateQueueInput, CreateQueueOutput, DeleteQueueInput, DeleteQueueOutput, GetQueueUrlInput,
        GetQueueUrlOutput, ListDeadLetterSourceQueuesInput, ListDeadLetterSourceQueuesOutput,
        ListQueuesInput, ListQueuesOutput,
    },
    receive::{Message, ReceiveMessageInput, ReceiveMessageOutput},
    send::{
        SendMessageBatchInput, SendMessageBatchOutput, SendMessageBatchRequestEntry,
        SendMessageBatchResultEntry, SendMessageInput, SendMessageOutput,
    },
    tags::{
        ListQueueTagsInput, ListQueueTagsOutput, TagQueueInput, TagQueueOutput, UntagQueueInput,
        UntagQueueOutput,
    },
    visibility::{
        ChangeMessageVisibilityBatchInput, ChangeMessageVisibilityBatchOutput,
        ChangeMessageVisibilityBatchRequestEntry, ChangeMessageVisibilityBatchResultEntry,
        ChangeMessageVisibilityInput, ChangeMessageVisibilityOutput,
    },
};
