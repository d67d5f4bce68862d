//! ReceiveMessage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::message::MessageAttributeValue;
use super::null_as_default;

/// What [ReceiveMessage] takes.
///
/// [ReceiveMessage]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ReceiveMessageInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// The older name of `message_system_attribute_names`, deprecated by AWS and still honoured:
    /// the two lists are united. Names of queue attributes are allowed here and select nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute_names: Option<Vec<String>>,
    /// Which system attributes to give with each message; `All` for all. See
    /// [`MessageSystemAttributeName`](crate::MessageSystemAttributeName).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_system_attribute_names: Option<Vec<String>>,
    /// Which of the sender's attributes to give: names, prefixes (`order.*`), or `All`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_attribute_names: Option<Vec<String>>,
    /// How many messages at most, [1 to 10](crate::limits::MAX_NUMBER_OF_MESSAGES); 1 when left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_number_of_messages: Option<i32>,
    /// How long the messages stay hidden from other receives, in seconds,
    /// [0 to 43200](crate::limits::VISIBILITY_TIMEOUT). The queue's `VisibilityTimeout` when left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility_timeout: Option<i32>,
    /// How long to wait for a message, in seconds, [0 to 20](crate::limits::WAIT_TIME_SECONDS). The
    /// queue's `ReceiveMessageWaitTimeSeconds` when left out; 0 answers at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_time_seconds: Option<i32>,
    /// FIFO queues: a receive repeated with the same id gives the same messages again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_request_attempt_id: Option<String>,
}

impl ReceiveMessageInput {
    /// Receives one message, with the queue's own wait and visibility timeout.
    #[must_use]
    pub fn new(queue_url: impl Into<String>) -> ReceiveMessageInput {
        ReceiveMessageInput {
            queue_url: Some(queue_url.into()),
            ..ReceiveMessageInput::default()
        }
    }
}

/// What ReceiveMessage gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ReceiveMessageOutput {
    /// The messages, at most as many as were asked for. AWS leaves the member out when there are
    /// none, and this is then empty.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub messages: Vec<Message>,
}

/// A received [message](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Message.html).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Message {
    /// The id given when it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Names this receive of the message, to delete it or to change its visibility.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_handle: Option<String>,
    /// MD5 of the body, in lower-case hex.
    #[serde(rename = "MD5OfBody", skip_serializing_if = "Option::is_none")]
    pub md5_of_body: Option<String>,
    /// The body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The system attributes that were asked for, by name; numbers and times are strings, times in
    /// milliseconds since 1970.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub attributes: BTreeMap<String, String>,
    /// MD5 of the attributes in `message_attributes`, if there are any, in lower-case hex.
    #[serde(
        rename = "MD5OfMessageAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    pub md5_of_message_attributes: Option<String>,
    /// The sender's attributes that were asked for, by name.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub message_attributes: BTreeMap<String, MessageAttributeValue>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_input, check_output};
    use super::*;

    #[test]
    fn receive_message() {
        check_input::<ReceiveMessageInput>(
            &[
                "QueueUrl",
                "AttributeNames",
                "MessageSystemAttributeNames",
                "MessageAttributeNames",
                "MaxNumberOfMessages",
                "VisibilityTimeout",
                "WaitTimeSeconds",
                "ReceiveRequestAttemptId",
            ],
            &json!({
                "QueueUrl": "q",
                "AttributeNames": ["All"],
                "MessageSystemAttributeNames": ["SentTimestamp"],
                "MessageAttributeNames": ["order.*"],
                "MaxNumberOfMessages": 10,
                "VisibilityTimeout": 43200,
                "WaitTimeSeconds": 20,
                "ReceiveRequestAttemptId": "r",
            }),
        );
        let message = json!({
            "MessageId": "f7a2d1c6-8f3b-4c55-a7d7-1b1c9c0e2a10",
            "ReceiptHandle": "AQEB",
            "MD5OfBody": "5d41402abc4b2a76b9719d911017c592",
            "Body": "hello",
            "Attributes": { "ApproximateReceiveCount": "1" },
            "MD5OfMessageAttributes": "da1b33cc3cbfe8b1630921e78e6b9880",
            "MessageAttributes": {
                "color": {
                    "StringValue": "blue",
                    "BinaryValue": "AA==",
                    "StringListValues": ["s"],
                    "BinaryListValues": ["AA=="],
                    "DataType": "String",
                },
            },
        });
        check_output::<Message>(
            &[
                "MessageId",
                "ReceiptHandle",
                "MD5OfBody",
                "Body",
                "Attributes",
                "MD5OfMessageAttributes",
                "MessageAttributes",
            ],
            &message,
        );
        check_output::<ReceiveMessageOutput>(&["Messages"], &json!({ "Messages": [message] }));
    }

    #[test]
    fn an_empty_receive_is_an_empty_object() {
        let output: ReceiveMessageOutput = serde_json::from_str("{}").expect("an object");
        assert!(output.messages.is_empty());
        assert_eq!(json!(output), json!({}));
    }

    #[test]
    fn the_constructor_sets_what_is_required() {
        assert_eq!(
            json!(ReceiveMessageInput::new("u")),
            json!({ "QueueUrl": "u" })
        );
    }
}
