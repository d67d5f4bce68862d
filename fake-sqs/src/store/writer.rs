//! The thread that writes: it commits what has been noted, and now and then a snapshot.

use std::sync::Arc;
use std::thread;

use sqs_engine::{Config, Engine, InFlightLimits, Rules};

use super::DataDirError;
use super::database::{Before, Database, Size, Swept};
use super::history::History;
use super::notes::{Batch, Condition, Notes, PROGRAM, Patience, Work};
use super::record::Record;
use crate::clock::ClockSetting;
use crate::record::{NotKept, Subject};

pub(super) struct Writer {
    pub(super) notes: Arc<Notes>,
    pub(super) subject: Arc<dyn Subject>,
    pub(super) database: Database,
    pub(super) size: Size,
    pub(super) terms: Terms,
    snapshot: Option<Snapshot>,
    /// How long the log must be before another snapshot is tried.
    next_at: u64,
    swept: Swept,
}

/// What holds for a state that is taken up again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) rules: Rules,
    pub(super) limits: InFlightLimits,
    /// A snapshot is written when the log after the last one has this many bytes, and as many as
    /// that one: so a start reads at most about twice what there is, and this.
    pub(super) log_bytes: u64,
}

/// A snapshot that is being written.
struct Snapshot {
    id: i64,
    /// In reverse.
    parts: Vec<Vec<u8>>,
    clock: ClockSetting,
    bytes: u64,
    /// What of the log is in it.
    last_row: i64,
    log_bytes: u64,
}

/// How much of a snapshot is held in memory. A larger one is written while the engine stands still.
const HELD_BYTES: usize = 64 << 20;

/// How much of a snapshot is written between two commits, in bytes.
const STEP_BYTES: usize = 1 << 20;

impl Writer {
    pub(super) fn new(
        notes: Arc<Notes>,
        subject: Arc<dyn Subject>,
        database: Database,
        size: Size,
        terms: Terms,
    ) -> Self {
        Self {
            notes,
            subject,
            database,
            size,
            terms,
            snapshot: None,
            next_at: 0,
            swept: Swept::Some,
        }
    }

    /// Writes until there is nothing more to come.
    pub(super) fn run(mut self) {
        let _watch = Watch(Arc::clone(&self.notes));
        loop {
            let working = self.notes.condition() == Condition::Working;
            let busy = working && (self.snapshot.is_some() || self.swept == Swept::Some);
            let patience = if busy {
                Patience::None
            } else {
                Patience::Endless
            };
            match self.notes.next(patience) {
                Work::Commit(batch) => self.commit(batch),
                Work::Idle => {
                    if let Condition::Lost(reason) = self.notes.condition() {
                        self.put_engine_back(&reason);
                    }
                }
                Work::End => return,
            }
            if self.notes.condition() == Condition::Working {
                self.step();
            }
        }
    }

    fn commit(&mut self, batch: Batch) {
        match self.database.append(batch.before, &batch.records) {
            Ok(row) => {
                if batch.before == Before::Forget {
                    self.size = Size::default();
                    self.snapshot = None;
                    self.next_at = 0;
                    if let Err(error) = self.database.shrink() {
                        tracing::warn!(%error, "the data directory could not be made smaller");
                    }
                }
                self.size.last_row = row;
                self.size.log += batch.records.len() as u64;
                if let Condition::Full(_) = self.notes.condition() {
                    tracing::info!("the state can be written again");
                    self.notes.set_condition(Condition::Working);
                }
                self.notes.committed(&batch);
            }
            Err(error) => self.fail(batch, &error),
        }
    }

    fn fail(&mut self, batch: Batch, error: &rusqlite::Error) {
        let reason = format!(
            "{} cannot be written: {error}",
            self.database.path().display()
        );
        match self.notes.condition() {
            Condition::Working => {
                tracing::error!(
                    "{reason}. What was not written has not happened, and nothing can change until \
                     it can be written again"
                );
                self.put_engine_back(&reason);
            }
            Condition::Full(_) | Condition::Lost(_) => {
                self.notes.put_back(batch);
                self.notes.set_condition(Condition::Full(reason));
            }
        }
    }

    /// Puts an engine in place to which only happened what is written.
    fn put_engine_back(&mut self, reason: &str) {
        self.snapshot = None;
        let Self {
            notes,
            subject,
            database,
            size,
            terms,
            ..
        } = self;
        subject.replace(&NotKept(reason.to_owned()), &mut || {
            notes.lose(reason);
            match reopen(notes, database, terms) {
                Ok((history, read)) => {
                    *size = read;
                    notes.set_condition(Condition::Full(reason.to_owned()));
                    (history.engine, history.clock)
                }
                Err(error) => {
                    tracing::error!("{error}. Every call fails until it can be read");
                    notes.set_condition(Condition::Lost(error.to_string()));
                    let nothing = History::new();
                    (nothing.engine, nothing.clock)
                }
            }
        });
    }

    /// Does a little of what nobody waits for.
    fn step(&mut self) {
        if let Some(snapshot) = self.snapshot.take() {
            if let Err(error) = self.go_on(snapshot) {
                self.give_up(&error);
            }
        } else if self.size.log
            >= self
                .terms
                .log_bytes
                .max(self.size.snapshot)
                .max(self.next_at)
        {
            if let Err(error) = self.begin() {
                self.give_up(&error);
            }
        } else if self.swept == Swept::Some {
            // What is left over does no harm; the next snapshot brings it up again.
            self.swept = self.database.sweep().unwrap_or(Swept::All);
        }
    }

    /// Takes a snapshot of what there is at this moment.
    fn begin(&mut self) -> rusqlite::Result<()> {
        let id = self.database.next_snapshot()?;
        let (mut parts, mut held, mut bytes) = (Vec::new(), 0, 0);
        let (mut batch, mut clock) = (None, None);
        let mut taken: rusqlite::Result<()> = Ok(());
        let (notes, database) = (&self.notes, &mut self.database);
        self.subject.look(&mut |engine: &Engine, setting| {
            // What is noted has happened to this engine, so it goes before the snapshot.
            batch = notes.take();
            clock = Some(setting);
            taken = engine.snapshot(|part| {
                held += part.len();
                bytes += part.len() as u64;
                parts.push(part.to_vec());
                if held >= HELD_BYTES {
                    database.add_parts(id, &parts)?;
                    parts.clear();
                    held = 0;
                }
                Ok(())
            });
        });
        if let Some(batch) = batch {
            self.commit(batch);
        }
        taken?;
        if let (Some(clock), Condition::Working) = (clock, self.notes.condition()) {
            parts.reverse();
            self.snapshot = Some(Snapshot {
                id,
                parts,
                clock,
                bytes,
                last_row: self.size.last_row,
                log_bytes: self.size.log,
            });
        }
        Ok(())
    }

    fn go_on(&mut self, mut snapshot: Snapshot) -> rusqlite::Result<()> {
        let (mut parts, mut bytes) = (Vec::new(), 0);
        while bytes < STEP_BYTES
            && let Some(part) = snapshot.parts.pop()
        {
            bytes += part.len();
            parts.push(part);
        }
        if !parts.is_empty() {
            self.database.add_parts(snapshot.id, &parts)?;
            self.snapshot = Some(snapshot);
            return Ok(());
        }
        self.database
            .finish_snapshot(snapshot.id, snapshot.last_row, snapshot.clock)?;
        self.size.snapshot = snapshot.bytes;
        self.size.log -= snapshot.log_bytes;
        self.next_at = 0;
        self.swept = Swept::Some;
        tracing::debug!(bytes = snapshot.bytes, "a snapshot was written");
        Ok(())
    }

    /// Nobody is told, since nothing is lost: only the log grows until the next try.
    fn give_up(&mut self, error: &rusqlite::Error) {
        tracing::warn!(%error, "a snapshot could not be written; it is tried again later");
        self.snapshot = None;
        self.next_at = self.size.log + self.terms.log_bytes;
        self.swept = Swept::Some;
    }
}

/// Sees to it that nobody waits for a writer that has panicked.
struct Watch(Arc<Notes>);

impl Drop for Watch {
    fn drop(&mut self) {
        if thread::panicking() {
            let reason = "the thread that writes has stopped: start the server again";
            self.0.set_condition(Condition::Lost(reason.to_owned()));
            self.0.lose(reason);
        }
    }
}

/// Takes up what is written down, on these terms, and notes that.
pub(super) fn reopen(
    notes: &Notes,
    database: &Database,
    terms: &Terms,
) -> Result<(History, Size), DataDirError> {
    let stored = database.read(|difference| {
        tracing::debug!(?difference, "an answer was another when it was given");
    })?;
    let Some(mut stored) = stored else {
        // Not even the beginning was written.
        let config = notes.began().unwrap_or_else(|| Config {
            rules: terms.rules,
            limits: terms.limits,
            ..Config::default()
        });
        notes.reset(config);
        let clock = History::new().clock;
        return Ok((History::after(Engine::new(config), clock), Size::default()));
    };
    if stored.differences > 0 {
        tracing::warn!(
            "{} of {} answers were others when they were given, perhaps by another version of \
             fake-sqs: see fake-sqs replay",
            stored.differences,
            stored.history.repeated
        );
    }
    let at = stored.history.engine.now();
    notes.add(&Record::Opened {
        at,
        rules: terms.rules,
        limits: terms.limits,
        program: PROGRAM.to_owned(),
    });
    stored.history.engine.cancel_all();
    stored
        .history
        .engine
        .set_rules(at, terms.rules, terms.limits);
    Ok((stored.history, stored.size))
}
