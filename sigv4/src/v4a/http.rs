//! Signing `http` types by SigV4a.

use ::http::Request as HttpRequest;
use std::time::{Duration, SystemTime};

use super::signature::Signature;
use super::signer::Signer;
use crate::chunked::ChunkedEncoder;
use crate::error::SignError;
use crate::http::{HeaderList, set_host, set_presigned, set_signed};
use crate::presign::Presigned;
use crate::request::Payload;
use crate::sign::Signed;
use crate::streaming::StreamingPayload;

/// Signs a request in the header form and sets the headers on it, as [`crate::sign_request`] does.
///
/// # Errors
/// As [`Signer::sign`].
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::{Credentials, Payload, v4a};
///
/// let regions = v4a::RegionSet::parse("*")?;
/// let signer = v4a::Signer::new(Credentials::new("test", "test"), regions, "s3")?;
/// let mut request = http::Request::get("https://example.com/").body(()).unwrap();
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
/// v4a::sign_request(&signer, &mut request, Payload::Bytes(b""), now)?;
/// assert_eq!(request.headers()["x-amz-region-set"], "*");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sign_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    payload: Payload<'_>,
    now: SystemTime,
) -> Result<Signed<Signature>, SignError> {
    set_host(request)?;
    let signed = signer.sign(&HeaderList::from(&*request).request(), payload, now)?;
    set_signed(request, &signed)?;
    Ok(signed)
}

/// Signs a request in the query form and gives it its new URI, as [`crate::presign_request`] does.
///
/// # Errors
/// As [`Signer::presign`], and [`SignError::Uri`] when the new URI is too long for the `http` type.
pub fn presign_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    payload: Payload<'_>,
    now: SystemTime,
    expires: Duration,
) -> Result<Presigned<Signature>, SignError> {
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

/// Signs a request whose body will be `aws-chunked` and sets the headers on it, as
/// [`crate::sign_chunked_request`] does; the encoder makes the body.
///
/// # Errors
/// As [`Signer::sign_chunked`].
pub fn sign_chunked_request<B>(
    signer: &Signer,
    request: &mut HttpRequest<B>,
    payload: StreamingPayload,
    now: SystemTime,
) -> Result<(Signed<Signature>, ChunkedEncoder), SignError> {
    set_host(request)?;
    let list = HeaderList::from(&*request);
    let (signed, encoder) = signer.sign_chunked(&list.request(), payload, now)?;
    set_signed(request, &signed)?;
    Ok((signed, encoder))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::credentials::Credentials;
    use crate::v4a::{Claim, RegionSet};
    use crate::verify::VerifySettings;

    #[test]
    fn what_is_signed_in_either_form_verifies_and_can_be_signed_again() {
        let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        let regions = RegionSet::parse("*").unwrap();
        let credentials = Credentials::new("AKID", "secret").with_session_token("hush");
        let signer = Signer::new(credentials, regions, "s3").unwrap();
        let mut request = HttpRequest::put("https://example.com/a%20b?c=%2B")
            .body(())
            .unwrap();
        let verified = |request: &HttpRequest<()>, body: &[u8]| {
            let list = HeaderList::from(request);
            let claim = Claim::parse(&list.request()).unwrap();
            let settings = VerifySettings::default();
            claim
                .verify(&list.request(), body, signer.public_key(), now, &settings)
                .is_ok()
        };
        for _again in 0..2 {
            let _ = sign_request(&signer, &mut request, Payload::Bytes(b"{}"), now).unwrap();
            assert_eq!(request.headers().len(), 5, "{request:?}");
            assert!(verified(&request, b"{}") && !verified(&request, b""));
        }
        for _again in 0..2 {
            let minute = Duration::from_secs(60);
            let _ =
                presign_request(&signer, &mut request, Payload::Bytes(b"{}"), now, minute).unwrap();
            assert_eq!(request.headers().len(), 1, "{request:?}");
            assert!(verified(&request, b"{}") && !verified(&request, b""));
        }
    }

    #[test]
    fn a_body_in_chunks_verifies() {
        let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        let regions = RegionSet::parse("*").unwrap();
        let signer = Signer::new(Credentials::new("AKID", "secret"), regions, "s3").unwrap();
        let mut request = HttpRequest::put("https://example.com/a")
            .header("x-amz-decoded-content-length", 2)
            .body(())
            .unwrap();
        let payload = StreamingPayload::SignedChunks;
        let (_, mut encoder) = sign_chunked_request(&signer, &mut request, payload, now).unwrap();
        let mut body = Vec::new();
        encoder.push(b"hi", &mut body).unwrap();
        encoder.finish(&[], &mut body).unwrap();

        let list = HeaderList::from(&request);
        let claim = Claim::parse(&list.request()).unwrap();
        let settings = VerifySettings::default();
        let (_, mut decoder) = claim
            .verify_chunked(&list.request(), signer.public_key(), now, &settings)
            .unwrap();
        let mut input = &body[..];
        while decoder.decode(&mut input).unwrap().is_some() {}
        assert!(decoder.finish().is_ok());
    }
}
