//! The one file of this crate that reads the time.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the file that reads the clock"
)]

use tokio::time::Instant;

/// Now, by tokio's clock, which tests can stop.
pub(super) fn now() -> Instant {
    Instant::now()
}
