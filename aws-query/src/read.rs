//! Parameters as serde reads them.
//!
//! A [`Value`] is a member with its [`Node`]; the visitors of serde walk from the root to the texts.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use crate::error::{ReadError, quoted};
use crate::model::{Form, Member, Model, member};
use crate::node::Node;
use crate::parameters::{MAX_PARAMETERS, Parameters};

/// The most structures, lists and maps that a name may lead through.
///
/// The deepest name of SQS, `SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType`, leads
/// through five.
pub const MAX_DEPTH: usize = 16;

/// The largest index in a list or a map, `Name.4096`: as many as there can be
/// [parameters](MAX_PARAMETERS), so that a larger one cannot belong to a list without gaps.
pub const MAX_INDEX: usize = MAX_PARAMETERS;

impl Model {
    /// Reads a request's parameters as a shape.
    ///
    /// * A structure's members are looked up by their names on the wire; parameters that are no
    ///   member's are ignored, as AWS ignores them, and members without a parameter are absent.
    /// * Numbers are decimal digits with an optional sign, in the range of the member's type.
    ///   Booleans are `true` and `false`.
    /// * A list's or map's entries come in the order of their numbers. Gaps are passed over, and an
    ///   index is at most [`MAX_INDEX`].
    /// * A list or map of one entry may have no number: `AttributeName=All`,
    ///   `Attribute.Name=Policy&Attribute.Value=`. SQS's documentation had that form until 2013, and
    ///   boto 2 sends it. A name with a number and the same without one is refused.
    /// * An empty list or map is its name with an empty value, either the name on the wire, as the
    ///   SDK for Go sends it, or the member's (`AttributeNames=`), as botocore does.
    /// * Entries of a list or map under the member's name, where the wire has another one, are
    ///   refused rather than ignored: `Entries.1.Id`.
    /// * A map's entry needs its key. Without its value, a text or number is refused; an `Option` is
    ///   none; and a structure is read as if it had no members, so that the service can say which of
    ///   them it misses.
    ///
    /// # Errors
    ///
    /// When a value is not what the member holds, or names contradict each other.
    pub fn read<T: DeserializeOwned>(&self, parameters: &Parameters<'_>) -> Result<T, ReadError> {
        T::deserialize(Value {
            model: self,
            member: member(&[], ""),
            node: Node::root(parameters),
            depth: 0,
        })
    }
}

/// A member that is to be read.
#[derive(Clone, Copy)]
struct Value<'p> {
    model: &'p Model,
    member: Member,
    node: Node<'p>,
    depth: usize,
}

impl<'p> Value<'p> {
    /// The value of a text, a number or a boolean.
    fn text(&self) -> Result<&'p str, ReadError> {
        match (self.node.exact, self.node.below) {
            (Some(text), []) => Ok(text),
            (Some(_), [_, ..]) => Err(self.node.conflict()),
            (None, []) => Err(ReadError::Missing {
                parameter: self.node.name(),
            }),
            (None, [first, ..]) => Err(ReadError::Value {
                parameter: quoted(&first.name),
                reason: format!("{} is a text, with no names below it", self.node.name()),
            }),
        }
    }

    /// The value of an integer: decimal digits with an optional sign.
    fn integer<T>(&self, low: &T, high: &T) -> Result<T, ReadError>
    where
        T: FromStr<Err = ParseIntError> + Display,
    {
        let text = self.text()?;
        text.parse().map_err(|error: ParseIntError| {
            let found = quoted(text);
            self.node.wrong(match error.kind() {
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                    format!("{found} is not in the range from {low} to {high}")
                }
                _ => format!("\"{found}\" is not an integer from {low} to {high}"),
            })
        })
    }

    fn float(&self) -> Result<f64, ReadError> {
        let text = self.text()?;
        let not_a_number = |_| {
            let found = quoted(text);
            self.node.wrong(format!("\"{found}\" is not a number"))
        };
        text.parse().map_err(not_a_number)
    }

    fn boolean(&self) -> Result<bool, ReadError> {
        match self.text()? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => {
                let found = quoted(other);
                Err(self
                    .node
                    .wrong(format!("\"{found}\" is neither true nor false")))
            }
        }
    }

    /// A value that belongs to this one.
    fn inner(&self, member: Member, node: Node<'p>) -> Result<Value<'p>, ReadError> {
        if self.depth == MAX_DEPTH {
            return Err(ReadError::Depth {
                parameter: node.name(),
            });
        }
        Ok(Value {
            model: self.model,
            member,
            node,
            depth: self.depth + 1,
        })
    }

    /// An inner value that is plain.
    fn plain(&self, node: Node<'p>) -> Result<Value<'p>, ReadError> {
        self.inner(member(&[], ""), node)
    }

    /// What goes wrong when the table does not go with the shape.
    fn unmapped(&self, what: &str) -> ReadError {
        self.node.wrong(format!(
            "it is a {what}, and the table of names does not say so"
        ))
    }

    /// Reads with `read`, and says where it was when it goes wrong.
    fn located<T>(
        self,
        read: impl FnOnce(Value<'p>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        read(self).map_err(|error| match error {
            ReadError::Value { parameter, reason } if parameter.is_empty() => {
                self.node.wrong(reason)
            }
            other => other,
        })
    }
}

/// Integers of each width.
macro_rules! integers {
    ($($method:ident $visit:ident $integer:ident;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            visitor.$visit(self.integer(&$integer::MIN, &$integer::MAX)?)
        }
    )+};
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_bool(self.boolean()?)
    }

    integers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.node.is_absent() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.member.form() != Form::List {
            return Err(self.unmapped("list"));
        }
        let entries = match (self.node.exact, self.node.below) {
            (Some(""), []) => Vec::new(),
            (Some(_), []) => vec![self.node],
            (Some(_), [_, ..]) => return Err(self.node.conflict()),
            (None, _) => self.node.numbered()?,
        };
        visitor.visit_seq(List {
            list: self,
            entries: entries.into_iter(),
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let Form::Map { key, value } = self.member.form() else {
            return Err(self.unmapped("map"));
        };
        let is_own = |segment: &str| segment == key || segment == value;
        let entries = match (self.node.exact, self.node.below) {
            (Some(""), []) => Vec::new(),
            (Some(_), []) => {
                let (key, value) = (format!("1.{key}"), format!("1.{value}"));
                let (key, value) = (self.node.name_of(&key), self.node.name_of(&value));
                return Err(self
                    .node
                    .wrong(format!("it is a map: give {key} and {value}")));
            }
            (Some(_), [_, ..]) => return Err(self.node.conflict()),
            (None, _) if self.node.segments().all(is_own) => vec![self.node],
            (None, _) if self.node.segments().any(is_own) => return Err(self.node.conflict()),
            (None, _) => self.node.numbered()?,
        };
        visitor.visit_map(Map {
            map: self,
            key,
            value,
            entries: entries.into_iter(),
            seen: BTreeSet::new(),
            current: None,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match (self.node.exact, self.node.below) {
            (Some(_), [_, ..]) => return Err(self.node.conflict()),
            (Some(_), []) => {
                return Err(self.node.wrong(
                    "it is a structure: its members have names of their own, after a dot"
                        .to_owned(),
                ));
            }
            (None, _) => {}
        }
        let rows = self.model.members(name);
        let structure = Structure {
            structure: self,
            rows,
            fields: fields.iter(),
            current: None,
        };
        visitor.visit_map(structure).map_err(|error| match error {
            // What serde says of a required member has the member's name, and no path.
            ReadError::Missing { parameter } => match fields.iter().find(|it| **it == parameter) {
                Some(field) => ReadError::Missing {
                    parameter: self.node.name_of(member(rows, field).wire()),
                },
                None => ReadError::Missing { parameter },
            },
            other => other,
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_enum(self.text()?.into_deserializer())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

/// The members of a structure that are there.
struct Structure<'p> {
    structure: Value<'p>,
    rows: &'static [Member],
    fields: std::slice::Iter<'static, &'static str>,
    current: Option<(Member, Node<'p>)>,
}

impl<'de> MapAccess<'de> for Structure<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        for field in self.fields.by_ref() {
            let member = member(self.rows, field);
            let node = member_node(&self.structure.node, &member)?;
            if !node.is_absent() {
                self.current = Some((member, node));
                let field = *field;
                return seed.deserialize(field.into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let Some((member, node)) = self.current.take() else {
            return Err(out_of_turn());
        };
        let value = self.structure.inner(member, node)?;
        value.located(|value| seed.deserialize(value))
    }
}

/// The parameters of a structure's member. Those of an empty list may be called as the member is;
/// entries may not, and nobody would miss them if they were ignored.
fn member_node<'p>(structure: &Node<'p>, member: &Member) -> Result<Node<'p>, ReadError> {
    let node = structure.child(member.wire());
    if !node.is_absent() || member.form() == Form::Plain {
        return Ok(node);
    }
    let other = structure.child(member.name());
    match (other.exact, other.below) {
        (Some(""), []) => Ok(other),
        (_, [first, ..]) => Err(ReadError::OtherName {
            parameter: quoted(&first.name),
            name: structure.name_of(member.wire()),
        }),
        (_, []) => Ok(node),
    }
}

/// The entries of a list, in order.
struct List<'p> {
    list: Value<'p>,
    entries: std::vec::IntoIter<Node<'p>>,
}

impl<'de> SeqAccess<'de> for List<'_> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        let Some(node) = self.entries.next() else {
            return Ok(None);
        };
        let value = self.list.plain(node)?;
        value.located(|value| seed.deserialize(value)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The entries of a map, in the order of their numbers.
struct Map<'p> {
    map: Value<'p>,
    key: &'static str,
    value: &'static str,
    entries: std::vec::IntoIter<Node<'p>>,
    seen: BTreeSet<&'p str>,
    current: Option<Node<'p>>,
}

impl<'de> MapAccess<'de> for Map<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        if entry.exact.is_some() {
            let (key, value) = (entry.name_of(self.key), entry.name_of(self.value));
            return Err(entry.wrong(format!("it is a map's entry: give {key} and {value}")));
        }
        let key = self.map.plain(entry.child(self.key))?;
        let text = key.text()?;
        if !self.seen.insert(text) {
            return Err(ReadError::DuplicateKey {
                parameter: key.node.name(),
                key: quoted(text),
            });
        }
        self.current = Some(entry);
        key.located(|key| seed.deserialize(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let Some(entry) = self.current.take() else {
            return Err(out_of_turn());
        };
        let value = self.map.plain(entry.child(self.value))?;
        value.located(|value| seed.deserialize(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// A visitor asked for a value before its key, which serde's own never do.
fn out_of_turn() -> ReadError {
    serde::de::Error::custom("a value was asked for before its key")
}

#[cfg(test)]
mod tests;
