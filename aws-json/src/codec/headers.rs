//! The names of the protocol's own headers.

use http::HeaderMap;
use http::header::HeaderName;

/// `x-amz-target`: which operation a request is for. See [`target`](super::target).
pub const X_AMZ_TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// `x-amzn-errortype`: the error's type, on an answer that is a refusal.
///
/// Few services of this protocol send it, but a client looks at it before the body.
pub const X_AMZN_ERRORTYPE: HeaderName = HeaderName::from_static("x-amzn-errortype");

/// `x-amzn-query-error`: `Code;Sender` or `Code;Receiver`, the error's name and fault from the
/// time when the service spoke the Query protocol.
pub const X_AMZN_QUERY_ERROR: HeaderName = HeaderName::from_static("x-amzn-query-error");

/// `x-amzn-query-mode`: `true` from the clients of a query-compatible service, and from no other.
pub const X_AMZN_QUERY_MODE: HeaderName = HeaderName::from_static("x-amzn-query-mode");

/// `x-amzn-requestid`: the id that the service gave to a request.
pub const X_AMZN_REQUESTID: HeaderName = HeaderName::from_static("x-amzn-requestid");

/// `x-amz-request-id`: what some services call [`X_AMZN_REQUESTID`].
pub const X_AMZ_REQUEST_ID: HeaderName = HeaderName::from_static("x-amz-request-id");

/// The request id of an answer, whichever of its two names it goes by.
///
/// None if it is missing, empty or not visible ASCII.
///
/// ```
/// use aws_json::codec::headers::request_id;
///
/// let mut headers = http::HeaderMap::new();
/// assert_eq!(request_id(&headers), None);
/// headers.insert("x-amzn-RequestId", "d2c4".parse().unwrap());
/// assert_eq!(request_id(&headers), Some("d2c4"));
/// ```
#[must_use]
pub fn request_id(headers: &HeaderMap) -> Option<&str> {
    [X_AMZN_REQUESTID, X_AMZ_REQUEST_ID]
        .iter()
        .filter_map(|name| headers.get(name)?.to_str().ok())
        .find(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn either_name_of_the_request_id_is_read_and_the_protocols_own_first() {
        let mut headers = HeaderMap::new();
        headers.insert(X_AMZ_REQUEST_ID, HeaderValue::from_static("second"));
        assert_eq!(request_id(&headers), Some("second"));
        headers.insert(X_AMZN_REQUESTID, HeaderValue::from_static(""));
        assert_eq!(request_id(&headers), Some("second"));
        headers.insert(X_AMZN_REQUESTID, HeaderValue::from_static("first"));
        assert_eq!(request_id(&headers), Some("first"));
    }

    #[test]
    fn an_unprintable_request_id_is_none() {
        let mut headers = HeaderMap::new();
        headers.insert(
            X_AMZN_REQUESTID,
            HeaderValue::from_bytes(b"\xff\xfe").unwrap(),
        );
        assert_eq!(request_id(&headers), None);
    }
}
