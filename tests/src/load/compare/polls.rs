//! Two thousand polls that wait: what they cost, and how soon one is woken.

use std::time::Duration;

use super::{Bench, Table, session, sound};
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
    sound(&session)?;
    let tally = &outcome.tally;
    if let Some(error) = &tally.last_error {
        return Err(format!("a poll failed: {error}"));
    }
    let time = outcome
        .server_time
        .ok_or("the server's processor time is not known")?;
    let share = 100.0 * time.as_secs_f64() / outcome.watched.as_secs_f64();
    let (before, after) = outcome.waiting;
    let all = usize::from(POLLS);
    table.add(
        "2,000 long polls waiting: processor time",
        format!(
            "{share:.2} % of a core over {:.0} s, each poll renewed once ({before} and {after} waiting)",
            outcome.watched.as_secs_f64()
        ),
        "≤ 1 %",
        // At any moment one may be between two polls.
        share <= 1.0 && before.min(after) * 100 >= all * 99,
    );
    let median = milliseconds(tally.wakes.percentile(50.0));
    table.add(
        "2,000 long polls waiting: from a send to its poll's answer",
        format!(
            "{median:.2} ms at the median of {}, {:.2} ms at p99; {} others ended early",
            tally.wakes.count(),
            milliseconds(tally.wakes.percentile(99.0)),
            tally.early
        ),
        "≤ 5 ms, the others stay",
        median <= 5.0 && tally.wakes.count() >= WAKES_MIN && tally.early == 0,
    );
    Ok(())
}
