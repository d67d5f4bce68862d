//! What every shape is held to, for the tests of each family.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Holds a shape to the rules of [`shapes`](super), given JSON that sets each member it has.
///
/// `members` are the shape's members as AWS's model spells them.
pub(super) fn check<T>(members: &[&str], full: &Value)
where
    T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned,
{
    let object = full.as_object().expect("a shape is an object");
    let mut spelt: Vec<_> = object.keys().map(String::as_str).collect();
    let mut expected = members.to_vec();
    spelt.sort_unstable();
    expected.sort_unstable();
    assert_eq!(spelt, expected, "the example must set each member");

    let value: T = read(full);
    assert_eq!(write(&value), *full, "what is read is written again");
    assert_nothing_is_missing(&value);

    assert_eq!(
        read::<T>(&json!({})),
        T::default(),
        "everything may be absent"
    );
    for name in members {
        let mut absent = object.clone();
        absent.remove(*name);
        let mut null = object.clone();
        null.insert((*name).to_owned(), Value::Null);
        assert_eq!(
            read::<T>(&absent.clone().into()),
            read(&null.into()),
            "{name} as null"
        );
        assert_ne!(read::<T>(&absent.into()), value, "{name} is not read");
    }
    assert_unknown_members_are_ignored(object, &value);
}

/// The rule of an input on top of [`check`]: what is absent stays absent, and an empty list or map
/// is told from an absent one.
pub(super) fn check_input<T>(members: &[&str], full: &Value)
where
    T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned,
{
    check::<T>(members, full);
    assert_eq!(
        write(&T::default()),
        json!({}),
        "an input that says nothing is an empty object"
    );
    for (name, member) in full.as_object().expect("a shape is an object") {
        let empty = match member {
            Value::Array(_) => json!({ name: [] }),
            Value::Object(_) => json!({ name: {} }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => continue,
        };
        assert_ne!(read::<T>(&empty), T::default(), "{name} is there, if empty");
        assert_eq!(
            write(&read::<T>(&empty)),
            empty,
            "{name} is there, if empty"
        );
    }
}

/// The rule of an output on top of [`check`]: an empty list or map is left out.
pub(super) fn check_output<T>(members: &[&str], full: &Value)
where
    T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned,
{
    check::<T>(members, full);
    for (name, member) in full.as_object().expect("a shape is an object") {
        let empty = match member {
            Value::Array(_) => json!({ name: [] }),
            Value::Object(_) => json!({ name: {} }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => continue,
        };
        assert_eq!(write(&read::<T>(&empty)).get(name), None, "{name} is empty");
    }
}

/// The rule of an operation without output: it reads what there is and holds nothing of it.
pub(super) fn check_no_output<T>()
where
    T: Debug + Default + PartialEq + Serialize + DeserializeOwned,
{
    assert_eq!(
        read::<T>(&json!({ "Member": [1, { "Of": "tomorrow" }] })),
        T::default()
    );
    assert_eq!(write(&T::default()), json!({}));
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    // Through text, as it comes over the wire.
    let text = value.to_string();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn write<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("shapes can be written")
}

/// A member that the example does not set would show up as `None` or as something empty.
fn assert_nothing_is_missing(value: &impl Debug) {
    let text = format!("{value:?}");
    for missing in ["None", "[]", "{}", "\"\""] {
        assert!(
            !text.contains(missing),
            "a member is not set by the example: {text}"
        );
    }
}

fn assert_unknown_members_are_ignored<T>(object: &Map<String, Value>, value: &T)
where
    T: Debug + PartialEq + DeserializeOwned,
{
    let mut more = object.clone();
    more.insert("OfTomorrow".into(), json!({ "Nested": [1, null, "x"] }));
    for name in object.keys() {
        // AWS's names are case-sensitive, so these are unknown too.
        more.insert(name.to_ascii_uppercase() + "_", json!(false));
        more.insert(name.to_ascii_lowercase() + "_", json!(false));
    }
    assert_eq!(
        read::<T>(&more.into()),
        *value,
        "unknown members are ignored"
    );
}
