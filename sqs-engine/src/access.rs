//! Which queue a request means, and whether the caller may use it.

use sqs::{Error, ErrorCode, Operation, QueueArn, Request, partition};

use crate::command::QueueAddress;
use crate::directory::QueueName;
use crate::engine::{Context, Engine};
use crate::errors;
use crate::id::QueueId;
use crate::policy::{Call, Verdict};
use crate::queue::Queue;

impl QueueAddress {
    /// The queue that a call names, in whichever way calls of its kind do; it need not exist. None
    /// for calls that name no queue.
    ///
    /// # Example
    ///
    /// ```
    /// use sqs::{Request, SendMessageInput};
    /// use sqs_engine::{Context, QueueAddress};
    ///
    /// let context = Context::new("000000000000", "test", "eu-west-1", "http://127.0.0.1:9324");
    /// let url = "http://sqs.internal/123456789012/orders";
    /// let call = Request::from(SendMessageInput::new(url, "hello"));
    /// let orders = QueueAddress::named_by(&context, &call);
    /// assert_eq!(orders, Some(QueueAddress::new("123456789012", "eu-west-1", "orders")));
    /// ```
    #[must_use]
    pub fn named_by(context: &Context, request: &Request) -> Option<Self> {
        let by_url = |url: &Option<String>| {
            let (account, name) = owner_and_name(url.as_deref()?, context);
            Some(Self::new(account, &context.region, name))
        };
        let by_name = |owner: Option<&String>, name: &Option<String>| {
            let owner = owner.unwrap_or(&context.account);
            Some(Self::new(owner, &context.region, name.as_deref()?))
        };
        let by_arn = |arn: &Option<String>| {
            let arn: QueueArn = arn.as_deref()?.parse().ok()?;
            Some(Self::new(arn.account(), arn.region(), arn.name()))
        };
        match request {
            Request::AddPermission(input) => by_url(&input.queue_url),
            Request::ChangeMessageVisibility(input) => by_url(&input.queue_url),
            Request::ChangeMessageVisibilityBatch(input) => by_url(&input.queue_url),
            Request::CreateQueue(input) => by_name(None, &input.queue_name),
            Request::DeleteMessage(input) => by_url(&input.queue_url),
            Request::DeleteMessageBatch(input) => by_url(&input.queue_url),
            Request::DeleteQueue(input) => by_url(&input.queue_url),
            Request::GetQueueAttributes(input) => by_url(&input.queue_url),
            Request::GetQueueUrl(input) => {
                by_name(input.queue_owner_aws_account_id.as_ref(), &input.queue_name)
            }
            Request::ListDeadLetterSourceQueues(input) => by_url(&input.queue_url),
            Request::ListMessageMoveTasks(input) => by_arn(&input.source_arn),
            Request::ListQueueTags(input) => by_url(&input.queue_url),
            Request::PurgeQueue(input) => by_url(&input.queue_url),
            Request::ReceiveMessage(input) => by_url(&input.queue_url),
            Request::RemovePermission(input) => by_url(&input.queue_url),
            Request::SendMessage(input) => by_url(&input.queue_url),
            Request::SendMessageBatch(input) => by_url(&input.queue_url),
            Request::SetQueueAttributes(input) => by_url(&input.queue_url),
            Request::StartMessageMoveTask(input) => by_arn(&input.source_arn),
            Request::TagQueue(input) => by_url(&input.queue_url),
            Request::UntagQueue(input) => by_url(&input.queue_url),
            Request::CancelMessageMoveTask(_) | Request::ListQueues(_) => None,
        }
    }
}

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
///
/// The queue's owner may do everything that its policy does not deny. Others may do what the policy
/// allows them and does not deny, and never what cannot be shared.
pub(crate) fn check(queue: &Queue, context: &Context, operation: Operation) -> Result<(), Error> {
    let is_owner = *queue.name.account == *context.account;
    let verdict = verdict(queue, context, operation);
    let refuse = |because: Because| Err(denied(context, operation, &queue.name, because));
    match (is_owner, verdict, Sharing::of(operation)) {
        (true, Verdict::Denied, _) if mends_policies(operation) => Ok(()),
        (_, Verdict::Denied, _) => refuse(Because::Denied),
        (true, Verdict::Allowed | Verdict::Unmentioned, _)
        | (false, Verdict::Allowed, Sharing::ByPolicy) => Ok(()),
        (false, Verdict::Allowed, Sharing::Never) | (false, Verdict::Unmentioned, _) => {
            refuse(Because::NotAllowed)
        }
    }
}

fn verdict(queue: &Queue, context: &Context, operation: Operation) -> Verdict {
    let Some(policy) = queue.attributes.policy() else {
        return Verdict::Unmentioned;
    };
    policy.judge(Call {
        account: &context.account,
        action: &format!("sqs:{}", policy_action(operation)),
        resource: &queue.name.arn(),
    })
}

fn owner_and_name<'a>(url: &'a str, context: &'a Context) -> (&'a str, &'a str) {
    let Some((rest, name)) = url.rsplit_once('/') else {
        return (&context.account, url);
    };
    let account = rest.rsplit_once('/').map_or(rest, |(_, account)| account);
    (account, name)
}

/// Whether a policy can let other accounts call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// If it says so.
    ByPolicy,
    /// Whatever it says.
    Never,
}

impl Sharing {
    /// As AWS lists them in [Limitations of Amazon SQS custom policies].
    ///
    /// [Limitations of Amazon SQS custom policies]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-limitations-of-custom-policies.html
    pub(crate) fn of(operation: Operation) -> Self {
        match operation {
            Operation::ChangeMessageVisibility
            | Operation::ChangeMessageVisibilityBatch
            | Operation::DeleteMessage
            | Operation::DeleteMessageBatch
            | Operation::GetQueueAttributes
            | Operation::GetQueueUrl
            | Operation::ListDeadLetterSourceQueues
            | Operation::PurgeQueue
            | Operation::ReceiveMessage
            | Operation::SendMessage
            | Operation::SendMessageBatch => Self::ByPolicy,
            Operation::AddPermission
            | Operation::CancelMessageMoveTask
            | Operation::CreateQueue
            | Operation::DeleteQueue
            | Operation::ListMessageMoveTasks
            | Operation::ListQueueTags
            | Operation::ListQueues
            | Operation::RemovePermission
            | Operation::SetQueueAttributes
            | Operation::StartMessageMoveTask
            | Operation::TagQueue
            | Operation::UntagQueue => Self::Never,
        }
    }
}

/// What the owner can always do, or a policy that denies everything to everybody could never be
/// taken away again. On AWS this is [left to the account's root user], and as that one callers act
/// here: there are no others.
///
/// [left to the account's root user]: https://docs.aws.amazon.com/IAM/latest/UserGuide/root-user-tasks.html
fn mends_policies(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::AddPermission
            | Operation::GetQueueAttributes
            | Operation::GetQueueUrl
            | Operation::RemovePermission
            | Operation::SetQueueAttributes
    )
}

/// Why a call is refused.
#[derive(Clone, Copy)]
enum Because {
    /// Nothing lets the caller in.
    NotAllowed,
    /// The policy keeps it out.
    Denied,
}

/// The caller acts as the root of its account: there are no users here. AWS's words for a denial by
/// a queue's policy are those that IAM documents for all services.
fn denied(context: &Context, operation: Operation, queue: &QueueName, because: Because) -> Error {
    let user = format!(
        "arn:{}:iam::{}:root",
        partition(&context.region),
        context.account
    );
    let action = format!("sqs:{}", policy_action(operation).to_ascii_lowercase());
    let resource = queue.arn();
    let reason = match because {
        Because::NotAllowed => {
            format!("because no identity-based policy allows the {action} action")
        }
        Because::Denied => "with an explicit deny in a resource-based policy".into(),
    };
    let message = format!(
        "User: {user} is not authorized to perform: {action} on resource: {resource} {reason}"
    );
    Error::new(ErrorCode::AccessDeniedException, message)
}

/// In policies a batch goes by the name of the single call.
fn policy_action(operation: Operation) -> &'static str {
    let name = operation.name();
    name.strip_suffix("Batch").unwrap_or(name)
}
