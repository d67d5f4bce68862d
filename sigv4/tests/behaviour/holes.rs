//! What other signers and verifiers get wrong, one test for each fault. Those of the package
//! `aws-sigv4` that show side by side with it are in `test-vectors/tests/differential/differences.rs`:
//! bytes that are not UTF-8, `+` as a space, a panic without `Host`, a doubled `X-Amz-Date`.

use sigv4::{
    Claim, Credentials, Parameter, Payload, Presigned, Secret, Settings, Signed, Signer,
    SigningKey, VerifySettings,
};

use crate::sample::{get, line, query, signer};
use crate::wire::{SECRET, Wire, after};

/// A type that a function returns but nobody can name cannot be kept in a struct.
#[test]
fn what_signing_returns_can_be_named_and_kept() {
    struct Kept {
        signed: Signed,
        presigned: Presigned,
        headers: Vec<(&'static str, String)>,
    }
    let wire = get("/").sign(Settings::general());
    let signed = get("/")
        .with_request(|request| {
            signer(Settings::general()).sign(request, Payload::Bytes(b""), after(0))
        })
        .unwrap();
    let presigned = get("/")
        .with_request(|request| {
            let minute = std::time::Duration::from_secs(60);
            signer(Settings::general()).presign(request, Payload::Bytes(b""), after(0), minute)
        })
        .unwrap();
    let headers = signed
        .headers()
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    let kept = Kept {
        signed,
        presigned,
        headers,
    };
    assert_eq!(kept.headers[0].1, wire.header("Authorization"));
    assert_ne!(kept.signed.signature(), kept.presigned.signature());
}

/// One verifier takes secrets of 40 characters only, which `test` is not.
#[test]
fn a_secret_may_have_any_length() {
    for secret in ["", "t", "test", &"s".repeat(40), &"s".repeat(1000)] {
        let signer = Signer::new(Credentials::new("test", secret), "us-east-1", "sqs");
        let wire = get("/").sign_by(&signer);
        let verified = wire.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            let key = SigningKey::derive(&Secret::new(secret), claim.scope());
            claim.verify(request, b"", &key, after(0), &VerifySettings::general())
        });
        assert!(verified.is_ok(), "{} characters", secret.len());
    }
}

/// Two peers sort the texts `key=value`, in which `Param-3=` comes before `Param=`: `-` is less than
/// `=`. The suite's case `get-vanilla-query-order-encoded` shows it.
#[test]
fn parameters_are_sorted_by_key_then_value() {
    assert_eq!(
        query("Param-3=Value3&Param=Value2&%E1%88%B4=Value1"),
        "%E1%88%B4=Value1&Param=Value2&Param-3=Value3"
    );
}

/// One verifier skips a name in `SignedHeaders` that the request has no header of, so that a header
/// can be dropped on the way.
#[test]
fn a_signed_header_that_is_not_there_is_an_error() {
    let mut wire = get("/")
        .with_header("X-Amz-Target", "AmazonSQS.PurgeQueue")
        .sign(Settings::general());
    wire.headers.remove(wire.position("X-Amz-Target"));
    let refused = wire.verify(&VerifySettings::general(), 0);
    assert_eq!(
        refused,
        Err("SignedHeaderAbsent(\"x-amz-target\")".to_owned())
    );
    // Also when the signature is over the request without it.
    let by_hand = get("/").sign_by_hand(&["x-other"]);
    let refused = by_hand.verify(&VerifySettings::general(), 0);
    assert_eq!(refused, Err("SignedHeaderAbsent(\"x-other\")".to_owned()));
}

/// One verifier's look-up of keys must be a function that runs once. Here the key is an argument, so
/// it comes from anywhere: a closure over a map, over and over.
#[test]
fn keys_come_from_any_closure() {
    let mut asked = 0;
    let mut look_up = |claim: &Claim| {
        asked += 1;
        SigningKey::derive(&Secret::new(SECRET), claim.scope())
    };
    for target in ["/a", "/b"] {
        let wire = get(target).sign(Settings::general());
        let verified = wire.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            let key = look_up(&claim);
            claim.verify(request, b"", &key, after(0), &VerifySettings::general())
        });
        assert!(verified.is_ok(), "{target}");
    }
    assert_eq!(asked, 2);
}

/// One signer writes a single `%` for each character: `%C3A9` for `é`.
#[test]
fn every_byte_has_its_own_percent_sign() {
    assert_eq!(query("k=é"), "k=%C3%A9");
    assert_eq!(line("/é", 1, Settings::general()), "/%C3%A9");
    assert_eq!(line("/é", 1, Settings::s3()), "/%C3%A9");
}

/// One verifier sorts by name only and leaves `a=2&a=1` as it came.
#[test]
fn values_of_one_key_are_sorted() {
    assert_eq!(query("a=2&a=1"), "a=1&a=2");
}

/// One verifier reads `Authorization` in one order only.
#[test]
fn the_parameters_of_authorization_have_no_order() {
    let mut wire = get("/").sign(Settings::general());
    let header = wire.header("Authorization");
    let parts: Vec<&str> = header
        .strip_prefix("AWS4-HMAC-SHA256 ")
        .unwrap()
        .split(", ")
        .collect();
    let [credential, signed_headers, signature] = parts[..] else {
        panic!("{header}")
    };
    let at = wire.position("Authorization");
    for order in [
        [signed_headers, credential, signature],
        [signature, signed_headers, credential],
        [credential, signature, signed_headers],
    ] {
        wire.headers[at].1 = format!("AWS4-HMAC-SHA256 {}", order.join(",")).into_bytes();
        assert!(wire.verify(&VerifySettings::general(), 0).is_ok());
    }
}

/// Missing parts are named, all of them, rather than the first.
#[test]
fn everything_that_is_missing_is_named() {
    let wire = Wire {
        headers: vec![("Authorization".into(), b"AWS4-HMAC-SHA256".to_vec())],
        ..get("/")
    };
    let error = wire.with_request(|request| Claim::parse(request).unwrap_err());
    let parameters = vec![
        Parameter::Credential,
        Parameter::Signature,
        Parameter::SignedHeaders,
        Parameter::Date,
    ];
    assert_eq!(error, sigv4::ClaimError::MissingParameters { parameters });
}
