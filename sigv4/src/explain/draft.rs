//! All that a signature is computed from, each part open to change.
//!
//! [`Parts`](crate::canonical::Parts) writes the one right canonical request. This writes wrong ones
//! too: what a signer with a given habit, or on the other side of a given proxy, would have written.

use std::borrow::Cow;
use std::rc::Rc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};
use sha2::{Digest, Sha256};

use super::mistake::{
    EncodedPart, HeaderJoin, HeaderSpace, PathSpelling, QueryOrder, QuerySpelling,
};
use crate::canonical::Sink;
use crate::credentials::Secret;
use crate::headers;
use crate::key::{Signature, SigningKey, hex_of};
use crate::settings::{PathEncoding, PathNormalization};
use crate::time::DateTime;
use crate::uri;

/// Only the percent sign: encodes once more what is encoded.
const PERCENT: &AsciiSet = &CONTROLS.add(b'%');

/// What a signer may have signed.
#[derive(Clone)]
pub(super) struct Draft<'a> {
    pub(super) method: Cow<'a, str>,
    pub(super) path: Cow<'a, [u8]>,
    pub(super) path_spelling: PathSpelling,
    pub(super) path_normalization: PathNormalization,
    pub(super) query: Query<'a>,
    /// Where hexadecimal digits are written in lower case.
    pub(super) lower_case: Option<EncodedPart>,
    /// Sorted by name.
    pub(super) lines: Vec<Line<'a>>,
    pub(super) signed_headers: Cow<'a, str>,
    pub(super) payload: Cow<'a, [u8]>,
    pub(super) algorithm: &'static str,
    pub(super) date_time: DateTime,
    /// As the string to sign states it: day, region, service, terminator.
    pub(super) scope: [Cow<'a, str>; 4],
    /// As the key is derived for it.
    pub(super) key_scope: [Cow<'a, str>; 4],
    pub(super) secret: Rc<Secret>,
}

/// A header, with every value it was received with.
#[derive(Clone)]
pub(super) struct Line<'a> {
    /// In lower case.
    pub(super) name: Cow<'a, str>,
    pub(super) values: Vec<Cow<'a, [u8]>>,
    /// How the values are joined; none is the right way.
    pub(super) join: Option<HeaderJoin>,
    /// What becomes of white space; none is the right way.
    pub(super) space: Option<HeaderSpace>,
}

/// The query's parameters as they were received.
#[derive(Clone)]
pub(super) struct Query<'a> {
    pub(super) parameters: Vec<Parameter<'a>>,
    /// In which order; none is the right one.
    pub(super) order: Option<QueryOrder>,
    /// How they are spelled; none is the right way.
    pub(super) spelling: Option<QuerySpelling>,
    pub(super) valueless: Valueless,
}

/// A parameter, as encoded on the wire.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) equals: Equals,
}

/// Whether a parameter was received with its equal sign.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Equals {
    There,
    Absent,
}

/// How a key without an equal sign is signed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Valueless {
    GivenEquals,
    Bare,
}

impl<'a> Draft<'a> {
    /// The canonical request.
    pub(super) fn write_canonical(&self, out: &mut Vec<u8>) {
        out.clear();
        out.put(self.method.as_bytes());
        out.put(b"\n");
        let start = out.len();
        write_path(out, &self.path, self.path_spelling, self.path_normalization);
        if matches!(
            self.lower_case,
            Some(EncodedPart::Path | EncodedPart::PathAndQuery)
        ) {
            lower_hex(&mut out[start..]);
        }
        out.put(b"\n");
        let start = out.len();
        self.query.write(out);
        if matches!(
            self.lower_case,
            Some(EncodedPart::Query | EncodedPart::PathAndQuery)
        ) {
            lower_hex(&mut out[start..]);
        }
        out.put(b"\n");
        for line in &self.lines {
            line.write(out);
        }
        out.put(b"\n");
        out.put(self.signed_headers.as_bytes());
        out.put(b"\n");
        out.put(&self.payload);
    }

    pub(super) fn derive_key(&self) -> SigningKey {
        SigningKey::derive_for(&self.secret, self.key_scope.each_ref().map(|part| &**part))
    }

    /// The signature, given the hash of the canonical request and the derived key.
    pub(super) fn sign(&self, hash: [u8; 32], key: &SigningKey) -> Signature {
        let mut mac = key.mac();
        mac.put(self.algorithm.as_bytes());
        mac.put(b"\n");
        mac.put(self.date_time.as_str().as_bytes());
        for (at, part) in self.scope.iter().enumerate() {
            mac.put(if at == 0 { b"\n" } else { b"/" });
            mac.put(part.as_bytes());
        }
        mac.put(b"\n");
        mac.put(&hex_of(&hash));
        Signature::of(mac)
    }

    pub(super) fn line(&self, name: &str) -> Option<&Line<'a>> {
        self.lines.iter().find(|line| line.name == name)
    }

    pub(super) fn change_line(&mut self, name: &str, change: impl FnOnce(&mut Line<'a>)) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.name == name) {
            change(line);
        }
    }

    /// Gives a header this one value, whether it was there or not.
    pub(super) fn set_line(&mut self, name: &str, value: impl Into<Cow<'a, [u8]>>) {
        let values = vec![value.into()];
        match self.lines.binary_search_by(|line| (*line.name).cmp(name)) {
            Ok(at) => self.lines[at].values = values,
            Err(at) => self.lines.insert(at, Line::new(name.to_owned(), values)),
        }
    }

    /// Takes a header away, and its name from the list.
    pub(super) fn drop_line(&mut self, name: &str) {
        self.lines.retain(|line| line.name != name);
        let kept: Vec<&str> = self
            .signed_headers
            .split(';')
            .filter(|kept| *kept != name)
            .collect();
        self.signed_headers = kept.join(";").into();
    }

    /// Adds a header, and its name to the list.
    pub(super) fn add_line(&mut self, line: Line<'a>) {
        let mut names: Vec<&str> = self.signed_headers.split(';').collect();
        names.push(&line.name);
        names.sort_unstable();
        self.signed_headers = names.join(";").into();
        self.lines.push(line);
        self.lines.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

impl<'a> Line<'a> {
    pub(super) fn new(name: impl Into<Cow<'a, str>>, values: Vec<Cow<'a, [u8]>>) -> Self {
        Self {
            name: name.into(),
            values,
            join: None,
            space: None,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let values: Vec<&[u8]> = self.values.iter().map(|value| &**value).collect();
        let (values, between): (&[&[u8]], &[u8]) = match self.join {
            None => (&values, b","),
            Some(HeaderJoin::CommaSpace) => (&values, b", "),
            Some(HeaderJoin::FirstOnly) => (&values[..values.len().min(1)], b","),
            Some(HeaderJoin::LastOnly) => (&values[values.len().saturating_sub(1)..], b","),
            Some(HeaderJoin::Sorted) => {
                let mut sorted = values;
                sorted.sort_unstable();
                return self.write_values(out, &sorted, b",");
            }
            Some(HeaderJoin::SeparateLines) => {
                for value in values {
                    self.write_values(out, &[value], b"");
                }
                return;
            }
            Some(HeaderJoin::Comma) => {
                let split = values
                    .iter()
                    .flat_map(|value| value.split(|&byte| byte == b','));
                let split: Vec<&[u8]> = split.map(headers::trim).collect();
                return self.write_values(out, &split, b",");
            }
        };
        self.write_values(out, values, between);
    }

    fn write_values(&self, out: &mut Vec<u8>, values: &[&[u8]], between: &[u8]) {
        out.put(self.name.as_bytes());
        out.put(b":");
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                out.put(between);
            }
            match self.space {
                None => headers::write_folded(out, value),
                Some(HeaderSpace::InnerKept) => out.put(headers::trim(value)),
                Some(HeaderSpace::AllKept) => out.put(value),
            }
        }
        out.put(b"\n");
    }
}

impl<'a> Query<'a> {
    /// The parameters of a query on the wire, but for this one.
    pub(super) fn parse(wire: Option<&'a [u8]>, left_out: Option<&str>) -> Self {
        let wire = wire.unwrap_or_default();
        let parameters = uri::pieces(wire).map(|(range, key, value)| Parameter {
            key,
            value,
            equals: if range.len() == key.len() {
                Equals::Absent
            } else {
                Equals::There
            },
        });
        let is_kept = |parameter: &Parameter<'_>| {
            left_out.is_none_or(|name| !uri::is_named(parameter.key, name))
        };
        Self {
            parameters: parameters.filter(is_kept).collect(),
            order: None,
            spelling: None,
            valueless: Valueless::GivenEquals,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut spelled: Vec<Spelled<'_>> = self
            .parameters
            .iter()
            .map(|&wire| Spelled {
                wire,
                key: spell(wire.key, self.spelling),
                value: spell(wire.value, self.spelling),
            })
            .collect();
        match self.order {
            None => spelled.sort_by(|a, b| (&a.key, &a.value).cmp(&(&b.key, &b.value))),
            Some(QueryOrder::AsSent) => {}
            Some(QueryOrder::AsText) => spelled.sort_by_cached_key(|s| self.text(s)),
            Some(QueryOrder::BeforeEncoding) => spelled.sort_by_cached_key(|s| {
                let decoded = |text| percent_decode(text).collect::<Vec<u8>>();
                (decoded(s.wire.key), decoded(s.wire.value))
            }),
            Some(QueryOrder::KeysOnly) => spelled.sort_by(|a, b| a.key.cmp(&b.key)),
        }
        for (at, parameter) in spelled.iter().enumerate() {
            if at > 0 {
                out.put(b"&");
            }
            out.put(&self.text(parameter));
        }
    }

    fn text(&self, parameter: &Spelled<'_>) -> Vec<u8> {
        let bare = self.valueless == Valueless::Bare && parameter.wire.equals == Equals::Absent;
        let equals: &[u8] = if bare { b"" } else { b"=" };
        [&parameter.key, equals, &parameter.value].concat()
    }
}

/// A parameter as it is signed.
struct Spelled<'a> {
    wire: Parameter<'a>,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// The SHA-256 of a text.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn write_path(
    out: &mut Vec<u8>,
    wire: &[u8],
    spelling: PathSpelling,
    normalization: PathNormalization,
) {
    match spelling {
        PathSpelling::EncodedOnce => {
            uri::write_path(out, wire, PathEncoding::Single, normalization);
        }
        PathSpelling::EncodedTwice => {
            uri::write_path(out, wire, PathEncoding::Double, normalization);
        }
        PathSpelling::EncodedThrice => {
            let mut twice = Vec::new();
            uri::write_path(&mut twice, wire, PathEncoding::Double, normalization);
            uri::write_path(out, &twice, PathEncoding::Double, PathNormalization::AsIs);
        }
        PathSpelling::Decoded => out.extend(percent_decode(&segments(wire, normalization))),
        PathSpelling::AsSent => out.put(&segments(wire, normalization)),
    }
}

/// A path as it is on the wire, but for its segments.
fn segments(wire: &[u8], normalization: PathNormalization) -> Cow<'_, [u8]> {
    if normalization == PathNormalization::AsIs {
        return wire.into();
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut end: &[u8] = b"";
    for segment in wire.split(|&byte| byte == b'/') {
        end = if matches!(segment, b"" | b"." | b"..") {
            b"/"
        } else {
            b""
        };
        match segment {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    if kept.is_empty() {
        return b"/".into();
    }
    [b"/", &kept.join(&b'/')[..], end].concat().into()
}

fn spell(wire: &[u8], spelling: Option<QuerySpelling>) -> Vec<u8> {
    let mut out = Vec::with_capacity(wire.len() + wire.len() / 2);
    match spelling {
        None => uri::write_recoded(&mut out, wire),
        Some(QuerySpelling::PlusAsSpace) => {
            let spaced: Vec<u8> = wire
                .iter()
                .map(|&b| if b == b'+' { b' ' } else { b })
                .collect();
            uri::write_recoded(&mut out, &spaced);
        }
        Some(QuerySpelling::SpaceAsPlus) => {
            for (at, word) in percent_decode(wire)
                .collect::<Vec<u8>>()
                .split(|&b| b == b' ')
                .enumerate()
            {
                if at > 0 {
                    out.put(b"+");
                }
                // Not recoded: a percent sign in a decoded text is one.
                uri::write_plain(&mut out, word);
            }
        }
        Some(QuerySpelling::PlusKept) => {
            for (at, word) in wire.split(|&b| b == b'+').enumerate() {
                if at > 0 {
                    out.put(b"+");
                }
                uri::write_recoded(&mut out, word);
            }
        }
        Some(QuerySpelling::EncodedTwice) => {
            let mut once = Vec::new();
            uri::write_recoded(&mut once, wire);
            for run in percent_encode(&once, PERCENT) {
                out.put(run.as_bytes());
            }
        }
        Some(QuerySpelling::AsSent) => out.put(wire),
        Some(QuerySpelling::Decoded) => out.extend(percent_decode(wire)),
    }
    out
}

/// Puts the digits of every `%XX` in lower case.
fn lower_hex(text: &mut [u8]) {
    let mut at = 0;
    while at + 2 < text.len() {
        if text[at] == b'%' && text[at + 1..at + 3].iter().all(u8::is_ascii_hexdigit) {
            text[at + 1..at + 3].make_ascii_lowercase();
            at += 2;
        }
        at += 1;
    }
}
