//! What is wrong with JSON or with a query, in words for people: serde's own speak of Rust's types.

/// Why something that came as JSON means nothing.
pub(crate) fn of_json(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let place = match line {
        // A value that was read before has no places.
        0 => String::new(),
        line => format!("line {line}, column {column}"),
    };
    if error.is_eof() {
        return format!("it ends too early, at {place}");
    }
    if error.is_syntax() {
        return format!("it is not JSON, from {place} on");
    }
    let said = error.to_string();
    let reason = said.strip_suffix(&format!(" at line {line} column {column}"));
    let words = of_reason(reason.unwrap_or(&said));
    match place.as_str() {
        "" => words,
        place => format!("{words} (at {place})"),
    }
}

/// The same for a reason of serde's without a place.
pub(crate) fn of_reason(reason: &str) -> String {
    let (key, reason) = match reason.split_once(": ") {
        // A query's reasons have the parameter in front.
        Some((key, rest)) if !key.contains(' ') => (format!("{key}: "), rest),
        _ => (String::new(), reason),
    };
    let words = not_known(reason)
        .or_else(|| wrong_type(reason))
        .or_else(|| about_a_member(reason))
        .unwrap_or_else(|| match reason {
            "invalid digit found in string" | "cannot parse integer from empty string" => {
                "it must be a whole number from 0 on".to_owned()
            }
            "number too large to fit in target type" => "the number is too large".to_owned(),
            "invalid float literal" | "cannot parse float from empty string" => {
                "it must be a number".to_owned()
            }
            other => other.to_owned(),
        });
    format!("{key}{words}")
}

/// A name that means nothing, of a member or as a value.
fn not_known(reason: &str) -> Option<String> {
    let rest = reason
        .strip_prefix("unknown field ")
        .or_else(|| reason.strip_prefix("unknown variant "))?;
    // The name comes from outside, and what follows it does not.
    let (name, known) = match rest.rsplit_once(", expected ") {
        Some((name, known)) => (name, known),
        None => (rest.strip_suffix(", there are no fields")?, ""),
    };
    let known = known.strip_prefix("one of ").unwrap_or(known);
    Some(match known {
        "" => format!("{name} is not known here; nothing is"),
        known => format!("{name} is not known here; what is, is {known}"),
    })
}

fn wrong_type(reason: &str) -> Option<String> {
    let rest = reason
        .strip_prefix("invalid type: ")
        .or_else(|| reason.strip_prefix("invalid value: "))?;
    let (found, wanted) = rest.rsplit_once(", expected ")?;
    let found = match found.split_once(' ') {
        Some(("integer", value)) => format!("the number {value}"),
        Some(("floating", value)) => {
            format!(
                "the number {}",
                value.strip_prefix("point ").unwrap_or(value)
            )
        }
        Some(("string", value)) => format!("the string {value}"),
        Some(("boolean", value)) => value.to_owned(),
        _ => match found {
            "sequence" => "an array".to_owned(),
            "map" => "an object".to_owned(),
            "unit value" => "null".to_owned(),
            other => other.to_owned(),
        },
    };
    let wanted = match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "variant identifier" | "string or map" => "a string",
        wanted if wanted.starts_with("struct ") => "an object",
        wanted => wanted,
    };
    Some(format!("there is {found} where {wanted} must be"))
}

fn about_a_member(reason: &str) -> Option<String> {
    let missing = reason.strip_prefix("missing field ");
    let twice = reason.strip_prefix("duplicate field ");
    missing
        .map(|name| format!("{name} is missing"))
        .or_else(|| twice.map(|name| format!("{name} is there twice")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::faults::FaultSpec;

    #[test]
    fn a_mistake_is_told_in_words_and_with_its_place() {
        for (body, expected) in [
            ("fault", "it is not JSON, from line 1, column 3 on"),
            ("{\n\"fault\":", "it ends too early, at line 2, column 8"),
            (
                r#"{"fault":"throttle"}"#,
                "there is the string \"throttle\" where an object with its kind, like \
                 {\"kind\":\"throttle\"}, must be (at line 1, column 19)",
            ),
            (
                "3",
                "there is the number `3` where an object must be (at line 1, column 1)",
            ),
            ("{}", "`fault` is missing (at line 1, column 2)"),
            (
                r#"{"fault":{}}"#,
                "`kind` is missing (at line 1, column 11)",
            ),
            (
                r#"{"time":1}"#,
                "`time` is not known here; what is, is `action`, `queue`, `account`, `region`, \
                 `group`, `message`, `times`, `share`, `fault` (at line 1, column 7)",
            ),
            (
                r#"{"queue":"a","queue":"b"}"#,
                "`queue` is there twice (at line 1, column 20)",
            ),
            (
                r#"{"times":-1}"#,
                "there is the number `-1` where a whole number from 0 on must be (at line 1, \
                 column 11)",
            ),
            (
                r#"{"message":[]}"#,
                "`fault` is missing (at line 1, column 14)",
            ),
            (
                r#"{"fault":{"kind":"close","when":"soon"}}"#,
                "`soon` is not known here; what is, is `before` or `after` (at line 1, column 40)",
            ),
        ] {
            let error = serde_json::from_str::<FaultSpec>(body).expect_err(body);
            assert_eq!(of_json(&error), expected, "{body}");
        }
    }

    #[test]
    fn no_type_of_rusts_is_spoken_of() {
        let kinds = [
            json!(3),
            json!({"kind": 3}),
            json!({"kind": "close", "when": 3}),
        ];
        let values = [
            json!(null),
            json!(true),
            json!(1.5),
            json!("x"),
            json!([]),
            json!([[]]),
        ];
        let keys = ["action", "message", "times", "share", "fault"];
        let wrong = keys.iter().flat_map(|key| {
            let each = values.iter().map(move |value| json!({*key: value}));
            each.chain(kinds.iter().map(|kind| json!({"fault": kind})))
        });
        let wrong = wrong.chain([json!({"message": {"attribute": 1}, "fault": {}})]);
        for value in wrong.collect::<Vec<Value>>() {
            let Err(error) = serde_json::from_value::<FaultSpec>(value.clone()) else {
                panic!("{value}")
            };
            let words = of_json(&error);
            for rust in [
                "struct", "enum", "variant", "u64", "f64", "sequence", "field", "invalid",
            ] {
                assert!(!words.contains(rust), "{value}: {words}");
            }
            assert!(!words.contains("line"), "{value}: {words}");
        }
    }

    #[test]
    fn a_name_from_outside_may_be_anything() {
        let error = json!({"a, expected `b`": 1});
        let error = serde_json::from_value::<FaultSpec>(error).expect_err("unknown");
        let words = of_json(&error);
        assert!(
            words.starts_with("`a, expected `b`` is not known"),
            "{words}"
        );
    }
}
