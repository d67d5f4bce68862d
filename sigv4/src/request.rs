//! What is signed: a request's parts as bytes, and its payload.

use std::fmt;

use crate::streaming::StreamingPayload;

/// The parts of an HTTP request that a signature covers, borrowed and as they are on the wire.
///
/// This type sits below any HTTP library's own, so that whatever can be sent can be signed: a path
/// with raw UTF-8 in it, a header value that is not text. With the feature `http`,
/// `HeaderList` makes one from an `http::Request`.
///
/// # Example
/// ```
/// use sigv4::Request;
///
/// let headers: [(&str, &[u8]); 1] = [("Host", b"example.com")];
/// let request = Request::new("GET", "/users?Action=ListUsers", &headers);
/// assert_eq!(request.path, b"/users");
/// assert_eq!(request.query, Some(&b"Action=ListUsers"[..]));
/// ```
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method, an HTTP token such as `GET`. Case counts.
    pub method: &'a str,
    /// The path as on the wire: still percent-encoded, without the query. Empty means `/`.
    pub path: &'a [u8],
    /// What follows the `?`, as on the wire. `None` and an empty query are the same to a signature.
    pub query: Option<&'a [u8]>,
    /// Name and value of each header line, in wire order, a repeated name once per line.
    /// The case of a name does not count.
    pub headers: &'a [(&'a str, &'a [u8])],
}

impl<'a> Request<'a> {
    /// A request for an origin-form target: the path, and after the first `?` the query.
    #[must_use]
    pub fn new<T>(method: &'a str, target: &'a T, headers: &'a [(&'a str, &'a [u8])]) -> Self
    where
        T: AsRef<[u8]> + ?Sized,
    {
        let target = target.as_ref();
        let (path, query) = match target.iter().position(|&byte| byte == b'?') {
            Some(at) => (&target[..at], Some(&target[at + 1..])),
            None => (target, None),
        };
        Self {
            method,
            path,
            query,
            headers,
        }
    }

    /// The values of every header of this name, whatever its case, in wire order.
    pub(crate) fn values(&self, name: &'static str) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.headers
            .iter()
            .filter(move |(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }
}

/// Shows the names of headers, not their values: a session token may be among them.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| *name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("path", &String::from_utf8_lossy(self.path))
            .field("query_bytes", &self.query.map(<[u8]>::len))
            .field("headers", &names)
            .finish()
    }
}

/// What the signature says of the body: the last line of the canonical request.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// The whole body; its SHA-256 is computed. A request without a body has `Bytes(b"")`.
    Bytes(&'a [u8]),
    /// The SHA-256 of the body, computed elsewhere.
    Sha256([u8; 32]),
    /// `UNSIGNED-PAYLOAD`: the body is not covered. Only Amazon S3 accepts it, over TLS.
    Unsigned,
    /// The body is sent in pieces, each with its own signature or none. The request's signature
    /// says only so; [`Signer::sign_chunked`](crate::Signer::sign_chunked) and
    /// [`Signer::sign_events`](crate::Signer::sign_events) make what signs the pieces, too. In the
    /// header form only.
    Streaming(StreamingPayload),
}

/// Shows which kind it is and how long, not the body.
impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(body) => write!(f, "Bytes({} bytes)", body.len()),
            Self::Sha256(hash) => write!(f, "Sha256({})", hex::encode(hash)),
            Self::Unsigned => f.write_str("Unsigned"),
            Self::Streaming(payload) => write!(f, "Streaming({payload})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_split_at_its_first_question_mark() {
        let request = Request::new("GET", "/a?b?c", &[]);
        assert_eq!(
            (request.path, request.query),
            (&b"/a"[..], Some(&b"b?c"[..]))
        );
        assert_eq!(Request::new("GET", "/a", &[]).query, None);
        assert_eq!(Request::new("GET", "/a?", &[]).query, Some(&b""[..]));
    }

    #[test]
    fn debug_shows_no_header_value_and_no_body() {
        let headers: [(&str, &[u8]); 1] = [("X-Amz-Security-Token", b"hush")];
        let shown = format!(
            "{:?}",
            Request::new("GET", "/?X-Amz-Security-Token=hush", &headers)
        );
        assert!(
            shown.contains("X-Amz-Security-Token") && !shown.contains("hush"),
            "{shown}"
        );
        assert_eq!(format!("{:?}", Payload::Bytes(b"hush")), "Bytes(4 bytes)");
    }
}
