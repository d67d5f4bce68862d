//! Notes of what happens, taken under the driver's lock, until the writer has committed them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;
use sqs_engine::{Command, Config, Effect, Timestamp, WaiterId};
use tokio::sync::watch;

use super::database::Before;
use super::record::{Answers, Record, is_nothing};
use crate::clock::ClockSetting;
use crate::driver::Answer;
use crate::record::{Access, Mark, NotKept};

/// Shared by the driver, which takes notes, and the writer.
pub(super) struct Notes {
    state: Mutex<State>,
    /// Told when there is something for the writer to do.
    work: Condvar,
    progress: watch::Sender<Progress>,
}

struct State {
    /// Records that are complete and not committed, a line each.
    pending: Vec<u8>,
    before: Before,
    /// How many records were begun, the open one counted.
    begun: u64,
    /// How many are complete.
    complete: u64,
    open: Option<Open>,
    /// How the engine began that is there now, unless it came from the directory.
    began: Option<Config>,
    condition: Condition,
    /// Somebody would like to change something though nothing can be written.
    wanted: bool,
    closing: bool,
}

/// A record that may still get answers.
struct Open {
    /// `None` while time passes.
    command: Option<(Timestamp, Box<RawValue>)>,
    answers: Answers,
}

/// Whether what happens can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Working,
    /// Nothing can be written, so nothing may change.
    Full(String),
    /// Not even what was written can be read, so there is nothing to look at.
    Lost(String),
}

/// How far the writer has come.
#[derive(Debug, Default)]
struct Progress {
    /// So many records are either committed or lost.
    decided: u64,
    /// The lost ones, each range with its ends included.
    lost: Vec<(u64, u64)>,
    reason: String,
}

/// What the writer is to commit at once.
pub(super) struct Batch {
    pub(super) records: Vec<u8>,
    pub(super) before: Before,
    /// With these so many records are committed.
    pub(super) complete: u64,
}

/// What the writer has to do.
pub(super) enum Work {
    Commit(Batch),
    /// Nothing that anybody waits for.
    Idle,
    /// Nothing more will come.
    End,
}

impl Notes {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                pending: Vec::new(),
                before: Before::Nothing,
                begun: 0,
                complete: 0,
                open: None,
                began: None,
                condition: Condition::Working,
                wanted: false,
                closing: false,
            }),
            work: Condvar::new(),
            progress: watch::Sender::new(Progress::default()),
        }
    }

    pub(super) fn check(&self, access: Access) -> Result<(), NotKept> {
        let mut state = self.lock();
        let reason = match (&state.condition, access) {
            (Condition::Working, _) | (Condition::Full(_), Access::Look) => return Ok(()),
            (Condition::Full(reason), Access::Change) | (Condition::Lost(reason), _) => {
                reason.clone()
            }
        };
        state.wanted = true;
        self.work.notify_one();
        Err(NotKept(reason))
    }

    pub(super) fn command(&self, now: Timestamp, command: &Command) {
        let mut state = self.lock();
        state.close(now);
        if command.only_looks() {
            return;
        }
        match serde_json::value::to_raw_value(command) {
            Ok(command) => {
                state.open = Some(Open {
                    command: Some((now, command)),
                    answers: Answers::default(),
                });
            }
            // Every command has a form in JSON. If one had none, what follows could not be repeated.
            Err(error) => unreachable!("a command cannot be written as JSON: {error}"),
        }
        state.begun += 1;
    }

    pub(super) fn effect(&self, effect: &Effect) {
        if let Some(open) = &mut self.lock().open {
            open.answers.effect(effect);
        }
    }

    pub(super) fn answered(&self, waiter: WaiterId, answer: &Answer) {
        if is_nothing(answer) {
            return;
        }
        let mut state = self.lock();
        if state.open.is_none() {
            state.begun += 1;
        }
        let open = state.open.get_or_insert_with(|| Open {
            command: None,
            answers: Answers::default(),
        });
        open.answers.poll(waiter, answer);
    }

    pub(super) fn settled(&self, now: Timestamp) {
        let mut state = self.lock();
        state.close(now);
        if !state.pending.is_empty() {
            self.work.notify_one();
        }
    }

    pub(super) fn clock(&self, now: Timestamp, setting: ClockSetting) {
        let mut state = self.lock();
        state.close(now);
        state.add(&Record::Clock { setting });
        self.work.notify_one();
    }

    pub(super) fn reset(&self, config: Config) {
        let mut state = self.lock();
        state.forget();
        state.before = Before::Forget;
        state.began = Some(config);
        state.add(&Record::Began {
            config,
            program: PROGRAM.to_owned(),
        });
        self.work.notify_one();
    }

    /// Adds a record of the store itself.
    pub(super) fn add(&self, record: &Record<Box<RawValue>>) {
        self.lock().add(record);
        self.work.notify_one();
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.lock().begun)
    }

    pub(super) async fn kept(&self, mark: Mark) -> Result<(), NotKept> {
        if mark == Mark::default() {
            return Ok(());
        }
        let mut progress = self.progress.subscribe();
        match progress
            .wait_for(|progress| progress.decided >= mark.0)
            .await
        {
            Ok(progress) => progress.fate(mark),
            // The sender is in here too.
            Err(_closed) => Err(NotKept("the server has stopped".to_owned())),
        }
    }

    /// Waits for something to do. Whoever has something else to do besides does not wait.
    pub(super) fn next(&self, patience: Patience) -> Work {
        let mut state = self.lock();
        loop {
            // What cannot be written now is not waited for when the server stops: nobody was told of it.
            let can_write = state.condition == Condition::Working || state.wanted;
            if can_write && !state.pending.is_empty() {
                state.wanted = false;
                return Work::Commit(state.take());
            }
            if state.closing {
                return Work::End;
            }
            // What is lost is to be read again before anything is written.
            if patience == Patience::None || state.wanted {
                state.wanted = false;
                return Work::Idle;
            }
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What there is to commit at this moment. The caller sees to it that nothing happens.
    pub(super) fn take(&self) -> Option<Batch> {
        let mut state = self.lock();
        (!state.pending.is_empty()).then(|| state.take())
    }

    /// A batch was committed.
    pub(super) fn committed(&self, batch: &Batch) {
        self.progress
            .send_modify(|progress| progress.decided = progress.decided.max(batch.complete));
    }

    /// A batch could not be committed, and is to be tried again when somebody asks for it.
    pub(super) fn put_back(&self, batch: Batch) {
        let mut state = self.lock();
        let later = std::mem::replace(&mut state.pending, batch.records);
        if state.before == Before::Forget {
            // All that was to be written before it counts no more.
            state.pending = later;
        } else {
            state.pending.extend_from_slice(&later);
            state.before = batch.before;
        }
    }

    /// What was not committed has not happened. The caller sees to it that nothing happens, and puts
    /// the engine back.
    pub(super) fn lose(&self, reason: &str) {
        let mut state = self.lock();
        state.forget();
        state.before = Before::Nothing;
        let last = state.begun;
        self.progress.send_modify(|progress| {
            let first = progress.decided + 1;
            match progress.lost.last_mut() {
                _ if last < first => {}
                Some((_, end)) if *end + 1 == first => *end = last,
                Some(_) | None => progress.lost.push((first, last)),
            }
            progress.decided = progress.decided.max(last);
            reason.clone_into(&mut progress.reason);
        });
    }

    pub(super) fn began(&self) -> Option<Config> {
        self.lock().began
    }

    pub(super) fn condition(&self) -> Condition {
        self.lock().condition.clone()
    }

    pub(super) fn set_condition(&self, condition: Condition) {
        self.lock().condition = condition;
    }

    /// Nothing more will come. What is there is still committed.
    pub(super) fn close(&self) {
        self.lock().closing = true;
        self.work.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the writer has time to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    Endless,
    None,
}

/// Who writes.
pub(super) const PROGRAM: &str = concat!("fake-sqs ", env!("CARGO_PKG_VERSION"));

impl State {
    /// Completes the record that is open.
    fn close(&mut self, now: Timestamp) {
        let Some(open) = self.open.take() else {
            return;
        };
        let answers = open.answers.digest();
        let record = match open.command {
            Some((at, command)) => Record::Did {
                at,
                command,
                answers,
            },
            None => Record::Passed { at: now, answers },
        };
        self.write(&record);
    }

    fn add(&mut self, record: &Record<Box<RawValue>>) {
        self.begun += 1;
        self.write(record);
    }

    fn write(&mut self, record: &impl Serialize) {
        if let Err(error) = serde_json::to_writer(&mut self.pending, record) {
            // As above, and memory takes everything.
            unreachable!("a record cannot be written as JSON: {error}");
        }
        self.pending.push(b'\n');
        self.complete = self.begun;
    }

    /// Forgets what is not committed.
    fn forget(&mut self) {
        self.open = None;
        self.pending.clear();
        self.complete = self.begun;
    }

    fn take(&mut self) -> Batch {
        Batch {
            records: std::mem::take(&mut self.pending),
            before: std::mem::replace(&mut self.before, Before::Nothing),
            complete: self.complete,
        }
    }
}

impl Progress {
    fn fate(&self, mark: Mark) -> Result<(), NotKept> {
        let covers = |(first, last): &(u64, u64)| (*first..=*last).contains(&mark.0);
        if self.lost.iter().any(covers) {
            Err(NotKept(self.reason.clone()))
        } else {
            Ok(())
        }
    }
}
