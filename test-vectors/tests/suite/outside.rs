//! What a client finds outside its code.

use test_vectors::botocore::Botocore;
use test_vectors::outside::{Kind, Run, Verdict, endpoints, profiles};
use test_vectors::report::Failure;

/// How many passed and how many were not run; none may have failed.
fn counts(run: &Run, kind: Kind) -> (usize, usize) {
    assert_eq!(run.report.failed(), 0, "{}", run.report);
    let skipped = run.skipped.iter().filter(|((of, _), _)| *of == kind);
    let skipped = skipped.map(|(_, cases)| cases.len());
    (run.report.of(kind).count(), skipped.sum())
}

#[test]
fn the_shared_files_are_read_as_aws_reads_them() {
    let mut run = Run::default();
    profiles::run(&profiles::locate().unwrap(), &mut run).unwrap();
    assert_eq!(counts(&run, Kind::SharedFile), (65, 0));
    let places = if cfg!(windows) { (5, 4) } else { (4, 5) };
    assert_eq!(counts(&run, Kind::FilePlace), places);
}

/// Where the cases were not fetched there is nothing to run; the runner says so.
#[test]
fn calls_go_where_aws_says() {
    let botocore = Botocore::locate().unwrap();
    if botocore.is_there() {
        let mut run = Run::default();
        endpoints::run(&botocore, &mut run).unwrap();
        assert_eq!(counts(&run, Kind::SqsEndpoint), (48, 0));
        assert_eq!(counts(&run, Kind::DynamoDbEndpoint), (276, 157));
    }
}

#[test]
fn what_failed_and_what_was_not_run_is_told() {
    let mut run = Run::default();
    let verdicts = [
        Verdict::compare("endpoint", "http://a/", "http://a/"),
        Verdict::compare("endpoint", "http://a/", "http://b/"),
        Verdict::Skipped("it is too much"),
    ];
    assert_eq!(
        verdicts[1],
        Verdict::Failed(Failure {
            stage: "endpoint".to_owned(),
            expected: "http://a/".to_owned(),
            got: "http://b/".to_owned(),
        })
    );
    for (name, verdict) in ["one", "two", "three"].into_iter().zip(verdicts) {
        run.add(Kind::SqsEndpoint, name.to_owned(), verdict);
    }
    assert_eq!((run.report.passed(), run.report.failed()), (1, 1));
    let text = run.report.to_string();
    assert!(
        text.starts_with("FAILED sqs-endpoint two: endpoint"),
        "{text}"
    );
    assert_eq!(
        run.to_string(),
        "skipped: 1 cases sqs-endpoint because it is too much\n"
    );
}
