//! The runner fails whatever is wrong: signers and verifiers that make a mistake, vectors that say
//! something else, folders that are no suite.

use std::fs;
use std::process::{Command, Output};

use test_vectors::alter::Attempt;
use test_vectors::case::{Algorithm, Case, Context, Form};
use test_vectors::report::Report;
use test_vectors::run::{Kind, Stages, Subject, run};
use test_vectors::subject::Sigv4;
use test_vectors::vectors;

use crate::support::{Copy, asymmetric_suite_of_aws, suite_of_aws};

/// `sigv4` with one mistake.
#[derive(Clone, Copy)]
enum Mistaken {
    AcceptsEverything,
    RefusesEverything,
    IgnoresTheClock,
    SignsNothing,
    Signs(Mistake),
    DerivesAnotherKey,
}

type Mistake = fn(&mut Stages);

impl Subject for Mistaken {
    fn sign(&self, case: &Case, form: Form) -> Result<Stages, String> {
        if let Self::SignsNothing = self {
            return Err("it does not sign".to_owned());
        }
        let mut stages = Sigv4.sign(case, form)?;
        if let Self::Signs(mistake) = self {
            mistake(&mut stages);
        }
        Ok(stages)
    }

    fn derived_key(&self, context: &Context) -> Result<String, String> {
        if let Self::DerivesAnotherKey = self {
            return Ok("00".repeat(32));
        }
        Sigv4.derived_key(context)
    }

    fn verify(&self, attempt: &Attempt) -> Result<(), String> {
        match self {
            Self::AcceptsEverything => Ok(()),
            Self::RefusesEverything => Err("it refuses".to_owned()),
            Self::IgnoresTheClock => {
                let now = attempt.context.timestamp;
                Sigv4.verify(&Attempt {
                    now,
                    ..attempt.clone()
                })
            }
            Self::SignsNothing | Self::Signs(_) | Self::DerivesAnotherKey => Sigv4.verify(attempt),
        }
    }
}

fn report(subject: Mistaken) -> Report {
    let mut cases = suite_of_aws().cases;
    cases.extend(vectors::load(&vectors::folder()).unwrap());
    cases.extend(asymmetric_suite_of_aws().cases);
    run(&subject, &cases)
}

#[track_caller]
fn assert_all_fail(report: &Report, kinds: &[Kind], stage: &str) {
    for kind in Kind::ALL {
        let expected = kinds.contains(&kind);
        for outcome in report.of(kind) {
            let failed = outcome
                .failures
                .iter()
                .any(|failure| failure.stage == stage);
            assert_eq!(failed, expected, "{kind} {}", outcome.case);
            assert_eq!(outcome.passed(), !expected, "{kind} {}", outcome.case);
        }
    }
}

const SIGN: [Kind; 4] = [
    Kind::SignHeader,
    Kind::SignQuery,
    Kind::SignHeaderV4a,
    Kind::SignQueryV4a,
];
const VERIFY: [Kind; 4] = [
    Kind::VerifyHeader,
    Kind::VerifyQuery,
    Kind::VerifyHeaderV4a,
    Kind::VerifyQueryV4a,
];

#[test]
fn a_verifier_that_accepts_everything_fails_for_each_alteration() {
    let report = report(Mistaken::AcceptsEverything);
    for what in [
        "another method",
        "another path",
        "another Host",
        "another signature",
    ] {
        assert_all_fail(&report, &VERIFY, what);
    }
    for what in [
        "another date",
        "another secret",
        "another region served",
        "an x-amz header that is not signed",
    ] {
        assert_all_fail(&report, &VERIFY, what);
    }
}

#[test]
fn a_verifier_that_refuses_everything_fails() {
    assert_all_fail(
        &report(Mistaken::RefusesEverything),
        &VERIFY,
        "the published request",
    );
}

#[test]
fn a_verifier_that_ignores_the_clock_fails() {
    let report = report(Mistaken::IgnoresTheClock);
    assert_all_fail(&report, &VERIFY, "a clock 15 minutes and a second earlier");
}

#[test]
fn a_signer_that_refuses_fails() {
    assert_all_fail(&report(Mistaken::SignsNothing), &SIGN, "signing");
}

#[test]
fn a_mistake_in_any_stage_fails_where_that_stage_is_published() {
    let mistakes: [(&str, Mistake); 4] = [
        ("canonical request", |stages| {
            stages.canonical_request.push('\n');
        }),
        ("string to sign", |stages| stages.string_to_sign.push('\n')),
        ("signature", |stages| {
            stages.signature.make_ascii_uppercase();
        }),
        ("signed request", |stages| {
            stages.signed_request.headers.clear();
        }),
    ];
    for (stage, mistake) in mistakes {
        let report = report(Mistaken::Signs(mistake));
        let failed = report
            .outcomes
            .iter()
            .filter(|outcome| !outcome.passed())
            .count();
        assert!(failed >= 4 * 38, "{stage}: {failed}");
        let mut failures = report.outcomes.iter().flat_map(|outcome| &outcome.failures);
        // Without its header a request has no signature either.
        let also = "signature in the signed request";
        assert!(
            failures.all(|failure| failure.stage == stage || failure.stage == also),
            "{stage}: {report}"
        );
    }
}

#[test]
fn an_asymmetric_signature_of_something_else_fails() {
    // Well-formed, under the right key, and of another text than any case's.
    let report = report(Mistaken::Signs(|stages| {
        stages.signature = "3045022100f7866e35aa214de4541aa33326aa9b5e9a409b72c9185c7a2e2d246ebb5a\
                            25a80220642e809f3d016fb3674364776c2ffadf7e7f8da94c36538a4715fa9425b5\
                            2ed7"
            .to_owned();
    }));
    for kind in [Kind::SignHeaderV4a, Kind::SignQueryV4a] {
        for outcome in report.of(kind) {
            let stages: Vec<&str> = outcome.failures.iter().map(|f| f.stage.as_str()).collect();
            assert_eq!(stages, ["signature"], "{kind} {}", outcome.case);
        }
    }
}

#[test]
fn another_derived_key_fails() {
    let report = report(Mistaken::DerivesAnotherKey);
    for kind in [Kind::SignHeaderV4a, Kind::SignQueryV4a] {
        assert!(report.of(kind).all(|outcome| !outcome.passed()));
    }
    let failed: Vec<&str> = report
        .outcomes
        .iter()
        .filter(|outcome| outcome.kind.algorithm() == Algorithm::V4 && !outcome.passed())
        .map(|outcome| outcome.case.as_str())
        .collect();
    assert_eq!(failed, ["iam-list-users"]);
}

#[test]
fn the_report_ends_in_the_count() {
    let good = run(&Sigv4, &suite_of_aws().cases).to_string();
    let last = good.lines().last().unwrap();
    assert_eq!(last, format!("{} passed, 0 failed", 41 + 38 + 40 + 38));

    let bad = report(Mistaken::SignsNothing).to_string();
    let failed = bad
        .lines()
        .filter(|line| line.starts_with("FAILED sign-"))
        .count();
    assert!(
        bad.lines()
            .last()
            .unwrap()
            .ends_with(&format!(" passed, {failed} failed")),
        "{bad}"
    );
    assert!(bad.contains("FAILED sign-query get-vanilla: signing (- expected, + got)\n    - a signature\n    + it does not sign"), "{bad}");
}

fn binary(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_test-vectors"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_binary_passes_what_this_repository_has() {
    for (arguments, kinds, least) in [
        (&[][..], &Kind::ALL[..], 8 * 38),
        (&["sigv4"], &Kind::ALL[..4], 4 * 38),
    ] {
        let output = binary(arguments);
        let printed = text(&output.stdout);
        assert!(output.status.success(), "{printed}");
        let last = printed.lines().last().unwrap();
        let passed: usize = last
            .strip_suffix(" passed, 0 failed")
            .unwrap()
            .parse()
            .unwrap();
        assert!(passed >= least, "{last}");
        assert!(
            printed.contains("\nskipped: double-url-encode query form because "),
            "{printed}"
        );
        assert!(
            printed.contains("corrected: get-space-normalized "),
            "{printed}"
        );
        for kind in Kind::ALL {
            let is_printed = printed.contains(&format!("\n{kind} "));
            assert_eq!(is_printed, kinds.contains(&kind), "{printed}");
        }
    }
    let output = binary(&["sigv4a"]);
    assert!(output.status.success());
    assert_eq!(
        text(&output.stdout).lines().last(),
        Some("152 passed, 0 failed")
    );
}

#[test]
fn the_binary_fails_for_a_suite_that_says_something_else() {
    let copy = Copy::of_the_suite("another-signature", "get-vanilla");
    let path = copy.0.join("v4/get-vanilla/header-signature.txt");
    let signature = fs::read_to_string(&path).unwrap();
    fs::write(&path, signature.replace('5', "6")).unwrap();
    let output = binary(&["sigv4", "--suite", copy.0.to_str().unwrap()]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("FAILED sign-header get-vanilla: signature"),
        "{printed}"
    );
    assert!(printed.contains(&format!("    + {signature}")), "{printed}");
    assert!(
        printed
            .lines()
            .last()
            .unwrap()
            .ends_with(" passed, 1 failed"),
        "{printed}"
    );
}

#[test]
fn the_binary_says_what_it_cannot_read() {
    let output = binary(&["--suite", "/no/such/suite"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("/no/such/suite/v4"),
        "{}",
        text(&output.stderr)
    );
    let output = binary(&["sigv5"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("sigv4"),
        "{}",
        text(&output.stderr)
    );
}
