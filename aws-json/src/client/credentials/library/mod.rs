//! Ways to credentials that a library knows: reqsign's, over this client's HTTP, files and clock.

mod context;
mod imds;
mod process;
mod profile;
mod sts;
mod web_identity;

use std::error::Error;

use reqsign_aws_core::Credential;

pub(super) use self::context::Context;
pub use self::imds::InstanceCredentials;
pub(super) use self::profile::of_profile;
pub use self::web_identity::WebIdentityCredentials;
use super::http::HttpError;
use super::{CredentialsError, Provided};
use crate::client::Credentials;

/// How much of what a service says is shown, in characters.
const SAID: usize = 300;

/// What the library gave; nothing is absence, of which the message says what would be there.
fn provided(given: Option<Credential>, absence: &str) -> Result<Provided, CredentialsError> {
    let given = given.ok_or_else(|| CredentialsError::absent(absence))?;
    if given.access_key_id.is_empty() || given.secret_access_key.is_empty() {
        return Err(CredentialsError::new(
            "what was handed out as credentials has an empty access key id or secret",
        ));
    }
    let credentials = Credentials::new(given.access_key_id, given.secret_access_key);
    let token = given.session_token.filter(|token| !token.is_empty());
    let provided = Provided::new(match token {
        Some(token) => credentials.with_session_token(token),
        None => credentials,
    });
    Ok(match given.expires_in {
        Some(expires) => provided.expiring(expires.as_system_time()),
        None => provided,
    })
}

/// A failure of the library, after what could not be done.
fn failure(what: &str, error: &reqsign_core::Error) -> CredentialsError {
    let mut said = said(&error.to_string());
    if let Some(error) = http_error(error) {
        said = format!("{said}: {error}");
    }
    CredentialsError::new(format!("{what}: {said}"))
}

/// A message of the library, on one line and not longer than somebody reads. What a parser says
/// of a document may quote it, so it is left out.
fn said(message: &str) -> String {
    let message = match message.split_once(':') {
        Some((message, _)) if message.starts_with("failed to parse") => message,
        Some(_) | None => message.trim_end_matches([':', ' ']),
    };
    let shown: String = message.chars().take(SAID).flat_map(escaped).collect();
    if message.chars().count() > SAID {
        shown + "…"
    } else {
        shown
    }
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let (plain, escape) = if c.is_control() {
        (None, Some(c.escape_debug()))
    } else {
        (Some(c), None)
    };
    plain.into_iter().chain(escape.into_iter().flatten())
}

/// The failure of the call that is behind a failure of the library, if one is.
fn http_error(error: &reqsign_core::Error) -> Option<&HttpError> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref() {
            return Some(error);
        }
        cause = error.source();
    }
    None
}
