//! Reading what a request to the control interface says.

use serde::de::DeserializeOwned;

use super::answer::AdminError;

/// Reads the members of a body: a JSON object, of which no body at all is the empty one. `form` is
/// what the body looks like when it is right, for errors.
///
/// An array is refused before serde sees it: it would take the array's elements for the members, in
/// the order in which they happen to be declared.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], form: &'static str) -> Result<T, AdminError> {
    let body = if body.is_empty() { b"{}" } else { body };
    let wrong = |reason: String| AdminError::Json { form, reason };
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(wrong("it is an array".to_owned()));
    }
    serde_json::from_slice(body).map_err(|error| wrong(error.to_string()))
}
