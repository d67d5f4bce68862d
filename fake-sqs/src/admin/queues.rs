//! `/_fake/queues`, and a queue at `/_fake/queues/{account}/{region}/{name}`.

use std::collections::BTreeMap;

use axum::extract::{Path, Request, State};
use http::request;
use serde::{Deserialize, Serialize};
use sqs::StartMessageMoveTaskInput;
use sqs_engine::{ControlAction, QueueAddress};

use super::answer::{AdminError, Json};
use super::{members, query};
use crate::AccountId;
use crate::auth::is_region;
use crate::control::Control;
use crate::http::sqs_route::host;
use crate::inside::{Cursors, Queue, QueueDetails, QueuePage, QueueQuery};

/// What the query of a list looks like, for errors.
const LIST: &str = "account=000000000000&region=us-east-1&prefix=orders&limit=100&after=…";

/// What the query of a queue looks like, for errors.
const SHOW: &str = "limit=100&groups_after=…&dedup_after=…";

/// What the body of a creation looks like, for errors.
const CREATE: &str = r#"{"name":"orders","account":"000000000000","region":"us-east-1","attributes":{"VisibilityTimeout":"30"},"tags":{}}"#;

/// What the body of a redrive looks like, for errors.
const REDRIVE: &str =
    r#"{} or {"destination":"arn:aws:sqs:us-east-1:000000000000:orders","max_per_second":10}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    account: Option<String>,
    region: Option<String>,
    prefix: Option<String>,
    limit: Option<usize>,
    after: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowQuery {
    limit: Option<usize>,
    groups_after: Option<String>,
    dedup_after: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
    account: Option<String>,
    region: Option<String>,
    attributes: Option<BTreeMap<String, String>>,
    tags: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Redrive {
    destination: Option<String>,
    max_per_second: Option<i32>,
}

/// The answer to a redrive.
#[derive(Serialize)]
pub(super) struct Redriven {
    task_handle: String,
}

/// The answer to what has nothing to say.
#[derive(Serialize)]
pub(super) struct Done {}

/// A queue's place in a path.
pub(super) type At = Path<(String, String, String)>;

/// A page of queues.
pub(super) async fn list(
    State(control): State<Control>,
    parts: request::Parts,
) -> Result<Json<QueuePage>, AdminError> {
    let asked: ListQuery = query::read(&parts.uri, LIST)?;
    let query = QueueQuery {
        account: asked.account,
        region: asked.region,
        prefix: asked.prefix.unwrap_or_default(),
        limit: query::limit(asked.limit, LIST)?,
        after: asked.after.map(|after| place(&after)).transpose()?,
    };
    Ok(Json(control.queues(&query, &base_url(&control, &parts))))
}

/// One queue.
pub(super) async fn show(
    State(control): State<Control>,
    Path(at): At,
    parts: request::Parts,
) -> Result<Json<QueueDetails>, AdminError> {
    let asked: ShowQuery = query::read(&parts.uri, SHOW)?;
    let cursors = Cursors {
        limit: query::limit(asked.limit, SHOW)?,
        groups_after: asked.groups_after,
        dedup_after: asked.dedup_after,
    };
    let base_url = base_url(&control, &parts);
    let details = control.queue(&address(at), &cursors, &base_url);
    details.map(Json).map_err(AdminError::Control)
}

/// Creates a queue, and shows it.
pub(super) async fn create(
    State(control): State<Control>,
    request: Request,
) -> Result<Json<Queue>, AdminError> {
    let (parts, body) = request.into_parts();
    let asked: Create = members::of(Request::from_parts(parts.clone(), body), CREATE).await?;
    let wrong = |reason: String| AdminError::Json {
        form: CREATE,
        reason,
    };
    let account = match asked.account {
        None => control.account(),
        Some(account) => account
            .parse::<AccountId>()
            .map_err(|error| wrong(error.to_string()))?,
    };
    let region = asked.region.unwrap_or_else(|| control.region().to_owned());
    if !is_region(&region) {
        return Err(wrong(format!("{region:?} cannot be a region's name")));
    }
    let queue = QueueAddress::new(account.as_str(), region, asked.name);
    let attributes = asked.attributes.unwrap_or_default();
    let tags = asked.tags.unwrap_or_default();
    let created = control.create(&queue, attributes, tags).await;
    created.map_err(AdminError::Control)?;
    let base_url = base_url(&control, &parts);
    let details = control.queue(&queue, &Cursors::default(), &base_url);
    let details = details.map_err(AdminError::Control)?;
    Ok(Json(details.queue))
}

/// Deletes a queue.
pub(super) async fn delete(
    State(control): State<Control>,
    Path(at): At,
    request: Request,
) -> Result<Json<Done>, AdminError> {
    members::none(request).await?;
    act(&control, &address(at), ControlAction::DeleteQueue).await
}

/// Removes all messages of a queue.
pub(super) async fn purge(
    State(control): State<Control>,
    Path(at): At,
    request: Request,
) -> Result<Json<Done>, AdminError> {
    members::none(request).await?;
    act(&control, &address(at), ControlAction::Purge).await
}

/// Starts moving the messages of a dead-letter queue.
pub(super) async fn redrive(
    State(control): State<Control>,
    Path(at): At,
    request: Request,
) -> Result<Json<Redriven>, AdminError> {
    let asked: Redrive = members::of(request, REDRIVE).await?;
    let input = StartMessageMoveTaskInput {
        destination_arn: asked.destination,
        max_number_of_messages_per_second: asked.max_per_second,
        ..StartMessageMoveTaskInput::default()
    };
    let task_handle = control.redrive(&address(at), input).await;
    let task_handle = task_handle.map_err(AdminError::Control)?;
    Ok(Json(Redriven { task_handle }))
}

/// Reaches into a queue.
pub(super) async fn act(
    control: &Control,
    queue: &QueueAddress,
    action: ControlAction,
) -> Result<Json<Done>, AdminError> {
    let done = control.act(queue, action).await;
    done.map_err(AdminError::Control)?;
    Ok(Json(Done {}))
}

/// The queue that a path names.
pub(super) fn address((account, region, name): (String, String, String)) -> QueueAddress {
    QueueAddress::new(account, region, name)
}

/// What queue URLs begin with for whoever sends this request.
fn base_url(control: &Control, parts: &request::Parts) -> String {
    match host(&parts.headers) {
        Some(host) => format!("http://{host}"),
        None => control.endpoint_url().to_owned(),
    }
}

/// Reads the place of a list that an earlier answer gave.
fn place(after: &str) -> Result<QueueAddress, AdminError> {
    let mut parts = after.splitn(3, '/').map(str::to_owned);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(account), Some(region), Some(name)) => Ok(QueueAddress::new(account, region, name)),
        _ => Err(AdminError::Query {
            form: LIST,
            reason:
                "`after` is no place in the list; give the `after` of an earlier answer as it is"
                    .to_owned(),
        }),
    }
}
