//! Values that JSON has no form for: times, bytes, special floats, large numbers, lists with holes.
//!
//! The shapes of a service are plain serde types. Where a member needs more than serde_json does by itself, one of
//! these modules stands in its `with` attribute, or one of the types as its type.
//!
//! | in AWS's model | Rust type | attribute |
//! |---|---|---|
//! | timestamp | [`SystemTime`](std::time::SystemTime) | `with = "aws_json::value::epoch_seconds"` |
//! | timestamp as `date-time` | `SystemTime` | `with = "aws_json::value::iso8601"` |
//! | timestamp as `http-date` | `SystemTime` | `with = "aws_json::value::http_date"` |
//! | blob | `Vec<u8>` or [`Bytes`](bytes::Bytes) | `with = "aws_json::value::blob"` |
//! | float, double | `f32`, `f64` | `with = "aws_json::value::float"`, if it may be infinite or not a number |
//! | bigInteger, bigDecimal | [`BigNumber`] | none |
//! | list, map | `Vec<T>`, `HashMap<String, T>`, `BTreeMap<String, T>` | `with = "aws_json::value::dense"`, if it may hold `null` |
//! | sparse list, sparse map | `Vec<Option<T>>`, `HashMap<String, Option<T>>` | none |
//! | document | `serde_json::Value` | none |
//! | union | an enum, read by [`body::decode`](crate::codec::body::decode) | none |
//!
//! The first five reach into options, lists and maps, however nested: `with = "aws_json::value::blob"` is right for
//! `Option<Vec<u8>>`, for `Vec<Vec<u8>>`, for `HashMap<String, Option<Vec<u8>>>`. In a list or map of theirs, `null`
//! stays where its place is an `Option` (a sparse list), and is left out otherwise, as AWS's own clients do.
//!
//! An optional member with a `with` attribute needs `#[serde(default)]` as well; without it, serde takes an absent
//! member for an error.
//!
//! ```
//! use std::collections::HashMap;
//! use std::time::{Duration, SystemTime, UNIX_EPOCH};
//!
//! use aws_json::codec::body::{decode, encode};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Debug, PartialEq)]
//! #[serde(rename_all = "PascalCase")]
//! struct Record {
//!     #[serde(with = "aws_json::value::epoch_seconds")]
//!     created: SystemTime,
//!     #[serde(with = "aws_json::value::iso8601", default, skip_serializing_if = "Option::is_none")]
//!     deleted: Option<SystemTime>,
//!     #[serde(with = "aws_json::value::blob")]
//!     parts: HashMap<String, Vec<u8>>,
//!     #[serde(with = "aws_json::value::float")]
//!     readings: Vec<Option<f64>>,
//! }
//!
//! let body = br#"{"Created":1398796238.25,"Parts":{"a":"Zm9v"},"Readings":[1.5,null,"-Infinity"]}"#;
//! let record: Record = decode(body)?;
//! assert_eq!(record.created, UNIX_EPOCH + Duration::from_millis(1_398_796_238_250));
//! assert_eq!(record.deleted, None);
//! assert_eq!(record.parts["a"], b"foo");
//! assert_eq!(record.readings, [Some(1.5), None, Some(f64::NEG_INFINITY)]);
//! assert_eq!(encode(&record)?, &body[..]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blob;
pub mod dense;
pub mod epoch_seconds;
pub mod float;
pub mod http_date;
pub mod iso8601;

mod big_number;
mod instant;
mod nested;

pub use big_number::{BigNumber, NotANumber};
pub use instant::TimeError;
pub use nested::Nested;

#[cfg(test)]
mod tests;
