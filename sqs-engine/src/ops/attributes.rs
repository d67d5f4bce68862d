//! GetQueueAttributes and SetQueueAttributes.

use std::collections::BTreeMap;

use sqs::{
    Error, GetQueueAttributesInput, GetQueueAttributesOutput, Operation, QueueAttributeName,
    SetQueueAttributesInput, SetQueueAttributesOutput,
};

use crate::access::queue_for;
use crate::directory::QueueName;
use crate::engine::{Context, Engine};
use crate::errors;
use crate::queue::Queue;
use crate::queue::attributes::Changes;
use crate::queue::redrive::{RedrivePolicy, is_same_kind};

/// Attributes that are known and not set, or not this queue's, are left out without a word.
pub(super) fn get(
    engine: &Engine,
    context: &Context,
    input: GetQueueAttributesInput,
) -> Result<GetQueueAttributesOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::GetQueueAttributes)?;
    let names: Result<Vec<_>, _> = input
        .attribute_names
        .unwrap_or_default()
        .iter()
        .map(|name| {
            QueueAttributeName::from_name(name).ok_or_else(|| errors::unknown_attribute(name))
        })
        .collect();
    let names = names?;
    let all = names.contains(&QueueAttributeName::All);
    let attributes = shown(engine.queue(queue)?)
        .into_iter()
        .filter(|(name, _)| all || names.contains(name))
        .map(|(name, value)| (name.name().to_owned(), value))
        .collect();
    Ok(GetQueueAttributesOutput { attributes })
}

pub(super) fn set(
    engine: &mut Engine,
    context: &Context,
    input: SetQueueAttributesInput,
) -> Result<SetQueueAttributesOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::SetQueueAttributes)?;
    let attributes = input
        .attributes
        .filter(|attributes| !attributes.is_empty())
        .ok_or_else(|| errors::missing_parameter("Attribute.Name"))?;
    let present = engine.queue(queue)?;
    let changed =
        Changes::parse(&attributes, present.attributes.kind())?.applied(&present.attributes)?;
    check_redrive(engine, &attributes, &present.name)?;
    engine.set_attributes(queue, changed)?;
    Ok(SetQueueAttributesOutput {})
}

/// Checks the target of the RedrivePolicy among attributes that a queue is to get: it must
/// exist, be of the same owner, region and kind, and allow this queue. A queue may name itself.
///
/// The texts are AWS's but for the last, where it is not known. What the target allows is asked here
/// only, not when a message moves.
pub(super) fn check_redrive(
    engine: &Engine,
    attributes: &BTreeMap<String, String>,
    source: &QueueName,
) -> Result<(), Error> {
    let given = attributes
        .get(QueueAttributeName::RedrivePolicy.name())
        .map_or("", String::as_str);
    let Some(policy) = RedrivePolicy::parse(given)? else {
        return Ok(());
    };
    let refuse = |reason: &str| Err(RedrivePolicy::refuse(given, reason));
    let target = &policy.target;
    if target.account() != &*source.account {
        return refuse("Dead-letter target owner should be same as the source.");
    }
    let found = engine
        .directory
        .find_arn(target)
        .filter(|_| target.region() == &*source.region);
    let Some(found) = found else {
        return refuse("Dead letter target does not exist.");
    };
    if !is_same_kind(target.name(), &source.name) {
        return refuse("Dead-letter queue must be same type of queue as the source.");
    }
    match engine.queue(found)?.attributes.redrive_allow() {
        Some(allow) if !allow.allows(source) => refuse(
            "The redrive allow policy of the dead-letter queue does not allow this source queue.",
        ),
        Some(_) | None => Ok(()),
    }
}

/// All attributes that a queue has, with their values. The counters are exact.
pub(crate) fn shown(queue: &Queue) -> BTreeMap<QueueAttributeName, String> {
    use QueueAttributeName as Name;
    let counts = queue.messages.counts();
    let mut shown: BTreeMap<_, _> = queue.attributes.shown().into_iter().collect();
    shown.extend([
        (
            Name::ApproximateNumberOfMessages,
            counts.visible.to_string(),
        ),
        (
            Name::ApproximateNumberOfMessagesDelayed,
            counts.delayed.to_string(),
        ),
        (
            Name::ApproximateNumberOfMessagesNotVisible,
            counts.in_flight.to_string(),
        ),
        (
            Name::CreatedTimestamp,
            queue.created_at.as_secs().to_string(),
        ),
        (
            Name::LastModifiedTimestamp,
            queue.modified_at.as_secs().to_string(),
        ),
        (Name::QueueArn, queue.name.arn()),
    ]);
    shown
}
