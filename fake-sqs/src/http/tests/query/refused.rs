//! What the Query protocol refuses, and that the rest is refused in it as in JSON.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use serde_json::json;
use sigv4::{Credentials, Signer};

use super::super::{Never, with_queue};
use super::{ORDERS, get, post, presigned, text_in};
use crate::http::limits;
use crate::testing::{Answer, Harness, Log, call, form, now, signed, signed_by, signer};

/// Forms that are no call: path, parameters, code, message, and what the log says besides.
const NO_CALLS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "/",
        "Action=FooBar",
        "InvalidAction",
        "The action FooBar is not valid for this endpoint.",
        "ReceiveMessage is one",
    ),
    (
        "/",
        "Action=sendmessage&Version=2012-11-05",
        "InvalidAction",
        "The action sendmessage is not valid for this endpoint.",
        "Perhaps SendMessage is meant.",
    ),
    (
        "/",
        "Action=SendMesage",
        "InvalidAction",
        "The action SendMesage is not valid for this endpoint.",
        "Perhaps SendMessage is meant.",
    ),
    (
        ORDERS,
        "Action=ListQueues",
        "InvalidAction",
        "The action ListQueues is not valid for this endpoint.",
        "it goes to / and not to a queue's URL.",
    ),
    (
        ORDERS,
        "Action=CreateQueue&QueueName=others",
        "InvalidAction",
        "The action CreateQueue is not valid for this endpoint.",
        "it goes to / and not to a queue's URL.",
    ),
    (
        "/",
        "",
        "MissingAction",
        NO_ACTION,
        "Action=ReceiveMessage is",
    ),
    (
        "/",
        "Action=",
        "MissingAction",
        NO_ACTION,
        "Action=ReceiveMessage is",
    ),
    (
        ORDERS,
        "MessageBody=m",
        "MissingAction",
        NO_ACTION,
        "Action=ReceiveMessage is",
    ),
    (
        "/",
        "Action=ListQueues&Version=2011-10-01",
        "NoSuchVersion",
        "The requested version ( 2011-10-01 ) is not valid.",
        "The version of SQS's API is 2012-11-05, or is left out.",
    ),
    (
        "/",
        "Action=ListQueues&Action=ListQueues",
        "MalformedInput",
        "the parameter Action is there twice; each may be there once, in the query string and the \
         body together",
        "together. The parameters of a form are separated by &",
    ),
];

const NO_ACTION: &str = "The request must contain the parameter Action.";

#[tokio::test]
async fn a_form_that_is_no_call_is_told_what_would_be_right() {
    let (harness, _) = with_queue().await;
    let log = Log::capture();
    for (path, parameters, code, message, advice) in NO_CALLS {
        let refused = post(&harness, path, parameters).await;
        refused.assert_query_error(400, code, message);
        let warnings = log.warnings();
        assert_eq!(warnings.len(), 1, "{parameters}: {warnings:?}");
        assert!(
            warnings[0].contains(message) && warnings[0].contains(advice),
            "{warnings:?}"
        );
    }
}

/// Forms that cannot be read: parameters, code, and a part of the message.
const UNREADABLE: &[(&str, &str, &str)] = &[
    (
        "Action=ReceiveMessage&MaxNumberOfMessages=two",
        "MalformedInput",
        "the parameter MaxNumberOfMessages is wrong",
    ),
    (
        "Action=ReceiveMessage&WaitTimeSeconds=1&WaitTimeSeconds=1",
        "MalformedInput",
        "the parameter WaitTimeSeconds is there twice",
    ),
    (
        "Action=ListQueues&Action=ListQueues",
        "MalformedInput",
        "the parameter Action is there twice",
    ),
    (
        "=1&=2",
        "MalformedInput",
        "a parameter with an empty name is there twice; each",
    ),
    (
        "Action=SendMessage&MessageBody=%zz",
        "MalformedInput",
        "the body is not form-encoded at byte 31",
    ),
    (
        "Action=SendMessage&MessageBody=%ff",
        "MalformedInput",
        "UTF-8",
    ),
    (
        "Action=ReceiveMessage&AttributeName.0=All",
        "MalformedInput",
        "0 is not a valid index",
    ),
    (
        "Action=ReceiveMessage&AttributeName.01=All",
        "MalformedInput",
        "AttributeName.01 must be numbered from 1",
    ),
    (
        "Action=ReceiveMessage&AttributeName.1000000=All",
        "MalformedInput",
        "AttributeName.1000000 must be numbered from 1 to 4096",
    ),
    (
        "Action=ReceiveMessage&AttributeName.1=All&AttributeName=All",
        "ConflictingQueryParameter",
        "The query parameter AttributeName",
    ),
    (
        "Action=SetQueueAttributes&Attribute.1.Value=1",
        "MissingParameter",
        "The request must contain the parameter Attribute.1.Name.",
    ),
    (
        "Action=SetQueueAttributes&Attribute.1.Name=DelaySeconds",
        "MissingParameter",
        "The request must contain the parameter Attribute.1.Value.",
    ),
    (
        "Action=SendMessage&MessageBody=m&MessageAttribute.1.Name=b\
         &MessageAttribute.1.Value.DataType=Binary&MessageAttribute.1.Value.BinaryValue=AA",
        "MalformedInput",
        "MessageAttribute.1.Value.BinaryValue is wrong: a blob must be padded base64",
    ),
];

#[tokio::test]
async fn parameters_that_cannot_be_read_are_refused_by_their_name() {
    let (harness, _) = with_queue().await;
    for (parameters, code, part) in UNREADABLE {
        let refused = post(&harness, ORDERS, parameters).await;
        assert_eq!(refused.status, 400, "{parameters}: {}", refused.text());
        assert_eq!(text_in(&refused, "Code"), *code, "{parameters}");
        let message = text_in(&refused, "Message");
        assert!(message.contains(part), "{parameters}: {message}");
    }
    let many: String = (0..5_000).map(|n| format!("&p{n}=")).collect();
    let refused = post(&harness, ORDERS, &format!("Action=ListQueues{many}")).await;
    let message = text_in(&refused, "Message");
    assert!(message.contains("more than 4096 parameters"), "{message}");

    // A gap is none of these: the numbers only give the order.
    let gap = "Action=GetQueueAttributes&AttributeName.4=DelaySeconds&AttributeName.4096=QueueArn";
    let answer = post(&harness, ORDERS, gap).await;
    let attributes = answer.text().matches("<Attribute>").count();
    assert_eq!(attributes, 2, "{}", answer.text());
}

/// ListQueues in both protocols.
fn in_both() -> [Request<Bytes>; 2] {
    [
        call("ListQueues", &json!({})),
        form("/", "Action=ListQueues&Version=2012-11-05"),
    ]
}

/// What an error says in either protocol: status, query code, message.
fn said(answer: &Answer) -> (u16, String, String) {
    if answer.header("content-type") == "text/xml" {
        let message = text_in(answer, "Message").replace("&amp;", "&");
        let message = message.replace("&lt;", "<").replace("&gt;", ">");
        let code = text_in(answer, "Code");
        answer.assert_query_error(answer.status, code, text_in(answer, "Message"));
        return (answer.status, code.to_owned(), message);
    }
    let code = answer.header("x-amzn-query-error").split(';').next();
    let message = answer.json()["message"].as_str().map(str::to_owned);
    (
        answer.status,
        code.expect("a code").to_owned(),
        message.expect("a message"),
    )
}

/// Who signs, and for where.
fn by(key: &str, secret: &str, region: &str, request: Request<Bytes>) -> Request<Bytes> {
    let signer = Signer::new(Credentials::new(key, secret), region, "sqs");
    signed_by(&signer, request, now())
}

/// Signed, and then changed.
fn altered(from: &str, to: &str, request: Request<Bytes>) -> Request<Bytes> {
    let mut request = signed(request);
    let authorization = &request.headers()[header::AUTHORIZATION];
    let authorization = authorization.to_str().expect("ASCII");
    let authorization = HeaderValue::try_from(authorization.replace(from, to));
    let authorization = authorization.expect("a header");
    request
        .headers_mut()
        .insert(header::AUTHORIZATION, authorization);
    request
}

type Sign = fn(Request<Bytes>) -> Request<Bytes>;

const MISMATCH: &str = "The request signature we calculated does not match";

/// Signatures that are refused: the code, a part of the message, and how one comes to be.
const REFUSED: &[(&str, &str, Sign)] = &[
    ("AccessDenied", "is denied.", |request| request),
    (
        "InvalidClientTokenId",
        "The security token included",
        |request| by("AKID", "test", "us-east-1", request),
    ),
    ("SignatureDoesNotMatch", MISMATCH, |request| {
        by("test", "no", "us-east-1", request)
    }),
    (
        "SignatureDoesNotMatch",
        "to a valid region, not 'a.b'",
        |request| by("test", "test", "a.b", request),
    ),
    (
        "SignatureDoesNotMatch",
        "to correct service: 'sqs'",
        |request| altered("/sqs/", "/sns/", request),
    ),
    ("SignatureDoesNotMatch", "Signature expired: ", |request| {
        signed_by(&signer(), request, now() - Duration::from_secs(901))
    }),
    (
        "SignatureDoesNotMatch",
        "Signature not yet current: ",
        |request| signed_by(&signer(), request, now() + Duration::from_secs(901)),
    ),
    (
        "SignatureDoesNotMatch",
        "Date in Credential scope",
        |request| altered("/20150830/", "/20150831/", request),
    ),
    (
        "SignatureDoesNotMatch",
        "must be a 'SignedHeader'",
        |request| altered("host;", "", request),
    ),
    ("SignatureDoesNotMatch", MISMATCH, |request| {
        let mut request = signed(request);
        *request.body_mut() = Bytes::from_static(b"Action=DeleteQueue");
        request
    }),
    ("SignatureDoesNotMatch", "Signature expired: ", |request| {
        let mut request = presigned(request);
        let target = request.uri().to_string();
        let target = target.replace("20150830T123600Z", "20150830T113559Z");
        *request.uri_mut() = target.parse().expect("a target");
        request
    }),
    (
        "IncompleteSignature",
        "not a valid key=value pair",
        |request| altered("Signature=", "Signature", request),
    ),
    (
        "IncompleteSignature",
        "requires 'Signature' parameter.",
        |request| altered(", Signature=", ", X=", request),
    ),
    (
        "IncompleteSignature",
        "does not exist in the HTTP request",
        |request| altered("SignedHeaders=", "SignedHeaders=absent;", request),
    ),
];

#[tokio::test]
async fn a_signature_is_refused_for_the_same_reasons_in_both_protocols() {
    for (code, part, sign) in REFUSED {
        let status = if *code == "IncompleteSignature" {
            400
        } else {
            403
        };
        for request in in_both() {
            let answer = Harness::new().send(sign(request)).await;
            let (found, found_code, message) = said(&answer);
            assert_eq!((found, &*found_code), (status, *code), "{message}");
            assert!(message.contains(part), "{message}");
        }
    }
}

#[tokio::test]
async fn a_signature_of_before_version_4_is_told_so() {
    let old = "AWSAccessKeyId=test&SignatureVersion=2&SignatureMethod=HmacSHA256\
               &Timestamp=2015-08-30T12%3A36%3A00Z&Signature=AAAA";
    let action = "Action=ListQueues&Version=2012-11-05";
    let message = "The provided security credentials are not valid. Reason: the request is signed \
        with Signature Version 1 or 2, and only Signature Version 4 (AWS4-HMAC-SHA256) is accepted.";
    let log = Log::capture();
    for request in [
        form("/", format!("{action}&{old}")),
        get("/", &format!("{action}&{old}")),
        form("/", format!("{action}&AWSAccessKeyId=test&Signature=AAAA")),
    ] {
        let refused = Harness::new().send(request).await;
        refused.assert_query_error(403, "InvalidSecurity", message);
        let warnings = log.warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let line = "refused: SignatureVersion: the request is signed with Signature Version 1 or 2";
        assert!(warnings[0].contains(line), "{warnings:?}");
    }
    // A parameter of that name alone is no such signature.
    let other = form("/", format!("{action}&Signature=AAAA"));
    let message = "Access to the resource http://localhost:9324/ is denied.";
    let refused = Harness::new().send(other).await;
    refused.assert_query_error(403, "AccessDenied", message);
}

/// A presigned POST signs its body and, as SDKs make it, no type: nobody on the way can have the body
/// left aside by sending it as something else.
#[tokio::test]
async fn a_body_is_not_left_aside_for_a_type_that_is_not_signed() {
    let (harness, _) = with_queue().await;
    let action = format!("{ORDERS}?Action=SetQueueAttributes&Attribute.1.Name=DelaySeconds");
    let mut request = form(&action, "Attribute.1.Value=5");
    let kind = request.headers_mut().remove(header::CONTENT_TYPE);
    let mut request = presigned(request);
    let text = HeaderValue::from_static("text/plain");
    let mut with = |kind: HeaderValue| {
        request.headers_mut().insert(header::CONTENT_TYPE, kind);
        request.clone()
    };
    let refused = harness.send(with(text.clone())).await;
    let message = "'content-type' must be a 'SignedHeader' in the AWS Authorization.";
    refused.assert_query_error(403, "SignatureDoesNotMatch", message);
    let done = harness.send(with(kind.expect("a type"))).await;
    assert_eq!(done.status, 200, "{}", done.text());

    // Nothing is left aside where there is nothing.
    let mut request = form(&format!("{ORDERS}?Action=PurgeQueue"), "");
    request.headers_mut().remove(header::CONTENT_TYPE);
    let mut request = presigned(request);
    request.headers_mut().insert(header::CONTENT_TYPE, text);
    assert_eq!(harness.send(request).await.status, 200);
}

#[tokio::test]
async fn a_body_that_is_not_there_is_refused_in_the_protocol_of_the_head() {
    let harness = Harness::new();
    let length = limits::BODY_BYTES_MAX + 1;
    let too_long = signed(form("/", vec![b'x'; length]));
    let message = "The request's body is longer than 8388608 bytes.";
    let refused = harness.send(too_long).await;
    refused.assert_query_error(413, "MalformedInput", message);
}

#[tokio::test(start_paused = true)]
async fn a_form_that_never_comes_is_given_up() {
    let request = form("/", "").map(|_| Body::new(Never));
    let answer = Harness::new().send_body(request).await;
    let message = "The request's body did not arrive within 30 seconds.";
    answer.assert_query_error(408, "MalformedInput", message);
}

#[tokio::test]
async fn there_is_nothing_at_other_paths() {
    let message = "SQS is served at / and at /&lt;account&gt;/&lt;queue&gt;, and nowhere else.";
    for request in [
        form("/a", "Action=ListQueues"),
        get("/a/b/c", "Action=ListQueues"),
    ] {
        let refused = Harness::new().send(signed(request)).await;
        refused.assert_query_error(404, "InvalidAction", message);
    }
}

#[tokio::test]
async fn other_methods_ask_for_nothing_whatever_their_url_says() {
    for method in [Method::HEAD, Method::PUT, Method::DELETE, Method::OPTIONS] {
        let mut request = get(ORDERS, "Action=DeleteQueue");
        *request.method_mut() = method;
        for request in [request.clone(), signed(request)] {
            let answer = Harness::new().send(request).await;
            assert_eq!(answer.status, 404, "{answer:?}");
        }
    }
    // A client that would rather have JSON gets the same here, as it does from AWS.
    let mut request = get(ORDERS, "Version=2012-11-05");
    let accept = HeaderValue::from_static("application/json");
    request.headers_mut().insert("accept", accept);
    let answer = Harness::new().send(signed(request)).await;
    assert_eq!(answer.text(), "<UnknownOperationException/>\n");
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (404, "text/xml")
    );
}

#[tokio::test]
async fn a_handle_whose_plus_became_a_blank_is_pointed_out() {
    let (harness, _) = with_queue().await;
    let log = Log::capture();
    let entry = "ChangeMessageVisibilityBatchRequestEntry.1";
    let told = "has a blank where a + was: in a form and in a URL a + stands for a blank, so it is \
                sent as %2B (curl does it with --data-urlencode)";
    for (parameters, expected) in [
        (
            "Action=DeleteMessage&ReceiptHandle=AQEB+a/b=".to_owned(),
            Some(format!("ReceiptHandle {told}")),
        ),
        (
            "Action=DeleteMessageBatch&DeleteMessageBatchRequestEntry.1.Id=a\
             &DeleteMessageBatchRequestEntry.1.ReceiptHandle=AQEB+a"
                .to_owned(),
            Some(format!("ReceiptHandle {told}")),
        ),
        (
            format!(
                "Action=ChangeMessageVisibilityBatch&{entry}.Id=a&{entry}.ReceiptHandle=A%20B\
                 &{entry}.VisibilityTimeout=1"
            ),
            Some(format!("ReceiptHandle {told}")),
        ),
        (
            "Action=DeleteMessage&ReceiptHandle=AQEB%2Ba/b=".to_owned(),
            None,
        ),
        (
            "Action=SendMessage&MessageBody=a+b&DelaySeconds=901".to_owned(),
            None,
        ),
    ] {
        post(&harness, ORDERS, &parameters).await;
        let warnings = log.warnings();
        assert_eq!(
            warnings.len(),
            usize::from(expected.is_some()),
            "{parameters}: {warnings:?}"
        );
        if let Some(expected) = expected {
            assert!(warnings[0].ends_with(&expected), "{warnings:?}");
        }
    }
    let task = "Action=CancelMessageMoveTask&TaskHandle=AQEB+a";
    post(&harness, "/", task).await;
    let warnings = log.warnings();
    assert!(
        warnings[0].contains("TaskHandle has a blank"),
        "{warnings:?}"
    );
}
