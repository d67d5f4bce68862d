//! The canonical path and the canonical query.
//!
//! Both work on bytes: what is not UTF-8 is signed as what it is. The unreserved characters are
//! RFC 3986's (letters, digits, `-`, `.`, `_`, `~`); every other byte is written `%XX` in upper case.

use std::ops::Range;

use percent_encoding::{percent_decode, percent_encode_byte};

use crate::canonical::Sink;
use crate::settings::{PathEncoding, PathNormalization};

/// Writes the canonical path. A path that does not begin with a slash is given one.
pub(crate) fn write_path(
    sink: &mut impl Sink,
    path: &[u8],
    encoding: PathEncoding,
    normalization: PathNormalization,
) {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    if normalization == PathNormalization::AsIs || is_normal(path) {
        sink.put(b"/");
        write_encoded(sink, path, encoding);
        return;
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut ends_in_slash = false;
    for segment in path.split(|&byte| byte == b'/') {
        ends_in_slash = matches!(segment, b"" | b"." | b"..");
        match segment {
            b"" | b"." => {}
            b".." => {
                kept.pop();
            }
            name => kept.push(name),
        }
    }
    for segment in &kept {
        sink.put(b"/");
        write_encoded(sink, segment, encoding);
    }
    if ends_in_slash || kept.is_empty() {
        sink.put(b"/");
    }
}

/// Whether a path, less its first slash, has no segment that normalising would take away.
/// The last segment may be empty: that is a final slash.
fn is_normal(path: &[u8]) -> bool {
    let mut segments = path.split(|&byte| byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        if matches!(segment, b"." | b"..") || (segment.is_empty() && !last) {
            return false;
        }
    }
    true
}

fn write_encoded(sink: &mut impl Sink, path: &[u8], encoding: PathEncoding) {
    for (at, segment) in path.split(|&byte| byte == b'/').enumerate() {
        if at > 0 {
            sink.put(b"/");
        }
        match encoding {
            PathEncoding::Double => write_plain(sink, segment),
            PathEncoding::Single => write_recoded(sink, segment),
        }
    }
}

/// Writes each byte that the text stands for in its canonical spelling, whichever way it is spelled.
pub(crate) fn write_recoded(sink: &mut impl Sink, mut text: &[u8]) {
    loop {
        text = write_unreserved(sink, text);
        let Some((byte, rest)) = split_first_decoded(text) else {
            return;
        };
        write_byte(sink, byte);
        text = rest;
    }
}

/// Writes plain bytes, such as a query's key or value before it is encoded.
pub(crate) fn write_plain(sink: &mut impl Sink, mut plain: &[u8]) {
    loop {
        plain = write_unreserved(sink, plain);
        let Some((&byte, rest)) = plain.split_first() else {
            return;
        };
        write_byte(sink, byte);
        plain = rest;
    }
}

/// Writes the unreserved characters that a text begins with; the rest of it.
fn write_unreserved<'a>(sink: &mut impl Sink, text: &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|&byte| !is_unreserved(byte));
    let (run, rest) = text.split_at(end.unwrap_or(text.len()));
    if !run.is_empty() {
        sink.put(run);
    }
    rest
}

/// The byte that an encoded text begins with, and the rest of it. A `%` that no two hexadecimal
/// digits follow stands for itself, and so does a `+`.
fn split_first_decoded(text: &[u8]) -> Option<(u8, &[u8])> {
    if let [b'%', high, low, rest @ ..] = text
        && let (Some(high), Some(low)) = (hex_digit(*high), hex_digit(*low))
    {
        return Some((high << 4 | low, rest));
    }
    text.split_first().map(|(&byte, rest)| (byte, rest))
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Writes one byte in its canonical spelling.
fn write_byte(sink: &mut impl Sink, byte: u8) {
    if is_unreserved(byte) {
        sink.put(&[byte]);
    } else {
        sink.put(percent_encode_byte(byte).as_bytes());
    }
}

const fn is_unreserved(byte: u8) -> bool {
    UNRESERVED[byte as usize]
}

/// RFC 3986, section 2.3. A table, since every byte of a query is looked up.
const UNRESERVED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        byte += 1;
    }
    table
};

/// The canonical query: every parameter spelled canonically, in one buffer, in canonical order.
#[derive(Clone, Default)]
pub(crate) struct Query {
    /// The parameters as `key=value`, one after the other.
    text: Vec<u8>,
    parameters: Vec<Parameter>,
}

#[derive(Clone, Copy)]
struct Parameter {
    start: usize,
    equals: usize,
    end: usize,
}

impl Query {
    /// The parameters of a query on the wire, but for those that `leave_out` names.
    /// Names are compared after decoding; the names given must be of unreserved characters.
    pub(crate) fn parse(wire: Option<&[u8]>, leave_out: &[&str]) -> Self {
        let mut query = Self::default();
        let mut rest = wire.unwrap_or_default();
        if rest.is_empty() {
            return query;
        }
        query.text.reserve(rest.len() + rest.len() / 2);
        let separators = rest.iter().filter(|&&byte| byte == b'&').count();
        query.parameters.reserve(separators + 1);
        let mut start = 0;
        let mut equals = None;
        loop {
            rest = write_unreserved(&mut query.text, rest);
            match rest {
                [b'=', after @ ..] if equals.is_none() => {
                    equals = Some(query.text.len());
                    query.text.push(b'=');
                    rest = after;
                }
                [] | [b'&', ..] => {
                    query.end_parameter(start, equals, leave_out);
                    (start, equals) = (query.text.len(), None);
                    let Some((_, after)) = rest.split_first() else {
                        return query;
                    };
                    rest = after;
                }
                encoded => {
                    if let Some((byte, after)) = split_first_decoded(encoded) {
                        write_byte(&mut query.text, byte);
                        rest = after;
                    }
                }
            }
        }
    }

    /// Adds a parameter given in plain text.
    pub(crate) fn push(&mut self, key: &str, value: &str) {
        let start = self.text.len();
        self.text.extend_from_slice(key.as_bytes());
        let equals = self.text.len();
        self.text.push(b'=');
        write_plain(&mut self.text, value.as_bytes());
        self.parameters.push(Parameter {
            start,
            equals,
            end: self.text.len(),
        });
    }

    /// Puts the parameters in the order of their encoded keys, and for one key of their encoded
    /// values. Sorting `key=value` texts instead would be wrong: `-` sorts before `=`.
    pub(crate) fn sort(&mut self) {
        let text = &self.text;
        let value = |p: &Parameter| &text[p.equals + 1..p.end];
        let key = |p: &Parameter| &text[p.start..p.equals];
        self.parameters
            .sort_unstable_by(|a, b| key(a).cmp(key(b)).then_with(|| value(a).cmp(value(b))));
    }

    pub(crate) fn write(&self, sink: &mut impl Sink) {
        for (at, parameter) in self.parameters.iter().enumerate() {
            if at > 0 {
                sink.put(b"&");
            }
            sink.put(&self.text[parameter.start..parameter.end]);
        }
    }

    /// Takes away every parameter of this name, which must be of unreserved characters.
    pub(crate) fn remove(&mut self, name: &str) {
        let text = &self.text;
        self.parameters
            .retain(|p| &text[p.start..p.equals] != name.as_bytes());
    }

    /// The length of what [`write`](Self::write) writes, at most.
    pub(crate) fn len_bound(&self) -> usize {
        self.text.len() + self.parameters.len()
    }

    /// Whether there is a parameter of one of these names, which must be of unreserved characters.
    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        let mut keys = self
            .parameters
            .iter()
            .map(|p| &self.text[p.start..p.equals]);
        keys.any(|key| names.iter().any(|name| name.as_bytes() == key))
    }

    /// Takes what was written since `start` for a parameter, unless it is nothing or to be left out.
    fn end_parameter(&mut self, start: usize, equals: Option<usize>, leave_out: &[&str]) {
        let equals = equals.unwrap_or_else(|| {
            let end = self.text.len();
            if end > start {
                self.text.push(b'=');
            }
            end
        });
        let (key, end) = (&self.text[start..equals], self.text.len());
        if leave_out.iter().any(|name| name.as_bytes() == key) {
            self.text.truncate(start);
        } else if end > start {
            self.parameters.push(Parameter { start, equals, end });
        }
    }
}

/// The parameters of a query on the wire: where each stands, its key, its value, both still encoded.
/// A key without `=` has an empty value; empty pieces are no parameters.
pub(crate) fn pieces(wire: &[u8]) -> impl Iterator<Item = (Range<usize>, &[u8], &[u8])> {
    let mut next = 0;
    wire.split(|&byte| byte == b'&').filter_map(move |piece| {
        let start = next;
        next = start + piece.len() + 1;
        if piece.is_empty() {
            return None;
        }
        let equals = piece.iter().position(|&byte| byte == b'=');
        let (key, value) = match equals {
            Some(at) => (&piece[..at], &piece[at + 1..]),
            None => (piece, &piece[..0]),
        };
        Some((start..start + piece.len(), key, value))
    })
}

/// Whether an encoded key stands for this plain name.
pub(crate) fn is_named(key: &[u8], name: &str) -> bool {
    let name = name.as_bytes();
    // Most keys of other names are told apart by their first byte.
    key == name
        || (key.first() == name.first() || key.first() == Some(&b'%'))
            && key.contains(&b'%')
            && percent_decode(key).eq(name.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &[u8], encoding: PathEncoding, normalization: PathNormalization) -> String {
        let mut out = Vec::new();
        write_path(&mut out, path, encoding, normalization);
        String::from_utf8(out).unwrap()
    }

    fn query(wire: &[u8]) -> String {
        let mut query = Query::parse(Some(wire), &["X-Amz-Signature"]);
        query.sort();
        let mut out = Vec::new();
        query.write(&mut out);
        assert!(out.len() <= query.len_bound());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dot_and_empty_segments_are_resolved() {
        for (given, expected) in [
            ("", "/"),
            ("/", "/"),
            ("a", "/a"),
            ("/a/", "/a/"),
            ("//", "/"),
            ("/./", "/"),
            ("/.", "/"),
            ("/..", "/"),
            ("/../../a", "/a"),
            ("/a/..", "/"),
            ("/a/b/..", "/a/"),
            ("/a/.", "/a/"),
            ("/a/./b", "/a/b"),
            ("//a//b//", "/a/b/"),
            ("/a/../../b", "/b"),
            ("/a/...", "/a/..."),
            ("/.a/b.", "/.a/b."),
            ("/%2E%2E/a%2Fb", "/%252E%252E/a%252Fb"),
        ] {
            let normal = path(
                given.as_bytes(),
                PathEncoding::Double,
                PathNormalization::Normalize,
            );
            assert_eq!(normal, expected, "{given:?}");
        }
    }

    #[test]
    fn as_is_keeps_every_segment() {
        for (given, expected) in [
            ("", "/"),
            ("//", "//"),
            ("/a/../b/.", "/a/../b/."),
            ("a//b", "/a//b"),
        ] {
            let kept = path(
                given.as_bytes(),
                PathEncoding::Double,
                PathNormalization::AsIs,
            );
            assert_eq!(kept, expected, "{given:?}");
        }
    }

    #[test]
    fn double_encodes_what_is_on_the_wire() {
        let double = |given: &[u8]| path(given, PathEncoding::Double, PathNormalization::AsIs);
        assert_eq!(double(b"/a%20b"), "/a%2520b");
        assert_eq!(
            double("/a b/é~-._:@!$".as_bytes()),
            "/a%20b/%C3%A9~-._%3A%40%21%24"
        );
        assert_eq!(double(b"/\xff%zz"), "/%FF%25zz");
    }

    #[test]
    fn single_spells_each_byte_once() {
        let single = |given: &[u8]| path(given, PathEncoding::Single, PathNormalization::AsIs);
        assert_eq!(single(b"/a%20b"), "/a%20b");
        assert_eq!(single(b"/a b"), "/a%20b");
        assert_eq!(single(b"/%41%7e/%c3%a9"), "/A~/%C3%A9");
        assert_eq!(single(b"/a%2fb//@"), "/a%2Fb//%40");
        assert_eq!(single(b"/\xff%zz%"), "/%FF%25zz%25");
        assert_eq!(single(b"/a+b"), "/a%2Bb");
    }

    #[test]
    fn queries_are_recoded_and_sorted_by_encoded_key_then_value() {
        for (given, expected) in [
            ("", ""),
            ("&&", ""),
            ("versioning", "versioning="),
            ("=v&=", "=&=v"),
            ("b=2&a=2&a=1&a", "a=&a=1&a=2&b=2"),
            ("select-type=1&select=2", "select=2&select-type=1"),
            ("a=b=c", "a=b%3Dc"),
            ("k=a+b&k=a%20b&k=a b", "k=a%20b&k=a%20b&k=a%2Bb"),
            ("k=%ff&k=%7E&k=%41", "k=%FF&k=A&k=~"),
            ("k=100%", "k=100%25"),
            ("Param=1&%E1%88%B4=2", "%E1%88%B4=2&Param=1"),
            (
                "a=1&X-Amz-Signature=00&X%2DAmz-Signature=11&x-amz-signature=22",
                "a=1&x-amz-signature=22",
            ),
        ] {
            assert_eq!(query(given.as_bytes()), expected, "{given:?}");
        }
        assert_eq!(query("k=\u{1234}".as_bytes()), "k=%E1%88%B4");
        assert_eq!(query(b"k=\xff"), "k=%FF");
    }

    #[test]
    fn pieces_know_where_they_stand() {
        let wire = b"&a=1&&b";
        let found: Vec<_> = pieces(wire).map(|(range, ..)| &wire[range]).collect();
        assert_eq!(found, [&b"a=1"[..], b"b"]);
    }

    #[test]
    fn an_encoded_key_is_found_by_its_name() {
        assert!(is_named(b"X-Amz-Date", "X-Amz-Date"));
        assert!(is_named(b"%58-Amz%2dDate", "X-Amz-Date"));
        assert!(!is_named(b"x-amz-date", "X-Amz-Date"));
        assert!(!is_named(b"X-Amz-Dat", "X-Amz-Date"));
    }
}
