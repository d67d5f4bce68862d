//! `/_fake/queues/{account}/{region}/{name}/messages`.

use std::collections::BTreeMap;

use axum::extract::{Path, Request, State};
use http::request;
use serde::{Deserialize, Serialize};
use sqs::{
    MessageAttributeValue, MessageSystemAttributeValue, ReceiveMessageInput, SendMessageInput,
};
use sqs_engine::{ControlAction, MessageId, MessageIdError};

use super::answer::{AdminError, Json};
use super::queues::{At, Done, act, address};
use super::{members, query};
use crate::control::Control;
use crate::http::limits;
use crate::inside::{self, MessagePage, MessageQuery};

/// What the query of a list looks like, for errors.
const LIST: &str = "state=visible&limit=100&after=…; a state is visible, delayed or in_flight";

/// What the body of a send looks like, for errors.
const SEND: &str = r#"{"body":"hello","message_attributes":{"color":{"DataType":"String","StringValue":"blue"}},"delay_seconds":5,"group":"g","deduplication_id":"d","trace_header":"Root=…"}"#;

/// What the body of a receive looks like, for errors.
const RECEIVE: &str = r#"{} or {"max":10,"visibility_timeout":30}"#;

/// The one system attribute that can be sent.
const TRACE_HEADER: &str = "AWSTraceHeader";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    state: Option<inside::State>,
    limit: Option<usize>,
    after: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Send {
    body: String,
    message_attributes: Option<BTreeMap<String, MessageAttributeValue>>,
    delay_seconds: Option<i32>,
    group: Option<String>,
    deduplication_id: Option<String>,
    trace_header: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Receive {
    max: Option<i32>,
    visibility_timeout: Option<i32>,
}

/// The answer to a receive.
#[derive(Serialize)]
pub(super) struct Received {
    messages: Vec<inside::Message>,
}

/// The answer to a send.
#[derive(Serialize)]
pub(super) struct Sent {
    id: Option<String>,
    md5: Option<String>,
    sequence_number: Option<String>,
}

/// The place of a message in a path.
type AtMessage = Path<(String, String, String, String)>;

/// A page of messages.
pub(super) async fn list(
    State(control): State<Control>,
    Path(at): At,
    parts: request::Parts,
) -> Result<Json<MessagePage>, AdminError> {
    let asked: ListQuery = query::read(&parts.uri, LIST)?;
    let query = MessageQuery {
        state: asked.state,
        limit: query::limit(asked.limit, LIST)?,
        after: asked.after,
    };
    let page = control.messages(&address(at), &query);
    page.map(Json).map_err(AdminError::Control)
}

/// Sends a message.
pub(super) async fn send(
    State(control): State<Control>,
    Path(at): At,
    request: Request,
) -> Result<Json<Sent>, AdminError> {
    // As much as a client of SQS may send.
    let body = members::body(request, limits::BODY_BYTES_MAX).await?;
    let asked: Send = members::read(&body, SEND)?;
    let sent = control.send(&address(at), asked.into_input()).await;
    let sent = sent.map_err(AdminError::Control)?;
    Ok(Json(Sent {
        id: sent.message_id,
        md5: sent.md5_of_message_body,
        sequence_number: sent.sequence_number,
    }))
}

/// Receives messages as a client does, without waiting for any.
pub(super) async fn receive(
    State(control): State<Control>,
    Path(at): At,
    request: Request,
) -> Result<Json<Received>, AdminError> {
    let asked: Receive = members::of(request, RECEIVE).await?;
    let input = ReceiveMessageInput {
        max_number_of_messages: asked.max,
        visibility_timeout: asked.visibility_timeout,
        wait_time_seconds: Some(0),
        ..ReceiveMessageInput::default()
    };
    let messages = control.receive(&address(at), input).await;
    let messages = messages.map_err(AdminError::Control)?;
    Ok(Json(Received { messages }))
}

/// Deletes a message.
pub(super) async fn delete(
    State(control): State<Control>,
    Path((account, region, name, id)): AtMessage,
    request: Request,
) -> Result<Json<Done>, AdminError> {
    members::none(request).await?;
    let id = message_id(&id)?;
    let queue = address((account, region, name));
    act(&control, &queue, ControlAction::DeleteMessage { id }).await
}

/// Makes a message visible.
pub(super) async fn release(
    State(control): State<Control>,
    Path((account, region, name, id)): AtMessage,
    request: Request,
) -> Result<Json<Done>, AdminError> {
    members::none(request).await?;
    let id = message_id(&id)?;
    let queue = address((account, region, name));
    act(&control, &queue, ControlAction::ReleaseMessage { id }).await
}

impl Send {
    fn into_input(self) -> SendMessageInput {
        let trace_header = self.trace_header.map(|value| {
            let value = MessageSystemAttributeValue {
                data_type: Some("String".to_owned()),
                string_value: Some(value),
                ..MessageSystemAttributeValue::default()
            };
            BTreeMap::from([(TRACE_HEADER.to_owned(), value)])
        });
        SendMessageInput {
            message_body: Some(self.body),
            delay_seconds: self.delay_seconds,
            message_attributes: self.message_attributes,
            message_system_attributes: trace_header,
            message_deduplication_id: self.deduplication_id,
            message_group_id: self.group,
            ..SendMessageInput::default()
        }
    }
}

fn message_id(text: &str) -> Result<MessageId, AdminError> {
    text.parse().map_err(|error: MessageIdError| {
        AdminError::Path(format!("there is no such message: {error}"))
    })
}
