//! This crate.

use std::time::Duration;

use sigv4::{
    Claim, Credentials, Payload, Request, Secret, Signed, Signer, SigningKey, VerifySettings,
};

use crate::case::Case;
use crate::workload::{ACCESS_KEY_ID, REGION, SECRET, SERVICE, Workload, now};

/// The life of a presigned request.
pub const EXPIRES: Duration = Duration::from_secs(3600);

/// A new signer.
#[must_use]
pub fn signer() -> Signer {
    Signer::new(Credentials::new(ACCESS_KEY_ID, SECRET), REGION, SERVICE)
}

/// The signature of a workload.
pub fn sign(workload: &Workload) -> Signed {
    let headers = workload.header_bytes();
    let request = Request::new(workload.method, &workload.target, &headers);
    signer()
        .sign(&request, Payload::Bytes(&workload.body), now())
        .unwrap()
}

/// Signing with the day's key kept.
pub fn sign_case(workload: Workload) -> Case {
    let signer = signer();
    let headers = workload.header_bytes();
    Case::new("sigv4", format!("sign {}", workload.name), move || {
        let request = Request::new(workload.method, &workload.target, &headers);
        signer
            .sign(&request, Payload::Bytes(&workload.body), now())
            .unwrap()
    })
}

/// Signing with a key that must be derived: each signature is for another day than the one before.
pub fn sign_new_key_case(workload: Workload) -> Case {
    let signer = signer();
    let headers = workload.header_bytes();
    let mut days = [now(), now() + Duration::from_secs(86_400)];
    Case::new(
        "sigv4",
        format!("sign {}, new key", workload.name),
        move || {
            days.swap(0, 1);
            let request = Request::new(workload.method, &workload.target, &headers);
            signer
                .sign(&request, Payload::Bytes(&workload.body), days[0])
                .unwrap()
        },
    )
}

/// Presigning with the day's key kept.
pub fn presign_case(workload: Workload) -> Case {
    let signer = signer();
    let headers = workload.header_bytes();
    Case::new("sigv4", format!("presign {}", workload.name), move || {
        let request = Request::new(workload.method, &workload.target, &headers);
        signer
            .presign(&request, Payload::Bytes(&workload.body), now(), EXPIRES)
            .unwrap()
    })
}

/// Reading the claim and verifying it, with the key kept.
pub fn verify_case(workload: Workload) -> Case {
    let signed = sign(&workload);
    // Kept for as long as the program runs, so that a case can borrow them.
    let added: Vec<(&'static str, &'static [u8])> = signed
        .headers()
        .map(|(name, value)| {
            (
                &*name.to_lowercase().leak(),
                &*value.as_bytes().to_vec().leak(),
            )
        })
        .collect();
    let headers = [workload.header_bytes(), added].concat();
    let request = Request::new(workload.method, &workload.target, &headers);
    let key = SigningKey::derive(
        &Secret::new(SECRET),
        Claim::parse(&request).unwrap().scope(),
    );
    let settings = VerifySettings::default()
        .with_region(REGION)
        .with_service(SERVICE);
    Case::new("sigv4", format!("verify {}", workload.name), move || {
        let request = Request::new(workload.method, &workload.target, &headers);
        let claim = Claim::parse(&request).unwrap();
        claim
            .verify(&request, &workload.body, &key, now(), &settings)
            .unwrap()
    })
}
