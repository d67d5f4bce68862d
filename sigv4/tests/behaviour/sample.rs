//! Requests to sign, and what signing makes of them, in few words.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use sigv4::{
    CanonicalRequest, Credentials, DateTime, PathEncoding, PathNormalization, Payload, Request,
    Scope, Secret, Settings, Signer, SigningKey,
};

use crate::wire::{ACCESS_KEY, SECRET, Wire, after, canonical};

/// A GET of a target with a Host.
pub(crate) fn get(target: &str) -> Wire {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.into())),
        None => (target, None),
    };
    Wire {
        method: "GET".to_owned(),
        path: path.into(),
        query,
        headers: vec![("Host".to_owned(), b"example.com".to_vec())],
        body: Vec::new(),
    }
}

impl Wire {
    pub(crate) fn with_header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn with_body(mut self, body: &str) -> Self {
        self.body = body.into();
        self
    }

    /// Signed in the header form, the body hashed.
    pub(crate) fn sign(self, settings: Settings) -> Self {
        self.sign_by(&signer(settings))
    }

    pub(crate) fn sign_by(self, signer: &Signer) -> Self {
        let signed = self
            .with_request(|request| signer.sign(request, Payload::Bytes(&self.body), after(0)))
            .unwrap();
        self.signed(&signed)
    }

    /// Presigned for so many seconds, the body hashed.
    pub(crate) fn presign(self, settings: Settings, seconds: u64) -> Self {
        self.presign_by(&signer(settings), seconds)
    }

    pub(crate) fn presign_by(self, signer: &Signer, seconds: u64) -> Self {
        let expires = Duration::from_secs(seconds);
        let presigned = self
            .with_request(|request| {
                signer.presign(request, Payload::Bytes(&self.body), after(0), expires)
            })
            .unwrap();
        self.presigned(&presigned)
    }

    /// Signed in the header form without the crate's signer, over exactly these headers besides
    /// `host` and `x-amz-date`. A payload hash among them is taken at its word.
    pub(crate) fn sign_by_hand(self, also: &[&str]) -> Self {
        let at = DateTime::from_system_time(after(0)).unwrap();
        let scope = Scope::new(at, "us-east-1", "service").unwrap();
        let mut names: Vec<String> = also.iter().map(|name| (*name).to_owned()).collect();
        names.extend(["host".to_owned(), "x-amz-date".to_owned()]);
        names.sort();
        let wire = self.with_header("X-Amz-Date", at.as_str());
        let (encoding, normalization) = (PathEncoding::Double, PathNormalization::Normalize);
        let mut request = canonical(&wire, &names, encoding, normalization, &[]);
        let payload = match also.contains(&"x-amz-content-sha256") {
            true => wire.header("x-amz-content-sha256"),
            false => hex::encode(Sha256::digest(&wire.body)),
        };
        request.extend(format!("\n{payload}").bytes());
        let hash = hex::encode(Sha256::digest(&request));
        let text = format!("AWS4-HMAC-SHA256\n{at}\n{scope}\n{hash}");
        let key = SigningKey::derive(&Secret::new(SECRET), &scope);
        let mut mac = Hmac::<Sha256>::new_from_slice(key.expose_bytes()).unwrap();
        mac.update(text.as_bytes());
        let signature = hex::encode(mac.finalize().into_bytes());
        let names = names.join(";");
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, SignedHeaders={names}, \
             Signature={signature}"
        );
        wire.with_header("Authorization", authorization)
    }

    pub(crate) fn target(&self) -> String {
        let query = self.query.as_deref().unwrap_or_default();
        format!(
            "{}?{}",
            String::from_utf8_lossy(&self.path),
            String::from_utf8_lossy(query)
        )
    }
}

pub(crate) fn signer(settings: Settings) -> Signer {
    Signer::new(Credentials::new(ACCESS_KEY, SECRET), "us-east-1", "service")
        .with_settings(settings)
}

/// A signer with temporary credentials.
pub(crate) fn signer_with_token(settings: Settings) -> Signer {
    let credentials = Credentials::new(ACCESS_KEY, SECRET).with_session_token("to/ken");
    Signer::new(credentials, "us-east-1", "service").with_settings(settings)
}

/// A canonical request's line, from 0.
pub(crate) fn line(target: &str, at: usize, settings: Settings) -> String {
    let request = Request::new("GET", target, &[]);
    let canonical = CanonicalRequest::new(&request, Payload::Bytes(b""), &settings).unwrap();
    canonical.to_string().lines().nth(at).unwrap().to_owned()
}

/// The canonical path by the general rules.
pub(crate) fn path(target: &str) -> String {
    line(target, 1, Settings::general())
}

/// The canonical query.
pub(crate) fn query(query: &str) -> String {
    line(&format!("/?{query}"), 2, Settings::general())
}

/// The canonical header lines and the names of the signed headers.
pub(crate) fn headers(given: &[(&str, &[u8])]) -> Vec<u8> {
    let request = Request::new("GET", "/", given);
    let settings = Settings::general();
    let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &settings).unwrap();
    let text = canonical.as_bytes().strip_prefix(b"GET\n/\n\n").unwrap();
    text.strip_suffix(b"\nUNSIGNED-PAYLOAD").unwrap().to_vec()
}
