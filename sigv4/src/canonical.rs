//! The canonical request and the string to sign.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::algorithm::Algorithm;
use crate::error::SignError;
use crate::headers::{self, HeaderLine};
use crate::key::hex_of;
use crate::request::{Payload, Request};
use crate::scope::Scope;
use crate::settings::{PathEncoding, PathNormalization, Settings};
use crate::streaming::StreamingPayload;
use crate::time::DateTime;
use crate::uri::{self, Query};

/// The first stage: the request in the one spelling that both sides agree on.
///
/// Six parts, a line feed between: method, path, query, the signed headers with a line feed after
/// each, their names, and the payload's hash. `Display` is the exact text; where a header value is
/// not UTF-8, [`as_bytes`](Self::as_bytes) is exact and `Display` shows a replacement character.
/// `Debug` hides a session token and every other value that is as good as a password, as a cookie is.
///
/// Source: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>,
/// step "Create a canonical request".
#[derive(Clone, PartialEq, Eq)]
pub struct CanonicalRequest {
    bytes: Vec<u8>,
}

impl CanonicalRequest {
    /// The canonical request of a request as it stands: all its headers but
    /// [`UNSIGNED_HEADERS`](crate::UNSIGNED_HEADERS) and those that the settings name, nothing added, no `X-Amz-Signature`.
    ///
    /// A [`Signer`](crate::Signer) adds its headers first and gives the result with
    /// [`Signed::canonical_request`](crate::Signed::canonical_request); this is for looking at a
    /// request stage by stage.
    ///
    /// # Errors
    /// [`SignError::Method`] and [`SignError::HeaderName`] when these are not HTTP tokens.
    ///
    /// # Example
    /// ```
    /// use sigv4::{CanonicalRequest, Payload, Request, Settings};
    ///
    /// let headers: [(&str, &[u8]); 1] = [("Host", b" example.com ")];
    /// let request = Request::new("GET", "/a b?z&y=%7E", &headers);
    /// let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &Settings::default())?;
    /// assert_eq!(
    ///     canonical.to_string(),
    ///     "GET\n/a%20b\ny=~&z=\nhost:example.com\n\nhost\nUNSIGNED-PAYLOAD",
    /// );
    /// # Ok::<(), sigv4::SignError>(())
    /// ```
    pub fn new(
        request: &Request<'_>,
        payload: Payload<'_>,
        settings: &Settings,
    ) -> Result<Self, SignError> {
        let mut lines = headers::signable(request, &[], settings.unsigned_headers)?;
        headers::sort(&mut lines);
        let mut signed_headers = String::new();
        headers::push_names(&mut signed_headers, &lines);
        let mut query = Query::parse(request.query, &["X-Amz-Signature"]);
        query.sort();
        let parts = Parts {
            method: headers::checked_method(request).map_err(SignError::Method)?,
            path: request.path,
            path_encoding: settings.path_encoding,
            path_normalization: settings.path_normalization,
            query: &query,
            lines: &lines,
            signed_headers: &signed_headers,
            payload: &PayloadHash::of(payload, Algorithm::HmacSha256),
        };
        Ok(parts.to_canonical_request())
    }

    /// The exact bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SHA-256 of the bytes, which is what gets signed.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }

    /// One that was written elsewhere.
    pub(crate) const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The text without session tokens, and what else of it is as good as a password.
    pub(crate) fn redacted(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let mut hidden = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match line.split_once(':') {
                Some((name, value)) if headers::is_secret(name) => {
                    hidden.push_str(name);
                    hidden.push(':');
                    push_hidden(&mut hidden, value);
                }
                Some(_) | None => {
                    for piece in line.split_inclusive('&') {
                        let at = headers::secret_parameter_in(piece).unwrap_or(piece.len());
                        let (shown, value) = piece.split_at(at);
                        hidden.push_str(shown);
                        push_hidden(&mut hidden, value);
                    }
                }
            }
        }
        hidden
    }
}

impl fmt::Display for CanonicalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.bytes))
    }
}

impl fmt::Debug for CanonicalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CanonicalRequest({:?})", self.redacted())
    }
}

/// The second stage: algorithm, time, scope, and the SHA-256 of the canonical request in hexadecimal.
/// `Display` is the exact text.
///
/// For a piece of a streamed body it is made differently, see [`ChunkSigner`](crate::ChunkSigner):
/// the signature before it stands in it, which `Debug` hides.
#[derive(Clone, PartialEq, Eq)]
pub struct StringToSign {
    text: String,
}

impl StringToSign {
    /// The string to sign of a canonical request, at a moment, for a scope.
    #[must_use]
    pub fn new(at: DateTime, scope: &Scope, request: &CanonicalRequest) -> Self {
        Self::of_hash(at, scope, request.sha256())
    }

    /// The exact text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// That of a piece of a streamed body.
    pub(crate) const fn of_piece(text: String) -> Self {
        Self { text }
    }

    fn of_hash(at: DateTime, scope: &Scope, hash: [u8; 32]) -> Self {
        let mut bytes = Vec::with_capacity(128 + scope.as_str().len());
        write_string_to_sign(&mut bytes, at, scope, hash);
        let text = String::from_utf8(bytes).expect("each piece of it is text");
        Self { text }
    }
}

impl fmt::Display for StringToSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Of a request's it is the whole text, which has four lines; of a piece's all but the fourth, the
/// signature before it.
impl fmt::Debug for StringToSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<&str> = self.text.split('\n').collect();
        if lines.len() > 4 {
            lines[3] = "(redacted)";
        }
        write!(f, "StringToSign({:?})", lines.join("\n"))
    }
}

/// Where canonical bytes go: a buffer to look at, or straight into a hash.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for Sha256 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Gathers small pieces, up to `N` bytes of them, for a sink that prefers large ones, as hashes do.
pub(crate) struct Gathered<'a, S, const N: usize> {
    sink: &'a mut S,
    buffer: [u8; N],
    length: usize,
}

impl<'a, S: Sink, const N: usize> Gathered<'a, S, N> {
    pub(crate) const fn new(sink: &'a mut S) -> Self {
        Self {
            sink,
            buffer: [0; N],
            length: 0,
        }
    }

    /// Gives the sink what it does not have yet.
    pub(crate) fn flush(&mut self) {
        self.sink.put(&self.buffer[..self.length]);
        self.length = 0;
    }
}

impl<S: Sink, const N: usize> Sink for Gathered<'_, S, N> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        if let Some(place) = self.buffer.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        } else {
            self.flush();
            self.sink.put(bytes);
        }
    }
}

/// Everything a canonical request is written from.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a [u8],
    pub(crate) path_encoding: PathEncoding,
    pub(crate) path_normalization: PathNormalization,
    /// Sorted.
    pub(crate) query: &'a Query,
    /// Sorted.
    pub(crate) lines: &'a [HeaderLine<'a>],
    pub(crate) signed_headers: &'a str,
    pub(crate) payload: &'a PayloadHash,
}

impl Parts<'_> {
    /// The one writer of canonical requests.
    pub(crate) fn write(&self, sink: &mut impl Sink) {
        sink.put(self.method.as_bytes());
        sink.put(b"\n");
        uri::write_path(sink, self.path, self.path_encoding, self.path_normalization);
        sink.put(b"\n");
        self.query.write(sink);
        sink.put(b"\n");
        headers::write_lines(sink, self.lines);
        sink.put(b"\n");
        sink.put(self.signed_headers.as_bytes());
        sink.put(b"\n");
        sink.put(self.payload.as_bytes());
    }

    pub(crate) fn to_canonical_request(self) -> CanonicalRequest {
        let lines: usize = self
            .lines
            .iter()
            .map(|l| l.name.text.len() + l.value.len() + 2)
            .sum();
        let rest = self.method.len() + self.query.len_bound() + self.signed_headers.len();
        // A path seldom has more than a few bytes to encode; 64 is the payload's hash.
        let capacity = lines + rest + self.path.len() + self.path.len() / 2 + 64 + 8;
        let mut bytes = Vec::with_capacity(capacity);
        self.write(&mut bytes);
        CanonicalRequest { bytes }
    }

    /// Its hash, without ever holding the text.
    pub(crate) fn sha256(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut text = Gathered::<_, 512>::new(&mut hash);
        self.write(&mut text);
        text.flush();
        hash.finalize().into()
    }
}

/// The last line of a canonical request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PayloadHash {
    Sha256([u8; 64]),
    Unsigned,
    Streaming {
        payload: StreamingPayload,
        /// How the algorithm announces it.
        text: &'static str,
    },
}

impl PayloadHash {
    pub(crate) fn of(payload: Payload<'_>, algorithm: Algorithm) -> Self {
        match payload {
            Payload::Bytes(body) => Self::Sha256(hex_of(&Sha256::digest(body).into())),
            Payload::Sha256(hash) => Self::Sha256(hex_of(&hash)),
            Payload::Unsigned => Self::Unsigned,
            Payload::Streaming(payload) => Self::Streaming {
                payload,
                text: payload.text(algorithm),
            },
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha256(hex) => hex,
            Self::Unsigned => b"UNSIGNED-PAYLOAD",
            Self::Streaming { text, .. } => text.as_bytes(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        // Hexadecimal digits or a word.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// Writes the string to sign, given the hash of the canonical request.
pub(crate) fn write_string_to_sign(
    sink: &mut impl Sink,
    at: DateTime,
    scope: &Scope,
    hash: [u8; 32],
) {
    sink.put(scope.algorithm().name().as_bytes());
    sink.put(b"\n");
    sink.put(at.as_bytes());
    sink.put(b"\n");
    sink.put(scope.as_str().as_bytes());
    sink.put(b"\n");
    sink.put(&hex_of(&hash));
}

/// Appends, in place of a value that is not to be seen, a word and what ends it.
fn push_hidden(text: &mut String, value: &str) {
    let bare = value.trim_end_matches(['&', '\n']);
    if !bare.is_empty() {
        text.push_str("(redacted)");
    }
    text.push_str(&value[bare.len()..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: [(&str, &[u8]); 3] = [
        ("Host", b"iam.amazonaws.com"),
        (
            "Content-Type",
            b"application/x-www-form-urlencoded; charset=utf-8",
        ),
        ("X-Amz-Date", b"20150830T123600Z"),
    ];

    /// Source: AWS General Reference, "Task 1: Create a canonical request" and "Task 2: Create a
    /// string to sign" (the ListUsers example).
    #[test]
    fn the_worked_example_reads_as_published() {
        let request = Request::new("GET", "/?Version=2010-05-08&Action=ListUsers", &HEADERS);
        let settings = Settings::default();
        let canonical = CanonicalRequest::new(&request, Payload::Bytes(b""), &settings).unwrap();
        assert_eq!(
            canonical.to_string(),
            "GET\n/\nAction=ListUsers&Version=2010-05-08\n\
             content-type:application/x-www-form-urlencoded; charset=utf-8\n\
             host:iam.amazonaws.com\nx-amz-date:20150830T123600Z\n\n\
             content-type;host;x-amz-date\n\
             e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        let at = DateTime::parse("20150830T123600Z").unwrap();
        let scope = Scope::new(at, "us-east-1", "iam").unwrap();
        let string_to_sign = StringToSign::new(at, &scope, &canonical);
        assert!(
            format!("{string_to_sign:?}").starts_with("StringToSign(\"AWS4-HMAC-SHA256\\n2015")
        );
        assert_eq!(
            string_to_sign.to_string(),
            "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/iam/aws4_request\n\
             f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59"
        );
    }

    #[test]
    fn a_canonical_request_that_is_no_text_has_exact_bytes() {
        let headers: [(&str, &[u8]); 1] = [("a", b"\xff")];
        let request = Request::new("GET", "/", &headers);
        let settings = Settings::default();
        let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &settings).unwrap();
        assert_eq!(
            canonical.as_bytes(),
            b"GET\n/\n\na:\xff\n\na\nUNSIGNED-PAYLOAD"
        );
        assert_eq!(
            canonical.to_string(),
            "GET\n/\n\na:\u{fffd}\n\na\nUNSIGNED-PAYLOAD"
        );
    }

    #[test]
    fn debug_hides_every_session_token() {
        let headers: [(&str, &[u8]); 2] = [("x-amz-security-token", b"hush1"), ("z", b"shown")];
        let request = Request::new("GET", "/?X-Amz-Security-Token=hush2&a=b", &headers);
        let settings = Settings::default();
        let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &settings).unwrap();
        let shown = format!("{canonical:?}");
        assert!(!shown.contains("hush") && shown.contains("shown") && shown.contains("a=b"));
        assert!(canonical.to_string().contains("hush1"));
    }

    #[test]
    fn debug_hides_whatever_is_as_good_as_a_password() {
        let headers: [(&str, &[u8]); 8] = [
            ("Cookie", b"hush1=a&b"),
            (
                "Referer",
                b"https://a/?b&X-Amz-Security-Token=hush2&c=shown1",
            ),
            ("X-Amz-S3session-Token", b"hush3:hush4"),
            ("X-Amz-Server-Side-Encryption-Customer-Key", b"hush5"),
            ("X-Amz-Server-Side-Encryption-Customer-Key-MD5", b"shown2"),
            (
                "X-Amz-Copy-Source-Server-Side-Encryption-Customer-Key",
                b"hush6",
            ),
            ("X-Amz-Security-Token", b""),
            ("z", b"shown3"),
        ];
        let target = "/shown4?x%2Damz-s3session-token=hush7&cookie=hush8&cookies=shown5";
        let request = Request::new("GET", target, &headers);
        let settings = Settings::default();
        let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &settings).unwrap();
        let shown = canonical.redacted();
        assert!(!shown.contains("hush"), "{shown}");
        for n in 1..=5 {
            assert!(shown.contains(&format!("shown{n}")), "{n}: {shown}");
        }
        // All else is as it was, the lines too.
        assert_eq!(shown.lines().count(), canonical.to_string().lines().count());
        assert!(shown.contains("\nx-amz-security-token:\n"), "{shown}");
    }

    #[test]
    fn a_method_with_a_line_feed_is_refused() {
        let request = Request::new("GET\n/admin", "/", &[]);
        let refused = CanonicalRequest::new(&request, Payload::Unsigned, &Settings::default());
        assert_eq!(refused, Err(SignError::Method("GET\n/admin".to_owned())));
    }
}
