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

use serde::{Deserialize, Serialize, Serializer};
use sqs_engine::Timestamp;
use tokio::time::Instant;

/// A jump of the wall clock, forward and by more than this, is followed by the queues' clock: the
/// machine was suspended, or its clock was set. Smaller differences are the wall clock being
/// disciplined, and following those would make intervals inexact.
const JUMP_MIN: Duration = Duration::from_secs(1);

/// Two readings of the steady clock that are no further apart tell well enough when the wall clock
/// was read between them.
const APART_MAX: Duration = Duration::from_micros(100);

/// How often both clocks are read at most, to find readings that belong together.
const PAIRINGS_MAX: usize = 10;

/// The last millisecond of the year 9999, beyond which many programs cannot read times.
const LATEST: Timestamp = Timestamp::from_millis(253_402_300_799_999);

/// Something that is told once in a while, however often it happens.
#[derive(Debug, Default)]
pub(crate) struct Sparingly {
    last: Option<Instant>,
}

impl Sparingly {
    /// Whether it is time to tell it, which then counts as told.
    pub(crate) fn may_tell(&mut self, period: Duration) -> bool {
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now - last >= period);
        if due {
            self.last = Some(now);
        }
        due
    }
}

/// Real time: what signatures are checked by, and what the queues' clock starts at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WallClock {
    /// The machine's clock.
    System,
    /// A clock that stands still, so that what is answered follows from what is asked.
    Stopped(SystemTime),
}

impl WallClock {
    /// What the clock shows now.
    pub(crate) fn now(self) -> SystemTime {
        match self {
            Self::System => SystemTime::now(),
            Self::Stopped(at) => at,
        }
    }
}

/// Measures how long something really takes, also where a test has stopped tokio's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(std::time::Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// The time since it was started.
    pub(crate) fn read(self) -> Duration {
        self.0.elapsed()
    }
}

/// How the queues' time goes, as it can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ClockSetting {
    /// It goes on as real time does, this many milliseconds ahead of it; behind it, if negative.
    Running { offset_millis: i64 },
    /// It stands at this time.
    Frozen { at: Timestamp },
}

/// What the queues' clock shows when a server starts, and again after a reset. It goes on from
/// there, unless it stands.
///
/// Signatures are always checked by real time.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use fake_sqs::{ClockStart, FakeSqs};
///
/// let new_year = UNIX_EPOCH + Duration::from_secs(1_767_225_600);
/// let builder = FakeSqs::builder().clock(ClockStart::at(new_year).frozen());
/// # drop(builder);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it does nothing until it is given to a builder"]
pub struct ClockStart {
    from: Beginning,
    mode: ClockMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning {
    /// So many milliseconds ahead of real time; behind it, if negative.
    Ahead(i64),
    /// At this time.
    At(Timestamp),
}

impl ClockStart {
    /// Real time, which is the default.
    pub fn now() -> Self {
        Self::from(Beginning::Ahead(0))
    }

    /// So far ahead of real time; no further than the end of the year 9999.
    pub fn ahead(by: Duration) -> Self {
        Self::from(Beginning::Ahead(millis(by)))
    }

    /// So far behind real time; no further than the beginning of 1970.
    pub fn behind(by: Duration) -> Self {
        Self::from(Beginning::Ahead(-millis(by)))
    }

    /// This time, which counts as the beginning of 1970 if it is before that, and as the end of the
    /// year 9999 if it is after that.
    pub fn at(time: SystemTime) -> Self {
        Self::from(Beginning::At(timestamp(time).min(LATEST)))
    }

    /// The same time, at which the clock stands until it is resumed or advanced.
    pub fn frozen(self) -> Self {
        let mode = ClockMode::Frozen;
        Self { mode, ..self }
    }

    fn from(from: Beginning) -> Self {
        let mode = ClockMode::Running;
        Self { from, mode }
    }
}

impl Default for ClockStart {
    fn default() -> Self {
        Self::now()
    }
}

/// What the queues' clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Clock {
    /// The queues' time.
    pub now: Timestamp,
    /// Whether it goes on by itself.
    pub mode: ClockMode,
    /// How far it is ahead of real time, in milliseconds; behind it, if negative.
    #[serde(rename = "offset_seconds", serialize_with = "as_seconds")]
    pub offset_millis: i64,
}

/// Whether the queues' time goes on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockMode {
    /// It goes on as real time does.
    Running,
    /// It stands still until it is advanced or resumed.
    Frozen,
}

/// The clock would go beyond the last time that it can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queues' clock would go beyond the year 9999; reset it, or advance it by less")]
pub(crate) struct TooFar;

/// The queues' time: real time, unless it was frozen or moved. It never goes back.
#[derive(Debug)]
pub(crate) struct QueueClock {
    real: SteadyClock,
    setting: ClockSetting,
}

impl QueueClock {
    /// A clock that starts so.
    pub(crate) fn starting(start: ClockStart, wall: WallClock) -> Self {
        let mut clock = Self::with(ClockSetting::Running { offset_millis: 0 }, wall);
        let at = match start.from {
            Beginning::Ahead(millis) => moved(clock.now(), millis),
            Beginning::At(at) => at,
        };
        let at = at.clamp(Timestamp::from_millis(0), LATEST);
        clock.setting = match start.mode {
            ClockMode::Running => ClockSetting::Running {
                offset_millis: clock.offset(at),
            },
            ClockMode::Frozen => ClockSetting::Frozen { at },
        };
        clock
    }

    /// A clock that goes on as this setting says, and shows no time before this one.
    pub(crate) fn resumed(setting: ClockSetting, not_before: Timestamp, wall: WallClock) -> Self {
        let mut clock = Self::with(setting, wall);
        if let ClockSetting::Running { .. } = setting
            && clock.now() < not_before
        {
            // The machine's clock was set back meanwhile.
            clock.setting = ClockSetting::Running {
                offset_millis: clock.offset(not_before),
            };
        }
        clock
    }

    /// What the clock shows now. Never less than it showed before.
    pub(crate) fn now(&mut self) -> Timestamp {
        match self.setting {
            ClockSetting::Running { offset_millis } => moved(self.real.now(), offset_millis),
            ClockSetting::Frozen { at } => at,
        }
    }

    /// All that there is to say of it.
    pub(crate) fn read(&mut self) -> Clock {
        let (now, mode, offset_millis) = match self.setting {
            ClockSetting::Running { offset_millis } => {
                (self.now(), ClockMode::Running, offset_millis)
            }
            ClockSetting::Frozen { at } => (at, ClockMode::Frozen, self.offset(at)),
        };
        Clock {
            now,
            mode,
            offset_millis,
        }
    }

    /// The real time that it starts at and whose jumps it follows.
    pub(crate) fn wall(&self) -> WallClock {
        self.real.source
    }

    /// How it is set.
    pub(crate) fn setting(&self) -> ClockSetting {
        self.setting
    }

    /// Makes it stand where it is.
    pub(crate) fn freeze(&mut self) {
        self.setting = ClockSetting::Frozen { at: self.now() };
    }

    /// Lets it go on from where it stands.
    pub(crate) fn resume(&mut self) {
        if let ClockSetting::Frozen { at } = self.setting {
            self.setting = ClockSetting::Running {
                offset_millis: self.offset(at),
            };
        }
    }

    /// Moves it forward, whether it stands or goes.
    ///
    /// # Errors
    ///
    /// [`TooFar`], and then it is not moved.
    pub(crate) fn advance(&mut self, by: Duration) -> Result<(), TooFar> {
        let then = self.now().after(by);
        if then > LATEST {
            return Err(TooFar);
        }
        match &mut self.setting {
            ClockSetting::Running { offset_millis } => {
                *offset_millis = offset_millis.saturating_add(millis(by));
            }
            ClockSetting::Frozen { at } => *at = then,
        }
        Ok(())
    }

    fn with(setting: ClockSetting, wall: WallClock) -> Self {
        let real = SteadyClock::new(wall);
        Self { real, setting }
    }

    /// How far a time is ahead of the real one.
    fn offset(&mut self, at: Timestamp) -> i64 {
        at.as_millis().saturating_sub(self.real.now().as_millis())
    }
}

/// Real time that never goes back: it starts at the wall clock's and goes on steadily from there.
///
/// The wall clock alone would not do, since it can be set back, and the engine's time never goes
/// back; the monotonic clock alone would not do either, since it stands still while a machine is
/// suspended.
#[derive(Debug)]
struct SteadyClock {
    source: WallClock,
    wall: SystemTime,
    steady: Instant,
}

impl SteadyClock {
    fn new(source: WallClock) -> Self {
        let (wall, steady) = together(|| source.now(), Instant::now);
        Self {
            source,
            wall,
            steady,
        }
    }

    fn now(&mut self) -> Timestamp {
        // In this order, since what is late between the two then looks like no jump.
        let (mut wall, mut steady) = (self.source.now(), Instant::now());
        if self.is_left_behind(wall, steady) {
            // What is kept from now on must have been read together.
            (wall, steady) = together(|| self.source.now(), Instant::now);
        }
        timestamp(self.read(wall, steady))
    }

    /// The arithmetic of [`now`](Self::now), given what both clocks of the machine show.
    fn read(&mut self, wall: SystemTime, steady: Instant) -> SystemTime {
        if self.is_left_behind(wall, steady) {
            (self.wall, self.steady) = (wall, steady);
        }
        self.shown(steady)
    }

    /// Whether the wall clock jumped.
    fn is_left_behind(&self, wall: SystemTime, steady: Instant) -> bool {
        let ahead = wall.duration_since(self.shown(steady));
        ahead.is_ok_and(|ahead| ahead > JUMP_MIN)
    }

    fn shown(&self, steady: Instant) -> SystemTime {
        self.wall + steady.saturating_duration_since(self.steady)
    }
}

/// What both clocks show at one moment, or as near to that as can be had: a thread may be held up
/// between one reading and the next, and what is kept would be late by that for ever.
fn together(
    mut wall: impl FnMut() -> SystemTime,
    mut steady: impl FnMut() -> Instant,
) -> (SystemTime, Instant) {
    let mut pair = || {
        let (before, wall, after) = (steady(), wall(), steady());
        (after.saturating_duration_since(before), wall, before)
    };
    let mut closest = pair();
    for _ in 1..PAIRINGS_MAX {
        if closest.0 <= APART_MAX {
            break;
        }
        let next = pair();
        if next.0 < closest.0 {
            closest = next;
        }
    }
    let (_, wall, steady) = closest;
    (wall, steady)
}

/// Seconds with the milliseconds as a fraction, if there are any: a whole number has no `.0`.
fn as_seconds<S: Serializer>(millis: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    if millis % 1_000 == 0 {
        return serializer.serialize_i64(millis / 1_000);
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "no clock is 285,000 years from the real one"
    )]
    serializer.serialize_f64(*millis as f64 / 1_000.0)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn moved(time: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_millis(time.as_millis().saturating_add(millis))
}

/// Whole milliseconds since 1970; a clock that is set before that counts as 1970.
fn timestamp(time: SystemTime) -> Timestamp {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> (SteadyClock, SystemTime, Instant) {
        let wall = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let steady = Instant::now();
        let clock = SteadyClock {
            source: WallClock::System,
            wall,
            steady,
        };
        (clock, wall, steady)
    }

    /// A clock that goes on only as tokio's time does.
    fn stopped() -> QueueClock {
        let wall = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        QueueClock::starting(ClockStart::now(), WallClock::Stopped(wall))
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_told_sparingly_is_told_once_a_period() {
        let mut told = Sparingly::default();
        assert!(told.may_tell(seconds(60)));
        assert!(!told.may_tell(seconds(60)));
        tokio::time::advance(seconds(59)).await;
        assert!(!told.may_tell(seconds(60)));
        tokio::time::advance(seconds(1)).await;
        assert!(told.may_tell(seconds(60)));
        assert!(!told.may_tell(seconds(60)));
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

    /// Reads both clocks together where so much time passes before each reading: how far what they
    /// give is apart, and how many readings that took.
    fn apart(passes: &[Duration]) -> (Duration, usize) {
        let (_, wall, steady) = clock();
        let readings = std::cell::Cell::new(0);
        let passed = || {
            readings.set(readings.get() + 1);
            passes[..readings.get()].iter().sum::<Duration>()
        };
        let (read_wall, read_steady) = together(|| wall + passed(), || steady + passed());
        let passed_for_wall = read_wall.duration_since(wall).expect("later");
        (passed_for_wall - (read_steady - steady), readings.get())
    }

    #[test]
    fn a_thread_that_is_held_up_between_two_readings_reads_again() {
        let (soon, late) = (Duration::from_micros(1), seconds(2));
        assert_eq!(apart(&[soon; 3]), (soon, 3));
        assert_eq!(apart(&[late, soon, soon]), (soon, 3));
        assert_eq!(apart(&[soon, late, soon, soon, soon, soon]), (soon, 6));
        assert_eq!(apart(&[soon, soon, late, soon, soon, soon]), (soon, 6));
        // Where it is held up each time, it takes the best.
        let mut always = [late; 3 * PAIRINGS_MAX];
        always[4] = soon;
        always[5] = soon + APART_MAX;
        assert_eq!(apart(&always), (soon, always.len()));
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

    #[test]
    fn an_offset_is_whole_if_it_can_be() {
        for (offset_millis, text) in [(0, "0"), (-90_000, "-90"), (1_250, "1.25"), (-1, "-0.001")] {
            let clock = Clock {
                now: Timestamp::from_millis(5),
                mode: ClockMode::Frozen,
                offset_millis,
            };
            let expected = format!(r#"{{"now":5,"mode":"frozen","offset_seconds":{text}}}"#);
            assert_eq!(serde_json::to_string(&clock).expect("JSON"), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_is_moved_shows_how_far() {
        let mut clock = stopped();
        clock.freeze();
        let frozen = clock.now();
        clock.advance(seconds(5)).expect("not too far");
        assert_eq!(clock.read().now, frozen.after(seconds(5)));
        assert_eq!(clock.read().mode, ClockMode::Frozen);
        clock.resume();
        let running = clock.read();
        assert_eq!(running.mode, ClockMode::Running);
        assert_eq!(running.offset_millis, 5_000);
        clock.advance(seconds(10)).expect("not too far");
        assert_eq!(clock.read().offset_millis, running.offset_millis + 10_000);
        clock.resume();
        assert_eq!(clock.read().offset_millis, running.offset_millis + 10_000);
    }

    #[test]
    fn a_clock_starts_between_1970_and_the_year_9999() {
        let far = seconds(1_000_000_000_000);
        let beginning = Timestamp::from_millis(0);
        for (start, expected) in [
            (ClockStart::ahead(Duration::MAX), LATEST),
            (ClockStart::ahead(far), LATEST),
            (ClockStart::behind(Duration::MAX), beginning),
            (ClockStart::behind(far), beginning),
        ] {
            let starting = |start| QueueClock::starting(start, WallClock::System);
            assert_eq!(starting(start.frozen()).now(), expected);
            let shown = starting(start).now();
            let late = shown.since(expected);
            assert!(shown >= expected && late < seconds(3_600), "{shown:?}");
        }
    }

    #[test]
    fn a_clock_does_not_go_beyond_the_year_9999() {
        let mut clock = QueueClock::starting(ClockStart::now(), WallClock::System);
        clock.freeze();
        let frozen = clock.now();
        assert_eq!(clock.advance(Duration::MAX), Err(TooFar));
        assert_eq!(clock.now(), frozen);
        let left = LATEST.since(frozen);
        assert_eq!(clock.advance(left + Duration::from_millis(1)), Err(TooFar));
        clock.advance(left).expect("just so far");
        assert_eq!(clock.now(), LATEST);
        clock.resume();
        clock.freeze();
        // Real time may carry it over, which does no harm; but no further advance.
        assert_eq!(clock.advance(seconds(1)), Err(TooFar));
    }
}
