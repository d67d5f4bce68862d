//! Takes a secret out of what the other side said, in whatever way it spelled it.

/// What stands where a secret was.
pub(super) const REDACTED: &str = "(redacted)";

/// How many bytes of a text may stand for one of the secret: `\u002f`.
pub(super) const LONGEST_SPELLING: usize = 6;

/// How much of the secret's beginning is taken for it where the text ends.
const BEGINNING: usize = 16;

/// The text without the secret, which is not empty; none if it is not in there.
///
/// Each byte of the secret may be written as it is, as JSON escapes it (`\/`, `\u002f`), as in a
/// URL (`%2F`) or as in HTML (`&#47;`, `&#x2F;`).
pub(super) fn without(text: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let mut clean = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        match len_at(&text[at..], secret) {
            Some(len) => {
                clean.extend_from_slice(&text[copied..at]);
                clean.extend_from_slice(REDACTED.as_bytes());
                at += len;
                copied = at;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    clean.extend_from_slice(&text[copied..]);
    Some(clean)
}

/// The same for text.
pub(super) fn text_without(text: &str, secret: &[u8]) -> Option<String> {
    let clean = without(text.as_bytes(), secret)?;
    Some(String::from_utf8_lossy(&clean).into_owned())
}

/// How long the secret is at the beginning of a text, if it is there.
fn len_at(text: &[u8], secret: &[u8]) -> Option<usize> {
    let mut at = 0;
    for (found, &byte) in secret.iter().enumerate() {
        match spelled(&text[at..], byte) {
            Some(len) => at += len,
            // It may be cut off, within a spelling too.
            None if found >= BEGINNING && text.len() - at < LONGEST_SPELLING => {
                return Some(text.len());
            }
            None => return None,
        }
    }
    Some(at)
}

/// How long the spelling of a byte is at the beginning of a text, if it is there.
fn spelled(text: &[u8], byte: u8) -> Option<usize> {
    let (len, value) = match text {
        [first, ..] if *first == byte => return Some(1),
        [b'\\', b'u', digits @ ..] => (6, number(digits.get(..4)?, 16)?),
        [b'\\', escaped, ..] => (2, u32::from(*escaped)),
        [b'%', digits @ ..] => (3, number(digits.get(..2)?, 16)?),
        [b'&', b'#', b'x' | b'X', digits @ ..] => {
            let end = end(digits)?;
            (end + 4, number(&digits[..end], 16)?)
        }
        [b'&', b'#', digits @ ..] => {
            let end = end(digits)?;
            (end + 3, number(&digits[..end], 10)?)
        }
        _ => return None,
    };
    (value == u32::from(byte)).then_some(len)
}

/// Where the semicolon is that soon ends a reference of HTML.
fn end(digits: &[u8]) -> Option<usize> {
    digits.iter().take(8).position(|digit| *digit == b';')
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "FwoGZXIv/YXdzEHUa+DHush==";

    fn clean(text: &str) -> Option<String> {
        text_without(text, SECRET.as_bytes())
    }

    #[test]
    fn a_secret_is_found_in_every_spelling() {
        for spelled in [
            SECRET.to_owned(),
            SECRET.replace('/', "\\/"),
            SECRET.replace('/', "\\u002f").replace('+', "\\u002B"),
            SECRET
                .replace('/', "%2F")
                .replace('+', "%2b")
                .replace('=', "%3D"),
            SECRET.replace('+', "&#43;").replace('=', "&#x3d;"),
            SECRET.replace('+', "&#043;").replace('=', "&#X3D;"),
            SECRET.replace('F', "\\u0046").replace('+', "%2B"),
        ] {
            for (before, after) in [("", ""), ("token:", " end"), ("Fwo", "=")] {
                let text = format!("{before}{spelled}{after}{spelled}");
                let expected = format!("{before}(redacted){after}(redacted)");
                assert_eq!(clean(&text), Some(expected), "{text}");
            }
        }
    }

    #[test]
    fn what_is_not_the_secret_stays() {
        for text in [
            "",
            "FwoGZXIv/YXdzEHUa+DHush=",
            "FwoGZXIv/YXdzEHUa DHush==",
            "FwoG",
            "100% \\u00 &#; &#x; &#99999999; %zz \\",
            "ünïcode",
        ] {
            let text = format!("{text}. And more.");
            assert_eq!(clean(&text), None, "{text}");
        }
    }

    #[test]
    fn a_secret_that_is_cut_off_is_taken_out_from_sixteen_bytes_on() {
        assert_eq!(clean(&SECRET[..15]), None);
        for text in [&SECRET[..16], &SECRET[..24], "FwoGZXIv/YXdzEHUa\\u00"] {
            assert_eq!(clean(&format!("a {text}")).as_deref(), Some("a (redacted)"));
        }
    }
}
