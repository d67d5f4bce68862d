//! Bytes over a socket, and what comes back, taken apart by nobody's HTTP library.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;

use conformance::bound::PATIENCE;

use crate::case::{Finish, Then};

/// A good request for which no signature is needed, the last on its connection.
const PROBE: &str = "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// What the answer to [`PROBE`] has and no other.
const PROBED: &str = "\"status\":\"ready\"";

/// The longest that an answer is read, in bytes.
const ANSWERS_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What came back on a connection.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) answers: Vec<Answer>,
    pub(crate) then: Then,
}

/// An answer, with head and body as text.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Whether the words are in it.
    pub(crate) fn has(&self, words: &str) -> bool {
        self.head.contains(words) || self.body.contains(words)
    }
}

/// A connection on which everything is waited for with patience: bodies of many megabytes are read,
/// hashed and parsed meanwhile, by a build that is not optimised.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&address, PATIENCE).expect("the port accepts");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_nodelay(true).expect("an option of every system");
    stream
}

/// Sends bytes on a connection of its own, and reads until the server closes it. It writes and reads
/// at once, as a server that has many answers to give may wait until some are taken.
pub(crate) fn strike(address: SocketAddr, bytes: &[u8], finish: Finish) -> Outcome {
    let stream = connect(address);
    let mut received = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| write(&stream, bytes, finish));
        read_to_end(&stream, &mut received);
    });
    let mut answers = answers(&received);
    let then = match answers.pop_if(|last| last.status == 200 && last.body.contains(PROBED)) {
        Some(_) => Then::Open,
        None => Then::Closed,
    };
    Outcome { answers, then }
}

/// A server that has seen enough closes before it has everything, so that writing fails.
fn write(mut stream: &TcpStream, bytes: &[u8], finish: Finish) {
    let written = stream.write_all(bytes).and_then(|()| match finish {
        Finish::Probe => stream.write_all(PROBE.as_bytes()),
        Finish::HalfClose => stream.shutdown(Shutdown::Write),
    });
    if let Err(error) = written {
        assert!(is_cut_off(&error), "{error}");
    }
}

/// What is there to be read before the connection ends, in whichever way.
pub(crate) fn read_to_end(stream: &TcpStream, received: &mut Vec<u8>) {
    if let Err(error) = stream.take(ANSWERS_BYTES_MAX).read_to_end(received) {
        let so_far = String::from_utf8_lossy(received);
        assert!(is_cut_off(&error), "{error} after {so_far:?}");
    }
}

/// Whether the other side has closed the connection, with bytes of ours unread.
fn is_cut_off(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected
            | io::ErrorKind::ConnectionAborted
    )
}

/// Answers one after the other, each whole.
pub(crate) fn answers(mut bytes: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    while !bytes.is_empty() {
        let Some((answer, rest)) = first(bytes) else {
            panic!("no whole answer: {:.1000}", String::from_utf8_lossy(bytes));
        };
        answers.push(answer);
        bytes = rest;
    }
    answers
}

/// Reads one answer, whole, from a connection that goes on.
pub(crate) fn next_answer(mut stream: &TcpStream) -> Answer {
    let (mut bytes, mut piece) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let read = stream.read(&mut piece).expect("an answer in time");
        assert!(
            read > 0,
            "closed after {:?}",
            String::from_utf8_lossy(&bytes)
        );
        bytes.extend(&piece[..read]);
        if let Some((answer, rest)) = first(&bytes) {
            assert!(rest.is_empty(), "more than an answer: {rest:?}");
            return answer;
        }
    }
}

/// The first answer, if it is whole, and what follows it. Its body has the length that its head says;
/// an answer of the 100s has none.
pub(crate) fn first(bytes: &[u8]) -> Option<(Answer, &[u8])> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).expect("a head is text");
    let status = head
        .strip_prefix("HTTP/1.1 ")
        .or(head.strip_prefix("HTTP/1.0 "));
    let status = status.and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status in {head:?}"));
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().expect("a length"))
    });
    let length: usize = length.unwrap_or(0);
    let answer = Answer {
        status,
        head: head.to_owned(),
        body: String::from_utf8_lossy(bytes.get(end..end + length)?).into_owned(),
    };
    Some((answer, &bytes[end + length..]))
}
