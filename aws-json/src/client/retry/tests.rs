use http::{HeaderMap, HeaderValue, StatusCode};

use super::*;
use crate::client::skew::Skew;

const SAFE: Nature = Nature {
    safe_to_retry: true,
    long_poll: false,
};
const UNSAFE: Nature = Nature {
    safe_to_retry: false,
    long_poll: false,
};
const LONG_POLL: Nature = Nature {
    safe_to_retry: true,
    long_poll: true,
};

fn policy() -> Policy {
    Policy::new(Defaults::STANDARD)
}

fn failure(cause: Cause<'_>) -> Failure<'_> {
    Failure {
        cause,
        retry_after: None,
        skew: None,
        renewed: false,
    }
}

fn refusal(status: u16, code: &str) -> Failure<'_> {
    failure(Cause::Refusal {
        status: StatusCode::from_u16(status).unwrap(),
        names: [Some(code).filter(|code| !code.is_empty()), None],
    })
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// How far the service's clock is ahead, measured by an answer.
fn skew(seconds: u64) -> Option<Skew> {
    let now = std::time::UNIX_EPOCH + Duration::from_secs(1_767_225_600 - seconds);
    let mut headers = HeaderMap::new();
    let date = HeaderValue::from_static("Thu, 01 Jan 2026 00:00:00 GMT");
    headers.insert("date", date);
    Skew::measure(&headers, now, now)
}

/// The delays after one attempt and another, with this jitter, until the call has failed.
fn delays(policy: &Policy, nature: Nature, failure: &Failure<'_>, jitter: f64) -> Vec<Duration> {
    let mut attempts = policy.begin(nature);
    let mut delays = Vec::new();
    loop {
        attempts.start();
        match attempts.failed(failure, jitter) {
            Next::Retry { after, .. } => delays.push(after),
            Next::Fail { .. } => return delays,
        }
    }
}

/// What is made of one failure of a call that is the first of a client.
fn first(nature: Nature, failure: &Failure<'_>) -> Next {
    let policy = policy();
    let mut attempts = policy.begin(nature);
    attempts.start();
    attempts.failed(failure, 1.0)
}

// The rows of the next two tables are those of botocore's unit tests of the same rules.

#[test]
fn throttling_is_known_by_its_codes_and_by_429() {
    let throttled = Some(Retryable::Throttling);
    for (status, code, expected) in [
        (400, "Throttling", throttled),
        (400, "ThrottlingException", throttled),
        (400, "ThrottledException", throttled),
        (400, "RequestThrottledException", throttled),
        (400, "TooManyRequestsException", throttled),
        (400, "ProvisionedThroughputExceededException", throttled),
        (400, "TransactionInProgressException", throttled),
        (503, "RequestLimitExceeded", throttled),
        (509, "BandwidthLimitExceeded", throttled),
        (400, "LimitExceededException", throttled),
        (403, "RequestThrottled", throttled),
        (503, "SlowDown", throttled),
        (400, "PriorRequestNotComplete", throttled),
        (502, "EC2ThrottledException", throttled),
        (429, "", throttled),
        (429, "NotAThrottlingError", throttled),
        (429, "ThrottlingException", throttled),
        (400, "NotAThrottlingError", None),
        (400, "throttling", None),
        (400, "", None),
        (509, "", None),
        // Not in AWS's lists: SQS has them for queues with a key and for messages in flight.
        (400, "KmsThrottled", None),
        (400, "OverLimit", None),
    ] {
        assert_eq!(
            policy().retryable(&refusal(status, code)),
            expected,
            "{status} {code}"
        );
    }
}

#[test]
fn what_passes_is_known_by_its_status_its_codes_and_by_having_no_answer() {
    let transient = Some(Retryable::Transient);
    for (status, code, expected) in [
        (400, "RequestTimeout", transient),
        (400, "RequestTimeoutException", transient),
        (500, "", transient),
        (502, "", transient),
        (503, "", transient),
        (504, "", transient),
        (500, "InternalServiceError", transient),
        (502, "BadError", transient),
        (501, "", None),
        (505, "", None),
        (408, "", None),
        (404, "QueueDoesNotExist", None),
        (307, "", None),
    ] {
        assert_eq!(
            policy().retryable(&refusal(status, code)),
            expected,
            "{status} {code}"
        );
    }
    assert_eq!(policy().retryable(&failure(Cause::Unsent)), transient);
    assert_eq!(policy().retryable(&failure(Cause::BrokeOff)), transient);
    assert_eq!(policy().retryable(&failure(Cause::Ours)), None);
}

#[test]
fn either_name_of_an_error_counts() {
    for names in [
        [Some("Throttling"), Some("Other")],
        [Some("Other"), Some("Throttling")],
        [None, Some("Throttling")],
    ] {
        let status = StatusCode::BAD_REQUEST;
        let failure = failure(Cause::Refusal { status, names });
        assert_eq!(policy().retryable(&failure), Some(Retryable::Throttling));
    }
}

#[test]
fn a_signature_is_blamed_on_the_clocks_beyond_four_minutes() {
    let clocks = Some(Retryable::ClockSkew);
    for (code, ahead, expected) in [
        ("InvalidSignatureException", 241, clocks),
        ("SignatureDoesNotMatch", 241, clocks),
        ("AuthFailure", 241, clocks),
        ("RequestTimeTooSkewed", 241, clocks),
        ("AccessDeniedException", 241, clocks),
        ("AccessDeniedException", 240, None),
        ("InvalidSignatureException", 0, None),
        ("ExpiredToken", 241, None),
        ("", 241, None),
    ] {
        let failure = Failure {
            skew: skew(ahead),
            ..refusal(403, code)
        };
        assert_eq!(policy().retryable(&failure), expected, "{code} {ahead}");
    }
    // Without a date, nothing is known of the clocks.
    assert_eq!(
        policy().retryable(&refusal(403, "RequestTimeTooSkewed")),
        None
    );
}

#[test]
fn credentials_that_ended_are_a_reason_if_there_may_be_others() {
    let ended = refusal(403, "ExpiredTokenException");
    assert_eq!(policy().retryable(&ended), None);
    let renewed = Failure {
        renewed: true,
        ..ended
    };
    let because = Retryable::ExpiredCredentials;
    assert_eq!(policy().retryable(&renewed), Some(because));
    let after = seconds(0.05);
    assert_eq!(first(UNSAFE, &renewed), Next::Retry { after, because });
}

#[test]
fn codes_may_be_added_to_each_list() {
    let mut policy = policy();
    policy.codes = vec![
        ("KmsThrottled".into(), Retryable::Throttling),
        ("Busy".into(), Retryable::Transient),
        ("RequestExpired".into(), Retryable::ClockSkew),
    ];
    let retryable = |failure: &Failure<'_>| policy.retryable(failure);
    assert_eq!(
        retryable(&refusal(400, "KmsThrottled")),
        Some(Retryable::Throttling)
    );
    assert_eq!(retryable(&refusal(400, "Busy")), Some(Retryable::Transient));
    assert_eq!(retryable(&refusal(403, "RequestExpired")), None);
    let expired = Failure {
        skew: skew(300),
        ..refusal(403, "RequestExpired")
    };
    assert_eq!(retryable(&expired), Some(Retryable::ClockSkew));
    assert_eq!(retryable(&refusal(400, "Other")), None);
}

#[test]
fn delays_double_up_to_twenty_seconds() {
    let mut policy = policy();
    policy.max_attempts = 12;
    assert_eq!(
        delays(&policy, SAFE, &failure(Cause::BrokeOff), 1.0),
        [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20.0, 20.0].map(seconds)
    );
    assert_eq!(
        delays(&policy, SAFE, &refusal(400, "Throttling"), 1.0),
        [1.0, 2.0, 4.0, 8.0, 16.0, 20.0, 20.0, 20.0, 20.0, 20.0, 20.0].map(seconds)
    );
    // A throttling code counts before a status that is retried anyway.
    assert_eq!(
        delays(&policy, SAFE, &refusal(503, "SlowDown"), 1.0)[0],
        seconds(1.0)
    );
    assert_eq!(
        backoff::delay(seconds(0.05), u32::MAX, 1.0, None),
        seconds(20.0)
    );
}

#[test]
fn each_delay_is_the_jitters_part_of_the_longest() {
    for (jitter, expected) in [
        (0.0, [0.0, 0.0]),
        (0.25, [0.0125, 0.025]),
        (0.5, [0.025, 0.05]),
    ] {
        let delays = delays(&policy(), SAFE, &refusal(500, ""), jitter);
        assert_eq!(delays, expected.map(seconds));
    }
}

#[test]
fn a_call_is_sent_three_times_and_to_dynamodb_four_times_after_half_the_delay() {
    let unwell = refusal(500, "");
    assert_eq!(
        delays(&policy(), SAFE, &unwell, 1.0),
        [0.05, 0.1].map(seconds)
    );
    let dynamodb = Policy::new(Defaults::DYNAMODB);
    assert_eq!(
        delays(&dynamodb, SAFE, &unwell, 1.0),
        [0.025, 0.05, 0.1].map(seconds)
    );
    let throttled = refusal(400, "ThrottlingException");
    assert_eq!(
        delays(&dynamodb, SAFE, &throttled, 1.0),
        [1.0, 2.0, 4.0].map(seconds)
    );
    let mut once = policy();
    once.max_attempts = 1;
    assert!(delays(&once, SAFE, &unwell, 1.0).is_empty());
}

#[test]
fn the_service_may_lengthen_a_delay_by_up_to_five_seconds() {
    for (wish, expected) in [
        (0, 0.05),
        (49, 0.05),
        (50, 0.05),
        (1_500, 1.5),
        (5_050, 5.05),
        (5_051, 5.05),
        (u64::MAX, 5.05),
    ] {
        let failure = Failure {
            retry_after: Some(Duration::from_millis(wish)),
            ..refusal(503, "")
        };
        assert_eq!(
            delays(&policy(), SAFE, &failure, 1.0)[0],
            seconds(expected),
            "{wish}"
        );
    }
}

#[test]
fn the_services_wish_is_a_number_of_milliseconds() {
    for (value, expected) in [
        ("0", Some(0)),
        ("1500", Some(1_500)),
        (" 20 ", Some(20)),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("1s", None),
        ("Fri, 31 Dec 1999 23:59:59 GMT", None),
        ("99999999999999999999", None),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("x-amz-retry-after", HeaderValue::from_str(value).unwrap());
        assert_eq!(
            retry_after(&headers),
            expected.map(Duration::from_millis),
            "{value:?}"
        );
    }
    let mut headers = HeaderMap::new();
    assert_eq!(retry_after(&headers), None);
    headers.insert(
        "x-amz-retry-after",
        HeaderValue::from_bytes(b"1\xff").unwrap(),
    );
    headers.insert("retry-after", HeaderValue::from_static("120"));
    assert_eq!(retry_after(&headers), None);
}

#[test]
fn what_failed_for_good_is_not_sent_again() {
    let expected = Next::Fail {
        after: Duration::ZERO,
        why: Final::NotRetryable,
    };
    for nature in [SAFE, UNSAFE, LONG_POLL] {
        assert_eq!(first(nature, &refusal(400, "QueueDoesNotExist")), expected);
        assert_eq!(first(nature, &failure(Cause::Ours)), expected);
    }
}

#[test]
fn what_may_have_been_done_is_not_done_twice_unless_it_may_be() {
    let retried = |after, because| Next::Retry { after, because };
    let unknown = Next::Fail {
        after: Duration::ZERO,
        why: Final::OutcomeUnknown,
    };
    let transient = retried(seconds(0.05), Retryable::Transient);
    for (failure, of_unsafe) in [
        (failure(Cause::BrokeOff), unknown),
        // Nobody knows what a gateway's error page is about …
        (refusal(502, ""), unknown),
        (refusal(504, ""), unknown),
        // … but an error that has a name is the service's own.
        (refusal(504, "EndpointTimeout"), transient),
        (failure(Cause::Unsent), transient),
        (refusal(500, ""), transient),
        (refusal(503, ""), transient),
        (refusal(500, "InternalFailure"), transient),
        (
            refusal(429, ""),
            retried(seconds(1.0), Retryable::Throttling),
        ),
        (
            refusal(400, "SlowDown"),
            retried(seconds(1.0), Retryable::Throttling),
        ),
    ] {
        assert_eq!(first(UNSAFE, &failure), of_unsafe, "{failure:?}");
        assert!(
            matches!(first(SAFE, &failure), Next::Retry { .. }),
            "{failure:?}"
        );

        let mut policy = policy();
        policy.unknown_outcome = UnknownOutcome::SendAgain;
        let mut attempts = policy.begin(UNSAFE);
        attempts.start();
        let next = attempts.failed(&failure, 1.0);
        assert!(matches!(next, Next::Retry { .. }), "{failure:?}");
    }
}

// The figures of the next tests are those of botocore's unit tests of its quota.

#[test]
fn a_retry_costs_fourteen_and_after_throttling_five_and_its_success_gives_back_the_last_cost() {
    let policy = policy();
    for (failures, left_before, left_after) in [
        (vec![refusal(500, "")], 486, 500),
        (vec![failure(Cause::BrokeOff)], 486, 500),
        (vec![refusal(400, "Throttling")], 495, 500),
        (vec![refusal(429, "")], 495, 500),
        (vec![refusal(500, ""), refusal(500, "")], 472, 486),
        (vec![refusal(500, ""), refusal(400, "Throttling")], 481, 486),
    ] {
        let mut attempts = policy.begin(SAFE);
        for failure in &failures {
            attempts.start();
            assert!(matches!(attempts.failed(failure, 0.0), Next::Retry { .. }));
        }
        assert_eq!(policy.bucket.left(), left_before, "{failures:?}");
        attempts.start();
        attempts.succeeded();
        assert_eq!(policy.bucket.left(), left_after, "{failures:?}");
        policy.bucket.give(500);
    }
}

#[test]
fn a_retry_for_the_clocks_or_for_new_credentials_costs_and_waits_as_any_but_throttling() {
    let skewed = Failure {
        skew: skew(241),
        ..refusal(403, "InvalidSignatureException")
    };
    let renewed = Failure {
        renewed: true,
        ..refusal(403, "ExpiredToken")
    };
    for (failure, because) in [
        (skewed, Retryable::ClockSkew),
        (renewed, Retryable::ExpiredCredentials),
    ] {
        let policy = policy();
        let mut attempts = policy.begin(UNSAFE);
        attempts.start();
        let after = seconds(0.05);
        assert_eq!(
            attempts.failed(&failure, 1.0),
            Next::Retry { after, because }
        );
        assert_eq!(policy.bucket.left(), 486, "{because:?}");
        // It is one of the three.
        assert_eq!(delays(&policy, UNSAFE, &failure, 0.0).len(), 2);
        let asked = Failure {
            retry_after: Some(seconds(2.0)),
            ..failure
        };
        assert_eq!(first(UNSAFE, &asked).after(), seconds(2.0));
    }
    let asked = Failure {
        retry_after: Some(seconds(9.0)),
        ..refusal(400, "SlowDown")
    };
    assert_eq!(first(UNSAFE, &asked).after(), seconds(6.0));
}

#[test]
fn a_call_that_fails_gives_nothing_back_and_a_first_success_gives_one() {
    let policy = policy();
    assert_eq!(delays(&policy, SAFE, &refusal(500, ""), 0.0).len(), 2);
    assert_eq!(policy.bucket.left(), 472);
    assert_eq!(delays(&policy, SAFE, &refusal(400, "Other"), 0.0).len(), 0);
    assert_eq!(policy.bucket.left(), 472);
    // Also when the last attempt fails for good, and when a call is given up.
    let mut attempts = policy.begin(SAFE);
    attempts.start();
    attempts.failed(&refusal(500, ""), 0.0);
    attempts.start();
    attempts.failed(&refusal(400, "Other"), 0.0);
    assert_eq!(policy.bucket.left(), 458);
    for left in 459..=500 {
        let mut attempts = policy.begin(SAFE);
        attempts.start();
        attempts.succeeded();
        assert_eq!(policy.bucket.left(), left);
    }
    policy.begin(SAFE).succeeded();
    assert_eq!(policy.bucket.left(), 500);
}

/// A policy with so many tokens left.
fn policy_with(left: u32) -> Policy {
    let policy = policy();
    assert!(policy.bucket.take(500 - left));
    policy
}

#[test]
fn without_tokens_a_call_fails_at_once_and_a_long_poll_after_its_delay() {
    for (nature, after) in [(SAFE, 0.0), (UNSAFE, 0.0), (LONG_POLL, 0.05)] {
        let policy = policy_with(13);
        let mut attempts = policy.begin(nature);
        attempts.start();
        let why = Final::BucketEmpty;
        let after = seconds(after);
        assert_eq!(
            attempts.failed(&refusal(500, ""), 1.0),
            Next::Fail { after, why }
        );
        assert_eq!(policy.bucket.left(), 13);
        // There is enough left for throttling.
        let throttled = attempts.failed(&refusal(400, "SlowDown"), 1.0);
        assert!(matches!(throttled, Next::Retry { .. }));
        assert_eq!(policy.bucket.left(), 8);
    }
    let asked = Failure {
        retry_after: Some(seconds(3.0)),
        ..refusal(503, "")
    };
    let policy = policy_with(0);
    let mut attempts = policy.begin(LONG_POLL);
    attempts.start();
    let (after, why) = (seconds(3.0), Final::BucketEmpty);
    assert_eq!(attempts.failed(&asked, 0.0), Next::Fail { after, why });
}

#[test]
fn a_long_poll_without_an_attempt_left_fails_at_once() {
    let policy = policy();
    let mut attempts = policy.begin(LONG_POLL);
    for _ in 0..3 {
        attempts.start();
    }
    let (after, why) = (Duration::ZERO, Final::NoAttemptLeft);
    assert_eq!(
        attempts.failed(&refusal(500, ""), 1.0),
        Next::Fail { after, why }
    );
    assert_eq!(policy.bucket.left(), 500);
}

#[test]
fn a_full_bucket_pays_for_thirty_five_retries() {
    let policy = policy();
    let retries: usize = (0..40)
        .map(|_| delays(&policy, SAFE, &refusal(500, ""), 0.0).len())
        .sum();
    assert_eq!(retries, 35);
    assert_eq!(policy.bucket.left(), 10);
}

#[test]
fn a_retry_that_there_is_no_time_for_costs_nothing() {
    let policy = policy();
    let mut attempts = policy.begin(SAFE);
    attempts.start();
    let next = attempts.failed(&refusal(400, "SlowDown"), 0.0);
    assert!(matches!(next, Next::Retry { .. }));
    attempts.start();
    let next = attempts.failed(&refusal(500, ""), 0.0);
    assert_eq!(policy.bucket.left(), 481);
    let (after, why) = (Duration::ZERO, Final::NoTimeLeft);
    assert_eq!(attempts.out_of_time(next), Next::Fail { after, why });
    // What was made is paid for.
    assert_eq!(policy.bucket.left(), 495);

    // Why a call failed stays what it was, and only the wait goes.
    let policy = policy_with(3);
    let mut attempts = policy.begin(LONG_POLL);
    attempts.start();
    let next = attempts.failed(&refusal(500, ""), 1.0);
    assert_eq!(next.after(), seconds(0.05));
    let why = Final::BucketEmpty;
    assert_eq!(attempts.out_of_time(next), Next::Fail { after, why });
    assert_eq!(policy.bucket.left(), 3);
}
