//! DeleteMessage and DeleteMessageBatch.

use sqs::{
    DeleteMessageBatchInput, DeleteMessageBatchOutput, DeleteMessageBatchResultEntry,
    DeleteMessageInput, DeleteMessageOutput, Error, ErrorCode, Operation,
};

use crate::access::queue_for;
use crate::engine::{Context, Engine};
use crate::errors;
use crate::id::{QueueId, Receipt};
use crate::ops::batch;

pub(super) fn delete(
    engine: &mut Engine,
    context: &Context,
    input: &DeleteMessageInput,
) -> Result<DeleteMessageOutput, Error> {
    let queue = queue_for(
        engine,
        context,
        input.queue_url.as_deref(),
        Operation::DeleteMessage,
    )?;
    delete_one(engine, context, queue, input.receipt_handle.as_deref())?;
    Ok(DeleteMessageOutput {})
}

pub(super) fn delete_batch(
    engine: &mut Engine,
    context: &Context,
    input: DeleteMessageBatchInput,
) -> Result<DeleteMessageBatchOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::DeleteMessageBatch)?;
    let mut output = DeleteMessageBatchOutput::default();
    for (id, entry) in batch::check(input.entries)? {
        if let Some(failed) = context.directives.failed_entry(&id) {
            output.failed.push(failed.clone());
            continue;
        }
        match delete_one(engine, context, queue, entry.receipt_handle.as_deref()) {
            Ok(()) => output.successful.push(DeleteMessageBatchResultEntry { id }),
            Err(error) => output.failed.push(batch::failed(id, &error)),
        }
    }
    Ok(output)
}

/// Deletes the message of a handle. A message that is gone already is a success.
///
/// In a standard queue any handle of the message does, also one whose visibility timeout is over or
/// that a later receive has overtaken: AWS does so for the former and leaves the latter open. In a
/// FIFO queue either is refused.
fn delete_one(
    engine: &mut Engine,
    context: &Context,
    id: QueueId,
    handle: Option<&str>,
) -> Result<(), Error> {
    let receipt = receipt(engine, id, handle)?;
    let handle = handle.unwrap_or_default();
    let now = engine.now;
    let queue = engine.queue_mut(id)?;
    let overtaken = context.directives.expires(handle);
    if overtaken {
        queue.expire_handle(&receipt, now);
    }
    if queue.is_expired(&receipt) {
        return Err(errors::expired_handle(handle));
    }
    if !overtaken {
        queue.messages.remove(receipt.message, now);
    }
    Ok(())
}

/// Reads a receipt handle that was given for a queue.
///
/// One of another queue is as invalid as one that was never given; so is one of an earlier queue of
/// the same name.
pub(super) fn receipt(
    engine: &Engine,
    queue: QueueId,
    handle: Option<&str>,
) -> Result<Receipt, Error> {
    let handle = handle
        .filter(|handle| !handle.is_empty())
        .ok_or_else(|| errors::missing_parameter("ReceiptHandle"))?;
    engine
        .ids
        .receipt(handle)
        .filter(|receipt| receipt.queue == queue)
        .ok_or_else(|| {
            let message =
                format!("The input receipt handle \"{handle}\" is not a valid receipt handle.");
            Error::new(ErrorCode::ReceiptHandleIsInvalid, message)
        })
}
