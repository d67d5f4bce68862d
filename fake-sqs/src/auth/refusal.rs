//! What AWS says to a request whose signature is not accepted.
//!
//! The texts are AWS's, as far as they are known: programs match on them. Besides the answer a
//! refusal has an explanation for whoever reads the server's log. Neither holds a secret, a session
//! token, or a signature that the server computed.

use std::borrow::Cow;
use std::fmt;

use http::header::CONTENT_TYPE;
use sigv4::explain::{Certainty, Explanation};
use sigv4::{ClaimError, Parameter, VerifyError};
use sqs::{Error, ErrorCode};

use crate::journal::Words;

/// How much of an access key from a request stands in the log, in characters.
const SHOWN_CHARS_MAX: usize = 128;

/// How much of an explanation stands in the log, in characters.
const EXPLANATION_CHARS_MAX: usize = 1_000;

/// What AWS says when a signature is not the one it computed; also when the payload was signed in
/// a way that only S3 knows, since SQS then computes another one.
const MISMATCH: &str = "The request signature we calculated does not match the signature you \
    provided. Check your AWS Secret Access Key and signing method. Consult the service \
    documentation for details.";

/// What is said to a request that is signed as before Signature Version 4. The first sentence is one
/// of the common errors of the API's version 2011-10-01; what AWS says today is not known.
const OLD_SIGNATURE: &str = "The provided security credentials are not valid. Reason: the request \
    is signed with Signature Version 1 or 2, and only Signature Version 4 (AWS4-HMAC-SHA256) is \
    accepted.";

/// What AWS calls the host in its words for a header that is not signed.
const HOST_NOT_SIGNED: &str = "Host' or ':authority";

/// Why a request is refused, as one word, for logs and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Clock,
    Expired,
    HeaderNotSigned,
    Malformed,
    Method,
    NoSignature,
    NotYetCurrent,
    Payload,
    Region,
    ScopeDate,
    Service,
    SessionToken,
    Signature,
    SignatureVersion,
    SignedHeaderAbsent,
    Terminator,
    UnknownAccessKey,
}

impl Reason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Clock => "Clock",
            Self::Expired => "Expired",
            Self::HeaderNotSigned => "HeaderNotSigned",
            Self::Malformed => "Malformed",
            Self::Method => "Method",
            Self::NoSignature => "NoSignature",
            Self::NotYetCurrent => "NotYetCurrent",
            Self::Payload => "Payload",
            Self::Region => "Region",
            Self::ScopeDate => "ScopeDate",
            Self::Service => "Service",
            Self::SessionToken => "SessionToken",
            Self::Signature => "Signature",
            Self::SignatureVersion => "SignatureVersion",
            Self::SignedHeaderAbsent => "SignedHeaderAbsent",
            Self::Terminator => "Terminator",
            Self::UnknownAccessKey => "UnknownAccessKey",
        }
    }
}

/// A request that is not served, with the answer to it.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// The answer.
    pub(crate) error: Error,
    /// Why, as one word.
    pub(crate) reason: Reason,
    /// Why, as a sentence.
    pub(crate) explanation: String,
    /// What would be right.
    pub(crate) advice: Cow<'static, str>,
    /// Whose signature the request claims to carry; the beginning of it, as it is not checked.
    pub(crate) access_key_id: Option<String>,
}

impl Refusal {
    /// Why, and what would be right, in words.
    pub(crate) fn words(&self) -> Words {
        Words {
            explanation: self.explanation.clone(),
            advice: self.advice.to_string(),
        }
    }

    /// The same refusal, of a request that claims to be signed with this key.
    pub(crate) fn by(mut self, access_key_id: &str) -> Self {
        self.access_key_id = Some(access_key_id.chars().take(SHOWN_CHARS_MAX).collect());
        self
    }

    /// No access key of this name is known. AWS calls access keys tokens here.
    pub(crate) fn unknown_access_key() -> Self {
        Self {
            error: invalid_token(),
            reason: Reason::UnknownAccessKey,
            explanation: "the server has no credential with this access key".to_owned(),
            access_key_id: None,
            advice: "sign with a key that the server was started with (--credential)".into(),
        }
    }

    /// What came as the access key is the secret of one. The answer is the same as to any other
    /// unknown access key.
    pub(crate) fn secret_as_access_key() -> Self {
        Self {
            explanation: "the access key that the request names is the secret of a credential"
                .to_owned(),
            advice: "exchange the two in the client's settings (AWS_ACCESS_KEY_ID and \
                     AWS_SECRET_ACCESS_KEY)"
                .into(),
            ..Self::unknown_access_key()
        }
    }

    /// The session token is not the one that belongs to the key, or is missing, or needless.
    pub(crate) fn session_token(explanation: &'static str, advice: &'static str) -> Self {
        Self {
            error: invalid_token(),
            reason: Reason::SessionToken,
            explanation: explanation.to_owned(),
            advice: advice.into(),
            access_key_id: None,
        }
    }

    /// The request is signed with Signature Version 1 or 2, which AWS takes no longer. The code is the
    /// one that AWS has for requests that are not signed with Signature Version 4.
    pub(crate) fn old_signature() -> Self {
        Self {
            error: Error::new(ErrorCode::InvalidSecurity, OLD_SIGNATURE),
            reason: Reason::SignatureVersion,
            explanation: "the request is signed with Signature Version 1 or 2 (the parameters \
                          SignatureVersion, AWSAccessKeyId and Signature)"
                .to_owned(),
            advice:
                "sign with Signature Version 4, as every AWS SDK that is still kept up does by \
                     itself"
                    .into(),
            access_key_id: None,
        }
    }

    /// The request goes to the host in its target, and another one was signed.
    pub(crate) fn other_host() -> Self {
        Self {
            error: Error::new(
                ErrorCode::InvalidSignatureException,
                not_signed(HOST_NOT_SIGNED),
            ),
            reason: Reason::HeaderNotSigned,
            explanation:
                "the host in the request's target is not the one in its Host header, which \
                          is what was signed"
                    .to_owned(),
            advice: "send the path alone as the target, or the Host that it names".into(),
            access_key_id: None,
        }
    }

    /// The body is not read for its type, and the type is not signed: with another one, what was
    /// signed would be another call.
    pub(crate) fn type_not_signed() -> Self {
        let invalid = ErrorCode::InvalidSignatureException;
        Self {
            error: Error::new(invalid, not_signed(CONTENT_TYPE.as_str())),
            reason: Reason::HeaderNotSigned,
            explanation: "the request's body is not read for its Content-Type, which is not signed"
                .to_owned(),
            advice: "sign content-type, or send the body as a form".into(),
            access_key_id: None,
        }
    }

    /// A region that no queue can live in.
    pub(crate) fn region(region: &str) -> Self {
        Self {
            error: Error::new(ErrorCode::InvalidSignatureException, invalid_region(region)),
            reason: Reason::Region,
            explanation: format!("{region:?} cannot be a region's name"),
            access_key_id: None,
            advice: "sign for a region of letters, digits and hyphens, like us-east-1".into(),
        }
    }

    /// The request carries no signature that could be checked. `resource` is the URL that it was
    /// sent to, `authorization` its header of that name, which AWS repeats to whoever sent it.
    pub(crate) fn from_claim(error: &ClaimError, resource: &str, authorization: &str) -> Self {
        let incomplete = ErrorCode::IncompleteSignatureException;
        let (code, reason, message) = match error {
            ClaimError::Missing => (
                ErrorCode::AccessDeniedException,
                Reason::NoSignature,
                format!("Access to the resource {resource} is denied."),
            ),
            ClaimError::NotKeyValue { fragment } => (
                incomplete,
                Reason::Malformed,
                format!(
                    "'{}' not a valid key=value pair (missing equal-sign) in Authorization \
                     header: '{authorization}'.",
                    fragment.as_str()
                ),
            ),
            ClaimError::MissingParameters { parameters } => (
                incomplete,
                Reason::Malformed,
                missing_parameters(parameters, authorization),
            ),
            ClaimError::MissingQueryParameters { parameters } => (
                incomplete,
                Reason::Malformed,
                missing_query_parameters(parameters),
            ),
            ClaimError::Algorithm { fragment } => (
                incomplete,
                Reason::Malformed,
                format!("Unsupported AWS 'algorithm': '{}'.", fragment.as_str()),
            ),
            ClaimError::Credential { fragment } => (
                incomplete,
                Reason::Malformed,
                format!(
                    "Credential must have exactly 5 slash-delimited elements, e.g. \
                     keyid/date/region/service/term, got '{}'.",
                    fragment.as_str()
                ),
            ),
            ClaimError::Date { fragment } => (
                incomplete,
                Reason::Malformed,
                format!(
                    "Date must be in ISO-8601 'basic format'. Got '{}'. See \
                     http://en.wikipedia.org/wiki/ISO_8601",
                    fragment.as_str()
                ),
            ),
            // How AWS words these is not known.
            ClaimError::BothForms
            | ClaimError::TooLarge { .. }
            | ClaimError::Repeated { .. }
            | ClaimError::NotText { .. }
            | ClaimError::UnknownParameter { .. }
            | ClaimError::SignedHeaders { .. }
            | ClaimError::Expires { .. }
            | ClaimError::RegionSet { .. } => (incomplete, Reason::Malformed, format!("{error}.")),
        };
        let (explanation, advice) = wrong_access_key(error).map_or_else(
            || {
                let advice = if code == ErrorCode::AccessDeniedException {
                    "every call must be signed: give the client credentials"
                } else {
                    "sign with Signature Version 4, as every AWS SDK does by itself"
                };
                (error.to_string(), advice)
            },
            |(explanation, advice)| (explanation.to_owned(), advice),
        );
        Self {
            error: Error::new(code, message),
            reason,
            explanation,
            advice: advice.into(),
            access_key_id: None,
        }
    }

    /// The same refusal, with what was found out about it where that is all there is to it.
    pub(crate) fn explained(mut self, explanation: &Explanation) -> Self {
        if explanation.certainty() == Certainty::Full {
            let text = explanation.to_string();
            self.explanation = text.chars().take(EXPLANATION_CHARS_MAX).collect();
            self.advice = explanation.advice().into();
        }
        self
    }

    /// The signature was checked and does not hold.
    pub(crate) fn from_verify(error: &VerifyError) -> Self {
        let (code, reason, message) = verdict(error);
        Self {
            error: Error::new(code, message),
            reason,
            explanation: error.to_string(),
            advice: advice(error).into(),
            access_key_id: None,
        }
    }
}

/// One line for the log: whose request, why, and what would be right.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            reason,
            explanation,
            advice,
            ..
        } = self;
        f.write_str(reason.name())?;
        if let Some(access_key_id) = &self.access_key_id {
            write!(f, ", access key {access_key_id:?}")?;
        }
        write!(f, ": {explanation}; {advice}")
    }
}

/// What is wrong with the access key of a credential that cannot be read, and what would be right.
/// The key itself is not repeated: what stands there may be a secret.
fn wrong_access_key(error: &ClaimError) -> Option<(&'static str, &'static str)> {
    let ClaimError::Credential { fragment } = error else {
        return None;
    };
    let (key, _scope) = fragment.as_str().split_once('/')?;
    let white = "take it out of the client's access key (AWS_ACCESS_KEY_ID)";
    if key.is_empty() {
        let advice = "give the client an access key (AWS_ACCESS_KEY_ID)";
        Some(("the access key in the credential is empty", advice))
    } else if key.trim() != key {
        Some((
            "the access key in the credential has white space around it",
            white,
        ))
    } else if key.contains(char::is_whitespace) {
        Some((
            "the access key in the credential has white space in it",
            white,
        ))
    } else {
        None
    }
}

fn verdict(error: &VerifyError) -> (ErrorCode, Reason, String) {
    let invalid = ErrorCode::InvalidSignatureException;
    match error {
        VerifyError::SignatureMismatch { .. } => (invalid, Reason::Signature, MISMATCH.to_owned()),
        VerifyError::PayloadHash { .. }
        | VerifyError::UnsignedPayload
        | VerifyError::StreamingPayload { .. } => (invalid, Reason::Payload, MISMATCH.to_owned()),
        VerifyError::Expired {
            request_date,
            limit,
            now,
            tolerance,
        } => (
            invalid,
            Reason::Expired,
            format!(
                "Signature expired: {request_date} is now earlier than {limit} ({now} - {} min.)",
                tolerance.as_secs() / 60
            ),
        ),
        VerifyError::PresignedExpired { limit, now, .. } => (
            invalid,
            Reason::Expired,
            format!("Signature expired: {limit} is now earlier than {now}"),
        ),
        VerifyError::NotYetCurrent {
            request_date,
            limit,
            now,
            tolerance,
        } => (
            invalid,
            Reason::NotYetCurrent,
            format!(
                "Signature not yet current: {request_date} is still later than {limit} ({now} + \
                 {} min.)",
                tolerance.as_secs() / 60
            ),
        ),
        VerifyError::Region { found, .. } => (invalid, Reason::Region, invalid_region(found)),
        VerifyError::Service { expected, .. } => (
            invalid,
            Reason::Service,
            format!("Credential should be scoped to correct service: '{expected}'."),
        ),
        VerifyError::Terminator { found } => (
            invalid,
            Reason::Terminator,
            format!(
                "Credential should be scoped with a valid terminator: 'aws4_request', not \
                 '{found}'."
            ),
        ),
        VerifyError::ScopeDate {
            scope_date,
            request_date,
        } => (
            invalid,
            Reason::ScopeDate,
            format!(
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date \
                 from HTTP: '{scope_date}' != '{}', from '{request_date}'.",
                request_date.date()
            ),
        ),
        VerifyError::HeaderNotSigned(name) => {
            let name = if name == "host" {
                HOST_NOT_SIGNED
            } else {
                name
            };
            (invalid, Reason::HeaderNotSigned, not_signed(name))
        }
        VerifyError::SignedHeaderAbsent(name) => (
            ErrorCode::IncompleteSignatureException,
            Reason::SignedHeaderAbsent,
            format!(
                "'{name}' is named as a SignedHeader, but it does not exist in the HTTP request."
            ),
        ),
        VerifyError::Method(_) => (invalid, Reason::Method, format!("{error}.")),
        VerifyError::Now(_) => (
            ErrorCode::InternalFailure,
            Reason::Clock,
            "The server's clock shows a time that no signature can have.".to_owned(),
        ),
    }
}

/// What would be right, for the log.
fn advice(error: &VerifyError) -> &'static str {
    match error {
        VerifyError::SignatureMismatch { .. } => {
            "compare the client's secret with the server's, and let nothing on the way change \
             Host, path, headers or body"
        }
        VerifyError::PayloadHash { .. } => "let nothing change the body after it was signed",
        VerifyError::UnsignedPayload | VerifyError::StreamingPayload { .. } => {
            "sign the body's hash: other payloads are for S3 only"
        }
        VerifyError::Expired { .. } | VerifyError::NotYetCurrent { .. } => {
            "set the client's clock, or the server's"
        }
        VerifyError::PresignedExpired { .. } => "presign anew, or for longer",
        VerifyError::Region { .. } => "sign for the region that the server expects",
        VerifyError::Service { .. } => "sign for the service sqs",
        VerifyError::Terminator { .. } => "end the credential scope with aws4_request",
        VerifyError::ScopeDate { .. } => "use the day of the request's own date in the scope",
        VerifyError::HeaderNotSigned(_) => "sign host and every x-amz- header that is sent",
        VerifyError::SignedHeaderAbsent(_) => {
            "send every header that was signed; a proxy may have taken it away"
        }
        VerifyError::Method(_) => "send one of HTTP's methods",
        VerifyError::Now(_) => "set the server's clock",
    }
}

/// AWS lists every parameter that is missing, one sentence each, and repeats the header.
fn missing_parameters(parameters: &[Parameter], authorization: &str) -> String {
    let mut text = String::new();
    for parameter in parameters {
        match parameter {
            Parameter::Date => text.push_str(
                "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' \
                 header. ",
            ),
            Parameter::Algorithm
            | Parameter::Credential
            | Parameter::Signature
            | Parameter::SignedHeaders
            | Parameter::Expires
            | Parameter::RegionSet => {
                let name = parameter.header_name();
                text += &format!("Authorization header requires '{name}' parameter. ");
            }
        }
    }
    text + "Authorization=" + authorization
}

/// The same for a signature in the query.
fn missing_query_parameters(parameters: &[Parameter]) -> String {
    let sentence = |parameter: &Parameter| {
        let name = parameter.query_name();
        format!(
            "AWS query-string parameters must include '{name}'. Re-examine the query-string \
             parameters."
        )
    };
    parameters
        .iter()
        .map(sentence)
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_signed(name: &str) -> String {
    format!("'{name}' must be a 'SignedHeader' in the AWS Authorization.")
}

fn invalid_token() -> Error {
    let message = "The security token included in the request is invalid.";
    Error::new(ErrorCode::UnrecognizedClientException, message)
}

fn invalid_region(found: &str) -> String {
    format!("Credential should be scoped to a valid region, not '{found}'.")
}
