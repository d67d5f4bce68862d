//! AddPermission and RemovePermission.

use sqs::{
    AddPermissionInput, AddPermissionOutput, Error, Operation, RemovePermissionInput,
    RemovePermissionOutput, limits,
};

use crate::access::queue_for;
use crate::checks;
use crate::engine::{Context, Engine};
use crate::errors;
use crate::policy::edit::{self, Grant};

/// Appends a statement to the queue's policy, which is made if there is none.
pub(super) fn add(
    engine: &mut Engine,
    context: &Context,
    input: AddPermissionInput,
) -> Result<AddPermissionOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::AddPermission)?;
    let label = label(input.label)?;
    let grant = Grant::parse(
        input.aws_account_ids.unwrap_or_default(),
        input.actions.unwrap_or_default(),
    )?;
    let now = engine.now;
    let queue = engine.queue_mut(queue)?;
    let policy = edit::add(queue.attributes.policy(), &queue.name, &label, &grant)?;
    queue.attributes.set_policy(Some(policy));
    queue.modified_at = now;
    Ok(AddPermissionOutput {})
}

/// Removes a statement from the queue's policy, and the policy with its last one.
pub(super) fn remove(
    engine: &mut Engine,
    context: &Context,
    input: RemovePermissionInput,
) -> Result<RemovePermissionOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::RemovePermission)?;
    let label = label(input.label)?;
    let now = engine.now;
    let queue = engine.queue_mut(queue)?;
    let policy = edit::remove(queue.attributes.policy(), &label)?;
    queue.attributes.set_policy(policy);
    queue.modified_at = now;
    Ok(RemovePermissionOutput {})
}

/// AWS's text for a bad label is not known; this one has the form and the words of its others.
fn label(label: Option<String>) -> Result<String, Error> {
    let label = label
        .filter(|label| !label.is_empty())
        .ok_or_else(|| errors::missing_parameter("Label"))?;
    if limits::LABEL_LENGTH.contains(label.len()) && checks::is_plain(&label) {
        return Ok(label);
    }
    let reason =
        "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
    Err(errors::invalid_value(label, "Label", reason))
}
