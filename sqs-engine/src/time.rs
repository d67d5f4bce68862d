//! Points in time, as the caller of the engine gives them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The engine never reads a clock; each call is told what time it is. Arithmetic stops at the ends
/// of the range instead of overflowing, so that an absurd time cannot bring the engine down.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use sqs_engine::Timestamp;
///
/// let sent = Timestamp::from_millis(1_500);
/// assert_eq!(sent.after(Duration::from_secs(5)).as_millis(), 6_500);
/// assert_eq!(sent.as_secs(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest time there is, in which a new engine begins.
    pub const MIN: Self = Self(i64::MIN);

    /// The last time there is. A deadline beyond it is never reached.
    pub const MAX: Self = Self(i64::MAX);

    /// The time that is `millis` milliseconds after the epoch (before it, if negative).
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch, as SQS writes `SentTimestamp`.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down, as SQS writes `CreatedTimestamp`.
    #[must_use]
    pub const fn as_secs(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// The time `duration` later, in whole milliseconds.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// How long ago `earlier` was; zero if it lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stops_at_the_ends() {
        assert_eq!(Timestamp::MAX.after(Duration::from_secs(1)), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.after(Duration::MAX).as_millis(), -1);
        assert_eq!(Timestamp::MIN.since(Timestamp::MAX), Duration::ZERO);
        assert_eq!(
            Timestamp::from_millis(0).since(Timestamp::from_millis(-2_500)),
            Duration::from_millis(2_500)
        );
    }

    #[test]
    fn seconds_are_rounded_down_before_the_epoch_too() {
        assert_eq!(Timestamp::from_millis(-1).as_secs(), -1);
        assert_eq!(Timestamp::from_millis(1_999).as_secs(), 1);
    }
}
