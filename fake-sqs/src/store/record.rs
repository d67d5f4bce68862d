//! What is written down: a line of JSON for everything that happened.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqs::Response;
use sqs_engine::{Config, Effect, InFlightLimits, Outcome, Rules, Timestamp, WaiterId};

use crate::clock::ClockSetting;
use crate::driver::Answer;

/// One thing that happened. `C` is a command, or its JSON where it need not be understood.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Record<C> {
    /// An empty engine began.
    Began {
        config: Config,
        /// The version of the program that wrote this.
        program: String,
    },
    /// A program took the state up again: the polls of before have no clients any more, and its
    /// rules hold.
    Opened {
        at: Timestamp,
        rules: Rules,
        limits: InFlightLimits,
        program: String,
    },
    /// A command was performed, with these answers.
    Did {
        at: Timestamp,
        command: C,
        answers: Digest,
    },
    /// Time alone answered polls.
    Passed { at: Timestamp, answers: Digest },
    /// The clock was frozen, resumed or moved.
    Clock { setting: ClockSetting },
}

/// What tells answers from others: the first half of a SHA-256 over their JSON, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Digest(String);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Takes in answers, and gives their digest.
#[derive(Clone, Default)]
pub(super) struct Answers(Sha256);

impl Answers {
    /// What a command gives.
    pub(super) fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Call(Outcome::Done(answer)) => self.answer(answer),
            Effect::Call(Outcome::Waiting(waiter)) => self.json("waits", waiter),
            Effect::Control(done) => {
                self.0.update(format!("control {done:?}"));
            }
            Effect::Done => self.0.update("done"),
        }
    }

    /// What a poll gets that waited.
    pub(super) fn poll(&mut self, waiter: WaiterId, answer: &Answer) {
        self.json("poll", &waiter);
        self.answer(answer);
    }

    pub(super) fn digest(self) -> Digest {
        let hash: [u8; 32] = self.0.finalize().into();
        let half = hash[..16].iter();
        Digest(half.map(|byte| format!("{byte:02x}")).collect())
    }

    fn answer(&mut self, answer: &Answer) {
        match answer {
            Ok(response) => self.json(response.operation().name(), response),
            Err(error) => self.0.update(error.to_string()),
        }
    }

    fn json(&mut self, what: &str, value: &impl Serialize) {
        self.0.update(what);
        // A hash takes everything, and all of these have a form in JSON; if one had none, its
        // answers would count as the same.
        let _ = serde_json::to_writer(Hash(&mut self.0), value);
    }
}

/// Whether a poll that waited ended with nothing, which changes nothing for anybody: such answers
/// are not written down.
pub(super) fn is_nothing(answer: &Answer) -> bool {
    match answer {
        Ok(Response::ReceiveMessage(output)) => output.messages.is_empty(),
        Ok(_) | Err(_) => false,
    }
}

struct Hash<'a>(&'a mut Sha256);

impl io::Write for Hash<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
