//! Finding out why a request was refused, after that is settled.
//!
//! To try what a client may have done wrong takes some milliseconds, which neither that client nor
//! any other is to wait for. So it is done aside, and the log's line comes when it is done.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::request::Parts;
use sigv4::explain::Refused;
use sigv4::{Claim, HeaderList, VerifyError};
use tracing::{dispatcher, warn};

use super::aside::{Aside, NotTaken};
use super::keys::{Keyring, Received};
use super::refusal::Refusal;
use crate::journal::Note;

/// What is in the log of a refusal that nothing more was found out about, as too many came at once.
const LEFT_OUT: &str = "; what the client did wrong was not looked for, as other refusals are \
    being looked into";

/// What remains to be found out about a refusal.
pub(super) struct Question {
    pub(super) claim: Claim,
    /// When the request came.
    pub(super) now: SystemTime,
    pub(super) cause: Cause,
}

/// Why a request is refused that has a well-formed signature.
pub(super) enum Cause {
    UnknownAccessKey,
    Verify(VerifyError),
}

impl Question {
    /// The refusal, explained as far as that can be found out.
    pub(super) fn answer(
        &self,
        refusal: Refusal,
        request: &Parts,
        body: &[u8],
        keyring: &Keyring,
    ) -> Refusal {
        let headers = HeaderList::from(request);
        let received = Received {
            claim: &self.claim,
            request: &headers.request(),
            body,
            now: self.now,
        };
        let refused = match &self.cause {
            Cause::UnknownAccessKey => Refused::UnknownAccessKey,
            Cause::Verify(error) => Refused::Verify(error),
        };
        refusal.explained(&keyring.explain(&received, refused))
    }
}

/// Logs and notes refusals, after it found out more about them.
pub(super) struct Diagnosis {
    keyring: Arc<Keyring>,
    aside: Aside,
}

impl Diagnosis {
    pub(super) fn new(keyring: Arc<Keyring>) -> Self {
        Self {
            keyring,
            aside: Aside::default(),
        }
    }

    /// Logs and notes a refusal: at once when there is no question, else when that is answered.
    pub(super) fn log(
        &self,
        refusal: Refusal,
        question: Option<Box<Question>>,
        (request, body): (Parts, Bytes),
        note: &Note,
    ) {
        note.claimed_key(refusal.access_key_id.as_deref());
        let explaining = note.refused(refusal.reason.name(), refusal.words());
        let Some(question) = question else {
            return tell(&refusal, "");
        };
        let unexplained = refusal.clone();
        let keyring = Arc::clone(&self.keyring);
        // What this thread logs to is where the line belongs.
        let log = dispatcher::get_default(Clone::clone);
        let taken = self.aside.take_on(move || {
            let refusal = question.answer(refusal, &request, &body, &keyring);
            dispatcher::with_default(&log, || tell(&refusal, ""));
            explaining.explained(refusal.words());
        });
        if taken == Err(NotTaken) {
            tell(&unexplained, LEFT_OUT);
        }
    }
}

fn tell(refusal: &Refusal, left_out: &str) {
    warn!("refused: {refusal}{left_out}");
}
