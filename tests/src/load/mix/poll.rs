//! Long polls that wait, and what wakes them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::Worker;
use crate::clock;
use crate::load::wire::Received;

/// How long a poll waits: as long as SQS lets it.
pub const POLL_TIME: Duration = Duration::from_secs(20);

/// How long polls still wait when the run is over, for what was sent last.
const GRACE: Duration = Duration::from_secs(5);

/// How much before its time a poll may end with nothing.
const EARLY: Duration = Duration::from_millis(500);

/// Which message wakes a poll now: who sends notes when, and whoever receives tells the sender.
#[derive(Debug)]
pub struct Wakes {
    lanes: Vec<Wake>,
    /// When the first poll is woken.
    from: Instant,
    /// How long a sender pauses before it wakes the next poll.
    pause: Duration,
    waiting: AtomicUsize,
    /// Messages that are being sent, or have woken no poll yet.
    open: AtomicUsize,
}

#[derive(Debug, Default)]
struct Wake {
    /// When the message was sent that no poll has yet.
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
            open: AtomicUsize::new(0),
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

    /// How long the next poll waits when so much of the run is left: to its end, so that no poll is cut off and no
    /// message with it. After the end only as long as there may be a message; none then.
    fn poll_time(&self, left: Duration) -> Option<Duration> {
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        match seconds {
            0 if self.open.load(Ordering::SeqCst) == 0 => None,
            seconds => Some(Duration::from_secs(seconds.max(1)).min(POLL_TIME)),
        }
    }
}

impl Wake {
    fn sent(&self) -> MutexGuard<'_, Option<Instant>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when a poll has what was sent.
    async fn answered(&self) {
        while self.sent().is_some() {
            self.arrived.notified().await;
        }
    }
}

/// Counts a message as open while it is there.
struct Open<'a>(&'a AtomicUsize);

impl<'a> Open<'a> {
    fn new(open: &'a AtomicUsize) -> Self {
        open.fetch_add(1, Ordering::SeqCst);
        Self(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits in one poll after the other, and deletes what comes.
pub(super) async fn wait(worker: &mut Worker, wakes: &Wakes) {
    let session = Arc::clone(&worker.session);
    let queue = session.queue(usize::from(worker.index));
    let end = worker.window.end;
    while worker.goes_on_until(end + GRACE) {
        let begun = clock::moment();
        let left = match session.ledger.is_full() {
            true => Duration::ZERO,
            false => end.saturating_duration_since(begun),
        };
        let Some(wait) = wakes.poll_time(left) else {
            return;
        };
        wakes.waiting.fetch_add(1, Ordering::Relaxed);
        let answer = worker.receive(queue, 1, wait).await;
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
            if arrived - begun + EARLY < wait {
                worker.tally.early += 1;
            }
            continue;
        };
        let came = worker.came(message);
        let wake = came.stamp.and_then(|stamp| wakes.lane(stamp.lane));
        if let Some(wake) = wake
            && let Some(sent) = wake.sent().take()
        {
            if worker.window.holds(sent) {
                worker.tally.wakes.record(arrived - sent);
            }
            worker.count_at(arrived, 1);
            wake.arrived.notify_one();
        }
        worker.delete(queue, vec![came]).await;
    }
}

/// Sends a message, waits until a poll has it, and sends the next one.
pub(super) async fn wake(worker: &mut Worker, wakes: &Wakes) {
    let session = Arc::clone(&worker.session);
    let (lane, end) = (worker.index, worker.window.end);
    let Some(wake) = wakes.lane(lane) else { return };
    tokio::time::sleep_until(wakes.from.into()).await;
    for number in usize::from(lane).. {
        // Open before the time is looked at: polls wait for what may still be sent.
        let _open = Open::new(&wakes.open);
        if !worker.goes_on() {
            return;
        }
        if !wakes.pause.is_zero() {
            tokio::time::sleep(wakes.pause).await;
        }
        *wake.sent() = Some(clock::moment());
        if worker.send(session.queue(number), lane).await.is_none() {
            *wake.sent() = None;
            continue;
        }
        let left = (end + GRACE).saturating_duration_since(clock::moment());
        let answered = tokio::time::timeout(POLL_TIME.min(left), wake.answered()).await;
        // After a fault nobody polls any more.
        if answered.is_err() && wake.sent().take().is_some() && !session.ledger.has_faults() {
            worker.tally.unwoken += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_poll_ends_with_the_run_or_when_all_has_come() {
        let wakes = Wakes::new(1, clock::moment(), Duration::ZERO);
        let seconds = Duration::from_secs;
        for (left, wait) in [
            (seconds(3_600), Some(20)),
            (Duration::from_millis(7_001), Some(8)),
            (Duration::from_nanos(1), Some(1)),
            (Duration::ZERO, None),
        ] {
            assert_eq!(wakes.poll_time(left), wait.map(seconds), "{left:?}");
        }
        let open = Open::new(&wakes.open);
        assert_eq!(wakes.poll_time(Duration::ZERO), Some(seconds(1)));
        drop(open);
        assert_eq!(wakes.poll_time(Duration::ZERO), None);
    }
}
