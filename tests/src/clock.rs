//! The time. Nothing else in this package reads it.

use std::time::{Instant, SystemTime};

/// The time now, to sign with.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "this is the package's one file that reads the clock"
)]
pub fn now() -> SystemTime {
    SystemTime::now()
}

/// A moment, to measure how long something takes.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "this is the package's one file that reads the clock"
)]
pub fn moment() -> Instant {
    Instant::now()
}

/// The time of the runtime that this is called on, which stands still where a test has paused it.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "this is the package's one file that reads the clock"
)]
pub fn of_the_runtime() -> tokio::time::Instant {
    tokio::time::Instant::now()
}
