//! The control interface: it is unsigned, so what keeps others out is who asks, and from where.

use crate::case::{Case, Expected, answered, closed};
use crate::target::Target;

/// A request to the control interface.
fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

fn local(method: &str, path: &str, body: &str) -> Vec<u8> {
    request(method, path, "Host: localhost\r\n", body)
}

/// What forgets everything, which would be seen.
const RESET: &str = "/_fake/reset";

#[test]
fn no_other_site_reaches_it() {
    let denied = [
        "Host: evil.example",
        "Host: localhost.evil.example",
        "Host: localhost@evil.example",
        "Host: evil@localhost",
        "Host: 127.0.0.1.evil.example",
        "Host: 0.0.0.0",
        "Host: 0x7f000001",
        "Host: 2130706433",
        "Host: [::ffff:127.0.0.1]",
        "Host: localhost.",
        "Host: local\u{445}ost",
        "Host:",
        "Host: ,localhost",
        "Host: localhost\r\nOrigin: http://evil.example",
        "Host: localhost\r\nOrigin: null",
        "Host: localhost\r\nOrigin: https://localhost",
        "Host: localhost\r\nOrigin: http://localhost.evil.example",
        "Host: localhost\r\nOrigin: http://localhost:1",
        "Host: localhost\r\nOrigin: ",
        "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example",
        "Host: localhost\r\nSec-Fetch-Site: cross-site",
        "Host: localhost\r\nSec-Fetch-Site: same-site",
        "Host: localhost\r\nSec-Fetch-Site: other",
        "Host: localhost\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
    ];
    let target = Target::new();
    let cases = denied.map(|lines| {
        let bytes = request("POST", RESET, &format!("{lines}\r\n"), "{}");
        Case::new(lines, bytes, answered(403, "the control interface"))
    });
    target.withstands(cases);
    let host = "Host: localhost\r\n";
    target.withstands([
        Case::new(
            "two hosts",
            request("POST", RESET, &host.repeat(2), "{}"),
            closed(400, ""),
        ),
        Case::new("no host", request("POST", RESET, "", "{}"), closed(400, "")),
        Case::new(
            "another host in the target",
            request("POST", "http://evil.example/_fake/reset", host, "{}"),
            answered(403, "the control interface"),
        ),
        Case::new(
            "a preflight",
            request(
                "OPTIONS",
                RESET,
                &format!(
                    "{host}Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n"
                ),
                "",
            ),
            answered(403, "another origin"),
        ),
    ]);
}

#[test]
fn a_path_that_is_written_otherwise_is_not_it() {
    let paths = [
        "/%5ffake/reset",
        "/_fake%2freset",
        "//_fake/reset",
        "/./_fake/reset",
        "/x/../_fake/reset",
        "/_FAKE/reset",
        "/_fake/reset/../reset",
    ];
    let target = Target::new();
    let cases = paths.map(|path| Case::new(path, local("POST", path, "{}"), refused()));
    target.withstands(cases);
    let of_its_own = [
        "/_fake/reset/",
        "/_fake/Reset",
        "/_fake//reset",
        "/_fake/reset%00",
        "/_fake/rese%74x",
        "/_fake/../_fake/reset",
    ];
    let cases = of_its_own.map(|path| {
        Case::new(
            path,
            local("POST", path, "{}"),
            answered(404, "nothing at this path"),
        )
    });
    target.withstands(cases);
}

fn refused() -> Expected {
    answered(crate::case::REFUSED, "")
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn bodies_that_are_wrong_are_refused_with_a_sentence() {
    let deep = "[".repeat(100_000);
    let deep_object = "{\"a\":".repeat(100_000);
    let in_a_member = format!("{{\"name\":{deep}");
    let long = format!("{{\"name\":\"{}\"}}", "x".repeat(900_000));
    let digits = format!("{{\"seconds\":{}}}", "9".repeat(400));
    let bad = [
        (RESET, "{\"account\":1}"),
        (RESET, "[]"),
        (RESET, "null"),
        (RESET, "{\"acount\":\"x\"}"),
        (RESET, "{\"account\":\"x\"}"),
        (
            RESET,
            "{\"account\":\"000000000000\",\"account\":\"111111111111\"}",
        ),
        (RESET, &deep),
        (RESET, &deep_object),
        (RESET, "\u{feff}{}"),
        ("/_fake/queues", &in_a_member),
        ("/_fake/queues", &long),
        ("/_fake/queues", "{}"),
        ("/_fake/queues", "{\"name\":\"a/b\"}"),
        ("/_fake/queues", "{\"name\":\"a\",\"account\":\"1\"}"),
        ("/_fake/queues", "{\"name\":\"a\",\"region\":\"../..\"}"),
        (
            "/_fake/queues",
            "{\"name\":\"a\",\"attributes\":{\"VisibilityTimeout\":\"1e400\"}}",
        ),
        ("/_fake/clock/advance", "{\"seconds\":1e400}"),
        ("/_fake/clock/advance", "{\"seconds\":-1}"),
        ("/_fake/clock/advance", "{\"seconds\":-0.001}"),
        ("/_fake/clock/advance", "{\"seconds\":1e308}"),
        ("/_fake/clock/advance", "{\"seconds\":9223372036854775808}"),
        ("/_fake/clock/advance", &digits),
        ("/_fake/clock/advance", "{\"seconds\":NaN}"),
        ("/_fake/clock/advance", "{\"seconds\":\"1\"}"),
        ("/_fake/clock/advance", "{}"),
        ("/_fake/faults", "{\"fault\":{\"kind\":\"meltdown\"}}"),
        (
            "/_fake/faults",
            "{\"fault\":{\"kind\":\"delay\",\"seconds\":1e400}}",
        ),
        (
            "/_fake/faults",
            "{\"fault\":{\"kind\":\"delay\",\"seconds\":1e30}}",
        ),
        (
            "/_fake/faults",
            "{\"fault\":{\"kind\":\"delay\",\"seconds\":-1}}",
        ),
        (
            "/_fake/faults",
            "{\"share\":2,\"fault\":{\"kind\":\"throttle\"}}",
        ),
        (
            "/_fake/faults",
            "{\"times\":-1,\"fault\":{\"kind\":\"throttle\"}}",
        ),
        (
            "/_fake/faults",
            "{\"times\":0,\"fault\":{\"kind\":\"throttle\"}}",
        ),
        (
            "/_fake/faults",
            &format!(
                "{{\"queue\":\"{}\",\"fault\":{{\"kind\":\"throttle\"}}}}",
                "x".repeat(10_000)
            ),
        ),
        (
            "/_fake/faults",
            "{\"fault\":{\"kind\":\"error\",\"code\":\"../..\"}}",
        ),
        ("/_fake/faults", &deep),
        ("/_fake/faults", "{}"),
        ("/_fake/queues/000000000000/us-east-1/orders/messages", "{}"),
        (
            "/_fake/queues/000000000000/us-east-1/orders/messages",
            &deep,
        ),
    ];
    let target = Target::new();
    let cases = bad.map(|(path, body)| {
        Case::new(
            format!("{path} {body:.60}"),
            local("POST", path, body),
            answered(400, "{\"error\":\""),
        )
    });
    target.withstands(cases);
    let too_long = local("POST", RESET, &" ".repeat(1024 * 1024 + 1));
    target.withstands([
        Case::new(
            "a body of more than a megabyte",
            too_long,
            answered(413, "longer than"),
        ),
        // A refusal that needs no body arrives before the connection is closed.
        Case::new(
            "a denied body of a megabyte",
            request(
                "POST",
                RESET,
                "Host: evil.example\r\n",
                &" ".repeat(1024 * 1024),
            ),
            closed(403, "the control interface"),
        ),
        Case::new(
            "a body at the wrong method",
            local("PUT", RESET, &" ".repeat(1024 * 1024)),
            closed(405, "takes only POST"),
        ),
        Case::new(
            "a body at no path",
            local("POST", "/_fake/nothing", &" ".repeat(1024 * 1024)),
            closed(404, "nothing at this path"),
        ),
    ]);
}

#[test]
fn queries_that_are_wrong_are_refused() {
    let bad = [
        "/_fake/queues?limit=0",
        "/_fake/queues?limit=1001",
        "/_fake/queues?limit=-1",
        "/_fake/queues?limit=99999999999999999999999",
        "/_fake/queues?limit=1e3",
        "/_fake/queues?limit=",
        "/_fake/queues?limit=1&limit=2",
        "/_fake/queues?limits=1",
        "/_fake/queues?after=%00",
        "/_fake/queues/000000000000/us-east-1/orders/messages?state=gone",
        "/_fake/queues/000000000000/us-east-1/orders/messages?state=visible&after=%ff",
        "/_fake/queues/000000000000/us-east-1/orders/messages?state=visible&limit=1001",
        "/_fake/requests?limit=0",
        "/_fake/requests?limit=100000000000000000000",
        "/_fake/requests?wait=1e9",
        "/_fake/requests?wait=-1",
        "/_fake/requests?wait=NaN",
        "/_fake/requests?wait=inf",
        "/_fake/requests?after=-1",
        "/_fake/requests?after=18446744073709551616",
        "/_fake/requests?at_least=99999999999999999999999",
        "/_fake/requests?outcome=maybe",
        "/_fake/requests?other=1",
    ];
    let target = Target::new();
    let cases =
        bad.map(|path| Case::new(path, local("GET", path, ""), answered(400, "{\"error\":\"")));
    target.withstands(cases);
    let many = format!("/_fake/queues?{}", "a=b&".repeat(15_000));
    target.withstands([Case::new(
        "15,000 parameters",
        local("GET", &many, ""),
        answered(400, "{\"error\":\""),
    )]);
}

#[test]
fn paths_of_odd_names_find_nothing() {
    let long = "x".repeat(60_000);
    let names = [
        "nothing",
        "%2e%2e",
        "..%2f..%2f",
        "%00",
        "%ff%fe",
        "%f0%9f%98%80",
        "orders%20",
        "'%20OR%201=1",
        "%3Cscript%3E",
        &long,
    ];
    let target = Target::new();
    for (method, rest) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/purge"),
        ("POST", "/redrive"),
        ("GET", "/messages?state=visible"),
    ] {
        let cases = names.map(|name| {
            let path = format!("/_fake/queues/000000000000/us-east-1/{name}{rest}");
            Case::new(
                format!("{method} {path:.80}"),
                local(method, &path, ""),
                refused(),
            )
        });
        target.withstands(cases);
    }
    let ids = ["x", "-1", "18446744073709551616", "%00", "1e1", &long];
    let cases = ids.map(|id| {
        Case::new(
            format!("a fault {id:.20}"),
            local("DELETE", &format!("/_fake/faults/{id}"), ""),
            refused(),
        )
    });
    target.withstands(cases);
    let cases = ids.map(|id| {
        let path = format!("/_fake/queues/000000000000/us-east-1/orders/messages/{id}");
        Case::new(
            format!("a message {id:.20}"),
            local("DELETE", &path, ""),
            refused(),
        )
    });
    target.withstands(cases);
}

/// Faults are bounded in number; when they are gone, so is their memory.
#[test]
fn faults_are_bounded_in_number() {
    let target = Target::new();
    target.withstands_act("2,000 faults", || {
        let fault = r#"{"action":"PurgeQueue","fault":{"kind":"throttle"}}"#;
        let bytes = local("POST", "/_fake/faults", fault).repeat(2_000);
        let outcome = crate::wire::strike(target.address, &bytes, crate::case::Finish::Probe);
        let taken = outcome
            .answers
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        assert_eq!(
            (taken, outcome.answers.len()),
            (fake_sqs::limits::FAULTS_MAX, 2_000)
        );
        drop(outcome);
        let bytes = local("DELETE", "/_fake/faults", "");
        let outcome = crate::wire::strike(target.address, &bytes, crate::case::Finish::Probe);
        assert_eq!(outcome.answers[0].status, 200, "{outcome:?}");
    });
}
