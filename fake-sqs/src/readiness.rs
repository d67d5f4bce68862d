//! Whether the server can be used yet, or no longer.

use std::sync::atomic::{AtomicU8, Ordering};

/// Where a server is in its life. It goes from one to the next and never back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// What it is to hold is not all there.
    Starting,
    /// Calls are served.
    Ready,
    /// It answers what is under way, and nothing more.
    Stopping,
}

impl Phase {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Stopping => "stopping",
        }
    }
}

/// The phase that a server is in, for all its parts.
#[derive(Debug)]
pub(crate) struct Readiness(AtomicU8);

impl Readiness {
    /// A server that starts.
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(Phase::Starting as u8))
    }

    pub(crate) fn phase(&self) -> Phase {
        let reached = self.0.load(Ordering::SeqCst);
        if reached == Phase::Starting as u8 {
            Phase::Starting
        } else if reached == Phase::Ready as u8 {
            Phase::Ready
        } else {
            Phase::Stopping
        }
    }

    /// This phase is reached, if a later one is not already.
    pub(crate) fn reach(&self, phase: Phase) {
        self.0.fetch_max(phase as u8, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_stops_does_not_become_ready() {
        let readiness = Readiness::new();
        assert_eq!(readiness.phase(), Phase::Starting);
        readiness.reach(Phase::Ready);
        assert_eq!(readiness.phase(), Phase::Ready);
        readiness.reach(Phase::Stopping);
        readiness.reach(Phase::Ready);
        assert_eq!(readiness.phase(), Phase::Stopping);
    }
}
