//! Where the two wires differ, and what is tested on one of them alone: all of it.
//!
//! Whatever a test does not ask of its [`Wire`] here, it expects to be the same on both.
//!
//! Some calls a form cannot make, so that no test makes them on both wires:
//!
//! * A map without pairs, and an entry of a batch without members, are not there.
//! * A batch without entries is an empty one (`EmptyBatchRequest`); in JSON it is so only where the
//!   list is there, and else a parameter is missing.
//! * `MessageSystemAttributeNames` is younger than the protocol's last model, in which the system's
//!   attributes are asked for by `AttributeNames`: a call has one of the two.
//!
//! And some texts the wires cannot share: of `MalformedInput`, which says what is wrong with the JSON or
//! with the form; and what repeats characters that XML has not, which are U+FFFD there.

use super::Wire;

impl Wire {
    /// What is said of a queue that is not there: the service has another sentence in each protocol.
    #[must_use]
    pub fn no_such_queue(self) -> &'static str {
        match self {
            Wire::Json => "The specified queue does not exist.",
            Wire::Query => "The specified queue does not exist for this wsdl version.",
        }
    }

    /// Whether an operation is called by a header, which then can be spoiled: `X-Amz-Target`. The Query
    /// protocol has it as a parameter, and a request with that header is one of the JSON protocol.
    #[must_use]
    pub fn calls_by_header(self) -> bool {
        match self {
            Wire::Json => true,
            Wire::Query => false,
        }
    }
}

/// A test that is not run on both wires.
#[derive(Debug)]
pub struct Alone {
    /// The file of the test, below `tests/tests`.
    pub file: &'static str,
    /// Its name, or that of the whole file when it is `*`.
    pub test: &'static str,
    /// Why there is nothing to run on both.
    pub reason: &'static str,
}

/// The tests of the suite that are not run on both wires.
pub const ALONE: &[Alone] = &[
    Alone {
        file: "clock_skew.rs",
        test: "*",
        reason: "it is about our own client, which speaks JSON",
    },
    Alone {
        file: "examples.rs",
        test: "*",
        reason: "it runs the examples of our own client, which speaks JSON",
    },
    Alone {
        file: "load.rs",
        test: "*",
        reason: "it is about the load tool, whose client speaks JSON",
    },
    Alone {
        file: "load_signals.rs",
        test: "*",
        reason: "it is about the load tool, whose client speaks JSON",
    },
    Alone {
        file: "receiver.rs",
        test: "*",
        reason: "it is about our own client, which speaks JSON",
    },
    Alone {
        file: "reports.rs",
        test: "todays_clients_speak_json",
        reason: "it says what a client of the JSON protocol gets",
    },
    Alone {
        file: "signatures.rs",
        test: "a_presigned_get_is_verified_and_then_not_found",
        reason: "a GET without an action is a call in neither protocol",
    },
    Alone {
        file: "signatures.rs",
        test: "a_signed_get_is_not_found",
        reason: "a GET without an action is a call in neither protocol",
    },
    Alone {
        file: "signatures.rs",
        test: "a_zero_length_body_is_an_empty_object",
        reason: "a form is never empty, since it names its action",
    },
    Alone {
        file: "signatures.rs",
        test: "bodies_that_are_no_json_object",
        reason: "a form has other faults",
    },
    Alone {
        file: "signatures.rs",
        test: "members_of_the_wrong_type",
        reason: "the parameters of a form have no types: all are text",
    },
    Alone {
        file: "signatures.rs",
        test: "unknown_operation",
        reason: "it is about X-Amz-Target; the table of errors has the action that is none",
    },
    Alone {
        file: "sqs_client.rs",
        test: "*",
        reason: "it is about our own client, which speaks JSON",
    },
    Alone {
        file: "wires.rs",
        test: "*",
        reason: "it asks on both wires side by side",
    },
];

/// Asserts that a test has a row in [`ALONE`].
///
/// # Panics
///
/// When it has none.
pub fn must_be_alone(file: &str, test: &str) {
    let row = ALONE
        .iter()
        .any(|row| row.test == test && file.ends_with(row.file));
    assert!(
        row,
        "{test} of {file} has no row in ALONE of tests/src/wire/differences.rs"
    );
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// The source files below a folder.
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    /// The rows of [`ALONE`] are the tests that are not run on both wires, no more and no fewer: whole
    /// files that have asynchronous tests of their own, and tests behind `alone:`.
    #[test]
    fn each_test_on_one_wire_has_its_reason() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let mut files = Vec::new();
        sources(&root, &mut files);
        let mut alone = BTreeSet::new();
        for path in files {
            let source = fs::read_to_string(&path).expect("a source file");
            let file = path.strip_prefix(&root).expect("a file below the folder");
            let mut row = |test: &str| alone.insert((file.display().to_string(), test.to_owned()));
            if source.contains("#[tokio::test") {
                row("*");
            }
            let list = source
                .split_once("\n    alone:\n")
                .and_then(|(_, rest)| rest.split_once("\n}\n"));
            for line in list.map_or("", |(list, _)| list).lines() {
                row(line.trim().trim_end_matches(','));
            }
        }
        let rows = ALONE.iter().map(|row| (row.file.into(), row.test.into()));
        assert_eq!(
            rows.collect::<BTreeSet<_>>(),
            alone,
            "a test runs on both wires by on_each_wire!, or has a row in ALONE that says why not"
        );
        assert_eq!(ALONE.len(), alone.len(), "a row twice");
        for row in ALONE {
            assert!(!row.reason.is_empty(), "{row:?}");
        }
    }
}
