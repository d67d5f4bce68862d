//! Which queue a request means, and whether the caller may use it.

use sqs::{Error, ErrorCode, Operation, partition};

use crate::directory::QueueName;
use crate::engine::{Context, Engine};
use crate::errors;
use crate::id::QueueId;
use crate::queue::Queue;

/// The queue that a `QueueUrl` names, if the caller may do `operation` there.
///
/// Only the last two segments of the path count: account and name. The host does not, so a URL
/// stays good behind another name or port. A name alone means a queue of the caller's own account.
///
/// A queue of another account is refused as AWS refuses a caller without a policy that lets it in;
/// that tells apart a queue that is there from one that is not, as it does on AWS.
pub(crate) fn queue_for(
    engine: &Engine,
    context: &Context,
    queue_url: Option<&str>,
    operation: Operation,
) -> Result<QueueId, Error> {
    let (account, name) = queue_url
        .map(|url| owner_and_name(url, context))
        .unwrap_or_default();
    let id = engine
        .find(account, &context.region, name)
        .ok_or_else(errors::queue_does_not_exist)?;
    check(engine.queue(id)?, context, operation)?;
    Ok(id)
}

/// Checks that the caller may do `operation` at a queue.
pub(crate) fn check(queue: &Queue, context: &Context, operation: Operation) -> Result<(), Error> {
    if *queue.name.account == *context.account {
        Ok(())
    } else {
        Err(denied(context, operation, &queue.name))
    }
}

fn owner_and_name<'a>(url: &'a str, context: &'a Context) -> (&'a str, &'a str) {
    let Some((rest, name)) = url.rsplit_once('/') else {
        return (&context.account, url);
    };
    let account = rest.rsplit_once('/').map_or(rest, |(_, account)| account);
    (account, name)
}

/// The caller acts as the root of its account: there are no users here.
fn denied(context: &Context, operation: Operation, queue: &QueueName) -> Error {
    let user = format!(
        "arn:{}:iam::{}:root",
        partition(&context.region),
        context.account
    );
    let action = format!("sqs:{}", policy_action(operation).to_ascii_lowercase());
    let resource = queue.arn();
    let message = format!(
        "User: {user} is not authorized to perform: {action} on resource: {resource} \
         because no identity-based policy allows the {action} action"
    );
    Error::new(ErrorCode::AccessDeniedException, message)
}

/// In policies a batch goes by the name of the single call.
fn policy_action(operation: Operation) -> &'static str {
    let name = operation.name();
    name.strip_suffix("Batch").unwrap_or(name)
}
