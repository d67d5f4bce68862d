//! A queue: its name, its attributes and its messages.

mod attempts;
pub(crate) mod attributes;
pub(crate) mod dedup;
mod fair;
mod fifo;
pub(crate) mod fifo_attributes;
pub(crate) mod message;
pub(crate) mod messages;
pub(crate) mod redrive;
mod restore;
mod standard;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::directory::QueueName;
use crate::engine::InFlightLimits;
use crate::id::{MessageId, MessageKey, QueueId, Receipt, SequenceNumber};
use crate::queue::attempts::Attempts;
use crate::queue::attributes::QueueAttributes;
use crate::queue::dedup::{Accepted, Deduplication, Remembered};
use crate::queue::fifo_attributes::QueueKind;
use crate::queue::message::{Draft, Message, MessageState};
use crate::queue::messages::{Delivery, Exhausted, Messages, Wanted};
use crate::time::Timestamp;

pub(crate) use crate::queue::restore::{QueueImage, QueueRestore};

/// One queue, in one of its lives.
pub(crate) struct Queue {
    pub(crate) id: QueueId,
    pub(crate) name: QueueName,
    pub(crate) attributes: QueueAttributes,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) messages: Messages,
    /// How many messages may be in flight.
    in_flight_limit: u32,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    pub(crate) purged_at: Option<Timestamp>,
    fifo: Option<Box<Fifo>>,
    /// The deadline under which the engine has it noted.
    pub(crate) scheduled: Option<Timestamp>,
}

/// What a FIFO queue remembers besides its messages.
struct Fifo {
    deduplication: Deduplication,
    attempts: Attempts,
}

/// What a send gives: for a repetition, what the send that it repeats gave.
pub(crate) struct Stored {
    pub(crate) id: MessageId,
    /// Of a FIFO queue's message.
    pub(crate) sequence_number: Option<SequenceNumber>,
}

/// What a receive gives, and what it makes leave the queue.
pub(crate) struct Received {
    pub(crate) receipts: Vec<Receipt>,
    pub(crate) exhausted: Exhausted,
}

/// A receive cannot be repeated: what it gave has been deleted, changed, or is visible again.
#[derive(Debug)]
pub(crate) struct NotRetryable;

impl Queue {
    pub(crate) fn new(
        id: QueueId,
        name: QueueName,
        attributes: QueueAttributes,
        in_flight_limit: u32,
        now: Timestamp,
    ) -> Self {
        let fifo = attributes.fifo().map(|fifo| {
            Box::new(Fifo {
                deduplication: Deduplication::new(fifo.scope),
                attempts: Attempts::default(),
            })
        });
        Self {
            id,
            name,
            messages: Messages::new(attributes.kind()),
            attributes,
            tags: BTreeMap::new(),
            in_flight_limit,
            created_at: now,
            modified_at: now,
            purged_at: None,
            fifo,
            scheduled: None,
        }
    }

    /// Sends a message under a new id, unless it repeats an earlier one.
    ///
    /// In a FIFO queue the draft has a group and a deduplication id.
    pub(crate) fn send(&mut self, id: MessageId, draft: Draft, now: Timestamp) -> Stored {
        let Some(mut fifo) = self.fifo.take() else {
            self.store(id, draft, now);
            return Stored {
                id,
                sequence_number: None,
            };
        };
        let group = draft.extras.group.clone().unwrap_or_default();
        let given = draft.extras.deduplication_id.clone().unwrap_or_default();
        let accepted = fifo.deduplication.accept(&group, given, now, || {
            let key = self.store(id, draft, now);
            let stored = self.messages.get(key);
            let shared = stored.and_then(Message::shared_group);
            let accepted = Accepted {
                message: id,
                sequence_number: key.sequence_number(),
            };
            (accepted, shared.unwrap_or_default())
        });
        self.fifo = Some(fifo);
        Stored {
            id: accepted.message,
            sequence_number: Some(accepted.sequence_number),
        }
    }

    /// Stores a new message, delayed as it says itself or else as the queue says; also one whose
    /// deduplication id is remembered.
    pub(crate) fn store(&mut self, id: MessageId, draft: Draft, now: Timestamp) -> MessageKey {
        let delay = draft.delay.unwrap_or(self.attributes.delay());
        let state = if delay.is_zero() {
            MessageState::Visible
        } else {
            MessageState::Delayed {
                until: now.after(delay),
            }
        };
        let message = Message::new(id, draft, now, state);
        self.messages.add(message, now, now)
    }

    /// Takes in another queue's dead letter, which had this key there. In a standard queue its
    /// retention goes on, in a FIFO queue it starts afresh.
    pub(crate) fn add_dead_letter(
        &mut self,
        message: Box<Message>,
        key: MessageKey,
        now: Timestamp,
    ) {
        let enqueued_at = match self.attributes.kind() {
            QueueKind::Standard => key.enqueued_at,
            QueueKind::Fifo => now,
        };
        self.messages.add(message, enqueued_at, now);
    }

    /// Delivers what is wanted, as far as there is room for it in flight.
    ///
    /// In a FIFO queue a receive under the same `attempt` id within five minutes gives the same
    /// messages and handles again and starts their timeout anew, as if it had never reached its
    /// client. That counts no delivery: AWS does not say, and the client has received them once.
    ///
    /// # Errors
    ///
    /// `NotRetryable` if one of the messages was deleted, had its timeout changed, or is no longer
    /// in flight: its handle has expired then, so giving it again would be of no use.
    pub(crate) fn receive(
        &mut self,
        wanted: Wanted,
        attempt: Option<&str>,
        now: Timestamp,
    ) -> Result<Received, NotRetryable> {
        let (Some(fifo), Some(attempt)) = (&mut self.fifo, attempt) else {
            return Ok(self.deliver(wanted, now));
        };
        if let Some(given) = fifo.attempts.find(attempt, now) {
            let given = given.to_vec();
            let retryable = |receipt: &Receipt| {
                let message = self.messages.get(receipt.message);
                message.is_some_and(|message| message.is_unchanged_since(receipt))
            };
            if !given.iter().all(retryable) {
                return Err(NotRetryable);
            }
            for receipt in &given {
                self.messages.hide(receipt.message, wanted.timeout, now);
            }
            return Ok(Received {
                receipts: given,
                exhausted: Vec::new(),
            });
        }
        let received = self.deliver(wanted, now);
        if let Some(fifo) = &mut self.fifo
            && !received.receipts.is_empty()
        {
            fifo.attempts.remember(attempt, &received.receipts, now);
        }
        Ok(received)
    }

    /// The first of some waiting polls, with their attempt ids, that repeats a receive.
    pub(crate) fn repetition<'a, P>(
        &mut self,
        polls: impl IntoIterator<Item = (P, Option<&'a str>)>,
    ) -> Option<P> {
        self.fifo.as_mut()?.attempts.repetition(polls)
    }

    fn deliver(&mut self, mut wanted: Wanted, now: Timestamp) -> Received {
        wanted.max = wanted.max.min(self.room());
        let Delivery { given, exhausted } = self.messages.deliver(wanted, now);
        let receipt = |key| {
            Some(Receipt {
                queue: self.id,
                message: key,
                delivery: self.messages.get(key)?.receive_count,
                received_at: now,
            })
        };
        Received {
            receipts: given.into_iter().filter_map(receipt).collect(),
            exhausted,
        }
    }

    /// Whether a handle is of no use any more though its message is there. A standard queue's are
    /// good as long as the message is; a FIFO queue's as long as their receive holds the message.
    pub(crate) fn is_expired(&self, receipt: &Receipt) -> bool {
        let message = self.messages.get(receipt.message);
        self.fifo.is_some() && message.is_some_and(|message| !message.is_held_by(receipt))
    }

    /// Ends a receive before its time: if it still holds its message, that becomes visible.
    pub(crate) fn expire_handle(&mut self, receipt: &Receipt, now: Timestamp) {
        let message = self.messages.get(receipt.message);
        if message.is_some_and(|message| message.is_held_by(receipt)) {
            self.messages.hide(receipt.message, Duration::ZERO, now);
        }
    }

    /// The deduplication ids that a FIFO queue remembers, oldest first, from the one on whose message
    /// has this number.
    pub(crate) fn remembered(
        &self,
        from: SequenceNumber,
        now: Timestamp,
    ) -> impl Iterator<Item = (&Remembered, Accepted)> {
        let fifo = self.fifo.iter();
        fifo.flat_map(move |fifo| fifo.deduplication.remembered(from, now))
    }

    /// Removes every message and, in a FIFO queue, all that is remembered of sends and receives.
    pub(crate) fn purge(&mut self, now: Timestamp) {
        self.clear();
        self.purged_at = Some(now);
    }

    /// The same, without remembering that it happened.
    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        if let Some(fifo) = &mut self.fifo {
            fifo.deduplication.clear();
            fifo.attempts = Attempts::default();
        }
    }

    /// Sets the attributes. A FIFO queue's new delay is that of the messages it has, too.
    pub(crate) fn set_attributes(&mut self, attributes: QueueAttributes, now: Timestamp) {
        let delay = attributes.delay();
        let delay_changes = delay != self.attributes.delay();
        self.attributes = attributes;
        self.modified_at = now;
        match self.attributes.kind() {
            QueueKind::Fifo if delay_changes => self.messages.delay_anew(delay, now),
            QueueKind::Fifo | QueueKind::Standard => {}
        }
    }

    /// Does what time alone does: ends delays, visibility timeouts and retention that are over.
    pub(crate) fn catch_up(&mut self, now: Timestamp) {
        self.messages.expire(self.attributes.retention(), now);
        self.messages.wake(now);
        if let Some(fifo) = &mut self.fifo {
            fifo.deduplication.forget(now);
            fifo.attempts.forget(now);
        }
    }

    /// When time alone will change something here next.
    ///
    /// What a FIFO queue remembers is forgotten in passing while the queue is used. Of one that is
    /// used no more nothing would be forgotten, so the end of the last of it is a deadline.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        let expiry = self
            .messages
            .oldest()
            .map(|oldest| oldest.after(self.attributes.retention()));
        let fifo = self.fifo.as_ref();
        let memory = fifo.map(|fifo| [fifo.deduplication.empty_from(), fifo.attempts.empty_from()]);
        let memory = memory.into_iter().flatten().flatten();
        memory.chain(expiry).chain(self.messages.next_due()).min()
    }

    /// How many more messages may be in flight. A message that ChangeMessageVisibility hides needs
    /// no room: AWS names no limit for that call.
    pub(crate) fn room(&self) -> usize {
        let limit = usize::try_from(self.in_flight_limit).unwrap_or(usize::MAX);
        limit.saturating_sub(self.messages.counts().in_flight)
    }

    /// Other limits hold from now on.
    pub(crate) fn set_in_flight_limit(&mut self, limits: InFlightLimits) {
        self.in_flight_limit = limits.of(self.attributes.kind());
    }

    /// The time for which a receive hides a message unless it says otherwise.
    pub(crate) fn visibility(&self) -> Duration {
        self.attributes.visibility()
    }
}
