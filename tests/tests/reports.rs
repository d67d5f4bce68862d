//! What users of other local servers reported, and what the server does instead: one test for a
//! report or for several of one kind, each named in the test's first line by project and number.
//!
//! Reports about FIFO queues are scripts of the engine (`reports-fifo.txt`); wrong codes (fakecloud
//! 1355) are what `error_table.rs` excludes; slow reads and memory under a backlog (ElasticMQ 646,
//! 590) are measured by the engine's bench.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use conformance::bound::{patiently, within};
use conformance::raw::{self, Answer, Signature};
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::FakeSqs;
use http::header::{HOST, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};

on_each_wire! {
    the_digest_of_attributes_is_over_the_whole_type_and_the_raw_bytes,
    without_attributes_there_is_no_digest_of_them,
    a_batch_answers_the_digest_of_attributes,
    an_error_has_both_its_names_where_clients_look_for_them,
    what_is_empty_is_left_out,
    a_reset_between_tests_forgets_what_was_sent,
    a_handle_that_nobody_gave_is_refused,
    an_expired_handle_of_a_standard_queue_hides_and_deletes,
    a_message_is_hidden_for_twelve_hours_at_most,
    a_poll_for_ten_answers_with_the_one_that_is_there,
    a_poll_waits_as_long_as_its_queue_says_and_then_gives_up,
    among_many_receivers_each_message_comes_once(flavor = "multi_thread", worker_threads = 2),
    a_queue_with_a_key_loses_nothing,
    a_message_has_a_mebibyte_with_its_attributes,
    a_queues_url_has_the_host_that_the_client_speaks_to,
    a_wrong_secret_and_an_unknown_key_are_refused_as_in_production,
    a_client_needs_no_token_no_account_and_no_variable;

    alone:
    todays_clients_speak_json,
}

/// A server, and how it is spoken to.
struct Server {
    fake: FakeSqs,
    wire: Wire,
}

impl Server {
    async fn start(wire: Wire) -> Self {
        let fake = FakeSqs::start().await;
        Server { fake, wire }
    }
}

/// A server with the queue `orders`.
async fn orders(wire: Wire) -> Server {
    let server = Server::start(wire).await;
    ok(&server, "CreateQueue", json!({"QueueName": "orders"})).await;
    server
}

async fn call(server: &Server, operation: &str, body: Value) -> Answer {
    call_as(server, &Signature::default(), operation, body).await
}

async fn call_as(server: &Server, signature: &Signature, operation: &str, body: Value) -> Answer {
    let Server { fake, wire } = server;
    let request = wire.call(fake, operation, body.to_string());
    wire.send(fake, signature.sign(request)).await
}

/// The body of an answer, which must be none of an error.
async fn ok(server: &Server, operation: &str, body: Value) -> Value {
    let answer = call(server, operation, body).await;
    assert_eq!(answer.status, StatusCode::OK, "{operation}: {answer:?}");
    if answer.body.is_empty() {
        return Value::Null;
    }
    answer.json()
}

async fn send(server: &Server, body: &str) -> Value {
    let message = json!({"QueueUrl": "orders", "MessageBody": body});
    ok(server, "SendMessage", message).await
}

/// The messages that a receive of these parameters gives from `orders`.
async fn receive(server: &Server, mut parameters: Value) -> Vec<Value> {
    parameters["QueueUrl"] = json!("orders");
    let mut answer = ok(server, "ReceiveMessage", parameters).await;
    match answer["Messages"].take() {
        Value::Array(messages) => messages,
        _ => Vec::new(),
    }
}

fn bodies(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .map(|message| message["Body"].as_str().expect("a body"))
        .collect()
}

/// Attributes of every kind of type, and the digest that AWS's algorithm has for each.
fn attributes() -> [(Value, &'static str); 4] {
    [
        (
            json!({"timestamp": {"DataType": "Number.java.lang.Long", "StringValue": "1493147359900"}}),
            "2e2e4876d8e0bd6b8c2c8f556831c349",
        ),
        (
            json!({"somevalue": {"DataType": "String.custom", "StringValue": "somevalue"}}),
            "9e05cca738e70ff6c6041e82d5e77ef1",
        ),
        (
            json!({"B.x": {"DataType": "Binary.gif", "BinaryValue": "AP8="}}),
            "5d058e4cf0c599bad31a977994c77d30",
        ),
        (
            json!({
                "color": {"DataType": "String", "StringValue": "blue"},
                "count": {"DataType": "Number", "StringValue": "3"},
                "blob": {"DataType": "Binary", "BinaryValue": "AQID"},
            }),
            "d838729972a4b70e2d2acd9d59ac847c",
        ),
    ]
}

/// ElasticMQ 947; LocalStack 3022, 6794, 2973.
async fn the_digest_of_attributes_is_over_the_whole_type_and_the_raw_bytes(wire: Wire) {
    let server = orders(wire).await;
    for (attributes, digest) in attributes() {
        let message =
            json!({"QueueUrl": "orders", "MessageBody": "a", "MessageAttributes": attributes});
        let sent = ok(&server, "SendMessage", message).await;
        assert_eq!(sent["MD5OfMessageAttributes"], digest);
        let received = receive(&server, json!({"MessageAttributeNames": ["All"]})).await;
        assert_eq!(received[0]["MessageAttributes"], attributes);
        assert_eq!(received[0]["MD5OfMessageAttributes"], digest);
    }
}

/// LocalStack 136, aws-sdk-php 1315, ElasticMQ 114.
async fn without_attributes_there_is_no_digest_of_them(wire: Wire) {
    let server = orders(wire).await;
    let names = |value: &Value| -> BTreeSet<String> {
        let members = value.as_object().expect("an object");
        members.keys().cloned().collect()
    };
    let sent = send(&server, "a").await;
    assert_eq!(
        names(&sent),
        ["MD5OfMessageBody", "MessageId"].map(str::to_owned).into()
    );
    let received = receive(
        &server,
        json!({"MessageAttributeNames": ["All"], "VisibilityTimeout": 0}),
    )
    .await;
    assert_eq!(
        names(&received[0]),
        ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"]
            .map(str::to_owned)
            .into()
    );
    let batch = json!({"QueueUrl": "orders", "Entries": [
        {"Id": "a", "MessageBody": "a", "MessageAttributes": {}},
    ]});
    let sent = ok(&server, "SendMessageBatch", batch).await;
    assert_eq!(
        names(&sent["Successful"][0]),
        ["Id", "MD5OfMessageBody", "MessageId"]
            .map(str::to_owned)
            .into()
    );
}

/// Floci 495.
async fn a_batch_answers_the_digest_of_attributes(wire: Wire) {
    let server = orders(wire).await;
    let entries: Vec<Value> = (0..)
        .zip(attributes())
        .map(|(n, (attributes, _))| {
            json!({"Id": n.to_string(), "MessageBody": "a", "MessageAttributes": attributes})
        })
        .collect();
    let batch = json!({"QueueUrl": "orders", "Entries": entries});
    let sent = ok(&server, "SendMessageBatch", batch).await;
    for (n, (_, digest)) in attributes().iter().enumerate() {
        assert_eq!(sent["Successful"][n]["MD5OfMessageAttributes"], *digest);
    }
}

/// ElasticMQ 1188, 903.
async fn an_error_has_both_its_names_where_clients_look_for_them(wire: Wire) {
    let server = Server::start(wire).await;
    let answer = call(&server, "PurgeQueue", json!({"QueueUrl": "orders"})).await;
    assert_eq!(
        answer.header("x-amzn-query-error"),
        "AWS.SimpleQueueService.NonExistentQueue;Sender"
    );
    assert_eq!(
        answer.json(),
        json!({
            "__type": "com.amazonaws.sqs#QueueDoesNotExist",
            "message": wire.no_such_queue(),
        })
    );
}

/// Floci 773.
async fn what_is_empty_is_left_out(wire: Wire) {
    let server = Server::start(wire).await;
    assert_eq!(call(&server, "ListQueues", json!({})).await.body, "{}");
    ok(&server, "CreateQueue", json!({"QueueName": "orders"})).await;
    let queue = json!({"QueueUrl": "orders"});
    for operation in [
        "ReceiveMessage",
        "ListQueueTags",
        "ListDeadLetterSourceQueues",
        "GetQueueAttributes",
    ] {
        let answer = call(&server, operation, queue.clone()).await;
        assert_eq!(answer.body, "{}", "{operation}");
    }
    let batch = json!({"QueueUrl": "orders", "Entries": [{"Id": "a", "MessageBody": "a"}]});
    let sent = ok(&server, "SendMessageBatch", batch).await;
    assert_eq!(sent.get("Failed"), None);
    let batch = json!({"QueueUrl": "orders", "Entries": [{"Id": "a", "ReceiptHandle": "x"}]});
    let deleted = ok(&server, "DeleteMessageBatch", batch).await;
    assert_eq!(deleted.get("Successful"), None);
}

/// ElasticMQ 437, LocalStack 8211, Floci 561.
async fn a_reset_between_tests_forgets_what_was_sent(wire: Wire) {
    let server = Server::start(wire).await;
    let create = json!({"QueueName": "q.fifo", "Attributes": {"FifoQueue": "true"}});
    let message = json!({
        "QueueUrl": "q.fifo",
        "MessageBody": "a",
        "MessageGroupId": "g",
        "MessageDeduplicationId": "d",
    });
    for _ in 0..2 {
        ok(&server, "CreateQueue", create.clone()).await;
        ok(&server, "SendMessage", message.clone()).await;
        let received = ok(&server, "ReceiveMessage", json!({"QueueUrl": "q.fifo"})).await;
        assert_eq!(received["Messages"][0]["Body"], "a");
        let mut reset = raw::get(&server.fake, "/_fake/reset");
        *reset.method_mut() = Method::POST;
        assert_eq!(raw::send(&server.fake, reset).await.status, StatusCode::OK);
    }
}

/// ElasticMQ 324, LocalStack 5293.
async fn a_handle_that_nobody_gave_is_refused(wire: Wire) {
    let server = orders(wire).await;
    send(&server, "a").await;
    let received = receive(&server, json!({})).await;
    let given = received[0]["ReceiptHandle"].as_str().expect("a handle");
    let (start, end) = given.split_at(given.len() / 2);
    let forged = [
        "none".to_owned(),
        start.to_owned(),
        format!("{end}{start}"),
        format!("{given}A"),
    ];
    for handle in forged {
        let visibility =
            json!({"QueueUrl": "orders", "ReceiptHandle": handle, "VisibilityTimeout": 0});
        for operation in ["ChangeMessageVisibility", "DeleteMessage"] {
            let answer = call(&server, operation, visibility.clone()).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{answer:?}");
            assert_eq!(
                answer.json()["__type"],
                "com.amazonaws.sqs#ReceiptHandleIsInvalid"
            );
            assert_eq!(
                answer.message(),
                format!("The input receipt handle \"{handle}\" is not a valid receipt handle.")
            );
        }
    }
    assert!(
        receive(&server, json!({})).await.is_empty(),
        "no forged handle did anything"
    );
}

/// LocalStack 9632.
async fn an_expired_handle_of_a_standard_queue_hides_and_deletes(wire: Wire) {
    let server = orders(wire).await;
    send(&server, "a").await;
    let received = receive(&server, json!({"VisibilityTimeout": 0})).await;
    let handle = &received[0]["ReceiptHandle"];
    let hide = json!({"QueueUrl": "orders", "ReceiptHandle": handle, "VisibilityTimeout": 60});
    let answer = call(&server, "ChangeMessageVisibility", hide).await;
    assert_eq!((answer.status, answer.body.len()), (StatusCode::OK, 0));
    assert!(receive(&server, json!({})).await.is_empty());
    let delete = json!({"QueueUrl": "orders", "ReceiptHandle": handle});
    ok(&server, "DeleteMessage", delete).await;
    assert_eq!(counts(&server).await, ["0", "0"]);
}

/// How many messages of `orders` are visible, and in flight.
async fn counts(server: &Server) -> [String; 2] {
    let names = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
    ];
    let wanted = json!({"QueueUrl": "orders", "AttributeNames": names});
    let answer = ok(server, "GetQueueAttributes", wanted).await;
    names.map(|name| {
        let count = answer["Attributes"][name].as_str();
        count.expect("a count").to_owned()
    })
}

/// LocalStack 3956.
async fn a_message_is_hidden_for_twelve_hours_at_most(wire: Wire) {
    let server = orders(wire).await;
    ok(&server, "CreateQueue", json!({"QueueName": "empty"})).await;
    send(&server, "a").await;
    let received = receive(&server, json!({})).await;
    // A second goes by.
    let poll = json!({"QueueUrl": "empty", "WaitTimeSeconds": 1});
    ok(&server, "ReceiveMessage", poll).await;
    let hide = |seconds: u32| {
        json!({
            "QueueUrl": "orders",
            "ReceiptHandle": received[0]["ReceiptHandle"],
            "VisibilityTimeout": seconds,
        })
    };
    let answer = call(&server, "ChangeMessageVisibility", hide(43_200)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        answer.message(),
        "Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout \
         for the message is beyond the limit [43200 seconds]"
    );
    ok(&server, "ChangeMessageVisibility", hide(43_000)).await;
}

/// LocalStack 5824.
async fn a_poll_for_ten_answers_with_the_one_that_is_there(wire: Wire) {
    let server = orders(wire).await;
    send(&server, "a").await;
    let wanted = json!({"MaxNumberOfMessages": 10, "WaitTimeSeconds": 20});
    assert_eq!(bodies(&receive(&server, wanted).await), ["a"]);
}

/// moto 891, fakecloud 1830, GoAws 145.
async fn a_poll_waits_as_long_as_its_queue_says_and_then_gives_up(wire: Wire) {
    let server = orders(wire).await;
    let wait = |seconds: &str| {
        let attributes = json!({"ReceiveMessageWaitTimeSeconds": seconds});
        json!({"QueueUrl": "orders", "Attributes": attributes})
    };
    ok(&server, "SetQueueAttributes", wait("20")).await;
    // Or the delay might be over before it is looked for.
    server.fake.freeze().await.expect("frozen");
    let message = json!({"QueueUrl": "orders", "MessageBody": "a", "DelaySeconds": 1});
    ok(&server, "SendMessage", message).await;
    assert!(
        receive(&server, json!({"WaitTimeSeconds": 0}))
            .await
            .is_empty(),
        "a wait of 0 that is asked for wins"
    );
    server.fake.resume().await.expect("it goes on");
    assert_eq!(bodies(&receive(&server, json!({})).await), ["a"]);
    ok(&server, "SetQueueAttributes", wait("1")).await;
    assert!(receive(&server, json!({})).await.is_empty());
}

/// ElasticMQ 738.
async fn among_many_receivers_each_message_comes_once(wire: Wire) {
    const MESSAGES: usize = 400;
    let server = orders(wire).await;
    let sqs = sdk::client(&server.fake, wire);
    let send = |start: usize| {
        let entries = (start..start + 10).map(|n| {
            let entry = aws_sdk_sqs::types::SendMessageBatchRequestEntry::builder();
            let entry = entry.id(n.to_string()).message_body(n.to_string());
            entry.build().expect("an entry")
        });
        let call = sqs.send_message_batch().queue_url("orders");
        tokio::spawn(call.set_entries(Some(entries.collect())).send())
    };
    let count = Arc::new(AtomicUsize::new(0));
    let receive = || {
        let (sqs, count) = (sqs.clone(), Arc::clone(&count));
        tokio::spawn(async move {
            let mut bodies = Vec::new();
            while count.load(Ordering::SeqCst) < MESSAGES {
                let call = sqs.receive_message().queue_url("orders");
                let call = call.max_number_of_messages(7).wait_time_seconds(1);
                let answer = within(call.send()).await.expect("an answer");
                for message in answer.messages.unwrap_or_default() {
                    let call = sqs.delete_message().queue_url("orders");
                    let call = call.set_receipt_handle(message.receipt_handle);
                    within(call.send()).await.expect("it is deleted");
                    bodies.push(message.body.expect("a body"));
                    count.fetch_add(1, Ordering::SeqCst);
                }
            }
            bodies
        })
    };
    let receivers: Vec<_> = (0..4).map(|_| receive()).collect();
    let senders: Vec<_> = (0..MESSAGES).step_by(10).map(send).collect();
    for sender in senders {
        let sent = within(sender).await.expect("it ends").expect("an answer");
        assert_eq!(sent.successful().len(), 10);
    }
    let mut received = Vec::new();
    for receiver in receivers {
        received.extend(patiently(receiver).await.expect("it ends"));
    }
    let distinct: BTreeSet<&String> = received.iter().collect();
    assert_eq!((received.len(), distinct.len()), (MESSAGES, MESSAGES));
    assert_eq!(counts(&server).await, ["0", "0"]);
}

/// fakecloud 2275.
async fn a_queue_with_a_key_loses_nothing(wire: Wire) {
    let server = Server::start(wire).await;
    let create = json!({"QueueName": "orders", "Attributes": {"KmsMasterKeyId": "alias/none"}});
    ok(&server, "CreateQueue", create).await;
    let entries = json!([{"Id": "a", "MessageBody": "one"}, {"Id": "b", "MessageBody": "two"}]);
    let batch = json!({"QueueUrl": "orders", "Entries": entries});
    let sent = ok(&server, "SendMessageBatch", batch).await;
    assert_eq!(sent["Successful"].as_array().map(Vec::len), Some(2));
    let received = receive(&server, json!({"MaxNumberOfMessages": 10})).await;
    assert_eq!(bodies(&received), ["one", "two"]);
}

/// ElasticMQ 1180; LocalStack 12956, 7147, 8570; moto 9682.
async fn a_message_has_a_mebibyte_with_its_attributes(wire: Wire) {
    const MEBIBYTE: usize = 1_048_576;
    let server = orders(wire).await;
    // Name, type and value: 1 + 6 + 3 bytes.
    let message = |length: usize| {
        json!({
            "QueueUrl": "orders",
            "MessageBody": "x".repeat(length),
            "MessageAttributes": {"k": {"DataType": "String", "StringValue": "é1"}},
        })
    };
    ok(&server, "SendMessage", message(MEBIBYTE - 10)).await;
    let answer = call(&server, "SendMessage", message(MEBIBYTE - 9)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        answer.message(),
        "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes."
    );
    send(&server, &"x".repeat(MEBIBYTE)).await;
    let mut entry = message(MEBIBYTE - 9);
    entry["Id"] = json!("a");
    let batch = json!({"QueueUrl": "orders", "Entries": [entry]});
    let answer = call(&server, "SendMessageBatch", batch).await;
    assert_eq!(
        answer.message(),
        "Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes."
    );
}

/// LocalStack 308, 394, 708, 1485, 3742; ministack 1201; fakecloud 2302.
async fn a_queues_url_has_the_host_that_the_client_speaks_to(wire: Wire) {
    let server = orders(wire).await;
    for host in ["sqs.internal:9324", "localhost:4100", "queue"] {
        let body = json!({"QueueName": "orders"}).to_string();
        let mut request = wire.call(&server.fake, "GetQueueUrl", body);
        let value = HeaderValue::from_static(host);
        request.headers_mut().insert(HOST, value);
        let answer = wire
            .send(&server.fake, Signature::default().sign(request))
            .await;
        let url = answer.json()["QueueUrl"].take();
        assert_eq!(url, format!("http://{host}/000000000000/orders"));
        // From elsewhere it is as good.
        let message = json!({"QueueUrl": url, "MessageBody": host});
        ok(&server, "SendMessage", message).await;
    }
    let received = receive(&server, json!({"MaxNumberOfMessages": 10})).await;
    assert_eq!(received.len(), 3);
}

/// GoAws 279, 281; ElasticMQ 914, 959.
async fn todays_clients_speak_json() {
    let server = orders(Wire::Json).await.fake;
    let body = json!({"QueueUrl": "orders", "MessageBody": "a"}).to_string();
    let mut request = raw::call(&server, "SendMessage", body);
    let mode = HeaderName::from_static("x-amzn-query-mode");
    request
        .headers_mut()
        .insert(mode, HeaderValue::from_static("true"));
    let answer = raw::send(&server, Signature::default().sign(request)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "application/x-amz-json-1.0");
    assert!(answer.json()["MessageId"].is_string());
}

/// LocalStack 11409, ministack 1745.
async fn a_wrong_secret_and_an_unknown_key_are_refused_as_in_production(wire: Wire) {
    let server = orders(wire).await;
    let wrong = [
        (
            Signature {
                secret: "wrong",
                ..Signature::default()
            },
            "SignatureDoesNotMatch;Sender",
        ),
        (
            Signature {
                key: "unknown",
                ..Signature::default()
            },
            "InvalidClientTokenId;Sender",
        ),
    ];
    for (signature, code) in wrong {
        let message = json!({"QueueUrl": "orders", "MessageBody": "a"});
        let answer = call_as(&server, &signature, "SendMessage", message).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        assert_eq!(answer.header("x-amzn-query-error"), code);
    }
    assert!(receive(&server, json!({})).await.is_empty());
}

/// quarkus-quickstarts 919, 920; aws-sdk-rust 543.
async fn a_client_needs_no_token_no_account_and_no_variable(wire: Wire) {
    let server = FakeSqs::start().await;
    let own = server.credentials();
    assert_eq!(
        (own.access_key_id(), own.secret_access_key()),
        ("test", "test")
    );
    let sqs = sdk::client(&server, wire);
    let created = within(sqs.create_queue().queue_name("orders").send()).await;
    let url = created.expect("a queue").queue_url.expect("its URL");
    assert!(url.starts_with(&server.endpoint_url()), "{url}");
}
