//! CreateQueue, DeleteQueue, GetQueueUrl, ListQueues and ListDeadLetterSourceQueues.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{null_as_default, tag_map};

/// What [CreateQueue] takes.
///
/// [CreateQueue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct CreateQueueInput {
    /// Required. [1 to 80](crate::limits::QUEUE_NAME_LENGTH) of `A-Z a-z 0-9 _ -`, case-sensitive;
    /// a FIFO queue's name ends in `.fifo`, which counts towards the 80.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_name: Option<String>,
    /// Attributes by name, each value a string; see
    /// [`QueueAttributeName`](crate::QueueAttributeName). Those left out get AWS's defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, String>>,
    /// Cost allocation tags; [`with_tags`](Self::with_tags) sets them. AWS spells this member, and
    /// no other, in lower case. A value that is `null` on the wire is none here; AWS refuses it.
    #[serde(rename = "tags", skip_serializing_if = "Option::is_none")]
    pub tags: Option<BTreeMap<String, Option<String>>>,
}

impl CreateQueueInput {
    /// A queue of this name, with AWS's default attributes and no tags.
    #[must_use]
    pub fn new(queue_name: impl Into<String>) -> CreateQueueInput {
        CreateQueueInput {
            queue_name: Some(queue_name.into()),
            ..CreateQueueInput::default()
        }
    }

    /// The same queue with these tags.
    ///
    /// ```
    /// use sqs::CreateQueueInput;
    ///
    /// let input = CreateQueueInput::new("orders").with_tags([("team", "shop")]);
    /// assert_eq!(
    ///     serde_json::to_string(&input)?,
    ///     r#"{"QueueName":"orders","tags":{"team":"shop"}}"#,
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn with_tags<K: Into<String>, V: Into<String>>(
        self,
        tags: impl IntoIterator<Item = (K, V)>,
    ) -> CreateQueueInput {
        CreateQueueInput {
            tags: tag_map(tags),
            ..self
        }
    }
}

/// What CreateQueue gives: the URL that names the queue in every other call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct CreateQueueOutput {
    /// The queue's URL, `<endpoint>/<account>/<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
}

/// What [DeleteQueue] takes.
///
/// [DeleteQueue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeleteQueueInput {
    /// Required. The queue to delete, with all its messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
}

impl DeleteQueueInput {
    /// Deletes this queue.
    #[must_use]
    pub fn new(queue_url: impl Into<String>) -> DeleteQueueInput {
        DeleteQueueInput {
            queue_url: Some(queue_url.into()),
        }
    }
}

/// DeleteQueue gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteQueueOutput {}

/// What [GetQueueUrl] takes.
///
/// [GetQueueUrl]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueUrl.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct GetQueueUrlInput {
    /// Required. The queue's name, case-sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_name: Option<String>,
    /// The account that owns the queue, 12 digits. The caller's own when left out.
    #[serde(
        rename = "QueueOwnerAWSAccountId",
        skip_serializing_if = "Option::is_none"
    )]
    pub queue_owner_aws_account_id: Option<String>,
}

impl GetQueueUrlInput {
    /// Looks for a queue of the caller's own account.
    #[must_use]
    pub fn new(queue_name: impl Into<String>) -> GetQueueUrlInput {
        GetQueueUrlInput {
            queue_name: Some(queue_name.into()),
            ..GetQueueUrlInput::default()
        }
    }
}

/// What GetQueueUrl gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct GetQueueUrlOutput {
    /// The queue's URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
}

/// What [ListQueues] takes; nothing is required.
///
/// [ListQueues]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListQueues.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListQueuesInput {
    /// Only queues whose names begin with this, case-sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_name_prefix: Option<String>,
    /// Where an earlier listing stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
    /// How many URLs at most, [1 to 1000](crate::limits::LIST_QUEUES_RESULTS). When left out, up to
    /// 1000 are listed and no token is given for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_results: Option<i32>,
}

impl ListQueuesInput {
    /// All queues of the caller, the first 1000 of them.
    #[must_use]
    pub fn new() -> ListQueuesInput {
        ListQueuesInput::default()
    }
}

/// What ListQueues gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListQueuesOutput {
    /// The queues' URLs; empty when none matches.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub queue_urls: Vec<String>,
    /// Where to go on, when MaxResults was given and more queues remain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

/// What [ListDeadLetterSourceQueues] takes.
///
/// [ListDeadLetterSourceQueues]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListDeadLetterSourceQueues.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListDeadLetterSourceQueuesInput {
    /// Required. The dead-letter queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Where an earlier listing stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
    /// How many URLs at most, [1 to 1000](crate::limits::LIST_QUEUES_RESULTS).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_results: Option<i32>,
}

impl ListDeadLetterSourceQueuesInput {
    /// All queues whose RedrivePolicy targets this one.
    #[must_use]
    pub fn new(queue_url: impl Into<String>) -> ListDeadLetterSourceQueuesInput {
        ListDeadLetterSourceQueuesInput {
            queue_url: Some(queue_url.into()),
            ..ListDeadLetterSourceQueuesInput::default()
        }
    }
}

/// What ListDeadLetterSourceQueues gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListDeadLetterSourceQueuesOutput {
    /// The source queues' URLs; empty when there are none. AWS spells this member with a small `q`,
    /// unlike the one of ListQueues.
    #[serde(
        rename = "queueUrls",
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub queue_urls: Vec<String>,
    /// Where to go on, when MaxResults was given and more queues remain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_input, check_no_output, check_output};
    use super::*;

    #[test]
    fn create_queue() {
        check_input::<CreateQueueInput>(
            &["QueueName", "Attributes", "tags"],
            &json!({
                "QueueName": "orders.fifo",
                "Attributes": { "FifoQueue": "true", "DelaySeconds": "0" },
                "tags": { "team": "shop" },
            }),
        );
        check_output::<CreateQueueOutput>(&["QueueUrl"], &json!({ "QueueUrl": "http://host/1/q" }));
    }

    #[test]
    fn the_tags_of_create_queue_are_spelt_in_lower_case() {
        let input: CreateQueueInput =
            serde_json::from_value(json!({ "Tags": { "team": "shop" } })).expect("an object");
        assert_eq!(input.tags, None);
    }

    #[test]
    fn delete_queue() {
        check_input::<DeleteQueueInput>(&["QueueUrl"], &json!({ "QueueUrl": "q" }));
        check_no_output::<DeleteQueueOutput>();
    }

    #[test]
    fn get_queue_url() {
        check_input::<GetQueueUrlInput>(
            &["QueueName", "QueueOwnerAWSAccountId"],
            &json!({ "QueueName": "q", "QueueOwnerAWSAccountId": "111122223333" }),
        );
        check_output::<GetQueueUrlOutput>(&["QueueUrl"], &json!({ "QueueUrl": "http://host/1/q" }));
    }

    #[test]
    fn list_queues() {
        check_input::<ListQueuesInput>(
            &["QueueNamePrefix", "NextToken", "MaxResults"],
            &json!({ "QueueNamePrefix": "ord", "NextToken": "t", "MaxResults": 1000 }),
        );
        check_output::<ListQueuesOutput>(
            &["QueueUrls", "NextToken"],
            &json!({ "QueueUrls": ["http://host/1/a", "http://host/1/b"], "NextToken": "t" }),
        );
    }

    #[test]
    fn list_dead_letter_source_queues() {
        check_input::<ListDeadLetterSourceQueuesInput>(
            &["QueueUrl", "NextToken", "MaxResults"],
            &json!({ "QueueUrl": "dead", "NextToken": "t", "MaxResults": 1 }),
        );
        check_output::<ListDeadLetterSourceQueuesOutput>(
            &["queueUrls", "NextToken"],
            &json!({ "queueUrls": ["http://host/1/a"], "NextToken": "t" }),
        );
    }

    #[test]
    fn constructors_set_what_is_required() {
        let write = |value| serde_json::to_string(&value).expect("JSON");
        assert_eq!(
            write(json!(CreateQueueInput::new("q"))),
            r#"{"QueueName":"q"}"#
        );
        assert_eq!(
            write(json!(DeleteQueueInput::new("u"))),
            r#"{"QueueUrl":"u"}"#
        );
        assert_eq!(
            write(json!(GetQueueUrlInput::new("q"))),
            r#"{"QueueName":"q"}"#
        );
        assert_eq!(write(json!(ListQueuesInput::new())), "{}");
        let sources = ListDeadLetterSourceQueuesInput::new("u");
        assert_eq!(write(json!(sources)), r#"{"QueueUrl":"u"}"#);
    }
}
