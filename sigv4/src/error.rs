//! What can be wrong: with a request to sign, with the signature a request carries, and with what
//! that signature says.

use std::fmt;
use std::time::Duration;

use crate::canonical::{CanonicalRequest, StringToSign};
use crate::scope::ScopeError;
use crate::streaming::ChunkedHeadError;
use crate::time::{DateOutOfRange, DateTime};

/// Why a request was not signed. Each is the caller's to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignError {
    /// The method is not an HTTP token.
    Method(String),
    /// A header's name is not an HTTP token.
    HeaderName(String),
    /// No `Host` header, or an empty one. Set it to what will be sent, port included unless it is
    /// the scheme's own; a signature without it is accepted nowhere.
    HostMissing,
    /// More than one `Host` header.
    HostRepeated,
    /// The query already carries a signature, which header-form signing cannot take away. Presign
    /// anew, or sign the request without its `X-Amz-*` parameters.
    AlreadyPresigned,
    /// A presigned request must live between 1 second and 7 days (604,800 seconds).
    Expires(Duration),
    /// The time of signing cannot be written.
    Date(DateOutOfRange),
    /// The signer's region or service cannot stand in a credential scope.
    Scope(ScopeError),
    /// The access key id is empty, or holds something other than visible ASCII, or `/` or `,`.
    AccessKeyId(String),
    /// The session token is empty or holds something other than visible ASCII.
    SessionToken,
    /// SigV4a only: no key derives from the secret. The chance of that is less than one in 2^8000.
    NoKey,
    /// A streamed body goes with the header form only: its announcement is a header, which
    /// presigning leaves out.
    StreamingPresigned,
    /// A message of an event stream is too large with its framing.
    EventTooLarge {
        /// The most bytes it may have.
        limit: usize,
    },
    /// The request does not have the headers of an `aws-chunked` body.
    ChunkedHead(ChunkedHeadError),
    /// The presigned target is no legal URI: its path or query holds bytes that must be encoded,
    /// or it is too long.
    Uri,
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => write!(f, "the method {method:?} is not an HTTP token"),
            Self::HeaderName(name) => write!(f, "the header name {name:?} is not an HTTP token"),
            Self::HostMissing => f.write_str("the request has no Host header; set it before signing"),
            Self::HostRepeated => f.write_str("the request has more than one Host header"),
            Self::AlreadyPresigned => f.write_str(
                "the query already carries a signature; remove its X-Amz-* parameters or presign anew",
            ),
            Self::Expires(given) => {
                write!(f, "a presigned request lives 1 to 604800 seconds, not {}", given.as_secs())
            }
            Self::Date(error) => error.fmt(f),
            Self::Scope(error) => error.fmt(f),
            Self::AccessKeyId(id) => {
                write!(f, "{id:?} is no access key id: visible ASCII without '/' and ',' is")
            }
            Self::SessionToken => f.write_str("the session token is empty or not visible ASCII"),
            Self::NoKey => f.write_str("no key on the curve P-256 derives from this secret"),
            Self::StreamingPresigned => {
                f.write_str("a streamed body cannot be presigned; sign in the header form")
            }
            Self::EventTooLarge { limit } => {
                write!(f, "a message of an event stream exceeds {limit} bytes")
            }
            Self::ChunkedHead(error) => error.fmt(f),
            Self::Uri => f.write_str("the presigned target is not a legal URI"),
        }
    }
}

impl std::error::Error for SignError {}

impl From<DateOutOfRange> for SignError {
    fn from(error: DateOutOfRange) -> Self {
        Self::Date(error)
    }
}

impl From<ChunkedHeadError> for SignError {
    fn from(error: ChunkedHeadError) -> Self {
        Self::ChunkedHead(error)
    }
}

impl From<ScopeError> for SignError {
    fn from(error: ScopeError) -> Self {
        Self::Scope(error)
    }
}

/// A part of a signature, in either form. Ordered as AWS's messages list missing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// `X-Amz-Algorithm`; in the header form the word before the parameters.
    Algorithm,
    /// `Credential`, or `X-Amz-Credential`.
    Credential,
    /// `Signature`, or `X-Amz-Signature`.
    Signature,
    /// `SignedHeaders`, or `X-Amz-SignedHeaders`.
    SignedHeaders,
    /// `X-Amz-Date`; in the header form the header of that name, or `Date`.
    Date,
    /// `X-Amz-Expires`, in the query form only.
    Expires,
    /// `X-Amz-Region-Set`, in SigV4a only; in the header form the header of that name.
    RegionSet,
}

impl Parameter {
    /// The name in the query form, as `X-Amz-Credential`. In the header form the names are the same
    /// without `X-Amz-`, but for the date.
    #[must_use]
    pub const fn query_name(self) -> &'static str {
        match self {
            Self::Algorithm => "X-Amz-Algorithm",
            Self::Credential => "X-Amz-Credential",
            Self::Signature => "X-Amz-Signature",
            Self::SignedHeaders => "X-Amz-SignedHeaders",
            Self::Date => "X-Amz-Date",
            Self::Expires => "X-Amz-Expires",
            Self::RegionSet => "X-Amz-Region-Set",
        }
    }

    /// The name in the header form: a parameter of `Authorization`, or the header `X-Amz-Date` or
    /// `X-Amz-Region-Set`.
    #[must_use]
    pub const fn header_name(self) -> &'static str {
        match self {
            Self::Algorithm => "Algorithm",
            Self::Credential => "Credential",
            Self::Signature => "Signature",
            Self::SignedHeaders => "SignedHeaders",
            Self::Date => "X-Amz-Date",
            Self::Expires => "Expires",
            Self::RegionSet => "X-Amz-Region-Set",
        }
    }
}

/// A piece of a request as it came, for a message to the one who sent it. An `Authorization`
/// header of another scheme can hold a password, so neither `Debug` nor any error's text shows it:
/// only [`as_str`](Self::as_str) does. At most 8 KiB of it are kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Fragment(String);

/// The most bytes that a [`Fragment`] keeps.
const FRAGMENT_MAX: usize = 8 * 1024;

impl Fragment {
    pub(crate) fn new(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let kept = &bytes[..bytes.len().min(FRAGMENT_MAX)];
        Self(String::from_utf8_lossy(kept).into_owned())
    }

    /// The text, where not UTF-8 with replacement characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fragment({} bytes)", self.0.len())
    }
}

/// Why a request carries no signature that could be checked: it has none, or it is malformed.
/// AWS answers most of these with status 400 and `IncompleteSignature`.
///
/// The enum is exhaustive on purpose: a server that learns of a new reason has to say what it
/// answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimError {
    /// No `Authorization` header and no signature in the query.
    Missing,
    /// A signature in the `Authorization` header and one in the query.
    BothForms,
    /// A part of the request is longer than any real one.
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The most that is read: bytes, or for names and parameters how many.
        limit: usize,
    },
    /// A header or parameter that must be there once stands there more often.
    Repeated {
        /// Its name.
        name: &'static str,
    },
    /// A header or parameter is not UTF-8.
    NotText {
        /// Its name.
        name: &'static str,
    },
    /// A piece of the `Authorization` header has no equal sign.
    NotKeyValue {
        /// The piece.
        fragment: Fragment,
    },
    /// Parts of a signature in the header form are missing; a date is one of them.
    MissingParameters {
        /// Which, in the order of AWS's messages. Never empty.
        parameters: Vec<Parameter>,
    },
    /// Parts of a signature in the query form are missing.
    MissingQueryParameters {
        /// Which, in the order of AWS's messages. Never empty.
        parameters: Vec<Parameter>,
    },
    /// The `Authorization` header has a parameter that signatures do not have.
    UnknownParameter {
        /// Its name.
        fragment: Fragment,
    },
    /// Not the algorithm that is read: `AWS4-HMAC-SHA256`, unless SigV4a is asked for.
    Algorithm {
        /// What it is instead.
        fragment: Fragment,
    },
    /// The credential is not five parts of visible ASCII: access key id, date, region, service and
    /// `aws4_request`, separated by slashes. In SigV4a it is four: there is no region.
    Credential {
        /// What it is instead.
        fragment: Fragment,
    },
    /// The date is not `YYYYMMDDTHHMMSSZ`, nor, in a `Date` header, the form of RFC 9110.
    Date {
        /// What it is instead.
        fragment: Fragment,
    },
    /// `SignedHeaders` is not a list of names in lower case, sorted, each once, with `;` between.
    SignedHeaders {
        /// The name at which that breaks.
        fragment: Fragment,
    },
    /// `X-Amz-Expires` is not a number from 1 to 604800.
    Expires {
        /// What it is instead.
        fragment: Fragment,
    },
    /// In SigV4a only: `X-Amz-Region-Set` is not a list of regions, each of visible ASCII, with
    /// commas between.
    RegionSet {
        /// What it is instead.
        fragment: Fragment,
    },
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the request carries no signature"),
            Self::BothForms => {
                f.write_str("the request carries a signature both in a header and in the query")
            }
            Self::TooLarge { what, limit } => write!(f, "{what} exceeds {limit}"),
            Self::Repeated { name } => write!(f, "{name} stands in the request more than once"),
            Self::NotText { name } => write!(f, "{name} is not UTF-8"),
            Self::NotKeyValue { .. } => f.write_str(
                "a part of the Authorization header is no key=value pair: it must read \
                 AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…",
            ),
            Self::MissingParameters { parameters } => {
                let names = parameters.iter().map(|parameter| parameter.header_name());
                write!(f, "the signature lacks {}", names.collect::<Vec<_>>().join(", "))
            }
            Self::MissingQueryParameters { parameters } => {
                let names = parameters.iter().map(|parameter| parameter.query_name());
                write!(f, "the query lacks {}", names.collect::<Vec<_>>().join(", "))
            }
            Self::UnknownParameter { .. } => f.write_str(
                "the Authorization header has a parameter other than Credential, SignedHeaders \
                 and Signature",
            ),
            Self::Algorithm { .. } => f.write_str(
                "the algorithm is not AWS4-HMAC-SHA256 (or AWS4-ECDSA-P256-SHA256, where SigV4a is read)",
            ),
            Self::Credential { .. } => {
                f.write_str(
                    "the credential is not id/date/region/service/aws4_request (without a region \
                     in SigV4a)",
                )
            }
            Self::Date { .. } => f.write_str("the date is not of the form YYYYMMDDTHHMMSSZ"),
            Self::SignedHeaders { .. } => f.write_str(
                "SignedHeaders is not a list of lower-case names, sorted, each once, with ';' between",
            ),
            Self::Expires { .. } => f.write_str("X-Amz-Expires is not a number from 1 to 604800"),
            Self::RegionSet { .. } => f.write_str(
                "X-Amz-Region-Set is not a list of regions in visible ASCII with ',' between",
            ),
        }
    }
}

impl std::error::Error for ClaimError {}

/// Why a well-formed signature was refused. AWS answers most of these with status 403 and
/// `SignatureDoesNotMatch` or, in JSON protocols, `InvalidSignatureException`.
///
/// Nothing in here is secret, except that a canonical request may hold a session token, which
/// `Debug` and the error's text leave out. The right signature is never in here.
///
/// The enum is exhaustive on purpose: a server that learns of a new reason has to say what it
/// answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// The time passed in cannot be written.
    Now(DateOutOfRange),
    /// The method is not an HTTP token.
    Method(String),
    /// The scope's day is not the day of the request's date.
    ScopeDate {
        /// The day in the scope, as it came.
        scope_date: String,
        /// The request's date.
        request_date: DateTime,
    },
    /// The scope does not end in `aws4_request`.
    Terminator {
        /// What it ends in.
        found: String,
    },
    /// The scope names another region. In SigV4a: the region set does not cover the right one.
    Region {
        /// The region it names, or the whole set.
        found: String,
        /// The right one.
        expected: String,
    },
    /// The scope names another service.
    Service {
        /// The service it names.
        found: String,
        /// The right one.
        expected: String,
    },
    /// Header form: the request is older than the tolerance.
    Expired {
        /// The request's date.
        request_date: DateTime,
        /// The earliest date that would do: `now` less the tolerance.
        limit: DateTime,
        /// The verifier's time.
        now: DateTime,
        /// The tolerance, 15 minutes by default.
        tolerance: Duration,
    },
    /// Query form: the request's own life is over.
    PresignedExpired {
        /// When it was signed.
        request_date: DateTime,
        /// How long it was to live.
        expires: Duration,
        /// Its last second: the two added.
        limit: DateTime,
        /// The verifier's time.
        now: DateTime,
    },
    /// The request's date lies further ahead than the tolerance.
    NotYetCurrent {
        /// The request's date.
        request_date: DateTime,
        /// The latest date that would do: `now` and the tolerance.
        limit: DateTime,
        /// The verifier's time.
        now: DateTime,
        /// The tolerance, 15 minutes by default.
        tolerance: Duration,
    },
    /// `host`, or an `x-amz-*` header that the request carries, is not among the signed ones.
    HeaderNotSigned(String),
    /// `SignedHeaders` names a header that the request does not carry.
    SignedHeaderAbsent(String),
    /// `x-amz-content-sha256` is not the body's hash.
    PayloadHash {
        /// What the header says, at most 128 bytes of it.
        claimed: String,
        /// The SHA-256 of the body, in hexadecimal.
        actual: String,
    },
    /// `x-amz-content-sha256` says `UNSIGNED-PAYLOAD`, which the settings do not allow.
    UnsignedPayload,
    /// `x-amz-content-sha256` announces a streamed body, but not the kind that is being verified:
    /// [`Claim::verify`](crate::Claim::verify) takes none.
    StreamingPayload {
        /// What it announces, at most 128 bytes of it.
        claimed: String,
    },
    /// The signature is not the one computed from the request and the secret.
    SignatureMismatch {
        /// The canonical request as the verifier sees it.
        canonical_request: CanonicalRequest,
        /// The string to sign as the verifier sees it.
        string_to_sign: StringToSign,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(error) => error.fmt(f),
            Self::Method(method) => write!(f, "the method {method:?} is not an HTTP token"),
            Self::ScopeDate {
                scope_date,
                request_date,
            } => write!(
                f,
                "the credential scope is of {scope_date:?}, the request of {}",
                request_date.date()
            ),
            Self::Terminator { found } => {
                write!(
                    f,
                    "the credential scope ends in {found:?}, not aws4_request"
                )
            }
            Self::Region { found, expected } => {
                write!(f, "signed for region {found:?}, not {expected:?}")
            }
            Self::Service { found, expected } => {
                write!(f, "signed for service {found:?}, not {expected:?}")
            }
            Self::Expired {
                request_date,
                limit,
                now,
                ..
            } => {
                write!(
                    f,
                    "signature expired: {request_date} is earlier than {limit} (now {now})"
                )
            }
            Self::PresignedExpired {
                request_date,
                limit,
                now,
                ..
            } => write!(
                f,
                "presigned request expired: signed {request_date}, good until {limit}, now {now}"
            ),
            Self::NotYetCurrent {
                request_date,
                limit,
                now,
                ..
            } => {
                write!(
                    f,
                    "signature not yet current: {request_date} is later than {limit} (now {now})"
                )
            }
            Self::HeaderNotSigned(name) => write!(f, "the header {name:?} must be signed"),
            Self::SignedHeaderAbsent(name) => {
                write!(
                    f,
                    "the header {name:?} is named as signed but is not in the request"
                )
            }
            Self::PayloadHash { claimed, actual } => {
                write!(
                    f,
                    "x-amz-content-sha256 says {claimed:?}, the body's hash is {actual}"
                )
            }
            Self::UnsignedPayload => f.write_str("an unsigned payload is not accepted"),
            Self::StreamingPayload { claimed } => {
                write!(f, "a streamed payload ({claimed:?}) is not accepted")
            }
            Self::SignatureMismatch { .. } => f.write_str(
                "the signature is not the one computed from the request: the secret differs, or \
                 the request was signed differently or changed on the way",
            ),
        }
    }
}

impl std::error::Error for VerifyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_with_a_request_is_in_no_message() {
        let error = ClaimError::NotKeyValue {
            fragment: Fragment::new("hunter2"),
        };
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }

    #[test]
    fn missing_parameters_are_named_as_their_form_names_them() {
        let parameters = vec![Parameter::Signature, Parameter::Date];
        let error = ClaimError::MissingParameters {
            parameters: parameters.clone(),
        };
        assert_eq!(
            error.to_string(),
            "the signature lacks Signature, X-Amz-Date"
        );
        let error = ClaimError::MissingQueryParameters { parameters };
        assert_eq!(
            error.to_string(),
            "the query lacks X-Amz-Signature, X-Amz-Date"
        );
    }
}
