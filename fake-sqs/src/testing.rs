//! What the router tests share: a server without a socket, and clients that sign.

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, header};
use http_body_util::BodyExt;
use serde_json::Value;
use sigv4::{Credentials, Payload, Signer};
use tower::ServiceExt;
use tracing::subscriber::{self, DefaultGuard};
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;

use crate::builder::Place;
use crate::clock::WallClock;
use crate::control::Control;
use crate::{Builder, FakeSqs};

/// The `Host` that requests are sent to.
pub(crate) const HOST: &str = "localhost:9324";

/// What the server's wall clock shows: 20150830T123600Z.
pub(crate) fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_440_938_160)
}

/// What is logged on this thread while it lives, at every level but `trace`.
pub(crate) struct Log {
    lines: Arc<Mutex<Vec<u8>>>,
    _guard: DefaultGuard,
}

impl Log {
    pub(crate) fn capture() -> Self {
        leave_tracing_undecided();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .without_time()
            .with_writer({
                let lines = Arc::clone(&lines);
                move || Writer(Arc::clone(&lines))
            })
            .finish();
        Self {
            lines,
            _guard: subscriber::set_default(subscriber),
        }
    }

    /// The lines since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.lines.lock().expect("no panic"));
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.lines().map(|line| line.trim().to_owned()).collect()
    }

    /// The warnings since the last call.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut lines = self.take();
        lines.retain(|line| line.starts_with("WARN"));
        lines
    }
}

/// Has the process listen to nothing, and keeps tracing from concluding that nobody ever will. What
/// it finds out about a line of code is kept for all threads, and while a single test listens, it
/// asks only the thread that comes to the line first: often one of another test, which does not.
fn leave_tracing_undecided() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let undecided = tracing_subscriber::registry().with(dynamic_filter_fn(|_, _| false));
        subscriber::set_global_default(undecided).expect("no other is the process's");
    });
}

struct Writer(Arc<Mutex<Vec<u8>>>);

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A server whose wall clock stands still.
pub(crate) struct Harness {
    router: Router,
    pub(crate) control: Control,
}

impl Harness {
    /// With the built-in credential.
    pub(crate) fn new() -> Self {
        Self::with(FakeSqs::builder())
    }

    pub(crate) fn with(builder: Builder) -> Self {
        let harness = Self::of(builder);
        harness.control.ready();
        harness
    }

    /// One that is not ready yet.
    pub(crate) fn starting() -> Self {
        Self::of(FakeSqs::builder())
    }

    fn of(builder: Builder) -> Self {
        leave_tracing_undecided();
        let place = Place {
            address: (Ipv4Addr::LOCALHOST, 9324).into(),
            clock: WallClock::Stopped(now()),
            wall: WallClock::Stopped(now()),
        };
        let assembled = builder.assemble(&place).expect("assembled");
        Self {
            router: assembled.router,
            control: assembled.control,
        }
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> Answer {
        self.send_body(request.map(Body::from)).await
    }

    pub(crate) async fn send_body(&self, request: Request<Body>) -> Answer {
        let Ok(response) = self.router.clone().oneshot(request).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }

    /// Sends an SQS call with the built-in credential.
    pub(crate) async fn call(&self, action: &str, input: &Value) -> Answer {
        self.send(signed(call(action, input))).await
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("ASCII"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Asserts that this is an error answer, whole: status, type, query code, and message.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, shape_id: &str, query: &str, message: &str) {
        let expected = serde_json::json!({ "__type": shape_id, "message": message });
        assert_eq!(self.json(), expected);
        assert_eq!(self.status, status);
        assert_eq!(self.header("x-amzn-query-error"), query);
        assert_eq!(self.header("content-type"), "application/x-amz-json-1.0");
        assert_eq!(self.header("x-amzn-requestid").len(), 36);
    }

    /// Asserts that this is an error answer of the Query protocol, whole: status, code, message, and
    /// the id that is in its header, too.
    #[track_caller]
    pub(crate) fn assert_query_error(&self, status: u16, code: &str, message: &str) {
        let request_id = self.header("x-amzn-requestid");
        assert_eq!(request_id.len(), 36);
        let fault = if status < 500 { "Sender" } else { "Receiver" };
        let expected = format!(
            "<?xml version=\"1.0\"?><ErrorResponse \
             xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error><Type>{fault}</Type>\
             <Code>{code}</Code><Message>{message}</Message><Detail/></Error>\
             <RequestId>{request_id}</RequestId></ErrorResponse>"
        );
        assert_eq!(self.text(), expected);
        assert_eq!(self.status, status);
        assert_eq!(self.header("content-type"), "text/xml");
        assert_eq!(self.headers.get("x-amzn-query-error"), None);
    }
}

/// An SQS call, not signed.
pub(crate) fn call(action: &str, input: &Value) -> Request<Bytes> {
    Request::builder()
        .method(Method::POST)
        .uri("/")
        .header(header::HOST, HOST)
        .header(header::CONTENT_TYPE, "application/x-amz-json-1.0")
        .header("x-amz-target", format!("AmazonSQS.{action}"))
        .body(Bytes::from(input.to_string()))
        .expect("a request")
}

/// An SQS call of the Query protocol, not signed: a form that is posted to a path.
pub(crate) fn form(path: &str, parameters: impl Into<Bytes>) -> Request<Bytes> {
    Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(header::HOST, HOST)
        .header(
            header::CONTENT_TYPE,
            "application/x-www-form-urlencoded; charset=utf-8",
        )
        .body(parameters.into())
        .expect("a request")
}

/// The built-in credential's signer.
pub(crate) fn signer() -> Signer {
    Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs")
}

/// A request signed with the built-in credential, now.
pub(crate) fn signed(request: Request<Bytes>) -> Request<Bytes> {
    signed_by(&signer(), request, now())
}

pub(crate) fn signed_by(
    signer: &Signer,
    mut request: Request<Bytes>,
    at: SystemTime,
) -> Request<Bytes> {
    let body = request.body().clone();
    sigv4::sign_request(signer, &mut request, Payload::Bytes(&body), at).expect("signed");
    request
}
