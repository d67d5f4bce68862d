//! How a service wants its requests signed, where services differ.

/// How often the path is percent-encoded in the canonical request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathEncoding {
    /// The path as it is on the wire is encoded once more, so `%20` becomes `%2520`. The rule of
    /// every AWS service but S3.
    #[default]
    Double,
    /// The path stands as it is on the wire, spelled canonically: an unreserved character as itself,
    /// every other byte as `%XX` in upper case, whichever way it was sent. `%2F` stays `%2F`:
    /// it is not a separator. The rule of Amazon S3.
    Single,
}

/// Whether the path's `.`, `..` and empty segments are resolved before it is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathNormalization {
    /// `/a/./b//../c` is signed as `/a/c`. The rule of every AWS service but S3. Only real slashes
    /// and dots count, `%2F` and `%2E` do not.
    #[default]
    Normalize,
    /// The path is signed with the segments it has. The rule of Amazon S3, where `a//b` is a key.
    AsIs,
}

/// What becomes of a session token when a request is signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionToken {
    /// It is sent, and the signature covers it. What nearly every service wants.
    #[default]
    Signed,
    /// It is sent, added after the signature was made. AWS IoT's MQTT over WebSocket wants it so.
    AppendedUnsigned,
}

/// Whether header-form signing adds `x-amz-content-sha256`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContentSha256 {
    /// Not added. If the request already carries the header, its value is set right all the same.
    #[default]
    Omit,
    /// Added and signed. Amazon S3 demands it.
    Add,
}

/// The settings a [`Signer`](crate::Signer) signs by: one of the presets
/// [`general`](Self::general) (the default), [`s3`](Self::s3) and [`iot`](Self::iot), or any other
/// combination. The page [`services`](crate::services) says which service wants what.
///
/// # Example
/// ```
/// use sigv4::{ContentSha256, Settings};
///
/// // Amazon OpenSearch Serverless: a general service that demands the payload's hash in a header,
/// // and does not accept a signed `Content-Length`.
/// let settings = Settings::general()
///     .with_content_sha256(ContentSha256::Add)
///     .with_unsigned_headers(&["content-length"]);
/// assert_ne!(settings, Settings::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// How often the path is encoded.
    pub path_encoding: PathEncoding,
    /// Whether the path's dot segments are resolved.
    pub path_normalization: PathNormalization,
    /// Whether the session token is signed.
    pub session_token: SessionToken,
    /// Whether `x-amz-content-sha256` is added (header form only).
    pub content_sha256: ContentSha256,
    /// Headers to leave unsigned besides [`UNSIGNED_HEADERS`](crate::UNSIGNED_HEADERS), in any case:
    /// those that something between here and the service changes, as a proxy may `accept-encoding`
    /// or `content-length`. `host` and `x-amz-*` are signed all the same, since no service accepts
    /// them unsigned. None by default.
    pub unsigned_headers: &'static [&'static str],
}

impl Settings {
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
    pub const fn with_session_token(mut self, value: SessionToken) -> Self {
        self.session_token = value;
        self
    }

    /// These settings with another rule for `x-amz-content-sha256`.
    #[must_use]
    pub const fn with_content_sha256(mut self, value: ContentSha256) -> Self {
        self.content_sha256 = value;
        self
    }

    /// These settings with other [`unsigned_headers`](Self::unsigned_headers).
    #[must_use]
    pub const fn with_unsigned_headers(mut self, names: &'static [&'static str]) -> Self {
        self.unsigned_headers = names;
        self
    }
}
