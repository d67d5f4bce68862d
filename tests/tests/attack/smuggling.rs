//! Requests that two readers of HTTP would divide at different places.

use crate::call::{Call, Framing};
use crate::case::{Case, Expected, Then, answered, closed};
use crate::target::Target;

/// A head of a POST with these lines, and what follows it.
fn post(lines: &str, then: &str) -> Vec<u8> {
    format!("POST / HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n{then}").into_bytes()
}

/// What an attacker hides in the body of another request.
const HIDDEN: &str = "GET /_fake/clock HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn a_length_that_is_none_is_refused() {
    let bad = [
        "-1",
        "+2",
        "0x2",
        "2 2",
        "2,3",
        "",
        " ",
        "abc",
        "2.0",
        "1e1",
        "18446744073709551616",
        "99999999999999999999999999",
        "\u{662}",
    ];
    let cases = bad.map(|length| {
        let bytes = post(&format!("Content-Length: {length}\r\n"), "{}");
        Case::new(format!("a length of {length:?}"), bytes, closed(400, ""))
    });
    Target::new().withstands(cases);
}

#[test]
fn a_transfer_encoding_that_is_not_chunked_is_refused() {
    let bad = [
        "identity",
        "gzip",
        "chunked, gzip",
        "xchunked",
        "chunkedx",
        "\u{b}chunked",
        "chunked\u{0}",
        "",
    ];
    let cases = bad.map(|encoding| {
        let bytes = post(&format!("Transfer-Encoding: {encoding}\r\n"), "0\r\n\r\n");
        Case::new(
            format!("an encoding of {encoding:?}"),
            bytes,
            closed(400, ""),
        )
    });
    Target::new().withstands(cases);
}

#[test]
fn a_chunk_that_is_none_ends_the_connection() {
    let bad = [
        ("no digits", "\r\n\r\n"),
        ("letters", "xyz\r\n\r\n"),
        ("a sign", "+2\r\n{}\r\n0\r\n\r\n"),
        ("a minus", "-2\r\n{}\r\n0\r\n\r\n"),
        ("a prefix", "0x2\r\n{}\r\n0\r\n\r\n"),
        (
            "a size beyond 64 bits",
            "10000000000000002\r\n{}\r\n0\r\n\r\n",
        ),
        ("many digits", "fffffffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
        ("a chunk longer than it says", "1\r\n{}\r\n0\r\n\r\n"),
        ("a line feed alone after a chunk", "2\r\n{}\n0\r\n\r\n"),
        ("a size that ends in a line feed", "2\n{}\r\n0\r\n\r\n"),
        (
            "a carriage return in an extension",
            "2;a\rb\r\n{}\r\n0\r\n\r\n",
        ),
        (
            "extensions without end",
            &format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(100_000)),
        ),
        (
            "many short extensions",
            &format!("{}0\r\n\r\n", "1;abcdefghij\r\nx\r\n".repeat(10_000)),
        ),
        (
            "trailers without end",
            &format!("0\r\n{}\r\n", "a: b\r\n".repeat(100_000)),
        ),
        (
            "a trailer of a megabyte",
            &format!("0\r\na: {}\r\n\r\n", "x".repeat(1 << 20)),
        ),
        ("a trailer that is none", "0\r\nno colon\r\n\r\n"),
    ];
    let cases = bad.map(|(name, body)| {
        let bytes = post("Transfer-Encoding: chunked\r\n", body);
        Case::new(name, bytes, closed(400, "broke off"))
    });
    Target::new().withstands(cases);
}

#[test]
fn chunks_that_are_odd_and_allowed_are_read() {
    let target = Target::new();
    let signed = || {
        Call::new(target.address, "ListQueues", "{}")
            .signed()
            .framed(Framing::AsIs)
    };
    let chunked = |body: &str| {
        let call = signed().with("Transfer-Encoding", "chunked");
        call.body(body).bytes()
    };
    let good = || answered(200, "QueueUrls");
    target.withstands([
        Case::new(
            "one byte each",
            signed().framed(Framing::Chunks(1)).bytes(),
            good(),
        ),
        Case::new(
            "zeros before the size",
            chunked("0000002\r\n{}\r\n0\r\n\r\n"),
            good(),
        ),
        Case::new(
            "an extension",
            chunked("2;name=\"value\"\r\n{}\r\n0\r\n\r\n"),
            good(),
        ),
        Case::new(
            "a trailer",
            chunked("2\r\n{}\r\n0\r\nX-More: 1\r\n\r\n"),
            good(),
        ),
        Case::new(
            "capitals",
            signed()
                .with("Transfer-Encoding", "CHUNKED")
                .body("2\r\n{}\r\n0\r\n\r\n")
                .bytes(),
            good(),
        ),
    ]);
    // What a trailer says is nothing that was signed, and nothing that counts.
    let unsigned = Call::new(target.address, "ListQueues", "").framed(Framing::AsIs);
    let authorization = signed().text("Authorization");
    let date = signed().text("X-Amz-Date");
    let body =
        format!("2\r\n{{}}\r\n0\r\nAuthorization: {authorization}\r\nX-Amz-Date: {date}\r\n\r\n");
    let bytes = unsigned
        .with("Transfer-Encoding", "chunked")
        .body(body)
        .bytes();
    target.withstands([Case::new(
        "a signature in the trailers",
        bytes,
        answered(403, "AccessDenied"),
    )]);
}

#[test]
fn a_body_with_two_ends_leaves_nothing_to_be_read_as_a_request() {
    let target = Target::new();
    let refused = |status| closed(status, "");
    let both = |lines: &str| post(lines, &format!("0\r\n\r\n{HIDDEN}"));
    target.withstands([
        Case::new(
            "a length and chunks",
            both("Content-Length: 53\r\nTransfer-Encoding: chunked\r\n"),
            refused(403),
        ),
        Case::new(
            "chunks and a length",
            both("Transfer-Encoding: chunked\r\nContent-Length: 53\r\n"),
            refused(403),
        ),
        Case::new(
            "a length of nothing and chunks",
            both("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"),
            refused(403),
        ),
        Case::new(
            "chunked twice",
            both("Transfer-Encoding: chunked, chunked\r\n"),
            refused(501),
        ),
        Case::new(
            "chunked in two headers",
            both("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            refused(501),
        ),
        Case::new(
            "chunked before another",
            both("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
            refused(400),
        ),
        Case::new(
            "a hidden header's name",
            both("Transfer-Encoding : chunked\r\n"),
            refused(400),
        ),
        Case::new(
            "a line that goes on",
            both("X: 1\r\n Transfer-Encoding: chunked\r\n"),
            refused(400),
        ),
    ]);
}

#[test]
fn line_feeds_alone_end_lines_and_divide_nothing() {
    let target = Target::new();
    let call = Call::new(target.address, "ListQueues", "{}").signed();
    let text = String::from_utf8(call.bytes()).expect("text");
    let bytes = text.replace("\r\n", "\n");
    target.withstands([Case::new(
        "a call of line feeds",
        bytes,
        answered(200, "QueueUrls"),
    )]);
}

#[test]
fn a_body_where_none_is_expected_is_not_read_as_a_request() {
    let get = format!(
        "GET /000000000000/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{HIDDEN}",
        HIDDEN.len()
    );
    let refused = format!(
        "POST /_fake/reset HTTP/1.1\r\nHost: evil.example\r\nContent-Length: {}\r\n\r\n{HIDDEN}",
        HIDDEN.len()
    );
    let http_1_0 =
        "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    Target::new().withstands([
        Case::new("a GET with a body", get, answered(404, "UnknownOperation")),
        Case::new(
            "a body that nobody reads",
            refused,
            answered(403, "loopback"),
        ),
        Case::new("chunks in HTTP/1.0", http_1_0, closed(400, "")),
        Case::new("no length", post("", ""), answered(403, "AccessDenied")),
        Case::new(
            "more than the length says",
            post("Content-Length: 0\r\n", HIDDEN),
            Expected {
                answers: vec![(403, "AccessDenied"), (200, "\"mode\":\"frozen\"")],
                then: Then::Open,
            },
        ),
    ]);
}
