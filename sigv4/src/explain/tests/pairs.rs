use std::time::Duration;

use super::{BODY, ID, Rig, SECRET, signer, signer_with};
use crate::credentials::{Credentials, Secret};
use crate::explain::{Certainty, Mistake, PathSpelling, SecretSpelling, SignedPayload};
use crate::request::Payload;
use crate::settings::{PathEncoding, PathNormalization, Settings};
use crate::sign::Signer;

#[track_caller]
fn assert_pair(rig: &Rig, is_expected: impl Fn(&Mistake, &Mistake) -> bool) {
    let mistakes = rig.mistakes();
    match &mistakes[..] {
        [a, b] => assert!(is_expected(a, b) || is_expected(b, a), "{mistakes:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn secret_and_host() {
    let signer = Signer::new(
        Credentials::new(ID, format!("{SECRET}\n")),
        "us-east-1",
        "sqs",
    );
    let rig = Rig::post().signed_by(&signer).set("host", "localhost");
    assert_pair(&rig, |a, b| {
        matches!(
            a,
            Mistake::SecretSpelling {
                signed: SecretSpelling::LineFeedAfter
            }
        ) && matches!(b, Mistake::PortDropped { .. })
    });
}

#[test]
fn path_spelling_and_normalization() {
    let settings = Settings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs);
    let rig = Rig::get("/a//b%20c").signed_by(&signer_with(settings));
    assert_pair(&rig, |a, b| {
        matches!(
            a,
            Mistake::PathEncoding {
                signed: PathSpelling::EncodedOnce,
                ..
            }
        ) && matches!(b, Mistake::PathNormalization { .. })
    });
}

#[test]
fn two_headers() {
    let rig = Rig::post()
        .add("accept-encoding", "gzip")
        .add("content-length", "22")
        .signed();
    let rig = rig
        .set("accept-encoding", "gzip, br")
        .without("content-length");
    assert_pair(&rig, |a, b| {
        matches!(a, Mistake::HeaderChanged { name, .. } if name == "accept-encoding")
            && matches!(b, Mistake::HeaderRemoved { name, signed: Some(_) } if name == "content-length")
    });
}

#[test]
fn host_and_body() {
    let rig = Rig::post().signed_with(&signer(), Payload::Bytes(b""));
    assert_eq!(rig.body, BODY.as_bytes());
    assert_pair(&rig.set("host", "127.0.0.1:9324"), |a, b| {
        matches!(a, Mistake::HostRewritten { .. })
            && matches!(
                b,
                Mistake::Payload {
                    signed: SignedPayload::Empty
                }
            )
    });
}

#[test]
fn secret_and_region() {
    let signer = Signer::new(
        Credentials::new(ID, format!("{SECRET} ")),
        "us-east-1",
        "sqs",
    );
    let rig = Rig::post()
        .signed_by(&signer)
        .altered("us-east-1", "eu-west-1");
    assert_pair(&rig, |a, b| {
        matches!(
            a,
            Mistake::SecretSpelling {
                signed: SecretSpelling::SpaceAfter
            }
        ) && matches!(b, Mistake::SignedRegion { signed, .. } if signed == "us-east-1")
    });
}

#[test]
fn one_at_first_sight_and_one_more() {
    let mut rig = Rig::post().signed().set("host", "localhost");
    rig.now += Duration::from_secs(3 * 3600);
    assert_pair(&rig, |a, b| {
        matches!(
            a,
            Mistake::Clock {
                zone: Some(-180),
                ..
            }
        ) && matches!(b, Mistake::PortDropped { .. })
    });
}

#[test]
fn two_at_first_sight() {
    let mut rig = Rig::post().signed().add("x-amz-added", "1");
    rig.now += Duration::from_secs(3600);
    assert_pair(&rig, |a, b| {
        matches!(a, Mistake::Clock { .. }) && matches!(b, Mistake::HeaderAdded { .. })
    });
}

#[test]
fn three_are_too_many() {
    let stranger = Signer::new(
        Credentials::new(ID, format!("{SECRET}\n")),
        "us-east-1",
        "sqs",
    );
    let rig = Rig::post().signed_with(&stranger, Payload::Bytes(b""));
    let explanation = rig.set("host", "localhost").explain();
    assert_eq!(explanation.certainty(), Certainty::Nothing);
    assert_eq!(explanation.mistakes(), []);
}

/// What is only said more exactly by what is found does not count among the two.
#[test]
fn one_at_first_sight_that_is_found_again_and_one_more() {
    let dropped = Mistake::PortDropped {
        signed: "localhost:9324".to_owned(),
        received: "localhost".to_owned(),
    };
    let by = |id: &str, secret: &str| {
        let signer = Signer::new(Credentials::new(id, secret), "us-east-1", "sqs");
        let mut rig = Rig::post();
        rig.known = vec![(ID.to_owned(), Secret::new("aSecretWithoutSlash"))];
        rig.signed_by(&signer).set("host", "localhost")
    };
    assert_eq!(
        by("AKIDEXAMPEL", "aSecretWithoutSlash").mistakes(),
        [
            Mistake::AccessKeyUnknown,
            Mistake::SecretOfOtherKey {
                access_key_id: ID.to_owned()
            },
            dropped.clone(),
        ]
    );
    assert_eq!(
        by("aSecretWithoutSlash", ID).mistakes(),
        [Mistake::KeysSwapped, dropped]
    );
}

#[test]
fn the_secrets_of_four_other_keys_go_with_another_mistake() {
    for (used, is_found) in [(3, true), (4, false)] {
        let credentials = Credentials::new(ID, format!("secret of {used}"));
        let signer = Signer::new(credentials, "us-east-1", "sqs");
        let mut rig = Rig::post().signed_by(&signer).set("host", "localhost");
        for n in 0..6 {
            rig = rig.with_known(&format!("AKID{n}"), &format!("secret of {n}"));
        }
        let certainty = rig.explain().certainty();
        let expected = if is_found {
            Certainty::Full
        } else {
            Certainty::Nothing
        };
        assert_eq!(certainty, expected, "{used}");
    }
}
