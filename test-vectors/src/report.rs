//! What a run came to.

use std::fmt;

use crate::diff::Diff;
use crate::run::Kind;

/// The outcome of each case and kind, in the order they were run.
///
/// Its `Display` is what the runner prints: a line and a comparison for each failure, a summary for
/// each kind that was run, and last `N passed, N failed`, where N counts outcomes.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// One for each case and kind.
    pub outcomes: Vec<Outcome>,
}

/// How one case did in one kind. It passed when nothing failed.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What was done with the case.
    pub kind: Kind,
    /// The name of the case.
    pub case: String,
    /// Everything that was not as expected.
    pub failures: Vec<Failure>,
}

/// Something that was not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Where: a stage of signing, or an alteration that was not noticed.
    pub stage: String,
    /// What is published.
    pub expected: String,
    /// What came out.
    pub got: String,
}

impl Failure {
    pub(crate) fn new(stage: &str, expected: &str, got: &str) -> Self {
        Self {
            stage: stage.to_owned(),
            expected: expected.to_owned(),
            got: got.to_owned(),
        }
    }
}

impl Outcome {
    /// Whether everything was as expected.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

impl Report {
    /// How many cases passed, counted once for each kind.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| outcome.passed())
            .count()
    }

    /// How many cases failed, counted once for each kind.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.outcomes.len() - self.passed()
    }

    /// The outcomes of one kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Outcome> {
        self.outcomes
            .iter()
            .filter(move |outcome| outcome.kind == kind)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outcome in &self.outcomes {
            for failure in &outcome.failures {
                writeln!(f, "FAILED {} {}: {failure}", outcome.kind, outcome.case)?;
            }
        }
        for kind in Kind::ALL {
            let count = self.of(kind).count();
            let passed = self.of(kind).filter(|outcome| outcome.passed()).count();
            let failed = count - passed;
            if count == 0 {
                continue;
            }
            writeln!(f, "{kind:<17} {passed:>4} passed, {failed} failed")?;
        }
        write!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diff = Diff {
            expected: &self.expected,
            got: &self.got,
        }
        .to_string();
        write!(f, "{} (- expected, + got)", self.stage)?;
        for line in diff.lines() {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}
