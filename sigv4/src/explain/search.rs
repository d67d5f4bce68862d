//! Trying candidates, one and two at a time, within a bound.

use super::candidates::{Candidate, Facet, Reach};
use super::case::Case;
use super::draft::{Draft, sha256};
use crate::key::SigningKey;

/// How many HMACs it takes to derive a key.
const DERIVATION: usize = 4;

/// What the search may still cost.
pub(super) struct Budget {
    hashes: usize,
    hashes_max: usize,
    bytes: usize,
}

/// The bound is reached.
pub(super) struct Reached;

impl Budget {
    pub(super) const fn new(hashes_max: usize, bytes: usize) -> Self {
        Self {
            hashes: 0,
            hashes_max,
            bytes,
        }
    }

    /// How many hashes were computed.
    pub(super) const fn spent(&self) -> usize {
        self.hashes
    }

    fn spend(&mut self, hashes: usize, bytes: usize) -> Result<(), Reached> {
        if hashes > self.hashes_max - self.hashes || bytes > self.bytes {
            return Err(Reached);
        }
        self.hashes += hashes;
        self.bytes -= bytes;
        Ok(())
    }
}

/// How many mistakes may be found in addition to those that are stated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    None,
    One,
    Two,
}

/// The search, with what the request as it stands comes to.
pub(super) struct Search<'a> {
    case: &'a Case<'a>,
    signature: String,
    budget: Budget,
    buffer: Vec<u8>,
}

/// What the request as it stands comes to, and how long its canonical request is.
struct Base {
    hash: [u8; 32],
    key: SigningKey,
    length: usize,
}

/// A candidate that alone does not do, with what it took to find that out.
struct Tried<'c, 'a> {
    candidate: &'c Candidate<'a>,
    hash: [u8; 32],
    key: SigningKey,
}

impl<'a> Search<'a> {
    pub(super) fn new(case: &'a Case<'a>, budget: Budget) -> Self {
        Self {
            case,
            signature: case.claim.signature().to_ascii_lowercase(),
            budget,
            buffer: Vec::new(),
        }
    }

    pub(super) const fn spent(&self) -> usize {
        self.budget.spent()
    }

    /// The mistakes that make the signature match, none if the request as it stands does.
    ///
    /// # Errors
    /// When the bound is reached before all is tried.
    pub(super) fn run(
        &mut self,
        candidates: &[Candidate<'a>],
        depth: Depth,
    ) -> Result<Option<Vec<usize>>, Reached> {
        let base = &self.case.base;
        let base_hash = self.hash(base)?;
        let base_length = self.buffer.len();
        let base_key = self.key(base)?;
        if self.has_secret(&[]) && self.matches(base, base_hash, &base_key)? {
            return Ok(Some(Vec::new()));
        }
        if depth == Depth::None {
            return Ok(None);
        }
        let mut tried: Vec<(usize, Tried<'_, 'a>)> = Vec::new();
        let mut seen = vec![base_hash];
        for (at, candidate) in candidates.iter().enumerate() {
            let mut draft = base.clone();
            (candidate.apply)(&mut draft);
            let (hash, key) = if candidate.facet.is_of_key() {
                (base_hash, self.key(&draft)?)
            } else {
                (self.hash(&draft)?, base_key.clone())
            };
            let is_same_end =
                draft.date_time == base.date_time && draft.algorithm == base.algorithm;
            if !candidate.facet.is_of_key() && is_same_end {
                if seen.contains(&hash) {
                    continue;
                }
                seen.push(hash);
            }
            if self.has_secret(&[&candidate.facet]) && self.matches(&draft, hash, &key)? {
                return Ok(Some(vec![at]));
            }
            if candidate.reach == Reach::Pairs {
                tried.push((
                    at,
                    Tried {
                        candidate,
                        hash,
                        key,
                    },
                ));
            }
        }
        if depth == Depth::Two {
            let base = Base {
                hash: base_hash,
                key: base_key,
                length: base_length,
            };
            return self.pairs(&tried, &base);
        }
        Ok(None)
    }

    /// Two at a time, the likelier first: those that come early in the list of candidates.
    fn pairs(
        &mut self,
        tried: &[(usize, Tried<'_, 'a>)],
        base: &Base,
    ) -> Result<Option<Vec<usize>>, Reached> {
        for sum in 1..2 * tried.len() {
            let first = (sum + 1).saturating_sub(tried.len());
            for low in first..sum.div_ceil(2) {
                let ((low_at, low), (high_at, high)) = (&tried[low], &tried[sum - low]);
                let (a, b) = (low.candidate, high.candidate);
                if a.facet == b.facet || !self.has_secret(&[&a.facet, &b.facet]) {
                    continue;
                }
                // To copy a draft costs about as much as to write it.
                self.budget.spend(0, base.length)?;
                let mut draft = self.case.base.clone();
                (a.apply)(&mut draft);
                (b.apply)(&mut draft);
                let hash = match (a.facet.is_of_key(), b.facet.is_of_key()) {
                    (true, true) => base.hash,
                    (false, true) => low.hash,
                    (true, false) => high.hash,
                    (false, false) => self.hash(&draft)?,
                };
                let derived;
                let key = match (a.facet.is_of_key(), b.facet.is_of_key()) {
                    (false, false) => &base.key,
                    (true, false) => &low.key,
                    (false, true) => &high.key,
                    (true, true) => {
                        derived = self.key(&draft)?;
                        &derived
                    }
                };
                if self.matches(&draft, hash, key)? {
                    return Ok(Some(vec![*low_at, *high_at]));
                }
            }
        }
        Ok(None)
    }

    /// Whether there is a secret to sign with: the right one, or one that a candidate brings.
    fn has_secret(&self, facets: &[&Facet]) -> bool {
        self.case.secret.is_some() || facets.iter().any(|facet| facet.is_of_secret())
    }

    fn hash(&mut self, draft: &Draft<'_>) -> Result<[u8; 32], Reached> {
        draft.write_canonical(&mut self.buffer);
        self.budget.spend(1, self.buffer.len())?;
        Ok(sha256(&self.buffer))
    }

    fn key(&mut self, draft: &Draft<'_>) -> Result<SigningKey, Reached> {
        self.budget.spend(DERIVATION, 0)?;
        Ok(draft.derive_key())
    }

    fn matches(
        &mut self,
        draft: &Draft<'_>,
        hash: [u8; 32],
        key: &SigningKey,
    ) -> Result<bool, Reached> {
        self.budget.spend(1, 0)?;
        Ok(draft.sign(hash, key).matches(&self.signature))
    }
}
