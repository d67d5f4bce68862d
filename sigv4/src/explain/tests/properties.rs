//! Whatever comes, an explanation comes to its end, within its bound, and accepts nothing.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Rig, signer};
use crate::explain::{Certainty, HASHES_MAX};
use crate::settings::{PathEncoding, PathNormalization};

const NAMES: [&str; 14] = [
    "accept-encoding",
    "content-length",
    "content-type",
    "connection",
    "cookie",
    "forwarded",
    "my-header",
    "x-amz-security-token",
    "x-amz-content-sha256",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-original-uri",
];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..40),
        "[ -~]{0,40}".prop_map(String::into_bytes),
        "[a/.%20+&=,:; -]{0,40}".prop_map(String::into_bytes),
    ]
}

fn headers() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    vec((select(&NAMES[..]).prop_map(str::to_owned), bytes()), 0..8)
}

/// Headers that a claim allows once only.
fn distinct(headers: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    let mut kept: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, value) in headers {
        let is_text = !name.starts_with("x-amz-") || value.is_ascii();
        let is_new = kept.iter().all(|(other, _)| *other != name) || !name.starts_with("x-amz-");
        if is_text && is_new {
            kept.push((name, value));
        }
    }
    kept
}

fn rig() -> impl Strategy<Value = Rig> {
    let settings = (
        select(vec![PathEncoding::Single, PathEncoding::Double]),
        select(vec![PathNormalization::AsIs, PathNormalization::Normalize]),
    );
    (
        bytes(),
        proptest::option::of(bytes()),
        headers(),
        bytes(),
        settings,
    )
        .prop_map(|(path, query, headers, body, (encoding, normalization))| {
            let mut rig = Rig::post();
            rig.path = path;
            rig.query = query;
            rig.headers.extend(distinct(headers));
            rig.body = body;
            rig.settings.path_encoding = encoding;
            rig.settings.path_normalization = normalization;
            rig
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Signed as one request, received as another.
    #[test]
    fn garbage_is_explained_within_the_bound(
        sent in rig(),
        received in rig(),
        bound in 0..HASHES_MAX,
    ) {
        let authorization = sent.signed_by(&signer());
        let mut mixed = received;
        for name in ["Authorization", "X-Amz-Date"] {
            let of = |(given, _): &&(String, Vec<u8>)| given == name;
            mixed.headers.push(authorization.headers.iter().find(of).unwrap().clone());
        }
        // What verifies is not refused and has nothing to explain.
        let is_refused = mixed.request(|request| {
            let claim = crate::Claim::parse(request).unwrap();
            let key = crate::SigningKey::derive(&mixed.known[0].1, claim.scope());
            claim.verify(request, &mixed.body, &key, mixed.now, &mixed.settings).is_err()
        });
        if is_refused {
            let explanation = mixed.explain_within(bound);
            prop_assert_eq!(
                explanation.certainty() == Certainty::Full,
                explanation.unconfirmed().is_empty()
            );
        }
    }

    /// The draft that an explanation begins with is what verifying computes.
    #[test]
    fn the_stages_are_those_of_verifying(rig in rig()) {
        let rig = rig.signed_by(&signer()).set("host", "some.other.host");
        let error = rig.request(|request| rig.verify(request, &crate::Claim::parse(request).unwrap()));
        if let Some(crate::VerifyError::SignatureMismatch { canonical_request, .. }) = error {
            let explanation = rig.explain_within(0);
            prop_assert_eq!(explanation.canonical_request(), &canonical_request);
        }
    }
}
