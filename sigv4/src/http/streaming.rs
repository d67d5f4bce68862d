//! Signing `http` requests whose body is streamed.

use std::time::SystemTime;

use ::http::Request as HttpRequest;

use super::{HeaderList, set_host, set_signed};
use crate::chunked::ChunkedEncoder;
use crate::error::SignError;
use crate::event::EventSigner;
use crate::sign::{Signed, Signer};
use crate::streaming::StreamingPayload;

/// Signs a request whose body will be `aws-chunked` and sets the headers on it, as
/// [`sign_request`](crate::sign_request) does. The headers that [`Signer::sign_chunked`] asks for
/// must be there; the encoder makes the body.
///
/// # Errors
/// As [`Signer::sign_chunked`].
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::{Credentials, Settings, Signer, StreamingPayload, sign_chunked_request};
///
/// let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "s3");
/// let mut request = http::Request::put("http://localhost:9000/bucket/key")
///     .header("content-encoding", "aws-chunked")
///     .header("x-amz-decoded-content-length", 5)
///     .header("x-amz-trailer", "x-amz-checksum-crc32")
///     .body(())
///     .unwrap();
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
/// let payload = StreamingPayload::UnsignedChunksWithTrailer;
///
/// let (_, mut encoder) = sign_chunked_request(&signer, &mut request, payload, now)?;
/// let mut body = Vec::new();
/// encoder.push(b"hello", &mut body)?;
/// encoder.finish(&[("x-amz-checksum-crc32", "NhCmhg==")], &mut body)?;
/// assert_eq!(body, b"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n");
/// assert!(request.headers().contains_key("authorization"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sign_chunked_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    payload: StreamingPayload,
    now: SystemTime,
) -> Result<(Signed, ChunkedEncoder), SignError> {
    set_host(request)?;
    let list = HeaderList::from(&*request);
    let (signed, encoder) = signer.sign_chunked(&list.request(), payload, now)?;
    set_signed(request, &signed)?;
    Ok((signed, encoder))
}

/// Signs a request whose body will be an event stream and sets the headers on it, as
/// [`sign_request`](crate::sign_request) does; what comes back signs and wraps the messages.
///
/// # Errors
/// As [`Signer::sign_events`].
pub fn sign_events_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    now: SystemTime,
) -> Result<(Signed, EventSigner), SignError> {
    set_host(request)?;
    let list = HeaderList::from(&*request);
    let (signed, events) = signer.sign_events(&list.request(), now)?;
    set_signed(request, &signed)?;
    Ok((signed, events))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::claim::Claim;
    use crate::credentials::{Credentials, Secret};
    use crate::key::SigningKey;
    use crate::verify::VerifySettings;

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    fn signer() -> Signer {
        Signer::new(Credentials::new("test", "test"), "us-east-1", "s3")
    }

    #[test]
    fn a_chunked_request_verifies() {
        let mut request = HttpRequest::put("http://a/")
            .header("x-amz-decoded-content-length", 2)
            .body(())
            .unwrap();
        let payload = StreamingPayload::SignedChunks;
        let (_, mut encoder) =
            sign_chunked_request(&signer(), &mut request, payload, now()).unwrap();
        let mut body = Vec::new();
        encoder.push(b"hi", &mut body).unwrap();
        encoder.finish(&[], &mut body).unwrap();

        let list = HeaderList::from(&request);
        let request = list.request();
        let claim = Claim::parse(&request).unwrap();
        let key = SigningKey::derive(&Secret::new("test"), claim.scope());
        let settings = VerifySettings::default();
        let (_, mut decoder) = claim
            .verify_chunked(&request, &key, now(), &settings)
            .unwrap();
        let mut input = &body[..];
        while decoder.decode(&mut input).unwrap().is_some() {}
        assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn an_event_stream_verifies() {
        let mut request = HttpRequest::post("http://a/").body(()).unwrap();
        let (_, mut events) = sign_events_request(&signer(), &mut request, now()).unwrap();
        let mut body = Vec::new();
        events.push(b"", now(), &mut body).unwrap();

        let list = HeaderList::from(&request);
        let request = list.request();
        let claim = Claim::parse(&request).unwrap();
        let settings = VerifySettings::default();
        let secret = Secret::new("test");
        let (_, mut verifier) = claim
            .verify_events(&request, &secret, now(), &settings)
            .unwrap();
        assert!(verifier.decode(&mut &body[..], now()).unwrap().is_some());
        assert_eq!(verifier.finish(), Ok(()));
    }

    #[test]
    fn a_refused_request_has_no_new_headers_but_its_host() {
        let mut request = HttpRequest::put("http://a/").body(()).unwrap();
        let payload = StreamingPayload::SignedChunks;
        assert!(sign_chunked_request(&signer(), &mut request, payload, now()).is_err());
        assert_eq!(request.headers().len(), 1);
    }
}
