//! Signatures for the service's time. AWS's own cases for this are run by the package that tests
//! the whole workspace.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use aws_json::client::{Builder, ClockSkew, Retryable};

use crate::server::{Answer, Server, bounded};

/// 2026-01-01 00:00:00 UTC, which the clock here always shows.
const NEW_YEAR: Duration = Duration::from_secs(1_767_225_600);

const LATE: &str = "Thu, 01 Jan 2026 01:00:00 GMT";

fn client_of(server: &Server) -> Builder {
    let builder = server.builder().max_attempts(3);
    builder.time_source(|| UNIX_EPOCH + NEW_YEAR)
}

fn refused(date: &str) -> Answer {
    let body = r#"{"__type":"com.amazon.coral.service#InvalidSignatureException"}"#;
    Answer::new(403, &[("date", date)], body)
}

/// The times for which the requests were signed.
fn dates(server: &Server) -> Vec<String> {
    let recorded = server.recorded();
    let dates = recorded.iter().map(|request| request.header("x-amz-date"));
    dates.map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn a_signature_that_is_refused_for_its_time_is_made_for_the_services() {
    let server = Server::start([refused(LATE), Answer::ok("{}"), Answer::ok("{}")]).await;
    let client = client_of(&server).build().unwrap();
    for _ in 0..2 {
        // Not even an operation that must not be done twice was done.
        bounded(client.clone().call_value("x", None)).await.unwrap();
    }
    let expected = ["20260101T000000Z", "20260101T010000Z", "20260101T010000Z"];
    assert_eq!(dates(&server), expected);
}

#[tokio::test]
async fn a_signature_that_stays_wrong_is_an_error() {
    let server = Server::start([refused(LATE), refused(LATE), refused(LATE)]).await;
    let client = client_of(&server).build().unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!(error.attempts(), 3);
    assert_eq!(error.retryable(), Some(Retryable::ClockSkew));
    assert!(error.is("InvalidSignatureException"));
}

#[tokio::test]
async fn every_answer_tells_the_time() {
    let answers = [
        Answer::new(404, &[("date", LATE)], ""),
        Answer::ok("{}"),
        Answer::new(200, &[("date", "Thu, 01 Jan 2026 00:00:00 GMT")], "{}"),
        Answer::new(200, &[("date", "Wed, 31 Dec 2025 23:59:50 GMT")], "{}"),
        Answer::ok("{}"),
    ];
    let server = Server::start(answers).await;
    let client = client_of(&server).build().unwrap();
    for _ in 0..5 {
        let _ = bounded(client.call_value("x", None)).await;
    }
    let expected = [
        "20260101T000000Z",
        "20260101T010000Z",
        "20260101T010000Z",
        "20260101T000000Z",
        "20251231T235950Z",
    ];
    assert_eq!(dates(&server), expected);
}

#[tokio::test]
async fn a_client_that_is_to_ignore_the_skew_signs_for_its_own_time() {
    let server = Server::start([refused(LATE), Answer::ok("{}")]).await;
    let client = client_of(&server)
        .clock_skew(ClockSkew::Ignore)
        .build()
        .unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!((error.attempts(), error.retryable()), (1, None));
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(dates(&server), ["20260101T000000Z"; 2]);
}

#[tokio::test]
async fn no_date_however_wrong_keeps_a_client_from_sending() {
    let dated = |date: &str| Answer::new(200, &[("date", date)], "{}");
    for date in [
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Sun, 30 Dec 2125 00:00:00 GMT",
    ] {
        let good = "Thu, 01 Jan 2026 00:00:00 GMT";
        let server = Server::start([dated(date), dated(good), Answer::ok("{}")]).await;
        // Ten minutes for each look at the clock.
        let looks = AtomicU64::new(0);
        let clock = move || {
            let look = looks.fetch_add(1, Ordering::Relaxed);
            UNIX_EPOCH + NEW_YEAR + Duration::from_secs(look * 600)
        };
        let builder = server.builder().max_attempts(1).time_source(clock);
        let client = builder.clock_skew(ClockSkew::Correct).build().unwrap();
        for _ in 0..3 {
            bounded(client.call_value("x", None)).await.unwrap();
        }
        assert_eq!(dates(&server).len(), 3, "{date}");
    }
}
