//! SQS over the router: what the answers look like, and what is not understood.

mod logged;
mod query;

use std::collections::HashSet;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use http_body::Frame;
use serde_json::json;
use sigv4::{Credentials, Signer};

use super::limits;
use crate::FakeSqs;
use crate::testing::{Answer, Harness, call, now, signed, signed_by};

const UNKNOWN: (u16, &str, &str) = (
    400,
    "com.amazon.coral.service#UnknownOperationException",
    "InvalidAction;Sender",
);
const SERIALIZATION: (u16, &str, &str) = (
    400,
    "com.amazon.coral.service#SerializationException",
    "MalformedInput;Sender",
);

#[track_caller]
fn assert_error(answer: &Answer, row: (u16, &str, &str), message: &str) {
    let (status, shape_id, query) = row;
    answer.assert_error(status, shape_id, query, message);
}

/// A signed ListQueues with a change made before signing.
fn changed(change: impl FnOnce(&mut Request<Bytes>)) -> Request<Bytes> {
    let mut request = call("ListQueues", &json!({}));
    change(&mut request);
    signed(request)
}

fn set(request: &mut Request<Bytes>, name: &'static str, value: &'static str) {
    request
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}

/// A server with the queue `orders`, and the queue's URL.
async fn with_queue() -> (Harness, String) {
    let harness = Harness::new();
    let answer = harness
        .call("CreateQueue", &json!({"QueueName": "orders"}))
        .await;
    let url = answer.json()["QueueUrl"]
        .as_str()
        .expect("a URL")
        .to_owned();
    (harness, url)
}

#[tokio::test]
async fn a_message_goes_through() {
    let (harness, url) = with_queue().await;
    assert_eq!(url, "http://localhost:9324/000000000000/orders");

    let input = json!({"QueueUrl": url, "MessageBody": "hello"});
    let sent = harness.call("SendMessage", &input).await;
    assert_eq!(sent.status, 200);
    assert_eq!(sent.header("content-type"), "application/x-amz-json-1.0");
    assert_eq!(
        sent.json()["MD5OfMessageBody"],
        "5d41402abc4b2a76b9719d911017c592"
    );

    let received = harness
        .call("ReceiveMessage", &json!({"QueueUrl": url}))
        .await;
    let message = &received.json()["Messages"][0];
    assert_eq!(message["Body"], "hello");
    assert_eq!(message["MessageId"], sent.json()["MessageId"]);

    let input = json!({"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]});
    let deleted = harness.call("DeleteMessage", &input).await;
    assert_eq!((deleted.status, deleted.text()), (200, ""));
    assert_eq!(deleted.header("content-type"), "application/x-amz-json-1.0");
}

#[tokio::test]
async fn a_trace_header_stays_with_the_message() {
    let (harness, url) = with_queue().await;
    let mut request = call(
        "SendMessage",
        &json!({"QueueUrl": url, "MessageBody": "hello"}),
    );
    set(
        &mut request,
        "x-amzn-trace-id",
        "Root=1-5759e988-bd862e3fe1be46a994272793",
    );
    assert_eq!(harness.send(signed(request)).await.status, 200);
    let input = json!({"QueueUrl": url, "MessageSystemAttributeNames": ["AWSTraceHeader"]});
    let received = harness.call("ReceiveMessage", &input).await;
    let attributes = &received.json()["Messages"][0]["Attributes"];
    assert_eq!(
        attributes["AWSTraceHeader"],
        "Root=1-5759e988-bd862e3fe1be46a994272793"
    );
}

#[tokio::test]
async fn an_empty_trace_header_is_none() {
    let (harness, url) = with_queue().await;
    let mut request = call(
        "SendMessage",
        &json!({"QueueUrl": url, "MessageBody": "hello"}),
    );
    set(&mut request, "x-amzn-trace-id", "");
    assert_eq!(harness.send(signed(request)).await.status, 200);
    let input = json!({"QueueUrl": url, "MessageSystemAttributeNames": ["AWSTraceHeader"]});
    let received = harness.call("ReceiveMessage", &input).await;
    assert_eq!(received.json()["Messages"][0].get("Attributes"), None);
}

#[tokio::test]
async fn an_error_of_the_engine_is_answered_as_sqs_does() {
    let input = json!({"QueueUrl": "http://localhost:9324/000000000000/none"});
    let answer = Harness::new().call("ReceiveMessage", &input).await;
    answer.assert_error(
        400,
        "com.amazonaws.sqs#QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue;Sender",
        "The specified queue does not exist.",
    );
}

#[tokio::test]
async fn a_body_of_no_bytes_is_no_members() {
    let request = changed(|request| *request.body_mut() = Bytes::new());
    let answer = Harness::new().send(request).await;
    assert_eq!((answer.status, answer.text()), (200, "{}"));
}

#[tokio::test]
async fn a_call_may_go_to_the_path_of_its_queue() {
    let (harness, _) = with_queue().await;
    let request = changed(|request| {
        *request.uri_mut() = "/000000000000/orders".parse().expect("a path");
    });
    let answer = harness.send(request).await;
    assert_eq!(
        answer.json()["QueueUrls"][0],
        "http://localhost:9324/000000000000/orders"
    );
}

#[tokio::test]
async fn queue_urls_have_the_host_that_the_client_used() {
    let (harness, _) = with_queue().await;
    for host in [
        "sqs",
        "sqs.internal:80",
        "127.0.0.1:1",
        "[::1]:9324",
        "host.docker.internal",
    ] {
        let request = changed(|request| set(request, "host", host));
        let answer = harness.send(request).await;
        let expected = format!("http://{host}/000000000000/orders");
        assert_eq!(answer.json()["QueueUrls"][0], expected);
    }
}

#[tokio::test]
async fn a_host_that_cannot_stand_in_a_url_is_not_repeated() {
    let (harness, _) = with_queue().await;
    for host in ["a b", "user@sqs", "a\"b", "a/b"] {
        let request = changed(|request| set(request, "host", host));
        let answer = harness.send(request).await;
        let expected = "http://127.0.0.1:9324/000000000000/orders";
        assert_eq!(answer.json()["QueueUrls"][0], expected, "{host}");
    }
}

#[tokio::test]
async fn the_content_type_may_have_parameters_and_must_be_the_protocols() {
    let harness = Harness::new();
    for value in [
        "application/x-amz-json-1.0; charset=utf-8",
        "Application/X-AMZ-JSON-1.0",
    ] {
        let answer = harness
            .send(changed(|request| set(request, "content-type", value)))
            .await;
        assert_eq!(answer.status, 200, "{value}");
    }
    let message = "The request must have the Content-Type application/x-amz-json-1.0 and name its \
        operation in X-Amz-Target, or be a form with the parameter Action.";
    for value in [
        "application/x-amz-json-1.1",
        "application/json",
        "application/x-www-form-urlencoded",
    ] {
        let answer = harness
            .send(changed(|request| set(request, "content-type", value)))
            .await;
        assert_error(&answer, UNKNOWN, message);
    }
    let without = changed(|request| {
        request.headers_mut().remove(header::CONTENT_TYPE);
    });
    assert_error(&harness.send(without).await, UNKNOWN, message);
}

#[tokio::test]
async fn an_operation_that_does_not_exist_is_unknown() {
    let harness = Harness::new();
    for target in [
        "AmazonSQS.Bogus",
        "AmazonSQS.listqueues",
        "AmazonSNS.ListQueues",
    ] {
        let answer = harness
            .send(changed(|request| set(request, "x-amz-target", target)))
            .await;
        let message = format!("The operation {target} is not one of SQS's.");
        assert_error(&answer, UNKNOWN, &message);
    }
    let without = changed(|request| {
        request.headers_mut().remove("x-amz-target");
    });
    let answer = harness.send(without).await;
    assert_error(
        &answer,
        UNKNOWN,
        "The request names no operation: the X-Amz-Target header is missing; it names the \
         operation, as in AmazonSQS.ReceiveMessage.",
    );
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_refused_in_awss_words() {
    let harness = Harness::new();
    let cases = [
        (
            r#"{"MaxResults":"5"}"#,
            "STRING_VALUE can not be converted to an Integer",
        ),
        (
            r#"{"QueueNamePrefix":5}"#,
            "NUMBER_VALUE can not be converted to a String",
        ),
        (
            r#"{"MaxResults":true}"#,
            "TRUE_VALUE can not be converted to an Integer",
        ),
    ];
    for (body, message) in cases {
        let request = changed(|request| *request.body_mut() = Bytes::from_static(body.as_bytes()));
        assert_error(&harness.send(request).await, SERIALIZATION, message);
    }
    for body in ["[]", "\"\"", "5", "{", "{} {}", "\u{feff}{}"] {
        let request = changed(|request| *request.body_mut() = Bytes::from_static(body.as_bytes()));
        let answer = harness.send(request).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json()["__type"], SERIALIZATION.1, "{body}");
    }
}

#[tokio::test]
async fn there_is_nothing_at_other_paths() {
    let harness = Harness::new();
    for path in ["/a", "/a/b/c", "/_fakes", "/000000000000/orders/"] {
        let request = changed(|request| *request.uri_mut() = path.parse().expect("a path"));
        harness.send(request).await.assert_error(
            404,
            UNKNOWN.1,
            UNKNOWN.2,
            "SQS is served at / and at /<account>/<queue>, and nowhere else.",
        );
        let unsigned = Request::builder().method(Method::POST).uri(path);
        let unsigned = unsigned.body(Bytes::new()).expect("a request");
        assert_eq!(harness.send(unsigned).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn every_answer_has_a_request_id_of_its_own() {
    let harness = Harness::new();
    let mut ids = HashSet::new();
    for request in [
        signed(call("ListQueues", &json!({}))),
        call("ListQueues", &json!({})),
        signed(call("Bogus", &json!({}))),
        Request::new(Bytes::new()),
    ] {
        ids.insert(
            harness
                .send(request)
                .await
                .header("x-amzn-requestid")
                .to_owned(),
        );
    }
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn a_body_at_the_limit_is_read_and_a_longer_one_is_too_large() {
    let harness = Harness::new();
    let body = |len: usize| {
        let start = r#"{"QueueNamePrefix":""#;
        format!("{start}{}\"}}", "x".repeat(len - start.len() - 2))
    };
    let with_body = |len| changed(|request| *request.body_mut() = Bytes::from(body(len)));
    let answer = harness.send(with_body(limits::BODY_BYTES_MAX)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = harness.send(with_body(limits::BODY_BYTES_MAX + 1)).await;
    let message = "The request's body is longer than 8388608 bytes.";
    answer.assert_error(413, SERIALIZATION.1, SERIALIZATION.2, message);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_comes_is_given_up() {
    let request = call("ListQueues", &json!({})).map(|_| Body::new(Never));
    let answer = Harness::new().send_body(request).await;
    let message = "The request's body did not arrive within 30 seconds.";
    answer.assert_error(408, SERIALIZATION.1, SERIALIZATION.2, message);
}

/// A body of which no byte comes, and which does not end.
struct Never;

impl http_body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn an_account_sees_its_own_queues_only_and_a_region_too() {
    let credential = |text: &str| text.parse().expect("a credential");
    let builder = FakeSqs::builder()
        .credential(credential("a:s:111111111111"))
        .credential(credential("b:s:222222222222"))
        .credential(credential("c:s:111111111111"));
    let harness = Harness::with(builder);
    let send = |key: &str, region: &str, request| {
        let signer = Signer::new(Credentials::new(key, "s"), region, "sqs");
        harness.send(signed_by(&signer, request, now()))
    };
    let create = call("CreateQueue", &json!({"QueueName": "orders"}));
    let created = send("a", "us-east-1", create).await;
    let url = "http://localhost:9324/111111111111/orders";
    assert_eq!(created.json(), json!({"QueueUrl": url}));

    let list = || call("ListQueues", &json!({}));
    assert_eq!(
        send("c", "us-east-1", list()).await.json(),
        json!({"QueueUrls": [url]})
    );
    assert_eq!(send("b", "us-east-1", list()).await.json(), json!({}));
    assert_eq!(send("a", "eu-west-1", list()).await.json(), json!({}));
}

#[tokio::test]
async fn a_tag_whose_value_is_null_is_refused_by_sqs_and_not_by_the_protocol() {
    let (harness, url) = with_queue().await;
    for (action, input) in [
        ("TagQueue", json!({"QueueUrl": url, "Tags": {"team": null}})),
        (
            "CreateQueue",
            json!({"QueueName": "others", "tags": {"team": null}}),
        ),
    ] {
        let answer = harness.call(action, &input).await;
        answer.assert_error(
            400,
            "com.amazon.coral.service#InvalidParameterValueException",
            "InvalidParameterValue;Sender",
            "the parameter 'value' may not be null",
        );
    }
    // A number is no string, there as anywhere.
    let input = json!({"QueueUrl": url, "Tags": {"team": 1}});
    let answer = harness.call("TagQueue", &input).await;
    let message = "NUMBER_VALUE can not be converted to a String";
    assert_error(&answer, SERIALIZATION, message);
}

#[tokio::test]
async fn another_account_is_let_in_by_the_policy_of_the_queue() {
    let other = "other:secret:111122223333".parse().expect("a credential");
    let own = "test:test:000000000000".parse().expect("a credential");
    let harness = Harness::with(FakeSqs::builder().credential(own).credential(other));
    let created = harness
        .call("CreateQueue", &json!({"QueueName": "orders"}))
        .await;
    let url = created.json()["QueueUrl"].clone();
    let other = Signer::new(Credentials::new("other", "secret"), "us-east-1", "sqs");
    let send = call(
        "SendMessage",
        &json!({"QueueUrl": url, "MessageBody": "hello"}),
    );
    let send = || signed_by(&other, send.clone(), now());

    let refused = harness.send(send()).await;
    refused.assert_error(
        403,
        "com.amazon.coral.service#AccessDeniedException",
        "AccessDenied;Sender",
        "User: arn:aws:iam::111122223333:root is not authorized to perform: sqs:sendmessage on \
         resource: arn:aws:sqs:us-east-1:000000000000:orders because no identity-based policy \
         allows the sqs:sendmessage action",
    );

    let input = json!({
        "QueueUrl": url, "Label": "others", "AWSAccountIds": ["111122223333"],
        "Actions": ["SendMessage"],
    });
    let permitted = harness.call("AddPermission", &input).await;
    assert_eq!((permitted.status, permitted.text()), (200, ""));
    let sent = harness.send(send()).await;
    assert_eq!(sent.status, 200, "{}", sent.text());

    let input = json!({"QueueUrl": url, "AttributeNames": ["SenderId"]});
    let received = harness.call("ReceiveMessage", &input).await;
    let message = &received.json()["Messages"][0];
    assert_eq!(message["Attributes"]["SenderId"], "111122223333");
}

#[tokio::test]
async fn a_policy_over_its_limits_is_answered_with_403() {
    let (harness, url) = with_queue().await;
    let policy = "x".repeat(8_193);
    let input = json!({"QueueUrl": url, "Attributes": {"Policy": policy}});
    let answer = harness.call("SetQueueAttributes", &input).await;
    answer.assert_error(
        403,
        "com.amazonaws.sqs#OverLimit",
        "OverLimit;Sender",
        "Submitted policy is over max allowed size.",
    );
}
