//! What is inside an engine, to look at: looking changes nothing.
//!
//! The views show what was true at the engine's latest time; call
//! [`Engine::advance`](crate::Engine::advance) first to see the present.
//!
//! # Example
//!
//! ```
//! use sqs::{CreateQueueInput, Request, SendMessageInput};
//! use sqs_engine::{Config, Context, Engine, MessageState, Timestamp};
//!
//! let mut engine = Engine::new(Config::default());
//! let me = Context::new("000000000000", "test", "us-east-1", "http://127.0.0.1:9324");
//! let now = Timestamp::from_millis(0);
//! let _ = engine.handle(now, &me, Request::CreateQueue(CreateQueueInput::new("orders")));
//! let _ = engine.handle(now, &me, Request::SendMessage(SendMessageInput::new("orders", "hello")));
//!
//! let inspect = engine.inspect();
//! let orders = inspect.queue("000000000000", "us-east-1", "orders").expect("it was created");
//! assert_eq!(orders.counts().visible, 1);
//! let message = orders.messages().next().expect("it was sent");
//! assert_eq!((message.body(), message.state()), ("hello", MessageState::Visible));
//! ```

mod receipts;

use std::collections::BTreeMap;

pub use self::receipts::ReceiptView;
use crate::engine::Engine;
use crate::id::{MessageId, MessageKey};
use crate::ops::attributes;
use crate::queue::Queue;
use crate::queue::dedup::{Accepted, Remembered};
use crate::queue::message::{Message, MessageState};
use crate::queue::messages::Counts;
use crate::time::Timestamp;

/// A view of a whole engine: [`Engine::inspect`].
#[derive(Clone, Copy)]
pub struct Inspect<'a> {
    engine: &'a Engine,
}

impl<'a> Inspect<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Self {
        Self { engine }
    }

    /// The latest time that the engine was told; [`Timestamp::MIN`] if none.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.engine.now
    }

    /// Every queue, by account, region and name.
    pub fn queues(&self) -> impl Iterator<Item = QueueView<'a>> {
        let engine = self.engine;
        engine
            .directory
            .all()
            .filter_map(|id| engine.queue(id).ok())
            .map(move |queue| QueueView { engine, queue })
    }

    /// One queue; `None` if there is none of that name there.
    #[must_use]
    pub fn queue(&self, account: &str, region: &str, name: &str) -> Option<QueueView<'a>> {
        let id = self.engine.find(account, region, name)?;
        Some(QueueView {
            engine: self.engine,
            queue: self.engine.queue(id).ok()?,
        })
    }

    /// The queues of one name in all accounts and regions, by account and region. For whoever
    /// looked for one in the wrong place.
    pub fn queues_named(&self, name: &str) -> impl Iterator<Item = QueueView<'a>> {
        let engine = self.engine;
        engine
            .directory
            .named(name)
            .filter_map(|id| engine.queue(id).ok())
            .map(move |queue| QueueView { engine, queue })
    }

    /// How many queues there are.
    #[must_use]
    pub fn queue_count(&self) -> usize {
        self.engine.queue_count()
    }

    /// How many messages there are in all queues, by state. Counts them queue by queue.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.queues()
            .map(|queue| queue.counts())
            .fold(Counts::default(), |sum, queue| Counts {
                visible: sum.visible + queue.visible,
                delayed: sum.delayed + queue.delayed,
                in_flight: sum.in_flight + queue.in_flight,
            })
    }

    /// How many long polls wait, at all queues together.
    #[must_use]
    pub fn waiting_polls(&self) -> usize {
        self.engine.waiters.len()
    }
}

/// A view of one queue.
#[derive(Clone, Copy)]
pub struct QueueView<'a> {
    engine: &'a Engine,
    queue: &'a Queue,
}

impl<'a> QueueView<'a> {
    /// The account that owns it.
    #[must_use]
    pub fn account(&self) -> &'a str {
        &self.queue.name.account
    }

    /// The region that it is in.
    #[must_use]
    pub fn region(&self) -> &'a str {
        &self.queue.name.region
    }

    /// Its name within account and region.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.queue.name.name
    }

    /// Its ARN.
    #[must_use]
    pub fn arn(&self) -> String {
        self.queue.name.arn()
    }

    /// Its attributes as GetQueueAttributes gives them for `All`, by name.
    #[must_use]
    pub fn attributes(&self) -> BTreeMap<String, String> {
        attributes::shown(self.queue)
            .into_iter()
            .map(|(name, value)| (name.name().to_owned(), value))
            .collect()
    }

    /// Its tags, values by key.
    #[must_use]
    pub fn tags(&self) -> &'a BTreeMap<String, String> {
        &self.queue.tags
    }

    /// How many messages it has in each state. Costs nothing to know.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.queue.messages.counts()
    }

    /// How many long polls wait at it.
    #[must_use]
    pub fn waiting_polls(&self) -> usize {
        self.engine.waiters.of(self.queue.id).count()
    }

    /// When it was last purged.
    #[must_use]
    pub fn purged_at(&self) -> Option<Timestamp> {
        self.queue.purged_at
    }

    /// Its message groups by name, if it is a FIFO queue; none otherwise.
    pub fn groups(&self) -> impl Iterator<Item = GroupView<'a>> {
        self.groups_after(None)
    }

    /// Its message groups after one, so that many can be looked at a page at a time.
    pub fn groups_after(&self, name: Option<&str>) -> impl Iterator<Item = GroupView<'a>> {
        let queue = self.queue;
        let groups = queue.messages.groups_after(name);
        groups.filter_map(move |(name, messages, key)| {
            let message = queue.messages.get(key)?;
            Some(GroupView {
                name,
                messages,
                oldest: MessageView {
                    queue,
                    key,
                    message,
                },
            })
        })
    }

    /// The deduplication ids that it remembers, oldest first, if it is a FIFO queue; none otherwise.
    pub fn deduplication_ids(&self) -> impl Iterator<Item = DeduplicationView<'a>> {
        let ids = self.queue.remembered(self.engine.now);
        ids.map(|(remembered, accepted)| DeduplicationView {
            remembered,
            accepted,
        })
    }

    /// The message that a receipt handle of this queue is for; `None` if there is no such handle,
    /// and if the message is gone. Found without a search.
    #[must_use]
    pub fn message_of(&self, receipt_handle: &str) -> Option<MessageView<'a>> {
        let receipt = self.engine.ids.receipt(receipt_handle)?;
        let (queue, key) = (self.queue, receipt.message);
        let message = queue.messages.get(key)?;
        (receipt.queue == queue.id).then_some(MessageView {
            queue,
            key,
            message,
        })
    }

    /// Its messages, those that expire first in front.
    pub fn messages(&self) -> impl Iterator<Item = MessageView<'a>> {
        self.messages_after(None)
    }

    /// Its messages after one seen before, so that many can be looked at a page at a time; the
    /// place stays good when that message is gone.
    pub fn messages_after(&self, place: Option<Place>) -> impl Iterator<Item = MessageView<'a>> {
        let queue = self.queue;
        queue
            .messages
            .iter_after(place.map(|Place(key)| key))
            .map(move |(key, message)| MessageView {
                queue,
                key,
                message,
            })
    }
}

/// A view of a message group of a FIFO queue.
#[derive(Clone, Copy)]
pub struct GroupView<'a> {
    name: &'a str,
    messages: usize,
    oldest: MessageView<'a>,
}

impl<'a> GroupView<'a> {
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

/// Where a message stands among those of its queue. Meaningful in that queue only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(MessageKey);

/// A view of one message.
#[derive(Clone, Copy)]
pub struct MessageView<'a> {
    queue: &'a Queue,
    key: MessageKey,
    message: &'a Message,
}

impl<'a> MessageView<'a> {
    /// Where to go on after it: [`QueueView::messages_after`].
    #[must_use]
    pub fn place(&self) -> Place {
        Place(self.key)
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
