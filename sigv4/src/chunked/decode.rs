//! Reading an `aws-chunked` body.

use std::fmt;

use sha2::{Digest, Sha256};

use super::encode::is_trailer_value;
use super::error::{ChunkedError, ChunkedFault};
use crate::chain::{CheckPieces, Piece, trailers_sha256};
use crate::headers;
use crate::streaming::{CHUNK_SIGNATURE, ChunkedHead, TRAILER_SIGNATURE, shown};

/// The longest line before a chunk, in bytes: 16 digits, the label, the longest signature there is,
/// with room to spare.
const LINE_MAX: usize = 256;
/// The most digits of a chunk's size, which then fits an `u64`.
const SIZE_DIGITS_MAX: usize = 16;
const LINE_END: &[u8] = b"\r\n";

/// How much a [`ChunkedDecoder`] holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkLimits {
    /// The largest signed chunk, in bytes, since one is held until its signature was checked:
    /// 1 MiB by default. AWS's SDKs send 64 to 128 KiB. Chunks without signatures are not held, and
    /// not limited but by the length of the body.
    pub chunk_bytes: usize,
    /// The most bytes of all trailers with their line ends: 16 KiB by default.
    pub trailer_bytes: usize,
}

impl Default for ChunkLimits {
    fn default() -> Self {
        Self {
            chunk_bytes: 1024 * 1024,
            trailer_bytes: 16 * 1024,
        }
    }
}

impl ChunkLimits {
    /// These limits with another for a signed chunk.
    #[must_use]
    pub const fn with_chunk_bytes(mut self, value: usize) -> Self {
        self.chunk_bytes = value;
        self
    }

    /// These limits with another for the trailers.
    #[must_use]
    pub const fn with_trailer_bytes(mut self, value: usize) -> Self {
        self.trailer_bytes = value;
        self
    }
}

/// A trailer, after its signature was checked if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// The name, in lower case.
    pub name: String,
    /// The value, as a signature sees it: runs of spaces and tabs as one space, none at the ends.
    pub value: String,
}

/// What comes out of a [`ChunkedDecoder`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ChunkedEvent<'a> {
    /// The next bytes of the body, never none. Where chunks are signed it is a whole chunk whose
    /// signature is right.
    Data(&'a [u8]),
    /// The body is complete. Every trailer that the request announced is there, in the order it came;
    /// what a checksum among them says of the body is for the receiver to compare.
    End {
        /// The trailers, none where the payload has none.
        trailers: &'a [Trailer],
    },
}

/// Shows how much data it is, not the data.
impl fmt::Debug for ChunkedEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(data) => write!(f, "Data({} bytes)", data.len()),
            Self::End { trailers } => f.debug_struct("End").field("trailers", trailers).finish(),
        }
    }
}

/// Unframes a body and checks its signatures as it comes, in pieces of any size.
/// [`Claim::verify_chunked`](crate::Claim::verify_chunked) makes one.
///
/// Call [`decode`](Self::decode) until it returns none, for each piece that arrives, and
/// [`finish`](Self::finish) when no more do. No byte of a signed chunk comes out before its
/// signature was found right, so it holds up to one chunk, within [`ChunkLimits`]; of chunks
/// without signatures it holds nothing.
///
/// A line among trailers may end in CR LF or LF alone, blank lines before the last trailer are
/// passed over, and one CR LF may follow the end: signers differ there. Chunks are read as AWS
/// documents them and not otherwise.
pub struct ChunkedDecoder {
    head: ChunkedHead,
    /// None where chunks are not signed.
    chain: Option<Box<dyn CheckPieces>>,
    limits: ChunkLimits,
    state: State,
    /// How many bytes were read so far.
    read: u64,
    /// Where the line or chunk that is being read began.
    mark: u64,
    /// How many bytes of the body the chunks announced so far.
    decoded: u64,
    line: Vec<u8>,
    chunk: Vec<u8>,
    chunk_hash: Sha256,
    signature: String,
    trailers: Vec<Trailer>,
    trailer_room: usize,
}

enum State {
    Header,
    Data {
        left: u64,
    },
    /// After a chunk's data, or after the last chunk: how much of CR LF was read.
    DataEnd {
        read: usize,
    },
    LastEnd {
        read: usize,
    },
    Trailer,
    /// How much was read of the CR LF that may follow.
    Done {
        read: usize,
    },
    Failed(ChunkedError),
}

/// What one step of reading led to.
enum Step {
    /// On to the next, if there is input.
    Again,
    /// This many bytes of the input are data.
    Input(usize),
    /// The chunk that was held is data.
    Held,
    End,
}

impl ChunkedDecoder {
    pub(crate) fn new(head: ChunkedHead, chain: Option<Box<dyn CheckPieces>>) -> Self {
        let limits = ChunkLimits::default();
        Self {
            head,
            chain,
            limits,
            state: State::Header,
            read: 0,
            mark: 0,
            decoded: 0,
            line: Vec::new(),
            chunk: Vec::new(),
            chunk_hash: Sha256::new(),
            signature: String::new(),
            trailers: Vec::new(),
            trailer_room: limits.trailer_bytes,
        }
    }

    /// The same with other limits. Set them before the first byte.
    #[must_use]
    pub const fn with_limits(mut self, limits: ChunkLimits) -> Self {
        self.limits = limits;
        self.trailer_room = limits.trailer_bytes;
        self
    }

    /// How long the body is, by the request's `x-amz-decoded-content-length`: chunks that hold more
    /// or less are refused. A server with a limit for bodies compares it before the first byte.
    #[must_use]
    pub const fn decoded_length(&self) -> u64 {
        self.head.decoded_length
    }

    /// The names of the trailers that will come, in lower case.
    pub fn announced_trailers(&self) -> impl Iterator<Item = &str> {
        self.head.trailers.iter().map(String::as_str)
    }

    /// Reads on, up to the next event, and moves `input` past what was read. None means that all of
    /// it was read: call again with what comes next.
    ///
    /// # Errors
    /// [`ChunkedError`], from then on always the same one. What came out before it is good, but not
    /// the whole body.
    pub fn decode<'s, 'i: 's>(
        &'s mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<ChunkedEvent<'s>>, ChunkedError> {
        while !input.is_empty() {
            let before: &'i [u8] = input;
            match self.step(input) {
                Ok(Step::Again) => {}
                Ok(Step::Input(length)) => return Ok(Some(ChunkedEvent::Data(&before[..length]))),
                Ok(Step::Held) => return Ok(Some(ChunkedEvent::Data(&self.chunk))),
                Ok(Step::End) => {
                    let trailers = &self.trailers;
                    return Ok(Some(ChunkedEvent::End { trailers }));
                }
                Err(fault) => return Err(self.fail(fault)),
            }
        }
        if let State::Failed(error) = &self.state {
            return Err(error.clone());
        }
        Ok(None)
    }

    /// Says whether the body is complete, once no more of it comes.
    ///
    /// # Errors
    /// [`ChunkedFault::Truncated`] if it is not, [`ChunkedFault::TrailerMissing`] if only trailers
    /// are missing, [`ChunkedFault::AfterEnd`] if a CR without its LF came after the end, or the
    /// error that ended decoding.
    pub fn finish(&self) -> Result<(), ChunkedError> {
        let fault = match &self.state {
            // Half of the line end that may follow is not it.
            State::Done { read: 1 } => {
                let (offset, fault) = (self.read.saturating_sub(1), ChunkedFault::AfterEnd);
                return Err(ChunkedError { offset, fault });
            }
            State::Done { .. } => return Ok(()),
            State::Failed(error) => return Err(error.clone()),
            State::Trailer if self.line.is_empty() => match self.missing_trailer() {
                Some(name) => ChunkedFault::TrailerMissing { name },
                None => ChunkedFault::Truncated,
            },
            State::Header
            | State::Data { .. }
            | State::DataEnd { .. }
            | State::LastEnd { .. }
            | State::Trailer => ChunkedFault::Truncated,
        };
        let offset = self.read;
        Err(ChunkedError { offset, fault })
    }

    fn fail(&mut self, fault: ChunkedFault) -> ChunkedError {
        if let State::Failed(error) = &self.state {
            return error.clone();
        }
        let offset = self.mark;
        let error = ChunkedError { offset, fault };
        self.state = State::Failed(error.clone());
        self.chunk = Vec::new();
        error
    }

    fn step(&mut self, input: &mut &[u8]) -> Result<Step, ChunkedFault> {
        match self.state {
            State::Header => self.header(input),
            State::Data { left } => self.data(input, left),
            State::DataEnd { read } => {
                self.state = match self.line_end(input, read)? {
                    Some(read) => State::DataEnd { read },
                    None => State::Header,
                };
                Ok(Step::Again)
            }
            State::LastEnd { read } => match self.line_end(input, read)? {
                Some(read) => {
                    self.state = State::LastEnd { read };
                    Ok(Step::Again)
                }
                None => {
                    // This was the body's own end; no other CR LF may follow.
                    let read = LINE_END.len();
                    self.state = State::Done { read };
                    Ok(Step::End)
                }
            },
            State::Trailer => self.trailer_line(input),
            State::Done { read } => {
                if input.first() != LINE_END.get(read) {
                    self.mark = self.read;
                    return Err(ChunkedFault::AfterEnd);
                }
                self.take(input, 1);
                self.state = State::Done { read: read + 1 };
                Ok(Step::Again)
            }
            // The caller answers with the error that is kept.
            State::Failed(_) => Err(ChunkedFault::AfterEnd),
        }
    }

    /// Reads the line before a chunk.
    fn header(&mut self, input: &mut &[u8]) -> Result<Step, ChunkedFault> {
        if !self.read_line(input, LINE_MAX) {
            return if self.line.len() < LINE_MAX {
                Ok(Step::Again)
            } else {
                Err(ChunkedFault::HeaderTooLong { limit: LINE_MAX })
            };
        }
        let line = std::mem::take(&mut self.line);
        let malformed = || ChunkedFault::Header {
            found: shown(&line),
        };
        let (size, signature) = parse_header(&line).ok_or_else(malformed)?;
        if signature.is_some() != self.chain.is_some() {
            return Err(malformed());
        }
        self.signature.clear();
        self.signature.push_str(signature.unwrap_or_default());
        let declared = self.head.decoded_length;
        self.decoded = self
            .decoded
            .checked_add(size)
            .filter(|&decoded| decoded <= declared)
            .ok_or(ChunkedFault::TooLong { declared })?;
        if size == 0 {
            return self.last_chunk();
        }
        let limit = self.limits.chunk_bytes;
        if self.chain.is_some() && usize::try_from(size).map_or(true, |size| size > limit) {
            return Err(ChunkedFault::ChunkTooLarge { size, limit });
        }
        self.chunk.clear();
        self.chunk_hash = Sha256::new();
        self.state = State::Data { left: size };
        Ok(Step::Again)
    }

    fn last_chunk(&mut self) -> Result<Step, ChunkedFault> {
        let (declared, actual) = (self.head.decoded_length, self.decoded);
        if actual < declared {
            return Err(ChunkedFault::TooShort { declared, actual });
        }
        self.chunk = Vec::new();
        self.chunk_hash = Sha256::new();
        self.check_chunk()?;
        self.mark = self.read;
        self.state = if self.head.payload.has_trailer() {
            State::Trailer
        } else {
            State::LastEnd { read: 0 }
        };
        Ok(Step::Again)
    }

    /// Reads data of a chunk of which `left` bytes are to come.
    fn data(&mut self, input: &mut &[u8], left: u64) -> Result<Step, ChunkedFault> {
        let available = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        let data = self.take(input, available);
        // What is available is at most what is left.
        let left = left - u64::try_from(data.len()).unwrap_or(left);
        let is_whole = left == 0;
        self.state = if is_whole {
            State::DataEnd { read: 0 }
        } else {
            State::Data { left }
        };
        if self.chain.is_none() {
            return Ok(Step::Input(data.len()));
        }
        self.chunk_hash.update(data);
        // A chunk that came in one piece is not copied.
        let is_held = !(is_whole && self.chunk.is_empty());
        if is_held {
            self.hold(data, left);
        }
        if !is_whole {
            return Ok(Step::Again);
        }
        self.check_chunk()?;
        Ok(if is_held {
            Step::Held
        } else {
            Step::Input(data.len())
        })
    }

    /// Keeps data, with room for as much again but never for more than the chunk.
    fn hold(&mut self, data: &[u8], left: u64) {
        let missing = self.chunk.capacity() - self.chunk.len();
        if missing < data.len() {
            let left = usize::try_from(left).unwrap_or(usize::MAX);
            let ahead = self.chunk.len().min(left);
            self.chunk.reserve_exact(data.len() + ahead);
        }
        self.chunk.extend_from_slice(data);
    }

    /// Checks the signature of the chunk whose hash is complete, if chunks are signed.
    fn check_chunk(&mut self) -> Result<(), ChunkedFault> {
        let hash = std::mem::take(&mut self.chunk_hash).finalize().into();
        match &mut self.chain {
            Some(chain) => chain
                .check_next(&Piece::Chunk(hash), &self.signature)
                .map_err(|string_to_sign| ChunkedFault::SignatureMismatch { string_to_sign }),
            None => Ok(()),
        }
    }

    /// Reads a line among the trailers: a trailer, their signature, or nothing.
    fn trailer_line(&mut self, input: &mut &[u8]) -> Result<Step, ChunkedFault> {
        let limit = self.limits.trailer_bytes;
        if !self.read_line(input, self.trailer_room) {
            return if self.line.len() < self.trailer_room {
                Ok(Step::Again)
            } else {
                Err(ChunkedFault::TrailersTooLong { limit })
            };
        }
        self.trailer_room -= self.line.len();
        let line = std::mem::take(&mut self.line);
        let end = if line.ends_with(LINE_END) { 2 } else { 1 };
        let line = &line[..line.len() - end];
        let step = if line.is_empty() {
            self.blank_line()
        } else {
            self.trailer(line)?
        };
        if matches!(step, Step::End) {
            self.state = State::Done { read: 0 };
        }
        self.mark = self.read;
        Ok(step)
    }

    /// A blank line ends trailers without a signature, once all are there.
    fn blank_line(&self) -> Step {
        if self.chain.is_none() && self.missing_trailer().is_none() {
            Step::End
        } else {
            Step::Again
        }
    }

    fn trailer(&mut self, line: &[u8]) -> Result<Step, ChunkedFault> {
        let malformed = || ChunkedFault::Trailer { found: shown(line) };
        let colon = line
            .iter()
            .position(|&byte| byte == b':')
            .ok_or_else(malformed)?;
        let name = std::str::from_utf8(&line[..colon]).map_err(|_| malformed())?;
        let name = name.to_ascii_lowercase();
        let value = headers::trim(&line[colon + 1..]);
        if !headers::is_token(&name) || !is_trailer_value(value) {
            return Err(malformed());
        }
        let value = std::str::from_utf8(value).map_err(|_| malformed())?;
        if self.chain.is_some() && name == TRAILER_SIGNATURE {
            self.check_trailers(value)?;
            return Ok(Step::End);
        }
        if !self.head.trailers.contains(&name) {
            let name = shown(name.as_bytes());
            return Err(ChunkedFault::TrailerNotAnnounced { name });
        }
        if self.trailers.iter().any(|trailer| trailer.name == name) {
            return Err(ChunkedFault::TrailerRepeated { name });
        }
        let value = value.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        self.trailers.push(Trailer { name, value });
        Ok(Step::Again)
    }

    fn check_trailers(&mut self, signature: &str) -> Result<(), ChunkedFault> {
        if let Some(name) = self.missing_trailer() {
            return Err(ChunkedFault::TrailerMissing { name });
        }
        let lines: Vec<(&str, &[u8])> = self
            .trailers
            .iter()
            .map(|trailer| (trailer.name.as_str(), trailer.value.as_bytes()))
            .collect();
        let piece = Piece::Trailers(trailers_sha256(&lines));
        match &mut self.chain {
            Some(chain) => chain
                .check_next(&piece, signature)
                .map_err(|string_to_sign| ChunkedFault::SignatureMismatch { string_to_sign }),
            None => Ok(()),
        }
    }

    fn missing_trailer(&self) -> Option<String> {
        let is_there = |name: &String| self.trailers.iter().any(|trailer| trailer.name == *name);
        self.head
            .trailers
            .iter()
            .find(|&name| !is_there(name))
            .cloned()
    }

    /// Reads up to a line feed, at most so many bytes of one line in all. True once `line` ends in it.
    fn read_line(&mut self, input: &mut &[u8], limit: usize) -> bool {
        let room = limit.saturating_sub(self.line.len()).min(input.len());
        let end = input[..room].iter().position(|&byte| byte == b'\n');
        let part = self.take(input, end.map_or(room, |end| end + 1));
        self.line.extend_from_slice(part);
        end.is_some()
    }

    /// Reads on in CR LF, of which `read` bytes were read: how many now, or none if it is complete.
    fn line_end(&mut self, input: &mut &[u8], read: usize) -> Result<Option<usize>, ChunkedFault> {
        if input.first() != LINE_END.get(read) {
            return Err(ChunkedFault::ChunkEnd);
        }
        self.take(input, 1);
        if read + 1 < LINE_END.len() {
            return Ok(Some(read + 1));
        }
        self.mark = self.read;
        Ok(None)
    }

    fn take<'i>(&mut self, input: &mut &'i [u8], length: usize) -> &'i [u8] {
        let (taken, rest) = input.split_at(length);
        *input = rest;
        self.read = self
            .read
            .saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        taken
    }
}

/// Shows how far it is, nothing of the body and no signature.
impl fmt::Debug for ChunkedDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkedDecoder")
            .field("head", &self.head)
            .field("limits", &self.limits)
            .field("read", &self.read)
            .field("decoded", &self.decoded)
            .finish_non_exhaustive()
    }
}

/// Splits `size[;chunk-signature=signature]CRLF`.
fn parse_header(line: &[u8]) -> Option<(u64, Option<&str>)> {
    let line = std::str::from_utf8(line.strip_suffix(LINE_END)?).ok()?;
    let digits = line.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (size, rest) = line.split_at(digits);
    if !(1..=SIZE_DIGITS_MAX).contains(&digits) {
        return None;
    }
    let size = u64::from_str_radix(size, 16).ok()?;
    if rest.is_empty() {
        return Some((size, None));
    }
    Some((size, Some(rest.strip_prefix(CHUNK_SIGNATURE)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::ChunkSigner;
    use crate::credentials::Secret;
    use crate::key::{Signature, SigningKey};
    use crate::scope::Scope;
    use crate::streaming::StreamingPayload;
    use crate::time::DateTime;

    fn chain() -> ChunkSigner {
        let at = DateTime::parse("20130524T000000Z").unwrap();
        let scope = Scope::new(at, "us-east-1", "s3").unwrap();
        let key = SigningKey::derive(&Secret::new("test"), &scope);
        ChunkSigner::new(key, scope, at, Signature::parse(&"0".repeat(64)).unwrap())
    }

    fn decoder(payload: StreamingPayload, decoded_length: u64) -> ChunkedDecoder {
        let head = ChunkedHead {
            payload,
            decoded_length,
            trailers: Vec::new(),
        };
        let boxed = || -> Box<dyn CheckPieces> { Box::new(chain()) };
        ChunkedDecoder::new(head, payload.is_signed().then(boxed))
    }

    /// All that a decoder holds which grows.
    fn held(decoder: &ChunkedDecoder) -> usize {
        let trailers = decoder.trailers.iter();
        decoder.chunk.capacity()
            + decoder.line.capacity()
            + decoder.signature.capacity()
            + trailers
                .map(|t| t.name.len() + t.value.len())
                .sum::<usize>()
    }

    #[test]
    fn a_chunk_is_held_once_and_nothing_more() {
        let size = 100_000;
        let mut chain = chain();
        let mut body = Vec::new();
        for _chunk in 0..3 {
            let data = vec![7; size];
            let signature = chain.sign_chunk(&data);
            body.extend(format!("{size:x};chunk-signature={signature}\r\n").bytes());
            body.extend(data);
            body.extend(b"\r\n");
        }
        for step in [1000, 777, 65_536, 99_999] {
            let mut decoder = decoder(StreamingPayload::SignedChunks, 1_000_000);
            let limits = ChunkLimits::default().with_chunk_bytes(size);
            decoder = decoder.with_limits(limits);
            for mut input in body.chunks(step) {
                while decoder.decode(&mut input).unwrap().is_some() {}
                assert!(held(&decoder) <= size + 2 * LINE_MAX, "{step}");
            }
        }
    }

    #[test]
    fn a_size_reserves_no_memory_before_its_data_comes() {
        let mut decoder = decoder(StreamingPayload::SignedChunks, u64::MAX);
        let line = format!("100000;chunk-signature={}\r\nx", "0".repeat(64));
        assert_eq!(decoder.decode(&mut line.as_bytes()), Ok(None));
        assert!(held(&decoder) <= 2 * LINE_MAX, "{}", held(&decoder));
    }

    #[test]
    fn lines_and_unsigned_data_are_not_collected() {
        let mut decoder = decoder(StreamingPayload::UnsignedChunksWithTrailer, u64::MAX);
        let mut input = &b"ffffffffff\r\n"[..];
        assert_eq!(decoder.decode(&mut input), Ok(None));
        let data = vec![0; 100_000];
        for _push in 0..3 {
            let event = decoder.decode(&mut &data[..]);
            assert_eq!(event, Ok(Some(ChunkedEvent::Data(&data))));
            assert!(held(&decoder) <= 2 * LINE_MAX);
        }
    }

    #[test]
    fn a_line_is_its_size_and_its_signature() {
        for (line, expected) in [
            (&b"0\r\n"[..], Some((0, None))),
            (b"fF\r\n", Some((255, None))),
            (b"ffffffffffffffff\r\n", Some((u64::MAX, None))),
            (b"1;chunk-signature=a\r\n", Some((1, Some("a")))),
            (b"1;chunk-signature=\r\n", Some((1, Some("")))),
            (b"1;Chunk-Signature=a\r\n", None),
            (b"1; chunk-signature=a\r\n", None),
            (b"10000000000000000\r\n", None),
            (b"\xff\r\n", None),
            (b"1\n", None),
            (b"\r\n", None),
        ] {
            assert_eq!(parse_header(line), expected, "{}", shown(line));
        }
    }
}
