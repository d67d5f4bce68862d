//! A form writer and an XML reader that know nothing of [`MODEL`](super::super::MODEL): they go by
//! `names.txt` and by JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// How a member travels.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Names {
    Plain(String),
    List(String),
    Map(String, String, String),
}

/// The lines of `names.txt`, by shape and member.
pub(super) fn names() -> BTreeMap<(String, String), Names> {
    let lines = include_str!("../names.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(line)
        .collect()
}

fn line(line: &str) -> ((String, String), Names) {
    let words: Vec<&str> = line.split(' ').collect();
    let (shape, member) = words[0].split_once('.').expect("a shape and a member");
    let names = match words[1..] {
        [] => Names::Plain(member.into()),
        ["plain", wire] => Names::Plain(wire.into()),
        ["list", wire] => Names::List(wire.into()),
        ["map", wire, key, value] => Names::Map(wire.into(), key.into(), value.into()),
        _ => panic!("{line}"),
    };
    ((shape.into(), member.into()), names)
}

/// Which shape a member's value, or its entries, have; none for texts and numbers.
pub(super) fn shape_of(shape: &str, member: &str) -> Option<&'static str> {
    Some(match (shape, member) {
        ("ReceiveMessageOutput", "Messages") => "Message",
        ("SendMessageBatchInput", "Entries") => "SendMessageBatchRequestEntry",
        ("DeleteMessageBatchInput", "Entries") => "DeleteMessageBatchRequestEntry",
        ("ChangeMessageVisibilityBatchInput", "Entries") => {
            "ChangeMessageVisibilityBatchRequestEntry"
        }
        ("SendMessageBatchOutput", "Successful") => "SendMessageBatchResultEntry",
        ("DeleteMessageBatchOutput", "Successful") => "DeleteMessageBatchResultEntry",
        ("ChangeMessageVisibilityBatchOutput", "Successful") => {
            "ChangeMessageVisibilityBatchResultEntry"
        }
        ("ListMessageMoveTasksOutput", "Results") => "ListMessageMoveTasksResultEntry",
        (_, "Failed") => "BatchResultErrorEntry",
        (_, "MessageAttributes") => "MessageAttributeValue",
        (_, "MessageSystemAttributes") => "MessageSystemAttributeValue",
        _ => return None,
    })
}

/// The parameters of an input.
pub(super) fn form(shape: &str, input: &Value) -> String {
    let mut out = String::new();
    structure(&names(), &mut out, "", shape, input);
    out
}

type Table = BTreeMap<(String, String), Names>;

fn structure(table: &Table, out: &mut String, prefix: &str, shape: &str, input: &Value) {
    for (member, value) in input.as_object().expect("a structure") {
        let inner = shape_of(shape, member);
        let put = |out: &mut String, name: String, value: &Value| match inner {
            Some(shape) => structure(table, out, &(name + "."), shape, value),
            None => pair(out, &name, value),
        };
        match &table[&(shape.to_owned(), member.clone())] {
            Names::Plain(wire) => put(out, format!("{prefix}{wire}"), value),
            Names::List(wire) => {
                for (n, entry) in (1..).zip(value.as_array().expect("a list")) {
                    put(out, format!("{prefix}{wire}.{n}"), entry);
                }
            }
            Names::Map(wire, key_name, value_name) => {
                for (n, (key, value)) in (1..).zip(value.as_object().expect("a map")) {
                    put(out, format!("{prefix}{wire}.{n}.{value_name}"), value);
                    pair(
                        out,
                        &format!("{prefix}{wire}.{n}.{key_name}"),
                        &key.as_str().into(),
                    );
                }
            }
        }
    }
}

fn pair(out: &mut String, name: &str, value: &Value) {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    write!(out, "&{name}=").expect("a string takes it");
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => out.push(char::from(byte)),
            other => write!(out, "%{other:02x}").expect("a string takes it"),
        }
    }
}

/// The JSON of an output's element. Numbers and booleans are told by what they look like, so a text
/// must look like neither.
pub(super) fn json(shape: &str, element: roxmltree::Node<'_, '_>) -> Value {
    output(&names(), shape, element)
}

fn output(table: &Table, shape: &str, element: roxmltree::Node<'_, '_>) -> Value {
    let mut object = Map::new();
    for ((_, member), names) in table.iter().filter(|((of, _), _)| of == shape) {
        let (Names::Plain(wire) | Names::List(wire) | Names::Map(wire, ..)) = names;
        let found: Vec<_> = children(element, wire).collect();
        if found.is_empty() {
            continue;
        }
        let read = |element| match shape_of(shape, member) {
            Some(shape) => output(table, shape, element),
            None => scalar(element),
        };
        let value = match names {
            Names::Plain(_) => read(found[0]),
            Names::List(_) => found.into_iter().map(read).collect(),
            Names::Map(_, key, value) => Value::Object(
                found
                    .into_iter()
                    .map(|entry| {
                        let part = |name| children(entry, name).next().expect("a part");
                        (text(part(key)), read(part(value)))
                    })
                    .collect(),
            ),
        };
        object.insert(member.clone(), value);
    }
    Value::Object(object)
}

fn scalar(element: roxmltree::Node<'_, '_>) -> Value {
    let text = text(element);
    match serde_json::from_str(&text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::String(text),
    }
}

pub(super) fn text(element: roxmltree::Node<'_, '_>) -> String {
    element.text().unwrap_or_default().to_owned()
}

pub(super) fn children<'a, 'i: 'a>(
    of: roxmltree::Node<'a, 'i>,
    name: &str,
) -> impl Iterator<Item = roxmltree::Node<'a, 'i>> {
    of.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}
