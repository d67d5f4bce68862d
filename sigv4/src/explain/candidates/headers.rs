//! Other headers than those that arrived.

use super::{Candidates, Facet, Reach};
use crate::explain::case::{Case, TEXT_BYTES_MAX, clip};
use crate::explain::draft::Line;
use crate::explain::mistake::{HeaderJoin, HeaderSpace, Mistake};
use crate::headers::{self, AUTHORIZATION, DATE, HOST, SECURITY_TOKEN};

/// How many headers that `SignedHeaders` does not name are tried as signed ones.
const UNLISTED_MAX: usize = 32;

const ACCEPT_ENCODINGS: [&str; 10] = [
    "identity",
    "gzip",
    "gzip, deflate",
    "gzip,deflate",
    "gzip, deflate, br",
    "gzip, deflate, br, zstd",
    "gzip, br",
    "deflate, gzip",
    "br",
    "*",
];

const CONTENT_TYPES: [&str; 8] = [
    "application/x-amz-json-1.0",
    "application/x-amz-json-1.1",
    "application/json",
    "application/x-www-form-urlencoded",
    "application/octet-stream",
    "binary/octet-stream",
    "application/xml",
    "text/plain",
];

const CHARSETS: [&str; 4] = [
    "; charset=utf-8",
    "; charset=UTF-8",
    ";charset=utf-8",
    ";charset=UTF-8",
];

const CONNECTIONS: [&str; 3] = ["keep-alive", "close", "Keep-Alive"];

/// Headers that programs on the way, and the libraries that send, add and change.
const VOLATILE: [&str; 14] = [
    "accept",
    "accept-encoding",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "forwarded",
    "pragma",
    "te",
    "transfer-encoding",
    "user-agent",
    "via",
    "x-amzn-trace-id",
];

/// Other values of the signed headers.
pub(super) fn add_values<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    for name in &case.absent {
        for value in usual_values(case, name, b"") {
            let mistake = Mistake::HeaderRemoved {
                name: clip(name.as_bytes()),
                signed: Some(value.clone()),
            };
            add_value(all, Reach::Pairs, name, mistake, value);
        }
    }
    for line in case
        .base
        .lines
        .iter()
        .filter(|line| !matches!(&*line.name, HOST | DATE))
    {
        add_joins(all, line);
        add_spaces(all, line);
        if let [received] = &line.values[..] {
            let reach = if is_volatile(&line.name) {
                Reach::Pairs
            } else {
                Reach::Alone
            };
            for value in usual_values(case, &line.name, received) {
                let mistake = Mistake::HeaderChanged {
                    name: clip(line.name.as_bytes()),
                    signed: value.clone(),
                    received: shown(&line.name, received),
                };
                add_value(all, reach, &line.name, mistake, value);
            }
        }
    }
}

/// Other lists of the signed headers.
pub(super) fn add_names<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    for name in case.claim.signed_headers() {
        let reach = if is_volatile(name) || name == SECURITY_TOKEN {
            Reach::Pairs
        } else {
            Reach::Alone
        };
        let mistake = if name == SECURITY_TOKEN {
            Mistake::SessionTokenUnsigned
        } else {
            Mistake::HeaderListed {
                name: clip(name.as_bytes()),
            }
        };
        let dropped = name.to_owned();
        all.add_with(reach, facet(name), mistake, move |draft| {
            draft.drop_line(&dropped);
        });
    }
    let mut added = Vec::new();
    for &(name, _) in case.request.headers {
        let name = name.to_ascii_lowercase();
        let is_listed = case.claim.signed_headers().any(|listed| listed == name);
        if is_listed
            || name == AUTHORIZATION
            || added.contains(&name)
            || added.len() >= UNLISTED_MAX
        {
            continue;
        }
        let line = Line::new(name.clone(), case.headers(&name).map(Into::into).collect());
        let mistake = Mistake::HeaderUnlisted {
            name: clip(name.as_bytes()),
        };
        all.add_alone(facet(&name), mistake, move |draft| {
            draft.add_line(line.clone());
        });
        added.push(name);
    }
}

fn add_value<'a>(
    all: &mut Candidates<'a>,
    reach: Reach,
    name: &str,
    mistake: Mistake,
    value: String,
) {
    let owned = name.to_owned();
    all.add_with(reach, facet(name), mistake, move |draft| {
        draft.set_line(&owned, value.clone().into_bytes());
    });
}

fn add_joins<'a>(all: &mut Candidates<'a>, line: &Line<'a>) {
    let joins: &[HeaderJoin] = if line.values.len() > 1 {
        &[
            HeaderJoin::CommaSpace,
            HeaderJoin::SeparateLines,
            HeaderJoin::Sorted,
            HeaderJoin::LastOnly,
            HeaderJoin::FirstOnly,
        ]
    } else if line.values.iter().any(|value| value.contains(&b',')) {
        &[HeaderJoin::Comma]
    } else {
        &[]
    };
    for &signed in joins {
        let name = line.name.clone();
        let mistake = Mistake::HeaderJoin {
            name: clip(name.as_bytes()),
            signed,
        };
        all.add(facet(&name.clone()), mistake, move |draft| {
            draft.change_line(&name, |line| line.join = Some(signed));
        });
    }
}

fn add_spaces<'a>(all: &mut Candidates<'a>, line: &Line<'a>) {
    let is_unlike = |value: &[u8]| {
        let mut folded = Vec::new();
        headers::write_folded(&mut folded, value);
        folded != value
    };
    if !line.values.iter().any(|value| is_unlike(value)) {
        return;
    }
    for signed in [HeaderSpace::InnerKept, HeaderSpace::AllKept] {
        let name = line.name.clone();
        let mistake = Mistake::HeaderSpace {
            name: clip(name.as_bytes()),
            signed,
        };
        all.add(facet(&name.clone()), mistake, move |draft| {
            draft.change_line(&name, |line| line.space = Some(signed));
        });
    }
}

/// The values that a header usually has, besides the one received.
fn usual_values(case: &Case<'_>, name: &str, received: &[u8]) -> Vec<String> {
    let owned = |list: &[&str]| {
        list.iter()
            .map(|&value| value.to_owned())
            .collect::<Vec<_>>()
    };
    let mut values = match name {
        "accept" => owned(&["*/*", "application/json"]),
        "accept-encoding" => owned(&ACCEPT_ENCODINGS),
        "cache-control" | "pragma" => owned(&["no-cache", "max-age=0"]),
        "connection" => owned(&CONNECTIONS),
        "content-encoding" => owned(&["aws-chunked", "gzip", "identity"]),
        "content-length" => vec![case.body.len().to_string(), "0".to_owned()],
        "content-type" => content_types(received),
        "expect" => owned(&["100-continue"]),
        "te" => owned(&["trailers"]),
        "transfer-encoding" => owned(&["chunked"]),
        _ if name.starts_with("x-forwarded-") || matches!(name, "via" | "forwarded") => {
            without_last(received)
        }
        _ => Vec::new(),
    };
    values.push(String::new());
    values.retain(|value| value.as_bytes() != headers::trim(received));
    if case.absent.contains(&name) && !values.iter().any(String::is_empty) {
        values.push(String::new());
    }
    values
}

/// The same type with another charset or none, then the other types.
fn content_types(received: &[u8]) -> Vec<String> {
    let received = String::from_utf8_lossy(received);
    let media_type = received.split(';').next().unwrap_or_default().trim();
    let own = (!media_type.is_empty() && media_type.len() <= TEXT_BYTES_MAX).then_some(media_type);
    let others = CONTENT_TYPES
        .iter()
        .copied()
        .filter(|other| *other != media_type);
    let mut values = Vec::new();
    for media_type in own.into_iter().chain(others) {
        values.push(media_type.to_owned());
        if Some(media_type) == own || media_type == "application/x-www-form-urlencoded" {
            values.extend(
                CHARSETS
                    .iter()
                    .map(|charset| format!("{media_type}{charset}")),
            );
        }
    }
    values
}

/// A list without its last elements, which the proxies that a request came through have appended.
fn without_last(received: &[u8]) -> Vec<String> {
    let mut rest = String::from_utf8_lossy(received).into_owned();
    let mut values = Vec::new();
    while let Some(at) = rest.rfind(',') {
        rest.truncate(at);
        if rest.len() <= TEXT_BYTES_MAX {
            values.push(rest.trim_end().to_owned());
        }
        if values.len() == 4 {
            break;
        }
    }
    values
}

/// A value for a message, unless it may be as good as a password.
fn shown(name: &str, value: &[u8]) -> String {
    if headers::is_secret(name) {
        "(redacted)".to_owned()
    } else {
        clip(value)
    }
}

fn is_volatile(name: &str) -> bool {
    VOLATILE.contains(&name) || name.starts_with("x-forwarded-")
}

fn facet(name: &str) -> Facet {
    match name {
        HOST => Facet::Host,
        DATE => Facet::Date,
        _ => Facet::Header(name.to_owned()),
    }
}
