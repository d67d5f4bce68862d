//! What a subscriber is told.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, Once};

use aws_json::client::{Builder, Credentials};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::instrument::WithSubscriber;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Event, Metadata, Subscriber};

use crate::server::{Answer, KEY, SECRET, Server, bounded};

/// Writes down what a client tells, a line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: String) -> u64 {
        let mut lines = self.0.lock().unwrap();
        lines.push(line);
        lines.len() as u64
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "aws_json"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let metadata = span.metadata();
        let fields = Fields::of(|fields| span.record(fields));
        let line = format!("{} span {}:{fields}", metadata.level(), metadata.name());
        Id::from_u64(self.write(line))
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let fields = Fields::of(|fields| values.record(fields));
        self.write(format!("span of line {}:{fields}", span.into_u64()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let fields = Fields::of(|fields| event.record(fields));
        self.write(format!("{} event:{fields}", event.metadata().level()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn try_close(&self, _: Id) -> bool {
        false
    }
}

/// Fields as text.
struct Fields(String);

impl Fields {
    fn of(record: impl FnOnce(&mut Self)) -> String {
        let mut fields = Self(String::new());
        record(&mut fields);
        fields.0
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

/// Listens to nothing, and keeps tracing from concluding that nobody ever will: tests that run beside
/// these have no subscriber, and what they find out about a place in the code is kept for all.
struct Undecided;

impl Subscriber for Undecided {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// For everything that may lead to a call, before there is one.
pub(crate) fn keep_undecided() {
    static UNDECIDED: Once = Once::new();
    UNDECIDED.call_once(|| set_global_default(Undecided).unwrap());
}

/// What is told of a call of `send_message` that gets these answers.
async fn told(answers: impl IntoIterator<Item = Answer>, set: fn(Builder) -> Builder) -> Log {
    let server = Server::start(answers).await;
    let credentials = Credentials::new(KEY, SECRET).with_session_token("session-token");
    let builder = server.builder().max_attempts(3).credentials(credentials);
    let client = set(builder).build().unwrap();
    let log = Log::default();
    let input = json!({"MessageBody": "the body"});
    let call = client.call_value("send_message", Some(&input));
    let _ = bounded(call.with_subscriber(log.clone())).await;
    log
}

#[tokio::test]
async fn a_call_that_is_sent_again_is_told_as_it_goes() {
    let throttled = Answer::new(
        400,
        &[("x-amzn-requestid", "r1"), ("x-amz-retry-after", "1")],
        r#"{"__type":"com.amazonaws.sqs#RequestThrottled","message":"the message"}"#,
    );
    let done = Answer::new(
        200,
        &[("x-amzn-requestid", "r2")],
        r#"{"Output":"the output"}"#,
    );
    let log = told([throttled, done], |builder| builder).await;
    assert_eq!(
        log.lines(),
        [
            r#"INFO span call: service="sqs" operation="SendMessage""#,
            "DEBUG span attempt: attempt=1",
            "span of line 2: status=400",
            r#"span of line 2: code="RequestThrottled""#,
            r#"span of line 2: request_id="r1""#,
            "DEBUG event: message=the call is sent again attempt=1 delay=1ms \
             reason=\"throttling\" code=\"RequestThrottled\" status=400",
            "DEBUG span attempt: attempt=2",
            "span of line 7: status=200",
            r#"span of line 7: request_id="r2""#,
            "span of line 1: attempts=2",
            "span of line 1: status=200",
            r#"span of line 1: request_id="r2""#,
        ]
    );
}

#[tokio::test]
async fn a_call_that_fails_is_told_with_the_reason() {
    for (answers, set, reason) in [
        (
            vec![Answer::raw("")],
            (|b| b) as fn(Builder) -> Builder,
            "outcome unknown",
        ),
        (
            vec![Answer::new(503, &[], "")],
            |b| b.max_attempts(1),
            "no attempt left",
        ),
        (vec![Answer::new(404, &[], "")], |b| b, "not retryable"),
    ] {
        let lines = told(answers, set).await.lines();
        let event = lines
            .iter()
            .find(|line| line.starts_with("DEBUG event"))
            .unwrap();
        let expected = format!("message=the call has failed attempt=1 reason={reason:?}");
        assert!(event.contains(&expected), "{event}");
        assert!(
            lines.contains(&"span of line 1: attempts=1".to_owned()),
            "{lines:?}"
        );
    }
}

#[tokio::test]
async fn no_body_and_no_secret_is_told() {
    let repeating = r#"{"__type":"ns#X","message":"session-token, the message"}"#;
    for answer in [
        Answer::new(403, &[], repeating),
        Answer::new(502, &[], "session-token, the page"),
        Answer::ok("session-token, the output"),
    ] {
        let told = told([answer], |builder| builder.max_attempts(1))
            .await
            .lines()
            .join("\n");
        for secret in [
            SECRET,
            "session-token",
            "the body",
            "the message",
            "the page",
            "output",
        ] {
            assert!(!told.contains(secret), "{told}");
        }
    }
}

#[tokio::test]
async fn what_is_told_belongs_to_its_call() {
    // Two calls at once, each under its own subscriber.
    let calls = ["r1", "r2"].map(|id| {
        let answer = Answer::new(200, &[("x-amzn-requestid", id)], "{}");
        told([answer], |builder| builder)
    });
    let [first, second] = calls;
    let (first, second) = tokio::join!(first, second);
    for (log, id) in [(first, "r1"), (second, "r2")] {
        let lines = log.lines();
        assert_eq!(lines.len(), 7, "{lines:?}");
        assert!(
            lines.contains(&format!("span of line 1: request_id={id:?}")),
            "{lines:?}"
        );
    }
}
