//! What is around a call works for the Query protocol as for JSON: faults, the journal, metrics,
//! hints, and what the server was started with.

use bytes::Bytes;
use http::{HeaderValue, Request};
use serde_json::{Value, json};
use sigv4::{Credentials, Signer};
use sqs::Operation;

use super::super::with_queue;
use super::{ORDERS, get, post, presigned, text_in};
use crate::http::cors::Cors;
use crate::testing::{Answer, HOST, Harness, Log, call, form, now, signed, signed_by};
use crate::{AutoCreate, Builder, FakeSqs, Fault};

/// The control interface's answer to a GET.
async fn control(harness: &Harness, path: &str) -> Answer {
    let request = Request::get(path).header("host", HOST);
    let request = request.body(Bytes::new()).expect("a request");
    harness.send(request).await
}

/// The journal's last entry.
async fn last_entry(harness: &Harness) -> Value {
    let mut page = control(harness, "/_fake/requests").await.json();
    let entries = page["requests"].as_array_mut().expect("entries");
    entries.pop().expect("an entry")
}

/// A server with the queue `orders` and these faults.
async fn with_faults(faults: impl IntoIterator<Item = Fault>) -> Harness {
    let builder = FakeSqs::builder().seed(1);
    let builder = faults.into_iter().fold(builder, Builder::fault);
    let harness = Harness::with(builder);
    let created = post(&harness, "/", "Action=CreateQueue&QueueName=orders").await;
    assert_eq!(created.status, 200, "{}", created.text());
    harness
}

#[tokio::test]
async fn a_fault_answers_in_the_protocol_of_the_call() {
    let send = Operation::SendMessage;
    let missing = Fault::error("QueueDoesNotExist").on(send).times(2);
    let failing = Fault::error("InternalFailure")
        .on(send)
        .saying("a < b")
        .times(1);
    let throttling = Fault::throttle().on(Operation::PurgeQueue);
    let harness = with_faults([missing, failing, throttling]).await;

    let sends = "Action=SendMessage&MessageBody=m";
    let message = "The specified queue does not exist for this wsdl version.";
    let refused = post(&harness, ORDERS, sends).await;
    refused.assert_query_error(400, "AWS.SimpleQueueService.NonExistentQueue", message);
    let input = json!({"QueueUrl": "orders", "MessageBody": "m"});
    let refused = harness.call("SendMessage", &input).await;
    assert_eq!(
        refused.json()["message"],
        "The specified queue does not exist."
    );

    let failed = post(&harness, ORDERS, sends).await;
    failed.assert_query_error(500, "InternalFailure", "a &lt; b");
    assert_eq!(post(&harness, ORDERS, sends).await.status, 200);

    let throttled = post(&harness, ORDERS, "Action=PurgeQueue").await;
    throttled.assert_query_error(403, "RequestThrottled", "Request is throttled.");
    let entry = last_entry(&harness).await;
    assert_eq!(entry["faults"][0]["kind"], "throttle");
}

#[tokio::test(start_paused = true)]
async fn faults_of_batches_receives_and_bodies_happen_too() {
    let batch = Fault::batch_partial(0.5).on(Operation::SendMessageBatch);
    let slow = Fault::slow_body(std::time::Duration::from_secs(60)).on(Operation::ListQueues);
    let empty = Fault::empty_receive().times(1);
    let lost = Fault::close_after().on(Operation::PurgeQueue);
    let harness = with_faults([batch, slow, empty, lost]).await;
    let entry = |n: u8| {
        format!(
            "&SendMessageBatchRequestEntry.{n}.Id=e{n}&SendMessageBatchRequestEntry.{n}.MessageBody=m"
        )
    };
    let sends = format!("Action=SendMessageBatch{}{}", entry(1), entry(2));
    let sent = post(&harness, ORDERS, &sends).await;
    assert_eq!(text_in(&sent, "Code"), "InternalError");
    assert_eq!(text_in(&sent, "SenderFault"), "false");

    let nothing = post(&harness, ORDERS, "Action=ReceiveMessage").await;
    assert!(!nothing.text().contains("<Message>"), "{}", nothing.text());
    let listed = post(&harness, "/", "Action=ListQueues").await;
    assert!(text_in(&listed, "QueueUrl").ends_with(ORDERS));
    assert!(listed.text().ends_with("</ListQueuesResponse>"));

    post(&harness, ORDERS, "Action=PurgeQueue").await;
    assert_eq!(last_entry(&harness).await["outcome"], "closed");
}

#[tokio::test]
async fn the_journal_has_what_a_form_asked_and_what_came_of_it() {
    let (harness, _) = with_queue().await;
    let sent = post(&harness, ORDERS, "Action=SendMessage&MessageBody=hello").await;
    let entry = last_entry(&harness).await;
    assert_eq!(
        (
            &entry["action"],
            &entry["queue"],
            &entry["outcome"],
            &entry["status"]
        ),
        (
            &json!("SendMessage"),
            &json!("orders"),
            &json!("ok"),
            &json!(200)
        )
    );
    assert_eq!(entry["message_ids"], json!([text_in(&sent, "MessageId")]));
    assert_eq!(
        entry["request_body"],
        "Action=SendMessage&MessageBody=hello"
    );
    assert_eq!(entry["response_body"], sent.text());
    assert_eq!(entry["request_id"], sent.header("x-amzn-requestid"));

    let link = presigned(get(ORDERS, "Action=ReceiveMessage"));
    harness.send(link).await;
    let entry = last_entry(&harness).await;
    assert_eq!(
        (&entry["method"], &entry["action"]),
        (&json!("GET"), &json!("ReceiveMessage"))
    );
    let path = entry["path"].as_str().expect("a path");
    assert!(
        path.contains("Action=ReceiveMessage") && path.contains("X-Amz-Signature=REDACTED"),
        "{path}"
    );

    post(
        &harness,
        "/",
        "Action=DeleteQueue&QueueUrl=http://x/000000000000/none",
    )
    .await;
    let entry = last_entry(&harness).await;
    assert_eq!(
        (&entry["queue"], &entry["error"]),
        (&json!("none"), &json!("QueueDoesNotExist"))
    );
    let message = "The specified queue does not exist for this wsdl version.";
    assert_eq!(entry["error_message"], message);

    // What cannot be read, and what nobody is known to have signed, has its queue as well.
    for request in [
        signed(form(ORDERS, "Action=ReceiveMessage&WaitTimeSeconds=soon")),
        form(
            "/",
            "Action=ReceiveMessage&QueueUrl=http://x/000000000000/orders",
        ),
        get(ORDERS, "Action=ReceiveMessage"),
    ] {
        harness.send(request).await;
        let entry = last_entry(&harness).await;
        assert_eq!(
            (&entry["action"], &entry["queue"]),
            (&json!("ReceiveMessage"), &json!("orders"))
        );
    }

    let metrics = control(&harness, "/_fake/metrics").await;
    for line in [
        r#"fake_sqs_requests_total{action="SendMessage",outcome="ok"} 1"#,
        r#"fake_sqs_requests_total{action="ReceiveMessage",outcome="SerializationException"} 1"#,
        r#"fake_sqs_refused_signatures_total{reason="NoSignature"} 2"#,
    ] {
        assert!(
            metrics.text().contains(line),
            "{line} in {}",
            metrics.text()
        );
    }
}

#[tokio::test]
async fn a_missing_queue_is_made_on_demand_by_a_form_too() {
    let harness = Harness::with(FakeSqs::builder().auto_create(AutoCreate::On));
    let sent = post(
        &harness,
        "/000000000000/new.fifo",
        "Action=SendMessage&MessageBody=m&MessageGroupId=g&MessageDeduplicationId=d",
    )
    .await;
    assert_eq!(sent.status, 200, "{}", sent.text());
    assert_eq!(text_in(&sent, "SequenceNumber").len(), 20);
}

#[tokio::test]
async fn the_log_points_out_what_was_meant_by_a_form() {
    let (harness, _) = with_queue().await;
    let log = Log::capture();
    let west = Signer::new(Credentials::new("test", "test"), "eu-west-1", "sqs");
    for request in [
        form(ORDERS, "Action=ReceiveMessage"),
        form("/", "Action=GetQueueUrl&QueueName=orders"),
        form("/000000000000/none", "Action=GetQueueUrl&QueueName=orders"),
    ] {
        harness.send(signed_by(&west, request, now())).await;
        let warnings = log.warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let hint = "orders exists in us-east-1; this call was signed for eu-west-1";
        assert!(warnings[0].contains(hint), "{warnings:?}");
    }
    for action in ["PurgeQueue", "PurgeQueue"] {
        post(&harness, ORDERS, &format!("Action={action}")).await;
    }
    let warnings = log.warnings();
    assert!(warnings[0].contains("--relaxed"), "{warnings:?}");
}

#[tokio::test]
async fn a_page_may_read_the_answers_to_forms_if_any() {
    let page = || HeaderValue::from_static("https://app.example");
    for (cors, allowed) in [(Cors::On, "*"), (Cors::Off, "")] {
        let harness = Harness::with(FakeSqs::builder().cors(cors));
        // A form needs no preflight, so it arrives in any case: only its signature keeps it out.
        let mut unsigned = form("/", "Action=CreateQueue&QueueName=orders");
        unsigned.headers_mut().insert("origin", page());
        let mut link = presigned(get("/", "Action=ListQueues"));
        link.headers_mut().insert("origin", page());
        for (request, status) in [(unsigned, 403), (link, 200)] {
            let answer = harness.send(request).await;
            assert_eq!(answer.status, status, "{}", answer.text());
            assert_eq!(answer.header("access-control-allow-origin"), allowed);
            assert!(!answer.text().contains("<QueueUrl>"));
        }
    }
}

#[tokio::test]
async fn both_protocols_are_about_the_same_queues() {
    let (harness, url) = with_queue().await;
    let input = json!({
        "QueueUrl": url, "MessageBody": "m",
        "MessageAttributes": {"n": {"DataType": "Number", "StringValue": "1"}},
    });
    let by_json = harness.call("SendMessage", &input).await.json();
    let by_form = post(
        &harness,
        ORDERS,
        "Action=SendMessage&MessageBody=m&MessageAttribute.1.Name=n\
         &MessageAttribute.1.Value.DataType=Number&MessageAttribute.1.Value.StringValue=1",
    )
    .await;
    for digest in ["MD5OfMessageBody", "MD5OfMessageAttributes"] {
        assert_eq!(by_json[digest], text_in(&by_form, digest));
    }
    let received = signed(call(
        "ReceiveMessage",
        &json!({"QueueUrl": url, "MaxNumberOfMessages": 10}),
    ));
    let received = harness.send(received).await.json();
    assert_eq!(received["Messages"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn what_forms_did_is_repeated_from_a_data_directory() {
    let name = format!("fake-sqs-forms-{}", std::process::id());
    let place = std::env::temp_dir().join(name);
    let id = {
        let harness = Harness::with(FakeSqs::builder().data_dir(&place));
        post(&harness, "/", "Action=CreateQueue&QueueName=orders").await;
        let sends = "Action=SendMessage&MessageBody=kept&MessageAttribute.1.Name=n\
                     &MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=v";
        let sent = post(&harness, ORDERS, sends).await;
        post(
            &harness,
            ORDERS,
            "Action=ReceiveMessage&VisibilityTimeout=0",
        )
        .await;
        // Refused, and so nothing to be kept.
        post(&harness, ORDERS, "Action=DeleteMessage&ReceiptHandle=none").await;
        text_in(&sent, "MessageId").to_owned()
    };
    let replay = crate::replay(&place, |difference| panic!("{difference}")).expect("a history");
    assert_eq!(replay.differences, 0);
    assert!(replay.repeated >= 3, "{replay:?}");

    let harness = Harness::with(FakeSqs::builder().data_dir(&place));
    let received = post(&harness, ORDERS, "Action=ReceiveMessage&AttributeName=All").await;
    assert_eq!(text_in(&received, "MessageId"), id);
    let count = "<Name>ApproximateReceiveCount</Name><Value>2</Value>";
    assert!(received.text().contains(count), "{}", received.text());
    drop(harness);
    std::fs::remove_dir_all(&place).expect("removed");
}
