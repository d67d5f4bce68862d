//! The names of the signed headers, as a claim lists them.

use crate::error::{ClaimError, Fragment};
use crate::headers::{self, Name};
use crate::short::Short;
use crate::text;

/// The most signed headers.
pub(super) const SIGNED_HEADERS_MAX: usize = 128;

/// A list of names, each in lower case, sorted, each once: the one list for a set of headers. The text
/// is elsewhere, here is where each name in it ends.
#[derive(Clone)]
pub(super) struct Names {
    ends: Short<usize, 8>,
}

impl Names {
    /// Reads `host;x-amz-date`.
    pub(super) fn parse(list: &str) -> Result<Self, ClaimError> {
        let semicolons = || list.bytes().filter(|&byte| byte == b';').count();
        // Most lists are too short to name too many.
        if list.len() >= SIGNED_HEADERS_MAX && semicolons() >= SIGNED_HEADERS_MAX {
            let what = "the number of signed headers";
            let limit = SIGNED_HEADERS_MAX;
            return Err(ClaimError::TooLarge { what, limit });
        }
        let mut names = Self { ends: Short::new() };
        let mut previous = Name::default();
        let mut start = 0;
        loop {
            let rest = &list[start..];
            // What ends a name is the first byte that cannot be part of one.
            let (name, after) = headers::split_lower_case_token(rest);
            let next = Name::new(name);
            if !(previous < next && matches!(after.as_bytes(), [] | [b';', ..])) {
                let (piece, _) = text::cut(rest, b';');
                let fragment = Fragment::new(piece);
                return Err(ClaimError::SignedHeaders { fragment });
            }
            let end = start + name.len();
            names.ends.push(end);
            if after.is_empty() {
                return Ok(names);
            }
            (previous, start) = (next, end + 1);
        }
    }

    /// The names in the list that this was read from.
    pub(super) fn of<'a>(&self, list: &'a str) -> impl Iterator<Item = &'a str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let name = &list[start..end];
            start = end + 1;
            name
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_list_are_what_stands_between_semicolons() {
        let nine: Vec<String> = (0..9).map(|n| format!("h{n}")).collect();
        for list in ["a", "host;x-amz-date", "a;b;b-c", &nine.join(";")] {
            let names = Names::parse(list).map(|names| names.of(list).collect::<Vec<_>>());
            assert_eq!(names, Ok(list.split(';').collect()), "{list:?}");
        }
    }

    #[test]
    fn the_first_name_that_is_wrong_is_the_error() {
        for (list, wrong) in [
            ("", ""),
            (";a", ""),
            ("a;", ""),
            ("a;;b", ""),
            ("a;B;c", "B"),
            ("a;b c;d", "b c"),
            ("a;bé;d", "bé"),
            ("b;a;C", "a"),
            ("a;a", "a"),
        ] {
            let fragment = Fragment::new(wrong);
            let expected = Some(ClaimError::SignedHeaders { fragment });
            assert_eq!(Names::parse(list).err(), expected, "{list:?}");
        }
    }
}
