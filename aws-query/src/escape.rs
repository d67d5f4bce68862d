//! Text as XML carries it.

/// Appends `text` so that a conforming XML parser gives it back, byte for byte, from the content of
/// an element.
///
/// A carriage return is written as a character reference, since a parser would otherwise turn it
/// into a line feed. Characters that [XML 1.0] cannot write at all, not even as a reference, become
/// U+FFFD, the replacement character: the control characters except tab, line feed and carriage
/// return, and U+FFFE and U+FFFF.
///
/// [XML 1.0]: https://www.w3.org/TR/xml/#charsets
pub(crate) fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(may_need_escape) {
        let (clean, from) = rest.split_at(at);
        out.push_str(clean);
        let mut characters = from.chars();
        match characters.next() {
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            Some('>') => out.push_str("&gt;"),
            Some('"') => out.push_str("&quot;"),
            Some('\r') => out.push_str("&#13;"),
            Some('\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            Some(fine) => out.push(fine),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Whether a character that begins with this byte may have to be written otherwise. U+FFFE and
/// U+FFFF begin with EF.
const fn may_need_escape(byte: u8) -> bool {
    matches!(
        byte,
        b'&' | b'<' | b'>' | b'"' | 0..=0x08 | 0x0b..=0x1f | 0xef
    )
}
