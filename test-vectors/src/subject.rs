//! `sigv4` as the subject of a run.

use sigv4::{
    Claim, Credentials, DateTime, Request, Scope, Secret, SessionTokenRule, Signer, SigningKey,
    UnsignedPayload, VerifySettings,
};

use crate::alter::Attempt;
use crate::case::{
    Case, ContentSha256, Context, Form, PathEncoding, PathNormalization, Payload, SessionToken,
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
        let mut signed_request = message.clone();
        match form {
            Form::Header => {
                let signed = signer(context)
                    .sign(&request, payload, context.timestamp)
                    .map_err(|error| error.to_string())?;
                for (name, value) in signed.headers() {
                    remove(&mut signed_request, name);
                    signed_request
                        .headers
                        .push((name.to_owned(), value.as_bytes().to_vec()));
                }
                for name in signed.headers_to_remove() {
                    remove(&mut signed_request, name);
                }
                Ok(Stages {
                    canonical_request: signed.canonical_request().to_string(),
                    string_to_sign: signed.string_to_sign().to_string(),
                    signature: signed.signature().to_string(),
                    signed_request,
                })
            }
            Form::Query => {
                let presigned = signer(context)
                    .presign(&request, payload, context.timestamp, context.expires)
                    .map_err(|error| error.to_string())?;
                signed_request.target = presigned.target().to_vec();
                for name in presigned.headers_to_remove() {
                    remove(&mut signed_request, name);
                }
                Ok(Stages {
                    canonical_request: presigned.canonical_request().to_string(),
                    string_to_sign: presigned.string_to_sign().to_string(),
                    signature: presigned.signature().to_string(),
                    signed_request,
                })
            }
        }
    }

    fn derived_key(&self, context: &Context) -> Result<String, String> {
        let at = DateTime::from_system_time(context.timestamp).map_err(|e| e.to_string())?;
        let scope = Scope::new(at, &context.region, &context.service).map_err(|e| e.to_string())?;
        let key = SigningKey::derive(&Secret::new(&context.secret_access_key), &scope);
        Ok(key
            .expose_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
    }

    fn verify(&self, attempt: &Attempt) -> Result<(), String> {
        let (context, message) = (&attempt.context, &attempt.message);
        let headers = message.header_slices();
        let request = Request::new(&message.method, &message.target, &headers);
        let claim = Claim::parse(&request).map_err(|error| error.to_string())?;
        if claim.access_key_id() != context.access_key_id {
            return Err("there is no such access key".to_owned());
        }
        let key = SigningKey::derive(&Secret::new(&context.secret_access_key), claim.scope());
        claim
            .verify(
                &request,
                &message.body,
                &key,
                attempt.now,
                &verify_settings(context),
            )
            .map(|_| ())
            .map_err(|error| error.to_string())
    }
}

fn signer(context: &Context) -> Signer {
    let mut credentials = Credentials::new(&context.access_key_id, &context.secret_access_key);
    if let Some(token) = &context.session_token {
        credentials = credentials.with_session_token(token);
    }
    let settings = sigv4::Settings::default()
        .with_path_encoding(path_encoding(context))
        .with_path_normalization(path_normalization(context))
        .with_session_token(match context.settings.session_token {
            SessionToken::Signed => sigv4::SessionToken::Signed,
            SessionToken::Unsigned => sigv4::SessionToken::AppendedUnsigned,
        })
        .with_content_sha256(match context.settings.content_sha256 {
            ContentSha256::Omit => sigv4::ContentSha256::Omit,
            ContentSha256::Add => sigv4::ContentSha256::Add,
        });
    Signer::new(credentials, &context.region, &context.service).with_settings(settings)
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
