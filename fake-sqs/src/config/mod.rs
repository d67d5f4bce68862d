//! The configuration file: everything about a server in one TOML document.
//!
//! A document is checked as a whole, and every mistake in it is told at once, each with its line,
//! its column and its key. What is to become of queues is asked of the engine itself.

mod document;
mod queues;
mod reader;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::settings::Settings;

/// How large a configuration file may be, in bytes: 64 MiB. It is read into memory whole.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How alike two names are of which one may be meant for the other, from 0 to 1.
const ALIKE_MIN: f64 = 0.6;

/// Longest name that others are compared with, in bytes. It is longer than all that there are, and
/// comparing takes time and memory for each byte of it.
const COMPARED_BYTES_MAX: usize = 100;

/// A server as a TOML document describes it, for
/// [`Builder::configuration`](crate::Builder::configuration).
///
/// Every key may be left out, and means then what it means without a file. What is given to the
/// builder itself wins over the document.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fake_sqs::{Configuration, FakeSqs};
///
/// let configuration = Configuration::parse(
///     "fake-sqs.toml",
///     r#"
///     relaxed = true
///
///     [[credentials]]
///     access_key_id = "AKIDORDERS"
///     secret_access_key = "its secret"
///
///     [[queues]]
///     name = "orders"
///     attributes = { VisibilityTimeout = 5 }
///     dead_letter = { queue = "orders-dead", max_receive_count = 3 }
///     messages = [{ body = "the first order" }]
///
///     [[queues]]
///     name = "orders-dead"
///     "#,
/// )?;
/// let sqs = FakeSqs::builder().configuration(configuration).start().await?;
/// assert_eq!(sqs.credentials().access_key_id(), "AKIDORDERS");
///
/// let wrong = Configuration::parse("wrong.toml", "relaxd = true\nseed = -1\n");
/// assert_eq!(
///     wrong.unwrap_err().to_string(),
///     "wrong.toml:1:1: relaxd: unknown key; perhaps `relaxed` is meant\n\
///      wrong.toml:2:1: seed: it is -1; it must be a whole number from 0 to 18446744073709551615",
/// );
/// # Ok(())
/// # }
/// ```
///
/// # Keys
///
/// | key | value | meaning |
/// |---|---|---|
/// | `listen` | `"127.0.0.1:9324"` | where to listen; port 0 takes a free one |
/// | `log` | `"info"` | what the program logs: off, error, warn, info, debug or trace |
/// | `seed` | a whole number | what ids and receipt handles follow from |
/// | `relaxed` | `true` or `false` | whether the two 60-second rules are off |
/// | `auto_create` | `true` or `false` | whether missing queues are created at first use |
/// | `cors` | `true` or `false` | whether pages of other origins may call SQS |
/// | `control_hosts` | an array of names | further `Host` names for the control interface |
/// | `account` | `"000000000000"` | of credentials and queues that name none |
/// | `region` | `"us-east-1"` | of queues that name none, and what [`FakeSqs::region`](crate::FakeSqs::region) gives |
/// | `credentials` | an array of tables | `access_key_id`, `secret_access_key`; optional `session_token`, `account` |
/// | `data_dir` | a path | where the state is kept |
/// | `limits` | a table | `in_flight_standard`, `in_flight_fifo`, `connections`, `journal_requests`, `journal_bytes` |
/// | `clock` | a table | `start` (an offset date-time) or `offset_seconds`; `frozen` |
/// | `queues` | an array of tables | `name`; optional `account`, `region`, `attributes`, `tags`, `dead_letter`, `messages` |
/// | `faults` | an array of tables | what `POST /_fake/faults` takes, as `{ action = "SendMessage", times = 3, fault = { kind = "throttle" } }` |
///
/// `attributes` are those of CreateQueue, by SQS's names; numbers and booleans need no quotes, and
/// a table stands for its JSON. `dead_letter` is `{ queue = "name", max_receive_count = 3 }`, a queue
/// of the file in the same account and region. Each of `messages` has a `body`, and optionally
/// `attributes`, `group_id`, `deduplication_id` and `delay_seconds`; an attribute is a string, a
/// number, or `{ type = "Binary", value = "…" }`, where the value of a `Binary` is in base64.
#[derive(Clone, Debug, Default)]
#[must_use = "a configuration does nothing until it is given to a builder"]
pub struct Configuration {
    pub(crate) settings: Settings,
    log: Option<String>,
}

impl Configuration {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// [`ConfigurationError`] when the file cannot be read, is not UTF-8 or longer than 64 MiB, and
    /// when anything in it is wrong.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigurationError> {
        let path = path.as_ref();
        match read(path) {
            Ok(text) => Self::parse(&path.display().to_string(), &text),
            Err(source) => Err(ConfigurationError::Unreadable {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// Checks a document. `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// [`ConfigurationError`] when anything in it is wrong. It lists everything that is.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigurationError> {
        document::read(text).map_err(|mistakes| {
            let lines = Lines::new(text);
            let problem = |mistake: reader::Mistake| {
                let (line, column) = lines.place(mistake.offset);
                Problem {
                    file: name.to_owned(),
                    line,
                    column,
                    key: mistake.path,
                    message: mistake.message,
                }
            };
            ConfigurationError::Wrong(mistakes.into_iter().map(problem).collect())
        })
    }

    /// Where to listen, if the document says it.
    #[must_use]
    pub fn listen(&self) -> Option<SocketAddr> {
        self.settings.listen
    }

    /// What to log, if the document says it: `off`, `error`, `warn`, `info`, `debug` or `trace`.
    /// Only the program does: in a test, logging is the test's.
    #[must_use]
    pub fn log(&self) -> Option<&str> {
        self.log.as_deref()
    }

    /// Whether the document has credentials of its own.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        !self.settings.credentials.is_empty()
    }

    /// How many queues the document declares.
    #[must_use]
    pub fn queue_count(&self) -> usize {
        self.settings.queues.len()
    }
}

/// Why a configuration cannot be used. No secret is in it.
///
/// It displays as a line for each problem, with the file, line and column in front.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// The file is not there, or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The document has mistakes: these, in their order, and at least one.
    #[error("{}", lines(.0))]
    Wrong(Vec<Problem>),
}

/// A mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What the document was called.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The key, like `queues[0].attributes.DelaySeconds`; empty for the document as a whole.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            key,
            message,
        } = self;
        write!(f, "{file}:{line}:{column}: ")?;
        match key.as_str() {
            "" => f.write_str(message),
            key => write!(f, "{key}: {message}"),
        }
    }
}

/// The name that may be meant by one that is none, if there is any.
pub(crate) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let alike = known.map(|known| {
        let alike = strsim::normalized_damerau_levenshtein(&name, &known.to_ascii_lowercase());
        (alike, known)
    });
    let (alike, nearest) = alike.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (alike >= ALIKE_MIN).then_some(nearest)
}

fn read(path: &Path) -> io::Result<String> {
    use std::io::Read;

    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        let message = format!("it is longer than {FILE_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(text)
}

fn lines(problems: &[Problem]) -> String {
    let lines = problems.iter().map(Problem::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

/// Where the lines of a text begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(after.map(|(offset, _)| offset + 1));
        Self {
            text,
            starts: starts.collect(),
        }
    }

    /// Line and column of a byte, each counted from 1.
    fn place(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        (line, self.text[start..offset].chars().count() + 1)
    }
}
