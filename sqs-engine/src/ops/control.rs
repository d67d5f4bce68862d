//! What is done to a queue from outside, past SQS's rules.

use std::time::Duration;

use crate::command::{ControlAction, Missing, QueueAddress};
use crate::engine::Engine;
use crate::id::{MessageId, MessageKey, QueueId};

/// Performs one action.
pub(crate) fn perform(
    engine: &mut Engine,
    address: &QueueAddress,
    action: ControlAction,
) -> Result<(), Missing> {
    let QueueAddress {
        account,
        region,
        name,
    } = address;
    if action == ControlAction::FreeName {
        engine.directory.forget_deletion(account, region, name);
        return Ok(());
    }
    let id = engine.find(account, region, name).ok_or(Missing::Queue)?;
    match action {
        // Done above: it needs no queue.
        ControlAction::FreeName => Ok(()),
        ControlAction::Purge => purge(engine, id),
        ControlAction::DeleteQueue => engine.drop_queue(id).map(drop).ok_or(Missing::Queue),
        ControlAction::DeleteMessage { id: message } => delete(engine, id, message),
        ControlAction::ReleaseMessage { id: message } => release(engine, id, message),
    }
}

/// Leaves the time of the last PurgeQueue as it is.
fn purge(engine: &mut Engine, id: QueueId) -> Result<(), Missing> {
    let queue = engine.queue_mut(id).map_err(|_| Missing::Queue)?;
    queue.clear();
    Ok(())
}

fn delete(engine: &mut Engine, id: QueueId, message: MessageId) -> Result<(), Missing> {
    let key = find(engine, id, message)?;
    let now = engine.now;
    let queue = engine.queue_mut(id).map_err(|_| Missing::Queue)?;
    queue.messages.remove(key, now);
    Ok(())
}

/// What was not hidden is visible already, and stays as it is.
fn release(engine: &mut Engine, id: QueueId, message: MessageId) -> Result<(), Missing> {
    let key = find(engine, id, message)?;
    let now = engine.now;
    let queue = engine.queue_mut(id).map_err(|_| Missing::Queue)?;
    queue.messages.hide(key, Duration::ZERO, now);
    Ok(())
}

/// Looks at every message of the queue: an index by id would cost each message memory, for the sake
/// of what a person does now and then.
fn find(engine: &Engine, id: QueueId, message: MessageId) -> Result<MessageKey, Missing> {
    let queue = engine.queue(id).map_err(|_| Missing::Queue)?;
    let mut messages = queue.messages.iter_after(None);
    let found = messages.find(|(_, stored)| stored.id == message);
    found.map(|(key, _)| key).ok_or(Missing::Message)
}
