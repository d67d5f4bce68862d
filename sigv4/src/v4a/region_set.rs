//! The regions that a signature is good for.

use std::fmt;
use std::str::FromStr;

use crate::scope::is_scope_part;

/// The longest region set, in bytes. All of AWS's regions together are a few hundred.
const REGION_SET_MAX: usize = 4 * 1024;

/// The regions that a signature is good for: a list with commas, each a region or a pattern in which
/// `*` stands for any number of characters. `Display` is its exact text, which is what is signed.
///
/// # Example
/// ```
/// use sigv4::v4a::RegionSet;
///
/// let set = RegionSet::parse("us-east-1, eu-*")?;
/// assert!(set.covers("us-east-1"));
/// assert!(set.covers("eu-central-1"));
/// assert!(!set.covers("us-east-2"));
/// assert!(RegionSet::parse("*")?.covers("us-east-2"));
/// # Ok::<(), sigv4::v4a::RegionSetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegionSet {
    text: String,
}

/// A text that is no region set: one of its regions is empty or holds something other than visible
/// ASCII without `/`, or the whole is longer than 4 KiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionSetError {
    text: String,
}

impl RegionSet {
    /// Reads a region set. Spaces and tabs around each region do not count.
    ///
    /// # Errors
    /// [`RegionSetError`] when the text is longer than 4 KiB, or a region in it is empty or holds
    /// anything but visible ASCII without `/`.
    pub fn parse(text: &str) -> Result<Self, RegionSetError> {
        let text = trimmed(text);
        if text.len() <= REGION_SET_MAX && patterns(text).all(is_scope_part) {
            Ok(Self {
                text: text.to_owned(),
            })
        } else {
            // At most 128 characters are kept.
            Err(RegionSetError {
                text: text.chars().take(128).collect(),
            })
        }
    }

    /// The exact text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a region is in the set. Case counts.
    #[must_use]
    pub fn covers(&self, region: &str) -> bool {
        patterns(&self.text).any(|pattern| matches(pattern, region))
    }
}

impl fmt::Display for RegionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for RegionSet {
    type Err = RegionSetError;

    fn from_str(text: &str) -> Result<Self, RegionSetError> {
        Self::parse(text)
    }
}

impl fmt::Display for RegionSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no region set: at most 4096 bytes, regions of visible ASCII without '/', \
             with ',' between",
            self.text
        )
    }
}

impl std::error::Error for RegionSetError {}

fn patterns(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(trimmed)
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// Whether a text is what a pattern describes. What stands between two stars is found at its first
/// place: if a later one would do, the first does too, so that nothing is ever tried twice.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        match text.find(piece) {
            Some(at) => text = &text[at + piece.len()..],
            None => return false,
        }
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (set, region, expected) in [
            ("us-east-1", "us-east-1", true),
            ("us-east-1", "us-east-11", false),
            ("us-east-1", "US-EAST-1", false),
            ("*", "us-east-1", true),
            ("*", "", true),
            ("us-*", "us-", true),
            ("us-*", "us", false),
            ("*-1", "eu-central-1", true),
            ("*-1", "eu-central-2", false),
            ("us-*-1", "us-east-1", true),
            ("us-*-1", "us-1", false),
            ("us-*1", "us-1", true),
            ("a*a", "a", false),
            ("*east*", "us-east-1", true),
            ("*east*", "us-west-1", false),
            ("u*-*-1", "us-east-1", true),
            ("**", "x", true),
            ("a**b", "ab", true),
            ("a*b*b", "ab", false),
            ("*ab*ab*ab", "ababab", true),
            ("*ab*ab*ab", "abab", false),
            ("us-east-1,eu-*", "eu-west-3", true),
            (" us-east-1 ,\teu-west-1 ", "eu-west-1", true),
            ("us-east-1,eu-west-1", "us-east-1,eu-west-1", false),
            ("us-?ast-1", "us-east-1", false),
        ] {
            let set = RegionSet::parse(set).unwrap();
            assert_eq!(set.covers(region), expected, "{set} {region}");
        }
    }

    /// Against the definition, over all short patterns and texts.
    #[test]
    fn matching_is_what_its_definition_says() {
        fn defined(pattern: &[u8], text: &[u8]) -> bool {
            match (pattern, text) {
                ([], _) => text.is_empty(),
                ([b'*', rest @ ..], _) => {
                    defined(rest, text) || (!text.is_empty() && defined(pattern, &text[1..]))
                }
                ([first, rest @ ..], [byte, others @ ..]) => first == byte && defined(rest, others),
                (_, []) => false,
            }
        }
        fn words(letters: &[char], longest: usize) -> Vec<String> {
            let mut all = vec![String::new()];
            let mut from = 0;
            for _ in 0..longest {
                let upto = all.len();
                for at in from..upto {
                    for letter in letters {
                        all.push(format!("{}{letter}", all[at]));
                    }
                }
                from = upto;
            }
            all
        }
        let texts = words(&['a', 'b'], 5);
        for pattern in words(&['a', 'b', '*'], 5) {
            for text in &texts {
                let expected = defined(pattern.as_bytes(), text.as_bytes());
                assert_eq!(matches(&pattern, text), expected, "{pattern} {text}");
            }
        }
    }

    #[test]
    fn what_is_no_list_of_regions_is_refused() {
        let long = "x".repeat(REGION_SET_MAX + 1);
        for wrong in [
            "", " ", ",", "a,", ",a", "a,,b", "a b", "a/b", "é", "a\n", &long,
        ] {
            assert!(RegionSet::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(RegionSet::parse(&long[1..]).is_ok());
        assert!(RegionSet::parse(&long).unwrap_err().to_string().len() < 300);
    }

    #[test]
    fn the_text_is_what_came_in() {
        let set: RegionSet = "  us-east-1,  eu-* ".parse().unwrap();
        assert_eq!(set.to_string(), "us-east-1,  eu-*");
    }
}
