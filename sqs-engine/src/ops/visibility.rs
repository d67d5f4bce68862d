//! ChangeMessageVisibility and ChangeMessageVisibilityBatch.

use std::time::Duration;

use sqs::{
    ChangeMessageVisibilityBatchInput, ChangeMessageVisibilityBatchOutput,
    ChangeMessageVisibilityBatchResultEntry, ChangeMessageVisibilityInput,
    ChangeMessageVisibilityOutput, Error, Operation, limits,
};

use crate::access::queue_for;
use crate::checks;
use crate::engine::{Context, Engine};
use crate::errors;
use crate::id::QueueId;
use crate::ops::batch;
use crate::ops::delete::receipt;
use crate::queue::message::MessageState;

pub(super) fn change(
    engine: &mut Engine,
    context: &Context,
    input: &ChangeMessageVisibilityInput,
) -> Result<ChangeMessageVisibilityOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::ChangeMessageVisibility)?;
    let range = "Must be between 0 and 43200.";
    let handle = input.receipt_handle.as_deref();
    change_one(engine, queue, handle, input.visibility_timeout, range)?;
    Ok(ChangeMessageVisibilityOutput {})
}

pub(super) fn change_batch(
    engine: &mut Engine,
    context: &Context,
    input: ChangeMessageVisibilityBatchInput,
) -> Result<ChangeMessageVisibilityBatchOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(
        engine,
        context,
        url,
        Operation::ChangeMessageVisibilityBatch,
    )?;
    let range = "VisibilityTimeout must be an integer between 0 and 43200.";
    let mut output = ChangeMessageVisibilityBatchOutput::default();
    for (id, entry) in batch::check(input.entries)? {
        let handle = entry.receipt_handle.as_deref();
        match change_one(engine, queue, handle, entry.visibility_timeout, range) {
            Ok(()) => output
                .successful
                .push(ChangeMessageVisibilityBatchResultEntry { id }),
            Err(error) => output.failed.push(batch::failed(id, &error)),
        }
    }
    Ok(output)
}

/// Hides the message of a handle for `seconds` from now on; zero makes it visible.
///
/// The presence of both members is checked before the handle is read, which AWS was seen to do.
/// A message that is visible again is hidden, as on AWS. One that a later receive holds is left
/// alone: the change applies to the receive of its handle, which is over, and must not take the
/// message away from whoever holds it now. In a FIFO queue the handle has expired in both cases;
/// what AWS does with such a one here is not known, so it is refused as DeleteMessage refuses it.
fn change_one(
    engine: &mut Engine,
    id: QueueId,
    handle: Option<&str>,
    seconds: Option<i32>,
    range: &str,
) -> Result<(), Error> {
    let handle = handle
        .filter(|handle| !handle.is_empty())
        .ok_or_else(|| errors::missing_parameter("ReceiptHandle"))?;
    let given = seconds.ok_or_else(|| errors::missing_parameter("VisibilityTimeout"))?;
    let invalid = |reason: &str| errors::invalid_value(given, "VisibilityTimeout", reason);
    let timeout =
        checks::seconds(limits::VISIBILITY_TIMEOUT, given).ok_or_else(|| invalid(range))?;
    let receipt = receipt(engine, id, Some(handle))?;
    let now = engine.now;
    let queue = engine.queue_mut(id)?;
    if queue.is_expired(&receipt) {
        return Err(errors::expired_handle(handle));
    }
    let messages = &mut queue.messages;
    let Some(message) = messages.get(receipt.message) else {
        let reason = "Message does not exist or is not available for visibility timeout change.";
        return Err(errors::invalid_value(handle, "ReceiptHandle", reason));
    };
    // Counted from the receive that made the handle; changes since then do not start it anew.
    let longest = Duration::from_secs(limits::VISIBILITY_TIMEOUT.max().into());
    if now.since(receipt.received_at) + timeout > longest {
        return Err(invalid(
            "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]",
        ));
    }
    let held_by_another =
        matches!(message.state(), MessageState::InFlight { .. }) && !message.is_latest(&receipt);
    if !held_by_another {
        messages.change_timeout(receipt.message, timeout, now);
    }
    Ok(())
}
