//! The one file of this crate that reads the time.
//!
//! There are two clocks, because two different questions are asked of them. Whether a signature is
//! fresh is always a matter of real time ([`WallClock`]): clients sign with their own clocks. When a
//! message becomes visible is a matter of the queues' time ([`QueueClock`]), which never goes back.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the file that reads the clock"
)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqs_engine::Timestamp;
use tokio::time::Instant;

/// A jump of the wall clock, forward and by more than this, is followed by the queues' clock: the
/// machine was suspended, or its clock was set. Smaller differences are the wall clock being
/// disciplined, and following those would make intervals inexact.
const JUMP_MIN: Duration = Duration::from_secs(1);

/// Real time, by which signatures are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WallClock {
    /// The machine's clock.
    System,
    /// A clock that stands still, so that a test can expect a text with times in it.
    #[cfg(test)]
    Stopped(SystemTime),
}

impl WallClock {
    /// What the clock shows now.
    pub(crate) fn now(self) -> SystemTime {
        match self {
            Self::System => SystemTime::now(),
            #[cfg(test)]
            Self::Stopped(at) => at,
        }
    }
}

/// The queues' time: it starts at the wall clock's and goes on steadily from there.
///
/// The wall clock alone would not do, since it can be set back, and the engine's time never goes
/// back; the monotonic clock alone would not do either, since it stands still while a machine is
/// suspended.
#[derive(Debug)]
pub(crate) struct QueueClock {
    wall: SystemTime,
    steady: Instant,
}

impl QueueClock {
    /// A clock that shows the real time now.
    pub(crate) fn new() -> Self {
        Self {
            wall: SystemTime::now(),
            steady: Instant::now(),
        }
    }

    /// What the clock shows now. Never less than it showed before.
    pub(crate) fn now(&mut self) -> Timestamp {
        timestamp(self.read(SystemTime::now(), Instant::now()))
    }

    /// The arithmetic of [`now`](Self::now), given what both clocks of the machine show.
    fn read(&mut self, wall: SystemTime, steady: Instant) -> SystemTime {
        let shown = self.wall + steady.saturating_duration_since(self.steady);
        match wall.duration_since(shown) {
            Ok(ahead) if ahead > JUMP_MIN => {
                *self = Self { wall, steady };
                wall
            }
            Ok(_) | Err(_) => shown,
        }
    }
}

/// Whole milliseconds since 1970; a clock that is set before that counts as 1970.
fn timestamp(time: SystemTime) -> Timestamp {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> (QueueClock, SystemTime, Instant) {
        let wall = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let steady = Instant::now();
        (QueueClock { wall, steady }, wall, steady)
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn goes_on_steadily() {
        let (mut clock, wall, steady) = clock();
        assert_eq!(
            clock.read(wall + seconds(5), steady + seconds(5)),
            wall + seconds(5)
        );
    }

    #[test]
    fn a_wall_clock_that_is_set_back_does_not_turn_time_back_nor_stop_it() {
        let (mut clock, wall, steady) = clock();
        assert_eq!(
            clock.read(wall - seconds(3600), steady + seconds(1)),
            wall + seconds(1)
        );
        assert_eq!(
            clock.read(wall - seconds(3599), steady + seconds(2)),
            wall + seconds(2)
        );
    }

    #[test]
    fn a_jump_forward_is_followed_and_kept() {
        let (mut clock, wall, steady) = clock();
        assert_eq!(
            clock.read(wall + seconds(3600), steady + seconds(1)),
            wall + seconds(3600)
        );
        assert_eq!(clock.read(wall, steady + seconds(2)), wall + seconds(3601));
    }

    #[test]
    fn a_small_difference_is_not_a_jump() {
        let (mut clock, wall, steady) = clock();
        let wall_now = wall + seconds(1) + JUMP_MIN;
        assert_eq!(clock.read(wall_now, steady + seconds(1)), wall + seconds(1));
    }

    #[test]
    fn time_before_1970_counts_as_1970() {
        assert_eq!(
            timestamp(UNIX_EPOCH - seconds(1)),
            Timestamp::from_millis(0)
        );
        assert_eq!(
            timestamp(UNIX_EPOCH + Duration::from_micros(1_999)),
            Timestamp::from_millis(1)
        );
    }
}
