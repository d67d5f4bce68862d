//! AWS's own cases of clock skew, which lie inside its crate `aws-runtime`, run through the
//! client against a server whose answers and clock they are.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use aws_json::client::{Client, Credentials, Service};
use aws_json::value::iso8601;
use cargo_metadata::MetadataCommand;
use conformance::bound::within;
use conformance::layering::workspace_root;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The crate, in the version that this package's manifest pins.
const PACKAGE: (&str, &str) = ("aws-runtime", "1.10.2");

#[derive(Deserialize)]
struct Cases {
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    description: String,
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Operation {
    /// In seconds, as all skews here.
    initial_client_skew: i64,
    max_attempts: Option<u32>,
    attempts: Vec<Attempt>,
    expected_client_skew: i64,
    expected_outcome: Outcome,
    #[serde(rename = "documentation")]
    _documentation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Attempt {
    #[serde(with = "iso8601")]
    client_time_at_send: SystemTime,
    #[serde(with = "iso8601")]
    client_time_at_receive: SystemTime,
    #[serde(with = "iso8601")]
    expected_signing_time: SystemTime,
    response: Response,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Response {
    status_code: u16,
    headers: std::collections::BTreeMap<String, String>,
    error_code: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Success,
    Error,
}

#[tokio::test]
async fn awss_cases_of_clock_skew() {
    let cases = cases();
    let (mut operations, mut attempts) = (0, 0);
    for case in &cases.tests {
        run(case).await;
        operations += case.operations.len();
        attempts += case
            .operations
            .iter()
            .map(|o| o.attempts.len())
            .sum::<usize>();
    }
    // All of them were read and run.
    assert_eq!((cases.tests.len(), operations, attempts), (10, 14, 16));
}

fn cases() -> Cases {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace_root().join("tests/Cargo.toml"))
        .other_options(["--locked".to_owned()])
        .exec()
        .expect("the packages of the workspace");
    let (name, version) = PACKAGE;
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == name && package.version.to_string() == version)
        .expect("the package that is pinned");
    let folder = package.manifest_path.parent().expect("a folder");
    let file = PathBuf::from(folder).join("test-data/clock-skew-test-cases.json");
    let text = std::fs::read(file).expect("the cases");
    serde_json::from_slice(&text).expect("cases in the form that is known here")
}

async fn run(case: &Case) {
    let what = &case.description;
    let service = Stub::start().await;
    let clock = Arc::clone(&service.clock);
    let builder = Client::builder(Service::new("sqs", "AmazonSQS"))
        .endpoint(service.url())
        .credentials(Credentials::new("AKIDEXAMPLE", "secret"))
        .time_source(move || *clock.lock().expect("no panic"))
        // Retries begin at once.
        .random_source(|| 0);
    let max_attempts = case.operations[0].max_attempts;
    assert!(
        case.operations
            .iter()
            .all(|o| o.max_attempts == max_attempts)
    );
    let client = match max_attempts {
        Some(attempts) => builder.max_attempts(attempts),
        None => builder,
    };
    let client = client.build().expect("a client");

    for operation in &case.operations {
        let begin = operation.attempts[0].client_time_at_send;
        if operation.initial_client_skew != service.skew(&client, begin).await {
            // The first operation of a client that has learnt a skew before.
            service
                .teach(&client, begin, operation.initial_client_skew)
                .await;
        }
        assert_eq!(
            service.skew(&client, begin).await,
            operation.initial_client_skew,
            "{what}"
        );

        service.expect(
            begin,
            operation.attempts.iter().map(|attempt| Answer {
                received: attempt.client_time_at_receive,
                response: attempt.response.clone(),
            }),
        );
        for (earlier, later) in operation.attempts.iter().zip(&operation.attempts[1..]) {
            // The clock moves while an attempt is under way, and not between two.
            assert_eq!(earlier.client_time_at_receive, later.client_time_at_send);
        }
        let outcome = match within(client.call_value("list_queues", None)).await {
            Ok(_) => Outcome::Success,
            Err(_) => Outcome::Error,
        };
        assert_eq!(outcome, operation.expected_outcome, "{what}");
        let expected: Vec<_> = operation
            .attempts
            .iter()
            .map(|a| a.expected_signing_time)
            .collect();
        assert_eq!(service.signed_for(), expected, "{what}");
        let end = operation
            .attempts
            .last()
            .expect("an attempt")
            .client_time_at_receive;
        assert_eq!(
            service.skew(&client, end).await,
            operation.expected_client_skew,
            "{what}"
        );
    }
}

/// A service that answers what it is told to.
struct Stub {
    address: std::net::SocketAddr,
    /// The client's clock.
    clock: Arc<Mutex<SystemTime>>,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    answers: std::collections::VecDeque<Answer>,
    signed_for: Vec<SystemTime>,
}

struct Answer {
    /// When it is received, by the client's clock.
    received: SystemTime,
    response: Response,
}

impl Stub {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let clock = Arc::new(Mutex::new(SystemTime::UNIX_EPOCH));
        let script = Arc::new(Mutex::new(Script::default()));
        let (clock_here, script_here) = (Arc::clone(&clock), Arc::clone(&script));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                let (clock, script) = (Arc::clone(&clock_here), Arc::clone(&script_here));
                tokio::spawn(serve(stream, clock, script));
            }
        });
        Self {
            address,
            clock,
            script,
        }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the client's clock, and what is answered next.
    fn expect(&self, begin: SystemTime, answers: impl IntoIterator<Item = Answer>) {
        *self.clock.lock().expect("no panic") = begin;
        let mut script = self.script.lock().expect("no panic");
        assert!(script.answers.is_empty(), "an answer that nobody asked for");
        script.answers.extend(answers);
        script.signed_for.clear();
    }

    /// For which times the requests since then were signed.
    fn signed_for(&self) -> Vec<SystemTime> {
        self.script.lock().expect("no panic").signed_for.clone()
    }

    /// The skew that the client has, in seconds: for which time it signs at this time. The answer
    /// has no date, from which it could learn another.
    async fn skew(&self, client: &Client, now: SystemTime) -> i64 {
        self.expect(
            now,
            [Answer {
                received: now,
                response: undated(),
            }],
        );
        within(client.call_value("list_queues", None))
            .await
            .expect("an answer");
        let [signed] = self.signed_for()[..] else {
            panic!("one request")
        };
        match signed.duration_since(now) {
            Ok(ahead) => i64::try_from(ahead.as_secs()).expect("a small number"),
            Err(behind) => -i64::try_from(behind.duration().as_secs()).expect("a small number"),
        }
    }

    /// Answers with a date that shows this skew.
    async fn teach(&self, client: &Client, now: SystemTime, skew: i64) {
        let by = Duration::from_secs(skew.unsigned_abs());
        let date = if skew < 0 { now - by } else { now + by };
        let mut response = undated();
        let date = aws_json::value::http_date::format(date).expect("a date");
        response.headers.insert("Date".to_owned(), date);
        self.expect(
            now,
            [Answer {
                received: now,
                response,
            }],
        );
        within(client.call_value("list_queues", None))
            .await
            .expect("an answer");
    }
}

fn undated() -> Response {
    Response {
        status_code: 200,
        headers: std::collections::BTreeMap::new(),
        error_code: None,
    }
}

/// Answers the requests of a connection, until the script has nothing more to say.
async fn serve(mut stream: TcpStream, clock: Arc<Mutex<SystemTime>>, script: Arc<Mutex<Script>>) {
    loop {
        let mut read = Vec::new();
        // The body is always `{}`.
        while !read.ends_with(b"\r\n\r\n{}") {
            match stream.read_buf(&mut read).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
        let head = String::from_utf8(read).expect("a request is text");
        let date = head
            .lines()
            .find_map(|line| line.strip_prefix("x-amz-date: "))
            .expect("a signed request");
        let answer = {
            let mut script = script.lock().expect("no panic");
            script.signed_for.push(signing_time(date));
            script.answers.pop_front()
        };
        let Some(answer) = answer else { return };
        *clock.lock().expect("no panic") = answer.received;
        if stream
            .write_all(answer.response.to_text().as_bytes())
            .await
            .is_err()
        {
            return;
        }
    }
}

impl Response {
    fn to_text(&self) -> String {
        let body = match &self.error_code {
            Some(code) => serde_json::json!({"__type": code}).to_string(),
            None => "{}".to_owned(),
        };
        let mut text = format!("HTTP/1.1 {} Whatever\r\n", self.status_code);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        text
    }
}

/// Reads `20260101T000500Z`.
fn signing_time(date: &str) -> SystemTime {
    let [year, month, day, hour, minute, second] =
        [0..4, 4..6, 6..8, 9..11, 11..13, 13..15].map(|range| &date[range]);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    iso8601::parse(&text).expect("a date")
}
