use super::{Rig, signer};
use crate::claim::Claim;
use crate::error::VerifyError;
use crate::explain::{Certainty, Extent, HASHES_MAX, Part};
use crate::sign::Signer;
use crate::{Credentials, SigningKey};

fn by_stranger() -> Rig {
    let credentials = Credentials::new(super::ID, "stranger").with_session_token("hush-hush");
    let stranger = Signer::new(credentials, "us-east-1", "sqs");
    Rig::post().with_query("b=1&a=2").signed_by(&stranger)
}

#[test]
fn without_a_match_the_stages_are_shown_next_to_what_is_unconfirmed() {
    let explanation = by_stranger().explain();
    assert_eq!(explanation.certainty(), Certainty::Nothing);
    assert_eq!(explanation.extent(), Extent::Whole);
    assert_eq!(
        explanation.unconfirmed(),
        [
            Part::Secret,
            Part::Method,
            Part::Path,
            Part::Query,
            Part::Header("content-type".to_owned()),
            Part::Header("host".to_owned()),
            Part::Header("x-amz-security-token".to_owned()),
            Part::Header("x-amz-target".to_owned()),
            Part::Body,
        ]
    );
    let hash = super::sha256_hex(super::BODY);
    let of_request = super::sha256_hex(&explanation.canonical_request().to_string());
    assert_eq!(
        explanation.report().to_string(),
        format!(
            "What happened: the signature does not match, and none of the known mistakes makes it \
             match.\n\
             What to do: compare the client's secret, canonical request and string to sign with \
             the verifier's.\n\
             Could not be confirmed: the secret, the method, the path, the query, the header \
             content-type, the header host, the header x-amz-security-token, the header \
             x-amz-target, the body.\n\
             Canonical request:\n  | POST\n  | /\n  | a=2&b=1\n  | \
             content-type:application/x-amz-json-1.0\n  | host:localhost:9324\n  | \
             x-amz-date:20150830T123600Z\n  | x-amz-security-token:(redacted)\n  | \
             x-amz-target:AmazonSQS.GetQueueUrl\n  | \n  | \
             content-type;host;x-amz-date;x-amz-security-token;x-amz-target\n  | {hash}\n\
             String to sign:\n  | AWS4-HMAC-SHA256\n  | 20150830T123600Z\n  | \
             20150830/us-east-1/sqs/aws4_request\n  | {of_request}\n"
        )
    );
}

#[test]
fn the_stages_are_those_of_verifying() {
    for rig in [
        by_stranger(),
        Rig::get("/a//b c/%zz?x&y=+")
            .signed()
            .set("host", "elsewhere"),
    ] {
        let explanation = rig.explain();
        let error = rig.request(|request| rig.verify(request, &Claim::parse(request).unwrap()));
        let Some(VerifyError::SignatureMismatch {
            canonical_request,
            string_to_sign,
        }) = error
        else {
            panic!("{error:?}");
        };
        assert_eq!(*explanation.canonical_request(), canonical_request);
        assert_eq!(*explanation.string_to_sign(), string_to_sign);
    }
}

#[test]
fn a_full_explanation_needs_no_stages() {
    let report = Rig::post()
        .signed()
        .set("host", "localhost")
        .explain()
        .report()
        .to_string();
    assert_eq!(
        report,
        "What happened: the host was signed with its port, \"localhost:9324\", and arrived without, \
         \"localhost\".\n\
         What to do: let the proxy pass Host on as it came (nginx: proxy_set_header Host \
         $http_host), or sign for the host that arrives.\n"
    );
}

#[test]
fn control_characters_are_escaped() {
    let rig = Rig::post()
        .signed()
        .add("x-forwarded-host", "a\u{1b}[31m\nb")
        .set("host", "\u{1b}[31m");
    for rig in [rig, Rig::post().signed().add("x-amz-\u{1b}\n", "a")] {
        let explanation = rig.explain();
        let shown = format!("{explanation}{}", explanation.report());
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn the_bound_is_kept_and_told() {
    let whole = by_stranger().explain();
    for bound in [0, 1, 5, 6, 7, 100, whole.hashes() - 1] {
        let explanation = by_stranger().explain_within(bound);
        assert_eq!(explanation.extent(), Extent::Bounded, "{bound}");
        assert!(explanation.hashes() <= bound);
        assert!(
            explanation
                .report()
                .to_string()
                .contains("the bound was reached")
        );
    }
    assert_eq!(
        by_stranger().explain_within(whole.hashes()).extent(),
        Extent::Whole
    );
}

#[test]
fn the_largest_requests_keep_the_bound_too() {
    let stranger = Signer::new(Credentials::new(super::ID, "stranger"), "us-east-1", "sqs");
    let mut many_headers = Rig::post();
    for n in 0..120 {
        many_headers = many_headers.add(&format!("x-forwarded-{n}"), "a,  b , c, d");
    }
    let query: Vec<String> = (0..900)
        .map(|n| format!("k{n}=%2F+{}", "v".repeat(50)))
        .collect();
    let long_query = Rig::post().with_query(&query.join("&"));
    let long_body = Rig::post().with_body(&"b".repeat(1_000_000));
    // To copy a request for two mistakes is paid for as well: else there would be half as many more.
    for (rig, extent, most) in [
        (many_headers, Extent::Bounded, 6_000),
        (long_query, Extent::Bounded, 1_500),
        (long_body, Extent::Whole, HASHES_MAX),
    ] {
        let explanation = rig.signed_by(&stranger).explain();
        assert_eq!(explanation.extent(), extent);
        assert_eq!(explanation.certainty(), Certainty::Nothing);
        assert!(explanation.hashes() < most, "{}", explanation.hashes());
    }
}

#[test]
fn an_ordinary_request_is_tried_to_the_end() {
    let explanation = by_stranger().explain();
    assert_eq!(explanation.extent(), Extent::Whole);
    assert!(
        explanation.hashes() < HASHES_MAX,
        "{}",
        explanation.hashes()
    );
    let found = Rig::post().signed().set("host", "localhost").explain();
    assert!(found.hashes() < 200, "{}", found.hashes());
}

/// An explanation is no verification: not even of a request that is right, under an error that is
/// another's.
#[test]
fn a_right_request_is_not_said_to_be_right() {
    let rig = Rig::post().signed_by(&signer());
    let explanation = rig.request(|request| {
        let claim = Claim::parse(request).unwrap();
        let key = SigningKey::derive(&rig.known[0].1, claim.scope());
        let later = rig.now + std::time::Duration::from_secs(3600);
        let error = claim
            .verify(request, &rig.body, &key, later, &rig.settings)
            .unwrap_err();
        let inquiry = super::Inquiry::new(request, &rig.body, &claim, rig.now, &rig.settings)
            .with_known([(super::ID, &rig.known[0].1)]);
        let mismatch = VerifyError::HeaderNotSigned("host".to_owned());
        assert_eq!(inquiry.explain(&mismatch).certainty(), Certainty::Full);
        inquiry.explain(&error)
    });
    assert!(matches!(
        explanation.mistakes(),
        [super::Mistake::Clock { .. }]
    ));
}
