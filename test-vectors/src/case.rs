//! One vector: what is signed, by whom and when, and what must come out.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::message::Message;

/// One vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Unique among the cases of one source, for instance `get-vanilla`.
    pub name: String,
    /// Who signs, for which service, when, and in which of the ways that services differ in.
    pub context: Context,
    /// The request before it is signed.
    pub request: Message,
    /// The key as lower-case hex, where it is published: the day's signing key, or in SigV4a the
    /// public key in SEC 1's uncompressed form.
    pub derived_key: Option<String>,
    /// What signing in headers must give; `None` where nothing is published.
    pub header: Option<Expected>,
    /// What signing in the query (a presigned URL) must give; `None` where nothing is published.
    pub query: Option<Expected>,
}

impl Case {
    /// What this case expects of one form.
    #[must_use]
    pub fn expected(&self, form: Form) -> Option<&Expected> {
        match form {
            Form::Header => self.header.as_ref(),
            Form::Query => self.query.as_ref(),
        }
    }
}

/// Where the signature goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Into the `Authorization` header.
    Header,
    /// Into the query, as `X-Amz-Signature` and its companions.
    Query,
}

impl Form {
    /// Both forms.
    pub const ALL: [Self; 2] = [Self::Header, Self::Query];
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "header",
            Self::Query => "query",
        })
    }
}

/// By which algorithm it is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// Signature Version 4: the signature is the same each time.
    #[serde(rename = "sigv4")]
    V4,
    /// SigV4a: one request has many right signatures.
    #[serde(rename = "sigv4a")]
    V4a,
}

/// Who signs, for which service, when and how.
#[derive(Clone, PartialEq, Eq)]
pub struct Context {
    /// By which algorithm.
    pub algorithm: Algorithm,
    /// The access key id, which is no secret.
    pub access_key_id: String,
    /// The secret that goes with it. Every secret here is published, and still `Debug` leaves it out.
    pub secret_access_key: String,
    /// The session token of temporary credentials.
    pub session_token: Option<String>,
    /// The region of the scope; in SigV4a the set of regions.
    pub region: String,
    /// The service of the scope.
    pub service: String,
    /// When the request is signed, in whole seconds.
    pub timestamp: SystemTime,
    /// How long the query form is valid.
    pub expires: Duration,
    /// In which of the ways that services differ in.
    pub settings: Settings,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("algorithm", &self.algorithm)
            .field("access_key_id", &self.access_key_id)
            .field("region", &self.region)
            .field("service", &self.service)
            .field("timestamp", &self.timestamp)
            .field("expires", &self.expires)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// How services differ in what they sign. The default is the general AWS service's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct Settings {
    /// How often the path is percent-encoded.
    pub path_encoding: PathEncoding,
    /// Whether `.`, `..` and doubled slashes are resolved first.
    pub path_normalization: PathNormalization,
    /// Whether the session token is part of what is signed.
    pub session_token: SessionToken,
    /// Whether the header form carries `x-amz-content-sha256`.
    pub content_sha256: ContentSha256,
    /// What is signed of the body.
    pub payload: Payload,
}

/// How often the path is percent-encoded for the canonical request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathEncoding {
    /// The path on the wire is encoded once more: every service but S3.
    #[default]
    Double,
    /// The path on the wire is the canonical one: S3.
    Single,
}

/// Whether the path is resolved before it is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathNormalization {
    /// `.` and `..` are resolved and doubled slashes merged: every service but S3.
    #[default]
    Normalize,
    /// The path stays as it is on the wire: S3.
    AsIs,
}

/// What happens to a session token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionToken {
    /// It is sent and signed.
    #[default]
    Signed,
    /// It is sent beside the signature, unsigned.
    Unsigned,
}

/// Whether the payload's hash is sent as a header of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentSha256 {
    /// It is only the last line of the canonical request.
    #[default]
    Omit,
    /// The header form sends and signs it as `x-amz-content-sha256`.
    Add,
}

/// What is signed of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Payload {
    /// The hash of its bytes.
    #[default]
    Bytes,
    /// The word `UNSIGNED-PAYLOAD`.
    Unsigned,
}

/// What one form of a case must give. A stage is `None` where it is not published.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    /// The canonical request, whole.
    pub canonical_request: Option<String>,
    /// The string to sign, whole.
    pub string_to_sign: Option<String>,
    /// The signature as lower-case hex. In SigV4a one of many, and another than in the signed request.
    pub signature: Option<String>,
    /// The request as it is sent.
    pub signed_request: Option<Message>,
}
