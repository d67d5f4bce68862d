//! Each mistake made once, on purpose, in an otherwise good request, and found.

mod body;
mod headers;
mod host;
mod pairs;
mod path;
mod properties;
mod query;
mod report;
mod scope;
mod secret;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Certainty, Explanation, Inquiry, Mistake, Refused};
use crate::canonical::Sink;
use crate::claim::Claim;
use crate::credentials::{Credentials, Secret};
use crate::error::VerifyError;
use crate::key::{Signature, SigningKey, hex_of};
use crate::request::{Payload, Request};
use crate::settings::Settings;
use crate::sign::Signer;
use crate::verify::VerifySettings;

const SIGNED_AT: u64 = 1_440_938_160;
const DATE: &str = "20150830T123600Z";
const ID: &str = "AKIDEXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const SCOPE: [&str; 4] = ["20150830", "us-east-1", "sqs", "aws4_request"];
const BODY: &str = r#"{"QueueName":"orders"}"#;

/// A request on its way from signer to verifier, and the verifier.
#[derive(Clone, Debug)]
struct Rig {
    method: String,
    path: Vec<u8>,
    query: Option<Vec<u8>>,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    settings: VerifySettings,
    now: SystemTime,
    known: Vec<(String, Secret)>,
    hosts: Vec<&'static str>,
}

/// How a signer of one's own makes a signature.
struct Hand {
    algorithm: &'static str,
    date: &'static str,
    scope: [&'static str; 4],
    key_scope: [&'static str; 4],
}

impl Default for Hand {
    fn default() -> Self {
        Self {
            algorithm: "AWS4-HMAC-SHA256",
            date: DATE,
            scope: SCOPE,
            key_scope: SCOPE,
        }
    }
}

impl Rig {
    /// A call of SQS, not signed.
    fn post() -> Self {
        Self {
            method: "POST".to_owned(),
            path: b"/".to_vec(),
            query: None,
            headers: [
                ("host", "localhost:9324"),
                ("content-type", "application/x-amz-json-1.0"),
                ("x-amz-target", "AmazonSQS.GetQueueUrl"),
            ]
            .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()))
            .to_vec(),
            body: BODY.as_bytes().to_vec(),
            settings: VerifySettings::default().with_service("sqs"),
            now: UNIX_EPOCH + Duration::from_secs(SIGNED_AT),
            known: vec![(ID.to_owned(), Secret::new(SECRET))],
            hosts: Vec::new(),
        }
    }

    /// A request without a body, for this target.
    fn get(target: &str) -> Self {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query.into())),
            None => (target, None),
        };
        Self {
            method: "GET".to_owned(),
            path: path.into(),
            query,
            headers: vec![("host".to_owned(), b"example.com".to_vec())],
            body: Vec::new(),
            ..Self::post()
        }
    }

    fn signed(self) -> Self {
        self.signed_by(&signer())
    }

    fn signed_by(self, signer: &Signer) -> Self {
        let body = self.body.clone();
        self.signed_with(signer, Payload::Bytes(&body))
    }

    fn signed_with(mut self, signer: &Signer, payload: Payload<'_>) -> Self {
        let at = UNIX_EPOCH + Duration::from_secs(SIGNED_AT);
        let signed = self.request(|request| signer.sign(request, payload, at).unwrap());
        for (name, value) in signed.headers() {
            self = self.set(name, value);
        }
        self
    }

    fn presigned_by(mut self, signer: &Signer) -> Self {
        let at = UNIX_EPOCH + Duration::from_secs(SIGNED_AT);
        let payload = Payload::Bytes(&self.body);
        let hour = Duration::from_secs(3600);
        let presigned = self.request(|request| signer.presign(request, payload, at, hour).unwrap());
        let target = presigned.target();
        let question = target.iter().position(|&byte| byte == b'?').unwrap();
        self.query = Some(target[question + 1..].to_vec());
        self
    }

    /// Signed by hand: of this canonical request, whose headers are named in its last line but one.
    fn by_hand(self, canonical: &str, hand: &Hand) -> Self {
        let names = canonical.rsplit('\n').nth(1).unwrap().to_owned();
        self.by_hand_naming(&names, canonical, hand)
    }

    fn by_hand_naming(self, names: &str, canonical: &str, hand: &Hand) -> Self {
        let key = SigningKey::derive_for(&Secret::new(SECRET), hand.key_scope);
        let hash = hex_of(&super::draft::sha256(canonical.as_bytes()));
        let mut mac = key.mac();
        let scope = hand.scope.join("/");
        for piece in [hand.algorithm, "\n", hand.date, "\n", &scope, "\n"] {
            mac.put(piece.as_bytes());
        }
        mac.put(&hash);
        let signature = Signature::of(mac);
        let scope = SCOPE.join("/");
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={ID}/{scope}, SignedHeaders={names}, Signature={signature}"
        );
        self.set("x-amz-date", DATE)
            .set("authorization", &authorization)
    }

    /// With a header of this value in place of all of that name.
    fn set(mut self, name: &str, value: &str) -> Self {
        self.headers
            .retain(|(given, _)| !given.eq_ignore_ascii_case(name));
        self.headers
            .push((name.to_owned(), value.as_bytes().to_vec()));
        self
    }

    fn add(mut self, name: &str, value: &str) -> Self {
        self.headers
            .push((name.to_owned(), value.as_bytes().to_vec()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(given, _)| !given.eq_ignore_ascii_case(name));
        self
    }

    fn with_body(mut self, body: &str) -> Self {
        self.body = body.into();
        self
    }

    fn with_path(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    fn with_query(mut self, query: &str) -> Self {
        self.query = Some(query.into());
        self
    }

    fn with_settings(mut self, settings: VerifySettings) -> Self {
        self.settings = settings;
        self
    }

    fn with_known(mut self, id: &str, secret: &str) -> Self {
        self.known.push((id.to_owned(), Secret::new(secret)));
        self
    }

    /// With `Authorization` changed.
    fn altered(self, from: &str, to: &str) -> Self {
        let of = |(name, _): &&(String, Vec<u8>)| name.eq_ignore_ascii_case("authorization");
        let value = self.headers.iter().find(of).unwrap().1.clone();
        let value = String::from_utf8(value).unwrap();
        assert!(value.contains(from), "{value}");
        self.set("authorization", &value.replacen(from, to, 1))
    }

    fn request<T>(&self, act: impl FnOnce(&Request<'_>) -> T) -> T {
        let headers = self.headers.iter();
        let headers: Vec<(&str, &[u8])> = headers
            .map(|(name, value)| (name.as_str(), &value[..]))
            .collect();
        act(&Request {
            method: &self.method,
            path: &self.path,
            query: self.query.as_deref(),
            headers: &headers,
        })
    }

    /// The error of verifying, if the key is known.
    fn verify(&self, request: &Request<'_>, claim: &Claim) -> Option<VerifyError> {
        let (_, secret) = self
            .known
            .iter()
            .find(|(id, _)| id == claim.access_key_id())?;
        let key = SigningKey::derive(secret, claim.scope());
        let verified = claim.verify(request, &self.body, &key, self.now, &self.settings);
        Some(verified.expect_err("a refusal"))
    }

    #[track_caller]
    fn explain(&self) -> Explanation {
        self.explain_within(super::HASHES_MAX)
    }

    /// Explains; that the request is refused does not change by it.
    #[track_caller]
    fn explain_within(&self, hashes_max: usize) -> Explanation {
        self.request(|request| {
            let claim = Claim::parse(request).expect("a claim");
            let error = self.verify(request, &claim);
            let refused = error
                .as_ref()
                .map_or(Refused::UnknownAccessKey, Refused::Verify);
            let known = self.known.iter().map(|(id, secret)| (id.as_str(), secret));
            let inquiry = Inquiry::new(request, &self.body, &claim, self.now, &self.settings)
                .with_known(known)
                .with_hosts(self.hosts.iter().copied())
                .with_hashes_max(hashes_max);
            let explanation = inquiry.explain(refused);
            assert_eq!(self.verify(request, &claim), error);
            assert!(explanation.hashes() <= hashes_max);
            assert_discreet(&explanation, &inquiry, self);
            explanation
        })
    }

    /// The mistakes that explain the refusal wholly.
    #[track_caller]
    fn mistakes(&self) -> Vec<Mistake> {
        let explanation = self.explain();
        assert_eq!(
            explanation.certainty(),
            Certainty::Full,
            "{}",
            explanation.report()
        );
        assert!(explanation.unconfirmed().is_empty());
        explanation.mistakes().to_vec()
    }

    #[track_caller]
    fn assert_mistake(&self, expected: Mistake) {
        assert_eq!(self.mistakes(), [expected]);
    }
}

fn signer() -> Signer {
    Signer::new(Credentials::new(ID, SECRET), "us-east-1", "sqs")
}

fn signer_with(settings: Settings) -> Signer {
    signer().with_settings(settings)
}

fn sha256_hex(body: &str) -> String {
    let hash = hex_of(&super::draft::sha256(body.as_bytes()));
    String::from_utf8(hash.to_vec()).unwrap()
}

/// No text of an explanation shows a secret, and none a signature that would have been right.
#[track_caller]
fn assert_discreet(explanation: &Explanation, inquiry: &Inquiry<'_>, rig: &Rig) {
    let shown = format!(
        "{explanation}\n{explanation:?}\n{inquiry:?}\n{}\n{}",
        explanation.report(),
        explanation.advice()
    );
    for (_, secret) in &rig.known {
        let secret = String::from_utf8_lossy(secret.expose_bytes()).into_owned();
        assert!(secret.len() < 8 || !shown.contains(&secret), "{shown}");
    }
    if let Some((_, secret)) = rig.known.first() {
        let key = SigningKey::derive_for(secret, SCOPE);
        let right = key.sign(explanation.string_to_sign());
        assert!(!shown.contains(right.as_str()), "{shown}");
    }
    assert_eq!(explanation.to_string().lines().count(), 1);
}
