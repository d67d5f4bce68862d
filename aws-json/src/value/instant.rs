//! A moment within the years that the protocol's forms can write, and what reading its text needs.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::{Deserializer, Visitor};
use serde::ser::{Error as _, Serializer};
use time::{Date, Month, OffsetDateTime, Time};

use super::nested::Nested;

/// Why a time could not be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeError {
    /// The text does not have the form of a time.
    Form {
        /// What would be right.
        expected: &'static str,
    },
    /// There is no such day, as the 30th of February, or no such time of day.
    NoSuchTime,
    /// The time is before the year 1 or after the year 9999, in UTC, or the system cannot hold it.
    Range,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { expected } => write!(f, "a time is not in its form: expected {expected}"),
            Self::NoSuchTime => {
                f.write_str("a time names a day or a time of day that does not exist")
            }
            Self::Range => f.write_str("a time is out of range: expected the years 1 to 9999"),
        }
    }
}

impl Error for TimeError {}

/// A moment in the years 1 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instant {
    /// Since 1970, rounded down.
    seconds: i64,
    /// Since that second, below 1,000,000,000.
    nanos: u32,
}

/// The first second of the year 1.
const FIRST: i64 = -62_135_596_800;
/// The last second of the year 9999.
const LAST: i64 = 253_402_300_799;

const NANOS: u32 = 1_000_000_000;

impl Instant {
    pub(super) fn new(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        if (FIRST..=LAST).contains(&seconds) && nanos < NANOS {
            Ok(Self { seconds, nanos })
        } else {
            Err(TimeError::Range)
        }
    }

    /// The moment of a calendar's day and time, both in UTC.
    pub(super) fn at(
        year: u32,
        month: u32,
        day: u32,
        time_of_day: TimeOfDay,
    ) -> Result<Self, TimeError> {
        let small = |number: u32| u8::try_from(number).map_err(|_| TimeError::NoSuchTime);
        let month = Month::try_from(small(month)?).map_err(|_| TimeError::NoSuchTime)?;
        let year = i32::try_from(year).map_err(|_| TimeError::NoSuchTime)?;
        let date = Date::from_calendar_date(year, month, small(day)?)
            .map_err(|_| TimeError::NoSuchTime)?;
        let midnight = date.midnight().assume_utc().unix_timestamp();
        Self::new(midnight + i64::from(time_of_day.seconds), time_of_day.nanos)
    }

    /// The moment that is earlier by so many seconds.
    pub(super) fn earlier(self, seconds: i64) -> Result<Self, TimeError> {
        Self::new(self.seconds - seconds, self.nanos)
    }

    /// The moment of a number of seconds, taken for the shortest decimal number that is this double.
    pub(super) fn from_f64(number: f64) -> Result<Self, TimeError> {
        // Before anything is written out: the largest double has 309 digits.
        #[expect(clippy::cast_precision_loss, reason = "both are below 2^53")]
        let range = FIRST as f64..=LAST as f64 + 1.0;
        if !range.contains(&number) {
            return Err(TimeError::Range);
        }
        let text = number.abs().to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let seconds: i64 = whole.parse().map_err(|_| TimeError::Range)?;
        let nanos = nanos(fraction);
        if number >= 0.0 {
            Self::new(seconds, nanos)
        } else if nanos == 0 {
            Self::new(-seconds, 0)
        } else {
            Self::new(-seconds - 1, NANOS - nanos)
        }
    }

    /// The double that is nearest to its number of seconds.
    pub(super) fn to_f64(self) -> f64 {
        let (sign, seconds, nanos) = match (self.seconds, self.nanos) {
            (seconds @ ..0, nanos @ 1..) => ("-", -seconds - 1, NANOS - nanos),
            (seconds, nanos) => ("", seconds, nanos),
        };
        // Adding the two as doubles would round twice.
        format!("{sign}{seconds}.{nanos:09}")
            .parse()
            .unwrap_or(f64::NAN)
    }

    pub(super) fn seconds(self) -> i64 {
        self.seconds
    }

    pub(super) fn nanos(self) -> u32 {
        self.nanos
    }

    /// The day and the second of the day, in UTC.
    pub(super) fn calendar(self) -> (Date, Time) {
        let second =
            OffsetDateTime::from_unix_timestamp(self.seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        (second.date(), second.time())
    }
}

impl TryFrom<SystemTime> for Instant {
    type Error = TimeError;

    fn try_from(time: SystemTime) -> Result<Self, TimeError> {
        let seconds =
            |duration: Duration| i64::try_from(duration.as_secs()).map_err(|_| TimeError::Range);
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Self::new(seconds(since)?, since.subsec_nanos()),
            Err(error) => {
                let until = error.duration();
                match until.subsec_nanos() {
                    0 => Self::new(-seconds(until)?, 0),
                    nanos => Self::new(-seconds(until)? - 1, NANOS - nanos),
                }
            }
        }
    }
}

impl TryFrom<Instant> for SystemTime {
    type Error = TimeError;

    fn try_from(instant: Instant) -> Result<Self, TimeError> {
        let whole = Duration::from_secs(instant.seconds.unsigned_abs());
        let second = if instant.seconds < 0 {
            UNIX_EPOCH.checked_sub(whole)
        } else {
            UNIX_EPOCH.checked_add(whole)
        };
        let nanos = Duration::from_nanos(instant.nanos.into());
        second
            .and_then(|second| second.checked_add(nanos))
            .ok_or(TimeError::Range)
    }
}

/// A format of times that is text.
pub trait Text {
    /// What a shape expects of a value, in words.
    const EXPECTED: &'static str;

    /// The time as text.
    ///
    /// # Errors
    ///
    /// If it is out of range.
    fn format(time: SystemTime) -> Result<String, TimeError>;

    /// Reads a time.
    ///
    /// # Errors
    ///
    /// If it is none.
    fn parse(text: &str) -> Result<SystemTime, TimeError>;
}

impl<F: Text> Nested<F> for SystemTime {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = F::format(*self).map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor::<F>(PhantomData))
    }
}

struct TextVisitor<F>(PhantomData<F>);

impl<F: Text> Visitor<'_> for TextVisitor<F> {
    type Value = SystemTime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(F::EXPECTED)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SystemTime, E> {
        F::parse(text).map_err(E::custom)
    }
}

/// How much of a day has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeOfDay {
    /// Below 86,401: a leap second is the day's last.
    seconds: u32,
    nanos: u32,
}

/// Reads a text from its beginning, part by part.
pub(super) struct Scanner<'a> {
    rest: &'a [u8],
    expected: &'static str,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, expected: &'static str) -> Self {
        Self {
            rest: text.as_bytes(),
            expected,
        }
    }

    /// A number of exactly so many digits.
    pub(super) fn number(&mut self, digits: usize) -> Result<u32, TimeError> {
        let mut number = 0;
        for _ in 0..digits {
            number = number * 10 + u32::from(self.one_of(b"0123456789")? - b'0');
        }
        Ok(number)
    }

    pub(super) fn sign(&mut self, sign: u8) -> Result<(), TimeError> {
        self.one_of(&[sign]).map(drop)
    }

    /// One of these bytes.
    pub(super) fn one_of(&mut self, bytes: &[u8]) -> Result<u8, TimeError> {
        match self.rest {
            [first, rest @ ..] if bytes.contains(first) => {
                self.rest = rest;
                Ok(*first)
            }
            _ => Err(self.refuse()),
        }
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), TimeError> {
        self.rest = self
            .rest
            .strip_prefix(text.as_bytes())
            .ok_or_else(|| self.refuse())?;
        Ok(())
    }

    /// One of these names; which, from 1.
    pub(super) fn name(&mut self, names: &[&str]) -> Result<u32, TimeError> {
        for (number, name) in (1..).zip(names) {
            if let Some(rest) = self.rest.strip_prefix(name.as_bytes()) {
                self.rest = rest;
                return Ok(number);
            }
        }
        Err(self.refuse())
    }

    /// Hour, minute and second, and a fraction if there is one.
    pub(super) fn time_of_day(&mut self) -> Result<TimeOfDay, TimeError> {
        let hour = self.number(2)?;
        self.sign(b':')?;
        let minute = self.number(2)?;
        self.sign(b':')?;
        let second = self.number(2)?;
        let mut fraction = 0;
        if self.rest.first() == Some(&b'.') {
            let digits = self.rest[1..].iter().take_while(|b| b.is_ascii_digit());
            let count = digits.count();
            if count == 0 {
                return Err(self.refuse());
            }
            let (digits, rest) = self.rest[1..].split_at(count);
            self.rest = rest;
            fraction = nanos(str::from_utf8(digits).unwrap_or_default());
        }
        if hour > 23 || minute > 59 || second > 60 {
            return Err(TimeError::NoSuchTime);
        }
        Ok(TimeOfDay {
            seconds: hour * 3600 + minute * 60 + second,
            nanos: fraction,
        })
    }

    pub(super) fn end(&self) -> Result<(), TimeError> {
        match self.rest {
            [] => Ok(()),
            [..] => Err(self.refuse()),
        }
    }

    fn refuse(&self) -> TimeError {
        TimeError::Form {
            expected: self.expected,
        }
    }
}

/// The nanoseconds of a fraction's digits, of which nine count.
fn nanos(digits: &str) -> u32 {
    let digits = digits.bytes().chain(std::iter::repeat(b'0')).take(9);
    digits.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'))
}
