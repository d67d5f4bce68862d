//! What a run counts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sqs::Operation;

use super::histogram::Histogram;

/// Different errors that are told apart; what comes beyond them is summed up.
const CODES_MAX: usize = 50;

/// The time in which a run is measured.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Before it the warm-up is.
    pub begin: Instant,
    /// Nothing new begins after it.
    pub end: Instant,
}

impl Window {
    /// Whether something that was done then counts.
    #[must_use]
    pub fn holds(&self, moment: Instant) -> bool {
        (self.begin..self.end).contains(&moment)
    }
}

/// Counts of requests, and of what they were for.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How long each successful request took that began in the time measured.
    pub requests: Histogram,
    /// How many were answered in it.
    pub answered: u64,
    /// The same by operation.
    pub operations: BTreeMap<&'static str, Histogram>,
    /// How long it took from a send to the answer of the poll that it woke.
    pub wakes: Histogram,
    /// Requests that failed, by the error's name.
    pub errors: BTreeMap<String, u64>,
    /// Messages that went the whole way that a mix has: sent, or sent, received and deleted.
    pub messages: u64,
    /// Receives that gave nothing.
    pub empty: u64,
    /// Messages that may be in answers that did not come, in the warm-up too.
    pub unheard: u64,
    /// Messages that no poll was woken by, in the warm-up too.
    pub unwoken: u64,
    /// Long polls that ended before their time with nothing.
    pub early: u64,
    /// Requests that were due at the rate that was asked for, and never began.
    pub missed: u64,
    /// Connections that gave up after too many failures.
    pub gave_up: u64,
    /// The words of the last error.
    pub last_error: Option<String>,
    /// When the last request was answered that was counted.
    pub last_success: Option<Instant>,
}

impl Tally {
    /// Counts a request that succeeded.
    pub fn succeeded(&mut self, operation: Operation, took: Duration) {
        self.requests.record(took);
        self.operations
            .entry(operation.name())
            .or_default()
            .record(took);
    }

    /// Counts a request that has its answer at that moment.
    pub fn answered(&mut self, moment: Instant) {
        self.answered += 1;
        self.last_success = self.last_success.max(Some(moment));
    }

    /// Counts an error.
    pub fn failed(&mut self, code: &str, times: u64) {
        if let Some(count) = self.errors.get_mut(code) {
            *count += times;
            return;
        }
        let code = if self.errors.len() < CODES_MAX {
            code
        } else {
            "(others)"
        };
        *self.errors.entry(code.to_owned()).or_default() += times;
    }

    /// Adds all that another one counted.
    pub fn add(&mut self, other: Self) {
        self.requests.add(&other.requests);
        self.answered += other.answered;
        for (operation, histogram) in &other.operations {
            self.operations.entry(operation).or_default().add(histogram);
        }
        self.wakes.add(&other.wakes);
        for (code, count) in &other.errors {
            self.failed(code, *count);
        }
        self.messages += other.messages;
        self.empty += other.empty;
        self.unheard += other.unheard;
        self.unwoken += other.unwoken;
        self.early += other.early;
        self.missed += other.missed;
        self.gave_up += other.gave_up;
        self.last_error = other.last_error.or(self.last_error.take());
        self.last_success = self.last_success.max(other.last_success);
    }

    /// All errors.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_name_and_bounded() {
        let mut tally = Tally::default();
        for code in 0..1_000 {
            tally.failed(&format!("E{code}"), 2);
        }
        assert_eq!(tally.errors.len(), CODES_MAX + 1);
        assert_eq!(tally.error_count(), 2_000);
        let mut sum = Tally::default();
        sum.failed("E1", 1);
        sum.add(tally);
        assert_eq!((sum.errors["E1"], sum.error_count()), (3, 2_001));
    }

    #[test]
    fn operations_have_times_of_their_own() {
        let mut tally = Tally::default();
        tally.succeeded(Operation::SendMessage, Duration::from_millis(1));
        tally.succeeded(Operation::ReceiveMessage, Duration::from_millis(2));
        let mut sum = Tally::default();
        sum.add(tally.clone());
        sum.add(tally);
        assert_eq!(sum.requests.count(), 4);
        assert_eq!(
            sum.operations["SendMessage"].max(),
            Duration::from_millis(1)
        );
    }
}
