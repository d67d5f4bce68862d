//! Patterns as policies write them: `*` stands for any characters, `?` for one.

/// Whether a pattern fits a whole text, character by character as `same` says.
///
/// Only the last `*` is ever tried again, one place further on, so the work is at most the text's
/// length times that of the longest stretch between two `*`, and never exponential: whoever sets a
/// policy must not be able to make every later call slow.
///
/// Characters are bytes: what policies are compared with (actions, ARNs) is ASCII.
pub(super) fn fits(pattern: &str, text: &str, mut same: impl FnMut(u8, u8) -> bool) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut place) = (0, 0);
    // Behind the last `*` in the pattern, and where in the text what follows it is tried.
    let mut again = None;
    while let Some(&character) = text.get(place) {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                again = Some((at, place));
            }
            Some(&expected) if expected == b'?' || same(expected, character) => {
                at += 1;
                place += 1;
            }
            Some(_) | None => {
                let Some((behind, from)) = again else {
                    return false;
                };
                again = Some((behind, from + 1));
                (at, place) = (behind, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Says the same by definition, and takes exponential time to do so.
    fn naive(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([], rest) => rest.is_empty(),
            ([b'*', after @ ..], _) => (0..=text.len()).any(|skip| naive(after, &text[skip..])),
            ([b'?', after @ ..], [_, rest @ ..]) => naive(after, rest),
            ([expected, after @ ..], [character, rest @ ..]) => {
                expected == character && naive(after, rest)
            }
            ([_, ..], []) => false,
        }
    }

    fn exactly(pattern: &str, text: &str) -> bool {
        fits(pattern, text, |a, b| a == b)
    }

    /// How often two characters are compared.
    fn comparisons(pattern: &str, text: &str) -> usize {
        let mut count = 0;
        fits(pattern, text, |a, b| {
            count += 1;
            a == b
        });
        count
    }

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("*", "anything"),
            ("sqs:Send*", "sqs:SendMessage"),
            ("sqs:*Message", "sqs:SendMessage"),
            ("arn:aws:sqs:*:*:orders", "arn:aws:sqs:eu-west-1:1:orders"),
            ("a?c", "abc"),
            ("a*b*c", "aXbYbZc"),
            ("**", "x"),
        ] {
            assert!(exactly(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "x"),
            ("?", ""),
            ("a", "A"),
            ("a?c", "ac"),
            ("sqs:Send*", "sqs:ReceiveMessage"),
            ("*s", "orders.fifo"),
            ("a*b", "aXbY"),
        ] {
            assert!(!exactly(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_makes_a_naive_matcher_run_for_ever_takes_no_time() {
        let pattern = format!("{}b", "a*".repeat(4_000));
        let text = "a".repeat(4_000);
        assert!(!exactly(&pattern, &text));
        assert!(comparisons(&pattern, &text) <= 2 * pattern.len());
        let worst = format!("*{}b", "a".repeat(100));
        assert!(comparisons(&worst, &text) <= 102 * text.len());
    }

    proptest! {
        #[test]
        fn it_says_what_the_definition_says(pattern in "[ab*?]{0,10}", text in "[ab]{0,12}") {
            prop_assert_eq!(exactly(&pattern, &text), naive(pattern.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn the_work_is_bounded_by_the_longest_stretch_without_a_star(
            pattern in "[ab*?]{0,60}",
            text in "[ab]{0,200}",
        ) {
            let stretch = pattern.split('*').map(str::len).max().unwrap_or(0);
            let bound = (text.len() + 1) * (stretch + 1) + pattern.len();
            prop_assert!(comparisons(&pattern, &text) <= bound);
        }
    }
}
