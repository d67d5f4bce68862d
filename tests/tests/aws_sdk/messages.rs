//! Messages: send, receive, hide, delete, one by one and in batches.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_sqs::primitives::Blob;
use aws_sdk_sqs::types::{
    ChangeMessageVisibilityBatchRequestEntry, DeleteMessageBatchRequestEntry, Message,
    MessageAttributeValue, MessageSystemAttributeName, MessageSystemAttributeNameForSends,
    MessageSystemAttributeValue, QueueAttributeName, SendMessageBatchRequestEntry,
    SendMessageBatchResultEntry,
};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::FakeSqs;

use crate::{create, receive, receive_one, send};

on_each_wire! {
    a_message_comes_back_and_is_deleted,
    bodies_of_all_allowed_characters_come_back,
    attributes_come_back_with_their_digest,
    attributes_are_selected_by_name_and_prefix,
    system_attributes_come_back,
    a_batch_fails_entry_by_entry,
    messages_are_hidden_and_deleted_in_batches,
    a_long_poll_is_woken_by_a_send,
    a_long_poll_waits_for_a_delay_to_end,
    a_long_poll_of_an_empty_queue_ends_without_messages,
    visibility_is_changed,
}

fn text(data_type: &str, value: &str) -> MessageAttributeValue {
    MessageAttributeValue::builder()
        .data_type(data_type)
        .string_value(value)
        .build()
        .expect("an attribute")
}

fn binary(data_type: &str, value: &[u8]) -> MessageAttributeValue {
    MessageAttributeValue::builder()
        .data_type(data_type)
        .binary_value(Blob::new(value))
        .build()
        .expect("an attribute")
}

fn attributes<const N: usize>(
    named: [(&str, MessageAttributeValue); N],
) -> HashMap<String, MessageAttributeValue> {
    named
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn entry(id: &str, body: &str) -> SendMessageBatchRequestEntry {
    SendMessageBatchRequestEntry::builder()
        .id(id)
        .message_body(body)
        .build()
        .expect("an entry")
}

async fn a_message_comes_back_and_is_deleted(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;

    let sent = within(
        sqs.send_message()
            .queue_url(&url)
            .message_body("hello")
            .send(),
    )
    .await
    .expect("the message is accepted");
    assert_eq!(
        sent.md5_of_message_body(),
        Some("5d41402abc4b2a76b9719d911017c592")
    );
    assert_eq!(sent.md5_of_message_attributes(), None);
    assert_eq!(sent.sequence_number(), None);

    let message = receive_one(&sqs, &url).await;
    assert_eq!(message.body(), Some("hello"));
    assert_eq!(message.message_id(), sent.message_id());
    assert_eq!(message.md5_of_body(), sent.md5_of_message_body());
    assert_eq!(message.attributes, None);
    assert_eq!(message.message_attributes, None);

    assert!(receive(&sqs, &url).await.is_empty(), "it is in flight");
    let handle = message.receipt_handle().expect("a receipt handle");
    for _ in 0..2 {
        within(
            sqs.delete_message()
                .queue_url(&url)
                .receipt_handle(handle)
                .send(),
        )
        .await
        .expect("deleting is no error, nor is deleting again");
    }
}

async fn bodies_of_all_allowed_characters_come_back(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let long = "é".repeat(1_048_576 / 2);
    for body in [
        "héllo ☃ 😀",
        "\t\n\r \u{d7ff}\u{e000}\u{fffd}\u{10ffff}",
        r#"{"a":"\"\\"}"#,
        &long,
    ] {
        send(&sqs, &url, body).await;
        let message = receive_one(&sqs, &url).await;
        assert!(
            message.body() == Some(body),
            "{body:.40}… came back otherwise"
        );
    }
}

async fn attributes_come_back_with_their_digest(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    // The digests are ones that Amazon answered.
    let rows = [
        (
            attributes([
                ("color", text("String", "blue")),
                ("count", text("Number", "3")),
                ("blob", binary("Binary", &[1, 2, 3])),
            ]),
            "d838729972a4b70e2d2acd9d59ac847c",
        ),
        (
            attributes([("timestamp", text("Number.java.lang.Long", "1493147359900"))]),
            "2e2e4876d8e0bd6b8c2c8f556831c349",
        ),
        (
            attributes([("somevalue", text("String.custom", "somevalue"))]),
            "9e05cca738e70ff6c6041e82d5e77ef1",
        ),
        (
            attributes([("B.x", binary("Binary.gif", &[0, 255]))]),
            "5d058e4cf0c599bad31a977994c77d30",
        ),
    ];
    for (attributes, digest) in rows {
        let sent = sqs
            .send_message()
            .queue_url(&url)
            .message_body("a")
            .set_message_attributes(Some(attributes.clone()));
        let sent = within(sent.send()).await.expect("the message is accepted");
        assert_eq!(sent.md5_of_message_attributes(), Some(digest));

        let received = sqs
            .receive_message()
            .queue_url(&url)
            .message_attribute_names("All");
        let messages = within(received.send()).await.expect("an answer").messages;
        let message = &messages.expect("a message")[0];
        assert_eq!(message.message_attributes(), Some(&attributes));
        assert_eq!(message.md5_of_message_attributes(), Some(digest));
    }
}

async fn attributes_are_selected_by_name_and_prefix(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let three = attributes([
        ("Help.Me", text("String", "Me")),
        ("Hello", text("String", "There")),
        ("General", text("String", "Kenobi")),
    ]);
    let sent = sqs
        .send_message()
        .queue_url(&url)
        .message_body("a")
        .set_message_attributes(Some(three));
    within(sent.send()).await.expect("the message is accepted");

    let rows: [(&str, &[&str], Option<&str>); 5] = [
        (
            "All",
            &["General", "Hello", "Help.Me"],
            Some("4c360f3fdafd970e05fae2f149d997f5"),
        ),
        (
            "Hello",
            &["Hello"],
            Some("a311262e065454b75da111d535b8dacd"),
        ),
        ("Hel.*", &["Hello", "Help.Me"], None),
        ("hello", &[], None),
        ("AWS.", &[], None),
    ];
    for (wanted, names, digest) in rows {
        let call = sqs
            .receive_message()
            .queue_url(&url)
            .visibility_timeout(0)
            .message_attribute_names(wanted);
        let message = within(call.send())
            .await
            .expect("an answer")
            .messages
            .expect("it")[0]
            .clone();
        let selected: BTreeMap<_, _> = message.message_attributes().into_iter().flatten().collect();
        assert!(
            selected.keys().copied().eq(names),
            "{wanted} selects {selected:?}"
        );
        assert_eq!(
            message.md5_of_message_attributes().is_some(),
            !names.is_empty()
        );
        if digest.is_some() {
            assert_eq!(message.md5_of_message_attributes(), digest);
        }
    }
}

async fn system_attributes_come_back(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
    let header = MessageSystemAttributeValue::builder()
        .data_type("String")
        .string_value(trace)
        .build()
        .expect("an attribute");
    let sent = sqs
        .send_message()
        .queue_url(&url)
        .message_body("a")
        .message_system_attributes(MessageSystemAttributeNameForSends::AwsTraceHeader, header);
    let sent = within(sent.send()).await.expect("the message is accepted");
    assert_eq!(
        sent.md5_of_message_system_attributes(),
        Some("5ae4d5d7636402d80f4eb6d213245a88")
    );

    let received = sqs
        .receive_message()
        .queue_url(&url)
        .message_system_attribute_names(MessageSystemAttributeName::All);
    let messages = within(received.send())
        .await
        .expect("an answer")
        .messages
        .expect("a message");
    let attributes: BTreeMap<&str, &str> = messages[0]
        .attributes()
        .expect("attributes")
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let times = ["ApproximateFirstReceiveTimestamp", "SentTimestamp"]
        .map(|name| attributes[name].parse::<u64>().expect("milliseconds"));
    assert!(times[0] >= times[1]);
    assert_eq!(attributes["ApproximateReceiveCount"], "1");
    assert_eq!(attributes["AWSTraceHeader"], trace);
    assert_eq!(attributes["SenderId"], "000000000000");
    assert_eq!(attributes.len(), 5, "{attributes:?}");
}

async fn a_batch_fails_entry_by_entry(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let small = sqs
        .set_queue_attributes()
        .queue_url(&url)
        .attributes(QueueAttributeName::MaximumMessageSize, "1024");
    within(small.send()).await.expect("the attribute is set");

    let batch = sqs
        .send_message_batch()
        .queue_url(&url)
        .entries(entry("first", "one"))
        .entries(entry("long", &"x".repeat(1025)))
        .entries(entry("control", "bell \u{7}"))
        .entries(entry("last", "two"));
    let answer = within(batch.send()).await.expect("an answer");

    let sent: Vec<_> = answer
        .successful()
        .iter()
        .map(SendMessageBatchResultEntry::id)
        .collect();
    assert_eq!(sent, ["first", "last"]);
    assert_eq!(
        answer.successful()[0].md5_of_message_body(),
        "f97c5d29941bfb1b2fdab0874906ab82"
    );
    let failed: Vec<_> = answer
        .failed()
        .iter()
        .map(|entry| (entry.id(), entry.code(), entry.sender_fault()))
        .collect();
    assert_eq!(
        failed,
        [
            ("long", "InvalidParameterValue", true),
            ("control", "InvalidMessageContents", true)
        ]
    );
    assert_eq!(
        answer.failed()[0].message(),
        Some(
            "One or more parameters cannot be validated. \
             Reason: Message must be shorter than 1024 bytes."
        )
    );

    let received = receive(&sqs, &url).await;
    let mut bodies: Vec<_> = received.iter().filter_map(Message::body).collect();
    bodies.sort_unstable();
    assert_eq!(bodies, ["one", "two"]);
}

async fn messages_are_hidden_and_deleted_in_batches(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let batch = sqs.send_message_batch().queue_url(&url);
    let batch = batch.entries(entry("1", "one")).entries(entry("2", "two"));
    let sent = within(batch.send()).await.expect("an answer");
    assert_eq!((sent.successful().len(), sent.failed().len()), (2, 0));
    let received = receive(&sqs, &url).await;
    let [one, two] = &received[..] else {
        panic!("two messages, not {received:?}")
    };

    let change = |id: &str, handle: Option<&str>| {
        ChangeMessageVisibilityBatchRequestEntry::builder()
            .id(id)
            .receipt_handle(handle.expect("a receipt handle"))
            .visibility_timeout(0)
            .build()
            .expect("an entry")
    };
    let batch = sqs
        .change_message_visibility_batch()
        .queue_url(&url)
        .entries(change("good", one.receipt_handle()))
        .entries(change("bad", Some("no handle")));
    let changed = within(batch.send()).await.expect("an answer");
    assert_eq!(changed.successful()[0].id(), "good");
    assert_eq!(changed.failed()[0].id(), "bad");
    assert_eq!(changed.failed()[0].code(), "ReceiptHandleIsInvalid");
    assert!(changed.failed()[0].sender_fault());
    assert_eq!(receive_one(&sqs, &url).await.message_id(), one.message_id());

    let delete = |id: &str, handle: Option<&str>| {
        DeleteMessageBatchRequestEntry::builder()
            .id(id)
            .receipt_handle(handle.expect("a receipt handle"))
            .build()
            .expect("an entry")
    };
    let batch = sqs
        .delete_message_batch()
        .queue_url(&url)
        .entries(delete("bad", Some("no handle")))
        .entries(delete("good", two.receipt_handle()));
    let deleted = within(batch.send()).await.expect("an answer");
    assert_eq!(deleted.successful()[0].id(), "good");
    assert_eq!(deleted.failed()[0].code(), "ReceiptHandleIsInvalid");
}

async fn a_long_poll_is_woken_by_a_send(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let poll = tokio::spawn(
        sqs.receive_message()
            .queue_url(&url)
            .wait_time_seconds(20)
            .send(),
    );
    send(&sqs, &url, "woken").await;
    // The bound is half of the poll's wait: it was the message that ended it.
    let answer = within(poll)
        .await
        .expect("the poll ends")
        .expect("an answer");
    assert_eq!(answer.messages()[0].body(), Some("woken"));
}

async fn a_long_poll_waits_for_a_delay_to_end(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    // Or the delay might be over before it is looked for.
    server.freeze().await.expect("frozen");
    let sent = sqs
        .send_message()
        .queue_url(&url)
        .message_body("later")
        .delay_seconds(1);
    within(sent.send()).await.expect("the message is accepted");
    assert!(receive(&sqs, &url).await.is_empty());
    server.resume().await.expect("it goes on");
    let poll = sqs.receive_message().queue_url(&url).wait_time_seconds(20);
    let answer = within(poll.send()).await.expect("an answer");
    assert_eq!(answer.messages()[0].body(), Some("later"));
}

async fn a_long_poll_of_an_empty_queue_ends_without_messages(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    let poll = sqs.receive_message().queue_url(&url).wait_time_seconds(1);
    assert_eq!(within(poll.send()).await.expect("an answer").messages, None);
}

async fn visibility_is_changed(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    send(&sqs, &url, "hidden").await;
    let message = receive_one(&sqs, &url).await;
    assert!(receive(&sqs, &url).await.is_empty());

    let handle = message.receipt_handle().expect("a receipt handle");
    let change = sqs
        .change_message_visibility()
        .queue_url(&url)
        .receipt_handle(handle);
    within(change.clone().visibility_timeout(0).send())
        .await
        .expect("it is visible");
    let again = receive_one(&sqs, &url).await;
    assert_eq!(again.message_id(), message.message_id());
    assert_ne!(again.receipt_handle(), message.receipt_handle());
}
