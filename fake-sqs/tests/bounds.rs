//! What the server takes from a connection at most, over real sockets.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use fake_sqs::{FakeSqs, limits};

/// How long anything here may take.
const BOUND: Duration = Duration::from_secs(60);

/// A loopback address that nobody else uses, so that nobody takes over a port of it that was given
/// back. macOS has only the usual one.
const ALONE: [u8; 4] = if cfg!(target_os = "macos") {
    [127, 0, 0, 1]
} else {
    [127, 0, 77, 1]
};

fn connect(server: &FakeSqs) -> TcpStream {
    let endpoint = server.endpoint_url();
    let address = endpoint.strip_prefix("http://").expect("plain http");
    let stream = TcpStream::connect(address).expect("the port accepts");
    stream.set_read_timeout(Some(BOUND)).expect("a timeout");
    stream.set_write_timeout(Some(BOUND)).expect("a timeout");
    stream
}

/// Sends bytes on a connection of its own: what comes back until the server closes it.
fn exchange(server: &FakeSqs, request: &[u8]) -> String {
    let mut stream = connect(server);
    // A server that has seen enough closes before everything is sent, and what it did not read
    // makes its closing a reset; its answer came before that.
    let cut_off = [io::ErrorKind::ConnectionReset, io::ErrorKind::BrokenPipe];
    let mut answer = Vec::new();
    let exchanged = stream
        .write_all(request)
        .and_then(|()| stream.read_to_end(&mut answer));
    if let Err(error) = exchanged {
        assert!(cut_off.contains(&error.kind()), "{error}");
        // Whatever is there to be read.
        let _ = stream.read_to_end(&mut answer);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

#[track_caller]
fn assert_status(answer: &str, status: u16) {
    let expected = format!("HTTP/1.1 {status} ");
    assert!(
        answer.starts_with(&expected),
        "expected {status}: {answer:.300}"
    );
}

/// A health request with this many headers, Host and Connection included.
fn with_headers(count: usize) -> Vec<u8> {
    let mut request = "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\n".to_owned();
    for n in 2..count {
        request += &format!("x-{n}: 1\r\n");
    }
    request += "Connection: close\r\n\r\n";
    request.into_bytes()
}

#[tokio::test]
async fn headers_are_limited_in_number() {
    let server = FakeSqs::start().await;
    assert_status(&exchange(&server, &with_headers(limits::HEADERS_MAX)), 200);
    assert_status(
        &exchange(&server, &with_headers(limits::HEADERS_MAX + 1)),
        431,
    );
}

#[tokio::test]
async fn headers_are_limited_in_size() {
    let server = FakeSqs::start().await;
    let with_header_of = |bytes: usize| {
        let value = "x".repeat(bytes);
        format!(
            "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx: {value}\r\n\
             \r\n"
        )
    };
    let rest = with_header_of(0).len();
    let fits = with_header_of(limits::HEAD_BYTES_MAX - rest);
    assert_eq!(fits.len(), limits::HEAD_BYTES_MAX);
    assert_status(&exchange(&server, fits.as_bytes()), 200);
    for bytes in [
        limits::HEAD_BYTES_MAX - rest + 1,
        100_000,
        2 * limits::HEAD_BYTES_MAX,
    ] {
        let too_large = with_header_of(bytes);
        assert_status(&exchange(&server, too_large.as_bytes()), 431);
    }
}

#[tokio::test]
async fn a_url_counts_as_the_headers_do() {
    let server = FakeSqs::start().await;
    let with_url_of = |bytes: usize| {
        let query = "x".repeat(bytes - "/_fake/metrics?".len());
        format!(
            "GET /_fake/metrics?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
    };
    let rest = with_url_of(100).len() - 100;
    let fits = with_url_of(limits::HEAD_BYTES_MAX - rest);
    assert_status(&exchange(&server, fits.as_bytes()), 200);
    let too_large = with_url_of(limits::HEAD_BYTES_MAX - rest + 1);
    assert_status(&exchange(&server, too_large.as_bytes()), 431);
    let answer = exchange(&server, with_url_of(70_000).as_bytes());
    let refused = ["HTTP/1.1 414 ", "HTTP/1.1 431 "];
    assert!(
        refused.iter().any(|status| answer.starts_with(status)),
        "{answer:.300}"
    );
}

#[tokio::test]
async fn a_body_that_is_too_long_is_read_to_its_end_so_that_the_answer_arrives() {
    let server = FakeSqs::start().await;
    let len = limits::BODY_BYTES_MAX + 1024 * 1024;
    let mut request =
        format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len}\r\n\r\n");
    request += &"x".repeat(len);
    // The connection is good for a second request.
    request += "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = exchange(&server, request.as_bytes());
    assert_status(&answer, 413);
    let (_, second) = answer
        .split_once("HTTP/1.1 200 OK\r\n")
        .expect("a second answer");
    assert!(second.contains("\"status\":\"ready\""), "{second}");
}

#[tokio::test]
async fn a_body_without_end_is_not_read_for_ever() {
    let server = FakeSqs::start().await;
    let mut stream = connect(&server);
    stream
        .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        .expect("sent");
    let chunk = format!("{:x}\r\n{}\r\n", 1024 * 1024, "x".repeat(1024 * 1024));
    let most = (limits::BODY_BYTES_MAX + limits::BODY_BYTES_DISCARDED_MAX) / (1024 * 1024);
    let refused = (0..2 * most).any(|_| stream.write_all(chunk.as_bytes()).is_err());
    assert!(refused, "the server read twice what it should");
}

#[tokio::test]
async fn only_http_1_is_spoken() {
    let server = FakeSqs::start().await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let answer = exchange(&server, preface);
    assert!(!answer.contains(" 200 "), "{answer}");
    assert_status(&exchange(&server, b"\x16\x03\x01\x02\0\x01\0\r\n\r\n"), 400);
}

#[tokio::test]
async fn servers_side_by_side_share_nothing_and_close_their_port_when_dropped() {
    let first = FakeSqs::builder().listen((ALONE, 0).into()).start();
    let first = first.await.expect("started");
    let second = FakeSqs::start().await;
    assert_ne!(first.endpoint_url(), second.endpoint_url());
    let mut open = connect(&first);
    let address = open.peer_addr().expect("an address");
    drop(first);
    assert!(
        TcpStream::connect(address).is_err(),
        "the port still accepts"
    );
    let mut rest = Vec::new();
    assert!(
        matches!(open.read_to_end(&mut rest), Ok(0) | Err(_)),
        "{rest:?}"
    );
    assert_status(&exchange(&second, &with_headers(2)), 200);
}
