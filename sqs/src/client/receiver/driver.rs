//! The loop of a receiver: one task that decides, and tasks that handle and call.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::clock;
use super::event::{Event, Failure};
use super::flight::{Extended, Flight, Key, Turn};
use super::outbox::Outbox;
use super::queue::{Queue, Received};
use super::stats::Counters;
use super::{BoxError, OnFailure, Settings, whole_seconds};
use crate::client::{EntryError, Error};
use crate::error::Fault;
use crate::limits::MAX_NUMBER_OF_MESSAGES;
use crate::shapes::receive::Message;

/// A handler, whatever its types.
pub(super) type Handler = Arc<dyn Fn(Message) -> Handling + Send + Sync>;
type Handling = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send>>;

/// Who is told of events.
pub(super) type Tell = Box<dyn Fn(&Event<'_>) + Send + Sync>;

pub(super) struct Driver<Q> {
    queue: Q,
    settings: Settings,
    handler: Handler,
    tell: Tell,
    counters: Arc<Counters>,
    phase: Phase,
    flight: Flight,
    handlers: JoinSet<Result<(), Failure>>,
    running: HashMap<Id, Key>,
    receives: JoinSet<Receive>,
    /// How many messages the receives under way may bring.
    asked: usize,
    /// No receive begins before.
    next_receive: Instant,
    /// How many receives failed in a row.
    failed_receives: u32,
    deletes: Outbox<Key>,
    releases: Outbox<(Key, u32)>,
    calls: JoinSet<Call>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Receiving,
    /// Handlers run on, until then.
    Stopping(Instant),
    /// Only what SQS is yet to be told, until then.
    Cut(Instant),
}

/// A receive that ended.
struct Receive {
    asked: usize,
    began: Instant,
    result: Result<Vec<Received>, Error>,
}

/// Another call that ended, with the messages it was for and the results of each.
struct Call {
    purpose: Purpose,
    keys: Vec<Key>,
    results: Vec<Result<(), EntryError>>,
}

#[derive(Clone, Copy)]
enum Purpose {
    Delete,
    Release,
    /// Sent at this time.
    Extend(Instant),
}

impl<Q: Queue> Driver<Q> {
    pub(super) fn new(
        queue: Q,
        settings: Settings,
        handler: Handler,
        tell: Tell,
        counters: Arc<Counters>,
    ) -> Driver<Q> {
        Driver {
            queue,
            flight: Flight::new(&settings),
            settings,
            handler,
            tell,
            counters,
            phase: Phase::Receiving,
            handlers: JoinSet::new(),
            running: HashMap::new(),
            receives: JoinSet::new(),
            asked: 0,
            next_receive: clock::now(),
            failed_receives: 0,
            deletes: Outbox::default(),
            releases: Outbox::default(),
            calls: JoinSet::new(),
        }
    }

    pub(super) async fn run_until(mut self, stop: impl Future) {
        let mut stop = pin!(stop);
        loop {
            self.launch(clock::now());
            if self.is_done(clock::now()) {
                return;
            }
            let wake = self.next_wake(clock::now());
            tokio::select! {
                biased;
                _ = &mut stop, if self.phase == Phase::Receiving => self.stop(),
                Some(receive) = self.receives.join_next() => self.receive_ended(receive),
                Some(call) = self.calls.join_next() => self.call_ended(call),
                Some(handled) = self.handlers.join_next_with_id() => self.handler_ended(handled),
                () = tokio::time::sleep_until(wake) => {}
            }
            // Whatever else is there by now is dealt with together.
            while let Some(handled) = self.handlers.try_join_next_with_id() {
                self.handler_ended(handled);
            }
            while let Some(call) = self.calls.try_join_next() {
                self.call_ended(call);
            }
            if matches!(self.phase, Phase::Stopping(until) if until <= clock::now()) {
                self.cut();
            }
        }
    }

    /// Begins what there is to do now.
    fn launch(&mut self, now: Instant) {
        while self.may_receive() && self.next_receive <= now {
            let free = self.settings.concurrency - self.flight.active() - self.asked;
            let asked = free.min(MAX_NUMBER_OF_MESSAGES.max() as usize);
            self.asked += asked;
            let queue = self.queue.clone();
            self.receives.spawn(async move {
                let result = queue.receive(asked).await;
                Receive {
                    asked,
                    began: now,
                    result,
                }
            });
        }
        loop {
            let due = self.flight.due(now);
            if due.is_empty() {
                break;
            }
            self.change_visibility(due, Purpose::Extend(now));
        }
        while let Some(keys) = self.deletes.take_batch(now, self.batch_delay()) {
            let handles = keys.iter().map(|key| self.flight.receipt_handle(*key));
            let (queue, handles) = (self.queue.clone(), handles.collect());
            self.calls.spawn(async move {
                let results = queue.delete(handles).await;
                let purpose = Purpose::Delete;
                Call {
                    purpose,
                    keys,
                    results,
                }
            });
        }
        while self.may_release()
            && let Some(changes) = self.releases.take_batch(now, Duration::ZERO)
        {
            self.change_visibility(changes, Purpose::Release);
        }
    }

    fn change_visibility(&mut self, changes: Vec<(Key, u32)>, purpose: Purpose) {
        let keys = changes.iter().map(|(key, _)| *key).collect();
        let changes = changes
            .into_iter()
            .map(|(key, seconds)| (self.flight.receipt_handle(key), seconds))
            .collect();
        let queue = self.queue.clone();
        self.calls.spawn(async move {
            let results = queue.change_visibility(changes).await;
            Call {
                purpose,
                keys,
                results,
            }
        });
    }

    /// How long a deletion waits for others.
    fn batch_delay(&self) -> Duration {
        match self.phase {
            // What waits is extended no more, and has a third of its time left.
            Phase::Receiving => self.settings.batch_delay.min(self.flight.visibility() / 6),
            Phase::Stopping(_) | Phase::Cut(_) => Duration::ZERO,
        }
    }

    /// Whether another receive may begin, if it is time.
    fn may_receive(&self) -> bool {
        self.phase == Phase::Receiving
            && self.receives.len() < self.settings.receives
            && self.flight.active() + self.asked < self.settings.concurrency
            // What is handled and not deleted yet is bounded too.
            && self.flight.settling() < self.settings.concurrency.max(SETTLING_MIN)
    }

    /// Whether messages may become visible again. While it stops, its own last receives would take
    /// them, and each receive counts towards the dead-letter queue.
    fn may_release(&self) -> bool {
        match self.phase {
            Phase::Receiving | Phase::Cut(_) => true,
            Phase::Stopping(_) => self.receives.is_empty(),
        }
    }

    fn next_wake(&self, now: Instant) -> Instant {
        let receive = self.may_receive().then_some(self.next_receive);
        let end = match self.phase {
            Phase::Receiving => None,
            Phase::Stopping(until) | Phase::Cut(until) => Some(until),
        };
        let times = [
            receive,
            end,
            self.flight.next_renewal(),
            self.deletes.due(self.batch_delay()),
        ];
        let next = times.into_iter().flatten().min();
        next.unwrap_or(now + FAR_AWAY)
    }

    fn is_done(&self, now: Instant) -> bool {
        let nothing_to_tell =
            self.calls.is_empty() && self.deletes.is_empty() && self.releases.is_empty();
        match self.phase {
            Phase::Receiving => false,
            Phase::Stopping(_) => {
                nothing_to_tell && self.receives.is_empty() && self.handlers.is_empty()
            }
            Phase::Cut(until) => nothing_to_tell || until <= now,
        }
    }

    fn receive_ended(&mut self, receive: Result<Receive, JoinError>) {
        let Receive {
            asked,
            began,
            result,
        } = ours(receive);
        self.asked -= asked;
        let now = clock::now();
        let messages = match result {
            Ok(messages) => messages,
            Err(error) => {
                let next_in = pause(self.failed_receives);
                self.failed_receives += 1;
                self.next_receive = now + next_in;
                self.counters.failed_receives.add_one();
                let error = &error;
                (self.tell)(&Event::ReceiveFailed { error, next_in });
                return;
            }
        };
        self.failed_receives = 0;
        if messages.is_empty() {
            // A server that does not wait is not asked all the time.
            self.next_receive = began + IDLE_PAUSE;
        }
        for received in messages {
            self.counters.received.add_one();
            let is_welcome =
                self.phase == Phase::Receiving && self.flight.active() < self.settings.concurrency;
            let key = self.flight.admit(received, now);
            if !is_welcome {
                self.unhandled(key);
            } else if self.flight.enter(key) {
                self.begin(key);
            }
        }
    }

    /// Has a message handled whose turn has come.
    fn begin(&mut self, key: Key) {
        match self.flight.turn(key, clock::now()) {
            Turn::Handle(message) => {
                let (handler, limit) = (Arc::clone(&self.handler), self.settings.handler_timeout);
                let task = self.handlers.spawn(async move {
                    match tokio::time::timeout(limit, handler(message)).await {
                        Ok(result) => result.map_err(Failure::Error),
                        Err(_) => Err(Failure::TimedOut(limit)),
                    }
                });
                self.running.insert(task.id(), key);
            }
            Turn::Damaged(reason) => self.failed(key, &Failure::Damaged(reason)),
            Turn::Lapsed => {
                self.counters.lapsed.add_one();
                let message_id = self.flight.message_id(key);
                (self.tell)(&Event::Lapsed { message_id });
                self.flight.settle(key);
                self.release_rest_of_group(key);
                self.flight.remove(key);
            }
        }
    }

    fn handler_ended(&mut self, handled: Result<(Id, Result<(), Failure>), JoinError>) {
        let (id, result) = match handled {
            Ok(ended) => ended,
            Err(error) => {
                let id = error.id();
                let failure = match error.try_into_panic() {
                    Ok(payload) => Failure::panicked(&*payload),
                    Err(_) => Failure::Aborted,
                };
                (id, Err(failure))
            }
        };
        let Some(key) = self.running.remove(&id) else {
            return;
        };
        match result {
            Ok(()) => {
                self.counters.handled.add_one();
                self.flight.settle(key);
                self.deletes.push(key);
                if let Some(next) = self.flight.next_in_group(key) {
                    self.begin(next);
                }
            }
            Err(failure) => self.failed(key, &failure),
        }
    }

    fn failed(&mut self, key: Key, failure: &Failure) {
        self.counters.failed.add_one();
        let message_id = self.flight.message_id(key);
        (self.tell)(&Event::HandlerFailed {
            message_id,
            failure,
        });
        self.flight.settle(key);
        self.release_rest_of_group(key);
        let on_failure = match failure {
            Failure::Aborted => OnFailure::Show,
            Failure::Error(_)
            | Failure::Panicked(_)
            | Failure::TimedOut(_)
            | Failure::Damaged(_) => self.settings.on_failure,
        };
        match on_failure {
            OnFailure::Show => self.release(key, 0),
            OnFailure::ShowAfter(wait) => self.release(key, whole_seconds(wait)),
            OnFailure::Leave => self.flight.remove(key),
        }
    }

    /// Makes visible again what waits behind a message.
    fn release_rest_of_group(&mut self, key: Key) {
        for behind in self.flight.rest_of_group(key) {
            self.unhandled(behind);
        }
    }

    fn unhandled(&mut self, key: Key) {
        self.counters.unhandled.add_one();
        self.flight.settle(key);
        self.release(key, 0);
    }

    fn release(&mut self, key: Key, seconds: u32) {
        if self.flight.receipt_handle(key).is_empty() {
            self.flight.remove(key);
        } else if self.flight.may_release(key, seconds) {
            let seconds = self.flight.hidden_for(key, seconds, clock::now());
            self.releases.push((key, seconds));
        }
    }

    fn call_ended(&mut self, call: Result<Call, JoinError>) {
        let Call {
            purpose,
            keys,
            results,
        } = ours(call);
        let unanswered = std::iter::repeat_with(|| Err(EntryError::Unanswered));
        for (key, result) in keys.into_iter().zip(results.into_iter().chain(unanswered)) {
            match purpose {
                Purpose::Delete => self.deleted(key, result),
                Purpose::Release => self.released(key, result),
                Purpose::Extend(sent) => self.extended(key, sent, &result),
            }
        }
    }

    fn deleted(&mut self, key: Key, result: Result<(), EntryError>) {
        match result {
            Ok(()) => self.counters.deleted.add_one(),
            Err(error) => {
                self.counters.not_deleted.add_one();
                let (message_id, error) = (self.flight.message_id(key), &error);
                (self.tell)(&Event::DeleteFailed { message_id, error });
            }
        }
        self.flight.remove(key);
    }

    fn released(&mut self, key: Key, result: Result<(), EntryError>) {
        if let Err(error) = result {
            let (message_id, error) = (self.flight.message_id(key), &error);
            (self.tell)(&Event::ReleaseFailed { message_id, error });
        }
        self.flight.remove(key);
    }

    fn extended(&mut self, key: Key, sent: Instant, result: &Result<(), EntryError>) {
        let extended = match result {
            Ok(()) => {
                self.counters.extended.add_one();
                Extended::Yes
            }
            Err(error) => {
                let message_id = self.flight.message_id(key);
                (self.tell)(&Event::ExtendFailed { message_id, error });
                match (error, error.fault()) {
                    (EntryError::Refused(_), Some(Fault::Sender)) => Extended::Never,
                    (_, _) => Extended::TryAgain(clock::now()),
                }
            }
        };
        if let Some(seconds) = self.flight.extended(key, sent, extended) {
            self.release(key, seconds);
        }
    }

    fn stop(&mut self) {
        self.phase = Phase::Stopping(clock::now() + self.settings.stop_timeout);
        for key in self.flight.all_waiting() {
            self.unhandled(key);
        }
    }

    /// Ends what could not end by itself.
    fn cut(&mut self) {
        let (running, receives) = (self.running.len(), self.receives.len());
        (self.tell)(&Event::StopTimedOut { running, receives });
        self.phase = Phase::Cut(clock::now() + LAST_CALLS);
        self.receives.abort_all();
        self.receives.detach_all();
        self.handlers.abort_all();
        let mut keys: Vec<Key> = self.running.drain().map(|(_, key)| key).collect();
        keys.sort_unstable();
        for key in keys {
            self.failed(key, &Failure::Aborted);
        }
    }
}

/// What a task of our own gave; it does not panic, and is aborted only with the driver.
fn ours<T>(ended: Result<T, JoinError>) -> T {
    match ended {
        Ok(output) => output,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(error) => unreachable!("{error}"),
        },
    }
}

/// How long to wait after a receive that failed, when so many failed before it.
fn pause(failed_before: u32) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(1 << failed_before.min(16));
    doubled.min(LONGEST_PAUSE)
}

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// How far apart receives begin at least while they bring nothing.
const IDLE_PAUSE: Duration = Duration::from_millis(100);
/// How many messages may wait for their deletion, if not as many as are held otherwise.
const SETTLING_MIN: usize = 100;
/// How long the last calls may take after handlers were aborted.
const LAST_CALLS: Duration = Duration::from_secs(10);
/// A time to wake at when there is none.
const FAR_AWAY: Duration = Duration::from_secs(3_600);
