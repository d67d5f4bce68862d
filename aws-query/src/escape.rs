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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> String {
        let mut out = String::new();
        push_text(&mut out, of);
        out
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            text("a & b < c > \"d\" 'e'"),
            "a &amp; b &lt; c &gt; &quot;d&quot; 'e'"
        );
        assert_eq!(text("]]>"), "]]&gt;");
    }

    #[test]
    fn white_space_stays_what_it_is() {
        assert_eq!(text(" \t\n\r\r\n "), " \t\n&#13;&#13;\n ");
    }

    #[test]
    fn what_sqs_allows_in_a_body_is_written_as_it_is() {
        for fine in [
            "\u{d7ff}",
            "\u{e000}",
            "\u{fffd}",
            "\u{f000}",
            "\u{10000}",
            "\u{10ffff}",
            "\u{85}",
        ] {
            assert_eq!(text(fine), fine, "{fine:?}");
        }
    }

    #[test]
    fn what_xml_cannot_write_is_replaced() {
        for control in (0..0x20_u8).map(char::from) {
            let replaced = text(&control.to_string()) == "\u{fffd}";
            assert_eq!(
                replaced,
                !matches!(control, '\t' | '\n' | '\r'),
                "{control:?}"
            );
        }
        assert_eq!(text("a\u{fffe}b\u{ffff}c"), "a\u{fffd}b\u{fffd}c");
    }
}
