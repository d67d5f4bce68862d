//! Which connections are used again, and which are not.

use std::time::Duration;

use aws_json::client::{ATTEMPT_TIMEOUT, POOL_IDLE_TIMEOUT};

use crate::server::{Answer, Server, bounded};
use crate::still::{Still, pass};

/// Whether the connection of a call that is answered so is used for the next one.
async fn is_used_again(answer: Answer) -> bool {
    let server = Server::start([answer, Answer::ok("{}")]).await;
    let client = server.client();
    // An error or not, that is for other tests.
    let _ = bounded(client.call_value("x", None)).await;
    bounded(client.call_value("x", None)).await.unwrap();
    match server.connections()[..] {
        [0, 0] => true,
        [0, 1] => false,
        _ => panic!("{:?}", server.recorded()),
    }
}

#[tokio::test]
async fn a_connection_is_used_again_after_an_answer_that_is_no_sign_of_trouble() {
    for status in [200, 204, 307, 400, 403, 404, 413, 429, 501, 505] {
        let answer = if status == 204 {
            Answer::raw("HTTP/1.1 204 No Content\r\n\r\n").then_keep_open()
        } else {
            Answer::new(status, &[], "{}")
        };
        assert!(is_used_again(answer).await, "{status}");
    }
}

#[tokio::test]
async fn a_connection_is_not_used_again_after_an_answer_of_a_server_in_trouble() {
    for status in [500, 502, 503, 504] {
        assert!(
            !is_used_again(Answer::new(status, &[], "{}")).await,
            "{status}"
        );
    }
}

#[tokio::test]
async fn a_connection_is_not_used_again_after_anything_but_a_whole_answer() {
    let _still = Still::begin();
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
    for bytes in ["", "HTTP/1.1 200", head, &format!("{head}{{}}")] {
        let stalled = Answer::stalled_for(bytes, ATTEMPT_TIMEOUT);
        assert!(!is_used_again(stalled).await, "{bytes:?}");
        assert!(!is_used_again(Answer::raw(bytes)).await, "{bytes:?}");
        assert!(!is_used_again(Answer::cut(bytes)).await, "{bytes:?}");
        assert!(!is_used_again(Answer::reset(bytes)).await, "{bytes:?}");
    }
}

#[tokio::test]
async fn a_connection_is_not_used_again_after_an_answer_that_was_too_large() {
    let server = Server::start([Answer::ok("x".repeat(200_000)), Answer::ok("{}")]).await;
    let client = server.builder().response_limit(100).build().unwrap();
    bounded(client.call_value("x", None)).await.unwrap_err();
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn a_connection_is_not_used_again_when_the_answer_says_so() {
    let close = [("connection", "close")];
    assert!(!is_used_again(Answer::new(200, &close, "{}")).await);
    let old = "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    assert!(!is_used_again(Answer::raw(old).then_keep_open()).await);
}

#[tokio::test]
async fn what_follows_an_answer_is_not_the_next_calls_answer() {
    let split = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}\
                 HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{\"from\":\"nobody\"}";
    let server = Server::start([
        Answer::raw(split).then_keep_open(),
        Answer::ok(r#"{"from":"the server"}"#),
    ])
    .await;
    let client = server.client();
    let first = bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(first, serde_json::json!({}));
    let second = bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(second, serde_json::json!({"from": "the server"}));
}

#[tokio::test]
async fn a_call_succeeds_after_the_server_closed_the_connection_in_the_meantime() {
    // Often, since the client may look at the connection before the call or only with it.
    for _ in 0..50 {
        let server = Server::start([Answer::ok("{}").then_close(), Answer::ok("{}")]).await;
        let client = server.client();
        bounded(client.call_value("x", None)).await.unwrap();
        server.ended(1).await;
        bounded(client.call_value("x", None)).await.unwrap();
        assert_eq!(server.connections(), [0, 1]);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_takes_its_connection_with_it() {
    let server = Server::start([Answer::stalled(""), Answer::ok("{}")]).await;
    let client = server.client();
    tokio::select! {
        _ = client.call_value("x", None) => panic!("it was answered"),
        () = server.came(1) => {}
    }
    server.ended(1).await;
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn an_idle_connection_is_used_again_for_fifteen_seconds() {
    let _still = Still::begin();
    let server = Server::start([Answer::ok("{}"), Answer::ok("{}"), Answer::ok("{}")]).await;
    let client = server.client();
    let little = Duration::from_secs(1);
    bounded(client.call_value("x", None)).await.unwrap();
    pass(POOL_IDLE_TIMEOUT - little).await;
    bounded(client.call_value("x", None)).await.unwrap();
    pass(POOL_IDLE_TIMEOUT + little).await;
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 0, 1]);
}

#[tokio::test]
async fn an_idle_connection_is_closed_without_another_call() {
    let _still = Still::begin();
    let server = Server::start([Answer::ok("{}")]).await;
    let client = server.client();
    bounded(client.call_value("x", None)).await.unwrap();
    // The pool looks every fifteen seconds, and may just have done so.
    for _ in 0..2 {
        pass(POOL_IDLE_TIMEOUT + Duration::from_secs(1)).await;
    }
    server.ended(1).await;
}

#[tokio::test]
async fn calls_at_the_same_time_have_a_connection_each_and_later_ones_share_them() {
    let server = Server::start((0..6).map(|_| Answer::ok("{}"))).await;
    let client = server.client();
    for _ in 0..2 {
        let (a, b, c) = bounded(Box::pin(async {
            tokio::join!(
                client.call_value("x", None),
                client.call_value("x", None),
                client.call_value("x", None),
            )
        }))
        .await;
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
    }
    let connections = server.connections();
    assert!(
        connections.iter().all(|&connection| connection < 3),
        "{connections:?}"
    );
}
