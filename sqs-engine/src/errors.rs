//! Refusals that several operations give, with AWS's texts.

use sqs::{Error, ErrorCode};

/// The one answer for a queue that is not there, however the request failed to name it.
pub(crate) fn queue_does_not_exist() -> Error {
    Error::new(
        ErrorCode::QueueDoesNotExist,
        "The specified queue does not exist.",
    )
}

pub(crate) fn missing_parameter(name: &str) -> Error {
    let message = format!("The request must contain the parameter {name}.");
    Error::new(ErrorCode::MissingRequiredParameterException, message)
}

pub(crate) fn invalid_parameter(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidParameterValueException, message)
}

/// The usual form: `Value <v> for parameter <P> is invalid. Reason: <r>`.
pub(crate) fn invalid_value(
    value: impl std::fmt::Display,
    parameter: &str,
    reason: impl std::fmt::Display,
) -> Error {
    invalid_parameter(format!(
        "Value {value} for parameter {parameter} is invalid. Reason: {reason}"
    ))
}

pub(crate) fn unknown_attribute(name: &str) -> Error {
    Error::new(
        ErrorCode::InvalidAttributeName,
        format!("Unknown Attribute {name}."),
    )
}

pub(crate) fn invalid_attribute(name: &str) -> Error {
    let message = format!("Invalid value for the parameter {name}.");
    Error::new(ErrorCode::InvalidAttributeValue, message)
}

pub(crate) fn invalid_attribute_because(name: &str, reason: &str) -> Error {
    let message = format!("Invalid value for the parameter {name}. Reason: {reason}");
    Error::new(ErrorCode::InvalidAttributeValue, message)
}

/// For a group, deduplication or attempt id with a character that it cannot have, or too many.
pub(crate) fn invalid_fifo_id(id: &str, parameter: &str) -> Error {
    let reason = format!(
        "{parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length."
    );
    invalid_value(id, parameter, reason)
}

/// For a parameter that the other kind of queue takes.
pub(crate) fn not_for_this_queue_type(value: impl std::fmt::Display, parameter: &str) -> Error {
    let reason = "The request include parameter that is not valid for this queue type.";
    invalid_value(value, parameter, reason)
}

/// For a handle of a FIFO queue whose message is no longer held by it.
pub(crate) fn expired_handle(handle: &str) -> Error {
    invalid_value(handle, "ReceiptHandle", "The receipt handle has expired.")
}
