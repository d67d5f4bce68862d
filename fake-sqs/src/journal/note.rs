//! What is noted of a request while it is under way.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use http::{Method, Uri};
use sqs::{Error, Operation};
use sqs_engine::Timestamp;

use super::request::{Failed, FaultHit, Refusal};
use super::ring::Journal;
use crate::auth::Caller;
use crate::http::limits;

/// The note of one request. It goes with the request, so that whoever has a part in the answer can add
/// what it knows; the journal's entry is made of it at the end.
#[derive(Clone)]
pub(crate) struct Note(Arc<Noted>);

struct Noted {
    journal: Arc<Journal>,
    draft: Mutex<Draft>,
}

/// What is known of a request so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(super) resets: u64,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) at: Option<Timestamp>,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) engine_time: Option<Duration>,
    pub(super) action: Option<Operation>,
    pub(super) caller: Option<Caller>,
    pub(super) claimed_key: Option<String>,
    pub(super) queue: Option<String>,
    pub(super) message_ids: Vec<String>,
    pub(super) failed: Vec<Failed>,
    pub(super) stale_ids: Vec<String>,
    pub(super) verdict: Option<Verdict>,
    pub(super) faults: Vec<FaultHit>,
    pub(super) closed: bool,
    pub(super) request: Excerpt,
    pub(super) response: Excerpt,
}

impl Draft {
    /// How long the engine took, if it was asked.
    pub(crate) fn engine_time(&self) -> Option<Duration> {
        self.engine_time
    }
}

/// How a request ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) how: End,
    pub(crate) duration: Duration,
    pub(crate) request_id: Option<String>,
}

/// The ways in which a request ends.
#[derive(Debug)]
pub(crate) enum End {
    Answered { status: u16, error: Option<Error> },
    HungUp,
}

impl Note {
    /// A note of a request that has just come.
    pub(crate) fn new(journal: Arc<Journal>, method: &Method, uri: &Uri) -> Self {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let draft = Mutex::new(Draft {
            resets: journal.resets(),
            method: method.clone(),
            // A request line is ASCII.
            path: path[..path.floor_char_boundary(limits::JOURNAL_BODY_BYTES_MAX)].to_owned(),
            ..Draft::default()
        });
        Self(Arc::new(Noted { journal, draft }))
    }

    pub(crate) fn request_body(&self, body: &[u8]) {
        self.draft().request = Excerpt::of(body);
    }

    pub(crate) fn response_body(&self, body: &[u8]) {
        self.draft().response = Excerpt::of(body);
    }

    /// What the request asks for, and of which queue.
    pub(crate) fn asks(&self, action: Option<Operation>, queue: Option<String>) {
        let mut draft = self.draft();
        draft.action = action;
        draft.queue = queue;
    }

    pub(crate) fn caller(&self, caller: &Caller) {
        self.draft().caller = Some(caller.clone());
    }

    /// The engine has taken the request up, at this time of the queues'.
    pub(crate) fn taken_up(&self, at: Timestamp, took: Duration, stale_ids: Vec<String>) {
        let mut draft = self.draft();
        draft.at = Some(at);
        draft.engine_time = Some(took);
        draft.stale_ids = stale_ids;
    }

    /// The engine's answer is there, since this time of the queues'.
    pub(crate) fn done(&self, at: Timestamp, message_ids: Vec<String>, failed: Vec<Failed>) {
        let mut draft = self.draft();
        draft.ended_at = Some(at);
        draft.message_ids = message_ids;
        draft.failed = failed;
    }

    /// The signature is refused. What comes back is to be told why, once that is known; dropped
    /// before, it says what was known from the beginning.
    pub(crate) fn refused(&self, reason: &'static str, words: Words) -> Explaining {
        let verdict = Verdict(Arc::new(Judged {
            reason,
            words: OnceLock::new(),
        }));
        self.draft().verdict = Some(verdict.clone());
        Explaining {
            journal: Arc::clone(&self.0.journal),
            verdict,
            words: Some(words),
        }
    }

    /// Whose signature the request claims to carry.
    pub(crate) fn claimed_key(&self, access_key_id: Option<&str>) {
        self.draft().claimed_key = access_key_id.map(str::to_owned);
    }

    /// The request met a fault.
    pub(crate) fn fault(&self, hit: FaultHit) {
        self.draft().faults.push(hit);
    }

    /// A fault closes the connection instead of an answer.
    pub(crate) fn closed(&self) {
        self.draft().closed = true;
    }

    /// All that was noted. What is noted later is lost.
    pub(crate) fn take(&self) -> Draft {
        std::mem::take(&mut self.draft())
    }

    /// Nothing that holds the lock can panic.
    fn draft(&self) -> MutexGuard<'_, Draft> {
        self.0.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sentence that says why, and one that says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) explanation: String,
    pub(crate) advice: String,
}

/// Why a signature was refused, as far as that is known yet.
#[derive(Clone, Debug)]
pub(super) struct Verdict(Arc<Judged>);

#[derive(Debug)]
struct Judged {
    reason: &'static str,
    words: OnceLock<Words>,
}

impl Verdict {
    /// How much memory one takes at most, or nearly so.
    pub(super) const BYTES: usize = 2_048;

    pub(super) fn reason(&self) -> &'static str {
        self.0.reason
    }

    pub(super) fn is_pending(&self) -> bool {
        self.0.words.get().is_none()
    }

    pub(super) fn show(&self) -> Refusal {
        let words = self.0.words.get();
        let (explanation, advice) = match words {
            Some(words) => (words.explanation.as_str(), words.advice.as_str()),
            None => ("what the client did wrong is being looked into", ""),
        };
        Refusal {
            reason: self.0.reason.to_owned(),
            explanation: super::redact::redacted(explanation),
            advice: advice.to_owned(),
        }
    }
}

/// A refusal that is being looked into.
pub(crate) struct Explaining {
    journal: Arc<Journal>,
    verdict: Verdict,
    /// What is known of it now.
    words: Option<Words>,
}

impl Explaining {
    /// It is known why.
    pub(crate) fn explained(mut self, words: Words) {
        self.words = Some(words);
    }
}

impl Drop for Explaining {
    fn drop(&mut self) {
        if let Some(words) = self.words.take() {
            // Nobody else sets them.
            let _ = self.verdict.0.words.set(words);
        }
        self.journal.tell();
    }
}

/// The beginning of a body.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    beginning: Box<[u8]>,
    /// How long the whole body is, in bytes.
    pub(super) length: usize,
}

impl Excerpt {
    fn of(body: &[u8]) -> Self {
        let end = body.len().min(limits::JOURNAL_BODY_BYTES_MAX);
        Self {
            beginning: body[..end].into(),
            length: body.len(),
        }
    }

    pub(super) fn kept(&self) -> usize {
        self.beginning.len()
    }

    /// The excerpt as text. A character that the cut goes through is left out.
    pub(super) fn text(&self) -> String {
        match std::str::from_utf8(&self.beginning) {
            Ok(text) => text.to_owned(),
            Err(error) if error.error_len().is_none() => {
                String::from_utf8_lossy(&self.beginning[..error.valid_up_to()]).into_owned()
            }
            Err(_) => String::from_utf8_lossy(&self.beginning).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        let body = format!("a{}", "é".repeat(600));
        let excerpt = Excerpt::of(body.as_bytes());
        assert_eq!((excerpt.kept(), excerpt.length), (1_024, 1_201));
        assert_eq!(excerpt.text(), format!("a{}", "é".repeat(511)));
        assert_eq!(Excerpt::of(b"a\xffb").text(), "a\u{fffd}b");
    }
}
