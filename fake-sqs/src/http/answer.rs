//! What is known of an answer besides its bytes, and the answer that no protocol has.

use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use sqs::{Error, ErrorCode};

/// What SQS says to a request that asks for no operation: XML whatever the request was, since it
/// comes before any protocol is known.
const UNKNOWN_OPERATION: &str = "<UnknownOperationException/>\n";

/// The error that an answer is, in the answer's extensions.
#[derive(Clone, Debug)]
pub(crate) struct Failure(pub(crate) Error);

/// The answer to a request that asks for nothing: a GET of a page, for example.
pub(crate) fn unknown_operation() -> Response {
    let mut response = Response::new(Body::from(UNKNOWN_OPERATION));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(sqs::query::XML));
    let error = Error::new(
        ErrorCode::UnknownOperationException,
        "the request asks for nothing",
    );
    response.extensions_mut().insert(Failure(error));
    response
}
