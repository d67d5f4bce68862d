//! GetQueueAttributes and SetQueueAttributes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{null_as_default, string_map, strings};

/// What [GetQueueAttributes] takes.
///
/// [GetQueueAttributes]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct GetQueueAttributesInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Which attributes to give; `All` for all that apply. None are given when this is left out.
    /// See [`QueueAttributeName`](crate::QueueAttributeName).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute_names: Option<Vec<String>>,
}

impl GetQueueAttributesInput {
    /// Asks for these attributes of the queue.
    #[must_use]
    pub fn new<T: Into<String>>(
        queue_url: impl Into<String>,
        attribute_names: impl IntoIterator<Item = T>,
    ) -> GetQueueAttributesInput {
        GetQueueAttributesInput {
            queue_url: Some(queue_url.into()),
            attribute_names: strings(attribute_names),
        }
    }
}

/// What GetQueueAttributes gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct GetQueueAttributesOutput {
    /// Values by name, numbers and times as strings too. Those asked for that are not set or do not
    /// apply to the queue are missing.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub attributes: BTreeMap<String, String>,
}

/// What [SetQueueAttributes] takes.
///
/// [SetQueueAttributes]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct SetQueueAttributesInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. New values by name; attributes not named keep theirs. See
    /// [`QueueAttributeName`](crate::QueueAttributeName) for those that can be set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, String>>,
}

impl SetQueueAttributesInput {
    /// Sets these attributes of the queue, and leaves the others.
    #[must_use]
    pub fn new<K: Into<String>, V: Into<String>>(
        queue_url: impl Into<String>,
        attributes: impl IntoIterator<Item = (K, V)>,
    ) -> SetQueueAttributesInput {
        SetQueueAttributesInput {
            queue_url: Some(queue_url.into()),
            attributes: string_map(attributes),
        }
    }
}

/// SetQueueAttributes gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetQueueAttributesOutput {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_input, check_no_output, check_output};
    use super::*;

    #[test]
    fn get_queue_attributes() {
        check_input::<GetQueueAttributesInput>(
            &["QueueUrl", "AttributeNames"],
            &json!({ "QueueUrl": "q", "AttributeNames": ["All", "Bogus"] }),
        );
        check_output::<GetQueueAttributesOutput>(
            &["Attributes"],
            &json!({ "Attributes": { "ApproximateNumberOfMessages": "0", "QueueArn": "arn" } }),
        );
    }

    #[test]
    fn set_queue_attributes() {
        check_input::<SetQueueAttributesInput>(
            &["QueueUrl", "Attributes"],
            &json!({ "QueueUrl": "q", "Attributes": { "DelaySeconds": "5" } }),
        );
        check_no_output::<SetQueueAttributesOutput>();
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(GetQueueAttributesInput::new("u", ["All"])),
            json!({ "QueueUrl": "u", "AttributeNames": ["All"] })
        );
        assert_eq!(
            json!(SetQueueAttributesInput::new("u", [("DelaySeconds", "5")])),
            json!({ "QueueUrl": "u", "Attributes": { "DelaySeconds": "5" } })
        );
    }
}
