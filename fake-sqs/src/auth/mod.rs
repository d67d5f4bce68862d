//! The gate in front of every SQS call: nobody passes without a signature that holds.
//!
//! There is no bypass and no anonymous mode. The gate reads the body, finds out who claims to have
//! sent it, looks up that key's secret, and checks the signature against the real time. What
//! passes is [`Admitted`], and a call is served for nothing else.

mod aside;
mod credential;
mod diagnosis;
mod keys;
mod refusal;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::uri::Authority;
use http::{StatusCode, header};
use sigv4::{Claim, HeaderList};
use sqs::{Error, ErrorCode};
use tracing::warn;

pub use self::credential::{AccountId, AccountIdError, Credential, CredentialError, SecretError};
use self::diagnosis::{Cause, Diagnosis, Question};
use self::keys::{Keyring, Received};
use self::refusal::{Reason, Refusal};
use crate::clock::WallClock;
use crate::http::body::BodyError;
use crate::http::protocol::{Protocol, Reply};
use crate::http::{asked, body, limits, sqs_route};
use crate::journal::{Note, subject};

/// Longest name of a region, in bytes. AWS's longest has 15.
const REGION_BYTES_MAX: usize = 64;

/// Who made a call, proved by its signature.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) access_key_id: Arc<str>,
    pub(crate) account: AccountId,
    /// The region of the credential scope: where the caller's queues live.
    pub(crate) region: String,
}

/// Knows the credentials, and checks signatures against them.
pub(crate) struct Authenticator {
    keyring: Arc<Keyring>,
    clock: WallClock,
    diagnosis: Diagnosis,
}

/// A request that is not served, and what could still be found out about it.
struct Refused {
    refusal: Refusal,
    question: Option<Box<Question>>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let question = None;
        Self { refusal, question }
    }
}

impl Authenticator {
    /// Accepts these credentials, whose keys differ, each of its account or the default one.
    pub(crate) fn new(credentials: &[Credential], clock: WallClock) -> Self {
        let keyring = Arc::new(Keyring::new(credentials));
        Self {
            diagnosis: Diagnosis::new(Arc::clone(&keyring)),
            keyring,
            clock,
        }
    }

    /// Finds out who sent a request, or why that is not known.
    fn check(&self, request: &Parts, body: &[u8], protocol: Protocol) -> Result<Caller, Refused> {
        let headers = HeaderList::from(request);
        let signed = headers.request();
        let claim = Claim::parse(&signed).map_err(|error| {
            let authorization = request.headers.get(header::AUTHORIZATION);
            let authorization =
                authorization.map(|value| String::from_utf8_lossy(value.as_bytes()));
            Refusal::from_claim(
                &error,
                &resource(request),
                &authorization.unwrap_or_default(),
            )
        })?;
        let now = self.clock.now();
        let by = |refusal: Refusal| refusal.by(claim.access_key_id());
        let unexplained = |refusal, cause| Refused {
            refusal: by(refusal),
            question: Some(Box::new(Question {
                claim: claim.clone(),
                now,
                cause,
            })),
        };
        if !goes_to_its_host(request) {
            return Err(by(Refusal::other_host()).into());
        }
        let Some(known) = self.keyring.find(claim.access_key_id()) else {
            // A secret must not get into the log as the name of whoever called.
            return Err(if self.keyring.is_secret(claim.access_key_id()) {
                Refusal::secret_as_access_key().into()
            } else {
                unexplained(Refusal::unknown_access_key(), Cause::UnknownAccessKey)
            });
        };
        known.check_session_token(&claim).map_err(by)?;
        let received = Received {
            claim: &claim,
            request: &signed,
            body,
            now,
        };
        known
            .verify(&received)
            .map_err(|error| unexplained(Refusal::from_verify(&error), Cause::Verify(error)))?;
        // What lets a body be left aside must be as its signer sent it.
        let mut signed_headers = claim.signed_headers();
        if protocol.leaves_aside(request, body) && !signed_headers.any(|name| name == CONTENT_TYPE)
        {
            return Err(by(Refusal::type_not_signed()).into());
        }
        let region = claim.scope().region();
        if !is_region(region) {
            return Err(by(Refusal::region(region)).into());
        }
        Ok(Caller {
            access_key_id: known.access_key_id(),
            account: known.account(),
            region: region.to_owned(),
        })
    }
}

/// A request whose signature holds. Nothing but [`Authenticator::admit`] makes one.
pub(crate) struct Admitted {
    parts: Parts,
    body: Bytes,
    caller: Caller,
}

impl Admitted {
    /// The request's head.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Its body, whole.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Who sent it.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }
}

impl Authenticator {
    /// Reads a request's body and checks its signature.
    ///
    /// # Errors
    ///
    /// The answer to a request that is not admitted.
    pub(crate) async fn admit(
        &self,
        (parts, body): (Parts, Body),
        reply: Reply,
        note: &Note,
    ) -> Result<Admitted, Box<Response>> {
        let body = body::read(body, limits::BODY_BYTES_MAX).await;
        let body = body.map_err(|error| Box::new(refuse_body(reply, &error)))?;
        note.request_body(&body);
        match self.check(&parts, &body, reply.protocol) {
            Ok(caller) => {
                note.caller(&caller);
                Ok(Admitted {
                    parts,
                    body,
                    caller,
                })
            }
            Err(refused) => Err(Box::new(self.refuse(refused, (parts, body), reply, note))),
        }
    }

    fn refuse(
        &self,
        refused: Refused,
        (parts, body): (Parts, Bytes),
        reply: Reply,
        note: &Note,
    ) -> Response {
        let Refused {
            mut refusal,
            question,
        } = refused;
        // A GET without a signature asks for no operation, so there is nothing to be denied: AWS answers
        // it, as it answers a browser, that it knows no such operation.
        if refusal.reason == Reason::NoSignature && !reply.protocol.can_ask(&parts) {
            return asked::refuse_nothing(&parts);
        }
        let asked = reply.protocol.asked(&parts, &body);
        if refusal.reason == Reason::NoSignature && asked.has_old_signature() {
            refusal = Refusal::old_signature();
        }
        note.asks(
            asked.operation().ok(),
            asked.named().and_then(|named| subject::queue_named(&named)),
        );
        let answer = reply.error(&refusal.error);
        self.diagnosis.log(refusal, question, (parts, body), note);
        answer
    }
}

/// The answer to a request whose body is not here: AWS's words for that are not known, so it is the
/// error for a body that cannot be read, with the status that HTTP has for the case.
fn refuse_body(reply: Reply, error: &BodyError) -> Response {
    warn!("refused: {error}");
    let status = match error {
        BodyError::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
        BodyError::TooSlow(_) => StatusCode::REQUEST_TIMEOUT,
        BodyError::Broken(_) => StatusCode::BAD_REQUEST,
    };
    let error = Error::new(ErrorCode::SerializationException, error.to_string());
    reply.error_with_status(&error, status)
}

/// The URL that a request was sent to, as AWS repeats it; without the query, which may hold a
/// signature.
fn resource(request: &Parts) -> String {
    let host = sqs_route::host(&request.headers).unwrap_or_default();
    format!("http://{host}{}", request.uri.path())
}

/// Whether the host that is signed, in the `Host` header, is the one that the request goes to. A
/// target in absolute form names that one itself, and it wins over the header (RFC 9112, section
/// 3.2.2), so a signature must not be good for another host there.
fn goes_to_its_host(request: &Parts) -> bool {
    let host = request.headers.get(header::HOST);
    let (Some(target), Some(host)) = (request.uri.authority(), host) else {
        return true;
    };
    let implied = match request.uri.scheme_str() {
        Some("https") => 443,
        Some(_) | None => 80,
    };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(implied);
    Authority::try_from(host.as_bytes()).is_ok_and(|host| {
        host.host().eq_ignore_ascii_case(target.host()) && port(&host) == port(target)
    })
}

/// Whether a region can be a part of ARNs and a name space of queues.
pub(crate) fn is_region(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    (1..=REGION_BYTES_MAX).contains(&name.len()) && name.bytes().all(allowed)
}
