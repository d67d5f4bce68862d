//! The credential scope: `20150830/us-east-1/iam/aws4_request`.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::text;
use crate::time::DateTime;

/// The last part of every credential scope.
pub(crate) const TERMINATOR: &str = "aws4_request";

/// What a signature is good for: a day, a region, a service. `Display` is its exact text. In SigV4a
/// there is no region in it.
///
/// # Example
/// ```
/// use sigv4::{DateTime, Scope};
///
/// let at = DateTime::parse("20150830T123600Z").unwrap();
/// let scope = Scope::new(at, "us-east-1", "iam")?;
/// assert_eq!(scope.to_string(), "20150830/us-east-1/iam/aws4_request");
/// # Ok::<(), sigv4::ScopeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    text: String,
    /// Where the three slashes stand. A scope without a region has two, and its first counts twice.
    slashes: [usize; 3],
}

/// A region or service that cannot stand in a credential scope: it is empty, or holds something
/// other than visible ASCII, or a `/` or `,`, which separate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeError {
    /// The region is not such a name.
    Region(String),
    /// The service is not such a name.
    Service(String),
}

impl Scope {
    /// The scope of the day of a moment.
    ///
    /// # Errors
    /// [`ScopeError`] when the region or the service is empty, or holds anything but visible ASCII
    /// without `/` and `,`.
    pub fn new(at: DateTime, region: &str, service: &str) -> Result<Self, ScopeError> {
        if !is_scope_part(region) {
            return Err(ScopeError::Region(region.to_owned()));
        }
        if !is_scope_part(service) {
            return Err(ScopeError::Service(service.to_owned()));
        }
        Ok(Self::join([at.date(), region, service, TERMINATOR]))
    }

    /// The scope of SigV4a, which names no region, of the day of a moment.
    ///
    /// # Errors
    /// [`ScopeError::Service`] when the service is empty, or holds anything but visible ASCII without
    /// `/` and `,`.
    #[cfg(feature = "sigv4a")]
    pub fn without_region(at: DateTime, service: &str) -> Result<Self, ScopeError> {
        if !is_scope_part(service) {
            return Err(ScopeError::Service(service.to_owned()));
        }
        Ok(Self::join_without_region([at.date(), service, TERMINATOR]))
    }

    /// A scope as it stands in a request, if it has as many parts as one for this algorithm: four, and
    /// without a region three. What they say is for verifying to check.
    pub(crate) fn parse(algorithm: Algorithm, text: &str) -> Option<Self> {
        let mut lengths = text::pieces(text, b'/').map(str::len);
        let mut length = || lengths.next().filter(|&length| length > 0);
        let first = length()?;
        let second = match algorithm {
            Algorithm::HmacSha256 => first + 1 + length()?,
            Algorithm::EcdsaP256Sha256 => first,
        };
        let third = second + 1 + length()?;
        length()?;
        let is_whole = lengths.next().is_none();
        (is_whole && text::is_all(text, is_scope_byte)).then(|| Self {
            text: text.to_owned(),
            slashes: [first, second, third],
        })
    }

    /// A scope of any four parts.
    pub(crate) fn join(parts: [&str; 4]) -> Self {
        let text = parts.join("/");
        let first = parts[0].len();
        let second = first + 1 + parts[1].len();
        let third = second + 1 + parts[2].len();
        Self {
            text,
            slashes: [first, second, third],
        }
    }

    /// The same without a region: date, service and terminator.
    #[cfg(any(test, feature = "sigv4a"))]
    pub(crate) fn join_without_region(parts: [&str; 3]) -> Self {
        let first = parts[0].len();
        let second = first + 1 + parts[1].len();
        Self {
            text: parts.join("/"),
            slashes: [first, first, second],
        }
    }

    /// What signs for a scope of this shape.
    pub(crate) const fn algorithm(&self) -> Algorithm {
        if self.slashes[0] == self.slashes[1] {
            Algorithm::EcdsaP256Sha256
        } else {
            Algorithm::HmacSha256
        }
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The day, `YYYYMMDD`. In a scope that came with a request it is whatever the request says.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.text[..self.slashes[0]]
    }

    /// The region, as `us-east-1`. Empty in a scope of SigV4a, which has none: there the set of
    /// regions stands apart.
    #[must_use]
    pub fn region(&self) -> &str {
        let part = self.slashes[0] + 1..self.slashes[1];
        self.text.get(part).unwrap_or_default()
    }

    /// The service's signing name, as `sqs`.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.text[self.slashes[1] + 1..self.slashes[2]]
    }

    /// The last part: `aws4_request`, or whatever a request says.
    #[must_use]
    pub fn terminator(&self) -> &str {
        &self.text[self.slashes[2] + 1..]
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope({:?})", self.text)
    }
}

impl fmt::Display for ScopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, value) = match self {
            Self::Region(value) => ("region", value),
            Self::Service(value) => ("service", value),
        };
        write!(
            f,
            "{value:?} is no {what} to sign for: visible ASCII without '/' and ',' is"
        )
    }
}

impl std::error::Error for ScopeError {}

/// Whether a text can be one part of a credential, which `/` and `,` separate.
pub(crate) fn is_scope_part(text: &str) -> bool {
    !text.is_empty() && text::is_all(text, |byte| is_scope_byte(byte) && byte != b'/')
}

/// Whether a byte can stand in a scope, the slashes included.
const fn is_scope_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b','
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_what_went_in() {
        let scope = Scope::join(["2015", "", "sqs", "aws5_request"]);
        assert_eq!(scope.to_string(), "2015//sqs/aws5_request");
        assert_eq!(
            [
                scope.date(),
                scope.region(),
                scope.service(),
                scope.terminator()
            ],
            ["2015", "", "sqs", "aws5_request"]
        );
    }

    #[test]
    fn a_text_is_a_scope_if_it_has_the_right_number_of_parts() {
        let (v4, v4a) = (Algorithm::HmacSha256, Algorithm::EcdsaP256Sha256);
        let four = Scope::join(["b", "c", "d", "e"]);
        let three = Scope::join_without_region(["b", "c", "d"]);
        assert_eq!(Scope::parse(v4, "b/c/d/e"), Some(four));
        assert_eq!(Scope::parse(v4a, "b/c/d"), Some(three));
        assert_eq!(Scope::parse(v4a, "b/c/d/e"), None);
        for wrong in [
            "",
            "b/c/d",
            "b/c/d/e/f",
            "b/c/d/e/",
            "/c/d/e",
            "b//d/e",
            "b/c/d/",
            "b/c/d/é",
            "b/c/d/,",
        ] {
            assert_eq!(Scope::parse(v4, wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_scope_without_a_region_has_the_other_parts() {
        for date in ["20150830", ""] {
            let scope = Scope::join_without_region([date, "sqs", "aws4_request"]);
            assert_eq!(scope.to_string(), format!("{date}/sqs/aws4_request"));
            assert_eq!(
                [
                    scope.date(),
                    scope.region(),
                    scope.service(),
                    scope.terminator()
                ],
                [date, "", "sqs", "aws4_request"]
            );
            assert_eq!(scope.algorithm(), Algorithm::EcdsaP256Sha256);
        }
        let with_region = Scope::join(["", "", "", ""]);
        assert_eq!(with_region.algorithm(), Algorithm::HmacSha256);
    }

    #[test]
    fn parts_that_would_break_the_text_are_refused() {
        let at = DateTime::parse("20150830T123600Z").unwrap();
        for wrong in ["", "a/b", "a,b", "a b", "a\nb", "é"] {
            assert_eq!(
                Scope::new(at, wrong, "sqs"),
                Err(ScopeError::Region(wrong.to_owned()))
            );
            assert_eq!(
                Scope::new(at, "r", wrong),
                Err(ScopeError::Service(wrong.to_owned()))
            );
        }
    }
}
