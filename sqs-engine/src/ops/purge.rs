//! PurgeQueue.

use std::time::Duration;

use sqs::{Error, ErrorCode, Operation, PurgeQueueInput, PurgeQueueOutput, limits};

use crate::access::queue_for;
use crate::engine::{Context, Engine, Rules};

/// Removes every message, in whatever state. Costs time in proportion to them.
pub(super) fn purge(
    engine: &mut Engine,
    context: &Context,
    input: &PurgeQueueInput,
) -> Result<PurgeQueueOutput, Error> {
    let id = queue_for(
        engine,
        context,
        input.queue_url.as_deref(),
        Operation::PurgeQueue,
    )?;
    let (now, rules) = (engine.now, engine.rules);
    let queue = engine.queue_mut(id)?;
    if let (Rules::Strict, Some(before)) = (rules, queue.purged_at)
        && now.since(before) < Duration::from_secs(limits::PURGE_INTERVAL_SECONDS.into())
    {
        let name = &queue.name.name;
        let message =
            format!("Only one PurgeQueue operation on {name} is allowed every 60 seconds.");
        return Err(Error::new(ErrorCode::PurgeQueueInProgress, message));
    }
    queue.purge(now);
    Ok(PurgeQueueOutput {})
}
