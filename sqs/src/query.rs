//! SQS's Query protocol: the wire that clients from before the end of 2023 speak.
//!
//! The shapes are the same as in JSON; [`MODEL`] says what their members are called in a form and in
//! XML. The names are those of AWS's service model of that time, which SDKs carried until they
//! changed to JSON.
//!
//! ```
//! use aws_query::{Parameters, Source};
//! use sqs::{Operation, Request, Response, SendMessageInput, SendMessageOutput, query};
//!
//! let body = b"Action=SendMessage&Version=2012-11-05&MessageBody=hi";
//! let mut parameters = Parameters::parse([Source::Form(body)])?;
//! // The request went to the queue's own path.
//! parameters.or_insert("QueueUrl", "http://127.0.0.1:9324/000000000000/orders");
//!
//! let operation = query::operation(&parameters)?;
//! let request = query::read(operation, &parameters)?;
//! let expected = SendMessageInput::new("http://127.0.0.1:9324/000000000000/orders", "hi");
//! assert_eq!(request, Request::from(expected));
//!
//! let response = Response::from(SendMessageOutput {
//!     message_id: Some("m".into()),
//!     ..SendMessageOutput::default()
//! });
//! assert_eq!(
//!     query::write(&response, "r")?,
//!     "<?xml version=\"1.0\"?>\
//!      <SendMessageResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\">\
//!      <SendMessageResult><MessageId>m</MessageId></SendMessageResult>\
//!      <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></SendMessageResponse>",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};

use aws_query::{Member, Model, Parameters, ReadError, Shape, WriteError};
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorCode};
use crate::operation::{Decoder, Operation, Request, Response};

/// The one version of the API, the parameter `Version`.
pub const VERSION: &str = "2012-11-05";

/// The media type of a request's body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// The media type of an answer.
pub const XML: &str = "text/xml";

/// What members are called; those that are not here are called as in JSON and have one value.
///
/// `MessageSystemAttributeNames` is younger than AWS's last model of this protocol. It has the name
/// that the rule of its neighbours gives it.
pub const MODEL: Model = Model::new(
    "http://queue.amazonaws.com/doc/2012-11-05/",
    &[
        Shape::new(
            "AddPermissionInput",
            &[
                Member::list("AWSAccountIds", "AWSAccountId"),
                Member::list("Actions", "ActionName"),
            ],
        ),
        Shape::new(
            "ChangeMessageVisibilityBatchInput",
            &[Member::list(
                "Entries",
                "ChangeMessageVisibilityBatchRequestEntry",
            )],
        ),
        Shape::new(
            "ChangeMessageVisibilityBatchOutput",
            &[
                Member::list("Successful", "ChangeMessageVisibilityBatchResultEntry"),
                FAILED,
            ],
        ),
        Shape::new("CreateQueueInput", &[ATTRIBUTES, tags("tags")]),
        Shape::new(
            "DeleteMessageBatchInput",
            &[Member::list("Entries", "DeleteMessageBatchRequestEntry")],
        ),
        Shape::new(
            "DeleteMessageBatchOutput",
            &[
                Member::list("Successful", "DeleteMessageBatchResultEntry"),
                FAILED,
            ],
        ),
        Shape::new("GetQueueAttributesInput", &[ATTRIBUTE_NAMES]),
        Shape::new("GetQueueAttributesOutput", &[ATTRIBUTES]),
        Shape::new(
            "ListDeadLetterSourceQueuesOutput",
            &[Member::list("queueUrls", "QueueUrl")],
        ),
        Shape::new(
            "ListMessageMoveTasksOutput",
            &[Member::list("Results", "ListMessageMoveTasksResultEntry")],
        ),
        Shape::new("ListQueueTagsOutput", &[tags("Tags")]),
        Shape::new("ListQueuesOutput", &[Member::list("QueueUrls", "QueueUrl")]),
        Shape::new("Message", &[ATTRIBUTES, MESSAGE_ATTRIBUTES]),
        Shape::new("MessageAttributeValue", LIST_VALUES),
        Shape::new("MessageSystemAttributeValue", LIST_VALUES),
        Shape::new(
            "ReceiveMessageInput",
            &[
                ATTRIBUTE_NAMES,
                Member::list("MessageAttributeNames", "MessageAttributeName"),
                Member::list("MessageSystemAttributeNames", "MessageSystemAttributeName"),
            ],
        ),
        Shape::new(
            "ReceiveMessageOutput",
            &[Member::list("Messages", "Message")],
        ),
        Shape::new(
            "SendMessageBatchInput",
            &[Member::list("Entries", "SendMessageBatchRequestEntry")],
        ),
        Shape::new(
            "SendMessageBatchOutput",
            &[
                Member::list("Successful", "SendMessageBatchResultEntry"),
                FAILED,
            ],
        ),
        Shape::new(
            "SendMessageBatchRequestEntry",
            &[MESSAGE_ATTRIBUTES, MESSAGE_SYSTEM_ATTRIBUTES],
        ),
        Shape::new(
            "SendMessageInput",
            &[MESSAGE_ATTRIBUTES, MESSAGE_SYSTEM_ATTRIBUTES],
        ),
        Shape::new("SetQueueAttributesInput", &[ATTRIBUTES]),
        Shape::new("TagQueueInput", &[tags("Tags")]),
        Shape::new("UntagQueueInput", &[Member::list("TagKeys", "TagKey")]),
    ],
);

const ATTRIBUTES: Member = Member::map("Attributes", "Attribute", "Name", "Value");
const ATTRIBUTE_NAMES: Member = Member::list("AttributeNames", "AttributeName");
const FAILED: Member = Member::list("Failed", "BatchResultErrorEntry");
const LIST_VALUES: &[Member] = &[
    Member::list("StringListValues", "StringListValue"),
    Member::list("BinaryListValues", "BinaryListValue"),
];
const MESSAGE_ATTRIBUTES: Member =
    Member::map("MessageAttributes", "MessageAttribute", "Name", "Value");
const MESSAGE_SYSTEM_ATTRIBUTES: Member = Member::map(
    "MessageSystemAttributes",
    "MessageSystemAttribute",
    "Name",
    "Value",
);

const fn tags(name: &'static str) -> Member {
    Member::map(name, "Tag", "Key", "Value")
}

/// The operation that a request asks for.
///
/// A request without `Version` is taken for one of [`VERSION`], as many a script leaves it out.
///
/// # Errors
///
/// `NoSuchVersion` for another version, `MissingAction` without `Action` or with an empty one, and
/// `InvalidAction` for one that is not SQS's.
pub fn operation(parameters: &Parameters<'_>) -> Result<Operation, Error> {
    if let Some(other) = parameters.version().filter(|version| *version != VERSION) {
        let message = format!("The requested version ( {} ) is not valid.", cut(other));
        return Err(Error::new(ErrorCode::NoSuchVersion, message));
    }
    let action = parameters.action().unwrap_or_default();
    if action.is_empty() {
        let message = "The request must contain the parameter Action.";
        return Err(Error::new(ErrorCode::MissingAction, message));
    }
    Operation::from_name(action).ok_or_else(|| {
        let message = format!("The action {} is not valid for this endpoint.", cut(action));
        Error::new(ErrorCode::UnknownOperationException, message)
    })
}

/// Reads the input of `operation` from a request's parameters, by the rules of [`Model::read`].
///
/// Where the request went to a queue's path and `QueueUrl` may be left out, the server
/// [adds it](Parameters::or_insert) before.
///
/// A batch without entries is read as an empty one: in a form nothing tells them apart, and AWS
/// answers EmptyBatchRequest to it.
///
/// # Errors
///
/// When a value is not what its member holds, names contradict each other, an entry of a batch has
/// no `Id`, or message attributes are announced (`MessageAttribute=`) and none is there; [`refusal`]
/// says what SQS answers then. Other members that are absent are none.
pub fn read(operation: Operation, parameters: &Parameters<'_>) -> Result<Request, ReadError> {
    let mut request = Request::read(operation, Form(parameters))?;
    let batch = Batch {
        operation,
        parameters,
    };
    if let Request::ChangeMessageVisibilityBatch(input) = &mut request {
        batch.check_ids(&mut input.entries, |entry| entry.id.is_some())?;
    }
    if let Request::DeleteMessageBatch(input) = &mut request {
        batch.check_ids(&mut input.entries, |entry| entry.id.is_some())?;
    }
    if let Request::SendMessage(input) = &request
        && is_announced(input.message_attributes.as_ref())
    {
        let parameter = NAME_OF_ATTRIBUTE.to_owned();
        return Err(ReadError::Missing { parameter });
    }
    if let Request::SendMessageBatch(input) = &mut request {
        batch.check_ids(&mut input.entries, |entry| entry.id.is_some())?;
        let mut entries = input.entries.iter().flatten();
        let announced = entries.position(|it| is_announced(it.message_attributes.as_ref()));
        if let Some(place) = announced {
            return Err(batch.missing(place, NAME_OF_ATTRIBUTE));
        }
    }
    Ok(request)
}

/// A batch, and what its entries are called.
struct Batch<'a> {
    operation: Operation,
    parameters: &'a Parameters<'a>,
}

impl Batch<'_> {
    /// The entries are a list, and each has its `Id`.
    fn check_ids<T>(
        &self,
        entries: &mut Option<Vec<T>>,
        has_id: impl Fn(&T) -> bool,
    ) -> Result<(), ReadError> {
        let entries = entries.get_or_insert_default();
        let without = entries.iter().position(|entry| !has_id(entry));
        without.map_or(Ok(()), |place| Err(self.missing(place, "Id")))
    }

    /// The entry at this place lacks a member. Its number is another one where there are gaps.
    fn missing(&self, place: usize, member: &str) -> ReadError {
        let list = format!("{}RequestEntry.", self.operation);
        let number = |name: &str| {
            let (number, _) = name.strip_prefix(&*list)?.split_once('.')?;
            number.parse::<usize>().ok()
        };
        let names = self.parameters.iter().map(|(name, _)| name);
        let numbers: BTreeSet<usize> = names.filter_map(number).collect();
        let number = numbers.into_iter().nth(place).unwrap_or(place + 1);
        let parameter = format!("{list}{number}.{member}");
        ReadError::Missing { parameter }
    }
}

/// Whether message attributes are announced and none is there: `MessageAttribute=` is an attribute
/// without a name to AWS, as SDKs for Go found.
fn is_announced<T>(attributes: Option<&BTreeMap<String, T>>) -> bool {
    attributes.is_some_and(BTreeMap::is_empty)
}

/// What SQS answers to a request that cannot be read.
///
/// * A parameter that another one requires is `MissingParameter`, in AWS's words. The name of a
///   message attribute is `InvalidParameterValue` in its own.
/// * Names that contradict each other are `ConflictingQueryParameter`, in AWS's words.
/// * All else is `MalformedInput`, which AWS answers to what its reader refuses. Its words were
///   recorded for an index of 0 and for some lists that had the wrong name. The others are
///   [`ReadError`]'s, which say what would be right.
#[must_use]
pub fn refusal(error: &ReadError) -> Error {
    let (code, message) = match error {
        ReadError::Missing { parameter } if is_name_of_attribute(parameter) => (
            ErrorCode::InvalidParameterValueException,
            NO_NAME.to_owned(),
        ),
        ReadError::Missing { parameter } => (
            ErrorCode::MissingRequiredParameterException,
            format!("The request must contain the parameter {parameter}."),
        ),
        ReadError::Conflict { parameter } => (
            ErrorCode::ConflictingQueryParameter,
            format!(
                "The query parameter {parameter} is invalid. Its structure conflicts with that of \
                 another parameter."
            ),
        ),
        ReadError::Index { parameter } if parameter.ends_with(".0") => {
            let message = "0 is not a valid index";
            (ErrorCode::SerializationException, message.to_owned())
        }
        ReadError::OtherName { parameter, .. } => other_name(parameter, error),
        other => (ErrorCode::SerializationException, other.to_string()),
    };
    Error::new(code, message)
}

/// AWS's answers to lists and maps that were called as SDKs call their members.
fn other_name(parameter: &str, error: &ReadError) -> (ErrorCode, String) {
    let mut segments = parameter.split('.');
    let (member, next) = (segments.next(), segments.next().unwrap_or_default());
    if member == Some("MessageAttributes") {
        return (
            ErrorCode::InvalidParameterValueException,
            NO_NAME.to_owned(),
        );
    }
    let message = match next {
        "member" => "Start of list found where not expected".to_owned(),
        number if number.bytes().all(|byte| byte.is_ascii_digit()) && member == Some("Entries") => {
            "Top level element may not be treated as a list".to_owned()
        }
        _ => error.to_string(),
    };
    (ErrorCode::SerializationException, message)
}

fn is_name_of_attribute(parameter: &str) -> bool {
    let mut segments = parameter
        .rsplit('.')
        .filter(|it| it.parse::<u32>().is_err());
    segments.next() == Some("Name") && segments.next() == Some("MessageAttribute")
}

/// The last of what a message attribute's name is called, where it has no number.
const NAME_OF_ATTRIBUTE: &str = "MessageAttribute.Name";

/// What AWS says of a message attribute that has none.
const NO_NAME: &str = "The request must contain non-empty message attribute name.";

/// The body of the answer to a success, as [`Model::write`] writes it. Operations
/// [without output](Operation::has_output) have no result element.
///
/// # Errors
///
/// When an output has a member that [`MODEL`] does not know how to write. No shape of this crate
/// has one.
pub fn write(response: &Response, request_id: &str) -> Result<String, WriteError> {
    let operation = response.operation();
    let result = operation.has_output().then_some(response);
    MODEL.write(operation.name(), result, request_id)
}

/// The body of the answer to a failure, with the error's [query code](ErrorCode::query_code).
///
/// The texts are those of the JSON protocol but for that of a queue that does not exist, which AWS
/// ends with another phrase here.
///
/// ```
/// use sqs::{Error, ErrorCode, query};
///
/// let error = Error::new(ErrorCode::QueueDoesNotExist, "The specified queue does not exist.");
/// assert_eq!(
///     query::write_error(&error, "r"),
///     "<?xml version=\"1.0\"?>\
///      <ErrorResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error>\
///      <Type>Sender</Type><Code>AWS.SimpleQueueService.NonExistentQueue</Code>\
///      <Message>The specified queue does not exist for this wsdl version.</Message><Detail/>\
///      </Error><RequestId>r</RequestId></ErrorResponse>",
/// );
/// ```
#[must_use]
pub fn write_error(error: &Error, request_id: &str) -> String {
    let code = error.code();
    let message = message(error);
    MODEL.write_error(code.fault().name(), code.query_code(), message, request_id)
}

/// What an error says in this protocol.
///
/// ```
/// use sqs::{Error, ErrorCode, query};
///
/// let error = Error::new(ErrorCode::InvalidAttributeName, "Unknown Attribute Colour.");
/// assert_eq!(query::message(&error), "Unknown Attribute Colour.");
/// ```
#[must_use]
pub fn message(error: &Error) -> &str {
    match (error.code(), error.message()) {
        (ErrorCode::QueueDoesNotExist, "The specified queue does not exist.") => {
            "The specified queue does not exist for this wsdl version."
        }
        (_, message) => message,
    }
}

/// Reads a shape from parameters.
struct Form<'a>(&'a Parameters<'a>);

impl Decoder for Form<'_> {
    type Error = ReadError;

    fn decode<T: DeserializeOwned>(self) -> Result<T, ReadError> {
        MODEL.read(self.0)
    }
}

/// As much of what a request says as an error repeats.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(128)]
}

#[cfg(test)]
mod tests;
