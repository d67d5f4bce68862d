//! Clients that take their time: longer than a head, a body or an answer may. The server runs on a
//! runtime whose time stands still while anything happens, and jumps when nothing does.

use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use conformance::clock;
use fake_sqs::{FakeSqs, limits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::call::{Call, Framing};
use crate::target::alone;

/// Longer than anything that the server allows.
const FOR_EVER: Duration = Duration::from_secs(3_600);

/// Runs a test on a runtime whose time stands still.
fn paused(test: impl Future<Output = ()>) {
    let _alone = alone();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(test);
}

/// A server on this runtime, for as long as the test.
fn start() -> SocketAddr {
    let server = FakeSqs::builder().bind().expect("a free port");
    let address = server.address();
    tokio::spawn(server.run(pending()));
    address
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("the port accepts")
}

/// What comes until the connection is closed, and when that is: after the time that a test may wait,
/// never.
async fn to_end(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    let read = timeout(FOR_EVER, stream.read_to_end(&mut received)).await;
    // A reset is one way to close.
    let _ = read.expect("the server closes");
    String::from_utf8_lossy(&received).into_owned()
}

/// Writes a byte every so often, until the server has closed the connection.
async fn trickle(stream: &mut TcpStream, bytes: &[u8], every: Duration) {
    for byte in bytes {
        if stream.write_all(&[*byte]).await.is_err() {
            return;
        }
        sleep(every).await;
    }
}

/// That a server is as good as new.
async fn answers(address: SocketAddr) {
    let call = Call::new(address, "ListQueues", "{}").signed();
    let mut stream = connect(address).await;
    stream
        .write_all(&call.with("Connection", "close").bytes())
        .await
        .expect("sent");
    let answer = to_end(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

fn call(address: SocketAddr) -> Call {
    Call::new(address, "ListQueues", "{}").signed()
}

#[test]
fn a_head_that_does_not_end_closes_the_connection() {
    paused(async {
        let address = start();
        for head in [
            &b""[..],
            b"P",
            b"POST / HTTP/1.1\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nX: ",
        ] {
            let (mut stream, begun) = (connect(address).await, clock::of_the_runtime());
            stream.write_all(head).await.expect("sent");
            let answer = to_end(&mut stream).await;
            assert!(!answer.contains(" 200 "), "{answer}");
            let taken = begun.elapsed();
            let most = limits::HEAD_TIME_MAX + Duration::from_secs(1);
            assert!(taken <= most, "{head:?} kept its connection for {taken:?}");
            answers(address).await;
        }
    });
}

#[test]
fn a_head_that_comes_byte_by_byte_has_no_longer() {
    paused(async {
        let address = start();
        let (mut stream, begun) = (connect(address).await, clock::of_the_runtime());
        let head = [b"GET / HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 1_000]].concat();
        trickle(&mut stream, &head, Duration::from_secs(1)).await;
        to_end(&mut stream).await;
        let taken = begun.elapsed();
        assert!(
            taken <= limits::HEAD_TIME_MAX + Duration::from_secs(5),
            "{taken:?}"
        );
        answers(address).await;
    });
}

#[test]
fn a_body_that_does_not_end_is_refused() {
    paused(async {
        let address = start();
        let length = call(address)
            .with("Content-Length", "3")
            .framed(Framing::AsIs)
            .bytes();
        let chunks = call(address)
            .with("Transfer-Encoding", "chunked")
            .framed(Framing::AsIs);
        let half_a_chunk = chunks.clone().body("5\r\n{}").bytes();
        let no_last_chunk = chunks.body("2\r\n{}\r\n").bytes();
        for bytes in [length, half_a_chunk, no_last_chunk] {
            let (mut stream, begun) = (connect(address).await, clock::of_the_runtime());
            stream.write_all(&bytes).await.expect("sent");
            let answer = to_end(&mut stream).await;
            assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
            let taken = begun.elapsed();
            assert!(
                taken <= limits::BODY_TIME_MAX + Duration::from_secs(1),
                "{taken:?}"
            );
            answers(address).await;
        }
    });
}

#[test]
fn a_body_that_comes_byte_by_byte_has_no_longer() {
    paused(async {
        let address = start();
        let head = call(address)
            .with("Content-Length", "1000")
            .body("")
            .framed(Framing::AsIs);
        let mut stream = connect(address).await;
        stream.write_all(&head.bytes()).await.expect("sent");
        let begun = clock::of_the_runtime();
        trickle(&mut stream, &[b' '; 1_000], Duration::from_secs(1)).await;
        let answer = to_end(&mut stream).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 408 "),
            "{answer}"
        );
        let taken = begun.elapsed();
        assert!(
            taken <= limits::BODY_TIME_MAX + Duration::from_secs(5),
            "{taken:?}"
        );
        answers(address).await;
    });
}

/// A body that is thrown away may take no longer than one that is kept.
#[test]
fn a_body_that_is_too_long_and_does_not_end_has_no_longer() {
    paused(async {
        let address = start();
        let length = limits::BODY_BYTES_MAX + limits::BODY_BYTES_DISCARDED_MAX / 2;
        let head = call(address)
            .with("Content-Length", length.to_string())
            .body("")
            .framed(Framing::AsIs);
        let mut stream = connect(address).await;
        stream.write_all(&head.bytes()).await.expect("sent");
        stream
            .write_all(&vec![b' '; limits::BODY_BYTES_MAX + 1])
            .await
            .expect("sent");
        let begun = clock::of_the_runtime();
        to_end(&mut stream).await;
        let taken = begun.elapsed();
        assert!(
            taken <= limits::BODY_TIME_MAX + Duration::from_secs(1),
            "{taken:?}"
        );
        answers(address).await;
    });
}

#[test]
fn a_connection_that_is_idle_after_an_answer_is_closed() {
    paused(async {
        let address = start();
        let (mut stream, begun) = (connect(address).await, clock::of_the_runtime());
        stream
            .write_all(&call(address).bytes())
            .await
            .expect("sent");
        let answer = to_end(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let taken = begun.elapsed();
        assert!(
            taken <= limits::HEAD_TIME_MAX + Duration::from_secs(1),
            "{taken:?}"
        );
        answers(address).await;
    });
}

/// Requests are sent and sent, and no answer is taken: when the system's buffers are full the server
/// waits, and not for ever.
#[test]
fn a_client_that_takes_no_answers_is_given_up() {
    paused(async {
        let address = start();
        let mut stream = connect(address).await;
        let request = b"GET /_fake/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
        let begun = clock::of_the_runtime();
        let sending = async { while stream.write_all(&request).await.is_ok() {} };
        timeout(FOR_EVER, sending).await.expect("the server closes");
        let taken = begun.elapsed();
        assert!(
            taken <= limits::WRITE_TIME_MAX + Duration::from_secs(1),
            "{taken:?}"
        );
        answers(address).await;
    });
}

/// Every place is taken by a client that says nothing: the next one waits until their time is up, and
/// then is served.
#[test]
fn a_flood_that_says_nothing_lasts_no_longer_than_a_head_may() {
    paused(async {
        let server = FakeSqs::builder()
            .connections_max(8)
            .bind()
            .expect("a free port");
        let address = server.address();
        tokio::spawn(server.run(pending()));
        let begun = clock::of_the_runtime();
        let mut held = Vec::new();
        for _ in 0..20 {
            held.push(connect(address).await);
        }
        answers(address).await;
        let taken = begun.elapsed();
        let most = limits::HEAD_TIME_MAX * 3 + Duration::from_secs(1);
        assert!(limits::HEAD_TIME_MAX <= taken && taken <= most, "{taken:?}");
        drop(held);
    });
}
