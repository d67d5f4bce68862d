//! Requests that name no operation: what they seem to be, and what would be right.
//!
//! AWS says no word about what is wrong with such a request; the answers here say what would be
//! right, and the log says it too, since the client may not show an answer that it cannot read.

use std::fmt;

use axum::response::Response;
use http::header::{ACCEPT, HeaderMap, HeaderName};
use http::request::Parts;
use sqs::{Error, Operation};
use tracing::{debug, warn};

use super::answer;
use crate::config::nearest;

/// How much of a request's words stands in the log, in characters.
const SHOWN_CHARS_MAX: usize = 100;

/// How much of an answer's message stands in the log, in characters.
pub(crate) const MESSAGE_CHARS_MAX: usize = 400;

/// A header that browsers send with every request, and programs seldom.
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The answer to a request that asks for nothing. A browser that is pointed at the server is no
/// fault of a client.
pub(crate) fn refuse_nothing(request: &Parts) -> Response {
    let (method, path) = (&request.method, shown(request.uri.path()));
    let is_browser = text_of(&request.headers, &ACCEPT).contains("text/html")
        || request.headers.contains_key(SEC_FETCH_MODE);
    if is_browser {
        debug!("a browser asked for {path}");
    } else {
        warn!(
            "refused: {method} {path} asks for no operation; an SQS call is a POST that names one \
             in X-Amz-Target, or a GET or a form with the parameter Action, and whether the server \
             is ready is asked with GET /_fake/health"
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
    pub(super) fn new(error: Error, advice: impl Into<String>) -> Self {
        Self {
            error,
            advice: advice.into(),
        }
    }
}

/// One line for the log. The answer repeats what the request said, so it is cut and escaped.
impl fmt::Display for Unasked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = one_line(self.error.message(), MESSAGE_CHARS_MAX);
        // Not all that is said of a form ends as a sentence.
        write!(f, "{}. {}", said.trim_end_matches('.'), self.advice)
    }
}

/// The operation that was perhaps meant by this name, which is that of none.
pub(crate) fn alike(name: &str) -> Option<Operation> {
    let all = Operation::ALL.iter().map(|operation| operation.name());
    Operation::from_name(nearest(name, all)?)
}

/// A header's text; empty where there is none, or none that is ASCII.
pub(super) fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    let value = headers.get(name).map(|value| value.to_str());
    value.and_then(Result::ok).unwrap_or_default()
}

/// Text for the log that may hold words of a request: cut to that many characters, on one line, and
/// without what a terminal would obey.
pub(crate) fn one_line(text: &str, chars_max: usize) -> String {
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
pub(crate) fn shown(text: &str) -> String {
    let text: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{text:?}")
}
