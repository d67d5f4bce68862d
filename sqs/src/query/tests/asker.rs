//! Asks shapes what they consist of, and fills them in.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use crate::operation::Decoder;

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    List,
    Map,
}

/// The members of all shapes that were asked, by shape and member.
pub(super) type Found = RefCell<BTreeMap<(&'static str, &'static str), Kind>>;

/// Gives every member a value, every list and map two entries, and notes what there is.
///
/// Every text is `AQID`, which is base64 as well.
#[derive(Clone, Copy)]
pub(super) struct Asker<'f> {
    pub(super) found: &'f Found,
    /// The member that is asked; none at the root and for entries of a list or a map.
    member: Option<(&'static str, &'static str)>,
}

impl<'f> Asker<'f> {
    pub(super) fn new(found: &'f Found) -> Asker<'f> {
        Asker {
            found,
            member: None,
        }
    }

    fn note(self, kind: Kind) {
        if let Some(member) = self.member {
            let before = self.found.borrow_mut().insert(member, kind);
            assert!(before.is_none_or(|before| before == kind), "{member:?}");
        }
    }
}

impl Decoder for Asker<'_> {
    type Error = Error;

    fn decode<T: DeserializeOwned>(self) -> Result<T, Error> {
        T::deserialize(self)
    }
}

impl<'de> Deserializer<'de> for Asker<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Plain);
        visitor.visit_str("AQID")
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Plain);
        visitor.visit_bool(true)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Plain);
        visitor.visit_i32(i32::MIN)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Plain);
        visitor.visit_i64(i64::MAX)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::List);
        visitor.visit_seq(Two(Asker::new(self.found), 1..3))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Map);
        visitor.visit_map(Two(Asker::new(self.found), 1..3))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(Kind::Plain);
        visitor.visit_map(Members {
            found: self.found,
            shape: name,
            fields: fields.iter(),
            current: None,
        })
    }

    forward_to_deserialize_any! {
        i8 i16 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct enum identifier ignored_any
    }
}

/// Two entries of a list or a map.
struct Two<'f>(Asker<'f>, std::ops::Range<u32>);

impl<'de> SeqAccess<'de> for Two<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        match self.1.next() {
            Some(_) => seed.deserialize(self.0).map(Some),
            None => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for Two<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        match self.1.next() {
            Some(n) => seed
                .deserialize(format!("k{n}").into_deserializer())
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.0)
    }
}

/// Every member of a structure.
struct Members<'f> {
    found: &'f Found,
    shape: &'static str,
    fields: std::slice::Iter<'static, &'static str>,
    current: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.current = self.fields.next().copied();
        match self.current {
            Some(field) => seed.deserialize(StrDeserializer::new(field)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let member = self.current.map(|field| (self.shape, field));
        seed.deserialize(Asker {
            found: self.found,
            member,
        })
    }
}
