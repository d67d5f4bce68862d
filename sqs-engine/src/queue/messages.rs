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

/// The store.
#[derive(Default)]
pub(crate) struct Messages {
    /// By key, which is the order in which their retention ends.
    stored: BTreeMap<MessageKey, Box<Message>>,
    delayed: BTreeSet<(Timestamp, MessageKey)>,
    ready: Ready,
    in_flight: BTreeSet<(Timestamp, MessageKey)>,
    arrivals: u64,
}

impl Messages {
    /// Stores a message whose retention runs from `enqueued_at`.
    pub(crate) fn add(&mut self, message: impl Into<Box<Message>>, enqueued_at: Timestamp) {
        let message = message.into();
        let key = MessageKey {
            enqueued_at,
            arrival: self.arrivals,
        };
        self.arrivals += 1;
        self.enter(key, message.state());
        self.stored.insert(key, message);
    }

    pub(crate) fn get(&self, key: MessageKey) -> Option<&Message> {
        self.stored.get(&key).map(AsRef::as_ref)
    }

    /// Takes a message out, in whatever state it is.
    pub(crate) fn remove(&mut self, key: MessageKey) -> Option<Box<Message>> {
        let message = self.stored.remove(&key)?;
        self.leave(key, message.state());
        Some(message)
    }

    pub(crate) fn clear(&mut self) {
        // The arrivals go on: the handles of purged messages must not fit later ones.
        *self = Self {
            arrivals: self.arrivals,
            ..Self::default()
        };
    }

    /// Delivers up to `max` messages, hiding each for `timeout`; zero leaves them visible.
    pub(crate) fn deliver(
        &mut self,
        max: usize,
        timeout: Duration,
        now: Timestamp,
    ) -> Vec<MessageKey> {
        let chosen = self.ready.choose(max);
        for key in &chosen {
            if let Some(message) = self.stored.get_mut(key) {
                message.count_delivery(now);
            }
            self.hide(*key, timeout, now);
        }
        chosen
    }

    /// Takes out the messages that stand between a receive of at most `max` messages and the ones
    /// it may have: those received `limit` times or more since they are here.
    pub(crate) fn take_exhausted(
        &mut self,
        max: usize,
        limit: u32,
    ) -> Vec<(MessageKey, Box<Message>)> {
        let mut taken = Vec::new();
        loop {
            let before = taken.len();
            for key in self.ready.choose(max) {
                let exhausted = |message: &&Message| message.received_here() >= limit;
                if self.get(key).filter(exhausted).is_some() {
                    taken.extend(self.remove(key).map(|message| (key, message)));
                }
            }
            if taken.len() == before {
                return taken;
            }
        }
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
        self.change(key, state);
    }

    /// Makes visible what was delayed or hidden until now.
    pub(crate) fn wake(&mut self, now: Timestamp) {
        while let Some((due, key)) = self.first_due()
            && due <= now
        {
            self.change(key, MessageState::Visible);
        }
    }

    /// Drops the messages that have been here for `retention` or longer, in whatever state.
    pub(crate) fn expire(&mut self, retention: Duration, now: Timestamp) {
        while let Some((&key, _)) = self.stored.first_key_value()
            && key.enqueued_at.after(retention) <= now
        {
            self.remove(key);
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

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            visible: self.ready.len(),
            delayed: self.delayed.len(),
            in_flight: self.in_flight.len(),
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
        let delayed = self.delayed.first();
        let in_flight = self.in_flight.first();
        delayed.into_iter().chain(in_flight).min().copied()
    }

    fn change(&mut self, key: MessageKey, state: MessageState) {
        let Some(message) = self.stored.get_mut(&key) else {
            return;
        };
        let before = message.state();
        message.set_state(state);
        self.leave(key, before);
        self.enter(key, state);
    }

    fn enter(&mut self, key: MessageKey, state: MessageState) {
        match state {
            MessageState::Delayed { until } => {
                self.delayed.insert((until, key));
            }
            MessageState::Visible => self.ready.add(key),
            MessageState::InFlight { until } => {
                self.in_flight.insert((until, key));
            }
        }
    }

    fn leave(&mut self, key: MessageKey, state: MessageState) {
        match state {
            MessageState::Delayed { until } => {
                self.delayed.remove(&(until, key));
            }
            MessageState::Visible => self.ready.remove(key),
            MessageState::InFlight { until } => {
                self.in_flight.remove(&(until, key));
            }
        }
    }
}
