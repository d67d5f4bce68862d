//! What is wrong with a request's head though hyper reads it.
//!
//! HTTP wants these refused, since a proxy in front of a server may read them otherwise (RFC 9112,
//! sections 3.2 and 6.1): what one of the two takes for the end of a request, the other need not.

use axum::body::Body;
use http::header::{CONNECTION, HOST, TRANSFER_ENCODING};
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};

use super::limits;

/// Why a request is not looked at further. The text is for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("a request of HTTP/1.1 has exactly one Host header")]
    Host,
    #[error("a request's target begins with a slash")]
    Target,
    #[error(
        "a request's headers are longer than {} bytes with its request line, or more than {}",
        limits::HEAD_BYTES_MAX,
        limits::HEADERS_MAX
    )]
    TooLarge,
    #[error("a body is sent as it is or in chunks, and in no other Transfer-Encoding")]
    TransferEncoding,
}

impl Wrong {
    /// The answer, which has no words, as hyper's own refusals have none; after it the connection
    /// is closed.
    pub(crate) fn response(self) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = match self {
            Self::Host | Self::Target => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::TransferEncoding => StatusCode::NOT_IMPLEMENTED,
        };
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
        response
    }
}

/// Finds what is wrong.
pub(crate) fn check<B>(request: &Request<B>) -> Result<(), Wrong> {
    if bytes(request) > limits::HEAD_BYTES_MAX {
        return Err(Wrong::TooLarge);
    }
    let headers = request.headers();
    let hosts = headers.get_all(HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        return Err(Wrong::Host);
    }
    let uri = request.uri();
    let is_authority = uri.authority().is_some() && uri.scheme().is_none();
    if is_authority && request.method() != Method::CONNECT {
        return Err(Wrong::Target);
    }
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    let is_chunked = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"chunked");
    match (encodings.next(), encodings.next()) {
        (None, _) => Ok(()),
        (Some(only), None) if is_chunked(only) => Ok(()),
        (Some(_), _) => Err(Wrong::TransferEncoding),
    }
}

/// How long the request line and the headers are, as they are usually written: with one blank
/// between the parts of a line. hyper refuses what is longer as soon as it has seen so much without
/// an end, and lets through what came with its end in one piece.
fn bytes<B>(request: &Request<B>) -> usize {
    let uri = request.uri();
    let scheme = uri.scheme().map_or(0, |it| it.as_str().len() + "://".len());
    let authority = uri.authority().map_or(0, |it| it.as_str().len());
    let path = uri.path_and_query().map_or(0, |it| it.as_str().len());
    let target = scheme + authority + path;
    let line = request.method().as_str().len() + target + "  HTTP/1.1\r\n".len();
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    line + headers.sum::<usize>() + "\r\n".len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(target: &str, version: Version, headers: &[(&str, &str)]) -> Result<(), Wrong> {
        let mut request = Request::post(target).version(version);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&request.body(()).expect("a request"))
    }

    #[test]
    fn one_host_and_one_way_to_end_a_body_are_right() {
        let host = ("Host", "localhost");
        let te = |value| ("Transfer-Encoding", value);
        let checked = |headers: &[_]| checked("/", Version::HTTP_11, headers);
        assert_eq!(checked(&[host]), Ok(()));
        assert_eq!(checked(&[("Host", "")]), Ok(()));
        assert_eq!(checked(&[host, te("chunked")]), Ok(()));
        assert_eq!(checked(&[host, te("Chunked")]), Ok(()));
        assert_eq!(checked(&[]), Err(Wrong::Host));
        assert_eq!(checked(&[host, host]), Err(Wrong::Host));
        for wrong in ["", "identity", "chunked, chunked", "gzip, chunked"] {
            assert_eq!(checked(&[host, te(wrong)]), Err(Wrong::TransferEncoding));
        }
        let twice = [host, te("chunked"), te("chunked")];
        assert_eq!(checked(&twice), Err(Wrong::TransferEncoding));
    }

    #[test]
    fn request_line_and_headers_are_bounded_together() {
        // "POST / HTTP/1.1\r\n", "host: localhost\r\n", "x: \r\n" and "\r\n"
        let rest = 17 + 17 + 5 + 2;
        let fits = "x".repeat(limits::HEAD_BYTES_MAX - rest);
        let host = ("host", "localhost");
        let checked = |target: &str, x: &str| checked(target, Version::HTTP_11, &[host, ("x", x)]);
        assert_eq!(checked("/", &fits), Ok(()));
        assert_eq!(checked("/", &(fits.clone() + "x")), Err(Wrong::TooLarge));
        assert_eq!(checked("/a", &fits), Err(Wrong::TooLarge));
        assert_eq!(checked("/a", &fits[1..]), Ok(()));
        assert_eq!(
            checked("http://localhost/", &fits[15..]),
            Err(Wrong::TooLarge)
        );
        assert_eq!(checked("http://localhost/", &fits[16..]), Ok(()));
    }

    #[test]
    fn http_1_0_needs_no_host() {
        assert_eq!(checked("/", Version::HTTP_10, &[]), Ok(()));
        let twice = [("Host", "a"), ("Host", "a")];
        assert_eq!(checked("/", Version::HTTP_10, &twice), Err(Wrong::Host));
    }

    #[test]
    fn a_target_is_a_path_or_a_whole_url() {
        let host = [("Host", "localhost")];
        let checked = |target| checked(target, Version::HTTP_11, &host);
        assert_eq!(checked("/a/b?c"), Ok(()));
        assert_eq!(checked("http://localhost/a"), Ok(()));
        assert_eq!(checked("*"), Ok(()));
        assert_eq!(checked("localhost:80"), Err(Wrong::Target));
    }
}
