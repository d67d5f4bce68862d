//! Checks of what travels with a message: characters, attributes, system attributes.

use std::collections::BTreeMap;

use sqs::digest::{Attribute, Value};
use sqs::{Error, ErrorCode, MessageAttributeValue, MessageSystemAttributeValue, limits};

use crate::digest::PackedAttributes;
use crate::errors::invalid_parameter;

/// Checks the message attributes and packs them.
pub(super) fn parse(
    attributes: &BTreeMap<String, MessageAttributeValue>,
) -> Result<PackedAttributes, Error> {
    let (count, limit) = (attributes.len(), limits::MESSAGE_ATTRIBUTES);
    if !limit.contains(count) {
        let max = limit.max();
        return Err(invalid_parameter(format!(
            "Number of message attributes [{count}] exceeds the allowed maximum [{max}]."
        )));
    }
    let checked: Result<Vec<_>, _> = attributes
        .iter()
        .map(|(name, value)| attribute(name, value))
        .collect();
    Ok(PackedAttributes::pack(checked?.into_iter()))
}

/// The trace header among the system attributes, of which it is the only one that can be sent, and
/// the digest of them all.
pub(super) fn parse_system(
    attributes: &BTreeMap<String, MessageSystemAttributeValue>,
) -> Result<(Option<&str>, PackedAttributes), Error> {
    let mut checked = Vec::new();
    for (name, value) in attributes {
        if name != TRACE_HEADER {
            let message = format!("Message system attribute name '{name}' is invalid.");
            return Err(invalid_parameter(message));
        }
        if value.string_list_values.is_some() || value.binary_list_values.is_some() {
            return Err(list_values());
        }
        if value.binary_value.is_some() {
            return Err(invalid_parameter(format!(
                "Message (system) attribute '{name}' with type 'String' must use field 'String'."
            )));
        }
        if value.data_type.as_deref() != Some("String") {
            return Err(invalid_parameter(format!(
                "The type of message (system) attribute '{name}' is invalid. \
                 You must use only the following supported type prefixes: String."
            )));
        }
        let text = value
            .string_value
            .as_deref()
            .filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| {
            invalid_parameter(format!(
                "Message (system) attribute '{name}' must contain a non-empty value of type 'String'."
            ))
        })?;
        check_text(name, text)?;
        checked.push(Attribute {
            name,
            data_type: "String",
            value: Value::Text(text),
        });
    }
    let trace_header = checked.iter().find_map(|attribute| match attribute.value {
        Value::Text(text) => Some(text),
        Value::Binary(_) => None,
    });
    Ok((trace_header, PackedAttributes::pack(checked.into_iter())))
}

/// The first character that SQS does not allow in a body or a string value.
pub(super) fn forbidden(text: &str) -> Option<char> {
    // Most text is printable ASCII, of which all is allowed; without an early end the compiler looks at many
    // bytes at once.
    let is_printable = |all: bool, byte: &u8| all & (b' '..=b'~').contains(byte);
    if text.as_bytes().iter().fold(true, is_printable) {
        return None;
    }
    text.chars().find(|c| {
        !matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
    })
}

/// How a forbidden character is told of; `place` is where it was found.
pub(super) fn forbidden_text(character: char, place: &str) -> String {
    format!(
        "Invalid binary character '#x{:X}' was found in the message {place}, the set of allowed \
         characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF].",
        u32::from(character)
    )
}

fn attribute<'a>(name: &'a str, value: &'a MessageAttributeValue) -> Result<Attribute<'a>, Error> {
    if value.string_list_values.is_some() || value.binary_list_values.is_some() {
        return Err(list_values());
    }
    check_name(name)?;
    let data_type = value.data_type.as_deref().unwrap_or_default();
    let kind = kind(name, data_type)?;
    let value = match (kind, &value.string_value, &value.binary_value) {
        (_, None, None) => {
            return Err(invalid_parameter(format!(
                "The message (user) attribute '{name}' must contain a non-empty message attribute value."
            )));
        }
        (_, Some(_), Some(_)) => {
            return Err(invalid_parameter(format!(
                "Message (user) attribute '{name}' must have a single value."
            )));
        }
        (Kind::Binary, Some(_), None) => return Err(wrong_member(name, data_type, "Binary")),
        (Kind::String | Kind::Number, None, Some(_)) => {
            return Err(wrong_member(name, data_type, "String"));
        }
        (Kind::Binary, None, Some(blob)) => Value::Binary(blob.as_ref()),
        (Kind::String | Kind::Number, Some(text), None) => Value::Text(text),
    };
    let empty = match value {
        Value::Text(text) => text.is_empty(),
        Value::Binary(bytes) => bytes.is_empty(),
    };
    if empty {
        return Err(invalid_parameter(format!(
            "Message (user) attribute '{name}' must contain a non-empty value of type '{data_type}'."
        )));
    }
    if let Value::Text(text) = value {
        check_text(name, text)?;
        if kind == Kind::Number && !is_number(text) {
            return Err(invalid_parameter(format!(
                "Can't cast the value of message (user) attribute '{name}' to a number."
            )));
        }
    }
    Ok(Attribute {
        name,
        data_type,
        value,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    String,
    Number,
    Binary,
}

fn kind(name: &str, data_type: &str) -> Result<Kind, Error> {
    if data_type.is_empty() {
        return Err(invalid_parameter(format!(
            "The message (user) attribute '{name}' must contain a non-empty message attribute type."
        )));
    }
    let in_limit = limits::MESSAGE_ATTRIBUTE_TYPE_LENGTH.contains(data_type.len());
    let well_formed = in_limit && forbidden(data_type).is_none();
    let prefix = data_type
        .split_once('.')
        .map_or(data_type, |(prefix, _)| prefix);
    match prefix {
        "String" if well_formed => Ok(Kind::String),
        "Number" if well_formed => Ok(Kind::Number),
        "Binary" if well_formed => Ok(Kind::Binary),
        _ => Err(invalid_parameter(format!(
            "The type of message (user) attribute '{name}' is invalid. You must use only the \
             following supported type prefixes: Binary, Number, String."
        ))),
    }
}

/// AWS takes letters of any script, although its documentation names only A to Z.
fn check_name(name: &str) -> Result<(), Error> {
    if name.is_empty() {
        let message = "The request must contain non-empty message attribute name.";
        return Err(invalid_parameter(message));
    }
    if !limits::MESSAGE_ATTRIBUTE_NAME_LENGTH.contains(name.len()) {
        let message = "Message (user) attribute names must be shorter than 256 Bytes";
        return Err(invalid_parameter(message));
    }
    if !name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    {
        // The blank at the end is AWS's.
        let message = "Message (user) attribute name can only contain upper and lower score \
                       characters, digits, periods, hyphens and underscores. ";
        return Err(invalid_parameter(message));
    }
    let lower = name.to_ascii_lowercase();
    let reserved = lower.starts_with("aws.") || lower.starts_with("amazon.");
    if reserved || name.starts_with('.') || name.ends_with('.') || name.contains("..") {
        let message = "You can't use message attribute names beginning with 'AWS.' or 'Amazon.'. \
                       These strings are reserved for internal use. Additionally, they cannot \
                       start or end with '.'.";
        return Err(invalid_parameter(message));
    }
    Ok(())
}

fn check_text(name: &str, text: &str) -> Result<(), Error> {
    forbidden(text).map_or(Ok(()), |character| {
        let place = format!("attribute '{name}' value");
        Err(invalid_parameter(forbidden_text(character, &place)))
    })
}

/// Lists are in AWS's model and refused by AWS all the same.
fn list_values() -> Error {
    let message = "Message attribute list values in SendMessage operation are not supported.";
    Error::new(ErrorCode::UnsupportedOperation, message)
}

fn wrong_member(name: &str, data_type: &str, member: &str) -> Error {
    invalid_parameter(format!(
        "Message (user) attribute '{name}' with type '{data_type}' must use field '{member}'."
    ))
}

/// A decimal number of at most 38 significant digits, zero or between 10^-128 and 10^126.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((mantissa, exponent)) => match exponent.parse::<i32>() {
            Ok(exponent) => (mantissa, i64::from(exponent)),
            Err(_) => return false,
        },
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let leading_zeros = digits.bytes().take_while(|byte| *byte == b'0').count();
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        return true;
    }
    let (Ok(whole), Ok(leading_zeros)) = (i64::try_from(whole.len()), i64::try_from(leading_zeros))
    else {
        return false;
    };
    // The power of ten of the first significant digit.
    let magnitude = exponent + whole - leading_zeros - 1;
    let powers = limits::NUMBER_POWERS_OF_TEN;
    // Of those numbers that begin with the highest power only that power itself is allowed.
    limits::NUMBER_DIGITS.contains(significant.len())
        && powers.contains(&magnitude)
        && (magnitude < *powers.end() || significant == "1")
}

const TRACE_HEADER: &str = "AWSTraceHeader";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let digits38 = "9".repeat(38);
        for good in [
            "0",
            "-0.0",
            "0e999",
            "1",
            "+1",
            "-1.50",
            ".5",
            "5.",
            "1e3",
            "1E-3",
            "1e126",
            "-1e126",
            "9.99e125",
            "1e-128",
            "0.00012",
            digits38.as_str(),
            "100000000000000000000000000000000000000000",
        ] {
            assert!(is_number(good), "{good}");
        }
        let digits39 = "9".repeat(39);
        for bad in [
            "",
            "-",
            ".",
            "e5",
            "1e",
            "abc",
            "1,5",
            " 1",
            "1 ",
            "0x10",
            "NaN",
            "Infinity",
            "1e127",
            "1.1e126",
            "9e-129",
            "1e99999999999",
            "١",
            digits39.as_str(),
            "--1",
            "1e1.5",
        ] {
            assert!(!is_number(bad), "{bad}");
        }
    }

    #[test]
    fn names() {
        for good in [
            "a",
            "a.b-c_d",
            "attr.1øßä",
            "awsome",
            "Amazonas.x",
            &"x".repeat(256),
        ] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in [
            "", ".a", "a.", "a..b", "AWS.x", "aws.x", "AmAzOn.x", "a!", "a\"", "§", "(", "?", "a b",
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
        assert!(check_name(&"x".repeat(257)).is_err());
    }

    #[test]
    fn characters() {
        for good in [
            "\t\n\r ~",
            "é☃😀",
            "\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}",
            "\u{7f}",
        ] {
            assert_eq!(forbidden(good), None);
        }
        for bad in [
            '\0', '\u{1}', '\u{8}', '\u{b}', '\u{1f}', '\u{FFFE}', '\u{FFFF}',
        ] {
            assert_eq!(forbidden(&format!("a{bad}\u{1}")), Some(bad));
        }
        assert!(forbidden_text('\u{7}', "body").starts_with("Invalid binary character '#x7' was"));
        assert!(forbidden_text('\u{FFFF}', "body").contains("'#xFFFF'"));
    }
}
