//! From a line to a step.

/// One line: the words of what to do, and what must come of it.
pub(crate) struct Step {
    pub(crate) verb: String,
    /// What follows the verb, as it stands (for JSON).
    pub(crate) rest: String,
    /// The same, as words; quotes are taken off.
    pub(crate) words: Vec<String>,
    pub(crate) expected: Expected,
}

pub(crate) enum Expected {
    /// Any success.
    Success,
    /// This, and a success.
    Answer(String),
    Error {
        code: String,
        message: Option<String>,
    },
}

impl Step {
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let (action, expected) = match line.split_once(" -> ") {
            Some((action, expected)) => (action, Expected::parse(expected.trim())),
            None => (line, Expected::Success),
        };
        let (verb, rest) = action.trim().split_once(' ').unwrap_or((action.trim(), ""));
        Ok(Self {
            verb: verb.to_owned(),
            rest: rest.trim().to_owned(),
            words: words(rest)?.iter().flat_map(|word| expand(word)).collect(),
            expected,
        })
    }

    /// The words that are no options.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.words
            .iter()
            .map(String::as_str)
            .filter(|word| !word.contains('='))
    }

    pub(crate) fn options(&self) -> Options<'_> {
        Options(options(&self.words))
    }

    /// The names, each with the options that follow it: in `A B delay=5 C`, A and B share one.
    pub(crate) fn entries(&self) -> Vec<(&str, Options<'_>)> {
        let is_option = |word: &String| word.contains('=');
        self.words
            .chunk_by(|word, next| !is_option(word) || is_option(next))
            .flat_map(|group| {
                let names = group.iter().filter(|word| !is_option(word));
                names.map(|name| (name.as_str(), Options(options(group))))
            })
            .collect()
    }
}

/// Options `name=value`.
#[derive(Clone)]
pub(crate) struct Options<'a>(pub(crate) Vec<(&'a str, &'a str)>);

impl Options<'_> {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find_map(|(option, value)| (*option == name).then_some(*value))
    }

    pub(crate) fn number(&self, name: &str) -> Option<i32> {
        self.text(name).map(|value| {
            value
                .parse()
                .unwrap_or_else(|_| panic!("{name}={value}: not a number"))
        })
    }
}

fn options(words: &[String]) -> Vec<(&str, &str)> {
    words
        .iter()
        .filter_map(|word| word.split_once('='))
        .collect()
}

impl Expected {
    fn parse(text: &str) -> Self {
        let Some(error) = text.strip_prefix("error ") else {
            return Self::Answer(text.to_owned());
        };
        match error.split_once(": ") {
            Some((code, message)) => Self::Error {
                code: code.to_owned(),
                message: Some(message.to_owned()),
            },
            None => Self::Error {
                code: error.to_owned(),
                message: None,
            },
        }
    }
}

/// What `A1..A3` stands for: A1, A2 and A3. Any other word stands for itself.
fn expand(word: &str) -> Vec<String> {
    let numbered = |name: &str| {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[prefix.len()..].parse().ok()?;
        Some((prefix.to_owned(), number))
    };
    if let Some((first, last)) = word.split_once("..")
        && let (Some((prefix, first)), Some((same, last))) = (numbered(first), numbered(last))
        && prefix == same
    {
        return (first..=last)
            .map(|number| format!("{prefix}{number}"))
            .collect();
    }
    vec![word.to_owned()]
}

/// The same for every word of a text.
pub(crate) fn expand_all(text: &str) -> String {
    let words: Vec<_> = text.split(' ').flat_map(expand).collect();
    words.join(" ")
}

/// Splits at blanks outside quotes. A single quote opens only where a value begins.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = None;
    let mut quote = None;
    let begins = |word: Option<&str>| word.is_none_or(|word| word.ends_with('='));
    for c in text.chars() {
        match c {
            _ if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() && (c == '"' || begins(word.as_deref())) => {
                quote = Some(c);
                word.get_or_insert_with(String::new);
            }
            ' ' if quote.is_none() => words.extend(word.take()),
            _ => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    if quote.is_some() {
        Err(format!("a quote is not closed: {text}"))
    } else {
        Ok(words)
    }
}
