//! The other signer.

use aws_credential_types::Credentials;
use aws_sigv4::SigningOutput;
use aws_sigv4::http_request::{
    PayloadChecksumKind, PercentEncodingMode, SessionTokenMode, SignableBody, SignableRequest,
    SignatureLocation, SigningInstructions, SigningSettings, UriPathNormalizationMode, sign,
};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::identity::Identity;
use sigv4::{ContentSha256, PathEncoding, PathNormalization, SessionToken};

use crate::{ACCESS_KEY_ID, Body, Form, SECRET, Sample};

/// What the package makes of a sample, or why it refuses it.
pub(crate) fn signature(sample: &Sample) -> Result<String, String> {
    Ok(instructions(sample)?.signature().to_owned())
}

/// The request that the package sends for a sample.
pub(crate) fn signed_request(sample: &Sample) -> Result<http::Request<()>, String> {
    let (instructions, _) = instructions(sample)?.into_parts();
    let mut request = http::Request::builder()
        .method(sample.method.as_str())
        .uri(&sample.target);
    for (name, value) in &sample.headers {
        request = request.header(name, value);
    }
    let mut request = request.body(()).map_err(|error| error.to_string())?;
    instructions.apply_to_request_http1x(&mut request);
    Ok(request)
}

fn instructions(sample: &Sample) -> Result<SigningOutput<SigningInstructions>, String> {
    let token = sample.session_token.clone();
    let identity: Identity =
        Credentials::new(ACCESS_KEY_ID, SECRET, token, None, "differential").into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(&sample.region)
        .name(&sample.service)
        .time(sample.now)
        .settings(settings(sample))
        .build()
        .map_err(|error| error.to_string())?
        .into();
    let body = match &sample.body {
        Body::Bytes(body) => SignableBody::Bytes(body),
        Body::Unsigned => SignableBody::UnsignedPayload,
    };
    let headers = sample
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let request = SignableRequest::new(&sample.method, sample.target.as_str(), headers, body)
        .map_err(|error| error.to_string())?;
    sign(request, &params).map_err(|error| error.to_string())
}

fn settings(sample: &Sample) -> SigningSettings {
    let ours = sample.settings;
    let mut theirs = SigningSettings::default();
    theirs.percent_encoding_mode = match ours.path_encoding {
        PathEncoding::Double => PercentEncodingMode::Double,
        PathEncoding::Single => PercentEncodingMode::Single,
    };
    theirs.uri_path_normalization_mode = match ours.path_normalization {
        PathNormalization::Normalize => UriPathNormalizationMode::Enabled,
        PathNormalization::AsIs => UriPathNormalizationMode::Disabled,
    };
    theirs.session_token_mode = match ours.session_token {
        SessionToken::Signed => SessionTokenMode::Include,
        SessionToken::AppendedUnsigned => SessionTokenMode::Exclude,
    };
    theirs.payload_checksum_kind = match ours.content_sha256 {
        ContentSha256::Omit => PayloadChecksumKind::NoHeader,
        ContentSha256::Add => PayloadChecksumKind::XAmzSha256,
    };
    match sample.form {
        Form::Header => theirs.signature_location = SignatureLocation::Headers,
        Form::Query { expires } => {
            theirs.signature_location = SignatureLocation::QueryParams;
            theirs.expires_in = Some(expires);
        }
    }
    theirs
}
