//! How the control interface answers: JSON, and errors as one sentence.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use super::guard::Denied;
use crate::driver::AdvanceError;
use crate::http::body::BodyError;
use crate::http::limits;
use crate::record::NotKept;

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
    #[error("there is nothing at this path; there are GET /_fake/health and POST /_fake/reset")]
    UnknownPath,
    #[error("this path takes only {allowed}")]
    WrongMethod { allowed: &'static str },
    #[error("{0}")]
    Body(BodyError),
    #[error("{0}")]
    Advance(AdvanceError),
    #[error(
        "{} pages listen for changes already; close one",
        limits::EVENT_LISTENERS_MAX
    )]
    TooManyListeners,
    #[error("{0}; the server's log says more")]
    NotKept(NotKept),
    #[error("the body must be JSON like {form}: {reason}")]
    Json { form: &'static str, reason: String },
}

impl AdminError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Denied(_) => StatusCode::FORBIDDEN,
            Self::NotKept(_) | Self::Advance(AdvanceError::NotKept(_)) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            Self::TooManyListeners => StatusCode::SERVICE_UNAVAILABLE,
            Self::UnknownPath => StatusCode::NOT_FOUND,
            Self::WrongMethod { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Body(BodyError::TooLong(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Body(BodyError::TooSlow(_)) => StatusCode::REQUEST_TIMEOUT,
            Self::Body(BodyError::Broken(_))
            | Self::Json { .. }
            | Self::Advance(AdvanceError::TooFar(_)) => StatusCode::BAD_REQUEST,
        }
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
