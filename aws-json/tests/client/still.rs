//! A clock that stands still.

use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use crate::server::HANG;

/// While it is there, tokio's clock stands: however slow the machine is, no limit runs out but those
/// that a test [lets pass](pass).
pub(crate) struct Still {
    /// Its end tells the blocking task.
    _end: Sender<()>,
}

impl Still {
    pub(crate) fn begin() -> Self {
        tokio::time::pause();
        let (end, ended) = mpsc::channel();
        // A clock that is paused goes on by itself to where the next timer ends when there is nothing
        // else to do, though not while a blocking task runs. This one ends for a test that hangs,
        // so that the bounds of that end it.
        tokio::task::spawn_blocking(move || ended.recv_timeout(HANG));
        Self { _end: end }
    }
}

/// Lets so much time pass on a clock that stands still.
pub(crate) async fn pass(time: Duration) {
    // A timer may be late by a millisecond.
    tokio::time::advance(time + Duration::from_millis(1)).await;
}
