//! The load tool against a right server, and against ones that lie, hang, refuse or are not there.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use conformance::bound::patiently;
use conformance::load::arguments::{Form, Plan};
use conformance::load::ledger::Fault;
use conformance::load::mix::Mix;
use conformance::load::plain::Floor;
use conformance::load::report::Report;
use conformance::sdk;
use conformance::wire::Wire;
use fake_sqs::FakeSqs;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use sigv4::Credentials;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::Notify;
use tokio::task::JoinSet;

fn plan(endpoint: &str, mix: Mix) -> Plan {
    Plan {
        endpoint: endpoint.parse().expect("an endpoint"),
        credentials: Credentials::new("test", "test"),
        region: "us-east-1".to_owned(),
        connections: 4,
        // Longer than a test may take: what ends a run is what it counts.
        seconds: Duration::from_secs(3_600),
        warmup: Duration::ZERO,
        answer_time_max: Duration::from_secs(60),
        mix,
        size: 64,
        queues: 2,
        groups: 3,
        rate: None,
        form: Form::Text,
    }
}

async fn run(plan: &Plan) -> Result<Report, String> {
    patiently(plan.run(Floor::Without, std::future::pending())).await
}

/// Runs it for longer and longer, until there is enough to be judged, however slow the machine is.
async fn run_until(plan: &mut Plan, is_enough: impl Fn(&Report) -> bool) -> Report {
    plan.seconds = Duration::from_millis(200);
    loop {
        let finished = run(plan).await.expect("a run");
        if is_enough(&finished) || finished.faults.0 > 0 {
            return finished;
        }
        plan.seconds *= 2;
    }
}

/// Whether so many messages went the whole way.
fn went(messages: u64) -> impl Fn(&Report) -> bool {
    move |report| report.outcome.tally.messages >= messages
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mix_finds_a_right_server_right_and_leaves_nothing() {
    let server = FakeSqs::start().await;
    for mix in [Mix::Send, Mix::Cycle, Mix::Batch, Mix::Fifo, Mix::Poll] {
        let mut plan = plan(&server.endpoint_url(), mix);
        // More groups than connections, too.
        plan.groups = 9;
        let finished = run_until(&mut plan, went(1)).await;
        assert_eq!(finished.faults, (0, Vec::new()), "{mix:?}");
        let report = &finished;
        let tally = &report.outcome.tally;
        assert_eq!(tally.errors.len(), 0, "{mix:?}: {tally:?}");
        assert_eq!((report.doubled, report.unchecked), (0, 0), "{mix:?}");
        assert!(
            tally.requests.count() > 0 && tally.messages > 0,
            "{mix:?}: {tally:?}"
        );
        assert!(report.remarks.is_empty(), "{mix:?}: {:?}", report.remarks);
    }
    let left = sdk::client(&server, Wire::Json)
        .list_queues()
        .send()
        .await
        .expect("a list");
    assert_eq!(left.queue_urls(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_a_clear_error() {
    // It has the port and does not listen, so that nobody else does.
    let socket = TcpSocket::new_v4().expect("a socket");
    let any_port = "127.0.0.1:0".parse().expect("an address");
    socket.bind(any_port).expect("a free port");
    let endpoint = format!("http://{}", socket.local_addr().expect("an address"));
    let error = run(&plan(&endpoint, Mix::Cycle))
        .await
        .expect_err("nothing is there");
    assert!(
        error.starts_with(&format!("nothing answers at {endpoint}: ")),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_secret_is_a_clear_error() {
    let server = FakeSqs::start().await;
    let mut plan = plan(&server.endpoint_url(), Mix::Cycle);
    plan.credentials = Credentials::new("test", "wrong");
    let error = run(&plan).await.expect_err("no queue");
    assert!(error.contains("InvalidSignatureException"), "{error}");
    assert!(
        error.ends_with("if this is fake-sqs, its log says why"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wrong_one_of_http_and_https_is_a_clear_error() {
    let plain = stub(Lie::None).await.replace("http:", "https:");
    let error = run(&plan(&plain, Mix::Cycle)).await.expect_err("no TLS");
    assert!(error.ends_with("perhaps it is plain http://"), "{error}");

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        // What a TLS server says to what is no TLS, when it has seen some of it: an alert.
        let _ = stream.read(&mut [0; 64]).await;
        let _ = stream.write_all(&[0x15, 3, 3, 0, 2, 2, 70]).await;
    });
    let error = run(&plan(&endpoint, Mix::Cycle))
        .await
        .expect_err("no HTTP");
    assert!(error.ends_with("perhaps it is https://"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_ends_the_run_and_its_rate() {
    for mix in [Mix::Send, Mix::Cycle] {
        let endpoint = stub(Lie::GoesAway).await;
        let finished = run(&plan(&endpoint, mix)).await.expect("a run");
        let report = &finished;
        let gone = report.gone.as_ref().expect("it is told");
        assert!(!gone.after.is_zero(), "{gone}");
        assert_eq!(report.outcome.measured, gone.after, "{mix:?}");
        assert_eq!(finished.faults, (0, Vec::new()), "{mix:?}");
        let remark = "not deleted: 2 queues with names load-";
        assert!(report.remarks[0].starts_with(remark), "{report:?}");
        assert_eq!(report.time_unknown, "it went away");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lies_are_found() {
    for (lie, mix) in [
        (Lie::Loses, Mix::Cycle),
        (Lie::Loses, Mix::Send),
        (Lie::Loses, Mix::Batch),
        (Lie::Loses, Mix::Poll),
        (Lie::Loses, Mix::Idle),
        (Lie::Alters, Mix::Cycle),
        (Lie::Invents, Mix::Cycle),
        (Lie::Doubles, Mix::Fifo),
        (Lie::Swaps, Mix::Fifo),
    ] {
        let endpoint = stub(lie).await;
        let mut plan = plan(&endpoint, mix);
        // A loss is seen when the run is over; what else is seen ends it.
        let finished = if lie == Lie::Loses {
            run_until(&mut plan, went(5)).await
        } else {
            run(&plan).await.expect("a run")
        };
        let (count, faults) = finished.faults;
        assert!(count > 0, "{lie:?} in {mix:?} was not found");
        let is_right = match lie {
            Lie::Loses => matches!(faults[0], Fault::Lost(_)),
            Lie::Alters => matches!(faults[0], Fault::Altered(_)),
            Lie::Invents => matches!(faults[0], Fault::Foreign),
            Lie::Doubles => matches!(faults[0], Fault::Doubled(_)),
            Lie::Swaps => matches!(faults[0], Fault::OutOfOrder(..)),
            Lie::None
            | Lie::Refuses
            | Lie::Hangs
            | Lie::GoesAway
            | Lie::Throttles
            | Lie::Keeps
            | Lie::Sleeps => false,
        };
        assert!(is_right, "{lie:?} in {mix:?}: {faults:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_standard_queue_may_do_is_counted_and_no_fault() {
    for lie in [Lie::Doubles, Lie::Swaps, Lie::None] {
        let endpoint = stub(lie).await;
        let finished = run_until(&mut plan(&endpoint, Mix::Cycle), went(6)).await;
        assert_eq!(finished.faults, (0, Vec::new()), "{lie:?}");
        assert_eq!(finished.doubled > 0, lie == Lie::Doubles, "{lie:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_at_once_is_not_called_in_a_spin() {
    let endpoint = stub(Lie::Refuses).await;
    let finished = run(&plan(&endpoint, Mix::Cycle)).await.expect("a run");
    let tally = &finished.outcome.tally;
    assert_eq!(tally.gave_up, 4, "each connection gives up");
    assert_eq!(tally.errors["InternalFailure"], 4 * 10);
    assert!(
        tally
            .last_error
            .as_deref()
            .is_some_and(|error| error.contains("out of order"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_does_not_hang_the_load() {
    let endpoint = stub(Lie::Hangs).await;
    let mut plan = plan(&endpoint, Mix::Cycle);
    plan.answer_time_max = Duration::from_millis(100);
    let finished = run(&plan).await.expect("a run");
    let tally = &finished.outcome.tally;
    assert_eq!(tally.requests.count(), 0);
    assert_eq!(tally.gave_up, 4, "each connection gives up");
    assert_eq!(tally.errors["(no answer in time)"], 4 * 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_is_found_in_every_queue() {
    let server = FakeSqs::start().await;
    let mut plan = plan(&server.endpoint_url(), Mix::Send);
    // More of both than look for what is left.
    (plan.connections, plan.queues) = (32, 32);
    let report = run_until(&mut plan, went(64)).await;
    assert_eq!(report.faults, (0, Vec::new()));
    assert_eq!(report.unchecked, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_is_refused_is_tried_again() {
    let endpoint = stub(Lie::Throttles).await;
    let mut plan = plan(&endpoint, Mix::Fifo);
    let is_throttled = |report: &Report| report.outcome.tally.errors.contains_key("Throttled");
    let report = run_until(&mut plan, is_throttled).await;
    assert!(is_throttled(&report), "{report:?}");
    assert_eq!(report.faults, (0, Vec::new()));
    assert_eq!(report.unchecked, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_behind_a_message_that_cannot_be_deleted_is_unchecked() {
    let endpoint = stub(Lie::Keeps).await;
    let report = run_until(&mut plan(&endpoint, Mix::Fifo), |report| {
        report.unchecked > 0
    })
    .await;
    assert_eq!(report.faults, (0, Vec::new()));
    assert!(report.unchecked > 0, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_come_within_the_run_is_an_error_of_it() {
    let endpoint = stub(Lie::Hangs).await;
    let mut plan = plan(&endpoint, Mix::Cycle);
    plan.answer_time_max = Duration::from_secs(4);
    plan.seconds = Duration::from_secs(3);
    let report = run(&plan).await.expect("a run");
    let errors = &report.outcome.tally.errors;
    assert_eq!(errors.get("(no answer in time)"), Some(&4), "{errors:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wakes_no_poll_is_found() {
    let endpoint = stub(Lie::Sleeps).await;
    let mut plan = plan(&endpoint, Mix::Poll);
    let report = run_until(&mut plan, |report| report.outcome.tally.unwoken > 0).await;
    let tally = &report.outcome.tally;
    assert!(tally.unwoken > 0 && tally.wakes.count() == 0, "{tally:?}");
    assert_eq!(report.faults, (0, Vec::new()), "they are there");
}

/// What a stub does to what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    /// The fifth message that is sent never comes.
    Loses,
    /// The fifth message that is received has another body.
    Alters,
    /// A message comes that nobody sent.
    Invents,
    /// The fifth message that is received comes again.
    Doubles,
    /// The fifth message that is received comes after the next one of its sender.
    Swaps,
    /// Every message is refused.
    Refuses,
    /// No message is answered.
    Hangs,
    /// Every third deletion is refused.
    Throttles,
    /// No message of one group can be deleted.
    Keeps,
    /// No poll that waits gets anything.
    Sleeps,
    /// After the hundredth message there is no server any more.
    GoesAway,
}

/// An SQS of one queue, which forgets what it gave. What it lies about is all that is wrong: a message
/// group is locked while a message of it is away, so that only a lie can change an order.
struct Stub {
    lie: Lie,
    queue: Mutex<Queue>,
    sent: Notify,
    end: Arc<Notify>,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// How many messages of a group are away: received and not deleted.
    away: HashMap<String, usize>,
    sent: usize,
    received: usize,
    deletions: usize,
    kept: Option<String>,
    held: Option<Message>,
}

#[derive(Clone)]
struct Message {
    /// Empty in a standard queue.
    group: String,
    body: String,
}

async fn stub(lie: Lie) -> String {
    let end = Arc::new(Notify::new());
    let stub = Stub {
        lie,
        queue: Mutex::default(),
        sent: Notify::new(),
        end: Arc::clone(&end),
    };
    let router = Router::new()
        .fallback(any(answer))
        .with_state(Arc::new(stub));
    // Where there are more addresses, one that nobody else has: or its port might be another's when it
    // went away.
    let host = if cfg!(target_os = "linux") {
        "127.0.77.1:0"
    } else {
        "127.0.0.1:0"
    };
    let listener = TcpListener::bind(host).await.expect("a free port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        // Those that are open end with the listener.
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = end.notified() => return,
            };
            let Ok((stream, _)) = accepted else {
                return;
            };
            let service = hyper_util::service::TowerToHyperService::new(router.clone());
            let stream = hyper_util::rt::TokioIo::new(stream);
            let served =
                hyper::server::conn::http1::Builder::new().serve_connection(stream, service);
            connections.spawn(served);
        }
    });
    endpoint
}

async fn answer(State(stub): State<Arc<Stub>>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers["x-amz-target"].to_str().expect("text");
    let operation = target.strip_prefix("AmazonSQS.").expect("an operation");
    let input: Value = serde_json::from_slice(&body).expect("JSON");
    let is_queue = operation.ends_with("Queue");
    if stub.lie == Lie::Hangs && !is_queue {
        std::future::pending::<()>().await;
    }
    if stub.lie == Lie::Refuses && !is_queue {
        let error =
            json!({"__type": "com.amazonaws.sqs#InternalFailure", "message": "out of order"});
        return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response();
    }
    if stub.refuses(operation, &input) {
        let error = json!({"__type": "com.amazonaws.sqs#Throttled", "message": "too many"});
        return (StatusCode::BAD_REQUEST, error.to_string()).into_response();
    }
    let wait = input["WaitTimeSeconds"].as_u64().unwrap_or_default();
    let answer = stub.answer_with_something(operation, &input, wait);
    let answer = tokio::time::timeout(Duration::from_secs(wait), answer).await;
    let output = answer.unwrap_or_else(|_elapsed| json!({"Messages": []}));
    output.to_string().into_response()
}

impl Stub {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is; of nothing, only when a message was sent.
    async fn answer_with_something(&self, operation: &str, input: &Value, wait: u64) -> Value {
        if self.lie == Lie::Sleeps && wait > 0 {
            std::future::pending::<()>().await;
        }
        loop {
            let mut sent = std::pin::pin!(self.sent.notified());
            sent.as_mut().enable();
            let output = self.answer(operation, input);
            if wait == 0 || output["Messages"] != json!([]) {
                return output;
            }
            sent.await;
        }
    }

    fn answer(&self, operation: &str, input: &Value) -> Value {
        let mut queue = self.queue();
        let output = queue.answer(self.lie, operation, input);
        if self.lie == Lie::GoesAway && queue.sent >= 100 {
            self.end.notify_one();
        }
        if operation.starts_with("SendMessage") {
            self.sent.notify_waiters();
        }
        output
    }

    fn refuses(&self, operation: &str, input: &Value) -> bool {
        if !operation.starts_with("DeleteMessage") {
            return false;
        }
        let mut queue = self.queue();
        queue.deletions += 1;
        match self.lie {
            Lie::Throttles => queue.deletions.is_multiple_of(3),
            Lie::Keeps => {
                let handle = &input["ReceiptHandle"];
                let handle = handle.as_str().unwrap_or_else(|| first_handle(input));
                *queue.kept.get_or_insert(handle.to_owned()) == handle
            }
            Lie::None
            | Lie::Loses
            | Lie::Alters
            | Lie::Invents
            | Lie::Doubles
            | Lie::Swaps
            | Lie::Refuses
            | Lie::Hangs
            | Lie::GoesAway
            | Lie::Sleeps => false,
        }
    }
}

/// That of a batch, whose messages may be of several groups.
fn first_handle(input: &Value) -> &str {
    entries(input)[0]["ReceiptHandle"]
        .as_str()
        .expect("a handle")
}

impl Queue {
    fn answer(&mut self, lie: Lie, operation: &str, input: &Value) -> Value {
        match operation {
            "CreateQueue" => json!({"QueueUrl": "http://localhost/0/q"}),
            "SendMessage" => {
                self.send(lie, input);
                json!({"MessageId": "id"})
            }
            "SendMessageBatch" => {
                entries(input)
                    .iter()
                    .for_each(|entry| self.send(lie, entry));
                json!({"Successful": ids(input), "Failed": []})
            }
            "ReceiveMessage" => {
                let most = input["MaxNumberOfMessages"].as_u64().expect("a number");
                let locked: Vec<String> = self.away.keys().cloned().collect();
                let messages: Vec<Value> = (0..most)
                    .map_while(|_| {
                        let message = self.receive(lie, &locked)?;
                        Some(self.given(&message))
                    })
                    .collect();
                json!({"Messages": messages})
            }
            "DeleteMessageBatch" => {
                entries(input).iter().for_each(|entry| self.delete(entry));
                json!({"Successful": ids(input)})
            }
            "DeleteMessage" => {
                self.delete(input);
                json!({})
            }
            "DeleteQueue" => {
                // The next run begins anew.
                *self = Queue::default();
                json!({})
            }
            other => panic!("the load called {other}"),
        }
    }

    fn send(&mut self, lie: Lie, input: &Value) {
        self.sent += 1;
        if lie == Lie::Loses && self.sent == 5 {
            return;
        }
        let text = |name: &str| input[name].as_str().map(str::to_owned);
        self.messages.push_back(Message {
            group: text("MessageGroupId").unwrap_or_default(),
            body: text("MessageBody").expect("a body"),
        });
    }

    fn receive(&mut self, lie: Lie, locked: &[String]) -> Option<Message> {
        let mut message = self.next(locked)?;
        self.received += 1;
        // The sender stands in the body.
        let sender = |message: &Message| message.body[9..13].to_owned();
        if let Some(held) = self.held.take_if(|held| sender(held) == sender(&message)) {
            self.messages.push_front(held);
        }
        if self.received != 5 {
            return Some(message);
        }
        match lie {
            Lie::None
            | Lie::Loses
            | Lie::Refuses
            | Lie::Hangs
            | Lie::GoesAway
            | Lie::Throttles
            | Lie::Keeps
            | Lie::Sleeps => {}
            Lie::Alters => message.body.replace_range(30..31, "#"),
            Lie::Invents => message.body = "hello".to_owned(),
            Lie::Doubles => self.messages.push_front(message.clone()),
            Lie::Swaps => {
                self.held = Some(message);
                return self.next(locked);
            }
        }
        Some(message)
    }

    /// The first message whose group is not locked.
    fn next(&mut self, locked: &[String]) -> Option<Message> {
        let is_free = |message: &Message| !locked.contains(&message.group);
        let index = self.messages.iter().position(is_free)?;
        self.messages.remove(index)
    }

    fn given(&mut self, message: &Message) -> Value {
        if !message.group.is_empty() {
            *self.away.entry(message.group.clone()).or_default() += 1;
        }
        // The handle is only to say which group it unlocks.
        json!({"Body": message.body, "ReceiptHandle": format!("handle {}", message.group)})
    }

    fn delete(&mut self, input: &Value) {
        let handle = input["ReceiptHandle"].as_str().expect("a handle");
        let group = handle.strip_prefix("handle ").expect("one of ours");
        if let Some(count) = self.away.get_mut(group) {
            *count -= 1;
            if *count == 0 {
                self.away.remove(group);
            }
        }
    }
}

fn entries(input: &Value) -> &[Value] {
    input["Entries"].as_array().expect("entries")
}

fn ids(input: &Value) -> Vec<Value> {
    entries(input)
        .iter()
        .map(|entry| json!({"Id": entry["Id"]}))
        .collect()
}
