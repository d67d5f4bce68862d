//! The driver and its recorder: what an answer must wait for, and what the recorder may do.

use sqs::Response;
use sqs_engine::{Command, Config, Engine};

use super::{Answer, AutoCreate, Driver, Given, Shared, internal_failure};
use crate::clock::{ClockSetting, QueueClock};
use crate::record::{Access, Mark, NotKept, Subject};

impl Driver {
    /// How much of the history must be safe before an answer goes out that was given now.
    pub(super) fn mark(&self) -> Mark {
        let recorder = self.setup.recorder.as_ref();
        recorder.map_or(Mark::default(), |recorder| recorder.mark())
    }

    /// The same for one answer. A receive that gave nothing rests on nothing.
    pub(super) fn mark_for(&self, answer: &Answer) -> Mark {
        match answer {
            Ok(Response::ReceiveMessage(output)) if output.messages.is_empty() => Mark::default(),
            Ok(_) | Err(_) => self.mark(),
        }
    }

    /// What a command may do. Where missing queues are created, any may do that.
    pub(super) fn access(&self, command: &Command) -> Access {
        if command.only_looks() && self.setup.auto_create == AutoCreate::Off {
            Access::Look
        } else {
            Access::Change
        }
    }

    /// Whether something may happen now.
    pub(super) fn check(&self, access: Access) -> Result<(), NotKept> {
        match &self.setup.recorder {
            Some(recorder) => recorder.check(access),
            None => Ok(()),
        }
    }

    /// Waits until what an answer rests on is safe.
    pub(super) async fn kept(&self, mark: Mark) -> Result<(), NotKept> {
        match &self.setup.recorder {
            Some(recorder) => recorder.kept(mark).await,
            None => Ok(()),
        }
    }
}

impl Subject for Shared {
    fn look(&self, look: &mut dyn FnMut(&Engine, ClockSetting)) {
        let state = self.lock();
        look(&state.engine, state.clock.setting());
    }

    fn replace(&self, reason: &NotKept, make: &mut dyn FnMut() -> (Engine, ClockSetting)) {
        let mut state = self.lock();
        // The old one goes first, so that there is room for the new one.
        state.engine = Engine::new(Config::default());
        let (engine, clock) = make();
        state.clock = QueueClock::resumed(clock, engine.now(), state.clock.wall());
        state.engine = engine;
        state.generation += 1;
        for (_, poll) in state.polls.drain() {
            let (answer, mark) = (Err(internal_failure(reason)), Mark::default());
            // The client may have gone, and then nobody needs the answer.
            let _ = poll.send(Given { answer, mark });
        }
        state.armed = None;
        self.rearm.notify_one();
        self.changes.tell();
    }
}
