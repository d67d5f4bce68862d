//! SendMessage and SendMessageBatch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::message::{
    BatchResultErrorEntry, MessageAttributeValue, MessageSystemAttributeValue, message_size,
};
use super::null_as_default;

/// What [SendMessage] takes.
///
/// [SendMessage]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SendMessageInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. 1 byte to [1 MiB](crate::limits::MESSAGE_SIZE) in UTF-8, the attributes' names,
    /// types and values counted in; only characters that XML allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_body: Option<String>,
    /// How long the message stays hidden after the send, in seconds,
    /// [0 to 900](crate::limits::DELAY_SECONDS). The queue's `DelaySeconds` when left out. A FIFO
    /// queue only takes 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<i32>,
    /// Attributes of the sender's own, by name; [at most 10](crate::limits::MESSAGE_ATTRIBUTES).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_attributes: Option<BTreeMap<String, MessageAttributeValue>>,
    /// System attributes by name; `AWSTraceHeader` is the only one that can be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_system_attributes: Option<BTreeMap<String, MessageSystemAttributeValue>>,
    /// FIFO queues: sends with the same id within
    /// [five minutes](crate::limits::DEDUPLICATION_SECONDS) store one message. 1 to 128
    /// alphanumeric or punctuation characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_deduplication_id: Option<String>,
    /// FIFO queues, where it is required: messages of one group are received in order. On a
    /// standard queue it makes the queue fair among groups. 1 to 128 alphanumeric or punctuation
    /// characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_group_id: Option<String>,
}

impl SendMessageInput {
    /// Sends this body to the queue, with the queue's own delay and no attributes.
    #[must_use]
    pub fn new(queue_url: impl Into<String>, message_body: impl Into<String>) -> SendMessageInput {
        SendMessageInput {
            queue_url: Some(queue_url.into()),
            message_body: Some(message_body.into()),
            ..SendMessageInput::default()
        }
    }
}

/// What SendMessage gives. The digests are MD5 in lower-case hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SendMessageOutput {
    /// Digest of the body.
    #[serde(rename = "MD5OfMessageBody", skip_serializing_if = "Option::is_none")]
    pub md5_of_message_body: Option<String>,
    /// Digest of the message attributes, if there were any.
    #[serde(
        rename = "MD5OfMessageAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    pub md5_of_message_attributes: Option<String>,
    /// Digest of the system attributes, if there were any.
    #[serde(
        rename = "MD5OfMessageSystemAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    pub md5_of_message_system_attributes: Option<String>,
    /// The id that the message keeps through all its receives, a UUID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// FIFO queues: 20 decimal digits that grow within a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence_number: Option<String>,
}

/// What [SendMessageBatch] takes.
///
/// [SendMessageBatch]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SendMessageBatchInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. [1 to 10](crate::limits::BATCH_ENTRIES) messages, together at most
    /// [1 MiB](crate::limits::BATCH_SIZE).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<SendMessageBatchRequestEntry>>,
}

impl SendMessageBatchInput {
    /// Sends these messages to the queue.
    #[must_use]
    pub fn new(
        queue_url: impl Into<String>,
        entries: impl IntoIterator<Item = SendMessageBatchRequestEntry>,
    ) -> SendMessageBatchInput {
        SendMessageBatchInput {
            queue_url: Some(queue_url.into()),
            entries: Some(entries.into_iter().collect()),
        }
    }
}

/// One message of a [`SendMessageBatchInput`]; but for `id`, as in [`SendMessageInput`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SendMessageBatchRequestEntry {
    /// Required. Names the entry in the answer: 1 to 80 of `A-Z a-z 0-9 _ -`, once in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Required. The body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_body: Option<String>,
    /// How long the message stays hidden after the send, in seconds, 0 to 900.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<i32>,
    /// Attributes of the sender's own, by name; at most 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_attributes: Option<BTreeMap<String, MessageAttributeValue>>,
    /// System attributes by name; `AWSTraceHeader` is the only one that can be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_system_attributes: Option<BTreeMap<String, MessageSystemAttributeValue>>,
    /// FIFO queues: makes repeated sends store one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_deduplication_id: Option<String>,
    /// The group; required on FIFO queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_group_id: Option<String>,
}

impl SendMessageBatchRequestEntry {
    /// What it counts towards [`BATCH_SIZE`](crate::limits::BATCH_SIZE), in bytes: see
    /// [`message_size`].
    #[must_use]
    pub fn size(&self) -> usize {
        let none = BTreeMap::new();
        let body = self.message_body.as_deref().unwrap_or_default();
        message_size(body, self.message_attributes.as_ref().unwrap_or(&none))
    }

    /// A message with this body, named `id` in the answer.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        message_body: impl Into<String>,
    ) -> SendMessageBatchRequestEntry {
        SendMessageBatchRequestEntry {
            id: Some(id.into()),
            message_body: Some(message_body.into()),
            ..SendMessageBatchRequestEntry::default()
        }
    }
}

/// What SendMessageBatch gives: each entry is in one of the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SendMessageBatchOutput {
    /// The entries that were stored.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub successful: Vec<SendMessageBatchResultEntry>,
    /// The entries that were not. The call itself succeeds even if all are here.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub failed: Vec<BatchResultErrorEntry>,
}

/// An entry of a [`SendMessageBatchInput`] that was stored. The digests are MD5 in lower-case hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SendMessageBatchResultEntry {
    /// The `Id` that the request gave the entry.
    #[serde(deserialize_with = "null_as_default")]
    pub id: String,
    /// The id that the message keeps through all its receives, a UUID.
    #[serde(deserialize_with = "null_as_default")]
    pub message_id: String,
    /// Digest of the body.
    #[serde(rename = "MD5OfMessageBody", deserialize_with = "null_as_default")]
    pub md5_of_message_body: String,
    /// Digest of the message attributes, if there were any.
    #[serde(
        rename = "MD5OfMessageAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    pub md5_of_message_attributes: Option<String>,
    /// Digest of the system attributes, if there were any.
    #[serde(
        rename = "MD5OfMessageSystemAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    pub md5_of_message_system_attributes: Option<String>,
    /// FIFO queues: 20 decimal digits that grow within a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence_number: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check, check_input, check_output};
    use super::*;

    /// The members that a message has in both operations.
    fn message() -> serde_json::Value {
        json!({
            "MessageBody": "h\u{e9}llo \u{2603}",
            "DelaySeconds": 0,
            "MessageAttributes": {
                "color": attribute("StringValue", "blue"),
                "blob": attribute("BinaryValue", "AQID"),
            },
            "MessageSystemAttributes": { "AWSTraceHeader": attribute("StringValue", "Root=1") },
            "MessageDeduplicationId": "d",
            "MessageGroupId": "g",
        })
    }

    /// A value whose every member is set, though AWS takes only one of them.
    fn attribute(only: &str, value: &str) -> serde_json::Value {
        let mut attribute = json!({
            "StringValue": "s",
            "BinaryValue": "AA==",
            "StringListValues": ["s"],
            "BinaryListValues": ["AA=="],
            "DataType": "String",
        });
        attribute[only] = value.into();
        attribute
    }

    fn with(name: &str, value: &str, mut object: serde_json::Value) -> serde_json::Value {
        object[name] = value.into();
        object
    }

    #[test]
    fn send_message() {
        check_input::<SendMessageInput>(
            &[
                "QueueUrl",
                "MessageBody",
                "DelaySeconds",
                "MessageAttributes",
                "MessageSystemAttributes",
                "MessageDeduplicationId",
                "MessageGroupId",
            ],
            &with("QueueUrl", "q", message()),
        );
        check_output::<SendMessageOutput>(
            &[
                "MD5OfMessageBody",
                "MD5OfMessageAttributes",
                "MD5OfMessageSystemAttributes",
                "MessageId",
                "SequenceNumber",
            ],
            &json!({
                "MD5OfMessageBody": "5d41402abc4b2a76b9719d911017c592",
                "MD5OfMessageAttributes": "da1b33cc3cbfe8b1630921e78e6b9880",
                "MD5OfMessageSystemAttributes": "5ae4d5d7636402d80f4eb6d213245a88",
                "MessageId": "f7a2d1c6-8f3b-4c55-a7d7-1b1c9c0e2a10",
                "SequenceNumber": "18849496460467696128",
            }),
        );
    }

    #[test]
    fn send_message_batch() {
        check_input::<SendMessageBatchRequestEntry>(
            &[
                "Id",
                "MessageBody",
                "DelaySeconds",
                "MessageAttributes",
                "MessageSystemAttributes",
                "MessageDeduplicationId",
                "MessageGroupId",
            ],
            &with("Id", "1", message()),
        );
        check_input::<SendMessageBatchInput>(
            &["QueueUrl", "Entries"],
            &json!({ "QueueUrl": "q", "Entries": [with("Id", "1", message())] }),
        );
        let stored = json!({
            "Id": "1",
            "MessageId": "f7a2d1c6-8f3b-4c55-a7d7-1b1c9c0e2a10",
            "MD5OfMessageBody": "5d41402abc4b2a76b9719d911017c592",
            "MD5OfMessageAttributes": "da1b33cc3cbfe8b1630921e78e6b9880",
            "MD5OfMessageSystemAttributes": "5ae4d5d7636402d80f4eb6d213245a88",
            "SequenceNumber": "18849496460467696128",
        });
        check::<SendMessageBatchResultEntry>(
            &[
                "Id",
                "MessageId",
                "MD5OfMessageBody",
                "MD5OfMessageAttributes",
                "MD5OfMessageSystemAttributes",
                "SequenceNumber",
            ],
            &stored,
        );
        let failed = json!({ "Id": "2", "SenderFault": true, "Code": "c", "Message": "m" });
        check_output::<SendMessageBatchOutput>(
            &["Successful", "Failed"],
            &json!({ "Successful": [stored], "Failed": [failed] }),
        );
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(SendMessageInput::new("u", "hi")),
            json!({ "QueueUrl": "u", "MessageBody": "hi" })
        );
        let entries = [SendMessageBatchRequestEntry::new("1", "hi")];
        assert_eq!(
            json!(SendMessageBatchInput::new("u", entries)),
            json!({ "QueueUrl": "u", "Entries": [{ "Id": "1", "MessageBody": "hi" }] })
        );
    }
}
