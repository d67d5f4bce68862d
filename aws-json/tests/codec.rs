//! The codec on inputs that nobody thought of.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use aws_json::codec::body::{decode, encode};
    use aws_json::codec::content_type::Version;
    use aws_json::codec::error_body::{ErrorBody, Fault, QueryError, Refusal};
    use aws_json::codec::name::{bare, snake, upper_camel};
    use aws_json::codec::target::Target;
    use http::{HeaderMap, HeaderValue, StatusCode};
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::Value;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(default)]
    #[derive(Default)]
    struct Shape {
        a: Option<String>,
        b: Option<i32>,
        c: Option<Vec<Option<f64>>>,
        d: Option<BTreeMap<String, bool>>,
        e: Option<Box<Shape>>,
        f: Option<Value>,
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(key(), inner, 0..6)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    /// Mostly names that `Shape` knows.
    fn key() -> impl Strategy<Value = String> {
        prop_oneof![4 => "[a-g]", 1 => any::<String>()]
    }

    fn object() -> impl Strategy<Value = Value> {
        prop::collection::btree_map(key(), value(), 0..8).prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_object_is_read_as_it_was_written(object in object()) {
            let body = encode(&object).unwrap();
            prop_assert_eq!(decode::<Value>(&body).unwrap(), object);
        }

        /// Strictness refuses an array for a structure, takes `5.0` for an integer, and otherwise
        /// changes nothing.
        #[test]
        fn what_is_taken_is_what_serde_json_takes(object in object()) {
            let body = encode(&object).unwrap();
            match (decode::<Shape>(&body), serde_json::from_slice::<Shape>(&body)) {
                (Ok(strict), Ok(plain)) => prop_assert_eq!(strict, plain),
                (Err(strict), Ok(_)) => prop_assert_eq!(
                    strict.to_string(),
                    "Start of list found where not expected"
                ),
                (Ok(_), Err(plain)) => prop_assert!(plain.to_string().contains("floating point")),
                (Err(_), Err(_)) => {}
            }
        }

        #[test]
        fn a_body_cut_anywhere_is_refused(object in object(), at in any::<prop::sample::Index>()) {
            let body = encode(&object).unwrap();
            let cut = at.index(body.len() - 1) + 1;
            prop_assert!(decode::<Value>(&body[..cut]).is_err() || cut == body.len());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
            let _ = decode::<Shape>(&bytes);
            let _ = Refusal::read(&HeaderMap::new(), &bytes);
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let names = [
                    "x-amz-target", "content-type", "x-amzn-errortype", "x-amzn-query-error",
                ];
                let headers: HeaderMap =
                    names.iter().map(|name| (name.parse().unwrap(), value.clone())).collect();
                let _ = Target::from_headers(&headers);
                let _ = Version::from_headers(&headers);
                let _ = Refusal::read(&headers, &bytes);
            }
        }

        #[test]
        fn a_target_is_read_as_it_was_written(prefix in "[A-Za-z0-9_.]{0,20}", name in "\\w{0,9}") {
            if let Ok(target) = Target::new(&prefix, &name) {
                let written = target.to_string();
                prop_assert_eq!(Target::parse(&written).unwrap(), target);
            }
        }

        #[test]
        fn a_plain_camel_name_survives_its_snake_spelling(name in "([A-Z][a-z]{1,8}){1,5}") {
            prop_assert_eq!(upper_camel(&snake(&name)), name);
        }

        #[test]
        fn a_snake_name_is_lower_case_words(name in any::<String>()) {
            let snake = snake(&name);
            prop_assert!(!snake.starts_with('_') && !snake.ends_with('_') && !snake.contains("__"));
            prop_assert!(!snake.contains(|letter: char| letter.is_ascii_uppercase()));
        }

        #[test]
        fn an_error_is_read_as_it_was_written(
            name in "[A-Za-z][A-Za-z0-9]{0,30}",
            message in any::<Option<String>>(),
            code in "[!-:<-~]{1,40}",
        ) {
            let shape_id = format!("com.amazonaws.sqs#{name}");
            let mut error = ErrorBody::new(&shape_id)
                .with_query_error(QueryError::new(&code, Fault::Sender).unwrap());
            if let Some(message) = &message {
                error = error.with_message(message);
            }
            for version in [Version::V1_0, Version::V1_1] {
                let answer = error.to_response(StatusCode::BAD_REQUEST, version);
                let refusal = Refusal::read(answer.headers(), answer.body());
                prop_assert_eq!(refusal.name(), Some(&*name));
                prop_assert_eq!(refusal.name(), Some(bare(&shape_id)));
                prop_assert_eq!(refusal.message(), message.as_deref());
                prop_assert_eq!(refusal.query_code(), Some(&*code));
                prop_assert_eq!(refusal.fault(), Some(Fault::Sender));
            }
        }
    }
}
