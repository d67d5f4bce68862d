//! Splitting texts.

/// The pieces of a text between bytes of this kind, an ASCII character. As [`str::split`], which is
/// made for long pieces: here they are a few bytes each.
pub(crate) fn pieces(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (piece, after) = cut(rest?, separator);
        rest = after;
        Some(piece)
    })
}

/// What stands before the first byte of this kind, an ASCII character, and what stands after it.
pub(crate) fn cut(text: &str, separator: u8) -> (&str, Option<&str>) {
    match position(text.as_bytes(), separator) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Where the first byte of this kind stands. Eight at a time, since most pieces are longer.
fn position(text: &[u8], sought: u8) -> Option<usize> {
    const LOWEST: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    let (words, rest) = text.as_chunks();
    for (at, word) in words.iter().enumerate() {
        // Zero where it is equal. Subtracting borrows from zeros first, so the lowest mark is right.
        let difference = u64::from_le_bytes(*word) ^ u64::from_ne_bytes([sought; 8]);
        let marks = difference.wrapping_sub(LOWEST) & !difference & HIGHEST;
        if marks != 0 {
            return Some(8 * at + marks.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(|&byte| byte == sought)?;
    Some(text.len() - rest.len() + at)
}

/// Whether every byte is such a one. Looks at all of them, which the compiler does many at a time.
pub(crate) fn is_all(text: impl AsRef<[u8]>, is_such: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_ref().iter();
    let others = bytes.fold(0, |others, &byte| others | u8::from(!is_such(byte)));
    others == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_splits_as_str_does() {
        let long = format!("{};{};;{}", "a".repeat(15), "b".repeat(16), "c".repeat(40));
        for text in ["", ";", "a", "a;b", ";a;;b;", "é;à", &long] {
            let expected: Vec<&str> = text.split(';').collect();
            assert_eq!(pieces(text, b';').collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
