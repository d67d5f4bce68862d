//! What is said of a request that cannot be read, and of a shape that cannot be written.

use std::fmt;

use crate::parameters::MAX_PARAMETERS;
use crate::read::{MAX_DEPTH, MAX_INDEX};

/// As much of a name or a value as an error repeats, in bytes.
const QUOTED: usize = 128;

/// Why a form is not the request that it should be.
///
/// `Display` says what is wrong, where, and what would be right. Names and values that came with the
/// request are repeated only in part when they are long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// A list or a map has names of two kinds: numbered and not (`Tag.Key` beside `Tag.1.Key`), or a
    /// name has a value and names below it (`QueueUrl` beside `QueueUrl.1`).
    Conflict {
        /// The name that does not go with the others.
        parameter: String,
    },
    /// A structure within a structure, deeper than [`MAX_DEPTH`].
    Depth {
        /// The name that leads too deep.
        parameter: String,
    },
    /// A parameter is there twice. It does not matter whether the values are the same.
    Duplicate {
        /// Its name.
        parameter: String,
    },
    /// Two entries of a map have the same key.
    DuplicateKey {
        /// The name of the second one's key.
        parameter: String,
        /// The key.
        key: String,
    },
    /// A percent sign is not followed by two hexadecimal digits, or what they encode is not UTF-8.
    Encoding {
        /// Which part of the request it is in: the query string or the body.
        place: &'static str,
        /// Where in that part, in bytes from its beginning; where percent-encoded bytes are not
        /// UTF-8, the beginning of the name or the value that they belong to.
        offset: usize,
        /// What would be right.
        expected: &'static str,
    },
    /// A list or a map has an index that is not a number from 1 to [`MAX_INDEX`], without leading
    /// zeros.
    Index {
        /// The name up to the index, and with it.
        parameter: String,
    },
    /// A parameter is absent that another one requires: a map's key without its value, or a value
    /// without its key, or a required member.
    Missing {
        /// The name that should be there.
        parameter: String,
    },
    /// A list or a map is called by the member's own name, and on the wire it has another one:
    /// `Entries.1.Id` where SQS has `SendMessageBatchRequestEntry.1.Id`.
    OtherName {
        /// The name that is there.
        parameter: String,
        /// The one that it begins with on the wire.
        name: String,
    },
    /// There are more than [`MAX_PARAMETERS`] parameters.
    TooMany,
    /// The value is not what the member holds.
    Value {
        /// The name.
        parameter: String,
        /// What would be right, or what is wrong, in words.
        reason: String,
    },
}

impl ReadError {
    /// The parameter that is at fault, as it is called on the wire and decoded; none where the form
    /// as a whole is.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        match self {
            ReadError::Conflict { parameter }
            | ReadError::Depth { parameter }
            | ReadError::Duplicate { parameter }
            | ReadError::DuplicateKey { parameter, .. }
            | ReadError::Index { parameter }
            | ReadError::Missing { parameter }
            | ReadError::OtherName { parameter, .. }
            | ReadError::Value { parameter, .. } => Some(parameter),
            ReadError::Encoding { .. } | ReadError::TooMany => None,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Conflict { parameter } => write!(
                formatter,
                "the parameter {parameter} conflicts with another one: a name has either a value or \
                 names below it, and a list's entries either all have a number or there is one \
                 without"
            ),
            ReadError::Depth { parameter } => write!(
                formatter,
                "the parameter {parameter} leads deeper than {MAX_DEPTH} structures"
            ),
            ReadError::Duplicate { parameter } => {
                match parameter.as_str() {
                    "" => formatter.write_str("a parameter with an empty name")?,
                    name => write!(formatter, "the parameter {name}")?,
                }
                formatter.write_str(
                    " is there twice; each may be there once, in the query string and the body \
                     together",
                )
            }
            ReadError::DuplicateKey { parameter, key } => write!(
                formatter,
                "the parameter {parameter} repeats the key {key}; each key of a map may be there once"
            ),
            ReadError::Encoding {
                place,
                offset,
                expected,
            } => write!(
                formatter,
                "the {place} is not form-encoded at byte {offset}: expected {expected}"
            ),
            ReadError::Index { parameter } => write!(
                formatter,
                "the parameter {parameter} must be numbered from 1 to {MAX_INDEX}, without leading \
                 zeros"
            ),
            ReadError::Missing { parameter } => {
                write!(formatter, "the parameter {parameter} is missing")
            }
            ReadError::OtherName { parameter, name } => write!(
                formatter,
                "the parameter {parameter} has another name: its entries are called {name}.1, \
                 {name}.2 and so on"
            ),
            ReadError::TooMany => write!(
                formatter,
                "there are more than {MAX_PARAMETERS} parameters, the most that a request may have"
            ),
            ReadError::Value { parameter, reason } if parameter.is_empty() => {
                formatter.write_str(reason)
            }
            ReadError::Value { parameter, reason } => {
                write!(formatter, "the parameter {parameter} is wrong: {reason}")
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> ReadError {
        ReadError::Value {
            parameter: String::new(),
            reason: message.to_string(),
        }
    }

    fn missing_field(field: &'static str) -> ReadError {
        ReadError::Missing {
            parameter: field.to_owned(),
        }
    }
}

/// A shape that XML of this protocol cannot hold: a list or a map whose member has no row in the
/// [`Model`](crate::Model), or a kind of value that the protocol does not have.
///
/// It is a fault of the program and not of what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError(pub(crate) String);

impl fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

impl serde::ser::Error for WriteError {
    fn custom<T: fmt::Display>(message: T) -> WriteError {
        WriteError(message.to_string())
    }
}

/// A name or a value as an error repeats it: what is long is cut, and control characters are
/// escaped.
pub(crate) fn quoted(text: &str) -> String {
    let kept = &text[..text.floor_char_boundary(QUOTED)];
    let mut quoted = String::with_capacity(kept.len());
    for character in kept.chars() {
        if character.is_control() {
            quoted.extend(character.escape_default());
        } else {
            quoted.push(character);
        }
    }
    if kept.len() < text.len() {
        quoted.push('\u{2026}');
    }
    quoted
}
