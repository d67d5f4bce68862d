//! Ten thousand queues: what each operation costs beside one queue.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use sqs::Operation;

use super::rounds::median;
use super::{Bench, Table, session, settled};
use crate::clock;
use crate::load::content::Stamp;
use crate::load::crew::Outcome;
use crate::load::histogram::Histogram;
use crate::load::ledger::Promise;
use crate::load::line::{Failure, Line};
use crate::load::mix::Mix;
use crate::load::report::{counted, milliseconds};
use crate::load::session::{Session, Shape};
use crate::load::wire::{self, BATCH, Batch, Listed, Queue, Received};
use crate::load::worker::ANSWER_TIME_MAX;

const QUEUES: usize = 10_000;

/// Rounds, and how often each operation is called in one.
const ROUNDS: usize = 11;
const CALLS: usize = 200;

/// How many times longer an operation may take with many queues.
const RATIO_MAX: f64 = 1.5;

/// A number without a common divisor with the number of queues: steps of it lead to all of them.
const STRIDE: usize = 3_571;

/// Times by operation.
type Times = BTreeMap<&'static str, Histogram>;

pub(super) async fn run(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let (one, many) = (bench.server().await?, bench.server().await?);
    let shape = |queues| Shape {
        promise: Promise::Standard,
        queues,
        groups: 1,
        connections: 1,
        size: 1024,
    };
    let one_queue = session(&one, shape(1)).await?;
    let many_queues = session(&many, shape(QUEUES)).await?;
    let (mut one, mut many) = (Caller::new(&one_queue), Caller::new(&many_queues));
    let mut rounds: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    let mut pages = Histogram::default();
    let failed = |failure: Failure| format!("a call failed: {failure}");
    for _ in 0..ROUNDS {
        // One call here and one call there, so that what disturbs one disturbs both.
        for _ in 0..CALLS {
            one.each().await.map_err(failed)?;
            many.each().await.map_err(failed)?;
        }
        for (operation, ratio) in ratios(&one.take_times(), &many.take_times())? {
            rounds.entry(operation).or_default().push(ratio);
        }
        many.list(&mut pages).await.map_err(failed)?;
    }
    table.ran(Mix::Cycle, &many.outcome);
    settled(&one_queue, &one.outcome).await?;
    settled(&many_queues, &many.outcome).await?;
    let mut medians: Vec<(&'static str, f64)> = rounds
        .into_iter()
        .map(|(operation, ratios)| (operation, median(ratios)))
        .collect();
    medians.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let (worst, ratio) = *medians.first().ok_or("no operation was measured")?;
    let measured = format!(
        "{ratio:.2} × one queue for the worst of {}, {worst}{}",
        medians.len(),
        Others(&medians[1..])
    );
    table.add(
        "10,000 queues: each operation",
        (measured, ratio),
        ("≤ 1.5 ×", RATIO_MAX),
        ratio <= RATIO_MAX,
    );
    table.with(medians);
    let page = milliseconds(pages.percentile(50.0));
    let p99 = milliseconds(pages.percentile(99.0));
    let measured = format!(
        "{page:.2} ms at the median of {}, {p99:.2} ms at p99",
        pages.count()
    );
    table.add(
        "10,000 queues: a page of ListQueues (1,000 URLs)",
        (measured, page),
        ("≤ 5 ms", 5.0),
        page <= 5.0,
    );
    table.with([("p99_ms", p99)]);
    Ok(())
}

/// How many times longer each operation takes with many queues, at the median. ListQueues has a row of its own: with
/// many queues it gives more.
///
/// # Errors
///
/// When one was not called, or not as often on both sides.
fn ratios(few: &Times, many: &Times) -> Result<Vec<(&'static str, f64)>, String> {
    let operations = Operation::ALL.iter();
    let operations = operations.filter(|operation| **operation != Operation::ListQueues);
    let none = Histogram::default();
    operations
        .map(|operation| {
            let of = |times: &Times| times.get(operation.name()).unwrap_or(&none).clone();
            let (few, many) = (of(few), of(many));
            if few.count() == 0 || few.count() != many.count() {
                return Err(format!(
                    "{operation} was called {} with one queue and {} with many",
                    counted(few.count(), "time"),
                    counted(many.count(), "time")
                ));
            }
            let [few, many] = [few, many].map(|times| times.percentile(50.0).as_secs_f64());
            Ok((operation.name(), many / few))
        })
        .collect()
}

/// The operations after the worst one that take too long as well.
struct Others<'a>(&'a [(&'static str, f64)]);

impl fmt::Display for Others<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let late = self.0.iter().filter(|(_, ratio)| *ratio > RATIO_MAX);
        for (operation, ratio) in late {
            write!(f, ", {operation} {ratio:.2}")?;
        }
        Ok(())
    }
}

/// Calls one operation after the other, on one connection.
struct Caller {
    session: Arc<Session>,
    line: Line,
    outcome: Outcome,
    number: usize,
}

impl Caller {
    fn new(session: &Arc<Session>) -> Self {
        Self {
            session: Arc::clone(session),
            line: Line::new(Arc::clone(&session.target)),
            outcome: Outcome::default(),
            number: 0,
        }
    }

    /// The times since they were taken before.
    fn take_times(&mut self) -> Times {
        std::mem::take(&mut self.outcome.tally.operations)
    }

    /// A call whose time counts.
    async fn call(&mut self, operation: Operation, body: String) -> Result<Bytes, Failure> {
        let begun = clock::moment();
        let answer = self.prepare(operation, body).await?;
        let ended = clock::moment();
        let took = ended - begun;
        self.outcome.tally.succeeded(operation, took);
        self.outcome.tally.answered(ended);
        self.outcome.measured += took;
        Ok(answer)
    }

    /// A call that another one needs.
    async fn prepare(&mut self, operation: Operation, body: String) -> Result<Bytes, Failure> {
        let body = body.into();
        self.line.call(operation, body, ANSWER_TIME_MAX).await
    }

    /// Each operation but ListQueues once: on the next queue, or where it needs a new one or changes one for a minute,
    /// on queues that it makes and deletes.
    async fn each(&mut self) -> Result<(), Failure> {
        self.number += STRIDE;
        let session = Arc::clone(&self.session);
        let queue = session.queue(self.number);
        self.messages(queue).await?;
        self.batches(queue).await?;
        self.settings(queue).await?;
        self.new_queues().await
    }

    async fn messages(&mut self, queue: &Queue) -> Result<(), Failure> {
        let session = Arc::clone(&self.session);
        for stamp in stamps(&session, 1)? {
            let body = wire::send_message(queue, &session.ledger, stamp, None);
            self.call(Operation::SendMessage, body).await?;
            session.ledger.accepted(stamp);
        }
        let body = wire::receive_message(queue, 1, 0);
        let answer = self.call(Operation::ReceiveMessage, body).await?;
        for handle in handles(&session, &answer, 1)? {
            let hidden = json!({"ReceiptHandle": handle, "VisibilityTimeout": 60});
            self.call(Operation::ChangeMessageVisibility, with(queue, hidden)?)
                .await?;
            let body = wire::delete_message(queue, &handle);
            self.call(Operation::DeleteMessage, body).await?;
        }
        Ok(())
    }

    async fn batches(&mut self, queue: &Queue) -> Result<(), Failure> {
        let session = Arc::clone(&self.session);
        let stamps = stamps(&session, BATCH)?;
        let body = wire::send_message_batch(queue, &session.ledger, &stamps, None);
        whole(&self.call(Operation::SendMessageBatch, body).await?)?;
        for stamp in stamps {
            session.ledger.accepted(stamp);
        }
        // Receiving one message is timed, and ten take longer.
        let body = wire::receive_message(queue, BATCH, 0);
        let answer = self.prepare(Operation::ReceiveMessage, body).await?;
        let handles = handles(&session, &answer, BATCH)?;
        let entries: Vec<Value> = (0..)
            .zip(&handles)
            .map(|(id, handle): (usize, _)| {
                json!({"Id": id.to_string(), "ReceiptHandle": handle, "VisibilityTimeout": 60})
            })
            .collect();
        let hidden = with(queue, json!({"Entries": entries}))?;
        whole(
            &self
                .call(Operation::ChangeMessageVisibilityBatch, hidden)
                .await?,
        )?;
        let body = wire::delete_message_batch(queue, &handles);
        whole(&self.call(Operation::DeleteMessageBatch, body).await?)
    }

    async fn settings(&mut self, queue: &Queue) -> Result<(), Failure> {
        let permission =
            json!({"Label": "load", "AWSAccountIds": ["123456789012"], "Actions": ["SendMessage"]});
        for (operation, more) in [
            (
                Operation::GetQueueAttributes,
                json!({"AttributeNames": ["All"]}),
            ),
            (
                Operation::SetQueueAttributes,
                json!({"Attributes": {"DelaySeconds": "0"}}),
            ),
            (Operation::TagQueue, json!({"Tags": {"a": "b"}})),
            (Operation::ListQueueTags, json!({})),
            (Operation::UntagQueue, json!({"TagKeys": ["a"]})),
            (Operation::AddPermission, permission),
            (Operation::RemovePermission, json!({"Label": "load"})),
        ] {
            self.call(operation, with(queue, more)?).await?;
        }
        self.call(Operation::GetQueueUrl, wire::get_queue_url(queue))
            .await?;
        Ok(())
    }

    /// A queue, and one for its dead letters, with a task that is under way until it is cancelled.
    async fn new_queues(&mut self) -> Result<(), Failure> {
        let name = |kind: &str| format!("{}{kind}-{}", self.session.prefix, self.number);
        let (name, dead_name) = (name("new"), name("dead"));
        let body = wire::create_queue(&name);
        let created = self.call(Operation::CreateQueue, body).await?;
        let queue = Queue::new(name, &read::<wire::Created>(&created)?.url);
        let body = wire::create_queue(&dead_name);
        let created = self.prepare(Operation::CreateQueue, body).await?;
        let dead = Queue::new(dead_name, &read::<wire::Created>(&created)?.url);
        self.call(Operation::PurgeQueue, wire::of_queue(&queue))
            .await?;

        let arn = self.arn(&queue).await?;
        let dead_arn = self.arn(&dead).await?;
        let policy = json!({"deadLetterTargetArn": dead_arn, "maxReceiveCount": 3}).to_string();
        let policy = with(&queue, json!({"Attributes": {"RedrivePolicy": policy}}))?;
        self.prepare(Operation::SetQueueAttributes, policy).await?;
        let entries: Vec<Value> = (0..BATCH)
            .map(|id| json!({"Id": id.to_string(), "MessageBody": "dead"}))
            .collect();
        let letters = with(&dead, json!({"Entries": entries}))?;
        whole(&self.prepare(Operation::SendMessageBatch, letters).await?)?;
        self.call(Operation::ListDeadLetterSourceQueues, wire::of_queue(&dead))
            .await?;
        // At this rate it is under way for ten seconds.
        let task = json!({"SourceArn": dead_arn, "DestinationArn": arn, "MaxNumberOfMessagesPerSecond": 1});
        let started = self
            .call(Operation::StartMessageMoveTask, task.to_string())
            .await?;
        let started: Value = read(&started)?;
        let source = json!({"SourceArn": dead_arn}).to_string();
        self.call(Operation::ListMessageMoveTasks, source).await?;
        let task = json!({"TaskHandle": started["TaskHandle"]}).to_string();
        self.call(Operation::CancelMessageMoveTask, task).await?;

        self.call(Operation::DeleteQueue, wire::of_queue(&queue))
            .await?;
        self.prepare(Operation::DeleteQueue, wire::of_queue(&dead))
            .await?;
        Ok(())
    }

    async fn arn(&mut self, queue: &Queue) -> Result<String, Failure> {
        let body = wire::get_queue_attributes(queue);
        let answer = self.prepare(Operation::GetQueueAttributes, body).await?;
        let answer: Value = read(&answer)?;
        let arn = answer["Attributes"]["QueueArn"].as_str().map(str::to_owned);
        arn.ok_or_else(|| Failure::Unreadable("a queue without an ARN".to_owned()))
    }

    /// All pages of all queues.
    async fn list(&mut self, pages: &mut Histogram) -> Result<(), Failure> {
        let (mut after, mut seen): (Option<String>, usize) = (None, 0);
        for _ in 0..QUEUES {
            let body = wire::list_queues(&self.session.prefix, after.as_deref());
            let begun = clock::moment();
            let answer = self
                .line
                .call(Operation::ListQueues, body.into(), ANSWER_TIME_MAX)
                .await?;
            let took: Duration = clock::moment() - begun;
            pages.record(took);
            let page: Listed = read(&answer)?;
            seen += page.urls.len();
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        if seen != self.session.queues.len() {
            return Err(Failure::Unreadable(format!(
                "ListQueues gave {seen} queues"
            )));
        }
        Ok(())
    }
}

/// The next messages to send.
fn stamps(session: &Session, count: usize) -> Result<Vec<Stamp>, Failure> {
    let stamps: Option<Vec<Stamp>> = (0..count).map(|_| session.ledger.next(0)).collect();
    stamps.ok_or_else(|| Failure::Unreadable("no message is left to send".to_owned()))
}

/// The handles of messages that were received: so many as there are.
fn handles<'a>(
    session: &Session,
    answer: &'a [u8],
    count: usize,
) -> Result<Vec<Cow<'a, str>>, Failure> {
    let received: Received<'a> = read(answer)?;
    if received.messages.len() != count {
        let found = received.messages.len();
        let why = format!("{found} messages where {count} wait");
        return Err(Failure::Unreadable(why));
    }
    let messages = received.messages.into_iter();
    let handles = messages.map(|message| {
        session.ledger.arrived(&message.body);
        message.handle
    });
    Ok(handles.collect())
}

/// A request that names a queue and more.
fn with(queue: &Queue, more: Value) -> Result<String, Failure> {
    let mut body: Value = read(wire::of_queue(queue).as_bytes())?;
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    Ok(body.to_string())
}

/// Whether all entries of a batch were done.
fn whole(answer: &[u8]) -> Result<(), Failure> {
    let batch: Batch<'_> = read(answer)?;
    if batch.successful.len() == BATCH {
        return Ok(());
    }
    Err(Failure::Unreadable("an entry of a batch failed".to_owned()))
}

fn read<'a, T: Deserialize<'a>>(answer: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(answer).map_err(|error| Failure::Unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use fake_sqs::FakeSqs;

    use super::*;
    use crate::bound::within;
    use crate::load::target::Target;

    #[tokio::test(flavor = "multi_thread")]
    async fn each_operation_is_called_and_nothing_is_left() {
        let server = FakeSqs::start().await;
        let endpoint = server.endpoint_url().parse().expect("an endpoint");
        let target = Arc::new(Target::new(endpoint, "test", "test", "us-east-1"));
        let shape = Shape {
            promise: Promise::Standard,
            queues: 2,
            groups: 1,
            connections: 1,
            size: 64,
        };
        let session = within(Session::open(&target, shape)).await.expect("queues");
        let session = Arc::new(session);
        let mut caller = Caller::new(&session);
        for _ in 0..3 {
            within(caller.each()).await.expect("each operation");
        }
        let mut pages = Histogram::default();
        within(caller.list(&mut pages)).await.expect("two queues");
        assert_eq!(within(settled(&session, &caller.outcome)).await, Ok(()));
        let times = caller.take_times();
        for (name, times) in &times {
            assert_eq!(times.count(), 3, "{name}");
        }
        let ratios = ratios(&times, &times).expect("all were called");
        assert_eq!(ratios.len() + 1, Operation::ALL.len());
    }

    #[test]
    fn an_operation_that_was_not_measured_on_both_sides_is_an_error() {
        let mut few = Times::new();
        for operation in Operation::ALL {
            let times = few.entry(operation.name()).or_default();
            times.record(Duration::from_millis(1));
        }
        let mut many = few.clone();
        assert!(ratios(&few, &many).is_ok());
        let times = many.entry("PurgeQueue").or_default();
        times.record(Duration::from_millis(1));
        let error = ratios(&few, &many).expect_err("one more");
        assert_eq!(
            error,
            "PurgeQueue was called 1 time with one queue and 2 times with many"
        );
        many.remove("PurgeQueue");
        assert!(ratios(&few, &many).is_err(), "none with many");
        few.remove("PurgeQueue");
        assert!(ratios(&few, &many).is_err(), "none at all");
    }
}
