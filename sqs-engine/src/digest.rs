//! Message attributes in the packed form that their MD5 is taken over: what is stored is what is
//! hashed, in one allocation, and the digest of a selection is the digest of the slices selected.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sqs::MessageAttributeValue;
use sqs::digest::{Attribute, Md5, Value};

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
    pub(crate) fn digest(&self) -> Option<Md5> {
        (!self.is_empty()).then(|| Md5::of(&self.0))
    }

    /// The attributes as the shapes of the API, by name.
    pub(crate) fn shapes(&self) -> BTreeMap<String, MessageAttributeValue> {
        self.iter()
            .map(|attribute| (attribute.name.to_owned(), shape(attribute)))
            .collect()
    }

    /// The attributes, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Attribute<'_>> + Clone {
        let mut rest: &[u8] = &self.0;
        std::iter::from_fn(move || Attribute::unpack(&mut rest))
    }
}

/// As bytes rather than as a list of numbers.
impl Serialize for PackedAttributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for PackedAttributes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let packed = Self(<&[u8]>::deserialize(deserializer)?.into());
        let read: usize = packed.iter().map(|attribute| attribute.packed_len()).sum();
        if read == packed.0.len() {
            Ok(packed)
        } else {
            Err(D::Error::custom("these are no message attributes"))
        }
    }
}

fn shape(attribute: Attribute<'_>) -> MessageAttributeValue {
    let mut shape = MessageAttributeValue {
        data_type: Some(attribute.data_type.to_owned()),
        ..MessageAttributeValue::default()
    };
    match attribute.value {
        Value::Text(text) => shape.string_value = Some(text.to_owned()),
        Value::Binary(bytes) => shape.binary_value = Some(bytes.into()),
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let attributes = [
            Attribute {
                name: "blob",
                data_type: "Binary.png",
                value: Value::Binary(&[]),
            },
            Attribute {
                name: "name",
                data_type: "String",
                value: Value::Text("héllo"),
            },
        ];
        let packed = PackedAttributes::pack(attributes.into_iter());
        assert_eq!(packed.iter().collect::<Vec<_>>(), attributes);
        let shapes = packed.shapes();
        assert_eq!(sqs::digest::of_attributes(&shapes), packed.digest());
    }

    #[test]
    fn no_attributes_have_no_digest() {
        assert!(PackedAttributes::default().digest().is_none());
    }
}
