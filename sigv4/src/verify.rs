//! Verifying a claim against the request it came with.

mod settings;

use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::canonical::{Parts, PayloadHash, StringToSign};
use crate::claim::{Claim, Form};
use crate::error::VerifyError;
use crate::headers::{self, HeaderLine, Lines, Name};
use crate::key::{Check, SigningKey, hex_of, is_same_hex};
use crate::request::Request;
use crate::scope::TERMINATOR;
use crate::short::Short;
use crate::streaming::{self, StreamingPayload};
use crate::time::{DateTime, unix_seconds_of};
use crate::uri::Query;

pub use self::settings::{SessionTokenRule, UnsignedPayload, VerifySettings};

/// The longest part of a request that an error repeats, in bytes.
const CLAIMED_MAX: usize = 128;

/// A request whose signature is right, and how much it covers.
#[must_use = "it says whether the body is covered"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Whether the body is covered. Of a streamed body it says whether its pieces are: each once it
    /// came out of the decoder.
    pub payload: Coverage,
    /// Whether the session token is covered; none when there is no token.
    pub session_token: Option<Coverage>,
}

/// Whether a part of a request is covered by its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// It is: it is what the signer signed.
    Signed,
    /// It is not: anyone may have changed or added it. Only where the settings allow it.
    Unsigned,
}

impl Claim {
    /// Checks the claim against the request it was parsed from, its real body, the key derived for
    /// its scope, and the time now.
    ///
    /// Checked in this order, and the first fault is the error: the scope's day, end, region and
    /// service; the time; that `host` and every `x-amz-*` header is signed and every signed header
    /// there; `x-amz-content-sha256` if there is one; the signature, in constant time.
    /// Unless [`UnsignedPayload::Allowed`] is set, the signature must cover the body itself: its
    /// hash is computed here, never taken from the request.
    ///
    /// # Errors
    /// [`VerifyError`], which says which of these it was and carries what a server needs to answer
    /// as AWS does.
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Claim, Request, Secret, SigningKey, VerifyError, VerifySettings};
    ///
    /// // The case `get-vanilla` of AWS's suite.
    /// let headers: [(&str, &[u8]); 3] = [
    ///     ("Host", b"example.amazonaws.com"),
    ///     ("X-Amz-Date", b"20150830T123600Z"),
    ///     ("Authorization", b"AWS4-HMAC-SHA256 \
    ///         Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
    ///         SignedHeaders=host;x-amz-date, \
    ///         Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    /// ];
    /// let request = Request::new("GET", "/", &headers);
    /// let settings = VerifySettings::default();
    /// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    ///
    /// let claim = Claim::parse(&request).unwrap();
    /// let secret = Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    /// let key = SigningKey::derive(&secret, claim.scope());
    /// assert!(claim.verify(&request, b"", &key, now, &settings).is_ok());
    ///
    /// let late = now + Duration::from_secs(901);
    /// let refused = claim.verify(&request, b"", &key, late, &settings);
    /// assert!(matches!(refused, Err(VerifyError::Expired { .. })));
    /// ```
    pub fn verify(
        &self,
        request: &Request<'_>,
        body: &[u8],
        key: &SigningKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        let region = self.scope().region();
        self.check_scope(settings, region, |expected| expected == region)?;
        self.check_all_but_scope(request, Body::Whole(body), key, now, settings)
    }

    /// The same for a body that is still to come, in pieces.
    pub(crate) fn verify_head(
        &self,
        request: &Request<'_>,
        payload: StreamingPayload,
        key: &SigningKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        let region = self.scope().region();
        self.check_scope(settings, region, |expected| expected == region)?;
        self.check_all_but_scope(request, Body::Streamed(payload), key, now, settings)
    }

    /// Everything that both algorithms have in common.
    pub(crate) fn check_all_but_scope(
        &self,
        request: &Request<'_>,
        body: Body<'_>,
        key: &impl Check,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        self.check_time(now, settings.tolerance)?;
        let lines = self.signed_lines(request, settings)?;
        let payloads = match body {
            Body::Whole(body) => self.payloads(request, body, settings)?,
            Body::Streamed(payload) => self.announced(request, payload, settings)?,
        };
        self.check_signature(request, &lines, payloads, key, settings)
    }

    /// What is wrong besides the body and the signature: of scope, time and signed headers the first
    /// fault of each.
    pub(crate) fn faults(
        &self,
        request: &Request<'_>,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> impl Iterator<Item = VerifyError> {
        let region = self.scope().region();
        let scope = self
            .check_scope(settings, region, |expected| expected == region)
            .err();
        let time = self.check_time(now, settings.tolerance).err();
        let headers = self.signed_lines(request, settings).err();
        [scope, time, headers].into_iter().flatten()
    }

    /// `regions` is what the request says it is for, and `covers` whether a region is among that.
    pub(crate) fn check_scope(
        &self,
        settings: &VerifySettings,
        regions: &str,
        covers: impl Fn(&str) -> bool,
    ) -> Result<(), VerifyError> {
        let scope = self.scope();
        if scope.date().as_bytes() != &self.date_time().as_bytes()[..8] {
            return Err(VerifyError::ScopeDate {
                scope_date: scope.date().to_owned(),
                request_date: self.date_time(),
            });
        }
        if scope.terminator() != TERMINATOR {
            return Err(VerifyError::Terminator {
                found: scope.terminator().to_owned(),
            });
        }
        if let Some(expected) = settings.region.as_deref().filter(|&r| !covers(r)) {
            return Err(VerifyError::Region {
                found: regions.to_owned(),
                expected: expected.to_owned(),
            });
        }
        if let Some(expected) = settings
            .service
            .as_deref()
            .filter(|&s| s != scope.service())
        {
            return Err(VerifyError::Service {
                found: scope.service().to_owned(),
                expected: expected.to_owned(),
            });
        }
        Ok(())
    }

    fn check_time(&self, now: SystemTime, tolerance: Duration) -> Result<(), VerifyError> {
        let seconds = |span: Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
        let tolerated = seconds(tolerance);
        let request_date = self.date_time();
        let unix_now = unix_seconds_of(now).map_err(VerifyError::Now)?;
        // A negative age is that of a request from the future.
        let age = unix_now - request_date.unix_seconds();
        let life = match self.form() {
            Form::Header => tolerated,
            Form::Query { expires } => seconds(expires),
        };
        if (-tolerated..=life).contains(&age) {
            return Ok(());
        }
        let now = DateTime::from_unix_seconds(unix_now).map_err(VerifyError::Now)?;
        Err(match self.form() {
            _ if age < 0 => VerifyError::NotYetCurrent {
                request_date,
                limit: now.plus_seconds(tolerated),
                now,
                tolerance,
            },
            Form::Header => VerifyError::Expired {
                request_date,
                limit: now.plus_seconds(-tolerated),
                now,
                tolerance,
            },
            Form::Query { expires } => VerifyError::PresignedExpired {
                request_date,
                expires,
                limit: request_date.plus_seconds(life),
                now,
            },
        })
    }

    /// The signed header lines, sorted, once it is clear that all which must be signed are, and that
    /// all which are signed are there.
    fn signed_lines<'a>(
        &self,
        request: &Request<'a>,
        settings: &VerifySettings,
    ) -> Result<Lines<'a>, VerifyError> {
        let mut signed = Short::<Name<'_>, 8>::new();
        signed.extend(self.signed_headers().map(Name::new));
        if !Name::new(headers::HOST).is_in(&signed) {
            return Err(VerifyError::HeaderNotSigned(headers::HOST.to_owned()));
        }
        let is_exempt = |name: &str| {
            settings.session_token == SessionTokenRule::MayBeUnsigned
                && self.form() == Form::Header
                && name.eq_ignore_ascii_case(headers::SECURITY_TOKEN)
        };
        let mut lines = Lines::new();
        for &(name, value) in request.headers {
            let line = HeaderLine::new(name, value);
            if line.name.is_in(&signed) {
                lines.push(line);
            } else if headers::is_amz(name) && !is_exempt(name) {
                return Err(VerifyError::HeaderNotSigned(name.to_ascii_lowercase()));
            }
        }
        headers::sort(&mut lines);
        // Every line is of one of the names, so that counting tells whether one is missing.
        if lines.chunk_by(|a, b| a.name == b.name).count() < signed.len() {
            let is_there = |name: &Name<'_>| lines.iter().any(|line| line.name == *name);
            let absent = signed.iter().find(|name| !is_there(name));
            let absent = absent.map_or("", |name| name.text).to_owned();
            return Err(VerifyError::SignedHeaderAbsent(absent));
        }
        Ok(lines)
    }

    /// What the last line of the canonical request may be: the real body's hash, unless the request
    /// says `UNSIGNED-PAYLOAD` and may.
    fn payloads(
        &self,
        request: &Request<'_>,
        body: &[u8],
        settings: &VerifySettings,
    ) -> Result<Payloads, VerifyError> {
        let allowed = settings.unsigned_payload == UnsignedPayload::Allowed;
        let Some(claimed) = request
            .values(headers::CONTENT_SHA256)
            .next()
            .map(headers::trim)
        else {
            let second = allowed.then_some(PayloadHash::Unsigned);
            return Ok(Payloads {
                first: hash_of(body),
                second,
            });
        };
        if claimed == PayloadHash::Unsigned.as_bytes() {
            return if allowed {
                Ok(Payloads {
                    first: PayloadHash::Unsigned,
                    second: None,
                })
            } else {
                Err(VerifyError::UnsignedPayload)
            };
        }
        let shown = || String::from_utf8_lossy(&claimed[..claimed.len().min(CLAIMED_MAX)]).into();
        if claimed.starts_with(streaming::PREFIX) {
            return Err(VerifyError::StreamingPayload { claimed: shown() });
        }
        let actual = hex_of(&Sha256::digest(body).into());
        let first = PayloadHash::Sha256(actual);
        if is_same_hex(&actual, claimed) {
            let second = None;
            Ok(Payloads { first, second })
        } else {
            Err(VerifyError::PayloadHash {
                claimed: shown(),
                actual: first.as_str().to_owned(),
            })
        }
    }

    /// What the last line of the canonical request must be where a streamed body is announced.
    fn announced(
        &self,
        request: &Request<'_>,
        payload: StreamingPayload,
        settings: &VerifySettings,
    ) -> Result<Payloads, VerifyError> {
        let text = payload.text(self.scope().algorithm());
        let claimed = request.values(headers::CONTENT_SHA256).next();
        let claimed = headers::trim(claimed.unwrap_or_default());
        if claimed != text.as_bytes() {
            let claimed = streaming::shown(claimed);
            return Err(VerifyError::StreamingPayload { claimed });
        }
        if !payload.is_signed() && settings.unsigned_payload == UnsignedPayload::Refused {
            return Err(VerifyError::UnsignedPayload);
        }
        Ok(Payloads {
            first: PayloadHash::Streaming { payload, text },
            second: None,
        })
    }

    fn check_signature(
        &self,
        request: &Request<'_>,
        lines: &[HeaderLine<'_>],
        payloads: Payloads,
        key: &impl Check,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        let not_signed: &[&str] = match self.form() {
            Form::Header => &[],
            Form::Query { .. } => &["X-Amz-Signature"],
        };
        let mut query = Query::parse(request.query, not_signed);
        query.sort();
        let parts = Parts {
            method: headers::checked_method(request).map_err(VerifyError::Method)?,
            path: request.path,
            path_encoding: settings.path_encoding,
            path_normalization: settings.path_normalization,
            query: &query,
            lines,
            signed_headers: self.signed_headers_text(),
            payload: &payloads.first,
        };
        let token = self.session_token().map(|_| self.token_coverage());
        if let Some(payload) = self.matching_payload(&parts, &payloads, key) {
            return Ok(Verified {
                payload,
                session_token: token,
            });
        }
        let may_be_unsigned = settings.session_token == SessionTokenRule::MayBeUnsigned;
        if may_be_unsigned && self.form() != Form::Header && token.is_some() {
            let mut without = query.clone();
            without.remove("X-Amz-Security-Token");
            let parts = Parts {
                query: &without,
                ..parts
            };
            if let Some(payload) = self.matching_payload(&parts, &payloads, key) {
                return Ok(Verified {
                    payload,
                    session_token: Some(Coverage::Unsigned),
                });
            }
        }
        let canonical_request = parts.to_canonical_request();
        let string_to_sign = StringToSign::new(self.date_time(), self.scope(), &canonical_request);
        Err(VerifyError::SignatureMismatch {
            canonical_request,
            string_to_sign,
        })
    }

    /// Whether the signed headers cover the token; in the query form the query tried first does.
    fn token_coverage(&self) -> Coverage {
        let is_listed = self
            .signed_headers()
            .any(|name| name == headers::SECURITY_TOKEN);
        if is_listed || self.form() != Form::Header {
            Coverage::Signed
        } else {
            Coverage::Unsigned
        }
    }

    /// The payload with which the signature is right, if one is.
    fn matching_payload(
        &self,
        parts: &Parts<'_>,
        payloads: &Payloads,
        key: &impl Check,
    ) -> Option<Coverage> {
        [Some(&payloads.first), payloads.second.as_ref()]
            .into_iter()
            .flatten()
            .find_map(|payload| {
                let hash = Parts { payload, ..*parts }.sha256();
                key.is_right(self.signature(), self.date_time(), self.scope(), hash)
                    .then_some(match payload {
                        PayloadHash::Sha256(_) => Coverage::Signed,
                        PayloadHash::Streaming { payload, .. } if payload.is_signed() => {
                            Coverage::Signed
                        }
                        PayloadHash::Unsigned | PayloadHash::Streaming { .. } => Coverage::Unsigned,
                    })
            })
    }
}

/// The body that a claim is verified with.
#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    Whole(&'a [u8]),
    /// It is still to come, in pieces.
    Streamed(StreamingPayload),
}

/// What may be the payload's hash, in the order tried.
#[derive(Clone, Copy)]
struct Payloads {
    first: PayloadHash,
    second: Option<PayloadHash>,
}

fn hash_of(body: &[u8]) -> PayloadHash {
    PayloadHash::Sha256(hex_of(&Sha256::digest(body).into()))
}

#[cfg(test)]
mod tests;
