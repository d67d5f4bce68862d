//! PurgeQueue.

use serde::{Deserialize, Serialize};

/// What [PurgeQueue] takes.
///
/// [PurgeQueue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_PurgeQueue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct PurgeQueueInput {
    /// Required. The queue whose messages go, visible, delayed and in flight; at most once in
    /// [60 seconds](crate::limits::PURGE_INTERVAL_SECONDS).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_url: Option<String>,
}

impl PurgeQueueInput {
    /// Deletes all messages of this queue.
    #[must_use]
    pub fn new(queue_url: impl Into<String>) -> PurgeQueueInput {
        PurgeQueueInput {
            queue_url: Some(queue_url.into()),
        }
    }
}

/// PurgeQueue gives nothing: its body has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeQueueOutput {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_input, check_no_output};
    use super::*;

    #[test]
    fn purge_queue() {
        check_input::<PurgeQueueInput>(&["QueueUrl"], &json!({ "QueueUrl": "q" }));
        check_no_output::<PurgeQueueOutput>();
        assert_eq!(json!(PurgeQueueInput::new("u")), json!({ "QueueUrl": "u" }));
    }
}
