//! What a server, or whatever stands before it, can do to an answer on the way.

use aws_json::client::{ATTEMPT_TIMEOUT, Error, Operation};
use serde_json::json;
use tokio::net::TcpListener;

use crate::server::{Answer, Server, bounded, builder, sqs};
use crate::still::Still;

/// An operation that may be done twice.
struct Safe;

impl Operation for Safe {
    const NAME: &'static str = "Safe";
    const SAFE_TO_RETRY: bool = true;
    type Input = ();
    type Output = ();
}

#[tokio::test]
async fn a_fault_that_passes_is_not_noticed_and_its_connection_is_left() {
    let _still = Still::begin();
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for fault in [
        Answer::reset(""),
        Answer::reset("HTTP/1.1 2"),
        Answer::reset(format!("{head}{{")),
        Answer::raw(""),
        Answer::raw(head),
        Answer::raw(format!("{chunked}2\r\n{{}}\r\n")),
        Answer::raw("<html>no head</html>\r\n\r\n"),
        Answer::stalled_for("", ATTEMPT_TIMEOUT),
        Answer::stalled_for(format!("{head}{{"), ATTEMPT_TIMEOUT),
        Answer::new(500, &[], "<html>"),
        Answer::new(502, &[("content-type", "text/html")], "<html>"),
        Answer::new(503, &[], ""),
        Answer::raw("HTTP/1.1 504 No\r\ncontent-length: 99\r\n\r\n<ht"),
    ] {
        let told = format!("{fault:?}");
        let server = Server::start([fault, Answer::ok("")]).await;
        let client = server.builder().max_attempts(2).build().unwrap();
        let result = bounded(client.call::<Safe>(&())).await;
        assert!(result.is_ok(), "{told}: {result:?}");
        assert_eq!(server.connections(), [0, 1], "{told}");
    }
}

/// The error of a call that is answered so.
async fn error(answer: Answer) -> Error {
    let server = Server::start([answer]).await;
    bounded(server.client().call_value("x", None))
        .await
        .unwrap_err()
}

/// A failure that says nothing of what the service did: no status, and neither a failure to
/// connect nor a timeout.
#[track_caller]
fn assert_broke_off(error: &Error, cause: &str) {
    let told = error.to_string();
    assert!(told.starts_with("the call broke off: "), "{told}");
    assert!(told.contains(cause), "{told}");
    assert_eq!(error.status(), None);
    assert!(!error.is_connect() && !error.is_timeout());
    assert!(error.is_outcome_unknown());
}

#[tokio::test]
async fn a_reset_before_the_end_of_the_head_is_a_call_that_broke_off() {
    for bytes in ["", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n"] {
        let error = error(Answer::reset(bytes)).await;
        assert_broke_off(&error, "reset");
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_on_everybody_is_an_error() {
    for _ in 0..20 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let hanging_up = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_zero_linger().unwrap();
            }
        });
        let client = builder(sqs(), url).build().unwrap();
        let error = bounded(client.call_value("x", None)).await.unwrap_err();
        hanging_up.abort();
        // Whether the request was written before that was noticed is a matter of luck.
        assert_eq!(error.is_connect(), !error.is_outcome_unknown(), "{error}");
        assert!(error.status().is_none() && !error.is_timeout());
    }
}

#[tokio::test]
async fn a_reset_within_a_success_is_an_answer_that_broke_off() {
    let head = "HTTP/1.1 200 OK\r\nx-amzn-requestid: r1\r\n";
    for rest in [
        "content-length: 9\r\n\r\n{}",
        "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
    ] {
        let error = error(Answer::reset(format!("{head}{rest}"))).await;
        let told = error.to_string();
        assert!(told.starts_with("the answer broke off: "), "{told}");
        assert!(told.ends_with(" (200, r1)"), "{told}");
        assert!(error.is_outcome_unknown() && !error.is_timeout());
        assert_eq!(error.body(), b"{}");
    }
}

#[tokio::test]
async fn a_reset_within_a_refusal_is_the_refusal() {
    let head = "HTTP/1.1 503 No\r\nx-amzn-errortype: Busy\r\ncontent-length: 9\r\n\r\n{";
    let error = error(Answer::reset(head)).await;
    assert_eq!(error.to_string(), "Busy (503, no request id)");
}

#[tokio::test]
async fn what_is_not_http_is_a_call_that_broke_off() {
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 some of TLS \r\n\r\n"[..],
        b"\x00\xff\xfe\x00\r\n\r\n",
        b"<html>no head at all</html>\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 twohundred OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}",
    ] {
        let error = error(Answer::raw(bytes)).await;
        assert_broke_off(&error, "");
    }
}

#[tokio::test]
async fn a_head_that_never_ends_is_given_up() {
    let many: String = (0..101).map(|n| format!("x-h{n}: v\r\n")).collect();
    let endless = "x".repeat(1_000_000);
    for head in [
        format!("HTTP/1.1 200 OK\r\n{many}content-length: 2\r\n\r\n{{}}"),
        format!("HTTP/1.1 200 OK\r\nx-long: {endless}\r\n\r\n"),
        format!("HTTP/1.1 200 {endless}"),
    ] {
        // It stalls, so that only the head's size can end the call before the test's time.
        let error = error(Answer::stalled(head)).await;
        assert_broke_off(&error, "message head is too large");
    }
}

#[tokio::test]
async fn a_hundred_headers_are_read() {
    let many: String = (0..99).map(|n| format!("x-h{n}: v\r\n")).collect();
    let head = format!("HTTP/1.1 200 OK\r\n{many}content-length: 2\r\n\r\n{{}}");
    let server = Server::start([Answer::raw(head)]).await;
    let output = bounded(server.client().call_value("x", None)).await;
    assert_eq!(output.unwrap(), json!({}));
}

#[tokio::test]
async fn chunks_that_are_none_are_an_answer_that_broke_off() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for chunks in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n{}",
        "2\r\n{}no end",
        "2\r\n{}\r\n",
    ] {
        let error = error(Answer::raw(format!("{head}{chunks}"))).await;
        let told = error.to_string();
        assert!(told.starts_with("the answer broke off: "), "{told}");
        assert_eq!(error.status().unwrap().as_u16(), 200, "{told}");
    }
}

#[tokio::test]
async fn the_ways_to_end_an_answer_without_its_length_are_read() {
    for answer in [
        "HTTP/1.1 200 OK\r\n\r\n{\"a\":1}",
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"a\":1}",
        "HTTP/1.0 200 OK\r\n\r\n{\"a\":1}",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7;x=y\r\n{\"a\":1}\r\n0\r\nx-t: v\r\n\r\n",
    ] {
        let server = Server::start([Answer::raw(answer)]).await;
        let output = bounded(server.client().call_value("x", None)).await;
        assert_eq!(output.unwrap(), json!({"a": 1}), "{answer}");
    }
}

#[tokio::test]
async fn informational_answers_are_passed_over() {
    for before in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
    ] {
        let whole = format!("{before}HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{{\"a\":1}}");
        let server = Server::start([Answer::raw(whole)]).await;
        let output = bounded(server.client().call_value("x", None)).await;
        assert_eq!(output.unwrap(), json!({"a": 1}), "{before}");
    }
}

#[tokio::test]
async fn informational_answers_alone_are_none() {
    let error = error(Answer::raw("HTTP/1.1 100 Continue\r\n\r\n")).await;
    assert_broke_off(&error, "");
}

#[tokio::test]
async fn another_protocol_is_not_switched_to() {
    let head = "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n";
    let server = Server::start([Answer::raw(head), Answer::ok("{}")]).await;
    let client = server.client();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!(error.status().unwrap().as_u16(), 101);
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn a_redirect_is_an_error_and_nobody_else_is_asked() {
    let elsewhere = Server::start([Answer::ok("{}")]).await;
    for code in [300, 301, 302, 303, 307, 308] {
        let location = [("location", &*elsewhere.url()), ("x-amzn-requestid", "r1")];
        let error = error(Answer::new(code, &location, "moved")).await;
        assert_eq!(
            error.to_string(),
            format!("refused without an error that can be read: \"moved\" ({code}, r1)")
        );
        assert_eq!((error.code(), error.fault()), (None, None));
    }
    assert!(elsewhere.recorded().is_empty());
}

/// `{}` as gzip writes it.
const GZIPPED: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00\x00\x00";

#[tokio::test]
async fn an_answer_that_is_compressed_without_being_asked_says_so() {
    let headers = [("content-encoding", "gzip"), ("x-amzn-requestid", "r1")];
    for (status, told) in [
        (
            200,
            "the answer cannot be read: it is encoded as \"gzip\", which was not asked for (200, r1)",
        ),
        (
            502,
            "refused without an error that can be read: it is encoded as \"gzip\", which was not \
             asked for (502, r1)",
        ),
    ] {
        let error = error(Answer::new(status, &headers, GZIPPED)).await;
        assert_eq!(error.to_string(), told);
        assert_eq!(error.body(), GZIPPED);
    }
}

#[tokio::test]
async fn an_answer_that_only_says_that_it_is_compressed_is_read() {
    for encoding in ["identity", "gzip"] {
        let answer = Answer::new(200, &[("content-encoding", encoding)], r#"{"a":1}"#);
        let server = Server::start([answer]).await;
        let output = bounded(server.client().call_value("x", None)).await;
        assert_eq!(output.unwrap(), json!({"a": 1}));
        let request = server.only_request();
        assert!(
            request
                .headers
                .iter()
                .all(|(name, _)| name != "accept-encoding")
        );
    }
}
