//! One connection of a run: it calls, counts, and gives up when nothing works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use sqs::Operation;
use tokio::sync::mpsc;

use super::line::{Failure, Line};
use super::session::Session;
use super::tally::{Tally, Window};
use super::wire::{self, Queue};
use crate::clock;

/// How long a request may take besides the time that a long poll waits, unless a run says otherwise.
pub const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);

/// Failures in a row after which a connection gives up.
const FAILURES_MAX: u32 = 10;

/// How long a connection pauses after its first failure; twice as long after each further one, up to
/// [`PAUSE_MAX`], so that a service that refuses at once is not called in a spin.
const PAUSE: Duration = Duration::from_millis(5);

/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// Requests of one connection at most, whatever the time: it bounds a run against a clock that stands.
const CALLS_MAX: u64 = 1 << 32;

/// When requests begin.
#[derive(Debug)]
pub enum Pace {
    /// Each as soon as the one before has its answer.
    Closed,
    /// When they are released, whether or not the connection is free: the wait for it counts.
    Open(mpsc::Receiver<Instant>),
}

/// A connection at work.
#[derive(Debug)]
pub struct Worker {
    /// Which one it is, from 0.
    pub index: u16,
    /// The queues.
    pub session: Arc<Session>,
    /// What it has counted.
    pub tally: Tally,
    /// What is measured.
    pub window: Window,
    line: Line,
    pace: Pace,
    answer_time_max: Duration,
    stop: Arc<AtomicBool>,
    /// When the last call began: what comes of it counts if that was in the window.
    begun: Instant,
    failures: u32,
    calls: u64,
}

impl Worker {
    /// A worker that has done nothing yet. It ends early when `stop` says so.
    #[must_use]
    pub fn new(
        index: u16,
        session: Arc<Session>,
        window: Window,
        pace: Pace,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let line = Line::new(Arc::clone(&session.target));
        Self {
            index,
            session,
            tally: Tally::default(),
            window,
            line,
            pace,
            answer_time_max: ANSWER_TIME_MAX,
            stop,
            begun: window.begin,
            failures: 0,
            calls: 0,
        }
    }

    /// The same with another bound on the time of an answer.
    #[must_use]
    pub fn with_answer_time_max(mut self, limit: Duration) -> Self {
        self.answer_time_max = limit;
        self
    }

    /// Whether it may send something new.
    pub fn goes_on(&mut self) -> bool {
        !self.session.ledger.is_full() && self.is_in_time()
    }

    /// Whether it may still call.
    pub fn is_in_time(&mut self) -> bool {
        self.goes_on_until(self.window.end)
    }

    /// The same, to another end than that of the window.
    pub fn goes_on_until(&mut self, end: Instant) -> bool {
        let has_failed = self.failures >= FAILURES_MAX;
        if has_failed && self.tally.gave_up == 0 {
            self.tally.gave_up = 1;
        }
        !has_failed
            && self.calls < CALLS_MAX
            && clock::moment() < end
            && !self.session.ledger.has_faults()
            && !self.stop.load(Ordering::Relaxed)
    }

    /// Calls an operation, and counts it; nothing if it failed, after a pause.
    pub async fn call(&mut self, operation: Operation, body: String) -> Option<Bytes> {
        let begun = match &mut self.pace {
            Pace::Closed => clock::moment(),
            Pace::Open(releases) => releases.recv().await?,
        };
        self.call_since(operation, body, begun, Duration::ZERO)
            .await
            .ok()
    }

    /// Receives up to that many messages. A long poll has no pace: waiting is its purpose.
    pub async fn receive(&mut self, queue: &Queue, most: usize, wait: Duration) -> Option<Bytes> {
        let body = wire::receive_message(queue, most, wait.as_secs());
        let begun = match &mut self.pace {
            Pace::Open(releases) if wait.is_zero() => releases.recv().await?,
            Pace::Open(_) | Pace::Closed => clock::moment(),
        };
        let operation = Operation::ReceiveMessage;
        match self.call_since(operation, body, begun, wait).await {
            Ok(answer) => Some(answer),
            Err(failure) => {
                if failure.may_have_happened() {
                    self.tally.unheard += most as u64;
                }
                None
            }
        }
    }

    async fn call_since(
        &mut self,
        operation: Operation,
        body: String,
        begun: Instant,
        wait: Duration,
    ) -> Result<Bytes, Failure> {
        self.calls += 1;
        self.begun = begun;
        let limit = self.answer_time_max + wait;
        let answer = self.line.call(operation, body.into(), limit).await;
        let ended = clock::moment();
        match &answer {
            Ok(_) => {
                self.failures = 0;
                // A slow answer is one of those that the times are about, though it comes after the end.
                if self.window.holds(begun) {
                    self.tally.succeeded(operation, ended - begun);
                }
                if self.window.holds(ended) {
                    self.tally.answered(ended);
                }
            }
            Err(failure) => self.failed(failure).await,
        }
        answer
    }

    /// What it has counted, at its end: what was released to it till then never begins.
    #[must_use]
    pub fn finish(mut self) -> Tally {
        if let Pace::Open(releases) = &mut self.pace {
            releases.close();
            while let Ok(due) = releases.try_recv() {
                self.tally.missed += u64::from(self.window.holds(due));
            }
        }
        self.tally
    }

    /// Counts what failed in the last call, unless that began in the warm-up.
    pub fn count_failure(&mut self, code: &str) {
        if self.window.holds(self.begun) {
            self.tally.failed(code, 1);
        }
    }

    /// Counts a failure of the last call, and pauses.
    pub async fn failed(&mut self, failure: &Failure) {
        self.count_failure(failure.code());
        self.tally.last_error = Some(failure.to_string());
        let pause = (PAUSE * 2_u32.pow(self.failures.min(10))).min(PAUSE_MAX);
        self.failures += 1;
        tokio::time::sleep(pause).await;
    }
}
