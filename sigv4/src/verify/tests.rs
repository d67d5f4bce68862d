use std::time::UNIX_EPOCH;

use super::*;
use crate::credentials::{Credentials, Secret};
use crate::error::ClaimError;
use crate::request::Payload;
use crate::scope::Scope;
use crate::settings::{ContentSha256, SessionToken, Settings};
use crate::sign::Signer;

const SIGNED_AT: u64 = 1_440_938_160;
const BODY: &[u8] = b"{}";

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn date_time(text: &str) -> DateTime {
    DateTime::parse(text).unwrap()
}

/// A request as a server holds it.
#[derive(Clone)]
struct Received {
    target: Vec<u8>,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    now: SystemTime,
}

impl Received {
    fn signed() -> Self {
        Self::signed_with(Settings::default(), Payload::Bytes(BODY))
    }

    fn signed_with(settings: Settings, payload: Payload<'_>) -> Self {
        let headers: [(&str, &[u8]); 2] =
            [("host", b"a"), ("x-amz-target", b"AmazonSQS.ListQueues")];
        let request = Request::new("POST", "/", &headers);
        let signed = signer(settings)
            .sign(&request, payload, at(SIGNED_AT))
            .unwrap();
        let added = signed
            .headers()
            .map(|(name, value)| (name, value.as_bytes()));
        let all = headers.into_iter().chain(added);
        Self {
            target: b"/".to_vec(),
            headers: all
                .map(|(name, value)| (name.to_owned(), value.to_vec()))
                .collect(),
            body: BODY.to_vec(),
            now: at(SIGNED_AT),
        }
    }

    fn presigned(expires: u64) -> Self {
        Self::presigned_with(Settings::default(), Payload::Bytes(BODY), expires)
    }

    fn presigned_with(settings: Settings, payload: Payload<'_>, expires: u64) -> Self {
        let request = Request::new("POST", "/", &[("host", b"a")]);
        let expires = Duration::from_secs(expires);
        let presigned = signer(settings)
            .presign(&request, payload, at(SIGNED_AT), expires)
            .unwrap();
        Self {
            target: presigned.target().to_vec(),
            headers: vec![("host".to_owned(), b"a".to_vec())],
            body: BODY.to_vec(),
            now: at(SIGNED_AT),
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        let line = self
            .headers
            .iter_mut()
            .find(|(given, _)| given == name)
            .unwrap();
        line.1 = value.as_bytes().to_vec();
    }

    fn edit(&mut self, name: &str, from: &str, to: &str) {
        let line = self
            .headers
            .iter()
            .find(|(given, _)| given == name)
            .unwrap();
        let old = String::from_utf8(line.1.clone()).unwrap();
        assert!(old.contains(from), "{old}");
        self.set(name, &old.replace(from, to));
    }

    fn add(&mut self, name: &str, value: &str) {
        self.headers
            .push((name.to_owned(), value.as_bytes().to_vec()));
    }

    fn remove(&mut self, name: &str) {
        self.headers.retain(|(given, _)| given != name);
    }

    fn verify(&self, settings: &VerifySettings) -> Result<Verified, VerifyError> {
        let headers: Vec<(&str, &[u8])> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), &value[..]))
            .collect();
        let request = Request::new("POST", &self.target, &headers);
        let claim = Claim::parse(&request).unwrap();
        let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
        claim.verify(&request, &self.body, &key, self.now, settings)
    }

    fn refusal(&self) -> VerifyError {
        self.verify(&VerifySettings::default()).unwrap_err()
    }
}

fn signer(settings: Settings) -> Signer {
    let mut credentials = Credentials::new("AKID", "secret");
    if settings.session_token == SessionToken::AppendedUnsigned {
        credentials = credentials.with_session_token("hush");
    }
    Signer::new(credentials, "us-east-1", "sqs").with_settings(settings)
}

#[test]
fn the_scope_must_be_of_the_request_and_of_here() {
    let good = Received::signed();
    let here = VerifySettings::default()
        .with_region("us-east-1")
        .with_service("sqs");
    assert!(good.verify(&here).is_ok());
    assert_eq!(
        good.verify(&here.clone().with_region("eu-west-1")),
        Err(VerifyError::Region {
            found: "us-east-1".into(),
            expected: "eu-west-1".into()
        })
    );
    assert_eq!(
        good.verify(&here.with_service("sns")),
        Err(VerifyError::Service {
            found: "sqs".into(),
            expected: "sns".into()
        })
    );
    let mut other_day = good.clone();
    other_day.edit("Authorization", "/20150830/", "/20150829/");
    assert_eq!(
        other_day.refusal(),
        VerifyError::ScopeDate {
            scope_date: "20150829".into(),
            request_date: date_time("20150830T123600Z")
        }
    );
    let mut other_end = good;
    other_end.edit("Authorization", "aws4_request", "aws5_request");
    assert_eq!(
        other_end.refusal(),
        VerifyError::Terminator {
            found: "aws5_request".into()
        }
    );
}

#[test]
fn the_header_form_has_fifteen_minutes_each_way() {
    let mut received = Received::signed();
    let settings = VerifySettings::default();
    for now in [SIGNED_AT - 900, SIGNED_AT, SIGNED_AT + 900] {
        received.now = at(now);
        assert!(received.verify(&settings).is_ok(), "{now}");
    }
    received.now = at(SIGNED_AT + 901);
    assert_eq!(
        received.refusal(),
        VerifyError::Expired {
            request_date: date_time("20150830T123600Z"),
            limit: date_time("20150830T123601Z"),
            now: date_time("20150830T125101Z"),
            tolerance: Duration::from_secs(900),
        }
    );
    received.now = at(SIGNED_AT - 901);
    assert_eq!(
        received.refusal(),
        VerifyError::NotYetCurrent {
            request_date: date_time("20150830T123600Z"),
            limit: date_time("20150830T123559Z"),
            now: date_time("20150830T122059Z"),
            tolerance: Duration::from_secs(900),
        }
    );
    let hour = settings.with_tolerance(Duration::from_secs(3600));
    assert!(received.verify(&hour).is_ok());
}

#[test]
fn the_query_form_lives_as_long_as_it_says() {
    let settings = VerifySettings::default();
    for expires in [1, 60, 604_800] {
        let mut received = Received::presigned(expires);
        for now in [SIGNED_AT - 900, SIGNED_AT, SIGNED_AT + expires] {
            received.now = at(now);
            assert!(received.verify(&settings).is_ok(), "{expires} {now}");
        }
        received.now = at(SIGNED_AT + expires + 1);
        assert!(matches!(
            received.refusal(),
            VerifyError::PresignedExpired { .. }
        ));
        received.now = at(SIGNED_AT - 901);
        assert!(matches!(
            received.refusal(),
            VerifyError::NotYetCurrent { .. }
        ));
    }
    let mut received = Received::presigned(60);
    received.now = at(SIGNED_AT + 61);
    assert_eq!(
        received.refusal(),
        VerifyError::PresignedExpired {
            request_date: date_time("20150830T123600Z"),
            expires: Duration::from_secs(60),
            limit: date_time("20150830T123700Z"),
            now: date_time("20150830T123701Z"),
        }
    );
}

#[test]
fn host_and_every_amz_header_must_be_signed() {
    let not_signed = |name: &str| VerifyError::HeaderNotSigned(name.to_owned());
    for name in [
        "x-amz-extra",
        "X-AMZ-Extra",
        "x-amz-security-token",
        "x-amz-",
    ] {
        for mut received in [Received::signed(), Received::presigned(60)] {
            received.add(name, "1");
            assert_eq!(received.refusal(), not_signed(&name.to_lowercase()));
        }
    }
    for name in ["x-amz", "x-amzn-trace-id", "x-extra", "user-agent"] {
        let mut received = Received::signed();
        received.add(name, "1");
        assert!(
            received.verify(&VerifySettings::default()).is_ok(),
            "{name}"
        );
    }
    for name in ["host", "x-amz-date", "x-amz-target"] {
        let mut received = Received::signed();
        let end = if name == "x-amz-target" { "" } else { ";" };
        let start = if name == "x-amz-target" { ";" } else { "" };
        received.edit("Authorization", &format!("{start}{name}{end}"), "");
        assert_eq!(received.refusal(), not_signed(name));
    }
}

#[test]
fn lines_of_one_name_do_not_stand_in_for_a_header_that_is_absent() {
    let mut received = Received::signed();
    received.edit("Authorization", "host;", "host;x-a;x-aa;");
    for name in ["x-aa", "X-AA", "x-ab"] {
        received.add(name, "1");
    }
    let absent = VerifyError::SignedHeaderAbsent("x-a".to_owned());
    assert_eq!(received.refusal(), absent);
}

#[test]
fn a_signed_header_must_be_there() {
    for name in ["host", "x-amz-target"] {
        let mut received = Received::signed();
        received.remove(name);
        assert_eq!(
            received.refusal(),
            VerifyError::SignedHeaderAbsent(name.to_owned())
        );
    }
}

#[test]
fn the_payload_hash_is_of_the_real_body() {
    let settings = Settings::default().with_content_sha256(ContentSha256::Add);
    let mut received = Received::signed_with(settings, Payload::Bytes(BODY));
    assert!(received.verify(&VerifySettings::default()).is_ok());
    received.body = b"{ }".to_vec();
    let claimed = hex::encode(Sha256::digest(BODY));
    let actual = hex::encode(Sha256::digest(b"{ }"));
    assert_eq!(
        received.refusal(),
        VerifyError::PayloadHash { claimed, actual }
    );

    let mut unstated = Received::signed();
    unstated.body.clear();
    assert!(matches!(
        unstated.refusal(),
        VerifyError::SignatureMismatch { .. }
    ));

    received.set("x-amz-content-sha256", &"0".repeat(1000));
    let VerifyError::PayloadHash { claimed, .. } = received.refusal() else {
        panic!()
    };
    assert_eq!(claimed.len(), CLAIMED_MAX);
    let streaming = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    received.set("x-amz-content-sha256", streaming);
    assert_eq!(
        received.refusal(),
        VerifyError::StreamingPayload {
            claimed: streaming.into()
        }
    );
}

#[test]
fn an_unsigned_payload_is_refused_unless_allowed() {
    let allowed = VerifySettings::default().with_unsigned_payload(UnsignedPayload::Allowed);
    let stated = Settings::default().with_content_sha256(ContentSha256::Add);
    let stated = Received::signed_with(stated, Payload::Unsigned);
    assert_eq!(stated.refusal(), VerifyError::UnsignedPayload);
    let unstated = Received::signed_with(Settings::default(), Payload::Unsigned);
    let presigned = Received::presigned_with(Settings::default(), Payload::Unsigned, 60);
    for received in [&unstated, &presigned] {
        assert!(matches!(
            received.refusal(),
            VerifyError::SignatureMismatch { .. }
        ));
    }
    for received in [stated, unstated, presigned] {
        assert_eq!(
            received.verify(&allowed).unwrap().payload,
            Coverage::Unsigned
        );
    }
    for mut received in [Received::signed(), Received::presigned(60)] {
        assert_eq!(received.verify(&allowed).unwrap().payload, Coverage::Signed);
        received.body.clear();
        assert!(received.verify(&allowed).is_err());
    }
}

#[test]
fn a_session_token_may_be_unsigned_only_by_its_setting() {
    let allowed = VerifySettings::default().with_session_token(SessionTokenRule::MayBeUnsigned);
    let appended = Settings::default().with_session_token(SessionToken::AppendedUnsigned);
    let header = Received::signed_with(appended, Payload::Bytes(BODY));
    let query = Received::presigned_with(appended, Payload::Bytes(BODY), 60);
    let not_signed = VerifyError::HeaderNotSigned("x-amz-security-token".into());
    assert_eq!(header.refusal(), not_signed);
    assert!(matches!(
        query.refusal(),
        VerifyError::SignatureMismatch { .. }
    ));
    for received in [&header, &query] {
        let verified = received.verify(&allowed).unwrap();
        assert_eq!(verified.session_token, Some(Coverage::Unsigned));
    }
    // The setting frees the token alone, and in the header form alone the header.
    let mut more = header;
    more.add("x-amz-extra", "1");
    assert!(matches!(
        more.verify(&allowed),
        Err(VerifyError::HeaderNotSigned(_))
    ));
    let mut both = query;
    both.add("x-amz-security-token", "hush");
    assert_eq!(both.verify(&allowed), Err(not_signed));
}

#[test]
fn a_mismatch_shows_what_was_computed() {
    let mut received = Received::signed();
    received.set("x-amz-target", "AmazonSQS.DeleteQueue");
    let VerifyError::SignatureMismatch {
        canonical_request,
        string_to_sign,
    } = received.refusal()
    else {
        panic!()
    };
    assert!(
        canonical_request
            .to_string()
            .contains("x-amz-target:AmazonSQS.DeleteQueue\n")
    );
    let scope = Scope::new(date_time("20150830T123600Z"), "us-east-1", "sqs").unwrap();
    assert_eq!(
        string_to_sign,
        StringToSign::new(date_time("20150830T123600Z"), &scope, &canonical_request)
    );
}

#[test]
fn a_malformed_signature_is_a_wrong_one() {
    for longer in ["Signature=0", "Signature=g", "Signature=é"] {
        let mut received = Received::signed();
        received.edit("Authorization", "Signature=", longer);
        assert!(matches!(
            received.refusal(),
            VerifyError::SignatureMismatch { .. }
        ));
    }
    let mut upper = Received::signed();
    let (start, signature) = {
        let header = String::from_utf8(upper.headers[2].1.clone()).unwrap();
        let (start, signature) = header.split_once("Signature=").unwrap();
        (start.to_owned(), signature.to_owned())
    };
    for other in ["", &signature[..63], &signature.to_uppercase()] {
        upper.set("Authorization", &format!("{start}Signature={other}"));
        assert!(
            matches!(upper.refusal(), VerifyError::SignatureMismatch { .. }),
            "{other}"
        );
    }
    let mut cut = Received::signed();
    cut.edit("Authorization", ", Signature=", ", Signature=x, Y=");
    let headers: Vec<(&str, &[u8])> = cut
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), &value[..]))
        .collect();
    let refused = Claim::parse(&Request::new("POST", "/", &headers)).err();
    assert!(matches!(refused, Some(ClaimError::UnknownParameter { .. })));
}

#[test]
fn a_method_that_is_no_token_is_refused() {
    let headers: Vec<(String, Vec<u8>)> = Received::signed().headers;
    let headers: Vec<(&str, &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), &value[..]))
        .collect();
    let request = Request::new("POST\n/", "/", &headers);
    let claim = Claim::parse(&request).unwrap();
    let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
    let settings = VerifySettings::default();
    let refused = claim.verify(&request, BODY, &key, at(SIGNED_AT), &settings);
    assert_eq!(refused, Err(VerifyError::Method("POST\n/".into())));
}
