//! Floats that may be infinite or not a number: as the strings `"Infinity"`, `"-Infinity"` and `"NaN"`.
//!
//! For `#[serde(with = "aws_json::value::float")]` on `f32`, `f64`, or options, lists and maps of them. Any other
//! float is a JSON number. Without this, serde_json writes `null` for these three and reads none of them.
//!
//! Source: <https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html>.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::ser::Serializer;

use super::nested::Nested;
use crate::codec::PRIVATE_NUMBER;

/// Names this module's format to [`Nested`].
#[derive(Debug)]
pub enum Format {}

/// Writes a float as a number or as one of the three strings.
///
/// # Errors
///
/// Only what the serializer says.
pub fn serialize<T: Nested<Format>, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

/// Reads a float from a number or one of the three strings, which are spelled exactly so. A number between two
/// floats is read as the nearer one; an `f32` from the `f64` that is nearest.
///
/// # Errors
///
/// If it is neither, or a number that is too large for the type.
pub fn deserialize<'de, T: Nested<Format>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::read(deserializer)
}

impl Nested<Format> for f64 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match special(*self) {
            Some(word) => serializer.serialize_str(word),
            None => serializer.serialize_f64(*self),
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Double)
    }
}

impl Nested<Format> for f32 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match special(Self::into(*self)) {
            Some(word) => serializer.serialize_str(word),
            None => serializer.serialize_f32(*self),
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let double = deserializer.deserialize_any(Double)?;
        #[expect(clippy::cast_possible_truncation, reason = "rounding is what is meant")]
        let float = double as Self;
        if float.is_infinite() && double.is_finite() {
            return Err(D::Error::custom(
                "a float is out of range: one of at most about 3.4e38 is expected",
            ));
        }
        Ok(float)
    }
}

/// The string that a float is written as, if it is one of the three.
fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some(NAN)
    } else if value == f64::INFINITY {
        Some(INFINITY)
    } else if value == f64::NEG_INFINITY {
        Some(NEGATIVE_INFINITY)
    } else {
        None
    }
}

const NAN: &str = "NaN";
const INFINITY: &str = "Infinity";
const NEGATIVE_INFINITY: &str = "-Infinity";

struct Double;

impl<'de> Visitor<'de> for Double {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what is meant"
    )]
    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what is meant"
    )]
    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<f64, E> {
        match word {
            NAN => Ok(f64::NAN),
            INFINITY => Ok(f64::INFINITY),
            NEGATIVE_INFINITY => Ok(f64::NEG_INFINITY),
            _ => Err(E::custom(
                "a float is a string: only \"NaN\", \"Infinity\" and \"-Infinity\" may be",
            )),
        }
    }

    /// A number, if anything else in the program turns on serde_json's feature `arbitrary_precision`.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<f64, A::Error> {
        if map.next_key::<String>()?.as_deref() != Some(PRIVATE_NUMBER) {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        map.next_value::<String>()?
            .parse()
            .map_err(A::Error::custom)
    }
}
