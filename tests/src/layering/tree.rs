//! The packages that building a crate alone brings along, and those that it never may.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

/// A way to build a crate, and what must not come with it.
#[derive(Debug)]
pub struct Never {
    /// The package's name.
    pub package: &'static str,
    /// The features it is built with, beside none of the default ones.
    pub features: &'static [&'static str],
    /// The kinds of edges that are followed, as `cargo tree -e` names them.
    pub edges: &'static str,
    /// Packages that must not be among its dependencies, at any depth.
    pub never: &'static [&'static str],
}

/// What reads clocks, opens sockets or speaks HTTP; and what guesses at random.
const PURE: &[&str] = &[
    "aws-json",
    "axum",
    "chrono",
    "getrandom",
    "h2",
    "http",
    "hyper",
    "hyper-util",
    "mio",
    "rand",
    "rustls",
    "socket2",
    "tokio",
    "tower",
];

/// TLS stacks other than the one that our own client brings (rustls with ring).
const OTHER_TLS: &[&str] = &[
    "aws-lc-rs",
    "aws-lc-sys",
    "native-tls",
    "openssl",
    "openssl-sys",
    "s2n-tls",
];

/// The table.
pub const NEVER: &[Never] = &[
    Never {
        package: "aws-json-sigv4",
        features: &[],
        edges: "normal",
        never: PURE,
    },
    // The curve of SigV4a needs no random numbers.
    Never {
        package: "aws-json-sigv4",
        features: &["sigv4a"],
        edges: "normal",
        never: PURE,
    },
    Never {
        package: "aws-json-sigv4",
        features: &["http"],
        edges: "normal",
        never: &[
            "aws-json",
            "axum",
            "hyper",
            "hyper-util",
            "serde",
            "serde_json",
            "tokio",
        ],
    },
    Never {
        package: "aws-json",
        features: &[],
        edges: "normal",
        never: &[
            "aws-json-sigv4",
            "hyper",
            "hyper-util",
            "rustls",
            "sqs",
            "tokio",
        ],
    },
    Never {
        package: "aws-json",
        features: &["client"],
        edges: "normal",
        never: &[
            "axum",
            "fake-sqs",
            "h2",
            "ring",
            "rustls",
            "sqs",
            "sqs-engine",
            "tower-layer",
        ],
    },
    // Credentials from elsewhere bring no HTTP client and no TLS of their own.
    Never {
        package: "aws-json",
        features: &["aws-credential-types", "credential-chain"],
        edges: "normal",
        never: &[
            "aws-config",
            "aws-lc-rs",
            "h2",
            "openssl-sys",
            "reqwest",
            "ring",
            "rustls",
        ],
    },
    // The cryptography and the roots are the caller's.
    Never {
        package: "aws-json",
        features: &["rustls"],
        edges: "normal",
        never: &["aws-lc-rs", "h2", "ring", "webpki-roots"],
    },
    Never {
        package: "aws-json",
        features: &["tls", "http2"],
        edges: "normal",
        never: OTHER_TLS,
    },
    Never {
        package: "aws-query",
        features: &[],
        edges: "normal",
        never: PURE,
    },
    Never {
        package: "sqs",
        features: &["query"],
        edges: "normal",
        never: PURE,
    },
    Never {
        package: "sqs",
        features: &[],
        edges: "normal",
        never: PURE,
    },
    Never {
        package: "sqs",
        features: &["md5"],
        edges: "normal",
        never: PURE,
    },
    Never {
        package: "sqs",
        features: &["md5", "receiver"],
        edges: "normal",
        never: &["axum", "fake-sqs", "sqs-engine", "tokio-util"],
    },
    Never {
        package: "sqs",
        features: &["client"],
        edges: "normal",
        never: &["axum", "fake-sqs", "h2", "rustls", "sqs-engine"],
    },
    Never {
        package: "sqs-engine",
        features: &[],
        edges: "normal",
        never: PURE,
    },
    Never {
        package: "fake-sqs",
        features: &[],
        edges: "normal",
        never: &[
            "conformance",
            "hyper-rustls",
            "ring",
            "rustls",
            "test-vectors",
        ],
    },
    Never {
        package: "test-vectors",
        features: &[],
        edges: "normal",
        never: &["axum", "fake-sqs", "sqs", "sqs-engine"],
    },
    // Amazon's SDK in the tests brings no TLS stack beside the one that is there already.
    Never {
        package: "conformance",
        features: &[],
        edges: "normal,dev",
        never: OTHER_TLS,
    },
];

/// A way to build a crate, and how many packages may come with it.
#[derive(Debug)]
pub struct AtMost {
    /// The package's name.
    pub package: &'static str,
    /// The features it is built with, beside none of the default ones.
    pub features: &'static [&'static str],
    /// How many packages there are at most besides itself. Each version of each package that a normal
    /// dependency leads to at any depth counts, macros and what they are made of too; what only
    /// build scripts or tests use does not.
    pub packages: usize,
}

/// The table of the clients, as people take them.
pub const AT_MOST: &[AtMost] = &[
    AtMost {
        package: "aws-json",
        features: &["tls"],
        packages: 70,
    },
    AtMost {
        package: "sqs",
        features: &["tls"],
        packages: 70,
    },
];

impl AtMost {
    /// What breaks this row in the workspace at `root`, if anything does.
    ///
    /// # Errors
    ///
    /// When cargo cannot be run, or refuses, with its words.
    pub fn violation(&self, root: &Path) -> io::Result<Option<String>> {
        let tree = tree(root, self.package, self.features, "normal")?;
        Ok(self.within(&tree))
    }

    fn within(&self, tree: &str) -> Option<String> {
        let count = versions(tree).len() - 1;
        (count > self.packages).then(|| {
            format!(
                "{} with {} brings {count} packages, and may bring {}: see `cargo tree -e normal -p {} -F {}`",
                self.package,
                self.features.join(", "),
                self.packages,
                self.package,
                self.features.join(","),
            )
        })
    }
}

impl Never {
    /// What breaks this row in the workspace at `root`, a sentence each.
    ///
    /// # Errors
    ///
    /// When cargo cannot be run, or refuses, with its words.
    pub fn violations(&self, root: &Path) -> io::Result<Vec<String>> {
        Ok(self.among(&self.packages(root)?))
    }

    /// The packages in its tree, itself among them.
    fn packages(&self, root: &Path) -> io::Result<BTreeSet<String>> {
        let tree = tree(root, self.package, self.features, self.edges)?;
        Ok(names(&tree))
    }

    fn among(&self, packages: &BTreeSet<String>) -> Vec<String> {
        let with = match self.features {
            [] => String::new(),
            features => format!(" with {}", features.join(", ")),
        };
        self.never
            .iter()
            .filter(|name| packages.contains(**name))
            .map(|name| {
                format!(
                    "{}{with} brings {name}, and never may: see `cargo tree -e {} -p {} -i {name}`",
                    self.package, self.edges, self.package
                )
            })
            .collect()
    }
}

/// What `cargo tree` prints of a package, in lines without indentation.
fn tree(root: &Path, package: &str, features: &[&str], edges: &str) -> io::Result<String> {
    let run = |more: &[&str]| -> io::Result<Output> {
        Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--prefix", "none"])
            .args(["--no-default-features", "--features", &features.join(",")])
            .args(["--edges", edges, "--package", package])
            .args(more)
            .current_dir(root)
            .output()
    };
    // Whoever built this test has nearly everything on disk, and then the network is not
    // asked. A machine that has built nothing else may lack a package that only another
    // crate's tree names: the second try may fetch it, still as Cargo.lock pins it.
    let mut output = run(&["--offline"])?;
    if !output.status.success() {
        output = run(&[])?;
    }
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!(
            "cargo tree of {package}: {words}"
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The packages of `cargo tree --prefix none` with their versions: the first two words of each line
/// that is not a heading.
fn versions(tree: &str) -> BTreeSet<(&str, &str)> {
    tree.lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, rest)| (name, rest.split(' ').next().unwrap_or(rest)))
        .filter(|(_, version)| version.starts_with('v'))
        .collect()
}

/// The package names of `cargo tree --prefix none`: the first word of each line that is not a
/// heading.
fn names(tree: &str) -> BTreeSet<String> {
    tree.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| !word.starts_with('['))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
sqs v0.1.0 (/somewhere/sqs)
serde v1.0.229
serde_derive v1.0.229 (proc-macro)
[dev-dependencies]
tokio v1.54.1
serde v1.0.229 (*)
";

    #[test]
    fn names_are_read_from_a_tree() {
        let read = names(TREE);
        let read: Vec<&str> = read.iter().map(String::as_str).collect();
        assert_eq!(read, ["serde", "serde_derive", "sqs", "tokio"]);
    }

    #[test]
    fn each_version_of_a_package_counts_once_and_the_crate_itself_does_not() {
        let twice = format!("{TREE}serde v0.9.0\n");
        for (tree, packages, found) in [
            (TREE, 3, None),
            (TREE, 2, Some(3)),
            (&twice, 4, None),
            (&twice, 3, Some(4)),
        ] {
            let row = AtMost {
                package: "sqs",
                features: &["tls"],
                packages,
            };
            let expected = found.map(|found| {
                format!(
                    "sqs with tls brings {found} packages, and may bring {packages}: \
                     see `cargo tree -e normal -p sqs -F tls`"
                )
            });
            assert_eq!(row.within(tree), expected);
        }
    }

    #[test]
    fn what_never_may_come_is_found() {
        let row = Never {
            package: "sqs",
            features: &[],
            edges: "normal",
            never: PURE,
        };
        assert_eq!(
            row.among(&names(TREE)),
            ["sqs brings tokio, and never may: see `cargo tree -e normal -p sqs -i tokio`"]
        );
        assert_eq!(
            row.among(&names("sqs v0.1.0\nserde v1.0.229\n")),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_row_that_cargo_cannot_read_is_an_error() {
        let row = Never {
            package: "no-such-crate",
            features: &[],
            edges: "normal",
            never: PURE,
        };
        let error = row
            .violations(&crate::layering::workspace_root())
            .expect_err("no such crate");
        assert!(error.to_string().contains("no-such-crate"), "{error}");
    }
}
