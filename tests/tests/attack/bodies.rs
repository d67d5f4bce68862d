//! Bodies that are too long, break off, or wait for something.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::thread;

use fake_sqs::limits;

use crate::call::{Call, Framing};
use crate::case::{Case, Expected, Finish, Then, answered, closed};
use crate::target::Target;
use crate::wire::{self, connect};

const MIB: usize = 1024 * 1024;

/// Writes a head and then so many bytes of a body, in pieces. The server may close before it has them
/// all: how many it took, within a piece.
pub(crate) fn pour(mut stream: &TcpStream, head: &str, length: usize, framing: Framing) -> usize {
    let data = vec![b'x'; 256 * 1024];
    let mut poured = 0;
    if stream.write_all(head.as_bytes()).is_err() {
        return poured;
    }
    while poured < length {
        let piece = &data[..data.len().min(length - poured)];
        let written = match framing {
            Framing::Length | Framing::AsIs => stream.write_all(piece),
            Framing::Chunks(_) => stream
                .write_all(format!("{:x}\r\n", piece.len()).as_bytes())
                .and_then(|()| stream.write_all(piece))
                .and_then(|()| stream.write_all(b"\r\n")),
        };
        if written.is_err() {
            return poured;
        }
        poured += piece.len();
    }
    if let Framing::Chunks(_) = framing {
        // Nothing is lost if the server has seen enough by now.
        let _ = stream.write_all(b"0\r\n\r\n");
    }
    poured
}

/// The head of a call with a body of that length or in chunks. What is signed is another body, and
/// that does not matter before the body is here.
pub(crate) fn head(call: Call, length: usize, framing: Framing) -> String {
    let call = match framing {
        Framing::Length | Framing::AsIs => call.with("Content-Length", length.to_string()),
        Framing::Chunks(_) => call.with("Transfer-Encoding", "chunked"),
    };
    let bytes = call.body("").framed(Framing::AsIs).bytes();
    String::from_utf8(bytes).expect("text")
}

#[test]
fn a_body_of_half_a_gigabyte_is_refused_and_not_read_to_its_end() {
    // More than any system's sockets hold.
    const LENGTH: usize = 512 * MIB;
    let target = Target::new();
    for framing in [Framing::Length, Framing::Chunks(1)] {
        let name = format!("{LENGTH} bytes framed by {framing:?}");
        target.withstands_act(&name, || {
            let stream = connect(target.address);
            let call = Call::new(target.address, "ListQueues", "{}").signed();
            let poured = pour(&stream, &head(call, LENGTH, framing), LENGTH, framing);
            assert!(poured < LENGTH, "{name}: all were read");
            let mut received = Vec::new();
            wire::read_to_end(&stream, &mut received);
            let received = String::from_utf8_lossy(&received);
            assert!(
                received.is_empty() || received.starts_with("HTTP/1.1 413 "),
                "{name}: {received}"
            );
        });
    }
}

#[test]
fn a_body_a_little_too_long_is_refused_and_the_connection_goes_on() {
    let target = Target::new();
    let long = vec![b' '; limits::BODY_BYTES_MAX + 1];
    let call = Call::new(target.address, "ListQueues", long).signed();
    let chunked = call.clone().framed(Framing::Chunks(MIB));
    let refused = || answered(413, "SerializationException");
    target.withstands([
        Case::new("one byte more", call.bytes(), refused()),
        Case::new("one byte more, in chunks", chunked.bytes(), refused()),
    ]);
    let mut most = b"{}".to_vec();
    most.resize(limits::BODY_BYTES_MAX, b' ');
    let call = Call::new(target.address, "ListQueues", most).signed();
    let chunked = call.clone().framed(Framing::Chunks(1000));
    target.withstands([
        Case::new(
            "as many as there may be",
            call.bytes(),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "as many, in chunks",
            chunked.bytes(),
            answered(200, "QueueUrls"),
        ),
    ]);
}

#[test]
fn a_length_that_nobody_could_send_keeps_nothing() {
    let target = Target::new();
    let cases = ["9223372036854775807", "1000000000000"].map(|length| {
        let call = Call::new(target.address, "ListQueues", "{}").signed();
        let call = call.with("Content-Length", length).framed(Framing::AsIs);
        Case::new(
            format!("a length of {length}"),
            call.bytes(),
            closed(400, "broke off"),
        )
        .and_no_more()
    });
    target.withstands(cases);
    let call = Call::new(target.address, "ListQueues", "{}").signed();
    let call = call
        .with("Content-Length", u64::MAX.to_string())
        .framed(Framing::AsIs);
    target.withstands([
        Case::new("the longest there is", call.bytes(), closed(431, "")).and_no_more(),
    ]);
}

#[test]
fn a_body_that_breaks_off_does_nothing() {
    let target = Target::new();
    let url = format!("http://{}/000000000000/orders", target.address);
    let body = format!(
        r#"{{"QueueUrl":"{url}","MessageBody":"{}"}}"#,
        "x".repeat(100_000)
    );
    let call = Call::new(target.address, "SendMessage", body).signed();
    for call in [call.clone(), call.framed(Framing::Chunks(1000))] {
        let bytes = call.bytes();
        let cases = [1, 2, 3, 6, 7, 1000, 50_000, 99_999].map(|missing| {
            let bytes = &bytes[..bytes.len() - missing];
            let name = format!("{missing} bytes are missing, {:?}", call.framing);
            Case::new(name, bytes, closed(400, "broke off")).and_no_more()
        });
        target.withstands(cases);
    }
}

#[test]
fn a_client_that_waits_to_be_told_to_go_on_is_told() {
    let target = Target::new();
    let call = Call::new(target.address, "ListQueues", "{}").signed();
    let call = call.with("Expect", "100-continue");
    let told = Expected {
        answers: vec![(100, ""), (413, "SerializationException")],
        then: Then::Open,
    };
    let long = call.body(vec![b' '; limits::BODY_BYTES_MAX + 1]);
    target.withstands([Case::new("and then sends too much", long.bytes(), told)]);
}

/// More than all bodies may take together: they wait for each other, and each is answered.
#[test]
fn many_large_bodies_at_once_are_all_answered() {
    let target = Target::new();
    target.withstands_act("40 bodies of 8 MiB", || many_bodies(target.address));
}

/// Sends eight bodies more than fit at once. Nobody signed them, so that they cost their memory and no
/// more. Which of them a slow machine has not read in time is sent again, when fewer others are.
pub(crate) fn many_bodies(address: SocketAddr) {
    let mut body = b"{}".to_vec();
    body.resize(limits::BODY_BYTES_MAX, b' ');
    let bytes = Call::new(address, "ListQueues", body).bytes();
    thread::scope(|scope| {
        for _ in 0..limits::BODIES_BYTES_MAX / limits::BODY_BYTES_MAX + 8 {
            scope.spawn(|| {
                let is_read = (0..10).any(|_| {
                    let outcome = wire::strike(address, &bytes, Finish::Probe);
                    // What closes a connection may take its answer along.
                    let status = outcome.answers.first().map_or(408, |answer| answer.status);
                    assert!([403, 408].contains(&status), "{outcome:?}");
                    status == 403
                });
                assert!(is_read, "it is never read in time");
            });
        }
    });
}
