//! Long polls that wait, and what wakes them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::Worker;
use crate::clock;
use crate::load::line::Failure;
use crate::load::wire::{self, Received};

/// How long a poll waits: as long as SQS lets it.
pub const POLL_TIME: Duration = Duration::from_secs(20);

/// How long polls still wait when the run is over, for what was sent last.
const GRACE: Duration = Duration::from_millis(500);

/// Which message wakes a poll now: who sends notes when, and whoever receives tells the sender.
#[derive(Debug)]
pub struct Wakes {
    lanes: Vec<Wake>,
    /// When the first poll is woken.
    from: Instant,
    /// How long a sender pauses before it wakes the next poll.
    pause: Duration,
    waiting: AtomicUsize,
}

#[derive(Debug, Default)]
struct Wake {
    sent: Mutex<Option<Instant>>,
    arrived: Notify,
}

impl Wakes {
    /// For that many senders, which begin at that moment and pause before each message.
    #[must_use]
    pub fn new(lanes: u16, from: Instant, pause: Duration) -> Self {
        Self {
            lanes: (0..lanes).map(|_| Wake::default()).collect(),
            from,
            pause,
            waiting: AtomicUsize::new(0),
        }
    }

    /// How many polls have no answer yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn lane(&self, lane: u16) -> Option<&Wake> {
        self.lanes.get(usize::from(lane))
    }
}

impl Wake {
    fn sent(&self) -> MutexGuard<'_, Option<Instant>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits in one poll after the other, and deletes what comes.
pub(super) async fn wait(worker: &mut Worker, wakes: &Wakes) {
    let session = Arc::clone(&worker.session);
    let queue = session.queue(usize::from(worker.index));
    let until = worker.window.end + GRACE;
    while worker.goes_on_until(until) {
        let body = wire::receive_message(queue, 1, POLL_TIME.as_secs());
        wakes.waiting.fetch_add(1, Ordering::Relaxed);
        let answer = worker.poll(body, POLL_TIME, until).await;
        wakes.waiting.fetch_sub(1, Ordering::Relaxed);
        let Some(answer) = answer else {
            continue;
        };
        let arrived = clock::moment();
        let Some(received) = worker.read::<Received<'_>>(&answer).await else {
            continue;
        };
        let Some(message) = received.messages.into_iter().next() else {
            worker.tally.empty += 1;
            continue;
        };
        if let Some(stamp) = session.ledger.arrived(&message.body)
            && let Some(wake) = wakes.lane(stamp.lane)
        {
            if let Some(sent) = wake.sent().take()
                && worker.window.holds(arrived)
            {
                worker.tally.wakes.record(arrived - sent);
                worker.tally.messages += 1;
            }
            wake.arrived.notify_one();
        }
        worker.delete(queue, &[message.handle]).await;
    }
}

/// Sends a message, waits until a poll has it, and sends the next one.
pub(super) async fn wake(worker: &mut Worker, wakes: &Wakes) {
    let session = Arc::clone(&worker.session);
    let lane = worker.index;
    let Some(wake) = wakes.lane(lane) else { return };
    let mut number = usize::from(lane);
    tokio::time::sleep_until(wakes.from.into()).await;
    while worker.goes_on() {
        if !wakes.pause.is_zero() {
            tokio::time::sleep(wakes.pause).await;
        }
        *wake.sent() = Some(clock::moment());
        let sent = worker.send(session.queue(number), lane).await;
        number += 1;
        if sent.is_none() {
            continue;
        }
        let limit =
            POLL_TIME.min((worker.window.end + GRACE).saturating_duration_since(clock::moment()));
        let arrived = tokio::time::timeout(limit, wake.arrived.notified()).await;
        // What comes only after the end is looked for with all that is left.
        if arrived.is_err() && worker.goes_on() {
            worker.failed(&Failure::Timeout(limit)).await;
        }
    }
}
