//! What SQS supports and this engine does not, in one place.
//!
//! Whoever asks for one of these gets `UnsupportedOperation` and its name, never a silent
//! acceptance: a queue that quietly has no dead-letter queue would be worse than a refusal.
//!
//! | not supported | refused where |
//! |---|---|
//! | AddPermission, RemovePermission | `ops::perform` |
//! | TagQueue, UntagQueue, ListQueueTags | `ops::perform` |
//! | FIFO queues ([`FIFO_QUEUE`]) | CreateQueue |
//! | tags on CreateQueue ([`TAGS`]) | CreateQueue |
//! | the attribute Policy (its removal, by an empty value, is accepted) | `queue::attributes` |

use sqs::{Error, ErrorCode};

/// Creating a queue with `FifoQueue=true`.
pub(crate) const FIFO_QUEUE: &str = "A FIFO queue";

/// Creating a queue with tags.
pub(crate) const TAGS: &str = "CreateQueue with tags";

/// The refusal, naming what was asked for.
pub(crate) fn refuse(what: &str) -> Error {
    let message = format!("{what} is not supported by this server yet.");
    Error::new(ErrorCode::UnsupportedOperation, message)
}
