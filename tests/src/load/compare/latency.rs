//! How long requests take at half of the highest throughput, in an open loop.

use std::fmt;
use std::time::Duration;

use super::rounds::{CONNECTIONS, extremes, median, sum};
use super::{Bench, Table, session, settled};
use crate::load::crew::{Job, Run};
use crate::load::histogram::Histogram;
use crate::load::ledger::Promise;
use crate::load::mix::Mix;
use crate::load::report::milliseconds;
use crate::load::session::Shape;

const ROUNDS: usize = 11;
const ROUND: Duration = Duration::from_secs(1);
const WARMUP: Duration = Duration::from_millis(500);

/// How much of the rate that was asked for must have been served: what never began is in no percentile.
const SERVED_MIN: f64 = 0.99;

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
    let (mut closed_rounds, mut open_rounds) = (Vec::new(), Vec::new());
    let (mut served, mut asked) = (Vec::new(), Vec::new());
    // The highest throughput is looked for again and again: it changes with what else the machine does.
    for _ in 0..ROUNDS {
        let highest = closed.run(&session, None).await?;
        let rate = highest.requests_per_second() / 2.0;
        let mut open = closed;
        open.rate = Some(rate);
        let outcome = open.run(&session, None).await?;
        asked.push(rate);
        served.push(outcome.requests_per_second());
        closed_rounds.push(highest);
        open_rounds.push(outcome);
    }
    table.ran(Mix::Cycle, &sum(&open_rounds));
    settled(&session, &sum(closed_rounds.iter().chain(&open_rounds))).await?;
    let spread = Spread::of(open_rounds.iter().map(|round| &round.tally.requests));
    let kept_up = median(
        served
            .iter()
            .zip(&asked)
            .map(|(served, rate)| served / rate),
    );
    let (served, asked) = (median(served), median(asked));
    table.add(
        "p99 at half of the highest throughput",
        (
            format!("{spread}, at {served:.0} of {asked:.0} requests/s"),
            spread.ratio,
        ),
        ("≤ 5 × p50", 5.0),
        spread.ratio <= 5.0 && kept_up >= SERVED_MIN,
    );
    table.with([
        ("least_ratio", spread.range.0),
        ("most_ratio", spread.range.1),
        ("ratio_of_all", spread.ratio_of_all),
        ("p50_of_all_ms", milliseconds(spread.all.percentile(50.0))),
        ("p99_of_all_ms", milliseconds(spread.all.percentile(99.0))),
        ("max_ms", milliseconds(spread.all.max())),
        ("requests_per_second", served),
        ("asked_requests_per_second", asked),
    ]);
    Ok(())
}

/// What the slowest requests took, in parts of the p50.
struct Spread {
    /// p99 / p50 of the median round.
    ratio: f64,
    /// The same of the best round and of the worst.
    range: (f64, f64),
    /// The same of the requests of all rounds.
    ratio_of_all: f64,
    /// They.
    all: Histogram,
}

impl Spread {
    fn of<'a>(rounds: impl Iterator<Item = &'a Histogram>) -> Self {
        let (mut all, mut ratios) = (Histogram::default(), Vec::new());
        for round in rounds {
            ratios.push(ratio(round));
            all.add(round);
        }
        Self {
            range: extremes(ratios.iter().copied()),
            ratio: median(ratios),
            ratio_of_all: ratio(&all),
            all,
        }
    }
}

fn ratio(requests: &Histogram) -> f64 {
    requests.percentile(99.0).as_secs_f64() / requests.percentile(50.0).as_secs_f64()
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} × p50 in the median round (rounds {:.1} to {:.1}); over all {:.1} × \
             ({:.2} and {:.2} ms, the longest {:.1} ms)",
            self.ratio,
            self.range.0,
            self.range.1,
            self.ratio_of_all,
            milliseconds(self.all.percentile(99.0)),
            milliseconds(self.all.percentile(50.0)),
            milliseconds(self.all.max())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_in_a_few_rounds_is_told() {
        let round = |stalled| {
            let mut round = Histogram::default();
            for count in 0..100 {
                let took = if count < stalled { 100 } else { 1 };
                round.record(Duration::from_millis(took));
            }
            round
        };
        let rounds = [round(0), round(10), round(0)];
        let spread = Spread::of(rounds.iter());
        let text = spread.to_string();
        assert_eq!(
            text,
            "1.0 × p50 in the median round (rounds 1.0 to 99.2); over all 99.2 × (100.00 and 1.01 ms, \
             the longest 100.0 ms)"
        );
    }
}
