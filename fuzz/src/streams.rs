//! Bodies that are signed piece by piece.

use std::num::NonZeroUsize;

use sigv4::{
    ChunkedDecoder, ChunkedError, ChunkedEvent, Claim, Credentials, EventVerifier, Request, Secret,
    Signed, Signer, SigningKey, StreamingPayload, Trailer, UnsignedPayload, VerifySettings,
};

use crate::wire::now;

/// The first byte chooses the kind of payload and whether the rest is a body as it came or what is to
/// be sent in one; the second is the length of the pieces it comes in, the third that of the body.
pub fn chunked(data: &[u8]) {
    let [choice, piece, length, rest @ ..] = data else {
        return;
    };
    let payload = match choice % 3 {
        0 => StreamingPayload::SignedChunks,
        1 => StreamingPayload::SignedChunksWithTrailer,
        _ => StreamingPayload::UnsignedChunksWithTrailer,
    };
    let piece = usize::from(*piece).max(1);
    if choice & 0x80 == 0 {
        any_body(payload, piece, u64::from(*length), rest);
    } else {
        sent_and_received(payload, piece, rest);
    }
}

/// The first byte chooses: the rest is a stream as it came, or headers and payload of one message that
/// is framed right, or messages to be sent.
pub fn events(data: &[u8]) {
    let [choice, rest @ ..] = data else {
        return;
    };
    match choice % 3 {
        0 => nothing_comes_out(rest),
        1 => {
            let at = rest.len().min(usize::from(*choice));
            nothing_comes_out(&framed(&rest[..at], &rest[at..]));
        }
        _ => events_sent_and_received(rest),
    }
}

/// How a body is received does not depend on the pieces it comes in, and of chunks that nobody
/// signed nothing comes out.
fn any_body(payload: StreamingPayload, piece: usize, length: u64, body: &[u8]) {
    let (signed, _) = chunks_of(payload, length);
    let whole = receive(signed.decoder(), body.chunks(body.len().max(1)));
    let pieces = receive(signed.decoder(), body.chunks(piece));
    assert_eq!(whole, pieces);
    assert!(whole.data.is_empty() || !payload.is_signed());
    assert!(u64::try_from(whole.data.len()).is_ok_and(|received| received <= length));
    assert_eq!(whole.end.is_ok(), whole.trailers.is_some());
}

fn sent_and_received(payload: StreamingPayload, piece: usize, body: &[u8]) {
    let (signed, encoder) = chunks_of(payload, body.len() as u64);
    let size = NonZeroUsize::new(piece).expect("at least 1");
    let mut encoder = encoder.with_chunk_size(size);
    let mut sent = Vec::new();
    for part in body.chunks(7) {
        encoder
            .push(part, &mut sent)
            .expect("no more than announced");
    }
    let trailers: &[(&str, &str)] = if payload.has_trailer() {
        &[("x-amz-checksum-crc32c", "sOO8/Q==")]
    } else {
        &[]
    };
    encoder
        .finish(trailers, &mut sent)
        .expect("all that was announced");
    let lengths: Vec<(&str, usize)> = trailers.iter().map(|(n, v)| (*n, v.len())).collect();
    let expected = payload.encoded_length(body.len() as u64, size, &lengths);
    assert_eq!(Some(sent.len() as u64), expected);

    let received = receive(signed.decoder(), sent.chunks(piece));
    assert_eq!((received.data.as_slice(), received.end), (body, Ok(())));
    assert_eq!(
        received.trailers.map(|trailers| trailers.len()),
        Some(trailers.len())
    );
    if payload.is_signed() {
        // One bit changed, somewhere that the body decides.
        let at = body.iter().map(|&byte| usize::from(byte)).sum::<usize>() % sent.len();
        sent[at] ^= 1;
        let changed = receive(signed.decoder(), sent.chunks(piece));
        assert!(body.starts_with(&changed.data));
        assert!(
            changed.end.is_err(),
            "the byte {at} of {}",
            String::from_utf8_lossy(&sent)
        );
    }
}

#[derive(Debug, PartialEq)]
struct Received {
    data: Vec<u8>,
    trailers: Option<Vec<Trailer>>,
    end: Result<(), ChunkedError>,
}

fn receive<'a>(mut decoder: ChunkedDecoder, pieces: impl Iterator<Item = &'a [u8]>) -> Received {
    let (mut data, mut end) = (Vec::new(), None);
    for mut input in pieces {
        loop {
            match decoder.decode(&mut input) {
                Ok(Some(ChunkedEvent::Data(bytes))) => {
                    assert!(!bytes.is_empty() && end.is_none());
                    data.extend_from_slice(bytes);
                }
                Ok(Some(ChunkedEvent::End { trailers })) => {
                    assert!(end.replace(trailers.to_vec()).is_none(), "one end");
                }
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    assert_eq!(decoder.finish(), Err(error.clone()));
                    return Received {
                        data,
                        trailers: None,
                        end: Err(error),
                    };
                }
            }
        }
    }
    let finished = decoder.finish();
    let trailers = end.filter(|_| finished.is_ok());
    Received {
        data,
        trailers,
        end: finished,
    }
}

/// A request whose body comes in chunks, its head signed.
struct Head {
    headers: Vec<(&'static str, String)>,
}

impl Head {
    fn new(given: Vec<(&'static str, String)>, signed: &Signed) -> Self {
        let added = signed
            .headers()
            .map(|(name, value)| (name, value.to_owned()));
        Self {
            headers: given.into_iter().chain(added).collect(),
        }
    }

    fn with_request<T>(&self, act: impl FnOnce(&Request<'_>) -> T) -> T {
        act(&Request::new("PUT", "/", &borrowed(&self.headers)))
    }

    fn decoder(&self) -> ChunkedDecoder {
        let settings = VerifySettings::s3().with_unsigned_payload(UnsignedPayload::Allowed);
        self.with_request(|request| {
            let claim = Claim::parse(request).expect("what is signed is read");
            let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
            let verified = claim.verify_chunked(request, &key, now(), &settings);
            verified.expect("what is signed verifies").1
        })
    }

    fn verifier(&self) -> EventVerifier {
        self.with_request(|request| {
            let claim = Claim::parse(request).expect("what is signed is read");
            let settings = VerifySettings::s3();
            let verified = claim.verify_events(request, &Secret::new("secret"), now(), &settings);
            verified.expect("what is signed verifies").1
        })
    }
}

fn signer() -> Signer {
    Signer::new(Credentials::new("AKID", "secret"), "us-east-1", "s3")
        .with_settings(sigv4::Settings::s3())
}

fn borrowed<'a>(headers: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a [u8])> {
    headers
        .iter()
        .map(|(name, value)| (*name, value.as_bytes()))
        .collect()
}

fn chunks_of(payload: StreamingPayload, length: u64) -> (Head, sigv4::ChunkedEncoder) {
    let mut headers = vec![
        ("Host", "b.example.com".to_owned()),
        ("x-amz-decoded-content-length", length.to_string()),
    ];
    if payload.has_trailer() {
        headers.push(("x-amz-trailer", "x-amz-checksum-crc32c".to_owned()));
    }
    let (signed, encoder) = signer()
        .sign_chunked(
            &Request::new("PUT", "/", &borrowed(&headers)),
            payload,
            now(),
        )
        .expect("a request like any other");
    (Head::new(headers, &signed), encoder)
}

fn events_of() -> (Head, sigv4::EventSigner) {
    let headers = vec![("Host", "b.example.com".to_owned())];
    let (signed, events) = signer()
        .sign_events(&Request::new("PUT", "/", &borrowed(&headers)), now())
        .expect("a request like any other");
    (Head::new(headers, &signed), events)
}

/// Nobody signed the stream.
fn nothing_comes_out(mut stream: &[u8]) {
    let (head, _) = events_of();
    let mut verifier = head.verifier();
    let before = stream.len();
    match verifier.decode(&mut stream, now()) {
        Ok(Some(event)) => panic!("{event:?} was signed by nobody"),
        Ok(None) => assert_eq!(stream.len(), before),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(verifier.finish(), Err(error));
        }
    }
    assert!(verifier.finish().is_err());
}

fn events_sent_and_received(data: &[u8]) {
    let (head, mut signer) = events_of();
    let mut messages: Vec<&[u8]> = data.split(|&byte| byte == 0).collect();
    messages.retain(|message| !message.is_empty());
    messages.push(b"");
    let mut stream = Vec::new();
    for message in &messages {
        signer
            .push(message, now(), &mut stream)
            .expect("a small message");
    }
    let mut input = &stream[..];
    let mut verifier = head.verifier();
    for message in &messages {
        let event = verifier
            .decode(&mut input, now())
            .expect("what is signed verifies");
        assert_eq!(event.map(|event| event.payload), Some(*message));
    }
    assert_eq!((input, verifier.finish()), (&b""[..], Ok(())));

    let at = data.iter().map(|&byte| usize::from(byte)).sum::<usize>() % stream.len();
    stream[at] ^= 1;
    let mut input = &stream[..];
    let mut verifier = head.verifier();
    while let Ok(Some(event)) = verifier.decode(&mut input, now()) {
        assert!(messages.contains(&event.payload));
    }
    assert!(verifier.finish().is_err(), "the byte {at} was changed");
}

/// A message with any headers and the checksums that belong to it.
fn framed(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = |bytes: usize| {
        u32::try_from(bytes)
            .expect("inputs are small")
            .to_be_bytes()
    };
    let mut message = length(16 + headers.len() + payload.len()).to_vec();
    message.extend(length(headers.len()));
    message.extend(crc32(&message).to_be_bytes());
    message.extend(headers);
    message.extend(payload);
    message.extend(crc32(&message).to_be_bytes());
    message
}

/// CRC-32 as in Ethernet and zlib, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc: u32, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
