//! Our own client against our own server: typed calls and calls without a schema.

use std::collections::BTreeMap;

use aws_json::client::Client as JsonClient;
use conformance::bound::within;
use fake_sqs::FakeSqs;
use serde_json::{Value, json};
use sqs::client::{Credentials, Error};
use sqs::{
    AddPermissionInput, CancelMessageMoveTaskInput, ChangeMessageVisibilityBatchInput,
    ChangeMessageVisibilityBatchRequestEntry, ChangeMessageVisibilityInput, Client,
    CreateQueueInput, DeleteMessageBatchInput, DeleteMessageBatchRequestEntry, DeleteMessageInput,
    DeleteQueueInput, ErrorCode, GetQueueAttributesInput, GetQueueUrlInput,
    ListDeadLetterSourceQueuesInput, ListMessageMoveTasksInput, ListQueueTagsInput,
    ListQueuesInput, Message, MessageAttributeValue, MessageSystemAttributeValue, PurgeQueueInput,
    ReceiveMessageInput, RemovePermissionInput, SendMessageBatchInput,
    SendMessageBatchRequestEntry, SendMessageInput, SetQueueAttributesInput,
    StartMessageMoveTaskInput, TagQueueInput, UntagQueueInput,
};

/// The transport, which knows no shapes.
fn json_client(server: &FakeSqs, secret: &str) -> JsonClient {
    Client::builder()
        .endpoint(server.endpoint_url())
        .region(server.region())
        .credentials(Credentials::new(
            server.credentials().access_key_id(),
            secret,
        ))
        .build()
        .expect("a client")
}

fn client(server: &FakeSqs) -> Client {
    Client::new(json_client(
        server,
        server.credentials().secret_access_key(),
    ))
}

async fn create(sqs: &Client, name: &str) -> String {
    let created = within(sqs.create_queue(CreateQueueInput::new(name)))
        .await
        .expect("a queue");
    created.queue_url.expect("its URL")
}

/// All that one short poll answers, with every attribute.
async fn receive(sqs: &Client, url: &str) -> Vec<Message> {
    let all = || Some(vec!["All".to_owned()]);
    let input = ReceiveMessageInput {
        max_number_of_messages: Some(10),
        message_attribute_names: all(),
        message_system_attribute_names: all(),
        ..ReceiveMessageInput::new(url)
    };
    within(sqs.receive_message(input))
        .await
        .expect("an answer")
        .messages
}

async fn attribute(sqs: &Client, url: &str, name: &str) -> Option<String> {
    let input = GetQueueAttributesInput::new(url, [name]);
    let mut output = within(sqs.get_queue_attributes(input))
        .await
        .expect("attributes");
    output.attributes.remove(name)
}

#[tokio::test]
async fn a_message_goes_round() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(&sqs, "orders").await;
    assert_eq!(
        url,
        format!("{}/000000000000/orders", server.endpoint_url())
    );

    let attributes: BTreeMap<String, MessageAttributeValue> = [
        ("color".to_owned(), MessageAttributeValue::string("blue")),
        ("count".to_owned(), MessageAttributeValue::number("3")),
        (
            "blob".to_owned(),
            MessageAttributeValue::binary(vec![1, 2, 3]),
        ),
    ]
    .into();
    let trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
    let sent = within(
        sqs.send_message(SendMessageInput {
            message_attributes: Some(attributes.clone()),
            message_system_attributes: Some(
                [(
                    "AWSTraceHeader".to_owned(),
                    MessageSystemAttributeValue::string(trace),
                )]
                .into(),
            ),
            ..SendMessageInput::new(&url, "héllo ☃ 😀")
        }),
    )
    .await
    .expect("the message is accepted");
    let text = |digest: &str| Some(digest.to_owned());
    assert_eq!(
        sent.md5_of_message_body,
        text("44314d05b09b74dafda26d5273d91a17")
    );
    assert_eq!(
        sent.md5_of_message_attributes,
        text("d838729972a4b70e2d2acd9d59ac847c")
    );
    assert_eq!(
        sent.md5_of_message_system_attributes,
        text("5ae4d5d7636402d80f4eb6d213245a88")
    );
    assert_eq!(sent.sequence_number, None);

    let received = receive(&sqs, &url).await;
    let [message] = &received[..] else {
        panic!("one message, not {received:?}")
    };
    assert_eq!(message.body, text("héllo ☃ 😀"));
    assert_eq!(message.message_id, sent.message_id);
    assert_eq!(message.md5_of_body, sent.md5_of_message_body);
    assert_eq!(message.message_attributes, attributes);
    assert_eq!(
        message.md5_of_message_attributes,
        sent.md5_of_message_attributes
    );
    assert_eq!(
        message.attributes.get("AWSTraceHeader").map(String::as_str),
        Some(trace)
    );
    assert_eq!(
        message.attributes.get("ApproximateReceiveCount"),
        Some(&"1".to_owned())
    );
    assert_eq!(receive(&sqs, &url).await, [], "it is in flight");

    let handle = message.receipt_handle.as_deref().expect("a receipt handle");
    let show = ChangeMessageVisibilityInput::new(&url, handle, 0);
    within(sqs.change_message_visibility(show))
        .await
        .expect("it is visible");
    let again = receive(&sqs, &url).await;
    assert_eq!(again[0].message_id, sent.message_id);
    within(sqs.delete_message(DeleteMessageInput::new(&url, handle)))
        .await
        .expect("it is deleted");
    assert_eq!(
        attribute(&sqs, &url, "ApproximateNumberOfMessagesNotVisible").await,
        text("0")
    );
}

#[tokio::test]
async fn queues_are_found_changed_and_deleted() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let none = within(sqs.list_queues(ListQueuesInput::new()))
        .await
        .expect("a list");
    assert_eq!(none.queue_urls, Vec::<String>::new());

    let url = create(&sqs, "orders").await;
    let list = within(sqs.list_queues(ListQueuesInput::new()))
        .await
        .expect("a list");
    assert_eq!(
        (list.queue_urls, list.next_token),
        (vec![url.clone()], None)
    );
    let found = within(sqs.get_queue_url(GetQueueUrlInput::new("orders")))
        .await
        .expect("a queue");
    assert_eq!(found.queue_url.as_deref(), Some(&*url));

    let change = SetQueueAttributesInput::new(&url, [("VisibilityTimeout", "7")]);
    within(sqs.set_queue_attributes(change))
        .await
        .expect("the attribute is set");
    assert_eq!(
        attribute(&sqs, &url, "VisibilityTimeout").await.as_deref(),
        Some("7")
    );
    assert_eq!(
        attribute(&sqs, &url, "KmsMasterKeyId").await,
        None,
        "what is not set is none"
    );

    within(sqs.send_message(SendMessageInput::new(&url, "a")))
        .await
        .expect("it is accepted");
    within(sqs.purge_queue(PurgeQueueInput::new(&url)))
        .await
        .expect("it is purged");
    assert_eq!(receive(&sqs, &url).await, []);

    within(sqs.delete_queue(DeleteQueueInput::new(&url)))
        .await
        .expect("it is deleted");
    let gone = within(sqs.purge_queue(PurgeQueueInput::new(&url)))
        .await
        .expect_err("no queue");
    assert!(gone.is("QueueDoesNotExist"), "{gone}");
}

#[tokio::test]
async fn batches() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(&sqs, "orders").await;
    let entries = [
        SendMessageBatchRequestEntry::new("a", "one"),
        SendMessageBatchRequestEntry::new("b", "bell \u{7}"),
        SendMessageBatchRequestEntry::new("c", "two"),
    ];
    let sent = within(sqs.send_message_batch(SendMessageBatchInput::new(&url, entries)))
        .await
        .expect("an answer");
    let ids: Vec<&str> = sent.successful.iter().map(|entry| &*entry.id).collect();
    assert_eq!(ids, ["a", "c"]);
    assert_eq!(sent.failed.len(), 1);
    assert_eq!(
        (&*sent.failed[0].id, &*sent.failed[0].code),
        ("b", "InvalidMessageContents")
    );
    assert!(sent.failed[0].sender_fault);

    let received = receive(&sqs, &url).await;
    let handles: Vec<&str> = received
        .iter()
        .filter_map(|message| message.receipt_handle.as_deref())
        .collect();
    assert_eq!(handles.len(), 2);
    let entries = [
        ChangeMessageVisibilityBatchRequestEntry::new("a", handles[0], 60),
        ChangeMessageVisibilityBatchRequestEntry::new("b", "none", 60),
    ];
    let input = ChangeMessageVisibilityBatchInput::new(&url, entries);
    let changed = within(sqs.change_message_visibility_batch(input))
        .await
        .expect("an answer");
    assert_eq!(&*changed.successful[0].id, "a");
    assert_eq!(&*changed.failed[0].code, "ReceiptHandleIsInvalid");

    let entries = [
        DeleteMessageBatchRequestEntry::new("a", handles[0]),
        DeleteMessageBatchRequestEntry::new("b", handles[1]),
    ];
    let input = DeleteMessageBatchInput::new(&url, entries);
    let deleted = within(sqs.delete_message_batch(input))
        .await
        .expect("an answer");
    assert_eq!((deleted.successful.len(), deleted.failed.len()), (2, 0));
}

#[tokio::test]
async fn a_long_poll_is_woken() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(&sqs, "orders").await;
    let input = ReceiveMessageInput {
        wait_time_seconds: Some(20),
        ..ReceiveMessageInput::new(&url)
    };
    let waiting = client(&server);
    let poll = tokio::spawn(async move { waiting.receive_message(input).await });
    within(sqs.send_message(SendMessageInput::new(&url, "woken")))
        .await
        .expect("it is accepted");
    let answer = within(poll)
        .await
        .expect("the poll ends")
        .expect("an answer");
    assert_eq!(answer.messages[0].body.as_deref(), Some("woken"));
}

#[tokio::test]
async fn a_fifo_queue_keeps_its_order() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let input = CreateQueueInput {
        attributes: Some([("FifoQueue".to_owned(), "true".to_owned())].into()),
        ..CreateQueueInput::new("orders.fifo")
    };
    let created = within(sqs.create_queue(input)).await.expect("a queue");
    let url = created.queue_url.expect("its URL");
    let text = |text: &str| Some(text.to_owned());
    let send = |body: &'static str, id| {
        within(sqs.send_message(SendMessageInput {
            message_group_id: text("g"),
            message_deduplication_id: text(id),
            ..SendMessageInput::new(&url, body)
        }))
    };
    let first = send("one", "1").await.expect("it is accepted");
    let again = send("one again", "1").await.expect("it is a duplicate");
    assert_eq!(again.sequence_number, first.sequence_number);
    send("two", "2").await.expect("it is accepted");

    let attempt = || {
        within(sqs.receive_message(ReceiveMessageInput {
            receive_request_attempt_id: text("attempt-1"),
            message_system_attribute_names: Some(vec!["All".to_owned()]),
            ..ReceiveMessageInput::new(&url)
        }))
    };
    let received = attempt().await.expect("an answer").messages;
    assert_eq!(received.len(), 1);
    let message = &received[0];
    assert_eq!(message.body.as_deref(), Some("one"));
    assert_eq!(message.attributes["MessageGroupId"], "g");
    assert_eq!(
        Some(&message.attributes["SequenceNumber"]),
        first.sequence_number.as_ref()
    );
    assert_eq!(attempt().await.expect("an answer").messages, received);
    assert!(receive(&sqs, &url).await.is_empty(), "the group is locked");
    let handle = message.receipt_handle.as_deref().expect("a handle");
    within(sqs.delete_message(DeleteMessageInput::new(&url, handle)))
        .await
        .expect("it is deleted");
    assert_eq!(
        receive(&sqs, &url).await[0].body.as_deref(),
        Some("two"),
        "the group is free"
    );
}

#[tokio::test]
async fn dead_letters_are_moved_by_tasks() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let dead = create(&sqs, "dead").await;
    let dead_arn = attribute(&sqs, &dead, "QueueArn").await.expect("an ARN");
    let url = create(&sqs, "orders").await;
    let policy = format!(r#"{{"deadLetterTargetArn":"{dead_arn}","maxReceiveCount":1}}"#);
    let input = SetQueueAttributesInput::new(&url, [("RedrivePolicy", policy)]);
    within(sqs.set_queue_attributes(input))
        .await
        .expect("the policy is set");
    let sources = sqs.list_dead_letter_source_queues(ListDeadLetterSourceQueuesInput::new(&dead));
    let sources = within(sources).await.expect("a list").queue_urls;
    assert_eq!(sources, [&*url]);

    for body in ["one", "two"] {
        within(sqs.send_message(SendMessageInput::new(&url, body)))
            .await
            .expect("it is accepted");
    }
    let failing = ReceiveMessageInput {
        max_number_of_messages: Some(10),
        visibility_timeout: Some(0),
        ..ReceiveMessageInput::new(&url)
    };
    for expected in [2, 0] {
        let received = within(sqs.receive_message(failing.clone())).await;
        assert_eq!(received.expect("an answer").messages.len(), expected);
    }

    // Or it might move all of them before it is looked at.
    server.freeze().await.expect("frozen");
    let start = StartMessageMoveTaskInput {
        max_number_of_messages_per_second: Some(1),
        ..StartMessageMoveTaskInput::new(&dead_arn)
    };
    let started = within(sqs.start_message_move_task(start)).await;
    let handle = started.expect("it starts").task_handle.expect("a handle");
    let list = async || {
        let input = ListMessageMoveTasksInput::new(&dead_arn);
        let mut results = within(sqs.list_message_move_tasks(input))
            .await
            .expect("a list")
            .results;
        results.pop().expect("a task")
    };
    let task = list().await;
    assert_eq!(task.status.as_deref(), Some("RUNNING"));
    assert_eq!(task.task_handle.as_ref(), Some(&handle));
    assert_eq!(task.approximate_number_of_messages_to_move, Some(2));
    assert_eq!(task.max_number_of_messages_per_second, Some(1));
    let cancel = || within(sqs.cancel_message_move_task(CancelMessageMoveTaskInput::new(&handle)));
    let cancelled = cancel().await.expect("it is cancelled");
    let task = list().await;
    assert_eq!(task.status.as_deref(), Some("CANCELLED"));
    assert_eq!(
        task.approximate_number_of_messages_moved,
        cancelled.approximate_number_of_messages_moved
    );
    let error = cancel().await.expect_err("it is over");
    assert!(error.is("InvalidParameterValue"), "{error}");

    let absent = StartMessageMoveTaskInput::new(format!("{dead_arn}-other"));
    let error = within(sqs.start_message_move_task(absent)).await;
    check(
        &error.expect_err("no such queue"),
        "ResourceNotFoundException",
        "ResourceNotFoundException",
        "resource_not_found_exception",
        404,
        "The resource that you specified for the SourceArn parameter doesn't exist.",
    );
}

#[tokio::test]
async fn tags_and_permissions() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(&sqs, "orders").await;
    let tags = async || {
        within(sqs.list_queue_tags(ListQueueTagsInput::new(&url)))
            .await
            .expect("tags")
            .tags
    };
    assert_eq!(tags().await, BTreeMap::new());
    let tag = TagQueueInput::new(&url, [("team", "shop"), ("env", "")]);
    within(sqs.tag_queue(tag)).await.expect("it is tagged");
    let expected = [("team", "shop"), ("env", "")];
    assert_eq!(
        tags().await,
        expected
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into()
    );
    let untag = UntagQueueInput::new(&url, ["team", "env"]);
    within(sqs.untag_queue(untag)).await.expect("no tags");
    assert_eq!(tags().await, BTreeMap::new());

    let permission = AddPermissionInput::new(&url, "writers", ["111122223333"], ["SendMessage"]);
    within(sqs.add_permission(permission.clone()))
        .await
        .expect("it is added");
    let policy = attribute(&sqs, &url, "Policy").await.expect("a policy");
    let policy: Value = serde_json::from_str(&policy).expect("JSON");
    assert_eq!(policy["Statement"][0]["Sid"], "writers");
    assert_eq!(policy["Statement"][0]["Action"], "SQS:SendMessage");
    let error = within(sqs.add_permission(permission)).await;
    let error = error.expect_err("the label is taken");
    assert!(error.is("InvalidParameterValue"), "{error}");
    within(sqs.remove_permission(RemovePermissionInput::new(&url, "writers")))
        .await
        .expect("it is removed");
    assert_eq!(attribute(&sqs, &url, "Policy").await, None);
}

/// What a program may ask of an error.
#[track_caller]
fn check(error: &Error, code: &str, query_code: &str, snake: &str, status: u16, message: &str) {
    assert!(
        error.is(code) && error.is(query_code) && !error.is("Else"),
        "{error}"
    );
    assert_eq!(error.code(), Some(code));
    assert_eq!(ErrorCode::of(error).map(ErrorCode::name), Some(code));
    assert_eq!(error.query_code(), Some(query_code));
    assert_eq!(error.snake_code().as_deref(), Some(snake));
    assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
    assert_eq!(error.message(), Some(message));
    let id = error.request_id().expect("a request id");
    assert_eq!(id.len(), 36);
    let said = error.to_string();
    for part in [code, message, id, &status.to_string()] {
        assert!(said.contains(part), "no {part} in {said}");
    }
}

#[tokio::test]
async fn errors_have_both_names() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let error = within(sqs.get_queue_url(GetQueueUrlInput::new("none")))
        .await
        .expect_err("none");
    check(
        &error,
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
        "queue_does_not_exist",
        400,
        "The specified queue does not exist.",
    );

    let url = create(&sqs, "orders").await;
    let error = within(sqs.delete_message(DeleteMessageInput::new(&url, "no")))
        .await
        .expect_err("no");
    check(
        &error,
        "ReceiptHandleIsInvalid",
        "ReceiptHandleIsInvalid",
        "receipt_handle_is_invalid",
        404,
        "The input receipt handle \"no\" is not a valid receipt handle.",
    );

    within(sqs.purge_queue(PurgeQueueInput::new(&url)))
        .await
        .expect("it is purged");
    let error = within(sqs.purge_queue(PurgeQueueInput::new(&url)))
        .await
        .expect_err("too soon");
    check(
        &error,
        "PurgeQueueInProgress",
        "AWS.SimpleQueueService.PurgeQueueInProgress",
        "purge_queue_in_progress",
        403,
        "Only one PurgeQueue operation on orders is allowed every 60 seconds.",
    );
}

#[tokio::test]
async fn a_wrong_secret_is_refused() {
    let server = FakeSqs::start().await;
    let sqs = Client::new(json_client(&server, "wrong"));
    let error = within(sqs.list_queues(ListQueuesInput::new()))
        .await
        .expect_err("a refusal");
    assert!(
        error.is("SignatureDoesNotMatch") && error.is("InvalidSignatureException"),
        "{error}"
    );
    assert_eq!(error.status().map(|status| status.as_u16()), Some(403));
    let said = format!("{error} {error:?}");
    assert!(!said.contains("wrong"), "{said}");
}

#[tokio::test]
async fn calls_without_a_schema() {
    let server = FakeSqs::start().await;
    let aws = json_client(&server, server.credentials().secret_access_key());
    let call =
        async |operation, input: Value| within(aws.call_value(operation, Some(&input))).await;

    // No input is an empty object, and so is an answer without a body.
    assert_eq!(
        within(aws.call_value("list_queues", None))
            .await
            .expect("a list"),
        json!({})
    );
    let created = call("create_queue", json!({"QueueName": "orders"}))
        .await
        .expect("a queue");
    let url = &created["QueueUrl"];
    let sent = call(
        "SendMessage",
        json!({"QueueUrl": url, "MessageBody": "hello"}),
    )
    .await;
    let sent = sent.expect("it is accepted");
    assert_eq!(sent["MD5OfMessageBody"], "5d41402abc4b2a76b9719d911017c592");
    let received = call("receive_message", json!({"QueueUrl": url}))
        .await
        .expect("an answer");
    assert_eq!(received["Messages"][0]["MessageId"], sent["MessageId"]);
    let handle = &received["Messages"][0]["ReceiptHandle"];
    let deleted = call(
        "delete_message",
        json!({"QueueUrl": url, "ReceiptHandle": handle}),
    )
    .await;
    assert_eq!(deleted.expect("it is deleted"), json!({}));
    assert_eq!(
        call("receive_message", json!({"QueueUrl": url}))
            .await
            .expect("an answer"),
        json!({})
    );

    let error = call("get_queue_url", json!({"QueueName": "none"}))
        .await
        .expect_err("no queue");
    assert_eq!(error.snake_code().as_deref(), Some("queue_does_not_exist"));
    let error = call("no_such_operation", json!({}))
        .await
        .expect_err("no operation");
    assert!(
        error.is("UnknownOperationException") && error.is("InvalidAction"),
        "{error}"
    );
}
