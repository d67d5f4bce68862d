//! `aws-chunked`: a body in chunks, each behind a line with its size and its signature, and perhaps
//! trailers after the last.

mod decode;
mod encode;
mod error;

use std::time::SystemTime;

pub use self::decode::{ChunkLimits, ChunkedDecoder, ChunkedEvent, Trailer};
pub use self::encode::ChunkedEncoder;
pub use self::error::{ChunkedError, ChunkedFault, EncodeError, VerifyChunkedError};

use crate::chain::{CheckPieces, ChunkSigner, SignPieces};
use crate::claim::Claim;
use crate::error::SignError;
use crate::key::{Signature, SigningKey};
use crate::request::{Payload, Request};
use crate::sign::{Signed, Signer};
use crate::streaming::{ChunkedHead, ChunkedHeadError, StreamingPayload};
use crate::verify::{Verified, VerifySettings};

impl Signer {
    /// Signs, in the header form, a request whose body will be `aws-chunked`, and gives the encoder
    /// that signs and frames that body.
    ///
    /// The request must carry `x-amz-decoded-content-length`, the body's own length, and for a
    /// payload with trailers `x-amz-trailer`, their names. Amazon S3 also wants
    /// `Content-Encoding: aws-chunked`, and a `Content-Length` that
    /// [`StreamingPayload::encoded_length`] computes. `x-amz-content-sha256` is added whatever the
    /// settings say.
    ///
    /// # Errors
    /// [`SignError`], as for [`sign`](Self::sign), and [`SignError::ChunkedHead`] if one of these
    /// headers is missing or malformed, or the payload is of events.
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Credentials, Request, Signer, StreamingPayload};
    ///
    /// let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "s3");
    /// let headers: [(&str, &[u8]); 3] = [
    ///     ("Host", b"bucket.s3.amazonaws.com"),
    ///     ("Content-Encoding", b"aws-chunked"),
    ///     ("x-amz-decoded-content-length", b"11"),
    /// ];
    /// let request = Request::new("PUT", "/key", &headers);
    /// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    ///
    /// let payload = StreamingPayload::SignedChunks;
    /// let (signed, mut encoder) = signer.sign_chunked(&request, payload, now)?;
    /// assert_eq!(signed.headers().last().unwrap().1, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
    /// let mut body = Vec::new();
    /// encoder.push(b"hello ", &mut body)?;
    /// encoder.push(b"world", &mut body)?;
    /// encoder.finish(&[], &mut body)?;
    /// assert!(body.starts_with(b"b;chunk-signature="));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sign_chunked(
        &self,
        request: &Request<'_>,
        payload: StreamingPayload,
        now: SystemTime,
    ) -> Result<(Signed, ChunkedEncoder), SignError> {
        let head = ChunkedHead::parse(request, payload)?;
        let signed = self.sign(request, Payload::Streaming(payload), now)?;
        let day = self.day(signed.at)?;
        let chain = payload.is_signed().then(|| -> Box<dyn SignPieces> {
            let seed = *signed.signature();
            let (key, scope) = (day.key.clone(), day.scope.clone());
            Box::new(ChunkSigner::new(key, scope, signed.at, seed))
        });
        Ok((signed, ChunkedEncoder::new(head, chain)))
    }
}

impl Claim {
    /// Checks the claim against a request whose body is `aws-chunked` and still to come, and gives
    /// the decoder that checks and unframes that body.
    ///
    /// It checks what [`verify`](Self::verify) checks, in the same order, but that
    /// `x-amz-content-sha256` must announce such a body. One without signatures is accepted only
    /// with [`UnsignedPayload::Allowed`](crate::UnsignedPayload::Allowed).
    /// [`StreamingPayload::of`] tells beforehand which of the two to call. Before all else it reads
    /// the headers that go with such a body, without which there is nothing to decode.
    ///
    /// # Errors
    /// [`VerifyChunkedError::Request`] where `verify` would refuse, [`VerifyChunkedError::Head`] if
    /// the request announces no `aws-chunked` body, or lacks the headers that go with it.
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{ChunkedEvent, Claim, Request, Secret, SigningKey, VerifySettings};
    ///
    /// let headers: [(&str, &[u8]); 5] = [
    ///     ("Host", b"a"),
    ///     ("X-Amz-Date", b"20150830T123600Z"),
    ///     ("x-amz-content-sha256", b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
    ///     ("x-amz-decoded-content-length", b"2"),
    ///     ("Authorization", b"AWS4-HMAC-SHA256 Credential=test/20150830/us-east-1/s3/aws4_request, \
    ///         SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length, \
    ///         Signature=530c9469b88fc840675995bb090762441ae6bbd2279f7a521066d91a10a3501f"),
    /// ];
    /// let body = b"2;chunk-signature=a6cb7f09d3d904d3f72c8d3029ed9556a5f95835a6fabaab67efc315a9fde07d\r\nhi\r\n\
    ///     0;chunk-signature=fb160ffa5b91d4867a489970e235aa7d873568d4a50ead22c5a464ec7cfaf240\r\n\r\n";
    ///
    /// let request = Request::new("PUT", "/key", &headers);
    /// let claim = Claim::parse(&request)?;
    /// let key = SigningKey::derive(&Secret::new("test"), claim.scope());
    /// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    /// let settings = VerifySettings::default();
    ///
    /// let (_, mut decoder) = claim.verify_chunked(&request, &key, now, &settings)?;
    /// let mut received = Vec::new();
    /// for mut input in body.chunks(7) {
    ///     while let Some(event) = decoder.decode(&mut input)? {
    ///         match event {
    ///             ChunkedEvent::Data(data) => received.extend_from_slice(data),
    ///             ChunkedEvent::End { trailers } => assert!(trailers.is_empty()),
    ///         }
    ///     }
    /// }
    /// decoder.finish()?;
    /// assert_eq!(received, b"hi");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify_chunked(
        &self,
        request: &Request<'_>,
        key: &SigningKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<(Verified, ChunkedDecoder), VerifyChunkedError> {
        let payload = StreamingPayload::of(request).ok_or(ChunkedHeadError::NotChunked)?;
        let head = ChunkedHead::parse(request, payload)?;
        let verified = self.verify_head(request, payload, key, now, settings)?;
        let chain: Option<Box<dyn CheckPieces>> = if payload.is_signed() {
            // The signature was found equal to one computed here, so it reads like one.
            let seed = Signature::parse(self.signature()).ok_or(ChunkedHeadError::NotChunked)?;
            let scope = self.scope().clone();
            let chain = ChunkSigner::new(key.clone(), scope, self.date_time(), seed);
            Some(Box::new(chain))
        } else {
            None
        };
        Ok((verified, ChunkedDecoder::new(head, chain)))
    }
}
