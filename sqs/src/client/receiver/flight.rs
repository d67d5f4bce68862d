//! The messages that a receiver holds: when each is extended, and whose turn it is in a group.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::mem;
use std::time::Duration;

use tokio::time::Instant;

use super::event::BoxError;
use super::queue::Received;
use super::{Order, Settings};
use crate::attributes::MessageSystemAttributeName;
use crate::limits::{BATCH_ENTRIES, VISIBILITY_TIMEOUT};
use crate::shapes::receive::Message;

/// Names a message while it is held. The order is that of their receives.
pub(super) type Key = u64;

/// The messages that are held.
pub(super) struct Flight {
    held: HashMap<Key, Held>,
    next_key: Key,
    /// How many of them are waiting for their turn or being handled.
    active: usize,
    /// When to extend which; those that an extension is under way for are not in it.
    renewals: BTreeSet<(Instant, Key)>,
    /// For each group of which a message is being handled, those that wait for it.
    groups: HashMap<String, VecDeque<Key>>,
    visibility_seconds: u32,
    order: Order,
}

struct Held {
    received: Instant,
    /// When it is visible again unless it is extended.
    lapses: Instant,
    receipt_handle: String,
    message_id: Option<String>,
    group: Option<String>,
    /// None once its turn has come.
    waiting: Option<Received>,
    renewal: Renewal,
    /// It is only to be deleted or to be made visible again.
    is_settled: bool,
}

enum Renewal {
    /// It is in `renewals` at this time.
    At(Instant),
    /// It is being extended.
    UnderWay,
    /// It is being extended, and to be made visible after so many seconds as soon as that is done:
    /// the two must not overtake each other.
    Release(u32),
    /// It is extended no more.
    Over,
}

/// What to do with a message whose turn has come.
pub(super) enum Turn {
    Handle(Message),
    Damaged(BoxError),
    /// It is visible again, and no longer ours.
    Lapsed,
}

impl Flight {
    pub(super) fn new(settings: &Settings) -> Flight {
        Flight {
            held: HashMap::new(),
            next_key: 0,
            active: 0,
            renewals: BTreeSet::new(),
            groups: HashMap::new(),
            visibility_seconds: settings.visibility_seconds,
            order: settings.order,
        }
    }

    /// How many are waiting for their turn or being handled.
    pub(super) fn active(&self) -> usize {
        self.active
    }

    /// How many are only to be deleted or to be made visible again.
    pub(super) fn settling(&self) -> usize {
        self.held.len() - self.active
    }

    /// Holds a message.
    pub(super) fn admit(&mut self, received: Received, now: Instant) -> Key {
        let key = self.next_key;
        self.next_key += 1;
        self.active += 1;
        let message = &received.0;
        let group = match self.order {
            Order::Any => None,
            Order::Groups => message
                .attributes
                .get(MessageSystemAttributeName::MessageGroupId.name())
                .cloned(),
        };
        let renew_at = now + self.visibility() / 3;
        self.renewals.insert((renew_at, key));
        self.held.insert(
            key,
            Held {
                received: now,
                lapses: now + self.visibility(),
                receipt_handle: message.receipt_handle.clone().unwrap_or_default(),
                message_id: message.message_id.clone(),
                group,
                waiting: Some(received),
                renewal: Renewal::At(renew_at),
                is_settled: false,
            },
        );
        key
    }

    /// Puts a message into its group. Gives whether its turn is now.
    pub(super) fn enter(&mut self, key: Key) -> bool {
        let Some(group) = self.held.get(&key).and_then(|held| held.group.clone()) else {
            return true;
        };
        match self.groups.entry(group) {
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push_back(key);
                false
            }
            Entry::Vacant(free) => {
                free.insert(VecDeque::new());
                true
            }
        }
    }

    /// Takes a message that has its turn.
    pub(super) fn turn(&mut self, key: Key, now: Instant) -> Turn {
        let Some(held) = self.held.get_mut(&key) else {
            return Turn::Lapsed;
        };
        match held.waiting.take() {
            Some((_, Some(damage))) => Turn::Damaged(damage),
            Some((message, None)) if now < held.lapses => Turn::Handle(message),
            Some((_, None)) | None => Turn::Lapsed,
        }
    }

    /// A message is done with, but for what SQS is yet to be told.
    pub(super) fn settle(&mut self, key: Key) {
        self.active -= 1;
        let Some(held) = self.held.get_mut(&key) else {
            return;
        };
        held.waiting = None;
        held.is_settled = true;
        match held.renewal {
            Renewal::At(at) => {
                self.renewals.remove(&(at, key));
                held.renewal = Renewal::Over;
            }
            Renewal::UnderWay | Renewal::Release(_) | Renewal::Over => {}
        }
    }

    /// Who has the turn in a group after this message, which is done.
    pub(super) fn next_in_group(&mut self, key: Key) -> Option<Key> {
        let group = self.held.get(&key)?.group.as_ref()?;
        let next = self.groups.get_mut(group)?.pop_front();
        if next.is_none() {
            self.groups.remove(group);
        }
        next
    }

    /// All that wait behind a message, which now wait no longer.
    pub(super) fn rest_of_group(&mut self, key: Key) -> VecDeque<Key> {
        let group = self.held.get(&key).and_then(|held| held.group.as_ref());
        let rest = group.and_then(|group| self.groups.remove(group));
        rest.unwrap_or_default()
    }

    /// All that wait in any group, which now wait no longer.
    pub(super) fn all_waiting(&mut self) -> Vec<Key> {
        let groups = self.groups.values_mut();
        let mut keys: Vec<Key> = groups.flat_map(mem::take).collect();
        keys.sort_unstable();
        keys
    }

    /// Stops holding a message.
    pub(super) fn remove(&mut self, key: Key) {
        self.held.remove(&key);
    }

    pub(super) fn receipt_handle(&self, key: Key) -> String {
        let held = self.held.get(&key);
        held.map(|held| held.receipt_handle.clone())
            .unwrap_or_default()
    }

    pub(super) fn message_id(&self, key: Key) -> Option<&str> {
        self.held.get(&key)?.message_id.as_deref()
    }

    /// Whether a message that is to be visible after so many seconds can be made so now. If not, it
    /// will be told by [`extended`](Self::extended).
    pub(super) fn may_release(&mut self, key: Key, seconds: u32) -> bool {
        let Some(held) = self.held.get_mut(&key) else {
            return false;
        };
        match held.renewal {
            Renewal::UnderWay | Renewal::Release(_) => {
                held.renewal = Renewal::Release(seconds);
                false
            }
            Renewal::At(_) | Renewal::Over => true,
        }
    }

    /// How many seconds a message can be hidden for from now on, at most so many: all of them
    /// together, since its receive, may be 12 hours.
    pub(super) fn hidden_for(&self, key: Key, seconds: u32, now: Instant) -> u32 {
        let Some(held) = self.held.get(&key) else {
            return 0;
        };
        let passed = now.saturating_duration_since(held.received).as_secs() + MARGIN_SECONDS;
        let left = u64::from(VISIBILITY_TIMEOUT.max()).saturating_sub(passed);
        seconds.min(u32::try_from(left).unwrap_or(u32::MAX))
    }

    /// When the next message is to be extended.
    pub(super) fn next_renewal(&self) -> Option<Instant> {
        Some(self.renewals.first()?.0)
    }

    /// A batch of messages to extend now, with the seconds of each; empty if none is due. One that
    /// is due soon goes with one that is due now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<(Key, u32)> {
        let mut batch = Vec::new();
        if self.next_renewal().is_none_or(|at| at > now) {
            return batch;
        }
        let soon = now + self.visibility() / 6;
        while BATCH_ENTRIES.contains(batch.len() + 1)
            && let Some((_, key)) = self.renewals.first().copied().filter(|it| it.0 <= soon)
        {
            self.renewals.pop_first();
            let seconds = self.hidden_for(key, self.visibility_seconds, now);
            if let Some(held) = self.held.get_mut(&key) {
                if seconds == 0 {
                    held.renewal = Renewal::Over;
                    continue;
                }
                held.renewal = Renewal::UnderWay;
                batch.push((key, seconds));
            }
        }
        batch
    }

    /// What follows an extension: it holds from `sent` on, if it succeeded, or it can be tried
    /// again, or not. Gives the seconds after which the message is to be visible, if that was
    /// decided meanwhile.
    pub(super) fn extended(&mut self, key: Key, sent: Instant, extended: Extended) -> Option<u32> {
        let third = self.visibility() / 3;
        // What was asked for then: less than the whole time when the 12 hours are nearly over.
        let seconds = self.hidden_for(key, self.visibility_seconds, sent);
        let held = self.held.get_mut(&key)?;
        if let Renewal::Release(seconds) = held.renewal {
            held.renewal = Renewal::Over;
            return Some(seconds);
        }
        if let Extended::Yes = extended {
            held.lapses = sent + Duration::from_secs(seconds.into());
        }
        let at = match extended {
            Extended::Yes => Some(sent + third),
            Extended::TryAgain(now) => Some(now + third / 2),
            Extended::Never => None,
        };
        // What is only to be deleted is not extended again.
        held.renewal = match at.filter(|_| !held.is_settled) {
            Some(at) => {
                self.renewals.insert((at, key));
                Renewal::At(at)
            }
            None => Renewal::Over,
        };
        None
    }

    /// How long a message is hidden at a time.
    pub(super) fn visibility(&self) -> Duration {
        Duration::from_secs(self.visibility_seconds.into())
    }
}

/// How an extension went.
#[derive(Clone, Copy)]
pub(super) enum Extended {
    Yes,
    /// No; it is now, and a later one may succeed.
    TryAgain(Instant),
    /// SQS does not extend this message any more.
    Never,
}

/// How long before the 12 hours end no more is asked for: clocks and the way to SQS differ.
const MARGIN_SECONDS: u64 = 5;

#[cfg(test)]
mod tests {
    use super::super::clock;
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(30);

    /// Holds one message that waits for its turn, since now.
    fn holding() -> (Flight, Key, Instant) {
        let mut flight = Flight::new(&Settings::of("http://127.0.0.1/000000000000/orders"));
        assert_eq!(flight.visibility(), TIMEOUT);
        let now = clock::now();
        let key = flight.admit((Message::default(), None), now);
        (flight, key, now)
    }

    fn is_handled(mut flight: Flight, key: Key, at: Instant) -> bool {
        matches!(flight.turn(key, at), Turn::Handle(_))
    }

    #[test]
    fn a_message_is_handled_until_the_moment_at_which_it_is_visible_again() {
        let last = Duration::from_millis(1);
        let (flight, key, now) = holding();
        assert!(is_handled(flight, key, now + TIMEOUT - last));
        let (flight, key, now) = holding();
        assert!(!is_handled(flight, key, now + TIMEOUT));
    }

    #[test]
    fn an_extension_counts_from_when_it_was_sent_and_only_if_it_succeeded() {
        let extend = |extended: Extended, at: Duration| {
            let (mut flight, key, now) = holding();
            let sent = now + TIMEOUT / 3;
            assert_eq!(flight.due(sent), [(key, 30)]);
            assert_eq!(flight.extended(key, sent, extended), None);
            is_handled(flight, key, sent + at)
        };
        let last = TIMEOUT - Duration::from_millis(1);
        assert!(extend(Extended::Yes, last));
        assert!(!extend(Extended::Yes, TIMEOUT));
        assert!(!extend(Extended::Never, TIMEOUT * 2 / 3));
    }

    #[test]
    fn the_last_extension_before_twelve_hours_is_as_short_as_what_it_asked_for() {
        let (mut flight, key, now) = holding();
        let sent = now + Duration::from_secs(u64::from(VISIBILITY_TIMEOUT.max()) - 15);
        assert_eq!(flight.due(sent), [(key, 10)]);
        assert_eq!(flight.extended(key, sent, Extended::Yes), None);
        assert!(!is_handled(flight, key, sent + Duration::from_secs(10)));
    }
}
