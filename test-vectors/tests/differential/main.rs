//! `sigv4` and the crates.io package `aws-sigv4`, side by side: on random legal requests both make the
//! same signature, and what the package sends is verified here. Where the two are known to differ, a
//! test shows that they do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod differences;
mod oracle;
mod random;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use sigv4::{
    Claim, Coverage, Credentials, Payload, Request, Secret, SessionToken, SessionTokenRule,
    Settings, SignError, Signer, SigningKey, UnsignedPayload, Verified, VerifyError,
    VerifySettings,
};

/// Where the signature goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Header,
    Query { expires: Duration },
}

/// Everything that both signers are given.
#[derive(Debug, Clone)]
struct Sample {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Body,
    session_token: Option<String>,
    region: String,
    service: String,
    settings: Settings,
    form: Form,
    now: SystemTime,
}

#[derive(Debug, Clone)]
enum Body {
    Bytes(Vec<u8>),
    Unsigned,
}

const ACCESS_KEY_ID: &str = "AKIDEXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

impl Sample {
    /// A GET of a target, in header form, with nothing unusual about it.
    fn get(target: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            target: target.to_owned(),
            headers: vec![("Host".to_owned(), "example.amazonaws.com".to_owned())],
            body: Body::Bytes(Vec::new()),
            session_token: None,
            region: "us-east-1".to_owned(),
            service: "service".to_owned(),
            settings: Settings::default(),
            form: Form::Header,
            now: UNIX_EPOCH + Duration::from_secs(1_440_938_160),
        }
    }

    fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn presigned(mut self) -> Self {
        self.form = Form::Query {
            expires: Duration::from_secs(3600),
        };
        self
    }

    fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }
}

/// What this repository's signer makes of a sample that it must not refuse.
fn ours(sample: &Sample) -> String {
    try_ours(sample).unwrap()
}

/// What this repository's signer makes of a sample, or why it refuses it.
fn try_ours(sample: &Sample) -> Result<String, SignError> {
    let mut credentials = Credentials::new(ACCESS_KEY_ID, SECRET);
    if let Some(token) = &sample.session_token {
        credentials = credentials.with_session_token(token.as_str());
    }
    let signer = Signer::new(credentials, sample.region.as_str(), sample.service.as_str())
        .with_settings(sample.settings);
    let headers: Vec<(&str, &[u8])> = sample
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    let request = Request::new(&sample.method, &sample.target, &headers);
    let payload = match &sample.body {
        Body::Bytes(body) => Payload::Bytes(body),
        Body::Unsigned => Payload::Unsigned,
    };
    Ok(match sample.form {
        Form::Header => signer
            .sign(&request, payload, sample.now)?
            .signature()
            .to_string(),
        Form::Query { expires } => signer
            .presign(&request, payload, sample.now, expires)?
            .signature()
            .to_string(),
    })
}

/// Whether this repository's verifier takes a request that the other signer sends.
fn verify_theirs(sample: &Sample) -> Result<Verified, VerifyError> {
    let sent = oracle::signed_request(sample).unwrap();
    let headers: Vec<(&str, &[u8])> = sent
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    let target = sent.uri().to_string();
    let request = Request::new(sent.method().as_str(), &target, &headers);
    let claim = Claim::parse(&request).unwrap();
    assert_eq!(claim.access_key_id(), ACCESS_KEY_ID);
    assert!(claim.has_session_token(sample.session_token.as_deref()));
    let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
    let body: &[u8] = match &sample.body {
        Body::Bytes(body) => body,
        Body::Unsigned => b"anything",
    };
    claim.verify(&request, body, &key, sample.now, &verify_settings(sample))
}

/// As strict as the sample allows.
fn verify_settings(sample: &Sample) -> VerifySettings {
    VerifySettings::default()
        .with_region(sample.region.as_str())
        .with_service(sample.service.as_str())
        .with_path_encoding(sample.settings.path_encoding)
        .with_path_normalization(sample.settings.path_normalization)
        .with_session_token(match sample.settings.session_token {
            SessionToken::Signed => SessionTokenRule::MustBeSigned,
            SessionToken::AppendedUnsigned => SessionTokenRule::MayBeUnsigned,
        })
        .with_unsigned_payload(match &sample.body {
            Body::Bytes(_) => UnsignedPayload::Refused,
            Body::Unsigned => UnsignedPayload::Allowed,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_iters: 4000, ..ProptestConfig::default() })]

    #[test]
    fn both_signers_make_the_same_signature(sample in random::sample()) {
        prop_assert_eq!(ours(&sample), oracle::signature(&sample).unwrap());
    }

    #[test]
    fn what_the_other_signer_sends_is_verified(sample in random::sample()) {
        let verified = verify_theirs(&sample).unwrap();
        let payload = match &sample.body {
            Body::Bytes(_) => Coverage::Signed,
            Body::Unsigned => Coverage::Unsigned,
        };
        prop_assert_eq!(verified.payload, payload);
        let token = match sample.settings.session_token {
            SessionToken::Signed => Coverage::Signed,
            SessionToken::AppendedUnsigned => Coverage::Unsigned,
        };
        prop_assert_eq!(verified.session_token, sample.session_token.as_ref().map(|_| token));
    }
}
