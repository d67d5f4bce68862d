//! The dependencies that each crate's manifest may declare.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Package};

/// What a crate's manifest declares, exactly: a new dependency is a decision, and this is the
/// place where it is seen.
#[derive(Debug)]
pub struct Allowed {
    /// The package's name.
    pub package: &'static str,
    /// What it always depends on.
    pub always: &'static [&'static str],
    /// What a feature of it adds.
    pub optional: &'static [&'static str],
}

/// The table.
pub const ALLOWED: &[Allowed] = &[
    Allowed {
        package: "aws-json-sigv4",
        always: &[
            "crc32fast",
            "hex",
            "hmac",
            "percent-encoding",
            "sha2",
            "subtle",
            "time",
            "zeroize",
        ],
        optional: &["http", "p256"],
    },
    Allowed {
        package: "aws-json",
        always: &["base64", "bytes", "http", "serde", "serde_json", "time"],
        optional: &[
            "aws-credential-types",
            "aws-json-sigv4",
            "flate2",
            "h2",
            "http-body-util",
            "hyper",
            "hyper-rustls",
            "hyper-util",
            "reqsign-aws-core",
            "reqsign-core",
            "rustls",
            "tokio",
            "tower-service",
            "tracing",
        ],
    },
    Allowed {
        package: "aws-query",
        always: &["serde"],
        optional: &[],
    },
    Allowed {
        package: "sqs",
        always: &["base64", "serde", "serde_json"],
        optional: &["aws-json", "aws-query", "hex", "md-5", "tokio", "tracing"],
    },
    Allowed {
        package: "sqs-engine",
        always: &[
            "base64",
            "hex",
            "postcard",
            "serde",
            "serde_json",
            "sha2",
            "sqs",
        ],
        optional: &[],
    },
    Allowed {
        package: "fake-sqs",
        always: &[
            "aws-json",
            "aws-json-sigv4",
            "aws-query",
            "axum",
            "bytes",
            "clap",
            "http",
            "http-body-util",
            "hyper",
            "hyper-util",
            "prometheus-client",
            "rusqlite",
            "rlimit",
            "serde",
            "serde_json",
            "sha2",
            "sqs",
            "sqs-engine",
            "strsim",
            "thiserror",
            "tokio",
            "toml",
            "tracing",
            "tracing-subscriber",
            "zeroize",
        ],
        optional: &[],
    },
    Allowed {
        package: "test-vectors",
        always: &[
            "aws-json",
            "aws-json-sigv4",
            "cargo_metadata",
            "clap",
            "hex",
            "http",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
        ],
        optional: &[],
    },
];

/// The crates that test the others: they may depend on anything, and nothing on them, not even
/// to test.
pub const ABOVE_ALL: &[&str] = &["conformance", "test-vectors"];

/// What the packages' manifests declare against the two tables, a sentence each.
#[must_use]
pub fn violations(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        for dependency in &package.dependencies {
            if ABOVE_ALL.contains(&dependency.name.as_str()) {
                found.push(format!(
                    "{} depends on {}, which tests it",
                    package.name, dependency.name
                ));
            }
        }
        match ALLOWED
            .iter()
            .find(|allowed| allowed.package == package.name.as_str())
        {
            Some(allowed) => found.extend(differences(package, allowed)),
            None if ABOVE_ALL.contains(&package.name.as_str()) => {}
            None => found.push(format!(
                "{} has no row in ALLOWED of tests/src/layering/manifest.rs",
                package.name
            )),
        }
    }
    found
}

fn differences(package: &Package, allowed: &Allowed) -> Vec<String> {
    let declared = |optional: bool| -> BTreeSet<&str> {
        package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .filter(|dependency| dependency.optional == optional)
            .map(|dependency| dependency.name.as_str())
            .collect()
    };
    let mut found = Vec::new();
    for (rows, optional, how) in [
        (allowed.always, false, "always"),
        (allowed.optional, true, "behind a feature"),
    ] {
        let wanted: BTreeSet<&str> = rows.iter().copied().collect();
        let declared = declared(optional);
        for name in declared.difference(&wanted) {
            found.push(format!(
                "{} depends on {name} {how}, and may not",
                package.name
            ));
        }
        for name in wanted.difference(&declared) {
            found.push(format!(
                "{} may depend on {name} {how} and does not: take the row away",
                package.name
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn package(name: &str, dependencies: &[Value]) -> Package {
        serde_json::from_value(json!({
            "name": name,
            "version": "0.1.0",
            "id": name,
            "dependencies": dependencies,
            "targets": [],
            "features": {},
            "manifest_path": "/Cargo.toml",
        }))
        .expect("a package as cargo metadata prints one")
    }

    fn dependency(name: &str, kind: Option<&str>, optional: bool) -> Value {
        json!({
            "name": name, "req": "*", "kind": kind, "optional": optional,
            "uses_default_features": true, "features": [], "target": null,
        })
    }

    fn sqs(more: &[Value]) -> Package {
        let mut dependencies = vec![
            dependency("base64", None, false),
            dependency("serde", None, false),
            dependency("serde_json", None, false),
            dependency("aws-json", None, true),
            dependency("aws-query", None, true),
            dependency("hex", None, true),
            dependency("md-5", None, true),
            dependency("tokio", None, true),
            dependency("tracing", None, true),
        ];
        dependencies.extend_from_slice(more);
        package("sqs", &dependencies)
    }

    #[test]
    fn what_is_allowed_is_no_violation() {
        let test_only = dependency("proptest", Some("dev"), false);
        assert_eq!(violations(&[sqs(&[test_only])]), Vec::<String>::new());
    }

    #[test]
    fn a_new_dependency_is_found() {
        assert_eq!(
            violations(&[sqs(&[dependency("tokio", None, false)])]),
            ["sqs depends on tokio always, and may not"]
        );
        assert_eq!(
            violations(&[sqs(&[dependency("hyper", None, true)])]),
            ["sqs depends on hyper behind a feature, and may not"]
        );
    }

    #[test]
    fn a_feature_that_became_a_necessity_is_found() {
        let package = package(
            "sqs",
            &[
                dependency("base64", None, false),
                dependency("serde", None, false),
                dependency("serde_json", None, false),
                dependency("aws-json", None, false),
                dependency("aws-query", None, true),
                dependency("hex", None, true),
                dependency("md-5", None, true),
                dependency("tokio", None, true),
                dependency("tracing", None, true),
            ],
        );
        assert_eq!(
            violations(&[package]),
            [
                "sqs depends on aws-json always, and may not",
                "sqs may depend on aws-json behind a feature and does not: take the row away",
            ]
        );
    }

    #[test]
    fn a_crate_that_tests_another_is_nobodys_dependency() {
        assert_eq!(
            violations(&[sqs(&[dependency("test-vectors", Some("dev"), false)])]),
            ["sqs depends on test-vectors, which tests it"]
        );
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        assert_eq!(
            violations(&[package("sns", &[])]),
            ["sns has no row in ALLOWED of tests/src/layering/manifest.rs"]
        );
    }
}
