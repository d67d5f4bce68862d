//! The cases of the JSON protocol, the runner that takes the client through them, and that the runner fails what
//! is wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use test_vectors::botocore::Botocore;
use test_vectors::json::case::{self, Case, QueryMode, What};
use test_vectors::json::skip::{Absent, Skip, Skips};
use test_vectors::json::{Kind, check_skips, run};
use test_vectors::report::Report;

fn own() -> Vec<Case> {
    case::own(&case::own_file()).unwrap()
}

fn own_case(id: &str) -> Case {
    own().into_iter().find(|case| case.id == id).unwrap()
}

fn run_all(cases: &[Case]) -> Report<Kind> {
    run(cases, &Skips::default()).unwrap()
}

/// What the one failure of a case is about.
fn failed_stages(case: Case) -> Vec<String> {
    let report = run_all(&[case]);
    let failures = report.outcomes.iter().flat_map(|outcome| &outcome.failures);
    failures.map(|failure| failure.stage.clone()).collect()
}

#[test]
fn every_case_of_ours_passes() {
    let report = run_all(&own());
    assert_eq!((report.passed(), report.failed()), (15, 0), "{report}");
    for (kind, count) in [
        (Kind::Request, 3),
        (Kind::Response, 2),
        (Kind::Refusal, 4),
        (Kind::Server, 6),
    ] {
        assert_eq!(report.of(kind).count(), count, "{kind}");
    }
}

#[test]
fn every_published_case_is_run_or_skipped_with_a_reason() {
    let botocore = Botocore::locate().unwrap();
    if !botocore.is_there() {
        eprintln!("{}", botocore.how_to_fetch());
        return;
    }
    let skips = Skips::load(&Skips::file()).unwrap();
    let published = case::published(&botocore).unwrap();
    assert_eq!(published.len(), 168);
    let report = run(&published, &skips).unwrap();
    assert_eq!(report.failed(), 0, "{report}");
    assert_eq!(report.passed() + skips.skipped.len(), 168);
    assert_eq!(check_skips(&published, &skips).failed(), 0);
}

/// A change to what a case expects of a request.
type Change = fn(&mut case::Request);

#[test]
fn a_request_that_is_another_fails_where_it_differs() {
    let changes: [(&str, Change); 8] = [
        ("the method", |request| request.method = "PUT".to_owned()),
        ("the path", |request| request.uri = "/custom/".to_owned()),
        ("the header Content-Type", |request| {
            let header = request.headers.get_mut("Content-Type").unwrap();
            *header = "application/json".to_owned();
        }),
        ("the header X-Amz-Target", |request| {
            let header = request.headers.get_mut("X-Amz-Target").unwrap();
            header.push('s');
        }),
        ("the header X-Missing", |request| {
            request.require_headers.push("X-Missing".to_owned());
        }),
        ("the header x-amz-date", |request| {
            request.forbid_headers.push("x-amz-date".to_owned());
        }),
        ("the header Host", |request| {
            request.host = Some("example.com/custom".to_owned());
        }),
        ("the body", |request| {
            request.body = Some("{\"a\":1}".to_owned());
        }),
    ];
    for (stage, change) in changes {
        let mut case = own_case("NonQueryCompatibleAwsJson10ForbidsQueryModeHeader");
        let What::Request { expected, .. } = &mut case.what else {
            panic!("{case:?}");
        };
        change(expected);
        assert_eq!(failed_stages(case), [stage]);
    }
}

#[test]
fn the_query_mode_belongs_to_services_that_are_query_compatible() {
    let mut case = own_case("NonQueryCompatibleAwsJson10ForbidsQueryModeHeader");
    case.service.query_mode = QueryMode::Compatible;
    // The client sends it now, and the case forbids it by name.
    assert_eq!(failed_stages(case), ["the header x-amzn-query-mode"]);
}

#[test]
fn an_answer_that_is_read_as_another_fails() {
    let mut case = own_case("AwsJson11SparseListsDeserializeNull");
    let What::Response { output, .. } = &mut case.what else {
        panic!("{case:?}");
    };
    *output = json!({"sparseStringList": []});
    assert_eq!(failed_stages(case), ["the output"]);

    let mut case = own_case("AwsJson11SparseListsDeserializeNull");
    let What::Response { answer, .. } = &mut case.what else {
        panic!("{case:?}");
    };
    answer.body = "[]".to_owned();
    assert_eq!(failed_stages(case), ["the call"]);

    let mut case = own_case("AwsJson10MustSupportParametersInContentType");
    let What::Server { input, request } = &mut case.what else {
        panic!("{case:?}");
    };
    *input = json!({"value": 6});
    request.headers.remove("X-Amz-Target");
    assert_eq!(failed_stages(case), ["the target", "the input"]);
}

/// A change to what a case expects of an error.
type ErrorChange = fn(&mut String, &mut Option<String>, &mut Value, &mut case::Answer);

#[test]
fn an_error_that_is_read_as_another_fails() {
    let changes: [(&[&str], ErrorChange); 5] = [
        (&["the code"], |code, _, _, _| code.push('s')),
        (&["the message"], |_, message, _, _| {
            *message = Some("Hi".to_owned());
        }),
        (&["the members"], |_, _, members, _| {
            *members = json!({"Message": "Hi"});
        }),
        (&["the call"], |_, _, _, answer| {
            answer.status_code = 200;
        }),
        (&["the code"], |_, _, _, answer| {
            answer.body = "{}".to_owned();
        }),
    ];
    for (stages, change) in changes {
        let mut case = own_case("AwsJson10FooErrorWithNestedTypeProperty");
        let What::Refusal {
            answer,
            code,
            message,
            members,
        } = &mut case.what
        else {
            panic!("{case:?}");
        };
        change(code, message, members, answer);
        assert_eq!(failed_stages(case), stages);
    }
}

#[test]
fn a_case_of_an_operation_that_has_no_shape_fails() {
    let mut case = own_case("AwsJson11SparseListsDeserializeNull");
    case.operation = "Unheard".to_owned();
    let report = run_all(&[case]);
    assert_eq!(report.failed(), 1);
    assert!(
        report.to_string().contains("no operation Unheard"),
        "{report}"
    );
}

#[test]
fn what_is_skipped_is_not_run_and_only_what_there_is_can_be() {
    let entry = |id: &str, kind: &str| Skip {
        id: id.to_owned(),
        kind: kind.to_owned(),
        reason: "of no reason".to_owned(),
    };
    let cases = own();
    let skips = Skips {
        skipped: vec![entry(
            "AwsJson11SparseListsDeserializeNull",
            "json-response",
        )],
        not_published: Vec::new(),
    };
    assert_eq!(run(&cases, &skips).unwrap().passed(), 14);
    assert!(check_skips(&cases, &skips).outcomes.is_empty());

    let absent = |id: &str| Absent {
        id: id.to_owned(),
        reason: "of no reason".to_owned(),
    };
    let skips = Skips {
        skipped: vec![
            entry("AwsJson11SparseListsDeserializeNull", "json-request"),
            entry("unheard of", "json-response"),
            entry("AwsJson11SparseListsDeserializeNull", "sign-header"),
        ],
        not_published: vec![absent("AwsJson11SparseListsDeserializeNull"), absent("x")],
    };
    assert_eq!(run(&cases, &skips).unwrap().passed(), 15);
    assert_eq!(check_skips(&cases, &skips).failed(), 4);
}

#[test]
fn the_list_of_what_is_skipped_has_reasons() {
    let skips = Skips::load(&Skips::file()).unwrap();
    assert_eq!(skips.not_published.len(), 16);
    let folder = Folder::new("skips");
    let path = folder.0.join("skipped.json");
    for (text, said) in [
        ("{", "EOF"),
        (r#"{"skipped":[]}"#, "not_published"),
        (
            r#"{"skipped":[{"id":"a","kind":"json-request","reason":" "}],"not_published":[]}"#,
            "\"a\" has no reason",
        ),
        (
            r#"{"skipped":[],"not_published":[{"id":"b","reason":""}]}"#,
            "\"b\" has no reason",
        ),
    ] {
        fs::write(&path, text).unwrap();
        let error = Skips::load(&path).unwrap_err().to_string();
        assert!(
            error.contains("skipped.json") && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn cases_that_are_not_in_the_form_are_errors_that_say_so() {
    let folder = Folder::new("cases");
    let path = folder.0.join("own.json");
    let metadata = r#""metadata":{"jsonVersion":"1.0","targetPrefix":"A"}"#;
    let given = r#""id":"n","description":"d","given":{"name":"O"}"#;
    let file =
        |case: &str| format!(r#"[{{"description":"d",{metadata},"cases":[{{{given}{case}}}]}}]"#);
    let answer = r#""response":{"status_code":200}"#;
    for (text, said) in [
        ("[".to_owned(), "EOF"),
        (file(""), "expected `serialized` or `response`"),
        (file(&format!(",{answer}")), "expected `result`"),
        (
            file(&format!(r#",{answer},"error":{{}}"#)),
            "expected `result`",
        ),
        (
            file(r#","serialized":{"method":"POST","uri":"/"}"#),
            "no `params`",
        ),
        (file(r#","unheard_of":1"#), "unheard_of"),
        (
            file(&format!(r#",{answer},"result":{{}}"#)).replace("1.0", "2.0"),
            "expected 1.0 or 1.1",
        ),
    ] {
        fs::write(&path, text).unwrap();
        let error = case::own(&path).unwrap_err().to_string();
        assert!(
            error.contains("own.json") && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn a_download_must_be_whole() {
    let folder = Folder::new("botocore");
    let botocore = Botocore::at(&folder.0).unwrap();
    assert!(botocore.is_there());
    let error = case::published(&botocore).unwrap_err().to_string();
    assert!(error.contains("input/json.json"), "{error}");
    assert!(error.contains("vectors/aws-json/fetch"), "{error}");
    for file in case::PUBLISHED {
        let path = folder.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "[]").unwrap();
    }
    let error = case::published(&botocore).unwrap_err().to_string();
    assert!(error.contains("0 cases are in it; expected 54"), "{error}");
    let error = botocore
        .read::<Value>("tests/other.json")
        .unwrap_err()
        .to_string();
    assert!(error.contains("botocore.json does not list it"), "{error}");
}

#[test]
fn without_the_download_the_runner_says_so_and_runs_the_rest() {
    let folder = Folder::new("no-download");
    let output = Command::new(env!("CARGO_BIN_EXE_test-vectors"))
        .arg("aws-json")
        .env("CARGO_TARGET_DIR", &folder.0)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    assert!(printed.starts_with("not there: "), "{printed}");
    assert!(
        printed.contains("test-vectors/vectors/aws-json/fetch puts them into"),
        "{printed}"
    );
    assert!(printed.ends_with(" passed, 0 failed\n"), "{printed}");

    let output = Command::new(env!("CARGO_BIN_EXE_test-vectors"))
        .args(["aws-json", "--botocore"])
        .arg(folder.0.join("nowhere"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = Command::new(env!("CARGO_BIN_EXE_test-vectors"))
        .args(["aws-json", "--signer", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("not with aws-json"), "{error}");
}

/// A folder of one test, which goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("protocol-{name}"));
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left is taken away by the next run.
        fs::remove_dir_all(&self.0).ok();
    }
}
