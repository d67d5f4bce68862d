//! Fair queues: whose messages a standard queue offers first when groups share it.
//!
//! A group of a standard queue is a tenant, and a message without a group is a tenant by itself. A
//! tenant that takes more than its share of the receivers is noisy, and its messages are offered
//! after those of all others. Nothing is locked and nothing else changes.
//! ([How fair queues work][page])
//!
//! A group is judged when its turn to be offered comes. It is then noisy if
//!
//! * at least 30 of its messages are in flight and they are more than 10 % of all in flight, or
//! * its recent share of the time that messages are in flight is more than 10 %,
//!
//! and it stays so until no message of it waits, or until it was sent nothing for five minutes; nor
//! does it become noisy while it was sent nothing for so long, or the end would be none. Among noisy
//! groups the one with the fewest messages in flight comes first.
//!
//! AWS does not say what recent is. Here it is the present period of five minutes and the one before
//! it. Nor does AWS say how little of that time is too little to be judged by: here a share counts
//! from 30 seconds of one message in flight on, so that a short test sees the oldest message first.
//! A group of which no message is left is forgotten.
//!
//! [page]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqs::limits;

use crate::id::MessageKey;
use crate::queue::message::MessageState;
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// The groups of a queue that have messages. A queue without groups keeps nothing here.
#[derive(Debug, Default)]
pub(super) struct Tenants {
    by_name: BTreeMap<Arc<str>, Tenant>,
    /// Of each group with visible messages, where it stands. The first is offered first.
    turns: BTreeMap<Turn, Arc<str>>,
    /// When each noisy group will have been sent nothing for so long that it is quiet.
    noisy_until: BTreeSet<(Timestamp, Arc<str>)>,
}

/// Where a group stands among the others: the quiet ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    Quiet { oldest: MessageKey },
    Noisy { in_flight: u64, oldest: MessageKey },
}

#[derive(Debug)]
struct Tenant {
    name: Arc<str>,
    visible: BTreeSet<MessageKey>,
    /// In whatever state.
    messages: usize,
    processing: Processing,
    last_sent: Timestamp,
    conduct: Conduct,
}

/// What of a group does not follow from its messages, for a snapshot.
#[derive(Serialize, Deserialize)]
pub(crate) struct TenantImage {
    name: Arc<str>,
    processing: Processing,
    last_sent: Timestamp,
    conduct: Conduct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Conduct {
    Quiet,
    Noisy,
}

impl Tenants {
    /// A message of a group was sent here. Gives the name of the group as all its messages share it.
    pub(super) fn sent(&mut self, group: &str, now: Timestamp) -> Arc<str> {
        let name = match self.by_name.get(group) {
            Some(tenant) => Arc::clone(&tenant.name),
            None => Arc::from(group),
        };
        self.by_name
            .entry(Arc::clone(&name))
            .or_insert_with_key(|name| Tenant::new(Arc::clone(name), now));
        // Or a send would hide that there was none for so long.
        self.calm(now);
        self.update(group, |tenant| {
            tenant.messages += 1;
            tenant.last_sent = now;
        });
        name
    }

    /// A message of a group has gone, after it left the state in which it was.
    pub(super) fn gone(&mut self, group: &str) {
        self.update(group, |tenant| tenant.messages -= 1);
        if self
            .by_name
            .get(group)
            .is_some_and(|tenant| tenant.messages == 0)
        {
            self.by_name.remove(group);
        }
    }

    pub(super) fn show(&mut self, group: &str, key: MessageKey) {
        self.update(group, |tenant| {
            tenant.visible.insert(key);
        });
    }

    pub(super) fn hide(&mut self, group: &str, key: MessageKey) {
        self.update(group, |tenant| {
            tenant.visible.remove(&key);
            if tenant.visible.is_empty() {
                tenant.conduct = Conduct::Quiet;
            }
        });
    }

    pub(super) fn received(&mut self, group: &str, now: Timestamp) {
        self.update(group, |tenant| tenant.processing.begin(now));
    }

    pub(super) fn released(&mut self, group: &str, now: Timestamp) {
        self.update(group, |tenant| tenant.processing.end(now));
    }

    /// The group whose turn it is. `all` is the processing of the whole queue.
    pub(super) fn first_turn(&self) -> Option<Turn> {
        self.turns.first_key_value().map(|(turn, _)| *turn)
    }

    /// Judges the group whose turn it is, which was quiet. It may lose its turn by that.
    pub(super) fn judge_first(&mut self, all: &mut Processing, now: Timestamp) {
        let Some(name) = self.turns.first_entry().map(|entry| entry.get().clone()) else {
            return;
        };
        self.update(&name, |tenant| tenant.judge(all, now));
    }

    /// Calls those groups quiet that have been sent nothing for long enough.
    pub(super) fn calm(&mut self, now: Timestamp) {
        while let Some((until, name)) = self.noisy_until.first()
            && *until <= now
        {
            let name = name.clone();
            self.update(&name, |tenant| tenant.conduct = Conduct::Quiet);
        }
    }

    pub(super) fn image(&self) -> Vec<TenantImage> {
        let image = |tenant: &Tenant| TenantImage {
            name: Arc::clone(&tenant.name),
            processing: tenant.processing.clone(),
            last_sent: tenant.last_sent,
            conduct: tenant.conduct,
        };
        self.by_name.values().map(image).collect()
    }

    pub(super) fn restore(images: Vec<TenantImage>) -> Self {
        let tenant = |image: TenantImage| {
            let tenant = Tenant {
                processing: image.processing,
                conduct: image.conduct,
                ..Tenant::new(Arc::clone(&image.name), image.last_sent)
            };
            (image.name, tenant)
        };
        Self {
            by_name: images.into_iter().map(tenant).collect(),
            turns: BTreeMap::new(),
            noisy_until: BTreeSet::new(),
        }
    }

    pub(super) fn put_back(
        &mut self,
        key: MessageKey,
        group: &str,
        state: MessageState,
    ) -> Result<Arc<str>, Contradiction> {
        let tenant = self.by_name.get_mut(group);
        let tenant = tenant.ok_or("a message is of a group that is not there")?;
        tenant.messages += 1;
        match state {
            MessageState::Visible => drop(tenant.visible.insert(key)),
            MessageState::InFlight { .. } | MessageState::Delayed { .. } => {}
        }
        Ok(Arc::clone(&tenant.name))
    }

    pub(super) fn restored(&mut self) -> Result<(), Contradiction> {
        for (name, tenant) in &self.by_name {
            if tenant.messages == 0 {
                return Err("a group has no messages");
            }
            if let Some(turn) = tenant.turn() {
                self.turns.insert(turn, Arc::clone(name));
            }
            if let Some(until) = tenant.noisy_until() {
                self.noisy_until.insert((until, Arc::clone(name)));
            }
        }
        Ok(())
    }

    /// Changes a group, and what follows from it.
    fn update(&mut self, group: &str, change: impl FnOnce(&mut Tenant)) {
        let Some(tenant) = self.by_name.get_mut(group) else {
            return;
        };
        let (turn, noisy_until) = (tenant.turn(), tenant.noisy_until());
        change(tenant);
        if turn != tenant.turn() {
            if let Some(turn) = turn {
                self.turns.remove(&turn);
            }
            if let Some(turn) = tenant.turn() {
                self.turns.insert(turn, tenant.name.clone());
            }
        }
        if noisy_until != tenant.noisy_until() {
            if let Some(until) = noisy_until {
                self.noisy_until.remove(&(until, tenant.name.clone()));
            }
            if let Some(until) = tenant.noisy_until() {
                self.noisy_until.insert((until, tenant.name.clone()));
            }
        }
    }
}

impl Tenant {
    fn new(name: Arc<str>, now: Timestamp) -> Self {
        Self {
            name,
            visible: BTreeSet::new(),
            messages: 0,
            processing: Processing::default(),
            last_sent: now,
            conduct: Conduct::Quiet,
        }
    }

    fn turn(&self) -> Option<Turn> {
        let oldest = *self.visible.first()?;
        Some(match self.conduct {
            Conduct::Quiet => Turn::Quiet { oldest },
            Conduct::Noisy => Turn::Noisy {
                in_flight: self.processing.in_flight,
                oldest,
            },
        })
    }

    fn noisy_until(&self) -> Option<Timestamp> {
        (self.conduct == Conduct::Noisy).then(|| self.quiet_from())
    }

    /// When it will have been sent nothing for so long that it is quiet.
    fn quiet_from(&self) -> Timestamp {
        self.last_sent.after(CALM)
    }

    fn judge(&mut self, all: &mut Processing, now: Timestamp) {
        let exceeds = |share: u64, all: u64| share * 100 > all * SHARE_PERCENT;
        let (in_flight, of_all) = (self.processing.in_flight, all.in_flight);
        let (recent, recent_of_all) = (self.processing.recent(now), all.recent(now));
        let many = in_flight >= MANY_IN_FLIGHT && exceeds(in_flight, of_all);
        let long = recent >= LONG && exceeds(recent, recent_of_all);
        if now < self.quiet_from() && (many || long) {
            self.conduct = Conduct::Noisy;
        }
    }
}

/// How many messages are in flight, and how much time messages have recently spent there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Processing {
    in_flight: u64,
    /// Up to when the times are counted.
    counted_to: Timestamp,
    /// In milliseconds of one message, in the period of `counted_to` and in the one before it.
    present: u64,
    before: u64,
}

impl Default for Processing {
    fn default() -> Self {
        Self {
            in_flight: 0,
            counted_to: Timestamp::MIN,
            present: 0,
            before: 0,
        }
    }
}

impl Processing {
    pub(super) fn begin(&mut self, now: Timestamp) {
        self.count(now);
        self.in_flight += 1;
    }

    pub(super) fn end(&mut self, now: Timestamp) {
        self.count(now);
        self.in_flight -= 1;
    }

    /// So many messages are in flight after all.
    pub(super) fn check(&self, in_flight: usize) -> Result<(), Contradiction> {
        if usize::try_from(self.in_flight) == Ok(in_flight) {
            Ok(())
        } else {
            Err("another number of messages is in flight")
        }
    }

    /// In milliseconds of one message.
    fn recent(&mut self, now: Timestamp) -> u64 {
        self.count(now);
        self.before + self.present
    }

    /// Counts the time up to `now`, in which as many were in flight as there are.
    fn count(&mut self, now: Timestamp) {
        let (last, period) = (period(self.counted_to), period(now));
        let start = Timestamp::from_millis(period.saturating_mul(PERIOD_MILLIS));
        if last != period {
            self.before = if last + 1 == period {
                self.present + self.spent(self.counted_to, start)
            } else {
                self.in_flight * PERIOD_MILLIS.unsigned_abs()
            };
            self.present = 0;
        }
        self.present += self.spent(self.counted_to.max(start), now);
        self.counted_to = now;
    }

    /// At most a period lies between the two.
    fn spent(&self, from: Timestamp, to: Timestamp) -> u64 {
        let millis = u64::try_from(to.since(from).as_millis()).unwrap_or(u64::MAX);
        self.in_flight.saturating_mul(millis)
    }
}

/// Which period a time is in.
fn period(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(PERIOD_MILLIS)
}

const MANY_IN_FLIGHT: u64 = limits::NOISY_GROUP_IN_FLIGHT as u64;
const SHARE_PERCENT: u64 = limits::NOISY_GROUP_PERCENT as u64;
const CALM: Duration = Duration::from_secs(limits::NOISY_GROUP_SECONDS as u64);
/// Of what AWS calls recent; see the top of this file.
const PERIOD_MILLIS: i64 = 300_000;
/// The least time that a share is judged by, in milliseconds of one message.
const LONG: u64 = 30_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1_000)
    }

    fn recent_seconds(processing: &mut Processing, second: i64) -> u64 {
        processing.recent(at(second)) / 1_000
    }

    #[test]
    fn recent_time_is_that_of_this_period_and_the_one_before() {
        let mut processing = Processing::default();
        processing.begin(at(100));
        assert_eq!(recent_seconds(&mut processing, 160), 60);
        processing.begin(at(200));
        assert_eq!(recent_seconds(&mut processing, 300), 100 + 200);
        assert_eq!(recent_seconds(&mut processing, 310), 300 + 20);
        processing.end(at(320));
        processing.end(at(330));
        assert_eq!(recent_seconds(&mut processing, 599), 300 + 50);
        assert_eq!(recent_seconds(&mut processing, 600), 50);
        assert_eq!(recent_seconds(&mut processing, 899), 50);
        assert_eq!(recent_seconds(&mut processing, 900), 0);
    }

    #[test]
    fn time_is_counted_over_any_number_of_periods() {
        let mut processing = Processing::default();
        processing.begin(at(0));
        processing.begin(at(0));
        assert_eq!(recent_seconds(&mut processing, 10_000), 2 * (300 + 100));
        let mut often = Processing::default();
        often.begin(at(0));
        often.begin(at(0));
        for second in 0..10_000 {
            often.count(at(second));
        }
        assert_eq!(recent_seconds(&mut often, 10_000), 2 * (300 + 100));
    }

    #[test]
    fn the_ends_of_time_do_no_harm() {
        let mut processing = Processing::default();
        processing.begin(Timestamp::MIN);
        processing.begin(Timestamp::MAX);
        assert!(processing.recent(Timestamp::MAX) <= 2 * 300_000);
    }
}
