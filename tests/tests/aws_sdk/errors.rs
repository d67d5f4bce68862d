//! Each error that the server raises is the SDK's own typed error.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName::{self, *};
use aws_sdk_sqs::types::{MessageAttributeValue, SendMessageBatchRequestEntry};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::FakeSqs;

use crate::{create, refused};

on_each_wire! {
    queue_does_not_exist,
    queue_name_exists,
    queue_deleted_recently,
    invalid_attribute_name,
    invalid_attribute_value,
    invalid_message_contents,
    receipt_handle_is_invalid,
    purge_queue_in_progress,
    batches_as_a_whole,
    unsupported_operation,
    validation_errors_that_have_no_type,
}

/// A server, a client and the URL of a queue named `orders`.
async fn orders(wire: Wire) -> (FakeSqs, Client, String) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    (server, sqs, url)
}

fn entry(id: &str, body: &str) -> SendMessageBatchRequestEntry {
    SendMessageBatchRequestEntry::builder()
        .id(id)
        .message_body(body)
        .build()
        .expect("an entry")
}

async fn queue_does_not_exist(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    let (code, text) = (
        "AWS.SimpleQueueService.NonExistentQueue",
        wire.no_such_queue(),
    );
    let other = format!("{url}-other");
    for url in [
        &*other,
        "orders-other",
        "",
        "http://[nonsense",
        "http://127.0.0.1:1/1/2/3",
    ] {
        let call = sqs.send_message().queue_url(url).message_body("a");
        assert_refused!(call, is_queue_does_not_exist, 400, code, text);
    }
    assert_refused!(
        sqs.get_queue_url().queue_name("x"),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.receive_message(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(sqs.purge_queue(), is_queue_does_not_exist, 400, code, text);
    assert_refused!(sqs.delete_queue(), is_queue_does_not_exist, 400, code, text);
    assert_refused!(
        sqs.get_queue_attributes(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.set_queue_attributes(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.delete_message(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.send_message_batch(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.delete_message_batch(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.change_message_visibility(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
    assert_refused!(
        sqs.change_message_visibility_batch(),
        is_queue_does_not_exist,
        400,
        code,
        text
    );
}

async fn queue_name_exists(wire: Wire) {
    let (_server, sqs, _) = orders(wire).await;
    let call = sqs
        .create_queue()
        .queue_name("orders")
        .attributes(VisibilityTimeout, "31");
    assert_refused!(
        call,
        is_queue_name_exists,
        400,
        "QueueAlreadyExists",
        "A queue already exists with the same name and a different value for attribute \
         VisibilityTimeout"
    );
}

async fn queue_deleted_recently(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    within(sqs.delete_queue().queue_url(url).send())
        .await
        .expect("it is deleted");
    assert_refused!(
        sqs.create_queue().queue_name("orders"),
        is_queue_deleted_recently,
        400,
        "AWS.SimpleQueueService.QueueDeletedRecently",
        "You must wait 60 seconds after deleting a queue before you can create another with the \
         same name."
    );
}

async fn invalid_attribute_name(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    let code = "InvalidAttributeName";
    let colour = QueueAttributeName::from("Colour");
    let create = sqs
        .create_queue()
        .queue_name("other")
        .attributes(colour.clone(), "blue");
    assert_refused!(
        create,
        is_invalid_attribute_name,
        400,
        code,
        "Unknown Attribute Colour."
    );
    let get = sqs
        .get_queue_attributes()
        .queue_url(&url)
        .attribute_names(colour.clone());
    assert_refused!(
        get,
        is_invalid_attribute_name,
        400,
        code,
        "Unknown Attribute Colour."
    );
    for read_only in [colour, QueueArn, ApproximateNumberOfMessages, All] {
        let text = format!("Unknown Attribute {}.", read_only.as_str());
        let set = sqs
            .set_queue_attributes()
            .queue_url(&url)
            .attributes(read_only, "1");
        assert_refused!(set, is_invalid_attribute_name, 400, code, text);
    }
}

async fn invalid_attribute_value(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    let rows = [
        (VisibilityTimeout, "43201"),
        (DelaySeconds, "901"),
        (MaximumMessageSize, "1023"),
        (MessageRetentionPeriod, "59"),
        (ReceiveMessageWaitTimeSeconds, "21"),
        (VisibilityTimeout, "-1"),
        (VisibilityTimeout, "1.5"),
        (VisibilityTimeout, ""),
        (SqsManagedSseEnabled, "yes"),
    ];
    for (name, value) in rows {
        let text = format!("Invalid value for the parameter {}.", name.as_str());
        let code = "InvalidAttributeValue";
        let create = sqs
            .create_queue()
            .queue_name("other")
            .attributes(name.clone(), value);
        assert_refused!(create, is_invalid_attribute_value, 400, code, text);
        let set = sqs
            .set_queue_attributes()
            .queue_url(&url)
            .attributes(name, value);
        assert_refused!(set, is_invalid_attribute_value, 400, code, text);
    }
}

async fn invalid_message_contents(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    for (body, offender) in [
        ("\u{1}", "1"),
        ("a\u{1f}b\u{2}", "1F"),
        ("\u{ffff}", "FFFF"),
    ] {
        assert_refused!(
            sqs.send_message().queue_url(&url).message_body(body),
            is_invalid_message_contents,
            400,
            "InvalidMessageContents",
            format!(
                "Invalid binary character '#x{offender}' was found in the message body, the set \
                 of allowed characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | \
                 [#x10000-#x10FFFF]."
            )
        );
    }
}

async fn receipt_handle_is_invalid(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    for handle in ["no handle", "AQEB", "ÄÖÜ"] {
        let code = "ReceiptHandleIsInvalid";
        let text = format!("The input receipt handle \"{handle}\" is not a valid receipt handle.");
        let delete = sqs.delete_message().queue_url(&url).receipt_handle(handle);
        assert_refused!(delete, is_receipt_handle_is_invalid, 404, code, text);
        let change = sqs
            .change_message_visibility()
            .queue_url(&url)
            .receipt_handle(handle)
            .visibility_timeout(1);
        assert_refused!(change, is_receipt_handle_is_invalid, 404, code, text);
    }
}

async fn purge_queue_in_progress(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    within(sqs.purge_queue().queue_url(&url).send())
        .await
        .expect("it is purged");
    assert_refused!(
        sqs.purge_queue().queue_url(&url),
        is_purge_queue_in_progress,
        403,
        "AWS.SimpleQueueService.PurgeQueueInProgress",
        "Only one PurgeQueue operation on orders is allowed every 60 seconds."
    );
}

async fn batches_as_a_whole(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    let batch = |entries: Vec<SendMessageBatchRequestEntry>| {
        sqs.send_message_batch()
            .queue_url(&url)
            .set_entries(Some(entries))
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| entry(id, "a")).collect::<Vec<_>>();
    assert_refused!(
        batch(ids(&[
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"
        ])),
        is_too_many_entries_in_batch_request,
        400,
        "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
        "Maximum number of entries per request are 10. You have sent 11."
    );
    assert_refused!(
        batch(vec![]),
        is_empty_batch_request,
        400,
        "AWS.SimpleQueueService.EmptyBatchRequest",
        "There should be at least one SendMessageBatchRequestEntry in the request."
    );
    assert_refused!(
        batch(ids(&["1", "2", "2", "1"])),
        is_batch_entry_ids_not_distinct,
        400,
        "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
        "Id 2 repeated."
    );
    for bad in ["", "a b", "é", &"a".repeat(81)] {
        assert_refused!(
            batch(ids(&["good", bad])),
            is_invalid_batch_entry_id,
            400,
            "AWS.SimpleQueueService.InvalidBatchEntryId",
            "A batch entry id can only contain alphanumeric characters, hyphens and underscores. \
             It can be at most 80 letters long."
        );
    }
    let half = "x".repeat(524_289);
    for entries in [
        vec![entry("a", &half), entry("b", &half)],
        vec![entry("a", &"x".repeat(1_048_578))],
    ] {
        assert_refused!(
            batch(entries),
            is_batch_request_too_long,
            400,
            "AWS.SimpleQueueService.BatchRequestTooLong",
            "Batch requests cannot be longer than 1048576 bytes. You have sent 1048578 bytes."
        );
    }
    let left = within(sqs.receive_message().queue_url(&url).send())
        .await
        .expect("an answer");
    assert_eq!(
        left.messages, None,
        "a batch that is refused leaves nothing behind"
    );
}

async fn unsupported_operation(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    let list = MessageAttributeValue::builder()
        .data_type("String")
        .string_list_values("a")
        .build()
        .expect("an attribute");
    assert_refused!(
        sqs.send_message()
            .queue_url(url)
            .message_body("a")
            .message_attributes("list", list),
        is_unsupported_operation,
        400,
        "AWS.SimpleQueueService.UnsupportedOperation",
        "Message attribute list values in SendMessage operation are not supported."
    );
}

async fn validation_errors_that_have_no_type(wire: Wire) {
    let (_server, sqs, url) = orders(wire).await;
    let refused = refused(
        within(
            sqs.receive_message()
                .queue_url(&url)
                .max_number_of_messages(11)
                .send(),
        )
        .await,
    );
    assert_eq!(
        (refused.status, &*refused.code),
        (400, "InvalidParameterValue")
    );
    assert_eq!(
        refused.message,
        "Value 11 for parameter MaxNumberOfMessages is invalid. \
         Reason: Must be between 1 and 10, if provided."
    );
    let refused =
        crate::refused(within(sqs.send_message().queue_url(&url).message_body("").send()).await);
    assert_eq!((refused.status, &*refused.code), (400, "MissingParameter"));
    assert_eq!(
        refused.message,
        "The request must contain the parameter MessageBody."
    );
}
