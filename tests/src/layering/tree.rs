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
        // Whoever built this test has nearly everything on disk, and then the network is not
        // asked. A machine that has built nothing else may lack a package that only another
        // crate's tree names: the second try may fetch it, still as Cargo.lock pins it.
        let mut output = self.cargo_tree(root, &["--offline"])?;
        if !output.status.success() {
            output = self.cargo_tree(root, &[])?;
        }
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(format!(
                "cargo tree of {}: {words}",
                self.package
            )));
        }
        Ok(names(&String::from_utf8_lossy(&output.stdout)))
    }

    fn cargo_tree(&self, root: &Path, more: &[&str]) -> io::Result<Output> {
        Command::new(env!("CARGO"))
            .args([
                "tree",
                "--locked",
                "--prefix",
                "none",
                "--no-default-features",
            ])
            .args(["--edges", self.edges, "--package", self.package])
            .args(["--features", &self.features.join(",")])
            .args(more)
            .current_dir(root)
            .output()
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
