//! A format of single values, carried into options, lists and maps.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// What a module of [`value`](super) can write and read: single values of its format `F`, and options, lists and
/// maps of what it can.
///
/// It is what `serialize` and `deserialize` of those modules ask of a member's type; nothing else implements it.
pub trait Nested<F>: Sized {
    /// Writes it.
    ///
    /// # Errors
    ///
    /// If the format has no form for it, and whatever the serializer says.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads it.
    ///
    /// # Errors
    ///
    /// If what is there is not in the format, and whatever the deserializer says.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// What a `null` in a list or map stands for; none leaves it out.
    #[must_use]
    fn null() -> Option<Self> {
        None
    }
}

impl<F, T: Nested<F>> Nested<F> for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => serializer.serialize_some(&Written::new(value)),
            None => serializer.serialize_none(),
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Member::<T, F>(PhantomData).deserialize(deserializer)
    }

    fn null() -> Option<Self> {
        Some(None)
    }
}

impl<F, T: Nested<F>> Nested<F> for Vec<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Written::new))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(List(PhantomData))
    }
}

/// The two maps differ in nothing but their names and what they ask of a key.
macro_rules! map {
    ($map:ident<K $(: $first:ident $(+ $more:ident)*)?, T $(, $hasher:ident)?>) => {
        impl<F, K, T $(, $hasher)?> Nested<F> for $map<K, T $(, $hasher)?>
        where
            K: Serialize + for<'de> Deserialize<'de> $(+ $first $(+ $more)*)?,
            T: Nested<F>,
            $($hasher: BuildHasher + Default,)?
        {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.iter().map(|(key, value)| (key, Written::new(value))))
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map(Map(PhantomData))
            }
        }
    };
}

map!(BTreeMap<K: Ord, T>);
map!(HashMap<K: Eq + Hash, T, H>);

/// A value that serde can write.
struct Written<'a, T, F>(&'a T, PhantomData<F>);

impl<'a, T, F> Written<'a, T, F> {
    fn new(value: &'a T) -> Self {
        Self(value, PhantomData)
    }
}

impl<T: Nested<F>, F> Serialize for Written<'_, T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// Reads a value that may be `null`.
struct Member<T, F>(PhantomData<(T, F)>);

impl<'de, T: Nested<F>, F> DeserializeSeed<'de> for Member<T, F> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, T: Nested<F>, F> Visitor<'de> for Member<T, F> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        T::read(deserializer).map(Some)
    }
}

struct List<T, F>(PhantomData<(T, F)>);

impl<'de, T: Nested<F>, F> Visitor<'de> for List<T, F> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut values = Vec::new();
        while let Some(member) = list.next_element_seed(Member(PhantomData))? {
            values.extend(member.or_else(T::null));
        }
        Ok(values)
    }
}

struct Map<M, K, T, F>(PhantomData<(M, K, T, F)>);

impl<'de, M, K, T, F> Visitor<'de> for Map<M, K, T, F>
where
    M: Default + Extend<(K, T)>,
    K: Deserialize<'de>,
    T: Nested<F>,
{
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
        let mut values = M::default();
        while let Some(key) = map.next_key()? {
            let member = map.next_value_seed(Member(PhantomData))?;
            values.extend(member.or_else(T::null).map(|value| (key, value)));
        }
        Ok(values)
    }
}
