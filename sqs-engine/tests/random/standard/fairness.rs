//! Which message of a standard queue is given next when groups share it.
//!
//! Everything is counted anew each time. Times are milliseconds.

use std::collections::{BTreeMap, BTreeSet};

use super::reference::Message;

#[derive(Default)]
pub(crate) struct Tenants {
    /// The time that messages spent in flight, with and without a group.
    all: Vec<Stretch>,
    groups: BTreeMap<&'static str, Tenant>,
    /// For what groups have become noisy.
    pub(crate) noise: BTreeSet<&'static str>,
}

struct Tenant {
    spent: Vec<Stretch>,
    last_sent: i64,
    is_noisy: bool,
}

/// That one message was in flight.
#[derive(Clone, Copy)]
struct Stretch {
    from: i64,
    to: i64,
}

const FIVE_MINUTES: i64 = 300_000;

impl Tenants {
    pub(crate) fn sent(&mut self, group: &'static str, now: i64) {
        self.calm(now);
        let tenant = self.groups.entry(group).or_insert(Tenant {
            spent: Vec::new(),
            last_sent: now,
            is_noisy: false,
        });
        tenant.last_sent = now;
    }

    /// Time passes in which nothing happens.
    pub(crate) fn pass(&mut self, messages: &[Message], from: i64, to: i64) {
        // Only to keep the lists short.
        self.all.retain(|stretch| stretch.to > first_recent(from));
        for tenant in self.groups.values_mut() {
            tenant
                .spent
                .retain(|stretch| stretch.to > first_recent(from));
        }
        for message in messages.iter().filter(|message| message.is_in_flight(from)) {
            self.all.push(Stretch { from, to });
            if let Some(group) = message.group {
                let tenant = self.groups.get_mut(group).expect("a group with messages");
                tenant.spent.push(Stretch { from, to });
            }
        }
    }

    /// Messages are gone, or have been hidden or shown.
    pub(crate) fn review(&mut self, messages: &[Message], now: i64) {
        self.groups.retain(|group, _| {
            let mut groups = messages.iter().map(|message| message.group);
            groups.any(|other| other == Some(group))
        });
        self.given(messages, &[], now);
    }

    /// A group is quiet of which nothing waits besides what is taken.
    pub(crate) fn given(&mut self, messages: &[Message], taken: &[usize], now: i64) {
        for (group, tenant) in &mut self.groups {
            let waiting = waiting(messages, taken, now);
            let mut groups = waiting.map(|(_, message)| message.group);
            tenant.is_noisy &= groups.any(|other| other == Some(group));
        }
    }

    /// The index of the message that comes after those taken.
    pub(crate) fn next(
        &mut self,
        messages: &[Message],
        taken: &[usize],
        now: i64,
    ) -> Option<usize> {
        self.calm(now);
        let count = |group: Option<&str>| {
            let mut of_group = messages.iter().enumerate().map(|(index, message)| {
                let held = message.is_in_flight(now) || taken.contains(&index);
                i64::from(held && (group.is_none() || message.group == group))
            });
            of_group.by_ref().sum::<i64>()
        };
        loop {
            let quiet = waiting(messages, taken, now).find(|(_, message)| {
                !message
                    .group
                    .is_some_and(|group| self.groups[group].is_noisy)
            });
            let Some((index, message)) = quiet else {
                break;
            };
            let Some(group) = message.group else {
                return Some(index);
            };
            let tenant = &self.groups[group];
            let (in_flight, of_all) = (count(Some(group)), count(None));
            let (recent, recent_of_all) = (recent(&tenant.spent, now), recent(&self.all, now));
            let many = in_flight >= 30 && in_flight * 10 > of_all;
            let long = recent >= 30_000 && recent * 10 > recent_of_all;
            if tenant.last_sent + FIVE_MINUTES <= now || !(many || long) {
                return Some(index);
            }
            self.groups.get_mut(group).expect("a group").is_noisy = true;
            let why = if many {
                "noisy by number"
            } else {
                "noisy by time"
            };
            self.noise.insert(why);
        }
        waiting(messages, taken, now)
            .min_by_key(|(index, message)| (count(message.group), *index))
            .map(|(index, _)| index)
    }

    fn calm(&mut self, now: i64) {
        for tenant in self.groups.values_mut() {
            tenant.is_noisy &= now < tenant.last_sent + FIVE_MINUTES;
        }
    }
}

fn waiting<'a>(
    messages: &'a [Message],
    taken: &'a [usize],
    now: i64,
) -> impl Iterator<Item = (usize, &'a Message)> {
    let all = messages.iter().enumerate();
    all.filter(move |(index, message)| message.visible_from <= now && !taken.contains(index))
}

/// The time that was spent recently.
fn recent(spent: &[Stretch], now: i64) -> i64 {
    let start = first_recent(now);
    let within = |stretch: &Stretch| (stretch.to - stretch.from.max(start)).max(0);
    spent.iter().map(within).sum()
}

/// When the five minutes before the present five began.
fn first_recent(now: i64) -> i64 {
    (now.div_euclid(FIVE_MINUTES) - 1) * FIVE_MINUTES
}
