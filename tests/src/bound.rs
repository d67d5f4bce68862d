//! An end to every wait.

use std::panic::Location;
use std::time::Duration;

/// How long a test waits for one answer: far longer than it takes, and half of the 20 seconds that
/// a long poll may last, so that a poll which nothing woke is noticed.
pub const BOUND: Duration = Duration::from_secs(10);

/// How long a test waits for work of many steps, on the slowest machine that it may run on.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The output of `future`, which must come within [`BOUND`].
///
/// # Panics
///
/// When it does not; the message says where the wait was.
#[track_caller]
pub fn within<F: Future>(future: F) -> impl Future<Output = F::Output> {
    within_limit(BOUND, Location::caller(), future)
}

/// The same for work of many steps, within [`PATIENCE`].
///
/// # Panics
///
/// When it does not come.
#[track_caller]
pub fn patiently<F: Future>(future: F) -> impl Future<Output = F::Output> {
    within_limit(PATIENCE, Location::caller(), future)
}

async fn within_limit<F: Future>(limit: Duration, place: &Location<'_>, future: F) -> F::Output {
    match tokio::time::timeout(limit, future).await {
        Ok(output) => output,
        Err(_) => panic!("nothing came within {limit:?}, waiting at {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_ready_comes_back() {
        assert_eq!(within(async { 7 }).await, 7);
    }

    #[tokio::test]
    #[should_panic(expected = "nothing came within 1ms, waiting at ")]
    async fn what_never_comes_ends() {
        let limit = Duration::from_millis(1);
        within_limit(limit, Location::caller(), std::future::pending::<()>()).await;
    }
}
