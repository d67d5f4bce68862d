//! The paths that a Rust source names, read from its text without comments and strings.
//!
//! It is a reader for our own sources, not for all of Rust: macros are taken as written.

use std::iter::Peekable;
use std::str::CharIndices;

/// A path such as `std::time::SystemTime::now`.
#[derive(Debug, PartialEq)]
pub struct Named {
    /// The line it begins on, from 1.
    pub line: usize,
    /// Its parts.
    pub parts: Vec<String>,
}

impl Named {
    /// Whether this path names `other`: begins with it if that is a single word, and has all
    /// its parts next to each other otherwise.
    #[must_use]
    pub fn names(&self, other: &str) -> bool {
        let other: Vec<&str> = other.split("::").collect();
        match other.as_slice() {
            [name] => self.parts.first().is_some_and(|first| first == name),
            several => self
                .parts
                .windows(several.len())
                .any(|parts| parts == several),
        }
    }
}

/// The paths of a source: those of its `use` declarations spelled out in full, and every path
/// of two or more parts elsewhere.
#[must_use]
pub fn paths(source: &str) -> Vec<Named> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((line, token)) = tokens.get(at) {
        match token {
            Token::Word(word) if word == "use" => {
                at = use_tree(&tokens, at + 1, &[], &mut found);
            }
            Token::Word(word) => {
                let line = *line;
                let mut parts = vec![word.clone()];
                at += 1;
                while let [(_, Token::PathSeparator), (_, Token::Word(word)), ..] = &tokens[at..] {
                    parts.push(word.clone());
                    at += 2;
                }
                if parts.len() > 1 {
                    found.push(Named { line, parts });
                }
            }
            Token::PathSeparator | Token::Other(_) => at += 1,
        }
    }
    found
}

/// Reads one tree of a `use` declaration that stands at `at` below `parents`, and returns where
/// it ends.
fn use_tree(
    tokens: &[(usize, Token)],
    mut at: usize,
    parents: &[String],
    found: &mut Vec<Named>,
) -> usize {
    let mut parts = parents.to_vec();
    let mut line = tokens.get(at).map_or(0, |(line, _)| *line);
    while let Some((here, token)) = tokens.get(at) {
        match token {
            Token::Word(word) if word == "as" => {
                // The new name is no part of the path.
                at += 2;
            }
            Token::Word(word) => {
                line = *here;
                parts.push(word.clone());
                at += 1;
            }
            Token::PathSeparator | Token::Other('*') => at += 1,
            Token::Other('{') => {
                at += 1;
                while !matches!(tokens.get(at), None | Some((_, Token::Other('}')))) {
                    at = use_tree(tokens, at, &parts, found);
                    if let Some((_, Token::Other(','))) = tokens.get(at) {
                        at += 1;
                    }
                }
                return at + 1;
            }
            Token::Other(_) => break,
        }
    }
    if parts.len() > parents.len() {
        found.push(Named { line, parts });
    }
    // Anything but the end of this tree belongs to no `use` declaration; go past it.
    match tokens.get(at) {
        Some((_, Token::Other(',' | '}'))) => at,
        _ => at + 1,
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    PathSeparator,
    Other(char),
}

/// The source's words and signs, each with its line; white space, comments, strings and
/// characters are left out.
fn tokens(source: &str) -> Vec<(usize, Token)> {
    Lexer {
        chars: source.char_indices().peekable(),
        source,
        line: 1,
        tokens: Vec::new(),
    }
    .read()
}

struct Lexer<'a> {
    chars: Peekable<CharIndices<'a>>,
    source: &'a str,
    line: usize,
    tokens: Vec<(usize, Token)>,
}

impl Lexer<'_> {
    fn read(mut self) -> Vec<(usize, Token)> {
        while let Some((at, c)) = self.next() {
            let rest = &self.source[at..];
            if rest.starts_with("//") {
                self.skip_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                self.skip_block_comment();
            } else if let Some(hashes) = raw_string(rest) {
                self.skip_raw_string(hashes);
            } else if c == '"' {
                self.skip_quoted('"');
            } else if c == '\'' {
                self.skip_character_or_lifetime();
            } else if is_word(c) {
                self.word(at);
            } else if rest.starts_with("::") {
                self.next();
                self.push(Token::PathSeparator);
            } else if !c.is_whitespace() {
                self.push(Token::Other(c));
            }
        }
        self.tokens
    }

    fn next(&mut self) -> Option<(usize, char)> {
        let next = self.chars.next();
        if let Some((_, '\n')) = next {
            self.line += 1;
        }
        next
    }

    fn push(&mut self, token: Token) {
        self.tokens.push((self.line, token));
    }

    fn skip_while(&mut self, condition: impl Fn(char) -> bool) {
        while self.chars.peek().is_some_and(|(_, c)| condition(*c)) {
            self.next();
        }
    }

    fn word(&mut self, start: usize) {
        self.skip_while(is_word);
        let end = self.chars.peek().map_or(self.source.len(), |(at, _)| *at);
        let word = self.source[start..end].to_owned();
        self.push(Token::Word(word));
    }

    /// To the end of a comment whose first sign is read; they nest.
    fn skip_block_comment(&mut self) {
        let mut depth = 1;
        self.next();
        while depth > 0
            && let Some((at, _)) = self.next()
        {
            let rest = &self.source[at..];
            if rest.starts_with("/*") {
                depth += 1;
                self.next();
            } else if rest.starts_with("*/") {
                depth -= 1;
                self.next();
            }
        }
    }

    fn skip_quoted(&mut self, quote: char) {
        while let Some((_, c)) = self.next() {
            if c == '\\' {
                self.next();
            } else if c == quote {
                break;
            }
        }
    }

    /// To the end of a raw string whose first letter is read.
    fn skip_raw_string(&mut self, hashes: usize) {
        self.skip_while(|c| c != '"');
        self.next();
        let end = format!("\"{}", "#".repeat(hashes));
        while let Some((at, _)) = self.next() {
            if self.source[at..].starts_with(&end) {
                (0..hashes).for_each(|_| {
                    self.next();
                });
                break;
            }
        }
    }

    /// `'a'` and `'\n'` are characters; `'a` without a quote behind it is a lifetime.
    fn skip_character_or_lifetime(&mut self) {
        let Some((at, c)) = self.chars.peek().copied() else {
            return;
        };
        if c == '\\' || self.source[at + c.len_utf8()..].starts_with('\'') {
            self.skip_quoted('\'');
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number of `#` of a raw string (`r"`, `r#"`, `br#"`) that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let rest = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].starts_with('"').then_some(hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Vec<(usize, String)> {
        paths(source)
            .into_iter()
            .map(|path| (path.line, path.parts.join("::")))
            .collect()
    }

    #[track_caller]
    fn check(source: &str, expected: &[(usize, &str)]) {
        let expected: Vec<(usize, String)> = expected
            .iter()
            .map(|(line, path)| (*line, (*path).to_owned()))
            .collect();
        assert_eq!(read(source), expected, "in {source}");
    }

    #[test]
    fn use_declarations_are_spelled_out() {
        check("use tokio;", &[(1, "tokio")]);
        check(
            "use a::b::*;\nuse ::c::d as e;",
            &[(1, "a::b"), (2, "c::d")],
        );
        check(
            "pub(crate) use std::{\n    fs::{self, File},\n    net::TcpStream as S,\n};\nuse z;",
            &[
                (2, "std::fs::self"),
                (2, "std::fs::File"),
                (3, "std::net::TcpStream"),
                (5, "z"),
            ],
        );
    }

    #[test]
    fn paths_in_code_are_found() {
        check(
            "fn f() -> io::Result<()> {\n    let now = std::time::SystemTime::now();\n}",
            &[(1, "io::Result"), (2, "std::time::SystemTime::now")],
        );
        check("Vec::<u8>::new(); a.b(c::d)", &[(1, "c::d")]);
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        check("// a::b\n/* c::d /* e::f */ g::h */ i::j", &[(2, "i::j")]);
        check("\"a::b \\\" c::d\" e::f", &[(1, "e::f")]);
        check("r#\"a::b \" c::d\"# br\"g::h\" e::f", &[(1, "e::f")]);
        check("'\"' a::b '\\'' c::d '\"'", &[(1, "a::b"), (1, "c::d")]);
        check("fn f<'a>(x: &'a str) -> b::C<'a> {}", &[(1, "b::C")]);
        check(
            "r::s robots::r br::b",
            &[(1, "r::s"), (1, "robots::r"), (1, "br::b")],
        );
    }

    #[test]
    fn a_broken_source_ends() {
        for source in [
            "use a::{b, {c",
            "use",
            "/* a",
            "\"a",
            "r#\"a",
            "'",
            "use a::{;}",
            "'\\",
        ] {
            let _ = paths(source);
        }
    }

    #[test]
    fn a_path_names_another() {
        let path = Named {
            line: 1,
            parts: vec!["std".into(), "time".into(), "now".into()],
        };
        for (other, named) in [
            ("std", true),
            ("time", false),
            ("time::now", true),
            ("std::now", false),
        ] {
            assert_eq!(path.names(other), named, "{other}");
        }
    }
}
