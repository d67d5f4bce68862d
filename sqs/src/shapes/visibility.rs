//! ChangeMessageVisibility and ChangeMessageVisibilityBatch.

use serde::{Deserialize, Serialize};

use super::message::BatchResultErrorEntry;
use super::null_as_default;

/// What [ChangeMessageVisibility] takes.
///
/// [ChangeMessageVisibility]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChangeMessageVisibilityInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. The handle of the receive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_handle: Option<String>,
    /// Required. How long the message stays hidden from now on, in seconds,
    /// [0 to 43200](crate::limits::VISIBILITY_TIMEOUT); 0 shows it at once. Together with the time
    /// since the receive it may not exceed 43200 (12 hours).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility_timeout: Option<i32>,
}

impl ChangeMessageVisibilityInput {
    /// Hides the message for so many seconds from now.
    #[must_use]
    pub fn new(
        queue_url: impl Into<String>,
        receipt_handle: impl Into<String>,
        visibility_timeout: i32,
    ) -> ChangeMessageVisibilityInput {
        ChangeMessageVisibilityInput {
            queue_url: Some(queue_url.into()),
            receipt_handle: Some(receipt_handle.into()),
            visibility_timeout: Some(visibility_timeout),
        }
    }
}

/// ChangeMessageVisibility gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeMessageVisibilityOutput {}

/// What [ChangeMessageVisibilityBatch] takes.
///
/// [ChangeMessageVisibilityBatch]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibilityBatch.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChangeMessageVisibilityBatchInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. [1 to 10](crate::limits::BATCH_ENTRIES) handles, each with its own timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<ChangeMessageVisibilityBatchRequestEntry>>,
}

impl ChangeMessageVisibilityBatchInput {
    /// Changes the visibility of these messages.
    #[must_use]
    pub fn new(
        queue_url: impl Into<String>,
        entries: impl IntoIterator<Item = ChangeMessageVisibilityBatchRequestEntry>,
    ) -> ChangeMessageVisibilityBatchInput {
        ChangeMessageVisibilityBatchInput {
            queue_url: Some(queue_url.into()),
            entries: Some(entries.into_iter().collect()),
        }
    }
}

/// One message of a [`ChangeMessageVisibilityBatchInput`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChangeMessageVisibilityBatchRequestEntry {
    /// Required. Names the entry in the answer: 1 to 80 of `A-Z a-z 0-9 _ -`, once in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Required. The handle of the receive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_handle: Option<String>,
    /// How long the message stays hidden from now on, in seconds, 0 to 43200. Unlike in the single
    /// call, AWS's model does not require it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility_timeout: Option<i32>,
}

impl ChangeMessageVisibilityBatchRequestEntry {
    /// Hides the message for so many seconds from now; `id` names it in the answer.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        receipt_handle: impl Into<String>,
        visibility_timeout: i32,
    ) -> ChangeMessageVisibilityBatchRequestEntry {
        ChangeMessageVisibilityBatchRequestEntry {
            id: Some(id.into()),
            receipt_handle: Some(receipt_handle.into()),
            visibility_timeout: Some(visibility_timeout),
        }
    }
}

/// What ChangeMessageVisibilityBatch gives: each entry is in one of the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChangeMessageVisibilityBatchOutput {
    /// The entries that were changed.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub successful: Vec<ChangeMessageVisibilityBatchResultEntry>,
    /// The entries that were refused.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub failed: Vec<BatchResultErrorEntry>,
}

/// An entry of a [`ChangeMessageVisibilityBatchInput`] that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChangeMessageVisibilityBatchResultEntry {
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
    fn change_message_visibility() {
        check_input::<ChangeMessageVisibilityInput>(
            &["QueueUrl", "ReceiptHandle", "VisibilityTimeout"],
            &json!({ "QueueUrl": "q", "ReceiptHandle": "AQEB", "VisibilityTimeout": 0 }),
        );
        check_no_output::<ChangeMessageVisibilityOutput>();
    }

    #[test]
    fn change_message_visibility_batch() {
        let entry = json!({ "Id": "1", "ReceiptHandle": "AQEB", "VisibilityTimeout": 0 });
        check_input::<ChangeMessageVisibilityBatchRequestEntry>(
            &["Id", "ReceiptHandle", "VisibilityTimeout"],
            &entry,
        );
        check_input::<ChangeMessageVisibilityBatchInput>(
            &["QueueUrl", "Entries"],
            &json!({ "QueueUrl": "q", "Entries": [entry] }),
        );
        check::<ChangeMessageVisibilityBatchResultEntry>(&["Id"], &json!({ "Id": "1" }));
        let failed = json!({ "Id": "2", "SenderFault": true, "Code": "c", "Message": "m" });
        check_output::<ChangeMessageVisibilityBatchOutput>(
            &["Successful", "Failed"],
            &json!({ "Successful": [{ "Id": "1" }], "Failed": [failed] }),
        );
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(ChangeMessageVisibilityInput::new("u", "h", 30)),
            json!({ "QueueUrl": "u", "ReceiptHandle": "h", "VisibilityTimeout": 30 })
        );
        let entry = ChangeMessageVisibilityBatchRequestEntry::new("1", "h", 30);
        let written = json!({ "Id": "1", "ReceiptHandle": "h", "VisibilityTimeout": 30 });
        assert_eq!(
            json!(ChangeMessageVisibilityBatchInput::new("u", [entry])),
            json!({ "QueueUrl": "u", "Entries": [written] })
        );
    }
}
