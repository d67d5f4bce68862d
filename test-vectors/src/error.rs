use std::path::{Path, PathBuf};

/// Why vectors could not be read: which file, what is wrong with it, what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// `cargo metadata` failed, or does not list the package that carries AWS's suite.
    #[error("AWS's suite was not found: {0}")]
    NotFound(String),
    /// A file or folder could not be read.
    #[error("{}: {source}; expected {expected}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What should be there.
        expected: String,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A file was read and is not what it should be.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what was expected instead.
        problem: String,
    },
}

impl LoadError {
    pub(crate) fn malformed(path: &Path, problem: impl Into<String>) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }
}

/// Reads one text file.
pub(crate) fn read(path: &Path, expected: &str) -> Result<String, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable {
        path: path.to_owned(),
        expected: expected.to_owned(),
        source,
    })?;
    String::from_utf8(bytes)
        .map_err(|error| LoadError::malformed(path, format!("{error}; expected UTF-8 text")))
}

/// The entries of a folder in the order of their names, so that two runs print the same.
pub(crate) fn entries(folder: &Path, expected: &str) -> Result<Vec<PathBuf>, LoadError> {
    let unreadable = |source| LoadError::Unreadable {
        path: folder.to_owned(),
        expected: expected.to_owned(),
        source,
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}
