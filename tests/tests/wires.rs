//! Two servers with the same seed and the same clock: what one is asked over JSON, the other is asked
//! over Query, and both must answer the same to the byte. The calls are drawn at random from the
//! model of the Query protocol, good ones and bad ones, and go each of the ways that a form can.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use conformance::raw::{Answer, Signature};
use conformance::wire::Wire;
use conformance::wire::model::{Kind, Member, OPERATIONS, Operation};
use fake_sqs::{ClockStart, FakeSqs};
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use serde_json::{Map, Value, json};

/// How many pairs of servers there are, and how many calls each pair is asked.
const RUNS: u64 = 4;
const CALLS: usize = 200;

/// What is drawn for a member or as a key of a map: mostly what SQS takes, sometimes what it refuses.
struct Pool {
    name: &'static str,
    good: &'static [&'static str],
    bad: &'static [&'static str],
}

const fn pool(
    name: &'static str,
    good: &'static [&'static str],
    bad: &'static [&'static str],
) -> Pool {
    Pool { name, good, bad }
}

/// What has no row is drawn from [`TEXTS`].
const POOLS: &[Pool] = &[
    pool(
        "Actions",
        &["SendMessage", "ReceiveMessage", "GetQueueUrl", "*"],
        &["Bogus", ""],
    ),
    pool(
        "AttributeNames",
        &["All", "QueueArn", "Policy", "SenderId"],
        &["Bogus", ""],
    ),
    pool("AWSAccountIds", &["111122223333", "222233334444"], &["x"]),
    pool(
        "Attributes",
        &[
            "DelaySeconds",
            "KmsMasterKeyId",
            "Policy",
            "RedrivePolicy",
            "VisibilityTimeout",
        ],
        &[
            "ContentBasedDeduplication",
            "Bogus",
            "FifoQueue",
            "QueueArn",
            "",
        ],
    ),
    pool("BinaryListValues", &["AP8="], &[]),
    pool("BinaryValue", &["AP8=", "AQID"], &["", "AQI", "!"]),
    pool("ContentBasedDeduplication", &["true", "false"], &["yes"]),
    pool(
        "DataType",
        &["String", "String.custom"],
        &["Binary", "", "x"],
    ),
    pool("DelaySeconds", &["0", "1"], &["901", "-1", "x", ""]),
    pool("DestinationArn", &[ARN_A], &[ARN_NONE, ""]),
    pool("FifoQueue", &["true"], &["false"]),
    pool("Id", &["a", "b", "c", "d", "e", "f"], &["", "a b"]),
    pool("Label", &["one", "two"], &["", "a b"]),
    pool("MessageAttributeNames", &["All", "k", "k.*"], &["x", ""]),
    pool(
        "MessageAttributes",
        &["k", "k.l", "é"],
        &["AWS.k", "k..l", ""],
    ),
    pool("MessageDeduplicationId", &["d", "e", "f"], &["", "a b"]),
    pool("MessageGroupId", &["g", "h"], &["", "é"]),
    pool("MessageSystemAttributes", &["AWSTraceHeader"], &["Bogus"]),
    pool(
        "MessageSystemAttributeNames",
        &["All", "SenderId", "SequenceNumber"],
        &["Bogus", ""],
    ),
    pool(
        "Policy",
        &[
            "",
            r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"}]}"#,
        ],
        &["x", r#"{"Statement":[]}"#],
    ),
    pool("QueueName", &["a", "b", "c.fifo"], &["d", "no spaces", ""]),
    pool("QueueNamePrefix", &["a", "c.", ""], &["none"]),
    pool("QueueOwnerAWSAccountId", &["000000000000"], &["x"]),
    pool(
        "QueueUrl",
        &["a", "a", "b", "c.fifo", "http://127.0.0.1:1/000000000000/a"],
        &["none", ""],
    ),
    pool("ReceiptHandle", &["none"], &[""]),
    pool("ReceiveRequestAttemptId", &["r", "s"], &["", "a b"]),
    pool("RedrivePolicy", &[REDRIVE], &["{}", "x", ""]),
    pool("SourceArn", &[ARN_B], &[ARN_A, ARN_NONE, ""]),
    pool("TagKeys", &["team", "env"], &["none", ""]),
    pool("VisibilityTimeout", &["0", "30"], &["43201", "1.5", ""]),
    // The values of tags.
    pool("team", &["shop", "a + b=é", ""], &["<&>"]),
    pool("env", &["test"], &["\u{7}"]),
    pool("tags", &["team", "env"], &["aws:x", ""]),
    pool("Tags", &["team", "env"], &["aws:x", ""]),
];

const ARN_A: &str = "arn:aws:sqs:us-east-1:000000000000:a";
const ARN_B: &str = "arn:aws:sqs:us-east-1:000000000000:b";
const ARN_NONE: &str = "arn:aws:sqs:us-east-1:000000000000:none";

/// The dead letters of a queue go to `b`.
const REDRIVE: &str =
    r#"{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:b","maxReceiveCount":2}"#;

/// Bodies and values: what a form, XML and JSON escape, each its own; white space; what SQS refuses.
const TEXTS: Pool = pool(
    "",
    &[
        "x",
        " leading and trailing ",
        "a\r\nb\tc\n",
        "<&>\"']]>&amp;",
        "+%20&=;#\\",
        "héllo ☃ 😀 \u{85}\u{2028}\u{fffd}",
    ],
    &["", "\u{7}", "\u{ffff}"],
);

const NUMBERS: &[i64] = &[1, 2, 5, 10];
const BAD_NUMBERS: &[i64] = &[-1, 43_201, i64::MAX];

/// In how many cases of a hundred something bad is drawn.
const BAD: usize = 4;

/// SplitMix64: a small generator, so that a run is its number.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let end = u64::try_from(end).expect("a small number");
        usize::try_from((z ^ (z >> 31)) % end).expect("a small number")
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// True in `percent` of a hundred cases.
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What draws calls: it remembers the handles and tokens of the answers.
struct Caller {
    random: Random,
    learnt: BTreeMap<&'static str, Vec<String>>,
}

impl Caller {
    fn call(&mut self) -> (&'static Operation, Value) {
        let busy: Vec<_> = OPERATIONS
            .iter()
            .filter(|row| row.name.contains("Message"))
            .collect();
        let operation = loop {
            let operation = if self.random.percent(50) {
                *self.random.one_of(&busy)
            } else {
                self.random.one_of(OPERATIONS)
            };
            // Or there would be no queue for most of the calls.
            if operation.name != "DeleteQueue" || self.random.percent(30) {
                break operation;
            }
        };
        (operation, Value::Object(self.structure(operation.input)))
    }

    fn structure(&mut self, members: &[Member]) -> Map<String, Value> {
        let mut drawn = Map::new();
        for member in members {
            let percent = match member.json {
                // What a form cannot say: see `conformance::wire::differences`.
                "Id" | "Entries" => 100,
                "AttributeNames" if drawn.contains_key("MessageSystemAttributeNames") => 0,
                "MessageSystemAttributeNames" if drawn.contains_key("AttributeNames") => 0,
                "StringListValues" | "BinaryListValues" | "BinaryValue" | "NextToken" => 5,
                "DelaySeconds" | "MessageDeduplicationId" | "MessageSystemAttributes" | "tags" => {
                    10
                }
                "ReceiveRequestAttemptId" | "QueueOwnerAWSAccountId" => 20,
                "Attributes" | "MaxResults" | "MessageAttributes" | "DestinationArn" => 50,
                _ => 95,
            };
            if self.random.percent(percent) {
                let value = self.value(member.json, &member.kind);
                drawn.insert(member.json.to_owned(), value);
            }
        }
        drawn
    }

    fn value(&mut self, name: &'static str, kind: &Kind) -> Value {
        match kind {
            Kind::Text => self.text(name).into(),
            Kind::Flag => self.random.percent(50).into(),
            Kind::Number if self.random.percent(BAD) => (*self.random.one_of(BAD_NUMBERS)).into(),
            // Nobody would end a poll of a clock that stands.
            Kind::Number if name == "WaitTimeSeconds" => 0.into(),
            Kind::Number => (*self.random.one_of(NUMBERS)).into(),
            Kind::Structure(members) => Value::Object(self.structure(members)),
            Kind::List(of) => {
                let length = *self.random.one_of(&[0, 1, 1, 2, 3]);
                (0..length).map(|_| self.value(name, of)).collect()
            }
            // A form has no map that is empty, either.
            Kind::Map { of, .. } => {
                let pairs = 1 + self.random.below(2);
                let pairs = (0..pairs).map(|_| {
                    let key = self.drawn(name);
                    (key.to_owned(), self.value(key, of))
                });
                Value::Object(pairs.collect())
            }
        }
    }

    fn text(&mut self, name: &'static str) -> String {
        if let Some(learnt) = self.learnt.get(name)
            && !self.random.percent(BAD)
        {
            return self.random.one_of(learnt).clone();
        }
        self.drawn(name).to_owned()
    }

    fn drawn(&mut self, name: &str) -> &'static str {
        let pool = POOLS.iter().find(|pool| pool.name == name);
        let pool = pool.unwrap_or(&TEXTS);
        let is_bad = !pool.bad.is_empty() && self.random.percent(BAD);
        let all = if is_bad { pool.bad } else { pool.good };
        all[self.random.below(all.len())]
    }

    /// Remembers what later calls can name, the last few of each.
    fn learn(&mut self, answer: &Value) {
        match answer {
            Value::Array(elements) => elements.iter().for_each(|element| self.learn(element)),
            Value::Object(members) => {
                for (name, value) in members {
                    let names = ["ReceiptHandle", "TaskHandle", "NextToken"];
                    match (names.iter().find(|known| *known == name), value) {
                        (Some(name), Value::String(text)) => {
                            let learnt = self.learnt.entry(name).or_default();
                            learnt.push(text.clone());
                            let old = learnt.len().saturating_sub(5);
                            learnt.drain(..old);
                        }
                        (_, value) => self.learn(value),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// How a form gets to the server.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// In the body of a POST to `/`.
    Body,
    /// In the URL of a GET.
    Url,
    /// In the body of a POST to the path of the queue that it is about, which it then does not name.
    Path,
}

impl Way {
    const ALL: &[Way] = &[Way::Body, Way::Url, Way::Path];

    /// What a call of `body` leaves to be said in the form, and the path that it is sent to.
    fn parted(self, mut body: Value) -> (Value, String) {
        let queue = body["QueueUrl"].as_str().unwrap_or_default().to_owned();
        if matches!(self, Way::Path) && ["a", "b", "c.fifo"].contains(&&*queue) {
            body.as_object_mut().expect("a call").remove("QueueUrl");
            return (body, format!("/000000000000/{queue}"));
        }
        (body, "/".to_owned())
    }

    fn sent(self, mut request: Request<Bytes>, path: &str) -> Request<Bytes> {
        let target = match self {
            Way::Body | Way::Path => path.to_owned(),
            Way::Url => {
                *request.method_mut() = Method::GET;
                request.headers_mut().remove(CONTENT_TYPE);
                let form = std::mem::take(request.body_mut());
                let form = String::from_utf8(form.to_vec()).expect("a form is text");
                // A plus sign is no blank there.
                format!("{path}?{}", form.replace('+', "%20"))
            }
        };
        *request.uri_mut() = target.parse().expect("a target");
        request
    }
}

/// A server that is spoken to on one wire.
struct Side {
    wire: Wire,
    server: FakeSqs,
}

/// What a call was answered: the status, the code of an error, and the body.
type Outcome = (u16, String, Value);

impl Side {
    /// A server at the beginning of 2026, with the queues `a`, `b` for its dead letters, and `c.fifo`.
    async fn start(wire: Wire, seed: u64) -> Self {
        let new_year = UNIX_EPOCH + Duration::from_secs(1_767_225_600);
        let builder = FakeSqs::builder().seed(seed);
        let started = builder.clock(ClockStart::at(new_year).frozen()).start();
        let server = started.await.expect("a server");
        let side = Side { wire, server };
        for queue in [
            json!({"QueueName": "b"}),
            json!({"QueueName": "a", "Attributes": {"RedrivePolicy": REDRIVE}}),
            json!({"QueueName": "c.fifo", "Attributes": {"FifoQueue": "true"}}),
        ] {
            assert_eq!(side.ask("CreateQueue", queue, Way::Body).await.0, 200);
        }
        side
    }

    /// Asks in JSON, or by a form that goes this way.
    async fn ask(&self, operation: &str, body: Value, way: Way) -> Outcome {
        let call = |body: Value| self.wire.call(&self.server, operation, body.to_string());
        let request = match self.wire {
            Wire::Json => call(body),
            Wire::Query => {
                let (body, path) = way.parted(body);
                way.sent(call(body), &path)
            }
        };
        let request = Signature::default().sign(request);
        let answer = self.wire.send(&self.server, request).await;
        self.outcome(&answer)
    }

    /// What must be the same on both sides.
    fn outcome(&self, answer: &Answer) -> Outcome {
        let code = answer.headers.get("x-amzn-query-error");
        let code = code.map_or("", |code| code.to_str().expect("a code"));
        let text = String::from_utf8(answer.body.to_vec()).expect("text");
        let text = text.replace(&self.server.endpoint_url(), "http://server");
        let mut body = match &*text {
            "" => Value::Null,
            text => serde_json::from_str(text).expect("JSON"),
        };
        if !code.is_empty() {
            let message = body["message"].as_str().unwrap_or_default();
            body["message"] = self.common(code, message).into();
        }
        (answer.status.as_u16(), code.to_owned(), body)
    }

    /// An error's text, as far as the wires have it in common.
    fn common(&self, code: &str, message: &str) -> String {
        if code == "MalformedInput;Sender" {
            return "says what is wrong with the JSON or with the form".to_owned();
        }
        let of_json = Wire::Json.no_such_queue();
        let message = message.replace(self.wire.no_such_queue(), of_json);
        // What XML cannot have.
        message.replace(['\u{7}', '\u{ffff}'], "\u{fffd}")
    }

    async fn advance(&self, by: Duration) {
        self.server.advance(by).await.expect("moved");
    }
}

#[tokio::test]
async fn what_is_asked_over_query_is_answered_as_over_json() {
    let mut succeeded = BTreeSet::new();
    let mut refused = BTreeSet::new();
    for run in 0..RUNS {
        let json = Side::start(Wire::Json, run).await;
        let query = Side::start(Wire::Query, run).await;
        let mut caller = Caller {
            random: Random(run),
            learnt: BTreeMap::new(),
        };
        for n in 0..CALLS {
            if caller.random.percent(15) {
                let by = Duration::from_secs(*caller.random.one_of(&[1, 30, 61, 3_600]));
                json.advance(by).await;
                query.advance(by).await;
            }
            let (operation, body) = caller.call();
            let name = operation.name;
            let way = *caller.random.one_of(Way::ALL);
            let expected = json.ask(name, body.clone(), way).await;
            let found = query.ask(name, body.clone(), way).await;
            assert_eq!(
                found, expected,
                "call {n} of run {run}: {name} {body} by {way:?}"
            );
            caller.learn(&found.2);
            match found {
                (200, _, _) => succeeded.insert(name),
                (_, code, _) => refused.insert(code),
            };
        }
    }
    // Or it would be only refusals that are the same.
    let all = OPERATIONS.iter().map(|operation| operation.name);
    assert_eq!(succeeded, all.collect());
    assert!(refused.len() >= 12, "only these errors: {refused:?}");
}
