//! What goes wrong while messages are received, and is worth telling.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::client::{EntryError, Error};

/// Any error that a handler may give.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Something that a [`Receiver`](super::Receiver) could not do. It goes on after each of these.
///
/// `Display` is a sentence. No message's body is in it, unless a handler's own error has it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A receive failed, after all that the client does to repeat it. The next one waits.
    ReceiveFailed {
        /// Why.
        error: &'a Error,
        /// How long the receiver waits before it tries again.
        next_in: Duration,
    },
    /// A message was not handled.
    HandlerFailed {
        /// The message.
        message_id: Option<&'a str>,
        /// What the handler did.
        failure: &'a Failure,
    },
    /// A message that was handled could not be deleted, and comes again.
    DeleteFailed {
        /// The message.
        message_id: Option<&'a str>,
        /// Why.
        error: &'a EntryError,
    },
    /// The visibility of a message could not be extended while it is held. Unless a later try
    /// succeeds, others may receive it too.
    ExtendFailed {
        /// The message.
        message_id: Option<&'a str>,
        /// Why.
        error: &'a EntryError,
    },
    /// A message could not be made visible again; it is when its visibility timeout ends.
    ReleaseFailed {
        /// The message.
        message_id: Option<&'a str>,
        /// Why.
        error: &'a EntryError,
    },
    /// The visibility of a message ended before its turn in its group came. It is left to whoever
    /// receives it next.
    Lapsed {
        /// The message.
        message_id: Option<&'a str>,
    },
    /// Not everything was done in the time that stopping may take.
    StopTimedOut {
        /// Handlers that were aborted.
        running: usize,
        /// Receives that were given up. What they would have brought comes back when its
        /// visibility timeout ends.
        receives: usize,
    },
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |id: &Option<&str>| id.unwrap_or("without an id").to_owned();
        match self {
            Event::ReceiveFailed { error, next_in } => {
                write!(
                    formatter,
                    "cannot receive, next try in {next_in:?}: {error}"
                )
            }
            Event::HandlerFailed {
                message_id,
                failure,
            } => write!(
                formatter,
                "message {} is not handled: {failure}",
                name(message_id)
            ),
            Event::DeleteFailed { message_id, error } => write!(
                formatter,
                "message {} is handled and not deleted, so it comes again: {error}",
                name(message_id)
            ),
            Event::ExtendFailed { message_id, error } => write!(
                formatter,
                "message {} may be received by others while it is handled: {error}",
                name(message_id)
            ),
            Event::ReleaseFailed { message_id, error } => write!(
                formatter,
                "message {} stays hidden until its visibility timeout ends: {error}",
                name(message_id)
            ),
            Event::Lapsed { message_id } => write!(
                formatter,
                "message {} became visible before its turn",
                name(message_id)
            ),
            Event::StopTimedOut { running, receives } => write!(
                formatter,
                "stopping took too long: {running} handlers are aborted and {receives} receives \
                 given up"
            ),
        }
    }
}

/// Why a message was not handled.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The handler gave this error.
    Error(BoxError),
    /// The handler panicked, with these words.
    Panicked(String),
    /// The handler took longer than this.
    TimedOut(Duration),
    /// The handler was still running when the time for stopping was over.
    Aborted,
    /// The message is not what was sent, so the handler did not get it; or it came without a
    /// receipt handle, and could not be deleted.
    Damaged(BoxError),
}

impl Failure {
    /// That of a panic.
    pub(super) fn panicked(payload: &(dyn Any + Send)) -> Failure {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Failure::Panicked(text.unwrap_or("something that is not text").to_owned())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error(error) => error.fmt(formatter),
            Failure::Panicked(text) => write!(formatter, "the handler panicked: {text}"),
            Failure::TimedOut(limit) => write!(formatter, "the handler took more than {limit:?}"),
            Failure::Aborted => formatter.write_str("the handler was aborted"),
            Failure::Damaged(error) => write!(formatter, "it is damaged: {error}"),
        }
    }
}
