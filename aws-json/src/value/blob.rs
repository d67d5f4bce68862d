//! Bytes as base64: the standard alphabet, with padding.
//!
//! For `#[serde(with = "aws_json::value::blob")]` on `Vec<u8>`, [`Bytes`], or options, lists and maps of them. A
//! shape that holds secrets this way keeps them out of its own `Debug` itself.
//!
//! Source: <https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html>.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

use super::nested::Nested;

/// Names this module's format to [`Nested`].
#[derive(Debug)]
pub enum Format {}

/// Writes bytes as a string.
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

/// Reads bytes from a string.
///
/// # Errors
///
/// If it is no string, or not base64. The message does not repeat it.
pub fn deserialize<'de, T: Nested<Format>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::read(deserializer)
}

impl Nested<Format> for Vec<u8> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64)
    }
}

impl Nested<Format> for Bytes {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64).map(Self::from)
    }
}

struct Base64;

impl Visitor<'_> for Base64 {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes as a string of base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        STANDARD.decode(text).map_err(|_| {
            E::custom("a blob is not base64: the standard alphabet, with padding, is expected")
        })
    }
}
