//! The hashing alone: what any implementation has to do, from texts that are ready, without allocating.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::case::Case;
use crate::ours;
use crate::workload::{REGION, SECRET, SERVICE, Workload};

/// The texts of a signature.
#[derive(Clone)]
struct Texts {
    body: Vec<u8>,
    canonical_request: Vec<u8>,
    string_to_sign: String,
    prefixed_secret: String,
    date: String,
}

impl Texts {
    fn of(workload: &Workload) -> Self {
        let signed = ours::sign(workload);
        let scope_at = signed.string_to_sign().as_str().find("\n2015").unwrap();
        Self {
            body: workload.body.clone(),
            canonical_request: signed.canonical_request().as_bytes().to_vec(),
            string_to_sign: signed.string_to_sign().to_string(),
            prefixed_secret: format!("AWS4{SECRET}"),
            date: signed.string_to_sign().as_str()[scope_at + 1..][..8].to_owned(),
        }
    }

    fn derive(&self) -> [u8; 32] {
        let day = hmac(self.prefixed_secret.as_bytes(), self.date.as_bytes());
        let region = hmac(&day, REGION.as_bytes());
        let service = hmac(&region, SERVICE.as_bytes());
        hmac(&service, b"aws4_request")
    }

    /// The two hashes, which go nowhere since the texts that hold them are ready.
    fn hash(&self) -> ([u8; 32], [u8; 32]) {
        (
            Sha256::digest(&self.body).into(),
            Sha256::digest(&self.canonical_request).into(),
        )
    }
}

/// The floors of a workload: the key cached as bytes (one whole HMAC at the end), cached as a prepared
/// state (two blocks fewer), and derived each time.
#[must_use]
pub fn cases(workload: &Workload) -> Vec<Case> {
    let texts = Texts::of(workload);
    let expected = ours::sign(workload).signature().to_string();
    let key = texts.derive();
    assert_eq!(
        hex::encode(hmac(&key, texts.string_to_sign.as_bytes())),
        expected
    );
    let name = workload.name;
    let (cached, prepared, uncached) = (texts.clone(), texts.clone(), texts);
    let state = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    vec![
        Case::new("floor", format!("key cached, {name}"), move || {
            (cached.hash(), hmac(&key, cached.string_to_sign.as_bytes()))
        }),
        Case::new("floor", format!("state cached, {name}"), move || {
            let mut mac = state.clone();
            mac.update(prepared.string_to_sign.as_bytes());
            (prepared.hash(), mac.finalize())
        }),
        Case::new("floor", format!("new key, {name}"), move || {
            (
                uncached.hash(),
                hmac(&uncached.derive(), uncached.string_to_sign.as_bytes()),
            )
        }),
    ]
}

fn hmac(key: &[u8], data: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(data);
    mac.finalize().into_bytes().into()
}
