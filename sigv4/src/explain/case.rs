//! A refused request, taken as what it says of itself, and what is wrong with it at first sight.

use std::rc::Rc;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::candidates::Facet;
use super::draft::{Draft, Line, Query, sha256};
use super::mistake::{Mistake, PathSpelling, SignedPayload};
use super::{Inquiry, Refused};
use crate::algorithm::Algorithm;
use crate::canonical::CanonicalRequest;
use crate::claim::{Claim, Form};
use crate::credentials::Secret;
use crate::error::VerifyError;
use crate::headers::{self, CONTENT_SHA256, SECURITY_TOKEN};
use crate::key::hex_of;
use crate::request::Request;
use crate::settings::PathEncoding;
use crate::time::DateTime;
use crate::uri;
use crate::verify::{UnsignedPayload, VerifySettings};

/// The longest text from a request that a mistake repeats, in bytes.
pub(super) const TEXT_BYTES_MAX: usize = 255;

/// The furthest that a local time is from UTC, in minutes.
const ZONE_MINUTES_MAX: i64 = 14 * 60;

/// Everything about a request that candidates are made from.
pub(super) struct Case<'a> {
    pub(super) request: Request<'a>,
    pub(super) body: &'a [u8],
    pub(super) claim: &'a Claim,
    pub(super) now: SystemTime,
    pub(super) settings: &'a VerifySettings,
    pub(super) known: &'a [(&'a str, &'a Secret)],
    pub(super) hosts: &'a [&'a str],
    /// The secret of the key that the request names, if that is known.
    pub(super) secret: Option<&'a Secret>,
    pub(super) payloads: Payloads,
    /// The names among the signed headers that no header has.
    pub(super) absent: Vec<&'a str>,
    /// What is signed if the request is as its signer sent it.
    pub(super) base: Draft<'a>,
}

/// What the last line of the canonical request may be.
pub(super) struct Payloads {
    /// The hash of the body that arrived.
    pub(super) body: [u8; 64],
    /// Hashes of bodies like it, and of those that are often hashed by mistake.
    pub(super) others: Vec<(SignedPayload, [u8; 64])>,
}

impl<'a> Case<'a> {
    pub(super) fn new(inquiry: &'a Inquiry<'a>) -> Self {
        let (request, claim, settings) = (inquiry.request, inquiry.claim, inquiry.settings);
        let payloads = Payloads::of(inquiry.body);
        let lines = signed_lines(&request, claim);
        let absent = claim
            .signed_headers()
            .filter(|name| {
                lines
                    .binary_search_by(|line| (*line.name).cmp(name))
                    .is_err()
            })
            .collect();
        let known = inquiry
            .known
            .iter()
            .find(|(id, _)| *id == claim.access_key_id());
        let secret = known.map(|(_, secret)| *secret);
        let signature_parameter = match claim.form() {
            Form::Header => None,
            Form::Query { .. } => Some("X-Amz-Signature"),
        };
        let scope = claim.scope();
        let scope = [
            scope.date(),
            scope.region(),
            scope.service(),
            scope.terminator(),
        ];
        let payload = match stated_payload(&request) {
            Some(stated) => stated.into(),
            None => payloads.body.to_vec().into(),
        };
        let base = Draft {
            method: request.method.into(),
            path: request.path.into(),
            path_spelling: match settings.path_encoding {
                PathEncoding::Double => PathSpelling::EncodedTwice,
                PathEncoding::Single => PathSpelling::EncodedOnce,
            },
            path_normalization: settings.path_normalization,
            query: Query::parse(request.query, signature_parameter),
            lower_case: None,
            lines,
            signed_headers: claim.signed_headers_text().into(),
            payload,
            algorithm: Algorithm::HmacSha256.name(),
            date_time: claim.date_time(),
            scope: scope.map(Into::into),
            key_scope: scope.map(Into::into),
            secret: Rc::new(secret.cloned().unwrap_or_else(|| Secret::new(b""))),
        };
        Self {
            request,
            body: inquiry.body,
            claim,
            now: inquiry.now,
            settings,
            known: &inquiry.known,
            hosts: &inquiry.hosts,
            secret,
            payloads,
            absent,
            base,
        }
    }

    /// What is wrong whatever the signature is, each once.
    pub(super) fn stated(&self, refused: Refused<'_>) -> Vec<(Facet, Mistake)> {
        let mut stated: Vec<(Facet, Mistake)> = Vec::new();
        let mut add = |found: Option<(Facet, Mistake)>| {
            if let Some(found) = found.filter(|(facet, _)| stated.iter().all(|(f, _)| f != facet)) {
                stated.push(found);
            }
        };
        if self.names_secret() {
            add(Some((Facet::AccessKey, Mistake::KeysSwapped)));
        } else if self.secret.is_none() {
            add(Some((Facet::AccessKey, Mistake::AccessKeyUnknown)));
        }
        add(self.signature_fault());
        for name in &self.absent {
            let name = clip(name.as_bytes());
            add(Some((
                Facet::Header(name.clone()),
                Mistake::HeaderRemoved { name, signed: None },
            )));
        }
        add(self.payload_fault());
        for fault in self.claim.faults(&self.request, self.now, self.settings) {
            add(self.mistake(&fault));
        }
        match refused {
            Refused::Verify(error) => add(self.mistake(error)),
            Refused::UnknownAccessKey => {}
        }
        stated
    }

    /// Whether what stands for the access key id is the secret of a known one.
    pub(super) fn names_secret(&self) -> bool {
        let id = self.claim.access_key_id();
        self.secret.is_none() && self.known.iter().any(|(_, secret)| secret.matches(id))
    }

    /// The canonical request as it is shown: without a secret that stands for the access key id.
    pub(super) fn shown_canonical(&self) -> CanonicalRequest {
        let mut draft = self.base.clone();
        if self.names_secret() {
            for parameter in &mut draft.query.parameters {
                if uri::is_named(parameter.key, "X-Amz-Credential") {
                    parameter.value = b"redacted";
                }
            }
        }
        let mut bytes = Vec::new();
        draft.write_canonical(&mut bytes);
        CanonicalRequest::from_bytes(bytes)
    }

    /// The first value of a header, without white space around it. The name is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers(name).next().map(headers::trim)
    }

    /// The values of a header.
    pub(super) fn headers(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let all = self.request.headers.iter();
        all.filter(move |(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }

    fn signature_fault(&self) -> Option<(Facet, Mistake)> {
        let signature = self.claim.signature();
        let mistake = if signature.len() != 64 || !signature.bytes().all(|b| b.is_ascii_hexdigit())
        {
            Mistake::SignatureMalformed {
                length: signature.len(),
            }
        } else if signature.bytes().any(|b| b.is_ascii_uppercase()) {
            Mistake::SignatureUpperCase
        } else {
            return None;
        };
        Some((Facet::Signature, mistake))
    }

    /// What is wrong if the stated hash is not the body's.
    fn payload_fault(&self) -> Option<(Facet, Mistake)> {
        let stated =
            stated_payload(&self.request).filter(|stated| *stated != self.payloads.body)?;
        let mistake = if stated == b"UNSIGNED-PAYLOAD" {
            if self.settings.unsigned_payload == UnsignedPayload::Allowed {
                return None;
            }
            Mistake::Payload {
                signed: SignedPayload::Unsigned,
            }
        } else if stated.starts_with(b"STREAMING-") {
            // Whether that is wrong depends on who verifies: the error says so.
            return None;
        } else if let Some(signed) = self.payloads.known(stated) {
            Mistake::Payload { signed }
        } else {
            Mistake::BodyChanged {
                received_length: self.body.len(),
            }
        };
        Some((Facet::Payload, mistake))
    }

    fn mistake(&self, error: &VerifyError) -> Option<(Facet, Mistake)> {
        let found = match error {
            // An absent header is found without the error.
            VerifyError::SignatureMismatch { .. }
            | VerifyError::SignedHeaderAbsent(_)
            | VerifyError::Now(_) => return None,
            VerifyError::Method(_) => (Facet::Method, Mistake::MethodMalformed),
            VerifyError::ScopeDate {
                scope_date,
                request_date,
            } => (
                Facet::Day,
                Mistake::ScopeDate {
                    stated: clip(scope_date.as_bytes()),
                    request_date: *request_date,
                },
            ),
            VerifyError::Terminator { found } => (
                Facet::Terminator,
                Mistake::Terminator {
                    stated: clip(found.as_bytes()),
                },
            ),
            VerifyError::Region { found, expected } => (
                Facet::Region,
                Mistake::Region {
                    stated: clip(found.as_bytes()),
                    right: clip(expected.as_bytes()),
                },
            ),
            VerifyError::Service { found, expected } => (
                Facet::Service,
                Mistake::Service {
                    stated: clip(found.as_bytes()),
                    right: clip(expected.as_bytes()),
                },
            ),
            VerifyError::Expired {
                request_date, now, ..
            }
            | VerifyError::NotYetCurrent {
                request_date, now, ..
            } => (
                Facet::Clock,
                Mistake::Clock {
                    request_date: *request_date,
                    now: *now,
                    zone: zone(*request_date, *now),
                },
            ),
            VerifyError::PresignedExpired { limit, now, .. } => (
                Facet::Clock,
                Mistake::PresignedExpired {
                    limit: *limit,
                    now: *now,
                },
            ),
            VerifyError::HeaderNotSigned(name) => match name.as_str() {
                headers::HOST => (Facet::Host, Mistake::HostNotSigned),
                SECURITY_TOKEN => (
                    Facet::Header(SECURITY_TOKEN.to_owned()),
                    Mistake::SessionTokenUnsigned,
                ),
                name => {
                    let name = clip(name.as_bytes());
                    (Facet::Header(name.clone()), Mistake::HeaderAdded { name })
                }
            },
            VerifyError::PayloadHash { .. } => return self.payload_fault(),
            VerifyError::UnsignedPayload => (
                Facet::Payload,
                Mistake::Payload {
                    signed: SignedPayload::Unsigned,
                },
            ),
            VerifyError::StreamingPayload { claimed } => (
                Facet::Payload,
                Mistake::PayloadStreaming {
                    stated: clip(claimed.as_bytes()),
                },
            ),
        };
        Some(found)
    }
}

impl Payloads {
    /// Reads the body once, however many hashes come of it.
    fn of(body: &[u8]) -> Self {
        let text = |hash: Sha256| hex_of(&hash.finalize().into());
        let trimmed = body.trim_ascii_end();
        let mut hash = Sha256::new();
        hash.update(trimmed);
        let without_space = text(hash.clone());
        hash.update(&body[trimmed.len()..]);
        let whole = text(hash.clone());
        hash.update(b"\n");
        let with_line_feed = text(hash);
        Self {
            body: whole,
            others: vec![
                (SignedPayload::Empty, hex_of(&sha256(b""))),
                (SignedPayload::EmptyObject, hex_of(&sha256(b"{}"))),
                (SignedPayload::WithoutFinalSpace, without_space),
                (SignedPayload::WithFinalLineFeed, with_line_feed),
                (SignedPayload::Null, hex_of(&sha256(b"null"))),
            ],
        }
    }
}

/// A text from a request, at most 255 bytes of it.
pub(super) fn clip(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(TEXT_BYTES_MAX)]).into_owned();
    // A replacement character is longer than what it replaces.
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    text[..end].to_owned()
}

/// The signed headers that arrived, sorted by name.
fn signed_lines<'a>(request: &Request<'a>, claim: &'a Claim) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for name in claim.signed_headers() {
        let values = request
            .headers
            .iter()
            .filter(|(given, _)| given.eq_ignore_ascii_case(name));
        let values: Vec<_> = values.map(|&(_, value)| value.into()).collect();
        if !values.is_empty() {
            lines.push(Line::new(name, values));
        }
    }
    lines
}

/// What `x-amz-content-sha256` says.
fn stated_payload<'a>(request: &Request<'a>) -> Option<&'a [u8]> {
    request.values(CONTENT_SHA256).next().map(headers::trim)
}

/// The time zone whose local time a date would be, in minutes east of UTC.
fn zone(request_date: DateTime, now: DateTime) -> Option<i32> {
    const QUARTER: i64 = 15 * 60;
    let ahead = request_date.unix_seconds() - now.unix_seconds();
    let quarters = (ahead + ahead.signum() * QUARTER / 2) / QUARTER;
    let minutes = quarters * 15;
    let is_near = (ahead - quarters * QUARTER).abs() <= 120;
    let is_zone = minutes.abs() >= 30 && minutes.abs() <= ZONE_MINUTES_MAX;
    (is_near && is_zone).then(|| i32::try_from(minutes).ok())?
}
