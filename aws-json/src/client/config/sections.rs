//! The format of AWS's shared files, read into sections. What a line may be is AWS's own
//! ("Shared config and credentials files" of the AWS SDKs and Tools Reference Guide), and so are
//! the words for what is wrong with one.

use std::path::Path;
use std::sync::Arc;

use super::ConfigError;

/// Which of the two files. Profiles are called differently in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// `~/.aws/config`.
    Config,
    /// `~/.aws/credentials`.
    Credentials,
}

/// A section with its properties, in the order of the file.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) heading: Heading,
    pub(super) properties: Vec<(String, Property)>,
}

/// What stands between the brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    Profile(String),
    /// `[default]` in the configuration file, which counts only without a `[profile default]`.
    BareDefault,
    Services(String),
    SsoSession(String),
    /// Anything else: it means nothing, and what is in it neither.
    Other,
}

/// The value of a property and where it stands. It may be a secret, so there is no `Debug` of it
/// here: [`Profile`](super::Profile) shows names only.
#[derive(Clone)]
pub(super) struct Property {
    pub(super) value: String,
    pub(super) path: Arc<Path>,
    pub(super) line: usize,
}

impl std::fmt::Debug for Property {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}", self.path.display(), self.line)
    }
}

impl Property {
    /// The value of a property inside this one, as `services` sections have them.
    pub(super) fn nested(&self, name: &str) -> Option<&str> {
        let lines = self.value.strip_prefix('\n')?.lines();
        // As everywhere in these files, the last one counts.
        let mut pairs = lines.rev().filter_map(|line| line.split_once('='));
        let named = pairs.find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.trim())
    }
}

/// Reads a file.
pub(super) fn sections(
    text: &str,
    kind: FileKind,
    path: &Arc<Path>,
) -> Result<Vec<Section>, ConfigError> {
    let mut sections: Vec<Section> = Vec::new();
    // Some editors begin a file with a mark of its byte order.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with(COMMENT) {
            continue;
        }
        let refuse = |problem: &str| ConfigError::line(path, number, problem);
        if line.starts_with('[') {
            let heading = heading(line, kind).ok_or(refuse(
                "Profile definition must end with ']', as in [default]",
            ))?;
            let properties = Vec::new();
            sections.push(Section {
                heading,
                properties,
            });
            continue;
        }
        let section = sections.last_mut().ok_or(refuse(
            "Expected a profile definition, as in [default], before anything else",
        ))?;
        if line.starts_with(BLANK) {
            let (_, property) = section.properties.last_mut().ok_or(refuse(
                "Expected a property definition, found continuation: a line that begins with \
                 blanks goes on with the one before",
            ))?;
            proceed(&mut property.value, line.trim()).map_err(|problem| refuse(&problem))?;
        } else {
            let (name, value) = pair(without_comment(line), "property", "Property")
                .map_err(|problem| refuse(&problem))?;
            let property = Property {
                value: value.to_owned(),
                path: Arc::clone(path),
                line: number,
            };
            section
                .properties
                .push((name.to_ascii_lowercase(), property));
        }
    }
    Ok(sections)
}

/// Whether a name may be a profile's or a property's. What has another is passed over.
pub(super) fn is_name(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_-/.%@:+".contains(&byte);
    !text.is_empty() && text.bytes().all(is_legal)
}

const COMMENT: [char; 2] = ['#', ';'];
const BLANK: [char; 2] = [' ', '\t'];

/// What a line between brackets says, or none if it has no closing one.
fn heading(line: &str, kind: FileKind) -> Option<Heading> {
    let line = line.split(COMMENT).next().unwrap_or_default().trim_end();
    let text = line.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (word, name) = match text.split_once(BLANK) {
        Some((word, name)) => (word, Some(name.trim())),
        None => (text, None),
    };
    if name.is_some_and(|name| !is_name(name)) || !is_name(word) {
        return Some(Heading::Other);
    }
    Some(match (kind, word, name) {
        (FileKind::Credentials, name, None) | (FileKind::Config, "profile", Some(name)) => {
            Heading::Profile(name.to_owned())
        }
        (FileKind::Config, "default", None) => Heading::BareDefault,
        (FileKind::Config, "services", Some(name)) => Heading::Services(name.to_owned()),
        (FileKind::Config, "sso-session", Some(name)) => Heading::SsoSession(name.to_owned()),
        (FileKind::Credentials, _, Some(_)) | (FileKind::Config, _, Some(_) | None) => {
            Heading::Other
        }
    })
}

/// Goes on with a value. One that began empty has properties inside it.
fn proceed(value: &mut String, line: &str) -> Result<(), String> {
    if value.is_empty() || value.starts_with('\n') {
        // AWS's format knows no comment here; its Python tools do, and no name begins so.
        if line.starts_with(COMMENT) {
            return Ok(());
        }
        pair(line, "sub-property", "Sub-property")?;
    }
    value.push('\n');
    value.push_str(line);
    Ok(())
}

/// The two sides of the first equals sign.
fn pair<'a>(line: &'a str, what: &str, subject: &str) -> Result<(&'a str, &'a str), String> {
    let (name, value) = line
        .split_once('=')
        .ok_or_else(|| format!("Expected an '=' sign defining a {what}, as in name = value"))?;
    match name.trim() {
        "" => Err(format!("{subject} did not have a name before its '='")),
        name => Ok((name, value.trim())),
    }
}

/// A line up to a comment, which stands after a blank.
fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, &str)| line[..*at].ends_with(BLANK);
    let end = line.match_indices(COMMENT).find(begins);
    end.map_or(line, |(at, _)| &line[..at])
}
