//! The receives of a FIFO queue that can be repeated by their attempt ids.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use sqs::limits;

use crate::id::Receipt;
use crate::time::Timestamp;

/// What was given under each `ReceiveRequestAttemptId` of the last five minutes.
///
/// A receive that gave nothing is not here: repeating it is simply to receive.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    by_id: BTreeMap<Arc<str>, Vec<Receipt>>,
    oldest_first: VecDeque<(Timestamp, Arc<str>)>,
    /// Whether something was remembered that polls with its id may wait for.
    news: bool,
}

impl Attempts {
    /// What was given under an id.
    pub(super) fn find(&mut self, id: &str, now: Timestamp) -> Option<&[Receipt]> {
        self.forget(now);
        self.by_id.get(id).map(Vec::as_slice)
    }

    /// Remembers what is given under an id under which nothing is remembered.
    pub(super) fn remember(&mut self, id: &str, given: &[Receipt], now: Timestamp) {
        let id: Arc<str> = id.into();
        self.oldest_first.push_back((now, Arc::clone(&id)));
        self.by_id.insert(id, given.to_vec());
        self.news = true;
    }

    /// The first of some polls that would repeat what is remembered. Polls that wait need to be
    /// looked at only when something new is: one that could repeat something does not wait.
    pub(super) fn repetition<'a, P>(
        &mut self,
        polls: impl IntoIterator<Item = (P, Option<&'a str>)>,
    ) -> Option<P> {
        if !self.news {
            return None;
        }
        let repeats = |id: Option<&str>| id.is_some_and(|id| self.by_id.contains_key(id));
        let mut polls = polls.into_iter();
        let found = polls.find_map(|(poll, id)| repeats(id).then_some(poll));
        self.news = found.is_some();
        found
    }

    /// Forgets the receives that were five minutes ago or longer.
    pub(super) fn forget(&mut self, now: Timestamp) {
        while let Some((at, id)) = self.oldest_first.front()
            && at.after(LIFE) <= now
        {
            self.by_id.remove(id);
            self.oldest_first.pop_front();
            if self.oldest_first.is_empty() {
                // Gives back the memory of a time when there were many.
                *self = Self::default();
            }
        }
    }

    /// All of them, oldest first, for a snapshot.
    pub(super) fn all(&self) -> impl Iterator<Item = (Timestamp, Arc<str>, Vec<Receipt>)> {
        self.oldest_first.iter().map(|(at, id)| {
            let given = self.by_id.get(id).cloned().unwrap_or_default();
            (*at, Arc::clone(id), given)
        })
    }

    /// What a snapshot has of them.
    pub(super) fn restore(all: Vec<(Timestamp, Arc<str>, Vec<Receipt>)>) -> Self {
        let mut attempts = Self::default();
        for (at, id, given) in all {
            attempts.remember(&id, &given, at);
        }
        attempts
    }

    /// When the last of them is forgotten, if there are any.
    pub(super) fn empty_from(&self) -> Option<Timestamp> {
        self.oldest_first.back().map(|(at, _)| at.after(LIFE))
    }
}

const LIFE: Duration = Duration::from_secs(limits::DEDUPLICATION_SECONDS as u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{MessageKey, QueueId};

    #[test]
    fn an_attempt_is_remembered_for_five_minutes_to_the_millisecond() {
        let at = Timestamp::from_millis;
        let receipt = Receipt {
            queue: QueueId(1),
            message: MessageKey {
                enqueued_at: at(0),
                arrival: 0,
            },
            delivery: 1,
            received_at: at(0),
        };
        let mut attempts = Attempts::default();
        assert_eq!(attempts.find("x", at(0)), None);
        attempts.remember("x", &[receipt], at(0));
        assert_eq!(attempts.find("y", at(0)), None);
        assert_eq!(attempts.find("x", at(299_999)), Some(&[receipt][..]));
        assert_eq!(attempts.find("x", at(300_000)), None);
        attempts.remember("x", &[receipt], at(300_000));
        assert_eq!(attempts.find("x", at(599_999)), Some(&[receipt][..]));
    }

    #[test]
    fn polls_are_looked_at_when_something_is_new() {
        let polls = [(1, None), (2, Some("y")), (3, Some("x")), (4, Some("x"))];
        let mut attempts = Attempts::default();
        assert_eq!(attempts.repetition(polls), None);
        attempts.remember("x", &[], Timestamp::from_millis(0));
        assert_eq!(attempts.repetition(polls), Some(3));
        assert_eq!(attempts.repetition(polls), Some(3), "until none is left");
        assert_eq!(attempts.repetition(polls[..2].to_vec()), None);
        assert_eq!(attempts.repetition(polls), None, "those came later");
    }
}
