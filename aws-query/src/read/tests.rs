use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Deserialize;

use super::*;
use crate::{Shape, Source};

const MODEL: Model = Model::new(
    "http://example.com/",
    &[
        Shape::new(
            "All",
            &[
                Member::list("Names", "Name"),
                Member::list("Entries", "Entry"),
                Member::list("Numbers", "Number"),
                Member::map("Attributes", "Attribute", "Name", "Value"),
                Member::map("Tags", "Tag", "Key", "Value"),
                Member::map("Structures", "Structure", "Name", "Value"),
                Member::renamed("Old", "New"),
            ],
        ),
        Shape::new("Entry", &[Member::list("Names", "Name")]),
        Shape::new("Deep", &[Member::list("Deeper", "D")]),
    ],
);

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct All {
    text: Option<String>,
    count: Option<i32>,
    byte: Option<u8>,
    big: Option<u64>,
    share: Option<f64>,
    flag: Option<bool>,
    color: Option<Color>,
    letter: Option<char>,
    wrapped: Option<Wrapped>,
    old: Option<String>,
    inner: Option<Entry>,
    names: Option<Vec<String>>,
    numbers: Option<Vec<i32>>,
    entries: Option<Vec<Entry>>,
    attributes: Option<BTreeMap<String, String>>,
    tags: Option<BTreeMap<String, Option<String>>>,
    structures: Option<BTreeMap<String, Entry>>,
    unmapped_list: Option<Vec<String>>,
    unmapped_map: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Entry {
    id: Option<String>,
    names: Option<Vec<String>>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Color {
    Red,
    Blue,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapped(i64);

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Required {
    id: String,
    inner: Option<Box<Required>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Deep {
    deeper: Vec<Deep>,
}

fn read<T: DeserializeOwned>(form: &str) -> Result<T, ReadError> {
    let parameters = Parameters::parse([Source::Form(form.as_bytes())])?;
    MODEL.read(&parameters)
}

fn all(form: &str) -> All {
    read(form).unwrap_or_else(|error| panic!("{form}: {error}"))
}

fn refused(form: &str) -> ReadError {
    read::<All>(form).expect_err(form)
}

fn entry(id: &str) -> Entry {
    Entry {
        id: Some(id.into()),
        names: None,
    }
}

fn text(of: &[&str]) -> Option<Vec<String>> {
    Some(of.iter().map(|&it| it.to_owned()).collect())
}

#[track_caller]
fn assert_says(form: &str, parameter: &str, words: &str) {
    let error = refused(form);
    assert_eq!(error.parameter(), Some(parameter), "{form}: {error}");
    assert!(error.to_string().contains(words), "{form}: {error}");
    assert!(error.to_string().contains(parameter), "{form}: {error}");
}

#[test]
fn what_is_absent_stays_absent_and_what_is_unknown_is_ignored() {
    assert_eq!(all(""), All::default());
    assert_eq!(
        all("Action=A&Unknown=1&Unknown.1.Name=2&text=3&=4&.=5"),
        All::default()
    );
    assert_eq!(
        all("Text="),
        All {
            text: Some(String::new()),
            ..All::default()
        }
    );
}

#[test]
fn texts_numbers_and_booleans() {
    let form = "Text=+a%0Ab+&Count=-2147483648&Byte=255&Big=18446744073709551615&Share=0.5\
                &Flag=true&Color=Blue&Letter=%C3%A9&Wrapped=-9&New=n";
    let expected = All {
        text: Some(" a\nb ".into()),
        count: Some(i32::MIN),
        byte: Some(255),
        big: Some(u64::MAX),
        share: Some(0.5),
        flag: Some(true),
        color: Some(Color::Blue),
        letter: Some('\u{e9}'),
        wrapped: Some(Wrapped(-9)),
        old: Some("n".into()),
        ..All::default()
    };
    assert_eq!(all(form), expected);
    assert_eq!(all("Count=%2B5&Flag=false").count, Some(5));
    assert_eq!(all("Count=007").count, Some(7));
}

#[test]
fn a_value_that_is_none_of_its_kind_is_refused_with_what_would_be_right() {
    for (form, parameter, words) in [
        (
            "Count=abc",
            "Count",
            "\"abc\" is not an integer from -2147483648 to 2147483647",
        ),
        ("Count=", "Count", "\"\" is not an integer"),
        ("Count=1.0", "Count", "not an integer"),
        ("Count=+1", "Count", "\" 1\" is not an integer"),
        ("Count=0x1", "Count", "not an integer"),
        (
            "Count=2147483648",
            "Count",
            "2147483648 is not in the range from -2147483648 to 2147483647",
        ),
        ("Count=-2147483649", "Count", "not in the range"),
        ("Byte=256", "Byte", "from 0 to 255"),
        ("Byte=-1", "Byte", "from 0 to 255"),
        ("Share=x", "Share", "\"x\" is not a number"),
        ("Flag=True", "Flag", "\"True\" is neither true nor false"),
        ("Flag=1", "Flag", "neither true nor false"),
        (
            "Color=Green",
            "Color",
            "unknown variant `Green`, expected `Red` or `Blue`",
        ),
        ("Letter=ab", "Letter", "a character"),
        ("Number.3=x", "Number.3", "not an integer"),
    ] {
        assert_says(form, parameter, words);
    }
    let long = refused(&format!("Count={}", "9".repeat(5000)));
    assert!(long.to_string().len() < 300, "{long}");
}

#[test]
fn a_lists_entries_come_in_the_order_of_their_numbers() {
    let numbers: Vec<String> = (1..=12).rev().map(|n| format!("Name.{n}=v{n}")).collect();
    let expected: Vec<String> = (1..=12).map(|n| format!("v{n}")).collect();
    assert_eq!(all(&numbers.join("&")).names, Some(expected));
    assert_eq!(
        all("Entry.2.Id=b&Entry.1.Id=a").entries,
        Some(vec![entry("a"), entry("b")])
    );
    let nested = all("Entry.7.Name.2=y&Entry.7.Name.1=x")
        .entries
        .expect("a list");
    assert_eq!(nested[0].names, text(&["x", "y"]));
}

#[test]
fn gaps_are_passed_over() {
    assert_eq!(
        all("Name.2=a&Name.4096=c&Name.30=b").names,
        text(&["a", "b", "c"])
    );
}

#[test]
fn an_index_is_a_number_within_its_bound() {
    for (form, parameter) in [
        ("Name.0=a", "Name.0"),
        ("Name.01=a", "Name.01"),
        ("Name.1=a&Name.4097=b", "Name.4097"),
        ("Name.1000000=a", "Name.1000000"),
        (
            "Name.99999999999999999999999=a",
            "Name.99999999999999999999999",
        ),
        ("Name.-1=a", "Name.-1"),
        ("Name.%2B1=a", "Name.+1"),
        ("Name.=a", "Name."),
        ("Name.1x=a", "Name.1x"),
        ("Name.1=a&Name.1-=b&Name.1.=c", "Name.1-"),
        ("Name.%D9%A1=a", "Name.\u{661}"),
        ("Name.member.1=a", "Name.member"),
        ("Entry.Id=a", "Entry.Id"),
        ("Attribute.entry.1.Name=a", "Attribute.entry"),
        ("Entry.1.Name.x=a", "Entry.1.Name.x"),
    ] {
        assert_eq!(
            refused(form),
            ReadError::Index {
                parameter: parameter.into()
            },
            "{form}"
        );
    }
    assert_eq!(
        refused("Name.0=a").to_string(),
        "the parameter Name.0 must be numbered from 1 to 4096, without leading zeros"
    );
}

#[test]
fn an_empty_list_is_its_name_with_an_empty_value() {
    for form in ["Name=", "Names=", "Name", "Names&Other=1"] {
        assert_eq!(all(form).names, text(&[]), "{form}");
    }
    for form in ["Attribute=", "Attributes="] {
        assert_eq!(all(form).attributes, Some(BTreeMap::new()), "{form}");
    }
    // The member's own name is a name of nothing else.
    assert_eq!(all("Names=a").names, None);
    assert_eq!(all("Names=&Name.1=a").names, text(&["a"]));
    assert_eq!(all("Name.1=").names, text(&[""]));
}

#[test]
fn entries_under_the_members_own_name_are_refused() {
    for (form, parameter, name) in [
        ("Names.1=a", "Names.1", "Name"),
        ("Names.member.1=a", "Names.member.1", "Name"),
        ("Entries.1.Id=a&Entries.2.Id=b", "Entries.1.Id", "Entry"),
        (
            "Attributes.entry.1.key=a",
            "Attributes.entry.1.key",
            "Attribute",
        ),
        ("Entry.3.Names.1=a", "Entry.3.Names.1", "Entry.3.Name"),
    ] {
        let (parameter, name) = (parameter.to_owned(), name.to_owned());
        assert_eq!(
            refused(form),
            ReadError::OtherName { parameter, name },
            "{form}"
        );
    }
    assert_eq!(
        refused("Names.1=a").to_string(),
        "the parameter Names.1 has another name: its entries are called Name.1, Name.2 and so on"
    );
    // Where there are entries by the right name, others are as unknown as any.
    assert_eq!(all("Names.1=a&Name.1=b").names, text(&["b"]));
}

#[test]
fn one_entry_may_have_no_number() {
    assert_eq!(all("Name=All").names, text(&["All"]));
    assert_eq!(
        all("Attribute.Name=Policy&Attribute.Value=").attributes,
        Some([("Policy".into(), String::new())].into())
    );
    assert_eq!(all("Tag.Key=a").tags, Some([("a".into(), None)].into()));
    let structures = all("Structure.Name=s&Structure.Value.Id=i").structures;
    assert_eq!(structures, Some([("s".into(), entry("i"))].into()));
}

#[test]
fn names_that_contradict_each_other_are_refused() {
    for (form, parameter) in [
        ("Name=a&Name.1=b", "Name"),
        ("Name=&Name.1=b", "Name"),
        (
            "Attribute.Name=a&Attribute.Value=b&Attribute.1.Name=c",
            "Attribute",
        ),
        ("Attribute=&Attribute.1.Name=c", "Attribute"),
        ("Text=a&Text.1=b", "Text"),
        ("Count=1&Count.x=b", "Count"),
        ("Inner=a&Inner.Id=b", "Inner"),
        ("Entry.1=a&Entry.1.Id=b", "Entry.1"),
        ("Name.1=a&Name.1.x=b", "Name.1"),
    ] {
        assert_eq!(
            refused(form),
            ReadError::Conflict {
                parameter: parameter.into()
            },
            "{form}"
        );
    }
    assert!(
        refused("Text=a&Text.1=b")
            .to_string()
            .starts_with("the parameter Text conflicts")
    );
}

#[test]
fn a_text_and_a_structure_are_told_apart() {
    assert_says(
        "Text.a=b",
        "Text.a",
        "Text is a text, with no names below it",
    );
    assert_says("Name.1.a=b", "Name.1.a", "Name.1 is a text");
    assert_says(
        "Inner=b",
        "Inner",
        "its members have names of their own, after a dot",
    );
    assert_says("Entry.1=b", "Entry.1", "a structure");
    assert_says("Entry=b", "Entry", "a structure");
    assert_says(
        "Attribute=b",
        "Attribute",
        "give Attribute.1.Name and Attribute.1.Value",
    );
    assert_says(
        "Attribute.1=b",
        "Attribute.1",
        "give Attribute.1.Name and Attribute.1.Value",
    );
}

#[test]
fn a_maps_entries_have_a_key_and_a_value() {
    let form = "Attribute.2.Value=y&Attribute.2.Name=b&Attribute.10.Name=a&Attribute.10.Value=x\
                &Tag.1.Key=k&Tag.1.Value=&Tag.2.Key=n&Attribute.2.Other=ignored";
    let expected = All {
        attributes: Some([("a".into(), "x".into()), ("b".into(), "y".into())].into()),
        tags: Some([("k".into(), Some(String::new())), ("n".into(), None)].into()),
        ..All::default()
    };
    assert_eq!(all(form), expected);
    // Which of a structure's members it misses is the service's to say.
    let without = all("Structure.1.Name=s").structures;
    assert_eq!(without, Some([("s".into(), Entry::default())].into()));
    for (form, parameter) in [
        ("Attribute.1.Name=a", "Attribute.1.Value"),
        ("Attribute.Name=a", "Attribute.Value"),
        ("Attribute.1.Value=a", "Attribute.1.Name"),
        ("Attribute.Value=a", "Attribute.Name"),
        ("Attribute.2.Other=a", "Attribute.2.Name"),
        ("Structure.3.Value.Id=a", "Structure.3.Name"),
    ] {
        assert_eq!(
            refused(form),
            ReadError::Missing {
                parameter: parameter.into()
            },
            "{form}"
        );
    }
    assert_eq!(
        refused("Attribute.1.Name=a").to_string(),
        "the parameter Attribute.1.Value is missing"
    );
}

#[test]
fn a_key_may_be_there_once() {
    let error = refused("Tag.1.Key=a&Tag.1.Value=1&Tag.3.Key=b&Tag.7.Key=a&Tag.7.Value=1");
    let expected = ReadError::DuplicateKey {
        parameter: "Tag.7.Key".into(),
        key: "a".into(),
    };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "the parameter Tag.7.Key repeats the key a; each key of a map may be there once"
    );
}

#[test]
fn a_required_member_that_is_missing_is_named_with_its_path() {
    let missing = |form: &str| read::<Required>(form).expect_err(form);
    assert_eq!(
        missing(""),
        ReadError::Missing {
            parameter: "Id".into()
        }
    );
    let parameter = "Inner.Inner.Id".to_owned();
    assert_eq!(
        missing("Id=a&Inner.Id=b&Inner.Inner.Inner.Id=c"),
        ReadError::Missing { parameter }
    );
}

#[test]
fn names_lead_as_deep_as_they_may() {
    // Each step is a list and an entry of it.
    let form = |steps: usize| format!("{}=", vec!["D.1"; steps].join("."));
    assert_says_deep(&form(MAX_DEPTH / 2 + 1));
    assert_says_deep(&form(100_000));
    let error = read::<Deep>(&form(MAX_DEPTH / 2)).expect_err("a structure has no value");
    assert!(matches!(error, ReadError::Value { .. }), "{error}");
    let fine = format!("{}=", ["D.1"; MAX_DEPTH / 2].join(".") + ".Other");
    assert!(read::<Deep>(&fine).is_ok());
}

#[track_caller]
fn assert_says_deep(form: &str) {
    let error = read::<Deep>(form).expect_err("too deep");
    assert!(matches!(error, ReadError::Depth { .. }), "{error}");
    assert!(error.to_string().contains("deeper than 16"), "{error}");
}

#[test]
fn a_list_or_a_map_that_the_table_does_not_know_is_an_error() {
    assert_says(
        "UnmappedList.1=a",
        "UnmappedList",
        "the table of names does not say so",
    );
    assert_says(
        "UnmappedMap.1.Name=a",
        "UnmappedMap",
        "the table of names does not say so",
    );
}

#[test]
fn as_many_entries_as_there_may_be_are_read_in_order() {
    let form: Vec<String> = (1..=MAX_INDEX).map(|n| format!("Number.{n}={n}")).collect();
    let numbers = all(&form.join("&")).numbers.expect("a list");
    assert_eq!(numbers.len(), MAX_INDEX);
    assert!(numbers.is_sorted());
}
