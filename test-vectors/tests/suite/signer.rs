//! Other programs as signers: one that is right, and each way of being wrong.

use std::process::{Command, Output};

use test_vectors::case::Case;
use test_vectors::report::Report;
use test_vectors::run::Kind;
use test_vectors::signer::{self, Limits, Program};
use test_vectors::vectors;

use crate::support::{asymmetric_suite_of_aws, suite_of_aws};

const OURS: &str = env!("CARGO_BIN_EXE_sigv4-signer");

fn binary(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_test-vectors"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// How many signatures are published: in both forms, less the one case that has a text only.
fn signatures() -> usize {
    let own = vectors::load(&vectors::folder()).unwrap();
    let own = own.iter().map(|case| {
        let forms = [&case.header, &case.query];
        forms.iter().filter(|form| form.is_some()).count()
    });
    38 + 38 + 2 + own.sum::<usize>()
}

#[test]
fn a_right_signer_passes() {
    for (selection, expected) in [
        (&[][..], signatures()),
        (&["sigv4"], signatures()),
        (&["sigv4a"], 2 * 38),
        (&["sigv4", "sigv4a"], signatures() + 2 * 38),
    ] {
        let arguments = [selection, &["--signer", OURS]].concat();
        let output = binary(&arguments);
        let printed = text(&output.stdout);
        assert!(output.status.success(), "{printed}");
        assert_eq!(
            printed.lines().last(),
            Some(format!("{expected} passed, 0 failed").as_str())
        );
    }
}

#[test]
fn a_signer_that_cannot_be_started_is_an_error_of_its_own() {
    let output = binary(&["--signer", "/no/such/signer"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("/no/such/signer cannot be started"), "{said}");
}

/// Three cases, each in both forms.
fn cases() -> Vec<Case> {
    let cases = suite_of_aws().cases.into_iter();
    cases.filter(|case| case.query.is_some()).take(3).collect()
}

fn ask(command: &str, limits: Limits) -> Report {
    signer::run(Program::start(command, limits).unwrap(), &cases())
}

/// Everything that went wrong, a line each: stage and what came instead.
fn said(report: &Report) -> Vec<String> {
    let failures = report.outcomes.iter().flat_map(|outcome| &outcome.failures);
    failures
        .map(|failure| format!("{}: {}", failure.stage, failure.got))
        .collect()
}

/// The shell's own words are enough for every fault.
#[cfg(unix)]
mod faults {
    use std::time::Duration;

    use super::*;

    fn shell(script: &str) -> String {
        assert!(!script.contains('\''));
        format!("sh -c '{script}'")
    }

    /// A signer whose every line goes through a filter.
    fn filtered(filter: &str) -> String {
        shell(&format!("{OURS} | {filter}"))
    }

    fn quick() -> Limits {
        Limits {
            answer: Duration::from_millis(300),
            ..Limits::default()
        }
    }

    #[test]
    fn one_that_ends_at_once_fails_every_case() {
        let report = ask(&shell("exit 3"), Limits::default());
        assert_eq!((report.passed(), report.failed()), (0, 6));
        let said = said(&report);
        assert_eq!(said[0], "the signer: the signer ended (exit status: 3)");
        for later in &said[1..] {
            let expected = "the signer: not asked, since the signer ended (exit status: 3)";
            assert_eq!(later, expected);
        }
    }

    #[test]
    fn one_that_answers_too_few_lines_fails_from_there_on() {
        let report = ask(&shell(&format!("sed -u 2q | {OURS}")), Limits::default());
        assert_eq!((report.passed(), report.failed()), (2, 4));
        assert!(
            said(&report)[0].starts_with("the signer: the signer ended"),
            "{report}"
        );
    }

    #[test]
    fn one_that_does_not_answer_is_not_waited_for() {
        let report = ask(&shell("while read line; do :; done"), quick());
        assert_eq!((report.passed(), report.failed()), (0, 6));
        assert_eq!(
            said(&report)[0],
            "the signer: the signer did not answer within 300ms"
        );
        // Not even when it does not read.
        let report = ask(&shell("read line; while :; do :; done"), quick());
        assert_eq!((report.passed(), report.failed()), (0, 6));
    }

    #[test]
    fn a_line_without_an_end_is_not_read_to_it() {
        let limits = Limits {
            line: 1000,
            ..Limits::default()
        };
        let report = ask(&shell("while :; do printf 0123456789; done"), limits);
        assert_eq!(
            said(&report)[0],
            "the signer: the signer wrote a line of more than 1000 bytes"
        );
        assert_eq!(report.failed(), 6);
    }

    #[test]
    fn what_is_no_answer_fails_its_own_case_and_the_next_is_asked() {
        for (answer, expected) in [
            (
                "hello",
                "the answer: expected value at line 1 column 1: hello",
            ),
            ("{}", "the answer: neither `authorization` nor `query`: {}"),
            ("{\\\"error\\\": \\\"no\\\"}", "the answer: no"),
        ] {
            let script = format!("while read -r line; do echo \"{answer}\"; done");
            let report = ask(&shell(&script), Limits::default());
            assert_eq!(said(&report), vec![expected; 6]);
        }
        let script = "while read -r line; do printf \"\\377\\n\"; done";
        let report = ask(&shell(script), Limits::default());
        assert_eq!(
            said(&report)[0],
            "the signer: the signer wrote a line that is not UTF-8"
        );
    }

    #[test]
    fn a_wrong_signature_is_shown_beside_the_right_one() {
        let report = ask(
            &filtered("sed -u s/Signature=./Signature=x/"),
            Limits::default(),
        );
        assert_eq!((report.passed(), report.failed()), (0, 6));
        let printed = report.to_string();
        assert!(printed.contains("\n    - Signature="), "{printed}");
        assert!(printed.contains("\n    + Signature=x"), "{printed}");
        assert!(printed.contains("\n    + X-Amz-Signature=x"), "{printed}");
        let report = ask(
            &filtered("sed -u s/aws4_request/aws5_request/g"),
            Limits::default(),
        );
        let stages: Vec<&str> = report.outcomes[0]
            .failures
            .iter()
            .map(|f| f.stage.as_str())
            .collect();
        assert_eq!(stages, ["string to sign"]);
    }

    #[test]
    fn a_wrong_asymmetric_signature_fails() {
        let mut cases = asymmetric_suite_of_aws().cases;
        cases.truncate(3);
        let command = filtered("sed -u -E \"s/(Signature=[0-9a-f]{80})./\\1x/\"");
        let program = Program::start(&command, Limits::default()).unwrap();
        let report = signer::run(program, &cases);
        assert_eq!((report.passed(), report.failed()), (0, 6));
        assert!(said(&report)[0].starts_with("signature: 30"), "{report}");
        assert_eq!(report.of(Kind::SignHeaderV4a).count(), 3);
    }

    #[test]
    fn a_line_too_many_and_a_bad_end_are_failures_too() {
        let report = ask(&shell(&format!("{OURS}; echo more")), Limits::default());
        assert_eq!((report.passed(), report.failed()), (5, 1));
        let expected = "the signer, after its last answer: the signer wrote a line that no case \
                        asked for: more";
        assert_eq!(said(&report), [expected]);
        let report = ask(&shell(&format!("{OURS}; exit 4")), Limits::default());
        assert_eq!(
            said(&report),
            ["the signer, after its last answer: the signer ended (exit status: 4)"]
        );
        let twice = filtered("sed -u p");
        assert!(ask(&twice, Limits::default()).failed() > 0);
    }

    /// botocore differs where the README says so, and nowhere else. Where it is not installed, in the
    /// version that the README speaks of, there is
    /// nothing to hold against the README, and the test says that.
    #[test]
    fn botocore_differs_where_it_is_said_to() {
        let python = Command::new("python3")
            .args(["-c", "import botocore; print(botocore.__version__)"])
            .output();
        if !python.is_ok_and(|output| output.stdout.starts_with(b"1.43.")) {
            eprintln!("not checked: there is no python3 with botocore 1.43");
            return;
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/signers/botocore_signer.py");
        let output = binary(&["--signer", &format!("python3 \"{script}\"")]);
        let printed = text(&output.stdout);
        let mut failed: Vec<&str> = printed
            .lines()
            .filter_map(|line| line.strip_prefix("FAILED "))
            .filter_map(|line| line.split_once(": ").map(|(case, _)| case))
            .collect();
        failed.dedup();
        let readme = include_str!("../../README.md");
        let (_, readme) = readme.split_once("### botocore").unwrap();
        let documented: Vec<&str> = readme
            .lines()
            .filter_map(|line| line.strip_prefix("| `sign-"))
            .filter_map(|row| row.split_once("` |").map(|(case, _)| case))
            .collect();
        let failed: Vec<&str> = failed
            .iter()
            .filter_map(|case| case.strip_prefix("sign-"))
            .collect();
        assert_eq!(failed, documented, "{printed}");
        assert_eq!(
            output.status.code(),
            Some(i32::from(!documented.is_empty()))
        );
    }
}
