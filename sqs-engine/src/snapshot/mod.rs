//! Snapshots: an engine's whole state as bytes, and an engine from them.
//!
//! A snapshot is a row of parts, each at most about a mebibyte unless a single message or list is
//! larger, so that whoever stores it needs no memory for the whole. In them is only what cannot be
//! told from the rest: every index is made anew, which also finds contradictions.
//!
//! | part | what |
//! |---|---|
//! | head | the version; time, ids, deletions, waiting polls, move tasks |
//! | queue | a queue without what follows |
//! | memory | deduplication ids of the queue before it, oldest first |
//! | messages | messages of that queue, oldest first |
//! | end | how many parts there are, and the SHA-256 of all of them |

mod read;
mod write;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::directory::QueueName;
use crate::engine::{Engine, InFlightLimits, Rules};
use crate::id::{IdSource, QueueId};
use crate::tasks::Task;
use crate::time::Timestamp;
use crate::waiters::{Waiter, WaiterId};

pub use read::Restore;

/// How every first part begins, before the version.
const MARK: &[u8] = b"sqs-engine snapshot";

/// Of the form of all parts. It goes up with every change of what they hold; the test of a snapshot
/// from the past says when.
const VERSION: u8 = 1;

const HEAD: u8 = 0;
const QUEUE: u8 = 1;
const MEMORY: u8 = 2;
const MESSAGES: u8 = 3;
const END: u8 = 4;

/// From this size on a part is full, in bytes.
const PART_BYTES: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Head {
    rules: Rules,
    limits: InFlightLimits,
    now: Timestamp,
    ids: IdSource,
    deletions: Vec<Deletion>,
    /// How many polls have ever waited.
    polls: u64,
    waiting: Vec<(WaiterId, Waiter)>,
    tasks: Vec<(QueueId, Vec<Task>)>,
}

/// A queue that was deleted not long ago.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Deletion {
    pub(crate) at: Timestamp,
    pub(crate) queue: QueueName,
    /// Whether it stands in the way of a new queue of the name.
    pub(crate) holds: Holds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Holds {
    Name,
    Nothing,
}

#[derive(Serialize, Deserialize)]
struct End {
    parts: u64,
    digest: [u8; 32],
}

impl Engine {
    /// Writes down the whole state, a part at a time, for [`Restore`].
    ///
    /// An engine made from it goes on as this one does: the same commands at the same times get the
    /// same answers, byte for byte. Polls that wait are in it; answers that
    /// [`poll_completed`](Self::poll_completed) has not given yet are not, so fetch them first.
    ///
    /// The work is in proportion to what is stored. The parts are to be kept in order. They are of
    /// use to this version of the crate and later ones.
    ///
    /// # Errors
    ///
    /// Whatever `put` gives, which is then not called again.
    ///
    /// # Example
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use sqs::{CreateQueueInput, Request};
    /// use sqs_engine::{Config, Context, Engine, Restore, Timestamp};
    ///
    /// let mut engine = Engine::new(Config { seed: 7, ..Config::default() });
    /// let me = Context::new("000000000000", "test", "us-east-1", "http://localhost");
    /// let create = Request::CreateQueue(CreateQueueInput::new("orders"));
    /// let _ = engine.handle(Timestamp::from_millis(0), &me, create);
    ///
    /// let mut parts = Vec::new();
    /// engine.snapshot(|part| -> Result<(), Infallible> {
    ///     parts.push(part.to_vec());
    ///     Ok(())
    /// })?;
    ///
    /// let mut restore = Restore::new();
    /// for part in &parts {
    ///     restore.add(part)?;
    /// }
    /// let restored = restore.finish()?;
    /// assert!(restored.inspect().queue("000000000000", "us-east-1", "orders").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot<E>(&self, put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        write::write(self, put)
    }
}

/// Why a snapshot cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// It is no snapshot of an engine.
    Foreign,
    /// A later version of this crate has written it.
    Version {
        /// Of the snapshot's form.
        found: u8,
        /// The latest that this crate reads.
        known: u8,
    },
    /// A part is missing, is there twice, or was changed.
    Damaged {
        /// The part at which it was seen, from 0.
        part: u64,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("this is no snapshot of an engine"),
            Self::Version { found, known } => write!(
                f,
                "the snapshot has version {found}, and this program knows versions up to {known}"
            ),
            Self::Damaged { part, reason } => {
                write!(f, "the snapshot is damaged at part {part}: {reason}")
            }
        }
    }
}

impl std::error::Error for RestoreError {}

/// What in a part contradicts the others, for [`RestoreError::Damaged`].
pub(crate) type Contradiction = &'static str;
