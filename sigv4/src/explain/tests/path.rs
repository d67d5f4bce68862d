use super::{DATE, Hand, Rig, sha256_hex, signer_with};
use crate::explain::{EncodedPart, Mistake, PathSpelling};
use crate::settings::{PathEncoding, PathNormalization, Settings};

/// Signed by hand with this path.
fn by_hand(rig: Rig, path: &str) -> Rig {
    let hash = sha256_hex("");
    let canonical =
        format!("GET\n{path}\n\nhost:example.com\nx-amz-date:{DATE}\n\nhost;x-amz-date\n{hash}");
    rig.by_hand(&canonical, &Hand::default())
}

#[test]
fn a_path_is_encoded_once_in_place_of_twice() {
    let once = signer_with(Settings::default().with_path_encoding(PathEncoding::Single));
    Rig::get("/a%20b")
        .signed_by(&once)
        .assert_mistake(Mistake::PathEncoding {
            signed: PathSpelling::EncodedOnce,
            right: PathSpelling::EncodedTwice,
        });
}

#[test]
fn a_path_is_encoded_twice_in_place_of_once() {
    let rig = Rig::get("/a%20b").signed();
    let settings = rig
        .settings
        .clone()
        .with_path_encoding(PathEncoding::Single);
    rig.with_settings(settings)
        .assert_mistake(Mistake::PathEncoding {
            signed: PathSpelling::EncodedTwice,
            right: PathSpelling::EncodedOnce,
        });
}

#[test]
fn a_path_is_encoded_three_times_decoded_or_left_as_it_is() {
    for (sent, signed, spelling) in [
        ("/a%20b", "/a%252520b", PathSpelling::EncodedThrice),
        ("/a%20b", "/a b", PathSpelling::Decoded),
        ("/a%20b@c", "/a%20b@c", PathSpelling::AsSent),
        ("/x/..//a%20b@c/", "/a%20b@c/", PathSpelling::AsSent),
        ("/x/./%20", "/x/ ", PathSpelling::Decoded),
    ] {
        by_hand(Rig::get(sent), signed).assert_mistake(Mistake::PathEncoding {
            signed: spelling,
            right: PathSpelling::EncodedTwice,
        });
    }
}

#[test]
fn a_path_is_not_normalised() {
    let as_is = signer_with(Settings::default().with_path_normalization(PathNormalization::AsIs));
    for target in ["//a", "/a/../b", "/a//b/", "/a/./b", "/a/.."] {
        Rig::get(target)
            .signed_by(&as_is)
            .assert_mistake(Mistake::PathNormalization {
                signed: PathNormalization::AsIs,
            });
    }
}

#[test]
fn a_path_is_normalised_and_should_not_be() {
    let rig = Rig::get("/a//b").signed();
    let settings = rig
        .settings
        .clone()
        .with_path_normalization(PathNormalization::AsIs);
    rig.with_settings(settings)
        .assert_mistake(Mistake::PathNormalization {
            signed: PathNormalization::Normalize,
        });
}

#[test]
fn a_path_is_rewritten() {
    let rewritten = |signed: &str, received: &str| Mistake::PathRewritten {
        signed: signed.to_owned(),
        received: received.to_owned(),
    };
    let stripped = Rig::get("/sqs/queue").signed().with_path("/queue");
    for (name, value) in [
        ("x-forwarded-prefix", "/sqs/"),
        ("x-original-uri", "/sqs/queue?a=b"),
        ("x-original-url", "/sqs/queue"),
    ] {
        stripped
            .clone()
            .set(name, value)
            .assert_mistake(rewritten("/sqs/queue", "/queue"));
    }
    for (signed, received) in [
        ("/queue", "/queue/"),
        ("/queue/", "/queue"),
        ("/", "/queue/one"),
    ] {
        let rig = Rig::get(signed).signed().with_path(received);
        rig.assert_mistake(rewritten(signed, received));
    }
}

#[test]
fn percent_encoding_is_in_lower_case() {
    let rig = by_hand(Rig::get("/a%2Fb"), "/a%252fb");
    // The percent sign of the first encoding is what is encoded: the digits stay as they came.
    assert_eq!(rig.explain().mistakes(), []);

    let rig = by_hand(Rig::get("/é"), "/%c3%a9");
    rig.assert_mistake(Mistake::LowerCaseHex {
        part: EncodedPart::Path,
    });
    let hash = sha256_hex("");
    let canonical = |path: &str, query: &str| {
        format!(
            "GET\n{path}\n{query}\nhost:example.com\nx-amz-date:{DATE}\n\nhost;x-amz-date\n{hash}"
        )
    };
    let canonical_query = canonical("/", "a=%2f");
    let rig = Rig::get("/?a=%2F").by_hand(&canonical_query, &Hand::default());
    rig.assert_mistake(Mistake::LowerCaseHex {
        part: EncodedPart::Query,
    });
    let canonical_both = canonical("/%3d", "a=%2f");
    let rig = Rig::get("/=?a=%2f").by_hand(&canonical_both, &Hand::default());
    rig.assert_mistake(Mistake::LowerCaseHex {
        part: EncodedPart::PathAndQuery,
    });
}

#[test]
fn another_method_is_signed() {
    let mut rig = Rig::get("/a").signed();
    rig.method = "HEAD".to_owned();
    rig.assert_mistake(Mistake::Method {
        signed: "GET".to_owned(),
        received: "HEAD".to_owned(),
    });
    let mut rig = Rig::get("/a");
    rig.method = "get".to_owned();
    let mut rig = rig.signed();
    rig.method = "GET".to_owned();
    rig.assert_mistake(Mistake::Method {
        signed: "get".to_owned(),
        received: "GET".to_owned(),
    });
}

#[test]
fn a_method_is_no_method() {
    let mut rig = Rig::get("/a").signed();
    rig.method = "GET\n".to_owned();
    assert_eq!(rig.explain().mistakes(), [Mistake::MethodMalformed]);
}
