//! What SQS supports and this engine does not, in one place.
//!
//! Whoever asks for one of these gets `UnsupportedOperation` and its name, never a silent
//! acceptance: a queue that quietly has no dead-letter queue would be worse than a refusal.
//!
//! | not supported | refused where |
//! |---|---|
//! | FIFO queues ([`FIFO_QUEUE`]) | CreateQueue |

use sqs::{Error, ErrorCode};

/// Creating a queue with `FifoQueue=true`.
pub(crate) const FIFO_QUEUE: &str = "A FIFO queue";

/// The refusal, naming what was asked for.
pub(crate) fn refuse(what: &str) -> Error {
    let message = format!("{what} is not supported by this server yet.");
    Error::new(ErrorCode::UnsupportedOperation, message)
}
