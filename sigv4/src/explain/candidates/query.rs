//! Other queries than the one that arrived.

use super::{Candidates, Facet};
use crate::claim::Form;
use crate::explain::case::{Case, clip};
use crate::explain::draft::{Equals, Valueless};
use crate::explain::mistake::{Mistake, QueryOrder, QuerySpelling};
use crate::uri;

/// How many parameters are tried as added ones.
const ADDED_MAX: usize = 16;

const ORDERS: [QueryOrder; 4] = [
    QueryOrder::AsSent,
    QueryOrder::AsText,
    QueryOrder::BeforeEncoding,
    QueryOrder::KeysOnly,
];

const SPELLINGS: [QuerySpelling; 6] = [
    QuerySpelling::PlusAsSpace,
    QuerySpelling::SpaceAsPlus,
    QuerySpelling::PlusKept,
    QuerySpelling::EncodedTwice,
    QuerySpelling::AsSent,
    QuerySpelling::Decoded,
];

pub(super) fn add<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let parameters = &case.base.query.parameters;
    let is_token = |key| uri::is_named(key, "X-Amz-Security-Token");
    if case.claim.form() != Form::Header && parameters.iter().any(|p| is_token(p.key)) {
        all.add(
            Facet::QueryParameters,
            Mistake::SessionTokenUnsigned,
            move |draft| {
                draft.query.parameters.retain(|p| !is_token(p.key));
            },
        );
    }
    if parameters.len() > 1 {
        for signed in ORDERS {
            let mistake = Mistake::QueryOrder { signed };
            all.add(Facet::QueryOrder, mistake, move |draft| {
                draft.query.order = Some(signed);
            });
        }
    }
    let is_plain = |text: &[u8]| text.iter().all(u8::is_ascii_alphanumeric);
    if !parameters
        .iter()
        .all(|p| is_plain(p.key) && is_plain(p.value))
    {
        for signed in SPELLINGS {
            let mistake = Mistake::QuerySpelling { signed };
            all.add(Facet::QuerySpelling, mistake, move |draft| {
                draft.query.spelling = Some(signed);
            });
        }
    }
    if parameters.iter().any(|p| p.equals == Equals::Absent) {
        all.add(Facet::QueryEquals, Mistake::QueryEqualsMissing, |draft| {
            draft.query.valueless = Valueless::Bare;
        });
    }
    let is_signing = |key: &[u8]| case.claim.form() != Form::Header && key.starts_with(b"X-Amz-");
    let others = parameters
        .iter()
        .enumerate()
        .filter(|(_, p)| !is_signing(p.key));
    for (at, parameter) in others.take(ADDED_MAX) {
        let mistake = Mistake::QueryParameterAdded {
            key: clip(parameter.key),
        };
        all.add(Facet::QueryParameters, mistake, move |draft| {
            draft.query.parameters.remove(at);
        });
    }
    if parameters.len() > 1 && case.claim.form() == Form::Header {
        all.add(Facet::QueryParameters, Mistake::QueryNotSigned, |draft| {
            draft.query.parameters.clear();
        });
    }
}
