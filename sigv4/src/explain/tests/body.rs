use super::{BODY, DATE, Hand, Rig, sha256_hex, signer, signer_with};
use crate::explain::{Certainty, Mistake, Part, SignedPayload};
use crate::request::Payload;
use crate::settings::{ContentSha256, Settings};

/// Signed by hand with this last line.
fn by_hand(payload: &str) -> Rig {
    let canonical = format!(
        "POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:localhost:9324\n\
         x-amz-date:{DATE}\nx-amz-target:AmazonSQS.GetQueueUrl\n\n\
         content-type;host;x-amz-date;x-amz-target\n{payload}"
    );
    Rig::post().by_hand(&canonical, &Hand::default())
}

fn payload(signed: SignedPayload) -> Mistake {
    Mistake::Payload { signed }
}

fn stating() -> crate::sign::Signer {
    signer_with(Settings::default().with_content_sha256(ContentSha256::Add))
}

#[test]
fn the_hash_of_a_known_body_is_signed() {
    for (body, signed) in [
        ("", SignedPayload::Empty),
        ("{}", SignedPayload::EmptyObject),
        ("null", SignedPayload::Null),
    ] {
        let rig = Rig::post().signed_with(&signer(), Payload::Bytes(body.as_bytes()));
        rig.assert_mistake(payload(signed));
    }
}

#[test]
fn the_payload_is_not_signed() {
    let rig = Rig::post().signed_with(&signer(), Payload::Unsigned);
    rig.assert_mistake(payload(SignedPayload::Unsigned));
    let stated = Rig::post().signed_with(&stating(), Payload::Unsigned);
    stated.assert_mistake(payload(SignedPayload::Unsigned));
    by_hand("STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        .assert_mistake(payload(SignedPayload::UnsignedTrailer));
}

#[test]
fn white_space_at_the_end_of_the_body_differs() {
    let rig = Rig::post().signed().with_body(&format!("{BODY}\r\n"));
    rig.assert_mistake(payload(SignedPayload::WithoutFinalSpace));
    let rig = Rig::post()
        .with_body(&format!("{BODY}\n"))
        .signed()
        .with_body(BODY);
    rig.assert_mistake(payload(SignedPayload::WithFinalLineFeed));
}

#[test]
fn the_payload_line_is_no_hash_in_lower_case() {
    by_hand(&sha256_hex(BODY).to_uppercase()).assert_mistake(payload(SignedPayload::UpperCaseHash));
    by_hand(BODY).assert_mistake(payload(SignedPayload::BodyItself));
    by_hand("").assert_mistake(payload(SignedPayload::NoHash));
}

#[test]
fn a_changed_body_is_known_by_its_stated_hash() {
    let rig = Rig::post().signed_by(&stating()).with_body("{ }");
    rig.assert_mistake(Mistake::BodyChanged { received_length: 3 });
    let empty = Rig::post()
        .with_body("")
        .signed_by(&stating())
        .with_body(BODY);
    empty.assert_mistake(payload(SignedPayload::Empty));
}

#[test]
fn a_changed_body_without_a_stated_hash_cannot_be_confirmed() {
    let explanation = Rig::post().signed().with_body("{ }").explain();
    assert_eq!(explanation.certainty(), Certainty::Nothing);
    assert!(explanation.unconfirmed().contains(&Part::Body));

    let rig = Rig::post()
        .signed_by(&stating())
        .set("x-amz-target", "AmazonSQS.ListQueues");
    assert!(!rig.explain().unconfirmed().contains(&Part::Body));
}

#[test]
fn the_stated_hash_is_not_the_one_signed() {
    let hash = sha256_hex(BODY);
    let canonical = format!(
        "POST\n/\n\nhost:localhost:9324\nx-amz-content-sha256:{}\nx-amz-date:{DATE}\n\n\
         host;x-amz-content-sha256;x-amz-date\n{hash}",
        "0".repeat(64)
    );
    let rig = Rig::post()
        .without("x-amz-target")
        .by_hand(&canonical, &Hand::default());
    let rig = rig.set("x-amz-content-sha256", &"0".repeat(64));
    rig.assert_mistake(Mistake::PayloadHeaderChanged);
}

#[test]
fn a_body_in_chunks_is_not_read() {
    let streaming = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    let canonical = format!(
        "POST\n/\n\nhost:localhost:9324\nx-amz-content-sha256:{streaming}\nx-amz-date:{DATE}\n\n\
         host;x-amz-content-sha256;x-amz-date\n{streaming}"
    );
    let rig = Rig::post()
        .without("x-amz-target")
        .by_hand(&canonical, &Hand::default());
    let rig = rig.set("x-amz-content-sha256", streaming);
    rig.assert_mistake(Mistake::PayloadStreaming {
        stated: streaming.to_owned(),
    });
}
