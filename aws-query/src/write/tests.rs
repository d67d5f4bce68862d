use std::collections::BTreeMap;

use serde::Serialize;

use super::*;
use crate::Shape;

const MODEL: Model = Model::new(
    "http://example.com/?a&b",
    &[
        Shape::new(
            "All",
            &[
                Member::list("names", "Name"),
                Member::list("entries", "Entry"),
                Member::map("attributes", "Attribute", "Name", "Value"),
                Member::map("structures", "Structure", "Key", "Value"),
                Member::renamed("old", "New"),
            ],
        ),
        Shape::new("Entry", &[Member::list("names", "Name")]),
    ],
);

#[derive(Default, Serialize)]
struct All {
    text: Option<String>,
    count: i64,
    flag: bool,
    color: Option<Color>,
    letter: Option<char>,
    old: Option<u8>,
    share: Option<f64>,
    names: Vec<&'static str>,
    entries: Vec<Entry>,
    attributes: BTreeMap<&'static str, &'static str>,
    structures: BTreeMap<&'static str, Entry>,
}

#[derive(Default, Serialize)]
struct Entry {
    id: Option<String>,
    names: Vec<&'static str>,
}

#[derive(Serialize)]
enum Color {
    Blue,
}

/// What is written between the tags of the result.
fn result<T: Serialize>(value: &T) -> Result<String, WriteError> {
    let document = MODEL.write("Do", Some(value), "id")?;
    let (before, rest) = document.split_once("<DoResult>").expect("a result");
    assert_eq!(
        before,
        "<?xml version=\"1.0\"?><DoResponse xmlns=\"http://example.com/?a&amp;b\">"
    );
    let (result, after) = rest.split_once("</DoResult>").expect("a result");
    assert_eq!(
        after,
        "<ResponseMetadata><RequestId>id</RequestId></ResponseMetadata></DoResponse>"
    );
    Ok(result.to_owned())
}

#[test]
fn an_operation_that_gives_nothing_has_no_result() {
    assert_eq!(
        MODEL.write("Do", None::<&All>, "a&b"),
        Ok(
            "<?xml version=\"1.0\"?><DoResponse xmlns=\"http://example.com/?a&amp;b\">\
            <ResponseMetadata><RequestId>a&amp;b</RequestId></ResponseMetadata></DoResponse>"
                .to_owned()
        )
    );
}

#[test]
fn what_is_none_or_empty_is_left_out() {
    assert_eq!(
        result(&All::default()).unwrap(),
        "<count>0</count><flag>false</flag>"
    );
}

#[test]
fn values_lists_maps_and_structures() {
    let entry = |id: &str, names| Entry {
        id: Some(id.to_owned()),
        names,
    };
    let value = All {
        text: Some("a < b".into()),
        count: i64::MIN,
        flag: true,
        color: Some(Color::Blue),
        letter: Some('&'),
        old: Some(255),
        share: Some(0.5),
        names: vec!["x", "", "y"],
        entries: vec![entry("1", vec!["a", "b"]), Entry::default()],
        attributes: [("k&", "v"), ("z", "")].into(),
        structures: [("s", entry("2", vec![]))].into(),
    };
    assert_eq!(
        result(&value).unwrap(),
        "<text>a &lt; b</text><count>-9223372036854775808</count><flag>true</flag>\
         <color>Blue</color><letter>&amp;</letter><New>255</New><share>0.5</share>\
         <Name>x</Name><Name></Name><Name>y</Name>\
         <Entry><id>1</id><Name>a</Name><Name>b</Name></Entry><Entry></Entry>\
         <Attribute><Name>k&amp;</Name><Value>v</Value></Attribute>\
         <Attribute><Name>z</Name><Value></Value></Attribute>\
         <Structure><Key>s</Key><Value><id>2</id></Value></Structure>"
    );
}

#[test]
fn what_the_table_does_not_know_is_an_error() {
    // Where the table says that there is a list.
    #[derive(Serialize)]
    #[serde(rename = "All")]
    struct Other {
        entries: Entry,
    }
    #[derive(Serialize)]
    struct List {
        list: Vec<u8>,
    }
    #[derive(Serialize)]
    struct Map {
        map: BTreeMap<u8, u8>,
    }
    #[derive(Serialize)]
    struct Tuple {
        tuple: (u8, u8),
    }
    #[derive(Serialize)]
    enum Union {
        Member(u8),
    }

    let words = |error: WriteError| error.to_string();
    assert_eq!(
        result(&List { list: vec![] }).map_err(words),
        Err("list is a list, and the table of names does not say so".into())
    );
    assert_eq!(
        result(&Map {
            map: BTreeMap::new()
        })
        .map_err(words),
        Err("map is a map, and the table of names does not say so".into())
    );
    assert_eq!(
        result(&Tuple { tuple: (1, 2) }).map_err(words),
        Err("tuple is a tuple, which the Query protocol does not have".into())
    );
    assert_eq!(
        result(&Union::Member(1)).map_err(words),
        Err("DoResult is a union, which the Query protocol does not have".into())
    );
    assert_eq!(
        result(&Other {
            entries: Entry::default()
        })
        .map_err(words),
        Err(
            "Entry is a structure where the table of names says something else, which the Query \
             protocol does not have"
                .into()
        )
    );
}

#[test]
fn an_errors_words_are_escaped() {
    let document = MODEL.write_error("Receiver", "A&B", "<\0>", "r");
    assert!(document.contains(
        "<Error><Type>Receiver</Type><Code>A&amp;B</Code><Message>&lt;\u{fffd}&gt;</Message>\
         <Detail/></Error><RequestId>r</RequestId></ErrorResponse>"
    ));
}
