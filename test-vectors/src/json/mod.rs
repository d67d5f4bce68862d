//! AWS's JSON protocol: Smithy's cases, through the client and the codec of `aws-json`.
//!
//! The cases are those that botocore carries, and our own for the few that it does not. A client's cases are calls
//! of the real client, over a socket, with typed operations whose shapes use
//! [`aws_json::value`]: what is sent is compared with what the case says must be, and is verified to be signed;
//! what is answered is the case's answer. A server's cases are read by the codec.
//!
//! What is not run is data, in `vectors/aws-json/skipped.json`, each with its reason. A case that is neither run
//! nor in that list has failed, and so has an entry of the list that no case goes by.

pub mod case;
mod check;
mod exchange;
mod shapes;
pub mod skip;
mod wire_form;

use std::fmt;
use std::io;

use self::case::{Case, What};
use self::skip::Skips;
use crate::report::{Failure, Kinds, Outcome, Report};

/// What a case of the protocol is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What a client sends.
    Request,
    /// What a client makes of an answer.
    Response,
    /// What a client makes of a refusal.
    Refusal,
    /// What a server makes of a request.
    Server,
}

impl Kinds for Kind {
    const EVERY: &'static [Self] = &[Self::Request, Self::Response, Self::Refusal, Self::Server];
}

impl Kind {
    /// The kind of a case.
    #[must_use]
    pub fn of(case: &Case) -> Self {
        match case.what {
            What::Request { .. } => Self::Request,
            What::Response { .. } => Self::Response,
            What::Refusal { .. } => Self::Refusal,
            What::Server { .. } => Self::Server,
        }
    }

    /// How the list of what is skipped names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "json-request",
            Self::Response => "json-response",
            Self::Refusal => "json-refusal",
            Self::Server => "json-server",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Runs the cases but those in the list.
///
/// # Errors
///
/// If there can be no runtime for the client's sockets.
pub fn run(cases: &[Case], skips: &Skips) -> io::Result<Report<Kind>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut report = Report::default();
    for case in cases {
        let kind = Kind::of(case);
        if skips.find(kind, &case.id).is_none() {
            report.outcomes.push(Outcome {
                kind,
                case: case.id.clone(),
                failures: check::check(&runtime, case),
            });
        }
    }
    Ok(report)
}

/// What is wrong with the list, judged by all the cases that are published: entries that no case goes by, and
/// cases that are said not to be published and are.
#[must_use]
pub fn check_skips(published: &[Case], skips: &Skips) -> Report<Kind> {
    let mut report = Report::default();
    for skip in &skips.skipped {
        let is_there = |case: &Case| case.id == skip.id && Kind::of(case).name() == skip.kind;
        let Some(kind) = Kind::EVERY.iter().find(|kind| kind.name() == skip.kind) else {
            report.outcomes.push(stale(
                Kind::Request,
                &skip.id,
                "a kind of cases",
                &skip.kind,
            ));
            continue;
        };
        if !published.iter().any(is_there) {
            let got = "no case goes by this id: take it off the list";
            report
                .outcomes
                .push(stale(*kind, &skip.id, "a case of this kind", got));
        }
    }
    for absent in &skips.not_published {
        if let Some(case) = published.iter().find(|case| case.id == absent.id) {
            let got = "it is published: run it or skip it";
            report
                .outcomes
                .push(stale(Kind::of(case), &absent.id, "no case", got));
        }
    }
    report
}

fn stale(kind: Kind, id: &str, expected: &str, got: &str) -> Outcome<Kind> {
    Outcome {
        kind,
        case: id.to_owned(),
        failures: vec![Failure::new("vectors/aws-json/skipped.json", expected, got)],
    }
}
