//! The order in which a standard queue offers its messages.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::MessageKey;
use crate::queue::fair::{Processing, TenantImage, Tenants, Turn};
use crate::queue::message::MessageState;
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// What of the order does not follow from the messages, for a snapshot.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReadyImage {
    tenants: Vec<TenantImage>,
    processing: Processing,
}

/// The visible messages of a standard queue.
///
/// AWS promises no order. Here the oldest comes first, so that a test reads the same each time, and
/// a message that becomes visible again takes its old place. Only messages of noisy groups wait
/// until there are no others.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// Those without a group.
    oldest_first: BTreeSet<MessageKey>,
    tenants: Tenants,
    /// Of all messages, with and without a group.
    processing: Processing,
}

impl Ready {
    /// A message of a group was stored, in whatever state. Gives the name of its group as all
    /// messages of the group share it.
    pub(super) fn sent(&mut self, group: &str, now: Timestamp) -> Arc<str> {
        self.tenants.sent(group, now)
    }

    /// A message is stored no more; it has left the state in which it was.
    pub(super) fn gone(&mut self, group: Option<&str>) {
        if let Some(group) = group {
            self.tenants.gone(group);
        }
    }

    pub(super) fn add(&mut self, key: MessageKey, group: Option<&str>) {
        match group {
            Some(group) => self.tenants.show(group, key),
            None => drop(self.oldest_first.insert(key)),
        }
    }

    pub(super) fn remove(&mut self, key: MessageKey, group: Option<&str>) {
        match group {
            Some(group) => self.tenants.hide(group, key),
            None => drop(self.oldest_first.remove(&key)),
        }
    }

    /// A message is in flight from now on.
    pub(super) fn received(&mut self, group: Option<&str>, now: Timestamp) {
        self.processing.begin(now);
        if let Some(group) = group {
            self.tenants.received(group, now);
        }
    }

    /// A message is in flight no more.
    pub(super) fn released(&mut self, group: Option<&str>, now: Timestamp) {
        self.processing.end(now);
        if let Some(group) = group {
            self.tenants.released(group, now);
        }
    }

    pub(super) fn image(&self) -> ReadyImage {
        ReadyImage {
            tenants: self.tenants.image(),
            processing: self.processing.clone(),
        }
    }

    /// What a snapshot has of the order, before its messages are [put back](Self::put_back).
    pub(super) fn restore(image: ReadyImage) -> Self {
        Self {
            oldest_first: BTreeSet::new(),
            tenants: Tenants::restore(image.tenants),
            processing: image.processing,
        }
    }

    /// Takes in a message from a snapshot. Gives the name of its group as all share it.
    pub(super) fn put_back(
        &mut self,
        key: MessageKey,
        group: Option<&str>,
        state: MessageState,
    ) -> Result<Option<Arc<str>>, Contradiction> {
        let Some(group) = group else {
            if state == MessageState::Visible {
                self.oldest_first.insert(key);
            }
            return Ok(None);
        };
        self.tenants.put_back(key, group, state).map(Some)
    }

    /// Ends what [`restore`](Self::restore) began; so many messages are in flight.
    pub(super) fn restored(&mut self, in_flight: usize) -> Result<(), Contradiction> {
        self.processing.check(in_flight)?;
        self.tenants.restored()
    }

    /// The message that a receive gets next.
    pub(super) fn next(&mut self, now: Timestamp) -> Option<MessageKey> {
        self.tenants.calm(now);
        loop {
            let ungrouped = self.oldest_first.first().copied();
            match (self.tenants.first_turn(), ungrouped) {
                (Some(Turn::Quiet { oldest }), ungrouped)
                    if ungrouped.is_none_or(|ungrouped| oldest < ungrouped) =>
                {
                    self.tenants.judge_first(&mut self.processing, now);
                    let turn = self.tenants.first_turn();
                    if turn == Some(Turn::Quiet { oldest }) {
                        return Some(oldest);
                    }
                }
                (_, Some(ungrouped)) => return Some(ungrouped),
                (Some(Turn::Noisy { oldest, .. } | Turn::Quiet { oldest }), None) => {
                    return Some(oldest);
                }
                (None, None) => return None,
            }
        }
    }
}
