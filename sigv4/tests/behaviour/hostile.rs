//! Nothing that arrives makes the crate panic: it is signed, read, verified, or refused.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use sigv4::{
    Claim, Credentials, DateTime, PathEncoding, PathNormalization, Payload, Request, Secret,
    SessionTokenRule, Settings, Signer, SigningKey, UnsignedPayload, VerifySettings,
    region_from_host,
};

use crate::wire::Wire;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Authorization".to_owned()),
        Just("Host".to_owned()),
        Just("X-Amz-Date".to_owned()),
        Just("Date".to_owned()),
        Just("x-amz-security-token".to_owned()),
        Just("x-amz-content-sha256".to_owned()),
        "\\PC{0,8}",
        any::<String>(),
    ]
}

/// Text that is nearly an `Authorization` header, a date, a query: where parsers go furthest.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let credential = "[A-Z]{0,3}/?[0-9]{7,8}/[a-z0-9-]{0,3}/[a-z]{0,3}/aws4_request/?";
    let header = format!(
        "(AWS4-HMAC-SHA256|AWS4|) ?Credential={credential},? ?(SignedHeaders=[a-z;-]{{0,9}})?,? \
         ?(Signature=[0-9a-f]{{0,64}})?[ ,=\\PC]{{0,2}}"
    );
    let query = format!(
        "(X-Amz-Algorithm=AWS4-HMAC-SHA256&)?X-Amz-Credential={credential}&X-Amz-Date=[0-9TZ]{{0,16}}\
         &X-Amz-Expires=[0-9-]{{0,7}}&X-Amz-SignedHeaders=[a-z;%3B]{{0,9}}&X-Amz-Signature=[0-9a-f]{{0,64}}\
         (&X-Amz-Security-Token=\\PC{{0,3}})?"
    );
    let text = |pattern: &str| {
        proptest::string::string_regex(pattern)
            .unwrap()
            .prop_map(String::into_bytes)
    };
    prop_oneof![
        2 => text(&header),
        2 => text(&query),
        1 => text("[0-9]{4}[01][0-9][0-3][0-9]T[0-2][0-9][0-5][0-9][0-6][0-9]Z"),
        1 => text("[A-Z][a-z]{2}, [0-3][0-9] [A-Z][a-z]{2} [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT"),
        1 => Just(b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD".to_vec()),
        1 => Just(b"UNSIGNED-PAYLOAD".to_vec()),
        2 => vec(any::<u8>(), 0..40),
    ]
}

fn wire() -> impl Strategy<Value = Wire> {
    let headers = vec((name(), value()), 0..6);
    (
        any::<String>(),
        value(),
        option::of(value()),
        headers,
        vec(any::<u8>(), 0..20),
    )
        .prop_map(|(method, path, query, headers, body)| Wire {
            method,
            path,
            query,
            headers,
            body,
        })
}

/// Times up to the far ends of what the type holds, on systems where it holds them.
fn time() -> impl Strategy<Value = SystemTime> {
    let near = (any::<u32>(), any::<u32>()).prop_map(|(seconds, nanos)| {
        UNIX_EPOCH + Duration::new(u64::from(seconds), nanos % 1_000_000_000)
    });
    let far = (any::<u64>(), any::<bool>()).prop_map(|(seconds, is_later)| {
        let distance = Duration::from_secs(seconds);
        let time = match is_later {
            true => UNIX_EPOCH.checked_add(distance),
            false => UNIX_EPOCH.checked_sub(distance),
        };
        time.unwrap_or(UNIX_EPOCH)
    });
    prop_oneof![near, far]
}

fn every_verify_settings() -> [VerifySettings; 2] {
    let loose = VerifySettings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs)
        .with_session_token(SessionTokenRule::MayBeUnsigned)
        .with_unsigned_payload(UnsignedPayload::Allowed)
        .with_tolerance(Duration::MAX);
    [VerifySettings::default(), loose]
}

fn check(request: &Request<'_>, body: &[u8], now: SystemTime) {
    let _ = format!("{request:?}");
    match Claim::parse(request) {
        Ok(claim) => {
            let _ = format!("{claim:?}");
            let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
            for settings in every_verify_settings() {
                let refused = claim
                    .verify(request, body, &key, now, &settings)
                    .unwrap_err();
                let _ = format!("{refused} {refused:?}");
            }
        }
        Err(error) => {
            let _ = format!("{error} {error:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_request_is_verified_or_refused(wire in wire(), now in time()) {
        wire.with_request(|request| check(request, &wire.body, now));
    }

    #[test]
    fn any_request_is_signed_or_refused(
        wire in wire(),
        now in time(),
        names in any::<[String; 4]>(),
        expires in any::<Duration>(),
    ) {
        let [id, token, region, service] = names;
        let odd = Credentials::new(id, "secret").with_session_token(token);
        let plain = Credentials::new("id", "secret");
        let single = Settings::default()
            .with_path_encoding(PathEncoding::Single)
            .with_path_normalization(PathNormalization::AsIs);
        for signer in [
            Signer::new(odd, region, service),
            Signer::new(plain, "r", "s").with_settings(single),
        ] {
            wire.with_request(|request| {
                let payload = Payload::Bytes(&wire.body);
                if let Err(error) = signer.sign(request, payload, now) {
                    let _ = format!("{error} {error:?}");
                }
                for expires in [expires, Duration::from_secs(60)] {
                    if let Err(error) = signer.presign(request, payload, now, expires) {
                        let _ = format!("{error} {error:?}");
                    }
                }
            });
        }
    }

    #[test]
    fn any_text_is_read_as_a_date_or_host(text in any::<String>()) {
        let _ = DateTime::parse(&text);
        let _ = DateTime::parse_http_date(&text);
        let region = region_from_host(&text);
        prop_assert!(region.bytes().all(|b| b.is_ascii_graphic()), "{region:?}");
    }

    #[test]
    fn any_second_that_can_be_written_is_read_back(seconds in -70_000_000_000i64..260_000_000_000) {
        if let Ok(at) = DateTime::from_unix_seconds(seconds) {
            prop_assert_eq!(at.unix_seconds(), seconds);
            prop_assert_eq!(DateTime::parse(at.as_str()), Some(at));
        }
    }
}
