//! Signing and viewing `http` types.

mod streaming;

pub use self::streaming::{sign_chunked_request, sign_events_request};

use ::http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue};
use ::http::request::Parts;
use ::http::uri::{PathAndQuery, Uri};
use ::http::{Method, Request as HttpRequest};
use std::time::{Duration, SystemTime};

use crate::error::SignError;
use crate::headers;
use crate::presign::Presigned;
use crate::request::{Payload, Request};
use crate::sign::{Signed, Signer};

/// An `http` request seen as a [`Request`]: for servers to verify, for clients to sign.
///
/// Where there is no `Host` header, as in HTTP/2, the URI's authority stands for it: without
/// credentials, and without the port if it is the scheme's own.
///
/// # Example
/// ```
/// use sigv4::HeaderList;
///
/// let request = http::Request::post("http://localhost:9324/?a=b").body(()).unwrap();
/// let list = HeaderList::from(&request);
/// assert_eq!(list.request().query, Some(&b"a=b"[..]));
/// assert_eq!(list.request().headers, [("host", &b"localhost:9324"[..])]);
/// ```
///
/// # Example: a server's check
/// What a handler calls with the request that it was given: in axum, `into_parts` and
/// `axum::body::to_bytes`, with a limit, are where `parts` and `body` come from. The path must be
/// the one on the wire, so check before a nested router takes a part of it away.
/// ```
/// use std::time::{Duration, SystemTime, UNIX_EPOCH};
/// use http::{StatusCode, request::Parts};
/// use sigv4::{Claim, Credentials, HeaderList, Payload, Secret, Signer, SigningKey};
/// use sigv4::{VerifySettings, sign_request};
///
/// /// Who sent a request, or the status to refuse it with.
/// fn caller(parts: &Parts, body: &[u8], now: SystemTime) -> Result<String, StatusCode> {
///     let headers = HeaderList::from(parts);
///     let request = headers.request();
///     let claim = Claim::parse(&request).map_err(|_| StatusCode::FORBIDDEN)?;
///     let secret = match claim.access_key_id() {
///         "test" => Secret::new("secret"),
///         _ => return Err(StatusCode::FORBIDDEN),
///     };
///     let key = SigningKey::derive(&secret, claim.scope());
///     let settings = VerifySettings::default().with_service("sqs");
///     claim.verify(&request, body, &key, now, &settings).map_err(|_| StatusCode::FORBIDDEN)?;
///     Ok(claim.access_key_id().to_owned())
/// }
///
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
/// let signer = Signer::new(Credentials::new("test", "secret"), "us-east-1", "sqs");
/// let mut request = http::Request::post("http://localhost:9324/").body("{}").unwrap();
/// sign_request(&signer, &mut request, Payload::Bytes(b"{}"), now)?;
///
/// let (parts, body) = request.into_parts();
/// assert_eq!(caller(&parts, body.as_bytes(), now), Ok("test".to_owned()));
/// assert_eq!(caller(&parts, b"{ }", now), Err(StatusCode::FORBIDDEN));
/// # Ok::<(), sigv4::SignError>(())
/// ```
#[derive(Clone)]
pub struct HeaderList<'a> {
    method: &'a str,
    path: &'a [u8],
    query: Option<&'a [u8]>,
    headers: Vec<(&'a str, &'a [u8])>,
}

impl<'a> HeaderList<'a> {
    /// The view of a request's parts.
    #[must_use]
    pub fn new(method: &'a Method, uri: &'a Uri, headers: &'a HeaderMap) -> Self {
        let mut list = Vec::with_capacity(headers.len() + 1);
        if !headers.contains_key(HOST) {
            list.extend(host_of(uri).map(|host| (headers::HOST, host.as_bytes())));
        }
        list.extend(
            headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_bytes())),
        );
        Self {
            method: method.as_str(),
            path: uri.path().as_bytes(),
            query: uri.query().map(str::as_bytes),
            headers: list,
        }
    }

    /// What [`Claim`](crate::Claim) and [`Signer`] take.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        Request {
            method: self.method,
            path: self.path,
            query: self.query,
            headers: &self.headers,
        }
    }
}

impl std::fmt::Debug for HeaderList<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.request().fmt(f)
    }
}

impl<'a> From<&'a Parts> for HeaderList<'a> {
    fn from(parts: &'a Parts) -> Self {
        Self::new(&parts.method, &parts.uri, &parts.headers)
    }
}

impl<'a, B> From<&'a HttpRequest<B>> for HeaderList<'a> {
    fn from(request: &'a HttpRequest<B>) -> Self {
        Self::new(request.method(), request.uri(), request.headers())
    }
}

/// Signs a request in the header form and sets the headers on it; where it has no `Host`, that is
/// set first, from its URI. A request that was signed before is signed anew. On an error the request
/// has its `Host` and is otherwise untouched.
///
/// The payload is given apart from the request, whose body type need not be bytes: for a body of
/// `Bytes`, clone it first, which copies nothing.
///
/// # Errors
/// As [`Signer::sign`].
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::{Credentials, Payload, Signer, sign_request};
///
/// let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
/// let mut request = http::Request::post("http://localhost:9324/").body("{}").unwrap();
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
/// sign_request(&signer, &mut request, Payload::Bytes(b"{}"), now)?;
/// assert_eq!(request.headers()["x-amz-date"], "20150830T123600Z");
/// assert!(request.headers().contains_key("authorization"));
/// # Ok::<(), sigv4::SignError>(())
/// ```
pub fn sign_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    payload: Payload<'_>,
    now: SystemTime,
) -> Result<Signed, SignError> {
    set_host(request)?;
    let signed = signer.sign(&HeaderList::from(&*request).request(), payload, now)?;
    set_signed(request, &signed)?;
    Ok(signed)
}

/// Sets the headers of a signature on a request.
pub(crate) fn set_signed<B, S>(
    request: &mut HttpRequest<B>,
    signed: &Signed<S>,
) -> Result<(), SignError> {
    for name in signed.headers_to_remove() {
        request.headers_mut().remove(header_name(name)?);
    }
    for (name, value) in signed.headers() {
        let mut value = HeaderValue::from_str(value).map_err(|_| SignError::SessionToken)?;
        // Neither the signature nor a token belongs in a log or a compression table.
        value.set_sensitive(name == "Authorization" || name == "X-Amz-Security-Token");
        request.headers_mut().insert(header_name(name)?, value);
    }
    Ok(())
}

/// The name of a header that signing sets. Those of every signature are ready made.
fn header_name(name: &str) -> Result<HeaderName, SignError> {
    const DATE: HeaderName = HeaderName::from_static(headers::DATE);
    const TOKEN: HeaderName = HeaderName::from_static(headers::SECURITY_TOKEN);
    match name {
        "Authorization" => Ok(AUTHORIZATION),
        "X-Amz-Date" => Ok(DATE),
        headers::SECURITY_TOKEN => Ok(TOKEN),
        other => HeaderName::from_bytes(other.as_bytes())
            .map_err(|_| SignError::HeaderName(other.to_owned())),
    }
}

/// Signs a request in the query form and gives it its new URI; where it has no `Host`, that is set
/// first. Headers of an earlier signature in the header form are removed. On an error the request
/// has its `Host` and is otherwise untouched.
///
/// # Errors
/// As [`Signer::presign`], and [`SignError::Uri`] when the new URI is too long for the `http` type.
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::{Credentials, Payload, Signer, presign_request};
///
/// let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
/// let mut request = http::Request::get("http://localhost:9324/").body(()).unwrap();
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
/// presign_request(&signer, &mut request, Payload::Bytes(b""), now, Duration::from_secs(60))?;
/// assert!(request.uri().to_string().starts_with("http://localhost:9324/?X-Amz-Algorithm="));
/// # Ok::<(), sigv4::SignError>(())
/// ```
pub fn presign_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    payload: Payload<'_>,
    now: SystemTime,
    expires: Duration,
) -> Result<Presigned, SignError> {
    set_host(request)?;
    let presigned = signer.presign(
        &HeaderList::from(&*request).request(),
        payload,
        now,
        expires,
    )?;
    set_presigned(request, &presigned)?;
    Ok(presigned)
}

/// Gives a request the URI of a signature.
pub(crate) fn set_presigned<B, S>(
    request: &mut HttpRequest<B>,
    presigned: &Presigned<S>,
) -> Result<(), SignError> {
    let mut uri = request.uri().clone().into_parts();
    uri.path_and_query =
        Some(PathAndQuery::try_from(presigned.target()).map_err(|_| SignError::Uri)?);
    *request.uri_mut() = Uri::from_parts(uri).map_err(|_| SignError::Uri)?;
    for name in presigned.headers_to_remove() {
        request.headers_mut().remove(*name);
    }
    Ok(())
}

pub(crate) fn set_host<B>(request: &mut HttpRequest<B>) -> Result<(), SignError> {
    if request.headers().contains_key(HOST) {
        return Ok(());
    }
    let host = host_of(request.uri()).ok_or(SignError::HostMissing)?;
    let value = HeaderValue::from_str(host).map_err(|_| SignError::HostMissing)?;
    request.headers_mut().insert(HOST, value);
    Ok(())
}

/// What a client sends as `Host` for a URI: it leaves out the port that the scheme implies.
fn host_of(uri: &Uri) -> Option<&str> {
    let authority = uri.authority()?.as_str();
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let implied = match uri.scheme_str() {
        Some("http") => ":80",
        Some("https") => ":443",
        _ => return Some(host),
    };
    Some(host.strip_suffix(implied).unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::claim::Claim;
    use crate::credentials::Credentials;
    use crate::key::SigningKey;
    use crate::verify::VerifySettings;

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    fn signer() -> Signer {
        let credentials = Credentials::new("AKID", "secret").with_session_token("hush");
        Signer::new(credentials, "us-east-1", "sqs")
    }

    fn verify<B>(request: &HttpRequest<B>, body: &[u8]) -> bool {
        let list = HeaderList::from(request);
        let claim = Claim::parse(&list.request()).unwrap();
        let key = SigningKey::derive(signer().credentials.secret(), claim.scope());
        let settings = VerifySettings::default();
        claim
            .verify(&list.request(), body, &key, now(), &settings)
            .is_ok()
    }

    #[test]
    fn what_is_signed_verifies_and_can_be_signed_again() {
        let mut request = HttpRequest::post("https://user:pw@sqs.example:443/a%20b?c=%2B")
            .header("X-Amz-Target", "AmazonSQS.ListQueues")
            .body(())
            .unwrap();
        for _retry in 0..2 {
            sign_request(&signer(), &mut request, Payload::Bytes(b"{}"), now()).unwrap();
            assert_eq!(request.headers()[HOST], "sqs.example");
            assert_eq!(request.headers().len(), 5);
            assert!(verify(&request, b"{}") && !verify(&request, b""));
            assert!(!format!("{:?}", request.headers()).contains("hush"));
        }
    }

    #[test]
    fn what_is_presigned_verifies_and_can_be_presigned_again() {
        let mut request = HttpRequest::get("http://localhost:9324?c=d")
            .body(())
            .unwrap();
        sign_request(&signer(), &mut request, Payload::Bytes(b""), now()).unwrap();
        let minute = Duration::from_secs(60);
        let mut uris = Vec::new();
        for _again in 0..2 {
            presign_request(&signer(), &mut request, Payload::Bytes(b""), now(), minute).unwrap();
            assert!(verify(&request, b""));
            assert_eq!(request.headers().len(), 1, "{request:?}");
            uris.push(request.uri().clone());
        }
        assert_eq!(uris[0], uris[1]);
        assert!(
            uris[0]
                .to_string()
                .starts_with("http://localhost:9324/?c=d&X-Amz-")
        );
    }

    #[test]
    fn the_host_is_the_one_given_or_the_uris() {
        for (uri, host) in [
            ("http://a:80/", "a"),
            ("http://a:443/", "a:443"),
            ("https://a:443/", "a"),
            ("https://[::1]:9324/", "[::1]:9324"),
        ] {
            let request = HttpRequest::get(uri).body(()).unwrap();
            let expected = [("host", host.as_bytes())];
            assert_eq!(
                HeaderList::from(&request).request().headers,
                expected,
                "{uri}"
            );
        }
        let request = HttpRequest::get("http://a/")
            .header("Host", "b")
            .body(())
            .unwrap();
        assert_eq!(
            HeaderList::from(&request).request().headers,
            [("host", &b"b"[..])]
        );
    }

    #[test]
    fn a_uri_without_an_authority_needs_a_host() {
        let mut request = HttpRequest::get("/a").body(()).unwrap();
        let refused = sign_request(&signer(), &mut request, Payload::Bytes(b""), now());
        assert_eq!(refused.err(), Some(SignError::HostMissing));
        assert!(request.headers().is_empty());
    }
}
