//! What several families share: attribute values, blobs, and the failed entry of a batch.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::null_as_default;

/// Bytes that travel as base64 text (standard alphabet, padded), as the JSON protocol sends blobs.
///
/// ```
/// use sqs::Blob;
///
/// let blob = Blob::from(vec![1, 2, 3]);
/// assert_eq!(serde_json::to_string(&blob)?, r#""AQID""#);
/// assert_eq!(serde_json::from_str::<Blob>(r#""AQID""#)?.as_ref(), [1, 2, 3]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blob(Vec<u8>);

impl Blob {
    /// The bytes, owned.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Blob {
        Blob(bytes)
    }
}

impl From<&[u8]> for Blob {
    fn from(bytes: &[u8]) -> Blob {
        Blob(bytes.to_vec())
    }
}

impl<const N: usize> From<[u8; N]> for Blob {
    fn from(bytes: [u8; N]) -> Blob {
        Blob(bytes.to_vec())
    }
}

impl<const N: usize> From<&[u8; N]> for Blob {
    fn from(bytes: &[u8; N]) -> Blob {
        Blob(bytes.to_vec())
    }
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Blob, D::Error> {
        struct Base64Text;

        impl Visitor<'_> for Base64Text {
            type Value = Blob;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string of base64")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Blob, E> {
                STANDARD.decode(text).map(Blob).map_err(|error| {
                    E::custom(format_args!(
                        "a blob must be padded base64 in the standard alphabet: {error}"
                    ))
                })
            }
        }

        deserializer.deserialize_str(Base64Text)
    }
}

/// A message attribute's value, on its way in and out: [MessageAttributeValue].
///
/// Exactly one of `string_value` (for the types `String` and `Number`) and `binary_value` (for
/// `Binary`) is set. A message carries at most
/// [10 attributes](crate::limits::MESSAGE_ATTRIBUTES).
///
/// ```
/// use sqs::MessageAttributeValue;
///
/// let count = MessageAttributeValue::number("3");
/// assert_eq!(serde_json::to_string(&count)?, r#"{"StringValue":"3","DataType":"Number"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// [MessageAttributeValue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageAttributeValue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct MessageAttributeValue {
    /// The value of a `String` or `Number`, not empty, in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub string_value: Option<String>,
    /// The value of a `Binary`, not empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary_value: Option<Blob>,
    /// In AWS's model, but refused with UnsupportedOperation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub string_list_values: Option<Vec<String>>,
    /// In AWS's model, but refused with UnsupportedOperation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary_list_values: Option<Vec<Blob>>,
    /// Required. `String`, `Number` or `Binary`, optionally with a label after a dot
    /// (`Number.float`), [at most 256 bytes](crate::limits::MESSAGE_ATTRIBUTE_TYPE_LENGTH) in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_type: Option<String>,
}

impl MessageAttributeValue {
    /// A `String`.
    #[must_use]
    pub fn string(value: impl Into<String>) -> MessageAttributeValue {
        MessageAttributeValue::text("String", value)
    }

    /// A `Number`, as the text that is sent and comes back unchanged.
    #[must_use]
    pub fn number(value: impl Into<String>) -> MessageAttributeValue {
        MessageAttributeValue::text("Number", value)
    }

    /// A `Binary`.
    #[must_use]
    pub fn binary(value: impl Into<Blob>) -> MessageAttributeValue {
        MessageAttributeValue {
            binary_value: Some(value.into()),
            data_type: Some("Binary".into()),
            ..MessageAttributeValue::default()
        }
    }

    fn text(data_type: &str, value: impl Into<String>) -> MessageAttributeValue {
        MessageAttributeValue {
            string_value: Some(value.into()),
            data_type: Some(data_type.into()),
            ..MessageAttributeValue::default()
        }
    }
}

/// A system attribute's value in a send: [MessageSystemAttributeValue].
///
/// The only one that can be sent is `AWSTraceHeader`, and its type must be `String`.
///
/// [MessageSystemAttributeValue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageSystemAttributeValue.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct MessageSystemAttributeValue {
    /// The value, in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub string_value: Option<String>,
    /// In AWS's model; no system attribute that can be sent uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary_value: Option<Blob>,
    /// In AWS's model; no system attribute that can be sent uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub string_list_values: Option<Vec<String>>,
    /// In AWS's model; no system attribute that can be sent uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary_list_values: Option<Vec<Blob>>,
    /// Required. `String`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_type: Option<String>,
}

impl MessageSystemAttributeValue {
    /// A `String`, the only type that AWS accepts here.
    #[must_use]
    pub fn string(value: impl Into<String>) -> MessageSystemAttributeValue {
        MessageSystemAttributeValue {
            string_value: Some(value.into()),
            data_type: Some("String".into()),
            ..MessageSystemAttributeValue::default()
        }
    }
}

/// What a message counts towards [`MESSAGE_SIZE`](crate::limits::MESSAGE_SIZE), a queue's
/// `MaximumMessageSize` and [`BATCH_SIZE`](crate::limits::BATCH_SIZE), in bytes: its body in UTF-8,
/// and the name, data type and value of each of its attributes. System attributes are free.
///
/// ```
/// use sqs::MessageAttributeValue;
/// use sqs::shapes::message::message_size;
///
/// let attributes = [("color".to_owned(), MessageAttributeValue::string("blue"))].into();
/// assert_eq!(message_size("hé", &attributes), 3 + "color".len() + "String".len() + "blue".len());
/// ```
#[must_use]
pub fn message_size(body: &str, attributes: &BTreeMap<String, MessageAttributeValue>) -> usize {
    let one = |(name, value): (&String, &MessageAttributeValue)| {
        let text = value.string_value.as_ref().map_or(0, String::len);
        let binary = value.binary_value.as_ref().map_or(0, |it| it.0.len());
        name.len() + value.data_type.as_ref().map_or(0, String::len) + text + binary
    };
    body.len() + attributes.iter().map(one).sum::<usize>()
}

/// An entry of a batch that failed while others may have succeeded: [BatchResultErrorEntry].
///
/// [BatchResultErrorEntry]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_BatchResultErrorEntry.html
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct BatchResultErrorEntry {
    /// The `Id` that the request gave the entry.
    #[serde(deserialize_with = "null_as_default")]
    pub id: String,
    /// Whether the entry itself is at fault; when it is, sending it again fails again.
    #[serde(deserialize_with = "null_as_default")]
    pub sender_fault: bool,
    /// What went wrong, as the Query protocol names it
    /// ([`ErrorCode::query_code`](crate::ErrorCode::query_code)).
    #[serde(deserialize_with = "null_as_default")]
    pub code: String,
    /// What went wrong, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check, check_input};
    use super::*;

    #[test]
    fn attribute_values() {
        let members = [
            "StringValue",
            "BinaryValue",
            "StringListValues",
            "BinaryListValues",
            "DataType",
        ];
        let full = json!({
            "StringValue": "blue",
            "BinaryValue": "AQID",
            "StringListValues": ["a", "b"],
            "BinaryListValues": ["/+8=", "AA=="],
            "DataType": "String.custom",
        });
        check_input::<MessageAttributeValue>(&members, &full);
        check_input::<MessageSystemAttributeValue>(&members, &full);
    }

    #[test]
    fn failed_batch_entries() {
        check::<BatchResultErrorEntry>(
            &["Id", "SenderFault", "Code", "Message"],
            &json!({ "Id": "1", "SenderFault": true, "Code": "OverLimit", "Message": "Too many." }),
        );
    }

    #[test]
    fn constructors_set_type_and_value() {
        assert_eq!(
            json!(MessageAttributeValue::string("")),
            json!({ "StringValue": "", "DataType": "String" })
        );
        assert_eq!(
            json!(MessageAttributeValue::number("-1.5e3")),
            json!({ "StringValue": "-1.5e3", "DataType": "Number" })
        );
        assert_eq!(
            json!(MessageAttributeValue::binary([0, 255])),
            json!({ "BinaryValue": "AP8=", "DataType": "Binary" })
        );
        assert_eq!(
            json!(MessageSystemAttributeValue::string("Root=1")),
            json!({ "StringValue": "Root=1", "DataType": "String" })
        );
    }

    #[test]
    fn a_blob_of_any_length_is_read_back() {
        for length in 0..=260_usize {
            let bytes: Vec<u8> = (0..=u8::MAX).cycle().skip(length).take(length).collect();
            let text = serde_json::to_string(&Blob::from(bytes.as_slice())).expect("a string");
            let blob: Blob = serde_json::from_str(&text).expect("base64");
            assert_eq!(blob.as_ref(), bytes);
            assert_eq!(blob.into_bytes(), bytes);
        }
    }

    #[test]
    fn a_blob_is_read_from_text_with_escapes() {
        let blob: Blob = serde_json::from_str(r#""\/+8\u003d""#).expect("base64");
        assert_eq!(blob, Blob::from([0xff, 0xef]));
    }

    #[test]
    fn what_is_not_base64_is_refused_and_not_repeated() {
        for text in ["A", "AQI", "AQID=", "AQ-_", "AQ ID", "AQID\n", "é", "AQJ="] {
            let json = serde_json::to_string(text).expect("a string");
            let error = serde_json::from_str::<Blob>(&json)
                .expect_err(text)
                .to_string();
            assert!(
                error.starts_with("a blob must be padded base64"),
                "{text}: {error}"
            );
        }
        let error = serde_json::from_str::<Blob>("[1]")
            .expect_err("a list")
            .to_string();
        assert!(error.contains("expected a string of base64"), "{error}");
    }
}
