//! Other methods and paths than those that arrived.

use super::{Candidates, Facet};
use crate::explain::case::{Case, TEXT_BYTES_MAX, clip};
use crate::explain::mistake::{EncodedPart, Mistake, PathSpelling};
use crate::settings::PathNormalization;

/// The headers in which proxies give what they took from the front of a path, or the whole target.
const PREFIX: &str = "x-forwarded-prefix";
const TARGETS: [&str; 3] = ["x-original-uri", "x-original-url", "x-forwarded-uri"];

const METHODS: [&str; 7] = ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"];

const SPELLINGS: [PathSpelling; 5] = [
    PathSpelling::EncodedOnce,
    PathSpelling::EncodedTwice,
    PathSpelling::EncodedThrice,
    PathSpelling::Decoded,
    PathSpelling::AsSent,
];

pub(super) fn add<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let path = case.request.path;
    let right = case.base.path_spelling;
    if path
        .iter()
        .any(|byte| !byte.is_ascii_alphanumeric() && *byte != b'/')
    {
        for signed in SPELLINGS.into_iter().filter(|spelling| *spelling != right) {
            let mistake = Mistake::PathEncoding { signed, right };
            all.add(Facet::PathSpelling, mistake, move |draft| {
                draft.path_spelling = signed;
            });
        }
    }
    let signed = match case.base.path_normalization {
        PathNormalization::Normalize => PathNormalization::AsIs,
        PathNormalization::AsIs => PathNormalization::Normalize,
    };
    if path.windows(2).any(|pair| matches!(pair, b"//" | b"/.")) {
        let mistake = Mistake::PathNormalization { signed };
        all.add(Facet::PathNormalization, mistake, move |draft| {
            draft.path_normalization = signed;
        });
    }
    for signed in rewritten(case) {
        let mistake = Mistake::PathRewritten {
            signed: clip(&signed),
            received: clip(path),
        };
        all.add(Facet::Path, mistake, move |draft| {
            draft.path = signed.clone().into();
        });
    }
    for part in [
        EncodedPart::Path,
        EncodedPart::Query,
        EncodedPart::PathAndQuery,
    ] {
        let mistake = Mistake::LowerCaseHex { part };
        all.add(Facet::LowerCaseHex, mistake, move |draft| {
            draft.lower_case = Some(part);
        });
    }
    let received = case.request.method;
    let lower = received.to_ascii_lowercase();
    for signed in METHODS.into_iter().map(str::to_owned).chain([lower]) {
        if signed != received {
            let mistake = Mistake::Method {
                signed: signed.clone(),
                received: clip(received.as_bytes()),
            };
            all.add_alone(Facet::Method, mistake, move |draft| {
                draft.method = signed.clone().into();
            });
        }
    }
}

fn rewritten(case: &Case<'_>) -> Vec<Vec<u8>> {
    let path = case.request.path;
    let mut paths: Vec<Vec<u8>> = Vec::new();
    for target in TARGETS.into_iter().filter_map(|name| case.header(name)) {
        let end = target
            .iter()
            .position(|&byte| byte == b'?')
            .unwrap_or(target.len());
        paths.push(target[..end].to_vec());
    }
    if let Some(prefix) = case.header(PREFIX) {
        let prefix = prefix.strip_suffix(b"/").unwrap_or(prefix);
        paths.push([prefix, path].concat());
    }
    match path.strip_suffix(b"/") {
        Some(b"") | None if path.len() <= 1 => {}
        Some(shorter) => paths.push(shorter.to_vec()),
        None => paths.push([path, b"/"].concat()),
    }
    paths.push(b"/".to_vec());
    paths.retain(|other| other.len() <= path.len() + TEXT_BYTES_MAX && other != path);
    paths
}
