//! When a call is sent again and after how long, by the rules that AWS's own clients share since
//! their "retry behavior 2.1". Nothing here waits, reads a clock or guesses: jitter is passed in.

mod backoff;
mod bucket;
mod failure;

use std::borrow::Cow;
use std::time::Duration;

pub(super) use self::backoff::retry_after;
use self::bucket::Bucket;
pub(super) use self::failure::{Cause, Failure, Outcome};

/// Why a failure may pass if the call is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retryable {
    /// The service is asked too much. It refused with one of the fourteen codes that AWS's
    /// clients share (`ThrottlingException`, `RequestThrottled`, `SlowDown`, …) or with status
    /// 429. The next attempt waits up to a second, then two, four …
    Throttling,
    /// The service or the way to it is unwell: no connection, a connection that broke, no answer
    /// in time, status 500, 502, 503 or 504, or the code `RequestTimeout` or
    /// `RequestTimeoutException`. The next attempt waits up to 50 ms, then 100 ms, 200 ms …
    Transient,
    /// The service refused a signature, and its clock is more than four minutes from ours. The
    /// next attempt is signed for the service's time.
    ClockSkew,
    /// The service called the credentials expired (`ExpiredToken`, `ExpiredTokenException`). The
    /// next attempt is signed with those that their provider then gives.
    ExpiredCredentials,
}

impl Retryable {
    /// Its name in what is logged: `throttling`, `transient`, `clock skew` or `expired
    /// credentials`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throttling => "throttling",
            Self::Transient => "transient",
            Self::ClockSkew => "clock skew",
            Self::ExpiredCredentials => "expired credentials",
        }
    }
}

/// What becomes of an operation that must not be done twice
/// ([`SAFE_TO_RETRY`](super::Operation::SAFE_TO_RETRY) is false) when an attempt ends and nobody
/// knows whether it was done.
///
/// The outcome is unknown when the connection broke or time ran out after it was made, and when
/// a gateway answers 502 or 504 without the service's word. It is known when no connection was
/// made, and when the service refused: an error is then either sent again, because it is
/// [`Retryable`], or reported, whatever is set here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownOutcome {
    /// It is an error at once, which
    /// [`is_outcome_unknown`](super::Error::is_outcome_unknown). This is the default.
    #[default]
    Report,
    /// It is sent again like any other, as AWS's own clients do: a message may then be in the
    /// queue twice.
    SendAgain,
}

/// The rules for all calls of a client, and what is left of its retries.
pub(super) struct Policy {
    pub(super) max_attempts: u32,
    /// The longest delay before the second attempt, unless it is for throttling.
    pub(super) base: Duration,
    pub(super) unknown_outcome: UnknownOutcome,
    /// Codes beside AWS's own lists.
    pub(super) codes: Vec<(Cow<'static, str>, Retryable)>,
    bucket: Bucket,
}

impl Policy {
    pub(super) fn new(defaults: Defaults) -> Self {
        Self {
            max_attempts: defaults.max_attempts,
            base: defaults.base,
            unknown_outcome: UnknownOutcome::default(),
            codes: Vec::new(),
            bucket: Bucket::default(),
        }
    }

    /// The attempts of a call, of which none was made yet.
    pub(super) fn begin(&self, nature: Nature) -> Attempts<'_> {
        Attempts {
            policy: self,
            nature,
            made: 0,
            spent: None,
        }
    }

    /// Why a failure may pass.
    pub(super) fn retryable(&self, failure: &Failure<'_>) -> Option<Retryable> {
        failure.retryable(&self.codes)
    }
}

/// What differs from service to service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Defaults {
    pub(super) max_attempts: u32,
    pub(super) base: Duration,
}

impl Defaults {
    /// Those of most services.
    pub(super) const STANDARD: Self = Self {
        max_attempts: 3,
        base: Duration::from_millis(50),
    };
    /// `DynamoDB` and its Streams answer within milliseconds, and are asked again as quickly.
    pub(super) const DYNAMODB: Self = Self {
        max_attempts: 4,
        base: Duration::from_millis(25),
    };
}

/// What the rules have to know of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nature {
    pub(super) safe_to_retry: bool,
    /// Its callers call again and again, so that an error must not come back at once.
    pub(super) long_poll: bool,
}

/// The attempts of one call.
pub(super) struct Attempts<'a> {
    policy: &'a Policy,
    nature: Nature,
    made: u32,
    /// What the last retry cost.
    spent: Option<u32>,
}

/// What is done after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// The call is sent again after this time.
    Retry { after: Duration, because: Retryable },
    /// The call has failed, and its caller is told after this time.
    Fail { after: Duration, why: Final },
}

/// Why a failure is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Final {
    /// It would fail again.
    NotRetryable,
    /// It may have been done, and must not be done twice.
    OutcomeUnknown,
    /// There were as many attempts as there may be.
    NoAttemptLeft,
    /// Too many calls of this client failed lately.
    BucketEmpty,
    /// The call's time would be up before the next attempt begins.
    NoTimeLeft,
}

impl Next {
    /// How long to wait first.
    pub(super) const fn after(self) -> Duration {
        match self {
            Self::Retry { after, .. } | Self::Fail { after, .. } => after,
        }
    }
}

impl Final {
    /// Its name in what is logged.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NotRetryable => "not retryable",
            Self::OutcomeUnknown => "outcome unknown",
            Self::NoAttemptLeft => "no attempt left",
            Self::BucketEmpty => "too many failures lately",
            Self::NoTimeLeft => "no time left",
        }
    }
}

impl Attempts<'_> {
    /// Begins an attempt, and gives its number, from 1.
    pub(super) fn start(&mut self) -> u32 {
        self.made = self.made.saturating_add(1);
        self.made
    }

    /// The attempt got its answer, which is a success.
    pub(super) fn succeeded(self) {
        self.policy.bucket.give(self.spent.unwrap_or(1));
    }

    /// The attempt failed. The jitter is from 0 to below 1.
    pub(super) fn failed(&mut self, failure: &Failure<'_>, jitter: f64) -> Next {
        let at_once = |why| Next::Fail {
            after: Duration::ZERO,
            why,
        };
        let Some(because) = self.policy.retryable(failure) else {
            return at_once(Final::NotRetryable);
        };
        let reported = match self.policy.unknown_outcome {
            UnknownOutcome::Report => !self.nature.safe_to_retry,
            UnknownOutcome::SendAgain => false,
        };
        if reported && failure.cause.outcome() == Outcome::Unknown {
            return at_once(Final::OutcomeUnknown);
        }
        if self.made >= self.policy.max_attempts {
            return at_once(Final::NoAttemptLeft);
        }
        let (base, cost) = match because {
            Retryable::Throttling => (backoff::THROTTLING_BASE, bucket::THROTTLING_COST),
            Retryable::Transient | Retryable::ClockSkew | Retryable::ExpiredCredentials => {
                (self.policy.base, bucket::COST)
            }
        };
        let after = backoff::delay(base, self.made, jitter, failure.retry_after);
        if self.policy.bucket.take(cost) {
            self.spent = Some(cost);
            Next::Retry { after, because }
        } else if self.nature.long_poll {
            Next::Fail {
                after,
                why: Final::BucketEmpty,
            }
        } else {
            at_once(Final::BucketEmpty)
        }
    }

    /// What is done instead, if the call's time is up before this can be. A retry that is not made
    /// costs nothing.
    pub(super) fn out_of_time(&mut self, next: Next) -> Next {
        let why = match next {
            Next::Retry { .. } => {
                self.policy.bucket.give(self.spent.take().unwrap_or(0));
                Final::NoTimeLeft
            }
            Next::Fail { why, .. } => why,
        };
        let after = Duration::ZERO;
        Next::Fail { after, why }
    }
}

#[cfg(test)]
mod tests;
