//! The control interface over the router.

mod inside;

use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http::{Method, Request, header};
use serde_json::{Value, json};

use crate::FakeSqs;
use crate::http::limits;
use crate::testing::{Answer, Harness, now};

fn request(method: Method, path: &str) -> Request<Bytes> {
    let request = Request::builder().method(method).uri(path);
    request
        .header(header::HOST, "localhost:9324")
        .body(Bytes::new())
        .expect("a request")
}

async fn get(harness: &Harness, path: &str) -> Answer {
    harness.send(request(Method::GET, path)).await
}

async fn reset(harness: &Harness, body: &'static str) -> Answer {
    let request =
        request(Method::POST, "/_fake/reset").map(|_| Bytes::from_static(body.as_bytes()));
    harness.send(request).await
}

async fn create(harness: &Harness, name: &str) {
    let answer = harness
        .call("CreateQueue", &json!({"QueueName": name}))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn queues(harness: &Harness) -> Value {
    get(harness, "/_fake/health").await.json()["queues"].clone()
}

/// Asserts that an error answer is one sentence in the fixed form.
#[track_caller]
fn assert_error(answer: &Answer, status: u16, beginning: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/json");
    let Value::Object(members) = answer.json() else {
        panic!("{answer:?}")
    };
    assert_eq!(members.len(), 1, "{members:?}");
    let sentence = members["error"].as_str().expect("a sentence");
    assert!(sentence.starts_with(beginning), "{sentence}");
}

#[tokio::test]
async fn health_says_that_it_is_ready_and_how_much_there_is() {
    let harness = Harness::new();
    create(&harness, "orders").await;
    create(&harness, "bills").await;
    let url = "http://localhost:9324/000000000000/orders";
    for _ in 0..3 {
        harness
            .call("SendMessage", &json!({"QueueUrl": url, "MessageBody": "m"}))
            .await;
    }
    harness
        .call("ReceiveMessage", &json!({"QueueUrl": url}))
        .await;
    let answer = get(&harness, "/_fake/health").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    let mut health = answer.json();
    let shown = health["clock"]["now"].take();
    let millis = shown.as_u64().expect("milliseconds");
    let shown = UNIX_EPOCH + Duration::from_millis(millis);
    let hour = Duration::from_secs(3_600);
    assert!((now()..now() + hour).contains(&shown), "{shown:?}");
    let expected = json!({
        "status": "ready",
        "version": env!("CARGO_PKG_VERSION"),
        "queues": 2,
        "messages": 3,
        "clock": {"now": null, "mode": "running", "offset_seconds": 0},
    });
    assert_eq!(health, expected);
}

#[tokio::test]
async fn a_reset_forgets_everything_also_the_names_that_were_deleted() {
    let harness = Harness::new();
    for body in ["", "{}"] {
        create(&harness, "orders").await;
        create(&harness, "bills").await;
        let url = "http://localhost:9324/000000000000/orders";
        harness.call("DeleteQueue", &json!({"QueueUrl": url})).await;
        let again = harness
            .call("CreateQueue", &json!({"QueueName": "orders"}))
            .await;
        assert_eq!(again.status, 400, "{again:?}");

        let answer = reset(&harness, body).await;
        assert_eq!((answer.status, answer.text()), (200, "{}"));
        assert_eq!(queues(&harness).await, 0);
        create(&harness, "orders").await;
        reset(&harness, "").await;
    }
}

#[tokio::test]
async fn a_reset_can_be_limited_to_an_account() {
    let harness = Harness::with(
        FakeSqs::builder().credential("test:test:111111111111".parse().expect("a credential")),
    );
    create(&harness, "orders").await;
    let answer = reset(&harness, r#"{"account":"222222222222"}"#).await;
    assert_eq!((answer.status, answer.text()), (200, "{}"));
    assert_eq!(queues(&harness).await, 1);
    reset(&harness, r#"{"account":"111111111111"}"#).await;
    assert_eq!(queues(&harness).await, 0);
}

#[tokio::test]
async fn a_reset_that_is_not_understood_does_nothing() {
    let harness = Harness::new();
    create(&harness, "orders").await;
    for body in ["{", r#"{"acount":"222222222222"}"#, r#"{"account":"2"}"#] {
        assert_error(
            &reset(&harness, body).await,
            400,
            "the body must be JSON like {} or",
        );
    }
    let long = request(Method::POST, "/_fake/reset")
        .map(|_| Bytes::from(vec![b' '; limits::CONTROL_BODY_BYTES_MAX + 1]));
    assert_error(
        &harness.send(long).await,
        413,
        "The request's body is longer than 1048576",
    );
    assert_eq!(queues(&harness).await, 1);
}

#[tokio::test]
async fn an_unknown_path_is_not_found_and_a_wrong_method_not_allowed() {
    let harness = Harness::new();
    for path in [
        "/_fake/x",
        "/_fake/page/",
        "/_fake/page/../health",
        "/_fake/health/x",
        "/_fake/healthx",
    ] {
        assert_error(
            &get(&harness, path).await,
            404,
            "there is nothing at this path",
        );
    }
    for (method, path, allowed) in [
        (Method::POST, "/_fake/health", "GET"),
        (Method::DELETE, "/_fake/health", "GET"),
        (Method::GET, "/_fake/reset", "POST"),
        (Method::OPTIONS, "/_fake/reset", "POST"),
        (Method::POST, "/_fake/", "GET"),
        (Method::DELETE, "/_fake", "GET"),
        (Method::POST, "/_fake/page/main.js", "GET"),
        (Method::POST, "/_fake/events", "GET"),
    ] {
        let answer = harness.send(request(method, path)).await;
        assert_error(&answer, 405, "this path takes only");
        assert_eq!(answer.header("allow"), allowed);
    }
}

#[tokio::test]
async fn only_loopback_names_and_our_own_pages_are_answered() {
    let harness =
        Harness::with(FakeSqs::builder().control_host("sqs.internal".parse().expect("a name")));
    create(&harness, "orders").await;
    for (name, value) in [
        ("host", "attacker.example"),
        ("host", "attacker.example:9324"),
        ("origin", "http://attacker.example"),
        ("origin", "http://localhost:3000"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for path in ["/_fake/health", "/_fake/reset", "/_fake/unknown"] {
            let mut request = request(Method::POST, path);
            request
                .headers_mut()
                .insert(name, value.parse().expect("a value"));
            let answer = harness.send(request).await;
            assert_error(&answer, 403, "the control interface");
            assert!(!answer.headers.contains_key("access-control-allow-origin"));
        }
    }
    assert_eq!(queues(&harness).await, 1);

    let mut request = request(Method::POST, "/_fake/reset");
    request
        .headers_mut()
        .insert("host", "SQS.internal:9324".parse().expect("a value"));
    assert_eq!(harness.send(request).await.status, 200);
    assert_eq!(queues(&harness).await, 0);
}

#[tokio::test]
async fn the_page_is_served_with_what_keeps_a_browser_from_running_anything_else() {
    let harness = Harness::new();
    for (path, content_type) in [
        ("/_fake/", "text/html; charset=utf-8"),
        ("/_fake/page/main.js", "text/javascript; charset=utf-8"),
        ("/_fake/page/page.css", "text/css; charset=utf-8"),
        ("/_fake/page/icon.svg", "image/svg+xml"),
    ] {
        let answer = get(&harness, path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), content_type);
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
    }
}

#[tokio::test]
async fn a_browser_finds_the_page_from_the_server_s_own_address() {
    let harness = Harness::new();
    let mut root = request(Method::GET, "/");
    let accept = header::HeaderValue::from_static("text/html,*/*;q=0.8");
    root.headers_mut().insert(header::ACCEPT, accept);
    let answer = harness.send(root).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/_fake/"));
    assert_eq!(answer.header("vary"), "Accept");
    let answer = get(&harness, "/_fake").await;
    assert_eq!((answer.status, answer.header("location")), (308, "/_fake/"));
}

#[tokio::test]
async fn the_page_and_its_events_answer_only_whom_the_interface_answers() {
    let harness = Harness::new();
    for path in ["/_fake/", "/_fake/page/main.js", "/_fake/events"] {
        let mut elsewhere = request(Method::GET, path);
        let host = header::HeaderValue::from_static("evil.example");
        elsewhere.headers_mut().insert(header::HOST, host);
        let answer = harness.send(elsewhere).await;
        assert_error(&answer, 403, "the control interface answers only to");
        let mut crossing = request(Method::GET, path);
        let origin = header::HeaderValue::from_static("http://evil.example");
        crossing.headers_mut().insert(header::ORIGIN, origin);
        let answer = harness.send(crossing).await;
        assert_error(&answer, 403, "the control interface does not answer a page");
    }
}

#[tokio::test]
async fn health_is_503_before_the_server_is_ready_and_while_it_stops() {
    let harness = Harness::starting();
    let status = async || {
        let answer = get(&harness, "/_fake/health").await;
        (answer.status, answer.json()["status"].clone())
    };
    assert_eq!(status().await, (503, json!("starting")));
    harness.control.ready();
    assert_eq!(status().await, (200, json!("ready")));
    harness.control.stop();
    assert_eq!(status().await, (503, json!("stopping")));
}
