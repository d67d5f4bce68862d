//! Two thousand polls that wait: what they cost, and how soon one is woken.

use std::time::Duration;

use super::{Bench, Table, session, settled};
use crate::load::crew::{Job, Run};
use crate::load::ledger::Promise;
use crate::load::mix::{Mix, POLL_TIME};
use crate::load::report::milliseconds;
use crate::load::session::Shape;

const POLLS: u16 = 2_000;

/// So a hundred polls wait at each queue.
const QUEUES: usize = 20;

/// All polls are there after it.
const WARMUP: Duration = Duration::from_secs(3);

/// Wakes of which the median is one.
const WAKES_MIN: u64 = 50;

pub(super) async fn run(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let server = bench.server().await?;
    // One more wakes them.
    let connections = POLLS + 1;
    let shape = Shape {
        promise: Promise::Standard,
        queues: QUEUES,
        groups: 1,
        connections,
        size: 1024,
    };
    let session = session(&server, shape).await?;
    // As long as a poll waits, so that each of them ends and begins anew once.
    let run = Run::new(Job::Mix(Mix::Idle), connections, WARMUP, POLL_TIME);
    let outcome = run.run(&session, Some(server.process)).await?;
    table.ran(Mix::Idle, &outcome);
    settled(&session, &outcome).await?;
    let tally = &outcome.tally;
    let time = outcome
        .server_time
        .ok_or("the server's processor time is not known")?;
    let share = time.as_secs_f64() / outcome.watched.as_secs_f64();
    let (before, after) = outcome.waiting;
    let all = usize::from(POLLS);
    let measured = format!(
        "{:.2} % of a core over {:.0} s, each poll renewed once ({before} and {after} waiting)",
        100.0 * share,
        outcome.watched.as_secs_f64()
    );
    table.add(
        "2,000 long polls waiting: processor time",
        (measured, share),
        ("≤ 1 %", 0.01),
        // At any moment one may be between two polls.
        share <= 0.01 && before.min(after) * 100 >= all * 99,
    );
    let median = milliseconds(tally.wakes.percentile(50.0));
    let p99 = milliseconds(tally.wakes.percentile(99.0));
    let measured = format!(
        "{median:.2} ms at the median of {}, {p99:.2} ms at p99; {} woke none, \
         {} others ended early",
        tally.wakes.count(),
        tally.unwoken,
        tally.early
    );
    table.add(
        "2,000 long polls waiting: from a send to its poll's answer",
        (measured, median),
        ("≤ 5 ms, the others stay", 5.0),
        median <= 5.0 && tally.wakes.count() >= WAKES_MIN && tally.unwoken == 0 && tally.early == 0,
    );
    table.with([("p99_ms", p99)]);
    Ok(())
}
