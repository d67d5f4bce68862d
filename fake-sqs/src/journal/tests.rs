//! The journal over the router.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header};
use serde_json::{Value, json};
use sigv4::{Credentials, Payload, Signer};
use sqs::ErrorCode;

use super::Bounds;
use crate::FakeSqs;
use crate::http::limits;
use crate::testing::{Answer, HOST, Harness, call, now, signed_by, signer};

/// Longer than anything here takes.
const BOUND: Duration = Duration::from_secs(3_600);

/// The queue's URL.
const ORDERS: &str = "http://localhost:9324/000000000000/orders";

async fn control(harness: &Harness, method: Method, path: &str, body: &'static str) -> Answer {
    let request = Request::builder().method(method).uri(path);
    let request = request
        .header(header::HOST, HOST)
        .body(Bytes::from_static(body.as_bytes()));
    harness.send(request.expect("a request")).await
}

/// The whole answer to a reader.
async fn page(harness: &Harness, query: &str) -> Value {
    let path = format!("/_fake/requests?{query}");
    let answer = control(harness, Method::GET, &path, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// The requests that a reader is shown.
async fn requests(harness: &Harness, query: &str) -> Vec<Value> {
    match page(harness, query).await["requests"].take() {
        Value::Array(requests) => requests,
        other => panic!("{other}"),
    }
}

async fn advance(harness: &Harness, seconds: u64) {
    let by = Duration::from_secs(seconds);
    harness.control.advance(by).await.expect("not too far");
}

/// A server with the queue, whose creation is the first request.
async fn with_queue() -> Harness {
    let harness = Harness::new();
    harness
        .call("CreateQueue", &json!({"QueueName": "orders"}))
        .await;
    harness
}

/// Sends a message, and gives its id.
async fn send(harness: &Harness, body: &str) -> String {
    let input = json!({"QueueUrl": ORDERS, "MessageBody": body});
    let answer = harness.call("SendMessage", &input).await;
    text(&answer.json()["MessageId"])
}

/// Receives a message, and gives its handle.
async fn receive(harness: &Harness) -> String {
    let answer = harness
        .call("ReceiveMessage", &json!({"QueueUrl": ORDERS}))
        .await;
    text(&answer.json()["Messages"][0]["ReceiptHandle"])
}

async fn delete(harness: &Harness, handle: &str) -> Answer {
    let input = json!({"QueueUrl": ORDERS, "ReceiptHandle": handle});
    harness.call("DeleteMessage", &input).await
}

async fn extend(harness: &Harness, handle: &str) -> Answer {
    let input = json!({"QueueUrl": ORDERS, "ReceiptHandle": handle, "VisibilityTimeout": 60});
    harness.call("ChangeMessageVisibility", &input).await
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn a_request_is_told_whole() {
    let harness = with_queue().await;
    harness.control.freeze().await.expect("kept");
    let id = send(&harness, "hello").await;
    let mut page = page(&harness, "after=1").await;
    assert_eq!((&page["next"], &page["missed"]), (&json!(2), &json!(0)));
    let mut request = page["requests"][0].take();
    let duration = request["duration_ms"].take();
    assert!(duration.as_f64().is_some_and(|ms| ms > 0.0), "{duration}");
    assert_eq!(text(&request["request_id"].take()).len(), 36);
    let answer = text(&request["response_body"].take());
    assert!(answer.contains(&id), "{answer}");
    let at = harness.control.clock().now.as_millis();
    let body = format!(r#"{{"MessageBody":"hello","QueueUrl":"{ORDERS}"}}"#);
    let expected = json!({
        "seq": 2, "at": at, "ended_at": at, "duration_ms": null,
        "action": "SendMessage", "account": "000000000000", "region": "us-east-1",
        "access_key": "test", "queue": "orders",
        "status": 200, "outcome": "ok", "error": null, "error_message": null,
        "message_ids": [id], "failed": [], "stale_ids": [],
        "refusal": null, "faults": [],
        "method": "POST", "path": "/", "request_id": null,
        "request_body": body, "request_bytes": body.len(),
        "response_body": null, "response_bytes": answer.len(),
    });
    assert_eq!(request, expected);
}

#[tokio::test]
async fn an_error_has_its_code_and_its_words() {
    let harness = with_queue().await;
    let input = json!({"QueueUrl": "http://localhost:9324/000000000000/absent"});
    harness.call("ReceiveMessage", &input).await;
    harness
        .call("ReceiveMessage", &json!({"QueueUrl": 5}))
        .await;
    let found = requests(&harness, "outcome=error").await;
    let told = |request: &Value| {
        (
            request["status"].clone(),
            text(&request["error"]),
            request["queue"].clone(),
        )
    };
    let told: Vec<_> = found.iter().map(told).collect();
    let expected = [
        (json!(400), "QueueDoesNotExist".to_owned(), json!("absent")),
        (json!(400), "SerializationException".to_owned(), json!(null)),
    ];
    assert_eq!(told, expected);
    let words = "The specified queue does not exist.";
    assert_eq!(found[0]["error_message"], words);
    assert_eq!(
        requests(&harness, "outcome=QueueDoesNotExist").await.len(),
        1
    );
}

#[tokio::test]
async fn deleted_exactly_once_can_be_told_from_twice() {
    let harness = with_queue().await;
    let (once, twice) = (send(&harness, "1").await, send(&harness, "2").await);
    let first = receive(&harness).await;
    let second = receive(&harness).await;
    delete(&harness, &first).await;
    delete(&harness, &second).await;
    assert_eq!(delete(&harness, &second).await.status, 200);
    let actions = "action=DeleteMessage,DeleteMessageBatch&queue=orders";
    let found = requests(&harness, &format!("{actions}&message_id={once}")).await;
    assert_eq!(found.len(), 1);
    let found = requests(&harness, &format!("{actions}&message_id={twice}")).await;
    let stale: Vec<_> = found.iter().map(|request| &request["stale_ids"]).collect();
    assert_eq!(stale, [&json!([]), &json!([twice])]);
}

#[tokio::test]
async fn never_received_can_be_told_from_received() {
    let harness = with_queue().await;
    let seen = send(&harness, "1").await;
    receive(&harness).await;
    let unseen = send(&harness, "2").await;
    for (id, times) in [(seen, 1), (unseen, 0)] {
        let query = format!("action=ReceiveMessage&message_id={id}");
        assert_eq!(requests(&harness, &query).await.len(), times);
    }
}

#[tokio::test]
async fn extended_before_expiry_can_be_told_from_after() {
    let harness = with_queue().await;
    harness.control.freeze().await.expect("kept");
    let id = send(&harness, "hello").await;
    let handle = receive(&harness).await;
    advance(&harness, 29).await;
    extend(&harness, &handle).await;
    advance(&harness, 60).await;
    assert_eq!(extend(&harness, &handle).await.status, 200);
    let query = format!("action=ChangeMessageVisibility&message_id={id}");
    let found = requests(&harness, &query).await;
    assert_eq!(found[0]["stale_ids"], json!([]));
    assert_eq!(found[1]["stale_ids"], json!([id]));
    let at = |request: &Value| request["at"].as_i64().expect("milliseconds");
    assert_eq!(at(&found[1]) - at(&found[0]), 60_000);
}

#[tokio::test]
async fn what_failed_is_not_among_what_was_done() {
    let harness = with_queue().await;
    let id = send(&harness, "hello").await;
    let handle = receive(&harness).await;
    let entries = json!([
        {"Id": "good", "ReceiptHandle": handle},
        {"Id": "bad", "ReceiptHandle": "nonsense"},
    ]);
    let input = json!({"QueueUrl": ORDERS, "Entries": entries});
    harness.call("DeleteMessageBatch", &input).await;
    let found = requests(&harness, "outcome=partial").await;
    assert_eq!(found[0]["message_ids"], json!([id]));
    let failed = json!([{"id": "bad", "message_id": null, "error": "ReceiptHandleIsInvalid"}]);
    assert_eq!(found[0]["failed"], failed);

    // The handle belongs to another queue, so it is refused as a whole; its message is known.
    harness
        .call("CreateQueue", &json!({"QueueName": "bills"}))
        .await;
    let bills = "http://localhost:9324/000000000000/bills";
    let input = json!({"QueueUrl": bills, "ReceiptHandle": handle});
    harness.call("DeleteMessage", &input).await;
    let found = requests(&harness, "queue=bills&action=DeleteMessage").await;
    assert_eq!(found[0]["message_ids"], json!([]));
    let failed = json!([{"id": null, "message_id": id, "error": "ReceiptHandleIsInvalid"}]);
    assert_eq!(found[0]["failed"], failed);

    let entries = json!([
        {"Id": "a", "MessageBody": "1"},
        {"Id": "b", "MessageBody": "\u{0}"},
    ]);
    let input = json!({"QueueUrl": ORDERS, "Entries": entries});
    let sent = harness.call("SendMessageBatch", &input).await.json();
    let found = requests(&harness, "action=SendMessageBatch").await;
    let (ids, code) = (
        &sent["Successful"][0]["MessageId"],
        &sent["Failed"][0]["Code"],
    );
    assert_eq!(found[0]["message_ids"], json!([ids]));
    assert_eq!(
        found[0]["failed"],
        json!([{"id": "b", "message_id": null, "error": code}])
    );
}

/// Nothing that a client chooses takes so much room that the others have none.
#[tokio::test]
async fn an_id_of_a_batch_is_kept_as_far_as_one_may_be_long() {
    let harness = with_queue().await;
    send(&harness, "hello").await;
    let handle = receive(&harness).await;
    let (_, before) = harness.control.journal().size();
    let entries = json!([{"Id": "x".repeat(1_000_000), "ReceiptHandle": handle}]);
    let input = json!({"QueueUrl": ORDERS, "Entries": entries});
    harness.call("DeleteMessageBatch", &input).await;
    let found = requests(&harness, "outcome=error").await;
    let failed = found[0]["failed"].as_array().expect("what failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["id"], "x".repeat(100));
    let (_, bytes) = harness.control.journal().size();
    assert!(bytes - before < 5_000, "{bytes}");
}

#[tokio::test]
async fn a_refused_signature_is_explained_and_nothing_secret_is_shown() {
    let harness = Harness::new();
    let wrong = Signer::new(
        Credentials::new("test", "not its secret"),
        "us-east-1",
        "sqs",
    );
    let input = json!({"QueueUrl": ORDERS, "MessageBody": "hello"});
    let request = signed_by(&wrong, call("SendMessage", &input), now());
    let authorization = request.headers()["authorization"]
        .to_str()
        .expect("ASCII")
        .to_owned();
    let (_, signature) = authorization.rsplit_once('=').expect("a signature");
    harness.send(request).await;
    // What is wrong is found out after the answer; a reader waits for it by itself.
    let found = requests(&harness, "outcome=refused").await;
    let request = &found[0];
    assert_eq!(request["action"], "SendMessage");
    assert_eq!(request["queue"], "orders");
    assert_eq!(request["access_key"], "test");
    assert_eq!(
        (&request["account"], &request["region"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(request["status"], 403);
    assert_eq!(request["error"], "InvalidSignatureException");
    assert_eq!(request["refusal"]["reason"], "Signature");
    let explanation = text(&request["refusal"]["explanation"]);
    assert!(!explanation.contains("being looked into"), "{explanation}");
    assert!(!text(&request["refusal"]["advice"]).is_empty());

    // AWS repeats this header, and a signature in it, in its answer.
    let mut broken = call("SendMessage", &input);
    let value = format!("AWS4-HMAC-SHA256 nonsense, {authorization}");
    broken
        .headers_mut()
        .insert("authorization", value.parse().expect("a value"));
    assert!(harness.send(broken).await.text().contains(signature));
    let shown = page(&harness, "").await.to_string();
    assert!(!shown.contains(signature), "{shown}");
    assert!(!shown.contains("not its secret"), "{shown}");
}

#[tokio::test]
async fn what_presigns_a_url_is_not_shown() {
    let harness = Harness::new();
    let credentials = Credentials::new("test", "test").with_session_token("a/token");
    let signer = Signer::new(credentials, "us-east-1", "sqs");
    let mut request = call("ListQueues", &json!({}));
    let body = request.body().clone();
    let expires = Duration::from_secs(60);
    sigv4::presign_request(&signer, &mut request, Payload::Bytes(&body), now(), expires)
        .expect("signed");
    let target = request.uri().to_string();
    assert!(target.contains("a%2Ftoken"), "{target}");
    harness.send(request).await;
    let found = requests(&harness, "").await;
    assert_eq!(found[0]["refusal"]["reason"], "SessionToken");
    let path = text(&found[0]["path"]);
    assert!(path.contains("X-Amz-Signature=REDACTED"), "{path}");
    for piece in ["a%2Ftoken", "a/token"] {
        assert!(!found[0].to_string().contains(piece), "{}", found[0]);
    }
}

#[tokio::test]
async fn bodies_are_kept_up_to_a_bound() {
    let harness = with_queue().await;
    send(&harness, &"x".repeat(5_000)).await;
    receive(&harness).await;
    let found = requests(&harness, "after=1").await;
    let sent = &found[0];
    assert_eq!(text(&sent["request_body"]).len(), 1_024);
    assert!(sent["request_bytes"].as_u64() > Some(5_000));
    assert_eq!(text(&found[1]["response_body"]).len(), 1_024);
    assert!(found[1]["response_bytes"].as_u64() > Some(5_000));
}

#[tokio::test]
async fn a_reader_waits_until_there_is_enough() {
    let harness = with_queue().await;
    let reader = requests(&harness, "action=SendMessage&wait=20&at_least=2");
    let sender = async {
        for body in ["1", "2", "3"] {
            tokio::task::yield_now().await;
            send(&harness, body).await;
        }
    };
    let both = async { tokio::join!(reader, sender) };
    let (found, ()) = tokio::time::timeout(BOUND, both).await.expect("in time");
    assert!((2..=3).contains(&found.len()), "{}", found.len());
}

#[tokio::test(start_paused = true)]
async fn a_reader_who_waits_in_vain_gets_what_there_is() {
    let harness = with_queue().await;
    send(&harness, "hello").await;
    let mut page = page(&harness, "action=SendMessage&wait=20&at_least=2").await;
    assert_eq!(page["requests"].take().as_array().map(Vec::len), Some(1));
    assert_eq!(page["next"], 2);
}

#[tokio::test]
async fn a_long_poll_is_there_when_it_ends() {
    let harness = with_queue().await;
    harness.control.freeze().await.expect("kept");
    let began = harness.control.clock().now.as_millis();
    let poll = json!({"QueueUrl": ORDERS, "WaitTimeSeconds": 20});
    let receive = async {
        let answer = harness.call("ReceiveMessage", &poll).await;
        text(&answer.json()["Messages"][0]["MessageId"])
    };
    let sender = async {
        assert_eq!(requests(&harness, "action=ReceiveMessage").await.len(), 0);
        let delayed = json!({"QueueUrl": ORDERS, "MessageBody": "a", "DelaySeconds": 7});
        harness.call("SendMessage", &delayed).await;
        advance(&harness, 15).await;
    };
    let (id, ()) = tokio::join!(receive, sender);
    let found = requests(&harness, "action=ReceiveMessage").await;
    assert_eq!(found[0]["message_ids"], json!([id]));
    assert_eq!(found[0]["at"], began);
    // The message was given when it came out of its delay, not where the clock went on to.
    assert_eq!(found[0]["ended_at"], began + 7_000);
}

#[tokio::test]
async fn a_long_poll_that_is_hung_up_is_there_too() {
    let harness = with_queue().await;
    let poll = json!({"QueueUrl": ORDERS, "WaitTimeSeconds": 20});
    {
        let mut receive = std::pin::pin!(harness.call("ReceiveMessage", &poll));
        tokio::select! {
            biased;
            answer = &mut receive => panic!("{answer:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    let found = requests(&harness, "outcome=hung_up").await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["action"], &found[0]["status"]),
        (&json!("ReceiveMessage"), &json!(null))
    );
}

#[tokio::test]
async fn a_reader_who_fell_behind_is_told() {
    let bounds = Bounds {
        requests: 3,
        ..Bounds::default()
    };
    let harness = Harness::with(FakeSqs::builder().journal(bounds));
    for _ in 0..7 {
        harness.call("ListQueues", &json!({})).await;
    }
    let seqs = |page: &Value| -> Vec<u64> {
        let requests = page["requests"].as_array().expect("a list").iter();
        requests
            .map(|request| request["seq"].as_u64().expect("a number"))
            .collect()
    };
    for (after, missed, expected) in [
        (0, 4, vec![5, 6, 7]),
        (2, 2, vec![5, 6, 7]),
        (4, 0, vec![5, 6, 7]),
        (6, 0, vec![7]),
        (7, 0, vec![]),
    ] {
        let page = page(&harness, &format!("after={after}")).await;
        assert_eq!(
            (page["missed"].as_u64(), seqs(&page)),
            (Some(missed), expected)
        );
        assert_eq!(page["next"], 7);
    }
    let page = page(&harness, "after=4&limit=2").await;
    assert_eq!((seqs(&page), &page["next"]), (vec![5, 6], &json!(6)));
}

#[tokio::test]
async fn the_journal_is_bounded_in_bytes_and_can_be_off() {
    let bounds = Bounds {
        bytes: 20_000,
        ..Bounds::default()
    };
    let harness = Harness::with(FakeSqs::builder().journal(bounds));
    for _ in 0..100 {
        harness.call("ListQueues", &json!({})).await;
    }
    let (count, bytes) = harness.control.journal().size();
    assert!(
        (10..50).contains(&count) && (15_000..=20_000).contains(&bytes),
        "{count} {bytes}"
    );

    let bounds = Bounds {
        requests: 0,
        ..Bounds::default()
    };
    let harness = Harness::with(FakeSqs::builder().journal(bounds));
    harness.call("ListQueues", &json!({})).await;
    let page = page(&harness, "").await;
    let expected = json!({"requests": [], "next": 1, "missed": 1, "forgotten": 0});
    assert_eq!(page, expected);
}

#[tokio::test]
async fn a_reset_empties_the_journal_and_nobody_misses_anything() {
    let harness = with_queue().await;
    control(&harness, Method::POST, "/_fake/reset", "").await;
    let expected = json!({"requests": [], "next": 1, "missed": 0, "forgotten": 1});
    assert_eq!(page(&harness, "").await, expected);
    assert_eq!(harness.control.journal().size(), (0, 0));
    harness.call("ListQueues", &json!({})).await;
    assert_eq!(requests(&harness, "").await[0]["seq"], 2);
}

#[tokio::test]
async fn what_was_under_way_at_a_reset_is_not_told_of_after_it() {
    for body in ["", r#"{"account":"000000000000"}"#] {
        let harness = with_queue().await;
        let poll = json!({"QueueUrl": ORDERS, "WaitTimeSeconds": 20});
        let receive = harness.call("ReceiveMessage", &poll);
        let reset = control(&harness, Method::POST, "/_fake/reset", body);
        let (answer, _) = tokio::join!(receive, reset);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(requests(&harness, "").await.len(), 0, "{body}");
        harness.call("ListQueues", &json!({})).await;
        assert_eq!(requests(&harness, "").await.len(), 1, "{body}");
    }
}

#[tokio::test]
async fn the_newest_can_be_read() {
    let harness = with_queue().await;
    for body in ["1", "2", "3"] {
        send(&harness, body).await;
    }
    let mut page = page(&harness, "last=2&action=SendMessage,CreateQueue").await;
    let seqs = page["requests"].as_array().expect("a list").iter();
    let seqs: Vec<_> = seqs.map(|request| request["seq"].clone()).collect();
    assert_eq!(
        (seqs, page["next"].take()),
        (vec![json!(3), json!(4)], json!(4))
    );
    assert_eq!(requests(&harness, "last=2&after=3").await.len(), 1);
}

#[tokio::test]
async fn a_reset_of_one_account_leaves_the_others_requests() {
    let other = "other:test:111111111111".parse().expect("a credential");
    let builder = FakeSqs::builder().credential("test:test".parse().expect("a credential"));
    let harness = Harness::with(builder.credential(other));
    harness.call("ListQueues", &json!({})).await;
    let signer_of_other = Signer::new(Credentials::new("other", "test"), "eu-west-1", "sqs");
    let request = call("ListQueues", &json!({}));
    harness
        .send(signed_by(&signer_of_other, request, now()))
        .await;
    assert_eq!(requests(&harness, "region=eu-west-1").await.len(), 1);
    assert_eq!(requests(&harness, "account=000000000000").await.len(), 1);
    let body = r#"{"account":"000000000000"}"#;
    control(&harness, Method::POST, "/_fake/reset", body).await;
    let found = requests(&harness, "").await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["account"], "111111111111");
}

#[tokio::test]
async fn an_error_is_found_by_its_name_and_by_the_code_that_a_query_client_sees() {
    let harness = Harness::new();
    let of_nobody = Signer::new(Credentials::new("test", "wrong"), "us-east-1", "sqs");
    let list = call("ListQueues", &json!({}));
    harness.send(signed_by(&of_nobody, list, now())).await;
    let missing = json!({"QueueUrl": "http://localhost:9324/000000000000/nowhere"});
    harness.call("PurgeQueue", &missing).await;
    for (outcome, action, error) in [
        (
            "SignatureDoesNotMatch",
            "ListQueues",
            "InvalidSignatureException",
        ),
        (
            "InvalidSignatureException",
            "ListQueues",
            "InvalidSignatureException",
        ),
        (
            "AWS.SimpleQueueService.NonExistentQueue",
            "PurgeQueue",
            "QueueDoesNotExist",
        ),
        ("QueueDoesNotExist", "PurgeQueue", "QueueDoesNotExist"),
    ] {
        let found = requests(&harness, &format!("outcome={outcome}")).await;
        assert_eq!(found.len(), 1, "{outcome}");
        assert_eq!(found[0]["action"], action);
        assert_eq!(found[0]["error"], error);
    }
    let codes = ErrorCode::ALL.iter().map(|code| code.query_code());
    let all = codes.collect::<Vec<_>>().join(",");
    assert_eq!(requests(&harness, &format!("outcome={all}")).await.len(), 2);
}

#[tokio::test]
async fn a_query_that_is_not_understood_is_refused_with_a_sentence() {
    let harness = Harness::new();
    for (query, words) in [
        (
            "acton=DeleteMessage",
            "`acton` is not known here; what is, is `action`, `queue`",
        ),
        ("action=Delete", "\"Delete\" is no action of SQS's"),
        ("action=DeleteMessage,", "\"\" is no action of SQS's"),
        (
            "outcome=fine",
            "\"fine\" is no outcome; there are ok, partial,",
        ),
        (
            "wait=21",
            "`wait` is 21, and must be between 0 and 20 seconds",
        ),
        ("wait=-1", "`wait` is -1"),
        ("wait=NaN", "`wait` is NaN"),
        ("limit=0", "`limit` is 0"),
        ("limit=1001", "`limit` is 1001"),
        (
            "limit=2&at_least=3",
            "`at_least` is 3, and must not be more than `limit`, 2",
        ),
        ("after=x", "after: it must be a whole number from 0 on"),
        ("last=0", "`limit` is 0"),
        (
            "last=1&wait=1",
            "`last` shows what is there, without `limit`,",
        ),
    ] {
        let answer = control(
            &harness,
            Method::GET,
            &format!("/_fake/requests?{query}"),
            "",
        )
        .await;
        assert_eq!(answer.status, 400, "{query}");
        let error = text(&answer.json()["error"]);
        assert!(
            error.starts_with("the query must be like action=DeleteMessage&"),
            "{error}"
        );
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(
        requests(&harness, "action=&queue=&outcome=&message_id=")
            .await
            .len(),
        0
    );
}

#[tokio::test]
async fn readers_who_wait_are_bounded_and_end_with_the_server() {
    let harness = Harness::new();
    let journal = harness.control.journal();
    let places: Vec<_> = (0..limits::JOURNAL_READERS_MAX)
        .map(|_| journal.place().expect("a place"))
        .collect();
    let answer = control(&harness, Method::GET, "/_fake/requests?wait=20", "").await;
    assert_eq!(answer.status, 429);
    assert_eq!(
        control(&harness, Method::GET, "/_fake/requests", "")
            .await
            .status,
        200
    );
    drop(places);

    let reader = requests(&harness, "wait=20");
    let stop = async {
        tokio::task::yield_now().await;
        harness.control.stop();
    };
    let both = async { tokio::join!(reader, stop) };
    let (found, ()) = tokio::time::timeout(Duration::from_secs(10), both)
        .await
        .expect("at once");
    assert_eq!(found.len(), 0);
}

#[tokio::test]
async fn what_asks_for_nothing_is_there_and_the_control_interface_is_not() {
    let harness = Harness::new();
    control(&harness, Method::GET, "/favicon.ico", "").await;
    control(&harness, Method::GET, "/_fake/health", "").await;
    let found = requests(&harness, "").await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["path"], &found[0]["status"]),
        (&json!("/favicon.ico"), &json!(404))
    );
    assert_eq!(found[0]["error"], "UnknownOperationException");
}

#[tokio::test]
async fn a_signer_that_is_right_is_no_refusal() {
    let harness = Harness::new();
    harness
        .send(signed_by(&signer(), call("ListQueues", &json!({})), now()))
        .await;
    let found = requests(&harness, "").await;
    assert_eq!(
        (&found[0]["outcome"], &found[0]["refusal"]),
        (&json!("ok"), &json!(null))
    );
}

#[tokio::test]
async fn a_form_that_signs_itself_is_shown_without_its_signature() {
    let harness = Harness::new();
    let body = "Action=SendMessage&MessageBody=hi&AWSAccessKeyId=AKID&Signature=abc%3D";
    let request = Request::builder()
        .method(Method::POST)
        .uri("/000000000000/orders")
        .header(header::HOST, HOST)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let request = request.body(Bytes::from_static(body.as_bytes()));
    harness.send(request.expect("a request")).await;
    let found = requests(&harness, "").await;
    let expected = "Action=SendMessage&MessageBody=hi&AWSAccessKeyId=REDACTED&Signature=REDACTED";
    assert_eq!(found[0]["request_body"], expected);
    assert_eq!(found[0]["path"], "/000000000000/orders");
    assert_eq!(found[0]["refusal"]["reason"], "SignatureVersion");
    assert_eq!(found[0]["error"], "InvalidSecurity");
    assert_eq!(
        (&found[0]["action"], &found[0]["queue"]),
        (&json!("SendMessage"), &json!("orders"))
    );
}
