//! One stored message.
//!
//! A queue may hold a million of these, so the struct is kept small: what few messages have is
//! behind one pointer, and its size is asserted below.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqs::digest::Md5;

use crate::digest::PackedAttributes;
use crate::directory::QueueName;
use crate::id::{MessageId, Receipt, message_id};
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// A message and where it is in its life.
#[derive(Serialize, Deserialize)]
pub(crate) struct Message {
    #[serde(with = "message_id")]
    pub(crate) id: MessageId,
    pub(crate) body: Box<str>,
    #[serde(with = "md5")]
    pub(crate) body_md5: Md5,
    pub(crate) attributes: PackedAttributes,
    /// What few messages have; `None` if this one has none of it.
    pub(crate) extras: Option<Box<Extras>>,
    /// When it was first sent, as `SentTimestamp` tells.
    pub(crate) sent_at: Timestamp,
    /// Meaningless while `receive_count` is zero.
    first_received_at: Timestamp,
    /// When the phase ends; meaningless while visible.
    due: Timestamp,
    pub(crate) receive_count: u32,
    phase: Phase,
    /// Whether its timeout was changed since its latest delivery.
    pub(super) timeout_changed: bool,
}

/// What messages with a group have, and behind one pointer more what hardly any have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extras {
    pub(crate) group: Option<Arc<str>>,
    /// Given or made from the body; only FIFO queues' messages have it.
    pub(crate) deduplication_id: Option<Arc<str>>,
    rare: Option<Box<Rare>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rare {
    /// The sender's account, if it is not the queue's.
    sender: Option<Box<str>>,
    trace_header: Option<Box<str>>,
    dead_letter: Option<DeadLetter>,
}

impl Extras {
    pub(crate) fn new(group: Option<Arc<str>>, deduplication_id: Option<Arc<str>>) -> Self {
        Self {
            group,
            deduplication_id,
            rare: None,
        }
    }

    /// Names the sender's account, unless it is named already.
    pub(crate) fn set_sender(&mut self, account: &str) {
        let sender = &mut self.rare.get_or_insert_default().sender;
        sender.get_or_insert_with(|| account.into());
    }

    pub(crate) fn set_trace_header(&mut self, trace_header: &str) {
        self.rare.get_or_insert_default().trace_header = Some(trace_header.into());
    }
}

/// What a dead letter has besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeadLetter {
    /// The queue that it came from.
    pub(crate) source: QueueName,
    /// How often it had been received when it came; its count goes on from there.
    received_before: u32,
}

/// What a client gave to be sent, checked.
pub(crate) struct Draft {
    pub(crate) body: Box<str>,
    pub(crate) body_md5: Md5,
    pub(crate) attributes: PackedAttributes,
    pub(crate) extras: Extras,
    /// The message's own delay; `None` leaves it to the queue, as FIFO's messages always do.
    pub(crate) delay: Option<Duration>,
}

/// Where a stored message is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageState {
    /// Sent with a delay that has not passed; nobody has received it.
    Delayed {
        /// When it becomes visible.
        until: Timestamp,
    },
    /// Ready to be received.
    Visible,
    /// Received, and hidden from others.
    InFlight {
        /// When it becomes visible again.
        until: Timestamp,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    Delayed,
    Visible,
    InFlight,
}

impl Message {
    pub(crate) fn new(id: MessageId, draft: Draft, now: Timestamp, state: MessageState) -> Self {
        let extras = (draft.extras != Extras::default()).then(|| Box::new(draft.extras));
        let mut message = Self {
            id,
            body: draft.body,
            body_md5: draft.body_md5,
            attributes: draft.attributes,
            extras,
            sent_at: now,
            first_received_at: now,
            due: now,
            receive_count: 0,
            phase: Phase::Visible,
            timeout_changed: false,
        };
        message.set_state(state);
        message
    }

    pub(crate) fn state(&self) -> MessageState {
        match self.phase {
            Phase::Delayed => MessageState::Delayed { until: self.due },
            Phase::Visible => MessageState::Visible,
            Phase::InFlight => MessageState::InFlight { until: self.due },
        }
    }

    /// Only the store calls this, which keeps its indexes in step.
    pub(super) fn set_state(&mut self, state: MessageState) {
        (self.phase, self.due) = match state {
            MessageState::Delayed { until } => (Phase::Delayed, until),
            MessageState::Visible => (Phase::Visible, self.due),
            MessageState::InFlight { until } => (Phase::InFlight, until),
        };
    }

    /// Sees to a message from a snapshot: what it says of itself must be possible, and it shares
    /// what the others have too.
    pub(super) fn restored(&mut self, names: &mut Names) -> Result<(), Contradiction> {
        let Some(rare) = self.extras.as_mut().and_then(|extras| extras.rare.as_mut()) else {
            return Ok(());
        };
        let Some(letter) = &mut rare.dead_letter else {
            return Ok(());
        };
        let QueueName {
            account,
            region,
            name,
        } = &mut letter.source;
        for part in [account, region, name] {
            *part = names.shared(part);
        }
        if letter.received_before > self.receive_count {
            return Err("a dead letter was received more often before than ever");
        }
        Ok(())
    }

    /// Takes the name of its group from the group, so that all its messages have one text.
    pub(super) fn share_group(&mut self, name: Arc<str>) {
        if let Some(extras) = &mut self.extras {
            extras.group = Some(name);
        }
    }

    /// The name of its group as all messages of the group share it.
    pub(super) fn shared_group(&self) -> Option<Arc<str>> {
        self.extras.as_ref()?.group.clone()
    }

    /// Counts one more delivery.
    pub(crate) fn count_delivery(&mut self, now: Timestamp) {
        if self.receive_count == 0 {
            self.first_received_at = now;
        }
        self.receive_count = self.receive_count.saturating_add(1);
        self.timeout_changed = false;
    }

    pub(crate) fn first_received_at(&self) -> Option<Timestamp> {
        (self.receive_count > 0).then_some(self.first_received_at)
    }

    /// How often it was received since it is in its present queue.
    pub(crate) fn received_here(&self) -> u32 {
        let before = self
            .dead_letter()
            .map_or(0, |letter| letter.received_before);
        self.receive_count - before
    }

    /// Makes it a dead letter, visible at once. Everything else about it stays; but in place of a
    /// deduplication id it gets its own id, so that what shared one does not collide.
    pub(crate) fn bury(&mut self, source: QueueName) {
        let id = self.id;
        let extras = self.extras.get_or_insert_default();
        extras.rare.get_or_insert_default().dead_letter = Some(DeadLetter {
            source,
            received_before: self.receive_count,
        });
        if let Some(deduplication_id) = &mut extras.deduplication_id {
            *deduplication_id = id.to_string().into();
        }
        self.set_state(MessageState::Visible);
    }

    /// What was sent, to be sent anew: nothing is left of the life it had.
    pub(crate) fn into_draft(self) -> Draft {
        let mut extras = self.extras.map(|extras| *extras).unwrap_or_default();
        extras.rare.take_if(|rare| {
            rare.dead_letter = None;
            **rare == Rare::default()
        });
        Draft {
            body: self.body,
            body_md5: self.body_md5,
            attributes: self.attributes,
            extras,
            delay: None,
        }
    }

    pub(crate) fn dead_letter(&self) -> Option<&DeadLetter> {
        self.rare()?.dead_letter.as_ref()
    }

    /// Whether this is the message's latest delivery.
    pub(crate) fn is_latest(&self, receipt: &Receipt) -> bool {
        self.receive_count == receipt.delivery
    }

    /// Whether the receive of this receipt still holds the message: nobody else can get it, and it
    /// has not become visible again.
    pub(crate) fn is_held_by(&self, receipt: &Receipt) -> bool {
        self.phase == Phase::InFlight && self.is_latest(receipt)
    }

    /// Whether the receive of this receipt still holds the message, for as long as it was told.
    pub(super) fn is_unchanged_since(&self, receipt: &Receipt) -> bool {
        self.is_held_by(receipt) && !self.timeout_changed
    }

    pub(crate) fn group(&self) -> Option<&str> {
        self.extras.as_ref()?.group.as_deref()
    }

    pub(crate) fn deduplication_id(&self) -> Option<&str> {
        self.extras.as_ref()?.deduplication_id.as_deref()
    }

    /// The account that sent it; `None` if it is the queue's own.
    pub(crate) fn sender(&self) -> Option<&str> {
        self.rare()?.sender.as_deref()
    }

    pub(crate) fn trace_header(&self) -> Option<&str> {
        self.rare()?.trace_header.as_deref()
    }

    fn rare(&self) -> Option<&Rare> {
        self.extras.as_ref()?.rare.as_deref()
    }
}

/// Texts that many have, each once in memory.
#[derive(Default)]
pub(super) struct Names(HashSet<Arc<str>>);

impl Names {
    pub(super) fn shared(&mut self, name: &Arc<str>) -> Arc<str> {
        if let Some(shared) = self.0.get(name) {
            return Arc::clone(shared);
        }
        self.0.insert(Arc::clone(name));
        Arc::clone(name)
    }
}

/// Its 16 bytes.
mod md5 {
    use serde::{Deserializer, Serializer};

    use super::*;

    pub(super) fn serialize<S: Serializer>(md5: &Md5, serializer: S) -> Result<S::Ok, S::Error> {
        md5.as_bytes().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Md5, D::Error> {
        <[u8; 16]>::deserialize(deserializer).map(Md5::from)
    }
}

/// With its place in the map of messages and in one index, at most 60 bytes each, a message costs at
/// most 250 bytes more than its body and attributes, also with a group. The bench measures it.
const _: () = assert!(size_of::<Message>() <= 104 && size_of::<Extras>() <= 40);
