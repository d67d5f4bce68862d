//! The Query protocol's answers as JSON, for clients that ask for it in `Accept`.
//!
//! It is neither the JSON protocol nor its error bodies, but the XML's elements with the members of
//! SQS's own model: what is absent is `null`, a list is an array (or `null` when it is empty), a
//! map is an array of names and values. API Gateway asks for it, and so do HTTP clients of
//! JavaScript by default.
//!
//! What is known of it: SendMessage, ReceiveMessage and errors from published outputs of API Gateway
//! (AWS's collection of serverless patterns, and READMEs of several projects); ListQueues from a
//! response recorded by an AWS SDK for Zig; GetQueueAttributes from LocalStack's tests that were run
//! against AWS, and from an AWS SDK for Elm. All other answers follow the same rules, and nobody's
//! record of them was found.

use serde_json::{Map, Value, json};
use sqs::{Error, Operation, Response, query};

use crate::seed::RequestId;

/// The content type of these answers.
pub(super) const CONTENT_TYPE: &str = "application/json";

/// A member of an output.
struct Member {
    /// What it is called in the JSON protocol.
    name: &'static str,
    /// What it is called here.
    called: &'static str,
    kind: Kind,
}

/// What a member holds.
enum Kind {
    /// What JSON writes as it is: texts, numbers, lists of texts.
    Plain,
    /// Structures.
    List(&'static [Member]),
    /// Values by name, and what they are called in an entry; of values that are structures, their
    /// members.
    Map {
        key: &'static str,
        value: &'static str,
        members: &'static [Member],
    },
}

const fn plain(name: &'static str) -> Member {
    let kind = Kind::Plain;
    Member {
        name,
        called: name,
        kind,
    }
}

const fn list(name: &'static str, members: &'static [Member]) -> Member {
    let kind = Kind::List(members);
    Member {
        name,
        called: name,
        kind,
    }
}

const fn map(name: &'static str, members: &'static [Member]) -> Member {
    let kind = Kind::Map {
        key: "Name",
        value: "Value",
        members,
    };
    Member {
        name,
        called: name,
        kind,
    }
}

const ATTRIBUTE_VALUE: &[Member] = &[
    plain("BinaryListValues"),
    plain("BinaryValue"),
    plain("DataType"),
    plain("StringListValues"),
    plain("StringValue"),
];

const MESSAGE: &[Member] = &[
    map("Attributes", &[]),
    plain("Body"),
    plain("MD5OfBody"),
    plain("MD5OfMessageAttributes"),
    map("MessageAttributes", ATTRIBUTE_VALUE),
    plain("MessageId"),
    plain("ReceiptHandle"),
];

const FAILED: Member = list(
    "Failed",
    &[
        plain("Code"),
        plain("Id"),
        plain("Message"),
        plain("SenderFault"),
    ],
);

const MOVE_TASK: &[Member] = &[
    plain("ApproximateNumberOfMessagesMoved"),
    plain("ApproximateNumberOfMessagesToMove"),
    plain("DestinationArn"),
    plain("FailureReason"),
    plain("MaxNumberOfMessagesPerSecond"),
    plain("SourceArn"),
    plain("StartedTimestamp"),
    plain("Status"),
    plain("TaskHandle"),
];

/// The members of each output that there is. They are in the order of the alphabet, and so are all
/// answers that were found.
const OUTPUTS: &[(Operation, &[Member])] = &[
    (
        Operation::CancelMessageMoveTask,
        &[plain("ApproximateNumberOfMessagesMoved")],
    ),
    (Operation::ChangeMessageVisibilityBatch, ENTRIES),
    (Operation::CreateQueue, &[plain("QueueUrl")]),
    (Operation::DeleteMessageBatch, ENTRIES),
    (Operation::GetQueueAttributes, &[map("Attributes", &[])]),
    (Operation::GetQueueUrl, &[plain("QueueUrl")]),
    (
        Operation::ListDeadLetterSourceQueues,
        &[plain("NextToken"), plain("queueUrls")],
    ),
    (
        Operation::ListMessageMoveTasks,
        &[list("Results", MOVE_TASK)],
    ),
    (
        Operation::ListQueueTags,
        &[Member {
            kind: Kind::Map {
                key: "Key",
                value: "Value",
                members: &[],
            },
            ..plain("Tags")
        }],
    ),
    (
        Operation::ListQueues,
        &[
            plain("NextToken"),
            Member {
                called: "queueUrls",
                ..plain("QueueUrls")
            },
        ],
    ),
    (
        Operation::ReceiveMessage,
        &[Member {
            called: "messages",
            ..list("Messages", MESSAGE)
        }],
    ),
    (Operation::SendMessage, SENT),
    (
        Operation::SendMessageBatch,
        &[FAILED, list("Successful", SENT_ENTRY)],
    ),
    (Operation::StartMessageMoveTask, &[plain("TaskHandle")]),
];

const ENTRIES: &[Member] = &[FAILED, list("Successful", &[plain("Id")])];

const SENT: &[Member] = &[
    plain("MD5OfMessageAttributes"),
    plain("MD5OfMessageBody"),
    plain("MD5OfMessageSystemAttributes"),
    plain("MessageId"),
    plain("SequenceNumber"),
];

const SENT_ENTRY: &[Member] = &[
    plain("Id"),
    plain("MD5OfMessageAttributes"),
    plain("MD5OfMessageBody"),
    plain("MD5OfMessageSystemAttributes"),
    plain("MessageId"),
    plain("SequenceNumber"),
];

/// The members of an operation's output; none of one that has no output.
fn members(operation: Operation) -> Option<&'static [Member]> {
    let mut outputs = OUTPUTS.iter();
    let found = outputs.find(|(of, _)| *of == operation);
    found.map(|(_, members)| *members)
}

/// The body of the answer to a success.
pub(super) fn write(
    response: &Response,
    request_id: RequestId,
) -> Result<Vec<u8>, serde_json::Error> {
    let operation = response.operation();
    let mut answer = Map::new();
    let metadata = json!({"RequestId": request_id.to_string()});
    answer.insert("ResponseMetadata".to_owned(), metadata);
    if let Some(members) = members(operation) {
        let output = serde_json::to_value(response)?;
        answer.insert(format!("{operation}Result"), structure(output, members));
    }
    let name = format!("{operation}Response");
    serde_json::to_vec(&Value::from(Map::from_iter([(name, answer.into())])))
}

/// The body of the answer to a failure.
pub(super) fn write_error(error: &Error, request_id: RequestId) -> Vec<u8> {
    let code = error.code();
    let answer = json!({
        "Error": {
            "Code": code.query_code(),
            "Message": query::message(error),
            "Type": code.fault().name(),
        },
        "RequestId": request_id.to_string(),
    });
    answer.to_string().into_bytes()
}

/// Every member of a structure, those that are absent too.
fn structure(value: Value, members: &[Member]) -> Value {
    let Value::Object(mut object) = value else {
        return value;
    };
    let written = members.iter().map(|member| {
        let value = match object.remove(member.name) {
            Some(value) => member.kind.written(value),
            None => Value::Null,
        };
        (member.called.to_owned(), value)
    });
    Value::Object(written.collect())
}

impl Kind {
    fn written(&self, value: Value) -> Value {
        match (self, value) {
            (Self::List(members), Value::Array(values)) => values
                .into_iter()
                .map(|value| structure(value, members))
                .collect(),
            (
                Self::Map {
                    key,
                    value: called,
                    members,
                },
                Value::Object(entries),
            ) => entries
                .into_iter()
                .map(|(name, value)| json!({ *key: name, *called: structure(value, members) }))
                .collect(),
            (Self::Plain | Self::List(_) | Self::Map { .. }, value) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::RequestIds;

    #[test]
    fn operations_have_a_result_here_that_have_an_output() {
        for operation in Operation::ALL {
            let has_result = members(*operation).is_some();
            assert_eq!(has_result, operation.has_output(), "{operation}");
        }
    }
    /// All texts and numbers that a value holds.
    fn leaves(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| leaves(value, found)),
            Value::Object(members) => members.values().for_each(|value| leaves(value, found)),
            leaf => found.push(leaf.to_string()),
        }
    }

    #[track_caller]
    fn assert_whole(output: &Response, filled: &Value) {
        let as_it_is = serde_json::to_value(output).expect("JSON");
        assert_eq!(as_it_is, *filled, "a member that it has not");
        let id = RequestIds::new(7).next();
        let written = write(output, id).expect("JSON");
        let written: Value = serde_json::from_slice(&written).expect("JSON");
        let (mut expected, mut found) = (vec![json!(id.to_string()).to_string()], Vec::new());
        leaves(filled, &mut expected);
        leaves(&written, &mut found);
        found.retain(|leaf| leaf != "null");
        for leaf in &expected {
            assert!(found.contains(leaf), "{leaf} is not in {written}");
        }
    }

    /// Reads outputs with every member filled in, each with a value of its own.
    macro_rules! assert_whole {
        ($($output:ident $filled:tt)+) => {$(
            let filled = json!($filled);
            let output: sqs::$output = serde_json::from_value(filled.clone()).expect("an output");
            assert_whole(&output.into(), &filled);
        )+};
    }

    #[test]
    fn no_member_is_left_out() {
        let failed = json!([{"Id": "f", "SenderFault": true, "Code": "c", "Message": "m"}]);
        assert_whole! {
            DeleteMessageBatchOutput {"Successful": [{"Id": "s"}], "Failed": failed}
            ListDeadLetterSourceQueuesOutput {"queueUrls": ["q"], "NextToken": "t"}
            ListMessageMoveTasksOutput {"Results": [{
                "TaskHandle": "h", "Status": "s", "SourceArn": "a", "DestinationArn": "d",
                "MaxNumberOfMessagesPerSecond": 1, "ApproximateNumberOfMessagesMoved": 2,
                "ApproximateNumberOfMessagesToMove": 3, "FailureReason": "f", "StartedTimestamp": 4,
            }]}
            ListQueuesOutput {"QueueUrls": ["q"], "NextToken": "t"}
            ReceiveMessageOutput {"Messages": [{
                "MessageId": "i", "ReceiptHandle": "h", "MD5OfBody": "5", "Body": "b",
                "Attributes": {"SenderId": "s"}, "MD5OfMessageAttributes": "6",
                "MessageAttributes": {"n": {
                    "StringValue": "v", "BinaryValue": "AQ==", "StringListValues": ["l"],
                    "BinaryListValues": ["Ag=="], "DataType": "t",
                }},
            }]}
            SendMessageOutput {
                "MD5OfMessageBody": "5", "MD5OfMessageAttributes": "6",
                "MD5OfMessageSystemAttributes": "7", "MessageId": "i", "SequenceNumber": "n",
            }
            SendMessageBatchOutput {
                "Successful": [{
                    "Id": "s", "MD5OfMessageBody": "5", "MD5OfMessageAttributes": "6",
                    "MD5OfMessageSystemAttributes": "7", "MessageId": "i", "SequenceNumber": "n",
                }],
                "Failed": failed,
            }
        }
    }
}
