//! What a verifier accepts.

use std::time::Duration;

use crate::settings::{PathEncoding, PathNormalization};

/// Whether a session token must be covered by the signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionTokenRule {
    /// Like every other `x-amz-*` header or parameter, it must be.
    #[default]
    MustBeSigned,
    /// It may have been added after signing. In the query form, where a request does not say which
    /// it was, both are tried.
    MayBeUnsigned,
}

/// Whether a request may leave its body uncovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnsignedPayload {
    /// The signature must cover the real body.
    #[default]
    Refused,
    /// `UNSIGNED-PAYLOAD`, and of a streamed body `STREAMING-UNSIGNED-PAYLOAD-TRAILER`, is
    /// accepted: as the value of `x-amz-content-sha256`, and where a request
    /// lacks that header, as presigned ones do, by trying. Amazon S3's rule.
    Allowed,
}

/// What a verifier accepts. The default is the general AWS service, any region and service,
/// 15 minutes of tolerance.
///
/// # Example
/// ```
/// let settings = sigv4::VerifySettings::default().with_service("sqs");
/// assert_eq!(settings.tolerance.as_secs(), 900);
/// assert_eq!(settings.region, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifySettings {
    /// The region that the scope must name; any if none.
    pub region: Option<String>,
    /// The service that the scope must name; any if none.
    pub service: Option<String>,
    /// How often the path is encoded.
    pub path_encoding: PathEncoding,
    /// Whether the path's dot segments are resolved.
    pub path_normalization: PathNormalization,
    /// Whether the session token must be signed.
    pub session_token: SessionTokenRule,
    /// Whether the body may be left uncovered.
    pub unsigned_payload: UnsignedPayload,
    /// How far a request's date may be from the verifier's, both bounds included: either way in the
    /// header form, ahead in the query form, whose end the request sets. Whole seconds count.
    pub tolerance: Duration,
}

impl Default for VerifySettings {
    fn default() -> Self {
        Self {
            region: None,
            service: None,
            path_encoding: PathEncoding::default(),
            path_normalization: PathNormalization::default(),
            session_token: SessionTokenRule::default(),
            unsigned_payload: UnsignedPayload::default(),
            tolerance: Duration::from_secs(15 * 60),
        }
    }
}

impl VerifySettings {
    /// These settings for one region.
    #[must_use]
    pub fn with_region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// These settings for one service.
    #[must_use]
    pub fn with_service(mut self, service: impl Into<String>) -> Self {
        self.service = Some(service.into());
        self
    }

    /// These settings with another path encoding.
    #[must_use]
    pub const fn with_path_encoding(mut self, value: PathEncoding) -> Self {
        self.path_encoding = value;
        self
    }

    /// These settings with another rule for dot segments.
    #[must_use]
    pub const fn with_path_normalization(mut self, value: PathNormalization) -> Self {
        self.path_normalization = value;
        self
    }

    /// These settings with another rule for the session token.
    #[must_use]
    pub const fn with_session_token(mut self, value: SessionTokenRule) -> Self {
        self.session_token = value;
        self
    }

    /// These settings with another rule for unsigned payloads.
    #[must_use]
    pub const fn with_unsigned_payload(mut self, value: UnsignedPayload) -> Self {
        self.unsigned_payload = value;
        self
    }

    /// These settings with another tolerance.
    #[must_use]
    pub const fn with_tolerance(mut self, value: Duration) -> Self {
        self.tolerance = value;
        self
    }
}
