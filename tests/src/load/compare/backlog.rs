//! A million messages that wait: what they cost in time and memory.

use std::time::Duration;

use super::rounds::{self, CONNECTIONS, median};
use super::{Bench, Table, session, sound};
use crate::load::crew::{Job, Run};
use crate::load::ledger::Promise;
use crate::load::mix::Mix;
use crate::load::session::Shape;

const MESSAGES: u32 = 1_000_000;

/// Small bodies, so that what a message costs beside its body is seen best.
const SIZE: usize = 100;

/// How long filling may take.
const FILL_TIME_MAX: Duration = Duration::from_secs(300);

/// What the memory is compared after: the journal keeps the last requests, and is full by then.
const WARM: Duration = Duration::from_secs(5);

pub(super) async fn run(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let server = bench.server().await?;
    let shape = Shape {
        promise: Promise::Standard,
        queues: 1,
        groups: 1,
        connections: CONNECTIONS,
        size: SIZE,
    };
    let empty = session(&server, shape).await?;
    let full = session(&server, shape).await?;
    let warm = Run::new(Job::Mix(Mix::Batch), CONNECTIONS, Duration::ZERO, WARM);
    let _ = warm.run(&empty, None).await?;

    let memory = || {
        server
            .process
            .memory()
            .ok_or("the server's memory is not known")
    };
    let before = memory()?;
    let fill = Job::Fill(MESSAGES / u32::from(CONNECTIONS));
    let fill = Run::new(fill, CONNECTIONS, Duration::ZERO, FILL_TIME_MAX);
    let filled = fill.run(&full, None).await?;
    let messages = filled.tally.messages;
    if messages < u64::from(MESSAGES) {
        return Err(format!(
            "only {messages} messages were accepted within {FILL_TIME_MAX:?}"
        ));
    }
    let taken = memory()?.saturating_sub(before);
    let each = taken / messages;
    let beside = each.saturating_sub(SIZE as u64);

    let process = server.process;
    let pairs = rounds::pairs(Mix::Cycle, (&full, process), (&empty, process)).await?;
    for session in [&empty, &full] {
        sound(session)?;
    }
    let ratio = median(
        pairs
            .iter()
            .map(|(full, empty)| full.requests_per_second() / empty.requests_per_second()),
    );
    let requests = median(pairs.iter().map(|(full, _)| full.requests_per_second()));
    table.add(
        "1,000,000 messages waiting: throughput",
        format!(
            "{:.0} % of that with an empty queue ({requests:.0} requests/s)",
            ratio * 100.0
        ),
        "≥ 80 %",
        ratio >= 0.8,
    );
    table.add(
        "1,000,000 messages waiting: memory",
        format!("{beside} B each beside the body of {SIZE} B"),
        "≤ 250 B",
        beside <= 250,
    );
    Ok(())
}
