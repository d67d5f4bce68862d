//! Which sends a FIFO queue takes for repetitions of earlier ones.

use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqs::limits;

use crate::id::{MessageId, SequenceNumber, message_id};
use crate::queue::fifo_attributes::DeduplicationScope;
use crate::snapshot::Contradiction;
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
    /// Looked up only, never gone through: so its order is nobody's concern. With very many ids
    /// an ordered map would be half of what a send costs.
    accepted: HashMap<Key, Accepted, BuildHasherDefault<KeyHasher>>,
    oldest_first: VecDeque<Remembered>,
}

/// An id that is remembered.
#[derive(Debug)]
pub(crate) struct Remembered {
    /// The group of the send that was accepted, also where it does not count.
    pub(crate) group: Arc<str>,
    pub(crate) id: Arc<str>,
    at: Timestamp,
    key: Key,
}

/// What a send gives, and what those give that repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Accepted {
    #[serde(with = "message_id")]
    pub(crate) message: MessageId,
    pub(crate) sequence_number: SequenceNumber,
}

/// An id that is remembered, as a snapshot has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Memory {
    group: Arc<str>,
    id: Arc<str>,
    at: Timestamp,
    accepted: Accepted,
}

/// What makes two sends the same: the id, and within the scope of a group the group.
///
/// It is half of a SHA-256 of them: small, and compared without a look elsewhere in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key([u64; 2]);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
    }
}

/// Takes half of a key, which is a hash already, instead of hashing it again.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Deduplication {
    pub(super) fn new(scope: DeduplicationScope) -> Self {
        Self {
            scope,
            accepted: HashMap::default(),
            oldest_first: VecDeque::new(),
        }
    }

    /// Gives the send that one with this id repeats; if there is none, that is the `first` with it,
    /// which comes with the group's name as others have it, and is remembered.
    pub(super) fn accept(
        &mut self,
        group: &str,
        id: Arc<str>,
        now: Timestamp,
        first: impl FnOnce() -> (Accepted, Arc<str>),
    ) -> Accepted {
        self.forget(now);
        let key = self.key(group, &id);
        match self.accepted.entry(key) {
            Entry::Occupied(before) => *before.get(),
            Entry::Vacant(place) => {
                let (accepted, group) = first();
                self.oldest_first.push_back(Remembered {
                    group,
                    id,
                    at: now,
                    key,
                });
                *place.insert(accepted)
            }
        }
    }

    /// Forgets the ids whose five minutes are over.
    pub(super) fn forget(&mut self, now: Timestamp) {
        while let Some(oldest) = self.oldest_first.front()
            && oldest.until() <= now
        {
            self.accepted.remove(&oldest.key);
            self.oldest_first.pop_front();
            if self.oldest_first.is_empty() {
                // Gives back the memory of a time when there were many.
                self.clear();
            }
        }
    }

    /// When the last of the ids is forgotten, if there are any.
    pub(super) fn empty_from(&self) -> Option<Timestamp> {
        self.oldest_first.back().map(Remembered::until)
    }

    /// The ids that are remembered at a time, oldest first, with what their sends gave; from the one
    /// on whose message has this number. Found by halving: both times and numbers grow.
    pub(super) fn remembered(
        &self,
        from: SequenceNumber,
        now: Timestamp,
    ) -> impl Iterator<Item = (&Remembered, Accepted)> {
        let number = |remembered: &Remembered| {
            let accepted = self.accepted.get(&remembered.key);
            accepted.map(|accepted| accepted.sequence_number)
        };
        let first = self.oldest_first.partition_point(|remembered| {
            remembered.until() <= now || number(remembered).is_none_or(|number| number < from)
        });
        self.oldest_first.range(first..).filter_map(|remembered| {
            let accepted = self.accepted.get(&remembered.key)?;
            Some((remembered, *accepted))
        })
    }

    pub(super) fn scope(&self) -> DeduplicationScope {
        self.scope
    }

    /// Everything that is remembered, oldest first, for a snapshot.
    pub(super) fn memory(&self) -> impl Iterator<Item = Memory> {
        self.oldest_first.iter().filter_map(|remembered| {
            Some(Memory {
                group: Arc::clone(&remembered.group),
                id: Arc::clone(&remembered.id),
                at: remembered.at,
                accepted: *self.accepted.get(&remembered.key)?,
            })
        })
    }

    /// What a snapshot has of it; the group with its shared name.
    pub(super) fn restore(
        &mut self,
        memory: Memory,
        share: impl FnOnce(&Arc<str>) -> Arc<str>,
    ) -> Result<(), Contradiction> {
        let Memory {
            group,
            id,
            at,
            accepted,
        } = memory;
        let key = self.key(&group, &id);
        if self.accepted.insert(key, accepted).is_some() {
            return Err("a deduplication id is there twice");
        }
        self.oldest_first.push_back(Remembered {
            group: share(&group),
            id,
            at,
            key,
        });
        Ok(())
    }

    /// Forgets all ids.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.scope);
    }

    /// What tells a send from others.
    fn key(&self, group: &str, id: &str) -> Key {
        let mut hash = Sha256::new();
        match self.scope {
            DeduplicationScope::Queue => {}
            // A blank ends the group, which can have none.
            DeduplicationScope::MessageGroup => {
                hash.update(group);
                hash.update(" ");
            }
        }
        hash.update(id);
        let digest: [u8; 32] = hash.finalize().into();
        let part = |start: usize| {
            let bytes = digest[start..start + 8].iter();
            bytes.fold(0, |part, byte| part << 8 | u64::from(*byte))
        };
        Key([part(0), part(8)])
    }
}

impl Remembered {
    /// When it is forgotten.
    pub(crate) fn until(&self) -> Timestamp {
        self.at.after(WINDOW)
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

    /// The how-manieth send was accepted at last, after these sends of group and id at a time.
    fn accepted(scope: DeduplicationScope, sends: &[(i64, &str, &str)]) -> u64 {
        let mut memory = Deduplication::new(scope);
        let mut ids = IdSource::new(1);
        let numbers = (0..).zip(sends).map(|(number, (millis, group, id))| {
            let first = Accepted {
                message: ids.next_message(),
                sequence_number: SequenceNumber::new(number),
            };
            let now = Timestamp::from_millis(*millis);
            let accepted = memory.accept(group, (*id).into(), now, || (first, (*group).into()));
            let given = accepted.sequence_number;
            (0..=number).find(|number| SequenceNumber::new(*number) == given)
        });
        numbers.last().flatten().unwrap()
    }

    #[test]
    fn an_id_is_remembered_for_five_minutes_to_the_millisecond() {
        let scope = DeduplicationScope::Queue;
        assert_eq!(accepted(scope, &[(0, "g", "d"), (299_999, "g", "d")]), 0);
        assert_eq!(accepted(scope, &[(0, "g", "d"), (300_000, "g", "d")]), 1);
    }

    #[test]
    fn a_repetition_does_not_prolong_it() {
        let scope = DeduplicationScope::Queue;
        let sends = [(0, "g", "d"), (200_000, "g", "d"), (300_000, "g", "d")];
        assert_eq!(accepted(scope, &sends), 2);
    }

    #[test]
    fn the_scope_says_whether_the_group_counts() {
        let sends = [(0, "g1", "d"), (1, "g2", "d")];
        assert_eq!(accepted(DeduplicationScope::Queue, &sends), 0);
        assert_eq!(accepted(DeduplicationScope::MessageGroup, &sends), 1);
        let same = [(0, "g1", "d"), (1, "g1", "d")];
        assert_eq!(accepted(DeduplicationScope::MessageGroup, &same), 0);
    }

    #[test]
    fn group_and_id_are_not_run_together() {
        let sends = [(0, "ab", "c"), (0, "a", "bc")];
        assert_eq!(accepted(DeduplicationScope::MessageGroup, &sends), 1);
    }

    #[test]
    fn what_is_old_or_cleared_takes_no_memory() {
        let accepted = Accepted {
            message: IdSource::new(1).next_message(),
            sequence_number: SequenceNumber::new(0),
        };
        let first = || (accepted, "g".into());
        let is_empty = |memory: &Deduplication| {
            memory.accepted.capacity() + memory.oldest_first.capacity() == 0
        };
        let mut memory = Deduplication::new(DeduplicationScope::MessageGroup);
        memory.accept("g", "d".into(), at(0), first);
        memory.forget(at(300));
        assert!(is_empty(&memory));
        memory.accept("g", "d".into(), at(300), first);
        memory.clear();
        assert!(is_empty(&memory));
        assert_eq!(memory.scope, DeduplicationScope::MessageGroup);
    }
}
