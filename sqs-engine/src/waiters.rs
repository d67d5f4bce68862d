//! Long polls that wait for a message.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqs::{Error, Response};

use crate::id::QueueId;
use crate::ops::receive::Receive;
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// A waiting ReceiveMessage. Ids are given in order of arrival and never again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WaiterId(u64);

/// The answer to a waiting ReceiveMessage, once there is one.
pub type Completed = (WaiterId, Result<Response, Error>);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Waiter {
    pub(crate) queue: QueueId,
    pub(crate) deadline: Timestamp,
    /// Shared, so that an attempt can be made at it while it stays in its place.
    pub(crate) receive: Arc<Receive>,
}

/// All waiting polls, and the answers not yet fetched.
#[derive(Default)]
pub(crate) struct Waiters {
    arrivals: u64,
    waiting: BTreeMap<WaiterId, Waiter>,
    by_queue: BTreeSet<(QueueId, WaiterId)>,
    by_deadline: BTreeSet<(Timestamp, WaiterId)>,
    completed: VecDeque<Completed>,
}

impl Waiters {
    pub(crate) fn add(&mut self, waiter: Waiter) -> WaiterId {
        let id = WaiterId(self.arrivals);
        self.arrivals += 1;
        self.insert(id, waiter);
        id
    }

    fn insert(&mut self, id: WaiterId, waiter: Waiter) {
        self.by_queue.insert((waiter.queue, id));
        self.by_deadline.insert((waiter.deadline, id));
        self.waiting.insert(id, waiter);
    }

    /// Takes a poll out of the waiting ones. `None` if it does not wait, or no longer.
    pub(crate) fn remove(&mut self, id: WaiterId) -> Option<Waiter> {
        let waiter = self.waiting.remove(&id)?;
        self.by_queue.remove(&(waiter.queue, id));
        self.by_deadline.remove(&(waiter.deadline, id));
        Some(waiter)
    }

    /// Forgets all polls and answers; the ids go on.
    pub(crate) fn clear(&mut self) {
        *self = Self {
            arrivals: self.arrivals,
            ..Self::default()
        };
    }

    /// Ends a poll with its answer.
    pub(crate) fn complete(&mut self, id: WaiterId, answer: Result<Response, Error>) {
        if self.remove(id).is_some() {
            self.completed.push_back((id, answer));
        }
    }

    pub(crate) fn get(&self, id: WaiterId) -> Option<&Waiter> {
        self.waiting.get(&id)
    }

    /// The poll that has waited longest at a queue.
    pub(crate) fn first_of(&self, queue: QueueId) -> Option<(WaiterId, &Waiter)> {
        let id = self.of(queue).next()?;
        Some((id, self.waiting.get(&id)?))
    }

    /// The polls at a queue, in order of arrival.
    pub(crate) fn of(&self, queue: QueueId) -> impl Iterator<Item = WaiterId> {
        let range = (queue, WaiterId(0))..=(queue, WaiterId(u64::MAX));
        self.by_queue.range(range).map(|(_, id)| *id)
    }

    /// The poll whose wait ends first.
    pub(crate) fn first_deadline(&self) -> Option<(Timestamp, WaiterId)> {
        self.by_deadline.first().copied()
    }

    pub(crate) fn next_completed(&mut self) -> Option<Completed> {
        self.completed.pop_front()
    }

    /// How many polls have ever waited.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// Every poll that waits, in order of arrival.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (WaiterId, Waiter)> {
        self.waiting
            .iter()
            .map(|(id, waiter)| (*id, waiter.clone()))
    }

    /// What a snapshot has of them.
    pub(crate) fn restore(
        &mut self,
        arrivals: u64,
        waiting: Vec<(WaiterId, Waiter)>,
    ) -> Result<(), Contradiction> {
        self.arrivals = arrivals;
        for (id, waiter) in waiting {
            if id.0 >= arrivals || self.waiting.contains_key(&id) {
                return Err("a waiting poll has an impossible number");
            }
            self.insert(id, waiter);
        }
        Ok(())
    }

    /// The queues at which polls wait.
    pub(crate) fn queues(&self) -> impl Iterator<Item = QueueId> {
        self.by_queue.iter().map(|(queue, _)| *queue)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}
