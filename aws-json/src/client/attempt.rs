//! One attempt of a call: a signed request, and its whole answer within its time.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    USER_AGENT,
};
use http::{Method, Request};
use http_body_util::Full;
use sigv4::Payload;

use super::Inner;
use super::answer::Answer;
use super::call::Call;
use super::credentials::Identity;
use super::error::{Error, Kind};
use super::retry::{Failure, retry_after};
use super::service::QueryMode;
use super::skew::Skew;
use crate::codec::headers::{X_AMZ_TARGET, X_AMZN_QUERY_MODE};
use crate::codec::target::Target;

/// Says which requests are attempts of one call.
const AMZ_SDK_INVOCATION_ID: HeaderName = HeaderName::from_static("amz-sdk-invocation-id");
/// Says which attempt it is, and how many there may be.
const AMZ_SDK_REQUEST: HeaderName = HeaderName::from_static("amz-sdk-request");

/// How many headers a request has at most, so that their map need not grow.
const HEADERS: usize = 12;

/// Sent with every call and, like every signer's, not signed.
pub(super) const USER_AGENT_VALUE: &str = concat!("aws-json/", env!("CARGO_PKG_VERSION"));

/// What differs between the attempts of one call.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    /// From 1.
    pub(super) number: u32,
    pub(super) invocation_id: &'a [u8; 36],
    /// What is added to our time to sign.
    pub(super) skew: Skew,
}

/// An attempt that failed, and what its answer said beside the error.
pub(super) struct Failed {
    pub(super) error: Error,
    pub(super) retry_after: Option<Duration>,
    pub(super) skew: Option<Skew>,
    /// Whether the next attempt may have other credentials, as these were refused for their age.
    pub(super) renewed: bool,
}

impl Failed {
    /// What the rules for retries look at.
    pub(super) fn failure(&self) -> Failure<'_> {
        Failure {
            cause: self.error.cause(),
            retry_after: self.retry_after,
            skew: self.skew,
            renewed: self.renewed,
        }
    }
}

impl From<Kind> for Failed {
    fn from(kind: Kind) -> Self {
        Self {
            error: Error::new(kind),
            retry_after: None,
            skew: None,
            renewed: false,
        }
    }
}

impl Inner {
    /// Sends one signed request and reads the whole answer, which is a success.
    pub(super) async fn attempt(
        &self,
        call: &Call<'_>,
        attempt: Attempt<'_>,
    ) -> Result<Answer, Failed> {
        let sent = self.clock.now();
        let identity = self.signers.current(attempt.skew.apply(sent)).await;
        let identity = identity.map_err(Kind::Credentials)?;
        let request = self.request(call, attempt, &identity, sent)?;
        let limit = self.attempt_timeout.saturating_add(call.held_for);
        let signed_by = Arc::clone(&identity);
        let result = self
            .wire
            .exchange(request, call.endpoint.uri(), signed_by, limit)
            .await;
        let headers = match &result {
            Ok(answer) => Some(&answer.headers),
            Err(failure) => failure.answer.as_ref().map(|answer| &answer.headers),
        };
        let skew = headers.and_then(|headers| {
            let received = self.clock.now();
            self.skew.record(headers, sent, received)
        });
        let retry_after = headers.and_then(retry_after);
        let error = match result {
            Ok(answer) if answer.status.is_success() => return Ok(answer),
            Ok(answer) => Error::answered(Kind::Refusal, answer),
            Err(failure) => Error::failed(failure),
        };
        let expired = EXPIRED.iter().any(|code| error.is(code));
        Err(Failed {
            renewed: expired && self.signers.expire(&identity),
            error,
            retry_after,
            skew,
        })
    }

    /// The request of an attempt that is sent at this time, by our clock.
    pub(super) fn request(
        &self,
        call: &Call<'_>,
        attempt: Attempt<'_>,
        identity: &Identity,
        sent: SystemTime,
    ) -> Result<Request<Full<Bytes>>, Kind> {
        let service = &self.service;
        let target =
            Target::new(&service.target_prefix, call.operation).map_err(Kind::OperationName)?;
        let mut request = Request::new(Full::new(call.input.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = call.endpoint.uri().clone();
        let headers = request.headers_mut();
        *headers = HeaderMap::with_capacity(HEADERS);
        // Set before signing, so that what is signed and what hyper sends cannot differ.
        headers.insert(HOST, call.endpoint.host_header().clone());
        headers.insert(CONTENT_TYPE, service.version.header_value());
        headers.insert(CONTENT_LENGTH, HeaderValue::from(call.input.len()));
        if let Some(encoding) = call.content_encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        headers.insert(X_AMZ_TARGET, target.header_value());
        match service.query_mode {
            QueryMode::Compatible => {
                headers.insert(X_AMZN_QUERY_MODE, HeaderValue::from_static("true"));
            }
            QueryMode::Unsaid => {}
        }
        let payload = Payload::Bytes(&call.input);
        let time = attempt.skew.apply(sent);
        let signer = identity.signer_for(call.endpoint.region());
        sigv4::sign_request(&signer, &mut request, payload, time).map_err(Kind::Sign)?;
        // Not signed, as proxies may change them.
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
        if let Ok(id) = HeaderValue::from_bytes(attempt.invocation_id) {
            headers.insert(AMZ_SDK_INVOCATION_ID, id);
        }
        headers.insert(AMZ_SDK_REQUEST, self.attempt_header(attempt.number));
        Ok(request)
    }

    /// The header that counts the attempts. That of the first is kept ready.
    fn attempt_header(&self, number: u32) -> HeaderValue {
        if number == 1 {
            return self.first_attempt.clone();
        }
        attempt_header(number, self.retries.max_attempts)
    }
}

/// `attempt=1; max=3`, as AWS's own clients count.
pub(super) fn attempt_header(number: u32, max: u32) -> HeaderValue {
    HeaderValue::try_from(format!("attempt={number}; max={max}"))
        .unwrap_or(HeaderValue::from_static(""))
}

/// The codes of a session that has ended.
const EXPIRED: [&str; 2] = ["ExpiredToken", "ExpiredTokenException"];
