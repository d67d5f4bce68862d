//! What a queue consists of.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::engine::Engine;
use crate::id::{MessageId, MessageKey, Receipt};
use crate::ops::receive;
use crate::queue::Queue;
use crate::queue::dedup::{Accepted, Remembered};
use crate::queue::message::{Message, MessageState};
use crate::time::Timestamp;
use crate::waiters::{Waiter, WaiterId};

/// A view of a message group of a FIFO queue.
#[derive(Clone, Copy)]
pub struct GroupView<'a> {
    name: &'a str,
    messages: usize,
    oldest: MessageView<'a>,
}

impl<'a> GroupView<'a> {
    pub(super) fn new(name: &'a str, messages: usize, oldest: MessageView<'a>) -> Self {
        Self {
            name,
            messages,
            oldest,
        }
    }

    /// Its name: the `MessageGroupId` of its messages.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// How many messages it has, in whatever state.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// The message for whose sake nothing of the group can be received: the oldest, if it is in
    /// flight or delayed. Its state says until when.
    #[must_use]
    pub fn blocked_by(&self) -> Option<MessageView<'a>> {
        (self.oldest.state() != MessageState::Visible).then_some(self.oldest)
    }
}

/// A view of a deduplication id that a FIFO queue remembers.
#[derive(Clone, Copy)]
pub struct DeduplicationView<'a> {
    remembered: &'a Remembered,
    accepted: Accepted,
}

impl<'a> DeduplicationView<'a> {
    pub(super) fn new(remembered: &'a Remembered, accepted: Accepted) -> Self {
        Self {
            remembered,
            accepted,
        }
    }

    /// The id, given or made from the body.
    #[must_use]
    pub fn id(&self) -> &'a str {
        &self.remembered.id
    }

    /// The group of the message that was accepted with it.
    #[must_use]
    pub fn group(&self) -> &'a str {
        &self.remembered.group
    }

    /// The message that was accepted with it, which may be gone.
    #[must_use]
    pub fn message(&self) -> MessageId {
        self.accepted.message
    }

    /// The `SequenceNumber` of that message.
    #[must_use]
    pub fn sequence_number(&self) -> String {
        self.accepted.sequence_number.to_string()
    }

    /// When it is forgotten, so that a message is accepted with it again.
    #[must_use]
    pub fn forgotten_at(&self) -> Timestamp {
        self.remembered.until()
    }
}

/// A view of a long poll that waits.
#[derive(Clone, Copy)]
pub struct PollView<'a> {
    id: WaiterId,
    waiter: &'a Waiter,
}

impl<'a> PollView<'a> {
    pub(super) fn new(id: WaiterId, waiter: &'a Waiter) -> Self {
        Self { id, waiter }
    }

    /// What the engine calls it.
    #[must_use]
    pub fn id(&self) -> WaiterId {
        self.id
    }

    /// When it ends without a message.
    #[must_use]
    pub fn ends_at(&self) -> Timestamp {
        self.waiter.deadline
    }

    /// How many messages it takes at most.
    #[must_use]
    pub fn max_messages(&self) -> usize {
        self.waiter.receive.max()
    }
}

/// Where a message stands among those of its queue. Meaningful in that queue only.
///
/// Its text form is for whoever keeps a place elsewhere for a while:
///
/// ```
/// use sqs_engine::inspect::Place;
///
/// let place: Place = "1700000000000.42".parse()?;
/// assert_eq!(place.to_string(), "1700000000000.42");
/// assert!("42".parse::<Place>().is_err());
/// # Ok::<(), sqs_engine::inspect::PlaceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(MessageKey);

/// Where a message stands among those of its queue that are delayed, or among those in flight.
///
/// ```
/// use sqs_engine::inspect::DuePlace;
///
/// let place: DuePlace = "1700000030000.1700000000000.42".parse()?;
/// assert_eq!(place.to_string(), "1700000030000.1700000000000.42");
/// assert!("1700000000000.42".parse::<DuePlace>().is_err());
/// # Ok::<(), sqs_engine::inspect::PlaceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DuePlace(Timestamp, MessageKey);

/// A text that is no place in a list of messages, or in one of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceError;

impl Place {
    pub(super) fn key(self) -> MessageKey {
        self.0
    }
}

impl DuePlace {
    pub(super) fn key(self) -> (Timestamp, MessageKey) {
        (self.0, self.1)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.enqueued_at, self.0.arrival)
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let (enqueued_at, arrival) = text.split_once('.').ok_or(PlaceError)?;
        Ok(Self(MessageKey {
            enqueued_at: Timestamp::from_millis(number(enqueued_at)?),
            arrival: number(arrival)?,
        }))
    }
}

impl fmt::Display for DuePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, Place(self.1))
    }
}

impl FromStr for DuePlace {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let (due, place) = text.split_once('.').ok_or(PlaceError)?;
        let Place(key) = place.parse()?;
        Ok(Self(Timestamp::from_millis(number(due)?), key))
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, PlaceError> {
    text.parse().map_err(|_| PlaceError)
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no place in this list of messages")
    }
}

impl std::error::Error for PlaceError {}

/// A view of one message.
#[derive(Clone, Copy)]
pub struct MessageView<'a> {
    engine: &'a Engine,
    queue: &'a Queue,
    key: MessageKey,
    message: &'a Message,
}

impl<'a> MessageView<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        queue: &'a Queue,
        key: MessageKey,
        message: &'a Message,
    ) -> Self {
        Self {
            engine,
            queue,
            key,
            message,
        }
    }

    /// Where to go on after it: [`QueueView::messages_after`](super::QueueView::messages_after).
    #[must_use]
    pub fn place(&self) -> Place {
        Place(self.key)
    }

    /// Where to go on after it among those in its state:
    /// [`QueueView::delayed_after`](super::QueueView::delayed_after) and
    /// [`QueueView::in_flight_after`](super::QueueView::in_flight_after). `None` if it is visible.
    #[must_use]
    pub fn due_place(&self) -> Option<DuePlace> {
        Some(DuePlace(self.visible_at()?, self.key))
    }

    /// When it becomes visible, if it is not.
    #[must_use]
    pub fn visible_at(&self) -> Option<Timestamp> {
        match self.state() {
            MessageState::Visible => None,
            MessageState::Delayed { until } | MessageState::InFlight { until } => Some(until),
        }
    }

    /// The receipt handle of the receive that holds it, if it is in flight: the one that the
    /// receiver was given.
    #[must_use]
    pub fn receipt_handle(&self) -> Option<String> {
        let received_at = self.queue.messages.held_since(self.key)?;
        let receipt = Receipt {
            queue: self.queue.id,
            message: self.key,
            delivery: self.message.receive_count,
            received_at,
        };
        Some(self.engine.ids.handle(receipt, self.message.id))
    }

    /// Its system attributes, as a receive gives them that asks for all.
    #[must_use]
    pub fn system_attributes(&self) -> BTreeMap<String, String> {
        receive::all_system_attributes(self.queue, self.key, self.message)
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> MessageId {
        self.message.id
    }

    /// Its body.
    #[must_use]
    pub fn body(&self) -> &'a str {
        &self.message.body
    }

    /// MD5 of its body, in lower-case hex.
    #[must_use]
    pub fn body_md5(&self) -> String {
        self.message.body_md5.to_string()
    }

    /// Its sender's attributes, by name.
    #[must_use]
    pub fn message_attributes(&self) -> BTreeMap<String, sqs::MessageAttributeValue> {
        self.message.attributes.shapes()
    }

    /// Where it is in its life, and until when.
    #[must_use]
    pub fn state(&self) -> MessageState {
        self.message.state()
    }

    /// When it was sent.
    #[must_use]
    pub fn sent_at(&self) -> Timestamp {
        self.message.sent_at
    }

    /// When its retention ends, whatever its state.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.key
            .enqueued_at
            .after(self.queue.attributes.retention())
    }

    /// When it was received for the first time; `None` if it never was.
    #[must_use]
    pub fn first_received_at(&self) -> Option<Timestamp> {
        self.message.first_received_at()
    }

    /// How often it was received.
    #[must_use]
    pub fn receive_count(&self) -> u32 {
        self.message.receive_count
    }

    /// The group that it was sent with.
    #[must_use]
    pub fn group(&self) -> Option<&'a str> {
        self.message.group()
    }

    /// The deduplication id that it was sent with or that was made from its body; `None` in a
    /// standard queue.
    #[must_use]
    pub fn deduplication_id(&self) -> Option<&'a str> {
        self.message.deduplication_id()
    }

    /// Its `SequenceNumber`; `None` in a standard queue.
    #[must_use]
    pub fn sequence_number(&self) -> Option<String> {
        let fifo = self.queue.attributes.fifo();
        fifo.map(|_| self.key.sequence_number().to_string())
    }

    /// The ARN of the queue that it came from, if it is a dead letter.
    #[must_use]
    pub fn dead_letter_source(&self) -> Option<String> {
        Some(self.message.dead_letter()?.source.arn())
    }

    /// The account that sent it.
    #[must_use]
    pub fn sender(&self) -> &'a str {
        self.message.sender().unwrap_or(&self.queue.name.account)
    }

    /// The X-Ray trace header that it was sent with.
    #[must_use]
    pub fn trace_header(&self) -> Option<&'a str> {
        self.message.trace_header()
    }
}
