//! Queues that are made when they are first used, if the server was told to.

use sqs::{CreateQueueInput, Operation, Request};
use sqs_engine::{Command, Context, Effect, Outcome, QueueAddress};

use super::{Driver, State};
use crate::http::asked;

/// What the name of a FIFO queue ends with.
const FIFO_SUFFIX: &str = ".fifo";

/// Whether a queue that does not exist is created when a call first names it.
///
/// It is created as a CreateQueue without attributes creates it, FIFO if its name ends in `.fifo`,
/// by the calls with which a program begins that takes its queue to be there: GetQueueUrl,
/// GetQueueAttributes, SetQueueAttributes, ListQueueTags, TagQueue, AddPermission, PurgeQueue,
/// SendMessage, SendMessageBatch and ReceiveMessage. The others take away, or need something that
/// only a queue can have given (a receipt handle, a label, a move task), so they fail as on AWS.
///
/// Only queues of the caller's own account are created. A name that no queue can have is refused as
/// ever, and so is the name of a queue that was deleted less than 60 seconds ago, unless the rules
/// are relaxed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoCreate {
    /// A queue that is missing is an error, as on AWS.
    #[default]
    Off,
    /// It is created.
    On,
}

impl Driver {
    /// Creates the queue that a call is about to use, if it is missing and may be created so. A
    /// creation that fails leaves the call to be refused, as it is without it.
    pub(super) fn create_if_missing(
        &self,
        state: &mut State,
        context: &Context,
        request: &Request,
    ) {
        if self.setup.auto_create == AutoCreate::Off || !is_first_use(request.operation()) {
            return;
        }
        let Some(queue) = QueueAddress::named_by(context, request) else {
            return;
        };
        let QueueAddress {
            account,
            region,
            name,
        } = &queue;
        let found = state.engine.inspect().queue(account, region, name);
        if found.is_some() || *account != context.account {
            return;
        }
        let mut input = CreateQueueInput::new(name.as_str());
        if name.ends_with(FIFO_SUFFIX) {
            let fifo = ("FifoQueue".to_owned(), "true".to_owned());
            input.attributes = Some([fifo].into());
        }
        let command = Command::Handle {
            context: context.clone(),
            request: input.into(),
        };
        match self.perform(state, command) {
            // The name may be anything, and so may a text that repeats it.
            Effect::Call(Outcome::Done(Err(error))) => {
                let reason = asked::one_line(error.message(), asked::MESSAGE_CHARS_MAX);
                tracing::warn!(
                    "the missing queue {} could not be created: {}: {reason}",
                    asked::shown(name),
                    error.code()
                );
            }
            Effect::Call(_) | Effect::Control(_) | Effect::Done => {
                tracing::info!(%queue, "created a queue that was missing");
            }
        }
    }
}

fn is_first_use(operation: Operation) -> bool {
    match operation {
        Operation::AddPermission
        | Operation::GetQueueAttributes
        | Operation::GetQueueUrl
        | Operation::ListQueueTags
        | Operation::PurgeQueue
        | Operation::ReceiveMessage
        | Operation::SendMessage
        | Operation::SendMessageBatch
        | Operation::SetQueueAttributes
        | Operation::TagQueue => true,
        Operation::CancelMessageMoveTask
        | Operation::ChangeMessageVisibility
        | Operation::ChangeMessageVisibilityBatch
        | Operation::CreateQueue
        | Operation::DeleteMessage
        | Operation::DeleteMessageBatch
        | Operation::DeleteQueue
        | Operation::ListDeadLetterSourceQueues
        | Operation::ListMessageMoveTasks
        | Operation::ListQueues
        | Operation::RemovePermission
        | Operation::StartMessageMoveTask
        | Operation::UntagQueue => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::FakeSqs;
    use crate::testing::{Harness, Log};

    const ORDERS: &str = "http://localhost:9324/000000000000/orders";

    fn creating() -> Harness {
        Harness::with(FakeSqs::builder().auto_create(AutoCreate::On))
    }

    async fn names(server: &Harness) -> Vec<String> {
        let listed = server.call("ListQueues", &json!({})).await.json();
        let urls = listed["QueueUrls"].as_array().cloned().unwrap_or_default();
        let name = |url: &Value| {
            let url = url.as_str().expect("a URL");
            url.rsplit('/').next().expect("a name").to_owned()
        };
        urls.iter().map(name).collect()
    }

    #[tokio::test]
    async fn the_calls_with_which_a_program_begins_create_their_queue() {
        let message = json!({"Id": "1", "MessageBody": "hello"});
        for (action, input) in [
            ("GetQueueUrl", json!({"QueueName": "orders"})),
            (
                "SendMessage",
                json!({"QueueUrl": ORDERS, "MessageBody": "hello"}),
            ),
            (
                "SendMessageBatch",
                json!({"QueueUrl": ORDERS, "Entries": [message]}),
            ),
            ("ReceiveMessage", json!({"QueueUrl": ORDERS})),
            ("ReceiveMessage", json!({"QueueUrl": "orders"})),
            ("GetQueueAttributes", json!({"QueueUrl": ORDERS})),
            (
                "SetQueueAttributes",
                json!({"QueueUrl": ORDERS, "Attributes": {"DelaySeconds": "1"}}),
            ),
            ("PurgeQueue", json!({"QueueUrl": ORDERS})),
            ("TagQueue", json!({"QueueUrl": ORDERS, "Tags": {"a": "b"}})),
            ("ListQueueTags", json!({"QueueUrl": ORDERS})),
            (
                "AddPermission",
                json!({
                    "QueueUrl": ORDERS, "Label": "l", "AWSAccountIds": ["111122223333"],
                    "Actions": ["SendMessage"],
                }),
            ),
        ] {
            let server = creating();
            let answer = server.call(action, &input).await;
            assert_eq!(answer.status, 200, "{action}: {}", answer.text());
            assert_eq!(names(&server).await, ["orders"], "{action}");
            // Without it the same call is refused.
            let refused = Harness::new().call(action, &input).await;
            assert_eq!(refused.status, 400, "{action}");
        }
    }

    #[tokio::test]
    async fn the_others_do_not() {
        let server = creating();
        for (action, input) in [
            ("DeleteQueue", json!({"QueueUrl": ORDERS})),
            (
                "DeleteMessage",
                json!({"QueueUrl": ORDERS, "ReceiptHandle": "x"}),
            ),
            ("UntagQueue", json!({"QueueUrl": ORDERS, "TagKeys": ["a"]})),
            (
                "RemovePermission",
                json!({"QueueUrl": ORDERS, "Label": "l"}),
            ),
            ("ListDeadLetterSourceQueues", json!({"QueueUrl": ORDERS})),
        ] {
            let answer = server.call(action, &input).await;
            let kind = answer.json()["__type"].clone();
            assert_eq!(kind, "com.amazonaws.sqs#QueueDoesNotExist", "{action}");
        }
        assert_eq!(names(&server).await, [""; 0]);
    }

    #[tokio::test]
    async fn a_name_that_ends_in_fifo_makes_a_fifo_queue() {
        let server = creating();
        let sent = json!({
            "QueueUrl": "orders.fifo", "MessageBody": "hello",
            "MessageGroupId": "g", "MessageDeduplicationId": "1",
        });
        let sent = server.call("SendMessage", &sent).await;
        assert!(sent.json()["SequenceNumber"].is_string(), "{}", sent.text());
    }

    #[tokio::test]
    async fn a_queue_that_cannot_be_created_is_named_with_the_reason() {
        let server = creating();
        let log = Log::capture();
        let url = format!(
            "http://localhost:9324/000000000000/no.\n{}",
            "x".repeat(1_000)
        );
        for (url, expected) in [
            (
                "http://localhost:9324/000000000000/no.dots",
                "the missing queue \"no.dots\" could not be created: \
                 InvalidParameterValueException: Can only include alphanumeric characters",
            ),
            (&*url, "the missing queue \"no.\\nxxxxx"),
        ] {
            server
                .call("ReceiveMessage", &json!({"QueueUrl": url}))
                .await;
            let warnings = log.warnings();
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(warnings[0].contains(expected), "{warnings:?}");
            assert!(warnings[0].len() < 800, "{warnings:?}");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_created_is_refused_as_ever() {
        let server = creating();
        for url in [
            "http://localhost:9324/111122223333/orders",
            "http://localhost:9324/000000000000/no.dots",
            "",
        ] {
            let answer = server
                .call("ReceiveMessage", &json!({"QueueUrl": url}))
                .await;
            let kind = answer.json()["__type"].clone();
            assert_eq!(kind, "com.amazonaws.sqs#QueueDoesNotExist", "{url:?}");
        }
        // A name stays taken for 60 seconds after a deletion, so no queue comes back by itself.
        server
            .call("GetQueueUrl", &json!({"QueueName": "orders"}))
            .await;
        server
            .call("DeleteQueue", &json!({"QueueUrl": ORDERS}))
            .await;
        let answer = server
            .call("ReceiveMessage", &json!({"QueueUrl": ORDERS}))
            .await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert_eq!(names(&server).await, [""; 0]);
    }
}
