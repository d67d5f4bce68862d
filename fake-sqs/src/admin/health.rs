//! `GET /_fake/health`.

use axum::extract::State;

use super::answer::Json;
use crate::control::{Control, Health};

/// Answers as soon as the server does: there is nothing that it would have to load first.
pub(super) async fn health(State(control): State<Control>) -> Json<Health> {
    Json(control.health())
}
