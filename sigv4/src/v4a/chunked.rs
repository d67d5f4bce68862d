//! `aws-chunked` bodies under SigV4a.

use std::num::NonZeroUsize;
use std::time::SystemTime;

use super::claim::Claim;
use super::key::{PrivateKey, PublicKey};
use super::signature::{DIGITS_MAX, Signature};
use super::signer::Signer;
use crate::canonical::StringToSign;
use crate::chain::{CheckPieces, Link, Piece, SignPieces};
use crate::chunked::{ChunkedDecoder, ChunkedEncoder, VerifyChunkedError};
use crate::error::SignError;
use crate::request::{Payload, Request};
use crate::scope::Scope;
use crate::sign::Signed;
use crate::streaming::{ChunkedHead, ChunkedHeadError, StreamingPayload};
use crate::time::DateTime;
use crate::verify::{Verified, VerifySettings};

/// What a signature of a piece is filled up with, at its end, so that the length of a body can be known
/// before it is signed.
const PADDING: char = '*';

impl Signer {
    /// Signs a request whose body will be `aws-chunked`, as [`crate::Signer::sign_chunked`] does: what
    /// it says of headers holds here too. `Content-Length` is what [`encoded_length`] computes.
    ///
    /// # Errors
    /// As [`crate::Signer::sign_chunked`].
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Credentials, Request, StreamingPayload, v4a};
    ///
    /// let regions = v4a::RegionSet::parse("*")?;
    /// let signer = v4a::Signer::new(Credentials::new("test", "test"), regions, "s3")?;
    /// let headers: [(&str, &[u8]); 2] =
    ///     [("Host", b"example.com"), ("x-amz-decoded-content-length", b"5")];
    /// let request = Request::new("PUT", "/key", &headers);
    /// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    ///
    /// let (signed, mut encoder) =
    ///     signer.sign_chunked(&request, StreamingPayload::SignedChunks, now)?;
    /// let announced = signed.headers().last().unwrap();
    /// assert_eq!(announced.1, "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD");
    /// let mut body = Vec::new();
    /// encoder.push(b"hello", &mut body)?;
    /// encoder.finish(&[], &mut body)?;
    /// assert!(body.starts_with(b"5;chunk-signature=30"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sign_chunked(
        &self,
        request: &Request<'_>,
        payload: StreamingPayload,
        now: SystemTime,
    ) -> Result<(Signed<Signature>, ChunkedEncoder), SignError> {
        let head = ChunkedHead::parse(request, payload)?;
        let signed = self.sign(request, Payload::Streaming(payload), now)?;
        let chain: Option<Box<dyn SignPieces>> = if payload.is_signed() {
            Some(Box::new(Chain {
                key: self.key().clone(),
                scope: Scope::without_region(signed.at, self.service())?,
                at: signed.at,
                previous: signed.signature().as_str().to_owned(),
            }))
        } else {
            None
        };
        Ok((signed, ChunkedEncoder::new(head, chain)))
    }
}

impl Claim {
    /// Checks the claim against a request whose body is `aws-chunked` and still to come, as
    /// [`crate::Claim::verify_chunked`] does, and gives the decoder of that body.
    ///
    /// # Errors
    /// As [`crate::Claim::verify_chunked`].
    pub fn verify_chunked(
        &self,
        request: &Request<'_>,
        key: &PublicKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<(Verified, ChunkedDecoder), VerifyChunkedError> {
        let payload = StreamingPayload::of(request).ok_or(ChunkedHeadError::NotChunked)?;
        let head = ChunkedHead::parse(request, payload)?;
        let verified = self.verify_head(request, payload, key, now, settings)?;
        let chain: Option<Box<dyn CheckPieces>> = if payload.is_signed() {
            Some(Box::new(Chain {
                key: *key,
                scope: self.scope().clone(),
                at: self.date_time(),
                previous: self.signature().to_owned(),
            }))
        } else {
            None
        };
        Ok((verified, ChunkedDecoder::new(head, chain)))
    }
}

/// How long a body is once it is `aws-chunked` by SigV4a, whose signatures are longer:
/// [`StreamingPayload::encoded_length`] says the rest.
///
/// ```
/// use std::num::NonZeroUsize;
/// use sigv4::{StreamingPayload, v4a};
///
/// let size = NonZeroUsize::new(65_536).unwrap();
/// let length = v4a::encoded_length(StreamingPayload::SignedChunks, 66_560, size, &[]);
/// assert_eq!(length, Some(66_824 + 3 * (144 - 64)));
/// ```
#[must_use]
pub fn encoded_length(
    payload: StreamingPayload,
    decoded: u64,
    chunk_size: NonZeroUsize,
    trailers: &[(&str, usize)],
) -> Option<u64> {
    payload.encoded_length_with(DIGITS_MAX as u64, decoded, chunk_size, trailers)
}

/// The signatures of a body's pieces, each over the one before. In the text to sign they stand
/// without padding, in the body with it.
struct Chain<K> {
    key: K,
    scope: Scope,
    at: DateTime,
    previous: String,
}

impl<K> Chain<K> {
    fn string_to_sign(&self, piece: &Piece) -> StringToSign {
        let link = Link {
            at: self.at,
            scope: &self.scope,
            previous: &self.previous,
            piece,
        };
        link.to_string_to_sign()
    }
}

impl SignPieces for Chain<PrivateKey> {
    fn sign_next(&mut self, piece: &Piece) -> String {
        let signature = self.key.sign(&self.string_to_sign(piece));
        self.previous = signature.as_str().to_owned();
        let mut padded = self.previous.clone();
        while padded.len() < DIGITS_MAX {
            padded.push(PADDING);
        }
        padded
    }
}

impl CheckPieces for Chain<PublicKey> {
    fn check_next(&mut self, piece: &Piece, claimed: &str) -> Result<(), StringToSign> {
        let string_to_sign = self.string_to_sign(piece);
        let claimed = claimed.trim_end_matches(PADDING);
        match claimed.parse() {
            Ok(signature) if self.key.verifies(string_to_sign.as_str(), &signature) => {
                self.previous.clear();
                self.previous.push_str(claimed);
                Ok(())
            }
            Ok(_) | Err(_) => Err(string_to_sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::chain::sha256;
    use crate::chunked::{ChunkedError, ChunkedEvent, ChunkedFault};
    use crate::credentials::Credentials;
    use crate::v4a::RegionSet;
    use crate::verify::UnsignedPayload;

    const BODY: &[u8] = &[b'a'; 66_560];

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_369_353_600)
    }

    fn signer() -> Signer {
        let regions = RegionSet::parse("us-east-1").unwrap();
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        Signer::new(
            Credentials::new("AKIAIOSFODNN7EXAMPLE", secret),
            regions,
            "s3",
        )
        .unwrap()
    }

    /// The headers of a signed request, and its body.
    type Sent = (Vec<(String, Vec<u8>)>, Vec<u8>);

    fn send(payload: StreamingPayload, trailers: &[(&str, &str)]) -> Sent {
        let names: Vec<&str> = trailers.iter().map(|(name, _)| *name).collect();
        let names = names.join(",");
        let mut headers: Vec<(&str, &[u8])> =
            vec![("Host", b"a"), ("x-amz-decoded-content-length", b"66560")];
        if !trailers.is_empty() {
            headers.push(("x-amz-trailer", names.as_bytes()));
        }
        let request = Request::new("PUT", "/key", &headers);
        let (signed, mut encoder) = signer().sign_chunked(&request, payload, now()).unwrap();
        let mut body = Vec::new();
        encoder.push(BODY, &mut body).unwrap();
        encoder.finish(trailers, &mut body).unwrap();
        let added = signed
            .headers()
            .map(|(name, value)| (name, value.as_bytes()));
        let all = headers.iter().copied().chain(added);
        let all = all.map(|(name, value)| (name.to_owned(), value.to_vec()));
        (all.collect(), body)
    }

    fn receive(sent: &Sent, settings: &VerifySettings) -> Result<Vec<u8>, ChunkedError> {
        let headers: Vec<(&str, &[u8])> = sent
            .0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
            .collect();
        let request = Request::new("PUT", "/key", &headers);
        let claim = Claim::parse(&request).unwrap();
        let key = *signer().public_key();
        let (_, mut decoder) = claim
            .verify_chunked(&request, &key, now(), settings)
            .unwrap();
        let mut received = Vec::new();
        for mut input in sent.1.chunks(10_000) {
            while let Some(event) = decoder.decode(&mut input)? {
                if let ChunkedEvent::Data(data) = event {
                    received.extend_from_slice(data);
                }
            }
        }
        decoder.finish()?;
        Ok(received)
    }

    #[test]
    fn a_body_arrives_as_it_was_in_its_computed_length() {
        let size = NonZeroUsize::new(65_536).unwrap();
        let trailers = [("x-amz-checksum-crc32", "NhCmhg==")];
        for (payload, trailers) in [
            (StreamingPayload::SignedChunks, &[][..]),
            (StreamingPayload::SignedChunksWithTrailer, &trailers[..]),
            (StreamingPayload::UnsignedChunksWithTrailer, &trailers[..]),
        ] {
            let sent = send(payload, trailers);
            let lengths: Vec<(&str, usize)> = trailers
                .iter()
                .map(|(name, value)| (*name, value.len()))
                .collect();
            let length = encoded_length(payload, 66_560, size, &lengths);
            assert_eq!(length, Some(sent.1.len() as u64), "{payload}");
            let settings =
                VerifySettings::default().with_unsigned_payload(UnsignedPayload::Allowed);
            assert_eq!(receive(&sent, &settings).unwrap(), BODY, "{payload}");
        }
    }

    #[test]
    fn a_signature_is_padded_in_the_body_and_bare_in_the_next_text() {
        let sent = send(StreamingPayload::SignedChunks, &[]);
        let line = sent.1.split(|&byte| byte == b'\r').next().unwrap();
        let line = std::str::from_utf8(line).unwrap();
        let padded = line.strip_prefix("10000;chunk-signature=").unwrap();
        assert_eq!(padded.len(), 144);
        let bare = padded.trim_end_matches('*');
        assert!(bare.parse::<Signature>().is_ok());

        let mut chain = Chain {
            key: *signer().public_key(),
            scope: Scope::without_region(DateTime::from_system_time(now()).unwrap(), "s3").unwrap(),
            at: DateTime::from_system_time(now()).unwrap(),
            previous: "3006020101020101".to_owned(),
        };
        let chunk = Piece::Chunk(sha256(&[b'a'; 65_536]));
        // The layout of aws-c-auth's tests, with the hash of the chunk that Amazon S3's example has.
        let expected = "AWS4-ECDSA-P256-SHA256-PAYLOAD\n20130524T000000Z\n20130524/s3/aws4_request\n\
                        3006020101020101\n\
                        e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n\
                        bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a";
        assert_eq!(chain.string_to_sign(&chunk).as_str(), expected);
        let request = &sent
            .0
            .iter()
            .find(|(name, _)| name == "Authorization")
            .unwrap()
            .1;
        let request = std::str::from_utf8(request).unwrap();
        chain.previous = request.split_once("Signature=").unwrap().1.to_owned();
        assert!(chain.check_next(&chunk, padded).is_ok());
        assert_eq!(chain.previous, bare);
        let last = chain.string_to_sign(&Piece::Chunk(sha256(b"")));
        assert!(last.as_str().contains(&format!("\n{bare}\n")));
    }

    /// Source: aws-c-auth, `tests/test_chunked_signing.c`, the two uploads by SigV4a: the canonical
    /// requests, the texts to sign but for the signature in each, and the public key.
    #[test]
    fn the_published_uploads_are_signed() {
        let key = PublicKey::from_hex_coordinates(
            "18b7d04643359f6ec270dcbab8dce6d169d66ddc9778c75cfb08dfdb701637ab",
            "fa36b35e4fe67e3112261d2e17a956ef85b06e44712d2850bcd3c2161e9993f2",
        )
        .unwrap();
        assert_eq!(*signer().public_key(), key);
        for (payload, announced, trailer_line, trailer_name) in [
            (
                StreamingPayload::SignedChunks,
                "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD",
                "",
                "",
            ),
            (
                StreamingPayload::SignedChunksWithTrailer,
                "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER",
                "x-amz-trailer:first,second,third\n",
                ";x-amz-trailer",
            ),
        ] {
            let headers: [(&str, &[u8]); 6] = [
                ("host", b"s3.amazonaws.com"),
                ("x-amz-storage-class", b"REDUCED_REDUNDANCY"),
                ("Content-Encoding", b"aws-chunked"),
                ("x-amz-decoded-content-length", b"66560"),
                ("Content-Length", b"66824"),
                ("x-amz-trailer", b"first,second,third"),
            ];
            let headers = &headers[..if payload.has_trailer() { 6 } else { 5 }];
            let request = Request::new("PUT", "/examplebucket/chunkObject.txt", headers);
            let (signed, mut encoder) = signer().sign_chunked(&request, payload, now()).unwrap();
            assert_eq!(
                signed.canonical_request().to_string(),
                format!(
                    "PUT\n/examplebucket/chunkObject.txt\n\ncontent-encoding:aws-chunked\n\
                     content-length:66824\nhost:s3.amazonaws.com\n\
                     x-amz-content-sha256:{announced}\nx-amz-date:20130524T000000Z\n\
                     x-amz-decoded-content-length:66560\nx-amz-region-set:us-east-1\n\
                     x-amz-storage-class:REDUCED_REDUNDANCY\n{trailer_line}\n\
                     content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;\
                     x-amz-decoded-content-length;x-amz-region-set;x-amz-storage-class\
                     {trailer_name}\n{announced}"
                )
            );
            let all = [("third", "3rd"), ("first", "1st"), ("second", "2nd")];
            let trailers = if payload.has_trailer() { &all[..] } else { &[] };
            let mut body = Vec::new();
            encoder.push(BODY, &mut body).unwrap();
            encoder.finish(trailers, &mut body).unwrap();
            assert_signatures(&body, signed.signature().as_str(), &key);
        }
    }

    /// Each signature in a body is the key's, of the published text with the signature before it.
    fn assert_signatures(body: &[u8], seed: &str, key: &PublicKey) {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let of_chunk = |hash| ("PAYLOAD", format!("{nothing}\n{hash}"));
        let texts = [
            of_chunk("bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a"),
            of_chunk("2edc986847e209b4016e141a6dc8716d3207350f416969382d431539bf292e4a"),
            of_chunk(nothing),
            (
                "TRAILER",
                "83d8f190334fb741bc8daf73c891689d320bd8017756bc730c540021ed48001f".to_owned(),
            ),
        ];
        let body = std::str::from_utf8(body).unwrap();
        let lines = body.split("\r\n");
        let padded = lines.filter_map(|line| line.split_once("-signature")?.1.get(1..));
        let mut previous = seed;
        let mut count = 0;
        for (padded, (kind, hashes)) in padded.zip(&texts) {
            let text = format!(
                "AWS4-ECDSA-P256-SHA256-{kind}\n20130524T000000Z\n20130524/s3/aws4_request\n\
                 {previous}\n{hashes}"
            );
            previous = padded.trim_end_matches('*');
            assert!(key.verifies(&text, &previous.parse().unwrap()), "{text}");
            count += 1;
        }
        assert_eq!(count, if body.contains("first:1st") { 4 } else { 3 });
    }

    #[test]
    fn what_was_changed_on_the_way_is_refused() {
        let trailers = [("x-amz-checksum-crc32", "NhCmhg==")];
        let sent = send(StreamingPayload::SignedChunksWithTrailer, &trailers);
        let settings = VerifySettings::default();
        assert!(receive(&sent, &settings).is_ok());
        let text = String::from_utf8(sent.1.clone()).unwrap();
        let lines: Vec<&str> = text.split("\r\n").collect();
        for (at, from, to) in [
            (1, "a", "b"),
            (3, "a", "b"),
            (5, "Nh", "Mh"),
            (0, "=30", "=31"),
            (0, "=30", "=*30"),
            (0, "=304", "=3*04"),
            (4, "=30", "=**"),
            (6, ":30", ":31"),
        ] {
            let mut changed: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            changed[at] = changed[at].replacen(from, to, 1);
            assert_ne!(changed[at], lines[at]);
            let other = (sent.0.clone(), changed.join("\r\n").into_bytes());
            let refused = receive(&other, &settings).unwrap_err().fault;
            assert!(
                matches!(refused, ChunkedFault::SignatureMismatch { .. }),
                "{at}: {refused:?}"
            );
        }
        // The second chunk in the place of the first.
        let moved = [&lines[2..4], &lines[..2], &lines[4..]]
            .concat()
            .join("\r\n");
        let refused = receive(&(sent.0, moved.into_bytes()), &settings).unwrap_err();
        assert!(matches!(
            refused.fault,
            ChunkedFault::SignatureMismatch { .. }
        ));
    }

    #[test]
    fn the_other_algorithms_announcement_is_refused() {
        let headers: [(&str, &[u8]); 5] = [
            ("Host", b"a"),
            ("x-amz-decoded-content-length", b"1"),
            (
                "x-amz-content-sha256",
                b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
            ),
            ("X-Amz-Date", b"20130524T000000Z"),
            ("X-Amz-Region-Set", b"*"),
        ];
        let authorization = b"AWS4-ECDSA-P256-SHA256 Credential=a/20130524/s3/aws4_request, \
            SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;\
            x-amz-region-set, Signature=00";
        let mut all = headers.to_vec();
        all.push(("Authorization", authorization));
        let request = Request::new("PUT", "/", &all);
        let claim = Claim::parse(&request).unwrap();
        let key = *signer().public_key();
        let refused = claim.verify_chunked(&request, &key, now(), &VerifySettings::default());
        let claimed = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD".to_owned();
        let expected = crate::error::VerifyError::StreamingPayload { claimed };
        assert_eq!(refused.err(), Some(VerifyChunkedError::Request(expected)));
    }
}
