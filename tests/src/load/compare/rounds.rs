//! Two runs in turn, round by round.

use std::sync::Arc;
use std::time::Duration;

use crate::load::crew::{Job, Outcome, Run};
use crate::load::mix::Mix;
use crate::load::processor::Process;
use crate::load::session::Session;

/// Rounds of a pair. An odd number, so that the median is one of them.
const ROUNDS: usize = 11;

/// How long each half of a round is measured, after a warm-up.
const ROUND: Duration = Duration::from_millis(1_000);
const WARMUP: Duration = Duration::from_millis(200);

/// Connections of every row that does not say otherwise.
pub(super) const CONNECTIONS: u16 = 16;

/// A closed loop of one round's length.
pub(super) fn round(mix: Mix) -> Run {
    Run::new(Job::Mix(mix), CONNECTIONS, WARMUP, ROUND)
}

/// The outcomes of both, a pair for each round. The halves change places, so that neither gains from its
/// place.
pub(super) async fn pairs(
    mix: Mix,
    one: (&Arc<Session>, Process),
    other: (&Arc<Session>, Process),
) -> Result<Vec<(Outcome, Outcome)>, String> {
    let run = round(mix);
    let mut pairs = Vec::with_capacity(ROUNDS);
    for index in 0..ROUNDS {
        pairs.push(if index % 2 == 0 {
            let first = run.run(one.0, Some(one.1)).await?;
            (first, run.run(other.0, Some(other.1)).await?)
        } else {
            let first = run.run(other.0, Some(other.1)).await?;
            (run.run(one.0, Some(one.1)).await?, first)
        });
    }
    Ok(pairs)
}

/// All rounds of one of the two as one.
pub(super) fn sum<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Outcome {
    let mut sum = Outcome::default();
    for outcome in outcomes {
        sum.measured += outcome.measured;
        sum.tally.add(outcome.tally.clone());
    }
    sum
}

/// The middle one of some numbers; zero of none.
pub(super) fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// The smallest and the largest.
pub(super) fn extremes(numbers: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    numbers.into_iter().fold(start, |(least, most), number| {
        (least.min(number), most.max(number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(
            median([3.0, 1.0, 2.0]).total_cmp(&2.0),
            std::cmp::Ordering::Equal
        );
        assert_eq!(median([]).total_cmp(&0.0), std::cmp::Ordering::Equal);
        let (least, most) = extremes([3.0, 1.0, 2.0]);
        assert!((least - 1.0).abs() < 1e-9 && (most - 3.0).abs() < 1e-9);
    }
}
