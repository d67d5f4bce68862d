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

    /// Whether it may begin something new.
    pub fn goes_on(&mut self) -> bool {
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
    }

    /// The same for a long poll of that many seconds, without pace. It is cut off at `until`, and then
    /// counts as nothing.
    pub async fn poll(&mut self, body: String, wait: Duration, until: Instant) -> Option<Bytes> {
        let begun = clock::moment();
        let call = self.call_since(Operation::ReceiveMessage, body, begun, wait);
        match tokio::time::timeout_at(until.into(), call).await {
            Ok(answer) => {
                let took = clock::moment() - begun;
                // A poll that was answered has told its time apart: waiting is its purpose.
                let is_empty = answer.as_ref().is_some_and(|answer| &answer[..] == b"{}");
                if is_empty && took + PAUSE_MAX < wait {
                    self.tally.early += 1;
                }
                answer
            }
            Err(_cut) => {
                self.tally.unheard += 1;
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
    ) -> Option<Bytes> {
        self.calls += 1;
        let limit = self.answer_time_max + wait;
        let answer = self.line.call(operation, body.into(), limit).await;
        let ended = clock::moment();
        match answer {
            Ok(answer) => {
                self.failures = 0;
                if self.window.holds(ended) {
                    self.tally.succeeded(operation, ended - begun);
                    self.tally.answered(ended);
                }
                Some(answer)
            }
            Err(failure) => {
                if operation == Operation::ReceiveMessage && failure.may_have_happened() {
                    self.tally.unheard += super::wire::BATCH as u64;
                }
                self.failed(&failure).await;
                None
            }
        }
    }

    /// Counts a failure, and pauses.
    pub async fn failed(&mut self, failure: &Failure) {
        if self.window.holds(clock::moment()) {
            self.tally.failed(failure.code(), 1);
        }
        self.tally.last_error = Some(failure.to_string());
        let pause = (PAUSE * 2_u32.pow(self.failures.min(10))).min(PAUSE_MAX);
        self.failures += 1;
        tokio::time::sleep(pause).await;
    }
}
