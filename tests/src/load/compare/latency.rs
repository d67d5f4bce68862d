//! How long requests take at half of the highest throughput, in an open loop.

use std::time::Duration;

use super::rounds::{CONNECTIONS, median};
use super::{Bench, Table, session, sound};
use crate::load::crew::{Job, Run};
use crate::load::ledger::Promise;
use crate::load::mix::Mix;
use crate::load::report::milliseconds;
use crate::load::session::Shape;

const ROUNDS: usize = 11;
const ROUND: Duration = Duration::from_secs(1);
const WARMUP: Duration = Duration::from_millis(500);

/// How much of the rate that was asked for must have been served.
const SERVED_MIN: f64 = 0.95;

pub(super) async fn run(bench: &Bench, table: &mut Table) -> Result<(), String> {
    let server = bench.server().await?;
    let shape = Shape {
        promise: Promise::Standard,
        queues: 1,
        groups: 1,
        connections: CONNECTIONS,
        size: 1024,
    };
    let session = session(&server, shape).await?;
    let closed = Run::new(Job::Mix(Mix::Cycle), CONNECTIONS, WARMUP, ROUND);
    let (mut rounds, mut rates) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    // The highest throughput is looked for again and again: it changes with what else the machine does.
    for _ in 0..ROUNDS {
        let highest = closed.run(&session, None).await?;
        let rate = highest.requests_per_second() / 2.0;
        let mut open = closed;
        open.rate = Some(rate);
        let outcome = open.run(&session, None).await?;
        let requests = &outcome.tally.requests;
        rounds.push((requests.percentile(50.0), requests.percentile(99.0)));
        rates.push((outcome.requests_per_second(), rate));
    }
    sound(&session)?;
    let ratio = median(
        rounds
            .iter()
            .map(|(p50, p99)| p99.as_secs_f64() / p50.as_secs_f64()),
    );
    let p50 = median(rounds.iter().map(|(p50, _)| milliseconds(*p50)));
    let p99 = median(rounds.iter().map(|(_, p99)| milliseconds(*p99)));
    let served = median(rates.iter().map(|(served, _)| *served));
    let kept_up = median(rates.iter().map(|(served, rate)| served / rate));
    table.add(
        "p99 at half of the highest throughput",
        format!("{ratio:.1} × p50 ({p99:.2} and {p50:.2} ms at {served:.0} requests/s)"),
        "≤ 5 × p50",
        ratio <= 5.0 && kept_up >= SERVED_MIN,
    );
    Ok(())
}
