//! How many requests and messages a second, beside the bare server.

use super::rounds::{self, CONNECTIONS, extremes, median};
use super::{Bench, Table, session, sound};
use crate::load::crew::Outcome;
use crate::load::ledger::Promise;
use crate::load::mix::Mix;
use crate::load::plain::{beside, settle};
use crate::load::report::Report;
use crate::load::session::Shape;

/// The outcomes of fake-sqs and of the floor, by rounds.
struct Compared(Vec<(Outcome, Outcome)>);

impl Compared {
    fn median_of(&self, number: impl Fn(&Outcome) -> f64) -> (f64, f64) {
        (
            median(self.0.iter().map(|(own, _)| number(own))),
            median(self.0.iter().map(|(_, floor)| number(floor))),
        )
    }

    /// The median of the rounds' ratios, the smallest and the largest.
    fn ratio(&self) -> (f64, f64, f64) {
        let ratios = || {
            let pairs = self.0.iter();
            pairs.map(|(own, floor)| own.requests_per_second() / floor.requests_per_second())
        };
        let (least, most) = extremes(ratios());
        (median(ratios()), least, most)
    }
}

async fn compared(bench: &Bench, mix: Mix, size: usize) -> Result<Compared, String> {
    let server = bench.server().await?;
    let shape = Shape {
        promise: Promise::Standard,
        queues: 1,
        groups: 1,
        connections: CONNECTIONS,
        size,
    };
    let session = session(&server, shape).await?;
    let (floor, at_floor) = beside(&session, mix).await?;
    let own = (&session, server.process);
    let pairs = rounds::pairs(mix, own, (&at_floor, floor.process)).await?;
    for (own, _) in &pairs {
        settle(&session, own).await?;
    }
    sound(&session)?;
    Ok(Compared(pairs))
}

pub(super) async fn cycle(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let compared = compared(bench, Mix::Cycle, 1024).await?;
    let (own, floor) = compared.median_of(Outcome::requests_per_second);
    let (ratio, least, most) = compared.ratio();
    table.add(
        "send-receive-delete of 1 KiB, 16 connections",
        format!(
            "{:.0} % of the bare server ({own:.0} and {floor:.0} requests/s; rounds {:.0} to {:.0} %)",
            ratio * 100.0,
            least * 100.0,
            most * 100.0
        ),
        "≥ 60 %",
        ratio >= 0.6,
    );
    let mut sum = Outcome::default();
    for (own, _) in &compared.0 {
        sum.measured += own.measured;
        sum.tally.add(own.tally.clone());
    }
    let report = Report {
        mix: Mix::Cycle,
        connections: CONNECTIONS,
        size: 1024,
        outcome: sum,
        faults: (0, Vec::new()),
        doubled: 0,
        unchecked: 0,
        gone: None,
        time_unknown: "it was not asked for",
        floor: None,
        remarks: Vec::new(),
    };
    table.last_line = Some(report.last_line());
    Ok(())
}

pub(super) async fn batches(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let compared = compared(bench, Mix::Batch, 256).await?;
    let (own, _) = compared.median_of(Outcome::messages_per_second);
    let (ratio, least, most) = compared.ratio();
    table.add(
        "batches of 10, 256 B (sent, received and deleted)",
        format!(
            "{own:.0} messages/s; {:.0} % of the bare server (rounds {:.0} to {:.0} %)",
            ratio * 100.0,
            least * 100.0,
            most * 100.0
        ),
        "≥ 40,000/s, or ≥ 50 %",
        own >= 40_000.0 || ratio >= 0.5,
    );
    Ok(())
}
