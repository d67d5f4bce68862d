//! What a request asks for, and what it seems to be when it asks for no operation.
//!
//! AWS says no word about what is wrong with such a request; the answers here say what would be
//! right, and the log says it too, since the client may not show an answer that it cannot read.

use std::fmt;

use aws_json::codec::content_type::Version;
use aws_json::codec::target::Target;
use axum::response::Response;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName};
use http::request::Parts;
use sqs::{Error, ErrorCode, Operation};
use tracing::{debug, warn};

use super::answer;

/// How much of a request's words stands in the log, in characters.
const SHOWN_CHARS_MAX: usize = 100;

/// How much of an answer's message stands in the log, in characters.
pub(super) const MESSAGE_CHARS_MAX: usize = 400;

/// A header that browsers send with every request, and programs seldom.
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// What whoever started a client of the Query protocol is told.
pub(crate) const QUERY_PROTOCOL: &str = "the client speaks SQS's older Query protocol, and this \
    server the JSON protocol that took its place; update the SDK: boto3 speaks it since 1.29, and \
    other SDKs since the end of 2023";

/// Which operation a request of the JSON protocol asks for.
pub(crate) fn operation(headers: &HeaderMap) -> Result<Operation, Unasked> {
    if Version::from_headers(headers) != Some(Version::V1_0) {
        return Err(content_type(headers));
    }
    let target = Target::from_headers(headers).map_err(|error| {
        let message = format!("The request names no operation: {error}.");
        Unasked::new(message, "every AWS SDK sets X-Amz-Target by itself")
    })?;
    match Operation::from_name(target.operation()) {
        Some(operation) if target.prefix() == sqs::TARGET_PREFIX => Ok(operation),
        Some(_) | None => Err(no_such(&target)),
    }
}

/// Whether a request is one of SQS's older protocol: it names its operation as the parameter
/// `Action`, in the URL or in a form.
pub(crate) fn is_query_protocol(request: &Parts, body: &[u8]) -> bool {
    let headers = &request.headers;
    if headers.contains_key(aws_json::codec::headers::X_AMZ_TARGET) {
        return false;
    }
    let names_action = |text: &[u8]| {
        let mut parameters = text.split(|b| *b == b'&');
        parameters.any(|parameter| parameter.starts_with(b"Action="))
    };
    let is_form = || text_of(headers, &CONTENT_TYPE).contains("form-urlencoded");
    names_action(request.uri.query().unwrap_or_default().as_bytes())
        || is_form() && names_action(body)
}

/// The refusal of a request of the Query protocol, whose signature holds.
pub(crate) fn refuse_query_protocol() -> Response {
    warn!("refused: {QUERY_PROTOCOL}");
    let message = format!("This request is not served: {QUERY_PROTOCOL}.");
    answer::query_error(&unknown(message))
}

/// The answer to a request that asks for nothing, since it is no POST. A browser that is pointed at
/// the server is no fault of a client.
pub(crate) fn refuse_nothing(request: &Parts) -> Response {
    let (method, path) = (&request.method, shown(request.uri.path()));
    let is_browser = text_of(&request.headers, &ACCEPT).contains("text/html")
        || request.headers.contains_key(SEC_FETCH_MODE);
    if is_browser {
        debug!("a browser asked for {path}");
    } else {
        warn!(
            "refused: {method} {path} asks for no operation; an SQS call is a POST that names one \
             in X-Amz-Target, and whether the server is ready is asked with GET /_fake/health"
        );
    }
    answer::unknown_operation()
}

/// A request that names no operation of SQS's.
#[derive(Debug)]
pub(crate) struct Unasked {
    /// The answer.
    pub(crate) error: Error,
    /// What the log says besides.
    advice: String,
}

impl Unasked {
    fn new(message: String, advice: impl Into<String>) -> Self {
        Self {
            error: unknown(message),
            advice: advice.into(),
        }
    }
}

/// One line for the log. The answer repeats what the request said, so it is cut and escaped.
impl fmt::Display for Unasked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = one_line(self.error.message(), MESSAGE_CHARS_MAX);
        write!(f, "{said} {}", self.advice)
    }
}

fn content_type(headers: &HeaderMap) -> Unasked {
    let expected = Version::V1_0.content_type();
    let message = format!(
        "The request must have the Content-Type {expected}: this server speaks SQS's JSON protocol."
    );
    let advice = match text_of(headers, &CONTENT_TYPE) {
        "" => "It has none.".to_owned(),
        text => format!("It has {}.", shown(text)),
    };
    Unasked::new(message, advice)
}

fn no_such(target: &Target) -> Unasked {
    let message = format!("The operation {target} is not one of SQS's.");
    let prefix = sqs::TARGET_PREFIX;
    let name = target.operation();
    let alike = Operation::ALL
        .iter()
        .find(|operation| operation.name().eq_ignore_ascii_case(name));
    let advice = match alike {
        Some(operation) => format!("Perhaps {prefix}.{operation} is meant."),
        None => format!("One is {prefix}.ReceiveMessage, for example."),
    };
    Unasked::new(message, advice)
}

/// A header's text; empty where there is none, or none that is ASCII.
fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    let value = headers.get(name).map(|value| value.to_str());
    value.and_then(Result::ok).unwrap_or_default()
}

/// Text for the log that may hold words of a request: cut to that many characters, on one line, and
/// without what a terminal would obey.
pub(super) fn one_line(text: &str, chars_max: usize) -> String {
    let mut line = String::with_capacity(text.len().min(chars_max));
    for c in text.chars().take(chars_max) {
        match c {
            '\'' | '"' => line.push(c),
            c => line.extend(c.escape_debug()),
        }
    }
    line
}

/// Words of a request for the log: quoted, escaped, and not long.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{text:?}")
}

fn unknown(message: String) -> Error {
    Error::new(ErrorCode::UnknownOperationException, message)
}
