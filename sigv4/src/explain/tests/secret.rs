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
fn the_first_64_other_keys_are_tried() {
    for (used, is_found) in [(0, true), (63, true), (64, false)] {
        let mut rig = Rig::post().signed_by(&signer(ID, &format!("secret of {used}")));
        for n in 0..70 {
            rig = rig.with_known(&format!("AKID{n}"), &format!("secret of {n}"));
        }
        // Wherever among them the one stands that the request names.
        for _place in 0..2 {
            let explanation = rig.explain();
            let access_key_id = format!("AKID{used}");
            let expected = is_found.then_some(Mistake::SecretOfOtherKey { access_key_id });
            assert_eq!(explanation.mistakes(), expected.as_slice(), "{used}");
            rig.known.rotate_left(1);
        }
    }
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
    // Nor where the signature is said to cover its own header.
    let mut covering = Rig::post();
    covering.known = vec![(ID.to_owned(), Secret::new("aSecretWithoutSlash"))];
    let explanation = covering
        .signed_by(&signer("aSecretWithoutSlash", "something"))
        .altered("SignedHeaders=", "SignedHeaders=authorization;")
        .explain();
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
    let by_nothing = Rig::post().signed_by(&signer("AKIDSTRANGER", ""));
    for rig in [
        by_nothing.clone(),
        by_nothing.clone().set("host", "localhost"),
        by_nothing.set("host", "localhost").with_body(""),
    ] {
        let explanation = rig.explain();
        assert_eq!(explanation.mistakes(), [Mistake::AccessKeyUnknown]);
        assert_eq!(explanation.certainty(), Certainty::Partial);
    }
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
