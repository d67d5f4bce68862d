//! Amazon's SDK for Rust against a server in this process, over a real socket.

/// Asserts that a call is refused with this error: the SDK's predicate, the status, the code
/// that the SDK shows, and the text. It stands before the modules, for a macro is known only below
/// its place.
macro_rules! assert_refused {
    ($call:expr, $is:ident, $status:expr, $code:expr, $message:expr) => {{
        let refused = crate::refused(::conformance::bound::within($call.send()).await);
        assert!(refused.error.$is(), "{:?}", refused.error);
        assert_eq!(
            (refused.status, &*refused.code, &*refused.message),
            ($status, $code, $message.as_ref())
        );
    }};
}

mod access;
mod dead_letters;
mod errors;
mod faults;
mod fifo;
mod instrument;
mod messages;
mod queues;
mod refusals;

use std::fmt::Debug;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::operation::RequestId;
use aws_sdk_sqs::types::Message;
use conformance::bound::within;

/// A refusal as the SDK shows it.
struct Refused<E> {
    error: E,
    status: u16,
    code: String,
    message: String,
}

/// The refusal in `result`, which must be one and carry a request id.
#[track_caller]
fn refused<T: Debug, E>(result: Result<T, SdkError<E>>) -> Refused<E>
where
    E: ProvideErrorMetadata + RequestId + Debug,
{
    let error = match result {
        Err(SdkError::ServiceError(error)) => error,
        other => panic!("no refusal but {other:?}"),
    };
    let status = error.raw().status().as_u16();
    let error = error.into_err();
    let id = error.request_id().expect("a request id");
    assert_eq!(id.len(), 36, "a request id is a UUID, not {id:?}");
    let code = error.code().unwrap_or_default().to_owned();
    let message = error.message().unwrap_or_default().to_owned();
    Refused {
        error,
        status,
        code,
        message,
    }
}

/// Creates a queue and answers its URL.
async fn create(sqs: &Client, name: &str) -> String {
    let created = within(sqs.create_queue().queue_name(name).send())
        .await
        .expect("a queue");
    created.queue_url.expect("the queue's URL")
}

/// Sends a message that must be accepted.
async fn send(sqs: &Client, url: &str, body: &str) {
    within(sqs.send_message().queue_url(url).message_body(body).send())
        .await
        .expect("the message is accepted");
}

/// All that one short poll answers.
async fn receive(sqs: &Client, url: &str) -> Vec<Message> {
    within(
        sqs.receive_message()
            .queue_url(url)
            .max_number_of_messages(10)
            .send(),
    )
    .await
    .expect("an answer")
    .messages
    .unwrap_or_default()
}

/// The only message that one short poll answers.
async fn receive_one(sqs: &Client, url: &str) -> Message {
    let [message] = <[Message; 1]>::try_from(receive(sqs, url).await).expect("one message");
    message
}

/// The bodies of messages.
fn bodies(messages: &[Message]) -> Vec<&str> {
    messages
        .iter()
        .map(|message| message.body().expect("a body"))
        .collect()
}

/// The ARN of a queue of the server's own account and region.
fn arn(name: &str) -> String {
    format!("arn:aws:sqs:us-east-1:000000000000:{name}")
}
