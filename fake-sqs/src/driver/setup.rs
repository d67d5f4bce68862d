//! What a driver begins with, and begins anew with.

use std::sync::Arc;

use sqs_engine::{Config, Engine, InFlightLimits, Rules};

use super::AutoCreate;
use crate::changes::Changes;
use crate::clock::{ClockStart, QueueClock, WallClock};
use crate::declare::Declared;
use crate::record::Recorder;
use crate::seed::Seed;
use crate::store::Restored;

/// What a driver is made with.
pub(crate) struct Setup {
    pub(crate) seed: Seed,
    pub(crate) rules: Rules,
    pub(crate) limits: InFlightLimits,
    pub(crate) auto_create: AutoCreate,
    /// What the queues' clock shows at first.
    pub(crate) clock: ClockStart,
    /// The real time that the queues' clock starts at and whose jumps it follows.
    pub(crate) wall: WallClock,
    /// The queues that are there from the start, once [`Driver::declare`] is called.
    pub(crate) declared: Vec<Declared>,
    /// Told of everything that changes.
    pub(crate) changes: Arc<Changes>,
    /// Writes down what happens; `None` keeps everything in memory only.
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// What was written down before; `None` begins with nothing.
    pub(crate) restored: Option<Restored>,
}

impl Setup {
    /// What the first engine is, and what its clock shows.
    pub(super) fn beginning(&mut self) -> (Engine, QueueClock) {
        if let Some(Restored { engine, clock }) = self.restored.take() {
            let clock = QueueClock::resumed(clock, engine.now(), self.wall);
            return (engine, clock);
        }
        let config = self.config();
        if let Some(recorder) = &self.recorder {
            recorder.reset(config);
        }
        (Engine::new(config), self.clock())
    }

    /// What the queues' clock shows at first, which is written down unless it is real time.
    pub(super) fn clock(&self) -> QueueClock {
        let mut clock = QueueClock::starting(self.clock, self.wall);
        if let Some(recorder) = &self.recorder
            && self.clock != ClockStart::now()
        {
            recorder.clock(clock.now(), clock.setting());
        }
        clock
    }

    /// How the next engine begins. Its seed is logged, so that a run can be had again.
    pub(super) fn config(&self) -> Config {
        let seed = self.seed.value();
        let rules_told = match self.rules {
            Rules::Strict => "",
            Rules::Relaxed => "; relaxed: no 60-second rules",
        };
        tracing::info!("starting empty; seed {seed} (--seed {seed} repeats the ids){rules_told}");
        Config {
            seed,
            rules: self.rules,
            limits: self.limits,
        }
    }
}
