//! What a crate's sources name: modules they must not import, clocks they must not read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::paths::paths;

/// Sources, and what their code must not name.
#[derive(Debug)]
pub struct Rule {
    /// Files and folders (with all below them), from the workspace's folder.
    pub of: &'static [&'static str],
    /// Files and folders among these that are left out.
    pub except: &'static [&'static str],
    /// A crate (`tokio`) is found where a path begins with it; a longer path
    /// (`SystemTime::now`) also in the middle of one.
    pub never: &'static [&'static str],
    /// Why, and what to do instead.
    pub because: &'static str,
}

/// What reads a clock.
pub const CLOCKS: &[&str] = &["SystemTime::now", "Instant::now", "time::clock_gettime"];

/// The one file of each crate with IO, and of each bench, that reads the clock.
pub const CLOCK_FILES: &[&str] = &[
    "aws-json/src/client/clock.rs",
    "fake-sqs/src/clock.rs",
    "sqs-engine/benches/scale/clock.rs",
    "sigv4/bench/src/clock.rs",
    "sqs/bench/cost/src/clock.rs",
    "sqs/src/client/receiver/clock.rs",
    "tests/src/clock.rs",
];

/// The table.
pub const RULES: &[Rule] = &[
    Rule {
        of: &[
            "aws-json",
            "aws-query",
            "fake-sqs",
            "sigv4",
            "sqs",
            "sqs-engine",
            "test-vectors",
            "tests",
        ],
        except: CLOCK_FILES,
        never: CLOCKS,
        because: "time is an argument; a crate with IO, or a bench, reads it in its one clock.rs",
    },
    Rule {
        of: &["aws-query/src", "sigv4/src", "sqs-engine/src", "sqs/src"],
        except: &["sqs/src/client", "sqs/src/client.rs"],
        never: &[
            "axum",
            "hyper",
            "hyper_util",
            "std::env",
            "std::fs",
            "std::net",
            "std::process",
            "std::thread",
            "tokio",
        ],
        because: "this crate is pure: no IO, no threads",
    },
    Rule {
        of: &["aws-query/src", "sqs-engine/src", "sqs/src"],
        except: &["sqs/src/client", "sqs/src/client.rs"],
        never: &["aws_json", "http", "sigv4"],
        because: "SQS's shapes and behaviour know nothing of how a request travels",
    },
    Rule {
        of: &["aws-json/src"],
        except: &["aws-json/src/client", "aws-json/src/client.rs"],
        never: &["hyper", "hyper_rustls", "hyper_util", "sigv4", "tokio"],
        because: "the codec is for servers and clients alike, without IO",
    },
    Rule {
        of: &["aws-json/src"],
        except: &["aws-json/src/client/config/environment.rs"],
        never: &["std::env", "std::fs"],
        because: "variables and files are read through `Environment`, which tests can give",
    },
    Rule {
        of: &[
            "fake-sqs/src/admin",
            "fake-sqs/src/auth",
            "fake-sqs/src/http",
        ],
        except: &[],
        never: &["sqs_engine::queue"],
        because: "HTTP reaches the engine through the driver, not through a queue's insides",
    },
    Rule {
        of: &[
            "fake-sqs/src/clock.rs",
            "fake-sqs/src/driver",
            "fake-sqs/src/driver.rs",
        ],
        except: &[],
        never: &["axum", "hyper", "http"],
        because: "the driver joins engine and runtime, whatever the protocol",
    },
];

/// A line that breaks a rule.
#[derive(Debug, PartialEq)]
pub struct Violation {
    /// The file, from the workspace's folder.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is named there.
    pub name: &'static str,
    /// Why it must not be.
    pub because: &'static str,
}

impl Rule {
    /// What breaks this rule in the workspace at `root`.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub fn violations(&self, root: &Path) -> io::Result<Vec<Violation>> {
        let mut found = Vec::new();
        for file in self.files(root)? {
            let source = fs::read_to_string(root.join(&file))?;
            found.extend(
                self.named_in(&source)
                    .into_iter()
                    .map(|(line, name)| Violation {
                        file: file.clone(),
                        line,
                        name,
                        because: self.because,
                    }),
            );
        }
        Ok(found)
    }

    /// The files that it is about, from the workspace's folder.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read.
    pub fn files(&self, root: &Path) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for of in self.of {
            collect(root, Path::new(of), &mut files)?;
        }
        files.retain(|file| !self.except.iter().any(|except| file.starts_with(except)));
        Ok(files)
    }

    fn named_in(&self, source: &str) -> Vec<(usize, &'static str)> {
        let mut found = Vec::new();
        for path in paths(source) {
            let named = self.never.iter().filter(|name| path.names(name));
            found.extend(named.map(|name| (path.line, *name)));
        }
        found
    }
}

/// All `.rs` files at or below `path`. A path that does not exist has none: a table names files
/// and folders that a crate may have.
fn collect(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let full = root.join(path);
    if full.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(full)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            collect(root, &path.join(entry.file_name()), files)?;
        }
    } else if full.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
        files.push(path.to_path_buf());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layering::workspace_root;

    const RULE: Rule = Rule {
        of: &["tests/src"],
        except: &["tests/src/layering", "tests/src/raw.rs"],
        never: &["tokio", "std::net", "SystemTime::now"],
        because: "it is only an example",
    };

    #[test]
    fn a_forbidden_line_is_found() {
        let source = "\
//! use tokio::net; and SystemTime::now() in words
use std::{fs, net::TcpStream};
use tokio::sync;
fn f() -> &'static str {
    let now = std::time::SystemTime::now();
    crate::tokio::spawn(\"tokio::spawn\")
}
";
        assert_eq!(
            RULE.named_in(source),
            [(2, "std::net"), (3, "tokio"), (5, "SystemTime::now")]
        );
    }

    #[test]
    fn a_violation_says_where() {
        let root = workspace_root();
        let found = Rule {
            never: &["tokio"],
            ..RULE
        }
        .violations(&root)
        .expect("readable files");
        let bound = found.first().expect("bound.rs uses tokio");
        assert_eq!(bound.file, Path::new("tests/src/bound.rs"));
        assert_eq!((bound.name, bound.because), ("tokio", RULE.because));
    }

    #[test]
    fn exceptions_are_left_out() {
        let files = RULE.files(&workspace_root()).expect("readable folders");
        assert!(files.contains(&PathBuf::from("tests/src/bound.rs")));
        assert!(!files.contains(&PathBuf::from("tests/src/raw.rs")));
        assert!(
            !files
                .iter()
                .any(|file| file.starts_with("tests/src/layering"))
        );
    }
}
