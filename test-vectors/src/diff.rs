//! Where two texts differ, for people.

use std::fmt;

/// Shows line by line how `got` differs from `expected`: lines of both begin with a space, lines that
/// are expected and missing with `-`, lines that should not be there with `+`.
///
/// # Example
///
/// ```
/// use test_vectors::diff::Diff;
///
/// let diff = Diff { expected: "GET\n/\nhost:a", got: "GET\n//\nhost:a" };
/// assert_eq!(diff.to_string(), "  GET\n- /\n+ //\n  host:a");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Diff<'a> {
    /// What is right.
    pub expected: &'a str,
    /// What came out.
    pub got: &'a str,
}

impl fmt::Display for Diff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected: Vec<&str> = self.expected.split('\n').collect();
        let got: Vec<&str> = self.got.split('\n').collect();
        let common = common_suffixes(&expected, &got);
        let (mut left, mut right) = (0, 0);
        let mut first = true;
        while left < expected.len() || right < got.len() {
            if !first {
                f.write_str("\n")?;
            }
            first = false;
            let both = left < expected.len() && right < got.len();
            if both && expected[left] == got[right] {
                write!(f, "  {}", expected[left])?;
                left += 1;
                right += 1;
            } else if right == got.len()
                || (left < expected.len() && common[left + 1][right] >= common[left][right + 1])
            {
                write!(f, "- {}", expected[left])?;
                left += 1;
            } else {
                write!(f, "+ {}", got[right])?;
                right += 1;
            }
        }
        Ok(())
    }
}

/// `result[i][j]` is the number of lines that `left[i..]` and `right[j..]` have in common, in order.
/// The texts are canonical requests, a few dozen lines, so the square of that is nothing.
fn common_suffixes(left: &[&str], right: &[&str]) -> Vec<Vec<usize>> {
    let mut lengths = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i][j] = if left[i] == right[j] {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_lines_that_are_missing_added_and_changed() {
        for (expected, got, shown) in [
            ("a", "a", "  a"),
            ("a", "b", "- a\n+ b"),
            ("a\nb\nc", "a\nc", "  a\n- b\n  c"),
            ("a\nc", "a\nb\nc", "  a\n+ b\n  c"),
            ("a\nb", "", "- a\n- b\n+ "),
            ("a\nb\nc\nd", "b\nx\nd\ne", "- a\n  b\n- c\n+ x\n  d\n+ e"),
        ] {
            assert_eq!(
                Diff { expected, got }.to_string(),
                shown,
                "{expected:?} {got:?}"
            );
        }
    }
}
