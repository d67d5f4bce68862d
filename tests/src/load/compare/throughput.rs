//! How many requests and messages a second, beside the bare server.

use super::rounds::{self, CONNECTIONS, extremes, median, sum};
use super::{Bench, Table, answered, session, settled};
use crate::load::crew::Outcome;
use crate::load::ledger::Promise;
use crate::load::mix::Mix;
use crate::load::plain::beside;
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

async fn compared(
    bench: &Bench,
    table: &mut Table,
    mix: Mix,
    size: usize,
) -> Result<Compared, String> {
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
    let own = sum(pairs.iter().map(|(own, _)| own));
    table.ran(mix, &own);
    settled(&session, &own).await?;
    answered(&sum(pairs.iter().map(|(_, floor)| floor)))?;
    Ok(Compared(pairs))
}

pub(super) async fn cycle(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let compared = compared(bench, table, Mix::Cycle, 1024).await?;
    let (own, floor) = compared.median_of(Outcome::requests_per_second);
    let (ratio, least, most) = compared.ratio();
    let measured = format!(
        "{:.0} % of the bare server ({own:.0} and {floor:.0} requests/s; rounds {:.0} to {:.0} %)",
        ratio * 100.0,
        least * 100.0,
        most * 100.0
    );
    table.add(
        "send-receive-delete of 1 KiB, 16 connections",
        (measured, ratio),
        ("≥ 60 %", 0.6),
        ratio >= 0.6,
    );
    table.with([
        ("requests_per_second", own),
        ("floor_requests_per_second", floor),
        ("least_ratio", least),
        ("most_ratio", most),
    ]);
    Ok(())
}

pub(super) async fn batches(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let compared = compared(bench, table, Mix::Batch, 256).await?;
    let (own, floor) = compared.median_of(Outcome::messages_per_second);
    let (ratio, least, most) = compared.ratio();
    let measured = format!(
        "{own:.0} messages/s; {:.0} % of the bare server (rounds {:.0} to {:.0} %)",
        ratio * 100.0,
        least * 100.0,
        most * 100.0
    );
    table.add(
        "batches of 10, 256 B (sent, received and deleted)",
        (measured, own),
        ("≥ 40,000/s, or ≥ 50 %", 40_000.0),
        own >= 40_000.0 || ratio >= 0.5,
    );
    table.with([
        ("floor_messages_per_second", floor),
        ("floor_ratio", ratio),
        ("floor_ratio_bound", 0.5),
        ("least_ratio", least),
        ("most_ratio", most),
    ]);
    Ok(())
}
