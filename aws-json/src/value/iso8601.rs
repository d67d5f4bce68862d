//! Times as text in the form of RFC 3339: `2019-12-16T23:48:18Z`.
//!
//! For `#[serde(with = "aws_json::value::iso8601")]` on [`SystemTime`], or options, lists and maps of it, where the
//! model says `date-time`. Years are 1 to 9999.
//!
//! Written in UTC, with a fraction of up to nine digits if there is one. Read with any offset from UTC and a fraction
//! of any length, of which nine digits count. A leap second is the second after it.
//!
//! Source: <https://smithy.io/2.0/spec/protocol-traits.html#timestampformat-trait>, RFC 3339 section 5.6.

use std::time::SystemTime;

use serde::de::Deserializer;
use serde::ser::Serializer;

use super::instant::{Instant, Scanner, Text, TimeError};
use super::nested::Nested;

/// Names this module's format to [`Nested`].
#[derive(Debug)]
pub enum Format {}

/// Writes a time as text.
///
/// # Errors
///
/// If it is before the year 1 or after the year 9999, and what the serializer says.
pub fn serialize<T: Nested<Format>, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

/// Reads a time from text.
///
/// # Errors
///
/// If it is no string, or [`parse`] refuses it.
pub fn deserialize<'de, T: Nested<Format>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::read(deserializer)
}

/// The time as text.
///
/// # Errors
///
/// [`TimeError::Range`] before the year 1 or after the year 9999.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use aws_json::value::iso8601;
///
/// let time = UNIX_EPOCH + Duration::from_millis(1_576_540_098_250);
/// assert_eq!(iso8601::format(time)?, "2019-12-16T23:48:18.25Z");
/// assert_eq!(iso8601::parse("2019-12-16T22:48:18.25-01:00")?, time);
/// # Ok::<(), aws_json::value::TimeError>(())
/// ```
pub fn format(time: SystemTime) -> Result<String, TimeError> {
    let instant = Instant::try_from(time)?;
    let (date, clock) = instant.calendar();
    let mut text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        clock.hour(),
        clock.minute(),
        clock.second()
    );
    if instant.nanos() != 0 {
        let digits = format!("{:09}", instant.nanos());
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
    text.push('Z');
    Ok(text)
}

/// Reads a time: date, `T`, time of day, and `Z` or an offset such as `-01:00`. The two letters may be small.
///
/// # Errors
///
/// [`TimeError::Form`] if the text has another form, [`TimeError::NoSuchTime`] if there is no such day or time of
/// day, [`TimeError::Range`] if the time in UTC is before the year 1 or after the year 9999.
pub fn parse(text: &str) -> Result<SystemTime, TimeError> {
    let mut scanner = Scanner::new(text, "one like 2019-12-16T23:48:18Z");
    let year = scanner.number(4)?;
    scanner.sign(b'-')?;
    let month = scanner.number(2)?;
    scanner.sign(b'-')?;
    let day = scanner.number(2)?;
    scanner.one_of(b"Tt")?;
    let time_of_day = scanner.time_of_day()?;
    let offset = match scanner.one_of(b"Zz+-")? {
        sign @ (b'+' | b'-') => {
            let hours = scanner.number(2)?;
            scanner.sign(b':')?;
            let minutes = scanner.number(2)?;
            if hours > 23 || minutes > 59 {
                return Err(TimeError::NoSuchTime);
            }
            let seconds = i64::from(hours * 3600 + minutes * 60);
            if sign == b'+' { seconds } else { -seconds }
        }
        _ => 0,
    };
    scanner.end()?;
    let local = Instant::at(year, month, day, time_of_day)?;
    local.earlier(offset)?.try_into()
}

impl Text for Format {
    const EXPECTED: &'static str = "a time as a string like 2019-12-16T23:48:18Z";

    fn format(time: SystemTime) -> Result<String, TimeError> {
        format(time)
    }

    fn parse(text: &str) -> Result<SystemTime, TimeError> {
        parse(text)
    }
}
