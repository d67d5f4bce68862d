//! What the entries of the three batch operations have in common.

use super::batch::EntryError;
use super::{Client, Error};
use crate::shapes::delete::{
    DeleteMessageBatchInput, DeleteMessageBatchRequestEntry, DeleteMessageBatchResultEntry,
};
use crate::shapes::message::BatchResultErrorEntry;
use crate::shapes::receive::Message;
use crate::shapes::send::{
    SendMessageBatchInput, SendMessageBatchRequestEntry, SendMessageBatchResultEntry,
};
use crate::shapes::visibility::{
    ChangeMessageVisibilityBatchInput, ChangeMessageVisibilityBatchRequestEntry,
    ChangeMessageVisibilityBatchResultEntry,
};

/// The entries that an answer tells of, each with its place in the request.
pub(super) type Answer<D> = Vec<(usize, Result<D, BatchResultErrorEntry>)>;

/// An entry of a batch.
pub(super) trait Entry: Send + Sync + Sized {
    /// What SQS gives for one that it did.
    type Done: Send;

    /// The caller's id.
    fn id(&self) -> Option<&str>;

    /// Where the id is.
    fn id_mut(&mut self) -> &mut Option<String>;

    /// What it counts towards the size of the request.
    fn size(&self) -> usize {
        0
    }

    /// The group in which it must not overtake another.
    fn group(&self) -> Option<&str> {
        None
    }

    /// Whether SQS did what it was asked.
    fn check(&self, _client: &Client, _done: &Self::Done) -> Result<(), EntryError> {
        Ok(())
    }

    /// Gives what SQS did the caller's id.
    fn name(done: &mut Self::Done, id: Option<&str>);

    /// Sends the entries under ids of their own, and gives them back as they were, with the answer.
    fn call(
        client: &Client,
        queue_url: &str,
        entries: Vec<Self>,
    ) -> impl Future<Output = (Vec<Self>, Result<Answer<Self::Done>, Error>)> + Send;
}

/// Writes what differs only in the names of shapes.
macro_rules! entry {
    ($input:ident $entry:ident $done:ident { $($own:item)* }) => {
        impl Entry for $entry {
            type Done = $done;

            fn id(&self) -> Option<&str> {
                self.id.as_deref()
            }

            fn id_mut(&mut self) -> &mut Option<String> {
                &mut self.id
            }

            fn name(done: &mut $done, id: Option<&str>) {
                done.id = id.unwrap_or_default().to_owned();
            }

            async fn call(
                client: &Client,
                queue_url: &str,
                mut entries: Vec<$entry>,
            ) -> (Vec<$entry>, Result<Answer<$done>, Error>) {
                let ids = number(&mut entries);
                let input = $input::new(queue_url, entries);
                let output = client.call(&input).await;
                let mut entries = input.entries.unwrap_or_default();
                restore(&mut entries, ids);
                let answer = output.map(|output| {
                    let done = output.successful.into_iter();
                    let done = done.filter_map(|it| Some((it.id.parse().ok()?, Ok(it))));
                    let failed = output.failed.into_iter();
                    done.chain(failed.filter_map(|it| Some((it.id.parse().ok()?, Err(it)))))
                        .collect()
                });
                (entries, answer)
            }

            $($own)*
        }
    };
}

entry!(SendMessageBatchInput SendMessageBatchRequestEntry SendMessageBatchResultEntry {
    fn size(&self) -> usize {
        self.size()
    }

    fn group(&self) -> Option<&str> {
        self.message_group_id.as_deref()
    }

    #[cfg(feature = "md5")]
    fn check(&self, client: &Client, done: &SendMessageBatchResultEntry) -> Result<(), EntryError> {
        client.md5.check_entry(self, done).map_err(EntryError::Md5)
    }
});

entry!(DeleteMessageBatchInput DeleteMessageBatchRequestEntry DeleteMessageBatchResultEntry {});

entry!(
    ChangeMessageVisibilityBatchInput
    ChangeMessageVisibilityBatchRequestEntry
    ChangeMessageVisibilityBatchResultEntry {}
);

/// Puts each entry's place where its id was.
fn number<E: Entry>(entries: &mut [E]) -> Vec<Option<String>> {
    let places = entries.iter_mut().enumerate();
    places
        .map(|(place, entry)| entry.id_mut().replace(place.to_string()))
        .collect()
}

fn restore<E: Entry>(entries: &mut [E], ids: Vec<Option<String>>) {
    for (entry, id) in entries.iter_mut().zip(ids) {
        *entry.id_mut() = id;
    }
}

/// A message with this body. It has no id: [`Batches`](super::Batches) gives it one.
impl From<String> for SendMessageBatchRequestEntry {
    fn from(body: String) -> SendMessageBatchRequestEntry {
        SendMessageBatchRequestEntry {
            message_body: Some(body),
            ..SendMessageBatchRequestEntry::default()
        }
    }
}

/// A message with this body. It has no id: [`Batches`](super::Batches) gives it one.
impl From<&str> for SendMessageBatchRequestEntry {
    fn from(body: &str) -> SendMessageBatchRequestEntry {
        body.to_owned().into()
    }
}

/// The deletion of a received message, named by the message's id.
impl From<&Message> for DeleteMessageBatchRequestEntry {
    fn from(message: &Message) -> DeleteMessageBatchRequestEntry {
        DeleteMessageBatchRequestEntry {
            id: message.message_id.clone(),
            receipt_handle: message.receipt_handle.clone(),
        }
    }
}
