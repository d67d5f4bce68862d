//! Amazon's SDK in a test of its user's own: a worker that meets faults, hours that pass at once,
//! and what the server tells of both.

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName;
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::inside::State;
use fake_sqs::{FakeSqs, Fault, Operation};

use crate::{arn, bodies, create, receive, send};

on_each_wire! {
    a_message_whose_delete_failed_comes_again_and_is_deleted_then,
    what_is_never_deleted_goes_to_the_dead_letters_within_hours_that_nobody_waits,
    a_long_poll_of_the_sdk_ends_when_its_time_is_moved_on,
}

const HOUR: Duration = Duration::from_secs(60 * 60);

/// The code under test: takes what there is and deletes it, and leaves to SQS what goes wrong.
async fn work(sqs: &Client, url: &str) -> usize {
    let mut deleted = 0;
    for message in receive(sqs, url).await {
        let handle = message.receipt_handle().expect("a handle");
        let call = sqs.delete_message().queue_url(url).receipt_handle(handle);
        if within(call.send()).await.is_ok() {
            deleted += 1;
        }
    }
    deleted
}

async fn a_message_whose_delete_failed_comes_again_and_is_deleted_then(wire: Wire) {
    let server = FakeSqs::start().await;
    server.freeze().await.expect("frozen");
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let orders = server.queue("orders");
    let id = orders.send("A").await.expect("sent");

    let failing = server.fault(Fault::error("InternalFailure").on(Operation::DeleteMessage));
    assert_eq!(work(&sqs, &url).await, 0);
    assert_eq!((failing.hits(), orders.deleted(id)), (1, 0));
    drop(failing);
    assert_eq!(work(&sqs, &url).await, 0, "it is in flight");

    // The queue's visibility timeout, to the millisecond.
    let timeout = Duration::from_secs(30);
    let moved = server.advance(timeout - Duration::from_millis(1)).await;
    moved.expect("moved");
    assert_eq!(work(&sqs, &url).await, 0, "it is still in flight");
    server
        .advance(Duration::from_millis(1))
        .await
        .expect("moved");
    assert_eq!(work(&sqs, &url).await, 1);
    assert_eq!((orders.received(id), orders.deleted(id)), (2, 1));
    assert!(orders.all_messages().await.expect("seen").is_empty());
}

async fn what_is_never_deleted_goes_to_the_dead_letters_within_hours_that_nobody_waits(wire: Wire) {
    let server = FakeSqs::start().await;
    server.freeze().await.expect("frozen");
    let sqs = sdk::client(&server, wire);
    create(&sqs, "dead").await;
    let dead = arn("dead");
    let policy = format!(r#"{{"deadLetterTargetArn":"{dead}","maxReceiveCount":"3"}}"#);
    let call = sqs
        .create_queue()
        .queue_name("orders")
        .attributes(QueueAttributeName::RedrivePolicy, policy)
        .attributes(QueueAttributeName::VisibilityTimeout, "3600");
    let created = within(call.send()).await.expect("a queue");
    let url = created.queue_url.expect("its URL");
    send(&sqs, &url, "poison").await;

    let _failing = server.fault(Fault::error("InternalFailure").on(Operation::DeleteMessage));
    for _ in 0..3 {
        assert_eq!(work(&sqs, &url).await, 0);
        server.advance(HOUR).await.expect("moved");
    }
    assert!(receive(&sqs, &url).await.is_empty());
    let dead = server.queue("dead").messages(State::Visible).await;
    let dead = dead.expect("seen");
    assert_eq!((dead.len(), &*dead[0].body), (1, "poison"));
}

async fn a_long_poll_of_the_sdk_ends_when_its_time_is_moved_on(wire: Wire) {
    let server = FakeSqs::start().await;
    server.freeze().await.expect("frozen");
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let call = sqs.send_message().queue_url(&url).message_body("later");
    within(call.delay_seconds(900).send()).await.expect("sent");

    let poll = sqs.receive_message().queue_url(&url).wait_time_seconds(20);
    let poll = tokio::spawn(poll.send());
    let orders = server.queue("orders");
    within(async {
        while orders.waiting_polls().await.expect("counted") == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server
        .advance(Duration::from_secs(20))
        .await
        .expect("moved");
    let ended = within(poll).await.expect("no panic").expect("an answer");
    assert!(ended.messages().is_empty(), "{ended:?}");

    server.advance(HOUR).await.expect("moved");
    assert_eq!(bodies(&receive(&sqs, &url).await), ["later"]);
}
