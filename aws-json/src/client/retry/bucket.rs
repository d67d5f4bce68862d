//! How many retries a client may spend: a bucket of tokens that failures empty and successes
//! fill, so that a service in trouble is not asked thrice as much as before.

use std::sync::atomic::{AtomicU32, Ordering};

/// What a full bucket holds.
const CAPACITY: u32 = 500;
/// What a retry costs.
pub(super) const COST: u32 = 14;
/// What a retry after throttling costs.
pub(super) const THROTTLING_COST: u32 = 5;

/// The tokens that are left.
pub(super) struct Bucket(AtomicU32);

impl Default for Bucket {
    fn default() -> Self {
        Self(AtomicU32::new(CAPACITY))
    }
}

impl Bucket {
    /// Takes so many tokens, or none if there are not enough. Whether they were taken.
    pub(super) fn take(&self, cost: u32) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(cost)
            })
            .is_ok()
    }

    /// Puts so many tokens back, up to a full bucket.
    pub(super) fn give(&self, amount: u32) {
        // It is full nearly always, and then nothing is written that other threads read.
        let filled = |left: u32| (left < CAPACITY).then(|| (left + amount).min(CAPACITY));
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, filled);
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}
