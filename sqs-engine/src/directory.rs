//! Which queue a name means: names live under an account and a region.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqs::{QueueArn, partition};

use crate::command::QueueAddress;
use crate::id::QueueId;
use crate::inspect::QueueFilter;
use crate::snapshot::{Deletion, Holds};
use crate::time::Timestamp;

/// The names of all queues, and for a while those of deleted ones.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// By account, then by region. Those without a name are dropped: anybody may make up regions.
    realms: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Realm>>,
    /// The deletions of all realms, oldest first, so that they can be forgotten in that order.
    deletions: VecDeque<(Timestamp, QueueName)>,
}

/// The names of one account in one region.
#[derive(Debug, Default)]
struct Realm {
    queues: BTreeMap<Arc<str>, QueueId>,
    deleted: BTreeMap<Arc<str>, Timestamp>,
}

/// A queue's full name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QueueName {
    pub(crate) account: Arc<str>,
    pub(crate) region: Arc<str>,
    pub(crate) name: Arc<str>,
}

impl Directory {
    pub(crate) fn find(&self, account: &str, region: &str, name: &str) -> Option<QueueId> {
        self.realm(account, region)?.queues.get(name).copied()
    }

    /// The queue that an ARN names, if there is one.
    pub(crate) fn find_arn(&self, arn: &QueueArn) -> Option<QueueId> {
        let id = self.find(arn.account(), arn.region(), arn.name());
        id.filter(|_| arn.partition() == partition(arn.region()))
    }

    /// Names a new queue. The account and region are shared with the other queues there.
    pub(crate) fn insert(
        &mut self,
        account: &str,
        region: &str,
        name: &str,
        id: QueueId,
    ) -> QueueName {
        let account = shared_key(&self.realms, account);
        let regions = self.realms.entry(Arc::clone(&account)).or_default();
        let region = shared_key(regions, region);
        let realm = regions.entry(Arc::clone(&region)).or_default();
        let name: Arc<str> = name.into();
        realm.queues.insert(Arc::clone(&name), id);
        QueueName {
            account,
            region,
            name,
        }
    }

    pub(crate) fn remove(&mut self, queue: &QueueName) {
        self.update(queue, |realm| {
            realm.queues.remove(&queue.name);
        });
    }

    /// Remembers that a queue was deleted at `now`, and forgets deletions that are `keep` old.
    pub(crate) fn remember_deletion(&mut self, queue: QueueName, now: Timestamp, keep: Duration) {
        self.update(&queue, |realm| {
            realm.deleted.insert(Arc::clone(&queue.name), now);
        });
        self.deletions.push_back((now, queue));
        while let Some((at, _)) = self.deletions.front()
            && now.since(*at) >= keep
            && let Some((at, old)) = self.deletions.pop_front()
        {
            self.update(&old, |realm| {
                // A later deletion of the same name has its own entry further back.
                if realm.deleted.get(&old.name) == Some(&at) {
                    realm.deleted.remove(&old.name);
                }
            });
        }
    }

    /// When the queue of that name was last deleted, if that is remembered.
    pub(crate) fn deleted_at(&self, account: &str, region: &str, name: &str) -> Option<Timestamp> {
        self.realm(account, region)?.deleted.get(name).copied()
    }

    /// Forgets that a queue of that name was deleted.
    pub(crate) fn forget_deletion(&mut self, account: &str, region: &str, name: &str) {
        if self.deleted_at(account, region, name).is_none() {
            return;
        }
        let queue = QueueName {
            account: account.into(),
            region: region.into(),
            name: name.into(),
        };
        self.update(&queue, |realm| {
            realm.deleted.remove(name);
        });
    }

    /// The queues whose names begin with `prefix`, in the order of their names' bytes, after `place`.
    pub(crate) fn list<'a>(
        &'a self,
        account: &str,
        region: &str,
        prefix: &'a str,
        place: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, QueueId)> {
        let realm = self.realm(account, region).into_iter();
        realm.flat_map(move |realm| realm.list(prefix, place))
    }

    /// The queues that a filter lets through, by account, region and name; those after one.
    pub(crate) fn page<'a>(
        &'a self,
        filter: QueueFilter<'a>,
        after: Option<&'a QueueAddress>,
    ) -> impl Iterator<Item = QueueId> {
        let at_account = after.map(|after| after.account.as_str());
        let accounts = range_from(&self.realms, filter.account, at_account);
        accounts
            .flat_map(move |(account, regions)| {
                let after = after.filter(|after| *after.account == **account);
                let at_region = after.map(|after| after.region.as_str());
                let regions = range_from(regions, filter.region, at_region);
                regions.flat_map(move |(region, realm)| {
                    let after = after.filter(|after| *after.region == **region);
                    realm.list(filter.prefix, after.map(|after| after.name.as_str()))
                })
            })
            .map(|(_, id)| id)
    }

    /// Every queue, by account, region and name.
    pub(crate) fn all(&self) -> impl Iterator<Item = QueueId> {
        self.realms
            .values()
            .flat_map(BTreeMap::values)
            .flat_map(|realm| realm.queues.values().copied())
    }

    /// The queues of one account, in all regions.
    pub(crate) fn of_account(&self, account: &str) -> impl Iterator<Item = QueueId> {
        self.realms
            .get(account)
            .into_iter()
            .flat_map(BTreeMap::values)
            .flat_map(|realm| realm.queues.values().copied())
    }

    /// The queues of one name, wherever they are, by account and region.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = QueueId> {
        self.realms
            .values()
            .flat_map(BTreeMap::values)
            .filter_map(move |realm| realm.queues.get(name).copied())
    }

    /// Forgets an account: its queues' names and its deletions.
    pub(crate) fn remove_account(&mut self, account: &str) {
        self.realms.remove(account);
    }

    /// The deletions that are remembered, for a snapshot.
    pub(crate) fn deletions(&self) -> impl Iterator<Item = Deletion> {
        self.deletions.iter().map(|(at, queue)| {
            let latest = self.deleted_at(&queue.account, &queue.region, &queue.name);
            Deletion {
                at: *at,
                queue: queue.clone(),
                holds: if latest == Some(*at) {
                    Holds::Name
                } else {
                    Holds::Nothing
                },
            }
        })
    }

    /// What a snapshot has of them.
    pub(crate) fn restore_deletions(&mut self, deletions: Vec<Deletion>) {
        for Deletion { at, queue, holds } in deletions {
            if holds == Holds::Name {
                self.update(&queue, |realm| {
                    realm.deleted.insert(Arc::clone(&queue.name), at);
                });
            }
            self.deletions.push_back((at, queue));
        }
    }

    fn realm(&self, account: &str, region: &str) -> Option<&Realm> {
        self.realms.get(account)?.get(region)
    }

    /// Changes the realm of a queue, which is there before and after only if it has names.
    fn update(&mut self, queue: &QueueName, change: impl FnOnce(&mut Realm)) {
        let account = Arc::clone(&queue.account);
        let mut regions = match self.realms.entry(account) {
            Entry::Occupied(regions) => regions,
            Entry::Vacant(place) => place.insert_entry(BTreeMap::new()),
        };
        let realms = regions.get_mut();
        let realm = realms.entry(Arc::clone(&queue.region)).or_default();
        change(realm);
        if realm.queues.is_empty() && realm.deleted.is_empty() {
            realms.remove(&queue.region);
        }
        if realms.is_empty() {
            regions.remove();
        }
    }
}

impl Realm {
    /// The queues whose names begin with `prefix`, in the order of their names' bytes, after `place`.
    fn list<'a>(
        &'a self,
        prefix: &'a str,
        place: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, QueueId)> {
        let from = match place {
            Some(place) if place >= prefix => Bound::Excluded(place),
            Some(_) | None => Bound::Included(prefix),
        };
        self.queues
            .range::<str, _>((from, Bound::Unbounded))
            .map(|(name, id)| (name.as_ref(), *id))
            .take_while(move |(name, _)| name.starts_with(prefix))
    }
}

impl QueueName {
    /// The queue's ARN.
    pub(crate) fn arn(&self) -> String {
        QueueArn::new(&*self.region, &*self.account, &*self.name).to_string()
    }

    /// Whether this is the queue that an ARN names.
    pub(crate) fn is_meant_by(&self, arn: &QueueArn) -> bool {
        arn.name() == &*self.name
            && arn.account() == &*self.account
            && arn.region() == &*self.region
            && arn.partition() == partition(arn.region())
    }
}

/// The entries of a map from a key on; if there is an `only`, that one alone, unless it is before.
fn range_from<'a, V>(
    map: &'a BTreeMap<Arc<str>, V>,
    only: Option<&'a str>,
    from: Option<&'a str>,
) -> impl Iterator<Item = (&'a Arc<str>, &'a V)> {
    let start = match (only, from) {
        (Some(only), Some(from)) => Bound::Included(only.max(from)),
        (Some(key), None) | (None, Some(key)) => Bound::Included(key),
        (None, None) => Bound::Unbounded,
    };
    map.range::<str, _>((start, Bound::Unbounded))
        .take_while(move |(key, _)| only.is_none_or(|only| ***key == *only))
}

/// The key that the map already shares, or a new one.
fn shared_key<V>(map: &BTreeMap<Arc<str>, V>, key: &str) -> Arc<str> {
    map.get_key_value(key)
        .map_or_else(|| key.into(), |(shared, _)| Arc::clone(shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Directory, prefix: &str, place: Option<&str>) -> Vec<String> {
        directory
            .list("1", "eu", prefix, place)
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    #[test]
    fn lists_by_prefix_and_place() {
        let mut directory = Directory::default();
        for (id, name) in ["b", "a2", "a1", "a3", "c"].into_iter().enumerate() {
            directory.insert("1", "eu", name, QueueId(id as u64));
        }
        directory.insert("1", "us", "a4", QueueId(9));
        directory.insert("2", "eu", "a5", QueueId(10));
        assert_eq!(names(&directory, "", None), ["a1", "a2", "a3", "b", "c"]);
        assert_eq!(names(&directory, "a", None), ["a1", "a2", "a3"]);
        assert_eq!(names(&directory, "a", Some("a1")), ["a2", "a3"]);
        assert_eq!(names(&directory, "b", Some("a1")), ["b"]);
        assert_eq!(names(&directory, "a", Some("c")), [""; 0]);
        assert_eq!(directory.all().count(), 7);
        assert_eq!(directory.of_account("1").count(), 6);
        directory.insert("2", "us", "a5", QueueId(11));
        let named: Vec<_> = directory.named("a5").collect();
        assert_eq!(named, [QueueId(10), QueueId(11)]);
        assert_eq!(directory.named("a").count(), 0);
    }

    #[test]
    fn deletions_are_forgotten_once_they_are_old() {
        let mut directory = Directory::default();
        let at = Timestamp::from_millis;
        let mut delete = |queue: &QueueName, now, keep| {
            directory.remove(queue);
            directory.remember_deletion(queue.clone(), at(now), Duration::from_millis(keep));
            directory.deleted_at("1", "eu", "a")
        };
        let [a, b] = ["a", "b"].map(|name| QueueName {
            account: "1".into(),
            region: "eu".into(),
            name: name.into(),
        });
        assert_eq!(delete(&a, 10, 30), Some(at(10)));
        assert_eq!(delete(&a, 20, 5), Some(at(20)), "the later one stays");
        assert_eq!(delete(&b, 99, 50), None);
        assert_eq!(directory.deleted_at("1", "eu", "b"), Some(at(99)));
    }

    #[test]
    fn nothing_is_left_of_regions_and_accounts_without_names() {
        let mut directory = Directory::default();
        let (at, keep) = (Timestamp::from_millis, Duration::from_millis(60));
        for number in 0..100_usize {
            let (account, region) = (format!("{}", number % 7), format!("r{number}"));
            let queue = directory.insert(&account, &region, "q", QueueId(0));
            directory.remove(&queue);
            assert_eq!(directory.realms.len(), usize::min(number, 7));
            directory.remember_deletion(queue, at(0), keep);
        }
        assert_eq!(directory.realms.len(), 7);
        directory.remove_account("3");
        let last = directory.insert("x", "eu", "q", QueueId(0));
        directory.remove(&last);
        directory.remember_deletion(last, at(60), keep);
        assert_eq!(directory.realms.len(), 1, "the last deletion's");
        assert_eq!(directory.deletions.len(), 1);
    }
}
