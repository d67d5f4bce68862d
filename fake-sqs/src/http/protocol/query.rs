//! AWS Query: a form, in the body of a POST or in the URL, that names its operation as the
//! parameter `Action`; the answers are XML.

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{HeaderValue, Method, StatusCode, Uri};
use sqs::{Error, ErrorCode, Operation};

use super::Named;
use crate::http::answer::{Failure, TEXT_XML};
use crate::http::asked::{Unasked, text_of};
use crate::seed::RequestId;

/// The content type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// What whoever started a client of this protocol is told.
const NOT_SPOKEN: &str = "the client speaks SQS's older Query protocol, and this server the JSON \
    protocol that took its place; update the SDK: boto3 speaks it since 1.29, and other SDKs since \
    the end of 2023";

/// Whether a request says of itself that it is one of this protocol.
pub(super) fn is_meant(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    has_action(uri) || method == Method::POST && is_form(headers)
}

/// Whether a body is a form by its Content-Type, whatever parameters that has.
fn is_form(headers: &HeaderMap) -> bool {
    let text = text_of(headers, &CONTENT_TYPE);
    let essence = text.split_once(';').map_or(text, |(essence, _)| essence);
    essence.trim().eq_ignore_ascii_case(FORM)
}

/// Whether a URL names an operation.
pub(super) fn has_action(uri: &Uri) -> bool {
    let mut parameters = uri.query().unwrap_or_default().split('&');
    parameters.any(|parameter| parameter.starts_with("Action="))
}

/// What a request asks for.
pub(crate) struct Asked(());

impl Asked {
    pub(super) fn new() -> Self {
        Self(())
    }

    pub(super) fn operation(&self) -> Result<Operation, Unasked> {
        let message = format!("This request is not served: {NOT_SPOKEN}.");
        let error = Error::new(ErrorCode::UnknownOperationException, message);
        Err(Unasked::new(error, "It is not of the client's doing."))
    }

    pub(super) fn input(&self, operation: Operation) -> Result<sqs::Request, Error> {
        let message = format!("{operation} is not served in this protocol.");
        Err(Error::new(ErrorCode::UnknownOperationException, message))
    }

    pub(super) fn named(&self) -> Option<Named> {
        None
    }
}

/// The body of an answer that is a success.
pub(super) fn body(response: &sqs::Response) -> Result<Vec<u8>, Error> {
    let message = format!("{} is not answered in this protocol.", response.operation());
    Err(Error::new(ErrorCode::InternalFailure, message))
}

/// An answer that is a success.
pub(super) fn success(body: Vec<u8>) -> Response {
    xml(body, StatusCode::OK)
}

/// An answer that is an error.
pub(super) fn error(error: &Error, status: StatusCode, request_id: RequestId) -> Response {
    let code = error.code();
    let body = format!(
        "<?xml version=\"1.0\"?>\n\
         <ErrorResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error>\
         <Type>{}</Type><Code>{}</Code><Message>{}</Message><Detail/>\
         </Error><RequestId>{request_id}</RequestId></ErrorResponse>\n",
        code.fault(),
        escaped(code.query_code()),
        escaped(error.message()),
    );
    let mut response = xml(body.into(), status);
    response.extensions_mut().insert(Failure(error.clone()));
    response
}

fn xml(body: Vec<u8>, status: StatusCode) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(TEXT_XML));
    response
}

/// Text as it can stand in an element. What XML has no way to write becomes a question mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' | '\n' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_xml_is_escaped() {
        assert_eq!(escaped("<a & \"b\">\u{0}\n"), "&lt;a &amp; \"b\"&gt;?\n");
    }
}
