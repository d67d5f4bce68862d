//! Times as HTTP writes them: `Sun, 02 Jan 2000 20:34:56 GMT`.
//!
//! For `#[serde(with = "aws_json::value::http_date")]` on [`SystemTime`], or options, lists and maps of it, where the
//! model says `http-date`. Years are 1 to 9999.
//!
//! Written in whole seconds: a fraction is cut off. Read with a fraction if there is one. The day of the week is read
//! and not checked; a leap second is the second after it.
//!
//! Source: <https://smithy.io/2.0/spec/protocol-traits.html#timestampformat-trait>, RFC 9110 section 5.6.7
//! (`IMF-fixdate`).

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
/// use aws_json::value::http_date;
///
/// let time = UNIX_EPOCH + Duration::from_secs(946_845_296);
/// assert_eq!(http_date::format(time)?, "Sun, 02 Jan 2000 20:34:56 GMT");
/// assert_eq!(http_date::parse("Sun, 02 Jan 2000 20:34:56 GMT")?, time);
/// # Ok::<(), aws_json::value::TimeError>(())
/// ```
pub fn format(time: SystemTime) -> Result<String, TimeError> {
    let (date, clock) = Instant::try_from(time)?.calendar();
    let weekday = WEEKDAYS[usize::from(date.weekday().number_days_from_monday())];
    let month = MONTHS[usize::from(u8::from(date.month()) - 1)];
    Ok(format!(
        "{weekday}, {:02} {month} {:04} {:02}:{:02}:{:02} GMT",
        date.day(),
        date.year(),
        clock.hour(),
        clock.minute(),
        clock.second()
    ))
}

/// Reads a time in exactly this form, with a fraction behind the seconds if there is one.
///
/// # Errors
///
/// [`TimeError::Form`] if the text has another form, [`TimeError::NoSuchTime`] if there is no such day or time of
/// day.
pub fn parse(text: &str) -> Result<SystemTime, TimeError> {
    let mut scanner = Scanner::new(text, "one like Sun, 02 Jan 2000 20:34:56 GMT");
    scanner.name(&WEEKDAYS)?;
    scanner.text(", ")?;
    let day = scanner.number(2)?;
    scanner.text(" ")?;
    let month = scanner.name(&MONTHS)?;
    scanner.text(" ")?;
    let year = scanner.number(4)?;
    scanner.text(" ")?;
    let time_of_day = scanner.time_of_day()?;
    scanner.text(" GMT")?;
    scanner.end()?;
    Instant::at(year, month, day, time_of_day)?.try_into()
}

impl Text for Format {
    const EXPECTED: &'static str = "a time as a string like Sun, 02 Jan 2000 20:34:56 GMT";

    fn format(time: SystemTime) -> Result<String, TimeError> {
        format(time)
    }

    fn parse(text: &str) -> Result<SystemTime, TimeError> {
        parse(text)
    }
}

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
