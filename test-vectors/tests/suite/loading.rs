//! Reading vectors: what is there, and what is said of what is wrong.

use std::fs;
use std::path::Path;

use test_vectors::case::{
    Algorithm, ContentSha256, Form, PathEncoding, PathNormalization, Payload, SessionToken,
};
use test_vectors::{LoadError, suite, vectors};

use crate::support::{Copy, asymmetric_suite_of_aws, suite_of_aws};

#[test]
fn the_pinned_package_carries_38_cases_and_two_extra_folders() {
    let suite = suite_of_aws();
    let whole = suite
        .cases
        .iter()
        .filter(|case| case.query.is_some())
        .count();
    assert_eq!(whole, 38);
    let extra: Vec<&str> = suite
        .cases
        .iter()
        .filter(|case| case.query.is_none())
        .map(|case| case.name.as_str())
        .collect();
    assert_eq!(
        extra,
        [
            "double-encode-path (canonical request)",
            "double-encode-path",
            "double-url-encode"
        ]
    );
    for case in suite.cases.iter().filter(|case| case.query.is_some()) {
        for form in Form::ALL {
            let expected = case.expected(form).unwrap();
            assert!(expected.canonical_request.is_some(), "{}", case.name);
            assert!(expected.string_to_sign.is_some(), "{}", case.name);
            assert_eq!(
                expected.signature.as_ref().unwrap().len(),
                64,
                "{}",
                case.name
            );
            assert!(expected.signed_request.is_some(), "{}", case.name);
        }
    }
}

#[test]
fn contexts_and_requests_of_the_suite_are_read_as_they_are_written() {
    let suite = suite_of_aws();
    let case = |name: &str| suite.cases.iter().find(|case| case.name == name).unwrap();

    let settings = case("get-slashes-unnormalized").context.settings;
    assert_eq!(settings.path_normalization, PathNormalization::AsIs);
    assert_eq!(settings.path_encoding, PathEncoding::Double);
    let after = &case("post-sts-header-after").context;
    assert_eq!(after.settings.session_token, SessionToken::Unsigned);
    assert!(after.session_token.is_some());
    let form = case("post-x-www-form-urlencoded");
    assert_eq!(form.context.settings.content_sha256, ContentSha256::Add);
    assert_eq!(form.request.body, b"Param1=value1");
    assert_eq!(form.context.settings.payload, Payload::Bytes);
    let folded = case("get-header-value-multiline")
        .request
        .header("my-header1");
    assert_eq!(folded, Some(b"value1   value2      value3".as_slice()));
    assert_eq!(case("get-utf8").request.target, "/ሴ".as_bytes());
}

#[test]
fn the_asymmetric_cases_are_the_same_38_with_a_public_key() {
    let names = |suite: suite::Suite| -> Vec<String> {
        let whole = suite.cases.into_iter().filter(|case| case.query.is_some());
        whole.map(|case| case.name).collect()
    };
    assert_eq!(names(asymmetric_suite_of_aws()), names(suite_of_aws()));
    let suite = asymmetric_suite_of_aws();
    for case in &suite.cases {
        assert_eq!(case.context.algorithm, Algorithm::V4a);
        assert_eq!(case.derived_key.as_ref().unwrap().len(), 130);
    }
    assert!(
        suite.notes[0]
            .to_string()
            .starts_with("skipped: v4a/get-vanilla ")
    );
    // The reason that is printed is so.
    let folder = suite::locate().unwrap().join("v4a/get-vanilla");
    for file in ["canonical-request.txt", "string-to-sign.txt"] {
        let text = |name: &str| fs::read(folder.join(name)).unwrap();
        assert_eq!(text(file), text(&format!("header-{file}")));
    }
}

#[test]
fn a_public_key_that_is_none_is_refused_by_name() {
    for (name, from, to, said) in [
        ("no-point", "b6618f6a", "b6618f6b", "not a point"),
        ("no-member", "\"X\"", "\"Z\"", "unknown field"),
    ] {
        let copy = Copy::of_the_asymmetric_suite(name, "get-vanilla");
        let path = copy.0.join("v4a/get-vanilla/public-key.json");
        let text = fs::read_to_string(&path).unwrap().replace(from, to);
        fs::write(&path, text).unwrap();
        let error = suite::load_v4a(&copy.0).unwrap_err().to_string();
        assert!(
            error.contains("public-key.json") && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn the_wrong_target_of_one_case_is_corrected_and_said_to_be() {
    let suite = suite_of_aws();
    let case = suite
        .cases
        .iter()
        .find(|case| case.name == "get-space-normalized")
        .unwrap();
    assert_eq!(case.request.target, b"/example space/");
    let note = suite
        .notes
        .iter()
        .find(|note| note.case == "get-space-normalized")
        .unwrap();
    assert!(
        note.to_string()
            .starts_with("corrected: get-space-normalized"),
        "{note}"
    );
    assert!(note.to_string().contains(" because "), "{note}");
}

/// The reasons that the runner prints are facts about the files.
#[test]
fn what_is_said_of_the_odd_folders_is_so() {
    let v4 = suite::locate().unwrap().join("v4");
    for folder in ["double-encode-path", "double-url-encode"] {
        for file in fs::read_dir(v4.join(folder)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with("query-"), "{folder}/{name} is published");
        }
    }
    let text = |file: &str| fs::read_to_string(v4.join(file)).unwrap();
    assert!(
        !v4.join("double-encode-path/header-string-to-sign.txt")
            .exists()
    );
    assert!(text("double-encode-path/header-canonical-request.txt").contains("20210511T154045Z"));
    assert!(text("double-encode-path/header-signed-request.txt").contains("20150830T123600Z"));
    assert!(!text("double-url-encode/header-signed-request.txt").contains("HTTP/1.1"));
    assert!(text("get-space-normalized/request.txt").contains("/example%20space/"));
    assert!(text("get-space-normalized/query-signed-request.txt").contains("/example space/"));
}

#[test]
fn a_copy_with_the_right_target_needs_no_correction() {
    let copy = Copy::of_the_suite("right-target", "get-space-normalized");
    let path = copy.0.join("v4/get-space-normalized/request.txt");
    fs::write(
        &path,
        "GET /example space/ HTTP/1.1\nHost:example.amazonaws.com\n",
    )
    .unwrap();
    let suite = suite::load(&copy.0).unwrap();
    assert_eq!(suite.cases[0].request.target, b"/example space/");
    assert!(
        suite
            .notes
            .iter()
            .all(|note| note.case != "get-space-normalized")
    );
}

#[test]
fn a_suite_that_is_not_there_is_an_error_that_names_it() {
    let error = suite::load(Path::new("/no/such/suite"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("/no/such/suite/v4"), "{error}");
    assert!(error.contains("expected the folder v4"), "{error}");

    let empty = Copy::empty("empty");
    fs::create_dir(empty.0.join("v4")).unwrap();
    let error = suite::load(&empty.0).unwrap_err().to_string();
    assert!(error.contains("no case is in it"), "{error}");
}

#[test]
fn each_file_of_a_case_is_needed_and_missed_by_name() {
    let files = [
        "context.json",
        "request.txt",
        "header-canonical-request.txt",
        "header-string-to-sign.txt",
        "header-signature.txt",
        "header-signed-request.txt",
        "query-canonical-request.txt",
        "query-string-to-sign.txt",
        "query-signature.txt",
        "query-signed-request.txt",
    ];
    for file in files {
        let copy = Copy::of_the_suite(&format!("without-{file}"), "get-vanilla");
        fs::remove_file(copy.0.join("v4/get-vanilla").join(file)).unwrap();
        let error = suite::load(&copy.0).unwrap_err();
        assert!(matches!(error, LoadError::Unreadable { .. }), "{error}");
        assert!(
            error.to_string().contains(&format!("get-vanilla/{file}")),
            "{error}"
        );
    }
}

#[test]
fn files_that_are_not_what_they_should_be_are_errors_that_say_so() {
    for (file, content, said) in [
        ("context.json", "{", "EOF while parsing"),
        ("context.json", "{}", "missing field"),
        ("request.txt", "GET /\n", "expected a request line"),
        ("request.txt", "", "expected a request line"),
        (
            "header-signed-request.txt",
            "GET / HTTP/1.1\nHost\n",
            "line 2",
        ),
    ] {
        let copy = Copy::of_the_suite(&format!("bad-{}", said.replace(' ', "-")), "get-vanilla");
        fs::write(copy.0.join("v4/get-vanilla").join(file), content).unwrap();
        let error = suite::load(&copy.0).unwrap_err().to_string();
        assert!(error.contains(file) && error.contains(said), "{error}");
    }
    let copy = Copy::of_the_suite("not-text", "get-vanilla");
    fs::write(copy.0.join("v4/get-vanilla/header-signature.txt"), b"\xff").unwrap();
    let error = suite::load(&copy.0).unwrap_err().to_string();
    assert!(error.contains("expected UTF-8"), "{error}");
}

#[test]
fn a_context_with_an_unknown_member_or_a_bad_timestamp_is_refused() {
    for (from, to, said) in [
        (
            "\"normalize\"",
            "\"unheard_of\": 1, \"normalize\"",
            "unheard_of",
        ),
        ("2015-08-30T12:36:00Z", "yesterday", "expected a moment"),
    ] {
        let copy = Copy::of_the_suite(&format!("context-{said}"), "get-vanilla");
        let path = copy.0.join("v4/get-vanilla/context.json");
        let text = fs::read_to_string(&path).unwrap().replace(from, to);
        fs::write(&path, text).unwrap();
        let error = suite::load(&copy.0).unwrap_err().to_string();
        assert!(
            error.contains("context.json") && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn an_extra_folder_without_its_signature_is_refused() {
    let copy = Copy::of_the_suite("extra", "double-url-encode");
    let path = copy
        .0
        .join("v4/double-url-encode/header-signed-request.txt");
    fs::write(&path, "POST /x\nHost:a\n").unwrap();
    let error = suite::load(&copy.0).unwrap_err().to_string();
    assert!(
        error.contains("header-signed-request.txt") && error.contains("Signature="),
        "{error}"
    );
}

#[test]
fn the_vectors_of_this_repository_are_read_with_their_settings() {
    let cases = vectors::load(&vectors::folder()).unwrap();
    let case = |name: &str| cases.iter().find(|case| case.name == name).unwrap();
    assert!(case("iam-list-users").derived_key.is_some());
    let presigned = case("s3-presigned-get-object");
    assert_eq!(presigned.context.settings.payload, Payload::Unsigned);
    assert_eq!(
        presigned.context.settings.path_encoding,
        PathEncoding::Single
    );
    let repeated = case("sqs-repeated-header");
    let teams = repeated
        .request
        .headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("x-team"));
    assert_eq!(teams.count(), 3);
    let signed = repeated
        .header
        .as_ref()
        .unwrap()
        .signed_request
        .as_ref()
        .unwrap();
    assert!(signed.header("authorization").is_some());
}

#[test]
fn vectors_that_are_not_in_the_format_are_errors_that_say_so() {
    let context = r#""context":{"access_key_id":"a","secret_access_key":"b","region":"r",
        "service":"s","timestamp":"2015-08-30T12:36:00Z","expires_in_seconds":1}"#;
    let good = r#""request":{"method":"GET","target":"/","headers":[]}"#;
    let file =
        |rest: &str| format!(r#"{{"source":"x","cases":[{{"name":"n","why":"w",{rest}}}]}}"#);
    let expected = r#""header":{"signature":"00"}"#;
    for (text, said) in [
        (String::new(), "EOF"),
        (
            r#"{"source":" ","cases":[]}"#.to_owned(),
            "`source` is empty",
        ),
        (
            r#"{"source":"x","cases":[]}"#.to_owned(),
            "no case is in it",
        ),
        (
            file(&format!("{context},{good}")),
            "give `header` or `query`",
        ),
        (
            file(&format!(r#"{context},{good},"header":{{}}"#)),
            "without any stage",
        ),
        (
            file(&format!(r#"{context},{good},{expected},"unheard_of":1"#)),
            "unheard_of",
        ),
        (
            file(&format!(
                r#"{context},"request":{{"method":"GET","target":"x","headers":[]}},{expected}"#
            )),
            "begins with /",
        ),
        (
            file(&format!(
                r#"{context},"request":{{"method":"GET","target":"/","headers":["x"]}},{expected}"#
            )),
            "Name:value",
        ),
    ] {
        let folder = Copy::empty(&format!("vectors-{}", said.replace([' ', '/'], "-")));
        fs::write(folder.0.join("a.json"), text).unwrap();
        let error = vectors::load(&folder.0).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }

    let folder = Copy::empty("vectors-twice");
    for name in ["a.json", "b.json"] {
        fs::write(
            folder.0.join(name),
            file(&format!("{context},{good},{expected}")),
        )
        .unwrap();
    }
    let error = vectors::load(&folder.0).unwrap_err().to_string();
    assert!(
        error.contains("b.json") && error.contains("name of two cases"),
        "{error}"
    );
}
