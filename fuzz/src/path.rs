//! The whole way of a request: head, signature, protocol, engine, answer.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use fake_sqs::{ClockStart, FakeSqs, Offline};
use http::{HeaderMap, Request, Response};
use serde_json::Value;
use sigv4::{Credentials, Payload, Signer};
use sqs::ErrorCode;
use tokio::runtime::{Builder, Runtime};

use crate::wire::{Wire, now};

/// What stands between two requests.
const NEXT: &[u8] = b"\n%%\n";

/// Requests of an input at most.
const REQUESTS_MAX: usize = 20;

/// In one input of so many a request is changed so that the server has to look for what is wrong with it. That
/// takes thousands of hashes, far longer than all else that an input does.
const INPUTS_PER_SEARCH: usize = 16;

/// How long an answer is waited for, longer than any poll lasts; nothing really waits, since the
/// runtime's time jumps when nothing else happens.
const PATIENCE: Duration = Duration::from_secs(400);

/// Requests one after the other, each signed and then sent: first with something changed, when it
/// must be refused, and then as it is. Those to the control interface need no signature. What is changed, the
/// bytes of the input decide.
///
/// Whatever they were, each answer is a success or one of the table of errors, and afterwards the
/// server counts its messages right and answers a good call.
pub fn path(data: &[u8]) {
    runtime().block_on(async {
        let builder = FakeSqs::builder()
            .seed(7)
            .clock(ClockStart::at(now()).frozen());
        let server = builder.offline(now()).expect("nothing is wrong with it");
        let mut session = Session {
            server,
            has_faults: false,
        };
        let requests: Vec<Wire<'_>> = split(data).take(REQUESTS_MAX).map(Wire::read).collect();
        let searched = searched(data, requests.len());
        for (index, request) in requests.iter().enumerate() {
            let change = if searched == Some(index) {
                Change::Hidden
            } else {
                Change::Plain
            };
            session.send(request, change).await;
        }
        session.check().await;
    });
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_current_thread();
        builder
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime")
    })
}

/// Which of so many requests is changed in a hidden way, if one is.
fn searched(data: &[u8], requests: usize) -> Option<usize> {
    let sum = sum(data);
    (sum.is_multiple_of(INPUTS_PER_SEARCH) && requests > 0)
        .then(|| sum / INPUTS_PER_SEARCH % requests)
}

fn sum(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte)).sum()
}

fn split(mut data: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if data.is_empty() {
            return None;
        }
        let end = data.windows(NEXT.len()).position(|window| window == NEXT);
        let (request, rest) = match end {
            Some(end) => (&data[..end], &data[end + NEXT.len()..]),
            None => (data, &b""[..]),
        };
        data = rest;
        Some(request)
    })
}

/// How a signed request is changed.
#[derive(Clone, Copy)]
enum Change {
    /// It has no `Authorization`, or one without a signature: what is wrong can be seen.
    Plain,
    /// Its signature is not one of what is sent: the server looks for what the client did wrong.
    Hidden,
}

struct Session {
    server: Offline,
    /// Whether there may be faults, by which a server answers anything.
    has_faults: bool,
}

impl Session {
    async fn send(&mut self, wire: &Wire<'_>, change: Change) {
        let is_control = wire.target().windows(6).any(|window| window == b"/_fake");
        self.has_faults |= is_control && wire.target().windows(6).any(|window| window == b"faults");
        let Some(request) = request(wire) else {
            return;
        };
        if is_control {
            if let Some(answer) = self.answer(request).await {
                let status = answer.status().as_u16();
                assert!(status < 500 || status == 503, "{answer:?}");
            }
            return;
        }
        let Some(signed) = signed(&request) else {
            // What cannot be signed is signed by nobody.
            self.is_refused(request).await;
            return;
        };
        self.is_refused(changed(&signed, change)).await;
        if let Some(answer) = self.answer(signed).await {
            self.is_known(&answer);
        }
    }

    /// A request that nobody signed is not served.
    async fn is_refused(&self, request: Request<Bytes>) {
        if let Some(answer) = self.answer(request.clone()).await {
            assert!(!answer.status().is_success(), "{request:?}: {answer:?}");
            self.is_known(&answer);
        }
    }

    /// Nothing if the client hangs up before there is an answer.
    async fn answer(&self, request: Request<Bytes>) -> Option<Response<Bytes>> {
        let answer = tokio::time::timeout(PATIENCE, self.server.answer(request));
        answer.await.ok().flatten()
    }

    /// An answer is a success, or an error with the status that the table has for it.
    fn is_known(&self, answer: &Response<Bytes>) {
        let status = answer.status().as_u16();
        if self.has_faults || status < 400 {
            return;
        }
        assert!(status < 500, "{answer:?}");
        // Refusals of HTTP itself have no body, and say so by their status.
        if answer.body().is_empty() {
            assert!(matches!(status, 400 | 501), "{answer:?}");
            return;
        }
        let text = std::str::from_utf8(answer.body()).expect("text");
        if text.starts_with("<UnknownOperationException/>") {
            assert_eq!(status, 404);
            return;
        }
        let Some(code) = code(text) else {
            panic!("no error of the table: {answer:?}");
        };
        // A path at which there is nothing, a body that is too long, and one that is too slow.
        assert!(
            code.status() == status || matches!(status, 404 | 408 | 413),
            "{answer:?}"
        );
    }

    /// The state holds together.
    async fn check(&self) {
        let queues = self.control("/_fake/queues?limit=1000").await;
        for queue in queues["queues"].as_array().expect("a list") {
            let text = |member: &str| queue[member].as_str().expect("a text").to_owned();
            let at = [text("account"), text("region"), text("name")].join("/");
            for state in ["visible", "delayed", "in_flight"] {
                let path = format!("/_fake/queues/{at}/messages?state={state}&limit=1000");
                let page = self.control(&path).await;
                let listed = page["messages"].as_array().expect("a list").len();
                let counted = queue["counts"][state].as_u64().expect("a number");
                let fits = counted == listed as u64 || !page["after"].is_null();
                assert!(fits, "{at}: {counted} are {state}, and {listed} are there");
            }
        }
        if self.has_faults {
            return;
        }
        let list = Request::post("/")
            .header("host", "localhost")
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", "AmazonSQS.ListQueues")
            .body(Bytes::from("{}"));
        let list = signed(&list.expect("a request")).expect("nothing is wrong with it");
        let answer = self.answer(list).await.expect("no fault closes it");
        assert_eq!(answer.status(), 200, "{answer:?}");
    }

    async fn control(&self, path: &str) -> Value {
        let request = Request::get(path).header("host", "localhost");
        let request = request.body(Bytes::new()).expect("a request");
        let answer = self.answer(request).await.expect("no fault closes it");
        assert_eq!(answer.status(), 200, "{path}: {answer:?}");
        serde_json::from_slice(answer.body()).expect("JSON")
    }
}

/// A request as hyper would pass it on, if it would.
fn request(wire: &Wire<'_>) -> Option<Request<Bytes>> {
    let target = std::str::from_utf8(wire.target()).ok()?;
    let mut request = Request::builder().method(wire.method()).uri(target);
    let mut has_host = false;
    for (name, value) in wire.with(&[]) {
        has_host |= name.eq_ignore_ascii_case("host");
        request = request.header(name, value);
    }
    if !has_host {
        request = request.header("host", "localhost");
    }
    let request = request.body(Bytes::copy_from_slice(wire.body)).ok()?;
    // Of these the connection takes care.
    let framing = [
        "content-length",
        "transfer-encoding",
        "connection",
        "upgrade",
    ];
    let is_framed = framing
        .iter()
        .any(|name| request.headers().contains_key(*name));
    (!is_framed).then_some(request)
}

/// The same request, signed; nothing if it cannot be.
fn signed(request: &Request<Bytes>) -> Option<Request<Bytes>> {
    let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
    let mut signed = request.clone();
    let payload = Payload::Bytes(request.body());
    sigv4::sign_request(&signer, &mut signed, payload, now()).ok()?;
    Some(signed)
}

/// A signed request in which one thing is changed: which one, its own bytes decide.
fn changed(signed: &Request<Bytes>, change: Change) -> Request<Bytes> {
    let mut changed = signed.clone();
    let choice = sum(signed.body());
    let mut authorization = changed.headers()["authorization"].as_bytes().to_vec();
    match change {
        Change::Plain if choice.is_multiple_of(2) => {
            changed.headers_mut().remove("authorization");
        }
        Change::Plain => {
            let comma = authorization.iter().rposition(|&byte| byte == b',');
            authorization.truncate(comma.expect("a list"));
            set(changed.headers_mut(), "authorization", &authorization);
        }
        Change::Hidden => match choice % 3 {
            0 => {
                let mut body = signed.body().to_vec();
                body.push(b' ');
                *changed.body_mut() = body.into();
            }
            1 => {
                let last = authorization.last_mut().expect("a signature");
                *last = if *last == b'0' { b'1' } else { b'0' };
                set(changed.headers_mut(), "authorization", &authorization);
            }
            _ => set(changed.headers_mut(), "x-amz-date", b"20150830T123601Z"),
        },
    }
    changed
}

fn set(headers: &mut HeaderMap, name: &'static str, value: &[u8]) {
    headers.insert(name, value.try_into().expect("a header"));
}

/// The error of the table that a body of either protocol names.
fn code(text: &str) -> Option<ErrorCode> {
    if let Ok(body) = serde_json::from_str::<Value>(text) {
        // JSON, or the Query protocol's own kind of it.
        let shape = body["__type"]
            .as_str()
            .and_then(|name| name.split('#').next_back());
        let query = body["Error"]["Code"].as_str();
        return shape
            .and_then(ErrorCode::from_name)
            .or_else(|| query.and_then(ErrorCode::from_query_code));
    }
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    ErrorCode::from_query_code(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_input_in_so_many_has_a_hidden_change_in_any_of_its_requests() {
        let inputs = (0..=u8::MAX).map(|byte| searched(&[byte, 0], 3));
        let mut chosen: Vec<usize> = inputs.flatten().collect();
        assert_eq!(chosen.len(), 256 / INPUTS_PER_SEARCH);
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen, [0, 1, 2]);
        assert_eq!(searched(&[0], 0), None);
    }
}
