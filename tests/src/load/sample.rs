//! What a service answers to each operation of a mix, for the floor to say the same.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use sqs::Operation;

use super::floor::Canned;
use super::line::{Failure, Line};
use super::mix::Mix;
use super::session::Session;
use super::wire::{self, Received};
use super::worker::ANSWER_TIME_MAX;

/// Headers that every server sets itself, for each answer and connection.
const NOT_THE_ANSWERS: [&str; 5] = [
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "transfer-encoding",
];

/// Calls each operation of a mix once, and keeps the answers.
///
/// # Errors
///
/// When one is refused, or gives no message where there is one.
pub async fn take(session: &Session, mix: Mix) -> Result<Vec<Canned>, Failure> {
    let mut samples = Sampler {
        line: Line::new(Arc::clone(&session.target)),
        canned: Vec::new(),
    };
    let (lane, most) = (0, if mix == Mix::Batch { wire::BATCH } else { 1 });
    let stamps: Vec<_> = (0..most).map_while(|_| session.ledger.next(lane)).collect();
    let (queue, group) = (session.queue(0), session.ledger.group(lane));
    let (operation, body) = match stamps.as_slice() {
        [stamp] => {
            let body = wire::send_message(queue, &session.ledger, *stamp, group);
            (Operation::SendMessage, body)
        }
        _ => {
            let body = wire::send_message_batch(queue, &session.ledger, &stamps, group);
            (Operation::SendMessageBatch, body)
        }
    };
    samples.call(operation, body).await?;
    for stamp in &stamps {
        session.ledger.accepted(*stamp);
    }
    // A standard queue may give fewer at once than there are, and then the floor would say less.
    let received = samples.call(
        Operation::ReceiveMessage,
        wire::receive_message(queue, most, 1),
    );
    let received = received.await?;
    let received: Received<'_> = serde_json::from_slice(&received)
        .map_err(|error| Failure::Unreadable(error.to_string()))?;
    let handles: Vec<Cow<'_, str>> = received
        .messages
        .into_iter()
        .map(|message| {
            session.ledger.arrived(&message.body);
            message.handle
        })
        .collect();
    if handles.is_empty() {
        let why = "ReceiveMessage gave nothing, though a message had been sent".to_owned();
        return Err(Failure::Unreadable(why));
    }
    let body = wire::delete_message(queue, &handles[0]);
    samples.call(Operation::DeleteMessage, body).await?;
    if handles.len() > 1 {
        let body = wire::delete_message_batch(queue, &handles);
        samples.call(Operation::DeleteMessageBatch, body).await?;
    }
    Ok(samples.canned)
}

struct Sampler {
    line: Line,
    canned: Vec<Canned>,
}

impl Sampler {
    async fn call(&mut self, operation: Operation, body: String) -> Result<Bytes, Failure> {
        let answer = self
            .line
            .exchange(operation, body.into(), ANSWER_TIME_MAX)
            .await?;
        let headers = answer.parts.headers.iter();
        let headers = headers.filter(|(name, _)| !NOT_THE_ANSWERS.contains(&name.as_str()));
        let headers = headers.filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        });
        let headers = headers.collect();
        let body = answer.success()?;
        self.canned.push(Canned {
            target: format!("{}.{operation}", sqs::TARGET_PREFIX),
            headers,
            body: String::from_utf8_lossy(&body).into_owned(),
        });
        Ok(body)
    }
}
