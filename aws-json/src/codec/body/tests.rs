use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Shape {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<BTreeMap<String, i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<Box<Shape>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    always: Vec<Shape>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<String, String>,
}

#[track_caller]
fn shape(body: &str) -> Shape {
    decode(body.as_bytes()).unwrap()
}

#[track_caller]
fn refusal(body: &str) -> SerializationError {
    decode::<Shape>(body.as_bytes()).unwrap_err()
}

#[track_caller]
fn is_not_json(body: &[u8]) {
    let error = decode::<Shape>(body).unwrap_err();
    assert!(
        matches!(error, SerializationError::NotJson { .. }),
        "{error:?}"
    );
}

#[test]
fn every_member_is_read() {
    let body = r#"{"Text":"a\u00e9\n","Count":-7,"Ratio":1.5,"Flag":true,"List":["x"],
        "Map":{"k":9007199254740993},"Inner":{"Count":1},"Always":[{"Count":2}],"Tags":{"a":"b"}}"#;
    let expected = Shape {
        text: Some("aé\n".into()),
        count: Some(-7),
        ratio: Some(1.5),
        flag: Some(true),
        list: Some(vec!["x".into()]),
        map: Some(BTreeMap::from([("k".into(), 9_007_199_254_740_993)])),
        inner: Some(Box::new(Shape {
            count: Some(1),
            ..Shape::default()
        })),
        always: vec![Shape {
            count: Some(2),
            ..Shape::default()
        }],
        tags: BTreeMap::from([("a".into(), "b".into())]),
    };
    assert_eq!(shape(body), expected);
    assert_eq!(
        decode::<Shape>(&encode(&expected).unwrap()).unwrap(),
        expected
    );
}

#[test]
fn a_body_of_no_bytes_is_an_empty_object() {
    assert_eq!(shape(""), Shape::default());
    assert_eq!(shape(" {\n} "), Shape::default());
    is_not_json(b" ");
}

#[test]
fn null_is_absent() {
    let body = r#"{"Text":null,"Count":null,"Ratio":null,"Flag":null,"List":null,"Map":null,
        "Inner":null,"Always":null,"Tags":null}"#;
    assert_eq!(shape(body), Shape::default());
}

#[test]
fn unknown_members_are_ignored_whatever_they_hold() {
    let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
    for value in [
        "1",
        "\"\\ud800\"",
        "null",
        "{\"Count\":\"x\"}",
        "[[],{}]",
        "1e999",
        &deep,
    ] {
        let body = format!(r#"{{"Unknown":{value},"count":"lower","Count":3}}"#);
        assert_eq!(shape(&body).count, Some(3), "{value:.40}");
    }
}

const START_OF_MAP: &str = "Start of structure or map found where not expected.";
const START_OF_LIST: &str = "Start of list found where not expected";

/// A member, and the text that refuses it.
const MISMATCHES: &[(&str, &str)] = &[
    // Seen from AWS.
    (
        r#""Count":"5""#,
        "STRING_VALUE can not be converted to an Integer",
    ),
    (
        r#""Text":5"#,
        "NUMBER_VALUE can not be converted to a String",
    ),
    (
        r#""Count":true"#,
        "TRUE_VALUE can not be converted to an Integer",
    ),
    (r#""Text":{}"#, START_OF_MAP),
    (r#""Text":[]"#, START_OF_LIST),
    // The rest of the family.
    (
        r#""Count":false"#,
        "FALSE_VALUE can not be converted to an Integer",
    ),
    (r#""Count":{"a":1}"#, START_OF_MAP),
    (r#""Count":[1]"#, START_OF_LIST),
    (
        r#""Count":1.5"#,
        "NUMBER_VALUE can not be converted to an Integer",
    ),
    (
        r#""Count":2147483648"#,
        "NUMBER_VALUE can not be converted to an Integer",
    ),
    (
        r#""Count":-2147483649"#,
        "NUMBER_VALUE can not be converted to an Integer",
    ),
    (
        r#""Count":1e300"#,
        "NUMBER_VALUE can not be converted to an Integer",
    ),
    (
        r#""Text":-1"#,
        "NUMBER_VALUE can not be converted to a String",
    ),
    (
        r#""Text":1.5"#,
        "NUMBER_VALUE can not be converted to a String",
    ),
    (
        r#""Text":true"#,
        "TRUE_VALUE can not be converted to a String",
    ),
    (
        r#""Text":false"#,
        "FALSE_VALUE can not be converted to a String",
    ),
    (
        r#""Flag":"true""#,
        "STRING_VALUE can not be converted to a Boolean",
    ),
    (
        r#""Flag":1"#,
        "NUMBER_VALUE can not be converted to a Boolean",
    ),
    (
        r#""Ratio":"1.5""#,
        "STRING_VALUE can not be converted to a Double",
    ),
    (
        r#""List":"x""#,
        "STRING_VALUE can not be converted to a List",
    ),
    (r#""List":{}"#, START_OF_MAP),
    (
        r#""List":[1]"#,
        "NUMBER_VALUE can not be converted to a String",
    ),
    (
        r#""List":[null]"#,
        "NULL_VALUE can not be converted to a String",
    ),
    (r#""List":[["x"]]"#, START_OF_LIST),
    (r#""Map":"x""#, "STRING_VALUE can not be converted to a Map"),
    (r#""Map":[]"#, START_OF_LIST),
    (
        r#""Map":{"k":"v"}"#,
        "STRING_VALUE can not be converted to an Integer",
    ),
    (
        r#""Inner":"x""#,
        "STRING_VALUE can not be converted to a Structure",
    ),
    (r#""Inner":[]"#, START_OF_LIST),
    (
        r#""Inner":{"Inner":{"Count":"x"}}"#,
        "STRING_VALUE can not be converted to an Integer",
    ),
    (
        r#""Always":[{"Text":7}]"#,
        "NUMBER_VALUE can not be converted to a String",
    ),
    (
        r#""Always":[null]"#,
        "NULL_VALUE can not be converted to a Structure",
    ),
    (
        r#""Tags":{"a":1}"#,
        "NUMBER_VALUE can not be converted to a String",
    ),
];

#[test]
fn a_value_of_the_wrong_type_is_refused_in_awss_words() {
    for (member, text) in MISMATCHES {
        assert_eq!(
            refusal(&format!("{{{member}}}")).to_string(),
            *text,
            "{member}"
        );
    }
}

#[test]
fn a_mismatch_says_where_and_what() {
    assert_eq!(
        refusal("{\n  \"Count\": \"5\"}"),
        SerializationError::Mismatch {
            found: Token::String,
            expected: Expected::Integer,
            line: 2,
            column: 14,
        }
    );
}

#[test]
fn a_whole_number_may_be_written_as_a_float() {
    assert_eq!(shape(r#"{"Count":5.0}"#).count, Some(5));
    assert_eq!(shape(r#"{"Count":-3e2}"#).count, Some(-300));
    assert_eq!(shape(r#"{"Ratio":5}"#).ratio, Some(5.0));
    assert_eq!(shape(r#"{"Ratio":-5}"#).ratio, Some(-5.0));
}

#[test]
fn a_float_is_read_to_the_last_bit() {
    let written = 477_437_801.946_598_77;
    assert_eq!(
        shape(&format!(r#"{{"Ratio":{written}}}"#)).ratio,
        Some(written)
    );
}

#[test]
fn a_number_kept_as_text_by_serde_json_is_a_number() {
    // What serde_json hands out for 5 when its feature `arbitrary_precision` is on.
    let text = |digits| format!(r#"{{"$serde_json::private::Number":"{digits}"}}"#);
    assert_eq!(
        shape(&format!(r#"{{"Count":{}}}"#, text("5"))).count,
        Some(5)
    );
    assert_eq!(
        shape(&format!(r#"{{"Count":{}}}"#, text("-5"))).count,
        Some(-5)
    );
    assert_eq!(
        shape(&format!(r#"{{"Ratio":{}}}"#, text("1.5e1"))).ratio,
        Some(15.0)
    );
    assert_eq!(
        refusal(&format!(r#"{{"Text":{}}}"#, text("5"))).to_string(),
        "NUMBER_VALUE can not be converted to a String"
    );
}

#[test]
fn the_top_level_is_an_object() {
    for (body, found, text) in [
        ("[]", Token::List, "Start of list found where not expected"),
        (
            r#"[{"Count":1}]"#,
            Token::List,
            "Start of list found where not expected",
        ),
        (
            r#""x""#,
            Token::String,
            "STRING_VALUE can not be converted to a Structure",
        ),
        (
            " -1.5",
            Token::Number,
            "NUMBER_VALUE can not be converted to a Structure",
        ),
        (
            "true",
            Token::True,
            "TRUE_VALUE can not be converted to a Structure",
        ),
        (
            "false",
            Token::False,
            "FALSE_VALUE can not be converted to a Structure",
        ),
        (
            "null",
            Token::Null,
            "NULL_VALUE can not be converted to a Structure",
        ),
    ] {
        let error = refusal(body);
        assert_eq!(error, SerializationError::NotAnObject { found });
        assert_eq!(error.to_string(), text);
        let error = decode::<serde_json::Value>(body.as_bytes()).unwrap_err();
        assert_eq!(error, SerializationError::NotAnObject { found });
    }
}

#[test]
fn what_is_not_json_is_refused_as_such() {
    for body in [
        "nonsense",
        "{",
        "{\"Count\":1",
        "{\"Count\":}",
        "{'Count':1}",
        "{}{}",
        "{} x",
        "[1",
        "\"x",
        "{\"Text\":\"a\nb\"}",
        "{\"Count\":1,}",
        "{\"Count\":01}",
        "\u{feff}{}",
        "QueueName=orders",
        "{\"Text\":\"\\ud800\"}",
        "{\"Count\":NaN}",
    ] {
        is_not_json(body.as_bytes());
    }
    assert_eq!(
        refusal("{\"Count\":1").to_string(),
        "The body is not valid JSON: EOF while parsing an object at line 1 column 10."
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_even_where_nobody_looks() {
    for (body, offset) in [
        (&b"{\"Text\":\"\xff\"}"[..], 9),
        (b"{\"Unknown\":\"\xc3\"}", 12),
        (b"{\"Unknown\xff\":1}", 9),
        (b"\xff", 0),
    ] {
        assert_eq!(
            decode::<Shape>(body),
            Err(SerializationError::NotUtf8 { offset })
        );
    }
    assert_eq!(
        decode::<Shape>(b"\xff").unwrap_err().to_string(),
        "The body is not UTF-8: the byte at offset 0 is wrong."
    );
}

#[test]
fn nesting_is_limited() {
    let nested = |levels: usize| {
        format!(
            "{}{}{}",
            r#"{"Inner":"#.repeat(levels - 1),
            "{}",
            "}".repeat(levels - 1)
        )
    };
    assert!(decode::<Shape>(nested(127).as_bytes()).is_ok());
    is_not_json(nested(128).as_bytes());
    is_not_json(nested(100_000).as_bytes());
    assert!(decode::<serde_json::Value>(nested(127).as_bytes()).is_ok());
    assert!(decode::<serde_json::Value>(nested(128).as_bytes()).is_err());
    is_not_json("{\"a\":[".repeat(100_000).as_bytes());
}

#[test]
fn of_a_repeated_member_the_last_counts() {
    assert_eq!(shape(r#"{"Count":1,"Text":"a","Count":2}"#).count, Some(2));
    assert_eq!(shape(r#"{"Count":1,"Count":null}"#).count, None);
    let body = r#"{"Inner":{"Text":"a","Text":"b"},"Map":{"k":1,"k":2},"Count":1}"#;
    assert_eq!(shape(body).inner.unwrap().text.as_deref(), Some("b"));
    assert_eq!(shape(body).map.unwrap()["k"], 2);
    assert_eq!(
        refusal(r#"{"Count":1,"Count":"x"}"#).to_string(),
        "STRING_VALUE can not be converted to an Integer"
    );
    is_not_json(br#"{"Count":1,"Count":2} x"#);
}

#[test]
fn a_structure_without_members_takes_any_object() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Empty;
    #[derive(Debug, PartialEq, Deserialize)]
    struct Braces {}
    for body in ["", "{}", r#"{"Unexpected":[1,{"x":null}]}"#] {
        assert_eq!(decode(body.as_bytes()), Ok(()));
        assert_eq!(decode(body.as_bytes()), Ok(Empty));
        assert_eq!(decode(body.as_bytes()), Ok(Braces {}));
    }
    assert!(decode::<()>(b"[]").is_err());
    assert!(decode::<()>(b"null").is_err());
}

#[test]
fn enums_newtypes_tuples_and_untyped_values_pass_through() {
    #[derive(Debug, PartialEq, Deserialize)]
    enum Union {
        Plain,
        Text(String),
        Count(i32),
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Name(String);
    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Other {
        union: Option<Union>,
        name: Option<Name>,
        pair: Option<(i32, String)>,
        value: Option<serde_json::Value>,
        #[serde(flatten)]
        rest: BTreeMap<String, serde_json::Value>,
    }
    let read = |body: &str| decode::<Other>(body.as_bytes());
    assert_eq!(
        read(r#"{"union":"Plain"}"#).unwrap().union,
        Some(Union::Plain)
    );
    assert_eq!(
        read(r#"{"union":{"Text":"a"}}"#).unwrap().union,
        Some(Union::Text("a".into()))
    );
    assert_eq!(
        read(r#"{"name":"n"}"#).unwrap().name,
        Some(Name("n".into()))
    );
    assert_eq!(
        read(r#"{"pair":[1,"b"]}"#).unwrap().pair,
        Some((1, "b".into()))
    );
    let value = serde_json::json!({"a": [1, -2, 1.5, true, null, "s"]});
    let body = format!(r#"{{"value":{value},"x":{value}}}"#);
    let other = read(&body).unwrap();
    assert_eq!(other.value.as_ref(), Some(&value));
    assert_eq!(other.rest["x"], value);
}

#[test]
fn a_mismatch_inside_an_enum_or_a_newtype_is_told_too() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    enum Union {
        Count(i32),
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    struct Outer {
        union: Option<Union>,
    }
    for (body, text) in [
        (
            r#"{"union":{"Count":"x"}}"#,
            "STRING_VALUE can not be converted to an Integer",
        ),
        (
            r#"{"union":1}"#,
            "NUMBER_VALUE can not be converted to a String",
        ),
        (r#"{"union":[]}"#, "Start of list found where not expected"),
    ] {
        assert_eq!(
            decode::<Outer>(body.as_bytes()).unwrap_err().to_string(),
            text
        );
    }
}

#[test]
fn what_a_shape_says_is_kept_short() {
    #[derive(Debug, Deserialize)]
    enum Known {
        A,
    }
    let body = format!(r#"{{"k":"{}"}}"#, "é".repeat(10_000));
    let error = decode::<BTreeMap<String, Known>>(body.as_bytes()).unwrap_err();
    let SerializationError::Data { message } = error else {
        panic!("{error:?}")
    };
    assert!(message.starts_with("unknown variant `éé"), "{message}");
    assert!(message.len() <= MESSAGE_LIMIT);
    assert!(matches!(
        decode::<BTreeMap<String, Known>>(br#"{"k":"A"}"#).unwrap()["k"],
        Known::A
    ));
}

#[test]
fn only_an_object_is_written() {
    assert_eq!(&encode(&Shape::default()).unwrap()[..], b"{}");
    assert_eq!(&encode(&()).unwrap()[..], b"{}");
    assert_eq!(&encode(&None::<Shape>).unwrap()[..], b"{}");
    for value in [
        serde_json::json!([1]),
        serde_json::json!("x"),
        serde_json::json!(1),
    ] {
        assert_eq!(
            encode(&value).unwrap_err().to_string(),
            "the value is not written as a JSON object; a body must be one"
        );
    }
    let error = encode(&BTreeMap::from([((1, 2), "tuple keys")])).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the value cannot be written as JSON: "),
        "{error}"
    );
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Union {
    Text(String),
    Number(i32),
    List(Vec<Union>),
    Structure {
        hi: Option<String>,
    },
    Empty,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, PartialEq, Deserialize)]
struct OfUnion {
    union: Option<Union>,
}

#[test]
fn a_union_is_its_one_member_beside_nulls_and_a_type() {
    for (text, union) in [
        (r#"{"number":1}"#, Union::Number(1)),
        (r#"{"__type":"a.b#U","number":1}"#, Union::Number(1)),
        (r#"{"number":1,"__type":"a.b#U"}"#, Union::Number(1)),
        (
            r#"{"text":null,"number":1,"list":null,"new":null}"#,
            Union::Number(1),
        ),
        (
            r#"{"__type":null,"new":null,"text":"x"}"#,
            Union::Text("x".into()),
        ),
        (
            r#"{"list":[{"text":null,"number":2},{"__type":"","text":"y"}]}"#,
            Union::List(vec![Union::Number(2), Union::Text("y".into())]),
        ),
        (
            r#"{"structure":{"hi":"x","more":1}}"#,
            Union::Structure {
                hi: Some("x".into()),
            },
        ),
        (r#"{"empty":{}}"#, Union::Empty),
        (r#""empty""#, Union::Empty),
        (r#"{"new":[1,{"deep":2}]}"#, Union::Unknown),
        (r#"{"text":null,"new":1}"#, Union::Unknown),
    ] {
        let body = format!("{{\"union\":{text},\"more\":1}}");
        let shape: OfUnion = decode(body.as_bytes()).unwrap();
        assert_eq!(shape.union, Some(union), "{text}");
        // A member that is there twice takes another way through the parser.
        let body = format!("{{\"union\":null,\"union\":{text}}}");
        let again: OfUnion = decode(body.as_bytes()).unwrap();
        assert_eq!(again, shape, "{text}");
    }
}

#[test]
fn a_union_without_or_with_two_members_is_refused() {
    let refusal = |text: &str| {
        let body = format!("{{\"union\":{text}}}");
        decode::<OfUnion>(body.as_bytes()).unwrap_err().to_string()
    };
    for text in ["{}", r#"{"text":null}"#, r#"{"__type":"a.b#U"}"#] {
        let said = refusal(text);
        assert!(said.starts_with("a union holds no member"), "{said}");
    }
    for text in [r#"{"text":"x","number":1}"#, r#"{"number":1,"new":false}"#] {
        let said = refusal(text);
        assert!(said.starts_with("a union holds two members"), "{said}");
    }
    assert_eq!(
        refusal(r#"{"number":"x"}"#),
        "STRING_VALUE can not be converted to an Integer"
    );
    assert_eq!(refusal("[]"), "Start of list found where not expected");
    let deep = format!("{}1{}", "{\"list\":[".repeat(100), "]}".repeat(100));
    assert!(refusal(&deep).contains("recursion limit"));
}
