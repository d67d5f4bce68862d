//! Which sends a FIFO queue takes for repetitions of earlier ones.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use sqs::limits;

use crate::id::{MessageId, SequenceNumber};
use crate::queue::fifo_attributes::DeduplicationScope;
use crate::time::Timestamp;

/// The deduplication ids of the last five minutes.
///
/// It is beside the messages and not among them: an id is remembered whether its message has been
/// received, deleted, or has expired. The five minutes run from the send that was accepted;
/// repetitions do not prolong them.
#[derive(Debug)]
pub(super) struct Deduplication {
    /// As it was when the queue was created: AWS was seen to go on by that when the attribute is
    /// changed later.
    scope: DeduplicationScope,
    accepted: BTreeMap<Key, Accepted>,
    oldest_first: VecDeque<(Timestamp, Key)>,
}

/// What makes two sends the same: the id, and within the scope of a group the group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    group: Option<Arc<str>>,
    id: Arc<str>,
}

/// What the send that was accepted gave, and what its repetitions give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) message: MessageId,
    pub(super) sequence_number: SequenceNumber,
}

impl Deduplication {
    pub(super) fn new(scope: DeduplicationScope) -> Self {
        Self {
            scope,
            accepted: BTreeMap::new(),
            oldest_first: VecDeque::new(),
        }
    }

    /// The send that one with this id would repeat.
    pub(super) fn find(
        &mut self,
        group: &Arc<str>,
        id: &Arc<str>,
        now: Timestamp,
    ) -> Option<Accepted> {
        self.forget(now);
        self.accepted.get(&self.key(group, id)).copied()
    }

    /// Remembers an id that is not remembered.
    pub(super) fn remember(
        &mut self,
        group: &Arc<str>,
        id: &Arc<str>,
        accepted: Accepted,
        now: Timestamp,
    ) {
        let key = self.key(group, id);
        self.accepted.insert(key.clone(), accepted);
        self.oldest_first.push_back((now, key));
    }

    /// Forgets the ids whose five minutes are over.
    pub(super) fn forget(&mut self, now: Timestamp) {
        while let Some((at, _)) = self.oldest_first.front()
            && now.since(*at) >= WINDOW
            && let Some((_, key)) = self.oldest_first.pop_front()
        {
            self.accepted.remove(&key);
        }
    }

    /// Forgets all ids.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.scope);
    }

    fn key(&self, group: &Arc<str>, id: &Arc<str>) -> Key {
        let group = match self.scope {
            DeduplicationScope::Queue => None,
            DeduplicationScope::MessageGroup => Some(Arc::clone(group)),
        };
        Key {
            group,
            id: Arc::clone(id),
        }
    }
}

const WINDOW: Duration = Duration::from_secs(limits::DEDUPLICATION_SECONDS as u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::IdSource;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1_000)
    }

    fn accepted() -> Accepted {
        Accepted {
            message: IdSource::new(1).next_message(),
            sequence_number: SequenceNumber::new(7),
        }
    }

    #[test]
    fn an_id_is_remembered_for_five_minutes_to_the_millisecond() {
        let mut memory = Deduplication::new(DeduplicationScope::Queue);
        let (group, id) = (Arc::from("g"), Arc::from("d"));
        assert_eq!(memory.find(&group, &id, at(0)), None);
        memory.remember(&group, &id, accepted(), at(0));
        let last = Timestamp::from_millis(299_999);
        assert_eq!(memory.find(&group, &id, last), Some(accepted()));
        assert_eq!(memory.find(&group, &id, at(300)), None);
        assert!(memory.accepted.is_empty() && memory.oldest_first.is_empty());
    }

    #[test]
    fn the_scope_says_whether_the_group_counts() {
        let (one, other, id) = (Arc::from("g1"), Arc::from("g2"), Arc::from("d"));
        let mut memory = Deduplication::new(DeduplicationScope::Queue);
        memory.remember(&one, &id, accepted(), at(0));
        assert!(memory.find(&other, &id, at(1)).is_some());
        let mut memory = Deduplication::new(DeduplicationScope::MessageGroup);
        memory.remember(&one, &id, accepted(), at(0));
        assert!(memory.find(&one, &id, at(1)).is_some());
        assert_eq!(memory.find(&other, &id, at(1)), None);
    }

    #[test]
    fn group_and_id_are_not_run_together() {
        let mut memory = Deduplication::new(DeduplicationScope::MessageGroup);
        memory.remember(&Arc::from("ab"), &Arc::from("c"), accepted(), at(0));
        assert_eq!(memory.find(&Arc::from("a"), &Arc::from("bc"), at(0)), None);
    }

    #[test]
    fn clearing_forgets_everything_and_keeps_the_scope() {
        let mut memory = Deduplication::new(DeduplicationScope::MessageGroup);
        memory.remember(&Arc::from("g"), &Arc::from("d"), accepted(), at(0));
        memory.clear();
        assert_eq!(memory.find(&Arc::from("g"), &Arc::from("d"), at(0)), None);
        assert_eq!(memory.scope, DeduplicationScope::MessageGroup);
    }
}
