//! The binary form of a message: two lengths and their checksum, headers, payload, checksum. All
//! numbers are big-endian, the checksums CRC-32 as gzip has it.
//!
//! Source: <https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html>.

use super::error::EventError;
use crate::key::Signature;
use crate::streaming::shown;
use crate::time::DateTime;

pub(super) const DATE: &str = ":date";
pub(super) const CHUNK_SIGNATURE: &str = ":chunk-signature";

/// Total length, headers' length, and the checksum of the two.
const PRELUDE: usize = 12;
/// The checksum at the end.
const END: usize = 4;
/// The type of a header that is bytes, with a length in front.
const BYTES: u8 = 6;
/// The type of a header that is milliseconds since 1970-01-01T00:00:00Z.
const TIMESTAMP: u8 = 8;
/// What stands before the value of `:date`: the name with its length, and the type.
const DATE_LABEL: &[u8; 7] = b"\x05:date\x08";
/// What stands before the 32 bytes of a signature: the name with its length, the type, the length.
const SIGNATURE_LABEL: &[u8; 20] = b"\x10:chunk-signature\x06\x00\x20";
const DATE_HEADER: usize = DATE_LABEL.len() + 8;
const HEADERS: usize = DATE_HEADER + SIGNATURE_LABEL.len() + 32;

/// How much longer than its payload a signed message is.
pub(super) const SIGNED_OVERHEAD: usize = PRELUDE + HEADERS + END;

/// The header `:date` as the signature covers it.
pub(super) fn date_header(at: DateTime) -> [u8; DATE_HEADER] {
    let mut header = [0; DATE_HEADER];
    let (label, value) = header.split_at_mut(DATE_LABEL.len());
    label.copy_from_slice(DATE_LABEL);
    // No year that a `DateTime` holds comes near the ends of the type.
    let millis = at.unix_seconds().saturating_mul(1000);
    value.copy_from_slice(&millis.to_be_bytes());
    header
}

/// Appends a signed message, at most [`MESSAGE_MAX`](super::MESSAGE_MAX) bytes.
pub(super) fn write_signed(out: &mut Vec<u8>, at: DateTime, signature: &Signature, payload: &[u8]) {
    let start = out.len();
    out.reserve(SIGNED_OVERHEAD + payload.len());
    for length in [SIGNED_OVERHEAD + payload.len(), HEADERS] {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        out.extend_from_slice(&length.to_be_bytes());
    }
    let checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&checksum.to_be_bytes());
    out.extend_from_slice(&date_header(at));
    out.extend_from_slice(SIGNATURE_LABEL);
    out.extend_from_slice(&signature.to_bytes());
    out.extend_from_slice(payload);
    let checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&checksum.to_be_bytes());
}

/// A message whose checksums are right.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    headers: &'a [u8],
    pub(super) payload: &'a [u8],
}

/// The headers of a message that wraps another.
pub(super) struct Wrapper<'a> {
    pub(super) date: DateTime,
    /// The header `:date` as it came.
    pub(super) date_header: &'a [u8],
    pub(super) signature: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The message at the beginning of the input, and how long it is; none if it is not whole.
    pub(super) fn read(input: &'a [u8], limit: usize) -> Result<Option<(Self, usize)>, EventError> {
        let Some((prelude, _)) = input.split_at_checked(PRELUDE) else {
            return Ok(None);
        };
        if crc32fast::hash(&prelude[..8]) != number(&prelude[8..]) {
            return Err(EventError::PreludeChecksum);
        }
        let size = length(&prelude[..4]);
        let headers = length(&prelude[4..8]);
        if size > limit {
            return Err(EventError::TooLarge { size, limit });
        }
        if size
            .checked_sub(PRELUDE + END)
            .is_none_or(|rest| rest < headers)
        {
            return Err(EventError::Lengths);
        }
        let Some((message, _)) = input.split_at_checked(size) else {
            return Ok(None);
        };
        let (covered, checksum) = message.split_at(size - END);
        if crc32fast::hash(covered) != number(checksum) {
            return Err(EventError::Checksum);
        }
        let (headers, payload) = covered[PRELUDE..].split_at(headers);
        Ok(Some((Self { headers, payload }, size)))
    }

    /// The headers of a signed message: these two, each once, in any order, and no other.
    pub(super) fn wrapper(&self) -> Result<Wrapper<'a>, EventError> {
        let mut date: Option<(&[u8], [u8; 8])> = None;
        let mut signature = None;
        let mut rest = self.headers;
        while !rest.is_empty() {
            let whole = rest;
            let length = usize::from(take(&mut rest, 1)?[0]);
            let name = take(&mut rest, length)?;
            let kind = take(&mut rest, 1)?[0];
            match (name, kind) {
                (name, TIMESTAMP) if name == DATE.as_bytes() => {
                    let value = take(&mut rest, 8)?;
                    let header = &whole[..whole.len() - rest.len()];
                    let value = value.try_into().map_err(|_| EventError::Headers)?;
                    once(&mut date, (header, value), DATE)?;
                }
                (name, BYTES) if name == CHUNK_SIGNATURE.as_bytes() => {
                    let length = take(&mut rest, 2)?;
                    let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                    once(&mut signature, take(&mut rest, length)?, CHUNK_SIGNATURE)?;
                }
                (name, _) => {
                    let name = shown(name);
                    return Err(EventError::HeaderUnexpected { name });
                }
            }
        }
        let (date_header, millis) = date.ok_or(EventError::HeaderMissing { name: DATE })?;
        let seconds = i64::from_be_bytes(millis).div_euclid(1000);
        Ok(Wrapper {
            date: DateTime::from_unix_seconds(seconds).map_err(|_| EventError::DateOutOfRange)?,
            date_header,
            signature: signature.ok_or(EventError::HeaderMissing {
                name: CHUNK_SIGNATURE,
            })?,
        })
    }
}

fn once<T>(place: &mut Option<T>, value: T, name: &'static str) -> Result<(), EventError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(EventError::HeaderRepeated { name }),
    }
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], EventError> {
    let (taken, left) = rest.split_at_checked(length).ok_or(EventError::Headers)?;
    *rest = left;
    Ok(taken)
}

/// Four bytes as a number.
fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |sum, &byte| sum << 8 | u32::from(byte))
}

/// A length that may be more than the machine can address, which no limit allows.
fn length(bytes: &[u8]) -> usize {
    usize::try_from(number(bytes)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: the check value of CRC-32/ISO-HDLC.
    #[test]
    fn the_checksum_is_gzips() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32fast::hash(b""), 0);
    }

    fn message(headers: &[u8], payload: &[u8]) -> Vec<u8> {
        let total = u32::try_from(PRELUDE + headers.len() + payload.len() + END).unwrap();
        let mut bytes = total.to_be_bytes().to_vec();
        bytes.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        bytes.extend(headers);
        bytes.extend(payload);
        bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        bytes
    }

    fn at() -> DateTime {
        DateTime::parse("19810116T063001Z").unwrap()
    }

    fn signature_header(bytes: &[u8]) -> Vec<u8> {
        let mut header = vec![16];
        header.extend(b":chunk-signature\x06\x00");
        header.push(u8::try_from(bytes.len()).unwrap());
        header.extend(bytes);
        header
    }

    fn wrapper_of(headers: &[u8]) -> Result<(DateTime, Vec<u8>), EventError> {
        let bytes = message(headers, b"p");
        let (frame, length) = Frame::read(&bytes, 1024).unwrap().unwrap();
        assert_eq!((length, frame.payload), (bytes.len(), &b"p"[..]));
        let wrapper = frame.wrapper()?;
        Ok((wrapper.date, wrapper.signature.to_vec()))
    }

    /// Source: the published example of an empty message, in the tests of AWS's event stream
    /// libraries: 16 bytes, no headers.
    #[test]
    fn an_empty_message_is_as_published() {
        assert_eq!(
            hex::encode(message(b"", b"")),
            "000000100000000005c248eb7d98c8ff"
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let signature = Signature::parse(&"ab".repeat(32)).unwrap();
        let mut bytes = b"before".to_vec();
        write_signed(&mut bytes, at(), &signature, b"payload");
        let bytes = &bytes[6..];
        assert_eq!(bytes.len(), SIGNED_OVERHEAD + 7);
        for length in 0..bytes.len() {
            assert!(
                matches!(Frame::read(&bytes[..length], 1024), Ok(None)),
                "{length}"
            );
        }
        let (frame, length) = Frame::read(bytes, 1024).unwrap().unwrap();
        assert_eq!((length, frame.payload), (bytes.len(), &b"payload"[..]));
        let wrapper = frame.wrapper().unwrap();
        assert_eq!(wrapper.date, at());
        assert_eq!(wrapper.date_header, date_header(at()));
        assert_eq!(wrapper.signature, [0xab; 32]);
    }

    #[test]
    fn every_changed_byte_is_seen_by_a_checksum() {
        let good = message(&date_header(at()), b"payload");
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1;
            let error = Frame::read(&bad, 1024).err();
            let expected = if index < PRELUDE {
                EventError::PreludeChecksum
            } else {
                EventError::Checksum
            };
            assert_eq!(error, Some(expected), "{index}");
        }
    }

    #[test]
    fn lengths_are_bounded_before_the_message_is_there() {
        let prelude = |total: u32, headers: u32| {
            let mut bytes = total.to_be_bytes().to_vec();
            bytes.extend(headers.to_be_bytes());
            bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
            Frame::read(&bytes, 1024).err()
        };
        let limit = 1024;
        let too_large = |size| Some(EventError::TooLarge { size, limit });
        assert_eq!(prelude(1025, 0), too_large(1025));
        assert_eq!(prelude(u32::MAX, u32::MAX), too_large(0xffff_ffff));
        assert_eq!(prelude(1024, 0), None);
        assert_eq!(prelude(15, 0), Some(EventError::Lengths));
        assert_eq!(prelude(0, 0), Some(EventError::Lengths));
        assert_eq!(prelude(16, 1), Some(EventError::Lengths));
        assert_eq!(prelude(100, u32::MAX), Some(EventError::Lengths));
        assert_eq!(prelude(100, 84), None);
    }

    #[test]
    fn a_wrapper_has_two_headers_and_no_other() {
        let date = date_header(at()).to_vec();
        let signature = signature_header(b"sig");
        let both = Ok((at(), b"sig".to_vec()));
        assert_eq!(
            wrapper_of(&[date.clone(), signature.clone()].concat()),
            both
        );
        assert_eq!(
            wrapper_of(&[signature.clone(), date.clone()].concat()),
            both
        );
        let missing = |name| Err(EventError::HeaderMissing { name });
        assert_eq!(wrapper_of(b""), missing(DATE));
        assert_eq!(wrapper_of(&date), missing(CHUNK_SIGNATURE));
        assert_eq!(wrapper_of(&signature), missing(DATE));
        let twice = |name| Err(EventError::HeaderRepeated { name });
        assert_eq!(wrapper_of(&[&date[..], &date].concat()), twice(DATE));
        assert_eq!(
            wrapper_of(&[&signature[..], &signature].concat()),
            twice(CHUNK_SIGNATURE)
        );
        let unexpected = |name: &str| {
            let name = name.to_owned();
            Err(EventError::HeaderUnexpected { name })
        };
        // A boolean, and a date of another type.
        assert_eq!(wrapper_of(b"\x01x\x00"), unexpected("x"));
        assert_eq!(wrapper_of(b"\x05:date\x05"), unexpected(":date"));
        for length in 1..date.len() {
            assert_eq!(
                wrapper_of(&date[..length]),
                Err(EventError::Headers),
                "{length}"
            );
        }
        for length in 1..signature.len() {
            let cut = wrapper_of(&signature[..length]);
            assert_eq!(cut, Err(EventError::Headers), "{length}");
        }
    }

    #[test]
    fn a_date_has_milliseconds_which_no_signature_writes() {
        let with = |millis: i64| {
            let mut header = b"\x05:date\x08".to_vec();
            header.extend(millis.to_be_bytes());
            header.extend(signature_header(b""));
            wrapper_of(&header).map(|(date, _)| date.unix_seconds())
        };
        assert_eq!(with(1999), Ok(1));
        assert_eq!(with(-1), Ok(-1));
        assert_eq!(with(i64::MAX), Err(EventError::DateOutOfRange));
        assert_eq!(with(i64::MIN), Err(EventError::DateOutOfRange));
    }
}
