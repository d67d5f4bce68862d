//! Collects what is to be told to SQS, ten to a request.

use std::time::Duration;

use tokio::time::Instant;

use super::clock;
use crate::limits::BATCH_ENTRIES;

/// What waits for others to go to SQS with it.
pub(super) struct Outbox<T> {
    entries: Vec<T>,
    since: Option<Instant>,
}

impl<T> Default for Outbox<T> {
    fn default() -> Outbox<T> {
        Outbox {
            entries: Vec::new(),
            since: None,
        }
    }
}

impl<T> Outbox<T> {
    pub(super) fn push(&mut self, entry: T) {
        self.since.get_or_insert_with(clock::now);
        self.entries.push(entry);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// When it is to be sent, full or not.
    pub(super) fn due(&self, delay: Duration) -> Option<Instant> {
        Some(self.since? + delay)
    }

    /// What goes into one request now, in the order in which it came.
    pub(super) fn take_batch(&mut self, now: Instant, delay: Duration) -> Option<Vec<T>> {
        let max = BATCH_ENTRIES.max() as usize;
        let is_due = self.due(delay).is_some_and(|due| due <= now);
        if self.entries.len() < max && !is_due {
            return None;
        }
        let batch: Vec<T> = self.entries.drain(..self.entries.len().min(max)).collect();
        // What is left came later, but nobody knows when.
        self.since = (!self.entries.is_empty()).then_some(now);
        Some(batch)
    }
}
