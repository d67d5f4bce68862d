//! Word that something changed, for whoever shows what there is.

use tokio::sync::watch;

/// Tells its listeners that what they show may be out of date. It does not say what changed, and
/// changes in quick succession may be told as one.
pub(crate) struct Changes {
    told: watch::Sender<Told>,
}

#[derive(Clone, Copy)]
struct Told {
    version: u64,
    closed: bool,
}

impl Changes {
    pub(crate) fn new() -> Self {
        let told = Told {
            version: 0,
            closed: false,
        };
        Self {
            told: watch::Sender::new(told),
        }
    }

    /// Something changed. Costs next to nothing when nobody listens: who begins to listen then looks at what
    /// there is, and what changed is there already.
    pub(crate) fn tell(&self) {
        if self.told.receiver_count() == 0 {
            return;
        }
        self.told
            .send_modify(|told| told.version = told.version.wrapping_add(1));
    }

    /// The server stops: listeners are not to wait for anything more.
    pub(crate) fn close(&self) {
        self.told.send_modify(|told| told.closed = true);
    }

    /// A listener, which hears of what changes from now on.
    pub(crate) fn listen(&self) -> Listener {
        Listener {
            told: self.told.subscribe(),
        }
    }
}

/// Hears of changes.
pub(crate) struct Listener {
    told: watch::Receiver<Told>,
}

impl Listener {
    /// Completes with a number that grows with each change, as soon as something changed that it has
    /// not told yet; with nothing when the server stops.
    pub(crate) async fn changed(&mut self) -> Option<u64> {
        let changed = self.told.changed().await;
        let told = *self.told.borrow_and_update();
        (changed.is_ok() && !told.closed).then_some(told.version)
    }

    /// Completes when the server stops, whatever changes meanwhile. What changed is still to be told
    /// by [`changed`](Self::changed).
    pub(crate) async fn closed(&self) {
        let mut told = self.told.clone();
        // Without a sender the server has stopped too.
        let _ = told.wait_for(|told| told.closed).await;
    }
}
