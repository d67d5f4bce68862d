//! StartMessageMoveTask, ListMessageMoveTasks and CancelMessageMoveTask.

use serde::{Deserialize, Serialize};

use super::null_as_default;

/// What [StartMessageMoveTask] takes.
///
/// [StartMessageMoveTask]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct StartMessageMoveTaskInput {
    /// Required. The ARN of the dead-letter queue to empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_arn: Option<String>,
    /// The ARN of the queue that takes the messages. When left out, each goes back to the queue it
    /// came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_arn: Option<String>,
    /// How many messages to move in a second, [1 to 500](crate::limits::MOVE_TASK_RATE). SQS
    /// chooses when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_number_of_messages_per_second: Option<i32>,
}

impl StartMessageMoveTaskInput {
    /// Moves the messages of this dead-letter queue back to where they came from.
    #[must_use]
    pub fn new(source_arn: impl Into<String>) -> StartMessageMoveTaskInput {
        StartMessageMoveTaskInput {
            source_arn: Some(source_arn.into()),
            ..StartMessageMoveTaskInput::default()
        }
    }
}

/// What StartMessageMoveTask gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct StartMessageMoveTaskOutput {
    /// Names the task, to cancel it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_handle: Option<String>,
}

/// What [ListMessageMoveTasks] takes.
///
/// [ListMessageMoveTasks]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListMessageMoveTasksInput {
    /// Required. The ARN of the dead-letter queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_arn: Option<String>,
    /// How many tasks at most, [1 to 10](crate::limits::LIST_MOVE_TASKS_RESULTS). 1 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_results: Option<i32>,
}

impl ListMessageMoveTasksInput {
    /// Asks for the latest task of this queue.
    #[must_use]
    pub fn new(source_arn: impl Into<String>) -> ListMessageMoveTasksInput {
        ListMessageMoveTasksInput {
            source_arn: Some(source_arn.into()),
            ..ListMessageMoveTasksInput::default()
        }
    }
}

/// What ListMessageMoveTasks gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListMessageMoveTasksOutput {
    /// The tasks, the newest first; empty when there are none.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub results: Vec<ListMessageMoveTasksResultEntry>,
}

/// One task of a [`ListMessageMoveTasksOutput`]: [ListMessageMoveTasksResultEntry].
///
/// [ListMessageMoveTasksResultEntry]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasksResultEntry.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ListMessageMoveTasksResultEntry {
    /// Names the task, to cancel it; only while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_handle: Option<String>,
    /// `RUNNING`, `COMPLETED`, `CANCELLING`, `CANCELLED` or `FAILED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The dead-letter queue's ARN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_arn: Option<String>,
    /// The destination's ARN, if one was given at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_arn: Option<String>,
    /// The rate in messages a second, if one was given at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_number_of_messages_per_second: Option<i32>,
    /// How many were moved so far.
    #[serde(deserialize_with = "null_as_default")]
    pub approximate_number_of_messages_moved: i64,
    /// How many there were to move, counted at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate_number_of_messages_to_move: Option<i64>,
    /// Why the task failed; only when it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// When it was started, in milliseconds since 1970.
    #[serde(deserialize_with = "null_as_default")]
    pub started_timestamp: i64,
}

/// What [CancelMessageMoveTask] takes.
///
/// [CancelMessageMoveTask]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct CancelMessageMoveTaskInput {
    /// Required. The handle of a task that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_handle: Option<String>,
}

impl CancelMessageMoveTaskInput {
    /// Cancels this task.
    #[must_use]
    pub fn new(task_handle: impl Into<String>) -> CancelMessageMoveTaskInput {
        CancelMessageMoveTaskInput {
            task_handle: Some(task_handle.into()),
        }
    }
}

/// What CancelMessageMoveTask gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct CancelMessageMoveTaskOutput {
    /// How many were moved before the cancellation; they stay moved.
    #[serde(deserialize_with = "null_as_default")]
    pub approximate_number_of_messages_moved: i64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check, check_input, check_output};
    use super::*;

    #[test]
    fn start_message_move_task() {
        check_input::<StartMessageMoveTaskInput>(
            &[
                "SourceArn",
                "DestinationArn",
                "MaxNumberOfMessagesPerSecond",
            ],
            &json!({
                "SourceArn": "arn:aws:sqs:us-east-1:000000000000:dead",
                "DestinationArn": "arn:aws:sqs:us-east-1:000000000000:orders",
                "MaxNumberOfMessagesPerSecond": 500,
            }),
        );
        check_output::<StartMessageMoveTaskOutput>(&["TaskHandle"], &json!({ "TaskHandle": "h" }));
    }

    #[test]
    fn list_message_move_tasks() {
        check_input::<ListMessageMoveTasksInput>(
            &["SourceArn", "MaxResults"],
            &json!({ "SourceArn": "arn:aws:sqs:us-east-1:000000000000:dead", "MaxResults": 10 }),
        );
        let task = json!({
            "TaskHandle": "h",
            "Status": "RUNNING",
            "SourceArn": "arn:aws:sqs:us-east-1:000000000000:dead",
            "DestinationArn": "arn:aws:sqs:us-east-1:000000000000:orders",
            "MaxNumberOfMessagesPerSecond": 1,
            "ApproximateNumberOfMessagesMoved": 9_000_000_000_i64,
            "ApproximateNumberOfMessagesToMove": 9_000_000_001_i64,
            "FailureReason": "none so far",
            "StartedTimestamp": 1_790_000_000_000_i64,
        });
        check::<ListMessageMoveTasksResultEntry>(
            &[
                "TaskHandle",
                "Status",
                "SourceArn",
                "DestinationArn",
                "MaxNumberOfMessagesPerSecond",
                "ApproximateNumberOfMessagesMoved",
                "ApproximateNumberOfMessagesToMove",
                "FailureReason",
                "StartedTimestamp",
            ],
            &task,
        );
        check_output::<ListMessageMoveTasksOutput>(&["Results"], &json!({ "Results": [task] }));
    }

    #[test]
    fn cancel_message_move_task() {
        check_input::<CancelMessageMoveTaskInput>(&["TaskHandle"], &json!({ "TaskHandle": "h" }));
        check_output::<CancelMessageMoveTaskOutput>(
            &["ApproximateNumberOfMessagesMoved"],
            &json!({ "ApproximateNumberOfMessagesMoved": 3 }),
        );
    }

    #[test]
    fn constructors_set_what_is_required() {
        assert_eq!(
            json!(StartMessageMoveTaskInput::new("a")),
            json!({ "SourceArn": "a" })
        );
        assert_eq!(
            json!(ListMessageMoveTasksInput::new("a")),
            json!({ "SourceArn": "a" })
        );
        assert_eq!(
            json!(CancelMessageMoveTaskInput::new("h")),
            json!({ "TaskHandle": "h" })
        );
    }
}
