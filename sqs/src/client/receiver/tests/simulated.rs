//! A queue in memory, by tokio's clock.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::super::clock;
use super::super::queue::{Queue, Received};
use crate::client::{EntryError, Error};
use crate::shapes::message::BatchResultErrorEntry;
use crate::shapes::receive::Message;

/// How long every call takes.
pub(super) const LATENCY: Duration = Duration::from_millis(5);

#[derive(Clone)]
pub(super) struct SimulatedQueue(Arc<Mutex<State>>);

pub(super) struct State {
    pub(super) stored: Vec<Stored>,
    pub(super) visibility: Duration,
    pub(super) wait: Duration,
    /// How many receives are to fail.
    pub(super) fail_receives: u32,
    /// When each receive began.
    pub(super) receives: Vec<Instant>,
    /// How many entries each deletion had.
    pub(super) deletions: Vec<usize>,
    /// The entries of each change, as body and seconds.
    pub(super) changes: Vec<Vec<(String, u32)>>,
    /// What happens to changes.
    pub(super) on_change: OnChange,
    /// How long a deletion takes.
    pub(super) deletion_time: Duration,
    /// Whether deletions fail.
    pub(super) refuse_deletions: bool,
    /// The most messages that were in flight at once.
    pub(super) most_in_flight: usize,
    /// How often a receive that waits looks.
    pub(super) step: Duration,
}

#[derive(Clone, Copy)]
pub(super) enum OnChange {
    Work,
    /// Fail so many more times by a fault of the service.
    Fail(u32),
    Refuse,
    /// Take so long.
    Slow(Duration),
}

#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) body: String,
    pub(super) group: Option<String>,
    pub(super) visible: Instant,
    pub(super) receives: u32,
    pub(super) is_deleted: bool,
    pub(super) damage: Option<&'static str>,
}

impl SimulatedQueue {
    pub(super) fn new(visibility: Duration) -> SimulatedQueue {
        SimulatedQueue(Arc::new(Mutex::new(State {
            stored: Vec::new(),
            visibility,
            wait: Duration::from_secs(20),
            fail_receives: 0,
            receives: Vec::new(),
            deletions: Vec::new(),
            changes: Vec::new(),
            on_change: OnChange::Work,
            deletion_time: LATENCY,
            refuse_deletions: false,
            most_in_flight: 0,
            step: LATENCY,
        })))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while it looks")
    }

    pub(super) fn put(&self, body: impl Into<String>) {
        self.put_in(body, None);
    }

    pub(super) fn put_in(&self, body: impl Into<String>, group: Option<&str>) {
        self.state().stored.push(Stored {
            body: body.into(),
            group: group.map(str::to_owned),
            visible: clock::now(),
            receives: 0,
            is_deleted: false,
            damage: None,
        });
    }

    /// The bodies that are not deleted.
    pub(super) fn left(&self) -> Vec<String> {
        let state = self.state();
        let left = state.stored.iter().filter(|it| !it.is_deleted);
        left.map(|it| it.body.clone()).collect()
    }

    /// How often a message was received.
    pub(super) fn receives(&self, body: &str) -> u32 {
        self.find(body).receives
    }

    /// How long until a message is visible.
    pub(super) fn hidden_for(&self, body: &str) -> Duration {
        let visible = self.find(body).visible;
        visible.saturating_duration_since(clock::now())
    }

    fn find(&self, body: &str) -> Stored {
        let state = self.state();
        let found = state.stored.iter().find(|it| it.body == body);
        found.expect("a message").clone()
    }
}

impl State {
    /// Gives up to `max` messages, of a group only if none of it is in flight.
    fn take(&mut self, max: usize, now: Instant) -> Vec<Received> {
        let locked: Vec<_> = self
            .stored
            .iter()
            .filter(|it| !it.is_deleted && it.visible > now)
            .filter_map(|it| it.group.clone())
            .collect();
        let mut taken = Vec::new();
        for (index, it) in self.stored.iter_mut().enumerate() {
            let is_locked = it.group.as_ref().is_some_and(|it| locked.contains(it));
            if taken.len() == max || it.is_deleted || it.visible > now || is_locked {
                continue;
            }
            it.visible = now + self.visibility;
            it.receives += 1;
            let message = Message {
                message_id: Some(it.body.clone()),
                receipt_handle: Some(format!("{index}.{}", it.receives)),
                body: Some(it.body.clone()),
                attributes: it
                    .group
                    .iter()
                    .map(|group| ("MessageGroupId".to_owned(), group.clone()))
                    .collect(),
                ..Message::default()
            };
            taken.push((message, it.damage.map(Into::into)));
        }
        let in_flight = self
            .stored
            .iter()
            .filter(|it| !it.is_deleted && it.visible > now);
        self.most_in_flight = self.most_in_flight.max(in_flight.count());
        taken
    }

    /// The message of a handle. Only its latest receive counts.
    fn of(&mut self, handle: &str) -> Option<&mut Stored> {
        let (index, receive) = handle.split_once('.').expect("one of ours");
        let index: usize = index.parse().expect("a number");
        let stored = &mut self.stored[index];
        (stored.receives.to_string() == receive && !stored.is_deleted).then_some(stored)
    }
}

fn refused(sender_fault: bool) -> EntryError {
    EntryError::Refused(BatchResultErrorEntry {
        code: "Refused".to_owned(),
        sender_fault,
        ..BatchResultErrorEntry::default()
    })
}

impl Queue for SimulatedQueue {
    async fn receive(&self, max: usize) -> Result<Vec<Received>, Error> {
        let began = clock::now();
        {
            let mut state = self.state();
            state.receives.push(began);
            assert!((1..=10).contains(&max), "{max} messages asked for");
            if state.fail_receives > 0 {
                state.fail_receives -= 1;
                return Err(Error::rejected("the queue is out of order"));
            }
        }
        let step = self.state().step;
        loop {
            tokio::time::sleep(step).await;
            let now = clock::now();
            let mut state = self.state();
            let taken = state.take(max, now);
            if !taken.is_empty() || now >= began + state.wait {
                return Ok(taken);
            }
        }
    }

    async fn delete(&self, handles: Vec<String>) -> Vec<Result<(), EntryError>> {
        let time = self.state().deletion_time;
        tokio::time::sleep(time).await;
        let mut state = self.state();
        state.deletions.push(handles.len());
        if state.refuse_deletions {
            return handles.iter().map(|_| Err(refused(false))).collect();
        }
        for handle in &handles {
            if let Some(stored) = state.of(handle) {
                stored.is_deleted = true;
            }
        }
        handles.iter().map(|_| Ok(())).collect()
    }

    async fn change_visibility(&self, changes: Vec<(String, u32)>) -> Vec<Result<(), EntryError>> {
        let on_change = self.state().on_change;
        let latency = match on_change {
            OnChange::Slow(latency) => latency,
            OnChange::Work | OnChange::Fail(_) | OnChange::Refuse => LATENCY,
        };
        tokio::time::sleep(latency).await;
        let now = clock::now();
        let mut state = self.state();
        let mut told = Vec::new();
        for (handle, seconds) in &changes {
            let body = state.of(handle).map(|it| it.body.clone());
            told.push((body.unwrap_or_default(), *seconds));
        }
        state.changes.push(told);
        match on_change {
            OnChange::Work | OnChange::Slow(_) => {}
            OnChange::Fail(0) => state.on_change = OnChange::Work,
            OnChange::Fail(left) => {
                state.on_change = OnChange::Fail(left - 1);
                return changes.iter().map(|_| Err(refused(false))).collect();
            }
            OnChange::Refuse => return changes.iter().map(|_| Err(refused(true))).collect(),
        }
        for (handle, seconds) in &changes {
            if let Some(stored) = state.of(handle) {
                stored.visible = now + Duration::from_secs((*seconds).into());
            }
        }
        changes.iter().map(|_| Ok(())).collect()
    }
}
