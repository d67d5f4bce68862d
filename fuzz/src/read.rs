//! What a verifier reads.

use std::time::Duration;

use sigv4::explain::Inquiry;
use sigv4::{
    CanonicalRequest, Claim, DateTime, PathEncoding, PathNormalization, Payload, Request, Secret,
    SessionTokenRule, Settings, SigningKey, UnsignedPayload, VerifyError, VerifySettings,
    region_from_host,
};

use crate::v4a;
use crate::wire::{Wire, now};

/// An `Authorization` header.
pub fn authorization(data: &[u8]) {
    let headers: [(&str, &[u8]); 3] = [
        ("Host", b"example.com"),
        ("X-Amz-Date", b"20150830T123600Z"),
        ("Authorization", data),
    ];
    if let Some(claim) = check(&Request::new("GET", "/", &headers), b"") {
        let text = std::str::from_utf8(data).expect("a claim is text");
        let credential = format!("{}/{}", claim.access_key_id(), claim.scope());
        assert!(text.contains(&credential), "{claim:?}");
    }
}

/// A query, of a presigned request or not.
pub fn query(data: &[u8]) {
    let request = Request {
        method: "GET",
        path: b"/",
        query: Some(data),
        headers: &[("Host", b"example.com")],
    };
    check(&request, b"");
    let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &Settings::general())
        .expect("method and header are tokens");
    let line = canonical.as_bytes().split(|&byte| byte == b'\n').nth(2);
    assert_eq!(line, Some(canonical_query(data).as_bytes()));
}

/// The canonical query by the letter of its description.
fn canonical_query(query: &[u8]) -> String {
    let mut parameters: Vec<(String, String)> = query
        .split(|&byte| byte == b'&')
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            let mut parts = piece.splitn(2, |&byte| byte == b'=');
            let mut part = || spelled(parts.next().unwrap_or_default());
            (part(), part())
        })
        .filter(|(key, _)| key != "X-Amz-Signature")
        .collect();
    parameters.sort();
    let parameters: Vec<String> = parameters
        .into_iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    parameters.join("&")
}

/// Each byte that a text stands for, unreserved characters as themselves, others as `%XX`.
fn spelled(mut text: &[u8]) -> String {
    let mut out = String::new();
    while let Some((&first, rest)) = text.split_first() {
        let digits = rest
            .get(..2)
            .filter(|two| two.iter().all(u8::is_ascii_hexdigit));
        let (byte, rest) = match (first, digits) {
            (b'%', Some(two)) => {
                let two = std::str::from_utf8(two).expect("digits");
                (u8::from_str_radix(two, 16).expect("digits"), &rest[2..])
            }
            _ => (first, rest),
        };
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        text = rest;
    }
    out
}

/// A date in either form, and a host for its region.
pub fn dates(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Some(at) = DateTime::parse(text) {
        assert_eq!(at.as_str(), text);
        assert_eq!(DateTime::from_unix_seconds(at.unix_seconds()), Ok(at));
    }
    if let Some(at) = DateTime::parse_http_date(text) {
        assert_eq!(DateTime::parse(at.as_str()), Some(at));
        assert!(text.contains(&at.date()[..4]) && text.contains(&at.date()[6..]));
    }
    assert!(
        region_from_host(text)
            .bytes()
            .all(|byte| byte.is_ascii_graphic())
    );
}

/// A whole request.
pub fn request(data: &[u8]) {
    let wire = Wire::read(data);
    let headers = wire.with(&[]);
    check(&wire.request(&headers), wire.body);
}

/// Parses, verifies, and asks why it was refused. Nobody who made the request knows the secret, so it must be refused.
fn check(request: &Request<'_>, body: &[u8]) -> Option<Claim> {
    v4a::check(request, body);
    let claim = match Claim::parse(request) {
        Ok(claim) => claim,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let names: Vec<&str> = claim.signed_headers().collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    let secret = Secret::new("nobody knows");
    let key = SigningKey::derive(&secret, claim.scope());
    let loose = VerifySettings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs)
        .with_session_token(SessionTokenRule::MayBeUnsigned)
        .with_unsigned_payload(UnsignedPayload::Allowed)
        .with_tolerance(Duration::MAX);
    for settings in [VerifySettings::default(), loose] {
        let refused: VerifyError = claim
            .verify(request, body, &key, now(), &settings)
            .expect_err("nobody could sign this");
        assert!(!refused.to_string().is_empty() && !format!("{refused:?}").is_empty());
        let explanation = Inquiry::new(request, body, &claim, now(), &settings)
            .with_known([(claim.access_key_id(), &secret)])
            .with_hashes_max(100)
            .explain(&refused);
        assert!(!explanation.to_string().is_empty());
    }
    Some(claim)
}
