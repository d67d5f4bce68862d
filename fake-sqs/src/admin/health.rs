//! `GET /_fake/health`.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

use super::answer::Json;
use crate::control::Control;
use crate::readiness::Phase;

/// Whether the server is ready: 200 when it is, 503 before and after.
pub(super) async fn health(State(control): State<Control>) -> Response {
    let health = control.health();
    let status = match health.phase {
        Phase::Ready => StatusCode::OK,
        Phase::Starting | Phase::Stopping => StatusCode::SERVICE_UNAVAILABLE,
    };
    let mut response = Json(health).into_response();
    *response.status_mut() = status;
    response
}
