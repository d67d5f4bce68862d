//! What can be asked of a running server besides SQS calls.
//!
//! The control interface under `/_fake/` and the in-process handle both go through here, so that
//! neither can do what the other cannot.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::AccountId;
use crate::clock::{ClockMode, ClockReading};
use crate::driver::{AdvanceError, Driver};
use crate::record::NotKept;

/// The controls of one server.
#[derive(Clone)]
pub(crate) struct Control {
    driver: Arc<Driver>,
}

impl Control {
    pub(crate) fn new(driver: Arc<Driver>) -> Self {
        Self { driver }
    }

    /// Whether the server is ready, and how much it holds.
    pub(crate) fn health(&self) -> Health {
        let totals = self.driver.totals();
        Health {
            status: "ready",
            version: env!("CARGO_PKG_VERSION"),
            queues: totals.queues,
            messages: totals.messages,
            clock: totals.clock.into(),
        }
    }

    /// What the queues' clock shows.
    pub(crate) fn clock(&self) -> Clock {
        self.driver.clock().into()
    }

    /// Stops the queues' time.
    pub(crate) async fn freeze(&self) -> Result<Clock, NotKept> {
        self.driver.freeze().await.map(Clock::from)
    }

    /// Lets the queues' time go on from where it stands.
    pub(crate) async fn resume(&self) -> Result<Clock, NotKept> {
        self.driver.resume().await.map(Clock::from)
    }

    /// Moves the queues' time forward.
    pub(crate) async fn advance(&self, by: Duration) -> Result<Clock, AdvanceError> {
        self.driver.move_time(by).await.map(Clock::from)
    }

    /// Forgets everything in `scope`.
    pub(crate) async fn reset(&self, scope: ResetScope) -> Result<(), NotKept> {
        match scope {
            ResetScope::Everything => self.driver.reset().await,
            ResetScope::Account(account) => self.driver.reset_account(account.as_str()).await,
        }
    }
}

/// How much a reset forgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResetScope {
    Everything,
    Account(AccountId),
}

/// The answer to a health check.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Health {
    status: &'static str,
    version: &'static str,
    queues: usize,
    messages: usize,
    clock: Clock,
}

/// What the queues' clock shows.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Clock {
    /// Milliseconds since 1970.
    now: i64,
    mode: ClockMode,
    /// How far it is ahead of the real one; behind it, if negative.
    offset_seconds: serde_json::Number,
}

impl From<ClockReading> for Clock {
    fn from(reading: ClockReading) -> Self {
        Self {
            now: reading.now.as_millis(),
            mode: reading.mode,
            offset_seconds: seconds(reading.offset_millis),
        }
    }
}

/// Seconds with the milliseconds as a fraction, if there are any: a whole number has no `.0`.
fn seconds(millis: i64) -> serde_json::Number {
    if millis % 1_000 == 0 {
        return (millis / 1_000).into();
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "no clock is 285,000 years from the real one"
    )]
    let seconds = millis as f64 / 1_000.0;
    // It is finite.
    serde_json::Number::from_f64(seconds).unwrap_or_else(|| (millis / 1_000).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_whole_if_it_can_be() {
        for (millis, text) in [(0, "0"), (-90_000, "-90"), (1_250, "1.25"), (-1, "-0.001")] {
            assert_eq!(seconds(millis).to_string(), text);
        }
    }
}
