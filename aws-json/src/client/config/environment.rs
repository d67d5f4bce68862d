//! The one place in this crate that reads environment variables and files.

use std::collections::BTreeMap;
use std::env::{self, VarError};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ConfigError;

/// The largest file that is read, in bytes.
pub const FILE_LIMIT: u64 = 1024 * 1024;

/// Where settings outside the code come from: variables and files.
///
/// It is the process's own, or for tests a fixed one, which reads neither variables nor files of
/// the machine it runs on:
///
/// ```
/// use aws_json::client::config::Environment;
///
/// let environment = Environment::from_iter([("AWS_REGION", "eu-west-1"), ("HOME", "/home/me")])
///     .file("/home/me/.aws/config", "[default]\nregion = eu-west-2\n");
/// assert_eq!(environment.var("AWS_REGION")?.as_deref(), Some("eu-west-1"));
/// assert_eq!(environment.var("AWS_PROFILE")?, None);
///
/// // The process's own, but for the profile.
/// let environment = Environment::process().set("AWS_PROFILE", "dev");
/// assert_eq!(environment.var("AWS_PROFILE")?.as_deref(), Some("dev"));
/// # Ok::<(), aws_json::client::config::ConfigError>(())
/// ```
///
/// It is cheap to clone. Its `Debug` shows no value of a variable and nothing of a file.
#[derive(Clone)]
pub struct Environment {
    base: Base,
    own: Arc<Own>,
}

/// Where what is not set here comes from.
#[derive(Clone, Copy, Debug)]
enum Base {
    Process,
    Nothing,
}

#[derive(Clone, Default)]
struct Own {
    variables: BTreeMap<String, String>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Environment {
    /// The variables of this process, as they are when they are asked for, and the files of this
    /// machine.
    #[must_use]
    pub fn process() -> Self {
        Self {
            base: Base::Process,
            own: Arc::default(),
        }
    }

    /// This environment with another value of a variable. An empty one counts as none.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let own = Arc::make_mut(&mut self.own);
        own.variables.insert(name.into(), value.into());
        self
    }

    /// This environment with another content of a file.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, contents: impl Into<Vec<u8>>) -> Self {
        let own = Arc::make_mut(&mut self.own);
        own.files.insert(path.into(), contents.into());
        self
    }

    /// The value of a variable. One that is empty counts as one that is not set.
    ///
    /// # Errors
    ///
    /// If the value is not UTF-8.
    pub fn var(&self, name: &str) -> Result<Option<String>, ConfigError> {
        let value = match (self.own.variables.get(name), self.base) {
            (Some(value), _) => Some(value.clone()),
            (None, Base::Nothing) => None,
            (None, Base::Process) => match env::var(name) {
                Ok(value) => Some(value),
                Err(VarError::NotPresent) => None,
                Err(VarError::NotUnicode(_)) => {
                    return Err(ConfigError::variable(name, "is not UTF-8"));
                }
            },
        };
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// The text of a file, of 1 MiB at most ([`FILE_LIMIT`]), or none if there is no such file.
    /// The calling thread waits for the disk.
    ///
    /// # Errors
    ///
    /// If the file is there and cannot be read, is larger, or is not UTF-8.
    pub fn read(&self, path: &Path) -> Result<Option<String>, ConfigError> {
        let bytes = match (self.own.files.get(path), self.base) {
            (Some(bytes), _) => Ok(Some(bytes.clone())),
            (None, Base::Nothing) => Ok(None),
            (None, Base::Process) => bounded(path),
        };
        let Some(bytes) =
            bytes.map_err(|error| ConfigError::file(path, format!("cannot be read: {error}")))?
        else {
            return Ok(None);
        };
        if bytes.len() as u64 > FILE_LIMIT {
            let problem = format!("is larger than {FILE_LIMIT} bytes");
            return Err(ConfigError::file(path, problem));
        }
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            ConfigError::file(path, format!("is not UTF-8 at byte {valid}"))
        })
    }

    /// The user's folder: `HOME`, and on Windows else `USERPROFILE`, else `HOMEDRIVE` and
    /// `HOMEPATH` together.
    ///
    /// # Errors
    ///
    /// If the value is not UTF-8.
    pub fn home(&self) -> Result<Option<PathBuf>, ConfigError> {
        if let Some(home) = self.var("HOME")? {
            return Ok(Some(home.into()));
        }
        if !cfg!(windows) {
            return Ok(None);
        }
        if let Some(profile) = self.var("USERPROFILE")? {
            return Ok(Some(profile.into()));
        }
        Ok(match (self.var("HOMEDRIVE")?, self.var("HOMEPATH")?) {
            (Some(drive), Some(path)) => Some((drive + &path).into()),
            (Some(_) | None, _) => None,
        })
    }
}

/// A fixed environment of these variables, without files. Of two of one name the last counts.
impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let variables = variables.into_iter();
        let own = Own {
            variables: variables.map(|(k, v)| (k.into(), v.into())).collect(),
            files: BTreeMap::new(),
        };
        Self {
            base: Base::Nothing,
            own: Arc::new(own),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("base", &self.base)
            .field("variables", &self.own.variables.keys())
            .field("files", &self.own.files.keys())
            .finish()
    }
}

/// What is in a file, one byte more than is allowed at most.
fn bounded(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_not_set() {
        let environment = Environment::from_iter([("A", ""), ("B", " "), ("C", "1"), ("C", "2")]);
        assert_eq!(environment.var("A"), Ok(None));
        assert_eq!(environment.var("B"), Ok(Some(" ".to_owned())));
        assert_eq!(environment.var("C"), Ok(Some("2".to_owned())));
        assert_eq!(environment.var("PATH"), Ok(None));
    }

    #[test]
    fn the_process_has_its_own_variables_and_files() {
        let environment = Environment::process();
        // Cargo sets it for its tests.
        let package = environment.var("CARGO_PKG_NAME").unwrap();
        assert_eq!(package.as_deref(), Some("aws-json"));
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let text = environment.read(&manifest).unwrap().unwrap();
        assert!(text.contains("name = \"aws-json\""));
        assert_eq!(environment.read(&manifest.join("not here")), Ok(None));
        assert_eq!(environment.read("/not/here".as_ref()), Ok(None));

        let environment = environment
            .set("CARGO_PKG_NAME", "another")
            .set("CARGO_PKG_VERSION", "")
            .file("/not/here", "text");
        let var = |name| environment.var(name).unwrap();
        assert_eq!(var("CARGO_PKG_NAME").as_deref(), Some("another"));
        assert_eq!(var("CARGO_PKG_VERSION"), None);
        assert!(var("CARGO_MANIFEST_DIR").is_some());
        let text = environment.read("/not/here".as_ref());
        assert_eq!(text, Ok(Some("text".to_owned())));
        assert!(environment.read(&manifest).unwrap().is_some());
    }

    #[test]
    fn a_file_is_bounded_and_text() {
        let limit = usize::try_from(FILE_LIMIT).unwrap();
        let environment = Environment::from_iter([("HOME", "/h")])
            .file("/most", vec![b'a'; limit])
            .file("/more", vec![b'a'; limit + 1])
            .file("/bytes", b"ab\xff");
        let read = |path: &str| environment.read(path.as_ref());
        assert_eq!(read("/most").unwrap().unwrap().len(), limit);
        let error = |path| read(path).unwrap_err().to_string();
        assert_eq!(error("/more"), "/more: is larger than 1048576 bytes");
        assert_eq!(error("/bytes"), "/bytes: is not UTF-8 at byte 2");
        assert_eq!(read("/none"), Ok(None));
        assert_eq!(environment.home(), Ok(Some("/h".into())));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_without_end_is_bounded() {
        let error = Environment::process()
            .read("/dev/zero".as_ref())
            .unwrap_err();
        assert_eq!(error.to_string(), "/dev/zero: is larger than 1048576 bytes");
    }

    #[test]
    fn debug_shows_names_only() {
        let environment = Environment::from_iter([("AWS_SECRET_ACCESS_KEY", "hush")])
            .file("/h/.aws/credentials", "hush");
        let debug = format!("{environment:?} {:?}", Environment::process());
        assert!(debug.contains("AWS_SECRET_ACCESS_KEY"), "{debug}");
        assert!(debug.contains("/h/.aws/credentials"), "{debug}");
        assert!(!debug.contains("hush"), "{debug}");
    }
}
