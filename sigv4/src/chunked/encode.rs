//! Writing an `aws-chunked` body.

use std::fmt;
use std::num::NonZeroUsize;

use super::error::EncodeError;
use crate::chain::{Piece, SignPieces, sha256, trailers_sha256};
use crate::headers;
use crate::streaming::{CHUNK_SIGNATURE, ChunkedHead, TRAILER_SIGNATURE};

/// Frames and signs a body as it comes: push it in pieces of any size, and send what is appended to
/// the output. [`Signer::sign_chunked`](crate::Signer::sign_chunked) makes one.
///
/// It holds less than one chunk. Chunks have 64 KiB unless
/// [`with_chunk_size`](Self::with_chunk_size) says otherwise, and the last may have fewer: how the
/// body is cut into pushes does not show.
///
/// Source: <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html>.
pub struct ChunkedEncoder {
    head: ChunkedHead,
    /// None where chunks are not signed.
    chain: Option<Box<dyn SignPieces>>,
    chunk_size: usize,
    pending: Vec<u8>,
    pushed: u64,
}

impl ChunkedEncoder {
    /// 64 KiB, which AWS's examples use, too. Amazon S3 refuses chunks below 8 KiB but for the last.
    const CHUNK_SIZE: usize = 64 * 1024;

    pub(crate) fn new(head: ChunkedHead, chain: Option<Box<dyn SignPieces>>) -> Self {
        Self {
            head,
            chain,
            chunk_size: Self::CHUNK_SIZE,
            pending: Vec::new(),
            pushed: 0,
        }
    }

    /// The same with chunks of another size. What was pushed before goes by the old one.
    #[must_use]
    pub const fn with_chunk_size(mut self, size: NonZeroUsize) -> Self {
        self.chunk_size = size.get();
        self
    }

    /// Takes more of the body, and appends the chunks that are full now.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] if that makes it longer than announced; nothing is taken then.
    pub fn push(&mut self, mut data: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let declared = self.head.decoded_length;
        self.pushed = u64::try_from(data.len())
            .ok()
            .and_then(|length| self.pushed.checked_add(length))
            .filter(|&length| length <= declared)
            .ok_or(EncodeError::TooLong { declared })?;
        if !self.pending.is_empty() {
            let missing = self.chunk_size.saturating_sub(self.pending.len());
            let (taken, rest) = data.split_at(missing.min(data.len()));
            self.pending.extend_from_slice(taken);
            data = rest;
            if self.pending.len() < self.chunk_size {
                return Ok(());
            }
            self.flush(out);
        }
        let mut chunks = data.chunks_exact(self.chunk_size);
        for chunk in &mut chunks {
            write_chunk(self.chain.as_mut(), chunk, out);
        }
        self.pending.extend_from_slice(chunks.remainder());
        Ok(())
    }

    /// Ends the body: appends what is left of it, the empty chunk, and the trailers, which are all
    /// those that the request announces, in any order.
    ///
    /// # Errors
    /// [`EncodeError`] if the body is shorter than announced, or the trailers are not the announced
    /// ones or cannot be written. Nothing is appended then.
    pub fn finish(
        mut self,
        trailers: &[(&str, &str)],
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let (declared, actual) = (self.head.decoded_length, self.pushed);
        if actual < declared {
            return Err(EncodeError::TooShort { declared, actual });
        }
        self.check_trailers(trailers)?;
        if !self.pending.is_empty() {
            self.flush(out);
        }
        write_line(self.chain.as_mut(), b"", out);
        for (name, value) in trailers {
            for part in [name, ":", value, "\r\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        if let Some(chain) = self
            .chain
            .as_mut()
            .filter(|_| self.head.payload.has_trailer())
        {
            let lines: Vec<(&str, &[u8])> = trailers
                .iter()
                .map(|(name, value)| (*name, value.as_bytes()))
                .collect();
            let signature = chain.sign_next(&Piece::Trailers(trailers_sha256(&lines)));
            for part in [TRAILER_SIGNATURE, ":", signature.as_str(), "\r\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        out.extend_from_slice(b"\r\n");
        Ok(())
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        write_chunk(self.chain.as_mut(), &self.pending, out);
        self.pending.clear();
    }

    fn check_trailers(&self, trailers: &[(&str, &str)]) -> Result<(), EncodeError> {
        for (name, value) in trailers {
            let name = (*name).to_owned();
            if !self.head.trailers.contains(&name.to_ascii_lowercase()) {
                return Err(EncodeError::TrailerNotAnnounced { name });
            }
            if count(trailers, &name) > 1 {
                return Err(EncodeError::TrailerRepeated { name });
            }
            let is_trimmed = headers::trim(value.as_bytes()).len() == value.len();
            if !is_trimmed || !is_trailer_value(value.as_bytes()) {
                return Err(EncodeError::TrailerValue { name });
            }
        }
        let mut announced = self.head.trailers.iter();
        match announced.find(|name| count(trailers, name) == 0) {
            Some(name) => Err(EncodeError::TrailerMissing { name: name.clone() }),
            None => Ok(()),
        }
    }
}

/// Shows what it encodes and how much was pushed, nothing of the body.
impl fmt::Debug for ChunkedEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkedEncoder")
            .field("head", &self.head)
            .field("chunk_size", &self.chunk_size)
            .field("pushed", &self.pushed)
            .finish_non_exhaustive()
    }
}

/// Whether a text can be the value of a trailer: something visible, and nothing but visible ASCII,
/// spaces and tabs.
pub(super) fn is_trailer_value(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_graphic)
        && value
            .iter()
            .all(|&byte| byte.is_ascii_graphic() || byte == b' ' || byte == b'\t')
}

fn count(trailers: &[(&str, &str)], name: &str) -> usize {
    trailers
        .iter()
        .filter(|(given, _)| given.eq_ignore_ascii_case(name))
        .count()
}

fn write_chunk(chain: Option<&mut Box<dyn SignPieces>>, data: &[u8], out: &mut Vec<u8>) {
    // The line has at most 16 digits, the label and a signature.
    out.reserve(data.len() + 16 + CHUNK_SIGNATURE.len() + 144 + 4);
    write_line(chain, data, out);
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

/// The line before a chunk.
fn write_line(chain: Option<&mut Box<dyn SignPieces>>, data: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{:x}", data.len()).as_bytes());
    let signature = chain.map(|chain| chain.sign_next(&Piece::Chunk(sha256(data))));
    if let Some(signature) = signature {
        out.extend_from_slice(CHUNK_SIGNATURE.as_bytes());
        out.extend_from_slice(signature.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}
