//! What is written is read by an XML parser of somebody else, and what a form writer of a few lines
//! writes is read back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aws_query::{Member, Model, Parameters, Shape, Source};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

const MODEL: Model = Model::new(
    "http://example.com/",
    &[
        Shape::new(
            "Outer",
            &[
                Member::list("names", "Name"),
                Member::list("entries", "Entry"),
                Member::map("structures", "Structure", "Key", "Value"),
            ],
        ),
        Shape::new(
            "Inner",
            &[
                Member::map("attributes", "Attribute", "Name", "Value"),
                Member::list("numbers", "Number"),
            ],
        ),
    ],
);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Outer {
    text: Option<String>,
    names: Vec<String>,
    entries: Vec<Inner>,
    structures: BTreeMap<String, Inner>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Inner {
    flag: bool,
    attributes: BTreeMap<String, String>,
    numbers: Vec<i64>,
}

/// The characters that XML 1.0 has, those in want of care more often than others.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        prop::sample::select(vec![
            '\t',
            '\n',
            '\r',
            ' ',
            '&',
            '<',
            '>',
            '"',
            '\'',
            ']',
            ';',
            '#',
            '%',
            '+',
            '=',
            '.',
            '\u{7f}',
            '\u{85}',
            '\u{2028}',
            '\u{d7ff}',
            '\u{e000}',
            '\u{fffd}',
            '\u{10000}',
            '\u{10ffff}',
        ]),
        prop::char::any().prop_filter("a character of XML", |&it| is_xml(it)),
    ];
    vec(character, 0..12).prop_map(|characters| characters.into_iter().collect())
}

fn is_xml(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..
    )
}

fn inner() -> impl Strategy<Value = Inner> {
    (
        any::<bool>(),
        btree_map(text(), text(), 0..4),
        vec(any::<i64>(), 0..12),
    )
        .prop_map(|(flag, attributes, numbers)| Inner {
            flag,
            attributes,
            numbers,
        })
}

fn outer() -> impl Strategy<Value = Outer> {
    (
        prop::option::of(text()),
        vec(text(), 0..12),
        vec(inner(), 0..12),
        btree_map(text(), inner(), 0..4),
    )
        .prop_map(|(text, names, entries, structures)| Outer {
            text,
            names,
            entries,
            structures,
        })
}

/// The element children of this name.
fn children<'a>(
    of: roxmltree::Node<'a, 'a>,
    name: &'a str,
) -> impl Iterator<Item = roxmltree::Node<'a, 'a>> {
    of.children().filter(move |child| {
        child.is_element()
            && child.tag_name().namespace() == Some("http://example.com/")
            && child.tag_name().name() == name
    })
}

fn child_text(of: roxmltree::Node<'_, '_>, name: &str) -> Option<String> {
    let child = of
        .children()
        .find(|child| child.is_element() && child.tag_name().name() == name)?;
    Some(child.text().unwrap_or_default().to_owned())
}

fn parse_inner(node: roxmltree::Node<'_, '_>) -> Inner {
    Inner {
        flag: child_text(node, "flag").as_deref() == Some("true"),
        attributes: children(node, "Attribute")
            .map(|entry| {
                let part = |name| child_text(entry, name).expect("a part");
                (part("Name"), part("Value"))
            })
            .collect(),
        numbers: children(node, "Number")
            .map(|number| number.text().expect("a number").parse().expect("a number"))
            .collect(),
    }
}

fn parse(document: &str) -> (Outer, String) {
    let document = roxmltree::Document::parse(document).expect("well-formed XML");
    let root = document.root_element();
    assert!(root.has_tag_name(("http://example.com/", "DoResponse")));
    let result = children(root, "DoResult").next().expect("a result");
    let metadata = children(root, "ResponseMetadata").next().expect("metadata");
    let outer = Outer {
        text: child_text(result, "text"),
        names: children(result, "Name")
            .map(|name| name.text().unwrap_or_default().to_owned())
            .collect(),
        entries: children(result, "Entry").map(parse_inner).collect(),
        structures: children(result, "Structure")
            .map(|entry| {
                let value = children(entry, "Value").next().expect("a value");
                (child_text(entry, "Key").expect("a key"), parse_inner(value))
            })
            .collect(),
    };
    (outer, child_text(metadata, "RequestId").expect("an id"))
}

/// A form, written without a table.
#[derive(Default)]
struct Form(Vec<(String, String)>);

impl Form {
    fn add(&mut self, name: impl Into<String>, value: &impl ToString) {
        self.0.push((name.into(), value.to_string()));
    }

    fn add_inner(&mut self, prefix: &str, inner: &Inner) {
        self.add(format!("{prefix}.flag"), &inner.flag);
        for (n, (name, value)) in (1..).zip(&inner.attributes) {
            self.add(format!("{prefix}.Attribute.{n}.Name"), name);
            self.add(format!("{prefix}.Attribute.{n}.Value"), value);
        }
        for (n, number) in (1..).zip(&inner.numbers) {
            self.add(format!("{prefix}.Number.{n}"), number);
        }
    }

    fn of(outer: &Outer) -> Form {
        let mut form = Form::default();
        if let Some(text) = &outer.text {
            form.add("text", text);
        }
        for (n, name) in (1..).zip(&outer.names) {
            form.add(format!("Name.{n}"), name);
        }
        for (n, inner) in (1..).zip(&outer.entries) {
            form.add_inner(&format!("Entry.{n}"), inner);
        }
        for (n, (key, inner)) in (1..).zip(&outer.structures) {
            form.add(format!("Structure.{n}.Key"), key);
            form.add_inner(&format!("Structure.{n}.Value"), inner);
        }
        form
    }

    fn encode(&self, space: &str) -> String {
        let mut out = String::new();
        for (name, value) in &self.0 {
            if !out.is_empty() {
                out.push('&');
            }
            percent(&mut out, name, space);
            out.push('=');
            percent(&mut out, value, space);
        }
        out
    }
}

fn percent(out: &mut String, text: &str, space: &str) {
    for byte in text.bytes() {
        match byte {
            b' ' => out.push_str(space),
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            other => write!(out, "%{other:02X}").expect("a string takes it"),
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_by_an_xml_parser(outer in outer(), id in text()) {
        let document = MODEL.write("Do", Some(&outer), &id).expect("a shape that can be written");
        prop_assert_eq!(parse(&document), (outer, id));
    }

    #[test]
    fn an_error_is_read_by_an_xml_parser(code in text(), message in text(), id in text()) {
        let document = MODEL.write_error("Sender", &code, &message, &id);
        let document = roxmltree::Document::parse(&document).expect("well-formed XML");
        let root = document.root_element();
        let error = children(root, "Error").next().expect("an error");
        prop_assert_eq!(child_text(error, "Type"), Some("Sender".to_owned()));
        prop_assert_eq!(child_text(error, "Code"), Some(code));
        prop_assert_eq!(child_text(error, "Message"), Some(message));
        prop_assert_eq!(child_text(error, "Detail"), Some(String::new()));
        prop_assert_eq!(child_text(root, "RequestId"), Some(id));
    }

    /// Also with characters that XML does not have, whose place shows.
    #[test]
    fn any_text_makes_a_document(text in any::<String>()) {
        let document = MODEL.write_error("Sender", "C", &text, "id");
        let document = roxmltree::Document::parse(&document).expect("well-formed XML");
        let error = children(document.root_element(), "Error").next().expect("an error");
        let replaced = text.replace(|it| !is_xml(it), "\u{fffd}");
        prop_assert_eq!(child_text(error, "Message"), Some(replaced));
    }

    #[test]
    fn a_form_is_read_whatever_its_order(outer in outer(), seed in any::<u64>()) {
        let mut form = Form::of(&outer);
        shuffle(&mut form.0, seed);
        let (body, query) = (form.encode("+"), form.encode("%20"));
        for source in [Source::Form(body.as_bytes()), Source::Query(query.as_bytes())] {
            let parameters = Parameters::parse([source]).expect("a form");
            prop_assert_eq!(MODEL.read::<Outer>(&parameters), Ok(outer.clone()));
        }
    }

    /// Whatever comes is read or refused in bounded words.
    #[test]
    fn nothing_panics(form in vec(piece(), 0..40)) {
        let form = form.concat();
        match Parameters::parse([Source::Form(form.as_bytes())]) {
            Ok(parameters) => if let Err(error) = MODEL.read::<Outer>(&parameters) {
                prop_assert!(error.to_string().len() < 1024, "{}", error);
            },
            Err(error) => prop_assert!(error.to_string().len() < 1024, "{}", error),
        }
    }
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "&",
        "=",
        ".",
        "1",
        "2",
        "0",
        "%41",
        "%",
        "text",
        "Name",
        "names",
        "Entry",
        "Structure",
        "Key",
        "Value",
        "Attribute",
        "Number",
        "flag",
        "true",
        "\u{e9}",
    ])
}

fn shuffle<T>(list: &mut [T], mut seed: u64) {
    for end in (1..list.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = usize::try_from(seed >> 33).expect("31 bits") % (end + 1);
        list.swap(end, at);
    }
}
