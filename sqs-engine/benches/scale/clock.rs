//! The only place of this bench that reads a clock.

use std::time::{Duration, Instant};

/// How long something takes.
#[expect(
    clippy::disallowed_methods,
    reason = "measuring time is what a bench is for"
)]
pub(crate) fn time(what: impl FnOnce()) -> Duration {
    let start = Instant::now();
    what();
    start.elapsed()
}
