//! Word that something changed, for whoever shows what there is.

use tokio::sync::watch;

/// Tells its listeners that what they show may be out of date. It does not say what changed, and
/// changes in quick succession may be told as one.
pub(crate) struct Changes {
    version: watch::Sender<u64>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self {
            version: watch::Sender::new(0),
        }
    }

    /// Something changed. Costs next to nothing when nobody listens.
    pub(crate) fn tell(&self) {
        self.version
            .send_modify(|version| *version = version.wrapping_add(1));
    }

    #[allow(dead_code, reason = "what listens is still to come")]
    /// A listener, which hears of what changes from now on.
    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}
