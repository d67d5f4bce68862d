//! What a run came to.

use std::fmt;

use crate::diff::Diff;
use crate::run::Kind;

/// What can be done with a case, as the summary lists it.
pub trait Kinds: Copy + PartialEq + fmt::Display + 'static {
    /// Every kind, in the order of the summary.
    const EVERY: &'static [Self];
}

impl Kinds for Kind {
    const EVERY: &'static [Self] = &Self::ALL;
}

/// The outcome of each case and kind, in the order they were run.
///
/// Its `Display` is what the runner prints: the [`Details`], and last `N passed, N failed`, where N counts
/// outcomes.
#[derive(Debug, Clone)]
pub struct Report<K = Kind> {
    /// One for each case and kind.
    pub outcomes: Vec<Outcome<K>>,
}

/// A line and a comparison for each failure, and a summary for each kind that was run.
#[derive(Debug, Clone, Copy)]
pub struct Details<'a, K>(&'a Report<K>);

/// How one case did in one kind. It passed when nothing failed.
#[derive(Debug, Clone)]
pub struct Outcome<K = Kind> {
    /// What was done with the case.
    pub kind: K,
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

impl<K> Outcome<K> {
    /// Whether everything was as expected.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

impl<K> Default for Report<K> {
    fn default() -> Self {
        Self {
            outcomes: Vec::new(),
        }
    }
}

impl<K: Kinds> Report<K> {
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

    /// Everything that its `Display` says but the last line.
    #[must_use]
    pub fn details(&self) -> Details<'_, K> {
        Details(self)
    }

    /// The outcomes of one kind.
    pub fn of(&self, kind: K) -> impl Iterator<Item = &Outcome<K>> {
        self.outcomes
            .iter()
            .filter(move |outcome| outcome.kind == kind)
    }
}

impl<K: Kinds> fmt::Display for Report<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.details())?;
        write!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}

impl<K: Kinds> fmt::Display for Details<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outcome in &self.0.outcomes {
            for failure in &outcome.failures {
                writeln!(f, "FAILED {} {}: {failure}", outcome.kind, outcome.case)?;
            }
        }
        for kind in K::EVERY {
            let count = self.0.of(*kind).count();
            let passed = self.0.of(*kind).filter(|outcome| outcome.passed()).count();
            let failed = count - passed;
            if count == 0 {
                continue;
            }
            writeln!(f, "{kind:<17} {passed:>4} passed, {failed} failed")?;
        }
        Ok(())
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
