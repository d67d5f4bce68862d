//! How long requests take at half of the highest throughput, in an open loop.

use std::time::Duration;

use super::rounds::{CONNECTIONS, median};
use super::throughput::Cycle;
use super::{Bench, Table, sound};
use crate::load::crew::{Job, Run};
use crate::load::mix::Mix;
use crate::load::report::milliseconds;

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_secs(2);
const WARMUP: Duration = Duration::from_millis(500);

/// How much of the rate that was asked for must have been served.
const SERVED_MIN: f64 = 0.95;

pub(super) async fn run(_bench: &Bench, cycle: &Cycle, table: &mut Table) -> Result<(), String> {
    let rate = cycle.requests_per_second / 2.0;
    let mut run = Run::new(Job::Mix(Mix::Cycle), CONNECTIONS, WARMUP, ROUND);
    run.rate = Some(rate);
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let outcome = run.run(&cycle.session, Some(cycle.server.process)).await?;
        let requests = &outcome.tally.requests;
        let served = outcome.requests_per_second();
        rounds.push((requests.percentile(50.0), requests.percentile(99.0), served));
    }
    sound(&cycle.session)?;
    let ratio = median(
        rounds
            .iter()
            .map(|(p50, p99, _)| p99.as_secs_f64() / p50.as_secs_f64()),
    );
    let p50 = median(rounds.iter().map(|(p50, _, _)| milliseconds(*p50)));
    let p99 = median(rounds.iter().map(|(_, p99, _)| milliseconds(*p99)));
    let served = median(rounds.iter().map(|(_, _, served)| *served));
    table.add(
        "p99 at half of the highest throughput",
        format!("{ratio:.1} × p50 ({p99:.2} and {p50:.2} ms at {served:.0} requests/s)"),
        "≤ 5 × p50",
        ratio <= 5.0 && served >= SERVED_MIN * rate,
    );
    Ok(())
}
