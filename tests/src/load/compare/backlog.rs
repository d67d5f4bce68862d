//! A million messages that wait: what they cost in time and memory.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sqs::Operation;

use super::rounds::{self, CONNECTIONS, extremes, median, sum};
use super::{Bench, Table, answered, session, settled, sound};
use crate::load::crew::{Job, Run};
use crate::load::ledger::Promise;
use crate::load::line::Line;
use crate::load::mix::Mix;
use crate::load::processor::Process;
use crate::load::session::{Session, Shape};
use crate::load::wire;
use crate::load::worker::ANSWER_TIME_MAX;

const MESSAGES: u32 = 1_000_000;

/// Small bodies, so that what a message costs beside its body is seen best.
const SIZE: usize = 100;

/// How long filling may take.
const FILL_TIME_MAX: Duration = Duration::from_secs(300);

/// What the memory is compared after: the journal keeps the last requests, and is full by then.
const WARM: Duration = Duration::from_secs(5);

/// The full queue and the empty one are in servers of their own: what a million messages cost a whole server would
/// slow both queues of one, and not be seen.
pub(super) async fn run(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let (full_server, empty_server) = (bench.server().await?, bench.server().await?);
    let shape = Shape {
        promise: Promise::Standard,
        queues: 1,
        groups: 1,
        connections: CONNECTIONS,
        size: SIZE,
    };
    let full = session(&full_server, shape).await?;
    let empty = session(&empty_server, shape).await?;
    for session in [&full, &empty] {
        let warm = Run::new(Job::Mix(Mix::Batch), CONNECTIONS, Duration::ZERO, WARM);
        let warm = warm.run(session, None).await?;
        settled(session, &warm).await?;
    }
    let beside = fill(&full, full_server.process).await?;

    let (at_full, at_empty) = ((&full, full_server.process), (&empty, empty_server.process));
    let pairs = rounds::pairs(Mix::Cycle, at_full, at_empty).await?;
    let of_full = sum(pairs.iter().map(|(full, _)| full));
    table.ran(Mix::Cycle, &of_full);
    answered(&of_full)?;
    sound(&full)?;
    settled(&empty, &sum(pairs.iter().map(|(_, empty)| empty))).await?;
    all_wait(waiting(&full).await?)?;
    let ratios = || {
        let pairs = pairs.iter();
        pairs.map(|(full, empty)| full.requests_per_second() / empty.requests_per_second())
    };
    let (ratio, (least, most)) = (median(ratios()), extremes(ratios()));
    let requests = median(pairs.iter().map(|(full, _)| full.requests_per_second()));
    let measured = format!(
        "{:.1} % of that of a server with an empty queue ({requests:.0} requests/s; rounds {:.0} to {:.0} %)",
        ratio * 100.0,
        least * 100.0,
        most * 100.0
    );
    table.add(
        "1,000,000 messages waiting: throughput",
        (measured, ratio),
        ("≥ 80 %", 0.8),
        ratio >= 0.8,
    );
    table.with([
        ("requests_per_second", requests),
        ("least_ratio", least),
        ("most_ratio", most),
    ]);
    table.add(
        "1,000,000 messages waiting: memory",
        (
            format!("{beside:.0} B each beside the body of {SIZE} B"),
            beside,
        ),
        ("≤ 250 B", 250.0),
        beside <= 250.0,
    );
    Ok(())
}

/// Fills a queue; the bytes of memory that each message took beside its body.
async fn fill(full: &Arc<Session>, server: Process) -> Result<f64, String> {
    let memory = || server.memory().ok_or("the server's memory is not known");
    let before = memory()?;
    let fill = Job::Fill(MESSAGES / u32::from(CONNECTIONS));
    let fill = Run::new(fill, CONNECTIONS, Duration::ZERO, FILL_TIME_MAX);
    let filled = fill.run(full, None).await?;
    answered(&filled)?;
    let after = memory()?;
    all_wait(waiting(full).await?)?;
    beside_the_body(after.saturating_sub(before))
}

/// The messages that a server says it has.
async fn waiting(session: &Session) -> Result<u64, String> {
    let mut line = Line::new(Arc::clone(&session.target));
    let body = wire::get_queue_attributes(session.queue(0)).into();
    let answer = line.call(Operation::GetQueueAttributes, body, ANSWER_TIME_MAX);
    let answer = answer.await.map_err(|failure| failure.to_string())?;
    let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    let count = answer["Attributes"]["ApproximateNumberOfMessages"].as_str();
    count
        .and_then(|count| count.parse().ok())
        .ok_or_else(|| "the server does not say how many messages wait".to_owned())
}

fn all_wait(messages: u64) -> Result<(), String> {
    if messages < u64::from(MESSAGES) {
        return Err(format!("only {messages} messages wait"));
    }
    Ok(())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a size of memory far below 2^52"
)]
fn beside_the_body(taken: u64) -> Result<f64, String> {
    let each = taken as f64 / f64::from(MESSAGES);
    if each < SIZE as f64 {
        return Err(format!(
            "the server took {each:.0} B more for each message, which is less than its body"
        ));
    }
    Ok(each - SIZE as f64)
}

#[cfg(test)]
mod tests {
    use fake_sqs::FakeSqs;

    use super::*;
    use crate::bound::within;
    use crate::load::target::Target;

    #[test]
    fn messages_that_are_not_there_are_an_error() {
        let beside = beside_the_body(320_000_000).expect("more than the bodies");
        assert!((beside - 220.0).abs() < 1e-9, "{beside}");
        for taken in [0, 99_000_000] {
            let error = beside_the_body(taken).expect_err("less than the bodies");
            assert!(error.ends_with("less than its body"), "{error}");
        }
        assert_eq!(all_wait(1_000_000), Ok(()));
        assert_eq!(
            all_wait(999_999),
            Err("only 999999 messages wait".to_owned())
        );
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_waits_is_counted() {
        let server = FakeSqs::start().await;
        let endpoint = server.endpoint_url().parse().expect("an endpoint");
        let target = Arc::new(Target::new(endpoint, "test", "test", "us-east-1"));
        let shape = Shape {
            promise: Promise::Standard,
            queues: 1,
            groups: 1,
            connections: 2,
            size: SIZE,
        };
        let session = within(Session::open(&target, shape))
            .await
            .expect("a queue");
        let session = Arc::new(session);
        assert_eq!(within(waiting(&session)).await, Ok(0));
        let fill = Run::new(Job::Fill(30), 2, Duration::ZERO, FILL_TIME_MAX);
        let _ = within(fill.run(&session, None)).await.expect("a run");
        assert_eq!(within(waiting(&session)).await, Ok(60));
    }
}
