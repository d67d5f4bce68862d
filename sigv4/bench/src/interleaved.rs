//! Measuring many cases at once, so that what else the machine does falls on all of them alike.

use crate::case::Case;

/// How long a batch is meant to take, in nanoseconds: shorter than a time slice, so that most batches
/// are not interrupted, and long enough for the clock.
const BATCH_NS: u128 = 60_000;

/// The median time of each case in nanoseconds: batches of about 60 µs, one of each case in turn.
pub fn medians(cases: &mut [Case], rounds: usize) -> Vec<f64> {
    let sizes: Vec<u64> = cases.iter_mut().map(batch_size).collect();
    let mut times: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); cases.len()];
    for _ in 0..rounds {
        for ((case, &size), times) in cases.iter_mut().zip(&sizes).zip(&mut times) {
            times.push(case.time(size).as_nanos() as f64 / size as f64);
        }
    }
    times
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect()
}

fn batch_size(case: &mut Case) -> u64 {
    let once = (0..20)
        .map(|_| case.time(8).as_nanos() / 8)
        .min()
        .unwrap_or(1)
        .max(1);
    u64::try_from(BATCH_NS / once).unwrap_or(1).max(1)
}
