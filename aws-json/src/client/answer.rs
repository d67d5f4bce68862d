//! An answer as it arrives: its head first, then as much of its body as is allowed.

use std::sync::Arc;

use bytes::BytesMut;
use http::response::Parts;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use super::credentials::Identity;
use super::error::Kind;
use crate::codec::error_body::Refusal;
use crate::codec::headers;

/// What arrived of an answer.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: BytesMut,
    /// Who signed what this answers.
    identity: Arc<Identity>,
}

impl Answer {
    /// An answer of which the head is there.
    pub(super) fn new(head: Parts, identity: Arc<Identity>) -> Self {
        Self {
            status: head.status,
            headers: head.headers,
            body: BytesMut::new(),
            identity,
        }
    }

    /// Reads the body, of which what arrived stays when this ends in an error or is dropped
    /// because time ran out.
    pub(super) async fn fill(&mut self, mut incoming: Incoming, limit: usize) -> Result<(), Kind> {
        // The length is the other side's word: not more than 64 KiB is made ready on it.
        let announced = usize::try_from(incoming.size_hint().lower()).unwrap_or(usize::MAX);
        self.body.reserve(announced.min(limit).min(64 * 1024));
        while let Some(frame) = incoming.frame().await {
            let Ok(data) = frame.map_err(Kind::Receive)?.into_data() else {
                continue;
            };
            let room = limit - self.body.len();
            self.body.extend_from_slice(&data[..data.len().min(room)]);
            if data.len() > room {
                return Err(Kind::TooLarge(limit));
            }
        }
        Ok(())
    }

    /// The request id that the service gave.
    pub(super) fn request_id(&self) -> Option<&str> {
        headers::request_id(&self.headers)
    }

    /// The error in a refusal, and nothing for an answer that is none. From now on the session
    /// token stands nowhere in the body or the error, wherever the service repeated it.
    pub(super) fn refusal(&mut self) -> Refusal {
        let identity = Arc::clone(&self.identity);
        let secret = identity.session_token().filter(|token| !token.is_empty());
        if let Some(secret) = secret {
            self.redact(secret);
        }
        if self.status.is_success() {
            return Refusal::default();
        }
        let mut refusal = Refusal::read(&self.headers, &self.body);
        if let Some(secret) = secret
            && refusal.redact(secret, REDACTED)
        {
            // The body may spell it with escapes that nobody searches for.
            self.body.clear();
            self.body.extend_from_slice(REDACTED.as_bytes());
        }
        refusal
    }

    /// Replaces a secret wherever the body repeats it as it is.
    fn redact(&mut self, secret: &str) {
        let mut clean = BytesMut::with_capacity(self.body.len());
        let mut rest = &self.body[..];
        while let Some(at) = find(rest, secret.as_bytes()) {
            clean.extend_from_slice(&rest[..at]);
            clean.extend_from_slice(REDACTED.as_bytes());
            rest = &rest[at + secret.len()..];
        }
        clean.extend_from_slice(rest);
        self.body = clean;
    }
}

/// What stands where a secret was.
const REDACTED: &str = "(redacted)";

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
