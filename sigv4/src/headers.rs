//! The canonical headers: which are signed, in which order, and how a value is spelled.

use std::cmp::Ordering;

use crate::canonical::Sink;
use crate::error::SignError;
use crate::request::Request;
use crate::short::Short;
use crate::text;

pub(crate) const AUTHORIZATION: &str = "authorization";
pub(crate) const CONTENT_SHA256: &str = "x-amz-content-sha256";
pub(crate) const DATE: &str = "x-amz-date";
pub(crate) const DECODED_LENGTH: &str = "x-amz-decoded-content-length";
pub(crate) const HOST: &str = "host";
pub(crate) const REGION_SET: &str = "x-amz-region-set";
pub(crate) const SECURITY_TOKEN: &str = "x-amz-security-token";
pub(crate) const TRAILER: &str = "x-amz-trailer";

/// The headers whose values are as good as a password, while they last or for good: nothing that is
/// made to be read by people shows them. Some are sent as query parameters too.
const SECRET: [&str; 7] = [
    AUTHORIZATION,
    "cookie",
    "proxy-authorization",
    "x-amz-copy-source-server-side-encryption-customer-key",
    "x-amz-s3session-token",
    SECURITY_TOKEN,
    "x-amz-server-side-encryption-customer-key",
];

/// The headers that signing sets itself, and therefore replaces.
pub(crate) const SET_BY_SIGNING: [&str; 4] = [AUTHORIZATION, DATE, SECURITY_TOKEN, CONTENT_SHA256];

/// The same where the regions stand in a header of their own.
pub(crate) const SET_BY_SIGNING_FOR_REGIONS: [&str; 5] = [
    AUTHORIZATION,
    DATE,
    SECURITY_TOKEN,
    CONTENT_SHA256,
    REGION_SET,
];

/// The headers that a [`Signer`](crate::Signer) leaves out of the signature, since programs between
/// client and server may change them: the hop-by-hop ones (RFC 9110, section 7.6.1), those of a
/// WebSocket handshake, `expect`, `user-agent` and `x-amzn-trace-id`. It is the union of what AWS's
/// own signers leave out, as far as those headers do not reach the service.
///
/// Verifying does not use this list: it covers what the request says it signed.
pub const UNSIGNED_HEADERS: [&str; 17] = [
    AUTHORIZATION,
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "sec-websocket-extensions",
    "sec-websocket-key",
    "sec-websocket-protocol",
    "sec-websocket-version",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-amzn-trace-id",
];

/// The signed lines of a request. SDKs send some five to ten.
pub(crate) type Lines<'a> = Short<HeaderLine<'a>, 8>;

/// One header line that is signed.
#[derive(Clone, Copy, Default)]
pub(crate) struct HeaderLine<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) value: &'a [u8],
}

impl<'a> HeaderLine<'a> {
    pub(crate) fn new(name: &'a str, value: &'a [u8]) -> Self {
        let name = Name::new(name);
        Self { name, value }
    }
}

/// The name of a header, to be compared as its lower-case bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    /// The first eight bytes in lower case, as a number that is ordered as they are. Most names are
    /// told apart by it.
    start: u64,
}

impl<'a> Name<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let start = match bytes.first_chunk() {
            Some(first) => u64::from_be_bytes(*first),
            None => {
                let number = bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
                number << 8 << (8 * (7 - bytes.len()))
            }
        };
        Self {
            text,
            start: text::lower_case(start),
        }
    }
}

impl Name<'_> {
    /// Whether this name is among sorted ones.
    pub(crate) fn is_in(&self, sorted: &[Self]) -> bool {
        let first = sorted.partition_point(|other| other.start < self.start);
        let mut candidates = sorted[first..]
            .iter()
            .take_while(|other| other.start == self.start);
        candidates.any(|other| other == self)
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start
            && (self.text == other.text || self.text.eq_ignore_ascii_case(other.text))
    }
}

impl Eq for Name<'_> {}

impl PartialOrd for Name<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.start
            .cmp(&other.start)
            .then_with(|| compare_lower_case(self.text, other.text))
    }
}

/// The lines of a request that a signature covers: all but [`UNSIGNED_HEADERS`], those named in
/// `replaced`, and those in `left_out` that need not be signed. Not yet sorted.
pub(crate) fn signable<'a>(
    request: &Request<'a>,
    replaced: &[&str],
    left_out: &[&str],
) -> Result<Lines<'a>, SignError> {
    let mut lines = Lines::new();
    for &(name, value) in request.headers {
        if is_in(name, &UNSIGNED_HEADERS) || is_in(name, replaced) {
            continue;
        }
        if is_in(name, left_out) && !must_be_signed(name) {
            continue;
        }
        if !is_token(name) {
            return Err(SignError::HeaderName(name.to_owned()));
        }
        lines.push(HeaderLine::new(name, value));
    }
    Ok(lines)
}

/// Whether a header must be signed wherever it is sent: `host` and every `x-amz-*`.
pub(crate) fn must_be_signed(name: &str) -> bool {
    name.eq_ignore_ascii_case(HOST) || is_amz(name)
}

pub(crate) fn is_amz(name: &str) -> bool {
    name.as_bytes()
        .get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"x-amz-"))
}

/// Whether a header's value is as good as a password.
pub(crate) fn is_secret(name: &str) -> bool {
    is_in(name, &SECRET)
}

/// Where in a text the value of a query parameter begins that is as good as a password.
pub(crate) fn secret_parameter_in(text: &str) -> Option<usize> {
    let text = text.to_ascii_lowercase();
    let ends = SECRET.iter().flat_map(|name| {
        let places = text.match_indices(name);
        places.map(|(at, name)| at + name.len())
    });
    ends.filter(|&end| text[end..].starts_with('='))
        .map(|end| end + 1)
        .min()
}

/// Sorts lines by name in lower case; lines of one name stay in wire order.
pub(crate) fn sort(lines: &mut [HeaderLine<'_>]) {
    lines.sort_by_key(|line| line.name);
}

/// Writes `name:value` lines. The values of one name are joined with commas; `lines` are sorted.
pub(crate) fn write_lines(sink: &mut impl Sink, lines: &[HeaderLine<'_>]) {
    for same in lines.chunk_by(|a, b| a.name == b.name) {
        for (at, line) in same.iter().enumerate() {
            if at == 0 {
                write_lower_case(sink, line.name.text);
            }
            sink.put(if at == 0 { b":" } else { b"," });
            write_folded(sink, line.value);
        }
        sink.put(b"\n");
    }
}

/// Appends the names of sorted lines, in lower case, separated by semicolons.
pub(crate) fn push_names(text: &mut String, lines: &[HeaderLine<'_>]) {
    for (at, same) in lines.chunk_by(|a, b| a.name == b.name).enumerate() {
        if at > 0 {
            text.push(';');
        }
        let start = text.len();
        text.push_str(same[0].name.text);
        text[start..].make_ascii_lowercase();
    }
}

fn compare_lower_case(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let lower_case = |byte: u8| byte.to_ascii_lowercase();
    a.bytes().map(lower_case).cmp(b.bytes().map(lower_case))
}

/// Whether a text is an HTTP token (RFC 9110, section 5.6.2), as methods and header names are.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text::is_all(text, |byte| CLASSES[usize::from(byte)] & TOKEN != 0)
}

/// Splits off what a text begins with of a token without capital letters; that can be nothing.
pub(crate) fn split_lower_case_token(text: &str) -> (&str, &str) {
    let is_other = |byte: u8| CLASSES[usize::from(byte)] & LOWER_CASE_TOKEN == 0;
    let end = text.bytes().position(is_other);
    text.split_at(end.unwrap_or(text.len()))
}

const TOKEN: u8 = 1;
const LOWER_CASE_TOKEN: u8 = 2;

/// The classes a byte belongs to. A table, since every byte of every name is looked up.
const CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        if byte.is_ascii_uppercase() {
            table[byte as usize] = TOKEN;
        } else if byte.is_ascii_alphanumeric() {
            table[byte as usize] = TOKEN | LOWER_CASE_TOKEN;
        }
        byte += 1;
    }
    let marks = b"!#$%&'*+-.^_`|~";
    let mut at = 0;
    while at < marks.len() {
        table[marks[at] as usize] = TOKEN | LOWER_CASE_TOKEN;
        at += 1;
    }
    table
};

/// The method, if it is one, or else what it is: a line feed in it would make two readings of one
/// canonical request.
pub(crate) fn checked_method<'a>(request: &Request<'a>) -> Result<&'a str, String> {
    if is_token(request.method) {
        Ok(request.method)
    } else {
        Err(request.method.to_owned())
    }
}

/// A value without the white space around it.
pub(crate) fn trim(value: &[u8]) -> &[u8] {
    let start = value
        .iter()
        .position(|&b| !is_space(b))
        .unwrap_or(value.len());
    let end = value
        .iter()
        .rposition(|&b| !is_space(b))
        .map_or(start, |last| last + 1);
    &value[start..end]
}

fn is_in(name: &str, list: &[&str]) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Space, tab, and the line ends of an obsolete fold. No line end reaches the canonical request
/// from within a value, so that no value can pass for another header.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Writes a value trimmed, every run of white space in it as one space, also between quotes.
pub(crate) fn write_folded(sink: &mut impl Sink, value: &[u8]) {
    if is_unbroken(value) {
        sink.put(value);
        return;
    }
    let mut words = value
        .split(|&byte| is_space(byte))
        .filter(|word| !word.is_empty());
    if let Some(word) = words.next() {
        sink.put(word);
    }
    for word in words {
        sink.put(b" ");
        sink.put(word);
    }
}

/// Whether a value holds no white space, which is below the characters that can be seen: most hold
/// nothing of that.
fn is_unbroken(value: &[u8]) -> bool {
    text::is_all(value, |byte| byte > b' ')
}

fn write_lower_case(sink: &mut impl Sink, name: &str) {
    if is_lower_case(name) {
        sink.put(name.as_bytes());
        return;
    }
    for byte in name.bytes() {
        sink.put(&[byte.to_ascii_lowercase()]);
    }
}

fn is_lower_case(name: &str) -> bool {
    text::is_all(name, |byte| !byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(headers: &[(&str, &[u8])]) -> (Vec<u8>, String) {
        let request = Request::new("GET", "/", headers);
        let mut lines = signable(&request, &SET_BY_SIGNING, &[]).unwrap();
        sort(&mut lines);
        let (mut text, mut names) = (Vec::new(), String::new());
        write_lines(&mut text, &lines);
        push_names(&mut names, &lines);
        (text, names)
    }

    #[test]
    fn repeated_headers_are_joined_in_wire_order() {
        let (text, names) = canonical(&[
            ("P", b"z"),
            ("A", b"1"),
            ("p", b"a"),
            ("P", b"z"),
            ("P-1", b"x"),
        ]);
        assert_eq!(text, b"a:1\np:z,a,z\np-1:x\n");
        assert_eq!(names, "a;p;p-1");
    }

    #[test]
    fn white_space_is_folded() {
        let (text, _) = canonical(&[("A", b"  \t\"b \t  c\"\r\n  d \n"), ("B", b" \t ")]);
        assert_eq!(text, b"a:\"b c\" d\nb:\n");
    }

    #[test]
    fn bytes_that_are_not_text_are_kept() {
        assert_eq!(canonical(&[("A", b"\xff\xe9")]).0, b"a:\xff\xe9\n");
    }

    #[test]
    fn what_proxies_change_is_left_out() {
        let mixed: Vec<String> = UNSIGNED_HEADERS.iter().map(|n| n.to_uppercase()).collect();
        let headers: Vec<(&str, &[u8])> = mixed.iter().map(|n| (n.as_str(), &b"x"[..])).collect();
        assert_eq!(canonical(&headers).0, b"");
    }

    #[test]
    fn more_can_be_left_out_but_not_what_must_be_signed() {
        let headers: [(&str, &[u8]); 4] = [
            ("Host", b"a"),
            ("X-Amz-Target", b"b"),
            ("Accept-Encoding", b"gzip"),
            ("Accept", b"c"),
        ];
        let left_out = ["host", "x-amz-target", "accept-encoding"];
        let lines = signable(&Request::new("GET", "/", &headers), &[], &left_out).unwrap();
        let names: Vec<&str> = lines.iter().map(|line| line.name.text).collect();
        assert_eq!(names, ["Host", "X-Amz-Target", "Accept"]);
    }

    #[test]
    fn names_that_are_no_tokens_are_refused() {
        for name in ["", "a b", "a:b", "a\nb", "é"] {
            let headers = [(name, &b"x"[..])];
            let refused = signable(&Request::new("GET", "/", &headers), &[], &[]).map(|_| ());
            assert_eq!(refused, Err(SignError::HeaderName(name.to_owned())));
        }
    }

    #[test]
    fn trimming_leaves_what_is_inside() {
        assert_eq!(trim(b" \ta b\r\n"), b"a b");
        assert_eq!(trim(b"  "), b"");
        assert_eq!(trim(b""), b"");
    }
}
