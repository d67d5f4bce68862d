//! Which queues send their dead letters to which.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use sqs::QueueArn;

use crate::directory::QueueName;
use crate::queue::Queue;

/// The names of the queues that have a redrive policy, by its target, which need not be there any more. A target is in
/// the account and region of its sources.
#[derive(Debug, Default)]
pub(crate) struct Sources(BTreeSet<(QueueArn, Arc<str>)>);

impl Sources {
    /// Notes a queue as it is now.
    pub(crate) fn add(&mut self, queue: &Queue) {
        self.0.extend(entry(queue));
    }

    /// Forgets a queue, before it changes or goes.
    pub(crate) fn remove(&mut self, queue: &Queue) {
        if let Some(entry) = entry(queue) {
            self.0.remove(&entry);
        }
    }

    /// The names of the queues whose target this one is, after `place`.
    pub(crate) fn of(&self, target: &QueueName, place: Option<&str>) -> impl Iterator<Item = &str> {
        let target = QueueArn::new(&*target.region, &*target.account, &*target.name);
        let start = match place {
            Some(place) => Bound::Excluded((target.clone(), place.into())),
            None => Bound::Included((target.clone(), "".into())),
        };
        self.0
            .range((start, Bound::Unbounded))
            .take_while(move |(to, _)| *to == target)
            .map(|(_, name)| &**name)
    }
}

fn entry(queue: &Queue) -> Option<(QueueArn, Arc<str>)> {
    let target = &queue.attributes.redrive()?.target;
    let QueueName {
        account,
        region,
        name,
    } = &queue.name;
    let is_near = target.account() == &**account && target.region() == &**region;
    is_near.then(|| (target.clone(), Arc::clone(name)))
}
