//! The other packages, each with what its documentation has a caller do.

use std::future::{Future, Ready};
use std::pin::pin;
use std::str::FromStr;
use std::task::{Context, Poll, Waker};

use aws_sigv4::http_request::{
    SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign,
};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::identity::Identity;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::request::Parts;
use reqsign_core::SignRequest;
use scratchstack_aws_principal::{Principal, User};
use scratchstack_aws_signature::{
    GetSigningKeyRequest, GetSigningKeyResponse, KSecretKey, KSigningKey,
    NO_ADDITIONAL_SIGNED_HEADERS, SignatureOptions, sigv4_validate_request,
};
use sha2::{Digest, Sha256};
use sigv4::{Claim, HeaderList, Secret, SigningKey, VerifySettings};
use tower::{BoxError, Service, service_fn};

use crate::case::Case;
use crate::ours::{self, EXPIRES};
use crate::workload::{ACCESS_KEY_ID, REGION, SECRET, SERVICE, Workload, now};

/// `aws-sigv4` signing in the header form. Its URI parsing and its builders are part of each call;
/// applying the result to a request is not.
pub fn aws_sign_case(workload: Workload) -> Case {
    let identity = aws_identity();
    let expected = ours::sign(&workload).signature().to_string();
    let location = SignatureLocation::Headers;
    assert_eq!(
        aws_sign(&workload, &identity, location).signature(),
        expected
    );
    Case::new("aws-sigv4", format!("sign {}", workload.name), move || {
        aws_sign(&workload, &identity, SignatureLocation::Headers)
    })
}

/// `aws-sigv4` signing in the query form.
pub fn aws_presign_case(workload: Workload) -> Case {
    let identity = aws_identity();
    let headers = workload.header_bytes();
    let request = sigv4::Request::new(workload.method, &workload.target, &headers);
    let payload = sigv4::Payload::Bytes(&workload.body);
    let expected = ours::signer()
        .presign(&request, payload, now(), EXPIRES)
        .unwrap();
    let theirs = aws_sign(&workload, &identity, SignatureLocation::QueryParams);
    assert_eq!(theirs.signature(), expected.signature().as_str());
    drop(headers);
    Case::new(
        "aws-sigv4",
        format!("presign {}", workload.name),
        move || aws_sign(&workload, &identity, SignatureLocation::QueryParams),
    )
}

fn aws_identity() -> Identity {
    aws_credential_types::Credentials::new(ACCESS_KEY_ID, SECRET, None, None, "bench").into()
}

fn aws_sign(
    workload: &Workload,
    identity: &Identity,
    location: SignatureLocation,
) -> aws_sigv4::SigningOutput<aws_sigv4::http_request::SigningInstructions> {
    let mut settings = SigningSettings::default();
    settings.signature_location = location;
    if location == SignatureLocation::QueryParams {
        settings.expires_in = Some(EXPIRES);
    }
    let params = v4::SigningParams::builder()
        .identity(identity)
        .region(REGION)
        .name(SERVICE)
        .time(now())
        .settings(settings)
        .build()
        .unwrap()
        .into();
    let headers = workload.headers.iter().copied();
    let body = SignableBody::Bytes(&workload.body);
    let request =
        SignableRequest::new(workload.method, workload.target.as_str(), headers, body).unwrap();
    sign(request, &params).unwrap()
}

/// `reqsign-aws-v4` signing in the header form. It takes the hash of the body from a header, so the
/// caller's hashing is part of each call; copying the request it changes is not. It signs for the
/// time it reads from the clock, so instead of comparing signatures, ours is verified.
pub fn reqsign_case(workload: Workload) -> Case {
    let template = parts(&workload, "https://");
    let credential = reqsign_aws_v4::Credential {
        access_key_id: ACCESS_KEY_ID.to_owned(),
        secret_access_key: SECRET.to_owned(),
        session_token: None,
        expires_in: None,
    };
    let signer = reqsign_aws_v4::RequestSigner::new(SERVICE, REGION);
    let context = reqsign_core::Context::new();
    let name = format!("sign {}", workload.name);
    let body = workload.body.clone();
    let sign = move |mut parts: Parts| {
        let hash = hex::encode(Sha256::digest(&body));
        parts
            .headers
            .insert("x-amz-content-sha256", hash.parse().unwrap());
        ready(signer.sign_request(&context, &mut parts, Some(&credential), None)).unwrap();
        parts
    };
    assert_verifies(&sign(template.clone()), &workload.body);
    Case::consuming("reqsign-aws-v4", name, move || template.clone(), sign)
}

fn assert_verifies(parts: &Parts, body: &[u8]) {
    let list = HeaderList::from(parts);
    let claim = Claim::parse(&list.request()).unwrap();
    let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
    let since = u64::try_from(claim.date_time().unix_seconds()).unwrap();
    let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(since);
    let settings = VerifySettings::default();
    let _ = claim
        .verify(&list.request(), body, &key, at, &settings)
        .unwrap();
}

/// `scratchstack-aws-signature` verifying what this crate signed, the key kept or derived.
/// Copying the request it consumes is not part of the call.
pub fn scratchstack_cases(workload: &Workload) -> [Case; 2] {
    let name = workload.name;
    let [template, again] = [(); 2].map(|()| signed_request(workload));
    let mut tampered = template.clone();
    tampered
        .headers_mut()
        .insert("x-amz-date", "20150830T123601Z".parse().unwrap());
    let at = DateTime::<Utc>::from(now());
    let derive = |date| {
        let secret = KSecretKey::from_str(SECRET).unwrap();
        secret.to_ksigning(date, REGION, SERVICE)
    };
    let key = derive(at.date_naive());
    let mut kept = key_service(move |_| key);
    let mut derived = key_service(move |asked| derive(asked.request_date()));
    assert!(validate(template.clone(), &mut kept).is_ok());
    assert!(validate(tampered, &mut kept).is_err());
    [
        Case::consuming(
            "scratchstack",
            format!("verify {name}"),
            move || template.clone(),
            move |request| validate(request, &mut kept).unwrap(),
        ),
        Case::consuming(
            "scratchstack",
            format!("verify {name}, new key"),
            move || again.clone(),
            move |request| validate(request, &mut derived).unwrap(),
        ),
    ]
}

/// What `scratchstack-aws-signature` asks for the key.
fn key_service(key: impl Fn(&GetSigningKeyRequest) -> KSigningKey + Send) -> impl KeyService {
    let principal: Principal = User::new("aws", "123456789012", "/", "user")
        .unwrap()
        .into();
    service_fn(move |asked: GetSigningKeyRequest| {
        let response = GetSigningKeyResponse::builder()
            .principal(principal.clone())
            .signing_key(key(&asked))
            .build();
        std::future::ready(response.map_err(BoxError::from))
    })
}

trait KeyService:
    Service<
        GetSigningKeyRequest,
        Response = GetSigningKeyResponse,
        Error = BoxError,
        Future = Ready<Result<GetSigningKeyResponse, BoxError>>,
    > + Send
{
}

impl<S> KeyService for S where
    S: Service<
            GetSigningKeyRequest,
            Response = GetSigningKeyResponse,
            Error = BoxError,
            Future = Ready<Result<GetSigningKeyResponse, BoxError>>,
        > + Send
{
}

fn validate(
    request: http::Request<Bytes>,
    keys: &mut impl KeyService,
) -> Result<(Parts, Bytes), BoxError> {
    let (parts, body, _) = ready(sigv4_validate_request(
        request,
        REGION,
        SERVICE,
        keys,
        DateTime::<Utc>::from(now()),
        &NO_ADDITIONAL_SIGNED_HEADERS,
        SignatureOptions::default(),
    ))?;
    Ok((parts, body))
}

fn signed_request(workload: &Workload) -> http::Request<Bytes> {
    let mut parts = parts(workload, "");
    for (name, value) in ours::sign(workload).headers() {
        parts.headers.insert(
            http::HeaderName::from_bytes(name.as_bytes()).unwrap(),
            value.parse().unwrap(),
        );
    }
    http::Request::from_parts(parts, Bytes::from(workload.body.clone()))
}

fn parts(workload: &Workload, scheme: &str) -> Parts {
    let authority = if scheme.is_empty() {
        ""
    } else {
        crate::workload::HOST
    };
    let mut request = http::Request::builder()
        .method(workload.method)
        .uri(format!("{scheme}{authority}{}", workload.target));
    for (name, value) in &workload.headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

/// The result of a future that never has to wait.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}
