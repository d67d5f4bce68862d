//! From botocore's values to the protocol's.
//!
//! A case's `params` and `result` hold blobs as their text and every timestamp as seconds since 1970. The shapes
//! beside them say which values those are, and so this writes them as the wire has them: an input can then be read
//! into a Rust type, and an output be compared with one.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_json::value::{http_date, iso8601};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A shape of a service, as far as it matters here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shape {
    r#type: String,
    timestamp_format: Option<String>,
    #[serde(default)]
    members: BTreeMap<String, ShapeRef>,
    member: Option<ShapeRef>,
    value: Option<ShapeRef>,
    #[serde(default)]
    document: bool,
}

/// Where a shape is used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShapeRef {
    shape: String,
}

/// The value as the wire has it. Without a shape, it is that already.
pub(super) fn wire_form(
    shapes: &BTreeMap<String, Shape>,
    of: Option<&ShapeRef>,
    value: Value,
) -> Result<Value, String> {
    let Some(shape) = of.and_then(|of| shapes.get(&of.shape)) else {
        return Ok(value);
    };
    Ok(match (shape.r#type.as_str(), value) {
        (_, Value::Null) => Value::Null,
        ("structure", Value::Object(members)) if !shape.document => {
            let members = members.into_iter().map(|(name, value)| {
                let value = wire_form(shapes, shape.members.get(&name), value)?;
                Ok((name, value))
            });
            Value::Object(members.collect::<Result<Map<_, _>, String>>()?)
        }
        ("map", Value::Object(members)) => {
            let members = members
                .into_iter()
                .map(|(name, value)| Ok((name, wire_form(shapes, shape.value.as_ref(), value)?)));
            Value::Object(members.collect::<Result<Map<_, _>, String>>()?)
        }
        ("list", Value::Array(values)) => {
            let values = values
                .into_iter()
                .map(|value| wire_form(shapes, shape.member.as_ref(), value));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        ("blob", Value::String(text)) => Value::String(base64(text.as_bytes())),
        ("timestamp", Value::Number(seconds)) => match shape.timestamp_format.as_deref() {
            Some("iso8601") => text(iso8601::format, &seconds)?,
            Some("rfc822") => text(http_date::format, &seconds)?,
            Some("unixTimestamp") | None => Value::Number(seconds),
            Some(other) => return Err(format!("timestampFormat is {other:?}")),
        },
        (_, value) => value,
    })
}

fn text(
    format: fn(SystemTime) -> Result<String, aws_json::value::TimeError>,
    seconds: &serde_json::Number,
) -> Result<Value, String> {
    // Milliseconds are as fine as these cases are.
    let seconds = seconds.as_f64().unwrap_or(f64::NAN);
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    let millis = u64::try_from((duration + Duration::from_micros(500)).as_millis())
        .map_err(|error| error.to_string())?;
    let time = UNIX_EPOCH + Duration::from_millis(millis);
    let text = format(time).map_err(|error| error.to_string())?;
    Ok(Value::String(text))
}

/// RFC 4648, section 4, without the library that is under test.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let sextet = (bits >> (18 - 6 * index)) & 0x3f;
            text.push(match chunk.len() {
                length if index > length => '=',
                _ => char::from(ALPHABET[sextet as usize]),
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"binary-value", "YmluYXJ5LXZhbHVl"),
            (b"\xfb\xff\xbf", "+/+/"),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }
}
