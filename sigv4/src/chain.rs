//! The chain of signatures that a streamed body carries: each covers one piece and the signature
//! before it, the first of them the signature of the request.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::canonical::StringToSign;
use crate::headers::{self, HeaderLine};
use crate::key::{Signature, SigningKey};
use crate::scope::Scope;
use crate::time::DateTime;

/// Signs or checks the chunks of a body one after the other.
///
/// This is the lowest layer: signatures without any framing. [`ChunkedEncoder`](crate::ChunkedEncoder)
/// and [`ChunkedDecoder`](crate::ChunkedDecoder) write and read the framing around it.
///
/// Source: <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html> and
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html>.
///
/// # Example
/// ```
/// use sigv4::{ChunkSigner, DateTime, Scope, Secret, Signature, SigningKey};
///
/// // The example of the page above: 65 KiB of the letter a.
/// let at = DateTime::parse("20130524T000000Z").unwrap();
/// let scope = Scope::new(at, "us-east-1", "s3")?;
/// let secret = Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
/// let seed = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
/// let seed = Signature::parse(seed).unwrap();
///
/// let mut signer = ChunkSigner::new(SigningKey::derive(&secret, &scope), scope, at, seed);
/// let first = signer.sign_chunk(&[b'a'; 65_536]);
/// assert!(first.as_str().starts_with("ad80c730a21e5b8d"));
/// let second = signer.sign_chunk(&[b'a'; 1024]);
/// assert!(second.as_str().starts_with("0055627c9e194cb4"));
/// // The last chunk is empty.
/// assert!(signer.sign_chunk(b"").as_str().starts_with("b6c6ea8a5354eaf1"));
/// # Ok::<(), sigv4::ScopeError>(())
/// ```
#[derive(Clone)]
pub struct ChunkSigner {
    key: SigningKey,
    scope: Scope,
    at: DateTime,
    previous: Signature,
}

impl ChunkSigner {
    /// A chain from the request's own signature on, with the request's key, scope and date.
    #[must_use]
    pub const fn new(key: SigningKey, scope: Scope, at: DateTime, seed: Signature) -> Self {
        Self {
            key,
            scope,
            at,
            previous: seed,
        }
    }

    /// The signature that the next one builds on: that of the piece before, at first the request's.
    #[must_use]
    pub const fn previous(&self) -> &Signature {
        &self.previous
    }

    /// Signs the next chunk. The last one of a body is empty.
    pub fn sign_chunk(&mut self, data: &[u8]) -> Signature {
        self.sign(&Piece::Chunk(sha256(data)))
    }

    /// Signs the trailers, after the last chunk: names and values, in any order. Names are taken in
    /// lower case and sorted, white space in values folded, as in the canonical headers of a request.
    pub fn sign_trailers(&mut self, trailers: &[(&str, &[u8])]) -> Signature {
        self.sign(&Piece::Trailers(trailers_sha256(trailers)))
    }

    /// What the signature of a chunk is made of, if that chunk comes next.
    #[must_use]
    pub fn chunk_string_to_sign(&self, data: &[u8]) -> StringToSign {
        self.link(&Piece::Chunk(sha256(data))).to_string_to_sign()
    }

    /// What the signature of the trailers is made of, if they come next.
    #[must_use]
    pub fn trailers_string_to_sign(&self, trailers: &[(&str, &[u8])]) -> StringToSign {
        self.link(&Piece::Trailers(trailers_sha256(trailers)))
            .to_string_to_sign()
    }

    fn sign(&mut self, piece: &Piece) -> Signature {
        self.previous = self.key.sign(&self.link(piece).to_string_to_sign());
        self.previous
    }

    fn link<'a>(&'a self, piece: &'a Piece) -> Link<'a> {
        Link {
            at: self.at,
            scope: &self.scope,
            previous: self.previous.as_str(),
            piece,
        }
    }
}

/// Signs the pieces of a body, by either algorithm.
pub(crate) trait SignPieces: Send + Sync {
    /// The next signature, as it stands in the body.
    fn sign_next(&mut self, piece: &Piece) -> String;
}

/// Checks the pieces of a body, by either algorithm.
pub(crate) trait CheckPieces: Send + Sync {
    /// Whether a text is the next signature; if it is, the chain goes on from it, and if not, what was
    /// to be signed is the error.
    fn check_next(&mut self, piece: &Piece, claimed: &str) -> Result<(), StringToSign>;
}

impl SignPieces for ChunkSigner {
    fn sign_next(&mut self, piece: &Piece) -> String {
        self.sign(piece).to_string()
    }
}

impl CheckPieces for ChunkSigner {
    fn check_next(&mut self, piece: &Piece, claimed: &str) -> Result<(), StringToSign> {
        let string_to_sign = self.link(piece).to_string_to_sign();
        let signature = self.key.sign(&string_to_sign);
        // In constant time.
        if signature.matches(claimed) {
            self.previous = signature;
            Ok(())
        } else {
            Err(string_to_sign)
        }
    }
}

/// Shows what it signs for, neither key nor signature.
impl fmt::Debug for ChunkSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkSigner")
            .field("scope", &self.scope)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

/// What a signature of a chain covers, by its hash.
pub(crate) enum Piece {
    Chunk([u8; 32]),
    Trailers([u8; 32]),
    Event {
        headers: [u8; 32],
        payload: [u8; 32],
    },
}

/// One signature of a chain, before it is made, by whichever algorithm the scope is for.
pub(crate) struct Link<'a> {
    pub(crate) at: DateTime,
    pub(crate) scope: &'a Scope,
    /// The signature before, as it stands in the text.
    pub(crate) previous: &'a str,
    pub(crate) piece: &'a Piece,
}

impl Link<'_> {
    /// The one writer of these strings to sign.
    pub(crate) fn to_string_to_sign(&self) -> StringToSign {
        let (kind, hashes) = match self.piece {
            // Of a chunk's headers, which it does not have, the hash of nothing.
            Piece::Chunk(data) => ("PAYLOAD", two_lines(&sha256(b""), data)),
            Piece::Event { headers, payload } => ("PAYLOAD", two_lines(headers, payload)),
            Piece::Trailers(trailers) => ("TRAILER", hex::encode(trailers)),
        };
        let algorithm = self.scope.algorithm().name();
        let (at, scope, previous) = (self.at, self.scope, self.previous);
        let text = format!("{algorithm}-{kind}\n{at}\n{scope}\n{previous}\n{hashes}");
        StringToSign::of_piece(text)
    }
}

fn two_lines(first: &[u8; 32], second: &[u8; 32]) -> String {
    format!("{}\n{}", hex::encode(first), hex::encode(second))
}

/// The hash of trailers in their canonical form: a line each, as of the headers of a request.
pub(crate) fn trailers_sha256(trailers: &[(&str, &[u8])]) -> [u8; 32] {
    let mut lines: Vec<HeaderLine<'_>> = trailers
        .iter()
        .map(|&(name, value)| HeaderLine::new(name, value))
        .collect();
    headers::sort(&mut lines);
    let mut hash = Sha256::new();
    headers::write_lines(&mut hash, &lines);
    hash.finalize().into()
}

pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::Secret;

    fn signer(seed: &str) -> ChunkSigner {
        let at = DateTime::parse("20130524T000000Z").unwrap();
        let scope = Scope::new(at, "us-east-1", "s3").unwrap();
        let secret = Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        let seed = Signature::parse(seed).unwrap();
        ChunkSigner::new(SigningKey::derive(&secret, &scope), scope, at, seed)
    }

    const SEED: &str = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";

    /// Source: aws-c-auth, `tests/test_chunked_signing.c`: the chunks of the Amazon S3 example, then
    /// three trailers.
    #[test]
    fn the_published_trailers_are_signed() {
        let mut signer = signer(SEED);
        for size in [65_536, 1024, 0] {
            let _ = signer.sign_chunk(&vec![b'a'; size]);
        }
        let trailers: [(&str, &[u8]); 3] =
            [("third", b"3rd"), ("First", b" 1st "), ("second", b"2nd")];
        assert_eq!(
            signer.trailers_string_to_sign(&trailers).to_string(),
            "AWS4-HMAC-SHA256-TRAILER\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n\
             b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\n\
             83d8f190334fb741bc8daf73c891689d320bd8017756bc730c540021ed48001f"
        );
        assert_eq!(
            signer.sign_trailers(&trailers).as_str(),
            "df5735bd9f3295cd9386572292562fefc93ba94e80a0a1ddcbd652c4e0a75e6c"
        );
    }

    /// Source: Amazon S3 API Reference, "Transferring payload in multiple chunks", the first chunk.
    #[test]
    fn the_string_to_sign_of_a_chunk_reads_as_published() {
        let text = signer(SEED).chunk_string_to_sign(&[b'a'; 65_536]);
        assert_eq!(
            text.to_string(),
            format!(
                "AWS4-HMAC-SHA256-PAYLOAD\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n\
                 {SEED}\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n\
                 bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a"
            )
        );
        let shown = format!("{text:?} {:?}", signer(SEED));
        assert!(!shown.contains(&SEED[..8]), "{shown}");
        assert!(shown.contains("bf718b6f"), "{shown}");
    }

    #[test]
    fn a_chain_goes_on_only_from_the_right_signature() {
        let mut signing = signer(SEED);
        let mut checking = signer(SEED);
        let first = signing.sign_chunk(b"one");
        let piece = |data: &[u8]| Piece::Chunk(sha256(data));
        assert!(checking.check_next(&piece(b"two"), first.as_str()).is_err());
        assert_eq!(checking.previous().as_str(), SEED);
        assert!(checking.check_next(&piece(b"one"), first.as_str()).is_ok());
        assert_eq!(checking.previous(), &first);
        assert!(checking.check_next(&piece(b"one"), first.as_str()).is_err());
    }
}
