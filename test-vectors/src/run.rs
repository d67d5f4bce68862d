//! Cases against an implementation.

use std::fmt;

use crate::alter::{Attempt, alterations};
use crate::case::{Case, Context, Expected, Form};
use crate::message::Message;
use crate::report::{Failure, Outcome, Report};

/// An implementation of Signature Version 4 under test.
pub trait Subject {
    /// Signs the request of a case.
    ///
    /// # Errors
    ///
    /// Why the request could not be signed.
    fn sign(&self, case: &Case, form: Form) -> Result<Stages, String>;

    /// The day's signing key as lower-case hex.
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
}

impl Kind {
    /// Every kind, in the order of the summary.
    pub const ALL: [Self; 4] = [
        Self::SignHeader,
        Self::SignQuery,
        Self::VerifyHeader,
        Self::VerifyQuery,
    ];

    /// Where the signature of this kind is.
    #[must_use]
    pub fn form(self) -> Form {
        match self {
            Self::SignHeader | Self::VerifyHeader => Form::Header,
            Self::SignQuery | Self::VerifyQuery => Form::Query,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SignHeader => "sign-header",
            Self::SignQuery => "sign-query",
            Self::VerifyHeader => "verify-header",
            Self::VerifyQuery => "verify-query",
        })
    }
}

/// Takes each case through each kind that it has figures for.
#[must_use]
pub fn run(subject: &dyn Subject, cases: &[Case]) -> Report {
    let mut report = Report::default();
    for case in cases {
        for kind in Kind::ALL {
            let Some(expected) = case.expected(kind.form()) else {
                continue;
            };
            let failures = match kind {
                Kind::SignHeader | Kind::SignQuery => sign(subject, case, kind.form(), expected),
                Kind::VerifyHeader | Kind::VerifyQuery => match &expected.signed_request {
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
            compare(
                "signature",
                expected.signature.as_deref(),
                &stages.signature,
            );
            let signed_request = expected.signed_request.as_ref().map(Message::comparable);
            let got = stages.signed_request.comparable();
            compare("signed request", signed_request.as_deref(), &got);
        }
    }
    failures
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
