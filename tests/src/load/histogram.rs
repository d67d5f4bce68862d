//! How long things took, as percentiles.

use std::time::Duration;

/// Steps within each power of two: 64, so that a value is told to within 1.6 %.
const STEPS: u64 = 64;

/// The power of two up to which every nanosecond has a step of its own.
const EXACT_BITS: u32 = STEPS.trailing_zeros();

/// Durations, counted in steps that grow with them. It takes memory for the longest one that was
/// recorded: a few KiB for an hour.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    longest: Duration,
}

impl Histogram {
    /// Counts one.
    pub fn record(&mut self, took: Duration) {
        let step = step_of(nanos(took));
        if self.counts.len() <= step {
            self.counts.resize(step + 1, 0);
        }
        self.counts[step] += 1;
        self.total += 1;
        self.longest = self.longest.max(took);
    }

    /// Counts all that another one has.
    pub fn add(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
    }

    /// How many were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The longest, exactly; zero when there is none.
    #[must_use]
    pub fn max(&self) -> Duration {
        self.longest
    }

    /// The time within which this many percent were done: at least as long as the true one, and longer
    /// by 1.6 % at most. Zero when there is none.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Duration {
        let rank = rank(self.total, percent);
        let mut seen = 0;
        for (step, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank && *count > 0 {
                return Duration::from_nanos(end_of(step)).min(self.longest);
            }
        }
        self.longest
    }
}

/// Which one of `total`, in order and from 1, has `percent` at or below it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a rank is between 1 and a count of durations"
)]
fn rank(total: u64, percent: f64) -> u64 {
    let rank = (total as f64 * percent.clamp(0.0, 100.0) / 100.0).ceil();
    (rank as u64).clamp(1, total.max(1))
}

fn nanos(took: Duration) -> u64 {
    u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
}

/// The step that a number of nanoseconds falls into.
fn step_of(nanos: u64) -> usize {
    let bits = u64::BITS - nanos.leading_zeros();
    let shift = bits.saturating_sub(EXACT_BITS + 1);
    let step = u64::from(shift) * STEPS + (nanos >> shift);
    usize::try_from(step).unwrap_or(usize::MAX)
}

/// The last number of nanoseconds that falls into a step.
fn end_of(step: usize) -> u64 {
    let step = step as u64;
    if step < 2 * STEPS {
        return step;
    }
    let shift = step / STEPS - 1;
    let head = u128::from(step - shift * STEPS) + 1;
    u64::try_from((head << shift) - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_without_a_gap() {
        let mut last = 0;
        for step in 1..3_000 {
            let end = end_of(step);
            assert!(end > last, "step {step}");
            assert_eq!(step_of(last + 1), step, "the first of step {step}");
            assert_eq!(step_of(end), step, "the last of step {step}");
            last = end;
        }
        assert_eq!(step_of(0), 0);
        assert_eq!(end_of(step_of(u64::MAX)), u64::MAX);
    }

    #[test]
    fn percentiles_are_those_of_a_sorted_list() {
        let mut histogram = Histogram::default();
        let mut sorted = Vec::new();
        let mut value = 1_u64;
        for _ in 0..5_000 {
            value = value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let took = Duration::from_nanos(value >> 35);
            histogram.record(took);
            sorted.push(took);
        }
        sorted.sort();
        for (percent, index) in [(50.0, 2_499), (90.0, 4_499), (99.0, 4_949), (100.0, 4_999)] {
            let (found, right) = (histogram.percentile(percent), sorted[index]);
            assert!(found >= right, "{percent}: {found:?} < {right:?}");
            assert!(
                found <= right.mul_f64(1.016),
                "{percent}: {found:?} > {right:?}"
            );
        }
        assert_eq!(histogram.max(), sorted[4_999]);
        assert_eq!(histogram.count(), 5_000);
    }

    #[test]
    fn few_and_none_have_percentiles_too() {
        let none = Histogram::default();
        assert_eq!(none.percentile(99.0), Duration::ZERO);
        let mut few = Histogram::default();
        few.record(Duration::from_millis(3));
        assert_eq!(few.percentile(0.0), Duration::from_millis(3));
        few.record(Duration::from_millis(1));
        assert_eq!(few.percentile(99.0), Duration::from_millis(3));
        assert!(few.percentile(50.0) < Duration::from_micros(1_016));
    }

    #[test]
    fn added_ones_are_as_if_recorded_in_one() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        one.record(Duration::from_micros(1));
        other.record(Duration::from_secs(2));
        one.add(&other);
        assert_eq!(one.count(), 2);
        assert_eq!(one.max(), Duration::from_secs(2));
        assert_eq!(
            one.percentile(50.0),
            Duration::from_nanos(end_of(step_of(1_000)))
        );
    }
}
