//! Queues: create, find, list, describe, change, delete, purge.

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::Region;
use aws_sdk_sqs::operation::list_queues::ListQueuesOutput;
use aws_sdk_sqs::types::QueueAttributeName::{self, *};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::FakeSqs;

use crate::{create, receive, receive_one, refused, send};

on_each_wire! {
    a_queue_is_created_and_found,
    all_attributes_of_a_new_queue,
    attributes_are_set,
    queues_are_listed_in_pages,
    a_region_has_its_own_queues,
    servers_are_apart,
    a_deleted_queue_is_gone_and_ends_long_polls,
    a_purge_takes_every_message,
}

async fn attributes(
    sqs: &Client,
    url: &str,
    names: &[QueueAttributeName],
) -> HashMap<QueueAttributeName, String> {
    let call = sqs
        .get_queue_attributes()
        .queue_url(url)
        .set_attribute_names(Some(names.to_vec()));
    within(call.send())
        .await
        .expect("attributes")
        .attributes
        .unwrap_or_default()
}

async fn a_queue_is_created_and_found(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);

    let url = create(&sqs, "orders").await;
    assert_eq!(
        url,
        format!("{}/000000000000/orders", server.endpoint_url())
    );
    let found = within(sqs.get_queue_url().queue_name("orders").send())
        .await
        .expect("a queue");
    assert_eq!(found.queue_url(), Some(&*url));
    assert_eq!(
        create(&sqs, "orders").await,
        url,
        "creating it again is no error"
    );
}

async fn all_attributes_of_a_new_queue(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;

    let mut all = attributes(&sqs, &url, &[All]).await;
    let created = all
        .remove(&CreatedTimestamp)
        .expect("the time of its creation");
    assert_eq!(created.len(), 10, "seconds since 1970, not {created}");
    assert_eq!(all.remove(&LastModifiedTimestamp), Some(created));
    let expected = [
        (ApproximateNumberOfMessages, "0"),
        (ApproximateNumberOfMessagesDelayed, "0"),
        (ApproximateNumberOfMessagesNotVisible, "0"),
        (DelaySeconds, "0"),
        (MaximumMessageSize, "1048576"),
        (MessageRetentionPeriod, "345600"),
        (QueueArn, "arn:aws:sqs:us-east-1:000000000000:orders"),
        (ReceiveMessageWaitTimeSeconds, "0"),
        (SqsManagedSseEnabled, "true"),
        (VisibilityTimeout, "30"),
    ];
    assert_eq!(
        all,
        expected
            .map(|(name, value)| (name, value.to_owned()))
            .into()
    );
}

async fn attributes_are_set(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let created = within(
        sqs.create_queue()
            .queue_name("orders")
            .attributes(VisibilityTimeout, "7")
            .send(),
    );
    let url = created.await.expect("a queue").queue_url.expect("its URL");
    within(
        sqs.set_queue_attributes()
            .queue_url(&url)
            .attributes(DelaySeconds, "900")
            .send(),
    )
    .await
    .expect("the attribute is set");
    assert_eq!(
        attributes(&sqs, &url, &[VisibilityTimeout, DelaySeconds]).await,
        [
            (VisibilityTimeout, "7".to_owned()),
            (DelaySeconds, "900".to_owned())
        ]
        .into()
    );
    assert!(attributes(&sqs, &url, &[]).await.is_empty());
}

async fn queues_are_listed_in_pages(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let none = within(sqs.list_queues().send()).await.expect("a list");
    assert_eq!(none.queue_urls, None, "an empty list is left out");

    let mut urls = Vec::new();
    for name in ["a-1", "a-2", "a-3", "b-1"] {
        urls.push(create(&sqs, name).await);
    }
    let all = within(sqs.list_queues().send()).await.expect("a list");
    assert_eq!(all.queue_urls(), urls);

    let pages = sqs
        .list_queues()
        .queue_name_prefix("a-")
        .into_paginator()
        .page_size(2);
    let pages: Vec<_> = within(pages.send().collect::<Result<Vec<_>, _>>())
        .await
        .expect("pages");
    let pages: Vec<&[String]> = pages.iter().map(ListQueuesOutput::queue_urls).collect();
    assert_eq!(pages, [&urls[..2], &urls[2..3]]);
}

async fn a_region_has_its_own_queues(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    create(&sqs, "orders").await;

    let elsewhere = sdk::config(&server, wire)
        .region(Region::new("eu-central-1"))
        .build();
    let elsewhere = Client::from_conf(elsewhere);
    let found = refused(within(elsewhere.get_queue_url().queue_name("orders").send()).await);
    assert!(found.error.is_queue_does_not_exist());
    let url = create(&elsewhere, "orders").await;
    assert_eq!(
        attributes(&elsewhere, &url, &[QueueArn]).await[&QueueArn],
        "arn:aws:sqs:eu-central-1:000000000000:orders"
    );
}

async fn servers_are_apart(wire: Wire) {
    let (one, other) = (FakeSqs::start().await, FakeSqs::start().await);
    create(&sdk::client(&one, wire), "orders").await;
    let list = within(sdk::client(&other, wire).list_queues().send())
        .await
        .expect("a list");
    assert_eq!(list.queue_urls, None);
}

async fn a_deleted_queue_is_gone_and_ends_long_polls(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let poll = tokio::spawn(
        sqs.receive_message()
            .queue_url(&url)
            .wait_time_seconds(20)
            .send(),
    );

    within(sqs.delete_queue().queue_url(&url).send())
        .await
        .expect("it is deleted");
    let polled = refused(within(poll).await.expect("the poll ends"));
    assert!(polled.error.is_queue_does_not_exist());
    let sent = within(
        sqs.send_message()
            .queue_url(&url)
            .message_body("late")
            .send(),
    )
    .await;
    assert!(refused(sent).error.is_queue_does_not_exist());
}

async fn a_purge_takes_every_message(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    send(&sqs, &url, "visible").await;
    send(&sqs, &url, "in flight").await;
    let one = sqs.receive_message().queue_url(&url);
    within(one.send()).await.expect("a message");
    let delayed = sqs
        .send_message()
        .queue_url(&url)
        .message_body("delayed")
        .delay_seconds(900);
    within(delayed.send())
        .await
        .expect("the message is accepted");
    let counters = [
        ApproximateNumberOfMessages,
        ApproximateNumberOfMessagesDelayed,
        ApproximateNumberOfMessagesNotVisible,
    ];
    let before = attributes(&sqs, &url, &counters).await;
    assert!(before.values().all(|count| count == "1"), "{before:?}");

    within(sqs.purge_queue().queue_url(&url).send())
        .await
        .expect("it is purged");
    let after = attributes(&sqs, &url, &counters).await;
    assert!(after.values().all(|count| count == "0"), "{after:?}");
    assert!(receive(&sqs, &url).await.is_empty());

    send(&sqs, &url, "after").await;
    assert_eq!(receive_one(&sqs, &url).await.body(), Some("after"));
}
