//! `GET /_fake/requests`.

use std::time::Duration;

use axum::extract::State;
use http::Uri;
use serde::Deserialize;

use super::answer::{AdminError, Json};
use super::query;
use crate::control::Control;
use crate::http::limits;
use crate::journal::{Filter, Page, Query, Reach};

/// What the query looks like, for errors.
const FORM: &str = "action=DeleteMessage&queue=orders&outcome=ok&account=000000000000&\
    region=us-east-1&message_id=…&after=0&limit=100&wait=2&at_least=1, or &last=100";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    action: Option<String>,
    queue: Option<String>,
    outcome: Option<String>,
    account: Option<String>,
    region: Option<String>,
    message_id: Option<String>,
    after: Option<u64>,
    limit: Option<usize>,
    wait: Option<f64>,
    at_least: Option<usize>,
    last: Option<usize>,
}

/// A page of the journal, when there is enough for it.
pub(super) async fn list(
    State(control): State<Control>,
    uri: Uri,
) -> Result<Json<Page>, AdminError> {
    let (query, wait) = parse(query::read(&uri, FORM)?)?;
    let journal = control.journal();
    let _place = match wait {
        Duration::ZERO => None,
        _ => Some(journal.place().map_err(AdminError::Readers)?),
    };
    Ok(Json(journal.read(&query, wait).await))
}

fn parse(given: Parameters) -> Result<(Query, Duration), AdminError> {
    let wrong = |reason: String| AdminError::Query { form: FORM, reason };
    // A parameter without a value is one that is not there.
    let text = |text: Option<String>| text.filter(|text| !text.is_empty());
    let mut filter = Filter::new().after(given.after.unwrap_or_default());
    if let Some(actions) = text(given.action) {
        filter = filter
            .with_actions(&actions)
            .map_err(|error| wrong(error.to_string()))?;
    }
    if let Some(outcomes) = text(given.outcome) {
        filter = filter
            .with_outcomes(&outcomes)
            .map_err(|error| wrong(error.to_string()))?;
    }
    if let Some(queue) = text(given.queue) {
        filter = filter.queue(queue);
    }
    if let Some(account) = text(given.account) {
        filter = filter.account(account);
    }
    if let Some(region) = text(given.region) {
        filter = filter.region(region);
    }
    if let Some(id) = text(given.message_id) {
        filter = filter.message_id(id);
    }
    let wait = wait(given.wait.unwrap_or_default())?;
    if let Some(last) = given.last {
        if given.limit.is_some() || given.at_least.is_some() || !wait.is_zero() {
            return Err(wrong(
                "`last` shows what is there, without `limit`, `at_least` and `wait`".to_owned(),
            ));
        }
        let reach = Reach::Newest(query::limit(Some(last), FORM)?);
        return Ok((Query { filter, reach }, wait));
    }
    let at_least = given.at_least.unwrap_or(1);
    let limit = given
        .limit
        .unwrap_or(limits::CONTROL_PAGE_DEFAULT.max(at_least));
    let limit = query::limit(Some(limit), FORM)?;
    if at_least > limit {
        let reason =
            format!("`at_least` is {at_least}, and must not be more than `limit`, {limit}");
        return Err(wrong(reason));
    }
    let reach = Reach::Oldest { limit, at_least };
    Ok((Query { filter, reach }, wait))
}

fn wait(seconds: f64) -> Result<Duration, AdminError> {
    let wait = Duration::try_from_secs_f64(seconds).ok();
    wait.filter(|wait| *wait <= limits::JOURNAL_WAIT_MAX)
        .ok_or_else(|| AdminError::Query {
            form: FORM,
            reason: format!("`wait` is {seconds}, and must be between 0 and 20 seconds"),
        })
}
