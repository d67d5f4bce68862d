//! Work that nobody waits for: done one piece after the other on a thread of its own.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

type Work = Box<dyn FnOnce() + Send>;

/// How many pieces of work wait at most.
pub(super) const WAITING_MAX: usize = 16;

/// A thread for work that must hold up nobody. It starts with the first piece; dropping this waits
/// until what was taken on is done.
#[derive(Default)]
pub(super) struct Aside {
    /// None inside when the system gave no thread.
    worker: OnceLock<Option<Worker>>,
}

struct Worker {
    queue: SyncSender<Work>,
    thread: JoinHandle<()>,
}

/// Work that is not taken on: as much as may wait does already, or there is no thread.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotTaken;

impl Aside {
    /// Takes a piece of work on, and does not wait for it.
    pub(super) fn take_on(&self, work: impl FnOnce() + Send + 'static) -> Result<(), NotTaken> {
        let worker = self.worker.get_or_init(Worker::start);
        let worker = worker.as_ref().ok_or(NotTaken)?;
        let sent = worker.queue.try_send(Box::new(work));
        sent.map_err(|_full_or_ended| NotTaken)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some(Some(Worker { queue, thread })) = self.worker.take() {
            drop(queue);
            // Of work that panicked there is nothing left to wait for.
            let _ = thread.join();
        }
    }
}

impl Worker {
    fn start() -> Option<Self> {
        let (queue, queued) = sync_channel(WAITING_MAX);
        let work = move |queued: Receiver<Work>| queued.into_iter().for_each(|work| work());
        let thread = thread::Builder::new()
            .name("fake-sqs-aside".to_owned())
            .spawn(move || work(queued))
            .ok()?;
        Some(Self { queue, thread })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// Longer than anything here takes.
    const BOUND: Duration = Duration::from_secs(60);

    #[test]
    fn what_cannot_wait_is_not_taken_on_and_all_else_is_done() {
        let aside = Aside::default();
        let done = Arc::new(AtomicUsize::new(0));
        let (started, start) = channel();
        let (go, gone) = channel::<()>();
        let first = aside.take_on(move || {
            started.send(()).expect("waited for");
            // Ends when the sender is dropped.
            let _ = gone.recv_timeout(BOUND);
        });
        assert_eq!(first, Ok(()));
        start.recv_timeout(BOUND).expect("it starts");
        let count = || {
            let done = Arc::clone(&done);
            aside.take_on(move || {
                done.fetch_add(1, Ordering::SeqCst);
            })
        };
        for _ in 0..WAITING_MAX {
            assert_eq!(count(), Ok(()));
        }
        assert_eq!(count(), Err(NotTaken));
        drop(go);
        drop(aside);
        assert_eq!(done.load(Ordering::SeqCst), WAITING_MAX);
    }

    #[test]
    fn work_that_panics_is_not_waited_for() {
        let aside = Aside::default();
        assert_eq!(aside.take_on(|| panic!("on purpose")), Ok(()));
        drop(aside);
    }
}
