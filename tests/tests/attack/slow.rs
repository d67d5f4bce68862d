//! Clients that take their time: longer than a head, a body or an answer may. The server runs on a
//! runtime whose time stands still, and is moved on when all that could be done has been done.

use std::future::pending;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use conformance::bound::PATIENCE;
use conformance::clock;
use fake_sqs::{Builder, FakeSqs, limits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::task::JoinHandle;
use tokio::time::advance;

use crate::call::{Call, Framing};
use crate::target::alone;
use crate::wire;

/// Longer than anything that the server allows.
const FOR_EVER: Duration = Duration::from_secs(3_600);

/// How much time passes at once.
const SECOND: Duration = Duration::from_secs(1);

/// What may pass in addition, until the end of a limit is seen.
const SLACK: Duration = Duration::from_secs(5);

/// Runs a test on a runtime whose time stands still: a task that blocks keeps it from moving by itself,
/// which it might do while bytes are on their way. As no limit of such a test ever ends, it has a thread
/// of its own, which is given up.
fn still(test: impl AsyncFnOnce() + Send + 'static) {
    let _alone = alone();
    let (ending, ended) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        let _ending = ending;
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        let (_ends_before_the_runtime, block) = mpsc::channel::<()>();
        runtime.spawn_blocking(move || block.recv());
        runtime.block_on(test());
    });
    let hangs = ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
    assert!(!hangs, "it does not end");
    if let Err(panic) = thread.join() {
        resume_unwind(panic);
    }
}

/// A server on this runtime, for as long as the test.
struct Server {
    address: SocketAddr,
    /// A connection that stays.
    looking: TcpStream,
}

impl Server {
    async fn start() -> Self {
        Self::with(FakeSqs::builder()).await
    }

    async fn with(builder: Builder) -> Self {
        let server = builder.bind().expect("a free port");
        let address = server.address();
        tokio::spawn(server.run(pending()));
        let looking = connect(address).await;
        Self { address, looking }
    }

    /// Asks something. When the answer is here, the server has seen what was sent before.
    async fn look(&mut self) {
        let request = b"GET /_fake/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        self.looking.write_all(request).await.expect("sent");
        let mut received = Vec::new();
        while wire::first(&received).is_none() {
            let read = self.looking.read_buf(&mut received).await;
            assert_ne!(read.expect("an answer"), 0, "it is closed");
        }
    }

    /// Lets a second pass, in which everything that it brings about begins.
    async fn second(&mut self) {
        self.look().await;
        advance(SECOND).await;
        self.look().await;
    }

    /// Lets time pass until a task has ended; how much.
    async fn seconds_until<T>(&mut self, task: JoinHandle<T>) -> (T, Duration) {
        let begun = clock::of_the_runtime();
        self.look().await;
        while !task.is_finished() {
            assert!(begun.elapsed() < FOR_EVER, "it never ends");
            self.second().await;
        }
        (task.await.expect("no panic"), begun.elapsed())
    }

    /// What comes until the connection is closed, and how long that takes.
    async fn closes(&mut self, stream: TcpStream) -> (String, Duration) {
        self.seconds_until(tokio::spawn(to_end(stream))).await
    }

    /// Writes a byte every second, until the server has closed the connection: what came, and how long it
    /// took.
    async fn trickle(&mut self, mut stream: TcpStream, bytes: &[u8]) -> (String, Duration) {
        let begun = clock::of_the_runtime();
        for byte in bytes {
            if stream.write_all(&[*byte]).await.is_err() {
                break;
            }
            self.second().await;
        }
        let (answer, _) = self.closes(stream).await;
        (answer, begun.elapsed())
    }

    /// That it is as good as new.
    async fn answers(&self) {
        let answer = list(self.address).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("the port accepts")
}

/// A connection on which this was sent.
async fn sent(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = connect(address).await;
    stream.write_all(bytes).await.expect("sent");
    stream
}

/// What comes until the connection is closed.
async fn to_end(mut stream: TcpStream) -> String {
    let mut received = Vec::new();
    // A reset is one way to close.
    let _ = stream.read_to_end(&mut received).await;
    String::from_utf8_lossy(&received).into_owned()
}

/// What a good request on a connection of its own is answered.
async fn list(address: SocketAddr) -> String {
    let call = call(address).with("Connection", "close");
    to_end(sent(address, &call.bytes()).await).await
}

fn call(address: SocketAddr) -> Call {
    Call::new(address, "ListQueues", "{}").signed()
}

/// A call whose body has this length and does not come.
fn call_of_length(address: SocketAddr, length: usize) -> Vec<u8> {
    call(address)
        .with("Content-Length", length.to_string())
        .body("")
        .framed(Framing::AsIs)
        .bytes()
}

#[test]
fn a_head_that_does_not_end_closes_the_connection() {
    still(async || {
        let mut server = Server::start().await;
        for head in [
            &b""[..],
            b"P",
            b"POST / HTTP/1.1\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nX: ",
        ] {
            let stream = sent(server.address, head).await;
            let (answer, taken) = server.closes(stream).await;
            assert!(!answer.contains(" 200 "), "{answer}");
            let most = limits::HEAD_TIME_MAX + SLACK;
            assert!(taken <= most, "{head:?} kept its connection for {taken:?}");
            server.answers().await;
        }
    });
}

#[test]
fn a_head_that_comes_byte_by_byte_has_no_longer() {
    still(async || {
        let mut server = Server::start().await;
        let stream = connect(server.address).await;
        let head = [b"GET / HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 1_000]].concat();
        let (_, taken) = server.trickle(stream, &head).await;
        assert!(taken <= limits::HEAD_TIME_MAX + SLACK, "{taken:?}");
        server.answers().await;
    });
}

#[test]
fn a_body_that_does_not_end_is_refused() {
    still(async || {
        let mut server = Server::start().await;
        let chunks = call(server.address)
            .with("Transfer-Encoding", "chunked")
            .framed(Framing::AsIs);
        let length = [&call_of_length(server.address, 3)[..], b"{}"].concat();
        let half_a_chunk = chunks.clone().body("5\r\n{}").bytes();
        let no_last_chunk = chunks.body("2\r\n{}\r\n").bytes();
        for bytes in [length, half_a_chunk, no_last_chunk] {
            let stream = sent(server.address, &bytes).await;
            let (answer, taken) = server.closes(stream).await;
            assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
            assert!(taken <= limits::BODY_TIME_MAX + SLACK, "{taken:?}");
            server.answers().await;
        }
    });
}

#[test]
fn a_body_that_comes_byte_by_byte_has_no_longer() {
    still(async || {
        let mut server = Server::start().await;
        let head = call_of_length(server.address, 1_000);
        let stream = sent(server.address, &head).await;
        let (answer, taken) = server.trickle(stream, &[b' '; 1_000]).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 408 "),
            "{answer}"
        );
        assert!(taken <= limits::BODY_TIME_MAX + SLACK, "{taken:?}");
        server.answers().await;
    });
}

/// A body that is thrown away may take no longer than one that is kept.
#[test]
fn a_body_that_is_too_long_and_does_not_end_has_no_longer() {
    still(async || {
        let mut server = Server::start().await;
        let length = limits::BODY_BYTES_MAX + limits::BODY_BYTES_DISCARDED_MAX / 2;
        let mut stream = sent(server.address, &call_of_length(server.address, length)).await;
        let too_much = vec![b' '; limits::BODY_BYTES_MAX + 1];
        stream.write_all(&too_much).await.expect("sent");
        let (_, taken) = server.closes(stream).await;
        assert!(taken <= limits::BODY_TIME_MAX + SLACK, "{taken:?}");
        server.answers().await;
    });
}

#[test]
fn a_connection_that_is_idle_after_an_answer_is_closed() {
    still(async || {
        let mut server = Server::start().await;
        let stream = sent(server.address, &call(server.address).bytes()).await;
        let (answer, taken) = server.closes(stream).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(taken <= limits::HEAD_TIME_MAX + SLACK, "{taken:?}");
        server.answers().await;
    });
}

/// Requests are sent and sent, and no answer is taken: when the system's buffers are full the server
/// waits, and not for ever.
#[test]
fn a_client_that_takes_no_answers_is_given_up() {
    still(async || {
        let mut server = Server::start().await;
        let mut stream = connect(server.address).await;
        let request = b"GET /_fake/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
        let sending = async move { while stream.write_all(&request).await.is_ok() {} };
        let (_, taken) = server.seconds_until(tokio::spawn(sending)).await;
        // Some time may pass before the buffers are full.
        assert!(taken <= limits::WRITE_TIME_MAX * 2, "{taken:?}");
        server.answers().await;
    });
}

/// Every place is taken by a client that says nothing: the next one waits until their time is up, and
/// then is served.
#[test]
fn a_flood_that_says_nothing_lasts_no_longer_than_a_head_may() {
    still(async || {
        let mut server = Server::with(FakeSqs::builder().connections_max(8)).await;
        server.look().await;
        let mut held = Vec::new();
        for _ in 0..20 {
            held.push(connect(server.address).await);
        }
        let waiting = tokio::spawn(list(server.address));
        let (answer, taken) = server.seconds_until(waiting).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let most = limits::HEAD_TIME_MAX * 3 + SLACK;
        assert!(limits::HEAD_TIME_MAX <= taken && taken <= most, "{taken:?}");
        drop(held);
    });
}
