//! Shapes and errors as XML.

use std::fmt::{Display, Write as _};

use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use crate::error::WriteError;
use crate::escape::push_text;
use crate::model::{Form, Member, Model, member};

/// What an answer begins with.
const DECLARATION: &str = "<?xml version=\"1.0\"?>";

impl Model {
    /// The answer to a success: `<ActionResponse>`, in it `<ActionResult>` with the result's members
    /// and `<ResponseMetadata>` with the request's id. An operation that gives nothing has no
    /// `<ActionResult>`.
    ///
    /// Members that serde skips, that are none, or that are empty lists or maps are left out.
    ///
    /// A conforming parser reads every text as it was, byte for byte, white space at its ends and
    /// carriage returns included. The exception are characters that XML 1.0 has no way to write,
    /// which become U+FFFD: the control characters except tab, line feed and carriage return, and
    /// U+FFFE and U+FFFF.
    ///
    /// # Errors
    ///
    /// When the result has a list or map that the table does not know, or a kind of value that the
    /// protocol does not have. A shape that can be written once can always be.
    pub fn write<T: Serialize>(
        &self,
        action: &str,
        result: Option<&T>,
        request_id: &str,
    ) -> Result<String, WriteError> {
        let mut out = String::from(DECLARATION);
        open(&mut out, format_args!("{action}Response"), self.namespace());
        if let Some(result) = result {
            result.serialize(Element {
                out: &mut out,
                model: self,
                tag: &format!("{action}Result"),
                form: Form::Plain,
            })?;
        }
        out.push_str("<ResponseMetadata>");
        element(&mut out, "RequestId", request_id);
        out.push_str("</ResponseMetadata></");
        out.push_str(action);
        out.push_str("Response>");
        Ok(out)
    }

    /// The answer to a failure. `fault` is `Sender` or `Receiver`: whose mistake it is.
    ///
    /// Texts are written as those of a [success](Model::write) are.
    ///
    /// ```
    /// use aws_query::Model;
    ///
    /// const MODEL: Model = Model::new("http://example.com/", &[]);
    /// assert_eq!(
    ///     MODEL.write_error("Sender", "InvalidAction", "1 < 2", "id"),
    ///     "<?xml version=\"1.0\"?><ErrorResponse xmlns=\"http://example.com/\"><Error>\
    ///      <Type>Sender</Type><Code>InvalidAction</Code><Message>1 &lt; 2</Message><Detail/>\
    ///      </Error><RequestId>id</RequestId></ErrorResponse>",
    /// );
    /// ```
    #[must_use]
    pub fn write_error(&self, fault: &str, code: &str, message: &str, request_id: &str) -> String {
        let mut out = String::from(DECLARATION);
        open(&mut out, "ErrorResponse", self.namespace());
        out.push_str("<Error>");
        element(&mut out, "Type", fault);
        element(&mut out, "Code", code);
        element(&mut out, "Message", message);
        out.push_str("<Detail/></Error>");
        element(&mut out, "RequestId", request_id);
        out.push_str("</ErrorResponse>");
        out
    }
}

/// The opening tag of a document.
fn open(out: &mut String, tag: impl Display, namespace: &str) {
    push(out, format_args!("<{tag} xmlns=\""));
    push_text(out, namespace);
    out.push_str("\">");
}

/// An element with a text.
fn element(out: &mut String, tag: &str, text: &str) {
    start(out, tag);
    push_text(out, text);
    end(out, tag);
}

fn start(out: &mut String, tag: &str) {
    out.push('<');
    out.push_str(tag);
    out.push('>');
}

fn end(out: &mut String, tag: &str) {
    out.push_str("</");
    out.push_str(tag);
    out.push('>');
}

fn push(out: &mut String, value: impl Display) {
    // A string takes whatever it is given.
    let _ = write!(out, "{value}");
}

/// Writes a value as the element `tag`, or as several of them.
struct Element<'a> {
    out: &'a mut String,
    model: &'a Model,
    tag: &'a str,
    form: Form,
}

impl Element<'_> {
    /// Writes what has no character that would need care.
    fn bare(self, value: impl Display) -> Result<(), WriteError> {
        start(self.out, self.tag);
        push(self.out, value);
        end(self.out, self.tag);
        Ok(())
    }

    fn unmapped(&self, what: &str) -> WriteError {
        WriteError(format!(
            "{} is a {what}, and the table of names does not say so",
            self.tag
        ))
    }

    fn unknown<T>(&self, what: &str) -> Result<T, WriteError> {
        Err(WriteError(format!(
            "{} is {what}, which the Query protocol does not have",
            self.tag
        )))
    }
}

/// Values that are written as Rust displays them.
macro_rules! bare {
    ($($method:ident $type:ident;)+) => {$(
        fn $method(self, value: $type) -> Result<(), WriteError> {
            self.bare(value)
        }
    )+};
}

impl<'a> Serializer for Element<'a> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = Element<'a>;
    type SerializeTuple = Impossible<(), WriteError>;
    type SerializeTupleStruct = Impossible<(), WriteError>;
    type SerializeTupleVariant = Impossible<(), WriteError>;
    type SerializeMap = Entries<'a>;
    type SerializeStruct = Structure<'a>;
    type SerializeStructVariant = Impossible<(), WriteError>;

    bare! {
        serialize_bool bool;
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_f32 f32;
        serialize_f64 f64;
    }

    fn serialize_char(self, value: char) -> Result<(), WriteError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), WriteError> {
        element(self.out, self.tag, value);
        Ok(())
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<(), WriteError> {
        self.unknown("bytes (a blob must write itself as base64)")
    }

    fn serialize_none(self) -> Result<(), WriteError> {
        Ok(())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), WriteError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), WriteError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), WriteError> {
        start(self.out, self.tag);
        end(self.out, self.tag);
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), WriteError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), WriteError> {
        self.unknown("a union")
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Element<'a>, WriteError> {
        match self.form {
            Form::List => Ok(self),
            Form::Plain | Form::Map { .. } => Err(self.unmapped("list")),
        }
    }

    fn serialize_tuple(self, _length: usize) -> Result<Self::SerializeTuple, WriteError> {
        self.unknown("a tuple")
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleStruct, WriteError> {
        self.unknown("a tuple")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleVariant, WriteError> {
        self.unknown("a union")
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Entries<'a>, WriteError> {
        match self.form {
            Form::Map { key, value } => Ok(Entries {
                out: self.out,
                model: self.model,
                tag: self.tag,
                key,
                value,
            }),
            Form::Plain | Form::List => Err(self.unmapped("map")),
        }
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _length: usize,
    ) -> Result<Structure<'a>, WriteError> {
        if self.form != Form::Plain {
            return self.unknown("a structure where the table of names says something else");
        }
        start(self.out, self.tag);
        Ok(Structure {
            out: self.out,
            rows: self.model.members(name),
            model: self.model,
            tag: self.tag,
        })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeStructVariant, WriteError> {
        self.unknown("a union")
    }
}

impl SerializeSeq for Element<'_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), WriteError> {
        value.serialize(Element {
            out: self.out,
            model: self.model,
            tag: self.tag,
            form: Form::Plain,
        })
    }

    fn end(self) -> Result<(), WriteError> {
        Ok(())
    }
}

/// Writes a map's entries, an element each.
struct Entries<'a> {
    out: &'a mut String,
    model: &'a Model,
    tag: &'a str,
    key: &'static str,
    value: &'static str,
}

impl Entries<'_> {
    fn part<T: ?Sized + Serialize>(&mut self, tag: &str, value: &T) -> Result<(), WriteError> {
        value.serialize(Element {
            out: self.out,
            model: self.model,
            tag,
            form: Form::Plain,
        })
    }
}

impl SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), WriteError> {
        start(self.out, self.tag);
        self.part(self.key, key)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), WriteError> {
        self.part(self.value, value)?;
        end(self.out, self.tag);
        Ok(())
    }

    fn end(self) -> Result<(), WriteError> {
        Ok(())
    }
}

/// Writes a structure's members into its element.
struct Structure<'a> {
    out: &'a mut String,
    model: &'a Model,
    rows: &'static [Member],
    tag: &'a str,
}

impl SerializeStruct for Structure<'_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        let member = member(self.rows, name);
        value.serialize(Element {
            out: self.out,
            model: self.model,
            tag: member.wire(),
            form: member.form(),
        })
    }

    fn end(self) -> Result<(), WriteError> {
        end(self.out, self.tag);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
