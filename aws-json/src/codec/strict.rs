//! A layer around serde_json's deserializer that takes no value for one of another type, and
//! says so in AWS's words.
//!
//! serde_json by itself would read a structure from an array, and its messages are its own. The
//! layer asks for whatever value comes next, compares it with what the shape asked for, and
//! leaves a mismatch in a cell beside the parser, since serde's errors carry nothing but text.

use std::cell::Cell;
use std::fmt;
use std::iter::empty;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::mismatch::{Expected, Mismatch, Token};
use super::union::Variant;

/// The one key of the map as which serde_json hands on a number, if anything in the program turns on its feature
/// `arbitrary_precision`.
pub(crate) const PRIVATE_NUMBER: &str = "$serde_json::private::Number";

/// The strict layer around a deserializer.
pub(super) struct Strict<'c, D> {
    inner: D,
    mismatch: &'c Cell<Option<Mismatch>>,
}

impl<'c, D> Strict<'c, D> {
    /// A layer that leaves the mismatch which stopped it in this cell.
    pub(super) fn new(inner: D, mismatch: &'c Cell<Option<Mismatch>>) -> Self {
        Self { inner, mismatch }
    }

    fn expect<'de, V>(self, expected: Expected, visitor: V) -> Result<V::Value, D::Error>
    where
        D: Deserializer<'de>,
        V: Visitor<'de>,
    {
        let expected = Some(expected);
        self.inner.deserialize_any(Expect {
            visitor,
            expected,
            mismatch: self.mismatch,
        })
    }
}

/// Methods that expect the same kind of value.
macro_rules! expecting {
    ($($expected:ident: $($method:ident)+;)+) => {$($(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.expect(Expected::$expected, visitor)
        }
    )+)+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    expecting! {
        Boolean: deserialize_bool;
        Double: deserialize_f32 deserialize_f64;
        Integer: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
            deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64;
        List: deserialize_seq;
        Map: deserialize_map;
        // Bytes come as text, in base64: what reads them decodes it.
        String: deserialize_char deserialize_str deserialize_string
            deserialize_bytes deserialize_byte_buf;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Expect {
            visitor,
            expected: None,
            mismatch: self.mismatch,
        })
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_i128(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_u128(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(Expect {
            visitor,
            expected: None,
            mismatch: self.mismatch,
        })
    }

    /// `()` is a structure without members, and takes any object.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.expect(Expected::Structure, NoMembers(visitor))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Expect {
            visitor,
            expected: None,
            mismatch: self.mismatch,
        };
        self.inner.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.expect(Expected::List, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.expect(Expected::List, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.expect(Expected::Structure, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner
            .deserialize_any(Variant::new(visitor, self.mismatch))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_identifier(visitor)
    }

    /// What no member asks for is skipped as fast as serde_json can, unlooked at.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Takes the value that comes, and hands it on if it is what is expected.
struct Expect<'c, V> {
    visitor: V,
    /// None takes everything.
    expected: Option<Expected>,
    mismatch: &'c Cell<Option<Mismatch>>,
}

impl<V> Expect<'_, V> {
    fn check<E: Error>(&self, found: Token) -> Result<(), E> {
        match self.expected {
            Some(expected) if !expected.takes(found) => Err(refuse(self.mismatch, found, expected)),
            Some(_) | None => Ok(()),
        }
    }

    /// Hands a number on. If the visitor has no method for it, or serde's own refuses it, although a number is
    /// expected, it is out of range. A visitor that gives a reason of its own keeps it.
    fn number<'de, E: Error>(
        self,
        visit: impl FnOnce(V) -> Result<V::Value, E>,
    ) -> Result<V::Value, E>
    where
        V: Visitor<'de>,
    {
        self.check(Token::Number)?;
        let (expected, mismatch) = (self.expected, self.mismatch);
        visit(self.visitor).map_err(|error| match expected {
            Some(expected) => out_of_range(mismatch, expected, error),
            None => error,
        })
    }

    /// Hands a number on that is there as its digits.
    fn digits<'de, E: Error>(self, digits: &str) -> Result<V::Value, E>
    where
        V: Visitor<'de>,
    {
        if let Ok(number) = digits.parse::<u64>() {
            self.visit_u64(number)
        } else if let Ok(number) = digits.parse::<i64>() {
            self.visit_i64(number)
        } else {
            self.visit_f64(digits.parse().map_err(E::custom)?)
        }
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Expect<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.check(if value { Token::True } else { Token::False })?;
        self.visitor.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.number(|visitor| visitor.visit_i64(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.number(|visitor| visitor.visit_u64(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        match (self.expected, whole(value)) {
            (Some(Expected::Integer), Some(integer)) => self.visit_i64(integer),
            (Some(_) | None, _) => self.number(|visitor| visitor.visit_f64(value)),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        self.check(Token::String)?;
        self.visitor.visit_str(value)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<V::Value, E> {
        self.check(Token::String)?;
        self.visitor.visit_borrowed_str(value)
    }

    fn visit_string<E: Error>(self, value: String) -> Result<V::Value, E> {
        self.check(Token::String)?;
        self.visitor.visit_string(value)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Strict::new(inner, self.mismatch))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor
            .visit_newtype_struct(Strict::new(inner, self.mismatch))
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.check(Token::Null)?;
        match self.expected {
            Some(Expected::List) => self.visitor.visit_seq(SeqDeserializer::new(empty::<()>())),
            Some(Expected::Map) => self
                .visitor
                .visit_map(MapDeserializer::new(empty::<((), ())>())),
            Some(_) | None => self.visitor.visit_unit(),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.check(Token::List)?;
        self.visitor.visit_seq(StrictAccess {
            inner,
            mismatch: self.mismatch,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut inner: A) -> Result<V::Value, A::Error> {
        if matches!(
            self.expected,
            Some(Expected::Boolean | Expected::Double | Expected::Integer | Expected::String)
        ) && let Some(digits) = private_number(&mut inner)?
        {
            return self.digits(&digits);
        }
        self.check(Token::Map)?;
        self.visitor.visit_map(StrictAccess {
            inner,
            mismatch: self.mismatch,
        })
    }
}

/// Reads an object, ignores its members, and gives a unit.
struct NoMembers<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for NoMembers<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.0.visit_unit()
    }
}

/// The elements of a list or the members of an object, each behind the strict layer.
struct StrictAccess<'c, A> {
    inner: A,
    mismatch: &'c Cell<Option<Mismatch>>,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for StrictAccess<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(StrictSeed {
            seed,
            mismatch: self.mismatch,
        })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for StrictAccess<'_, A> {
    type Error = A::Error;

    /// A key is always a string: nothing to be strict about.
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(StrictSeed {
            seed,
            mismatch: self.mismatch,
        })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

struct StrictSeed<'c, S> {
    seed: S,
    mismatch: &'c Cell<Option<Mismatch>>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for StrictSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.seed.deserialize(Strict::new(inner, self.mismatch))
    }
}

/// The error for a number that a visitor does not take. One in serde's own words says that it is out of range.
#[inline(never)]
fn out_of_range<E: Error>(cell: &Cell<Option<Mismatch>>, expected: Expected, error: E) -> E {
    if error.to_string().starts_with("invalid ") {
        return refuse(cell, Token::Number, expected);
    }
    error
}

/// The digits of a number, if this is one: if anything else in the program turns on serde_json's feature
/// `arbitrary_precision`, every number arrives as a map with one key.
#[inline(never)]
fn private_number<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<String>, A::Error> {
    if map.next_key::<String>()?.as_deref() != Some(PRIVATE_NUMBER) {
        return Ok(None);
    }
    map.next_value().map(Some)
}

#[inline(never)]
pub(super) fn refuse<E: Error>(
    cell: &Cell<Option<Mismatch>>,
    found: Token,
    expected: Expected,
) -> E {
    let mismatch = Mismatch { found, expected };
    cell.set(Some(mismatch));
    E::custom(mismatch)
}

/// The integer that a float stands for exactly; none with a fraction, or so large that
/// neighbouring integers look the same.
fn whole(value: f64) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    if value.fract() != 0.0 || value.abs() > LARGEST {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole and below 2^53"
    )]
    Some(value as i64)
}
