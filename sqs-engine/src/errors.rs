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
