//! Every wait and every buffer has an end.

use std::time::Duration;

use aws_json::client::{ATTEMPT_TIMEOUT, Error, Operation};
use serde::{Serialize, Serializer};
use serde_json::json;
#[cfg(feature = "tls")]
use tokio::net::TcpListener;

use crate::server::{Answer, HANG, Server, bounded};
use crate::still::Still;
#[cfg(feature = "tls")]
use crate::still::pass;

/// For what does not happen, however long one waits.
const SHORT: Duration = Duration::from_millis(40);

/// The error of a call to which this and then nothing more comes.
async fn stalled(bytes: &str, timeout: Duration) -> Error {
    let server = Server::start([Answer::stalled(bytes)]).await;
    let client = server.builder().attempt_timeout(timeout).build().unwrap();
    bounded(client.call_value("receive_message", None))
        .await
        .unwrap_err()
}

/// The same error once the time sufficed to read what came, and that time: nothing tells the server
/// when it is read.
async fn stalled_when_read(bytes: &str) -> (Error, Duration) {
    let mut timeout = SHORT;
    loop {
        let error = stalled(bytes, timeout).await;
        if !error.body().is_empty() || timeout > HANG / 2 {
            return (error, timeout);
        }
        timeout *= 2;
    }
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
    let (error, timeout) = stalled_when_read(bytes).await;
    assert!(error.is_timeout());
    assert_eq!(error.status().unwrap().as_u16(), 200);
    let told = format!("no whole answer within {timeout:?} (200, r1)");
    assert_eq!(error.to_string(), told);
}

#[tokio::test]
async fn a_refusal_that_stalls_is_a_refusal() {
    let bytes = "HTTP/1.1 503 No\r\nx-amzn-errortype: Busy\r\ncontent-length: 9\r\n\r\n{";
    let (error, _) = stalled_when_read(bytes).await;
    assert!(!error.is_timeout());
    assert_eq!(error.to_string(), "Busy (503, no request id)");
    assert_eq!(error.body(), b"{");
}

#[tokio::test]
async fn a_connection_is_not_used_again_after_a_timeout() {
    let _still = Still::begin();
    let stalled = Answer::stalled_for("", ATTEMPT_TIMEOUT);
    let server = Server::start([stalled, Answer::ok("{}")]).await;
    let client = server.client();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert!(error.is_timeout() && error.is_outcome_unknown());
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
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
    let _still = Still::begin();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let client = crate::server::builder(crate::server::sqs(), url.clone())
        .connect_timeout(SHORT)
        .build()
        .unwrap();
    // It accepts, and never speaks TLS.
    let silence = async {
        let accepted = listener.accept().await.unwrap();
        pass(SHORT).await;
        accepted
    };
    let call = client.call_value("list_queues", None);
    let (result, _accepted) = bounded(Box::pin(async { tokio::join!(call, silence) })).await;
    let error = result.unwrap_err();
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
