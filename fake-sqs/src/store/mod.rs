//! State that survives: a data directory in which everything that happens is written down.
//!
//! The engine is deterministic. So what is kept is what was done to it, from a snapshot on, and a
//! start does it again. The driver notes each command under its lock; a thread of its own commits
//! what has been noted meanwhile as one row of an SQLite database, and the answers that rest on it
//! go out after that. While one commit is on its way to the disk the next is collected, so many
//! clients share the cost of one.
//!
//! What is not written down:
//!
//! * calls that only look, and what their answers show may be not committed yet;
//! * that time passes, unless it gives messages to a poll: those must stay in flight;
//! * that a poll ends with nothing.
//!
//! When a commit fails, what was in it has not happened: the engine is made anew from what is
//! written, the calls are answered with an error, and so is each one that would change something
//! until a commit succeeds.
//!
//! | module | what |
//! |---|---|
//! | `directory` | whose directory it is, and who may use it |
//! | `database` | the tables |
//! | `record` | what a line of the log says |
//! | `notes` | what has happened and is not committed yet |
//! | `writer` | the thread that commits, and takes snapshots |
//! | `history` | what happened, happening again |
//! | `replay` | the same for its own sake |

mod database;
mod directory;
mod history;
mod notes;
mod record;
mod replay;
mod writer;

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use sqs_engine::{Command, Config, Effect, Engine, InFlightLimits, Rules, Timestamp, WaiterId};

use self::database::{Database, Size};
use self::directory::Directory;
use self::notes::{Condition, Notes};
use self::writer::{Terms, Writer};
use crate::clock::ClockSetting;
use crate::driver::Answer;
use crate::record::{Access, Mark, NotKept, Recorder, Subject};

pub use self::replay::{Replay, ReplayedFrom, replay};

/// Without much in the queues, a snapshot is written when the log has this many bytes.
const LOG_BYTES: u64 = 16 << 20;

/// The state in a data directory.
pub(crate) struct Store {
    notes: Arc<Notes>,
    /// Until the writer begins.
    ready: Mutex<Option<Ready>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

struct Ready {
    database: Database,
    size: Size,
    terms: Terms,
}

/// An engine as a data directory had it, and its clock.
pub(crate) struct Restored {
    pub(crate) engine: Engine,
    pub(crate) clock: ClockSetting,
}

impl Store {
    /// Takes a directory, which is made if it is not there, and what is in it.
    pub(crate) fn open(
        path: &Path,
        rules: Rules,
        limits: InFlightLimits,
    ) -> Result<(Self, Option<Restored>), DataDirError> {
        let terms = Terms {
            rules,
            limits,
            log_bytes: LOG_BYTES,
        };
        Self::open_on(path, terms)
    }

    fn open_on(path: &Path, terms: Terms) -> Result<(Self, Option<Restored>), DataDirError> {
        let database = Database::open(Directory::create(path)?)?;
        let notes = Arc::new(Notes::new());
        let (restored, size) = if database.is_empty()? {
            (None, Size::default())
        } else {
            let (history, size) = writer::reopen(&notes, &database, &terms)?;
            let restored = Restored {
                engine: history.engine,
                clock: history.clock,
            };
            (Some(restored), size)
        };
        let store = Self {
            notes,
            ready: Mutex::new(Some(Ready {
                database,
                size,
                terms,
            })),
            writer: Mutex::new(None),
        };
        Ok((store, restored))
    }
}

impl Recorder for Store {
    fn check(&self, access: Access) -> Result<(), NotKept> {
        self.notes.check(access)
    }

    fn command(&self, now: Timestamp, command: &Command) {
        self.notes.command(now, command);
    }

    fn effect(&self, effect: &Effect) {
        self.notes.effect(effect);
    }

    fn answered(&self, waiter: WaiterId, answer: &Answer) {
        self.notes.answered(waiter, answer);
    }

    fn settled(&self, now: Timestamp) {
        self.notes.settled(now);
    }

    fn clock(&self, now: Timestamp, setting: ClockSetting) {
        self.notes.clock(now, setting);
    }

    fn reset(&self, config: Config) {
        self.notes.reset(config);
    }

    fn mark(&self) -> Mark {
        self.notes.mark()
    }

    fn kept(&self, mark: Mark) -> Pin<Box<dyn Future<Output = Result<(), NotKept>> + Send + '_>> {
        Box::pin(self.notes.kept(mark))
    }

    fn attach(&self, subject: Arc<dyn Subject>) {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Ready {
            database,
            size,
            terms,
        }) = ready.take()
        else {
            return;
        };
        let writer = Writer::new(Arc::clone(&self.notes), subject, database, size, terms);
        let thread = thread::Builder::new().name("fake-sqs-store".to_owned());
        match thread.spawn(move || writer.run()) {
            Ok(thread) => {
                let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
                *writer = Some(thread);
            }
            Err(error) => {
                let reason = format!("the thread that writes cannot be started: {error}");
                self.notes.set_condition(Condition::Lost(reason));
            }
        }
    }
}

/// What has been noted is still committed, and the directory is given back.
impl Drop for Store {
    fn drop(&mut self) {
        self.notes.close();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = writer.take() {
            // A writer that panicked has given the directory back as well.
            let _ = thread.join();
        }
    }
}

/// Why a data directory cannot be used. It is left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataDirError {
    /// The system does not let it be read or written.
    #[error("the data directory {} cannot be used: {source}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// SQLite cannot read or write what is in it.
    #[error("the data directory {} cannot be used: {reason}", path.display())]
    Sqlite {
        /// The directory.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// Another server uses it.
    #[error("the data directory {} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// It holds something, and that is not the state of a fake-sqs.
    #[error(
        "the data directory {} is not one of fake-sqs: {what}; name an empty directory, or one that \
         is not there yet", path.display()
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// What speaks against it.
        what: String,
    },
    /// A later version of fake-sqs has written it.
    #[error(
        "the data directory {} is of a later fake-sqs: its version is {found}, and this program \
         knows versions up to {known}", path.display()
    )]
    Newer {
        /// The directory.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The latest that this program can use.
        known: i32,
    },
    /// Something in it is missing, or was changed.
    #[error("the data directory {} is damaged: {reason}", path.display())]
    Damaged {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is nothing in it to be replayed.
    #[error("the directory {} holds no state of a fake-sqs", .0.display())]
    Empty(PathBuf),
}

#[cfg(test)]
mod tests;
