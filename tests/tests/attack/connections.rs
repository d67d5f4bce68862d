//! Connections: many requests on one, many of them, and clients that are gone.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use fake_sqs::inside::State;
use fake_sqs::{FakeSqs, QueueDeclaration};

use crate::call::Call;
use crate::case::{Case, Expected, Finish, Then};
use crate::target::{Target, wait};
use crate::wire::{self, connect};

fn list(target: &Target) -> Vec<u8> {
    Call::new(target.address, "ListQueues", "{}")
        .signed()
        .bytes()
}

fn send(target: &Target, body: &str) -> Vec<u8> {
    let url = format!("http://{}/000000000000/orders", target.address);
    let body = format!(r#"{{"QueueUrl":"{url}","MessageBody":"{body}"}}"#);
    Call::new(target.address, "SendMessage", body)
        .signed()
        .bytes()
}

#[test]
fn many_requests_at_once_on_a_connection_are_answered_in_order() {
    let target = Target::new();
    let found = || (200, "QueueUrls");
    let missing = || (404, "UnknownOperation");
    let get = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let bytes = [&list(&target)[..], get].concat().repeat(500);
    let expected = Expected {
        answers: [found(), missing()].repeat(500),
        then: Then::Open,
    };
    target.withstands([Case::new("1,000 requests", bytes, expected)]);
}

/// What is behind a request that divides no more is not read, and not done.
#[test]
fn nothing_is_done_that_follows_a_bad_request() {
    let target = Target::new();
    let bad: [(&str, &[u8], u16); 6] = [
        ("no header", b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (
            "two lengths",
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            400,
        ),
        ("no host", b"GET / HTTP/1.1\r\n\r\n", 400),
        (
            "a bad chunk",
            b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            400,
        ),
        (
            "an unknown encoding",
            b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            501,
        ),
        ("zeros", &[0; 100], 400),
    ];
    let cases = bad.map(|(name, bad, status)| {
        let good = list(&target).repeat(3);
        let bytes = [&good[..], bad, &send(&target, "smuggled")].concat();
        let mut answers = vec![(200, "QueueUrls"); 3];
        answers.push((status, ""));
        let then = Then::Closed;
        Case::new(name, bytes, Expected { answers, then })
    });
    target.withstands(cases);
}

#[test]
fn a_connection_goes_on_after_a_refusal() {
    let target = Target::new();
    let mut forged = Call::new(target.address, "PurgeQueue", "{}").signed();
    forged.value("Authorization").pop();
    let unsigned = Call::new(target.address, "PurgeQueue", "{}").bytes();
    let garbage = Call::new(target.address, "ListQueues", "{")
        .signed()
        .bytes();
    let bytes = [unsigned, forged.bytes(), garbage, list(&target)].concat();
    let expected = Expected {
        answers: vec![
            (403, "AccessDenied"),
            (403, "InvalidSignature"),
            (400, "Serialization"),
            (200, "QueueUrls"),
        ],
        then: Then::Open,
    };
    target.withstands([Case::new("three refusals and a call", bytes, expected)]);
}

#[test]
fn connections_over_the_limit_wait_and_get_a_place_when_one_is_free() {
    // One of them is the target's own.
    let target = Target::with(FakeSqs::builder().connections_max(9));
    target.withstands_act("a flood", || {
        let mut held: Vec<TcpStream> = (0..8).map(|_| connect(target.address)).collect();
        for stream in &held {
            // Each has its place, since it is answered.
            (&*stream).write_all(b"GET /_fake/health HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
            assert_eq!(wire::next_answer(stream).status, 200);
        }
        let waiting: Vec<TcpStream> = (0..100)
            .map(|_| {
                let mut stream = connect(target.address);
                stream.write_all(b"GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("sent");
                stream
            })
            .collect();
        // While all places are taken, those who have one are served and the others are not.
        assert!(target.ask("/_fake/metrics").contains("\nfake_sqs_connections 9\n"));
        for mut stream in &waiting {
            stream.set_nonblocking(true).expect("an option");
            let nothing = stream.read(&mut [0]).expect_err("it waits");
            assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
            stream.set_nonblocking(false).expect("an option");
        }
        drop(held.pop());
        for stream in &waiting {
            assert_eq!(wire::next_answer(stream).status, 200);
        }
    });
}

#[test]
fn a_thousand_connections_that_say_nothing_leave_nothing() {
    let target = Target::new();
    for bytes in [
        &b""[..],
        b"POST",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
    ] {
        target.withstands_act("500 connections", || {
            let held: Vec<TcpStream> = (0..500)
                .map(|_| {
                    let mut stream = connect(target.address);
                    stream.write_all(bytes).expect("sent");
                    stream
                })
                .collect();
            open(&target, 501);
            drop(held);
        });
    }
}

/// Waits until so many connections are open.
fn open(target: &Target, count: usize) {
    let line = format!("\nfake_sqs_connections {count}\n");
    let found = target.soon(|| target.ask("/_fake/metrics").contains(&line));
    assert!(found, "there are never {count} connections");
}

/// Waits until so many polls wait at the empty queue.
fn polls(target: &Target, count: usize) {
    let text = format!("\"waiting_polls\":{count}");
    let path = "/_fake/queues/000000000000/us-east-1/empty";
    let found = target.soon(|| target.ask(path).contains(&text));
    assert!(found, "there are never {count} polls");
}

/// A target with a queue in which nothing is.
fn with_an_empty_queue() -> Target {
    Target::with(FakeSqs::builder().queue(QueueDeclaration::new("empty")))
}

fn poll(target: &Target) -> Vec<u8> {
    let url = format!("http://{}/000000000000/empty", target.address);
    let body = format!(r#"{{"QueueUrl":"{url}","WaitTimeSeconds":20}}"#);
    Call::new(target.address, "ReceiveMessage", body)
        .signed()
        .bytes()
}

#[test]
fn a_client_that_vanishes_in_a_long_poll_takes_its_poll_along() {
    let target = with_an_empty_queue();
    type Vanish = fn(TcpStream);
    let ways: [(&str, Vanish); 3] = [
        ("closes", drop),
        ("says that it has sent everything", |stream| {
            stream.shutdown(Shutdown::Write).expect("open");
            let mut received = Vec::new();
            wire::read_to_end(&stream, &mut received);
            assert!(
                received.is_empty(),
                "{}",
                String::from_utf8_lossy(&received)
            );
        }),
        ("closes both ways", |stream| {
            stream.shutdown(Shutdown::Both).expect("open");
        }),
    ];
    for (name, vanish) in ways {
        target.withstands_act(name, || {
            let held: Vec<TcpStream> = (0..50)
                .map(|_| {
                    let mut stream = connect(target.address);
                    stream.write_all(&poll(&target)).expect("sent");
                    stream
                })
                .collect();
            polls(&target, 50);
            held.into_iter().for_each(vanish);
            polls(&target, 0);
        });
    }
    // A message that is sent then is nobody's.
    let server = target.server();
    let empty = server.queue("empty");
    wait(empty.send("late")).expect("sent");
    assert_eq!(
        wait(empty.messages(State::Visible)).expect("a queue")[0].receive_count,
        0
    );
}

/// What is behind a poll on its connection waits for the poll, and a client that goes is noticed all
/// the same once the poll ends.
#[test]
fn requests_behind_a_long_poll_wait_for_it() {
    let target = with_an_empty_queue();
    let mut stream = connect(target.address);
    stream
        .write_all(&[poll(&target), list(&target)].concat())
        .expect("sent");
    polls(&target, 1);
    wait(target.server().advance(Duration::from_secs(20))).expect("a clock");
    let mut received = Vec::new();
    stream.shutdown(Shutdown::Write).expect("open");
    wire::read_to_end(&stream, &mut received);
    let answers = wire::answers(&received);
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200], "{answers:?}");
    assert!(
        answers[0].body == "{}" && answers[1].has("QueueUrls"),
        "{answers:?}"
    );
}

#[test]
fn a_client_that_takes_no_answer_keeps_no_place() {
    let target = Target::new();
    for count in [1, 200] {
        target.withstands_act("gone before the answer", || {
            for _ in 0..20 {
                let mut stream = connect(target.address);
                stream
                    .write_all(&list(&target).repeat(count))
                    .expect("sent");
            }
        });
    }
    // A call that was here before its client went is done, as on AWS.
    target.withstands([Case::new(
        "and one that stays",
        list(&target),
        crate::case::answered(200, "QueueUrls"),
    )]);
    let outcome = wire::strike(target.address, b"", Finish::Probe);
    assert_eq!(outcome.then, Then::Open);
}
