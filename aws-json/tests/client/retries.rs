//! What is sent again, what is not, and what every attempt shares. Delays are none here, as the
//! random part of each is; how long they would be is for the tests of the rules themselves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aws_json::client::config::Environment;
use aws_json::client::credentials::{ProvideCredentials, ProvideFuture, Provided};
use aws_json::client::{
    ATTEMPT_TIMEOUT, Builder, Client, Credentials, Error, Operation, Retryable, Service,
    UnknownOutcome,
};
use serde_json::json;

use crate::server::{Answer, KEY, Nobody, SECRET, Server, bounded, builder};
use crate::still::Still;

/// An operation that may be done twice.
struct Safe;

impl Operation for Safe {
    const NAME: &'static str = "ListQueues";
    const SAFE_TO_RETRY: bool = true;
    type Input = ();
    type Output = ();
}

/// An operation that must not be.
struct Unsafe;

impl Operation for Unsafe {
    const NAME: &'static str = "SendMessage";
    const SAFE_TO_RETRY: bool = false;
    type Input = ();
    type Output = ();
}

/// An operation whose callers ask again and again.
struct LongPoll;

impl Operation for LongPoll {
    const NAME: &'static str = "ReceiveMessage";
    const SAFE_TO_RETRY: bool = true;
    const LONG_POLL: bool = true;
    type Input = ();
    type Output = ();
}

const BROKEN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{";
const THROTTLED: &str = r#"{"__type":"com.amazonaws.sqs#RequestThrottled","message":"Slower."}"#;

fn refusal(status: u16) -> Answer {
    Answer::new(status, &[], "")
}

/// A client with the retries that it has by default.
fn retrying(server: &Server) -> Builder {
    server.builder().max_attempts(3)
}

/// The result of a call that gets these answers, and how often it was sent.
async fn outcome<O>(
    answers: impl IntoIterator<Item = Answer>,
    set: impl FnOnce(Builder) -> Builder,
) -> (Result<(), Error>, usize)
where
    O: Operation<Input = (), Output = ()>,
{
    let server = Server::start(answers).await;
    let client = set(retrying(&server)).build().unwrap();
    let result = bounded(client.call::<O>(&())).await;
    (result, server.recorded().len())
}

#[tokio::test]
async fn a_failure_that_passes_is_not_noticed() {
    for (answer, of_unsafe) in [
        (refusal(500), 2),
        (refusal(502), 1),
        (refusal(503), 2),
        (refusal(504), 1),
        (refusal(429), 2),
        (Answer::new(400, &[], THROTTLED), 2),
        (
            Answer::new(400, &[("x-amzn-query-error", "Throttling;Sender")], ""),
            2,
        ),
        (Answer::raw(""), 1),
        (Answer::raw("garbage\r\n\r\n"), 1),
        (Answer::raw(BROKEN), 1),
    ] {
        let bytes = answer.clone();
        let (result, sent) = outcome::<Safe>([answer.clone(), Answer::ok("")], |b| b).await;
        assert!(result.is_ok() && sent == 2, "{answer:?}");
        let (result, sent) = outcome::<Unsafe>([bytes, Answer::ok("")], |b| b).await;
        assert_eq!(
            (result.is_ok(), sent),
            (of_unsafe == 2, of_unsafe),
            "{answer:?}"
        );
        if let Err(error) = result {
            assert!(error.is_outcome_unknown(), "{error}");
            assert_eq!(error.retryable(), Some(Retryable::Transient));
            assert_eq!(error.attempts(), 1);
        }
        let (result, sent) = outcome::<Unsafe>([answer.clone(), Answer::ok("")], |builder| {
            builder.unknown_outcome(UnknownOutcome::SendAgain)
        })
        .await;
        assert!(result.is_ok() && sent == 2, "{answer:?}");
    }
}

#[tokio::test]
async fn a_call_without_a_schema_is_one_that_must_not_be_done_twice() {
    let server = Server::start([refusal(503), Answer::ok("{}"), Answer::raw("")]).await;
    let client = retrying(&server).build().unwrap();
    bounded(client.call_value("x", None)).await.unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert!(error.is_outcome_unknown());
    assert_eq!(server.recorded().len(), 3);
}

#[tokio::test]
async fn a_failure_that_does_not_pass_is_an_error_after_the_last_attempt() {
    let unwell = || Answer::new(503, &[("x-amzn-requestid", "r1")], "<html>");
    let last = Answer::new(400, &[("x-amzn-requestid", "r3")], THROTTLED);
    let (result, sent) = outcome::<Safe>([unwell(), unwell(), last], |b| b).await;
    let error = result.unwrap_err();
    assert_eq!((sent, error.attempts()), (3, 3));
    assert!(error.is_throttling() && !error.is_outcome_unknown());
    assert_eq!(error.retryable(), Some(Retryable::Throttling));
    assert_eq!(error.to_string(), "RequestThrottled: Slower. (400, r3)");

    for (attempts, expected) in [(1, 1), (2, 2), (5, 5)] {
        let answers = (0..6).map(|_| unwell());
        let (result, sent) = outcome::<Safe>(answers, |b| b.max_attempts(attempts)).await;
        let error = result.unwrap_err();
        assert_eq!((sent, error.attempts()), (expected, attempts));
        assert_eq!(error.retryable(), Some(Retryable::Transient));
        assert!(!error.is_throttling());
    }
}

#[tokio::test]
async fn what_would_fail_again_is_not_sent_again() {
    for answer in [
        Answer::new(400, &[], r#"{"__type":"ns#QueueDoesNotExist"}"#),
        refusal(404),
        refusal(307),
        refusal(501),
        Answer::ok("<html>"),
        Answer::ok("x".repeat(101)),
    ] {
        let answers = [answer.clone(), Answer::ok("")];
        let (result, sent) = outcome::<Safe>(answers, |b| b.response_limit(100)).await;
        let error = result.unwrap_err();
        assert_eq!((sent, error.attempts()), (1, 1), "{error}");
        assert_eq!(error.retryable(), None, "{error}");
        // Whoever answered with a success may have done it.
        let success = error.status().unwrap().is_success();
        assert_eq!(error.is_outcome_unknown(), success, "{error}");
    }
}

#[tokio::test]
async fn what_cannot_be_sent_has_no_attempt_but_the_one_that_was_begun() {
    let server = Server::start([]).await;
    let client = retrying(&server).build().unwrap();
    let list = json!([1]);
    let error = bounded(client.call_value("x", Some(&list)))
        .await
        .unwrap_err();
    assert_eq!((error.attempts(), error.retryable()), (0, None));
    let error = bounded(client.call_value("a.b", None)).await.unwrap_err();
    assert_eq!((error.attempts(), error.retryable()), (1, None));
    assert!(!error.is_outcome_unknown());
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_is_tried_again_whatever_the_operation() {
    let nobody = Nobody::new();
    let client = builder(crate::server::sqs(), nobody.url())
        .max_attempts(3)
        .build()
        .unwrap();
    let error = bounded(client.call::<Unsafe>(&())).await.unwrap_err();
    assert!(error.is_connect() && !error.is_outcome_unknown());
    assert_eq!(
        (error.attempts(), error.retryable()),
        (3, Some(Retryable::Transient))
    );
}

#[tokio::test(start_paused = true)]
async fn an_attempt_waits_for_its_time() {
    let nobody = Nobody::new();
    // Half of 50 ms, and half of 100 ms.
    let client = builder(crate::server::sqs(), nobody.url())
        .max_attempts(3)
        .random_source(|| 1 << 63)
        .build()
        .unwrap();
    let now = || tokio::time::sleep(Duration::ZERO).deadline();
    let start = now();
    let error = client.call::<Safe>(&()).await.unwrap_err();
    assert_eq!(error.attempts(), 3);
    assert!(now() - start >= Duration::from_millis(25 + 50));
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_followed_by_another() {
    let _still = Still::begin();
    let server = Server::start([Answer::stalled_for("", ATTEMPT_TIMEOUT), Answer::ok("")]).await;
    let client = retrying(&server).build().unwrap();
    bounded(client.call::<Safe>(&())).await.unwrap();
    let connections: Vec<_> = server.recorded().iter().map(|r| r.connection).collect();
    assert_eq!(connections, [0, 1]);
}

#[tokio::test]
async fn a_call_ends_when_its_time_is_up_within_an_attempt_or_before_the_next() {
    let _still = Still::begin();
    let limit = Duration::from_secs(3);
    let answers = [refusal(503), Answer::stalled_for("", limit)];
    let (result, sent) = outcome::<Safe>(answers, |builder| builder.call_timeout(limit)).await;
    let error = result.unwrap_err();
    assert!(error.is_timeout() && error.is_outcome_unknown(), "{error}");
    assert_eq!((sent, error.attempts()), (2, 2));
    assert_eq!(error.to_string(), "no whole answer within 3s");

    // The service asks for five seconds, which are not waited for in vain.
    let later = Answer::new(503, &[("x-amz-retry-after", "60000")], "");
    for long_poll in [false, true] {
        let answers = [later.clone(), Answer::ok("")];
        let set = |builder: Builder| builder.call_timeout(Duration::from_secs(4));
        let (result, sent) = match long_poll {
            false => outcome::<Safe>(answers, set).await,
            true => outcome::<LongPoll>(answers, set).await,
        };
        let error = result.unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), 503);
        assert_eq!((sent, error.attempts()), (1, 1));
    }
}

#[tokio::test]
async fn every_attempt_is_signed_anew_and_says_which_it_is() {
    let server = Server::start([refusal(500), refusal(500), Answer::ok(""), Answer::ok("")]).await;
    let (numbers, seconds) = (AtomicU64::new(0), AtomicU64::new(0));
    let client = retrying(&server)
        // The upper half, which is the jitter, stays none.
        .random_source(move || numbers.fetch_add(1, Ordering::Relaxed))
        // The clock is read when a request is sent and when its answer comes.
        .time_source(move || {
            let seconds = seconds.fetch_add(1, Ordering::Relaxed);
            std::time::UNIX_EPOCH + Duration::from_secs(1_440_938_160 + seconds)
        })
        .build()
        .unwrap();
    for _ in 0..2 {
        bounded(client.call::<Safe>(&())).await.unwrap();
    }
    let recorded = server.recorded();
    let values = |name: &str| -> Vec<_> {
        let values = recorded
            .iter()
            .map(|request| request.header(name).to_owned());
        values.collect()
    };
    let first = "00000000-0000-4000-8000-000000000001";
    assert_eq!(
        values("amz-sdk-invocation-id"),
        // Two numbers for an id, and one for each delay.
        [first, first, first, "00000000-0000-4004-8000-000000000005"]
    );
    assert_eq!(
        values("amz-sdk-request"),
        [
            "attempt=1; max=3",
            "attempt=2; max=3",
            "attempt=3; max=3",
            "attempt=1; max=3"
        ]
    );
    assert_eq!(
        values("x-amz-date"),
        [
            "20150830T123600Z",
            "20150830T123602Z",
            "20150830T123604Z",
            "20150830T123606Z"
        ]
    );
    for authorization in values("authorization") {
        assert!(!authorization.contains("amz-sdk"), "{authorization}");
    }
    assert!(recorded.iter().all(|request| request.body == b"{}"));
}

#[tokio::test]
async fn dynamodb_has_four_attempts() {
    for prefix in ["DynamoDB_20120810", "DynamoDBStreams_20120810"] {
        let server = Server::start([503, 503, 503].map(refusal)).await;
        let client = Client::builder(Service::new("dynamodb", prefix))
            .endpoint(server.url())
            .credentials(Credentials::new(KEY, SECRET))
            .random_source(|| 0)
            .build()
            .unwrap();
        bounded(client.call::<Safe>(&())).await.unwrap_err();
        let recorded = server.recorded();
        assert_eq!(recorded.len(), 4);
        assert_eq!(recorded[3].header("amz-sdk-request"), "attempt=4; max=4");
    }
}

#[tokio::test]
async fn the_environment_says_how_often_unless_the_code_does() {
    let environment = Environment::from_iter([("AWS_MAX_ATTEMPTS", "2")]);
    for (said, expected) in [(None, 2), (Some(4), 4)] {
        let server = Server::start((0..4).map(|_| refusal(500))).await;
        let builder = Client::builder(crate::server::sqs())
            .endpoint(server.url())
            .credentials(Credentials::new(KEY, SECRET))
            .environment(&environment)
            .random_source(|| 0);
        let builder = match said {
            Some(attempts) => builder.max_attempts(attempts),
            None => builder,
        };
        let client = builder.build().unwrap();
        let error = bounded(client.call::<Safe>(&())).await.unwrap_err();
        assert_eq!(error.attempts(), expected);
    }
}

#[tokio::test]
async fn a_code_that_was_added_is_retried() {
    let throttled = Answer::new(400, &[], r#"{"__type":"ns#KmsThrottled"}"#);
    let answers = || [throttled.clone(), Answer::ok("")];
    let (result, sent) = outcome::<Unsafe>(answers(), |b| b).await;
    assert!(!result.unwrap_err().is_throttling());
    assert_eq!(sent, 1);
    let (result, sent) = outcome::<Unsafe>(answers(), |builder| {
        builder.retry_code("KmsThrottled", Retryable::Throttling)
    })
    .await;
    assert!(result.is_ok() && sent == 2);
    let (result, _) = outcome::<Unsafe>(answers(), |builder| {
        let builder = builder.retry_code("KmsThrottled", Retryable::Throttling);
        builder.max_attempts(1)
    })
    .await;
    assert!(result.unwrap_err().is_throttling());
}

#[tokio::test]
async fn a_client_that_failed_too_often_stops_sending_again_until_calls_succeed() {
    let server = Server::start((0..80).map(|n| refusal(if n < 75 { 500 } else { 200 }))).await;
    let client = retrying(&server).build().unwrap();
    // 35 retries of 14 tokens are paid by 500: after 17 calls of three attempts each one of two,
    // and then calls are sent once.
    let mut attempts = Vec::new();
    for _ in 0..22 {
        // Clones share the tokens.
        let error = bounded(client.clone().call::<Safe>(&())).await.unwrap_err();
        attempts.push(error.attempts());
    }
    let expected: Vec<_> = [3; 17].into_iter().chain([2, 1, 1, 1, 1]).collect();
    assert_eq!(attempts, expected);
}

#[tokio::test]
async fn a_long_poll_of_such_a_client_waits_before_it_fails() {
    let wait = Duration::from_millis(40);
    let later = Answer::new(503, &[("x-amz-retry-after", "40")], "");
    let server =
        Server::start((0..55).map(|n| if n < 53 { refusal(500) } else { later.clone() })).await;
    let client = retrying(&server).build().unwrap();
    for _ in 0..18 {
        bounded(client.call::<Safe>(&())).await.unwrap_err();
    }
    assert_eq!(server.recorded().len(), 53);
    let now = || tokio::time::sleep(Duration::ZERO).deadline();
    let start = now();
    let error = bounded(client.call::<LongPoll>(&())).await.unwrap_err();
    assert!(now() - start >= wait);
    assert_eq!(
        (error.attempts(), error.status().unwrap().as_u16()),
        (1, 503)
    );
    let error = bounded(client.call::<Safe>(&())).await.unwrap_err();
    assert_eq!(
        (error.attempts(), error.status().unwrap().as_u16()),
        (1, 503)
    );
}

#[tokio::test]
async fn a_call_that_is_dropped_sends_nothing_more() {
    let later = Answer::new(503, &[("x-amz-retry-after", "3000")], "");
    let server = Server::start([later, Answer::ok("")]).await;
    let client = retrying(&server).build().unwrap();
    let call = tokio::spawn(async move { client.call::<Safe>(&()).await });
    server.came(1).await;
    call.abort();
    assert!(bounded(call).await.unwrap_err().is_cancelled());
    assert_eq!(server.recorded().len(), 1);
}

/// Credentials that are numbered, and of which the service takes the second.
struct Numbered(AtomicU64);

impl ProvideCredentials for Numbered {
    fn provide(&self) -> ProvideFuture<'_> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let key = format!("AKID{number}");
        Box::pin(async move { Ok(Provided::new(Credentials::new(key, SECRET))) })
    }
}

#[tokio::test]
async fn credentials_that_the_service_calls_expired_are_replaced() {
    let expired = Answer::new(400, &[], r#"{"__type":"ns#ExpiredTokenException"}"#);
    let server = Server::start([expired.clone(), Answer::ok(""), expired]).await;
    let client = retrying(&server)
        .credentials_provider(Numbered(AtomicU64::new(0)))
        .build()
        .unwrap();
    bounded(client.call::<Unsafe>(&())).await.unwrap();
    let recorded = server.recorded();
    for (request, key) in recorded
        .iter()
        .zip(["Credential=AKID0/", "Credential=AKID1/"])
    {
        assert!(request.header("authorization").contains(key), "{request:?}");
    }
    assert_eq!(recorded.len(), 2);

    // There are no others for those that were given.
    let fixed = retrying(&server).build().unwrap();
    let error = bounded(fixed.call::<Unsafe>(&())).await.unwrap_err();
    assert_eq!((error.attempts(), error.retryable()), (1, None));
}
