//! What happened, happening again.

use sqs_engine::{Command, Config, Engine, Timestamp};

use super::record::{Answers, Digest, Record, is_nothing};
use crate::clock::ClockSetting;

/// An engine to which what is written down happens, one after the other.
pub(super) struct History {
    pub(super) engine: Engine,
    pub(super) clock: ClockSetting,
    /// How many commands, and moments at which time answered polls, have been repeated.
    pub(super) repeated: u64,
}

/// Answers are not what they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) at: Timestamp,
    /// What was answered.
    pub(super) what: String,
    pub(super) then: Digest,
    pub(super) now: Digest,
}

impl History {
    /// Before the first record.
    pub(super) fn new() -> Self {
        Self::after(Engine::new(Config::default()), START)
    }

    /// After those that led to this state.
    pub(super) fn after(engine: Engine, clock: ClockSetting) -> Self {
        Self {
            engine,
            clock,
            repeated: 0,
        }
    }

    /// Lets it happen. Gives how the answers differ, if they do.
    pub(super) fn apply(&mut self, record: Record<Command>) -> Option<Difference> {
        match record {
            Record::Began { config, .. } => {
                self.engine = Engine::new(config);
                self.clock = START;
                None
            }
            Record::Opened {
                at, rules, limits, ..
            } => {
                self.engine.cancel_all();
                self.engine.set_rules(at, rules, limits);
                None
            }
            Record::Did {
                at,
                command,
                answers: then,
            } => {
                let what = describe(&command);
                let mut answers = Answers::default();
                answers.effect(&self.engine.perform(at, command));
                self.compare(at, what, answers, then)
            }
            Record::Passed { at, answers: then } => {
                self.engine.advance(at);
                let what = "polls that waited".to_owned();
                self.compare(at, what, Answers::default(), then)
            }
            Record::Clock { setting } => {
                self.clock = setting;
                None
            }
        }
    }

    fn compare(
        &mut self,
        at: Timestamp,
        what: String,
        mut answers: Answers,
        then: Digest,
    ) -> Option<Difference> {
        while let Some((waiter, answer)) = self.engine.poll_completed() {
            if !is_nothing(&answer) {
                answers.poll(waiter, &answer);
            }
        }
        self.repeated += 1;
        let now = answers.digest();
        (then != now).then_some(Difference {
            at,
            what,
            then,
            now,
        })
    }
}

/// How the clock of a new state is set.
const START: ClockSetting = ClockSetting::Running { offset_millis: 0 };

/// A command in a few words. What clients chose is not in them.
fn describe(command: &Command) -> String {
    match command {
        Command::Handle { context, request } => {
            let operation = request.operation();
            format!("{operation} of account {}", context.account)
        }
        Command::Cancel { .. } => "the end of a poll".to_owned(),
        Command::RemoveAccount { account } => format!("the reset of account {account}"),
        Command::Control { queue, action } => format!("{action:?} at {queue}"),
        // There are no others as long as this crate and the engine are of one version.
        other => format!("{other:?}"),
    }
}
