//! What the log says about requests that come to nothing.

use bytes::Bytes;
use http::{Method, Request, header};
use serde_json::json;
use sigv4::{Credentials, Signer};

use super::{changed, set, with_queue};
use crate::testing::{Harness, Log, call, now, signed_by};
use crate::{FakeSqs, Rules};

#[tokio::test]
async fn a_call_that_names_its_operation_is_none_of_the_query_protocol() {
    let request = changed(|request| {
        *request.uri_mut() = "/?Action=CreateQueue".parse().expect("a target");
    });
    let answer = Harness::new().send(request).await;
    assert_eq!((answer.status, answer.text()), (200, "{}"));
}

#[tokio::test]
async fn a_request_that_names_no_operation_is_logged_with_what_would_be_right() {
    let harness = Harness::new();
    let log = Log::capture();
    let get = |accept: &'static str, path: &'static str| {
        let get = Request::get(path).header(header::ACCEPT, accept);
        get.body(Bytes::new()).expect("a request")
    };
    let nothing = "refused: GET \"/\" asks for no operation; an SQS call is a POST that names one \
                   in X-Amz-Target, or a GET or a form with the parameter Action, and";
    let cases = [
        (
            changed(|request| set(request, "content-type", "application/json")),
            "or be a form with the parameter Action. It has \"application/json\".",
        ),
        (
            changed(|request| {
                request.headers_mut().remove("content-type");
            }),
            "or be a form with the parameter Action. It has none.",
        ),
        (
            changed(|request| set(request, "x-amz-target", "AmazonSQS.listqueues")),
            "listqueues is not one of SQS's. Perhaps AmazonSQS.ListQueues is meant.",
        ),
        (
            changed(|request| set(request, "x-amz-target", "AmazonSNS.Publish")),
            "AmazonSNS.Publish is not one of SQS's. One is AmazonSQS.ReceiveMessage",
        ),
        (
            changed(|request| {
                request.headers_mut().remove("x-amz-target");
            }),
            "the X-Amz-Target header is missing",
        ),
        (
            changed(|request| *request.uri_mut() = "/a/b/c".parse().expect("a path")),
            "there is nothing at the path \"/a/b/c\"",
        ),
        (get("*/*", "/"), nothing),
        (
            changed(|request| *request.method_mut() = Method::GET),
            nothing,
        ),
    ];
    for (request, expected) in cases {
        let answer = harness.send(request).await;
        assert!(matches!(answer.status, 400 | 404), "{answer:?}");
        let warnings = log.warnings();
        assert_eq!(warnings.len(), 1, "{expected}: {warnings:?}");
        assert!(warnings[0].contains(expected), "{warnings:?}");
    }

    let icon = Request::get("/favicon.ico").header("sec-fetch-mode", "no-cors");
    for by_browser in [
        get("text/html,*/*;q=0.8", "/000000000000/orders"),
        icon.body(Bytes::new()).expect("a request"),
    ] {
        let answer = harness.send(by_browser).await;
        assert_eq!(
            (answer.status, answer.text()),
            (404, "<UnknownOperationException/>\n")
        );
        let lines = log.take();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("DEBUG"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_queue_that_is_elsewhere_is_pointed_out() {
    let credential = |text: &str| text.parse().expect("a credential");
    let builder = FakeSqs::builder()
        .credential(credential("a:s:111111111111"))
        .credential(credential("b:s:222222222222"));
    let harness = Harness::with(builder);
    let send = |key: &str, region: &str, action: &str, input: serde_json::Value| {
        let signer = Signer::new(Credentials::new(key, "s"), region, "sqs");
        harness.send(signed_by(&signer, call(action, &input), now()))
    };
    let created = send(
        "a",
        "us-east-1",
        "CreateQueue",
        json!({"QueueName": "orders"}),
    )
    .await;
    assert_eq!(created.status, 200);
    let log = Log::capture();
    let url = |account: &str, name: &str| json!({"QueueUrl": format!("http://x/{account}/{name}")});
    let by_name = json!({"QueueName": "orders"});
    let of_a = json!({"QueueName": "orders", "QueueOwnerAWSAccountId": "111111111111"});
    let (a_west, b_west) = (("a", "eu-west-1"), ("b", "eu-west-1"));
    let (a_east, b_east) = (("a", "us-east-1"), ("b", "us-east-1"));
    let region = "orders exists in us-east-1; this call was signed for eu-west-1, and each region";
    let account = "orders exists in account 111111111111; ";
    let cases = [
        (
            a_west,
            "ReceiveMessage",
            url("111111111111", "orders"),
            region,
            "",
        ),
        (a_west, "GetQueueUrl", by_name, region, ""),
        (
            a_east,
            "PurgeQueue",
            url("222222222222", "orders"),
            account,
            "this call asked account 222222222222 for it",
        ),
        (
            b_west,
            "PurgeQueue",
            json!({"QueueUrl": "orders"}),
            "orders exists in us-east-1 of account 111111111111; ",
            "this call was signed for eu-west-1 and asked account 222222222222 for it",
        ),
        (
            b_east,
            "PurgeQueue",
            url("queue\n", "orders"),
            account,
            "this call asked something that is no account for it",
        ),
        (
            b_east,
            "GetQueueUrl",
            of_a,
            account,
            "no policy of it lets account 222222222222 look for it",
        ),
    ];
    for ((key, region), action, input, there, here) in cases {
        let answer = send(key, region, action, input).await;
        assert_eq!(
            answer.json()["__type"],
            "com.amazonaws.sqs#QueueDoesNotExist"
        );
        let warnings = log.warnings();
        assert_eq!(warnings.len(), 1, "{there}{here}: {warnings:?}");
        assert!(
            warnings[0].contains(&format!("{there}{here}")),
            "{warnings:?}"
        );
    }
    send(
        "b",
        "us-east-1",
        "PurgeQueue",
        url("222222222222", "others"),
    )
    .await;
    assert_eq!(log.warnings(), [""; 0]);
}

#[tokio::test]
async fn the_sixty_second_rules_are_told_with_what_turns_them_off() {
    let (harness, url) = with_queue().await;
    let log = Log::capture();
    let url = json!({"QueueUrl": url});
    for (action, input, code) in [
        ("PurgeQueue", &url, ""),
        ("PurgeQueue", &url, "PurgeQueueInProgress"),
        ("DeleteQueue", &url, ""),
        (
            "CreateQueue",
            &json!({"QueueName": "orders"}),
            "QueueDeletedRecently",
        ),
    ] {
        let answer = harness.call(action, input).await;
        let warnings = log.warnings();
        if code.is_empty() {
            assert_eq!((answer.status, warnings.len()), (200, 0), "{action}");
            continue;
        }
        assert_eq!(answer.json()["__type"], format!("com.amazonaws.sqs#{code}"));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].contains(code) && warnings[0].contains("--relaxed"),
            "{warnings:?}"
        );
    }
}

#[tokio::test]
async fn a_server_says_how_it_starts() {
    let log = Log::capture();
    let _harness = Harness::with(FakeSqs::builder().seed(7).rules(Rules::Relaxed));
    let lines = log.take();
    let expected = "starting empty; seed 7 (--seed 7 repeats the ids); relaxed: no 60-second rules";
    assert!(lines[0].ends_with(expected), "{lines:?}");
}
