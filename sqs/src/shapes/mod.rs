//! What each operation takes and gives, one file for each family of operations.
//!
//! The structs are plain serde shapes with AWS's member names, so they are the JSON that goes over
//! the wire and nothing else: no value is checked here. Three rules hold for all of them.
//!
//! * **An input member is an `Option`, whatever AWS requires.** AWS answers differently to each
//!   absence, and an absent list is not an empty one, so a server must see the difference. The
//!   `new` constructors take what AWS requires.
//! * **An output member that may be left out reads as none.** A scalar is an `Option`; a list or a
//!   map is empty, and is left out again when it is written, as AWS leaves it out. Members that AWS
//!   always sends are plain values, and read as their default if a server forgets them: a batch
//!   that was stored must not turn into an error because one member of the answer is missing.
//! * **`null` is absent, and unknown members are ignored**, in both directions.
//!
//! AWS may add members to any shape, so write them with `..new(…)` or `..Default::default()`:
//!
//! ```
//! use sqs::SendMessageInput;
//!
//! let input = SendMessageInput { delay_seconds: Some(5), ..SendMessageInput::new("url", "hi") };
//! assert_eq!(
//!     serde_json::to_string(&input)?,
//!     r#"{"QueueUrl":"url","MessageBody":"hi","DelaySeconds":5}"#,
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod attributes;
pub mod delete;
pub mod message;
pub mod move_task;
pub mod permissions;
pub mod purge;
pub mod queues;
pub mod receive;
pub mod send;
pub mod tags;
pub mod visibility;

#[cfg(test)]
mod testing;

use serde::{Deserialize, Deserializer};

/// Reads `null` as the default value: serde's own `default` only covers an absent member.
fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Turns what a constructor was given into the list that a shape holds.
fn strings<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Option<Vec<String>> {
    Some(values.into_iter().map(Into::into).collect())
}

/// Turns the pairs that a constructor was given into the map that a shape holds.
fn string_map<K, V>(
    pairs: impl IntoIterator<Item = (K, V)>,
) -> Option<std::collections::BTreeMap<String, String>>
where
    K: Into<String>,
    V: Into<String>,
{
    Some(
        pairs
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect(),
    )
}

/// Turns the tags that a constructor was given into the map that a shape holds.
fn tag_map<K, V>(
    tags: impl IntoIterator<Item = (K, V)>,
) -> Option<std::collections::BTreeMap<String, Option<String>>>
where
    K: Into<String>,
    V: Into<String>,
{
    Some(
        tags.into_iter()
            .map(|(key, value)| (key.into(), Some(value.into())))
            .collect(),
    )
}
