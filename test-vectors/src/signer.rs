//! Somebody else's signer, held to the vectors: a program that reads a case a line and answers a line.
//!
//! `README.md` of this package describes the lines. Nothing of the program is trusted: an answer has a
//! time and a length, and whatever goes wrong is a failure of the case that it went wrong at.

mod compare;
mod program;
mod question;

use crate::case::{Case, Form};
use crate::report::{Failure, Outcome, Report};
use crate::run::Kind;

pub use self::compare::Answer;
pub use self::program::{Fault, Limits, Program, StartError};
pub use self::question::Question;

/// Asks a program to sign each case in each form that there are figures for, and compares.
///
/// Once the program is gone (it ended, took too long, or wrote a line without an end) it is asked
/// nothing more, and every case that is left has failed.
#[must_use]
pub fn run(mut program: Program, cases: &[Case]) -> Report {
    let mut report = Report::default();
    let mut gone: Option<Fault> = None;
    for case in cases {
        for kind in kinds(case) {
            let failures = match &gone {
                Some(fault) => vec![Failure::new(
                    "the signer",
                    "an answer",
                    &format!("not asked, since {fault}"),
                )],
                None => match ask(&mut program, case, kind.form()) {
                    Ok(failures) => failures,
                    Err(fault) => {
                        let failure = Failure::new("the signer", "an answer", &fault.to_string());
                        gone = Some(fault);
                        vec![failure]
                    }
                },
            };
            report.outcomes.push(Outcome {
                kind,
                case: case.name.clone(),
                failures,
            });
        }
    }
    if gone.is_none()
        && let Err(fault) = program.finish()
        && let Some(last) = report.outcomes.last_mut()
    {
        last.failures.push(Failure::new(
            "the signer, after its last answer",
            "exit status 0 once its input ends",
            &fault.to_string(),
        ));
    }
    report
}

/// The kinds that another signer can be asked for, where something is published to compare with.
fn kinds(case: &Case) -> impl Iterator<Item = Kind> {
    Kind::of(case).filter(|kind| {
        let signs = match kind {
            Kind::SignHeader | Kind::SignQuery | Kind::SignHeaderV4a | Kind::SignQueryV4a => true,
            Kind::VerifyHeader
            | Kind::VerifyQuery
            | Kind::VerifyHeaderV4a
            | Kind::VerifyQueryV4a => false,
        };
        let expected = case.expected(kind.form());
        signs && expected.is_some_and(|e| e.signature.is_some() || e.signed_request.is_some())
    })
}

fn ask(program: &mut Program, case: &Case, form: Form) -> Result<Vec<Failure>, Fault> {
    let Some(expected) = case.expected(form) else {
        return Ok(Vec::new());
    };
    let line = program.ask(Question::new(case, form).to_line())?;
    Ok(match Answer::parse(&line) {
        Ok(answer) => answer.failures(case, form, expected),
        Err(problem) => vec![Failure::new(
            "the answer",
            "{\"authorization\": \"…\"} or {\"query\": \"…\"}",
            &problem,
        )],
    })
}
