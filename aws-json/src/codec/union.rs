//! Enums: strings with a fixed set of values, and unions.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::mismatch::{Expected, Mismatch, Token};
use super::strict::{Strict, refuse};

/// Reads an enum: its variant's name, or a union, which is an object with that one member. Beside it, the object
/// may hold what some services write: members that are `null`, and `__type`.
pub(super) struct Variant<'c, V> {
    visitor: V,
    mismatch: &'c Cell<Option<Mismatch>>,
}

impl<'c, V> Variant<'c, V> {
    /// A reader that leaves the mismatch which stopped it in this cell.
    pub(super) fn new(visitor: V, mismatch: &'c Cell<Option<Mismatch>>) -> Self {
        Self { visitor, mismatch }
    }

    fn refuse<T, E: Error>(&self, found: Token) -> Result<T, E> {
        Err(refuse(self.mismatch, found, Expected::String))
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Variant<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        self.visitor.visit_enum(value.into_deserializer())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        let mut visitor = self.visitor;
        let union = loop {
            let Some(name) = map.next_key::<String>()? else {
                return Err(A::Error::custom(
                    "a union holds no member: expected one that is not null",
                ));
            };
            if name == STRAY_TYPE {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let member = Member {
                visitor,
                name,
                mismatch: self.mismatch,
            };
            match map.next_value_seed(member)? {
                Union::Value(value) => break value,
                Union::Null(unused) => visitor = unused,
            }
        };
        while let Some(name) = map.next_key::<String>()? {
            let another = map.next_value::<Option<IgnoredAny>>()?.is_some();
            if another && name != STRAY_TYPE {
                return Err(A::Error::custom("a union holds two members: expected one"));
            }
        }
        Ok(union)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.refuse(if value { Token::True } else { Token::False })
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<V::Value, E> {
        self.refuse(Token::Number)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<V::Value, E> {
        self.refuse(Token::Number)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<V::Value, E> {
        self.refuse(Token::Number)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.refuse(Token::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<V::Value, A::Error> {
        self.refuse(Token::List)
    }
}

/// What some services write into a union beside its member: the name of the union's shape.
const STRAY_TYPE: &str = "__type";

/// A member of a union whose name is read and whose value comes next.
struct Member<'c, V> {
    visitor: V,
    name: String,
    mismatch: &'c Cell<Option<Mismatch>>,
}

/// What a member of a union came to.
enum Union<V, T> {
    /// It is `null`, and the visitor is free for the next.
    Null(V),
    /// It is the union's value.
    Value(T),
}

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Member<'_, V> {
    type Value = Union<V, V::Value>;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_option(self)
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Member<'_, V> {
    type Value = Union<V, V::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Union::Null(self.visitor))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Union::Null(self.visitor))
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        let access = UnionAccess {
            name: self.name,
            value: Strict::new(inner, self.mismatch),
        };
        self.visitor.visit_enum(access).map(Union::Value)
    }
}

/// The name of a union's member, and the deserializer of its value.
struct UnionAccess<D> {
    name: String,
    value: D,
}

impl<'de, D: Deserializer<'de>> EnumAccess<'de> for UnionAccess<D> {
    type Error = D::Error;
    type Variant = UnionValue<D>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), D::Error> {
        let variant = seed.deserialize(self.name.into_deserializer())?;
        Ok((variant, UnionValue(self.value)))
    }
}

struct UnionValue<D>(D);

impl<'de, D: Deserializer<'de>> VariantAccess<'de> for UnionValue<D> {
    type Error = D::Error;

    /// Takes any value, so that `#[serde(other)]` stands for a member that is not known yet.
    fn unit_variant(self) -> Result<(), D::Error> {
        IgnoredAny::deserialize(self.0).map(drop)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, D::Error> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct("", fields, visitor)
    }
}
