//! Why a signature does not match: which mistake, of those that people and programs make, was made.
//!
//! A wrong signature says nothing by itself. But whoever verifies has the secret, so it can sign in
//! every way that a signer with some mistake, or in front of some proxy, would have signed, and see
//! which of these signatures is the one that came. A match of 256 bits is no coincidence.
//!
//! ```
//! use std::time::{Duration, UNIX_EPOCH};
//! use sigv4::explain::{Inquiry, Mistake};
//! use sigv4::{Claim, Credentials, Payload, Request, Secret, Signer, SigningKey, VerifySettings};
//!
//! // A client signs for localhost:9324, and a proxy on the way drops the port.
//! let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
//! let signer = Signer::new(Credentials::new("test", "secret"), "us-east-1", "sqs");
//! let mut headers: Vec<(&str, &[u8])> = vec![("Host", b"localhost:9324")];
//! let signed = signer.sign(&Request::new("POST", "/", &headers), Payload::Bytes(b"{}"), now)?;
//! headers[0].1 = b"localhost";
//! headers.extend(signed.headers().map(|(name, value)| (name, value.as_bytes())));
//!
//! let request = Request::new("POST", "/", &headers);
//! let claim = Claim::parse(&request)?;
//! let secret = Secret::new("secret");
//! let key = SigningKey::derive(&secret, claim.scope());
//! let settings = VerifySettings::default();
//! let error = claim.verify(&request, b"{}", &key, now, &settings).unwrap_err();
//!
//! let explanation = Inquiry::new(&request, b"{}", &claim, now, &settings)
//!     .with_known([("test", &secret)])
//!     .explain(&error);
//! assert!(matches!(explanation.mistakes(), [Mistake::PortDropped { .. }]));
//! assert_eq!(
//!     explanation.to_string(),
//!     "the host was signed with its port, \"localhost:9324\", and arrived without, \"localhost\"",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This is diagnosis alone. It runs after a refusal and costs nothing before, it changes nothing
//! about the refusal, and what it returns opens no door. It takes no care to run in constant time,
//! as its result is for the verifier's own log and not for the one who sent the request.
//!
//! # What is tried
//!
//! First what can be seen without a signature: the clock, the scope, headers that are missing or
//! not signed, the stated hash of the body. Then each [`Mistake`] that fits the request, alone, and
//! then pairs of the likelier ones. If two things are wrong at first sight, no further is looked
//! for; if one is, one more.
//!
//! The values that are tried where a mistake leaves them open:
//! - hosts from `X-Forwarded-Host`, `X-Original-Host`, `Forwarded`, [`Inquiry::with_hosts`], and the
//!   names of the local machine; their ports, `X-Forwarded-Port`, and the eight ports used most;
//! - paths from `X-Forwarded-Prefix`, `X-Original-URI`, `X-Original-URL` and `X-Forwarded-Uri`;
//! - of `content-type`, `accept-encoding`, `content-length` and a dozen other headers the values
//!   that they mostly have;
//! - the region and service of the settings and of the host, every region of AWS, thirty services;
//! - the days before and after, and dates up to two seconds away.
//!
//! # What it costs
//!
//! The body is hashed once. Beyond that at most [`HASHES_MAX`] hashes are computed, or what
//! [`Inquiry::with_hashes_max`] says, over at most [`CANONICAL_BYTES_MAX`] bytes of canonical
//! requests. A single mistake takes a few hundred hashes, and to find that no two of them explain an
//! ordinary request some 8,000: less than a millisecond, and some milliseconds. The bounds are for
//! requests that are not ordinary, at which it may come to tens of milliseconds.

mod candidates;
mod case;
mod draft;
mod explanation;
mod mistake;
mod search;
#[cfg(test)]
mod tests;
mod words;

use std::time::SystemTime;

use self::candidates::{Candidates, Facet};
use self::case::{Case, clip};
pub use self::explanation::{Certainty, Explanation, Extent, Part, Report};
pub use self::mistake::{
    EncodedPart, HeaderJoin, HeaderSpace, HostSource, Mistake, PathSpelling, QueryOrder,
    QuerySpelling, SecretSpelling, SignedPayload,
};
use self::search::{Budget, Depth, Reached, Search};
use crate::canonical::StringToSign;
use crate::claim::Claim;
use crate::credentials::Secret;
use crate::error::VerifyError;
use crate::request::Request;
use crate::verify::VerifySettings;

/// How many hashes an [`Inquiry`] computes at most, unless it is told otherwise.
pub const HASHES_MAX: usize = 16_384;

/// How many bytes of canonical requests an [`Inquiry`] works through at most: 16 MiB.
pub const CANONICAL_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How many known keys are kept, besides the one that the request names.
const KNOWN_MAX: usize = 64;

/// A refused request, and what the verifier knows to find out why.
#[derive(Clone)]
pub struct Inquiry<'a> {
    request: Request<'a>,
    body: &'a [u8],
    claim: &'a Claim,
    now: SystemTime,
    settings: &'a VerifySettings,
    known: Vec<(&'a str, &'a Secret)>,
    hosts: Vec<&'a str>,
    hashes_max: usize,
}

/// Why a request with a well-formed signature was refused.
#[derive(Clone, Copy, Debug)]
pub enum Refused<'a> {
    /// By verifying.
    Verify(&'a VerifyError),
    /// Before that: there is no such access key.
    UnknownAccessKey,
}

impl<'a> From<&'a VerifyError> for Refused<'a> {
    fn from(error: &'a VerifyError) -> Self {
        Self::Verify(error)
    }
}

impl<'a> Inquiry<'a> {
    /// An inquiry into a request, with the arguments that verifying had.
    #[must_use]
    pub const fn new(
        request: &Request<'a>,
        body: &'a [u8],
        claim: &'a Claim,
        now: SystemTime,
        settings: &'a VerifySettings,
    ) -> Self {
        Self {
            request: *request,
            body,
            claim,
            now,
            settings,
            known: Vec::new(),
            hosts: Vec::new(),
            hashes_max: HASHES_MAX,
        }
    }

    /// With these access key ids and their secrets. Without the one that the request names, only
    /// the secrets of others are tried. Of the others the first 64 are kept.
    #[must_use]
    pub fn with_known(mut self, keys: impl IntoIterator<Item = (&'a str, &'a Secret)>) -> Self {
        let claimed = self.claim.access_key_id();
        // One that is exchanged with its secret is worth its place too.
        let is_named = |(id, secret): &(&str, &Secret)| *id == claimed || secret.matches(claimed);
        let mut others = self.known.iter().filter(|key| !is_named(key)).count();
        for key in keys {
            if is_named(&key) {
                self.known.insert(0, key);
            } else if others < KNOWN_MAX {
                self.known.push(key);
                others += 1;
            }
        }
        self
    }

    /// With these hosts, as `sqs.example.com:9324`, as ones by which the verifier may be called. The
    /// first 16 are tried.
    #[must_use]
    pub fn with_hosts(mut self, hosts: impl IntoIterator<Item = &'a str>) -> Self {
        self.hosts
            .extend(hosts.into_iter().take(candidates::HOSTS_MAX));
        self
    }

    /// With another bound on the number of hashes than [`HASHES_MAX`].
    #[must_use]
    pub const fn with_hashes_max(mut self, hashes: usize) -> Self {
        self.hashes_max = hashes;
        self
    }

    /// Finds out why the request was refused. `refused` is the error that verifying gave, or
    /// [`Refused::UnknownAccessKey`].
    #[must_use]
    pub fn explain<'e>(&self, refused: impl Into<Refused<'e>>) -> Explanation {
        let case = Case::new(self);
        let stated = case.stated(refused.into());
        let budget = Budget::new(self.hashes_max, CANONICAL_BYTES_MAX);
        let mut search = Search::new(&case, budget);
        let (found, extent) = if is_hopeless(&stated) {
            (None, Extent::Whole)
        } else {
            let depth = depth(&stated);
            let candidates = if depth == Depth::None {
                Vec::new()
            } else {
                Candidates::of(&case)
            };
            match search.run(&candidates, depth) {
                Ok(Some(found)) => {
                    let found = found
                        .into_iter()
                        .map(|at| (candidates[at].facet.clone(), candidates[at].mistake.clone()));
                    (Some(found.collect()), Extent::Whole)
                }
                Ok(None) => (None, Extent::Whole),
                Err(Reached) => (None, Extent::Bounded),
            }
        };
        let hashes = search.spent();
        let (certainty, mistakes) = conclude(stated, found);
        let canonical_request = case.shown_canonical();
        let (at, scope) = (self.claim.date_time(), self.claim.scope());
        Explanation {
            unconfirmed: match certainty {
                Certainty::Full => Vec::new(),
                Certainty::Partial | Certainty::Nothing => unconfirmed(&case),
            },
            certainty,
            mistakes,
            string_to_sign: StringToSign::new(at, scope, &canonical_request),
            canonical_request,
            extent,
            hashes,
        }
    }
}

/// Shows of the known keys how many there are, and not what stands for the access key id: it may be
/// a secret, exchanged with one.
impl std::fmt::Debug for Inquiry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inquiry")
            .field("request", &self.request)
            .field("scope", self.claim.scope())
            .field("date_time", &self.claim.date_time())
            .field("known", &self.known.len())
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// Whether no signature could match.
fn is_hopeless(stated: &[(Facet, Mistake)]) -> bool {
    stated.iter().any(|(_, mistake)| {
        matches!(
            mistake,
            Mistake::SignatureMalformed { .. } | Mistake::MethodMalformed
        )
    })
}

/// How many mistakes may be looked for, two being what is believed of one request. What is wrong at
/// first sight counts, unless what is looked for is more about the same.
fn depth(stated: &[(Facet, Mistake)]) -> Depth {
    let is_closed = |mistake: &Mistake| {
        !matches!(
            mistake,
            Mistake::AccessKeyUnknown
                | Mistake::BodyChanged { .. }
                | Mistake::HeaderRemoved { .. }
                | Mistake::KeysSwapped
                | Mistake::Payload { .. }
                | Mistake::Terminator { .. }
        )
    };
    match stated
        .iter()
        .filter(|(_, mistake)| is_closed(mistake))
        .count()
    {
        0 => Depth::Two,
        1 => Depth::One,
        _ => Depth::None,
    }
}

/// Puts together what is wrong at first sight and what was found, which knows more about the same.
fn conclude(
    stated: Vec<(Facet, Mistake)>,
    found: Option<Vec<(Facet, Mistake)>>,
) -> (Certainty, Vec<Mistake>) {
    let Some(found) = found else {
        let certainty = if stated.is_empty() {
            Certainty::Nothing
        } else {
            Certainty::Partial
        };
        return (
            certainty,
            stated.into_iter().map(|(_, mistake)| mistake).collect(),
        );
    };
    let is_superseded = |facet: &Facet| found.iter().any(|(other, _)| other == facet);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for (facet, mistake) in stated {
        match mistake {
            _ if is_superseded(&facet) => {}
            // The signature matches without any value of it.
            Mistake::HeaderRemoved { name, signed: None } => {
                mistakes.push(Mistake::HeaderListed { name });
            }
            other => mistakes.push(other),
        }
    }
    mistakes.extend(found.into_iter().map(|(_, mistake)| mistake));
    if mistakes.is_empty() {
        // The request was not refused for its signature, or not with these arguments.
        return (Certainty::Nothing, mistakes);
    }
    (Certainty::Full, mistakes)
}

/// The parts that the verifier has to take on trust.
fn unconfirmed(case: &Case<'_>) -> Vec<Part> {
    let mut parts = vec![Part::Secret, Part::Method, Part::Path];
    if !case.base.query.parameters.is_empty() {
        parts.push(Part::Query);
    }
    let is_stated = case.base.line("x-amz-content-sha256").is_some();
    for name in case.claim.signed_headers() {
        // Both say what the request says elsewhere: in its body, and in the scope's day.
        if !matches!(name, "x-amz-content-sha256" | "x-amz-date") {
            parts.push(Part::Header(clip(name.as_bytes())));
        }
    }
    if !is_stated || *case.base.payload != case.payloads.body {
        parts.push(Part::Body);
    }
    parts
}
