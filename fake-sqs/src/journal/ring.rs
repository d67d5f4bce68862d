//! The latest requests, and those who wait for more.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use super::filter::Filter;
use super::request::{Entry, Request};
use crate::changes::Changes;
use crate::http::limits;

/// How much the journal keeps: the latest requests, as many as both bounds allow.
///
/// ```
/// use fake_sqs::FakeSqs;
/// use fake_sqs::journal::Bounds;
///
/// let bounds = Bounds { requests: 100_000, bytes: 64 * 1024 * 1024 };
/// let builder = FakeSqs::builder().journal(bounds);
/// # let _ = builder;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many requests: [10,000](limits::JOURNAL_REQUESTS_DEFAULT) by default. With none the
    /// journal stays empty.
    pub requests: usize,
    /// How much memory they take, roughly: [8 MiB](limits::JOURNAL_BYTES_DEFAULT) by default.
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            requests: limits::JOURNAL_REQUESTS_DEFAULT,
            bytes: limits::JOURNAL_BYTES_DEFAULT,
        }
    }
}

/// The journal of a server.
pub(crate) struct Journal {
    bounds: Bounds,
    ring: Mutex<Ring>,
    /// Told whenever there is an entry more, or more is known of one.
    changed: Notify,
    changes: Arc<Changes>,
    /// A place for each who may wait.
    readers: Semaphore,
    closed: AtomicBool,
    /// How often entries were forgotten.
    resets: AtomicU64,
}

#[derive(Default)]
struct Ring {
    entries: VecDeque<Kept>,
    bytes: usize,
    /// The number of the latest entry.
    latest: u64,
    /// The number of the latest entry that had to make room.
    lost: u64,
    /// The number of the latest entry when all were forgotten. Nobody misses those before.
    forgotten: u64,
    /// How many resets there had been after that.
    all_forgotten_at: u64,
    /// The accounts that were forgotten last, each with how many resets there had been after that.
    accounts_forgotten_at: VecDeque<(String, u64)>,
}

/// An entry, with about how much memory it takes: what makes room again is not looked into for that.
struct Kept {
    entry: Arc<Entry>,
    bytes: usize,
}

/// How many accounts are remembered as forgotten. What was under way in an account forgotten before
/// those gets an entry when it ends.
const ACCOUNTS_FORGOTTEN_MAX: usize = 64;

/// What a reader asks for.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) filter: Filter,
    pub(crate) reach: Reach,
}

/// How many requests a reader asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The oldest, no more than `limit`; `at_least` of them end a wait.
    Oldest { limit: usize, at_least: usize },
    /// The newest, no more than this.
    Newest(usize),
}

/// What a reader gets.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Page {
    pub(crate) requests: Vec<Request>,
    /// Where to go on reading: give it as `after`.
    pub(crate) next: u64,
    /// How many requests there were since `after` that are not kept any more, and of which it is not
    /// known whether the filter would have let them through.
    pub(crate) missed: u64,
    /// Requests up to this number were forgotten at a reset.
    pub(crate) forgotten: u64,
}

/// As many readers wait as may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} readers of the journal wait already; ask again later, or without `wait`",
    limits::JOURNAL_READERS_MAX
)]
pub(crate) struct TooManyReaders;

impl Journal {
    pub(crate) fn new(bounds: Bounds, changes: Arc<Changes>) -> Self {
        Self {
            bounds,
            ring: Mutex::default(),
            changed: Notify::new(),
            changes,
            readers: Semaphore::new(limits::JOURNAL_READERS_MAX),
            closed: AtomicBool::new(false),
            resets: AtomicU64::new(0),
        }
    }

    /// How many resets there have been. What began before one is not told of after it.
    pub(super) fn resets(&self) -> u64 {
        self.resets.load(Ordering::Relaxed)
    }

    /// Adds a request that has ended.
    pub(crate) fn add(&self, mut entry: Entry) {
        let bytes = entry.bytes();
        let gone = {
            let mut ring = self.ring();
            if ring.has_forgotten(&entry) {
                return;
            }
            ring.latest += 1;
            entry.seq = ring.latest;
            ring.bytes += bytes;
            let entry = Arc::new(entry);
            ring.entries.push_back(Kept { entry, bytes });
            ring.make_room(self.bounds)
        };
        // An entry is many pieces of memory, and giving them back takes longer than the rest.
        drop(gone);
        self.tell();
    }

    /// Wakes those who wait for a change.
    pub(super) fn tell(&self) {
        self.changed.notify_waiters();
        self.changes.tell();
    }

    /// Forgets all entries.
    pub(crate) fn clear(&self) {
        let mut ring = self.ring();
        ring.all_forgotten_at = self.resets.fetch_add(1, Ordering::Relaxed) + 1;
        ring.accounts_forgotten_at.clear();
        ring.forgotten = ring.latest;
        ring.entries.clear();
        ring.bytes = 0;
    }

    /// Forgets the entries of one account's callers.
    pub(crate) fn clear_account(&self, account: &str) {
        let mut ring = self.ring();
        let resets = self.resets.fetch_add(1, Ordering::Relaxed) + 1;
        let known = &mut ring.accounts_forgotten_at;
        known.retain(|(other, _)| other != account);
        if known.len() >= ACCOUNTS_FORGOTTEN_MAX {
            known.pop_front();
        }
        known.push_back((account.to_owned(), resets));
        ring.entries
            .retain(|kept| kept.entry.account() != Some(account));
        ring.bytes = ring.entries.iter().map(|kept| kept.bytes).sum();
    }

    /// Lets nobody wait any more: the server stops.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    /// How many entries there are, and about how many bytes they take.
    pub(crate) fn size(&self) -> (usize, usize) {
        let ring = self.ring();
        (ring.entries.len(), ring.bytes)
    }

    /// The requests that are there now. Why one was refused may not be known yet.
    pub(crate) fn look(&self, filter: &Filter) -> Vec<Request> {
        let mut reading = Reading::new(filter);
        reading.go_on(&self.ring(), filter, usize::MAX);
        reading.requests()
    }

    /// How often something is among what `of` names of the requests that a filter takes.
    pub(crate) fn count(&self, filter: &Filter, of: impl Fn(&Entry) -> usize) -> usize {
        let ring = self.ring();
        let entries = ring.after(filter.first());
        entries
            .filter(|entry| filter.takes(entry))
            .map(|entry| of(entry))
            .sum()
    }

    /// A place among those who may wait, for a reader from outside.
    pub(crate) fn place(&self) -> Result<SemaphorePermit<'_>, TooManyReaders> {
        self.readers.try_acquire().map_err(|_| TooManyReaders)
    }

    /// Reads, and waits no longer than `wait` until there are as many requests as asked for.
    ///
    /// Why a request was refused is found out after its answer; that is waited for in any case.
    pub(crate) async fn read(&self, query: &Query, wait: Duration) -> Page {
        let mut reading = Reading::new(&query.filter);
        match query.reach {
            Reach::Oldest { limit, at_least } => {
                self.until(wait, || {
                    reading.go_on(&self.ring(), &query.filter, limit);
                    reading.found.len() >= at_least.min(limit)
                })
                .await;
            }
            Reach::Newest(last) => reading.take_newest(&self.ring(), &query.filter, last),
        }
        self.until(limits::JOURNAL_EXPLANATION_TIME_MAX, || {
            !reading.is_pending()
        })
        .await;
        let forgotten = self.ring().forgotten;
        Page {
            requests: reading.requests(),
            next: reading.at,
            missed: reading.missed,
            forgotten,
        }
    }

    /// Tries after every change, until that does it, or the time is up, or the server stops.
    async fn until(&self, time: Duration, mut is_done: impl FnMut() -> bool) {
        if is_done() || time.is_zero() {
            return;
        }
        let retry = async {
            loop {
                let mut changed = std::pin::pin!(self.changed.notified());
                // From here on a change is heard of, so none gets lost between looking and waiting.
                changed.as_mut().enable();
                if is_done() || self.closed.load(Ordering::SeqCst) {
                    return;
                }
                changed.await;
            }
        };
        // What was found by then is what there is.
        let _ = tokio::time::timeout(time, retry).await;
    }

    /// Nothing that holds the lock can panic.
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    /// Whether a request began before it was forgotten.
    fn has_forgotten(&self, entry: &Entry) -> bool {
        let account = entry.account();
        let mut accounts = self.accounts_forgotten_at.iter();
        let forgotten = accounts.find(|(other, _)| Some(other.as_str()) == account);
        let forgotten_at = forgotten.map_or(0, |(_, resets)| *resets);
        entry.resets < self.all_forgotten_at.max(forgotten_at)
    }

    /// Takes out what is too much, the oldest first.
    fn make_room(&mut self, bounds: Bounds) -> Vec<Kept> {
        let mut gone = Vec::new();
        while self.entries.len() > bounds.requests || self.bytes > bounds.bytes {
            let Some(kept) = self.entries.pop_front() else {
                break;
            };
            self.bytes = self.bytes.saturating_sub(kept.bytes);
            self.lost = kept.entry.seq;
            gone.push(kept);
        }
        gone
    }

    /// The entries after the one of this number.
    fn after(&self, seq: u64) -> impl DoubleEndedIterator<Item = &Arc<Entry>> {
        let first = self.entries.partition_point(|kept| kept.entry.seq <= seq);
        self.entries.range(first..).map(|kept| &kept.entry)
    }
}

/// A reader's place in the journal, and what it found on the way.
struct Reading {
    /// The number of the last entry that it looked at.
    at: u64,
    found: Vec<Arc<Entry>>,
    missed: u64,
}

impl Reading {
    fn new(filter: &Filter) -> Self {
        Self {
            at: filter.first(),
            found: Vec::new(),
            missed: 0,
        }
    }

    /// Looks at what is there now that it has not seen.
    fn go_on(&mut self, ring: &Ring, filter: &Filter, limit: usize) {
        if self.found.len() >= limit {
            return;
        }
        let missed = ring.lost.saturating_sub(self.at.max(ring.forgotten));
        self.missed += missed;
        self.at = self.at.max(ring.lost).max(ring.forgotten);
        for entry in ring.after(self.at) {
            self.at = entry.seq;
            if filter.takes(entry) {
                self.found.push(Arc::clone(entry));
                if self.found.len() >= limit {
                    return;
                }
            }
        }
    }

    fn is_pending(&self) -> bool {
        self.found.iter().any(|entry| entry.is_pending())
    }

    /// Takes the newest of what is there, in their order.
    fn take_newest(&mut self, ring: &Ring, filter: &Filter, last: usize) {
        let newest = ring
            .after(self.at)
            .rev()
            .filter(|entry| filter.takes(entry));
        self.found.extend(newest.take(last).map(Arc::clone));
        self.found.reverse();
        self.at = self.at.max(ring.latest);
    }

    fn requests(&self) -> Vec<Request> {
        self.found.iter().map(|entry| entry.show()).collect()
    }
}
