//! The two versions of the protocol and the content types that name them.

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

/// A version of the protocol.
///
/// They differ in the content type and in how a server names an error: by its whole shape id in
/// 1.0, by its bare name in 1.1. There are exactly these two.
///
/// ```
/// use aws_json::codec::content_type::Version;
///
/// assert_eq!(Version::V1_0.content_type(), "application/x-amz-json-1.0");
/// assert_eq!(
///     Version::from_content_type("Application/X-Amz-Json-1.1; charset=utf-8"),
///     Some(Version::V1_1),
/// );
/// assert_eq!(Version::from_content_type("application/json"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Version {
    /// `application/x-amz-json-1.0`, as SQS and DynamoDB speak.
    #[default]
    V1_0,
    /// `application/x-amz-json-1.1`, as KMS and CloudWatch Logs speak.
    V1_1,
}

impl Version {
    /// The content type, without parameters.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::V1_0 => "application/x-amz-json-1.0",
            Self::V1_1 => "application/x-amz-json-1.1",
        }
    }

    /// The content type as a header's value.
    #[must_use]
    pub const fn header_value(self) -> HeaderValue {
        HeaderValue::from_static(self.content_type())
    }

    /// Reads a `Content-Type`. Letter case, white space around it and parameters such as
    /// `charset` make no difference; any other media type is none.
    #[must_use]
    pub fn from_content_type(value: &str) -> Option<Self> {
        let media_type = value.split(';').next().unwrap_or_default().trim();
        [Self::V1_0, Self::V1_1]
            .into_iter()
            .find(|version| version.content_type().eq_ignore_ascii_case(media_type))
    }

    /// Reads the `Content-Type` among these headers; none also if it is missing or not ASCII.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        Self::from_content_type(headers.get(CONTENT_TYPE)?.to_str().ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_case_and_space_are_ignored() {
        for value in [
            "application/x-amz-json-1.0",
            "APPLICATION/X-AMZ-JSON-1.0",
            "application/x-amz-json-1.0;charset=utf-8",
            "application/x-amz-json-1.0 ; charset=\"utf-8\"; boundary=x",
            "\tapplication/x-amz-json-1.0 ",
            "application/x-amz-json-1.0;",
        ] {
            assert_eq!(
                Version::from_content_type(value),
                Some(Version::V1_0),
                "{value:?}"
            );
        }
        assert_eq!(
            Version::from_content_type("application/x-amz-json-1.1; charset=utf-8"),
            Some(Version::V1_1)
        );
    }

    #[test]
    fn other_media_types_are_no_version() {
        for value in [
            "",
            ";",
            "application/json",
            "application/x-amz-json-1",
            "application/x-amz-json-1.2",
            "application/x-amz-json-1.0, application/x-amz-json-1.0",
            "application/x-www-form-urlencoded; charset=application/x-amz-json-1.0",
        ] {
            assert_eq!(Version::from_content_type(value), None, "{value:?}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for version in [Version::V1_0, Version::V1_1] {
            let mut headers = HeaderMap::new();
            assert_eq!(Version::from_headers(&headers), None);
            headers.insert(CONTENT_TYPE, version.header_value());
            assert_eq!(Version::from_headers(&headers), Some(version));
            headers.insert(CONTENT_TYPE, HeaderValue::from_bytes(b"\xff").unwrap());
            assert_eq!(Version::from_headers(&headers), None);
        }
    }
}
