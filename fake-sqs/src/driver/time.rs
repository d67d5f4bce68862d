//! The queues' time, as it is stopped and moved.

use std::time::Duration;

use super::{Driver, State};
use crate::clock::{Clock, TooFar};
use crate::record::{Access, NotKept};

/// Why the clock was not moved.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum AdvanceError {
    #[error(transparent)]
    TooFar(TooFar),
    #[error(transparent)]
    NotKept(NotKept),
}

impl Driver {
    /// What the queues' clock shows.
    pub(crate) fn clock(&self) -> Clock {
        self.lock().clock.read()
    }

    /// Stops the queues' time.
    pub(crate) async fn freeze(&self) -> Result<Clock, NotKept> {
        self.set_clock(|state| state.clock.freeze()).await
    }

    /// Lets the queues' time go on from where it stands.
    pub(crate) async fn resume(&self) -> Result<Clock, NotKept> {
        self.set_clock(|state| state.clock.resume()).await
    }

    /// Moves the queues' time forward. What is due on the way happens in its turn, each at its own
    /// time, and polls that end by it have their answers when this returns.
    ///
    /// Other calls wait meanwhile, so that none sees a time in between.
    pub(crate) async fn move_time(&self, by: Duration) -> Result<Clock, AdvanceError> {
        let mut moved = Ok(());
        let set = self.set_clock(|state| moved = state.clock.advance(by));
        let reading = set.await.map_err(AdvanceError::NotKept)?;
        moved.map_err(AdvanceError::TooFar)?;
        Ok(reading)
    }

    async fn set_clock(&self, set: impl FnOnce(&mut State)) -> Result<Clock, NotKept> {
        let (reading, mark) = {
            let mut state = self.lock();
            self.check(Access::Change)?;
            set(&mut state);
            if let Some(recorder) = &self.setup.recorder {
                recorder.clock(state.engine.now(), state.clock.setting());
            }
            let reading = state.clock.read();
            state.engine.advance(reading.now);
            self.settle(&mut state);
            // How long the timer may sleep has changed, though its deadline may not have.
            self.shared.rearm.notify_one();
            (reading, self.mark())
        };
        self.kept(mark).await?;
        Ok(reading)
    }
}
