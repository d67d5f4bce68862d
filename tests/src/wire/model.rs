//! What SQS's operations take and answer in the Query protocol, as Amazon's service model had it when
//! its clients still spoke it (API version 2012-11-05, botocore 1.29.165).
//!
//! The table is this package's own, and not made from the names that the server uses: where the two
//! differ, tests fail.

/// The version that each request names.
pub const VERSION: &str = "2012-11-05";

/// The namespace of each answer.
pub const NAMESPACE: &str = "http://queue.amazonaws.com/doc/2012-11-05/";

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// Its name, the parameter `Action`.
    pub name: &'static str,
    /// What it takes.
    pub input: &'static [Member],
    /// What its result has; none when the answer has no result.
    pub output: Option<&'static [Member]>,
}

/// A member of a structure.
#[derive(Debug)]
pub struct Member {
    /// Its name in JSON.
    pub json: &'static str,
    /// Its name as a parameter and as an element.
    pub query: &'static str,
    /// What it holds.
    pub kind: Kind,
}

/// What a member holds.
#[derive(Debug)]
pub enum Kind {
    /// Text, or bytes as base64.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
    /// Named members.
    Structure(&'static [Member]),
    /// Values, each a parameter or an element of its own.
    List(&'static Kind),
    /// Pairs, each a parameter or an element of its own.
    Map {
        /// What a pair calls its key.
        key: &'static str,
        /// What it calls its value.
        value: &'static str,
        /// What the value holds.
        of: &'static Kind,
    },
}

/// The operation of this name.
#[must_use]
pub fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

const fn operation_row(
    name: &'static str,
    input: &'static [Member],
    output: Option<&'static [Member]>,
) -> Operation {
    Operation {
        name,
        input,
        output,
    }
}

const fn member(json: &'static str, query: &'static str, kind: Kind) -> Member {
    Member { json, query, kind }
}

const fn text(name: &'static str) -> Member {
    member(name, name, Kind::Text)
}

const fn number(name: &'static str) -> Member {
    member(name, name, Kind::Number)
}

const fn list(json: &'static str, query: &'static str, of: &'static Kind) -> Member {
    member(json, query, Kind::List(of))
}

/// A map whose pairs are a `Name` and a `Value`.
const fn named(json: &'static str, query: &'static str, of: &'static Kind) -> Member {
    let kind = Kind::Map {
        key: "Name",
        value: "Value",
        of,
    };
    member(json, query, kind)
}

/// Tags: a map whose pairs are a `Key` and a `Value`.
const fn tags(json: &'static str) -> Member {
    let kind = Kind::Map {
        key: "Key",
        value: "Value",
        of: &Kind::Text,
    };
    member(json, "Tag", kind)
}

const QUEUE_URL: Member = text("QueueUrl");

/// An attribute of a message, in both directions.
const ATTRIBUTE_VALUE: Kind = Kind::Structure(&[
    text("StringValue"),
    text("BinaryValue"),
    list("StringListValues", "StringListValue", &Kind::Text),
    list("BinaryListValues", "BinaryListValue", &Kind::Text),
    text("DataType"),
]);

const MESSAGE: Kind = Kind::Structure(&[
    text("MessageId"),
    text("ReceiptHandle"),
    text("MD5OfBody"),
    text("Body"),
    named("Attributes", "Attribute", &Kind::Text),
    text("MD5OfMessageAttributes"),
    named("MessageAttributes", "MessageAttribute", &ATTRIBUTE_VALUE),
]);

const SEND_ENTRY: Kind = Kind::Structure(&[
    text("Id"),
    text("MessageBody"),
    number("DelaySeconds"),
    named("MessageAttributes", "MessageAttribute", &ATTRIBUTE_VALUE),
    named(
        "MessageSystemAttributes",
        "MessageSystemAttribute",
        &ATTRIBUTE_VALUE,
    ),
    text("MessageDeduplicationId"),
    text("MessageGroupId"),
]);

const SENT_ENTRY: Kind = Kind::Structure(&[
    text("Id"),
    text("MessageId"),
    text("MD5OfMessageBody"),
    text("MD5OfMessageAttributes"),
    text("MD5OfMessageSystemAttributes"),
    text("SequenceNumber"),
]);

const DELETE_ENTRY: Kind = Kind::Structure(&[text("Id"), text("ReceiptHandle")]);

const VISIBILITY_ENTRY: Kind = Kind::Structure(&[
    text("Id"),
    text("ReceiptHandle"),
    number("VisibilityTimeout"),
]);

/// What a batch answers of an entry that has nothing to tell.
const DONE_ENTRY: Kind = Kind::Structure(&[text("Id")]);

/// The entries of a batch that failed.
const FAILED: Member = list(
    "Failed",
    "BatchResultErrorEntry",
    &Kind::Structure(&[
        text("Id"),
        member("SenderFault", "SenderFault", Kind::Flag),
        text("Code"),
        text("Message"),
    ]),
);

const MOVE_TASK: Kind = Kind::Structure(&[
    text("TaskHandle"),
    text("Status"),
    text("SourceArn"),
    text("DestinationArn"),
    number("MaxNumberOfMessagesPerSecond"),
    number("ApproximateNumberOfMessagesMoved"),
    number("ApproximateNumberOfMessagesToMove"),
    text("FailureReason"),
    number("StartedTimestamp"),
]);

/// The operations, by name.
pub const OPERATIONS: &[Operation] = &[
    operation_row(
        "AddPermission",
        &[
            QUEUE_URL,
            text("Label"),
            list("AWSAccountIds", "AWSAccountId", &Kind::Text),
            list("Actions", "ActionName", &Kind::Text),
        ],
        None,
    ),
    operation_row(
        "CancelMessageMoveTask",
        &[text("TaskHandle")],
        Some(&[number("ApproximateNumberOfMessagesMoved")]),
    ),
    operation_row(
        "ChangeMessageVisibility",
        &[
            QUEUE_URL,
            text("ReceiptHandle"),
            number("VisibilityTimeout"),
        ],
        None,
    ),
    operation_row(
        "ChangeMessageVisibilityBatch",
        &[
            QUEUE_URL,
            list(
                "Entries",
                "ChangeMessageVisibilityBatchRequestEntry",
                &VISIBILITY_ENTRY,
            ),
        ],
        Some(&[
            list(
                "Successful",
                "ChangeMessageVisibilityBatchResultEntry",
                &DONE_ENTRY,
            ),
            FAILED,
        ]),
    ),
    operation_row(
        "CreateQueue",
        &[
            text("QueueName"),
            named("Attributes", "Attribute", &Kind::Text),
            tags("tags"),
        ],
        Some(&[QUEUE_URL]),
    ),
    operation_row("DeleteMessage", &[QUEUE_URL, text("ReceiptHandle")], None),
    operation_row(
        "DeleteMessageBatch",
        &[
            QUEUE_URL,
            list("Entries", "DeleteMessageBatchRequestEntry", &DELETE_ENTRY),
        ],
        Some(&[
            list("Successful", "DeleteMessageBatchResultEntry", &DONE_ENTRY),
            FAILED,
        ]),
    ),
    operation_row("DeleteQueue", &[QUEUE_URL], None),
    operation_row(
        "GetQueueAttributes",
        &[
            QUEUE_URL,
            list("AttributeNames", "AttributeName", &Kind::Text),
        ],
        Some(&[named("Attributes", "Attribute", &Kind::Text)]),
    ),
    operation_row(
        "GetQueueUrl",
        &[text("QueueName"), text("QueueOwnerAWSAccountId")],
        Some(&[QUEUE_URL]),
    ),
    operation_row(
        "ListDeadLetterSourceQueues",
        &[QUEUE_URL, text("NextToken"), number("MaxResults")],
        Some(&[
            list("queueUrls", "QueueUrl", &Kind::Text),
            text("NextToken"),
        ]),
    ),
    operation_row(
        "ListMessageMoveTasks",
        &[text("SourceArn"), number("MaxResults")],
        Some(&[list(
            "Results",
            "ListMessageMoveTasksResultEntry",
            &MOVE_TASK,
        )]),
    ),
    operation_row("ListQueueTags", &[QUEUE_URL], Some(&[tags("Tags")])),
    operation_row(
        "ListQueues",
        &[
            text("QueueNamePrefix"),
            text("NextToken"),
            number("MaxResults"),
        ],
        Some(&[
            list("QueueUrls", "QueueUrl", &Kind::Text),
            text("NextToken"),
        ]),
    ),
    operation_row("PurgeQueue", &[QUEUE_URL], None),
    operation_row(
        "ReceiveMessage",
        &[
            QUEUE_URL,
            list("AttributeNames", "AttributeName", &Kind::Text),
            // Newer than the model. A client of that time asks for the same by `AttributeNames`.
            list("MessageSystemAttributeNames", "AttributeName", &Kind::Text),
            list("MessageAttributeNames", "MessageAttributeName", &Kind::Text),
            number("MaxNumberOfMessages"),
            number("VisibilityTimeout"),
            number("WaitTimeSeconds"),
            text("ReceiveRequestAttemptId"),
        ],
        Some(&[list("Messages", "Message", &MESSAGE)]),
    ),
    operation_row("RemovePermission", &[QUEUE_URL, text("Label")], None),
    operation_row(
        "SendMessage",
        &[
            QUEUE_URL,
            text("MessageBody"),
            number("DelaySeconds"),
            named("MessageAttributes", "MessageAttribute", &ATTRIBUTE_VALUE),
            named(
                "MessageSystemAttributes",
                "MessageSystemAttribute",
                &ATTRIBUTE_VALUE,
            ),
            text("MessageDeduplicationId"),
            text("MessageGroupId"),
        ],
        Some(&[
            text("MD5OfMessageBody"),
            text("MD5OfMessageAttributes"),
            text("MD5OfMessageSystemAttributes"),
            text("MessageId"),
            text("SequenceNumber"),
        ]),
    ),
    operation_row(
        "SendMessageBatch",
        &[
            QUEUE_URL,
            list("Entries", "SendMessageBatchRequestEntry", &SEND_ENTRY),
        ],
        Some(&[
            list("Successful", "SendMessageBatchResultEntry", &SENT_ENTRY),
            FAILED,
        ]),
    ),
    operation_row(
        "SetQueueAttributes",
        &[QUEUE_URL, named("Attributes", "Attribute", &Kind::Text)],
        None,
    ),
    operation_row(
        "StartMessageMoveTask",
        &[
            text("SourceArn"),
            text("DestinationArn"),
            number("MaxNumberOfMessagesPerSecond"),
        ],
        Some(&[text("TaskHandle")]),
    ),
    operation_row("TagQueue", &[QUEUE_URL, tags("Tags")], None),
    operation_row(
        "UntagQueue",
        &[QUEUE_URL, list("TagKeys", "TagKey", &Kind::Text)],
        None,
    ),
];

/// The code of an error to its name in JSON, with the namespace.
///
/// What the model has no code for has its own name as code. Of the errors that are common to all of
/// Amazon's services it has none: these names are the JSON protocol's, but for what can only be wrong
/// with a form, which that has not.
#[must_use]
pub fn shape_id(code: &str) -> Option<String> {
    let (namespace, shape) = match code {
        "AWS.SimpleQueueService.NonExistentQueue" => (SQS, "QueueDoesNotExist"),
        "QueueAlreadyExists" => (SQS, "QueueNameExists"),
        "InvalidAttributeName"
        | "InvalidAttributeValue"
        | "InvalidIdFormat"
        | "InvalidMessageContents"
        | "InvalidSecurity"
        | "OverLimit"
        | "ReceiptHandleIsInvalid"
        | "RequestThrottled"
        | "ResourceNotFoundException" => (SQS, code),
        "ConflictingQueryParameter" | "InternalFailure" | "MissingAction" | "NoSuchVersion" => {
            (COMMON, code)
        }
        "AccessDenied" => (COMMON, "AccessDeniedException"),
        "ExpiredToken" => (COMMON, "ExpiredTokenException"),
        "IncompleteSignature" => (COMMON, "IncompleteSignatureException"),
        "InvalidAction" => (COMMON, "UnknownOperationException"),
        "InvalidClientTokenId" => (COMMON, "UnrecognizedClientException"),
        "InvalidParameterValue" => (COMMON, "InvalidParameterValueException"),
        "MalformedInput" => (COMMON, "SerializationException"),
        "MissingParameter" => (COMMON, "MissingRequiredParameterException"),
        "SignatureDoesNotMatch" => (COMMON, "InvalidSignatureException"),
        _ => (SQS, code.strip_prefix("AWS.SimpleQueueService.")?),
    };
    Some(format!("{namespace}#{shape}"))
}

const SQS: &str = "com.amazonaws.sqs";
const COMMON: &str = "com.amazon.coral.service";
