//! Taking a TOML document apart, so that every mistake in it is found at once, with its place.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::nearest;

/// How much of a value is repeated in an error, in characters.
const SHOWN_CHARS_MAX: usize = 60;

/// A mistake: where it begins, in bytes, under which key, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mistake {
    pub(super) offset: usize,
    pub(super) path: String,
    pub(super) message: String,
}

/// The mistakes that have been found so far.
#[derive(Debug, Default)]
pub(super) struct Mistakes(RefCell<Vec<Mistake>>);

impl Mistakes {
    pub(super) fn add(&self, place: &Place, message: impl Into<String>) {
        self.0.borrow_mut().push(Mistake {
            offset: place.offset,
            path: place.path.clone(),
            message: message.into(),
        });
    }

    /// All of them, in the order of the file.
    pub(super) fn into_sorted(self) -> Vec<Mistake> {
        let mut mistakes = self.0.into_inner();
        mistakes.sort();
        mistakes
    }
}

/// Where something stands in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) path: String,
}

impl Place {
    pub(super) fn root(offset: usize) -> Self {
        let path = String::new();
        Self { offset, path }
    }

    fn key(&self, key: &str, span: &Range<usize>) -> Self {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let key: String = if !key.is_empty() && key.chars().all(plain) {
            shown(key)
        } else {
            format!("{:?}", shown(key))
        };
        let path = match self.path.as_str() {
            "" => key,
            path => format!("{path}.{key}"),
        };
        Self {
            offset: span.start,
            path,
        }
    }

    fn element(&self, number: usize, span: &Range<usize>) -> Self {
        Self {
            offset: span.start,
            path: format!("{}[{number}]", self.path),
        }
    }
}

/// A table of which keys are taken one after the other.
pub(super) struct Table<'a, 'm> {
    pub(super) place: Place,
    entries: DeTable<'a>,
    known: Vec<&'static str>,
    mistakes: &'m Mistakes,
}

impl<'a, 'm> Table<'a, 'm> {
    pub(super) fn new(place: Place, entries: DeTable<'a>, mistakes: &'m Mistakes) -> Self {
        let known = Vec::new();
        Self {
            place,
            entries,
            known,
            mistakes,
        }
    }

    /// The value of a key, which counts as known from now on.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Entry<'a, 'm>> {
        self.known.push(key);
        let (name, value) = self.entries.remove_entry(key)?;
        Some(self.entry(&name, value))
    }

    /// The value of a key that must be there.
    pub(super) fn need(&mut self, key: &'static str) -> Option<Entry<'a, 'm>> {
        let found = self.take(key);
        if found.is_none() {
            self.wrong(format!("`{key}` is missing"));
        }
        found
    }

    /// All keys, whatever they are.
    pub(super) fn all(self) -> Vec<(String, Entry<'a, 'm>)> {
        let Self {
            place,
            entries,
            mistakes,
            ..
        } = self;
        let entry = |(name, value): (Spanned<_>, Spanned<DeValue<'a>>)| {
            let text: &std::borrow::Cow<'a, str> = name.get_ref();
            let place = place.key(text, &name.span());
            let entry = Entry {
                place,
                value: value.into_inner(),
                mistakes,
            };
            (name.into_inner().into_owned(), entry)
        };
        entries.into_iter().map(entry).collect()
    }

    /// Whatever was not taken is a mistake.
    pub(super) fn finish(self) {
        let known = self.known.clone();
        for (name, entry) in self.all() {
            entry.wrong(match nearest(&name, known.iter().copied()) {
                Some(meant) => format!("unknown key; perhaps `{meant}` is meant"),
                None => format!("unknown key; known here are {}", listed(&known)),
            });
        }
    }

    pub(super) fn wrong(&self, message: impl Into<String>) {
        self.mistakes.add(&self.place, message);
    }

    /// A mistake in a part of the table, or in the table as a whole.
    pub(super) fn wrong_at(&self, place: Option<&Place>, message: impl Into<String>) {
        self.mistakes.add(place.unwrap_or(&self.place), message);
    }

    fn entry(
        &self,
        name: &Spanned<std::borrow::Cow<'a, str>>,
        value: Spanned<DeValue<'a>>,
    ) -> Entry<'a, 'm> {
        Entry {
            place: self.place.key(name.get_ref(), &name.span()),
            value: value.into_inner(),
            mistakes: self.mistakes,
        }
    }
}

/// The value of a key, or an element of an array.
pub(super) struct Entry<'a, 'm> {
    pub(super) place: Place,
    pub(super) value: DeValue<'a>,
    mistakes: &'m Mistakes,
}

impl<'a, 'm> Entry<'a, 'm> {
    pub(super) fn wrong(&self, message: impl Into<String>) {
        self.mistakes.add(&self.place, message);
    }

    /// Says what type is wanted; the value is not repeated, since it may be a secret.
    fn wrong_type(&self, wanted: &str) {
        let found = match &self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.wrong(format!("it is {found}; it must be {wanted}"));
    }

    pub(super) fn string(self) -> Option<String> {
        match self.value {
            DeValue::String(text) => Some(text.into_owned()),
            _ => {
                self.wrong_type("a string");
                None
            }
        }
    }

    pub(super) fn boolean(self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(value),
            _ => {
                self.wrong_type("true or false");
                None
            }
        }
    }

    /// A whole number in this range. `form` says what the range is.
    pub(super) fn integer<T>(self, range: RangeInclusive<T>, form: &str) -> Option<T>
    where
        T: TryFrom<i128> + PartialOrd,
    {
        let DeValue::Integer(number) = &self.value else {
            self.wrong_type(form);
            return None;
        };
        let value = i128::from_str_radix(number.as_str(), number.radix()).ok();
        let value = value.and_then(|value| T::try_from(value).ok());
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            self.wrong(format!("it is {number}; it must be {form}"));
        }
        value
    }

    /// A number of seconds, whole or not.
    pub(super) fn seconds(self, form: &str) -> Option<f64> {
        let value = match &self.value {
            DeValue::Integer(number) => number.to_string().parse::<f64>().ok(),
            DeValue::Float(number) => number.to_string().parse().ok(),
            _ => {
                self.wrong_type(form);
                return None;
            }
        };
        let value = value.filter(|value| value.is_finite());
        if value.is_none() {
            self.wrong(format!("it must be {form}"));
        }
        value
    }

    /// A string that means something. It is repeated if it does not.
    pub(super) fn parsed<T: FromStr>(self, form: &str) -> Option<T> {
        let DeValue::String(text) = &self.value else {
            self.wrong_type(form);
            return None;
        };
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.wrong(format!("it is {:?}; it must be {form}", shown(text)));
        }
        parsed
    }

    pub(super) fn table(self) -> Option<Table<'a, 'm>> {
        match self.value {
            DeValue::Table(entries) => Some(Table::new(self.place, entries, self.mistakes)),
            _ => {
                self.wrong_type("a table");
                None
            }
        }
    }

    /// The elements of an array.
    pub(super) fn elements(self) -> Vec<Entry<'a, 'm>> {
        match self.value {
            DeValue::Array(elements) => {
                let element = |(number, element): (usize, Spanned<DeValue<'a>>)| Entry {
                    place: self.place.element(number, &element.span()),
                    value: element.into_inner(),
                    mistakes: self.mistakes,
                };
                elements.into_iter().enumerate().map(element).collect()
            }
            _ => {
                self.wrong_type("an array");
                Vec::new()
            }
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

fn listed(keys: &[&'static str]) -> String {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.join(", ")
}
