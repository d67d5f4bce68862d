//! What cannot be right in the environment or in a file.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// A setting outside the code that cannot be right: where it stands, what is wrong with it and
/// what would be right.
///
/// ```
/// use aws_json::client::config::Environment;
///
/// let environment = Environment::process();
/// let error = environment.read("/".as_ref()).unwrap_err();
/// assert!(error.to_string().starts_with("/: cannot be read"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    place: Place,
    problem: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Variable(String),
    File(PathBuf),
    Line(PathBuf, usize),
    Profile(String),
}

impl ConfigError {
    /// Something is wrong with a variable. The problem is a half sentence about it (`is "abc";
    /// it must be a number`), and repeats no secret.
    pub(in crate::client) fn variable(name: &str, problem: impl Into<String>) -> Self {
        Self {
            place: Place::Variable(name.to_owned()),
            problem: problem.into(),
        }
    }

    /// Something is wrong with a whole file.
    pub(in crate::client) fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self {
            place: Place::File(path.to_owned()),
            problem: problem.into(),
        }
    }

    /// Something is wrong with a line of a file, from 1.
    pub(in crate::client) fn line(path: &Path, line: usize, problem: impl Into<String>) -> Self {
        Self {
            place: Place::Line(path.to_owned(), line),
            problem: problem.into(),
        }
    }

    /// Something is missing in a profile.
    pub(in crate::client) fn profile(name: &str, problem: impl Into<String>) -> Self {
        Self {
            place: Place::Profile(name.to_owned()),
            problem: problem.into(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Variable(name) => write!(f, "the variable {name} {}", self.problem),
            Place::File(path) => write!(f, "{}: {}", path.display(), self.problem),
            Place::Line(path, line) => {
                write!(f, "{}, line {line}: {}", path.display(), self.problem)
            }
            Place::Profile(name) => write!(f, "the profile {name} {}", self.problem),
        }
    }
}

impl Error for ConfigError {}
