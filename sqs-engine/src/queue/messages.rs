//! The messages of one queue, with an index for each way in which they are looked for.
//!
//! Every message is in `stored`, those delayed and in flight in an index by the time when that ends,
//! and the order in which messages are offered is kept as the kind of the queue asks. Each operation
//! is logarithmic in the number of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::MessageKey;
use crate::queue::fifo::Groups;
use crate::queue::fifo_attributes::QueueKind;
use crate::queue::message::{Message, MessageState, Names};
use crate::queue::standard::{Ready, ReadyImage};
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// How many messages of a queue are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Ready to be received.
    pub visible: usize,
    /// Sent with a delay that has not passed.
    pub delayed: usize,
    /// Received, and neither deleted nor visible again.
    pub in_flight: usize,
}

impl Counts {
    /// All messages stored.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.visible + self.delayed + self.in_flight
    }
}

/// What a delivery is to give.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// At most so many messages.
    pub(crate) max: usize,
    /// For how long each is hidden; zero leaves them visible.
    pub(crate) timeout: Duration,
    /// What was received so often since it is here, or oftener, leaves the queue instead.
    pub(crate) limit: Option<u32>,
    /// What the order of a standard queue's messages follows from, if it is not the usual one.
    pub(crate) shuffle: Option<u64>,
}

/// What comes of a delivery.
#[derive(Default)]
pub(crate) struct Delivery {
    /// In order.
    pub(crate) given: Vec<MessageKey>,
    /// What was received too often to be given once more. It is in the store no more.
    pub(crate) exhausted: Exhausted,
}

/// Messages that were taken out of the store, with the keys that they had there.
pub(crate) type Exhausted = Vec<(MessageKey, Box<Message>)>;

/// The store.
pub(crate) struct Messages {
    /// By key, which is the order in which their retention ends.
    stored: BTreeMap<MessageKey, Box<Message>>,
    states: States,
    arrivals: u64,
}

/// The messages of each state.
struct States {
    delayed: BTreeSet<(Timestamp, MessageKey)>,
    /// With the time of the receive that holds each.
    in_flight: BTreeMap<(Timestamp, MessageKey), Timestamp>,
    order: Order,
}

/// In which order messages are offered.
enum Order {
    Standard(Ready),
    Fifo(Groups),
}

/// What of a store does not follow from its messages, for a snapshot.
#[derive(Serialize, Deserialize)]
pub(super) struct MessagesImage {
    arrivals: u64,
    order: OrderImage,
}

#[derive(Serialize, Deserialize)]
enum OrderImage {
    Standard(ReadyImage),
    /// The groups in the order of their turns.
    Fifo(Vec<Arc<str>>),
}

/// A store that is made from a snapshot.
pub(super) struct MessagesRestore {
    messages: Messages,
    /// Of a FIFO queue, to be set in the end.
    turns: Vec<Arc<str>>,
    names: Names,
}

impl Messages {
    pub(crate) fn new(kind: QueueKind) -> Self {
        let order = match kind {
            QueueKind::Standard => Order::Standard(Ready::default()),
            QueueKind::Fifo => Order::Fifo(Groups::default()),
        };
        Self {
            stored: BTreeMap::new(),
            states: States {
                delayed: BTreeSet::new(),
                in_flight: BTreeMap::new(),
                order,
            },
            arrivals: 0,
        }
    }

    /// Stores a message whose retention runs from `enqueued_at`. In a FIFO queue that must not be
    /// earlier than for the messages before it, and the message must have a group.
    pub(crate) fn add(
        &mut self,
        message: impl Into<Box<Message>>,
        enqueued_at: Timestamp,
        now: Timestamp,
    ) -> MessageKey {
        let mut message = message.into();
        let key = MessageKey {
            enqueued_at,
            arrival: self.arrivals,
        };
        self.arrivals += 1;
        if let Some(name) = self.states.order.sent(key, message.group(), now) {
            message.share_group(name);
        }
        self.states.enter(key, &message, now, now);
        self.stored.insert(key, message);
        key
    }

    pub(crate) fn get(&self, key: MessageKey) -> Option<&Message> {
        self.stored.get(&key).map(AsRef::as_ref)
    }

    /// Takes a message out, in whatever state it is.
    pub(crate) fn remove(&mut self, key: MessageKey, now: Timestamp) -> Option<Box<Message>> {
        let message = self.stored.remove(&key)?;
        self.states.remove(key, &message, now);
        Some(message)
    }

    pub(crate) fn clear(&mut self) {
        // The arrivals go on: the handles of purged messages must not fit later ones.
        let kind = match self.states.order {
            Order::Standard(_) => QueueKind::Standard,
            Order::Fifo(_) => QueueKind::Fifo,
        };
        *self = Self {
            arrivals: self.arrivals,
            ..Self::new(kind)
        };
    }

    /// Delivers the messages that are next.
    pub(crate) fn deliver(&mut self, wanted: Wanted, now: Timestamp) -> Delivery {
        let Wanted { max, timeout, .. } = wanted;
        let mut delivery = Delivery::default();
        let mut chosen = self.shuffled(&wanted);
        if !chosen.is_empty() {
            self.give(chosen.drain(..), &wanted, now, &mut delivery);
        }
        loop {
            let more = max - delivery.given.len();
            self.states.order.choose(more, now, &mut chosen);
            if chosen.is_empty() {
                break;
            }
            self.give(chosen.drain(..), &wanted, now, &mut delivery);
        }
        // Not before all are chosen, or one of them would be chosen again.
        if timeout.is_zero() {
            for key in &delivery.given {
                self.change(*key, MessageState::Visible, now, now);
            }
        }
        delivery
    }

    /// Gives these, which are visible, or takes them out if they were received too often. No more
    /// are given than are wanted.
    fn give(
        &mut self,
        chosen: impl Iterator<Item = MessageKey>,
        wanted: &Wanted,
        now: Timestamp,
        delivery: &mut Delivery,
    ) {
        let until = now.after(wanted.timeout);
        for key in chosen {
            if delivery.given.len() == wanted.max {
                break;
            }
            let Some(message) = self.stored.get_mut(&key) else {
                continue;
            };
            let limit = wanted.limit;
            if limit.is_some_and(|limit| message.received_here() >= limit) {
                let exhausted = self.remove(key, now).map(|message| (key, message));
                delivery.exhausted.extend(exhausted);
            } else {
                message.count_delivery(now);
                self.change(key, MessageState::InFlight { until }, now, now);
                delivery.given.push(key);
            }
        }
    }

    /// The visible messages of a standard queue in an order that nobody expects: the oldest is not
    /// first, unless it is alone. Empty if the usual order is wanted. It looks at all messages, for
    /// which a fault in a test has the time.
    fn shuffled(&self, wanted: &Wanted) -> Vec<MessageKey> {
        let (Order::Standard(_), Some(seed)) = (&self.states.order, wanted.shuffle) else {
            return Vec::new();
        };
        let visible = |message: &Message| message.state() == MessageState::Visible;
        let stored = self.stored.iter();
        let mut keys: Vec<_> = stored
            .filter(|(_, message)| visible(message))
            .map(|(key, _)| *key)
            .collect();
        let oldest = keys.first().copied();
        keys.sort_by_cached_key(|key| scattered(seed, key.arrival));
        if keys.len() > 1 && keys.first() == oldest.as_ref() {
            keys.rotate_left(1);
        }
        keys
    }

    /// Hides a message for `timeout` from now on; zero makes it visible.
    pub(crate) fn hide(&mut self, key: MessageKey, timeout: Duration, now: Timestamp) {
        self.hide_since(key, timeout, now, now);
    }

    fn hide_since(&mut self, key: MessageKey, timeout: Duration, since: Timestamp, now: Timestamp) {
        let state = if timeout.is_zero() {
            MessageState::Visible
        } else {
            MessageState::InFlight {
                until: now.after(timeout),
            }
        };
        self.change(key, state, since, now);
    }

    /// Hides a message, or makes it visible, as somebody asks who received it at `since`.
    pub(crate) fn change_timeout(
        &mut self,
        key: MessageKey,
        timeout: Duration,
        since: Timestamp,
        now: Timestamp,
    ) {
        self.hide_since(key, timeout, since, now);
        if let Some(message) = self.stored.get_mut(&key) {
            message.timeout_changed = true;
        }
    }

    /// Delays the messages that nobody has received yet for `delay` from their sending. Costs time
    /// in proportion to those that are delayed or will be.
    pub(crate) fn delay_anew(&mut self, delay: Duration, now: Timestamp) {
        let recent = self
            .stored
            .iter()
            .rev()
            .take_while(|(key, _)| key.enqueued_at.after(delay) > now)
            .filter(|(_, message)| message.receive_count == 0)
            .map(|(key, _)| *key);
        let delayed = self.states.delayed.iter().map(|(_, key)| *key);
        let keys: BTreeSet<_> = recent.chain(delayed).collect();
        for key in keys {
            let until = key.enqueued_at.after(delay);
            let state = if until > now {
                MessageState::Delayed { until }
            } else {
                MessageState::Visible
            };
            self.change(key, state, now, now);
        }
    }

    /// Makes visible what was delayed or hidden until now.
    pub(crate) fn wake(&mut self, now: Timestamp) {
        while let Some((due, key)) = self.first_due()
            && due <= now
        {
            self.change(key, MessageState::Visible, now, now);
        }
    }

    /// Drops the messages that have been here for `retention` or longer, in whatever state.
    pub(crate) fn expire(&mut self, retention: Duration, now: Timestamp) {
        while let Some((&key, _)) = self.stored.first_key_value()
            && key.enqueued_at.after(retention) <= now
        {
            self.remove(key, now);
        }
    }

    /// When the next message becomes visible by itself.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.first_due().map(|(due, _)| due)
    }

    /// When the message whose retention ends first was enqueued.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        self.stored
            .first_key_value()
            .map(|(key, _)| key.enqueued_at)
    }

    /// How many messages have ever come: the arrival that the next one will be.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    pub(crate) fn counts(&self) -> Counts {
        let delayed = self.states.delayed.len();
        let in_flight = self.states.in_flight.len();
        Counts {
            visible: self.stored.len() - delayed - in_flight,
            delayed,
            in_flight,
        }
    }

    /// Whether a message can be given to somebody: it is visible and, in a FIFO queue, the oldest
    /// of its group, so that taking it away leaves the group in order.
    pub(crate) fn is_free(&self, key: MessageKey) -> bool {
        self.stored.get(&key).is_some_and(|message| {
            message.state() == MessageState::Visible
                && match &self.states.order {
                    Order::Standard(_) => true,
                    Order::Fifo(groups) => {
                        groups.oldest_of(message.group().unwrap_or_default()) == Some(key)
                    }
                }
        })
    }

    /// The messages after `place`, oldest first.
    pub(crate) fn iter_after(
        &self,
        place: Option<MessageKey>,
    ) -> impl Iterator<Item = (MessageKey, &Message)> {
        let from = place.map_or(Bound::Unbounded, Bound::Excluded);
        self.stored
            .range((from, Bound::Unbounded))
            .map(|(key, message)| (*key, message.as_ref()))
    }

    /// The messages that are delayed, by when they become visible, after one of them.
    pub(crate) fn delayed_after(
        &self,
        place: Option<(Timestamp, MessageKey)>,
    ) -> impl Iterator<Item = (MessageKey, &Message)> {
        let from = place.map_or(Bound::Unbounded, Bound::Excluded);
        let delayed = self.states.delayed.range((from, Bound::Unbounded));
        delayed.filter_map(|(_, key)| Some((*key, self.get(*key)?)))
    }

    /// The messages in flight, by when they become visible, after one of them.
    pub(crate) fn in_flight_after(
        &self,
        place: Option<(Timestamp, MessageKey)>,
    ) -> impl Iterator<Item = (MessageKey, &Message)> {
        let from = place.map_or(Bound::Unbounded, Bound::Excluded);
        let in_flight = self.states.in_flight.range((from, Bound::Unbounded));
        in_flight.filter_map(|((_, key), _)| Some((*key, self.get(*key)?)))
    }

    /// When the receive was that holds a message; `None` if none does.
    pub(crate) fn held_since(&self, key: MessageKey) -> Option<Timestamp> {
        match self.get(key)?.state() {
            MessageState::InFlight { until } => self.states.in_flight.get(&(until, key)).copied(),
            MessageState::Delayed { .. } | MessageState::Visible => None,
        }
    }

    /// The groups of a FIFO queue after one, by name: how many messages each has, and the oldest.
    pub(crate) fn groups_after(
        &self,
        name: Option<&str>,
    ) -> impl Iterator<Item = (&str, usize, MessageKey)> {
        let groups = match &self.states.order {
            Order::Standard(_) => None,
            Order::Fifo(groups) => Some(groups.after(name)),
        };
        groups.into_iter().flatten()
    }

    pub(super) fn image(&self) -> MessagesImage {
        MessagesImage {
            arrivals: self.arrivals,
            order: match &self.states.order {
                Order::Standard(ready) => OrderImage::Standard(ready.image()),
                Order::Fifo(groups) => OrderImage::Fifo(groups.image()),
            },
        }
    }

    fn first_due(&self) -> Option<(Timestamp, MessageKey)> {
        let delayed = self.states.delayed.first();
        let in_flight = self.states.in_flight.first_key_value();
        let in_flight = in_flight.map(|(place, _)| place);
        delayed.into_iter().chain(in_flight).min().copied()
    }

    /// Changes the state of a message. If it goes in flight, that is for the receive at `since`; if it
    /// is in flight, the receive that holds it stays the same.
    fn change(&mut self, key: MessageKey, state: MessageState, since: Timestamp, now: Timestamp) {
        let Some(message) = self.stored.get_mut(&key) else {
            return;
        };
        let held_since = self.states.leave(key, message, now);
        message.set_state(state);
        self.states
            .enter(key, message, held_since.unwrap_or(since), now);
    }
}

/// A number that follows from both and in which neither is to be seen: the output function of
/// SplitMix64 (Steele, Lea and Flood, 2014).
fn scattered(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl MessagesRestore {
    pub(super) fn begin(image: MessagesImage) -> Self {
        let (order, turns) = match image.order {
            OrderImage::Standard(ready) => (Order::Standard(Ready::restore(ready)), Vec::new()),
            OrderImage::Fifo(turns) => (Order::Fifo(Groups::default()), turns),
        };
        Self {
            messages: Messages {
                stored: BTreeMap::new(),
                states: States {
                    delayed: BTreeSet::new(),
                    in_flight: BTreeMap::new(),
                    order,
                },
                arrivals: image.arrivals,
            },
            turns,
            names: Names::default(),
        }
    }

    pub(super) fn kind(&self) -> QueueKind {
        match self.messages.states.order {
            Order::Standard(_) => QueueKind::Standard,
            Order::Fifo(_) => QueueKind::Fifo,
        }
    }

    /// Takes in a message; they come in the order of their keys. One that is in flight comes with the
    /// time of the receive that holds it.
    pub(super) fn put_back(
        &mut self,
        key: MessageKey,
        mut message: Box<Message>,
        held_since: Option<Timestamp>,
    ) -> Result<(), Contradiction> {
        let last = self.messages.stored.last_key_value();
        if key.arrival >= self.messages.arrivals || last.is_some_and(|(last, _)| key <= *last) {
            return Err("a message is out of order");
        }
        message.restored(&mut self.names)?;
        let state = message.state();
        let states = &mut self.messages.states;
        let shared = match (&mut states.order, message.group()) {
            (Order::Standard(ready), group) => ready.put_back(key, group, state)?,
            (Order::Fifo(groups), Some(group)) => Some(groups.put_back(key, group, state)),
            (Order::Fifo(_), None) => return Err("a message of a FIFO queue has no group"),
        };
        if let Some(shared) = shared {
            message.share_group(shared);
        }
        match state {
            MessageState::Delayed { until } => drop(states.delayed.insert((until, key))),
            MessageState::InFlight { until } => {
                let since = held_since.ok_or("a message in flight is held by no receive")?;
                states.in_flight.insert((until, key), since);
            }
            MessageState::Visible => {}
        }
        self.messages.stored.insert(key, message);
        Ok(())
    }

    /// A name as the messages share it.
    pub(super) fn shared(&mut self, name: &Arc<str>) -> Arc<str> {
        match &self.messages.states.order {
            Order::Standard(_) => None,
            Order::Fifo(groups) => groups.shared(name),
        }
        .unwrap_or_else(|| self.names.shared(name))
    }

    pub(super) fn finish(mut self) -> Result<Messages, Contradiction> {
        let states = &mut self.messages.states;
        match &mut states.order {
            Order::Standard(ready) => ready.restored(states.in_flight.len())?,
            Order::Fifo(groups) => groups.restored(self.turns)?,
        }
        Ok(self.messages)
    }
}

impl States {
    /// Takes a message out for good.
    fn remove(&mut self, key: MessageKey, message: &Message, now: Timestamp) {
        // Its group forgets it before it leaves its state, or the group would seem to have nothing
        // to give for a moment, and would lose its turn.
        if let Order::Fifo(groups) = &mut self.order {
            groups.gone(key, message.group().unwrap_or_default());
        }
        self.leave(key, message, now);
        if let Order::Standard(ready) = &mut self.order {
            ready.gone(message.group());
        }
    }

    /// Takes a message in, by the state that it is in.
    fn enter(&mut self, key: MessageKey, message: &Message, since: Timestamp, now: Timestamp) {
        match message.state() {
            MessageState::Delayed { until } => {
                self.delayed.insert((until, key));
            }
            MessageState::Visible => self.order.show(key, message.group()),
            MessageState::InFlight { until } => {
                self.in_flight.insert((until, key), since);
                self.order.received(message.group(), now);
            }
        }
    }

    /// Takes a message out, by the state that it is still in. Gives the time of the receive that
    /// holds it, if one does.
    fn leave(&mut self, key: MessageKey, message: &Message, now: Timestamp) -> Option<Timestamp> {
        match message.state() {
            MessageState::Delayed { until } => {
                self.delayed.remove(&(until, key));
                None
            }
            MessageState::Visible => {
                self.order.hide(key, message.group());
                None
            }
            MessageState::InFlight { until } => {
                let since = self.in_flight.remove(&(until, key));
                self.order.released(message.group(), now);
                since
            }
        }
    }
}

impl Order {
    /// A message was stored, in whatever state. Gives the name of its group as all messages of the
    /// group share it.
    fn sent(&mut self, key: MessageKey, group: Option<&str>, now: Timestamp) -> Option<Arc<str>> {
        match self {
            Self::Standard(ready) => Some(ready.sent(group?, now)),
            Self::Fifo(groups) => Some(groups.sent(key, group.unwrap_or_default())),
        }
    }

    fn show(&mut self, key: MessageKey, group: Option<&str>) {
        match self {
            Self::Standard(ready) => ready.add(key, group),
            Self::Fifo(groups) => groups.show(key, group.unwrap_or_default()),
        }
    }

    fn hide(&mut self, key: MessageKey, group: Option<&str>) {
        match self {
            Self::Standard(ready) => ready.remove(key, group),
            Self::Fifo(groups) => groups.hide(key, group.unwrap_or_default()),
        }
    }

    /// Puts the messages that a receive of at most `max` gets first, in order, at the end of
    /// `chosen`; ask again when those are in flight or gone. It is one message of a standard queue,
    /// which may judge the groups otherwise by then. Of a FIFO queue it is as many as there are,
    /// since the first of a group's messages in flight locks the others.
    fn choose(&mut self, max: usize, now: Timestamp, chosen: &mut Vec<MessageKey>) {
        match self {
            Self::Standard(_) if max == 0 => {}
            Self::Standard(ready) => chosen.extend(ready.next(now)),
            Self::Fifo(groups) => chosen.extend(groups.choose(max)),
        }
    }

    fn received(&mut self, group: Option<&str>, now: Timestamp) {
        match self {
            Self::Standard(ready) => ready.received(group, now),
            Self::Fifo(_) => {}
        }
    }

    fn released(&mut self, group: Option<&str>, now: Timestamp) {
        match self {
            Self::Standard(ready) => ready.released(group, now),
            Self::Fifo(_) => {}
        }
    }
}
