//! Faults, and how the SDK lives with them: what it tries again, and what comes of that.

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::error::SdkError;
use aws_sdk_sqs::types::{
    DeleteMessageBatchRequestEntry, QueueAttributeName, SendMessageBatchRequestEntry,
};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::{FakeSqs, Fault, Operation};

use crate::{bodies, create, receive, refused, send};

on_each_wire! {
    throttling_is_tried_again,
    throttling_that_does_not_end_is_an_error_that_is_known,
    a_reply_that_is_lost_makes_a_standard_queue_hold_the_message_twice,
    a_request_that_is_lost_does_not,
    nor_does_a_fifo_queue_that_knows_the_message_again,
    an_attempt_id_gives_the_messages_of_a_lost_reply_again,
    the_service_that_fails_is_tried_again,
    a_part_of_a_batch_fails_as_the_services_fault,
    a_handle_that_expired_deletes_nothing,
    a_connection_that_closes_is_no_answer_of_the_service,
}

/// A client that tries three times, as it does by default, and hardly waits in between.
fn persistent(server: &FakeSqs, wire: Wire) -> Client {
    let retries = RetryConfig::standard()
        .with_max_attempts(3)
        .with_initial_backoff(Duration::from_millis(1));
    Client::from_conf(sdk::config(server, wire).retry_config(retries).build())
}

async fn create_fifo(sqs: &Client) -> String {
    let call = sqs
        .create_queue()
        .queue_name("orders.fifo")
        .attributes(QueueAttributeName::FifoQueue, "true");
    let created = within(call.send()).await.expect("a queue");
    created.queue_url.expect("its URL")
}

async fn throttling_is_tried_again(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let url = create(&sqs, "orders").await;
    let throttled = server.fault(Fault::throttle().on(Operation::SendMessage).times(2));
    send(&sqs, &url, "A").await;
    assert_eq!(throttled.hits(), 2);
    assert_eq!(bodies(&receive(&sqs, &url).await), ["A"]);
}

async fn throttling_that_does_not_end_is_an_error_that_is_known(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let url = create(&sqs, "orders").await;
    let throttled = server.fault(Fault::throttle());
    let call = sqs.send_message().queue_url(&url).message_body("A");
    let refused = refused(within(call.send()).await);
    assert!(refused.error.is_request_throttled(), "{:?}", refused.error);
    assert_eq!(
        (refused.status, &*refused.code, &*refused.message),
        (403, "RequestThrottled", "Request is throttled.")
    );
    assert_eq!(throttled.hits(), 3);
}

async fn a_reply_that_is_lost_makes_a_standard_queue_hold_the_message_twice(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let url = create(&sqs, "orders").await;
    let lost = server.fault(Fault::close_after().on(Operation::SendMessage).times(1));
    send(&sqs, &url, "A").await;
    assert_eq!(lost.hits(), 1);
    assert_eq!(bodies(&receive(&sqs, &url).await), ["A", "A"]);
}

async fn a_request_that_is_lost_does_not(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let url = create(&sqs, "orders").await;
    let lost = server.fault(Fault::close_before().on(Operation::SendMessage).times(1));
    send(&sqs, &url, "A").await;
    assert_eq!(lost.hits(), 1);
    assert_eq!(bodies(&receive(&sqs, &url).await), ["A"]);
}

async fn nor_does_a_fifo_queue_that_knows_the_message_again(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let url = create_fifo(&sqs).await;
    let lost = server.fault(Fault::close_after().on(Operation::SendMessage).times(2));
    let call = sqs
        .send_message()
        .queue_url(&url)
        .message_body("A")
        .message_group_id("g")
        .message_deduplication_id("d");
    let sent = within(call.send()).await.expect("the third reply arrives");
    assert_eq!(lost.hits(), 2);
    let received = receive(&sqs, &url).await;
    assert_eq!(bodies(&received), ["A"]);
    assert_eq!(received[0].message_id, sent.message_id);
}

async fn an_attempt_id_gives_the_messages_of_a_lost_reply_again(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let url = create_fifo(&sqs).await;
    for body in ["A", "B"] {
        let call = sqs
            .send_message()
            .queue_url(&url)
            .message_body(body)
            .message_group_id("g")
            .message_deduplication_id(body);
        within(call.send()).await.expect("sent");
    }
    let lost = server.fault(Fault::close_after().on(Operation::ReceiveMessage).times(1));
    let call = sqs
        .receive_message()
        .queue_url(&url)
        .max_number_of_messages(10)
        .receive_request_attempt_id("attempt-1");
    let received = within(call.send()).await.expect("the second reply arrives");
    assert_eq!(lost.hits(), 1);
    assert_eq!(bodies(&received.messages.unwrap_or_default()), ["A", "B"]);
}

async fn the_service_that_fails_is_tried_again(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = persistent(&server, wire);
    let failing = server.fault(Fault::error("InternalFailure").times(2));
    create(&sqs, "orders").await;
    assert_eq!(failing.hits(), 2);
}

async fn a_part_of_a_batch_fails_as_the_services_fault(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let partial = server.fault(Fault::batch_partial(0.5).body_containing("poison"));
    let entry = |id: &str, body: &str| {
        let entry = SendMessageBatchRequestEntry::builder().id(id);
        entry.message_body(body).build().expect("an entry")
    };
    let call = sqs
        .send_message_batch()
        .queue_url(&url)
        .entries(entry("a", "good"))
        .entries(entry("b", "poison"));
    let sent = within(call.send()).await.expect("a batch");
    assert_eq!(partial.hits(), 1);
    assert_eq!(sent.successful().len(), 1);
    let [failed] = sent.failed() else {
        panic!("{sent:?}")
    };
    assert_eq!((failed.id(), failed.sender_fault()), ("b", false));
    assert_eq!(failed.code(), "InternalError");
    assert_eq!(bodies(&receive(&sqs, &url).await), ["good"]);
}

async fn a_handle_that_expired_deletes_nothing(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    send(&sqs, &url, "A").await;
    let received = receive(&sqs, &url).await;
    let handle = received[0].receipt_handle().expect("a handle");
    let entry = DeleteMessageBatchRequestEntry::builder()
        .id("a")
        .receipt_handle(handle);
    let expired = server.fault(Fault::expire_handle());
    let call = sqs
        .delete_message_batch()
        .queue_url(&url)
        .entries(entry.build().expect("an entry"));
    let deleted = within(call.send()).await.expect("a batch");
    assert_eq!((deleted.successful().len(), deleted.failed().len()), (1, 0));
    assert_eq!(expired.hits(), 1);
    drop(expired);
    assert_eq!(bodies(&receive(&sqs, &url).await), ["A"]);
}

async fn a_connection_that_closes_is_no_answer_of_the_service(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let _closed = server.fault(Fault::close_before());
    let result = within(sqs.list_queues().send()).await;
    assert!(
        matches!(result, Err(SdkError::DispatchFailure(_))),
        "{result:?}"
    );
}
