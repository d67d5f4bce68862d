//! An entry of the journal, as it is kept and as it is shown.

use std::borrow::Cow;
use std::mem::size_of;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde::{Serialize, Serializer};
use sqs::{ErrorCode, Operation};
use sqs_engine::Timestamp;

use super::note::{Draft, End, Ended, Excerpt, Verdict};
use super::redact::redacted;
use crate::auth::Caller;

/// A request that was made to the server's SQS side, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Request {
    /// Its number. Numbers grow in the order in which requests end, and are never given again, not
    /// even after a reset.
    pub seq: u64,
    /// The queues' time when it was taken up.
    pub at: Timestamp,
    /// The queues' time when its answer was made: for a long poll, when the messages were received
    /// or when it ended without. Other than `duration`, it follows the clock as it is frozen and
    /// moved.
    pub ended_at: Timestamp,
    /// How long it took in real time, from the end of its headers until its answer was made.
    #[serde(rename = "duration_ms", serialize_with = "as_millis")]
    pub duration: Duration,
    /// What it asked for; `None` if it named no operation of SQS's.
    #[serde(serialize_with = "as_name")]
    pub action: Option<Operation>,
    /// The caller's account; `None` if nobody is known to have signed it.
    pub account: Option<String>,
    /// The region that it was signed for; `None` if nobody is known to have signed it.
    pub region: Option<String>,
    /// The access key that it names, also if the signature does not hold.
    pub access_key: Option<String>,
    /// The name of the queue that it names.
    pub queue: Option<String>,
    /// The status of the answer; `None` if there was no answer.
    pub status: Option<u16>,
    /// What came of it, in a word.
    pub outcome: Outcome,
    /// The code of the error that it was answered with.
    pub error: Option<String>,
    /// What that error says. Left out for a refused signature, as AWS's words repeat what was signed.
    pub error_message: Option<String>,
    /// The messages that it sent, received, deleted or changed the visibility of.
    pub message_ids: Vec<String>,
    /// What of it failed: the entries of a batch, or the message of a request that was refused as a
    /// whole.
    pub failed: Vec<Failed>,
    /// Those messages whose receipt handle held them no longer when the request came: the visibility
    /// timeout was over, somebody else had received the message since, or it had been deleted. A
    /// standard queue accepts such a handle all the same.
    pub stale_ids: Vec<String>,
    /// Why the signature was refused.
    pub refusal: Option<Refusal>,
    /// The faults that it met.
    pub faults: Vec<FaultHit>,
    /// The HTTP method.
    pub method: String,
    /// The path with its query, at most 1,024 bytes of it, without what signs it.
    pub path: String,
    /// The id that was given in the answer's header.
    pub request_id: Option<String>,
    /// The beginning of the request's body, at most 1,024 bytes of it.
    pub request_body: String,
    /// How many bytes that body has.
    pub request_bytes: usize,
    /// The beginning of the body of a successful answer, at most 1,024 bytes of it.
    pub response_body: String,
    /// How many bytes that body has.
    pub response_bytes: usize,
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It was done.
    Ok,
    /// It was a batch, and some entries of it failed.
    Partial,
    /// Its signature was not accepted.
    Refused,
    /// It was answered with another error.
    Error,
    /// Its client hung up before there was an answer.
    HungUp,
    /// A fault closed the connection instead of an answer.
    Closed,
}

impl Outcome {
    pub(crate) const ALL: [Self; 6] = [
        Self::Ok,
        Self::Partial,
        Self::Refused,
        Self::Error,
        Self::HungUp,
        Self::Closed,
    ];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Partial => "partial",
            Self::Refused => "refused",
            Self::Error => "error",
            Self::HungUp => "hung_up",
            Self::Closed => "closed",
        }
    }
}

/// Something in a request that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failed {
    /// The `Id` of a batch's entry, at most 100 characters of it.
    pub id: Option<String>,
    /// The message that is meant, as far as it is known.
    pub message_id: Option<String>,
    /// The code of the error.
    pub error: String,
}

impl Failed {
    pub(crate) fn new(id: Option<String>, message_id: Option<String>, error: &str) -> Self {
        Self {
            // An id that is too long is one of the things that fail.
            id: id.map(|id| id.chars().take(ID_CHARS_MAX).collect()),
            message_id,
            error: error.to_owned(),
        }
    }
}

/// Why a signature was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Refusal {
    /// Why, as one word, as the log and the metrics have it.
    pub reason: String,
    /// Why, as a sentence.
    pub explanation: String,
    /// What would be right.
    pub advice: String,
}

/// A fault that a request met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FaultHit {
    /// The fault's number.
    pub id: u64,
    /// Its kind.
    pub kind: Cow<'static, str>,
}

impl FaultHit {
    pub(crate) fn new(id: u64, kind: impl Into<Cow<'static, str>>) -> Self {
        let kind = kind.into();
        Self { id, kind }
    }
}

/// An entry as it is kept.
#[derive(Debug)]
pub(crate) struct Entry {
    /// How many resets there had been when it began.
    pub(super) resets: u64,
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    pub(super) ended_at: Timestamp,
    pub(super) duration: Duration,
    pub(super) action: Option<Operation>,
    pub(super) caller: Option<Caller>,
    pub(super) claimed_key: Option<String>,
    pub(super) queue: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) outcome: Outcome,
    pub(super) error: Option<ErrorCode>,
    error_message: Option<String>,
    pub(super) message_ids: Vec<String>,
    failed: Vec<Failed>,
    stale_ids: Vec<String>,
    pub(super) verdict: Option<Verdict>,
    pub(super) faults: Vec<FaultHit>,
    method: Method,
    path: String,
    request_id: Option<String>,
    request: Excerpt,
    response: Excerpt,
}

impl Entry {
    /// What is kept of a request that ended. The journal gives the number.
    pub(crate) fn new(draft: Draft, end: Ended, now: impl FnOnce() -> Timestamp) -> Self {
        let failure = match &end.how {
            End::Answered { error, .. } => error.as_ref(),
            End::HungUp => None,
        };
        let outcome = match (&end.how, failure) {
            (_, _) if draft.closed => Outcome::Closed,
            (End::HungUp, _) => Outcome::HungUp,
            (End::Answered { .. }, Some(_)) if draft.verdict.is_some() => Outcome::Refused,
            (End::Answered { .. }, Some(_)) => Outcome::Error,
            (End::Answered { .. }, None) if !draft.failed.is_empty() => Outcome::Partial,
            (End::Answered { .. }, None) => Outcome::Ok,
        };
        let told = failure.filter(|_| draft.verdict.is_none());
        let (at, ended_at) = match (draft.at, draft.ended_at) {
            (Some(at), Some(ended_at)) => (at, ended_at),
            (at, _) => {
                let now = now();
                (at.unwrap_or(now), now)
            }
        };
        Self {
            resets: draft.resets,
            seq: 0,
            at,
            ended_at,
            duration: end.duration,
            action: draft.action,
            error: failure.map(sqs::Error::code),
            error_message: told.map(|error| shortened(error.message())),
            caller: draft.caller,
            claimed_key: draft.claimed_key,
            queue: draft.queue,
            status: match end.how {
                End::Answered { status, .. } if !draft.closed => Some(status),
                End::Answered { .. } | End::HungUp => None,
            },
            outcome,
            message_ids: draft.message_ids,
            failed: draft.failed,
            stale_ids: draft.stale_ids,
            verdict: draft.verdict,
            faults: draft.faults,
            method: draft.method,
            path: draft.path,
            request_id: end.request_id,
            request: draft.request,
            response: draft.response,
        }
    }

    pub(crate) fn action(&self) -> Option<Operation> {
        self.action
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome
    }

    pub(crate) fn error(&self) -> Option<ErrorCode> {
        self.error
    }

    /// Why its signature was refused, as one word.
    pub(crate) fn refused_for(&self) -> Option<&'static str> {
        self.verdict.as_ref().map(Verdict::reason)
    }

    /// The messages that it sent, received, deleted or changed the visibility of.
    pub(crate) fn message_ids(&self) -> &[String] {
        &self.message_ids
    }

    pub(crate) fn faults(&self) -> &[FaultHit] {
        &self.faults
    }

    pub(super) fn account(&self) -> Option<&str> {
        self.caller.as_ref().map(|caller| caller.account.as_str())
    }

    pub(super) fn region(&self) -> Option<&str> {
        self.caller.as_ref().map(|caller| &*caller.region)
    }

    /// Whether it is still being found out why it was refused.
    pub(super) fn is_pending(&self) -> bool {
        self.verdict.as_ref().is_some_and(Verdict::is_pending)
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let texts = |texts: &[String]| -> usize {
            texts
                .iter()
                .map(|text| size_of::<String>() + text.len())
                .sum()
        };
        let failed = |failed: &Failed| {
            size_of::<Failed>() + text(&failed.id) + text(&failed.message_id) + failed.error.len()
        };
        size_of::<Arc<Self>>()
            + size_of::<Self>()
            + self.caller.as_ref().map_or(0, |caller| caller.region.len())
            + text(&self.claimed_key)
            + text(&self.queue)
            + text(&self.error_message)
            + texts(&self.message_ids)
            + texts(&self.stale_ids)
            + self.failed.iter().map(failed).sum::<usize>()
            + self.verdict.as_ref().map_or(0, |_| Verdict::BYTES)
            + self.faults.len() * size_of::<FaultHit>()
            + self.method.as_str().len()
            + self.path.len()
            + text(&self.request_id)
            + self.request.kept()
            + self.response.kept()
    }

    /// The entry as it is shown.
    pub(super) fn show(&self) -> Request {
        let access_key = match &self.caller {
            Some(caller) => Some(caller.access_key_id.to_string()),
            None => self.claimed_key.clone(),
        };
        Request {
            seq: self.seq,
            at: self.at,
            ended_at: self.ended_at,
            duration: self.duration,
            action: self.action,
            account: self.account().map(str::to_owned),
            region: self.region().map(str::to_owned),
            access_key,
            queue: self.queue.clone(),
            status: self.status,
            outcome: self.outcome,
            error: self.error.map(|code| code.name().to_owned()),
            error_message: self.error_message.as_deref().map(redacted),
            message_ids: self.message_ids.clone(),
            failed: self.failed.clone(),
            stale_ids: self.stale_ids.clone(),
            refusal: self.verdict.as_ref().map(Verdict::show),
            faults: self.faults.clone(),
            method: self.method.to_string(),
            path: redacted(&self.path),
            request_id: self.request_id.clone(),
            request_body: redacted(&self.request.text()),
            request_bytes: self.request.length,
            response_body: redacted(&self.response.text()),
            response_bytes: self.response.length,
        }
    }
}

/// AWS's texts repeat what a request said, however long that is.
fn shortened(text: &str) -> String {
    text.chars().take(ERROR_CHARS_MAX).collect()
}

/// How much of the id of a batch's entry is kept, in characters: SQS allows 80.
const ID_CHARS_MAX: usize = 100;

/// How much of an error's message is kept, in characters.
const ERROR_CHARS_MAX: usize = 400;

fn as_millis<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    // Microseconds are as exact as it gets.
    let micros = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    serializer.serialize_f64(f64::from(micros) / 1_000.0)
}

fn as_name<S: Serializer>(action: &Option<Operation>, serializer: S) -> Result<S::Ok, S::Error> {
    action.map(Operation::name).serialize(serializer)
}
