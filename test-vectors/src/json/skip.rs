//! The cases that are not run, and why.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Kind;
use super::case::folder;
use crate::LoadError;
use crate::error::read;

/// The list.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skips {
    /// Cases that are published and not run.
    pub skipped: Vec<Skip>,
    /// Cases of Smithy that botocore does not carry and that we have not written by hand.
    pub not_published: Vec<Absent>,
}

/// A case that is not run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// Its id.
    pub id: String,
    /// Its kind's name.
    pub kind: String,
    /// Why it is not run.
    pub reason: String,
}

/// A case that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// Its id.
    pub id: String,
    /// Why it is not written by hand.
    pub reason: String,
}

impl Skips {
    /// Where the list is.
    #[must_use]
    pub fn file() -> PathBuf {
        folder().join("skipped.json")
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not in its form, or gives no reason.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let text = read(path, "the list of skipped cases as JSON")?;
        let skips: Self = serde_json::from_str(&text)
            .map_err(|error| LoadError::malformed(path, error.to_string()))?;
        let skipped = skips.skipped.iter().map(|skip| (&skip.id, &skip.reason));
        let absent = skips
            .not_published
            .iter()
            .map(|skip| (&skip.id, &skip.reason));
        match skipped
            .chain(absent)
            .find(|(_, reason)| reason.trim().is_empty())
        {
            Some((id, _)) => Err(LoadError::malformed(
                path,
                format!("{id:?} has no reason; expected one"),
            )),
            None => Ok(skips),
        }
    }

    /// The entry of a case.
    #[must_use]
    pub fn find(&self, kind: Kind, id: &str) -> Option<&Skip> {
        self.skipped
            .iter()
            .find(|skip| skip.id == id && skip.kind == kind.name())
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "skipped: {} {} because {}",
            self.kind, self.id, self.reason
        )
    }
}
