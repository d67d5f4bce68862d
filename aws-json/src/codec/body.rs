//! Request and response bodies: JSON objects, read strictly and with AWS's words.
//!
//! The shapes are plain serde types. What the protocol asks of them:
//!
//! - a member that is absent and one that is `null` read the same: make it an `Option` (or give
//!   it `#[serde(default)]`; `null` then still reads as an empty list or map);
//! - leave out what is none when writing: `#[serde(skip_serializing_if = "Option::is_none")]`;
//! - unknown members are ignored, whatever they hold: never `deny_unknown_fields`;
//! - a union is an enum with a variant for each member. [`decode`] passes over the other members when they are
//!   `null`, and over `__type`; a last variant with `#[serde(other)]` stands for a member that is not known yet.
//!
//! What times, bytes and special floats need is in [`value`](crate::value).

use std::cell::Cell;
use std::error::Error;
use std::fmt;

use bytes::Bytes;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::ser::Serialize;

use super::mismatch::Mismatch;
pub use super::mismatch::{Expected, Token};
use super::strict::Strict;

/// Reads a body into a shape.
///
/// The body must be one JSON object in UTF-8 and nothing else; a body of zero bytes is `{}`.
/// Nesting is limited to 127 levels of arrays and objects. If a member is there twice, the last
/// one counts. A whole number written as `5.0` or `5e0` is the integer 5.
///
/// # Errors
///
/// [`SerializationError`], whose `Display` for a value of the wrong type is the message of
/// AWS's `SerializationException`.
///
/// ```
/// use aws_json::codec::body::decode;
///
/// #[derive(Debug, PartialEq, serde::Deserialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct Input {
///     queue_url: Option<String>,
///     delay_seconds: Option<i32>,
/// }
///
/// let input: Input = decode(br#"{"QueueUrl":"q","DelaySeconds":null,"Unknown":[1]}"#)?;
/// assert_eq!(input, Input { queue_url: Some("q".into()), delay_seconds: None });
///
/// let error = decode::<Input>(br#"{"DelaySeconds":"5"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "STRING_VALUE can not be converted to an Integer");
/// # Ok::<(), aws_json::codec::body::SerializationError>(())
/// ```
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, SerializationError> {
    let body = if body.is_empty() { b"{}" } else { body };
    // Checked once for the whole body: serde_json by itself would not look at the bytes of
    // strings that it skips.
    let text = std::str::from_utf8(body).map_err(|error| SerializationError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    require_object(text)?;
    let mut json = Json::from_str(text);
    match read(&mut json) {
        Ok(value) => {
            json.end()
                .map_err(|error| SerializationError::from_json(&error))?;
            Ok(value)
        }
        Err(SerializationError::Data { message, .. }) if message.starts_with(DUPLICATE) => {
            let text = without_duplicates(text)?;
            read(&mut Json::from_str(&text)).map_err(SerializationError::without_position)
        }
        Err(error) => Err(error),
    }
}

/// Writes a shape as a body. What serialises as `null`, such as `()`, is written as `{}`.
///
/// # Errors
///
/// [`EncodeError`] if the value is not a structure or a map, or cannot be written as JSON (a map
/// whose keys are not strings).
///
/// ```
/// use aws_json::codec::body::encode;
///
/// assert_eq!(&encode(&serde_json::json!({"QueueName": "orders"}))?[..], br#"{"QueueName":"orders"}"#);
/// assert_eq!(&encode(&())?[..], b"{}");
/// assert!(encode(&["a list"]).is_err());
/// # Ok::<(), aws_json::codec::body::EncodeError>(())
/// ```
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, EncodeError> {
    let body = serde_json::to_vec(value).map_err(|error| EncodeError {
        reason: Some(error),
    })?;
    match body.first() {
        Some(b'{') => Ok(body.into()),
        Some(b'n') => Ok(Bytes::from_static(b"{}")),
        _ => Err(EncodeError { reason: None }),
    }
}

/// Why a body could not be read.
///
/// `Display` gives the message that AWS sends with `SerializationException` where that is known:
/// for a value of the wrong type. None of it repeats a value of the body, except that
/// [`Data`](Self::Data) may.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerializationError {
    /// The body is not UTF-8.
    NotUtf8 {
        /// How many bytes precede the first that is wrong.
        offset: usize,
    },
    /// The body is not JSON, is cut short, goes on after its value, or is nested too deeply.
    NotJson {
        /// What is wrong, with line and column.
        reason: String,
    },
    /// The body is JSON, but not an object.
    NotAnObject {
        /// What it is.
        found: Token,
    },
    /// A value is of another type than its member.
    Mismatch {
        /// What is there. A number where an integer is expected is one with a fraction or out
        /// of the member's range.
        found: Token,
        /// What would be right.
        expected: Expected,
        /// The line at which reading stopped, from 1; 0 if that is not known.
        line: usize,
        /// The column at which reading stopped, from 1; 0 if that is not known.
        column: usize,
    },
    /// A value is of the right type, but the shape does not take it.
    Data {
        /// What the shape says, at most [`MESSAGE_LIMIT`] bytes of it.
        message: String,
    },
}

impl SerializationError {
    fn from_json(error: &serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Data => {
                let mut message = error.to_string();
                message.truncate(message.floor_char_boundary(MESSAGE_LIMIT));
                Self::Data { message }
            }
            serde_json::error::Category::Eof
            | serde_json::error::Category::Io
            | serde_json::error::Category::Syntax => Self::NotJson {
                reason: error.to_string(),
            },
        }
    }
}

impl SerializationError {
    /// The same for a body that is not the one that was sent, where a line and a column mean nothing.
    fn without_position(self) -> Self {
        match self {
            Self::Mismatch {
                found, expected, ..
            } => Self::Mismatch {
                found,
                expected,
                line: 0,
                column: 0,
            },
            Self::Data { mut message } => {
                if let Some(end) = message.rfind(" at line ") {
                    message.truncate(end);
                }
                Self::Data { message }
            }
            Self::NotUtf8 { .. } | Self::NotJson { .. } | Self::NotAnObject { .. } => self,
        }
    }
}

impl fmt::Display for SerializationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 { offset } => {
                write!(
                    f,
                    "The body is not UTF-8: the byte at offset {offset} is wrong."
                )
            }
            Self::NotJson { reason } => write!(f, "The body is not valid JSON: {reason}."),
            Self::NotAnObject { found } => Mismatch {
                found: *found,
                expected: Expected::Structure,
            }
            .fmt(f),
            Self::Mismatch {
                found, expected, ..
            } => Mismatch {
                found: *found,
                expected: *expected,
            }
            .fmt(f),
            Self::Data { message } => f.write_str(message),
        }
    }
}

impl Error for SerializationError {}

/// How many bytes of what a shape says are kept: it may repeat a value of any size.
pub const MESSAGE_LIMIT: usize = 256;

/// Why a value could not be written as a body.
#[derive(Debug)]
pub struct EncodeError {
    reason: Option<serde_json::Error>,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(reason) => write!(f, "the value cannot be written as JSON: {reason}"),
            None => f.write_str("the value is not written as a JSON object; a body must be one"),
        }
    }
}

impl Error for EncodeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.reason.as_ref().map(|reason| reason as _)
    }
}

/// How the message of a derived shape about a member that is there twice begins.
const DUPLICATE: &str = "duplicate field `";

/// The one reader of all shapes: what reads a shape is compiled for each reader anew.
type Json<'t> = serde_json::Deserializer<serde_json::de::StrRead<'t>>;

/// The same body with the last of what is there twice. Derived shapes refuse such a body; a map
/// takes it.
fn without_duplicates(text: &str) -> Result<String, SerializationError> {
    serde_json::from_str(text)
        .and_then(|map: serde_json::Value| serde_json::to_string(&map))
        .map_err(|error| SerializationError::from_json(&error))
}

fn read<T: DeserializeOwned>(json: &mut Json<'_>) -> Result<T, SerializationError> {
    let mismatch = Cell::new(None);
    T::deserialize(Strict::new(json, &mismatch)).map_err(|error| match mismatch.take() {
        Some(Mismatch { found, expected }) => SerializationError::Mismatch {
            found,
            expected,
            line: error.line(),
            column: error.column(),
        },
        None => SerializationError::from_json(&error),
    })
}

/// Refuses a body that is not an object, by its first byte, before anything is built from it.
fn require_object(text: &str) -> Result<(), SerializationError> {
    let found = match text
        .trim_start_matches([' ', '\t', '\r', '\n'])
        .as_bytes()
        .first()
    {
        Some(b'{') => return Ok(()),
        Some(b'[') => Token::List,
        Some(b'"') => Token::String,
        Some(b't') => Token::True,
        Some(b'f') => Token::False,
        Some(b'n') => Token::Null,
        // A number, or something that the next line refuses.
        _ => Token::Number,
    };
    let _: IgnoredAny =
        serde_json::from_str(text).map_err(|error| SerializationError::from_json(&error))?;
    Err(SerializationError::NotAnObject { found })
}

#[cfg(test)]
mod tests;
