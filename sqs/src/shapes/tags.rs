//! ListQueueTags, TagQueue and UntagQueue.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{null_as_default, strings, tag_map};

/// What [ListQueueTags] takes.
///
/// [ListQueueTags]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListQueueTags.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListQueueTagsInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
}

impl ListQueueTagsInput {
    /// Asks for the tags of this queue.
    #[must_use]
    pub fn new(queue_url: impl Into<String>) -> ListQueueTagsInput {
        ListQueueTagsInput {
            queue_url: Some(queue_url.into()),
        }
    }
}

/// What ListQueueTags gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListQueueTagsOutput {
    /// Tag values by key; empty when the queue has none.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub tags: BTreeMap<String, String>,
}

/// What [TagQueue] takes.
///
/// [TagQueue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_TagQueue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct TagQueueInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. Values by key, added to the queue's tags or replacing them; the queue keeps
    /// [at most 50](crate::limits::TAGS). A value may be empty. One that is `null` on the wire is
    /// none here; AWS refuses it, with words of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<BTreeMap<String, Option<String>>>,
}

impl TagQueueInput {
    /// Adds these tags to the queue.
    #[must_use]
    pub fn new<K: Into<String>, V: Into<String>>(
        queue_url: impl Into<String>,
        tags: impl IntoIterator<Item = (K, V)>,
    ) -> TagQueueInput {
        TagQueueInput {
            queue_url: Some(queue_url.into()),
            tags: tag_map(tags),
        }
    }
}

/// TagQueue gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagQueueOutput {}

/// What [UntagQueue] takes.
///
/// [UntagQueue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_UntagQueue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct UntagQueueInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. Keys of the tags to remove; those that the queue does not have are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_keys: Option<Vec<String>>,
}

impl UntagQueueInput {
    /// Removes the tags of these keys.
    #[must_use]
    pub fn new<T: Into<String>>(
        queue_url: impl Into<String>,
        tag_keys: impl IntoIterator<Item = T>,
    ) -> UntagQueueInput {
        UntagQueueInput {
            queue_url: Some(queue_url.into()),
            tag_keys: strings(tag_keys),
        }
    }
}

/// UntagQueue gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntagQueueOutput {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_input, check_no_output, check_output};
    use super::*;

    #[test]
    fn list_queue_tags() {
        check_input::<ListQueueTagsInput>(&["QueueUrl"], &json!({ "QueueUrl": "q" }));
        check_output::<ListQueueTagsOutput>(&["Tags"], &json!({ "Tags": { "team": "shop" } }));
    }

    #[test]
    fn an_empty_tag_value_is_kept() {
        let output = ListQueueTagsOutput {
            tags: [("team".into(), String::new())].into(),
        };
        assert_eq!(json!(output), json!({ "Tags": { "team": "" } }));
    }

    #[test]
    fn a_tag_without_a_value_is_read_for_a_server_to_refuse() {
        let input: TagQueueInput =
            serde_json::from_str(r#"{"Tags":{"team":null}}"#).expect("an object");
        assert_eq!(input.tags, Some([("team".into(), None)].into()));
    }

    #[test]
    fn tag_queue() {
        check_input::<TagQueueInput>(
            &["QueueUrl", "Tags"],
            &json!({ "QueueUrl": "q", "Tags": { "team": "shop" } }),
        );
        check_no_output::<TagQueueOutput>();
    }

    #[test]
    fn untag_queue() {
        check_input::<UntagQueueInput>(
            &["QueueUrl", "TagKeys"],
            &json!({ "QueueUrl": "q", "TagKeys": ["team"] }),
        );
        check_no_output::<UntagQueueOutput>();
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(ListQueueTagsInput::new("u")),
            json!({ "QueueUrl": "u" })
        );
        assert_eq!(
            json!(TagQueueInput::new("u", [("team", "shop")])),
            json!({ "QueueUrl": "u", "Tags": { "team": "shop" } })
        );
        assert_eq!(
            json!(UntagQueueInput::new("u", ["team"])),
            json!({ "QueueUrl": "u", "TagKeys": ["team"] })
        );
    }
}
