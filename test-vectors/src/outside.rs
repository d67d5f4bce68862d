//! AWS's cases of what a client finds outside its code: endpoints, and shared files.
//!
//! [`endpoints`] and [`profiles`] take them through `aws-json`'s client.

pub mod endpoints;
pub mod profiles;

use std::collections::BTreeMap;
use std::fmt;

use crate::report::{Failure, Kinds, Outcome, Report};

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Where calls of SQS go.
    SqsEndpoint,
    /// Where calls of DynamoDB go.
    DynamoDbEndpoint,
    /// What is in the shared files.
    SharedFile,
    /// Where the shared files are.
    FilePlace,
}

impl Kinds for Kind {
    const EVERY: &'static [Self] = &[
        Self::SqsEndpoint,
        Self::DynamoDbEndpoint,
        Self::SharedFile,
        Self::FilePlace,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SqsEndpoint => "sqs-endpoint",
            Self::DynamoDbEndpoint => "dynamodb-endpoint",
            Self::SharedFile => "shared-file",
            Self::FilePlace => "file-place",
        })
    }
}

/// How one case did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was as expected.
    Passed,
    /// Something was not.
    Failed(Failure),
    /// It was not run, for this reason.
    Skipped(&'static str),
}

impl Verdict {
    /// Passed, if what came out is what is expected. `what` says what it is.
    #[must_use]
    pub fn compare(what: &str, expected: &str, got: &str) -> Self {
        if expected == got {
            Self::Passed
        } else {
            Self::Failed(Failure::new(what, expected, got))
        }
    }
}

/// What a run came to. Its `Display` is a line for each reason for which cases were not run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The cases that were run.
    pub report: Report<Kind>,
    /// The names of those that were not, by their kind and the reason.
    pub skipped: BTreeMap<(Kind, &'static str), Vec<String>>,
}

impl Run {
    /// Adds a case.
    pub fn add(&mut self, kind: Kind, case: String, verdict: Verdict) {
        let failures = match verdict {
            Verdict::Passed => Vec::new(),
            Verdict::Failed(failure) => vec![failure],
            Verdict::Skipped(reason) => {
                self.skipped.entry((kind, reason)).or_default().push(case);
                return;
            }
        };
        self.report.outcomes.push(Outcome {
            kind,
            case,
            failures,
        });
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((kind, reason), cases) in &self.skipped {
            writeln!(f, "skipped: {} cases {kind} because {reason}", cases.len())?;
        }
        Ok(())
    }
}
