//! What was found.

use std::fmt;

use super::mistake::Mistake;
use crate::canonical::{CanonicalRequest, StringToSign};

/// Why a request was refused, as far as that can be found out. For people: in a log, or on the
/// screen of whoever mends the client.
///
/// `Display` is one line. [`report`](Self::report) has more lines, and the stages that the verifier
/// computed. Neither these nor `Debug` hold a secret, a session token, or a computed signature. They
/// name the hosts and the other access keys that a verifier knows, so they are not for the answer
/// to the one who sent the request.
///
/// It says why a request is refused and is never a reason to accept it: there is no way from here
/// to [`Verified`](crate::Verified).
///
/// ```compile_fail,E0277
/// fn accept(explanation: sigv4::explain::Explanation) -> sigv4::Verified {
///     explanation.into()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub(super) certainty: Certainty,
    pub(super) mistakes: Vec<Mistake>,
    pub(super) unconfirmed: Vec<Part>,
    pub(super) canonical_request: CanonicalRequest,
    pub(super) string_to_sign: StringToSign,
    pub(super) extent: Extent,
    pub(super) hashes: usize,
}

/// How much of a refusal is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// All of it: the [`mistakes`](Explanation::mistakes) are what was wrong, and nothing else was.
    /// The signature is the one computed with these taken into account, which is no coincidence.
    Full,
    /// Part of it: the mistakes are there for all to see, and besides the signature does not match,
    /// for a reason that was not found.
    Partial,
    /// Nothing: no mistake that is known makes the signature match.
    Nothing,
}

/// How far the search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// To its end, or to what it was looking for.
    Whole,
    /// To its bound, before all was tried.
    Bounded,
}

/// A part of a request of which a verifier has only the request's word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// That client and verifier have the same secret.
    Secret,
    /// The method.
    Method,
    /// The path.
    Path,
    /// The query.
    Query,
    /// The value of a signed header, by its name in lower case.
    Header(String),
    /// The body. It is confirmed where `x-amz-content-sha256` states its hash.
    Body,
}

/// An [`Explanation`] over several lines, by its `Display`.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    explanation: &'a Explanation,
}

impl Explanation {
    /// How much of the refusal is explained.
    #[must_use]
    pub const fn certainty(&self) -> Certainty {
        self.certainty
    }

    /// What went wrong. First what can be seen without a signature, then what was found by trying.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// The parts that could not be confirmed: one of them is not what was signed. Empty if
    /// everything is explained.
    #[must_use]
    pub fn unconfirmed(&self) -> &[Part] {
        &self.unconfirmed
    }

    /// The canonical request as the verifier computed it from what arrived. It may hold a session
    /// token, which its `Display` shows and [`report`](Self::report) does not. Where a presigned
    /// request has a known secret for its access key id, that is replaced.
    #[must_use]
    pub const fn canonical_request(&self) -> &CanonicalRequest {
        &self.canonical_request
    }

    /// The string to sign as the verifier computed it from what arrived.
    #[must_use]
    pub const fn string_to_sign(&self) -> &StringToSign {
        &self.string_to_sign
    }

    /// How far the search went.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        self.extent
    }

    /// How many hashes the search took: one for each canonical request and each string to sign,
    /// four for each derived key. At most the bound of the [`Inquiry`](super::Inquiry).
    #[must_use]
    pub const fn hashes(&self) -> usize {
        self.hashes
    }

    /// What to do, a clause for each mistake, without a full stop.
    #[must_use]
    pub fn advice(&self) -> String {
        let mut advice: Vec<&str> = Vec::new();
        for mistake in &self.mistakes {
            if !advice.contains(&mistake.advice()) {
                advice.push(mistake.advice());
            }
        }
        if self.certainty != Certainty::Full {
            advice.push(
                "compare the client's secret, canonical request and string to sign with the \
                 verifier's",
            );
        }
        advice.join("; ")
    }

    /// The explanation over several lines: what happened, what to do, and unless all is explained
    /// the stages that the verifier computed, with what it could not confirm.
    #[must_use]
    pub const fn report(&self) -> Report<'_> {
        Report { explanation: self }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mistake) in self.mistakes.iter().enumerate() {
            let before = if at == 0 { "" } else { ", and " };
            write!(f, "{before}{mistake}")?;
        }
        match self.certainty {
            Certainty::Full => Ok(()),
            Certainty::Partial => f.write_str(", and the signature does not match besides"),
            Certainty::Nothing => f.write_str(
                "the signature does not match, and none of the known mistakes makes it match",
            ),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret => f.write_str("the secret"),
            Self::Method => f.write_str("the method"),
            Self::Path => f.write_str("the path"),
            Self::Query => f.write_str("the query"),
            Self::Header(name) => write!(f, "the header {name}"),
            Self::Body => f.write_str("the body"),
        }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanation = self.explanation;
        writeln!(f, "What happened: {explanation}.")?;
        writeln!(f, "What to do: {}.", explanation.advice())?;
        if explanation.certainty == Certainty::Full {
            return Ok(());
        }
        if explanation.extent == Extent::Bounded {
            writeln!(f, "Not everything was tried: the bound was reached.")?;
        }
        let unconfirmed: Vec<String> = explanation
            .unconfirmed
            .iter()
            .map(Part::to_string)
            .collect();
        writeln!(f, "Could not be confirmed: {}.", unconfirmed.join(", "))?;
        writeln!(f, "Canonical request:")?;
        write_quoted(f, &explanation.canonical_request.redacted())?;
        writeln!(f, "String to sign:")?;
        write_quoted(f, explanation.string_to_sign.as_str())
    }
}

/// Writes each line of a text behind a mark, so that no text can pass for a line of the report.
fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for line in text.split('\n') {
        writeln!(f, "  | {}", Visible(line))?;
    }
    Ok(())
}

/// A line whose control characters are escaped.
struct Visible<'a>(&'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for c in self.0.chars() {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}
