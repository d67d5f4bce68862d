//! `sigv4` as the subject of a run.

use std::fmt::Display;

use sigv4::v4a::{self, AnyClaim, PrivateKey, RegionSet};
use sigv4::{
    Credentials, DateTime, Presigned, Request, Scope, Secret, SessionTokenRule, Signed, Signer,
    SigningKey, UnsignedPayload, VerifySettings,
};

use crate::alter::Attempt;
use crate::case::{
    Algorithm, Case, ContentSha256, Context, Form, PathEncoding, PathNormalization, Payload,
    SessionToken,
};
use crate::message::Message;
use crate::run::{Stages, Subject};

/// This repository's own implementation.
#[derive(Debug, Clone, Copy)]
pub struct Sigv4;

impl Subject for Sigv4 {
    fn sign(&self, case: &Case, form: Form) -> Result<Stages, String> {
        let (context, message) = (&case.context, &case.request);
        let headers = message.header_slices();
        let request = Request::new(&message.method, &message.target, &headers);
        let payload = match context.settings.payload {
            Payload::Bytes => sigv4::Payload::Bytes(&message.body),
            Payload::Unsigned => sigv4::Payload::Unsigned,
        };
        let (now, expires) = (context.timestamp, context.expires);
        let stages = match (context.algorithm, form) {
            (Algorithm::V4, Form::Header) => signer(context)
                .sign(&request, payload, now)
                .map(|signed| stages_of_signed(message, &signed)),
            (Algorithm::V4, Form::Query) => signer(context)
                .presign(&request, payload, now, expires)
                .map(|presigned| stages_of_presigned(message, &presigned)),
            (Algorithm::V4a, Form::Header) => asymmetric_signer(context)?
                .sign(&request, payload, now)
                .map(|signed| stages_of_signed(message, &signed)),
            (Algorithm::V4a, Form::Query) => asymmetric_signer(context)?
                .presign(&request, payload, now, expires)
                .map(|presigned| stages_of_presigned(message, &presigned)),
        };
        stages.map_err(|error| error.to_string())
    }

    fn derived_key(&self, context: &Context) -> Result<String, String> {
        if context.algorithm == Algorithm::V4a {
            return Ok(private_key(context)?.public_key().to_string());
        }
        let at = DateTime::from_system_time(context.timestamp).map_err(|e| e.to_string())?;
        let scope = Scope::new(at, &context.region, &context.service).map_err(|e| e.to_string())?;
        let key = SigningKey::derive(&Secret::new(&context.secret_access_key), &scope);
        Ok(hex::encode(key.expose_bytes()))
    }

    fn verify(&self, attempt: &Attempt) -> Result<(), String> {
        let (context, message) = (&attempt.context, &attempt.message);
        let headers = message.header_slices();
        let request = Request::new(&message.method, &message.target, &headers);
        let claim = AnyClaim::parse(&request).map_err(|error| error.to_string())?;
        if claim.access_key_id() != context.access_key_id {
            return Err("there is no such access key".to_owned());
        }
        let (body, now, settings) = (&message.body, attempt.now, verify_settings(context));
        let result = match claim {
            AnyClaim::V4(claim) => {
                let secret = Secret::new(&context.secret_access_key);
                let key = SigningKey::derive(&secret, claim.scope());
                claim.verify(&request, body, &key, now, &settings)
            }
            AnyClaim::V4a(claim) => {
                let key = private_key(context)?;
                claim.verify(&request, body, key.public_key(), now, &settings)
            }
        };
        result.map(|_| ()).map_err(|error| error.to_string())
    }
}

fn stages_of_signed<S: Display>(message: &Message, signed: &Signed<S>) -> Stages {
    let mut signed_request = message.clone();
    for (name, value) in signed.headers() {
        remove(&mut signed_request, name);
        signed_request
            .headers
            .push((name.to_owned(), value.as_bytes().to_vec()));
    }
    for name in signed.headers_to_remove() {
        remove(&mut signed_request, name);
    }
    Stages {
        canonical_request: signed.canonical_request().to_string(),
        string_to_sign: signed.string_to_sign().to_string(),
        signature: signed.signature().to_string(),
        signed_request,
    }
}

fn stages_of_presigned<S: Display>(message: &Message, presigned: &Presigned<S>) -> Stages {
    let mut signed_request = message.clone();
    signed_request.target = presigned.target().to_vec();
    for name in presigned.headers_to_remove() {
        remove(&mut signed_request, name);
    }
    Stages {
        canonical_request: presigned.canonical_request().to_string(),
        string_to_sign: presigned.string_to_sign().to_string(),
        signature: presigned.signature().to_string(),
        signed_request,
    }
}

fn signer(context: &Context) -> Signer {
    Signer::new(credentials(context), &context.region, &context.service)
        .with_settings(settings(context))
}

fn asymmetric_signer(context: &Context) -> Result<v4a::Signer, String> {
    let regions = RegionSet::parse(&context.region).map_err(|error| error.to_string())?;
    v4a::Signer::new(credentials(context), regions, &context.service)
        .map(|signer| signer.with_settings(settings(context)))
        .map_err(|error| error.to_string())
}

fn private_key(context: &Context) -> Result<PrivateKey, String> {
    let secret = Secret::new(&context.secret_access_key);
    PrivateKey::derive(&secret, &context.access_key_id).map_err(|error| error.to_string())
}

fn credentials(context: &Context) -> Credentials {
    let credentials = Credentials::new(&context.access_key_id, &context.secret_access_key);
    match &context.session_token {
        Some(token) => credentials.with_session_token(token),
        None => credentials,
    }
}

fn settings(context: &Context) -> sigv4::Settings {
    sigv4::Settings::default()
        .with_path_encoding(path_encoding(context))
        .with_path_normalization(path_normalization(context))
        .with_session_token(match context.settings.session_token {
            SessionToken::Signed => sigv4::SessionToken::Signed,
            SessionToken::Unsigned => sigv4::SessionToken::AppendedUnsigned,
        })
        .with_content_sha256(match context.settings.content_sha256 {
            ContentSha256::Omit => sigv4::ContentSha256::Omit,
            ContentSha256::Add => sigv4::ContentSha256::Add,
        })
}

/// As strict as the case allows: what it signs must be signed.
fn verify_settings(context: &Context) -> VerifySettings {
    VerifySettings::default()
        .with_region(&context.region)
        .with_service(&context.service)
        .with_path_encoding(path_encoding(context))
        .with_path_normalization(path_normalization(context))
        .with_session_token(match context.settings.session_token {
            SessionToken::Signed => SessionTokenRule::MustBeSigned,
            SessionToken::Unsigned => SessionTokenRule::MayBeUnsigned,
        })
        .with_unsigned_payload(match context.settings.payload {
            Payload::Bytes => UnsignedPayload::Refused,
            Payload::Unsigned => UnsignedPayload::Allowed,
        })
}

fn path_encoding(context: &Context) -> sigv4::PathEncoding {
    match context.settings.path_encoding {
        PathEncoding::Double => sigv4::PathEncoding::Double,
        PathEncoding::Single => sigv4::PathEncoding::Single,
    }
}

fn path_normalization(context: &Context) -> sigv4::PathNormalization {
    match context.settings.path_normalization {
        PathNormalization::Normalize => sigv4::PathNormalization::Normalize,
        PathNormalization::AsIs => sigv4::PathNormalization::AsIs,
    }
}

fn remove(message: &mut Message, name: &str) {
    message
        .headers
        .retain(|(given, _)| !given.eq_ignore_ascii_case(name));
}
