//! Web pages of other origins: whether they may call SQS.
//!
//! A browser asks first, with an OPTIONS request of its own (a preflight), when a call has headers
//! that no form could send: every call of the JSON protocol, and every one that is signed in
//! its headers. Here it is told yes, if the server was started so; without that no answer ever has a
//! CORS header. A form or a link of the Query protocol that is signed in its URL needs no preflight:
//! a page elsewhere can send it, and without these headers not read the answer. That is no way
//! in, since it takes the signature of somebody who has the secret. The control interface is not
//! behind this.

use axum::body::Body;
use axum::response::Response;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode};

/// Asks whether a page of the internet may reach a machine in a private network.
const REQUEST_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");

/// Says that it may.
const ALLOW_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");

/// The headers of an answer that a page may read. Pages read their body in any case.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("x-amzn-RequestId,x-amzn-query-error,x-amzn-ErrorType,Date");

/// How long a browser may remember the answer to a preflight, in seconds: two hours, which is as
/// long as Chromium remembers any.
const REMEMBERED: HeaderValue = HeaderValue::from_static("7200");

/// Whether browsers may call SQS from pages of other origins.
///
/// The control interface under `/_fake/` answers no such page either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cors {
    /// No answer has a CORS header, so browsers keep such pages out.
    #[default]
    Off,
    /// Preflights are answered, and every answer of SQS may be read by any page. Calls must be
    /// signed as ever.
    On,
}

/// Lets any page read an answer.
pub(super) fn open(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    response
}

/// Whether a browser asks if a page may call.
pub(super) fn is_preflight(request: &Parts) -> bool {
    request.method == Method::OPTIONS
        && request.headers.contains_key(ORIGIN)
        && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Says yes to whatever headers are asked for: each SDK sends others, and `*` does not mean
/// Authorization (Fetch Standard, "CORS-preflight fetch").
pub(super) fn preflight(request: &Parts) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST"),
    );
    if let Some(asked) = request.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    if request.headers.contains_key(REQUEST_PRIVATE_NETWORK) {
        headers.insert(ALLOW_PRIVATE_NETWORK, HeaderValue::from_static("true"));
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    response
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;
    use crate::FakeSqs;
    use crate::testing::{Harness, call, signed};

    const PAGE: HeaderValue = HeaderValue::from_static("https://app.example");

    fn asking(path: &str) -> http::Request<Bytes> {
        http::Request::builder()
            .method(Method::OPTIONS)
            .uri(path)
            .header("host", "localhost:9324")
            .header("origin", PAGE)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,content-type,x-amz-date,x-amz-target",
            )
            .body(Bytes::new())
            .expect("a request")
    }

    fn from_page(mut request: http::Request<Bytes>) -> http::Request<Bytes> {
        request.headers_mut().insert(ORIGIN, PAGE);
        request
    }

    fn allowing() -> Harness {
        Harness::with(FakeSqs::builder().cors(Cors::On))
    }

    fn has_cors_headers(headers: &http::HeaderMap) -> bool {
        headers
            .keys()
            .any(|name| name.as_str().starts_with("access-control-"))
    }

    #[tokio::test]
    async fn a_preflight_is_told_yes() {
        for path in ["/", "/000000000000/orders"] {
            let mut request = asking(path);
            request
                .headers_mut()
                .insert(REQUEST_PRIVATE_NETWORK, HeaderValue::from_static("true"));
            let answer = allowing().send(request).await;
            assert_eq!((answer.status, answer.text()), (204, ""));
            for (name, value) in [
                ("access-control-allow-origin", "*"),
                ("access-control-allow-methods", "GET, POST"),
                (
                    "access-control-allow-headers",
                    "authorization,content-type,x-amz-date,x-amz-target",
                ),
                ("access-control-allow-private-network", "true"),
                ("access-control-max-age", "7200"),
            ] {
                assert_eq!(answer.header(name), value, "{name}");
            }
        }
    }

    #[tokio::test]
    async fn every_answer_of_sqs_can_be_read_by_a_page() {
        let create = || call("CreateQueue", &json!({"QueueName": "orders"}));
        for (request, status) in [
            (signed(create()), 200),
            (
                signed(call("GetQueueUrl", &json!({"QueueName": "no"}))),
                400,
            ),
            (create(), 403),
        ] {
            let answer = allowing().send(from_page(request)).await;
            assert_eq!(answer.status, status, "{}", answer.text());
            assert_eq!(answer.header("access-control-allow-origin"), "*");
            let exposed = answer.header("access-control-expose-headers");
            for name in ["x-amzn-RequestId", "x-amzn-query-error"] {
                assert!(exposed.split(',').any(|given| given == name), "{exposed}");
            }
        }
    }

    #[tokio::test]
    async fn without_it_no_answer_lets_a_page_in() {
        let closed = Harness::new();
        let preflight = closed.send(asking("/")).await;
        assert_eq!(preflight.status, 404);
        assert!(!has_cors_headers(&preflight.headers));
        let create = call("CreateQueue", &json!({"QueueName": "orders"}));
        let created = closed.send(from_page(signed(create))).await;
        assert_eq!(created.status, 200);
        assert!(!has_cors_headers(&created.headers));
    }

    #[tokio::test]
    async fn the_control_interface_never_does() {
        let open = allowing();
        let reset = http::Request::post("/_fake/reset")
            .header("host", "localhost:9324")
            .body(Bytes::new())
            .expect("a request");
        for request in [
            asking("/_fake/reset"),
            asking("/_fake/health"),
            from_page(reset),
        ] {
            let answer = open.send(request).await;
            assert_eq!(answer.status, 403, "{}", answer.text());
            assert!(!has_cors_headers(&answer.headers), "{:?}", answer.headers);
        }
    }
}
