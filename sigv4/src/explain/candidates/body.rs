//! Other payloads than the body that arrived.

use std::borrow::Cow;

use super::{Candidates, Facet};
use crate::explain::case::{Case, Payloads};
use crate::explain::mistake::{Mistake, SignedPayload};

/// The longest body that is tried in the place of its hash.
const BODY_ITSELF_MAX: usize = 4 * 1024;

pub(super) fn add<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let mut add = |signed: Cow<'a, [u8]>, mistake| {
        if signed != case.base.payload {
            all.add(Facet::Payload, mistake, move |draft| {
                draft.payload = signed.clone();
            });
        }
    };
    // A stated hash that is not the body's is what the draft begins with.
    add(
        case.payloads.body.to_vec().into(),
        Mistake::PayloadHeaderChanged,
    );
    let of_others = case.payloads.others.iter();
    for (signed, text) in of_others {
        add(text.to_vec().into(), Mistake::Payload { signed: *signed });
    }
    let words: [(SignedPayload, &'static [u8]); 3] = [
        (SignedPayload::Unsigned, b"UNSIGNED-PAYLOAD"),
        (
            SignedPayload::UnsignedTrailer,
            b"STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        ),
        (SignedPayload::NoHash, b""),
    ];
    for (signed, text) in words {
        add(text.into(), Mistake::Payload { signed });
    }
    let mistake = |signed| Mistake::Payload { signed };
    let upper = case.payloads.body.to_ascii_uppercase();
    add(upper.into(), mistake(SignedPayload::UpperCaseHash));
    if case.body.len() <= BODY_ITSELF_MAX {
        add(case.body.into(), mistake(SignedPayload::BodyItself));
    }
}

impl Payloads {
    /// What a stated hash is the hash of, if that is known.
    pub(in crate::explain) fn known(&self, stated: &[u8]) -> Option<SignedPayload> {
        let mut others = self.others.iter();
        others
            .find(|(_, text)| text == stated)
            .map(|(signed, _)| *signed)
    }
}
