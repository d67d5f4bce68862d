//! Headers: malformed, too many, too long, twice, and none.

use fake_sqs::limits;

use crate::call::{Call, Framing};
use crate::case::{Case, answered, closed};
use crate::target::Target;

const HEALTH: &str = "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\n";

/// A health request with this in its head.
fn health(more: &[u8]) -> Vec<u8> {
    [HEALTH.as_bytes(), more, b"\r\n"].concat()
}

#[test]
fn what_is_no_header_is_refused() {
    let bad: [(&str, &[u8]); 14] = [
        ("no colon", b"header\r\n"),
        ("no name", b": value\r\n"),
        ("a space in a name", b"na me: value\r\n"),
        ("a space before the colon", b"name : value\r\n"),
        ("a tab before the colon", b"name\t: value\r\n"),
        ("a control character in a name", b"na\x01me: value\r\n"),
        ("NUL in a name", b"na\0me: value\r\n"),
        ("a name that is not ASCII", b"n\xc3\xa4me: value\r\n"),
        ("a delimiter in a name", b"na@me: value\r\n"),
        ("NUL in a value", b"name: val\0ue\r\n"),
        ("a control character in a value", b"name: val\x01ue\r\n"),
        ("DEL in a value", b"name: val\x7fue\r\n"),
        ("a carriage return in a value", b"name: val\rue\r\n"),
        ("a line that goes on in the next", b"name: val\r\n ue\r\n"),
    ];
    let cases = bad.map(|(name, bad)| Case::new(name, health(bad), closed(400, "")));
    Target::new().withstands(cases);
}

#[test]
fn headers_that_are_odd_and_allowed_do_no_harm() {
    let odd: [(&str, &[u8]); 6] = [
        ("no value", b"name:\r\n"),
        ("blanks around a value", b"name: \t value \t \r\n"),
        ("a value that is not UTF-8", b"name: \xff\xfe\x80\r\n"),
        ("a name of odd characters", b"!#$%&'*+-.^_`|~0: value\r\n"),
        ("one name many times", &b"name: value\r\n".repeat(90)),
        ("a cookie", b"Cookie: a=b\r\n"),
    ];
    let cases = odd.map(|(name, odd)| Case::new(name, health(odd), answered(200, "ready")));
    Target::new().withstands(cases);
}

#[test]
fn headers_are_bounded_in_number_and_length() {
    let many = |count: usize| {
        let lines = (1..count).map(|n| format!("x-{n}: 1\r\n"));
        health(lines.collect::<String>().as_bytes())
    };
    let long = |length: usize| health(format!("x: {}\r\n", "x".repeat(length)).as_bytes());
    let named = |length: usize| health(format!("{}: x\r\n", "x".repeat(length)).as_bytes());
    let most = limits::HEADERS_MAX;
    Target::new().withstands([
        Case::new(
            "as many as there may be",
            many(most),
            answered(200, "ready"),
        ),
        Case::new("one more", many(most + 1), closed(431, "")),
        Case::new("10,000 names", many(10_000), closed(431, "")),
        Case::new("60,000 bytes", long(60_000), answered(200, "ready")),
        Case::new("a value of a megabyte", long(1 << 20), closed(431, "")),
        Case::new(
            "a name of 60,000 bytes",
            named(60_000),
            answered(200, "ready"),
        ),
        Case::new("a name of 65,536 bytes", named(65_536), closed(431, "")),
        Case::new("a name of a megabyte", named(1 << 20), closed(431, "")),
        Case::new(
            "a megabyte of blanks",
            health(&[b"x:", &[b' '; 1 << 20][..], b"\r\n"].concat()),
            closed(431, ""),
        ),
        Case::new(
            "headers without end",
            [HEALTH, &"a: b\r\n".repeat(200_000)].concat(),
            closed(431, ""),
        ),
    ]);
}

#[test]
fn an_authorization_of_a_megabyte_is_refused() {
    let target = Target::new();
    let long = |length: usize| {
        let mut call = Call::new(target.address, "ListQueues", "{}").signed();
        call.value("Authorization")
            .extend("x".repeat(length).bytes());
        call.bytes()
    };
    target.withstands([
        Case::new("a megabyte", long(1 << 20), closed(431, "")),
        Case::new(
            "60,000 bytes",
            long(60_000),
            answered(400, "IncompleteSignature"),
        ),
    ]);
}

#[test]
fn a_header_that_there_may_be_once_is_there_once() {
    let target = Target::new();
    let signed = || Call::new(target.address, "ListQueues", "{}").signed();
    let again = |name: &str, value: Option<&str>| {
        let call = signed();
        let value = value.map_or_else(|| call.text(name), str::to_owned);
        call.with(name, value).bytes()
    };
    // Signed as it is sent, twice.
    let both = |name: &str, value: &str| {
        Call::new(target.address, "ListQueues", "{}")
            .with(name, value)
            .signed()
            .bytes()
    };
    target.withstands([
        Case::new("two Hosts", again("Host", None), closed(400, "")),
        Case::new(
            "another Host besides",
            again("Host", Some("evil.example")),
            closed(400, ""),
        ),
        Case::new(
            "two Authorizations",
            again("Authorization", None),
            answered(400, "IncompleteSignature"),
        ),
        Case::new(
            "a basic one besides",
            again("Authorization", Some("Basic dGVzdDp0ZXN0")),
            answered(400, "IncompleteSignature"),
        ),
        Case::new(
            "two dates",
            again("X-Amz-Date", None),
            answered(400, "IncompleteSignature"),
        ),
        Case::new(
            "two session tokens",
            signed()
                .with("X-Amz-Security-Token", "a")
                .with("X-Amz-Security-Token", "b")
                .bytes(),
            answered(400, "IncompleteSignature"),
        ),
        Case::new(
            "two targets",
            again("X-Amz-Target", Some("AmazonSQS.PurgeQueue")),
            answered(403, "InvalidSignature"),
        ),
        Case::new(
            "two targets that are signed",
            both("X-Amz-Target", "AmazonSQS.PurgeQueue"),
            answered(400, "UnknownOperation"),
        ),
        Case::new(
            "two content types that are signed",
            both("Content-Type", "text/plain"),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "two lengths alike",
            again_length(&signed(), "2"),
            answered(200, "QueueUrls"),
        ),
        Case::new("two lengths", again_length(&signed(), "3"), closed(400, "")),
    ]);
}

/// A call with a second `Content-Length`.
fn again_length(call: &Call, length: &str) -> Vec<u8> {
    call.clone().with("Content-Length", length).bytes()
}

#[test]
fn what_a_call_needs_is_missed_when_it_is_not_there() {
    let target = Target::new();
    let without = |name: &str| {
        Call::new(target.address, "ListQueues", "{}")
            .without(name)
            .signed()
            .bytes()
    };
    let with = |name: &str, value: &[u8]| {
        let call = Call::new(target.address, "ListQueues", "{}").without(name);
        call.with(name, value).signed().bytes()
    };
    let unknown = || answered(400, "UnknownOperationException");
    target.withstands([
        Case::new("no target", without("X-Amz-Target"), unknown()),
        Case::new("no content type", without("Content-Type"), unknown()),
        Case::new("an empty target", with("X-Amz-Target", b""), unknown()),
        Case::new(
            "a target without a point",
            with("X-Amz-Target", b"AmazonSQSListQueues"),
            unknown(),
        ),
        Case::new(
            "a target of points",
            with("X-Amz-Target", b"....."),
            unknown(),
        ),
        Case::new(
            "another service's",
            with("X-Amz-Target", b"DynamoDB_20120810.ListTables"),
            unknown(),
        ),
        Case::new(
            "an operation that there is not",
            with("X-Amz-Target", b"AmazonSQS.DropQueue"),
            unknown(),
        ),
        Case::new(
            "an operation in small letters",
            with("X-Amz-Target", b"AmazonSQS.listqueues"),
            unknown(),
        ),
        Case::new(
            "a long target",
            with("X-Amz-Target", &[b'x'; 50_000]),
            unknown(),
        ),
        Case::new(
            "a target that is not ASCII",
            with("X-Amz-Target", b"AmazonSQS.\xff"),
            unknown(),
        ),
        Case::new(
            "the other version",
            with("Content-Type", b"application/x-amz-json-1.1"),
            unknown(),
        ),
        Case::new(
            "a content type that is not ASCII",
            with("Content-Type", b"\xff\xfe"),
            unknown(),
        ),
        Case::new("no Host", no_host("1.1"), closed(400, "")),
        Case::new(
            "no Host in HTTP/1.0",
            no_host("1.0"),
            closed(403, "AccessDenied"),
        ),
        Case::new("an empty Host", empty_host(), answered(403, "AccessDenied")),
    ]);
}

fn no_host(version: &str) -> Vec<u8> {
    format!("POST / HTTP/{version}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

fn empty_host() -> Vec<u8> {
    b"POST / HTTP/1.1\r\nHost:\r\nContent-Length: 0\r\n\r\n".to_vec()
}

/// Queue URLs are made of the `Host`; what is none must not get into one.
#[test]
fn no_host_that_is_none_gets_into_a_queue_url() {
    let target = Target::new();
    let own = format!("http://{}/000000000000/orders", target.address);
    let hosts: [&[u8]; 10] = [
        b"a b",
        b"user@host",
        b"<script>",
        b"\"",
        b"host/path",
        b"host?query",
        b"host#x",
        b"\xff",
        b"a:b:c",
        &[b'a'; 300],
    ];
    for host in hosts {
        let call = Call::new(target.address, "ListQueues", "{}").without("Host");
        let bytes = call.with("Host", host).signed().bytes();
        let outcome = crate::wire::strike(target.address, &bytes, crate::case::Finish::Probe);
        let answer = &outcome.answers[0];
        assert!(
            answer.status == 400 || answer.has(&own),
            "{host:?}: {outcome:?}"
        );
    }
}

#[test]
fn expectations_and_encodings_are_answered() {
    let target = Target::new();
    let signed = || Call::new(target.address, "ListQueues", "{}").signed();
    let with = |name: &str, value: &str| signed().with(name, value).bytes();
    let both = crate::case::Expected {
        answers: vec![(100, ""), (200, "QueueUrls")],
        then: crate::case::Then::Open,
    };
    target.withstands([
        Case::new("Expect: 100-continue", with("Expect", "100-continue"), both),
        Case::new(
            "another expectation",
            with("Expect", "200-ok"),
            answered(200, "QueueUrls"),
        ),
        // The body is not what it says, and is taken as it is: AWS decodes nothing either.
        Case::new(
            "Content-Encoding: gzip",
            with("Content-Encoding", "gzip"),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "a range",
            with("Range", "bytes=0-1"),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "a condition",
            with("If-None-Match", "*"),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "a proxy's",
            with("X-Forwarded-Host", "evil.example"),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "another method",
            with("X-HTTP-Method-Override", "DELETE"),
            answered(200, "QueueUrls"),
        ),
    ]);
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let call = Call::new(target.address, "ListQueues", gzip).with("Content-Encoding", "gzip");
    let bytes = call.signed().framed(Framing::Length).bytes();
    target.withstands([Case::new(
        "a body that is gzip",
        bytes,
        answered(400, "SerializationException"),
    )]);
}
