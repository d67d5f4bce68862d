//! How far the service's clock is from ours, so that signatures are for the service's time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{AGE, DATE};

use crate::value::http_date;

/// A skew beyond which a refused signature is blamed on the clocks. Services refuse a time that
/// is off by five or fifteen minutes.
const WRONG: Duration = Duration::from_secs(4 * 60);

/// A call that took longer says nothing about the clocks.
const LONGEST_TRUSTED: Duration = Duration::from_secs(15 * 60);

/// Between these, in seconds since 1970, are all dates that are believed: from 2000 up to 3000. A
/// signature has a year of four digits, so with a time near the last of these nothing could be sent,
/// nor another date be learnt, ever again.
const BELIEVED: std::ops::Range<u64> = 946_684_800..32_503_680_000;

/// What is done about a clock that differs from the service's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClockSkew {
    /// Each answer's `Date` shows the service's time, and requests are signed for it. This is
    /// the default.
    #[default]
    Correct,
    /// Requests are signed for our time, and a signature that is refused for its time is an
    /// error.
    Ignore,
}

/// How many milliseconds the service's clock is ahead of ours; less than none if it is behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skew(i64);

impl Skew {
    /// The skew that an answer shows: its `Date` against the middle between sending and
    /// receiving. None if it has no date that can be read and be right, if it comes from a cache,
    /// or if it took too long.
    pub(super) fn measure(
        headers: &HeaderMap,
        sent: SystemTime,
        received: SystemTime,
    ) -> Option<Self> {
        if headers.contains_key(AGE) {
            return None;
        }
        let date = http_date::parse(headers.get(DATE)?.to_str().ok()?).ok()?;
        let since_1970 = date.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        if !BELIEVED.contains(&since_1970.as_secs()) {
            return None;
        }
        // A clock that was set back meanwhile counts as no time at all.
        let elapsed = received.duration_since(sent).unwrap_or_default();
        if elapsed > LONGEST_TRUSTED {
            return None;
        }
        let middle = sent.checked_add(elapsed / 2)?;
        let millis = |ahead: Duration| i64::try_from(ahead.as_millis()).ok();
        match date.duration_since(middle) {
            Ok(ahead) => millis(ahead).map(Self),
            Err(behind) => millis(behind.duration()).map(|millis| Self(-millis)),
        }
    }

    /// The service's time, when ours is this.
    pub(super) fn apply(self, now: SystemTime) -> SystemTime {
        let by = Duration::from_millis(self.0.unsigned_abs());
        let shifted = if self.0 < 0 {
            now.checked_sub(by)
        } else {
            now.checked_add(by)
        };
        shifted.unwrap_or(now)
    }

    /// Whether a service may refuse a signature for it.
    pub(super) fn is_wrong(self) -> bool {
        Duration::from_millis(self.0.unsigned_abs()) > WRONG
    }
}

/// The skew that a client's last answer showed.
#[derive(Debug, Default)]
pub(super) struct ClientSkew {
    setting: ClockSkew,
    millis: AtomicI64,
}

impl ClientSkew {
    pub(super) fn new(setting: ClockSkew) -> Self {
        Self {
            setting,
            millis: AtomicI64::new(0),
        }
    }

    pub(super) fn current(&self) -> Skew {
        Skew(self.millis.load(Ordering::Relaxed))
    }

    /// Keeps what an answer shows, whatever it answers, so that a skew that is gone is
    /// forgotten. Gives what it shows.
    pub(super) fn record(
        &self,
        headers: &HeaderMap,
        sent: SystemTime,
        received: SystemTime,
    ) -> Option<Skew> {
        let skew = match self.setting {
            ClockSkew::Correct => Skew::measure(headers, sent, received)?,
            ClockSkew::Ignore => return None,
        };
        self.millis.store(skew.0, Ordering::Relaxed);
        Some(skew)
    }
}

#[cfg(test)]
mod tests;
