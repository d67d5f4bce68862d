//! Every wait and every buffer has an end.

use std::time::Duration;

use aws_json::client::{Error, Operation};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::server::{Answer, Server, bounded};

/// For what does not happen, however long one waits.
const SHORT: Duration = Duration::from_millis(40);

/// For what must have begun when time runs out, on a busy machine too.
const LONG: Duration = Duration::from_millis(600);

/// The error of a call to which this and then nothing more comes.
async fn stalled(bytes: &str, timeout: Duration) -> Error {
    let server = Server::start([Answer::stalled(bytes)]).await;
    let client = server.builder().attempt_timeout(timeout).build().unwrap();
    bounded(client.call_value("receive_message", None))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn a_server_that_never_answers_is_a_timeout() {
    for bytes in ["", "HTTP/1.1 200 OK\r\n"] {
        let error = stalled(bytes, SHORT).await;
        assert!(error.is_timeout() && !error.is_connect());
        assert_eq!(
            (error.status(), error.code(), error.fault()),
            (None, None, None)
        );
        assert_eq!(error.to_string(), "no whole answer within 40ms");
    }
}

#[tokio::test]
async fn a_success_that_stalls_is_a_timeout_with_its_status() {
    let bytes = "HTTP/1.1 200 OK\r\nx-amzn-requestid: r1\r\ncontent-length: 9\r\n\r\n{}";
    let error = stalled(bytes, LONG).await;
    assert!(error.is_timeout());
    assert_eq!(error.status().unwrap().as_u16(), 200);
    assert_eq!(error.to_string(), "no whole answer within 600ms (200, r1)");
}

#[tokio::test]
async fn a_refusal_that_stalls_is_a_refusal() {
    let bytes = "HTTP/1.1 503 No\r\nx-amzn-errortype: Busy\r\ncontent-length: 9\r\n\r\n{";
    let error = stalled(bytes, LONG).await;
    assert!(!error.is_timeout());
    assert_eq!(error.to_string(), "Busy (503, no request id)");
    assert_eq!(error.body(), b"{");
}

#[tokio::test]
async fn a_connection_is_not_used_again_after_a_timeout() {
    let server = Server::start([Answer::stalled(""), Answer::ok("{}")]).await;
    let client = server.builder().attempt_timeout(LONG).build().unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    bounded(client.call::<Held>(&HeldInput(Duration::from_secs(10))))
        .await
        .unwrap();
    let connections: Vec<_> = server.recorded().iter().map(|r| r.connection).collect();
    assert_eq!(connections, [0, 1]);
}

/// A call that the service may hold as long as its input says.
struct Held;

struct HeldInput(Duration);

impl Serialize for HeldInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Operation for Held {
    const NAME: &'static str = "Held";
    const SAFE_TO_RETRY: bool = true;
    type Input = HeldInput;
    type Output = ();

    fn held_for(input: &HeldInput) -> Duration {
        input.0
    }
}

#[tokio::test]
async fn what_the_service_may_hold_is_added_to_the_timeout() {
    let server = Server::start([Answer::stalled("")]).await;
    let client = server.builder().attempt_timeout(SHORT).build().unwrap();
    let input = HeldInput(Duration::from_millis(60));
    let error = bounded(client.call::<Held>(&input)).await.unwrap_err();
    assert_eq!(error.to_string(), "no whole answer within 100ms");
    assert!(error.is_timeout());

    // To that of the whole call as well, so that it does not end a long poll.
    let server = Server::start([Answer::stalled("")]).await;
    let client = server.builder().call_timeout(SHORT).build().unwrap();
    let error = bounded(client.call::<Held>(&input)).await.unwrap_err();
    assert_eq!(error.to_string(), "no whole answer within 100ms");
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_a_timeout_of_the_connection() {
    // It accepts, and never speaks TLS.
    let server = Server::start([Answer::stalled("")]).await;
    let url = format!("https://127.0.0.1:{}", server.port());
    let client = crate::server::builder(crate::server::sqs(), url.clone())
        .connect_timeout(SHORT)
        .build()
        .unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is_timeout() && error.is_connect());
    assert_eq!(
        error.to_string(),
        format!("cannot connect to {url}/: no connection within 40ms")
    );
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_call_that_times_out_without_a_connection_did_not_arrive() {
    let server = Server::start([Answer::stalled("")]).await;
    let url = format!("https://127.0.0.1:{}", server.port());
    let client = crate::server::builder(crate::server::sqs(), url)
        .attempt_timeout(SHORT)
        .build()
        .unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "no whole answer within 40ms");
    assert!(error.is_timeout() && !error.is_outcome_unknown());
    // With a connection, it may have.
    assert!(stalled("", LONG).await.is_outcome_unknown());
}

#[tokio::test]
async fn an_answer_of_the_limits_size_is_read_and_a_larger_one_is_not() {
    let body = |length: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8));
    let chunked = |body: &str| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
    };
    let server = Server::start([
        Answer::ok(body(100)),
        Answer::raw(chunked(&body(100))),
        Answer::new(200, &[("x-amzn-requestid", "r1")], body(101)),
        Answer::raw(chunked(&body(101))),
    ])
    .await;
    let client = server.builder().response_limit(100).build().unwrap();
    for _ in 0..2 {
        let output = bounded(client.call_value("x", None)).await.unwrap();
        assert_eq!(output, json!({"a": "x".repeat(92)}));
    }
    for id in ["r1", "no request id"] {
        let error = bounded(client.call_value("x", None)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the answer is larger than 100 bytes (200, {id})")
        );
        assert_eq!(error.body().len(), 100);
    }
}

#[tokio::test]
async fn a_refusal_larger_than_the_limit_is_a_refusal() {
    let body = format!(r#"{{"__type":"ns#Big","message":"{}"}}"#, "x".repeat(1_000));
    let server = Server::start([Answer::new(400, &[("x-amzn-errortype", "Big")], &body)]).await;
    let client = server.builder().response_limit(100).build().unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!(error.to_string(), "Big (400, no request id)");
    assert_eq!(error.body(), &body.as_bytes()[..100]);
}

#[tokio::test]
async fn an_endless_answer_ends_at_the_limit() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551000\r\n\r\n";
    let server = Server::start([Answer::raw(format!("{head}{}", "x".repeat(300_000)))]).await;
    let client = server.builder().response_limit(10_000).build().unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the answer is larger than 10000 bytes (200, no request id)"
    );
}
