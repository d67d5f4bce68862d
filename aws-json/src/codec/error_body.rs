//! Refusals: what a server writes and what a client makes of it.

use std::error::Error;
use std::fmt;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::content_type::Version;
use super::headers::{X_AMZN_ERRORTYPE, X_AMZN_QUERY_ERROR};
use super::name;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The caller's: the same request would be refused again.
    Sender,
    /// The service's: the same request may succeed later.
    Receiver,
}

impl Fault {
    /// `Sender` or `Receiver`, as the query error header spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sender => "Sender",
            Self::Receiver => "Receiver",
        }
    }

    /// The fault that a status tells: 4xx the sender's, 5xx the receiver's, else none.
    #[must_use]
    pub fn from_status(status: StatusCode) -> Option<Self> {
        if status.is_client_error() {
            Some(Self::Sender)
        } else if status.is_server_error() {
            Some(Self::Receiver)
        } else {
            None
        }
    }
}

/// The value of `x-amzn-query-error`: the code that the Query protocol had for an error, and
/// whose fault it was.
///
/// The services that once spoke the Query protocol send it with every error. Its `Display` is
/// the header's value.
///
/// ```
/// use aws_json::codec::error_body::{Fault, QueryError};
///
/// let error = QueryError::parse("AWS.SimpleQueueService.NonExistentQueue;Sender").unwrap();
/// assert_eq!(error.code(), "AWS.SimpleQueueService.NonExistentQueue");
/// assert_eq!(error.fault(), Some(Fault::Sender));
/// assert_eq!(QueryError::parse("NoFault"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueryError<'a> {
    code: &'a str,
    fault_name: &'a str,
}

impl<'a> QueryError<'a> {
    /// A query error to be written.
    ///
    /// # Errors
    ///
    /// [`QueryCodeError`] if the code is empty or holds anything but visible ASCII, or a `;`.
    pub fn new(code: &'a str, fault: Fault) -> Result<Self, QueryCodeError> {
        let legal = |b: u8| b.is_ascii_graphic() && b != b';';
        if code.is_empty() || !code.bytes().all(legal) {
            return Err(QueryCodeError);
        }
        Ok(Self {
            code,
            fault_name: fault.name(),
        })
    }

    /// Reads the header's value: two parts around the first `;`, neither empty. None otherwise,
    /// as AWS's own clients then ignore it.
    #[must_use]
    pub fn parse(value: &'a str) -> Option<Self> {
        let (code, fault_name) = value.split_once(';')?;
        let (code, fault_name) = (code.trim(), fault_name.trim());
        (!code.is_empty() && !fault_name.is_empty()).then_some(Self { code, fault_name })
    }

    /// The error's code in the Query protocol.
    #[must_use]
    pub const fn code(&self) -> &'a str {
        self.code
    }

    /// Whose fault it was; none if the header says neither `Sender` nor `Receiver`.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        [Fault::Sender, Fault::Receiver]
            .into_iter()
            .find(|fault| fault.name() == self.fault_name)
    }
}

impl fmt::Display for QueryError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{}", self.code, self.fault_name)
    }
}

/// A query code that cannot stand in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryCodeError;

impl fmt::Display for QueryCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a query error code is one or more visible ASCII characters without `;`")
    }
}

impl Error for QueryCodeError {}

/// An error as a server answers it.
///
/// ```
/// use aws_json::codec::content_type::Version;
/// use aws_json::codec::error_body::{ErrorBody, Fault, QueryError};
///
/// let answer = ErrorBody::new("com.amazonaws.sqs#QueueDoesNotExist")
///     .with_message("The specified queue does not exist.")
///     .with_query_error(QueryError::new(
///         "AWS.SimpleQueueService.NonExistentQueue",
///         Fault::Sender,
///     )?)
///     .to_response(http::StatusCode::BAD_REQUEST, Version::V1_0);
/// assert_eq!(
///     answer.headers()["x-amzn-query-error"],
///     "AWS.SimpleQueueService.NonExistentQueue;Sender",
/// );
/// assert_eq!(
///     &answer.body()[..],
///     br#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}"#,
/// );
/// # Ok::<(), aws_json::codec::error_body::QueryCodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorBody<'a> {
    shape_id: &'a str,
    message: Option<&'a str>,
    query_error: Option<QueryError<'a>>,
}

impl<'a> ErrorBody<'a> {
    /// An error of this shape, named by its whole id (`namespace#Name`).
    #[must_use]
    pub const fn new(shape_id: &'a str) -> Self {
        Self {
            shape_id,
            message: None,
            query_error: None,
        }
    }

    /// With a message for people. Without one the member is left out.
    #[must_use]
    pub fn with_message(mut self, message: &'a str) -> Self {
        self.message = Some(message);
        self
    }

    /// With the header that query-compatible services send.
    #[must_use]
    pub fn with_query_error(mut self, query_error: QueryError<'a>) -> Self {
        self.query_error = Some(query_error);
        self
    }

    /// The JSON: `__type`, whole in version 1.0 and without its namespace in 1.1, and `message`.
    ///
    /// # Panics
    ///
    /// Never: two strings can always be written as JSON.
    #[must_use]
    pub fn to_bytes(&self, version: Version) -> Bytes {
        #[derive(Serialize)]
        struct Members<'a> {
            #[serde(rename = "__type")]
            error_type: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<&'a str>,
        }
        let error_type = match version {
            Version::V1_0 => self.shape_id,
            Version::V1_1 => name::bare(self.shape_id),
        };
        let members = Members {
            error_type,
            message: self.message,
        };
        serde_json::to_vec(&members)
            .expect("strings are always written")
            .into()
    }

    /// The whole answer: content type, query error and body. The request id, the date and what
    /// else a server always sends are left to it.
    #[must_use]
    pub fn to_response(&self, status: StatusCode, version: Version) -> Response<Bytes> {
        let mut response = Response::new(self.to_bytes(version));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, version.header_value());
        if let Some(error) = &self.query_error
            && let Ok(value) = HeaderValue::try_from(error.to_string())
        {
            headers.insert(X_AMZN_QUERY_ERROR, value);
        }
        response
    }
}

/// An error as a client reads it, from whatever a server or something between them sent.
///
/// Nothing here fails: what cannot be read is none, so that a body which is empty, cut short, or
/// a proxy's HTML page never hides the status.
///
/// ```
/// use aws_json::codec::error_body::Refusal;
///
/// let body = br#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"No such queue."}"#;
/// let refusal = Refusal::read(&http::HeaderMap::new(), body);
/// assert_eq!(refusal.name(), Some("QueueDoesNotExist"));
/// assert_eq!(refusal.snake_name().as_deref(), Some("queue_does_not_exist"));
/// assert_eq!(refusal.message(), Some("No such queue."));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    name: Option<String>,
    message: Option<String>,
    query_code: Option<String>,
    fault: Option<Fault>,
}

impl Refusal {
    /// Reads a refusal.
    ///
    /// The type comes from the header `x-amzn-errortype`, else from the body's member `__type`,
    /// else from `code`, and is cut to its [bare name](name::bare). Only members at the top
    /// level count, in exactly this spelling, since an error may have members of its own called
    /// `Code`. The message is `message`, `Message` or `errorMessage`, in this order. A member
    /// that is `null` or not a string (for `code`: nor a whole number) counts as absent; of a
    /// repeated member the last counts.
    #[must_use]
    pub fn read(headers: &HeaderMap, body: &[u8]) -> Self {
        let members: Members =
            serde_json::from_str(&String::from_utf8_lossy(body)).unwrap_or_default();
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let query_error = header(X_AMZN_QUERY_ERROR).and_then(QueryError::parse);
        let types = [
            header(X_AMZN_ERRORTYPE),
            members.dunder_type.as_deref(),
            members.code.as_deref(),
        ];
        let bare = types
            .into_iter()
            .flatten()
            .map(name::bare)
            .find(|name| !name.is_empty());
        Self {
            name: bare.map(ToOwned::to_owned),
            message: members
                .message
                .or(members.upper_message)
                .or(members.error_message),
            query_code: query_error.as_ref().map(|error| error.code().to_owned()),
            fault: query_error.and_then(|error| error.fault()),
        }
    }

    /// The error's name as AWS spells it, without namespace: `QueueDoesNotExist`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The same in lower_snake_case: `queue_does_not_exist`. See [`name::snake`].
    #[must_use]
    pub fn snake_name(&self) -> Option<String> {
        self.name().map(name::snake)
    }

    /// What the server said about it, for people.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The code of the Query protocol: `AWS.SimpleQueueService.NonExistentQueue`.
    #[must_use]
    pub fn query_code(&self) -> Option<&str> {
        self.query_code.as_deref()
    }

    /// Cuts names, and the message, to so many bytes.
    #[cfg(feature = "client")]
    pub(crate) fn cut(&mut self, names: usize, message: usize) {
        for (text, end) in [
            (&mut self.name, names),
            (&mut self.query_code, names),
            (&mut self.message, message),
        ] {
            if let Some(text) = text {
                text.truncate(text.floor_char_boundary(end));
            }
        }
    }

    /// Replaces each text by what is given for it, if something is.
    #[cfg(feature = "client")]
    pub(crate) fn redact(&mut self, clean: impl Fn(&str) -> Option<String>) {
        let texts = [&mut self.name, &mut self.message, &mut self.query_code];
        for text in texts.into_iter().flatten() {
            if let Some(clean) = clean(text) {
                *text = clean;
            }
        }
    }

    /// Whose fault, if the query error header says so. Otherwise the status tells:
    /// [`Fault::from_status`].
    #[must_use]
    pub const fn fault(&self) -> Option<Fault> {
        self.fault
    }
}

/// The members of an error body that are looked at, each as text.
#[derive(Default)]
struct Members {
    dunder_type: Option<String>,
    code: Option<String>,
    message: Option<String>,
    upper_message: Option<String>,
    error_message: Option<String>,
}

// Written by hand, not derived, because a member of the wrong type or one that is there twice
// must not cost us the others.
impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an error body")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Members::default();
                while let Some(key) = map.next_key::<String>()? {
                    let slot = match key.as_str() {
                        "__type" => &mut members.dunder_type,
                        "code" => {
                            members.code = map.next_value_seed(Text::OrNumber)?;
                            continue;
                        }
                        "message" => &mut members.message,
                        "Message" => &mut members.upper_message,
                        "errorMessage" => &mut members.error_message,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *slot = map.next_value_seed(Text::Plain)?;
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Reads any JSON value, and is some only for text.
#[derive(Clone, Copy)]
enum Text {
    /// A string.
    Plain,
    /// A string, or a whole number as its digits.
    OrNumber,
}

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(match self {
            Self::Plain => None,
            Self::OrNumber => Some(number.to_string()),
        })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
