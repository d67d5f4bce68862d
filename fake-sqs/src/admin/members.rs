//! Reading what a request to the control interface says.

use axum::extract::Request;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::AdminError;
use crate::http::{body, limits};
use crate::in_words;

/// The form of a body that says nothing.
const NOTHING: &str = "{}";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The whole body, of at most `bytes_max`.
pub(super) async fn body(request: Request, bytes_max: usize) -> Result<Bytes, AdminError> {
    let body = body::read(request.into_body(), bytes_max).await;
    body.map_err(AdminError::Body)
}

/// Reads the members of a request's body.
pub(super) async fn of<T: DeserializeOwned>(
    request: Request,
    form: &'static str,
) -> Result<T, AdminError> {
    read(&body(request, limits::CONTROL_BODY_BYTES_MAX).await?, form)
}

/// Reads a body that has nothing to say.
pub(super) async fn none(request: Request) -> Result<(), AdminError> {
    let Nothing {} = of(request, NOTHING).await?;
    Ok(())
}

/// Reads the members of a body: a JSON object, of which no body at all is the empty one. `form` is
/// what the body looks like when it is right, for errors.
///
/// An array is refused before serde sees it: it would take the array's elements for the members, in
/// the order in which they happen to be declared.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], form: &'static str) -> Result<T, AdminError> {
    let body = if body.is_empty() { b"{}" } else { body };
    let wrong = |reason: String| AdminError::Json { form, reason };
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(wrong("it is an array, and must be an object".to_owned()));
    }
    serde_json::from_slice(body).map_err(|error| wrong(in_words::of_json(&error)))
}
