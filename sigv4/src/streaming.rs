//! Bodies that are signed piece by piece: what a request announces of one.

use std::fmt;
use std::num::NonZeroUsize;

use crate::algorithm::Algorithm;
use crate::headers;
use crate::request::Request;

/// What every announcement of a streamed body begins with.
pub(crate) const PREFIX: &[u8] = b"STREAMING-";
/// The trailer that holds the signature of the others.
pub(crate) const TRAILER_SIGNATURE: &str = "x-amz-trailer-signature";
/// Between a chunk's size and its signature.
pub(crate) const CHUNK_SIGNATURE: &str = ";chunk-signature=";
/// The hexadecimal digits of a signature by Signature Version 4.
const SIGNATURE_LENGTH: u64 = 64;
/// The most trailers that a request may announce. AWS's SDKs send one.
const TRAILERS_MAX: usize = 16;
/// The longest name of a trailer, in bytes.
const TRAILER_NAME_MAX: usize = 128;
/// The longest text from a request that an error repeats, in bytes.
const SHOWN_MAX: usize = 128;

/// A body that is signed piece by piece, or sent in pieces: the value of `x-amz-content-sha256` and
/// the last line of the canonical request. `Display` is that text.
///
/// Source: <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html>;
/// for events the Smithy and SDK documentation of event streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamingPayload {
    /// `aws-chunked`, each chunk with a signature.
    SignedChunks,
    /// `aws-chunked`, each chunk with a signature, and after them signed trailers.
    SignedChunksWithTrailer,
    /// `aws-chunked` without signatures, and after the chunks trailers. As with
    /// [`Payload::Unsigned`](crate::Payload::Unsigned), nothing covers the body.
    UnsignedChunksWithTrailer,
    /// Messages of an event stream, each wrapped in one with a signature.
    SignedEvents,
}

impl StreamingPayload {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::SignedChunks,
        Self::SignedChunksWithTrailer,
        Self::UnsignedChunksWithTrailer,
        Self::SignedEvents,
    ];

    /// The text that announces it in Signature Version 4. SigV4a names its own algorithm there.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.text(Algorithm::HmacSha256)
    }

    /// The text that announces it in an algorithm.
    pub(crate) const fn text(self, algorithm: Algorithm) -> &'static str {
        use Algorithm::{EcdsaP256Sha256, HmacSha256};
        match (self, algorithm) {
            (Self::SignedChunks, HmacSha256) => "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
            (Self::SignedChunks, EcdsaP256Sha256) => "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD",
            (Self::SignedChunksWithTrailer, HmacSha256) => {
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
            }
            (Self::SignedChunksWithTrailer, EcdsaP256Sha256) => {
                "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"
            }
            (Self::UnsignedChunksWithTrailer, HmacSha256 | EcdsaP256Sha256) => {
                "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
            }
            (Self::SignedEvents, HmacSha256) => "STREAMING-AWS4-HMAC-SHA256-EVENTS",
            (Self::SignedEvents, EcdsaP256Sha256) => "STREAMING-AWS4-ECDSA-P256-SHA256-EVENTS",
        }
    }

    /// What a request announces in `x-amz-content-sha256`, by either algorithm, if it is one of these.
    /// A server asks
    /// this before it reads the body, to know whether to collect it for
    /// [`Claim::verify`](crate::Claim::verify) or to pass it through
    /// [`Claim::verify_chunked`](crate::Claim::verify_chunked)'s decoder.
    ///
    /// ```
    /// use sigv4::{Request, StreamingPayload};
    ///
    /// let headers: [(&str, &[u8]); 1] =
    ///     [("x-amz-content-sha256", b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD")];
    /// let request = Request::new("PUT", "/", &headers);
    /// assert_eq!(StreamingPayload::of(&request), Some(StreamingPayload::SignedChunks));
    /// assert_eq!(StreamingPayload::of(&Request::new("PUT", "/", &[])), None);
    /// ```
    #[must_use]
    pub fn of(request: &Request<'_>) -> Option<Self> {
        let claimed = request.values(headers::CONTENT_SHA256).next()?;
        let claimed = headers::trim(claimed);
        Self::ALL.into_iter().find(|payload| {
            Algorithm::ALL
                .iter()
                .any(|&algorithm| payload.text(algorithm).as_bytes() == claimed)
        })
    }

    /// Whether each piece has a signature.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        match self {
            Self::SignedChunks | Self::SignedChunksWithTrailer | Self::SignedEvents => true,
            Self::UnsignedChunksWithTrailer => false,
        }
    }

    /// Whether trailers follow the last chunk.
    #[must_use]
    pub const fn has_trailer(self) -> bool {
        match self {
            Self::SignedChunksWithTrailer | Self::UnsignedChunksWithTrailer => true,
            Self::SignedChunks | Self::SignedEvents => false,
        }
    }

    /// How long the body is once it is `aws-chunked`, for `Content-Length`, which must be known
    /// before signing: of a body of `decoded` bytes in chunks of `chunk_size`, and of trailers given
    /// as name and length of the value. None for events, for trailers where there can be none, and
    /// for a length that no `u64` holds.
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use sigv4::StreamingPayload;
    ///
    /// let chunk_size = NonZeroUsize::new(64 * 1024).unwrap();
    /// let length = StreamingPayload::SignedChunks.encoded_length(66_560, chunk_size, &[]);
    /// assert_eq!(length, Some(66_824));
    /// ```
    #[must_use]
    pub fn encoded_length(
        self,
        decoded: u64,
        chunk_size: NonZeroUsize,
        trailers: &[(&str, usize)],
    ) -> Option<u64> {
        self.encoded_length_with(SIGNATURE_LENGTH, decoded, chunk_size, trailers)
    }

    /// The same with signatures of another length.
    pub(crate) fn encoded_length_with(
        self,
        signature_length: u64,
        decoded: u64,
        chunk_size: NonZeroUsize,
        trailers: &[(&str, usize)],
    ) -> Option<u64> {
        if self == Self::SignedEvents || (!trailers.is_empty() && !self.has_trailer()) {
            return None;
        }
        let size = u64::try_from(chunk_size.get()).ok()?;
        let signature = if self.is_signed() {
            CHUNK_SIGNATURE.len() as u64 + signature_length
        } else {
            0
        };
        let line = |size: u64| hex_digits(size) + signature + 2;
        let whole = (decoded / size).checked_mul(size.checked_add(line(size) + 2)?)?;
        let rest = match decoded % size {
            0 => 0,
            rest => line(rest) + rest + 2,
        };
        let mut end = line(0) + 2;
        for (name, value) in trailers {
            let length = u64::try_from(name.len().checked_add(*value)?).ok()?;
            end = end.checked_add(length)?.checked_add(3)?;
        }
        if self == Self::SignedChunksWithTrailer {
            end = end.checked_add(TRAILER_SIGNATURE.len() as u64 + 1 + signature_length + 2)?;
        }
        whole.checked_add(rest)?.checked_add(end)
    }
}

impl fmt::Display for StreamingPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the headers of a request say of its `aws-chunked` body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkedHead {
    pub(crate) payload: StreamingPayload,
    /// How long the body is without its framing, in bytes.
    pub(crate) decoded_length: u64,
    /// The names of the trailers, in lower case, in the order announced, each once. None if the
    /// payload has no trailers.
    pub(crate) trailers: Vec<String>,
}

impl ChunkedHead {
    /// Reads `x-amz-decoded-content-length` and, where the payload has trailers, `x-amz-trailer`.
    pub(crate) fn parse(
        request: &Request<'_>,
        payload: StreamingPayload,
    ) -> Result<Self, ChunkedHeadError> {
        if payload == StreamingPayload::SignedEvents {
            return Err(ChunkedHeadError::NotChunked);
        }
        let trailers = if payload.has_trailer() {
            announced(request)?
        } else {
            Vec::new()
        };
        Ok(Self {
            payload,
            decoded_length: decoded_length(request)?,
            trailers,
        })
    }
}

/// What is wrong with the headers that go with an `aws-chunked` body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkedHeadError {
    /// The request does not announce an `aws-chunked` body in `x-amz-content-sha256`.
    NotChunked,
    /// There is no `x-amz-decoded-content-length`.
    LengthMissing,
    /// `x-amz-decoded-content-length` is not one number of bytes below 2⁶⁴, in decimal digits.
    Length {
        /// What it says, at most 128 bytes of it.
        found: String,
    },
    /// The payload has trailers, but `x-amz-trailer` names none.
    TrailersMissing,
    /// `x-amz-trailer` holds something that is not the name of a trailer: an HTTP token of at most
    /// 128 bytes, named once, and not `x-amz-trailer-signature`.
    TrailerName {
        /// What it is, at most 128 bytes of it.
        found: String,
    },
    /// `x-amz-trailer` names more trailers than any real request.
    TooManyTrailers {
        /// The most that it may name.
        limit: usize,
    },
}

impl fmt::Display for ChunkedHeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotChunked => {
                f.write_str("x-amz-content-sha256 does not announce an aws-chunked body")
            }
            Self::LengthMissing => f.write_str(
                "an aws-chunked body needs x-amz-decoded-content-length, its length without the \
                 framing",
            ),
            Self::Length { found } => write!(
                f,
                "x-amz-decoded-content-length is {found:?}, not a number of bytes"
            ),
            Self::TrailersMissing => {
                f.write_str("a payload with trailers needs x-amz-trailer, the list of their names")
            }
            Self::TrailerName { found } => write!(
                f,
                "x-amz-trailer names {found:?}: each must be a header name, named once"
            ),
            Self::TooManyTrailers { limit } => {
                write!(f, "x-amz-trailer names more than {limit} trailers")
            }
        }
    }
}

impl std::error::Error for ChunkedHeadError {}

fn decoded_length(request: &Request<'_>) -> Result<u64, ChunkedHeadError> {
    let mut values = request.values(headers::DECODED_LENGTH);
    let value = values.next().ok_or(ChunkedHeadError::LengthMissing)?;
    let value = headers::trim(value);
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value)
        .ok()
        .filter(|_| is_number && values.next().is_none())
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| ChunkedHeadError::Length {
            found: shown(value),
        })
}

fn announced(request: &Request<'_>) -> Result<Vec<String>, ChunkedHeadError> {
    let mut names: Vec<String> = Vec::new();
    let pieces = request
        .values(headers::TRAILER)
        .flat_map(|value| value.split(|&byte| byte == b','))
        .map(headers::trim)
        .filter(|piece| !piece.is_empty());
    for piece in pieces {
        let name = std::str::from_utf8(piece).unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let is_good = headers::is_token(&name)
            && name.len() <= TRAILER_NAME_MAX
            && name != TRAILER_SIGNATURE
            && !names.contains(&name);
        if !is_good {
            return Err(ChunkedHeadError::TrailerName {
                found: shown(piece),
            });
        }
        if names.len() == TRAILERS_MAX {
            let limit = TRAILERS_MAX;
            return Err(ChunkedHeadError::TooManyTrailers { limit });
        }
        names.push(name);
    }
    if names.is_empty() {
        return Err(ChunkedHeadError::TrailersMissing);
    }
    Ok(names)
}

/// The beginning of what a request holds, as text.
pub(crate) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_MAX)]).into_owned()
}

/// How many hexadecimal digits a number has.
const fn hex_digits(number: u64) -> u64 {
    match number.checked_ilog2() {
        Some(log) => (log / 4 + 1) as u64,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(
        payload: StreamingPayload,
        given: &[(&str, &[u8])],
    ) -> Result<ChunkedHead, ChunkedHeadError> {
        ChunkedHead::parse(&Request::new("PUT", "/", given), payload)
    }

    #[test]
    fn a_payload_is_known_by_its_exact_text() {
        let texts = StreamingPayload::ALL
            .into_iter()
            .flat_map(|payload| Algorithm::ALL.map(|algorithm| (payload, payload.text(algorithm))));
        for (payload, text) in texts {
            let value = format!(" {text} ");
            let headers: [(&str, &[u8]); 1] = [("X-Amz-Content-SHA256", value.as_bytes())];
            let request = Request::new("PUT", "/", &headers);
            assert_eq!(StreamingPayload::of(&request), Some(payload));
        }
        for other in [
            "STREAMING-AWS4-HMAC-SHA256-PAYLOA",
            "streaming-unsigned-payload-trailer",
            "UNSIGNED-PAYLOAD",
            "",
        ] {
            let headers: [(&str, &[u8]); 1] = [("x-amz-content-sha256", other.as_bytes())];
            let request = Request::new("PUT", "/", &headers);
            assert_eq!(StreamingPayload::of(&request), None, "{other}");
        }
    }

    #[test]
    fn the_decoded_length_is_one_number() {
        let length = |value: &[u8]| {
            let given = [("x-amz-decoded-content-length", value)];
            head(StreamingPayload::SignedChunks, &given).map(|head| head.decoded_length)
        };
        assert_eq!(length(b"0"), Ok(0));
        assert_eq!(length(b" 66560 "), Ok(66_560));
        assert_eq!(length(b"18446744073709551615"), Ok(u64::MAX));
        for wrong in [
            "",
            "+1",
            "-1",
            "1.0",
            "0x10",
            "1 2",
            "18446744073709551616",
            "\u{661}",
        ] {
            let found = wrong.to_owned();
            assert_eq!(
                length(wrong.as_bytes()),
                Err(ChunkedHeadError::Length { found }),
                "{wrong}"
            );
        }
        let missing = head(StreamingPayload::SignedChunks, &[]);
        assert_eq!(missing, Err(ChunkedHeadError::LengthMissing));
        let line: (&str, &[u8]) = ("x-amz-decoded-content-length", b"1");
        let found = "1".to_owned();
        assert_eq!(
            head(StreamingPayload::SignedChunks, &[line, line]),
            Err(ChunkedHeadError::Length { found })
        );
    }

    #[test]
    fn trailers_are_a_list_of_names() {
        let names = |values: &[&str]| {
            let mut given: Vec<(&str, &[u8])> = vec![("x-amz-decoded-content-length", b"1")];
            given.extend(
                values
                    .iter()
                    .map(|value| ("x-amz-trailer", value.as_bytes())),
            );
            let payload = StreamingPayload::UnsignedChunksWithTrailer;
            head(payload, &given).map(|head| head.trailers)
        };
        let list = |names: &[&str]| Ok(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(
            names(&["first,Second , third"]),
            list(&["first", "second", "third"])
        );
        assert_eq!(names(&["b", ",a,"]), list(&["b", "a"]));
        assert_eq!(names(&[]), Err(ChunkedHeadError::TrailersMissing));
        assert_eq!(names(&[" , "]), Err(ChunkedHeadError::TrailersMissing));
        for (value, wrong) in [
            ("a b", "a b"),
            ("a,A", "A"),
            ("x-amz-trailer-signature", "x-amz-trailer-signature"),
            ("é", "é"),
        ] {
            let found = wrong.to_owned();
            assert_eq!(
                names(&[value]),
                Err(ChunkedHeadError::TrailerName { found })
            );
        }
        let longest = "x".repeat(TRAILER_NAME_MAX);
        assert_eq!(names(&[&longest]), list(&[&longest]));
        let found = longest.clone();
        assert_eq!(
            names(&[&format!("{longest}x")]),
            Err(ChunkedHeadError::TrailerName { found })
        );
        let many: Vec<String> = (0..=TRAILERS_MAX).map(|n| format!("t{n}")).collect();
        let limit = TRAILERS_MAX;
        assert_eq!(
            names(&[&many.join(",")]),
            Err(ChunkedHeadError::TooManyTrailers { limit })
        );
    }

    #[test]
    fn events_are_not_chunked() {
        let refused = head(StreamingPayload::SignedEvents, &[]);
        assert_eq!(refused, Err(ChunkedHeadError::NotChunked));
    }

    #[test]
    fn a_length_that_overflows_is_none() {
        let size = NonZeroUsize::MIN;
        for payload in StreamingPayload::ALL {
            assert_eq!(payload.encoded_length(u64::MAX, size, &[]), None);
        }
        let none = StreamingPayload::SignedChunks.encoded_length(1, size, &[("a", 1)]);
        assert_eq!(none, None);
        let none = StreamingPayload::UnsignedChunksWithTrailer.encoded_length(
            1,
            size,
            &[("a", usize::MAX)],
        );
        assert_eq!(none, None);
        assert_eq!([0, 15, 16, 255, 256].map(hex_digits), [1, 1, 2, 2, 3]);
    }
}
