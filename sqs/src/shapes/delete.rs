//! DeleteMessage and DeleteMessageBatch.

use serde::{Deserialize, Serialize};

use super::message::BatchResultErrorEntry;
use super::null_as_default;

/// What [DeleteMessage] takes.
///
/// [DeleteMessage]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeleteMessageInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. The handle of the receive, not the message's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_handle: Option<String>,
}

impl DeleteMessageInput {
    /// Deletes the message that was received with this handle.
    #[must_use]
    pub fn new(
        queue_url: impl Into<String>,
        receipt_handle: impl Into<String>,
    ) -> DeleteMessageInput {
        DeleteMessageInput {
            queue_url: Some(queue_url.into()),
            receipt_handle: Some(receipt_handle.into()),
        }
    }
}

/// DeleteMessage gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteMessageOutput {}

/// What [DeleteMessageBatch] takes.
///
/// [DeleteMessageBatch]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessageBatch.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeleteMessageBatchInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. [1 to 10](crate::limits::BATCH_ENTRIES) handles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<DeleteMessageBatchRequestEntry>>,
}

impl DeleteMessageBatchInput {
    /// Deletes the messages of these entries.
    #[must_use]
    pub fn new(
        queue_url: impl Into<String>,
        entries: impl IntoIterator<Item = DeleteMessageBatchRequestEntry>,
    ) -> DeleteMessageBatchInput {
        DeleteMessageBatchInput {
            queue_url: Some(queue_url.into()),
            entries: Some(entries.into_iter().collect()),
        }
    }
}

/// One message to delete in a [`DeleteMessageBatchInput`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeleteMessageBatchRequestEntry {
    /// Required. Names the entry in the answer: 1 to 80 of `A-Z a-z 0-9 _ -`, once in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Required. The handle of the receive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_handle: Option<String>,
}

impl DeleteMessageBatchRequestEntry {
    /// The message received with this handle, named `id` in the answer.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        receipt_handle: impl Into<String>,
    ) -> DeleteMessageBatchRequestEntry {
        DeleteMessageBatchRequestEntry {
            id: Some(id.into()),
            receipt_handle: Some(receipt_handle.into()),
        }
    }
}

/// What DeleteMessageBatch gives: each entry is in one of the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeleteMessageBatchOutput {
    /// The entries whose messages are gone, now or before.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub successful: Vec<DeleteMessageBatchResultEntry>,
    /// The entries that were refused.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub failed: Vec<BatchResultErrorEntry>,
}

/// An entry of a [`DeleteMessageBatchInput`] that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeleteMessageBatchResultEntry {
    /// The `Id` that the request gave the entry.
    #[serde(deserialize_with = "null_as_default")]
    pub id: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check, check_input, check_no_output, check_output};
    use super::*;

    #[test]
    fn delete_message() {
        check_input::<DeleteMessageInput>(
            &["QueueUrl", "ReceiptHandle"],
            &json!({ "QueueUrl": "q", "ReceiptHandle": "AQEB" }),
        );
        check_no_output::<DeleteMessageOutput>();
    }

    #[test]
    fn delete_message_batch() {
        let entry = json!({ "Id": "1", "ReceiptHandle": "AQEB" });
        check_input::<DeleteMessageBatchRequestEntry>(&["Id", "ReceiptHandle"], &entry);
        check_input::<DeleteMessageBatchInput>(
            &["QueueUrl", "Entries"],
            &json!({ "QueueUrl": "q", "Entries": [entry] }),
        );
        check::<DeleteMessageBatchResultEntry>(&["Id"], &json!({ "Id": "1" }));
        let failed = json!({ "Id": "2", "SenderFault": true, "Code": "c", "Message": "m" });
        check_output::<DeleteMessageBatchOutput>(
            &["Successful", "Failed"],
            &json!({ "Successful": [{ "Id": "1" }], "Failed": [failed] }),
        );
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(DeleteMessageInput::new("u", "h")),
            json!({ "QueueUrl": "u", "ReceiptHandle": "h" })
        );
        let entries = [DeleteMessageBatchRequestEntry::new("1", "h")];
        assert_eq!(
            json!(DeleteMessageBatchInput::new("u", entries)),
            json!({ "QueueUrl": "u", "Entries": [{ "Id": "1", "ReceiptHandle": "h" }] })
        );
    }
}
