//! The first line of a request, and connections that speak something else.

use crate::call::Call;
use crate::case::{Case, answered, closed, dropped};
use crate::target::Target;

/// A request line, and the least of a head.
fn line(line: &str) -> Vec<u8> {
    format!("{line}\r\nHost: localhost\r\n\r\n").into_bytes()
}

#[test]
fn what_is_no_request_line_is_refused() {
    let bad = [
        ("nothing between line ends", "  "),
        ("a method alone", "POST"),
        ("no version", "POST /"),
        ("no target", "POST HTTP/1.1"),
        ("no target but two spaces", "POST  HTTP/1.1"),
        ("a space in the target", "POST /a b HTTP/1.1"),
        ("a space at the beginning", " POST / HTTP/1.1"),
        ("a tab for a space", "POST\t/\tHTTP/1.1"),
        ("a control character in the target", "POST /\u{1} HTTP/1.1"),
        ("a control character in the method", "PO\u{1}ST / HTTP/1.1"),
        ("a delimiter in the method", "PO(ST / HTTP/1.1"),
        ("NUL", "POST /\0 HTTP/1.1"),
        ("a version that there is not", "POST / HTTP/1.2"),
        ("a version of two digits", "POST / HTTP/11.1"),
        ("a version without a point", "POST / HTTP/11"),
        ("a version in small letters", "POST / http/1.1"),
        ("another protocol", "POST / RTSP/1.1"),
        ("HTTP/2.0 as a version", "POST / HTTP/2.0"),
        ("HTTP/0.9 as a version", "GET / HTTP/0.9"),
        ("words after the version", "POST / HTTP/1.1 and more"),
        ("a carriage return alone", "POST / HTTP/1.1\rX: 1"),
        ("a status line", "HTTP/1.1 200 OK"),
        ("a target that is no URI", "POST http:// HTTP/1.1"),
        ("a target that begins with a letter", "POST orders HTTP/1.1"),
        ("brackets that do not close", "POST http://[::1/ HTTP/1.1"),
    ];
    let cases = bad.map(|(name, bad)| Case::new(name, line(bad), closed(400, "")));
    Target::new().withstands(cases);
}

#[test]
fn odd_targets_and_methods_reach_no_queue() {
    let get = |name: &str, target: &str| {
        let words = "UnknownOperationException";
        Case::new(
            name,
            line(&format!("GET {target} HTTP/1.1")),
            answered(404, words),
        )
    };
    let denied = |name: &str, method: &str, target: &str| {
        let bytes = line(&format!("{method} {target} HTTP/1.1"));
        Case::new(name, bytes, answered(403, "AccessDenied"))
    };
    let cases = [
        get("a GET of nothing", "/"),
        get("the path of no queue", "/a/b/c/d/e"),
        get("dots", "/000000000000/../000000000000/orders"),
        get("percent-encoded dots", "/%2e%2e/%2e%2e/etc/passwd"),
        get("a percent-encoded slash", "/000000000000%2forders"),
        get("a percent-encoded NUL", "/000000000000/orders%00"),
        get("no digits after the percent", "/%"),
        get("no hexadecimal digits", "/%zz/%zz"),
        get("bytes that are not UTF-8", "/%ff%fe/%c0%af"),
        get("slashes", "////////////"),
        get("the control interface behind a slash", "//_fake/queues"),
        get("the control interface percent-encoded", "/%5ffake/queues"),
        get("the control interface by dots", "/x/../_fake/queues"),
        get("the control interface in capitals", "/_FAKE/queues"),
        get("a query of nothing but marks", "/?&&&===???"),
        Case::new(
            "many parameters",
            line(&format!("GET /?{} HTTP/1.1", "a=b&".repeat(10_000))),
            answered(400, "IncompleteSignature"),
        ),
        get("a long query", &format!("/?{}", "x".repeat(60_000))),
        get("a target in absolute form", "http://localhost/"),
        denied("a POST that nobody signed", "POST", "/"),
        denied(
            "a port that there is not",
            "POST",
            "http://localhost:99999999/",
        ),
        denied(
            "a POST in absolute form",
            "POST",
            "http://localhost/000000000000/orders",
        ),
    ];
    Target::new().withstands(cases);
}

#[test]
fn other_methods_do_nothing() {
    let target = Target::new();
    let methods = [
        "PUT",
        "DELETE",
        "OPTIONS",
        "TRACE",
        "PATCH",
        "PROPFIND",
        "post",
        "G",
        "M-SEARCH",
        "!#$%&'*+-.^_`|~",
    ];
    let cases = methods.map(|method| {
        let bytes = line(&format!("{method} /000000000000/orders HTTP/1.1"));
        Case::new(method, bytes, answered(404, "UnknownOperationException"))
    });
    target.withstands(cases);
    let long = "X".repeat(60_000);
    target.withstands([
        Case::new(
            "a long method",
            line(&format!("{long} / HTTP/1.1")),
            answered(404, ""),
        ),
        Case::new(
            "*",
            line("OPTIONS * HTTP/1.1"),
            answered(404, "UnknownOperation"),
        ),
        Case::new(
            "CONNECT",
            line("CONNECT localhost:80 HTTP/1.1"),
            answered(404, ""),
        ),
        Case::new(
            "CONNECT to no port",
            line("CONNECT localhost HTTP/1.1"),
            answered(404, ""),
        ),
    ]);
    // The call itself by other methods: signed for them, it asks for nothing.
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let purge = r#"{"QueueUrl":"http://localhost/000000000000/orders"}"#;
        let call = Call::new(target.address, "PurgeQueue", purge)
            .method(method)
            .signed();
        let expected = answered(404, "UnknownOperationException");
        target.withstands([Case::new(
            format!("{method} of a purge"),
            call.bytes(),
            expected,
        )]);
    }
}

#[test]
fn a_target_that_is_too_long_is_refused() {
    let of = |length: usize| line(&format!("GET /{} HTTP/1.1", "x".repeat(length)));
    Target::new().withstands([
        Case::new(
            "nearly 64 KiB",
            of(65_000),
            answered(404, "UnknownOperationException"),
        ),
        Case::new("more than 64 KiB", of(66_000), closed(414, "")),
        Case::new("a megabyte", of(1 << 20), closed(431, "")),
        Case::new(
            "a method of a megabyte",
            "X".repeat(1 << 20),
            closed(431, ""),
        ),
    ]);
}

#[test]
fn other_protocols_are_refused() {
    let hello = {
        // A TLS record with a ClientHello of 512 bytes, most of them zero.
        let mut bytes = vec![0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3];
        bytes.resize(5 + 512, 0);
        bytes
    };
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let upgrade = "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, \
                   HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n";
    let websocket = "GET /_fake/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
                     Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nOrigin: http://evil.example\r\n\r\n";
    Target::new().withstands([
        Case::new("TLS", hello.clone(), closed(400, "")),
        Case::new("the beginning of TLS", &hello[..3], closed(400, "")),
        Case::new("HTTP/2 with prior knowledge", preface, dropped()),
        // Offered and not taken up: the answer is HTTP/1.1's.
        Case::new(
            "an upgrade to HTTP/2",
            upgrade,
            answered(200, "\"status\":\"ready\""),
        ),
        Case::new(
            "an upgrade to WebSocket",
            websocket,
            answered(403, "another origin"),
        ),
        Case::new("HTTP/0.9", "GET /\r\n", closed(400, "")),
        Case::new("SOCKS", b"\x05\x01\x00\r\n\r\n", closed(400, "")),
        Case::new("SSH", b"SSH-2.0-OpenSSH_9.6\r\n", closed(400, "")),
        Case::new("zeros", [0; 4096], closed(400, "")),
        Case::new("all bytes", (0..=255).collect::<Vec<u8>>(), closed(400, "")),
        Case::new("nothing", b"", dropped()).and_no_more(),
        Case::new("line ends alone", b"\r\n\r\n\r\n", dropped()).and_no_more(),
    ]);
}

#[test]
fn http_1_0_is_answered_and_closed() {
    let target = Target::new();
    let mut call = Call::new(target.address, "ListQueues", "{}").signed();
    call.version = "HTTP/1.0";
    let kept = call.clone().with("Connection", "keep-alive");
    target.withstands([
        Case::new("a signed call", call.bytes(), closed(200, "QueueUrls")),
        Case::new(
            "one that keeps the connection",
            kept.bytes(),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "no headers",
            "GET / HTTP/1.0\r\n\r\n",
            closed(404, "UnknownOperation"),
        ),
    ]);
}

#[test]
fn a_head_that_breaks_off_anywhere_is_no_request() {
    let target = Target::new();
    let purge = format!(
        r#"{{"QueueUrl":"http://{}/000000000000/orders"}}"#,
        target.address
    );
    let bytes = Call::new(target.address, "PurgeQueue", purge)
        .signed()
        .bytes();
    let head = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head")
        + 4;
    let cases = (0..head).step_by(17).map(|length| {
        Case::new(
            format!("{length} bytes of a head"),
            &bytes[..length],
            dropped(),
        )
        .and_no_more()
    });
    target.withstands(cases);
    let cases = (head..bytes.len()).map(|length| {
        Case::new(
            format!("{length} bytes of a request"),
            &bytes[..length],
            closed(400, "broke off"),
        )
        .and_no_more()
    });
    target.withstands(cases);
}
