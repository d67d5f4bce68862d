//! Event streams: the published signatures, what is wrapped is unwrapped, and nothing that was
//! changed comes through.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use sigv4::{
    Claim, Coverage, Credentials, DateTime, EventError, EventSigner, EventVerifier, PathEncoding,
    Request, Secret, Settings, SignError, Signed, Signer, Verified, VerifyError, VerifyEventsError,
    VerifySettings,
};

/// 19810116T063000Z.
const SIGNED_AT: u64 = 348_474_600;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(SIGNED_AT + seconds)
}

fn date(seconds: u64) -> DateTime {
    DateTime::from_system_time(at(seconds)).unwrap()
}

fn settings() -> VerifySettings {
    VerifySettings::default().with_path_encoding(PathEncoding::Single)
}

type Header = (String, String);

fn with_request<T>(headers: &[Header], act: impl FnOnce(&Request<'_>) -> T) -> T {
    let headers: Vec<(&str, &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    act(&Request::new("POST", "/streaming", &headers))
}

/// A request as it is sent, and what signs its messages.
fn signed() -> (Vec<Header>, Signed, EventSigner) {
    let settings = Settings::default().with_path_encoding(PathEncoding::Single);
    let credentials = Credentials::new("access", "secret");
    let signer = Signer::new(credentials, "us-east-1", "demo").with_settings(settings);
    let mut headers = vec![
        ("host".to_owned(), "demo.us-east-1.amazonaws.com".to_owned()),
        (
            "Content-Encoding".to_owned(),
            "application/vnd.amazon.eventstream".to_owned(),
        ),
    ];
    let (signed, events) =
        with_request(&headers, |request| signer.sign_events(request, at(0))).unwrap();
    let added = signed.headers();
    headers.extend(added.map(|(name, value)| (name.to_owned(), value.to_owned())));
    (headers, signed, events)
}

fn verify(
    headers: &[Header],
    secret: &str,
    now: SystemTime,
) -> Result<(Verified, EventVerifier), VerifyEventsError> {
    with_request(headers, |request| {
        let claim = Claim::parse(request).unwrap();
        claim.verify_events(request, &Secret::new(secret), now, &settings())
    })
}

fn verifier(headers: &[Header]) -> EventVerifier {
    verify(headers, "secret", at(0)).unwrap().1
}

/// Every message of a body, and the error that ended it if one did.
fn decode(mut verifier: EventVerifier, body: &[u8]) -> (Vec<Vec<u8>>, Option<EventError>) {
    let mut messages = Vec::new();
    let mut input = body;
    loop {
        match verifier.decode(&mut input, at(0)) {
            Ok(Some(event)) => messages.push(event.payload.to_vec()),
            Ok(None) => return (messages, verifier.finish().err()),
            Err(error) => {
                assert_eq!(verifier.decode(&mut input, at(0)), Err(error.clone()));
                assert_eq!(verifier.finish(), Err(error.clone()));
                return (messages, Some(error));
            }
        }
    }
}

fn encode(events: &mut EventSigner, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut body = Vec::new();
    for message in messages {
        events.push(message, at(0), &mut body).unwrap();
    }
    body
}

/// Source: aws-c-auth, `tests/test_event_signing.c`.
#[test]
fn the_published_events_are_signed_and_verified() {
    let (headers, signed, mut events) = signed();
    assert_eq!(
        signed.headers().next().unwrap().1,
        "AWS4-HMAC-SHA256 Credential=access/19810116/us-east-1/demo/aws4_request, \
         SignedHeaders=content-encoding;host;x-amz-content-sha256;x-amz-date, \
         Signature=e1d8e8c8815e60969f2a34765c9a15945ffc0badbaa4b7e3b163ea19131e949b"
    );
    let (verified, mut verifier) = verify(&headers, "secret", at(0)).unwrap();
    assert_eq!(verified.payload, Coverage::Signed);
    let mut seconds = 0;
    for (payload, signature) in [
        (
            "A",
            "7aabf85b765e6a4d0d500b6e968657b14726fa3e1eb7e839302728ffd77629a5",
        ),
        (
            "B",
            "f72aa9642f571d24a6e1ae42f10f073ad9448d8a028b6bcd82da081335adda02",
        ),
        (
            "C",
            "632af120435b57ec241d8bfbb12e496dfd5e2730a1a02ac0ab6eaa230ae02e9a",
        ),
        (
            "",
            "c6f679ddb3af68f5e82f0cf6761244cb2338cf11e7d01a24130aea1b7c17e53e",
        ),
    ] {
        seconds += 1;
        let payload = payload.as_bytes();
        let mut body = Vec::new();
        events.push(payload, at(seconds), &mut body).unwrap();
        assert!(hex_of(&body).contains(signature));
        let mut input = &body[..];
        let event = verifier.decode(&mut input, at(0)).unwrap().unwrap();
        assert_eq!((event.payload, event.date), (payload, date(seconds)));
    }
    assert_eq!(verifier.finish(), Ok(()));
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_stages_of_an_event_can_be_seen() {
    let (_, signed, mut events) = signed();
    let seed = signed.signature().as_str();
    // The hash of the 15 bytes of `:date`, and that of the letter A.
    let text = events.string_to_sign(b"A", date(1));
    assert!(text.to_string().starts_with(&format!(
        "AWS4-HMAC-SHA256-PAYLOAD\n19810116T063001Z\n19810116/us-east-1/demo/aws4_request\n{seed}\n"
    )));
    assert!(
        text.to_string()
            .ends_with("\n559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd")
    );
    assert!(!format!("{text:?} {events:?}").contains(&seed[..8]));
    let signature = events.sign(b"A", date(1));
    assert!(signature.as_str().starts_with("7aabf85b"));
}

#[test]
fn a_stream_may_go_on_past_midnight() {
    let (headers, _, mut events) = signed();
    let (_, mut verifier) = verify(&headers, "secret", at(0)).unwrap();
    let day = 24 * 60 * 60;
    for (seconds, scope) in [(day, "19810117"), (2 * day, "19810118"), (day, "19810117")] {
        let text = events.string_to_sign(b"m", date(seconds)).to_string();
        assert!(text.contains(&format!("\n{scope}/us-east-1/demo/aws4_request\n")));
        let mut body = Vec::new();
        events.push(b"m", at(seconds), &mut body).unwrap();
        let mut input = &body[..];
        assert!(verifier.decode(&mut input, at(seconds)).unwrap().is_some());
    }
}

#[test]
fn a_message_is_of_now() {
    let (headers, _, mut events) = signed();
    let body = encode(&mut events, &[b"m".to_vec()]);
    for (now, is_good) in [(900, true), (901, false)] {
        let result = verifier(&headers).decode(&mut &body[..], at(now));
        let expected = EventError::Date {
            date: date(0),
            now: date(now),
            tolerance: Duration::from_secs(900),
        };
        assert_eq!(result.err(), (!is_good).then_some(expected));
    }
    let mut ahead = Vec::new();
    events.push(b"m", at(901), &mut ahead).unwrap();
    let ahead = [body, ahead].concat();
    let (messages, error) = decode(verifier(&headers), &ahead);
    assert_eq!(messages.len(), 1);
    assert!(matches!(error, Some(EventError::Date { .. })));
    // A clock that is beyond all dates can judge none.
    let now = UNIX_EPOCH + Duration::from_secs(1 << 40);
    let result = verifier(&headers).decode(&mut &ahead[..], now);
    assert!(matches!(result, Err(EventError::Now(_))), "{result:?}");
}

#[test]
fn messages_are_refused_in_another_order_or_number() {
    let (headers, _, mut events) = signed();
    let messages = [b"a".to_vec(), b"b".to_vec(), Vec::new()];
    let bodies = messages
        .clone()
        .map(|message| encode(&mut events, &[message]));
    let all = |order: &[usize]| {
        let body: Vec<u8> = order.iter().flat_map(|&at| bodies[at].clone()).collect();
        decode(verifier(&headers), &body)
    };
    assert_eq!(all(&[0, 1, 2]), (messages.to_vec(), None));
    for order in [&[1][..], &[0, 0], &[0, 2], &[2], &[0, 2, 1]] {
        let (_, error) = all(order);
        assert!(
            matches!(error, Some(EventError::SignatureMismatch { .. })),
            "{order:?}"
        );
    }
    assert_eq!(all(&[0, 1]).1, Some(EventError::Truncated));
    assert_eq!(all(&[]).1, Some(EventError::Truncated));
    assert_eq!(all(&[0, 1, 2, 0]).1, Some(EventError::AfterEnd));
}

#[test]
fn a_message_is_bounded() {
    let (headers, _, mut events) = signed();
    let body = encode(&mut events, &[vec![0; 100]]);
    let size = body.len();
    let limit = size - 1;
    let limited = verifier(&headers).with_message_limit(limit);
    assert_eq!(
        decode(limited, &body[..12]).1,
        Some(EventError::TooLarge { size, limit })
    );
    let limited = verifier(&headers).with_message_limit(size);
    assert_eq!(decode(limited, &body).0.len(), 1);
    let mut out = Vec::new();
    let limit = 24 * 1024 * 1024;
    let large = vec![0; limit - 82];
    let refused = events.push(&large, at(0), &mut out);
    assert_eq!(refused, Err(SignError::EventTooLarge { limit }));
    assert!(out.is_empty());
    events.push(&large[..limit - 83], at(0), &mut out).unwrap();
    assert_eq!(out.len(), limit);
}

/// Writes the checksums of a message anew, as whoever changes it on the way would.
fn reseal(message: &mut [u8]) {
    let crc = |bytes: &[u8]| {
        let mut sum = u32::MAX;
        for byte in bytes {
            sum ^= u32::from(*byte);
            for _bit in 0..8 {
                sum = if sum % 2 == 1 {
                    (sum / 2) ^ 0xedb8_8320
                } else {
                    sum / 2
                };
            }
        }
        (!sum).to_be_bytes()
    };
    let prelude = crc(&message[..8]);
    message[8..12].copy_from_slice(&prelude);
    let end = message.len() - 4;
    let checksum = crc(&message[..end]);
    message[end..].copy_from_slice(&checksum);
}

#[test]
fn a_changed_byte_is_refused_with_right_checksums_too() {
    let (headers, _, mut events) = signed();
    let body = encode(&mut events, &[b"message".to_vec()]);
    let mut same = body.clone();
    reseal(&mut same);
    assert_eq!(same, body);
    for place in 0..body.len() {
        for change in [1, 0x20, 0x80, 0xff] {
            let mut changed = body.clone();
            changed[place] ^= change;
            reseal(&mut changed);
            if changed != body {
                let (messages, error) = decode(verifier(&headers), &changed);
                assert!(messages.is_empty() && error.is_some(), "{place} {change}");
            }
        }
    }
    let mut changed = body.clone();
    let place = body.len() - 5;
    changed[place] ^= 1;
    reseal(&mut changed);
    let error = decode(verifier(&headers), &changed).1;
    assert!(matches!(error, Some(EventError::SignatureMismatch { .. })));
    // A date that differs in milliseconds alone is the same second, but another header.
    let mut changed = body;
    changed[12 + 14] ^= 1;
    reseal(&mut changed);
    let error = decode(verifier(&headers), &changed).1;
    assert!(matches!(error, Some(EventError::SignatureMismatch { .. })));
}

#[test]
fn the_head_is_verified_as_that_of_any_request() {
    let (headers, ..) = signed();
    let refused = |headers: &[Header], secret, now| verify(headers, secret, now).err();
    let mismatch = refused(&headers, "other", at(0));
    assert!(matches!(
        mismatch,
        Some(VerifyEventsError::Request(
            VerifyError::SignatureMismatch { .. }
        ))
    ));
    let late = refused(&headers, "secret", at(901));
    assert!(matches!(
        late,
        Some(VerifyEventsError::Request(VerifyError::Expired { .. }))
    ));
    let mut without = headers.clone();
    without.retain(|(name, _)| name != "x-amz-content-sha256");
    assert_eq!(
        refused(&without, "secret", at(0)),
        Some(VerifyEventsError::NotEvents)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_wrapped_is_unwrapped(messages in vec(vec(any::<u8>(), 1..50), 0..5), size in 1_usize..60) {
        let (headers, _, mut events) = signed();
        let messages = [messages, vec![Vec::new()]].concat();
        let body = encode(&mut events, &messages);
        prop_assert_eq!(decode(verifier(&headers), &body), (messages.clone(), None));

        // And as it arrives in pieces.
        let mut verifier = verifier(&headers);
        let mut held = Vec::new();
        let mut unwrapped = Vec::new();
        for piece in body.chunks(size) {
            held.extend_from_slice(piece);
            let mut input = &held[..];
            while let Some(event) = verifier.decode(&mut input, at(0)).unwrap() {
                unwrapped.push(event.payload.to_vec());
            }
            held = input.to_vec();
            prop_assert!(held.len() < 50 + 83 + size);
        }
        prop_assert_eq!(unwrapped, messages);
        prop_assert_eq!(verifier.finish(), Ok(()));
    }

    #[test]
    fn a_changed_byte_is_refused(
        messages in vec(vec(any::<u8>(), 1..50), 0..3),
        place in any::<Index>(),
        change in 1_u8..=255,
    ) {
        let (headers, _, mut events) = signed();
        let messages = [messages, vec![Vec::new()]].concat();
        let mut body = encode(&mut events, &messages);
        let place = place.index(body.len());
        body[place] ^= change;
        let (good, error) = decode(verifier(&headers), &body);
        prop_assert!(error.is_some());
        prop_assert!(messages.starts_with(&good));
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        let (headers, ..) = signed();
        let (messages, error) = decode(verifier(&headers), &bytes);
        prop_assert!(messages.is_empty() && error.is_some());
    }
}
