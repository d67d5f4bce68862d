//! Splitting texts.

/// The pieces of a text between bytes of this kind, an ASCII character. As [`str::split`], which is
/// made for long pieces: here they are a few bytes each.
#[inline]
pub(crate) fn pieces(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (piece, after) = cut(rest?, separator);
        rest = after;
        Some(piece)
    })
}

/// What stands before the first byte of this kind, an ASCII character, and what stands after it.
#[inline]
pub(crate) fn cut(text: &str, separator: u8) -> (&str, Option<&str>) {
    match position(text.as_bytes(), separator) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// A text without the spaces and tabs around it.
pub(crate) fn trim(mut text: &str) -> &str {
    while let [b' ' | b'\t', ..] = text.as_bytes() {
        text = &text[1..];
    }
    while let [.., b' ' | b'\t'] = text.as_bytes() {
        text = &text[..text.len() - 1];
    }
    text
}

/// Where the first byte of this kind stands. Eight at a time, since most pieces are longer.
#[inline]
fn position(text: &[u8], sought: u8) -> Option<usize> {
    let (words, rest) = text.as_chunks();
    for (at, word) in words.iter().enumerate() {
        if let Some(within) = position_in_word(*word, sought) {
            return Some(8 * at + within);
        }
    }
    match text.last_chunk() {
        // What of it was looked at before does not hold the byte.
        Some(last) if !rest.is_empty() => {
            position_in_word(*last, sought).map(|within| text.len() - last.len() + within)
        }
        Some(_) => None,
        None => text.iter().position(|&byte| byte == sought),
    }
}

#[inline]
fn position_in_word(word: [u8; 8], sought: u8) -> Option<usize> {
    const LOWEST: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    // Zero where it is equal. Subtracting borrows from zeros first, so the lowest mark is right.
    let difference = u64::from_le_bytes(word) ^ u64::from_ne_bytes([sought; 8]);
    let marks = difference.wrapping_sub(LOWEST) & !difference & HIGHEST;
    (marks != 0).then(|| marks.trailing_zeros() as usize / 8)
}

/// Eight bytes with the ASCII letters among them in lower case.
pub(crate) const fn lower_case(word: u64) -> u64 {
    const fn eight(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    let low = word & eight(0x7f);
    // The highest bit of each byte says whether it is at least this letter: no sum overflows its byte.
    let from_a = low + eight(0x80 - b'A');
    let past_z = low + eight(0x7f - b'Z');
    let is_capital = (from_a ^ past_z) & !word & eight(0x80);
    word | is_capital >> 2
}

/// Whether every byte is such a one. Looks at eight at a time: most texts are a few times that.
#[inline]
pub(crate) fn is_all(text: impl AsRef<[u8]>, is_such: impl Fn(u8) -> bool) -> bool {
    let is_other = |&byte: &u8| !is_such(byte);
    // Without a branch for each byte, so that the compiler makes one step of the eight.
    let has_other = |word: &[u8; 8]| word.iter().fold(false, |any, byte| any | is_other(byte));
    let text = text.as_ref();
    let (words, rest) = text.as_chunks::<8>();
    if words.iter().any(has_other) {
        return false;
    }
    match text.last_chunk::<8>() {
        // To look at some of them twice does no harm.
        Some(last) => !has_other(last),
        None => !rest.iter().any(is_other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capital_letter_has_a_lower_case() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut word = *b"aZ\x00\xff@[`{";
                word[at] = byte;
                let lower = lower_case(u64::from_be_bytes(word)).to_be_bytes();
                assert_eq!(lower, word.map(|b| b.to_ascii_lowercase()), "{word:?}");
            }
        }
    }

    #[test]
    fn spaces_and_tabs_around_a_text_are_none_of_it() {
        for text in ["", " \t", "a", "\t a \t b ", "a\n "] {
            assert_eq!(trim(text), text.trim_matches([' ', '\t']), "{text:?}");
        }
    }

    #[test]
    fn it_splits_as_str_does() {
        let lengths = (0..=40).chain([64, 65, 100]);
        let long: String = lengths.map(|length| "a".repeat(length) + ";").collect();
        for text in ["", ";", "a", "a;b", ";a;;b;", "é;à", &long] {
            let expected: Vec<&str> = text.split(';').collect();
            assert_eq!(pieces(text, b';').collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
