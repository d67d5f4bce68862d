use super::{ID, Rig, SECRET};
use crate::credentials::{Credentials, Secret};
use crate::explain::{Certainty, Mistake, SecretSpelling};
use crate::sign::Signer;

fn signer(id: &str, secret: &str) -> Signer {
    Signer::new(Credentials::new(id, secret), "us-east-1", "sqs")
}

#[test]
fn a_secret_has_something_around_it() {
    for (secret, signed) in [
        (format!("{SECRET}\n"), SecretSpelling::LineFeedAfter),
        (format!("{SECRET}\r\n"), SecretSpelling::LineEndAfter),
        (format!("{SECRET}\r"), SecretSpelling::CarriageReturnAfter),
        (format!("{SECRET} "), SecretSpelling::SpaceAfter),
        (format!(" {SECRET}"), SecretSpelling::SpaceBefore),
        (format!(" {SECRET} "), SecretSpelling::SpacesAround),
        (format!("{SECRET}\t"), SecretSpelling::TabAfter),
        (format!("\"{SECRET}\""), SecretSpelling::DoubleQuotes),
        (format!("'{SECRET}'"), SecretSpelling::SingleQuotes),
        (
            SECRET.replace('/', "%2F").replace('+', "%2B"),
            SecretSpelling::PercentEncoded,
        ),
        (String::new(), SecretSpelling::Empty),
    ] {
        let rig = Rig::post().signed_by(&signer(ID, &secret));
        rig.assert_mistake(Mistake::SecretSpelling { signed });
        let presigned = Rig::post().presigned_by(&signer(ID, &secret));
        presigned.assert_mistake(Mistake::SecretSpelling { signed });
    }
}

#[test]
fn the_verifiers_secret_has_something_around_it() {
    for kept in [
        " kept-well",
        "kept-well\n",
        "\"kept-well\"",
        " 'kept-well' ",
    ] {
        let mut rig = Rig::post().signed_by(&signer(ID, "kept-well"));
        rig.known = vec![(ID.to_owned(), Secret::new(kept))];
        rig.assert_mistake(Mistake::SecretSpelling {
            signed: SecretSpelling::Bare,
        });
    }
}

#[test]
fn a_secret_is_of_another_key() {
    let rig = Rig::post().signed_by(&signer(ID, "the other secret"));
    rig.with_known("AKIDOTHER", "the other secret")
        .assert_mistake(Mistake::SecretOfOtherKey {
            access_key_id: "AKIDOTHER".to_owned(),
        });
}

#[test]
fn an_access_key_id_is_used_as_secret() {
    Rig::post()
        .signed_by(&signer(ID, ID))
        .assert_mistake(Mistake::SecretIsAccessKeyId);
}

#[test]
fn access_key_id_and_secret_are_exchanged() {
    let mut rig = Rig::post();
    rig.known = vec![(ID.to_owned(), Secret::new("aSecretWithoutSlash"))];
    let swapped = signer("aSecretWithoutSlash", ID);
    rig.clone()
        .signed_by(&swapped)
        .assert_mistake(Mistake::KeysSwapped);
    rig.clone()
        .presigned_by(&swapped)
        .assert_mistake(Mistake::KeysSwapped);

    // The secret is not shown either where it is not all that is wrong.
    let explanation = rig
        .presigned_by(&signer("aSecretWithoutSlash", "something"))
        .explain();
    assert_eq!(explanation.mistakes(), [Mistake::KeysSwapped]);
    assert_eq!(explanation.certainty(), Certainty::Partial);
}

#[test]
fn an_access_key_is_not_known() {
    let explanation = Rig::post()
        .signed_by(&signer("AKIDSTRANGER", "stranger"))
        .explain();
    assert_eq!(explanation.mistakes(), [Mistake::AccessKeyUnknown]);
    assert_eq!(explanation.certainty(), Certainty::Partial);

    let mistyped = Rig::post().signed_by(&signer("AKIDEXAMPEL", SECRET));
    assert_eq!(
        mistyped.mistakes(),
        [
            Mistake::AccessKeyUnknown,
            Mistake::SecretOfOtherKey {
                access_key_id: ID.to_owned()
            }
        ]
    );
    // A stranger who signs with nothing is a stranger.
    let explanation = Rig::post().signed_by(&signer("AKIDSTRANGER", "")).explain();
    assert_eq!(explanation.mistakes(), [Mistake::AccessKeyUnknown]);
}

#[test]
fn a_signature_is_written_otherwise() {
    let rig = Rig::post().signed();
    let of = |(name, _): &&(String, Vec<u8>)| name == "Authorization";
    let value = String::from_utf8(rig.headers.iter().find(of).unwrap().1.clone()).unwrap();
    let signature = value.rsplit('=').next().unwrap();
    let upper = rig.clone().altered(signature, &signature.to_uppercase());
    upper.assert_mistake(Mistake::SignatureUpperCase);

    for (wrong, length) in [("", 0), (&signature[1..], 63), ("not-hex", 7)] {
        let explanation = rig.clone().altered(signature, wrong).explain();
        assert_eq!(
            explanation.mistakes(),
            [Mistake::SignatureMalformed { length }]
        );
        assert_eq!(explanation.hashes(), 0);
    }
}
