//! What can be asked of a running server besides SQS calls.
//!
//! The control interface under `/_fake/` and the in-process handle both go through here, so that
//! neither can do what the other cannot.

use std::sync::Arc;

use serde::Serialize;

use crate::AccountId;
use crate::driver::Driver;

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
            clock: ClockReading {
                now: totals.now.as_millis(),
                mode: "running",
                offset_seconds: 0,
            },
        }
    }

    /// Forgets everything in `scope`.
    pub(crate) fn reset(&self, scope: ResetScope) {
        match scope {
            ResetScope::Everything => self.driver.reset(),
            ResetScope::Account(account) => self.driver.reset_account(account.as_str()),
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
    clock: ClockReading,
}

/// What the queues' clock shows.
#[derive(Clone, Debug, Serialize)]
struct ClockReading {
    /// Milliseconds since 1970.
    now: i64,
    mode: &'static str,
    /// How far the queues' clock was moved from the real one.
    offset_seconds: u32,
}
