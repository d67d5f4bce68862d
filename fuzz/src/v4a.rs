//! What only the asymmetric signature has: region sets and signatures in DER.

use std::sync::LazyLock;

use sigv4::v4a::{AnyClaim, PrivateKey, PublicKey, RegionSet, Signature};
use sigv4::{Request, Secret, VerifySettings};

use crate::wire::now;

/// Two lines, a region set and a region; and the whole as a signature.
pub fn v4a(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(signature) = text.parse::<Signature>() {
        assert_eq!(signature.as_str(), text);
        assert!(!KEY.verifies("nobody signed this", &signature));
    }
    let (set, region) = text.split_once('\n').unwrap_or((text, "us-east-1"));
    // The matcher to compare with takes its time.
    if let (Ok(set), true) = (RegionSet::parse(set), text.len() <= 64) {
        let expected = set
            .as_str()
            .split(',')
            .map(|pattern| pattern.trim_matches([' ', '\t']))
            .any(|pattern| matches(pattern.as_bytes(), region.as_bytes()));
        assert_eq!(set.covers(region), expected, "{set} {region}");
    }
}

/// Parses and verifies by either algorithm, with a key that nobody has.
pub(crate) fn check(request: &Request<'_>, body: &[u8]) {
    if let Ok(AnyClaim::V4a(claim)) = AnyClaim::parse(request) {
        let settings = VerifySettings::default().with_region("us-east-1");
        let refused = claim
            .verify(request, body, &KEY, now(), &settings)
            .expect_err("nobody could sign this");
        assert!(!refused.to_string().is_empty());
    }
}

static KEY: LazyLock<PublicKey> = LazyLock::new(|| {
    let key = PrivateKey::derive(&Secret::new("nobody knows"), "AKID");
    *key.expect("nearly every secret has a key").public_key()
});

/// By the definition of a star, without any thought of speed.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    // `possible[n]`: the pattern so far describes the first n bytes.
    let mut possible = vec![false; text.len() + 1];
    possible[0] = true;
    for &byte in pattern {
        let mut next = vec![false; text.len() + 1];
        for end in 0..=text.len() {
            next[end] = if byte == b'*' {
                possible[..=end].contains(&true)
            } else {
                end > 0 && possible[end - 1] && text[end - 1] == byte
            };
        }
        possible = next;
    }
    possible[text.len()]
}
