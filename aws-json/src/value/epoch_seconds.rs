//! Times as seconds since 1970-01-01 00:00:00 UTC: a JSON number, perhaps with a fraction.
//!
//! For `#[serde(with = "aws_json::value::epoch_seconds")]` on [`SystemTime`], or options, lists and maps of it. It is
//! what the protocol does with a timestamp unless the model says otherwise.
//!
//! A time that falls on a second is written as a whole number. A fraction is as exact as a double carries it: 15
//! digits in all, which is a microsecond in our time and a millisecond in the year 9999. Years are 1 to 9999.
//!
//! Source: <https://smithy.io/2.0/spec/protocol-traits.html#timestampformat-trait>.

use std::fmt;
use std::time::SystemTime;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::{Error as _, Serializer};

use super::instant::{Instant, TimeError};
use super::nested::Nested;

/// Names this module's format to [`Nested`].
#[derive(Debug)]
pub enum Format {}

/// Writes a time as a number.
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

/// Reads a time from a number, which may be negative.
///
/// # Errors
///
/// If it is no number, or a time before the year 1 or after the year 9999.
pub fn deserialize<'de, T: Nested<Format>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::read(deserializer)
}

impl Nested<Format> for SystemTime {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let instant = Instant::try_from(*self).map_err(S::Error::custom)?;
        match instant.nanos() {
            0 => serializer.serialize_i64(instant.seconds()),
            _ => serializer.serialize_f64(instant.to_f64()),
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let instant = deserializer.deserialize_f64(Seconds)?;
        SystemTime::try_from(instant).map_err(D::Error::custom)
    }
}

struct Seconds;

impl Visitor<'_> for Seconds {
    type Value = Instant;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time as a number of seconds since 1970")
    }

    fn visit_i64<E: Error>(self, seconds: i64) -> Result<Instant, E> {
        Instant::new(seconds, 0).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<Instant, E> {
        i64::try_from(seconds)
            .map_err(|_| TimeError::Range)
            .and_then(|seconds| Instant::new(seconds, 0))
            .map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<Instant, E> {
        Instant::from_f64(seconds).map_err(E::custom)
    }
}
