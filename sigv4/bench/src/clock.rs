//! The one file that reads the clock.

use std::time::{Duration, Instant};

/// How long some work takes.
#[expect(clippy::disallowed_methods, reason = "measuring reads the clock")]
pub fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
