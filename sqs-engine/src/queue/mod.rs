//! A queue: its name, its attributes and its messages.

pub(crate) mod attributes;
mod fair;
pub(crate) mod message;
pub(crate) mod messages;
pub(crate) mod redrive;
mod standard;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::directory::QueueName;
use crate::id::{MessageId, QueueId};
use crate::queue::attributes::QueueAttributes;
use crate::queue::message::{Draft, Message, MessageState};
use crate::queue::messages::Messages;
use crate::time::Timestamp;

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
    /// The deadline under which the engine has it noted.
    pub(crate) scheduled: Option<Timestamp>,
}

impl Queue {
    pub(crate) fn new(
        id: QueueId,
        name: QueueName,
        attributes: QueueAttributes,
        in_flight_limit: u32,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            name,
            attributes,
            tags: BTreeMap::new(),
            messages: Messages::default(),
            in_flight_limit,
            created_at: now,
            modified_at: now,
            purged_at: None,
            scheduled: None,
        }
    }

    /// Stores a new message, delayed as it says itself or else as the queue says.
    pub(crate) fn send(&mut self, id: MessageId, draft: Draft, now: Timestamp) {
        let delay = draft.delay.unwrap_or(self.attributes.delay());
        let state = if delay.is_zero() {
            MessageState::Visible
        } else {
            MessageState::Delayed {
                until: now.after(delay),
            }
        };
        self.messages
            .add(Message::new(id, draft, now, state), now, now);
    }

    /// Does what time alone does: ends delays, visibility timeouts and retention that are over.
    pub(crate) fn catch_up(&mut self, now: Timestamp) {
        self.messages.expire(self.attributes.retention(), now);
        self.messages.wake(now);
    }

    /// When time alone will change something here next.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        let expiry = self
            .messages
            .oldest()
            .map(|oldest| oldest.after(self.attributes.retention()));
        expiry.into_iter().chain(self.messages.next_due()).min()
    }

    /// How many more messages may be in flight. A message that ChangeMessageVisibility hides needs
    /// no room: AWS names no limit for that call.
    pub(crate) fn room(&self) -> usize {
        let limit = usize::try_from(self.in_flight_limit).unwrap_or(usize::MAX);
        limit.saturating_sub(self.messages.counts().in_flight)
    }

    /// The time for which a receive hides a message unless it says otherwise.
    pub(crate) fn visibility(&self) -> Duration {
        self.attributes.visibility()
    }
}
