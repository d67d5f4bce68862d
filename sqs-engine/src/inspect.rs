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
mod views;

use std::collections::BTreeMap;

use sqs::ListMessageMoveTasksResultEntry;

pub use self::receipts::ReceiptView;
pub use self::views::{
    DeduplicationView, DuePlace, GroupView, MessageView, Place, PlaceError, PollView,
};
use crate::command::QueueAddress;
use crate::engine::Engine;
use crate::id::{MessageKey, SequenceNumber};
use crate::ops::{attributes, move_task};
use crate::queue::Queue;
use crate::queue::message::Message;
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

    /// The queues that a filter lets through, by account, region and name; those after one, so that
    /// many can be looked at a page at a time. That one may be gone.
    pub fn queues_after(
        &self,
        filter: QueueFilter<'a>,
        after: Option<&'a QueueAddress>,
    ) -> impl Iterator<Item = QueueView<'a>> {
        let engine = self.engine;
        let ids = engine.directory.page(filter, after);
        ids.filter_map(|id| engine.queue(id).ok())
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

/// Which queues to look at: all, unless something is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueFilter<'a> {
    /// Those of this account.
    pub account: Option<&'a str>,
    /// Those of this region.
    pub region: Option<&'a str>,
    /// Those whose names begin so.
    pub prefix: &'a str,
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

    /// The long polls that wait at it, in the order in which they came.
    pub fn polls(&self) -> impl Iterator<Item = PollView<'a>> + use<'a> {
        let waiters = &self.engine.waiters;
        waiters
            .of(self.queue.id)
            .filter_map(|id| Some(PollView::new(id, waiters.get(id)?)))
    }

    /// Its latest message move tasks, the newest first: those that ListMessageMoveTasks gives.
    #[must_use]
    pub fn move_tasks(&self) -> Vec<ListMessageMoveTasksResultEntry> {
        move_task::shown(self.engine, self.queue)
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
        let view = *self;
        let groups = queue.messages.groups_after(name);
        groups.filter_map(move |(name, messages, key)| {
            let message = queue.messages.get(key)?;
            Some(GroupView::new(name, messages, view.message(key, message)))
        })
    }

    /// The deduplication ids that it remembers, oldest first, if it is a FIFO queue; none otherwise.
    pub fn deduplication_ids(&self) -> impl Iterator<Item = DeduplicationView<'a>> {
        self.deduplication_ids_from(0)
    }

    /// The deduplication ids of the messages after the one with this `SequenceNumber`, so that many
    /// can be looked at a page at a time. A text that is no such number is before all.
    pub fn deduplication_ids_after(
        &self,
        sequence_number: &str,
    ) -> impl Iterator<Item = DeduplicationView<'a>> {
        let after = SequenceNumber::arrival(sequence_number);
        self.deduplication_ids_from(after.map_or(0, |arrival| arrival.saturating_add(1)))
    }

    fn deduplication_ids_from(&self, arrival: u64) -> impl Iterator<Item = DeduplicationView<'a>> {
        let from = SequenceNumber::new(arrival);
        let ids = self.queue.remembered(from, self.engine.now);
        ids.map(|(remembered, accepted)| DeduplicationView::new(remembered, accepted))
    }

    /// The message that a receipt handle of this queue is for; `None` if there is no such handle,
    /// and if the message is gone. Found without a search.
    #[must_use]
    pub fn message_of(&self, receipt_handle: &str) -> Option<MessageView<'a>> {
        let receipt = self.engine.ids.receipt(receipt_handle)?;
        let (queue, key) = (self.queue, receipt.message);
        let message = queue.messages.get(key)?;
        (receipt.queue == queue.id).then(|| self.message(key, message))
    }

    /// Its messages, those that expire first in front.
    pub fn messages(&self) -> impl Iterator<Item = MessageView<'a>> + use<'a> {
        self.messages_after(None)
    }

    /// Its messages after one seen before, so that many can be looked at a page at a time; the
    /// place stays good when that message is gone.
    pub fn messages_after(
        &self,
        place: Option<Place>,
    ) -> impl Iterator<Item = MessageView<'a>> + use<'a> {
        let view = *self;
        let messages = self.queue.messages.iter_after(place.map(Place::key));
        messages.map(move |(key, message)| view.message(key, message))
    }

    /// Its messages that are delayed, those that become visible first in front; after one seen
    /// before. None of the others is looked at.
    pub fn delayed_after(
        &self,
        place: Option<DuePlace>,
    ) -> impl Iterator<Item = MessageView<'a>> + use<'a> {
        let view = *self;
        let messages = self.queue.messages.delayed_after(place.map(DuePlace::key));
        messages.map(move |(key, message)| view.message(key, message))
    }

    /// Its messages that are in flight, those that become visible first in front; after one seen
    /// before. None of the others is looked at.
    pub fn in_flight_after(
        &self,
        place: Option<DuePlace>,
    ) -> impl Iterator<Item = MessageView<'a>> + use<'a> {
        let view = *self;
        let messages = self
            .queue
            .messages
            .in_flight_after(place.map(DuePlace::key));
        messages.map(move |(key, message)| view.message(key, message))
    }

    fn message(&self, key: MessageKey, message: &'a Message) -> MessageView<'a> {
        MessageView::new(self.engine, self.queue, key, message)
    }
}
