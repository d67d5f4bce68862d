//! What a verifier reads.

use std::time::Duration;

use sigv4::{
    Claim, DateTime, PathEncoding, PathNormalization, Request, Secret, SessionTokenRule,
    SigningKey, UnsignedPayload, VerifyError, VerifySettings, region_from_host,
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

/// Parses and verifies. Nobody who made the request knows the secret, so it must be refused.
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
    let key = SigningKey::derive(&Secret::new("nobody knows"), claim.scope());
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
    }
    Some(claim)
}
