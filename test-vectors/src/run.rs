//! Cases against an implementation.

use std::fmt;

use crate::alter::{Attempt, alterations};
use sigv4::v4a::{PublicKey, Signature};

use crate::case::{Algorithm, Case, Context, Expected, Form};
use crate::message::Message;
use crate::report::{Failure, Outcome, Report};

/// An implementation of Signature Version 4 and SigV4a under test.
pub trait Subject {
    /// Signs the request of a case.
    ///
    /// # Errors
    ///
    /// Why the request could not be signed.
    fn sign(&self, case: &Case, form: Form) -> Result<Stages, String>;

    /// The key as lower-case hex: the day's signing key, or in SigV4a the public key in SEC 1's
    /// uncompressed form.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn derived_key(&self, context: &Context) -> Result<String, String>;

    /// Verifies a signed request.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    fn verify(&self, attempt: &Attempt) -> Result<(), String>;
}

/// Everything that signing gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stages {
    /// The canonical request, whole.
    pub canonical_request: String,
    /// The string to sign, whole.
    pub string_to_sign: String,
    /// The signature as lower-case hex.
    pub signature: String,
    /// The request as it is sent.
    pub signed_request: Message,
}

/// What is done with a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is signed in the `Authorization` header, and each published stage compared.
    SignHeader,
    /// It is signed in the query, and each published stage compared.
    SignQuery,
    /// Its request signed in the header is accepted, and refused once anything is changed.
    VerifyHeader,
    /// The same in query form.
    VerifyQuery,
    /// It is signed by SigV4a in the `Authorization` header, and each published stage compared; the
    /// signature, of which there are many, must verify under the published public key, and so must the
    /// published one.
    SignHeaderV4a,
    /// The same in query form.
    SignQueryV4a,
    /// Its request signed by SigV4a in the header is accepted, and refused once anything is changed.
    VerifyHeaderV4a,
    /// The same in query form.
    VerifyQueryV4a,
}

impl Kind {
    /// Every kind, in the order of the summary.
    pub const ALL: [Self; 8] = [
        Self::SignHeader,
        Self::SignQuery,
        Self::VerifyHeader,
        Self::VerifyQuery,
        Self::SignHeaderV4a,
        Self::SignQueryV4a,
        Self::VerifyHeaderV4a,
        Self::VerifyQueryV4a,
    ];

    /// Where the signature of this kind is.
    #[must_use]
    pub fn form(self) -> Form {
        match self {
            Self::SignHeader | Self::VerifyHeader | Self::SignHeaderV4a | Self::VerifyHeaderV4a => {
                Form::Header
            }
            Self::SignQuery | Self::VerifyQuery | Self::SignQueryV4a | Self::VerifyQueryV4a => {
                Form::Query
            }
        }
    }

    /// By which algorithm its cases are signed.
    #[must_use]
    pub fn algorithm(self) -> Algorithm {
        match self {
            Self::SignHeader | Self::SignQuery | Self::VerifyHeader | Self::VerifyQuery => {
                Algorithm::V4
            }
            Self::SignHeaderV4a
            | Self::SignQueryV4a
            | Self::VerifyHeaderV4a
            | Self::VerifyQueryV4a => Algorithm::V4a,
        }
    }

    /// The kinds that a case is taken through, if it has figures for them.
    pub(crate) fn of(case: &Case) -> impl Iterator<Item = Self> {
        let algorithm = case.context.algorithm;
        Self::ALL
            .into_iter()
            .filter(move |kind| kind.algorithm() == algorithm)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SignHeader => "sign-header",
            Self::SignQuery => "sign-query",
            Self::VerifyHeader => "verify-header",
            Self::VerifyQuery => "verify-query",
            Self::SignHeaderV4a => "sign-header-v4a",
            Self::SignQueryV4a => "sign-query-v4a",
            Self::VerifyHeaderV4a => "verify-header-v4a",
            Self::VerifyQueryV4a => "verify-query-v4a",
        })
    }
}

/// Takes each case through each kind that it has figures for.
#[must_use]
pub fn run(subject: &dyn Subject, cases: &[Case]) -> Report {
    let mut report = Report::default();
    for case in cases {
        for kind in Kind::of(case) {
            let Some(expected) = case.expected(kind.form()) else {
                continue;
            };
            let failures = match kind {
                Kind::SignHeader | Kind::SignQuery | Kind::SignHeaderV4a | Kind::SignQueryV4a => {
                    sign(subject, case, kind.form(), expected)
                }
                Kind::VerifyHeader
                | Kind::VerifyQuery
                | Kind::VerifyHeaderV4a
                | Kind::VerifyQueryV4a => match &expected.signed_request {
                    Some(signed) => verify(subject, case, kind.form(), signed),
                    None => continue,
                },
            };
            report.outcomes.push(Outcome {
                kind,
                case: case.name.clone(),
                failures,
            });
        }
    }
    report
}

fn sign(subject: &dyn Subject, case: &Case, form: Form, expected: &Expected) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut compare = |stage: &str, expected: Option<&str>, got: &str| {
        if let Some(expected) = expected
            && expected != got
        {
            failures.push(Failure::new(stage, expected, got));
        }
    };
    if let Some(key) = &case.derived_key {
        let got = subject.derived_key(&case.context);
        compare(
            "derived key",
            Some(key),
            &got.unwrap_or_else(|refusal| refusal),
        );
    }
    match subject.sign(case, form) {
        Err(refusal) => compare("signing", Some("a signature"), &refusal),
        Ok(stages) => {
            let canonical_request = expected.canonical_request.as_deref();
            compare(
                "canonical request",
                canonical_request,
                &stages.canonical_request,
            );
            compare(
                "string to sign",
                expected.string_to_sign.as_deref(),
                &stages.string_to_sign,
            );
            match case.context.algorithm {
                Algorithm::V4 => {
                    let signature = expected.signature.as_deref();
                    compare("signature", signature, &stages.signature);
                    let signed_request = expected.signed_request.as_ref().map(Message::comparable);
                    let got = stages.signed_request.comparable();
                    compare("signed request", signed_request.as_deref(), &got);
                }
                Algorithm::V4a => {
                    let signed_request = expected.signed_request.as_ref().map(without_signature);
                    let got = without_signature(&stages.signed_request);
                    compare("signed request", signed_request.as_deref(), &got);
                    failures.extend(asymmetric_failures(case, expected, &stages));
                }
            }
        }
    }
    failures
}

/// Which of two signatures, the published one and the one made, the published key does not verify.
fn asymmetric_failures(case: &Case, expected: &Expected, stages: &Stages) -> Vec<Failure> {
    let signed = stages.signed_request.signature().unwrap_or_default();
    let signatures = [
        ("published signature", expected.signature.as_deref()),
        ("signature", Some(stages.signature.as_str())),
        ("signature in the signed request", Some(signed.as_str())),
    ];
    signatures
        .into_iter()
        .filter_map(|(stage, signature)| signature.map(|signature| (stage, signature)))
        .filter(|(_, signature)| !published_key_verifies(case, expected, signature))
        .map(|(stage, signature)| {
            Failure::new(stage, "one that the published key verifies", signature)
        })
        .collect()
}

/// Whether an asymmetric signature of the published string to sign is right, under the published key.
pub(crate) fn published_key_verifies(case: &Case, expected: &Expected, signature: &str) -> bool {
    let key: Option<PublicKey> = case.derived_key.as_ref().and_then(|key| key.parse().ok());
    let signature: Option<Signature> = signature.parse().ok();
    match (key, &expected.string_to_sign, signature) {
        (Some(key), Some(text), Some(signature)) => key.verifies(text, &signature),
        _ => false,
    }
}

/// A signed request for comparison, where the signature itself is one of many right ones.
fn without_signature(message: &Message) -> String {
    let text = message.comparable();
    match message.signature() {
        Some(signature) if !signature.is_empty() => text.replace(&signature, "(signature)"),
        Some(_) | None => text,
    }
}

fn verify(subject: &dyn Subject, case: &Case, form: Form, signed: &Message) -> Vec<Failure> {
    let mut failures = Vec::new();
    if let Err(refusal) = subject.verify(&Attempt::published(case, signed)) {
        failures.push(Failure::new("the published request", "accepted", &refusal));
    }
    match alterations(case, form, signed) {
        Err(problem) => failures.push(Failure::new("alterations", "a signed request", &problem)),
        Ok(altered) => {
            for altered in altered {
                if subject.verify(&altered.attempt).is_ok() {
                    failures.push(Failure::new(altered.what, "refused", "accepted"));
                }
            }
        }
    }
    failures
}
