//! An HTTP request as bytes, and the text form that AWS's suite writes it in.
//!
//! This is not `http::Request`: the suite holds targets with a raw space and raw UTF-8, which are no
//! legal URIs and must be signed all the same.

use std::fmt;

/// An HTTP request as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// For instance `POST`.
    pub method: String,
    /// Path and query as they are on the wire.
    pub target: Vec<u8>,
    /// Names and values in the order sent. Values keep their white space, also before the first word.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Empty when there is none.
    pub body: Vec<u8>,
}

impl Message {
    /// Reads the suite's text form: a request line, header lines `Name:value`, and after an empty line
    /// the body, to the end of the text. Lines end in a line feed alone. A header line that begins with
    /// white space continues the value before it; as RFC 9112, section 5.2 asks, the line break becomes
    /// a space.
    ///
    /// # Errors
    ///
    /// A sentence that names the line and what was expected there.
    ///
    /// # Example
    ///
    /// ```
    /// use test_vectors::message::Message;
    ///
    /// let message = Message::parse("GET /a b?c HTTP/1.1\nHost:example.com\n")?;
    /// assert_eq!(message.target, b"/a b?c");
    /// assert_eq!(message.query(), Some(b"c".as_slice()));
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let (request_line, rest) = text.split_once('\n').unwrap_or((text, ""));
        let wrong = || {
            format!("line 1 is {request_line:?}; expected a request line like \"GET / HTTP/1.1\"")
        };
        let (method, target) = request_line
            .strip_suffix(" HTTP/1.1")
            .and_then(|line| line.split_once(' '))
            .filter(|(method, target)| !method.is_empty() && target.starts_with('/'))
            .ok_or_else(wrong)?;

        let (head, body) = match rest.strip_prefix('\n') {
            Some(body) => ("", body),
            None => rest.split_once("\n\n").unwrap_or((rest, "")),
        };
        let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
        for (index, line) in head.lines().enumerate() {
            let wrong = || {
                format!(
                    "line {} is {line:?}; expected a header line like \"Name:value\"",
                    index + 2
                )
            };
            if line.starts_with([' ', '\t']) {
                let (_, value) = headers.last_mut().ok_or_else(wrong)?;
                value.push(b' ');
                value.extend_from_slice(line.as_bytes());
            } else {
                headers.push(header(line).ok_or_else(wrong)?);
            }
        }
        Ok(Self {
            method: method.to_owned(),
            target: target.as_bytes().to_vec(),
            headers,
            body: body.as_bytes().to_vec(),
        })
    }

    /// The target up to the first question mark.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        split_target(&self.target).0
    }

    /// The target after the first question mark; `None` when there is none.
    #[must_use]
    pub fn query(&self) -> Option<&[u8]> {
        split_target(&self.target).1
    }

    /// The first value of a header, whatever the case of its name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let found = self
            .headers
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_slice())
    }

    /// The signature that it carries, in whichever form: the hexadecimal digits after `Signature=`.
    #[must_use]
    pub fn signature(&self) -> Option<String> {
        let claims = [self.header("authorization"), self.query()];
        let found = claims.into_iter().flatten().find_map(|claim| {
            let claim = std::str::from_utf8(claim).ok()?;
            claim.split_once("Signature=").map(|(_, rest)| rest)
        })?;
        let end = found.find(|c: char| !c.is_ascii_hexdigit());
        Some(found[..end.unwrap_or(found.len())].to_owned())
    }

    /// The headers as `sigv4` takes them.
    #[must_use]
    pub fn header_slices(&self) -> Vec<(&str, &[u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
            .collect()
    }

    /// The request in a form in which two requests that mean the same are the same text: names in
    /// lower case, headers and query parameters sorted, white space around values gone. Headers of one
    /// name keep their order, which is part of their meaning.
    #[must_use]
    pub fn comparable(&self) -> String {
        let mut headers: Vec<(String, String)> = self
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), text(value).trim().to_owned()))
            .collect();
        headers.sort_by(|(left, _), (right, _)| left.cmp(right));

        let mut lines = vec![format!("{} {}", self.method, text(self.path()))];
        if let Some(query) = self.query() {
            let query = text(query);
            let mut parameters: Vec<&str> = query.split('&').collect();
            parameters.sort_unstable();
            lines.extend(parameters.iter().map(|parameter| format!("? {parameter}")));
        }
        lines.extend(
            headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}")),
        );
        if !self.body.is_empty() {
            lines.push(String::new());
            lines.push(text(&self.body));
        }
        lines.join("\n")
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {} HTTP/1.1", self.method, text(&self.target))?;
        for (name, value) in &self.headers {
            writeln!(f, "{name}:{}", text(value))?;
        }
        write!(f, "\n{}", text(&self.body))
    }
}

/// Reads `Name:value`; the name must be a token in the sense of RFC 9110, section 5.6.2.
pub(crate) fn header(line: &str) -> Option<(String, Vec<u8>)> {
    let (name, value) = line.split_once(':')?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let named = !name.is_empty() && name.bytes().all(is_token);
    named.then(|| (name.to_owned(), value.as_bytes().to_vec()))
}

fn split_target(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match target.iter().position(|&byte| byte == b'?') {
        Some(at) => (&target[..at], Some(&target[at + 1..])),
        None => (target, None),
    }
}

/// For people: bytes that are no text show as `\xff`, so that different bytes look different.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_request_with_everything() {
        let text = "POST /a b?c=d HTTP/1.1\nHost:example.com\nFolded:one\n  two\n\tthree\nSpaced:  x \n\nbody\n\nmore";
        let message = Message::parse(text).unwrap();
        assert_eq!(message.method, "POST");
        assert_eq!(message.path(), b"/a b");
        assert_eq!(message.query(), Some(b"c=d".as_slice()));
        assert_eq!(message.header("host"), Some(b"example.com".as_slice()));
        assert_eq!(
            message.header("folded"),
            Some(b"one   two \tthree".as_slice())
        );
        assert_eq!(message.header("spaced"), Some(b"  x ".as_slice()));
        assert_eq!(message.body, b"body\n\nmore");
    }

    #[test]
    fn a_request_without_a_body_may_end_after_its_headers() {
        for text in [
            "GET / HTTP/1.1\nHost:a",
            "GET / HTTP/1.1\nHost:a\n",
            "GET / HTTP/1.1\nHost:a\n\n",
        ] {
            let message = Message::parse(text).unwrap();
            assert_eq!(
                message.headers,
                [("Host".to_owned(), b"a".to_vec())],
                "{text:?}"
            );
            assert_eq!(message.body, b"", "{text:?}");
        }
        assert_eq!(
            Message::parse("POST / HTTP/1.1\n\nbody").unwrap().body,
            b"body"
        );
    }

    #[test]
    fn refuses_what_is_no_request_and_names_the_line() {
        for (text, line) in [
            ("", "line 1"),
            ("GET /", "line 1"),
            ("GET HTTP/1.1\n", "line 1"),
            ("GET example.com HTTP/1.1\n", "line 1"),
            (" / HTTP/1.1\n", "line 1"),
            ("GET / HTTP/1.1\n folded:x\n", "line 2"),
            ("GET / HTTP/1.1\nHost:a\nno colon\n", "line 3"),
            ("GET / HTTP/1.1\nHost:a\nbad name:x\n", "line 3"),
            ("GET / HTTP/1.1\n:x\n", "line 2"),
        ] {
            let error = Message::parse(text).unwrap_err();
            assert!(
                error.starts_with(line) && error.contains("expected"),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn what_means_the_same_compares_equal_and_nothing_else_does() {
        let parse = |text| Message::parse(text).unwrap().comparable();
        let one = parse("GET /p?b=2&a=1 HTTP/1.1\nHost:h\nA:1\nA:2\n");
        assert_eq!(one, parse("GET /p?a=1&b=2 HTTP/1.1\na: 1\nHOST:h \nA:2\n"));
        for other in [
            "PUT /p?a=1&b=2 HTTP/1.1\nHost:h\nA:1\nA:2\n",
            "GET /q?a=1&b=2 HTTP/1.1\nHost:h\nA:1\nA:2\n",
            "GET /p?a=1&b=2&b=2 HTTP/1.1\nHost:h\nA:1\nA:2\n",
            "GET /p?a=1&b=2 HTTP/1.1\nHost:h\nA:2\nA:1\n",
            "GET /p?a=1&b=2 HTTP/1.1\nHost:h\nA:1\nA:2\n\nx",
        ] {
            assert_ne!(one, parse(other));
        }
    }
}
