//! What may have been signed in place of what arrived, the likelier before the less likely.

mod body;
mod headers;
mod host;
mod path;
mod query;
mod scope;
mod secret;

pub(super) use self::host::HOSTS_MAX;
use super::case::Case;
use super::draft::Draft;
use super::mistake::Mistake;

/// A mistake, and how it changes what is signed.
pub(super) struct Candidate<'a> {
    pub(super) facet: Facet,
    pub(super) mistake: Mistake,
    pub(super) reach: Reach,
    pub(super) apply: Apply<'a>,
}

type Apply<'a> = Box<dyn Fn(&mut Draft<'a>) + 'a>;

/// Whether a mistake is likely enough to be tried together with others too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Pairs,
    Alone,
}

/// The side of a request that a mistake is about. Two mistakes about one side exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Facet {
    AccessKey,
    Algorithm,
    Clock,
    Date,
    Day,
    Header(String),
    Host,
    LowerCaseHex,
    Method,
    Path,
    PathNormalization,
    PathSpelling,
    Payload,
    QueryEquals,
    QueryOrder,
    QueryParameters,
    QuerySpelling,
    Region,
    Secret,
    Service,
    Signature,
    Terminator,
}

impl Facet {
    /// Whether it says which secret was used.
    pub(super) const fn is_of_secret(&self) -> bool {
        matches!(self, Self::AccessKey | Self::Secret)
    }

    /// Whether the derived key depends on it. What does not depend on it depends on the canonical
    /// request or on the rest of the string to sign.
    pub(super) const fn is_of_key(&self) -> bool {
        match self {
            Self::AccessKey
            | Self::Day
            | Self::Region
            | Self::Secret
            | Self::Service
            | Self::Terminator => true,
            Self::Algorithm
            | Self::Clock
            | Self::Date
            | Self::Header(_)
            | Self::Host
            | Self::LowerCaseHex
            | Self::Method
            | Self::Path
            | Self::PathNormalization
            | Self::PathSpelling
            | Self::Payload
            | Self::QueryEquals
            | Self::QueryOrder
            | Self::QueryParameters
            | Self::QuerySpelling
            | Self::Signature => false,
        }
    }
}

/// Collects candidates.
pub(super) struct Candidates<'a> {
    list: Vec<Candidate<'a>>,
}

impl<'a> Candidates<'a> {
    /// All that fit a case.
    pub(super) fn of(case: &Case<'a>) -> Vec<Candidate<'a>> {
        let mut all = Self { list: Vec::new() };
        secret::add(case, &mut all);
        host::add(case, &mut all);
        body::add(case, &mut all);
        headers::add_values(case, &mut all);
        path::add(case, &mut all);
        query::add(case, &mut all);
        scope::add_likely(case, &mut all);
        headers::add_names(case, &mut all);
        scope::add_rest(case, &mut all);
        all.list
    }

    /// One that is tried alone and in pairs.
    fn add(&mut self, facet: Facet, mistake: Mistake, apply: impl Fn(&mut Draft<'a>) + 'a) {
        self.add_with(Reach::Pairs, facet, mistake, apply);
    }

    /// One that is tried alone.
    fn add_alone(&mut self, facet: Facet, mistake: Mistake, apply: impl Fn(&mut Draft<'a>) + 'a) {
        self.add_with(Reach::Alone, facet, mistake, apply);
    }

    fn add_with(
        &mut self,
        reach: Reach,
        facet: Facet,
        mistake: Mistake,
        apply: impl Fn(&mut Draft<'a>) + 'a,
    ) {
        self.list.push(Candidate {
            facet,
            mistake,
            reach,
            apply: Box::new(apply),
        });
    }
}
