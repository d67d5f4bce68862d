//! What an operation puts before the endpoint's host.

use std::error::Error;
use std::fmt;

use super::service::Operation;

/// The longest name of a host.
const HOST_LIMIT: usize = 253;

/// What stands before the endpoint's host for one call, and ends in a dot: `data.`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HostPrefix(String);

impl HostPrefix {
    /// That of an operation with this input, if it has one.
    pub(super) fn of<O: Operation>(input: &O::Input) -> Result<Option<Self>, HostPrefixError> {
        if O::HOST_PREFIX.is_empty() {
            return Ok(None);
        }
        Self::parse(O::HOST_PREFIX, |name| O::host_label(input, name)).map(Some)
    }

    /// Puts labels into the places that a template keeps for them.
    fn parse<'a>(
        template: &str,
        label: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, HostPrefixError> {
        let mut prefix = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or(HostPrefixError::Template)?;
            let value = label(name).unwrap_or_default();
            // By itself, so that a value cannot be several labels, or none.
            if !is_label(value) {
                return Err(HostPrefixError::Label {
                    name: name.to_owned(),
                    value: value.chars().take(VALUE_SHOWN).collect(),
                });
            }
            prefix.push_str(before);
            prefix.push_str(value);
            rest = after;
        }
        prefix.push_str(rest);
        let labels = prefix.strip_suffix('.').unwrap_or_default();
        if labels.split('.').all(is_label) {
            Ok(Self(prefix))
        } else {
            Err(HostPrefixError::Template)
        }
    }

    /// The host with this before it, and a port perhaps behind it.
    pub(super) fn before(&self, host: &str) -> Result<String, HostPrefixError> {
        let whole = format!("{}{host}", self.0);
        let name = whole.split_once(':').map_or(&*whole, |(name, _)| name);
        if name.len() > HOST_LIMIT {
            return Err(HostPrefixError::TooLong);
        }
        Ok(whole)
    }
}

/// How much of a value that is no label is told.
const VALUE_SHOWN: usize = 64;

/// Whether this can be a label of a host's name (RFC 1123, section 2.1).
fn is_label(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=63).contains(&text.len())
        && text.bytes().all(is_legal)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Why there is no such host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostPrefixError {
    /// A member of the input cannot stand in the host's name.
    Label { name: String, value: String },
    /// The operation's prefix cannot be one, whatever is put into it.
    Template,
    /// The whole name is too long.
    TooLong,
}

impl fmt::Display for HostPrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label { name, value } => write!(
                f,
                "{name} becomes part of the host's name, so it must be 1 to 63 letters, digits \
                 and hyphens, with no hyphen at either end, and is {value:?}"
            ),
            Self::Template => f.write_str(
                "the operation's host prefix cannot be one: it is made of labels and of names \
                 in braces, each followed by a dot, as in {AccountId}.data.",
            ),
            Self::TooLong => write!(
                f,
                "the host's name with the operation's prefix is longer than {HOST_LIMIT} bytes"
            ),
        }
    }
}

impl Error for HostPrefixError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(template: &str, value: Option<&'static str>) -> Result<String, HostPrefixError> {
        HostPrefix::parse(template, |name| value.filter(|_| name == "Label")).map(|prefix| prefix.0)
    }

    #[test]
    fn labels_are_put_into_their_places() {
        for (template, prefix) in [
            ("foo.", "foo."),
            ("{Label}.", "bar."),
            ("foo.{Label}.", "foo.bar."),
            ("{Label}-x.{Label}.a-b.", "bar-x.bar.a-b."),
        ] {
            assert_eq!(parse(template, Some("bar")).as_deref(), Ok(prefix));
        }
        let longest: &'static str = "x".repeat(63).leak();
        assert_eq!(parse("{Label}.", Some(longest)), Ok(format!("{longest}.")));
    }

    #[test]
    fn what_is_no_label_is_refused() {
        let long: &'static str = "x".repeat(64).leak();
        for value in [
            "",
            "a.b",
            ".",
            "evil.com/",
            "a:1",
            "a@b",
            "a b",
            "é",
            "-a",
            "a-",
            "a_b",
            "{",
            "\n",
            long,
        ] {
            let error = HostPrefixError::Label {
                name: "Label".to_owned(),
                value: value.to_owned(),
            };
            assert_eq!(parse("{Label}.", Some(value)), Err(error), "{value:?}");
        }
        let error = parse("{Label}.", None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Label becomes part of the host's name, so it must be 1 to 63 letters, digits and \
             hyphens, with no hyphen at either end, and is \"\""
        );
    }

    #[test]
    fn what_is_no_prefix_is_refused() {
        for template in [
            "foo", ".", "foo..", ".foo.", "{Label}", "{Label", "fo o.", "foo/.", "-foo.", "}.",
        ] {
            let result = parse(template, Some("bar"));
            assert_eq!(result, Err(HostPrefixError::Template), "{template:?}");
        }
    }

    #[test]
    fn a_hosts_name_has_an_end() {
        let prefix = HostPrefix::parse("foo.", |_| None).unwrap();
        let host = "x".repeat(HOST_LIMIT - 4);
        assert_eq!(prefix.before(&host), Ok(format!("foo.{host}")));
        assert!(prefix.before(&format!("{host}:65535")).is_ok());
        let error = prefix.before(&format!("{host}x:1")).unwrap_err();
        assert_eq!(error, HostPrefixError::TooLong);
    }
}
