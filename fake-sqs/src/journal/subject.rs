//! Which queue and which messages a request is about.

use sqs::{BatchResultErrorEntry, Request, Response};
use sqs_engine::inspect::ReceiptView;

use super::request::Failed;
use crate::driver::Answer;
use crate::http::protocol::Named;

/// What a request is about, as far as it says so itself.
#[derive(Debug)]
pub(crate) struct Subject {
    /// The ids of the entries of a batch that names messages by their handles.
    entries: Vec<Option<String>>,
}

/// Which messages a request was about, after its answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Concerned {
    pub(crate) message_ids: Vec<String>,
    pub(crate) failed: Vec<Failed>,
}

impl Subject {
    pub(crate) fn of(request: &Request) -> Self {
        let entries = match request {
            Request::DeleteMessageBatch(input) => {
                let entries = input.entries.iter().flatten();
                entries.map(|entry| entry.id.clone()).collect()
            }
            Request::ChangeMessageVisibilityBatch(input) => {
                let entries = input.entries.iter().flatten();
                entries.map(|entry| entry.id.clone()).collect()
            }
            // No other request names a handle, or else it has no entries.
            _ => Vec::new(),
        };
        Self { entries }
    }

    /// Which messages it was about in the end; `receipts` are those of the handles that it named.
    pub(crate) fn concerned(self, receipts: &[Option<ReceiptView>], answer: &Answer) -> Concerned {
        match answer {
            Ok(response) => self.done(receipts, response),
            Err(error) => {
                let code = error.code().name();
                let named = receipts.iter().enumerate().filter_map(|(at, receipt)| {
                    let id = self.entries.get(at).cloned().flatten();
                    Some(Failed::new(id, Some(message_id(receipt.as_ref()?)), code))
                });
                Concerned {
                    message_ids: Vec::new(),
                    failed: named.collect(),
                }
            }
        }
    }

    fn done(self, receipts: &[Option<ReceiptView>], response: &Response) -> Concerned {
        let mut concerned = Concerned::default();
        match response {
            Response::SendMessage(output) => {
                concerned.message_ids.extend(output.message_id.clone());
            }
            Response::SendMessageBatch(output) => {
                let sent = output.successful.iter();
                concerned
                    .message_ids
                    .extend(sent.map(|entry| entry.message_id.clone()));
                let failed = output.failed.iter();
                concerned.failed.extend(
                    failed.map(|entry| Failed::new(Some(entry.id.clone()), None, &entry.code)),
                );
            }
            Response::ReceiveMessage(output) => {
                let received = output.messages.iter();
                concerned
                    .message_ids
                    .extend(received.filter_map(|message| message.message_id.clone()));
            }
            Response::DeleteMessage(_) | Response::ChangeMessageVisibility(_) => {
                concerned
                    .message_ids
                    .extend(receipts.iter().flatten().map(message_id));
            }
            Response::DeleteMessageBatch(output) => {
                self.batch(receipts, &output.failed, &mut concerned);
            }
            Response::ChangeMessageVisibilityBatch(output) => {
                self.batch(receipts, &output.failed, &mut concerned);
            }
            // The others are about no message.
            _ => {}
        }
        concerned
    }

    fn batch(
        self,
        receipts: &[Option<ReceiptView>],
        failed: &[BatchResultErrorEntry],
        concerned: &mut Concerned,
    ) {
        for (id, receipt) in self.entries.into_iter().zip(receipts) {
            let message_id = receipt.as_ref().map(message_id);
            match failed.iter().find(|entry| Some(&entry.id) == id.as_ref()) {
                Some(entry) => concerned
                    .failed
                    .push(Failed::new(id, message_id, &entry.code)),
                None => concerned.message_ids.extend(message_id),
            }
        }
    }
}

/// Those messages whose handles hold them no longer.
pub(crate) fn stale_ids(receipts: &[Option<ReceiptView>]) -> Vec<String> {
    let stale = receipts.iter().flatten().filter(|receipt| !receipt.holds());
    stale.map(message_id).collect()
}

fn message_id(receipt: &ReceiptView) -> String {
    receipt.message().to_string()
}

/// The name of the queue that a request names.
pub(crate) fn queue_of(request: &Request) -> Option<String> {
    let url = match request {
        Request::CreateQueue(input) => &input.queue_name,
        Request::GetQueueUrl(input) => &input.queue_name,
        Request::StartMessageMoveTask(input) => return last(input.source_arn.as_deref(), ':'),
        Request::ListMessageMoveTasks(input) => return last(input.source_arn.as_deref(), ':'),
        Request::CancelMessageMoveTask(_) | Request::ListQueues(_) => return None,
        Request::AddPermission(input) => &input.queue_url,
        Request::ChangeMessageVisibility(input) => &input.queue_url,
        Request::ChangeMessageVisibilityBatch(input) => &input.queue_url,
        Request::DeleteMessage(input) => &input.queue_url,
        Request::DeleteMessageBatch(input) => &input.queue_url,
        Request::DeleteQueue(input) => &input.queue_url,
        Request::GetQueueAttributes(input) => &input.queue_url,
        Request::ListDeadLetterSourceQueues(input) => &input.queue_url,
        Request::ListQueueTags(input) => &input.queue_url,
        Request::PurgeQueue(input) => &input.queue_url,
        Request::ReceiveMessage(input) => &input.queue_url,
        Request::RemovePermission(input) => &input.queue_url,
        Request::SendMessage(input) => &input.queue_url,
        Request::SendMessageBatch(input) => &input.queue_url,
        Request::SetQueueAttributes(input) => &input.queue_url,
        Request::TagQueue(input) => &input.queue_url,
        Request::UntagQueue(input) => &input.queue_url,
    };
    last(url.as_deref(), '/')
}

/// The name of the queue that a request names which could not be read, or of which it is not known
/// who sent it.
pub(crate) fn queue_named(named: &Named) -> Option<String> {
    last(named.queue_url.as_deref(), '/').or_else(|| last(named.queue_name.as_deref(), '/'))
}

/// What follows the last separator. A name is cut to the longest that a queue can have, and then
/// some: it may be anything here.
fn last(text: Option<&str>, separator: char) -> Option<String> {
    let name = text?.rsplit(separator).next()?;
    Some(name[..name.floor_char_boundary(NAME_BYTES_MAX)].to_owned())
}

/// A queue's name has 80 characters at most.
const NAME_BYTES_MAX: usize = 100;
