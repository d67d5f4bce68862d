//! Taking what signs a request out of text that is shown.

use std::borrow::Cow;

/// What stands in the place of a value that is not shown.
const HIDDEN: &str = "REDACTED";

/// Names of parameters that sign a request, besides all that contain `x-amz-`: those of the Query
/// protocol's older signatures.
const SIGNING: [&str; 4] = [
    "signature",
    "awsaccesskeyid",
    "securitytoken",
    "authorization",
];

/// How often a text may be escaped over and over and still be looked into: a link in the value of a
/// form is escaped twice where it stands in a URL.
const LAYERS_MAX: u8 = 3;

/// The text without the values of parameters that sign a request: those of a presigned URL, wherever
/// it stands, and of a form; also where such a URL is escaped, as the value of another parameter or in
/// text.
pub(super) fn redacted(text: &str) -> String {
    redacted_within(text, LAYERS_MAX)
}

fn redacted_within(text: &str, layers: u8) -> String {
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_delimiter) {
        let end = piece.trim_end_matches(is_delimiter).len();
        let (parameter, delimiter) = piece.split_at(end);
        match parameter.split_once('=') {
            Some((name, value)) => {
                shown.push_str(&unwrapped(name, layers));
                shown.push('=');
                if !value.is_empty() && signs(name) {
                    shown.push_str(HIDDEN);
                } else {
                    shown.push_str(&unwrapped(value, layers));
                }
            }
            None => shown.push_str(&unwrapped(parameter, layers)),
        }
        shown.push_str(delimiter);
    }
    shown
}

/// A part of a text that may be escaped, redacted as what it is without that.
fn unwrapped(text: &str, layers: u8) -> Cow<'_, str> {
    if layers == 0 || !text.contains('%') {
        return text.into();
    }
    let within = unescaped(text);
    let redacted = redacted_within(&within, layers - 1);
    if redacted == within {
        text.into()
    } else {
        escaped(&redacted).into()
    }
}

/// What ends a parameter: the next one, the end of a URL in text or in JSON. `\` begins JSON's
/// `\u0026`, which is `&`.
fn is_delimiter(c: char) -> bool {
    matches!(c, '&' | '?' | ';' | '"' | '\'' | '<' | '>' | '\\' | ',') || c.is_whitespace()
}

fn signs(name: &str) -> bool {
    // A name can be escaped in a URL, as a whole or in part.
    let name: Cow<'_, str> = match name.contains('%') {
        true => unescaped(name).into(),
        false => name.into(),
    };
    let name = name.to_ascii_lowercase();
    name.contains("x-amz-") || SIGNING.contains(&&*name)
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let byte = match after {
            [high, low, ..] if first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match byte {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            // A `+` was most likely one, and a space.
            b'-' | b'.' | b'_' | b'~' | b'+' => escaped.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => escaped.push(char::from(byte)),
            _ => escaped.extend(format!("%{byte:02X}").chars()),
        }
    }
    escaped
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_signs_a_request_is_not_shown() {
        for (text, expected) in [
            (
                "/?X-Amz-Signature=abc&X-Amz-Date=1&a=b",
                "/?X-Amz-Signature=REDACTED&X-Amz-Date=REDACTED&a=b",
            ),
            (
                "/?x%2Damz-security%2dtoken=tok%2Fen&y",
                "/?x%2Damz-security%2dtoken=REDACTED&y",
            ),
            (
                "Action=SendMessage&Signature=s&SecurityToken=t",
                "Action=SendMessage&Signature=REDACTED&SecurityToken=REDACTED",
            ),
            (
                r#"{"a":"https://b/?X-Amz-Credential=AK\u0026X-Amz-Signature=ab"}"#,
                r#"{"a":"https://b/?X-Amz-Credential=REDACTED\u0026X-Amz-Signature=REDACTED"}"#,
            ),
            (
                "Credential=AK/1/r/sqs/aws4_request, SignedHeaders=host, Signature=abc'.",
                "Credential=AK/1/r/sqs/aws4_request, SignedHeaders=host, Signature=REDACTED'.",
            ),
            (
                "MessageBody=see+https%3A%2F%2Fb%2F%3FX-Amz-Date%3D1%26x-amz-signature%3Dab%22&a=%20",
                "MessageBody=see+https%3A%2F%2Fb%2F%3FX-Amz-Date%3DREDACTED%26x-amz-signature%3DREDACTED%22&a=%20",
            ),
            (
                "/?Action=SendMessage&MessageBody=a%3Fx%3D%253FX-Amz-Signature%253Dab",
                "/?Action=SendMessage&MessageBody=a%3Fx%3D%253FX-Amz-Signature%253DREDACTED",
            ),
            (
                "MessageBody=100%25+%3D+all&b=%",
                "MessageBody=100%25+%3D+all&b=%",
            ),
            (
                "see https%3A%2F%2Fb%2F%3FX-Amz-Signature%3Dab here",
                "see https%3A%2F%2Fb%2F%3FX-Amz-Signature%3DREDACTED here",
            ),
            (
                "/?u%3FX-Amz-Signature%3Dab=c&d%20=e%20",
                "/?u%3FX-Amz-Signature%3DREDACTED=REDACTED&d%20=e%20",
            ),
            ("plain = text, a=b é%", "plain = text, a=b é%"),
            ("X-Amz-Signature=", "X-Amz-Signature="),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }
}
