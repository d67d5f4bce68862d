//! The faults of one server.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::rule::{FaultError, Rule};
use super::spec::FaultSpec;
use crate::AccountId;
use crate::changes::Changes;
use crate::http::limits::FAULTS_MAX;
use crate::seed::{self, Seed};

/// What a fault is called. No two faults of a server have the same, also not across a reset.
pub(crate) type FaultId = u64;

/// All faults that there are.
pub(crate) struct Faults {
    changes: Arc<Changes>,
    seed: Seed,
    /// Those that the server begins with, also after a reset.
    declared: Vec<Rule>,
    /// How many there are: nearly always none, which a call sees without taking the lock.
    count: AtomicUsize,
    state: Mutex<State>,
}

/// What the lock is for.
pub(super) struct State {
    /// What everything drawn follows from.
    pub(super) seed: u64,
    next_id: FaultId,
    /// How many were made since the reset. With the seed it decides what a fault draws, so that a
    /// reset makes the same faults draw the same again.
    made: u64,
    /// In the order in which they were made.
    pub(super) entries: BTreeMap<FaultId, Entry>,
}

/// One fault, and what became of it.
pub(super) struct Entry {
    pub(super) rule: Rule,
    number: u64,
    /// How many calls it fitted.
    fitted: u64,
    /// How many of them it hit.
    hits: Arc<AtomicU64>,
}

/// A fault as it is listed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Listed {
    id: FaultId,
    #[serde(flatten)]
    spec: FaultSpec,
    hits: u64,
    /// How many calls it will still hit; `None` if there is no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u64>,
}

impl Faults {
    /// The faults that are declared, and no others yet.
    pub(crate) fn new(seed: Seed, declared: Vec<Rule>, changes: Arc<Changes>) -> Self {
        let state = State {
            seed: seed.value(),
            next_id: 1,
            made: 0,
            entries: BTreeMap::new(),
        };
        let faults = Self {
            changes,
            seed,
            declared,
            count: AtomicUsize::new(0),
            state: Mutex::new(state),
        };
        faults.declare(&mut faults.lock());
        faults
    }

    /// Adds a fault. Gives its id and the counter of its hits.
    ///
    /// # Errors
    ///
    /// [`FaultError`] when there are too many.
    pub(crate) fn add(&self, rule: Rule) -> Result<(FaultId, Arc<AtomicU64>), FaultError> {
        let mut state = self.lock();
        if state.entries.len() >= FAULTS_MAX {
            return Err(FaultError::too_many(FAULTS_MAX));
        }
        let added = state.add(rule);
        self.note(&state);
        Ok(added)
    }

    /// Removes a fault. Gives whether it was there.
    pub(crate) fn remove(&self, id: FaultId) -> bool {
        let mut state = self.lock();
        let removed = state.entries.remove(&id).is_some();
        self.note(&state);
        removed
    }

    /// Removes all of them.
    pub(crate) fn clear(&self) {
        let mut state = self.lock();
        state.entries.clear();
        self.note(&state);
    }

    /// Begins anew, with those that are declared.
    pub(crate) fn reset(&self) {
        let mut state = self.lock();
        state.entries.clear();
        state.made = 0;
        state.seed = self.seed.value();
        self.declare(&mut state);
    }

    /// Removes those that are for this account only.
    pub(crate) fn reset_account(&self, account: AccountId) {
        let mut state = self.lock();
        let is_other = |entry: &Entry| entry.rule.selector.account != Some(account);
        state.entries.retain(|_, entry| is_other(entry));
        self.note(&state);
    }

    /// All of them, in the order in which they were made.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let state = self.lock();
        let entries = state.entries.iter();
        entries.map(|(id, entry)| entry.listed(*id)).collect()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Lets a call look at them.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.lock())
    }

    /// Tells whoever shows them that calls were hit.
    pub(super) fn tell(&self) {
        self.changes.tell();
    }

    fn declare(&self, state: &mut State) {
        for rule in &self.declared {
            state.add(rule.clone());
        }
        self.note(state);
    }

    fn note(&self, state: &State) {
        self.count.store(state.entries.len(), Ordering::Relaxed);
        self.changes.tell();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that is done under the lock stops half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, rule: Rule) -> (FaultId, Arc<AtomicU64>) {
        let id = self.next_id;
        self.next_id += 1;
        self.made += 1;
        let hits = Arc::new(AtomicU64::new(0));
        let entry = Entry {
            rule,
            number: self.made,
            fitted: 0,
            hits: Arc::clone(&hits),
        };
        self.entries.insert(id, entry);
        (id, hits)
    }
}

impl Entry {
    /// Whether it has hit as many calls as it was to.
    pub(super) fn is_spent(&self) -> bool {
        self.remaining() == Some(0)
    }

    /// A call fits that it could happen to. Gives whether it does, which is then counted.
    pub(super) fn hit(&mut self, seed: u64) -> bool {
        if self.is_spent() {
            return false;
        }
        self.fitted += 1;
        let share = self.rule.spec.share;
        let drawn = || seed::fraction(seed::drawn(seed, [self.number, self.fitted]));
        if share.is_some_and(|share| drawn() >= share) {
            return false;
        }
        self.hits.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// A number that follows from the seed and from which hit this is.
    pub(super) fn drawn(&self, seed: u64) -> u64 {
        seed::drawn(seed, [!self.number, self.hits()])
    }

    fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    fn remaining(&self) -> Option<u64> {
        let times = self.rule.spec.times?;
        Some(times.saturating_sub(self.hits()))
    }

    fn listed(&self, id: FaultId) -> Listed {
        Listed {
            id,
            spec: self.rule.spec.clone(),
            hits: self.hits(),
            remaining: self.remaining(),
        }
    }
}
