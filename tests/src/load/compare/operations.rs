//! Ten thousand queues: what each operation costs beside one queue.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use sqs::Operation;

use super::rounds::median;
use super::{Bench, Table, session};
use crate::clock;
use crate::load::histogram::Histogram;
use crate::load::ledger::Promise;
use crate::load::line::{Failure, Line};
use crate::load::report::milliseconds;
use crate::load::session::{Session, Shape};
use crate::load::wire::{self, Listed, Received};
use crate::load::worker::ANSWER_TIME_MAX;

const QUEUES: usize = 10_000;

/// Rounds, and how often each operation is called in one.
const ROUNDS: usize = 11;
const CALLS: usize = 200;

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
    let mut ratios: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    let mut pages = Histogram::default();
    let failed = |failure: Failure| format!("a call failed: {failure}");
    for _ in 0..ROUNDS {
        // One call here and one call there, so that what disturbs one disturbs both.
        for _ in 0..CALLS {
            one.each().await.map_err(failed)?;
            many.each().await.map_err(failed)?;
        }
        let (few, much) = (
            std::mem::take(&mut one.times),
            std::mem::take(&mut many.times),
        );
        for (operation, few) in few {
            let of = |times: &Histogram| times.percentile(50.0).as_secs_f64();
            let much = much.get(operation).map(of).unwrap_or_default();
            ratios.entry(operation).or_default().push(much / of(&few));
        }
        many.list(&mut pages).await.map_err(failed)?;
    }
    let medians = ratios
        .into_iter()
        .map(|(operation, ratios)| (operation, median(ratios)));
    let worst = medians.max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (operation, ratio) = worst.ok_or("no operation was measured")?;
    table.add(
        "10,000 queues: each operation",
        format!("{ratio:.2} × one queue for the worst, {operation}"),
        "≤ 1.5 ×",
        ratio <= 1.5,
    );
    let page = milliseconds(pages.percentile(50.0));
    table.add(
        "10,000 queues: a page of ListQueues (1,000 URLs)",
        format!(
            "{page:.2} ms at the median of {}, {:.2} ms at p99",
            pages.count(),
            milliseconds(pages.percentile(99.0))
        ),
        "≤ 5 ms",
        page <= 5.0,
    );
    Ok(())
}

/// Calls one operation after the other, on one connection.
struct Caller {
    session: Arc<Session>,
    line: Line,
    times: Times,
    number: usize,
}

impl Caller {
    fn new(session: &Arc<Session>) -> Self {
        Self {
            session: Arc::clone(session),
            line: Line::new(Arc::clone(&session.target)),
            times: Times::new(),
            number: 0,
        }
    }

    async fn call(&mut self, operation: Operation, body: String) -> Result<Bytes, Failure> {
        let begun = clock::moment();
        let answer = self
            .line
            .call(operation, body.into(), ANSWER_TIME_MAX)
            .await?;
        let took = clock::moment() - begun;
        self.times.entry(operation.name()).or_default().record(took);
        Ok(answer)
    }

    /// Each operation once, on the next queue.
    async fn each(&mut self) -> Result<(), Failure> {
        let session = Arc::clone(&self.session);
        self.number += STRIDE;
        let queue = session.queue(self.number);
        let of_queue = wire::of_queue(queue);
        let with = |more: serde_json::Value| {
            let mut body: serde_json::Value = serde_json::from_str(&of_queue).unwrap_or_default();
            if let (Some(body), serde_json::Value::Object(more)) = (body.as_object_mut(), more) {
                body.extend(more);
            }
            body.to_string()
        };
        let Some(stamp) = session.ledger.next(0) else {
            return Err(Failure::Unreadable("no message is left to send".to_owned()));
        };
        let body = wire::send_message(queue, &session.ledger, stamp, None);
        self.call(Operation::SendMessage, body).await?;
        session.ledger.accepted(stamp);
        let received = wire::receive_message(queue, 1, 0);
        let received = self.call(Operation::ReceiveMessage, received).await?;
        let received: Received<'_> = read(&received)?;
        for message in received.messages {
            session.ledger.arrived(&message.body);
            let handle = message.handle;
            let visibility = with(json!({"ReceiptHandle": handle, "VisibilityTimeout": 60}));
            self.call(Operation::ChangeMessageVisibility, visibility)
                .await?;
            let delete = wire::delete_message(queue, &handle);
            self.call(Operation::DeleteMessage, delete).await?;
        }
        let attributes = wire::get_queue_attributes(queue);
        self.call(Operation::GetQueueAttributes, attributes).await?;
        let attributes = with(json!({"Attributes": {"DelaySeconds": "0"}}));
        self.call(Operation::SetQueueAttributes, attributes).await?;
        let tags = with(json!({"Tags": {"a": "b"}}));
        self.call(Operation::TagQueue, tags).await?;
        self.call(Operation::ListQueueTags, of_queue).await?;
        self.call(Operation::GetQueueUrl, wire::get_queue_url(queue))
            .await?;
        let name = format!("{}new-{}", session.prefix, self.number);
        let created = self
            .call(Operation::CreateQueue, wire::create_queue(&name))
            .await?;
        let created: wire::Created = read(&created)?;
        let created = wire::Queue::new(name, &created.url);
        self.call(Operation::DeleteQueue, wire::of_queue(&created))
            .await?;
        Ok(())
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

fn read<'a, T: Deserialize<'a>>(answer: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(answer).map_err(|error| Failure::Unreadable(error.to_string()))
}
