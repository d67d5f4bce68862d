//! The messages of one queue, with an index for each way in which they are looked for.
//!
//! Every message is in `stored` and in exactly one of `delayed`, `ready` and `in_flight`. Each
//! operation is logarithmic in the number of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

use crate::id::MessageKey;
use crate::queue::message::{Message, MessageState};
use crate::queue::standard::Ready;
use crate::time::Timestamp;

/// How many messages of a queue are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// What comes of a delivery.
#[derive(Default)]
pub(crate) struct Delivery {
    /// In order.
    pub(crate) given: Vec<MessageKey>,
    /// What was received too often to be given once more. It is in the store no more.
    pub(crate) exhausted: Vec<(MessageKey, Box<Message>)>,
}

/// The store.
#[derive(Default)]
pub(crate) struct Messages {
    /// By key, which is the order in which their retention ends.
    stored: BTreeMap<MessageKey, Box<Message>>,
    states: States,
    arrivals: u64,
}

/// The messages of each state.
#[derive(Default)]
struct States {
    delayed: BTreeSet<(Timestamp, MessageKey)>,
    ready: Ready,
    in_flight: BTreeSet<(Timestamp, MessageKey)>,
}

impl Messages {
    /// Stores a message whose retention runs from `enqueued_at`.
    pub(crate) fn add(
        &mut self,
        message: impl Into<Box<Message>>,
        enqueued_at: Timestamp,
        now: Timestamp,
    ) {
        let message = message.into();
        let key = MessageKey {
            enqueued_at,
            arrival: self.arrivals,
        };
        self.arrivals += 1;
        self.states.ready.sent(message.group(), now);
        self.states.enter(key, &message, now);
        self.stored.insert(key, message);
    }

    pub(crate) fn get(&self, key: MessageKey) -> Option<&Message> {
        self.stored.get(&key).map(AsRef::as_ref)
    }

    /// Takes a message out, in whatever state it is.
    pub(crate) fn remove(&mut self, key: MessageKey, now: Timestamp) -> Option<Box<Message>> {
        let message = self.stored.remove(&key)?;
        self.states.leave(key, &message, now);
        self.states.ready.gone(message.group());
        Some(message)
    }

    pub(crate) fn clear(&mut self) {
        // The arrivals go on: the handles of purged messages must not fit later ones.
        *self = Self {
            arrivals: self.arrivals,
            ..Self::default()
        };
    }

    /// Delivers up to `max` messages, hiding each for `timeout`; zero leaves them visible. Those
    /// that it comes upon which were received `limit` times or more since they are here are taken
    /// out instead.
    pub(crate) fn deliver(
        &mut self,
        max: usize,
        timeout: Duration,
        limit: Option<u32>,
        now: Timestamp,
    ) -> Delivery {
        let mut delivery = Delivery::default();
        let until = now.after(timeout);
        while delivery.given.len() < max
            && let Some(key) = self.states.ready.next(now)
            && let Some(message) = self.stored.get_mut(&key)
        {
            if limit.is_some_and(|limit| message.received_here() >= limit) {
                let exhausted = self.remove(key, now).map(|message| (key, message));
                delivery.exhausted.extend(exhausted);
                continue;
            }
            message.count_delivery(now);
            self.change(key, MessageState::InFlight { until }, now);
            delivery.given.push(key);
        }
        // Not before all are chosen, or one of them would be chosen again.
        if timeout.is_zero() {
            for key in &delivery.given {
                self.change(*key, MessageState::Visible, now);
            }
        }
        delivery
    }

    /// Hides a message for `timeout` from now on; zero makes it visible.
    pub(crate) fn hide(&mut self, key: MessageKey, timeout: Duration, now: Timestamp) {
        let state = if timeout.is_zero() {
            MessageState::Visible
        } else {
            MessageState::InFlight {
                until: now.after(timeout),
            }
        };
        self.change(key, state, now);
    }

    /// Makes visible what was delayed or hidden until now.
    pub(crate) fn wake(&mut self, now: Timestamp) {
        while let Some((due, key)) = self.first_due()
            && due <= now
        {
            self.change(key, MessageState::Visible, now);
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
        Counts {
            visible: self.states.ready.len(),
            delayed: self.states.delayed.len(),
            in_flight: self.states.in_flight.len(),
        }
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

    fn first_due(&self) -> Option<(Timestamp, MessageKey)> {
        let delayed = self.states.delayed.first();
        let in_flight = self.states.in_flight.first();
        delayed.into_iter().chain(in_flight).min().copied()
    }

    fn change(&mut self, key: MessageKey, state: MessageState, now: Timestamp) {
        let Some(message) = self.stored.get_mut(&key) else {
            return;
        };
        self.states.leave(key, message, now);
        message.set_state(state);
        self.states.enter(key, message, now);
    }
}

impl States {
    /// Takes a message in, by the state that it is in.
    fn enter(&mut self, key: MessageKey, message: &Message, now: Timestamp) {
        match message.state() {
            MessageState::Delayed { until } => {
                self.delayed.insert((until, key));
            }
            MessageState::Visible => self.ready.add(key, message.group()),
            MessageState::InFlight { until } => {
                self.in_flight.insert((until, key));
                self.ready.received(message.group(), now);
            }
        }
    }

    /// Takes a message out, by the state that it is still in.
    fn leave(&mut self, key: MessageKey, message: &Message, now: Timestamp) {
        match message.state() {
            MessageState::Delayed { until } => {
                self.delayed.remove(&(until, key));
            }
            MessageState::Visible => self.ready.remove(key, message.group()),
            MessageState::InFlight { until } => {
                self.in_flight.remove(&(until, key));
                self.ready.released(message.group(), now);
            }
        }
    }
}
