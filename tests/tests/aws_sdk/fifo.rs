//! FIFO queues: order in a group, groups apart, deduplication, attempt ids, batches.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::operation::send_message::SendMessageOutput;
use aws_sdk_sqs::types::{
    Message, MessageSystemAttributeName, QueueAttributeName, SendMessageBatchRequestEntry,
    SendMessageBatchResultEntry,
};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::FakeSqs;

use crate::{bodies, receive, refused};

on_each_wire! {
    a_group_keeps_its_order_and_waits_for_what_is_in_flight,
    a_long_poll_is_woken_when_its_group_is_free,
    sequence_numbers_rise_and_system_attributes_come_back,
    a_duplicate_is_accepted_and_not_stored,
    an_id_is_a_duplicate_in_its_group_alone_when_the_queue_says_so,
    the_same_body_is_a_duplicate_by_content,
    a_receive_is_had_again_by_its_attempt_id,
    a_handle_whose_time_is_over_deletes_nothing,
    what_a_message_needs,
    a_batch_keeps_its_order_and_fails_as_a_whole_without_a_group,
    fifo_attributes_of_a_standard_queue_are_unknown,
}

/// A server, a client and the URL of a FIFO queue `orders.fifo` with these attributes.
async fn orders(
    wire: Wire,
    attributes: &[(QueueAttributeName, &str)],
) -> (FakeSqs, Client, String) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let mut call = sqs
        .create_queue()
        .queue_name("orders.fifo")
        .attributes(QueueAttributeName::FifoQueue, "true");
    for (name, value) in attributes {
        call = call.attributes(name.clone(), *value);
    }
    let url = within(call.send())
        .await
        .expect("a queue")
        .queue_url
        .expect("its URL");
    (server, sqs, url)
}

const BY_CONTENT: (QueueAttributeName, &str) =
    (QueueAttributeName::ContentBasedDeduplication, "true");

async fn send(sqs: &Client, url: &str, body: &str, group: &str) -> SendMessageOutput {
    let call = sqs
        .send_message()
        .queue_url(url)
        .message_body(body)
        .message_group_id(group);
    within(call.send()).await.expect("the message is accepted")
}

async fn send_with_id(
    sqs: &Client,
    url: &str,
    body: &str,
    (group, id): (&str, &str),
) -> SendMessageOutput {
    let call = sqs
        .send_message()
        .queue_url(url)
        .message_body(body)
        .message_group_id(group)
        .message_deduplication_id(id);
    within(call.send()).await.expect("the message is accepted")
}

async fn delete(sqs: &Client, url: &str, message: &Message) {
    let call = sqs
        .delete_message()
        .queue_url(url)
        .set_receipt_handle(message.receipt_handle.clone());
    within(call.send()).await.expect("it is deleted");
}

async fn receive_at_most_one(sqs: &Client, url: &str) -> Vec<Message> {
    within(sqs.receive_message().queue_url(url).send())
        .await
        .expect("an answer")
        .messages
        .unwrap_or_default()
}

async fn a_group_keeps_its_order_and_waits_for_what_is_in_flight(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    for (body, group) in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("a3", "a")] {
        send(&sqs, &url, body, group).await;
    }
    let first = receive_at_most_one(&sqs, &url).await;
    assert_eq!(bodies(&first), ["a1"]);
    assert_eq!(
        bodies(&receive(&sqs, &url).await),
        ["b1"],
        "a2 and a3 wait for a1"
    );
    assert!(receive(&sqs, &url).await.is_empty());
    delete(&sqs, &url, &first[0]).await;
    assert_eq!(bodies(&receive(&sqs, &url).await), ["a2", "a3"]);
}

async fn a_long_poll_is_woken_when_its_group_is_free(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    send(&sqs, &url, "one", "g").await;
    send(&sqs, &url, "two", "g").await;
    let first = receive_at_most_one(&sqs, &url).await;
    let poll = sqs.receive_message().queue_url(&url).wait_time_seconds(20);
    let poll = tokio::spawn(poll.send());
    delete(&sqs, &url, &first[0]).await;
    let answer = within(poll).await.expect("it ends").expect("an answer");
    assert_eq!(bodies(&answer.messages.expect("a message")), ["two"]);
}

async fn sequence_numbers_rise_and_system_attributes_come_back(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    let one = send(&sqs, &url, "same", "g").await;
    let two = send(&sqs, &url, "other", "g").await;
    let numbers = [&one, &two].map(|sent| sent.sequence_number().expect("a number"));
    for number in numbers {
        assert!(
            number.len() == 20 && number.bytes().all(|byte| byte.is_ascii_digit()),
            "{number} is not 20 digits"
        );
    }
    assert!(numbers[0] < numbers[1], "{numbers:?}");

    let call = sqs
        .receive_message()
        .queue_url(&url)
        .message_system_attribute_names(MessageSystemAttributeName::All);
    let messages = within(call.send()).await.expect("an answer").messages;
    let messages = messages.expect("a message");
    let attributes = messages[0].attributes().expect("attributes");
    let rows = [
        (MessageSystemAttributeName::SequenceNumber, numbers[0]),
        (MessageSystemAttributeName::MessageGroupId, "g"),
        (
            // The SHA-256 of the body.
            MessageSystemAttributeName::MessageDeduplicationId,
            "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5",
        ),
    ];
    for (name, value) in rows {
        assert_eq!(attributes.get(&name).map(String::as_str), Some(value));
    }
}

async fn a_duplicate_is_accepted_and_not_stored(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[]).await;
    let first = send_with_id(&sqs, &url, "first", ("g", "d")).await;
    let again = send_with_id(&sqs, &url, "again", ("other", "d")).await;
    assert_eq!(again.message_id(), first.message_id());
    assert_eq!(again.sequence_number(), first.sequence_number());
    let received = receive(&sqs, &url).await;
    assert_eq!(bodies(&received), ["first"]);
    delete(&sqs, &url, &received[0]).await;
    send_with_id(&sqs, &url, "third", ("g", "d")).await;
    assert!(
        receive(&sqs, &url).await.is_empty(),
        "a delete does not forget the id"
    );

    within(sqs.purge_queue().queue_url(&url).send())
        .await
        .expect("it is purged");
    send_with_id(&sqs, &url, "fourth", ("g", "d")).await;
    assert_eq!(bodies(&receive(&sqs, &url).await), ["fourth"]);
}

async fn an_id_is_a_duplicate_in_its_group_alone_when_the_queue_says_so(wire: Wire) {
    let scope = (QueueAttributeName::DeduplicationScope, "messageGroup");
    let (_server, sqs, url) = orders(wire, &[scope]).await;
    for group in ["a", "b", "a"] {
        send_with_id(&sqs, &url, group, (group, "d")).await;
    }
    assert_eq!(bodies(&receive(&sqs, &url).await), ["a", "b"]);
}

async fn the_same_body_is_a_duplicate_by_content(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    send(&sqs, &url, "same", "a").await;
    send(&sqs, &url, "same", "b").await;
    send_with_id(&sqs, &url, "same", ("b", "own-id")).await;
    assert_eq!(bodies(&receive(&sqs, &url).await), ["same", "same"]);
}

async fn a_receive_is_had_again_by_its_attempt_id(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    send(&sqs, &url, "one", "g").await;
    let attempt = || {
        sqs.receive_message()
            .queue_url(&url)
            .receive_request_attempt_id("attempt-1")
    };
    let first = within(attempt().send()).await.expect("an answer").messages;
    let again = within(attempt().send()).await.expect("an answer").messages;
    assert_eq!(again, first, "the same message with the same handle");
    let message = &first.expect("a message")[0];
    delete(&sqs, &url, message).await;
    let refused = refused(within(attempt().send()).await);
    assert_eq!(
        (refused.status, &*refused.code, &*refused.message),
        (
            400,
            "InvalidParameterValue",
            "Value attempt-1 for parameter ReceiveRequestAttemptId is invalid. Reason: The \
             receiveRequestAttemptId is not valid anymore since the receive call is not retryable."
        )
    );
}

async fn a_handle_whose_time_is_over_deletes_nothing(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    send(&sqs, &url, "one", "g").await;
    let one = |visibility, wait| {
        let call = sqs
            .receive_message()
            .queue_url(&url)
            .visibility_timeout(visibility)
            .wait_time_seconds(wait);
        within(call.send())
    };
    let late = one(1, 0).await.expect("an answer").messages.expect("one");
    let again = one(30, 5).await.expect("an answer").messages.expect("one");
    let handle = late[0].receipt_handle().expect("a handle");
    let call = sqs
        .delete_message()
        .queue_url(&url)
        .receipt_handle(handle)
        .send();
    let refused = refused(within(call).await);
    assert_eq!(
        (refused.status, &*refused.code),
        (400, "InvalidParameterValue")
    );
    assert_eq!(
        refused.message,
        format!(
            "Value {handle} for parameter ReceiptHandle is invalid. \
             Reason: The receipt handle has expired."
        )
    );
    delete(&sqs, &url, &again[0]).await;
}

async fn what_a_message_needs(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[]).await;
    let message = || sqs.send_message().queue_url(&url).message_body("a");
    let rows = [
        (
            message(),
            "MissingParameter",
            "The request must contain the parameter MessageGroupId.",
        ),
        (
            message().message_group_id("g"),
            "InvalidParameterValue",
            "The queue should either have ContentBasedDeduplication enabled or \
             MessageDeduplicationId provided explicitly",
        ),
        (
            message()
                .message_group_id("g")
                .message_deduplication_id("d")
                .delay_seconds(1),
            "InvalidParameterValue",
            "Value 1 for parameter DelaySeconds is invalid. Reason: The request include \
             parameter that is not valid for this queue type.",
        ),
        (
            message()
                .message_group_id("a b")
                .message_deduplication_id("d"),
            "InvalidParameterValue",
            "Value a b for parameter MessageGroupId is invalid. Reason: MessageGroupId can only \
             include alphanumeric and punctuation characters. 1 to 128 in length.",
        ),
    ];
    for (call, code, text) in rows {
        let refused = refused(within(call.send()).await);
        assert_eq!(
            (refused.status, &*refused.code, &*refused.message),
            (400, code, text)
        );
    }
}

async fn a_batch_keeps_its_order_and_fails_as_a_whole_without_a_group(wire: Wire) {
    let (_server, sqs, url) = orders(wire, &[BY_CONTENT]).await;
    let entry = |id: &str, group: Option<&str>| {
        SendMessageBatchRequestEntry::builder()
            .id(id)
            .message_body(id)
            .set_message_group_id(group.map(str::to_owned))
            .build()
            .expect("an entry")
    };
    let batch = |entries| {
        let call = sqs.send_message_batch().queue_url(&url);
        within(call.set_entries(Some(entries)).send())
    };
    let refused = refused(batch(vec![entry("a", Some("g")), entry("b", None)]).await);
    assert_eq!(
        (refused.status, &*refused.code, &*refused.message),
        (
            400,
            "InvalidParameterValue",
            "The request must contain the parameter MessageGroupId."
        )
    );
    assert!(receive(&sqs, &url).await.is_empty());

    let entries = ["a", "b", "c", "d"].map(|id| entry(id, Some("g")));
    let sent = batch(entries.to_vec()).await.expect("the batch");
    let ids = sent
        .successful()
        .iter()
        .map(SendMessageBatchResultEntry::id);
    assert!(ids.eq(["a", "b", "c", "d"]), "{sent:?}");
    assert!(
        sent.successful()
            .is_sorted_by(|a, b| a.sequence_number() < b.sequence_number())
    );
    assert_eq!(bodies(&receive(&sqs, &url).await), ["a", "b", "c", "d"]);
}

async fn fifo_attributes_of_a_standard_queue_are_unknown(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let call = sqs
        .create_queue()
        .queue_name("orders")
        .attributes(QueueAttributeName::ContentBasedDeduplication, "true");
    assert_refused!(
        call,
        is_invalid_attribute_name,
        400,
        "InvalidAttributeName",
        "Unknown Attribute ContentBasedDeduplication."
    );
}
