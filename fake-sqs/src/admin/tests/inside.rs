//! Queues, messages and the clock over the control interface.

use super::*;

const QUEUES: &str = "/_fake/queues";

async fn send_json(harness: &Harness, method: Method, path: &str, body: &Value) -> Answer {
    let request = request(method, path).map(|_| Bytes::from(body.to_string()));
    harness.send(request).await
}

async fn post(harness: &Harness, path: &str, body: Value) -> Answer {
    send_json(harness, Method::POST, path, &body).await
}

#[track_caller]
fn done(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn path(name: &str, rest: &str) -> String {
    format!("{QUEUES}/000000000000/us-east-1/{name}{rest}")
}

fn url(name: &str) -> String {
    format!("http://localhost:9324/000000000000/{name}")
}

async fn create_fifo(harness: &Harness, name: &str) {
    let body = json!({"name": name, "attributes": {"FifoQueue": "true"}});
    done(&post(harness, QUEUES, body).await);
}

async fn receive(harness: &Harness, name: &str, max: u32) -> Vec<Value> {
    let input = json!({"QueueUrl": url(name), "MaxNumberOfMessages": max});
    let mut answer = harness.call("ReceiveMessage", &input).await.json();
    match answer["Messages"].take() {
        Value::Array(messages) => messages,
        _ => Vec::new(),
    }
}

async fn messages(harness: &Harness, name: &str, query: &str) -> Value {
    done(&get(harness, &path(name, &format!("/messages{query}"))).await)
}

fn bodies(page: &Value) -> Vec<&str> {
    let messages = page["messages"].as_array().expect("a list");
    messages
        .iter()
        .map(|message| message["body"].as_str().expect("a body"))
        .collect()
}

/// Everything that can be seen.
async fn everything(harness: &Harness, queues: &[&str]) -> Vec<Value> {
    let mut seen = vec![done(&get(harness, QUEUES).await)];
    for queue in queues {
        seen.push(done(&get(harness, &path(queue, "")).await));
        for query in ["", "?state=visible", "?state=delayed", "?state=in_flight"] {
            seen.push(messages(harness, queue, query).await);
        }
    }
    seen
}

#[tokio::test]
async fn a_queue_is_created_shown_and_deleted() {
    let harness = Harness::new();
    let body = json!({
        "name": "orders", "attributes": {"VisibilityTimeout": "5"}, "tags": {"team": "a"},
    });
    let created = done(&post(&harness, QUEUES, body).await);
    let mut expected = json!({
        "account": "000000000000",
        "region": "us-east-1",
        "name": "orders",
        "url": url("orders"),
        "arn": "arn:aws:sqs:us-east-1:000000000000:orders",
        "attributes": created["attributes"],
        "tags": {"team": "a"},
        "counts": {"visible": 0, "delayed": 0, "in_flight": 0},
        "waiting_polls": 0,
    });
    assert_eq!(created, expected);
    assert_eq!(created["attributes"]["VisibilityTimeout"], "5");
    assert_eq!(created["attributes"]["QueueArn"], expected["arn"]);
    let listed = done(&get(&harness, QUEUES).await);
    assert_eq!(listed, json!({"queues": [created], "after": null}));

    let shown = done(&get(&harness, &path("orders", "")).await);
    for list in ["groups", "dedup", "polls", "move_tasks"] {
        expected[list] = json!([]);
    }
    expected["groups_after"] = Value::Null;
    expected["dedup_after"] = Value::Null;
    assert_eq!(shown, expected);

    let deleted = harness
        .send(request(Method::DELETE, &path("orders", "")))
        .await;
    assert_eq!(done(&deleted), json!({}));
    let gone = get(&harness, &path("orders", "")).await;
    assert_error(
        &gone,
        404,
        "there is no queue orders in us-east-1 of account 000000000000; GET",
    );
    // Also a name that a call has just deleted.
    create(&harness, "orders").await;
    harness
        .call("DeleteQueue", &json!({"QueueUrl": url("orders")}))
        .await;
    done(&post(&harness, QUEUES, json!({"name": "orders"})).await);
}

#[tokio::test]
async fn queues_are_created_anywhere_and_listed_by_place() {
    let harness = Harness::new();
    for (account, region, name) in [
        ("111111111111", "us-east-1", "a1"),
        ("111111111111", "eu-west-1", "a2"),
        ("000000000000", "eu-west-1", "a3"),
        ("000000000000", "us-east-1", "b"),
    ] {
        let body = json!({"name": name, "account": account, "region": region});
        done(&post(&harness, QUEUES, body).await);
    }
    let names = |page: &Value| -> Vec<String> {
        let queues = page["queues"].as_array().expect("a list");
        queues
            .iter()
            .map(|queue| queue["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    for (query, expected) in [
        ("", vec!["a3", "b", "a2", "a1"]),
        ("?account=111111111111", vec!["a2", "a1"]),
        ("?region=us-east-1", vec!["b", "a1"]),
        ("?prefix=a&region=eu-west-1", vec!["a3", "a2"]),
        ("?account=222222222222", vec![]),
        ("?prefix=%61&account=000000000000", vec!["a3"]),
    ] {
        let page = done(&get(&harness, &format!("{QUEUES}{query}")).await);
        assert_eq!(names(&page), expected, "{query}");
        assert_eq!(page["after"], Value::Null, "{query}");
    }
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = done(&get(&harness, &format!("{QUEUES}?limit=1{after}")).await);
        seen.extend(names(&page));
        match page["after"].as_str() {
            Some(place) => after = format!("&after={place}"),
            None => break,
        }
    }
    assert_eq!(seen, ["a3", "b", "a2", "a1"]);
}

#[tokio::test]
async fn a_message_is_sent_seen_released_and_deleted() {
    let harness = Harness::new();
    create_fifo(&harness, "q.fifo").await;
    let body = json!({
        "body": "hello", "group": "g", "deduplication_id": "d", "trace_header": "Root=1-x",
        "message_attributes": {"color": {"DataType": "String", "StringValue": "blue"}},
    });
    let sent = done(&post(&harness, &path("q.fifo", "/messages"), body).await);
    assert_eq!(sent["md5"], "5d41402abc4b2a76b9719d911017c592");
    let received = receive(&harness, "q.fifo", 1).await;
    let page = messages(&harness, "q.fifo", "").await;
    assert_eq!(page["after"], Value::Null);
    let seen = &page["messages"][0];
    let sent_at = seen["sent_at"].as_i64().expect("a time");
    let first = seen["first_received_at"].as_i64().expect("a time");
    let expected = json!({
        "id": sent["id"],
        "body": "hello",
        "md5": sent["md5"],
        "attributes": {
            "SenderId": "000000000000",
            "SentTimestamp": sent_at.to_string(),
            "ApproximateReceiveCount": "1",
            "ApproximateFirstReceiveTimestamp": first.to_string(),
            "AWSTraceHeader": "Root=1-x",
            "MessageGroupId": "g",
            "MessageDeduplicationId": "d",
            "SequenceNumber": sent["sequence_number"],
        },
        "message_attributes": {"color": {"DataType": "String", "StringValue": "blue"}},
        "state": "in_flight",
        "visible_at": first + 30_000,
        "sent_at": sent_at,
        "expires_at": sent_at + 345_600_000,
        "first_received_at": first,
        "receive_count": 1,
        "group": "g",
        "deduplication_id": "d",
        "sequence_number": sent["sequence_number"],
        "receipt_handle": received[0]["ReceiptHandle"],
    });
    assert_eq!(*seen, expected);

    let shown = done(&get(&harness, &path("q.fifo", "")).await);
    let blocker = json!({"id": sent["id"], "state": "in_flight", "visible_at": first + 30_000});
    assert_eq!(
        shown["groups"],
        json!([{"name": "g", "messages": 1, "blocked_by": blocker}])
    );
    let remembered = json!([{
        "id": "d", "group": "g", "message": sent["id"],
        "sequence_number": sent["sequence_number"], "forgotten_at": sent_at + 300_000,
    }]);
    assert_eq!(shown["dedup"], remembered);

    let id = sent["id"].as_str().expect("an id");
    let release = path("q.fifo", &format!("/messages/{id}/release"));
    assert_eq!(done(&post(&harness, &release, json!({})).await), json!({}));
    let page = messages(&harness, "q.fifo", "?state=visible").await;
    assert_eq!(bodies(&page), ["hello"]);
    assert_eq!(page["messages"][0]["visible_at"], Value::Null);
    assert_eq!(page["messages"][0]["receipt_handle"], Value::Null);
    let one = path("q.fifo", &format!("/messages/{id}"));
    let deleted = harness.send(request(Method::DELETE, &one)).await;
    assert_eq!(done(&deleted), json!({}));
    let again = harness.send(request(Method::DELETE, &one)).await;
    assert_error(
        &again,
        404,
        &format!("the queue q.fifo has no message {id}; GET"),
    );
}

#[tokio::test]
async fn a_purge_is_none_that_has_to_wait() {
    let harness = Harness::new();
    create(&harness, "q").await;
    for _ in 0..2 {
        done(&post(&harness, &path("q", "/messages"), json!({"body": "m"})).await);
        done(&post(&harness, &path("q", "/purge"), json!({})).await);
        assert_eq!(bodies(&messages(&harness, "q", "").await), [""; 0]);
    }
    let purge = harness
        .call("PurgeQueue", &json!({"QueueUrl": url("q")}))
        .await;
    assert_eq!(purge.status, 200, "{purge:?}");
}

#[tokio::test]
async fn dead_letters_are_sent_back() {
    let harness = Harness::new();
    create(&harness, "dead").await;
    let policy =
        r#"{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":1}"#;
    let body =
        json!({"name": "q", "attributes": {"RedrivePolicy": policy, "VisibilityTimeout": "0"}});
    done(&post(&harness, QUEUES, body).await);
    done(&post(&harness, &path("q", "/messages"), json!({"body": "m"})).await);
    assert_eq!(receive(&harness, "q", 1).await.len(), 1);
    assert_eq!(receive(&harness, "q", 1).await.len(), 0);
    let dead = messages(&harness, "dead", "").await;
    assert_eq!(bodies(&dead), ["m"]);
    done(&post(&harness, "/_fake/clock/freeze", json!({})).await);
    let redriven = done(&post(&harness, &path("dead", "/redrive"), json!({})).await);
    let shown = done(&get(&harness, &path("dead", "")).await);
    assert_eq!(shown["move_tasks"][0]["Status"], "RUNNING");
    assert_eq!(
        shown["move_tasks"][0]["TaskHandle"],
        redriven["task_handle"]
    );
    done(&post(&harness, "/_fake/clock/advance", json!({"seconds": 0.02})).await);
    assert_eq!(bodies(&messages(&harness, "q", "").await), ["m"]);
    let refused = post(&harness, &path("q", "/redrive"), json!({})).await;
    assert_error(
        &refused,
        400,
        "InvalidParameterValueException: Source queue must be configured as a Dead Letter Queue.",
    );
}

#[tokio::test]
async fn looking_changes_nothing() {
    let harness = Harness::new();
    create_fifo(&harness, "q.fifo").await;
    create(&harness, "q").await;
    // Or time would pass from one look to the other.
    done(&post(&harness, "/_fake/clock/freeze", json!({})).await);
    for number in 0..9 {
        let delay = if number % 3 == 2 { 60 } else { 0 };
        let body = json!({"body": format!("{number}"), "delay_seconds": delay});
        done(&post(&harness, &path("q", "/messages"), body).await);
        let body = json!({
            "body": format!("{number}"), "group": format!("{}", number % 2),
            "deduplication_id": format!("{number}"),
        });
        done(&post(&harness, &path("q.fifo", "/messages"), body).await);
    }
    assert_eq!(receive(&harness, "q", 2).await.len(), 2);
    assert_eq!(receive(&harness, "q.fifo", 2).await.len(), 2);
    let before = everything(&harness, &["q", "q.fifo"]).await;
    assert_eq!(bodies(&before[3]), ["3", "4", "6", "7"], "{}", before[3]);
    assert_eq!(bodies(&before[4]), ["2", "5", "8"]);
    assert_eq!(bodies(&before[5]), ["0", "1"]);
    assert_eq!(everything(&harness, &["q", "q.fifo"]).await, before);
    // Nor does it keep anything from being received.
    let left: Vec<_> = receive(&harness, "q", 10).await;
    assert_eq!(left.len(), 4);
    assert_eq!(left[0]["Body"], "3");
}

#[tokio::test]
async fn messages_are_listed_a_page_at_a_time() {
    let harness = Harness::new();
    create(&harness, "q").await;
    done(&post(&harness, "/_fake/clock/freeze", json!({})).await);
    for number in 0..7 {
        let delay = if number > 3 { 10 - number } else { 0 };
        let body = json!({"body": format!("{number}"), "delay_seconds": delay});
        done(&post(&harness, &path("q", "/messages"), body).await);
    }
    receive(&harness, "q", 2).await;
    for (state, expected) in [
        ("", "0123456"),
        ("state=visible", "23"),
        ("state=delayed", "654"),
        ("state=in_flight", "01"),
    ] {
        for limit in 1..=8 {
            let mut seen = String::new();
            let mut after = String::new();
            loop {
                let query = format!("?limit={limit}&{state}{after}");
                let page = messages(&harness, "q", &query).await;
                assert!(bodies(&page).len() <= limit);
                seen.extend(bodies(&page));
                match page["after"].as_str() {
                    Some(place) => after = format!("&after={place}"),
                    None => break,
                }
            }
            assert_eq!(seen, expected, "{state} limit {limit}");
        }
    }
    let page = messages(&harness, "q", "?limit=1").await;
    let place = page["after"].as_str().expect("there is more");
    let other = format!("/messages?state=delayed&after={place}");
    let answer = get(&harness, &path("q", &other)).await;
    assert_error(&answer, 400, "`after` is no place in this list");
}

#[tokio::test]
async fn a_page_ends_with_the_bytes_it_may_have() {
    let harness = Harness::new();
    create(&harness, "q").await;
    let body = "x".repeat(1024 * 1024);
    for _ in 0..10 {
        done(&post(&harness, &path("q", "/messages"), json!({"body": body})).await);
    }
    let page = messages(&harness, "q", "").await;
    assert_eq!(bodies(&page).len(), 8);
    let place = page["after"].as_str().expect("there is more");
    let rest = messages(&harness, "q", &format!("?after={place}")).await;
    assert_eq!(bodies(&rest).len(), 2);
    assert_eq!(rest["after"], Value::Null);
}

#[tokio::test]
async fn the_clock_is_frozen_moved_and_resumed() {
    let harness = Harness::new();
    let clock = done(&get(&harness, "/_fake/clock").await);
    assert_eq!(
        (&clock["mode"], &clock["offset_seconds"]),
        (&json!("running"), &json!(0))
    );
    let frozen = done(&post(&harness, "/_fake/clock/freeze", json!({})).await);
    assert_eq!(frozen["mode"], "frozen");
    let health = get(&harness, "/_fake/health").await.json();
    assert_eq!(health["clock"]["now"], frozen["now"]);
    assert_eq!(health["clock"]["mode"], "frozen");
    let moved = done(
        &post(
            &harness,
            "/_fake/clock/advance",
            json!({"seconds": 86400.5}),
        )
        .await,
    );
    let expected = frozen["now"].as_i64().expect("a time") + 86_400_500;
    assert_eq!(moved["now"], expected);
    let resumed = done(&post(&harness, "/_fake/clock/resume", json!({})).await);
    assert_eq!(resumed["mode"], "running");
    assert!(resumed["now"].as_i64().expect("a time") >= expected);
    let offset = resumed["offset_seconds"].as_f64().expect("a number");
    assert!((86_390.0..=86_400.5).contains(&offset), "{offset}");
    // Signatures stay on real time: this one is signed by the clock that did not move.
    create(&harness, "q").await;

    let back = post(&harness, "/_fake/clock/advance", json!({"seconds": -1})).await;
    assert_error(
        &back,
        400,
        "the body must be JSON like {\"seconds\":43200}: -1 seconds",
    );
    let far = post(&harness, "/_fake/clock/advance", json!({"seconds": 1e12})).await;
    assert_error(&far, 400, "the queues' clock would go beyond the year 9999");
    let extra = post(&harness, "/_fake/clock/freeze", json!({"seconds": 1})).await;
    assert_error(
        &extra,
        400,
        "the body must be JSON like {}: `seconds` is not known here; nothing is",
    );

    done(&post(&harness, "/_fake/reset", json!({})).await);
    let clock = done(&get(&harness, "/_fake/clock").await);
    assert_eq!(
        (&clock["mode"], &clock["offset_seconds"]),
        (&json!("running"), &json!(0))
    );
}

#[tokio::test]
async fn a_query_that_is_not_understood_is_refused_with_what_would_be_right() {
    let harness = Harness::new();
    create(&harness, "q").await;
    for (path, beginning) in [
        (
            format!("{QUEUES}?acount=1"),
            "the query must be like account=",
        ),
        (
            format!("{QUEUES}?limit=0"),
            "the query must be like account=000000000000&region=us-east-1&prefix=orders&limit=100&after=…: `limit` is 0, and must be between 1 and 1000",
        ),
        (format!("{QUEUES}?limit=1001"), "the query must be like"),
        (format!("{QUEUES}?limit=x"), "the query must be like"),
        (format!("{QUEUES}?after=x"), "the query must be like"),
        (path("q", "?after=x"), "the query must be like limit="),
        (
            path("q", "/messages?state=seen"),
            "the query must be like state=",
        ),
        (
            path("q", "/messages?after=x"),
            "`after` is no place in this list",
        ),
    ] {
        assert_error(&get(&harness, &path).await, 400, beginning);
    }
    for path in [
        path("r", ""),
        path("r", "/messages"),
        format!("{QUEUES}/1/us-east-1/q"),
    ] {
        assert_error(&get(&harness, &path).await, 404, "there is no queue ");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let harness = Harness::new();
    create(&harness, "q").await;
    let id = "01234567-89ab-4cde-8f01-23456789abcd";
    for (method, path, status, beginning) in [
        (
            Method::DELETE,
            path("r", ""),
            404,
            "there is no queue r in us-east-1",
        ),
        (
            Method::POST,
            path("r", "/purge"),
            404,
            "there is no queue r",
        ),
        (
            Method::POST,
            path("r", "/redrive"),
            404,
            "there is no queue r",
        ),
        (
            Method::DELETE,
            path("r", &format!("/messages/{id}")),
            404,
            "there is no queue r",
        ),
        (
            Method::DELETE,
            path("q", "/messages/7"),
            404,
            "there is no such message: a message id is",
        ),
        (
            Method::POST,
            path("q", "/messages/7/release"),
            404,
            "there is no such message: ",
        ),
        (
            Method::POST,
            path("q", &format!("/messages/{id}/release")),
            404,
            "the queue q has no message",
        ),
        (
            Method::PUT,
            path("q", ""),
            405,
            "this path takes only GET, DELETE",
        ),
        (
            Method::DELETE,
            QUEUES.to_owned(),
            405,
            "this path takes only GET, POST",
        ),
        (
            Method::GET,
            path("q", "/purge"),
            405,
            "this path takes only POST",
        ),
        (
            Method::GET,
            path("q", "/purgee"),
            404,
            "there is nothing at this path",
        ),
        (
            Method::POST,
            "/_fake/clock".to_owned(),
            405,
            "this path takes only GET",
        ),
    ] {
        let answer = harness.send(request(method, &path)).await;
        assert_error(&answer, status, beginning);
    }
}

#[tokio::test]
async fn a_creation_that_is_not_understood_or_that_sqs_refuses_does_nothing() {
    let harness = Harness::new();
    create(&harness, "q").await;
    for (body, status, beginning) in [
        (
            json!({}),
            400,
            "the body must be JSON like {\"name\":\"orders\"",
        ),
        (
            json!({"name": "q", "extra": 1}),
            400,
            "the body must be JSON like",
        ),
        (
            json!({"name": "q", "account": "1"}),
            400,
            "the body must be JSON like",
        ),
        (
            json!({"name": "q", "region": "../x"}),
            400,
            "the body must be JSON like",
        ),
        (
            json!({"name": "a b"}),
            400,
            "InvalidParameterValueException: Can only include",
        ),
        (
            json!({"name": "q", "attributes": {"VisibilityTimeout": "31"}}),
            400,
            "QueueNameExists: A queue already exists",
        ),
        (
            json!({"name": "r", "attributes": {"Bogus": "1"}}),
            400,
            "InvalidAttributeName: ",
        ),
    ] {
        assert_error(&post(&harness, QUEUES, body).await, status, beginning);
    }
}

#[tokio::test]
async fn a_send_that_is_not_understood_or_that_sqs_refuses_does_nothing() {
    let harness = Harness::new();
    create(&harness, "q").await;
    for (body, status, beginning) in [
        (
            json!({}),
            400,
            "the body must be JSON like {\"body\":\"hello\"",
        ),
        (
            json!({"body": ""}),
            400,
            "MissingRequiredParameterException: ",
        ),
        (
            json!({"body": "m", "delay_seconds": 901}),
            400,
            "InvalidParameterValueException: ",
        ),
        (
            json!({"body": "m", "delay": 5}),
            400,
            "the body must be JSON like",
        ),
    ] {
        let answer = post(&harness, &path("q", "/messages"), body).await;
        assert_error(&answer, status, beginning);
    }
    assert_eq!(bodies(&messages(&harness, "q", "").await), [""; 0]);
}

#[tokio::test]
async fn messages_are_received_as_a_client_receives_them() {
    let harness = Harness::new();
    create(&harness, "orders").await;
    for body in ["a", "b"] {
        let sent = post(
            &harness,
            &path("orders", "/messages"),
            json!({"body": body}),
        )
        .await;
        done(&sent);
    }
    let receive = path("orders", "/messages/receive");
    let received = done(&post(&harness, &receive, json!({"visibility_timeout": 600})).await);
    assert_eq!(bodies(&received).len(), 1);
    let message = &received["messages"][0];
    assert_eq!(message["state"], "in_flight");
    assert_eq!(message["receive_count"], 1);
    let input = json!({"QueueUrl": url("orders"), "ReceiptHandle": message["receipt_handle"]});
    assert_eq!(harness.call("DeleteMessage", &input).await.status, 200);
    let received = done(&post(&harness, &receive, json!({"max": 10})).await);
    assert_eq!(bodies(&received).len(), 1);
    let received = done(&post(&harness, &receive, json!({})).await);
    assert_eq!(received, json!({"messages": []}));

    let refused = post(&harness, &receive, json!({"max": 11})).await;
    assert_error(&refused, 400, "InvalidParameterValue");
    let refused = post(&harness, &receive, json!({"maximum": 1})).await;
    assert_error(&refused, 400, "the body must be JSON like {} or {\"max\"");
    let missing = post(&harness, &path("bills", "/messages/receive"), json!({})).await;
    assert_error(&missing, 404, "there is no queue bills");
}
