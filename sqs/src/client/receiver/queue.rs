//! The queue as the receiver needs it, so that tests can put another one in its place.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// But for the number of messages and the attempt's id.
    pub(super) receive: ReceiveMessageInput,
    /// On a FIFO queue.
    pub(super) attempts: Option<Attempts>,
}

/// Ids of receives. With one, a receive that the client repeats because its answer was lost gets the
/// same messages, instead of none until these are visible again.
#[derive(Clone)]
pub(super) struct Attempts {
    /// Differs among receivers, so that none gets another's messages.
    seed: u64,
    count: Arc<AtomicU64>,
}

impl Attempts {
    pub(super) fn new() -> Attempts {
        Attempts {
            // The standard library's keys for hashing are random, which is enough here.
            seed: RandomState::new().hash_one(0),
            count: Arc::default(),
        }
    }

    fn next_id(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}-{count}", self.seed)
    }
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
            receive_request_attempt_id: self.attempts.as_ref().map(Attempts::next_id),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::{Server, block_on, response};

    /// The attempt's ids of two receives.
    fn ids(attempts: Option<Attempts>) -> Vec<Option<String>> {
        let server = Server::answering(|_| response("200 OK", "", "{}"));
        let queue = SqsQueue {
            client: server.client(),
            receive: ReceiveMessageInput::new("u"),
            attempts,
        };
        block_on(async {
            for _ in 0..2 {
                queue.receive(7).await.expect("an answer");
            }
        });
        let requests = server.requests();
        let inputs = requests.iter().map(|request| {
            let input: ReceiveMessageInput = serde_json::from_str(&request.body).expect("JSON");
            assert_eq!(input.max_number_of_messages, Some(7));
            input.receive_request_attempt_id
        });
        inputs.collect()
    }

    #[test]
    fn each_receive_of_a_fifo_queue_has_an_id_of_its_own() {
        assert_eq!(ids(None), [None, None]);
        let mut all = ids(Some(Attempts::new()));
        all.extend(ids(Some(Attempts::new())));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.iter().flatten().count(), 4);
        assert!(all.iter().flatten().all(|id| id.len() <= 128));
    }
}
