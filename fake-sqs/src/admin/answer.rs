//! How the control interface answers: JSON, and errors as one sentence.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use super::guard::Denied;
use crate::control::ControlError;
use crate::faults::FaultError;
use crate::http::body::BodyError;
use crate::http::limits;
use crate::journal::TooManyReaders;

/// A successful answer.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => json(StatusCode::OK, body),
            Err(error) => {
                tracing::error!(%error, "an answer could not be written as JSON");
                json(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    b"{\"error\":\"internal\"}".to_vec(),
                )
            }
        }
    }
}

/// Why a control request is not done. The text is the whole answer: what is wrong and what would
/// be right.
#[derive(Debug, thiserror::Error)]
pub(super) enum AdminError {
    #[error("{0}")]
    Denied(Denied),
    #[error(
        "there is nothing at this path; GET /_fake/health, /_fake/clock and /_fake/queues are where to begin"
    )]
    UnknownPath,
    #[error("this path takes only {allowed}")]
    WrongMethod { allowed: &'static str },
    #[error("{0}")]
    Body(BodyError),
    #[error(
        "{} pages listen for changes already; close one",
        limits::EVENT_LISTENERS_MAX
    )]
    TooManyListeners,
    #[error("{0}")]
    Control(ControlError),
    #[error("{0}")]
    Readers(TooManyReaders),
    #[error("{0}")]
    Fault(FaultError),
    #[error("there is no fault of this id; GET /_fake/faults lists those that there are")]
    NoSuchFault,
    #[error("the query must be like {form}: {reason}")]
    Query { form: &'static str, reason: String },
    #[error("{0}")]
    Path(String),
    #[error("the body must be JSON like {form}: {reason}")]
    Json { form: &'static str, reason: String },
}

impl AdminError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Denied(_) => StatusCode::FORBIDDEN,
            Self::TooManyListeners => StatusCode::SERVICE_UNAVAILABLE,
            Self::Control(error) => control_status(error),
            Self::Readers(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::UnknownPath | Self::Path(_) | Self::NoSuchFault => StatusCode::NOT_FOUND,
            Self::WrongMethod { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Body(BodyError::TooLong(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Body(BodyError::TooSlow(_)) => StatusCode::REQUEST_TIMEOUT,
            Self::Body(BodyError::Broken(_))
            | Self::Json { .. }
            | Self::Query { .. }
            | Self::Fault(_) => StatusCode::BAD_REQUEST,
        }
    }
}

/// Where SQS refuses, the status is the one that a client of SQS would get.
fn control_status(error: &ControlError) -> StatusCode {
    match error {
        ControlError::NoQueue(_) | ControlError::NoMessage { .. } => StatusCode::NOT_FOUND,
        ControlError::Refused(error) => {
            StatusCode::from_u16(error.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
        }
        ControlError::Place | ControlError::TooFar => StatusCode::BAD_REQUEST,
        ControlError::NotKept(_) => StatusCode::INTERNAL_SERVER_ERROR,
        ControlError::Stopped => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl IntoResponse for AdminError {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.to_string() }).to_string();
        let mut response = json(self.status(), body.into_bytes());
        if let Self::WrongMethod { allowed } = self {
            response
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static(allowed));
        }
        response
    }
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
