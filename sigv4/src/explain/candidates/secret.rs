//! Other secrets than the right one.

use std::rc::Rc;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use zeroize::Zeroizing;

use super::{Candidates, Facet, Reach};
use crate::credentials::Secret;
use crate::explain::case::Case;
use crate::explain::mistake::{Mistake, SecretSpelling};

/// How many other keys' secrets are tried.
pub(in crate::explain) const OTHER_KEYS_MAX: usize = 64;

/// How many of them in pairs too.
const OTHER_KEYS_IN_PAIRS_MAX: usize = 4;

pub(super) fn add<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let id = case.claim.access_key_id();
    if let Some(secret) = case.secret {
        for (signed, secret) in spellings(secret) {
            let mistake = Mistake::SecretSpelling { signed };
            add_secret(all, Reach::Pairs, Facet::Secret, mistake, secret);
        }
        let mistake = Mistake::SecretIsAccessKeyId;
        add_secret(all, Reach::Pairs, Facet::Secret, mistake, Secret::new(id));
    }
    for &(other, _) in case.known.iter().filter(|(_, secret)| secret.matches(id)) {
        add_secret(
            all,
            Reach::Pairs,
            Facet::AccessKey,
            Mistake::KeysSwapped,
            Secret::new(other),
        );
    }
    let others = case.known.iter().filter(|(other, _)| *other != id);
    for (at, &(other, secret)) in others.take(OTHER_KEYS_MAX).enumerate() {
        let mistake = Mistake::SecretOfOtherKey {
            access_key_id: other.to_owned(),
        };
        let reach = if at < OTHER_KEYS_IN_PAIRS_MAX {
            Reach::Pairs
        } else {
            Reach::Alone
        };
        add_secret(all, reach, Facet::Secret, mistake, secret.clone());
    }
}

fn add_secret(
    all: &mut Candidates<'_>,
    reach: Reach,
    facet: Facet,
    mistake: Mistake,
    secret: Secret,
) {
    let secret = Rc::new(secret);
    all.add_with(reach, facet, mistake, move |draft| {
        draft.secret = Rc::clone(&secret);
    });
}

fn spellings(secret: &Secret) -> Vec<(SecretSpelling, Secret)> {
    let right = secret.expose_bytes();
    let around = |before: &[u8], after: &[u8]| {
        Secret::new(Zeroizing::new([before, right, after].concat()).as_slice())
    };
    let mut spellings = vec![
        (SecretSpelling::LineFeedAfter, around(b"", b"\n")),
        (SecretSpelling::SpaceAfter, around(b"", b" ")),
        (SecretSpelling::LineEndAfter, around(b"", b"\r\n")),
        (SecretSpelling::CarriageReturnAfter, around(b"", b"\r")),
        (SecretSpelling::SpaceBefore, around(b" ", b"")),
        (SecretSpelling::SpacesAround, around(b" ", b" ")),
        (SecretSpelling::TabAfter, around(b"", b"\t")),
        (SecretSpelling::DoubleQuotes, around(b"\"", b"\"")),
        (SecretSpelling::SingleQuotes, around(b"'", b"'")),
        (SecretSpelling::Empty, Secret::new(b"")),
    ];
    let bare = bare(right);
    if bare != right {
        spellings.push((SecretSpelling::Bare, Secret::new(bare)));
    }
    if !right.iter().all(u8::is_ascii_alphanumeric) {
        let encoded: Zeroizing<String> =
            Zeroizing::new(percent_encode(right, NON_ALPHANUMERIC).collect());
        spellings.push((
            SecretSpelling::PercentEncoded,
            Secret::new(encoded.as_bytes()),
        ));
    }
    spellings
}

/// A secret without the white space around it, and without a pair of quotes.
fn bare(secret: &[u8]) -> &[u8] {
    let trimmed = secret.trim_ascii();
    match trimmed {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner,
        other => other,
    }
}
