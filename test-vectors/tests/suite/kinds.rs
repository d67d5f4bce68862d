//! Every vector through `sigv4`, a test for each kind: what `cargo run -p test-vectors` prints.

use test_vectors::case::Case;
use test_vectors::run::{Kind, run};
use test_vectors::subject::Sigv4;
use test_vectors::vectors;

use crate::support::{asymmetric_suite_of_aws, suite_of_aws};

#[test]
fn every_case_is_signed_in_headers() {
    check(Kind::SignHeader, 38 + 3);
}

#[test]
fn every_case_is_signed_in_the_query() {
    check(Kind::SignQuery, 38);
}

#[test]
fn every_request_signed_in_headers_is_verified() {
    check(Kind::VerifyHeader, 38 + 2);
}

#[test]
fn every_request_signed_in_the_query_is_verified() {
    check(Kind::VerifyQuery, 38);
}

#[test]
fn every_asymmetric_case_is_signed_and_verified_in_both_forms() {
    let report = run(&Sigv4, &asymmetric_suite_of_aws().cases);
    for kind in [
        Kind::SignHeaderV4a,
        Kind::SignQueryV4a,
        Kind::VerifyHeaderV4a,
        Kind::VerifyQueryV4a,
    ] {
        assert_eq!(report.of(kind).count(), 38, "{kind}");
    }
    assert_eq!((report.passed(), report.failed()), (4 * 38, 0), "{report}");
}

/// Runs AWS's suite and the vectors of this repository, and holds one kind against them. `published`
/// is how many cases AWS's suite has of it.
fn check(kind: Kind, published: usize) {
    let suite = suite_of_aws().cases;
    let own = vectors::load(&vectors::folder()).unwrap();
    assert_eq!(run(&Sigv4, &suite).of(kind).count(), published);
    let cases: Vec<Case> = suite.into_iter().chain(own).collect();
    let report = run(&Sigv4, &cases);
    assert!(
        report.of(kind).count() > published,
        "our own vectors are of this kind too"
    );
    assert!(
        report.of(kind).all(test_vectors::report::Outcome::passed),
        "{report}"
    );
}
