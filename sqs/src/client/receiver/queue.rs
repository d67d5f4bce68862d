//! The queue as the receiver needs it, so that tests can put another one in its place.

use crate::client::{Client, EntryError, Error};
use crate::shapes::delete::DeleteMessageBatchRequestEntry;
use crate::shapes::receive::{Message, ReceiveMessageInput};
use crate::shapes::visibility::ChangeMessageVisibilityBatchRequestEntry;

use super::event::BoxError;

/// A message, and why it must not be handled if it must not.
pub(super) type Received = (Message, Option<BoxError>);

/// What is done to a queue.
pub(super) trait Queue: Clone + Send + Sync + 'static {
    /// Receives up to so many messages.
    fn receive(&self, max: usize) -> impl Future<Output = Result<Vec<Received>, Error>> + Send;

    /// Deletes the messages of these receipt handles.
    fn delete(
        &self,
        handles: Vec<String>,
    ) -> impl Future<Output = Vec<Result<(), EntryError>>> + Send;

    /// Hides the messages of these receipt handles for so many seconds from now.
    fn change_visibility(
        &self,
        changes: Vec<(String, u32)>,
    ) -> impl Future<Output = Vec<Result<(), EntryError>>> + Send;
}

/// A queue of SQS.
#[derive(Clone)]
pub(super) struct SqsQueue {
    pub(super) client: Client,
    /// But for the number of messages.
    pub(super) receive: ReceiveMessageInput,
}

impl SqsQueue {
    fn url(&self) -> &str {
        self.receive.queue_url.as_deref().unwrap_or_default()
    }
}

impl Queue for SqsQueue {
    async fn receive(&self, max: usize) -> Result<Vec<Received>, Error> {
        let input = ReceiveMessageInput {
            max_number_of_messages: i32::try_from(max).ok(),
            ..self.receive.clone()
        };
        let output = self.client.call(&input).await?;
        let messages = output.messages.into_iter();
        Ok(messages
            .map(|message| {
                let damage = damage(&self.client, &message);
                (message, damage)
            })
            .collect())
    }

    async fn delete(&self, handles: Vec<String>) -> Vec<Result<(), EntryError>> {
        let entries = handles
            .into_iter()
            .map(|handle| DeleteMessageBatchRequestEntry {
                id: None,
                receipt_handle: Some(handle),
            });
        let batches = self.client.batches(self.url()).attempts(ATTEMPTS);
        let results = batches.delete(entries).await.into_results();
        results.into_iter().map(|it| it.map(drop)).collect()
    }

    async fn change_visibility(&self, changes: Vec<(String, u32)>) -> Vec<Result<(), EntryError>> {
        let entries =
            changes.into_iter().map(
                |(handle, seconds)| ChangeMessageVisibilityBatchRequestEntry {
                    id: None,
                    receipt_handle: Some(handle),
                    visibility_timeout: i32::try_from(seconds).ok(),
                },
            );
        let batches = self.client.batches(self.url()).attempts(ATTEMPTS);
        let results = batches.change_visibility(entries).await.into_results();
        results.into_iter().map(|it| it.map(drop)).collect()
    }
}

/// Why a message must not be handled.
fn damage(client: &Client, message: &Message) -> Option<BoxError> {
    #[cfg(feature = "md5")]
    if let Err(error) = client.md5.check_message(message) {
        return Some(error.into());
    }
    let _ = client;
    if message.receipt_handle.is_none() {
        return Some("it has no receipt handle".into());
    }
    None
}

/// How often an entry is tried that SQS fails for a fault of its own.
const ATTEMPTS: u32 = 3;
