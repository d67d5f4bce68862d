use super::{DATE, Hand, Rig, sha256_hex, signer};
use crate::credentials::Credentials;
use crate::explain::{Mistake, QueryOrder, QuerySpelling};
use crate::settings::{SessionToken, Settings};
use crate::sign::Signer;

/// Signed by hand with this query.
fn by_hand(sent: &str, query: &str) -> Rig {
    let hash = sha256_hex("");
    let canonical =
        format!("GET\n/\n{query}\nhost:example.com\nx-amz-date:{DATE}\n\nhost;x-amz-date\n{hash}");
    Rig::get(&format!("/?{sent}")).by_hand(&canonical, &Hand::default())
}

#[test]
fn parameters_are_in_another_order() {
    for (sent, signed, order) in [
        ("b=2&a=1", "b=2&a=1", QueryOrder::AsSent),
        (
            "select=2&select-type=1&a=3",
            "a=3&select-type=1&select=2",
            QueryOrder::AsText,
        ),
        (
            "b=%7E&b=%7B&b=z",
            "b=z&b=%7B&b=~",
            QueryOrder::BeforeEncoding,
        ),
        ("b=2&b=1&a=3", "a=3&b=2&b=1", QueryOrder::KeysOnly),
    ] {
        by_hand(sent, signed).assert_mistake(Mistake::QueryOrder { signed: order });
    }
}

#[test]
fn parameters_are_in_another_spelling() {
    for (sent, signed, spelling) in [
        ("k=a+b", "k=a%20b", QuerySpelling::PlusAsSpace),
        ("k=a%20b%25", "k=a+b%25", QuerySpelling::SpaceAsPlus),
        ("k=a+b", "k=a+b", QuerySpelling::PlusKept),
        ("k=a%20b", "k=a%2520b", QuerySpelling::EncodedTwice),
        ("k=a%20b@", "k=a%20b@", QuerySpelling::AsSent),
        ("k=a%20b", "k=a b", QuerySpelling::Decoded),
    ] {
        by_hand(sent, signed).assert_mistake(Mistake::QuerySpelling { signed: spelling });
    }
}

#[test]
fn a_key_without_value_is_signed_without_its_equal_sign() {
    by_hand("versioning", "versioning").assert_mistake(Mistake::QueryEqualsMissing);
}

#[test]
fn a_parameter_is_added() {
    let added = |key: &str| Mistake::QueryParameterAdded {
        key: key.to_owned(),
    };
    let rig = Rig::get("/?a=1").signed();
    rig.clone()
        .with_query("a=1&utm_source=x")
        .assert_mistake(added("utm_source"));
    rig.with_query("z&a=1").assert_mistake(added("z"));
    let presigned = Rig::get("/?a=1").presigned_by(&signer());
    let query = String::from_utf8(presigned.query.clone().unwrap()).unwrap();
    presigned
        .with_query(&format!("fbclid=1&{query}"))
        .assert_mistake(added("fbclid"));
}

#[test]
fn a_query_is_not_signed() {
    Rig::get("/")
        .signed()
        .with_query("a=1&b=2")
        .assert_mistake(Mistake::QueryNotSigned);
}

#[test]
fn a_token_in_the_query_is_not_signed() {
    let settings = Settings::default().with_session_token(SessionToken::AppendedUnsigned);
    let credentials = Credentials::new(super::ID, super::SECRET).with_session_token("hush-hush");
    let signer = Signer::new(credentials, "us-east-1", "sqs").with_settings(settings);
    let rig = Rig::get("/").presigned_by(&signer);
    rig.assert_mistake(Mistake::SessionTokenUnsigned);
}

#[test]
fn the_first_16_parameters_are_tried_as_added_ones() {
    let all: Vec<String> = (0..20).map(|n| format!("k{n:02}=1")).collect();
    for (added, is_found) in [(0, true), (15, true), (16, false)] {
        let mut signed = all.clone();
        signed.remove(added);
        let rig = by_hand(&all.join("&"), &signed.join("&"));
        let key = format!("k{added:02}");
        let expected = is_found.then_some(Mistake::QueryParameterAdded { key });
        assert_eq!(rig.explain().mistakes(), expected.as_slice(), "{added}");
    }
}
