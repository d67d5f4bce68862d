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
    let change = Change {
        handle,
        seconds: input.visibility_timeout,
        range,
    };
    change.perform(engine, context, queue)?;
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
        if let Some(failed) = context.directives.failed_entry(&id) {
            output.failed.push(failed.clone());
            continue;
        }
        let change = Change {
            handle: entry.receipt_handle.as_deref(),
            seconds: entry.visibility_timeout,
            range,
        };
        match change.perform(engine, context, queue) {
            Ok(()) => output
                .successful
                .push(ChangeMessageVisibilityBatchResultEntry { id }),
            Err(error) => output.failed.push(batch::failed(id, &error)),
        }
    }
    Ok(output)
}

/// A change as a request or an entry of one gives it.
struct Change<'a> {
    handle: Option<&'a str>,
    seconds: Option<i32>,
    /// How AWS puts which timeouts there are; a batch has words of its own.
    range: &'a str,
}

impl Change<'_> {
    /// Hides the message of the handle for that long from now on; zero makes it visible.
    ///
    /// The presence of both members is checked before the handle is read, which AWS was seen to
    /// do. A message that is visible again is hidden, as on AWS. One that a later receive holds is
    /// left alone: the change applies to the receive of its handle, which is over, and must not
    /// take the message away from whoever holds it now. In a FIFO queue the handle has expired in
    /// both cases; what AWS does with such a one here is not known, so it is refused as
    /// DeleteMessage refuses it.
    fn perform(self, engine: &mut Engine, context: &Context, id: QueueId) -> Result<(), Error> {
        let handle = self
            .handle
            .filter(|handle| !handle.is_empty())
            .ok_or_else(|| errors::missing_parameter("ReceiptHandle"))?;
        let given = self
            .seconds
            .ok_or_else(|| errors::missing_parameter("VisibilityTimeout"))?;
        let invalid = |reason: &str| errors::invalid_value(given, "VisibilityTimeout", reason);
        let timeout = checks::seconds(limits::VISIBILITY_TIMEOUT, given)
            .ok_or_else(|| invalid(self.range))?;
        let receipt = receipt(engine, id, Some(handle))?;
        let now = engine.now;
        let queue = engine.queue_mut(id)?;
        let overtaken = context.directives.expires(handle);
        if overtaken {
            queue.expire_handle(&receipt, now);
        }
        if queue.is_expired(&receipt) {
            return Err(errors::expired_handle(handle));
        }
        let messages = &mut queue.messages;
        let Some(message) = messages.get(receipt.message) else {
            let reason =
                "Message does not exist or is not available for visibility timeout change.";
            return Err(errors::invalid_value(handle, "ReceiptHandle", reason));
        };
        // Counted from the receive that made the handle; changes since then do not start it anew.
        let longest = Duration::from_secs(limits::VISIBILITY_TIMEOUT.max().into());
        if now.since(receipt.received_at) + timeout > longest {
            return Err(invalid(
                "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]",
            ));
        }
        let held_by_another = matches!(message.state(), MessageState::InFlight { .. })
            && !message.is_latest(&receipt);
        if !held_by_another && !overtaken {
            messages.change_timeout(receipt.message, timeout, receipt.received_at, now);
        }
        Ok(())
    }
}
