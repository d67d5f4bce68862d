//! The MD5 digests that SQS answers with, and how they are computed from a body and from attributes.
//!
//! SQS gives the digest of what it stored with every send, and that of what it hands out with every
//! receive, so that either side can see whether a message arrived as it was. The digest of a body is
//! over its UTF-8 bytes. That of attributes is over their packed form: sorted by the bytes of their
//! names, each one's name, data type, a transport byte and its value, with a four-byte big-endian
//! length before name, type and value. ("[Calculating the MD5 message digest for message
//! attributes]", Amazon SQS Developer Guide.)
//!
//! ```
//! use sqs::MessageAttributeValue;
//! use sqs::digest::{Md5, of_attributes};
//!
//! assert_eq!(Md5::of("hello").to_string(), "5d41402abc4b2a76b9719d911017c592");
//!
//! let attributes = [("color".to_owned(), MessageAttributeValue::string("blue"))].into();
//! let digest = of_attributes(&attributes).ok_or("there is one attribute")?;
//! assert_eq!(digest.to_string(), "da1b33cc3cbfe8b1630921e78e6b9880");
//! # Ok::<(), &str>(())
//! ```
//!
//! [Calculating the MD5 message digest for message attributes]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation

use std::collections::BTreeMap;
use std::fmt;

use md5::Digest as _;

use crate::shapes::message::{Blob, MessageAttributeValue, MessageSystemAttributeValue};

/// The MD5 of some bytes. `Display` is lower-case hexadecimal, as SQS writes it.
///
/// It finds accidents. Whoever wants to forge a message can also forge its MD5.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Md5([u8; 16]);

impl Md5 {
    /// The digest of these bytes, or of a text's UTF-8.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Md5 {
        Md5(md5::Md5::digest(bytes.as_ref()).into())
    }

    /// The 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// A digest that was taken before.
impl From<[u8; 16]> for Md5 {
    fn from(bytes: [u8; 16]) -> Md5 {
        Md5(bytes)
    }
}

impl fmt::Display for Md5 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 32];
        hex::encode_to_slice(self.0, &mut text).map_err(|_| fmt::Error)?;
        formatter.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Md5 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Md5({self})")
    }
}

/// The digest of a message's attributes; none if there are none, since SQS then gives none.
#[must_use]
pub fn of_attributes(attributes: &BTreeMap<String, MessageAttributeValue>) -> Option<Md5> {
    of_packed(attributes.iter().map(|(name, value)| Attribute {
        name,
        data_type: value.data_type.as_deref().unwrap_or_default(),
        value: Value::of(value.string_value.as_deref(), value.binary_value.as_ref()),
    }))
}

/// The digest of the system attributes of a send; none if there are none.
#[must_use]
pub fn of_system_attributes(
    attributes: &BTreeMap<String, MessageSystemAttributeValue>,
) -> Option<Md5> {
    of_packed(attributes.iter().map(|(name, value)| Attribute {
        name,
        data_type: value.data_type.as_deref().unwrap_or_default(),
        value: Value::of(value.string_value.as_deref(), value.binary_value.as_ref()),
    }))
}

fn of_packed<'a>(sorted: impl Iterator<Item = Attribute<'a>>) -> Option<Md5> {
    let mut bytes = Vec::new();
    for attribute in sorted {
        attribute.pack_into(&mut bytes);
    }
    (!bytes.is_empty()).then(|| Md5::of(bytes))
}

/// One attribute, borrowed, as it is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The name.
    pub name: &'a str,
    /// The whole type, label included: `Number.java.lang.Long`.
    pub data_type: &'a str,
    /// The value.
    pub value: Value<'a>,
}

/// An attribute's value. Numbers are text: they are given back as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// That of a `String` or `Number`.
    Text(&'a str),
    /// That of a `Binary`, as raw bytes.
    Binary(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The one that is set.
    fn of(text: Option<&'a str>, binary: Option<&'a Blob>) -> Value<'a> {
        match binary {
            Some(binary) => Value::Binary(binary.as_ref()),
            None => Value::Text(text.unwrap_or_default()),
        }
    }
}

impl<'a> Attribute<'a> {
    /// How many bytes it is packed into.
    #[must_use]
    pub fn packed_len(&self) -> usize {
        let value = match self.value {
            Value::Text(text) => text.len(),
            Value::Binary(binary) => binary.len(),
        };
        FIELD_LENGTH_LEN * 3 + self.name.len() + self.data_type.len() + 1 + value
    }

    /// Appends its packed form. The digest of several attributes is over those of all, in the order
    /// of their names.
    pub fn pack_into(&self, bytes: &mut Vec<u8>) {
        let (transport, value) = match self.value {
            Value::Text(text) => (TRANSPORT_TEXT, text.as_bytes()),
            Value::Binary(binary) => (TRANSPORT_BINARY, binary),
        };
        pack_field(bytes, self.name.as_bytes());
        pack_field(bytes, self.data_type.as_bytes());
        bytes.push(transport);
        pack_field(bytes, value);
    }

    /// Reads the first attribute of a packed form and leaves what follows it; none at its end, and
    /// for what is no packed form.
    pub fn unpack(rest: &mut &'a [u8]) -> Option<Attribute<'a>> {
        let name = str::from_utf8(unpack_field(rest)?).ok()?;
        let data_type = str::from_utf8(unpack_field(rest)?).ok()?;
        let (transport, tail) = rest.split_first()?;
        *rest = tail;
        let value = unpack_field(rest)?;
        let value = match *transport {
            TRANSPORT_BINARY => Value::Binary(value),
            _ => Value::Text(str::from_utf8(value).ok()?),
        };
        Some(Attribute {
            name,
            data_type,
            value,
        })
    }
}

fn pack_field(bytes: &mut Vec<u8>, field: &[u8]) {
    // A field comes out of a message, whose size is bounded far below 4 GiB.
    let len = u32::try_from(field.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&len.to_be_bytes());
    bytes.extend_from_slice(field);
}

fn unpack_field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (len, tail) = rest.split_first_chunk::<FIELD_LENGTH_LEN>()?;
    let (field, tail) = tail.split_at_checked(u32::from_be_bytes(*len) as usize)?;
    *rest = tail;
    Some(field)
}

/// Bytes of the length that goes before a field.
const FIELD_LENGTH_LEN: usize = 4;
const TRANSPORT_TEXT: u8 = 1;
const TRANSPORT_BINARY: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn text<'a>(name: &'a str, data_type: &'a str, value: &'a str) -> Attribute<'a> {
        Attribute {
            name,
            data_type,
            value: Value::Text(value),
        }
    }

    fn binary<'a>(name: &'a str, data_type: &'a str, value: &'a [u8]) -> Attribute<'a> {
        Attribute {
            name,
            data_type,
            value: Value::Binary(value),
        }
    }

    fn digest(mut attributes: Vec<Attribute<'_>>) -> String {
        attributes.sort_by_key(|attribute| attribute.name);
        of_packed(attributes.into_iter()).unwrap().to_string()
    }

    #[test]
    fn bodies() {
        for (body, expected) in [
            ("hello", "5d41402abc4b2a76b9719d911017c592"),
            ("message", "78e731027d8fd50ed642340b7c9a63b3"),
            ("héllo ☃ 😀", "44314d05b09b74dafda26d5273d91a17"),
        ] {
            assert_eq!(Md5::of(body).to_string(), expected, "{body}");
        }
    }

    /// Values that AWS itself has answered with, or that a second implementation computed.
    #[test]
    fn attributes() {
        let traceparent = b"traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01";
        let trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
        let cases = [
            (
                vec![text("k", "String", "x")],
                "a45daa70926828a2f0a1db3418e6feb4",
            ),
            (
                vec![text("color", "String", "blue")],
                "da1b33cc3cbfe8b1630921e78e6b9880",
            ),
            (
                vec![
                    text("color", "String", "blue"),
                    text("count", "Number", "3"),
                    binary("blob", "Binary", &[1, 2, 3]),
                ],
                "d838729972a4b70e2d2acd9d59ac847c",
            ),
            (
                vec![text("timestamp", "Number", "1493147359900")],
                "235c5c510d26fb653d073faed50ae77c",
            ),
            (
                vec![text("timestamp", "Number.java.lang.Long", "1493147359900")],
                "2e2e4876d8e0bd6b8c2c8f556831c349",
            ),
            (
                vec![text("somevalue", "String.custom", "somevalue")],
                "9e05cca738e70ff6c6041e82d5e77ef1",
            ),
            (
                vec![
                    text("Help.Me", "String", "Me"),
                    text("Hello", "String", "There"),
                    text("General", "String", "Kenobi"),
                ],
                "4c360f3fdafd970e05fae2f149d997f5",
            ),
            (
                vec![text("Hello", "String", "There")],
                "a311262e065454b75da111d535b8dacd",
            ),
            (
                vec![binary("attr1", "Binary", traceparent)],
                "8cbe4db156db8a94db8b801b7addb984",
            ),
            (
                vec![text("AWSTraceHeader", "String", trace)],
                "5ae4d5d7636402d80f4eb6d213245a88",
            ),
            (
                vec![binary("B.x", "Binary.gif", &[0, 0xff])],
                "5d058e4cf0c599bad31a977994c77d30",
            ),
            (
                vec![
                    text("a", "String", "1"),
                    text("B", "String", "2"),
                    text("é", "String", "3"),
                ],
                "2a381ec91acdf3155be44ef03712c144",
            ),
        ];
        for (attributes, expected) in cases {
            let names: Vec<_> = attributes.iter().map(|attribute| attribute.name).collect();
            assert_eq!(digest(attributes.clone()), expected, "{names:?}");
        }
    }

    fn packed(attributes: &[Attribute<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for attribute in attributes {
            attribute.pack_into(&mut bytes);
        }
        bytes
    }

    #[test]
    fn the_bytes_that_are_hashed() {
        assert_eq!(
            hex::encode(packed(&[text("k", "String", "x")])),
            "000000016b00000006537472696e67010000000178"
        );
        let expected = concat!(
            "00000004626c6f620000000642696e6172790200000003010203",
            "00000005636f6c6f7200000006537472696e670100000004626c7565",
            "00000005636f756e74000000064e756d626572010000000133",
        );
        let three = [
            binary("blob", "Binary", &[1, 2, 3]),
            text("color", "String", "blue"),
            text("count", "Number", "3"),
        ];
        assert_eq!(hex::encode(packed(&three)), expected);
        let len: usize = three.iter().map(Attribute::packed_len).sum();
        assert_eq!(len, expected.len() / 2);
    }

    #[test]
    fn what_was_packed_comes_back_and_half_of_it_does_not() {
        let attributes = [
            binary("blob", "Binary.png", &[]),
            text("name", "String", "héllo"),
            text("number", "Number", "1e3"),
        ];
        let bytes = packed(&attributes);
        let mut rest = &bytes[..];
        let read: Vec<_> = std::iter::from_fn(|| Attribute::unpack(&mut rest)).collect();
        assert_eq!(read, attributes);
        let one = packed(&attributes[..1]);
        for len in 0..one.len() {
            assert_eq!(Attribute::unpack(&mut &one[..len]), None, "{len} bytes");
        }
    }

    #[test]
    fn shapes_have_the_digest_of_what_is_set_in_them() {
        let attributes: BTreeMap<String, MessageAttributeValue> = [
            ("color".to_owned(), MessageAttributeValue::string("blue")),
            ("count".to_owned(), MessageAttributeValue::number("3")),
            ("blob".to_owned(), MessageAttributeValue::binary([1, 2, 3])),
        ]
        .into();
        assert_eq!(
            of_attributes(&attributes).unwrap().to_string(),
            "d838729972a4b70e2d2acd9d59ac847c"
        );
        let trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
        let system = [(
            "AWSTraceHeader".to_owned(),
            MessageSystemAttributeValue::string(trace),
        )];
        assert_eq!(
            of_system_attributes(&system.into()).unwrap().to_string(),
            "5ae4d5d7636402d80f4eb6d213245a88"
        );
        assert_eq!(of_attributes(&BTreeMap::new()), None);
        assert_eq!(of_system_attributes(&BTreeMap::new()), None);
    }
}
