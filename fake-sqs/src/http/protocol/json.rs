//! AWS JSON 1.0: a POST that names its operation in a header, and JSON in both directions.

use aws_json::codec::body::{self, SerializationError};
use aws_json::codec::content_type::Version;
use aws_json::codec::error_body::{ErrorBody, Fault, QueryError};
use aws_json::codec::headers::X_AMZ_TARGET;
use aws_json::codec::target::Target;
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Method, StatusCode};
use serde::de::DeserializeOwned;
use sqs::{Decoder, Error, ErrorCode, Operation};

use super::Named;
use crate::http::answer::Failure;
use crate::http::asked::{Unasked, shown, text_of};

/// Whether a request says of itself that it is one of this protocol.
pub(super) fn is_meant(method: &Method, headers: &HeaderMap) -> bool {
    headers.contains_key(X_AMZ_TARGET)
        || method == Method::POST && Version::from_headers(headers).is_some()
}

/// What a request asks for.
pub(crate) struct Asked<'a> {
    headers: &'a HeaderMap,
    body: &'a [u8],
}

impl<'a> Asked<'a> {
    pub(super) fn new(headers: &'a HeaderMap, body: &'a [u8]) -> Self {
        Self { headers, body }
    }

    pub(super) fn operation(&self) -> Result<Operation, Unasked> {
        if Version::from_headers(self.headers) != Some(Version::V1_0) {
            return Err(content_type(self.headers));
        }
        let target = Target::from_headers(self.headers).map_err(|error| {
            let message = format!("The request names no operation: {error}.");
            unknown(message, "every AWS SDK sets X-Amz-Target by itself")
        })?;
        match Operation::from_name(target.operation()) {
            Some(operation) if target.prefix() == sqs::TARGET_PREFIX => Ok(operation),
            Some(_) | None => Err(no_such(&target)),
        }
    }

    pub(super) fn input(&self, operation: Operation) -> Result<sqs::Request, Error> {
        sqs::Request::read(operation, Json(self.body))
            .map_err(|error| Error::new(ErrorCode::SerializationException, error.to_string()))
    }

    pub(super) fn named(&self) -> Option<Named> {
        serde_json::from_slice(self.body).ok()
    }
}

struct Json<'a>(&'a [u8]);

impl Decoder for Json<'_> {
    type Error = SerializationError;

    fn decode<T: DeserializeOwned>(self) -> Result<T, SerializationError> {
        body::decode(self.0)
    }
}

/// AWS says no word about what is wrong with a request that names no operation; the answer says
/// what would be right.
fn content_type(headers: &HeaderMap) -> Unasked {
    let expected = Version::V1_0.content_type();
    let message = format!(
        "The request must have the Content-Type {expected} and name its operation in X-Amz-Target, \
         or be a form with the parameter Action."
    );
    let advice = match text_of(headers, &CONTENT_TYPE) {
        "" => "It has none.".to_owned(),
        text => format!("It has {}.", shown(text)),
    };
    unknown(message, advice)
}

fn no_such(target: &Target) -> Unasked {
    let message = format!("The operation {target} is not one of SQS's.");
    let prefix = sqs::TARGET_PREFIX;
    let advice = match crate::http::asked::alike(target.operation()) {
        Some(operation) => format!("Perhaps {prefix}.{operation} is meant."),
        None => format!("One is {prefix}.ReceiveMessage, for example."),
    };
    unknown(message, advice)
}

fn unknown(message: String, advice: impl Into<String>) -> Unasked {
    let error = Error::new(ErrorCode::UnknownOperationException, message);
    Unasked::new(error, advice)
}

/// The body of an answer that is a success.
pub(super) fn body(response: &sqs::Response) -> Result<Vec<u8>, Error> {
    let body = response.to_body();
    body.map_err(|error| super::unwritten(response.operation(), &error))
}

/// An answer that is a success. A body of no bytes has the content type all the same.
pub(super) fn success(body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, Version::V1_0.header_value());
    response
}

/// An answer that is an error.
pub(super) fn error(error: &Error, status: StatusCode) -> Response {
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
