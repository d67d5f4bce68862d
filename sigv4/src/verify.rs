//! Verifying a claim against the request it came with.

use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::canonical::{Parts, PayloadHash, StringToSign};
use crate::claim::{Claim, Form};
use crate::error::VerifyError;
use crate::headers::{self, HeaderLine, Lines, Name};
use crate::key::{Check, SigningKey, hex_of, is_same_hex};
use crate::request::Request;
use crate::scope::TERMINATOR;
use crate::settings::{PathEncoding, PathNormalization};
use crate::short::Short;
use crate::streaming::{self, StreamingPayload};
use crate::time::{DateTime, unix_seconds_of};
use crate::uri::Query;

/// The longest part of a request that an error repeats, in bytes.
const CLAIMED_MAX: usize = 128;

/// Whether a session token must be covered by the signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionTokenRule {
    /// Like every other `x-amz-*` header or parameter, it must be.
    #[default]
    MustBeSigned,
    /// It may have been added after signing. In the query form, where a request does not say which
    /// it was, both are tried.
    MayBeUnsigned,
}

/// Whether a request may leave its body uncovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnsignedPayload {
    /// The signature must cover the real body.
    #[default]
    Refused,
    /// `UNSIGNED-PAYLOAD`, and of a streamed body `STREAMING-UNSIGNED-PAYLOAD-TRAILER`, is
    /// accepted: as the value of `x-amz-content-sha256`, and where a request
    /// lacks that header, as presigned ones do, by trying. Amazon S3's rule.
    Allowed,
}

/// What a verifier accepts. The default is the general AWS service, any region and service,
/// 15 minutes of tolerance.
///
/// # Example
/// ```
/// let settings = sigv4::VerifySettings::default().with_service("sqs");
/// assert_eq!(settings.tolerance.as_secs(), 900);
/// assert_eq!(settings.region, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifySettings {
    /// The region that the scope must name; any if none.
    pub region: Option<String>,
    /// The service that the scope must name; any if none.
    pub service: Option<String>,
    /// How often the path is encoded.
    pub path_encoding: PathEncoding,
    /// Whether the path's dot segments are resolved.
    pub path_normalization: PathNormalization,
    /// Whether the session token must be signed.
    pub session_token: SessionTokenRule,
    /// Whether the body may be left uncovered.
    pub unsigned_payload: UnsignedPayload,
    /// How far a request's date may be from the verifier's, both bounds included: either way in the
    /// header form, ahead in the query form, whose end the request sets. Whole seconds count.
    pub tolerance: Duration,
}

impl Default for VerifySettings {
    fn default() -> Self {
        Self {
            region: None,
            service: None,
            path_encoding: PathEncoding::default(),
            path_normalization: PathNormalization::default(),
            session_token: SessionTokenRule::default(),
            unsigned_payload: UnsignedPayload::default(),
            tolerance: Duration::from_secs(15 * 60),
        }
    }
}

impl VerifySettings {
    /// These settings for one region.
    #[must_use]
    pub fn with_region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// These settings for one service.
    #[must_use]
    pub fn with_service(mut self, service: impl Into<String>) -> Self {
        self.service = Some(service.into());
        self
    }

    /// These settings with another path encoding.
    #[must_use]
    pub const fn with_path_encoding(mut self, value: PathEncoding) -> Self {
        self.path_encoding = value;
        self
    }

    /// These settings with another rule for dot segments.
    #[must_use]
    pub const fn with_path_normalization(mut self, value: PathNormalization) -> Self {
        self.path_normalization = value;
        self
    }

    /// These settings with another rule for the session token.
    #[must_use]
    pub const fn with_session_token(mut self, value: SessionTokenRule) -> Self {
        self.session_token = value;
        self
    }

    /// These settings with another rule for unsigned payloads.
    #[must_use]
    pub const fn with_unsigned_payload(mut self, value: UnsignedPayload) -> Self {
        self.unsigned_payload = value;
        self
    }

    /// These settings with another tolerance.
    #[must_use]
    pub const fn with_tolerance(mut self, value: Duration) -> Self {
        self.tolerance = value;
        self
    }
}

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
        if scope.date() != self.date_time().date() {
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
        // Each name, and whether there is such a header.
        let mut signed = Short::<(Name<'_>, bool), 8>::new();
        signed.extend(self.signed_headers().map(|name| (Name::new(name), false)));
        let place = |signed: &[(Name<'_>, bool)], name| {
            signed.binary_search_by_key(&name, |&(signed, _)| signed)
        };
        if place(&signed, Name::new(headers::HOST)).is_err() {
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
            if let Ok(at) = place(&signed, line.name) {
                signed[at].1 = true;
                lines.push(line);
            } else if headers::is_amz(name) && !is_exempt(name) {
                return Err(VerifyError::HeaderNotSigned(name.to_ascii_lowercase()));
            }
        }
        if let Some((absent, _)) = signed.iter().find(|(_, is_there)| !is_there) {
            return Err(VerifyError::SignedHeaderAbsent(absent.text.to_owned()));
        }
        headers::sort(&mut lines);
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
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::credentials::{Credentials, Secret};
    use crate::error::ClaimError;
    use crate::request::Payload;
    use crate::scope::Scope;
    use crate::settings::{ContentSha256, SessionToken, Settings};
    use crate::sign::Signer;

    const SIGNED_AT: u64 = 1_440_938_160;
    const BODY: &[u8] = b"{}";

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn date_time(text: &str) -> DateTime {
        DateTime::parse(text).unwrap()
    }

    /// A request as a server holds it.
    #[derive(Clone)]
    struct Received {
        target: Vec<u8>,
        headers: Vec<(String, Vec<u8>)>,
        body: Vec<u8>,
        now: SystemTime,
    }

    impl Received {
        fn signed() -> Self {
            Self::signed_with(Settings::default(), Payload::Bytes(BODY))
        }

        fn signed_with(settings: Settings, payload: Payload<'_>) -> Self {
            let headers: [(&str, &[u8]); 2] =
                [("host", b"a"), ("x-amz-target", b"AmazonSQS.ListQueues")];
            let request = Request::new("POST", "/", &headers);
            let signed = signer(settings)
                .sign(&request, payload, at(SIGNED_AT))
                .unwrap();
            let added = signed
                .headers()
                .map(|(name, value)| (name, value.as_bytes()));
            let all = headers.into_iter().chain(added);
            Self {
                target: b"/".to_vec(),
                headers: all
                    .map(|(name, value)| (name.to_owned(), value.to_vec()))
                    .collect(),
                body: BODY.to_vec(),
                now: at(SIGNED_AT),
            }
        }

        fn presigned(expires: u64) -> Self {
            Self::presigned_with(Settings::default(), Payload::Bytes(BODY), expires)
        }

        fn presigned_with(settings: Settings, payload: Payload<'_>, expires: u64) -> Self {
            let request = Request::new("POST", "/", &[("host", b"a")]);
            let expires = Duration::from_secs(expires);
            let presigned = signer(settings)
                .presign(&request, payload, at(SIGNED_AT), expires)
                .unwrap();
            Self {
                target: presigned.target().to_vec(),
                headers: vec![("host".to_owned(), b"a".to_vec())],
                body: BODY.to_vec(),
                now: at(SIGNED_AT),
            }
        }

        fn set(&mut self, name: &str, value: &str) {
            let line = self
                .headers
                .iter_mut()
                .find(|(given, _)| given == name)
                .unwrap();
            line.1 = value.as_bytes().to_vec();
        }

        fn edit(&mut self, name: &str, from: &str, to: &str) {
            let line = self
                .headers
                .iter()
                .find(|(given, _)| given == name)
                .unwrap();
            let old = String::from_utf8(line.1.clone()).unwrap();
            assert!(old.contains(from), "{old}");
            self.set(name, &old.replace(from, to));
        }

        fn add(&mut self, name: &str, value: &str) {
            self.headers
                .push((name.to_owned(), value.as_bytes().to_vec()));
        }

        fn remove(&mut self, name: &str) {
            self.headers.retain(|(given, _)| given != name);
        }

        fn verify(&self, settings: &VerifySettings) -> Result<Verified, VerifyError> {
            let headers: Vec<(&str, &[u8])> = self
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), &value[..]))
                .collect();
            let request = Request::new("POST", &self.target, &headers);
            let claim = Claim::parse(&request).unwrap();
            let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
            claim.verify(&request, &self.body, &key, self.now, settings)
        }

        fn refusal(&self) -> VerifyError {
            self.verify(&VerifySettings::default()).unwrap_err()
        }
    }

    fn signer(settings: Settings) -> Signer {
        let mut credentials = Credentials::new("AKID", "secret");
        if settings.session_token == SessionToken::AppendedUnsigned {
            credentials = credentials.with_session_token("hush");
        }
        Signer::new(credentials, "us-east-1", "sqs").with_settings(settings)
    }

    #[test]
    fn the_scope_must_be_of_the_request_and_of_here() {
        let good = Received::signed();
        let here = VerifySettings::default()
            .with_region("us-east-1")
            .with_service("sqs");
        assert!(good.verify(&here).is_ok());
        assert_eq!(
            good.verify(&here.clone().with_region("eu-west-1")),
            Err(VerifyError::Region {
                found: "us-east-1".into(),
                expected: "eu-west-1".into()
            })
        );
        assert_eq!(
            good.verify(&here.with_service("sns")),
            Err(VerifyError::Service {
                found: "sqs".into(),
                expected: "sns".into()
            })
        );
        let mut other_day = good.clone();
        other_day.edit("Authorization", "/20150830/", "/20150829/");
        assert_eq!(
            other_day.refusal(),
            VerifyError::ScopeDate {
                scope_date: "20150829".into(),
                request_date: date_time("20150830T123600Z")
            }
        );
        let mut other_end = good;
        other_end.edit("Authorization", "aws4_request", "aws5_request");
        assert_eq!(
            other_end.refusal(),
            VerifyError::Terminator {
                found: "aws5_request".into()
            }
        );
    }

    #[test]
    fn the_header_form_has_fifteen_minutes_each_way() {
        let mut received = Received::signed();
        let settings = VerifySettings::default();
        for now in [SIGNED_AT - 900, SIGNED_AT, SIGNED_AT + 900] {
            received.now = at(now);
            assert!(received.verify(&settings).is_ok(), "{now}");
        }
        received.now = at(SIGNED_AT + 901);
        assert_eq!(
            received.refusal(),
            VerifyError::Expired {
                request_date: date_time("20150830T123600Z"),
                limit: date_time("20150830T123601Z"),
                now: date_time("20150830T125101Z"),
                tolerance: Duration::from_secs(900),
            }
        );
        received.now = at(SIGNED_AT - 901);
        assert_eq!(
            received.refusal(),
            VerifyError::NotYetCurrent {
                request_date: date_time("20150830T123600Z"),
                limit: date_time("20150830T123559Z"),
                now: date_time("20150830T122059Z"),
                tolerance: Duration::from_secs(900),
            }
        );
        let hour = settings.with_tolerance(Duration::from_secs(3600));
        assert!(received.verify(&hour).is_ok());
    }

    #[test]
    fn the_query_form_lives_as_long_as_it_says() {
        let settings = VerifySettings::default();
        for expires in [1, 60, 604_800] {
            let mut received = Received::presigned(expires);
            for now in [SIGNED_AT - 900, SIGNED_AT, SIGNED_AT + expires] {
                received.now = at(now);
                assert!(received.verify(&settings).is_ok(), "{expires} {now}");
            }
            received.now = at(SIGNED_AT + expires + 1);
            assert!(matches!(
                received.refusal(),
                VerifyError::PresignedExpired { .. }
            ));
            received.now = at(SIGNED_AT - 901);
            assert!(matches!(
                received.refusal(),
                VerifyError::NotYetCurrent { .. }
            ));
        }
        let mut received = Received::presigned(60);
        received.now = at(SIGNED_AT + 61);
        assert_eq!(
            received.refusal(),
            VerifyError::PresignedExpired {
                request_date: date_time("20150830T123600Z"),
                expires: Duration::from_secs(60),
                limit: date_time("20150830T123700Z"),
                now: date_time("20150830T123701Z"),
            }
        );
    }

    #[test]
    fn host_and_every_amz_header_must_be_signed() {
        let not_signed = |name: &str| VerifyError::HeaderNotSigned(name.to_owned());
        for name in [
            "x-amz-extra",
            "X-AMZ-Extra",
            "x-amz-security-token",
            "x-amz-",
        ] {
            for mut received in [Received::signed(), Received::presigned(60)] {
                received.add(name, "1");
                assert_eq!(received.refusal(), not_signed(&name.to_lowercase()));
            }
        }
        for name in ["x-amz", "x-amzn-trace-id", "x-extra", "user-agent"] {
            let mut received = Received::signed();
            received.add(name, "1");
            assert!(
                received.verify(&VerifySettings::default()).is_ok(),
                "{name}"
            );
        }
        for name in ["host", "x-amz-date", "x-amz-target"] {
            let mut received = Received::signed();
            let end = if name == "x-amz-target" { "" } else { ";" };
            let start = if name == "x-amz-target" { ";" } else { "" };
            received.edit("Authorization", &format!("{start}{name}{end}"), "");
            assert_eq!(received.refusal(), not_signed(name));
        }
    }

    #[test]
    fn a_signed_header_must_be_there() {
        for name in ["host", "x-amz-target"] {
            let mut received = Received::signed();
            received.remove(name);
            assert_eq!(
                received.refusal(),
                VerifyError::SignedHeaderAbsent(name.to_owned())
            );
        }
    }

    #[test]
    fn the_payload_hash_is_of_the_real_body() {
        let settings = Settings::default().with_content_sha256(ContentSha256::Add);
        let mut received = Received::signed_with(settings, Payload::Bytes(BODY));
        assert!(received.verify(&VerifySettings::default()).is_ok());
        received.body = b"{ }".to_vec();
        let claimed = hex::encode(Sha256::digest(BODY));
        let actual = hex::encode(Sha256::digest(b"{ }"));
        assert_eq!(
            received.refusal(),
            VerifyError::PayloadHash { claimed, actual }
        );

        let mut unstated = Received::signed();
        unstated.body.clear();
        assert!(matches!(
            unstated.refusal(),
            VerifyError::SignatureMismatch { .. }
        ));

        received.set("x-amz-content-sha256", &"0".repeat(1000));
        let VerifyError::PayloadHash { claimed, .. } = received.refusal() else {
            panic!()
        };
        assert_eq!(claimed.len(), CLAIMED_MAX);
        let streaming = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
        received.set("x-amz-content-sha256", streaming);
        assert_eq!(
            received.refusal(),
            VerifyError::StreamingPayload {
                claimed: streaming.into()
            }
        );
    }

    #[test]
    fn an_unsigned_payload_is_refused_unless_allowed() {
        let allowed = VerifySettings::default().with_unsigned_payload(UnsignedPayload::Allowed);
        let stated = Settings::default().with_content_sha256(ContentSha256::Add);
        let stated = Received::signed_with(stated, Payload::Unsigned);
        assert_eq!(stated.refusal(), VerifyError::UnsignedPayload);
        let unstated = Received::signed_with(Settings::default(), Payload::Unsigned);
        let presigned = Received::presigned_with(Settings::default(), Payload::Unsigned, 60);
        for received in [&unstated, &presigned] {
            assert!(matches!(
                received.refusal(),
                VerifyError::SignatureMismatch { .. }
            ));
        }
        for received in [stated, unstated, presigned] {
            assert_eq!(
                received.verify(&allowed).unwrap().payload,
                Coverage::Unsigned
            );
        }
        for mut received in [Received::signed(), Received::presigned(60)] {
            assert_eq!(received.verify(&allowed).unwrap().payload, Coverage::Signed);
            received.body.clear();
            assert!(received.verify(&allowed).is_err());
        }
    }

    #[test]
    fn a_session_token_may_be_unsigned_only_by_its_setting() {
        let allowed = VerifySettings::default().with_session_token(SessionTokenRule::MayBeUnsigned);
        let appended = Settings::default().with_session_token(SessionToken::AppendedUnsigned);
        let header = Received::signed_with(appended, Payload::Bytes(BODY));
        let query = Received::presigned_with(appended, Payload::Bytes(BODY), 60);
        let not_signed = VerifyError::HeaderNotSigned("x-amz-security-token".into());
        assert_eq!(header.refusal(), not_signed);
        assert!(matches!(
            query.refusal(),
            VerifyError::SignatureMismatch { .. }
        ));
        for received in [&header, &query] {
            let verified = received.verify(&allowed).unwrap();
            assert_eq!(verified.session_token, Some(Coverage::Unsigned));
        }
        // The setting frees the token alone, and in the header form alone the header.
        let mut more = header;
        more.add("x-amz-extra", "1");
        assert!(matches!(
            more.verify(&allowed),
            Err(VerifyError::HeaderNotSigned(_))
        ));
        let mut both = query;
        both.add("x-amz-security-token", "hush");
        assert_eq!(both.verify(&allowed), Err(not_signed));
    }

    #[test]
    fn a_mismatch_shows_what_was_computed() {
        let mut received = Received::signed();
        received.set("x-amz-target", "AmazonSQS.DeleteQueue");
        let VerifyError::SignatureMismatch {
            canonical_request,
            string_to_sign,
        } = received.refusal()
        else {
            panic!()
        };
        assert!(
            canonical_request
                .to_string()
                .contains("x-amz-target:AmazonSQS.DeleteQueue\n")
        );
        let scope = Scope::new(date_time("20150830T123600Z"), "us-east-1", "sqs").unwrap();
        assert_eq!(
            string_to_sign,
            StringToSign::new(date_time("20150830T123600Z"), &scope, &canonical_request)
        );
    }

    #[test]
    fn a_malformed_signature_is_a_wrong_one() {
        for longer in ["Signature=0", "Signature=g", "Signature=é"] {
            let mut received = Received::signed();
            received.edit("Authorization", "Signature=", longer);
            assert!(matches!(
                received.refusal(),
                VerifyError::SignatureMismatch { .. }
            ));
        }
        let mut upper = Received::signed();
        let (start, signature) = {
            let header = String::from_utf8(upper.headers[2].1.clone()).unwrap();
            let (start, signature) = header.split_once("Signature=").unwrap();
            (start.to_owned(), signature.to_owned())
        };
        for other in ["", &signature[..63], &signature.to_uppercase()] {
            upper.set("Authorization", &format!("{start}Signature={other}"));
            assert!(
                matches!(upper.refusal(), VerifyError::SignatureMismatch { .. }),
                "{other}"
            );
        }
        let mut cut = Received::signed();
        cut.edit("Authorization", ", Signature=", ", Signature=x, Y=");
        let headers: Vec<(&str, &[u8])> = cut
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), &value[..]))
            .collect();
        let refused = Claim::parse(&Request::new("POST", "/", &headers)).err();
        assert!(matches!(refused, Some(ClaimError::UnknownParameter { .. })));
    }

    #[test]
    fn a_method_that_is_no_token_is_refused() {
        let headers: Vec<(String, Vec<u8>)> = Received::signed().headers;
        let headers: Vec<(&str, &[u8])> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), &value[..]))
            .collect();
        let request = Request::new("POST\n/", "/", &headers);
        let claim = Claim::parse(&request).unwrap();
        let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
        let settings = VerifySettings::default();
        let refused = claim.verify(&request, BODY, &key, at(SIGNED_AT), &settings);
        assert_eq!(refused, Err(VerifyError::Method("POST\n/".into())));
    }
}
