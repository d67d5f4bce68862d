//! The three MD5s of SQS, and the packed form of message attributes that they are taken over.
//!
//! Attributes are kept exactly as AWS defines the input of their digest: sorted by name, and for
//! each one its name, data type, a transport byte and its value, with a four-byte big-endian length
//! before name, type and value. So what is stored is what is hashed, in one allocation, and the
//! digest of a selection is the digest of the slices selected.
//! ("Calculating the MD5 message digest for message attributes", Amazon SQS Developer Guide.)

use std::collections::BTreeMap;

use md5::{Digest, Md5};
use sqs::MessageAttributeValue;

/// The MD5 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Md5Digest([u8; 16]);

impl Md5Digest {
    /// The digest of a message body: over its UTF-8 bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Md5::digest(bytes).into())
    }

    /// Lower-case hexadecimal, as SQS writes it.
    pub(crate) fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

/// Message attributes in packed form, sorted by the bytes of their names. Empty when there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedAttributes(Box<[u8]>);

impl PackedAttributes {
    /// Packs attributes, which must come sorted by name, into as much memory as they need.
    pub(crate) fn pack<'a>(sorted: impl Iterator<Item = Attribute<'a>> + Clone) -> Self {
        let len = sorted.clone().map(|attribute| attribute.packed_len()).sum();
        let mut bytes = Vec::with_capacity(len);
        for attribute in sorted {
            attribute.pack_into(&mut bytes);
        }
        Self(bytes.into_boxed_slice())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The digest of all of them; `None` if there are none, since SQS then gives no digest at all.
    pub(crate) fn digest(&self) -> Option<Md5Digest> {
        (!self.is_empty()).then(|| Md5Digest::of(&self.0))
    }

    /// The attributes as the shapes of the API, by name.
    pub(crate) fn shapes(&self) -> BTreeMap<String, MessageAttributeValue> {
        self.iter()
            .map(|attribute| (attribute.name.to_owned(), attribute.shape()))
            .collect()
    }

    /// The attributes, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Attribute<'_>> + Clone {
        let mut rest: &[u8] = &self.0;
        std::iter::from_fn(move || Attribute::unpack(&mut rest))
    }
}

/// One attribute, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: &'a str,
    /// The whole type, label included: `Number.java.lang.Long`.
    pub(crate) data_type: &'a str,
    pub(crate) value: Value<'a>,
}

/// An attribute's value. Numbers are text: they are given back as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
}

impl<'a> Attribute<'a> {
    fn shape(&self) -> MessageAttributeValue {
        let mut shape = MessageAttributeValue {
            data_type: Some(self.data_type.to_owned()),
            ..MessageAttributeValue::default()
        };
        match self.value {
            Value::Text(text) => shape.string_value = Some(text.to_owned()),
            Value::Binary(bytes) => shape.binary_value = Some(bytes.into()),
        }
        shape
    }

    fn packed_len(&self) -> usize {
        let value = match self.value {
            Value::Text(text) => text.len(),
            Value::Binary(binary) => binary.len(),
        };
        FIELD_LENGTH_LEN * 3 + self.name.len() + self.data_type.len() + 1 + value
    }

    fn pack_into(&self, bytes: &mut Vec<u8>) {
        let (transport, value) = match self.value {
            Value::Text(text) => (TRANSPORT_TEXT, text.as_bytes()),
            Value::Binary(binary) => (TRANSPORT_BINARY, binary),
        };
        pack_field(bytes, self.name.as_bytes());
        pack_field(bytes, self.data_type.as_bytes());
        bytes.push(transport);
        pack_field(bytes, value);
    }

    fn unpack(rest: &mut &'a [u8]) -> Option<Self> {
        let name = std::str::from_utf8(unpack_field(rest)?).ok()?;
        let data_type = std::str::from_utf8(unpack_field(rest)?).ok()?;
        let (transport, tail) = rest.split_first()?;
        *rest = tail;
        let value = unpack_field(rest)?;
        let value = match *transport {
            TRANSPORT_BINARY => Value::Binary(value),
            _ => Value::Text(std::str::from_utf8(value).ok()?),
        };
        Some(Self {
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
        PackedAttributes::pack(attributes.into_iter())
            .digest()
            .unwrap()
            .to_hex()
    }

    #[test]
    fn bodies() {
        for (body, expected) in [
            ("hello", "5d41402abc4b2a76b9719d911017c592"),
            ("message", "78e731027d8fd50ed642340b7c9a63b3"),
            ("héllo ☃ 😀", "44314d05b09b74dafda26d5273d91a17"),
        ] {
            assert_eq!(Md5Digest::of(body.as_bytes()).to_hex(), expected, "{body}");
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

    #[test]
    fn the_bytes_that_are_hashed() {
        let packed = PackedAttributes::pack([text("k", "String", "x")].into_iter());
        assert_eq!(
            hex::encode(&packed.0),
            "000000016b00000006537472696e67010000000178"
        );

        let packed = PackedAttributes::pack(
            [
                binary("blob", "Binary", &[1, 2, 3]),
                text("color", "String", "blue"),
                text("count", "Number", "3"),
            ]
            .into_iter(),
        );
        let expected = concat!(
            "00000004626c6f620000000642696e6172790200000003010203",
            "00000005636f6c6f7200000006537472696e670100000004626c7565",
            "00000005636f756e74000000064e756d626572010000000133",
        );
        assert_eq!(hex::encode(&packed.0), expected);
    }

    #[test]
    fn what_was_packed_comes_back() {
        let attributes = [
            binary("blob", "Binary.png", &[]),
            text("name", "String", "héllo"),
            text("number", "Number", "1e3"),
        ];
        let packed = PackedAttributes::pack(attributes.into_iter());
        assert_eq!(packed.iter().collect::<Vec<_>>(), attributes);
        let len: usize = packed.iter().map(|attribute| attribute.packed_len()).sum();
        assert_eq!(len, packed.0.len());
    }

    #[test]
    fn no_attributes_have_no_digest() {
        assert!(PackedAttributes::default().digest().is_none());
    }
}
