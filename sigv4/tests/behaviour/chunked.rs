//! `aws-chunked` bodies: the published examples, what is encoded decodes however it is cut, and
//! nothing that was changed comes through.

mod faults;
mod properties;

use std::num::NonZeroUsize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sigv4::{
    ChunkedDecoder, ChunkedEncoder, ChunkedError, ChunkedEvent, ChunkedFault, ChunkedHeadError,
    Claim, Coverage, Credentials, EncodeError, PathEncoding, PathNormalization, Payload, Request,
    Secret, Settings, SignError, Signed, Signer, SigningKey, StreamingPayload, UnsignedPayload,
    Verified, VerifyChunkedError, VerifyError, VerifySettings,
};

const SIGNED: StreamingPayload = StreamingPayload::SignedChunks;
const SIGNED_TRAILER: StreamingPayload = StreamingPayload::SignedChunksWithTrailer;
const UNSIGNED_TRAILER: StreamingPayload = StreamingPayload::UnsignedChunksWithTrailer;

const ID: &str = "AKIAIOSFODNN7EXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// 20130524T000000Z, the time of Amazon's examples.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_369_353_600)
}

fn signer() -> Signer {
    let settings = Settings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs);
    Signer::new(Credentials::new(ID, SECRET), "us-east-1", "s3").with_settings(settings)
}

fn verify_settings() -> VerifySettings {
    VerifySettings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs)
        .with_unsigned_payload(UnsignedPayload::Allowed)
}

/// A request to upload something, as its sender and its receiver hold it.
#[derive(Clone)]
struct Upload {
    payload: StreamingPayload,
    headers: Vec<(String, String)>,
}

impl Upload {
    fn new(payload: StreamingPayload, decoded_length: usize, trailers: &str) -> Self {
        let mut headers = vec![
            ("Host".to_owned(), "s3.amazonaws.com".to_owned()),
            ("Content-Encoding".to_owned(), "aws-chunked".to_owned()),
            (
                "x-amz-decoded-content-length".to_owned(),
                decoded_length.to_string(),
            ),
        ];
        if !trailers.is_empty() {
            headers.push(("x-amz-trailer".to_owned(), trailers.to_owned()));
        }
        Self { payload, headers }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn with_request<T>(&self, act: impl FnOnce(&Request<'_>) -> T) -> T {
        let headers: Vec<(&str, &[u8])> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        act(&Request::new(
            "PUT",
            "/examplebucket/chunkObject.txt",
            &headers,
        ))
    }

    fn sign(&self) -> Result<(Signed, ChunkedEncoder), SignError> {
        self.with_request(|request| signer().sign_chunked(request, self.payload, now()))
    }

    /// The request as it is sent.
    fn signed(mut self) -> (Self, ChunkedEncoder) {
        let (signed, encoder) = self.sign().unwrap();
        let set = signed.headers().map(|(n, v)| (n.to_owned(), v.to_owned()));
        self.headers.extend(set);
        (self, encoder)
    }

    fn verify(
        &self,
        settings: &VerifySettings,
    ) -> Result<(Verified, ChunkedDecoder), VerifyChunkedError> {
        self.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
            claim.verify_chunked(request, &key, now(), settings)
        })
    }

    fn decoder(&self) -> ChunkedDecoder {
        self.verify(&verify_settings()).unwrap().1
    }
}

/// What came out of a decoder: the data, and the trailers if it came to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Decoded {
    data: Vec<u8>,
    trailers: Option<Vec<(String, String)>>,
    /// How long each piece of data was.
    pieces: Vec<usize>,
    error: Option<ChunkedError>,
}

fn decode<'a>(mut decoder: ChunkedDecoder, pushes: impl Iterator<Item = &'a [u8]>) -> Decoded {
    let mut decoded = Decoded::default();
    for mut input in pushes {
        loop {
            match decoder.decode(&mut input) {
                Ok(None) => {
                    assert!(input.is_empty(), "none means that all was read");
                    break;
                }
                Ok(Some(ChunkedEvent::Data(data))) => {
                    assert!(!data.is_empty() && decoded.trailers.is_none());
                    decoded.data.extend_from_slice(data);
                    decoded.pieces.push(data.len());
                }
                Ok(Some(ChunkedEvent::End { trailers })) => {
                    let trailers = trailers.iter().cloned();
                    let trailers = trailers
                        .map(|trailer| (trailer.name, trailer.value))
                        .collect();
                    assert_eq!(decoded.trailers.replace(trailers), None, "one end");
                }
                Err(error) => {
                    assert_eq!(decoder.decode(&mut &b"0"[..]).err(), Some(error.clone()));
                    assert_eq!(decoder.finish(), Err(error.clone()));
                    decoded.error = Some(error);
                    return decoded;
                }
            }
        }
    }
    decoded.error = decoder.finish().err();
    decoded
}

fn decode_whole(decoder: ChunkedDecoder, body: &[u8]) -> Decoded {
    decode(decoder, std::iter::once(body))
}

fn fault(decoder: ChunkedDecoder, body: &[u8]) -> ChunkedFault {
    decode_whole(decoder, body).error.unwrap().fault
}

fn chunk_size(bytes: usize) -> NonZeroUsize {
    NonZeroUsize::new(bytes).unwrap()
}

fn encode(encoder: ChunkedEncoder, data: &[u8], trailers: &[(&str, &str)]) -> Vec<u8> {
    let (mut encoder, mut body) = (encoder, Vec::new());
    encoder.push(data, &mut body).unwrap();
    encoder.finish(trailers, &mut body).unwrap();
    body
}

/// Source: Amazon S3 API Reference, "Signature calculations for the Authorization header:
/// Transferring payload in multiple chunks", the example PUT Object.
#[test]
fn the_published_upload_is_signed_and_verified() {
    let size = chunk_size(64 * 1024);
    let length = SIGNED.encoded_length(66_560, size, &[]).unwrap();
    assert_eq!(length, 66_824);
    let upload = Upload::new(SIGNED, 66_560, "")
        .with("x-amz-storage-class", "REDUCED_REDUNDANCY")
        .with("Content-Length", &length.to_string());
    let (signed, _) = upload.sign().unwrap();
    assert_eq!(
        signed.headers().next().unwrap().1,
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
         SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;\
         x-amz-decoded-content-length;x-amz-storage-class, \
         Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
    );
    let data = [b'a'; 66_560];
    let (upload, encoder) = upload.signed();
    let body = encode(encoder, &data, &[]);
    let expected = [
        &b"10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n"[..],
        &data[..65_536],
        b"\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n",
        &data[..1024],
        b"\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n",
    ]
    .concat();
    assert!(body == expected);
    assert_eq!(u64::try_from(body.len()), Ok(length));

    let (verified, decoder) = upload.verify(&verify_settings()).unwrap();
    assert_eq!(verified.payload, Coverage::Signed);
    assert_eq!(decoder.decoded_length(), 66_560);
    let decoded = decode_whole(decoder, &body);
    assert!(decoded.data == data && decoded.error.is_none());
    assert_eq!(decoded.pieces, [65_536, 1024]);
    assert_eq!(decoded.trailers, Some(Vec::new()));
}

/// Source: Amazon S3 API Reference, "Signature calculations for trailing headers (chunked
/// uploads)", the example PUT Object.
#[test]
fn the_published_upload_with_a_trailer_is_signed_and_verified() {
    let name = "x-amz-checksum-crc32c";
    let upload =
        Upload::new(SIGNED_TRAILER, 66_560, name).with("x-amz-storage-class", "REDUCED_REDUNDANCY");
    let (signed, _) = upload.sign().unwrap();
    assert_eq!(
        signed.signature().as_str(),
        "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"
    );
    let data = [b'a'; 66_560];
    let (upload, encoder) = upload.signed();
    let body = encode(encoder, &data, &[(name, "sOO8/Q==")]);
    let chunks = [
        &b"10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n"[..],
        &data[..65_536],
        b"\r\n400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n",
        &data[..1024],
        b"\r\n0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n",
    ]
    .concat();
    let trailer = b"x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:\
        d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n";
    assert!(body == [&chunks[..], trailer].concat());
    let length = SIGNED_TRAILER.encoded_length(66_560, chunk_size(64 * 1024), &[(name, 8)]);
    assert_eq!(length, u64::try_from(body.len()).ok());

    // As others write it: line feeds alone, blank lines between, no blank line at the end.
    let signature = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435";
    for end in [
        String::from_utf8(trailer.to_vec()).unwrap(),
        format!("x-amz-checksum-crc32c:sOO8/Q==\n\r\nx-amz-trailer-signature:{signature}\r\n\r\n"),
        format!(
            "\r\nX-Amz-Checksum-CRC32C: sOO8/Q== \r\n\r\n\r\nX-Amz-Trailer-Signature:{signature}\r\n"
        ),
    ] {
        let body = [&chunks[..], end.as_bytes()].concat();
        let decoded = decode_whole(upload.decoder(), &body);
        assert!(decoded.data == data);
        assert_eq!(decoded.error, None, "{end}");
        let trailer = (name.to_owned(), "sOO8/Q==".to_owned());
        assert_eq!(decoded.trailers, Some(vec![trailer]));
    }
}

#[test]
fn chunks_without_signatures_need_leave() {
    let (upload, encoder) = Upload::new(UNSIGNED_TRAILER, 5, "x-amz-checksum-crc32").signed();
    let body = encode(encoder, b"hello", &[("x-amz-checksum-crc32", "NhCmhg==")]);
    assert_eq!(
        body,
        b"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"
    );
    let refused = upload.verify(&verify_settings().with_unsigned_payload(UnsignedPayload::Refused));
    let expected = VerifyChunkedError::Request(VerifyError::UnsignedPayload);
    assert_eq!(refused.err(), Some(expected));
    let (verified, decoder) = upload.verify(&verify_settings()).unwrap();
    assert_eq!(verified.payload, Coverage::Unsigned);
    let announced: Vec<&str> = decoder.announced_trailers().collect();
    assert_eq!(announced, ["x-amz-checksum-crc32"]);
    let decoded = decode_whole(decoder, &body);
    assert_eq!((&decoded.data[..], decoded.error), (&b"hello"[..], None));
    // One more CR LF may follow.
    let decoded = decode_whole(upload.decoder(), &[&body[..], b"\r\n"].concat());
    assert_eq!(decoded.error, None);
    for more in ["\r", "\n", "\r\n\r", "\r\r", "0"] {
        let refused = fault(upload.decoder(), &[&body, more.as_bytes()].concat());
        assert_eq!(refused, ChunkedFault::AfterEnd, "{more:?}");
    }
}

#[test]
fn a_streamed_body_is_taken_by_its_own_verifier_alone() {
    let (upload, _) = Upload::new(SIGNED, 1, "").signed();
    upload.with_request(|request| {
        let claim = Claim::parse(request).unwrap();
        let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
        let refused = claim.verify(request, b"", &key, now(), &verify_settings());
        let claimed = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD".to_owned();
        assert_eq!(refused, Err(VerifyError::StreamingPayload { claimed }));
        let refused = claim.verify_events(request, &Secret::new(SECRET), now(), &verify_settings());
        assert!(refused.is_err());
    });
    let headers: [(&str, &[u8]); 1] = [("Host", b"a")];
    let request = Request::new("PUT", "/", &headers);
    let signed = signer().sign(&request, Payload::Bytes(b""), now()).unwrap();
    let headers: Vec<(&str, &[u8])> = headers
        .into_iter()
        .chain(
            signed
                .headers()
                .map(|(name, value)| (name, value.as_bytes())),
        )
        .collect();
    let request = Request::new("PUT", "/", &headers);
    let claim = Claim::parse(&request).unwrap();
    let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
    let refused = claim.verify_chunked(&request, &key, now(), &verify_settings());
    let expected = VerifyChunkedError::Head(ChunkedHeadError::NotChunked);
    assert_eq!(refused.err(), Some(expected));
}

#[test]
fn the_head_of_a_streamed_request_is_covered() {
    let (upload, _) = Upload::new(SIGNED_TRAILER, 5, "a").signed();
    assert!(upload.verify(&verify_settings()).is_ok());
    for (name, value) in [
        ("x-amz-decoded-content-length", "6"),
        ("x-amz-trailer", "b"),
        ("Host", "other"),
        ("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
        ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
    ] {
        let mut changed = upload.clone();
        let header = changed.headers.iter_mut().find(|(given, _)| given == name);
        value.clone_into(&mut header.unwrap().1);
        let refused = changed.verify(&verify_settings()).err();
        let is_mismatch = matches!(
            refused,
            Some(VerifyChunkedError::Request(
                VerifyError::SignatureMismatch { .. }
            ))
        );
        assert!(is_mismatch, "{name}: {refused:?}");
    }
}

#[test]
fn a_request_that_cannot_be_streamed_is_not_signed() {
    let refused = |upload: Upload| upload.sign().err();
    let head = |error| Some(SignError::ChunkedHead(error));
    let mut without = Upload::new(SIGNED, 1, "");
    without.headers.pop();
    assert_eq!(refused(without), head(ChunkedHeadError::LengthMissing));
    assert_eq!(
        refused(Upload::new(SIGNED_TRAILER, 1, "")),
        head(ChunkedHeadError::TrailersMissing)
    );
    assert_eq!(
        refused(Upload::new(StreamingPayload::SignedEvents, 1, "")),
        head(ChunkedHeadError::NotChunked)
    );
    let presigned = Upload::new(SIGNED, 1, "").with_request(|request| {
        let minute = Duration::from_secs(60);
        signer().presign(request, Payload::Streaming(SIGNED), now(), minute)
    });
    assert_eq!(presigned.err(), Some(SignError::StreamingPresigned));
}

#[test]
fn the_encoder_takes_what_was_announced() {
    let encoder = |length| Upload::new(SIGNED_TRAILER, length, "a, B").signed().1;
    let mut out = Vec::new();
    let mut short = encoder(3);
    assert_eq!(
        short.push(b"four", &mut out),
        Err(EncodeError::TooLong { declared: 3 })
    );
    short.push(b"12", &mut out).unwrap();
    let (declared, actual) = (3, 2);
    let expected = EncodeError::TooShort { declared, actual };
    assert_eq!(
        short.finish(&[("a", "1"), ("b", "2")], &mut out),
        Err(expected)
    );
    let end = |trailers: &[(&str, &str)]| encoder(0).finish(trailers, &mut Vec::new());
    assert_eq!(end(&[("B", "1 2"), ("A", "x")]), Ok(()));
    let name = |name: &str| name.to_owned();
    assert_eq!(
        end(&[("a", "1")]),
        Err(EncodeError::TrailerMissing { name: name("b") })
    );
    assert_eq!(
        end(&[("a", "1"), ("b", "2"), ("c", "3")]),
        Err(EncodeError::TrailerNotAnnounced { name: name("c") })
    );
    assert_eq!(
        end(&[("a", "1"), ("b", "2"), ("A", "3")]),
        Err(EncodeError::TrailerRepeated { name: name("a") })
    );
    for wrong in ["", " ", " x", "x ", "a\r\nb:c", "é", "\0"] {
        let expected = EncodeError::TrailerValue { name: name("a") };
        assert_eq!(end(&[("a", wrong), ("b", "2")]), Err(expected), "{wrong:?}");
    }
    assert!(out.is_empty(), "what was refused wrote nothing");
}

#[test]
fn nothing_shows_data_or_signatures() {
    let (upload, mut encoder) = Upload::new(SIGNED, 6, "").signed();
    let mut out = Vec::new();
    encoder.push(b"hush", &mut out).unwrap();
    let decoder = upload.decoder();
    let body = String::from_utf8(encode(encoder, b"!!", &[])).unwrap();
    let event = ChunkedEvent::Data(b"hush");
    let wrong = body.replace("hush", "HUSH");
    let error = decode_whole(upload.decoder(), wrong.as_bytes())
        .error
        .unwrap();
    let shown = format!("{decoder:?} {event:?} {error:?} {error}");
    let signature = &upload
        .headers
        .iter()
        .find(|(name, _)| name == "Authorization")
        .unwrap()
        .1;
    let signature = signature.rsplit('=').next().unwrap();
    assert!(
        !shown.contains(&signature[..8]) && !shown.to_lowercase().contains("hush"),
        "{shown}"
    );
}
