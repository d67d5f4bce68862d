//! A moment as signatures write it: `20150830T123600Z`.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use ::time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, Weekday};

/// A moment in UTC, in whole seconds, in the years 0 to 9999. `Display` is ISO 8601's basic form.
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::DateTime;
///
/// let at = DateTime::from_system_time(UNIX_EPOCH + Duration::from_secs(1_440_938_160))?;
/// assert_eq!(at.to_string(), "20150830T123600Z");
/// assert_eq!(at.date(), "20150830");
/// assert_eq!(DateTime::parse("20150830T123600Z"), Some(at));
/// # Ok::<(), sigv4::DateOutOfRange>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    unix_seconds: i64,
    text: [u8; 16],
}

/// A time lies outside the years 0 to 9999, which is all that `YYYYMMDDTHHMMSSZ` can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateOutOfRange;

impl DateTime {
    /// The moment of a system time; a fraction of a second is dropped, towards the past.
    ///
    /// # Errors
    /// [`DateOutOfRange`] outside the years 0 to 9999.
    pub fn from_system_time(time: SystemTime) -> Result<Self, DateOutOfRange> {
        Self::from_unix_seconds(unix_seconds_of(time)?)
    }

    /// The moment this many seconds after 1970-01-01T00:00:00Z, or before it when negative.
    ///
    /// # Errors
    /// [`DateOutOfRange`] outside the years 0 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Result<Self, DateOutOfRange> {
        let at = OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| DateOutOfRange)?;
        let year = u32::try_from(at.year()).map_err(|_| DateOutOfRange)?;
        if year > 9999 {
            return Err(DateOutOfRange);
        }
        let mut text = *b"0000000T000000Z\0";
        text[8] = b'T';
        text[15] = b'Z';
        put_digits(&mut text[0..4], year);
        put_digits(&mut text[4..6], u32::from(u8::from(at.month())));
        put_digits(&mut text[6..8], u32::from(at.day()));
        put_digits(&mut text[9..11], u32::from(at.hour()));
        put_digits(&mut text[11..13], u32::from(at.minute()));
        put_digits(&mut text[13..15], u32::from(at.second()));
        Ok(Self {
            unix_seconds: seconds,
            text,
        })
    }

    /// Reads `YYYYMMDDTHHMMSSZ`, the form of `X-Amz-Date`, and nothing else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: &[u8; 16] = text.as_bytes().try_into().ok()?;
        if bytes[8] != b'T' || bytes[15] != b'Z' {
            return None;
        }
        let month = Month::try_from(u8::try_from(digits(&bytes[4..6])?).ok()?).ok()?;
        let date = calendar(digits(&bytes[0..4])?, month, digits(&bytes[6..8])?)?;
        let time = clock(
            digits(&bytes[9..11])?,
            digits(&bytes[11..13])?,
            digits(&bytes[13..15])?,
        )?;
        Some(Self {
            unix_seconds: unix_seconds(date, time),
            text: *bytes,
        })
    }

    /// Reads the `Date` header's form, `Sun, 30 Aug 2015 12:36:00 GMT` (RFC 9110, section 5.6.7,
    /// `IMF-fixdate`; the obsolete forms are not read). The day of the week must be the right one.
    #[must_use]
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let bytes: &[u8; 29] = text.as_bytes().try_into().ok()?;
        let literal = |at: usize, expected: &[u8]| bytes[at..].starts_with(expected);
        let punctuated = literal(3, b", ")
            && [7, 11, 16].iter().all(|&at| bytes[at] == b' ')
            && bytes[19] == b':'
            && bytes[22] == b':'
            && literal(25, b" GMT");
        if !punctuated {
            return None;
        }
        let month = MONTHS
            .iter()
            .find(|(name, _)| literal(8, name.as_bytes()))?
            .1;
        let date = calendar(digits(&bytes[12..16])?, month, digits(&bytes[5..7])?)?;
        let weekday = WEEKDAYS
            .iter()
            .find(|(name, _)| literal(0, name.as_bytes()))?
            .1;
        if date.weekday() != weekday {
            return None;
        }
        let time = clock(
            digits(&bytes[17..19])?,
            digits(&bytes[20..22])?,
            digits(&bytes[23..25])?,
        )?;
        Self::from_unix_seconds(unix_seconds(date, time)).ok()
    }

    /// `YYYYMMDDTHHMMSSZ`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Every byte was written as a digit, `T` or `Z`, so this is always text.
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// The same as bytes.
    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.text
    }

    /// The day alone, `YYYYMMDD`: the first part of a credential scope.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.as_str()[..8]
    }

    /// Seconds since 1970-01-01T00:00:00Z, negative before it.
    #[must_use]
    pub const fn unix_seconds(&self) -> i64 {
        self.unix_seconds
    }

    /// This many seconds later, but no later than the year 9999 and no earlier than the year 0.
    pub(crate) fn plus_seconds(self, seconds: i64) -> Self {
        let sum = self.unix_seconds.saturating_add(seconds);
        Self::from_unix_seconds(sum.clamp(FIRST_UNIX_SECOND, LAST_UNIX_SECOND)).unwrap_or(self)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DateTime({self})")
    }
}

impl fmt::Display for DateOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the time lies outside the years 0 to 9999 and cannot be written in a signature",
        )
    }
}

impl std::error::Error for DateOutOfRange {}

/// 0000-01-01T00:00:00Z.
const FIRST_UNIX_SECOND: i64 = -62_167_219_200;
/// 9999-12-31T23:59:59Z.
const LAST_UNIX_SECOND: i64 = 253_402_300_799;

const MONTHS: [(&str, Month); 12] = [
    ("Jan", Month::January),
    ("Feb", Month::February),
    ("Mar", Month::March),
    ("Apr", Month::April),
    ("May", Month::May),
    ("Jun", Month::June),
    ("Jul", Month::July),
    ("Aug", Month::August),
    ("Sep", Month::September),
    ("Oct", Month::October),
    ("Nov", Month::November),
    ("Dec", Month::December),
];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("Mon", Weekday::Monday),
    ("Tue", Weekday::Tuesday),
    ("Wed", Weekday::Wednesday),
    ("Thu", Weekday::Thursday),
    ("Fri", Weekday::Friday),
    ("Sat", Weekday::Saturday),
    ("Sun", Weekday::Sunday),
];

fn calendar(year: u32, month: Month, day: u32) -> Option<Date> {
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

fn clock(hour: u32, minute: u32, second: u32) -> Option<Time> {
    let part = |value: u32| u8::try_from(value).ok();
    Time::from_hms(part(hour)?, part(minute)?, part(second)?).ok()
}

/// Whole seconds since 1970-01-01T00:00:00Z; a fraction is dropped, towards the past. They are within
/// what a [`DateTime`] can be.
pub(crate) fn unix_seconds_of(time: SystemTime) -> Result<i64, DateOutOfRange> {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).map_err(|_| DateOutOfRange)?,
        Err(before) => {
            let before = before.duration();
            let part = u64::from(before.subsec_nanos() > 0);
            let whole = before.as_secs().checked_add(part).ok_or(DateOutOfRange)?;
            -i64::try_from(whole).map_err(|_| DateOutOfRange)?
        }
    };
    if (FIRST_UNIX_SECOND..=LAST_UNIX_SECOND).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(DateOutOfRange)
    }
}

fn unix_seconds(date: Date, time: Time) -> i64 {
    PrimitiveDateTime::new(date, time)
        .assume_utc()
        .unix_timestamp()
}

/// Writes the last digits of a number, with leading zeros, over the whole slice.
fn put_digits(text: &mut [u8], mut number: u32) {
    for place in text.iter_mut().rev() {
        *place = b"0123456789"[(number % 10) as usize];
        number /= 10;
    }
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0u32, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u32::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn both_forms_name_the_same_moment() {
        let at = DateTime::parse("20150830T123600Z").unwrap();
        assert_eq!(at.unix_seconds(), 1_440_938_160);
        assert_eq!(
            DateTime::parse_http_date("Sun, 30 Aug 2015 12:36:00 GMT"),
            Some(at)
        );
    }

    #[test]
    fn other_spellings_are_refused() {
        for wrong in [
            "",
            "20150830",
            "20150830T123600",
            "20150830T123600z",
            "20150830 123600Z",
            "2015-08-30T12:36:00Z",
            "20150230T000000Z",
            "20150830T240000Z",
            "20150830T123660Z",
            "+0150830T123600Z",
            "2015083\u{e9}123600Z",
        ] {
            assert_eq!(DateTime::parse(wrong), None, "{wrong:?}");
        }
        for wrong in [
            "Mon, 30 Aug 2015 12:36:00 GMT",
            "Sun, 30 Aug 2015 12:36:00 UTC",
            "Sun, 30 aug 2015 12:36:00 GMT",
            "Sunday, 30-Aug-15 12:36:00 GMT",
            "Sun Aug 30 12:36:00 2015",
        ] {
            assert_eq!(DateTime::parse_http_date(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn fractions_are_dropped_towards_the_past() {
        let just_before = UNIX_EPOCH - Duration::from_nanos(1);
        let at = DateTime::from_system_time(just_before).unwrap();
        assert_eq!(at.to_string(), "19691231T235959Z");
        let just_after = UNIX_EPOCH + Duration::from_millis(1999);
        assert_eq!(
            DateTime::from_system_time(just_after).unwrap().to_string(),
            "19700101T000001Z"
        );
    }

    #[test]
    fn the_range_is_the_years_0_to_9999() {
        let first = DateTime::parse("00000101T000000Z").unwrap();
        let last = DateTime::parse("99991231T235959Z").unwrap();
        assert_eq!(DateTime::from_unix_seconds(first.unix_seconds()), Ok(first));
        assert_eq!(
            DateTime::from_unix_seconds(first.unix_seconds() - 1),
            Err(DateOutOfRange)
        );
        assert_eq!(DateTime::from_unix_seconds(last.unix_seconds()), Ok(last));
        assert_eq!(
            DateTime::from_unix_seconds(last.unix_seconds() + 1),
            Err(DateOutOfRange)
        );
        assert_eq!(DateTime::from_unix_seconds(i64::MAX), Err(DateOutOfRange));
        assert_eq!(DateTime::from_unix_seconds(i64::MIN), Err(DateOutOfRange));
    }

    #[test]
    fn adding_stays_within_the_range() {
        let first = DateTime::parse("00000101T000000Z").unwrap();
        let last = DateTime::parse("99991231T235959Z").unwrap();
        assert_eq!(
            (first.unix_seconds(), last.unix_seconds()),
            (FIRST_UNIX_SECOND, LAST_UNIX_SECOND)
        );
        assert_eq!(first.plus_seconds(-1), first);
        assert_eq!(last.plus_seconds(i64::MAX), last);
        assert_eq!(first.plus_seconds(i64::MAX), last);
        assert_eq!(first.plus_seconds(60).to_string(), "00000101T000100Z");
    }
}
