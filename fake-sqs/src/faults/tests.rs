//! Faults over the router: made and listed by the control interface, and met by signed calls.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header};
use serde_json::{Value, json};

use super::Fault;
use crate::http::limits;
use crate::testing::{Answer, HOST, Harness, Log, call, now, signed_by};
use crate::{Credential, FakeSqs};

const ORDERS: &str = "http://localhost:9324/000000000000/orders";

async fn control(harness: &Harness, method: Method, path: &str, body: &Value) -> Answer {
    let request = Request::builder().method(method).uri(path);
    let request = request.header(header::HOST, HOST);
    let body = Bytes::from(body.to_string());
    harness.send(request.body(body).expect("a request")).await
}

/// Makes a fault: its id.
async fn make(harness: &Harness, fault: Value) -> u64 {
    let answer = control(harness, Method::POST, "/_fake/faults", &fault).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["id"].as_u64().expect("a number")
}

async fn list(harness: &Harness) -> Vec<Value> {
    let answer = control(harness, Method::GET, "/_fake/faults", &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let listed = answer.json();
    assert_eq!(listed.as_object().map(serde_json::Map::len), Some(1));
    listed["faults"].as_array().expect("a list").clone()
}

/// How often each fault has happened.
async fn hits(harness: &Harness) -> Vec<u64> {
    let listed = list(harness).await;
    let hits = listed.iter().map(|fault| fault["hits"].as_u64());
    hits.map(|hits| hits.expect("a number")).collect()
}

async fn create(harness: &Harness, name: &str) -> String {
    let attributes = if name.ends_with(".fifo") {
        json!({"FifoQueue": "true", "ContentBasedDeduplication": "true"})
    } else {
        json!({})
    };
    let input = json!({"QueueName": name, "Attributes": attributes});
    let created = harness.call("CreateQueue", &input).await.json();
    created["QueueUrl"].as_str().expect("a URL").to_owned()
}

async fn send(harness: &Harness, body: &str) -> Answer {
    let input = json!({"QueueUrl": ORDERS, "MessageBody": body});
    harness.call("SendMessage", &input).await
}

/// A server with the queue `orders`, in which these messages are.
async fn with_orders(bodies: &[&str]) -> Harness {
    let harness = Harness::with(FakeSqs::builder().seed(1));
    create(&harness, "orders").await;
    for body in bodies {
        assert_eq!(send(&harness, body).await.status, 200);
    }
    harness
}

/// Up to ten messages, as pairs of body and handle.
async fn receive(harness: &Harness, url: &str) -> Vec<(String, String)> {
    let input = json!({"QueueUrl": url, "MaxNumberOfMessages": 10});
    let answer = harness.call("ReceiveMessage", &input).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let messages = answer["Messages"].as_array().into_iter().flatten();
    messages
        .map(|message| (text(&message["Body"]), text(&message["ReceiptHandle"])))
        .collect()
}

async fn bodies(harness: &Harness) -> Vec<String> {
    let received = receive(harness, ORDERS).await;
    received.into_iter().map(|(body, _)| body).collect()
}

#[tokio::test]
async fn faults_are_made_listed_and_removed() {
    let harness = with_orders(&[]).await;
    assert_eq!(list(&harness).await, [] as [Value; 0]);
    let error = json!({"queue": "orders", "times": 3, "fault": {"kind": "throttle"}});
    let delay = json!({"share": 0.5, "fault": {"kind": "delay", "seconds": 0.25}});
    assert_eq!(make(&harness, error).await, 1);
    assert_eq!(make(&harness, delay).await, 2);
    assert_eq!(
        list(&harness).await,
        [
            json!({"id": 1, "queue": "orders", "times": 3, "fault": {"kind": "throttle"},
                "hits": 0, "remaining": 3}),
            json!({"id": 2, "share": 0.5, "fault": {"kind": "delay", "seconds": 0.25}, "hits": 0}),
        ]
    );
    let remove = |path| control(&harness, Method::DELETE, path, &Value::Null);
    let removed = remove("/_fake/faults/1").await;
    assert_eq!((removed.status, removed.text()), (200, "{}"));
    for path in ["/_fake/faults/1", "/_fake/faults/x", "/_fake/faults/-2"] {
        let missing = remove(path).await;
        assert_eq!(missing.status, 404);
        let expected = "there is no fault of this id; GET /_fake/faults lists those that there are";
        assert_eq!(missing.json(), json!({"error": expected}));
    }
    let removed = remove("/_fake/faults").await;
    assert_eq!((removed.status, removed.text()), (200, "{}"));
    assert_eq!(list(&harness).await, [] as [Value; 0]);
    // An id is not given again.
    assert_eq!(
        make(&harness, json!({"fault": {"kind": "throttle"}})).await,
        3
    );
}

#[tokio::test]
async fn the_log_says_which_fault_was_made() {
    let harness = with_orders(&[]).await;
    let log = Log::capture();
    make(
        &harness,
        json!({"queue": "orders", "times": 3, "fault": {"kind": "throttle"}}),
    )
    .await;
    let lines = log.take();
    let expected = "a fault was made: {\"queue\":\"orders\",\"times\":3,\
                    \"fault\":{\"kind\":\"throttle\"}} id=1";
    assert!(lines.iter().any(|it| it.ends_with(expected)), "{lines:?}");
    let long = "x\u{7f}".repeat(500);
    make(
        &harness,
        json!({"queue": long, "fault": {"kind": "throttle"}}),
    )
    .await;
    let lines = log.take();
    let line = lines.iter().find(|it| it.contains("a fault was made"));
    let line = line.expect("a line");
    assert!(line.len() < 1_500 && !line.contains('\u{7f}'), "{line}");
}

#[tokio::test]
async fn a_fault_that_cannot_be_is_refused_with_a_sentence() {
    let harness = with_orders(&[]).await;
    for (fault, beginning) in [
        (json!({}), "the body must be JSON like {\"action\":"),
        (json!([]), "the body must be JSON like"),
        (
            json!({"fault": "throttle"}),
            "the body must be JSON like {\"action\":\"SendMessage\",\"queue\":\"orders\",\
             \"times\":3,\"fault\":{\"kind\":\"error\",\"code\":\"OverLimit\"}}: there is the string \
             \"throttle\" where an object with its kind, like {\"kind\":\"throttle\"}, must be (at",
        ),
        (
            json!({"fault": {"kind": "error", "code": "Bogus"}}),
            "fault.code: SQS has no error",
        ),
    ] {
        let answer = control(&harness, Method::POST, "/_fake/faults", &fault).await;
        assert_eq!(answer.status, 400);
        let answer = answer.json();
        let sentence = answer["error"].as_str().expect("a sentence");
        assert!(sentence.starts_with(beginning), "{sentence}");
    }
    let put = control(&harness, Method::PUT, "/_fake/faults", &Value::Null).await;
    assert_eq!(
        (put.status, put.header("allow")),
        (405, "GET, POST, DELETE")
    );
    assert_eq!(list(&harness).await, [] as [Value; 0]);
}

#[tokio::test]
async fn there_is_an_end_to_how_many_there_are() {
    let harness = with_orders(&[]).await;
    let fault = json!({"queue": "others", "fault": {"kind": "throttle"}});
    for _ in 0..limits::FAULTS_MAX {
        make(&harness, fault.clone()).await;
    }
    let answer = control(&harness, Method::POST, "/_fake/faults", &fault).await;
    assert_eq!(answer.status, 400);
    let expected = "faults: there are 1000 already; remove some with DELETE /_fake/faults";
    assert_eq!(answer.json(), json!({"error": expected}));
}

#[tokio::test]
async fn an_error_is_answered_as_sqs_answers_it_and_nothing_is_done() {
    let harness = with_orders(&[]).await;
    make(
        &harness,
        json!({"action": "SendMessage", "times": 1,
            "fault": {"kind": "error", "code": "KMS.DisabledException", "message": "Off."}}),
    )
    .await;
    send(&harness, "A").await.assert_error(
        400,
        "com.amazonaws.sqs#KmsDisabled",
        "KMS.DisabledException;Sender",
        "Off.",
    );
    assert_eq!(bodies(&harness).await, [] as [&str; 0]);
    assert_eq!(send(&harness, "B").await.status, 200);
    assert_eq!(bodies(&harness).await, ["B"]);
    let listed = list(&harness).await;
    assert_eq!(
        (&listed[0]["hits"], &listed[0]["remaining"]),
        (&json!(1), &json!(0))
    );
}

#[tokio::test]
async fn throttling_is_what_sqs_sends() {
    let harness = with_orders(&[]).await;
    make(&harness, json!({"fault": {"kind": "throttle"}})).await;
    send(&harness, "A").await.assert_error(
        403,
        "com.amazonaws.sqs#RequestThrottled",
        "RequestThrottled;Sender",
        "Request is throttled.",
    );
}

#[tokio::test]
async fn whose_signature_does_not_hold_is_refused_as_ever_and_counts_for_nothing() {
    let harness = with_orders(&[]).await;
    make(&harness, json!({"fault": {"kind": "throttle"}})).await;
    let unsigned = call("ListQueues", &json!({}));
    let answer = harness.send(unsigned).await;
    assert_eq!(
        answer.json()["__type"],
        "com.amazon.coral.service#AccessDeniedException"
    );
    let unread = harness.call("SendMessage", &json!({"QueueUrl": 5})).await;
    assert_eq!(
        unread.json()["__type"],
        "com.amazon.coral.service#SerializationException"
    );
    assert_eq!(hits(&harness).await, [0]);
}

#[tokio::test]
async fn a_fault_is_for_the_calls_that_it_selects() {
    let credential = |text: &str| text.parse::<Credential>().expect("a credential");
    let builder = FakeSqs::builder()
        .credential(credential("test:test:000000000000"))
        .credential(credential("other:test:111111111111"));
    let harness = Harness::with(builder);
    create(&harness, "orders").await;
    create(&harness, "bills").await;
    let throttle = json!({"kind": "throttle"});
    for selector in [
        json!({"action": "SendMessage", "fault": throttle}),
        json!({"queue": "orders", "fault": throttle}),
        json!({"account": "111111111111", "fault": throttle}),
        json!({"region": "eu-west-1", "fault": throttle}),
        json!({"queue": "orders", "action": "PurgeQueue", "account": "000000000000",
            "region": "us-east-1", "fault": throttle}),
    ] {
        make(&harness, selector).await;
    }
    // One that ends a call leaves nothing to those after it, so each is tried for itself.
    let by = async |key: &str, region: &str, action: &str, input: Value| {
        let credentials = sigv4::Credentials::new(key, "test");
        let signer = sigv4::Signer::new(credentials, region, "sqs");
        let before = hits(&harness).await;
        harness
            .send(signed_by(&signer, call(action, &input), now()))
            .await;
        let after = hits(&harness).await;
        let hit = before
            .iter()
            .zip(&after)
            .map(|(before, after)| after - before);
        hit.collect::<Vec<_>>()
    };
    let bills = json!({"QueueUrl": "http://x/000000000000/bills", "MessageBody": "x"});
    let (here, there) = ("us-east-1", "eu-west-1");
    assert_eq!(
        by("test", here, "SendMessage", bills.clone()).await,
        [1, 0, 0, 0, 0]
    );
    assert_eq!(
        by("test", here, "PurgeQueue", bills.clone()).await,
        [0, 0, 0, 0, 0]
    );
    let orders = json!({"QueueUrl": "orders"});
    assert_eq!(
        by("test", here, "PurgeQueue", orders).await,
        [0, 1, 0, 0, 0]
    );
    let named = json!({"QueueName": "orders"});
    assert_eq!(
        by("test", here, "GetQueueUrl", named).await,
        [0, 1, 0, 0, 0]
    );
    assert_eq!(
        by("test", there, "ListQueues", json!({})).await,
        [0, 0, 0, 1, 0]
    );
    assert_eq!(
        by("other", here, "ListQueues", json!({})).await,
        [0, 0, 1, 0, 0]
    );
    // The queue's account counts, and not the caller's, where there is a queue.
    assert_eq!(
        by("other", here, "PurgeQueue", bills).await,
        [0, 0, 0, 0, 0]
    );
    let arn = json!({"SourceArn": "arn:aws:sqs:us-east-1:000000000000:orders"});
    assert_eq!(
        by("test", here, "ListMessageMoveTasks", arn).await,
        [0, 1, 0, 0, 0]
    );
}

#[tokio::test]
async fn a_fault_is_for_the_messages_that_it_selects() {
    let harness = with_orders(&[]).await;
    for selector in [
        json!({"group": "g"}),
        json!({"message": {"body": "poison"}}),
        json!({"message": {"attribute": {"name": "kind"}}}),
        json!({"message": {"attribute": {"name": "kind", "value": "b"}}}),
    ] {
        let mut fault = selector;
        fault["fault"] = json!({"kind": "delay", "seconds": 0});
        make(&harness, fault).await;
    }
    let attribute = |value: &str| json!({"kind": {"DataType": "String", "StringValue": value}});
    for (members, expected) in [
        (json!({"MessageBody": "harmless"}), [0, 0, 0, 0]),
        (
            json!({"MessageBody": "a poison", "MessageGroupId": "h"}),
            [0, 1, 0, 0],
        ),
        (
            json!({"MessageBody": "x", "MessageGroupId": "g"}),
            [1, 1, 0, 0],
        ),
        (
            json!({"MessageBody": "x", "MessageAttributes": attribute("a")}),
            [1, 1, 1, 0],
        ),
        (
            json!({"MessageBody": "x", "MessageAttributes": attribute("b")}),
            [1, 1, 2, 1],
        ),
    ] {
        let mut input = members;
        input["QueueUrl"] = json!(ORDERS);
        assert_eq!(harness.call("SendMessage", &input).await.status, 200);
        assert_eq!(hits(&harness).await, expected, "{input}");
    }
    // Deleting the same messages is about them too, though the call holds only handles; receiving
    // them is not, since it was not known before which ones there would be.
    let received = receive(&harness, ORDERS).await;
    assert_eq!(received.len(), 5);
    assert_eq!(hits(&harness).await, [1, 1, 2, 1]);
    for (_, handle) in &received {
        let input = json!({"QueueUrl": ORDERS, "ReceiptHandle": handle});
        assert_eq!(harness.call("DeleteMessage", &input).await.status, 200);
    }
    assert_eq!(hits(&harness).await, [2, 2, 4, 2]);
    // A message that is gone, and no message, is none of them.
    for handle in [&*received[0].1, "AQEB"] {
        let input = json!({"QueueUrl": ORDERS, "ReceiptHandle": handle});
        harness.call("DeleteMessage", &input).await;
    }
    assert_eq!(hits(&harness).await, [2, 2, 4, 2]);
}

#[tokio::test]
async fn a_message_is_selected_by_its_id() {
    let harness = with_orders(&["A"]).await;
    let sent = send(&harness, "B").await.json();
    let fault = json!({"message": {"id": sent["MessageId"]}, "fault": {"kind": "duplicate"}});
    make(&harness, fault).await;
    assert_eq!(bodies(&harness).await, ["A", "B"]);
    assert_eq!(bodies(&harness).await, ["B"]);
    assert_eq!(hits(&harness).await, [2]);
}

#[tokio::test]
async fn a_share_is_drawn_by_the_seed_and_the_same_after_a_reset() {
    let harness = with_orders(&[]).await;
    let drawn = async |harness: &Harness| {
        make(
            harness,
            json!({"share": 0.3, "fault": {"kind": "throttle"}}),
        )
        .await;
        let mut drawn = Vec::new();
        for _ in 0..100 {
            drawn.push(harness.call("ListQueues", &json!({})).await.status == 403);
        }
        drawn
    };
    let first = drawn(&harness).await;
    let count = first.iter().filter(|hit| **hit).count();
    assert!((15..45).contains(&count), "{count} of 100");
    assert_eq!(hits(&harness).await, [count as u64]);
    control(&harness, Method::POST, "/_fake/reset", &json!({})).await;
    assert_eq!(drawn(&harness).await, first);
    let other = Harness::with(FakeSqs::builder().seed(2));
    assert_ne!(drawn(&other).await, first);
}

#[tokio::test]
async fn a_reset_leaves_only_what_was_declared() {
    let builder = FakeSqs::builder().fault(Fault::throttle().times(1));
    let harness = Harness::with(builder);
    let throttled = async || harness.call("ListQueues", &json!({})).await.status == 403;
    assert!(throttled().await);
    assert!(!throttled().await);
    make(
        &harness,
        json!({"account": "000000000000", "fault": {"kind": "throttle"}}),
    )
    .await;
    assert_eq!(hits(&harness).await, [1, 0]);
    let reset = async |body: &Value| {
        control(&harness, Method::POST, "/_fake/reset", body).await;
    };
    // Of one account's, only those that are for it alone.
    reset(&json!({"account": "111111111111"})).await;
    assert_eq!(hits(&harness).await, [1, 0]);
    reset(&json!({"account": "000000000000"})).await;
    assert_eq!(hits(&harness).await, [1]);
    reset(&json!({})).await;
    assert_eq!(hits(&harness).await, [0]);
    assert!(throttled().await);
}

#[tokio::test]
async fn an_empty_receive_gives_nothing_once() {
    let harness = with_orders(&["A"]).await;
    make(
        &harness,
        json!({"times": 1, "fault": {"kind": "empty_receive"}}),
    )
    .await;
    assert_eq!(bodies(&harness).await, [] as [&str; 0]);
    assert_eq!(bodies(&harness).await, ["A"]);
}

#[tokio::test]
async fn what_is_duplicated_is_given_again_with_another_handle() {
    let harness = with_orders(&[]).await;
    make(
        &harness,
        json!({"times": 1, "fault": {"kind": "duplicate"}}),
    )
    .await;
    // A receive that gives nothing does not use it up.
    assert_eq!(bodies(&harness).await, [] as [&str; 0]);
    for body in ["A", "B"] {
        send(&harness, body).await;
    }
    let first = receive(&harness, ORDERS).await;
    let second = receive(&harness, ORDERS).await;
    assert_eq!(bodies(&harness).await, [] as [&str; 0]);
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first.0, second.0);
        assert_ne!(first.1, second.1);
    }
    assert_eq!((first.len(), second.len()), (2, 2));
    // Either handle deletes its message.
    for (_, handle) in [&first[0], &second[1]] {
        let input = json!({"QueueUrl": ORDERS, "ReceiptHandle": handle});
        assert_eq!(harness.call("DeleteMessage", &input).await.status, 200);
    }
    let health = control(&harness, Method::GET, "/_fake/health", &Value::Null).await;
    assert_eq!(health.json()["messages"], 0);
}

#[tokio::test]
async fn a_fifo_queue_neither_duplicates_nor_shuffles() {
    let harness = with_orders(&[]).await;
    let url = create(&harness, "q.fifo").await;
    make(&harness, json!({"fault": {"kind": "duplicate"}})).await;
    make(&harness, json!({"fault": {"kind": "shuffle"}})).await;
    for body in ["A", "B", "C"] {
        let input = json!({"QueueUrl": url, "MessageBody": body, "MessageGroupId": "g"});
        assert_eq!(harness.call("SendMessage", &input).await.status, 200);
    }
    let received = receive(&harness, &url).await;
    assert_eq!(
        received.iter().map(|(body, _)| body).collect::<Vec<_>>(),
        ["A", "B", "C"]
    );
    assert_eq!(receive(&harness, &url).await, []);
    assert_eq!(hits(&harness).await, [0, 0]);
}

#[tokio::test]
async fn what_is_shuffled_does_not_come_oldest_first() {
    let harness = with_orders(&["A"]).await;
    make(&harness, json!({"fault": {"kind": "shuffle"}})).await;
    // There is no order in one message.
    assert_eq!(bodies(&harness).await, ["A"]);
    assert_eq!(hits(&harness).await, [0]);
    for body in ["B", "C", "D"] {
        send(&harness, body).await;
    }
    let mut shuffled = bodies(&harness).await;
    assert_ne!(shuffled[0], "B");
    shuffled.sort_unstable();
    assert_eq!(shuffled, ["B", "C", "D"]);
    assert_eq!(hits(&harness).await, [1]);
}

#[tokio::test]
async fn a_share_of_a_batch_fails_and_the_rest_is_done() {
    let harness = with_orders(&[]).await;
    make(
        &harness,
        json!({"times": 1, "fault": {"kind": "batch_partial", "share": 0.3}}),
    )
    .await;
    // What is no batch does not use it up.
    send(&harness, "single").await;
    let entry = |id: u32| json!({"Id": id.to_string(), "MessageBody": id.to_string()});
    let entries: Vec<_> = (0..10).map(entry).collect();
    let input = json!({"QueueUrl": ORDERS, "Entries": entries});
    let answer = harness.call("SendMessageBatch", &input).await;
    assert_eq!(answer.status, 200);
    let answer = answer.json();
    let failed = answer["Failed"].as_array().expect("some failed");
    assert_eq!(failed.len(), 3);
    assert_eq!(answer["Successful"].as_array().map(Vec::len), Some(7));
    for entry in failed {
        assert_eq!(entry["SenderFault"], false);
        assert_eq!(entry["Code"], "InternalError");
    }
    assert_eq!(bodies(&harness).await.len(), 8);
    let again = harness.call("SendMessageBatch", &input).await.json();
    assert_eq!(again["Successful"].as_array().map(Vec::len), Some(10));
}

#[tokio::test]
async fn the_entries_that_fail_can_be_chosen() {
    let harness = with_orders(&[]).await;
    make(
        &harness,
        json!({"message": {"body": "poison"},
            "fault": {"kind": "batch_partial", "share": 1, "code": "InvalidMessageContents"}}),
    )
    .await;
    let entry = |id: &str, body: &str| json!({"Id": id, "MessageBody": body});
    let entries = [
        entry("a", "good"),
        entry("b", "a poison"),
        entry("c", "poison"),
    ];
    let input = json!({"QueueUrl": ORDERS, "Entries": entries});
    let answer = harness.call("SendMessageBatch", &input).await.json();
    let ids = |list: &Value| -> Vec<String> {
        let entries = list.as_array().into_iter().flatten();
        entries.map(|entry| entry["Id"].to_string()).collect()
    };
    assert_eq!(ids(&answer["Successful"]), ["\"a\""]);
    assert_eq!(ids(&answer["Failed"]), ["\"b\"", "\"c\""]);
    assert_eq!(answer["Failed"][0]["Code"], "InvalidMessageContents");
    assert_eq!(answer["Failed"][0]["SenderFault"], true);
    // A batch without such an entry is not met.
    let input = json!({"QueueUrl": ORDERS, "Entries": [entry("a", "good")]});
    harness.call("SendMessageBatch", &input).await;
    assert_eq!(hits(&harness).await, [1]);
}

#[tokio::test]
async fn a_handle_expires_as_it_does_in_each_kind_of_queue() {
    let harness = with_orders(&["A"]).await;
    let fifo = create(&harness, "q.fifo").await;
    let input = json!({"QueueUrl": fifo, "MessageBody": "F", "MessageGroupId": "g"});
    harness.call("SendMessage", &input).await;
    make(
        &harness,
        json!({"times": 2, "fault": {"kind": "expire_handle"}}),
    )
    .await;

    let (_, handle) = receive(&harness, ORDERS).await.remove(0);
    let input = json!({"QueueUrl": ORDERS, "ReceiptHandle": handle});
    assert_eq!(harness.call("DeleteMessage", &input).await.status, 200);
    assert_eq!(bodies(&harness).await, ["A"], "it was not deleted");

    let (_, handle) = receive(&harness, &fifo).await.remove(0);
    let input = json!({"QueueUrl": fifo, "ReceiptHandle": handle, "VisibilityTimeout": 9});
    let refused = harness.call("ChangeMessageVisibility", &input).await;
    let message = format!(
        "Value {handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has \
         expired."
    );
    refused.assert_error(
        400,
        "com.amazon.coral.service#InvalidParameterValueException",
        "InvalidParameterValue;Sender",
        &message,
    );
    assert_eq!(
        receive(&harness, &fifo).await.len(),
        1,
        "it is visible again"
    );
}

#[tokio::test(start_paused = true)]
async fn delays_add_up_to_their_bound_and_come_before_the_error() {
    let harness = with_orders(&[]).await;
    make(
        &harness,
        json!({"times": 2, "fault": {"kind": "delay", "seconds": 2}}),
    )
    .await;
    make(
        &harness,
        json!({"times": 1, "fault": {"kind": "delay", "seconds": 299}}),
    )
    .await;
    make(&harness, json!({"times": 1, "fault": {"kind": "throttle"}})).await;
    let within = |seconds, action| {
        let call = async move |harness: &Harness| harness.call(action, &json!({})).await.status;
        let limit = Duration::from_secs(seconds);
        let harness = &harness;
        async move { tokio::time::timeout(limit, call(harness)).await.ok() }
    };
    assert_eq!(within(301, "ListQueues").await, Some(403));
    assert_eq!(hits(&harness).await, [1, 1, 1]);
    assert_eq!(within(1, "ListQueues").await, None, "it takes two seconds");
    assert_eq!(hits(&harness).await, [2, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_comes_whole_also_if_it_is_an_error_or_empty() {
    let harness = with_orders(&["A"]).await;
    let (_, handle) = receive(&harness, ORDERS).await.remove(0);
    make(
        &harness,
        json!({"fault": {"kind": "slow_body", "seconds": 10}}),
    )
    .await;
    for (action, input, status) in [
        ("ListQueues", json!({}), 200),
        ("GetQueueUrl", json!({"QueueName": "none"}), 400),
        (
            "DeleteMessage",
            json!({"QueueUrl": ORDERS, "ReceiptHandle": handle}),
            200,
        ),
    ] {
        let asked = harness.call(action, &input);
        let early = tokio::time::timeout(Duration::from_secs(9), asked).await;
        assert!(early.is_err(), "{action} was answered too early");
        let asked = harness.call(action, &input);
        let answer = tokio::time::timeout(Duration::from_secs(11), asked).await;
        let answer = answer.expect("in time");
        assert_eq!(answer.status, status);
        if action == "ListQueues" {
            assert_eq!(answer.json(), json!({"QueueUrls": [ORDERS]}));
        }
    }
}

#[tokio::test]
async fn of_what_ends_a_call_the_first_does_and_nothing_else_is_used_up() {
    let harness = with_orders(&["A"]).await;
    for fault in [
        json!({"times": 1, "fault": {"kind": "empty_receive"}}),
        json!({"times": 1, "fault": {"kind": "error", "code": "OverLimit"}}),
        json!({"times": 1, "fault": {"kind": "throttle"}}),
    ] {
        make(&harness, fault).await;
    }
    let input = json!({"QueueUrl": ORDERS});
    let code = async || harness.call("ReceiveMessage", &input).await.json()["__type"].clone();
    assert_eq!(code().await, "com.amazonaws.sqs#OverLimit");
    assert_eq!(hits(&harness).await, [0, 1, 0]);
    assert_eq!(code().await, "com.amazonaws.sqs#RequestThrottled");
    assert_eq!(hits(&harness).await, [0, 1, 1]);
    assert_eq!(code().await, Value::Null);
    assert_eq!(hits(&harness).await, [1, 1, 1]);
    assert_eq!(bodies(&harness).await, ["A"]);
}

#[tokio::test]
async fn the_journal_says_which_faults_a_call_met() {
    let harness = with_orders(&["A"]).await;
    for fault in [
        json!({"times": 1, "fault": {"kind": "duplicate"}}),
        json!({"action": "SendMessage", "times": 1, "fault": {"kind": "throttle"}}),
        json!({"action": "SendMessage", "times": 1, "fault": {"kind": "close", "when": "after"}}),
        json!({"action": "PurgeQueue", "fault": {"kind": "close", "when": "before"}}),
    ] {
        make(&harness, fault).await;
    }
    bodies(&harness).await;
    send(&harness, "B").await;
    send(&harness, "C").await;
    harness
        .call("PurgeQueue", &json!({"QueueUrl": ORDERS}))
        .await;
    let path = "/_fake/requests?after=2";
    let listed = control(&harness, Method::GET, path, &Value::Null)
        .await
        .json();
    let requests = listed["requests"].as_array().expect("a list");
    let met = |request: &Value| {
        let member = |name: &str| request[name].clone();
        json!([
            member("action"),
            member("queue"),
            member("faults"),
            member("outcome")
        ])
    };
    let fault = |id: u64, kind: &str| json!([{"id": id, "kind": kind}]);
    assert_eq!(
        requests.iter().map(met).collect::<Vec<_>>(),
        [
            json!(["ReceiveMessage", "orders", fault(1, "duplicate"), "ok"]),
            json!(["SendMessage", "orders", fault(2, "throttle"), "error"]),
            json!(["SendMessage", "orders", fault(3, "close"), "closed"]),
            json!(["PurgeQueue", "orders", fault(4, "close"), "closed"]),
        ]
    );
    assert_eq!(bodies(&harness).await, ["A", "C"], "nothing was purged");
}

#[tokio::test]
async fn a_server_does_not_begin_with_a_fault_that_cannot_be() {
    let builder = FakeSqs::builder().fault(Fault::shuffle().queue("orders.fifo"));
    let error = builder.bind().map(|_| ()).expect_err("no such fault");
    let expected = "there can be no such fault: queue: shuffle is for standard queues";
    assert!(error.to_string().starts_with(expected), "{error}");
    for (fault, expected) in [
        (
            Fault::throttle().saying("No."),
            "there can be no such fault: fault: the kind throttle has no message",
        ),
        (
            Fault::duplicate().code("OverLimit"),
            "there can be no such fault: fault: the kind duplicate has no code",
        ),
    ] {
        let error = FakeSqs::builder().fault(fault).bind().map(|_| ());
        assert_eq!(error.expect_err(expected).to_string(), expected);
    }
}
