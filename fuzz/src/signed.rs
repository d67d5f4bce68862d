//! What is signed verifies.

use std::time::Duration;

use sigv4::{
    Claim, ContentSha256, Coverage, Credentials, PathEncoding, PathNormalization, Payload, Request,
    Secret, SessionToken, SessionTokenRule, Settings, Signer, SigningKey, UnsignedPayload,
    Verified, VerifyError, VerifySettings,
};

use crate::wire::{Wire, now};

const EXPIRES: Duration = Duration::from_secs(60);

/// Signs a request in both forms and verifies it, by the settings that the first byte says. A
/// request that cannot be signed is refused in both forms, or only in the header form since it is
/// presigned already.
pub fn round_trip(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else {
        return;
    };
    let wire = Wire::read(data);
    let choice = Choice(choice);
    header_form(&wire, choice);
    query_form(&wire, choice);
}

fn header_form(wire: &Wire<'_>, choice: Choice) {
    let given = wire.with(&[]);
    let Ok(signed) = choice
        .signer()
        .sign(&wire.request(&given), choice.payload(wire.body), now())
    else {
        return;
    };
    let set: Vec<(&str, &[u8])> = signed
        .headers()
        .map(|(name, value)| (name, value.as_bytes()))
        .collect();
    let gone: Vec<&str> = set
        .iter()
        .map(|(name, _)| *name)
        .chain(signed.headers_to_remove().iter().copied())
        .collect();
    let mut headers = without(&given, &gone);
    headers.extend(set);
    let request = wire.request(&headers);
    let verified = verify(&request, wire.body, choice).expect("what is signed verifies");
    assert_eq!(verified.payload, choice.coverage());
    assert_eq!(
        signed.canonical_request().as_bytes(),
        choice
            .signer()
            .sign(&request, choice.payload(wire.body), now())
            .expect("what is signed can be signed again")
            .canonical_request()
            .as_bytes()
    );
    tampered(&request, wire.body, choice);
}

fn query_form(wire: &Wire<'_>, choice: Choice) {
    let given = wire.with(&[]);
    let presign = |request: &Request<'_>| {
        choice
            .signer()
            .presign(request, choice.payload(wire.body), now(), EXPIRES)
    };
    let Ok(presigned) = presign(&wire.request(&given)) else {
        return;
    };
    let headers = without(&given, presigned.headers_to_remove());
    let method = wire.request(&headers).method;
    let request = Request::new(method, presigned.target(), &headers);
    let verified = verify(&request, wire.body, choice).expect("what is presigned verifies");
    assert_eq!(verified.payload, choice.coverage());
    let again = presign(&request).expect("what is presigned can be presigned again");
    assert_eq!(presigned.target(), again.target());
    tampered(&request, wire.body, choice);
}

/// A changed body or method is refused.
fn tampered(request: &Request<'_>, body: &[u8], choice: Choice) {
    if choice.coverage() == Coverage::Signed {
        let mut longer = body.to_vec();
        longer.push(b'x');
        verify(request, &longer, choice).expect_err("another body is refused");
    }
    let method = format!("{}X", request.method);
    let other = Request {
        method: &method,
        ..*request
    };
    verify(&other, body, choice).expect_err("another method is refused");
}

fn verify(request: &Request<'_>, body: &[u8], choice: Choice) -> Result<Verified, VerifyError> {
    let claim = match Claim::parse(request) {
        Ok(claim) => claim,
        Err(error) => panic!("what is signed is read: {error} in {request:?}"),
    };
    let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
    claim.verify(request, body, &key, now(), &choice.verify_settings())
}

fn without<'a>(headers: &[(&'a str, &'a [u8])], gone: &[&str]) -> Vec<(&'a str, &'a [u8])> {
    let stays = |name: &str| !gone.iter().any(|gone| gone.eq_ignore_ascii_case(name));
    headers
        .iter()
        .copied()
        .filter(|(name, _)| stays(name))
        .collect()
}

/// Settings, each by one bit.
#[derive(Clone, Copy)]
struct Choice(u8);

impl Choice {
    fn has(self, bit: u8) -> bool {
        self.0 & (1 << bit) != 0
    }

    fn signer(self) -> Signer {
        let mut credentials = Credentials::new("AKID", "secret");
        if self.has(0) {
            credentials = credentials.with_session_token("to/ken");
        }
        let mut settings = Settings::default();
        if self.has(1) {
            settings = settings.with_path_encoding(PathEncoding::Single);
        }
        if self.has(2) {
            settings = settings.with_path_normalization(PathNormalization::AsIs);
        }
        if self.has(3) {
            settings = settings.with_session_token(SessionToken::AppendedUnsigned);
        }
        if self.has(4) {
            settings = settings.with_content_sha256(ContentSha256::Add);
        }
        Signer::new(credentials, "us-east-1", "service").with_settings(settings)
    }

    fn payload(self, body: &[u8]) -> Payload<'_> {
        if self.has(5) {
            Payload::Unsigned
        } else {
            Payload::Bytes(body)
        }
    }

    fn coverage(self) -> Coverage {
        if self.has(5) {
            Coverage::Unsigned
        } else {
            Coverage::Signed
        }
    }

    fn verify_settings(self) -> VerifySettings {
        let mut settings = VerifySettings::default();
        if self.has(1) {
            settings = settings.with_path_encoding(PathEncoding::Single);
        }
        if self.has(2) {
            settings = settings.with_path_normalization(PathNormalization::AsIs);
        }
        if self.has(3) {
            settings = settings.with_session_token(SessionTokenRule::MayBeUnsigned);
        }
        if self.has(5) {
            settings = settings.with_unsigned_payload(UnsignedPayload::Allowed);
        }
        settings
    }
}
