//! AddPermission and RemovePermission.

use serde::{Deserialize, Serialize};

use super::strings;

/// What [AddPermission] takes.
///
/// [AddPermission]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_AddPermission.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct AddPermissionInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. Names the statement that is added to the queue's policy: 1 to 80 of
    /// `A-Z a-z 0-9 _ -`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Required. The accounts that are allowed, 12 digits each.
    #[serde(rename = "AWSAccountIds", skip_serializing_if = "Option::is_none")]
    pub aws_account_ids: Option<Vec<String>>,
    /// Required. What they may do, as operation names without a prefix, or `*`;
    /// [at most 7](crate::limits::ACTIONS_PER_STATEMENT).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
}

impl AddPermissionInput {
    /// Allows these accounts these actions on the queue.
    #[must_use]
    pub fn new<A: Into<String>, B: Into<String>>(
        queue_url: impl Into<String>,
        label: impl Into<String>,
        aws_account_ids: impl IntoIterator<Item = A>,
        actions: impl IntoIterator<Item = B>,
    ) -> AddPermissionInput {
        AddPermissionInput {
            queue_url: Some(queue_url.into()),
            label: Some(label.into()),
            aws_account_ids: strings(aws_account_ids),
            actions: strings(actions),
        }
    }
}

/// AddPermission gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddPermissionOutput {}

/// What [RemovePermission] takes.
///
/// [RemovePermission]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_RemovePermission.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct RemovePermissionInput {
    /// Required. The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
    /// Required. The label of the statement to remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl RemovePermissionInput {
    /// Removes the statement of this label.
    #[must_use]
    pub fn new(queue_url: impl Into<String>, label: impl Into<String>) -> RemovePermissionInput {
        RemovePermissionInput {
            queue_url: Some(queue_url.into()),
            label: Some(label.into()),
        }
    }
}

/// RemovePermission gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovePermissionOutput {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_input, check_no_output};
    use super::*;

    #[test]
    fn add_permission() {
        check_input::<AddPermissionInput>(
            &["QueueUrl", "Label", "AWSAccountIds", "Actions"],
            &json!({
                "QueueUrl": "q",
                "Label": "l",
                "AWSAccountIds": ["111122223333"],
                "Actions": ["SendMessage"],
            }),
        );
        check_no_output::<AddPermissionOutput>();
    }

    #[test]
    fn remove_permission() {
        check_input::<RemovePermissionInput>(
            &["QueueUrl", "Label"],
            &json!({ "QueueUrl": "q", "Label": "l" }),
        );
        check_no_output::<RemovePermissionOutput>();
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(AddPermissionInput::new("u", "l", ["1"], ["*"])),
            json!({ "QueueUrl": "u", "Label": "l", "AWSAccountIds": ["1"], "Actions": ["*"] })
        );
        assert_eq!(
            json!(RemovePermissionInput::new("u", "l")),
            json!({ "QueueUrl": "u", "Label": "l" })
        );
    }
}
