//! What can be wrong with an `aws-chunked` body.

use std::fmt;

use crate::canonical::StringToSign;
use crate::error::VerifyError;
use crate::streaming::ChunkedHeadError;

/// Why a request with an `aws-chunked` body was refused before its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyChunkedError {
    /// The signature was refused, as that of any request.
    Request(VerifyError),
    /// The headers that go with such a body are missing or malformed.
    Head(ChunkedHeadError),
}

impl fmt::Display for VerifyChunkedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => error.fmt(f),
            Self::Head(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for VerifyChunkedError {}

impl From<VerifyError> for VerifyChunkedError {
    fn from(error: VerifyError) -> Self {
        Self::Request(error)
    }
}

impl From<ChunkedHeadError> for VerifyChunkedError {
    fn from(error: ChunkedHeadError) -> Self {
        Self::Head(error)
    }
}

/// Why an `aws-chunked` body was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkedError {
    /// Where in the encoded body the faulty line or chunk begins, in bytes from its start.
    pub offset: u64,
    /// What is wrong.
    pub fault: ChunkedFault,
}

/// What is wrong with an `aws-chunked` body.
///
/// The enum is exhaustive on purpose: a server that learns of a new reason has to say what it
/// answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkedFault {
    /// The line before a chunk is not its size, in at most 16 hexadecimal digits, and where chunks
    /// are signed `;chunk-signature=` and a signature, ended by CR LF.
    Header {
        /// The line, at most 128 bytes of it.
        found: String,
    },
    /// The line before a chunk does not end where any real one would have.
    HeaderTooLong {
        /// The most bytes that are read for one.
        limit: usize,
    },
    /// A signed chunk is larger than the decoder holds.
    ChunkTooLarge {
        /// Its size.
        size: u64,
        /// The most that is held: [`ChunkLimits::chunk_bytes`](crate::ChunkLimits::chunk_bytes).
        limit: usize,
    },
    /// The chunks hold more than `x-amz-decoded-content-length` says.
    TooLong {
        /// What it says.
        declared: u64,
    },
    /// The chunks hold less than `x-amz-decoded-content-length` says.
    TooShort {
        /// What it says.
        declared: u64,
        /// What they hold.
        actual: u64,
    },
    /// After a chunk comes something other than CR LF.
    ChunkEnd,
    /// The signature of a chunk or of the trailers is not the one computed: the piece was changed,
    /// left out or moved, or signed with another secret.
    SignatureMismatch {
        /// The string to sign as the verifier sees it.
        string_to_sign: StringToSign,
    },
    /// The trailers take more room than is held.
    TrailersTooLong {
        /// The most that is held: [`ChunkLimits::trailer_bytes`](crate::ChunkLimits::trailer_bytes).
        limit: usize,
    },
    /// A line among the trailers is not a name, a colon, and a value of visible ASCII and spaces.
    Trailer {
        /// The line, at most 128 bytes of it.
        found: String,
    },
    /// A trailer that `x-amz-trailer` does not announce.
    TrailerNotAnnounced {
        /// Its name, at most 128 bytes of it.
        name: String,
    },
    /// A trailer stands there twice.
    TrailerRepeated {
        /// Its name.
        name: String,
    },
    /// A trailer that `x-amz-trailer` announces is not there.
    TrailerMissing {
        /// Its name.
        name: String,
    },
    /// The body goes on after its end.
    AfterEnd,
    /// The body ends before its end.
    Truncated,
}

impl fmt::Display for ChunkedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (at byte {} of the aws-chunked body)",
            self.fault, self.offset
        )
    }
}

impl std::error::Error for ChunkedError {}

impl fmt::Display for ChunkedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { .. } => f.write_str(
                "the line before a chunk is not its size in hexadecimal, with a signature where \
                 chunks are signed, and CR LF",
            ),
            Self::HeaderTooLong { limit } => {
                write!(f, "the line before a chunk exceeds {limit} bytes")
            }
            Self::ChunkTooLarge { size, limit } => {
                write!(f, "a chunk of {size} bytes exceeds {limit}")
            }
            Self::TooLong { declared } => write!(
                f,
                "the chunks hold more than the {declared} bytes of x-amz-decoded-content-length"
            ),
            Self::TooShort { declared, actual } => write!(
                f,
                "the chunks hold {actual} bytes, x-amz-decoded-content-length says {declared}"
            ),
            Self::ChunkEnd => f.write_str("a chunk is not followed by CR LF"),
            Self::SignatureMismatch { .. } => f.write_str(
                "the signature is not the one computed: this piece of the body was changed, left \
                 out or moved, or signed with another secret",
            ),
            Self::TrailersTooLong { limit } => write!(f, "the trailers exceed {limit} bytes"),
            Self::Trailer { .. } => {
                f.write_str("a trailer is not a name, a colon and a value of visible ASCII")
            }
            Self::TrailerNotAnnounced { name } => {
                write!(f, "x-amz-trailer does not announce the trailer {name:?}")
            }
            Self::TrailerRepeated { name } => write!(f, "the trailer {name:?} stands there twice"),
            Self::TrailerMissing { name } => {
                write!(f, "the trailer {name:?} is announced but not there")
            }
            Self::AfterEnd => f.write_str("the body goes on after its end"),
            Self::Truncated => f.write_str("the body ends too early"),
        }
    }
}

/// Why a body was not encoded: it is not the one that the signed request announces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// More was pushed than `x-amz-decoded-content-length` says.
    TooLong {
        /// What it says.
        declared: u64,
    },
    /// Less was pushed than `x-amz-decoded-content-length` says.
    TooShort {
        /// What it says.
        declared: u64,
        /// What was pushed.
        actual: u64,
    },
    /// A trailer's value is empty or holds something other than visible ASCII, spaces and tabs, or
    /// begins or ends with one of these.
    TrailerValue {
        /// The trailer's name.
        name: String,
    },
    /// A trailer that `x-amz-trailer` does not announce.
    TrailerNotAnnounced {
        /// Its name.
        name: String,
    },
    /// A trailer was given twice.
    TrailerRepeated {
        /// Its name.
        name: String,
    },
    /// A trailer that `x-amz-trailer` announces was not given.
    TrailerMissing {
        /// Its name.
        name: String,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { declared } => write!(
                f,
                "the body is longer than the {declared} bytes of x-amz-decoded-content-length"
            ),
            Self::TooShort { declared, actual } => write!(
                f,
                "the body has {actual} bytes, x-amz-decoded-content-length says {declared}"
            ),
            Self::TrailerValue { name } => write!(
                f,
                "the value of the trailer {name:?} is not visible ASCII with spaces inside only"
            ),
            Self::TrailerNotAnnounced { name } => {
                write!(f, "x-amz-trailer does not announce the trailer {name:?}")
            }
            Self::TrailerRepeated { name } => write!(f, "the trailer {name:?} was given twice"),
            Self::TrailerMissing { name } => {
                write!(f, "the trailer {name:?} is announced but was not given")
            }
        }
    }
}

impl std::error::Error for EncodeError {}
