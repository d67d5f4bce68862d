//! How SQS's answers look on the wire.

use aws_json::codec::content_type::Version;
use aws_json::codec::error_body::{ErrorBody, Fault, QueryError};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use sqs::ErrorCode;

/// What SQS says to a request that asks for no operation: XML whatever the request was, since it
/// comes before any protocol is known.
const UNKNOWN_OPERATION: &str = "<UnknownOperationException/>\n";

/// An answer that is a success. A body of no bytes has the content type all the same.
pub(crate) fn success(body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, Version::V1_0.header_value());
    response
}

/// An answer that is an error, with the status of the error table.
pub(crate) fn error(error: &sqs::Error) -> Response {
    let status = StatusCode::from_u16(error.code().status());
    error_with_status(error, status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
}

/// An answer that is an error, where HTTP has a better status than the error table.
pub(crate) fn error_with_status(error: &sqs::Error, status: StatusCode) -> Response {
    let code = error.code();
    let fault = match code.fault() {
        sqs::Fault::Sender => Fault::Sender,
        sqs::Fault::Receiver => Fault::Receiver,
    };
    let mut body = ErrorBody::new(code.shape_id()).with_message(error.message());
    // Every query code of the table can stand in a header.
    if let Ok(query_error) = QueryError::new(code.query_code(), fault) {
        body = body.with_query_error(query_error);
    }
    let mut response = body.to_response(status, Version::V1_0).map(Body::from);
    response.extensions_mut().insert(Failure(error.clone()));
    response
}

/// The error that an answer is, in the answer's extensions.
#[derive(Clone, Debug)]
pub(crate) struct Failure(pub(crate) sqs::Error);

/// An answer that is an error, for a client of SQS's older Query protocol, which reads XML.
///
/// The form is that protocol's; the request id is in the header alone.
pub(crate) fn query_error(error: &sqs::Error) -> Response {
    let code = error.code();
    let message = escape_xml(error.message());
    let body = format!(
        "<?xml version=\"1.0\"?>\n\
         <ErrorResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error>\
         <Type>{}</Type><Code>{}</Code><Message>{message}</Message><Detail/>\
         </Error></ErrorResponse>\n",
        code.fault(),
        escape_xml(code.query_code()),
    );
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/xml"));
    response.extensions_mut().insert(Failure(error.clone()));
    response
}

/// Text as it can stand in an element. What XML has no way to write becomes a question mark.
fn escape_xml(text: &str) -> String {
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

/// The answer to a request that asks for nothing: a GET, for example.
pub(crate) fn unknown_operation() -> Response {
    let mut response = Response::new(Body::from(UNKNOWN_OPERATION));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/xml"));
    let error = sqs::Error::new(
        ErrorCode::UnknownOperationException,
        "the request asks for nothing",
    );
    response.extensions_mut().insert(Failure(error));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_xml_is_escaped() {
        assert_eq!(escape_xml("<a & \"b\">\u{0}\n"), "&lt;a &amp; \"b\"&gt;?\n");
    }

    #[test]
    fn every_error_of_the_table_has_its_status_and_its_query_error() {
        for code in ErrorCode::ALL {
            let response = error(&sqs::Error::new(*code, "words"));
            assert_eq!(response.status().as_u16(), code.status(), "{code}");
            assert_eq!(
                response.headers()["x-amzn-query-error"],
                format!("{};{}", code.query_code(), code.fault()),
            );
            assert_eq!(
                response.headers()[CONTENT_TYPE],
                "application/x-amz-json-1.0"
            );
        }
    }
}
