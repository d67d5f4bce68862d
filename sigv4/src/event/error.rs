//! What can be wrong with an event stream.

use std::fmt;
use std::time::Duration;

use crate::canonical::StringToSign;
use crate::error::VerifyError;
use crate::time::{DateOutOfRange, DateTime};

/// Why a request with an event stream was refused before its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyEventsError {
    /// The signature was refused, as that of any request.
    Request(VerifyError),
    /// The request does not announce a signed event stream in `x-amz-content-sha256`.
    NotEvents,
}

impl fmt::Display for VerifyEventsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => error.fmt(f),
            Self::NotEvents => {
                f.write_str("x-amz-content-sha256 does not announce a signed event stream")
            }
        }
    }
}

impl std::error::Error for VerifyEventsError {}

impl From<VerifyError> for VerifyEventsError {
    fn from(error: VerifyError) -> Self {
        Self::Request(error)
    }
}

/// Why a message of an event stream was refused.
///
/// The enum is exhaustive on purpose: a server that learns of a new reason has to say what it
/// answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventError {
    /// The message says to be larger than the limit.
    TooLarge {
        /// How many bytes it says to have.
        size: usize,
        /// The most that is read.
        limit: usize,
    },
    /// The message's lengths contradict each other: it is shorter than its framing, or its headers
    /// are longer than it.
    Lengths,
    /// The checksum of the message's lengths is wrong.
    PreludeChecksum,
    /// The checksum of the message is wrong.
    Checksum,
    /// The headers of the message are not those of an event stream.
    Headers,
    /// A header other than `:date`, a timestamp, and `:chunk-signature`, bytes: no signature covers
    /// it.
    HeaderUnexpected {
        /// Its name, at most 128 bytes of it.
        name: String,
    },
    /// A header stands there twice.
    HeaderRepeated {
        /// Its name.
        name: &'static str,
    },
    /// A header is missing.
    HeaderMissing {
        /// Its name.
        name: &'static str,
    },
    /// `:date` lies outside the years 0 to 9999.
    DateOutOfRange,
    /// The time passed in cannot be written.
    Now(DateOutOfRange),
    /// `:date` is further from the verifier's time than the tolerance.
    Date {
        /// The message's date.
        date: DateTime,
        /// The verifier's time.
        now: DateTime,
        /// The tolerance.
        tolerance: Duration,
    },
    /// The signature is not the one computed: the message was changed, left out or moved, or signed
    /// with another secret.
    SignatureMismatch {
        /// The string to sign as the verifier sees it.
        string_to_sign: StringToSign,
    },
    /// More comes after the empty message, which is the last.
    AfterEnd,
    /// The stream ends without an empty message, or within a message.
    Truncated,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { size, limit } => {
                write!(f, "a message of {size} bytes exceeds {limit}")
            }
            Self::Lengths => f.write_str("the lengths of a message contradict each other"),
            Self::PreludeChecksum => {
                f.write_str("the checksum of a message's lengths is not the one computed")
            }
            Self::Checksum => f.write_str("the checksum of a message is not the one computed"),
            Self::Headers => f.write_str("the headers of a message are malformed"),
            Self::HeaderUnexpected { name } => write!(
                f,
                "a signed message has the header {name:?}; it may have :date, a timestamp, and \
                 :chunk-signature, bytes"
            ),
            Self::HeaderRepeated { name } => write!(f, "a message has the header {name} twice"),
            Self::HeaderMissing { name } => write!(f, "a message lacks the header {name}"),
            Self::DateOutOfRange => f.write_str("the :date lies outside the years 0 to 9999"),
            Self::Now(error) => error.fmt(f),
            Self::Date {
                date,
                now,
                tolerance,
            } => write!(
                f,
                "the :date {date} is more than {} seconds from now ({now})",
                tolerance.as_secs()
            ),
            Self::SignatureMismatch { .. } => f.write_str(
                "the signature is not the one computed: this message was changed, left out or \
                 moved, or signed with another secret",
            ),
            Self::AfterEnd => f.write_str("the stream goes on after its last, empty message"),
            Self::Truncated => f.write_str("the stream ends without its last, empty message"),
        }
    }
}

impl std::error::Error for EventError {}
