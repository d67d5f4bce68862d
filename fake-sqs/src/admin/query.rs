//! Reading the query of a request to the control interface.

use axum::extract::Query;
use http::Uri;
use serde::de::DeserializeOwned;

use super::answer::AdminError;
use crate::http::limits;
use crate::in_words;

/// Reads the parameters of a query. Those that are not known are refused: a misspelled filter would
/// let through everything. `form` is what the query looks like when it is right, for errors.
pub(super) fn read<T: DeserializeOwned>(uri: &Uri, form: &'static str) -> Result<T, AdminError> {
    match Query::try_from_uri(uri) {
        Ok(Query(parameters)) => Ok(parameters),
        Err(rejection) => {
            let reason = std::error::Error::source(&rejection)
                .map_or_else(|| rejection.body_text(), ToString::to_string);
            let reason = in_words::of_reason(&reason);
            Err(AdminError::Query { form, reason })
        }
    }
}

/// The length of a page.
pub(super) fn limit(given: Option<usize>, form: &'static str) -> Result<usize, AdminError> {
    let limit = given.unwrap_or(limits::CONTROL_PAGE_DEFAULT);
    let max = limits::CONTROL_PAGE_MAX;
    if (1..=max).contains(&limit) {
        return Ok(limit);
    }
    Err(AdminError::Query {
        form,
        reason: format!("`limit` is {limit}, and must be between 1 and {max}"),
    })
}
