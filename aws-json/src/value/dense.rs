//! Lists and maps in which `null` stands for nothing: read without them.
//!
//! For `#[serde(with = "aws_json::value::dense")]` on `Vec<T>`, `HashMap<K, T>`, `BTreeMap<K, T>` and options of
//! them. AWS's lists and maps hold no `null` unless the model calls them sparse, but a service may send one, and
//! AWS's own clients then leave it out. Without this, it is an error. Of lists in lists, only the outer one is
//! looked at.
//!
//! In a sparse list or map, `null` means something: `Vec<Option<T>>` keeps it, without an attribute.
//!
//! ```
//! #[derive(serde::Deserialize)]
//! struct Output {
//!     #[serde(with = "aws_json::value::dense")]
//!     names: Vec<String>,
//!     sparse_names: Vec<Option<String>>,
//! }
//!
//! let output: Output = serde_json::from_str(r#"{"names":["a",null,"b"],"sparse_names":["a",null]}"#)?;
//! assert_eq!(output.names, ["a", "b"]);
//! assert_eq!(output.sparse_names, [Some("a".to_owned()), None]);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// Writes a list or map as serde does.
///
/// # Errors
///
/// Only what the serializer says.
pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// Reads a list or map and leaves out what is `null`.
///
/// # Errors
///
/// If it is no list or map of this kind.
pub fn deserialize<'de, T: Dense<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::Sparse::deserialize(deserializer).map(T::from_sparse)
}

/// What this module can read. Nothing else implements it.
pub trait Dense<'de> {
    /// The same with its `null`s.
    type Sparse: Deserialize<'de>;

    /// Leaves them out.
    fn from_sparse(sparse: Self::Sparse) -> Self;
}

impl<'de, C: Dense<'de>> Dense<'de> for Option<C> {
    type Sparse = Option<C::Sparse>;

    fn from_sparse(sparse: Self::Sparse) -> Self {
        sparse.map(C::from_sparse)
    }
}

impl<'de, T: Deserialize<'de>> Dense<'de> for Vec<T> {
    type Sparse = Vec<Option<T>>;

    fn from_sparse(sparse: Self::Sparse) -> Self {
        sparse.into_iter().flatten().collect()
    }
}

impl<'de, K, T, H> Dense<'de> for HashMap<K, T, H>
where
    K: Deserialize<'de> + Eq + Hash,
    T: Deserialize<'de>,
    H: BuildHasher + Default,
{
    type Sparse = HashMap<K, Option<T>, H>;

    fn from_sparse(sparse: Self::Sparse) -> Self {
        let members = sparse.into_iter();
        members
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }
}

impl<'de, K: Deserialize<'de> + Ord, T: Deserialize<'de>> Dense<'de> for BTreeMap<K, T> {
    type Sparse = BTreeMap<K, Option<T>>;

    fn from_sparse(sparse: Self::Sparse) -> Self {
        let members = sparse.into_iter();
        members
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }
}
