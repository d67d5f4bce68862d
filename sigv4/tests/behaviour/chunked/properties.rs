//! What holds for any body, however it is cut, and whatever is changed in it.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use sigv4::{ChunkedEncoder, Claim, Secret, SigningKey, StreamingPayload};

use super::{
    SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER, Upload, chunk_size, decode, decode_whole, encode,
    now, verify_settings,
};

fn payload() -> impl Strategy<Value = StreamingPayload> {
    prop_oneof![Just(SIGNED), Just(SIGNED_TRAILER), Just(UNSIGNED_TRAILER)]
}

/// An upload, its body, its trailers, and both framed in chunks of some size.
#[derive(Clone, Debug)]
struct Sample {
    payload: StreamingPayload,
    data: Vec<u8>,
    trailers: Vec<(String, String)>,
    chunk_size: usize,
}

impl Sample {
    fn upload(&self) -> (Upload, ChunkedEncoder) {
        let names: Vec<&str> = self
            .trailers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let upload = Upload::new(self.payload, self.data.len(), &names.join(","));
        let (upload, encoder) = upload.signed();
        (upload, encoder.with_chunk_size(chunk_size(self.chunk_size)))
    }

    fn trailers(&self) -> Vec<(&str, &str)> {
        let pairs = self.trailers.iter();
        pairs
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    fn encoded(&self) -> (Upload, Vec<u8>) {
        let (upload, encoder) = self.upload();
        let body = encode(encoder, &self.data, &self.trailers());
        (upload, body)
    }
}

fn sample() -> impl Strategy<Value = Sample> {
    let trailers =
        proptest::collection::hash_map("[a-z][a-z0-9-]{0,8}", "[!-~]( ?[!-~]){0,6}", 1..4);
    (payload(), vec(any::<u8>(), 0..300), trailers, 1_usize..100).prop_map(
        |(payload, data, trailers, chunk_size)| Sample {
            payload,
            data,
            trailers: if payload.has_trailer() {
                trailers.into_iter().collect()
            } else {
                Vec::new()
            },
            chunk_size,
        },
    )
}

/// Cuts bytes at some places.
fn cut<'a>(bytes: &'a [u8], places: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = places.iter().map(|at| at.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut start = 0;
    for place in places {
        pieces.push(&bytes[start..place]);
        start = place;
    }
    pieces.push(&bytes[start..]);
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_encoded_decodes(sample in sample(), places in vec(any::<Index>(), 0..6)) {
        let (upload, whole) = sample.encoded();
        let lengths: Vec<(&str, usize)> =
            sample.trailers().iter().map(|(name, value)| (*name, value.len())).collect();
        let decoded_length = u64::try_from(sample.data.len()).unwrap();
        let length = sample.payload
            .encoded_length(decoded_length, chunk_size(sample.chunk_size), &lengths);
        prop_assert_eq!(length, u64::try_from(whole.len()).ok());

        // However the body is cut when it is pushed, it is encoded the same.
        let (_, mut encoder) = sample.upload();
        let mut body = Vec::new();
        for piece in cut(&sample.data, &places) {
            encoder.push(piece, &mut body).unwrap();
        }
        encoder.finish(&sample.trailers(), &mut body).unwrap();
        prop_assert_eq!(&body, &whole);

        let decoded = decode_whole(upload.decoder(), &body);
        prop_assert_eq!(&decoded.data, &sample.data);
        prop_assert_eq!(decoded.trailers, Some(sample.trailers.clone()));
        prop_assert_eq!(decoded.error, None);
    }

    /// Signed chunks come out whole however they went in; others come as they do, but the same bytes.
    #[test]
    fn any_cut_gives_the_same_events(
        sample in sample(),
        places in vec(any::<Index>(), 0..20),
        change in proptest::option::of((any::<Index>(), any::<u8>())),
    ) {
        let (upload, mut body) = sample.encoded();
        if let Some((at, byte)) = change {
            let at = at.index(body.len());
            body[at] = byte;
        }
        let whole = decode_whole(upload.decoder(), &body);
        for pieces in [cut(&body, &places), body.chunks(1).collect()] {
            let mut decoded = decode(upload.decoder(), pieces.into_iter());
            if !sample.payload.is_signed() {
                decoded.pieces.clone_from(&whole.pieces);
            }
            prop_assert_eq!(&decoded, &whole);
        }
    }

    #[test]
    fn a_changed_byte_is_refused(sample in sample(), at in any::<Index>(), change in 1_u8..=255) {
        prop_assume!(sample.payload.is_signed());
        let (upload, mut body) = sample.encoded();
        let good = decode_whole(upload.decoder(), &body);
        let at = at.index(body.len());
        body[at] ^= change;
        let bad = decode_whole(upload.decoder(), &body);
        // Only another spelling of the same thing goes through: a name, or the case of a size.
        if bad.error.is_none() {
            prop_assert_eq!(&bad, &good);
            prop_assert!(change == 0x20 || body[at].is_ascii_whitespace(), "{} {}", at, change);
        }
        // And whatever came out before was good.
        prop_assert!(good.data.starts_with(&bad.data));
    }

    #[test]
    fn a_body_cut_short_is_refused(sample in sample(), at in any::<Index>()) {
        let (upload, body) = sample.encoded();
        let cut_to = at.index(body.len());
        let decoded = decode_whole(upload.decoder(), &body[..cut_to]);
        // After the signature of the trailers, a blank line says nothing more.
        let is_last_line = sample.payload == SIGNED_TRAILER && cut_to + 2 >= body.len();
        if !is_last_line {
            prop_assert!(decoded.error.is_some());
            prop_assert_eq!(decoded.trailers, None);
        }
        prop_assert!(sample.data.starts_with(&decoded.data));
    }

    #[test]
    fn another_secret_is_refused(sample in sample(), secret in "[a-z]{0,8}") {
        let (upload, _) = sample.encoded();
        upload.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            let key = SigningKey::derive(&Secret::new(secret), claim.scope());
            assert!(claim.verify_chunked(request, &key, now(), &verify_settings()).is_err());
        });
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(
        payload in payload(),
        length in 0_usize..40,
        body in prop_oneof![
            vec(any::<u8>(), 0..100),
            "([0-9a-f]{1,2}(;chunk-signature=[0-9a-f]{64})?\r\n[a-z]{0,3}\r\n|0\r\n|a:[a-z]|x-amz-trailer-signature:|\r\n){0,8}"
                .prop_map(String::into_bytes),
        ],
        places in vec(any::<Index>(), 0..6),
    ) {
        let (upload, _) = Upload::new(payload, length, "a").signed();
        let whole = decode_whole(upload.decoder(), &body);
        prop_assert!(whole.data.len() <= length);
        prop_assert!(!payload.is_signed() || whole.data.is_empty());
        let decoded = decode(upload.decoder(), cut(&body, &places).into_iter());
        prop_assert_eq!(decoded.data, whole.data);
        prop_assert_eq!(decoded.error, whole.error);
    }
}
