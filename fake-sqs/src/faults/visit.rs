//! Which faults a call meets.

use std::time::Duration;

use sqs::{BatchResultErrorEntry, Error, Message, Request};
use sqs_engine::{Directives, MessageId, ReceiveFault};

use super::book::{Entry, FaultId, Faults};
use super::rule::{Kind, Partial};
use super::selector::{Item, Meant, Subject, items};
use crate::driver::Driver;
use crate::http::limits::FAULT_TIME_MAX;
use crate::journal::FaultHit;
use crate::seed;

/// What a call met before it was performed.
#[derive(Default)]
pub(super) struct Met {
    /// In the order in which they were met.
    pub(super) hits: Vec<FaultHit>,
    pub(super) delay: Duration,
    /// Why it is not performed.
    pub(super) ending: Option<Ending>,
    /// What the engine is to do otherwise.
    pub(super) directives: Directives,
    /// Whether its answer is lost.
    pub(super) close_after: bool,
    pub(super) slow_body: Option<Duration>,
    receive: Option<ReceiveFault>,
    expires: bool,
    fails: bool,
}

/// How a call ends that is not performed.
pub(super) enum Ending {
    Close,
    Error(Error),
}

/// What a receive met that gave messages.
#[derive(Default)]
pub(super) struct MetAfter {
    pub(super) hits: Vec<FaultHit>,
    /// Messages that stay visible.
    pub(super) released: Vec<MessageId>,
    pub(super) close: bool,
    pub(super) slow_body: Option<Duration>,
}

/// A call that looks at the faults.
struct Visit<'a> {
    driver: &'a Driver,
    call: &'a Subject,
    items: Vec<Item<'a>>,
    seed: u64,
    met: Met,
}

impl Faults {
    /// What a call meets that is about to be performed.
    pub(super) fn meet(&self, driver: &Driver, call: &Subject, request: &Request) -> Met {
        self.look(|state| {
            let mut visit = Visit {
                driver,
                call,
                items: items(request),
                seed: state.seed,
                met: Met::default(),
            };
            // What ends a call comes first, so that a call that ends uses up nothing else.
            for (id, entry) in &mut state.entries {
                visit.meet_outside(*id, entry);
            }
            for (id, entry) in &mut state.entries {
                visit.meet_inside(*id, entry);
            }
            visit.met
        })
    }

    /// What a receive meets that has given these messages.
    pub(super) fn meet_given(
        &self,
        driver: &Driver,
        call: &Subject,
        messages: &[Message],
    ) -> MetAfter {
        let mut met = MetAfter::default();
        self.look(|state| {
            let seed = state.seed;
            for (id, entry) in &mut state.entries {
                let selector = &entry.rule.selector;
                if !selector.fits(call) {
                    continue;
                }
                let is_narrowed = selector.messages.is_some();
                let possible = match &entry.rule.kind {
                    Kind::Duplicate => !call.is_fifo(),
                    Kind::CloseAfter => is_narrowed && !met.close,
                    Kind::SlowBody(_) => is_narrowed && met.slow_body.is_none(),
                    Kind::Delay(_)
                    | Kind::Error(_)
                    | Kind::CloseBefore
                    | Kind::EmptyReceive
                    | Kind::Shuffle
                    | Kind::ExpireHandle
                    | Kind::BatchPartial(_) => false,
                };
                if !possible {
                    continue;
                }
                let fitting = driver.look(|inspect| {
                    let handle = |message: &Message| message.receipt_handle.clone();
                    let fits = |message: &&Message| {
                        let handle = handle(message).unwrap_or_default();
                        selector.fits_given(call, &handle, inspect)
                    };
                    messages.iter().filter(fits).collect::<Vec<_>>()
                });
                if fitting.is_empty() || !entry.hit(seed) {
                    continue;
                }
                met.hits
                    .push(FaultHit::new(*id, entry.rule.spec.fault.name()));
                match &entry.rule.kind {
                    Kind::SlowBody(over) => met.slow_body = Some(*over),
                    Kind::CloseAfter => met.close = true,
                    // Only a duplicate is left.
                    _ => met.released.extend(fitting.into_iter().filter_map(id_of)),
                }
            }
        });
        met
    }
}

impl Visit<'_> {
    /// What happens before the call is performed.
    fn meet_outside(&mut self, id: FaultId, entry: &mut Entry) {
        let met = &self.met;
        let possible = match &entry.rule.kind {
            Kind::Delay(_) => true,
            Kind::Error(_) | Kind::CloseBefore => met.ending.is_none(),
            Kind::CloseAfter
            | Kind::SlowBody(_)
            | Kind::EmptyReceive
            | Kind::Shuffle
            | Kind::Duplicate
            | Kind::ExpireHandle
            | Kind::BatchPartial(_) => false,
        };
        if !possible || !self.is_hit(id, entry) {
            return;
        }
        let met = &mut self.met;
        match &entry.rule.kind {
            Kind::Delay(by) => met.delay = met.delay.saturating_add(*by).min(FAULT_TIME_MAX),
            Kind::Error(error) => met.ending = Some(Ending::Error(error.clone())),
            _ => met.ending = Some(Ending::Close),
        }
    }

    /// What happens while the call is performed, and to its answer.
    fn meet_inside(&mut self, id: FaultId, entry: &mut Entry) {
        let met = &self.met;
        let is_performed = met.ending.is_none();
        let possible = match &entry.rule.kind {
            Kind::SlowBody(_) => {
                met.slow_body.is_none() && !matches!(met.ending, Some(Ending::Close))
            }
            Kind::CloseAfter => is_performed && !met.close_after,
            Kind::EmptyReceive => is_performed && met.receive.is_none(),
            Kind::Shuffle => is_performed && met.receive.is_none() && self.can_be_shuffled(),
            Kind::ExpireHandle => is_performed && !met.expires,
            Kind::BatchPartial(_) => is_performed && !met.fails,
            Kind::Delay(_) | Kind::Error(_) | Kind::CloseBefore | Kind::Duplicate => false,
        };
        if !possible || !self.is_hit(id, entry) {
            return;
        }
        match &entry.rule.kind {
            Kind::SlowBody(over) => self.met.slow_body = Some(*over),
            Kind::CloseAfter => self.met.close_after = true,
            Kind::EmptyReceive => self.receive(ReceiveFault::Empty),
            Kind::Shuffle => {
                let seed = entry.drawn(self.seed);
                self.receive(ReceiveFault::Shuffled { seed });
            }
            Kind::ExpireHandle => self.expire(entry),
            Kind::BatchPartial(partial) => self.fail(entry, partial),
            Kind::Delay(_) | Kind::Error(_) | Kind::CloseBefore | Kind::Duplicate => {}
        }
    }

    /// Whether a fault happens to this call, which is then counted.
    fn is_hit(&mut self, id: FaultId, entry: &mut Entry) -> bool {
        if entry.is_spent() {
            return false;
        }
        let rule = &entry.rule;
        let may = rule.kind.actions();
        let fits = rule.selector.fits(self.call)
            && may.is_none_or(|actions| actions.contains(&self.call.operation))
            && match (&rule.selector.messages, &rule.kind) {
                (None, Kind::ExpireHandle | Kind::BatchPartial(_)) => !self.items.is_empty(),
                (None, _) => true,
                (Some(_), _) => !self.fitting(entry).is_empty(),
            };
        let hit = fits && entry.hit(self.seed);
        if hit {
            let kind = entry.rule.spec.fault.name();
            self.met.hits.push(FaultHit::new(id, kind));
        }
        hit
    }

    /// The messages that it is about and that the fault is for.
    fn fitting(&self, entry: &Entry) -> Vec<&Item<'_>> {
        let selector = &entry.rule.selector;
        if selector.messages.is_none() {
            return self.items.iter().collect();
        }
        self.driver.look(|inspect| {
            let fits = |item: &&Item<'_>| selector.fits_message(self.call, item, inspect);
            self.items.iter().filter(fits).collect()
        })
    }

    /// Whether there is an order that could be another.
    fn can_be_shuffled(&self) -> bool {
        let Some(queue) = self.call.queue.as_ref().filter(|_| !self.call.is_fifo()) else {
            return false;
        };
        self.driver.look(|inspect| {
            let found = inspect.queue(&queue.account, &queue.region, &queue.name);
            found.is_some_and(|queue| queue.counts().visible > 1)
        })
    }

    fn receive(&mut self, fault: ReceiveFault) {
        self.met.receive = Some(fault);
        let directives = std::mem::take(&mut self.met.directives);
        self.met.directives = directives.receiving(fault);
    }

    fn expire(&mut self, entry: &Entry) {
        let mut directives = std::mem::take(&mut self.met.directives);
        for item in self.fitting(entry) {
            if let Meant::Held { handle } = item.message {
                directives = directives.expiring(handle);
            }
        }
        self.met.expires = true;
        self.met.directives = directives;
    }

    fn fail(&mut self, entry: &Entry, partial: &Partial) {
        let mut directives = std::mem::take(&mut self.met.directives);
        let fitting = self.fitting(entry);
        let mut ids: Vec<_> = fitting.iter().filter_map(|item| item.entry).collect();
        let (seed, count) = (entry.drawn(self.seed), share_of(ids.len(), partial.share));
        ids.sort_by_cached_key(|id| seed::drawn(seed, id.bytes().map(u64::from)));
        for id in ids.into_iter().take(count) {
            directives = directives.failing_entry(BatchResultErrorEntry {
                id: id.to_owned(),
                sender_fault: partial.sender_fault,
                code: partial.code.to_owned(),
                message: Some(partial.message.clone()),
            });
        }
        self.met.fails = true;
        self.met.directives = directives;
    }
}

fn id_of(message: &Message) -> Option<MessageId> {
    message.message_id.as_deref()?.parse().ok()
}

/// This share of so many, rounded, and one at least.
fn share_of(all: usize, share: f64) -> usize {
    let exact = share * u32::try_from(all).map_or(f64::MAX, f64::from);
    let mut counted = 1_u32;
    while f64::from(counted) + 0.5 <= exact {
        counted += 1;
    }
    usize::try_from(counted).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_and_is_one_at_least() {
        for (all, share, count) in [
            (10, 0.3, 3),
            (10, 0.04, 1),
            (10, 1.0, 10),
            (3, 0.5, 2),
            (2, 0.5, 1),
            (1, 0.1, 1),
            (5, 0.29, 1),
        ] {
            assert_eq!(share_of(all, share), count, "{share} of {all}");
        }
    }
}
