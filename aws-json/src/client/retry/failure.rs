//! What is known of a failed attempt, and what may be made of it.

use std::borrow::Cow;
use std::time::Duration;

use http::StatusCode;

use super::Retryable;
use crate::client::skew::Skew;

/// A failed attempt.
#[derive(Clone, Debug)]
pub(in crate::client) struct Failure<'a> {
    pub(in crate::client) cause: Cause<'a>,
    /// How long the service asked to wait.
    pub(in crate::client) retry_after: Option<Duration>,
    /// How far the service's clock was from ours, by this attempt's answer.
    pub(in crate::client) skew: Option<Skew>,
    /// Whether the credentials were refused for their age and there may be others now.
    pub(in crate::client) renewed: bool,
}

/// What failed.
#[derive(Clone, Debug)]
pub(in crate::client) enum Cause<'a> {
    /// The request did not reach anybody: there was no connection, for example.
    Unsent,
    /// The connection broke or time ran out when the request may have been sent.
    BrokeOff,
    /// The service, or something on the way to it, refused.
    Refusal {
        status: StatusCode,
        /// The names of the error, as far as it has any: its shape's and its query code.
        names: [Option<&'a str>; 2],
    },
    /// What was to be sent or what was answered is wrong, and will be again.
    Ours,
}

/// What is known of what the service did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Outcome {
    /// It did not do what it was asked.
    NotDone,
    /// Nobody knows.
    Unknown,
}

impl Failure<'_> {
    /// Why it may pass, by AWS's lists and by codes beside them, which count first.
    pub(super) fn retryable(&self, codes: &[(Cow<'static, str>, Retryable)]) -> Option<Retryable> {
        let (status, names) = match self.cause {
            Cause::Unsent | Cause::BrokeOff => return Some(Retryable::Transient),
            Cause::Ours => return None,
            Cause::Refusal { status, names } => (status, names),
        };
        let listed = |list: &[&str]| names.iter().flatten().any(|name| list.contains(name));
        let extra = |kind: Retryable| {
            codes
                .iter()
                .any(|(code, of)| *of == kind && listed(&[&**code]))
        };
        let skewed = self.skew.is_some_and(Skew::is_wrong);
        if listed(THROTTLING) || extra(Retryable::Throttling) {
            Some(Retryable::Throttling)
        } else if skewed && (listed(CLOCK_SKEW) || extra(Retryable::ClockSkew)) {
            Some(Retryable::ClockSkew)
        } else if self.renewed {
            Some(Retryable::ExpiredCredentials)
        } else if listed(TRANSIENT) || extra(Retryable::Transient) {
            Some(Retryable::Transient)
        } else {
            match status.as_u16() {
                429 => Some(Retryable::Throttling),
                500 | 502 | 503 | 504 => Some(Retryable::Transient),
                _ => None,
            }
        }
    }
}

impl Cause<'_> {
    /// What is known of what the service did. A gateway that got no answer from the service
    /// knows as little as we do; any other refusal is the service's word.
    pub(in crate::client) fn outcome(&self) -> Outcome {
        match self {
            Cause::BrokeOff
            | Cause::Refusal {
                status: StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT,
                names: [None, None],
            } => Outcome::Unknown,
            Cause::Unsent | Cause::Ours | Cause::Refusal { .. } => Outcome::NotDone,
        }
    }
}

/// The codes by which AWS's services say that they are asked too much.
const THROTTLING: &[&str] = &[
    "BandwidthLimitExceeded",
    "EC2ThrottledException",
    "LimitExceededException",
    "PriorRequestNotComplete",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "SlowDown",
    "ThrottledException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
    "TransactionInProgressException",
];

/// The codes of failures that pass.
const TRANSIENT: &[&str] = &["RequestTimeout", "RequestTimeoutException"];

/// The codes by which AWS's services refuse a signature for its time, and which may also mean
/// something else.
const CLOCK_SKEW: &[&str] = &[
    "AccessDeniedException",
    "AuthFailure",
    "InvalidSignatureException",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
];
