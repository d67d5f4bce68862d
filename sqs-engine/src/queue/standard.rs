//! The order in which a standard queue offers its messages.

use std::collections::BTreeSet;

use crate::id::MessageKey;

/// The visible messages of a standard queue.
///
/// AWS promises no order. Here the oldest comes first, so that a test reads the same each time, and
/// a message that becomes visible again takes its old place.
#[derive(Debug, Default)]
pub(super) struct Ready {
    oldest_first: BTreeSet<MessageKey>,
}

impl Ready {
    pub(super) fn add(&mut self, key: MessageKey) {
        self.oldest_first.insert(key);
    }

    pub(super) fn remove(&mut self, key: MessageKey) {
        self.oldest_first.remove(&key);
    }

    pub(super) fn len(&self) -> usize {
        self.oldest_first.len()
    }

    /// The messages that a receive of at most `max` gets, in order.
    pub(super) fn choose(&self, max: usize) -> Vec<MessageKey> {
        self.oldest_first.iter().take(max).copied().collect()
    }
}
