//! The Query protocol over the router: forms and URLs in, XML or JSON out.

mod refused;
mod surroundings;

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use serde_json::json;
use sigv4::Payload;

use super::with_queue;
use crate::testing::{Answer, HOST, Harness, form, now, signed, signer};

const NAMESPACE: &str = "http://queue.amazonaws.com/doc/2012-11-05/";

/// The path of the queue `orders`.
const ORDERS: &str = "/000000000000/orders";

/// What stands between the tags of the only element of this name.
#[track_caller]
fn text_in<'a>(answer: &'a Answer, tag: &str) -> &'a str {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let parts: Vec<&str> = answer.text().split(open.as_str()).collect();
    assert_eq!(parts.len(), 2, "{tag} in {}", answer.text());
    parts[1].split(close.as_str()).next().expect("a part")
}

/// Asserts that an answer is a success, whole: `result` is what the result's element holds, or none
/// where there is no such element.
#[track_caller]
fn assert_done(answer: &Answer, action: &str, result: Option<&str>) {
    let request_id = answer.header("x-amzn-requestid");
    assert_eq!(request_id.len(), 36);
    let result = result.map_or(String::new(), |result| {
        format!("<{action}Result>{result}</{action}Result>")
    });
    let expected = format!(
        "<?xml version=\"1.0\"?><{action}Response xmlns=\"{NAMESPACE}\">{result}\
         <ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{action}Response>"
    );
    assert_eq!(answer.text(), expected);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "text/xml");
}

/// A GET with these parameters, not signed.
fn get(path: &str, parameters: &str) -> Request<Bytes> {
    Request::get(format!("{path}?{parameters}"))
        .header("host", HOST)
        .body(Bytes::new())
        .expect("a request")
}

/// A request presigned for an hour.
fn presigned(mut request: Request<Bytes>) -> Request<Bytes> {
    let body = request.body().clone();
    sigv4::presign_request(
        &signer(),
        &mut request,
        Payload::Bytes(&body),
        now(),
        Duration::from_secs(3_600),
    )
    .expect("presigned");
    request
}

/// A signed form's answer.
async fn post(harness: &Harness, path: &str, parameters: &str) -> Answer {
    let request = form(path, Bytes::copy_from_slice(parameters.as_bytes()));
    harness.send(signed(request)).await
}

#[tokio::test]
async fn a_message_goes_through() {
    let harness = Harness::new();
    let created = post(&harness, "/", "Action=CreateQueue&QueueName=orders").await;
    let url = "http://localhost:9324/000000000000/orders";
    let result = format!("<QueueUrl>{url}</QueueUrl>");
    assert_done(&created, "CreateQueue", Some(&result));

    let parameters = "Action=SendMessage&Version=2012-11-05&MessageBody=a+%3Cb%3E+%26+%C3%A9%0D";
    let sent = post(&harness, ORDERS, parameters).await;
    let id = text_in(&sent, "MessageId").to_owned();
    let digest = text_in(&sent, "MD5OfMessageBody").to_owned();
    let result =
        format!("<MD5OfMessageBody>{digest}</MD5OfMessageBody><MessageId>{id}</MessageId>");
    assert_done(&sent, "SendMessage", Some(&result));

    let parameters = format!("Action=ReceiveMessage&QueueUrl={url}&AttributeName.1=SenderId");
    let received = post(&harness, "/", &parameters).await;
    let handle = text_in(&received, "ReceiptHandle").to_owned();
    let result = format!(
        "<Message><MessageId>{id}</MessageId><ReceiptHandle>{handle}</ReceiptHandle>\
         <MD5OfBody>{digest}</MD5OfBody><Body>a &lt;b&gt; &amp; \u{e9}&#13;</Body>\
         <Attribute><Name>SenderId</Name><Value>000000000000</Value></Attribute></Message>"
    );
    assert_done(&received, "ReceiveMessage", Some(&result));

    let handle = handle
        .replace('+', "%2B")
        .replace('/', "%2F")
        .replace('=', "%3D");
    let parameters = format!("Action=DeleteMessage&ReceiptHandle={handle}");
    assert_done(
        &post(&harness, ORDERS, &parameters).await,
        "DeleteMessage",
        None,
    );
    let none = post(&harness, ORDERS, "Action=ReceiveMessage").await;
    assert_done(&none, "ReceiveMessage", Some(""));
}

#[tokio::test]
async fn a_presigned_get_is_performed() {
    let (harness, _) = with_queue().await;
    let action = "Action=SendMessage&MessageBody=by%20a%20link&Version=2012-11-05";
    let sent = harness.send(presigned(get(ORDERS, action))).await;
    assert_eq!(sent.status, 200, "{}", sent.text());
    let id = text_in(&sent, "MessageId");

    // Header-signed, and about the same queue.
    let received = get(ORDERS, "Action=ReceiveMessage&VisibilityTimeout=0");
    for request in [signed(received.clone()), presigned(received)] {
        let received = harness.send(request).await;
        assert_eq!(text_in(&received, "Body"), "by a link");
        assert_eq!(text_in(&received, "MessageId"), id);
    }

    let mut other = presigned(get(ORDERS, action));
    let target = other.uri().to_string().replace("a%20link", "nobody");
    *other.uri_mut() = target.parse().expect("a target");
    let refused = harness.send(other).await;
    assert_eq!(refused.status, 403);
    assert_eq!(text_in(&refused, "Code"), "SignatureDoesNotMatch");
}

#[tokio::test]
async fn parameters_may_be_in_the_url_of_a_post_and_in_its_body() {
    let (harness, _) = with_queue().await;
    let in_both = format!("{ORDERS}?Action=SendMessage&DelaySeconds=0");
    let posted = form(&in_both, "MessageBody=one");
    let presigned = presigned(form(&in_both, "MessageBody=two"));
    let mut untyped = form(&in_both, "MessageBody=three");
    untyped.headers_mut().remove("content-type");
    for request in [signed(posted), presigned, signed(untyped)] {
        let sent = harness.send(request).await;
        assert_eq!(sent.status, 200, "{}", sent.text());
    }
    let input = json!({"QueueUrl": "orders", "MaxNumberOfMessages": 10});
    let received = harness.call("ReceiveMessage", &input).await.json();
    let messages = received["Messages"].as_array().expect("messages");
    let bodies: Vec<_> = messages.iter().map(|message| &message["Body"]).collect();
    assert_eq!(bodies, ["one", "two", "three"]);

    // What is no form by its type is not read as one.
    let mut text = form(&in_both, "MessageBody=four");
    let value = http::HeaderValue::from_static("text/plain");
    text.headers_mut().insert("content-type", value);
    let message = "The request must contain the parameter MessageBody.";
    let refused = harness.send(signed(text)).await;
    refused.assert_query_error(400, "MissingParameter", message);
    // Nor is the body of a GET, whatever its type.
    let mut got = form(&in_both, "MessageBody=five");
    *got.method_mut() = http::Method::GET;
    let refused = harness.send(signed(got)).await;
    refused.assert_query_error(400, "MissingParameter", message);
}

#[tokio::test]
async fn a_queue_is_the_one_that_the_parameter_names_and_else_the_one_of_the_path() {
    let (harness, _) = with_queue().await;
    let others = post(&harness, "/", "Action=CreateQueue&QueueName=others").await;
    let others = text_in(&others, "QueueUrl").to_owned();
    let arn = |name| {
        let value = format!("arn:aws:sqs:us-east-1:000000000000:{name}");
        format!("<Attribute><Name>QueueArn</Name><Value>{value}</Value></Attribute>")
    };
    let asks = "Action=GetQueueAttributes&AttributeName=QueueArn";
    let by_path = post(&harness, ORDERS, asks).await;
    assert_done(&by_path, "GetQueueAttributes", Some(&arn("orders")));
    let by_both = format!("{asks}&QueueUrl={others}");
    let by_both = post(&harness, ORDERS, &by_both).await;
    assert_done(&by_both, "GetQueueAttributes", Some(&arn("others")));

    // This one is answered at any queue's path.
    let url = post(&harness, ORDERS, "Action=GetQueueUrl&QueueName=others").await;
    assert_eq!(text_in(&url, "QueueUrl"), others);

    let nowhere = post(&harness, "/", asks).await;
    let message = "The specified queue does not exist for this wsdl version.";
    nowhere.assert_query_error(400, "AWS.SimpleQueueService.NonExistentQueue", message);
}

#[tokio::test]
async fn a_batch_says_of_each_entry_what_became_of_it() {
    let (harness, _) = with_queue().await;
    let parameters = "Action=SendMessageBatch&SendMessageBatchRequestEntry.1.Id=a\
        &SendMessageBatchRequestEntry.1.MessageBody=one\
        &SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=b\
        &SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=Binary\
        &SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.BinaryValue=AAE%3D\
        &SendMessageBatchRequestEntry.7.Id=b\
        &SendMessageBatchRequestEntry.7.MessageBody=%07";
    let sent = post(&harness, ORDERS, parameters).await;
    let failed = "<BatchResultErrorEntry><Id>b</Id><SenderFault>true</SenderFault>\
        <Code>InvalidMessageContents</Code><Message>";
    assert!(sent.text().contains(failed), "{}", sent.text());
    let done = "<SendMessageBatchResultEntry><Id>a</Id>";
    assert!(sent.text().contains(done), "{}", sent.text());

    let asks = "Action=ReceiveMessage&MessageAttributeName.1=All";
    let received = post(&harness, ORDERS, asks).await;
    let attribute = "<MessageAttribute><Name>b</Name><Value><BinaryValue>AAE=</BinaryValue>\
        <DataType>Binary</DataType></Value></MessageAttribute>";
    assert!(received.text().contains(attribute), "{}", received.text());
}

/// A signed form's answer for a client that would rather have JSON, and the answer without the id
/// that is in it and in its header.
async fn as_json(harness: &Harness, path: &str, parameters: &str) -> serde_json::Value {
    let mut request = form(path, Bytes::copy_from_slice(parameters.as_bytes()));
    let accept = http::HeaderValue::from_static("application/json, text/plain, */*");
    request.headers_mut().insert("accept", accept);
    let answer = harness.send(signed(request)).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let id = answer.header("x-amzn-requestid");
    let text = answer.text();
    assert_eq!(text.matches(id).count(), 1, "{text}");
    serde_json::from_str(&text.replace(id, "ID")).expect("JSON")
}

#[tokio::test]
async fn a_client_that_would_rather_have_json_gets_it() {
    let (harness, url) = with_queue().await;
    let metadata = json!({"RequestId": "ID"});
    let sent = as_json(&harness, ORDERS, "Action=SendMessage&MessageBody=hello").await;
    let id = sent["SendMessageResponse"]["SendMessageResult"]["MessageId"].clone();
    let result = json!({
        "MD5OfMessageAttributes": null,
        "MD5OfMessageBody": "5d41402abc4b2a76b9719d911017c592",
        "MD5OfMessageSystemAttributes": null,
        "MessageId": id,
        "SequenceNumber": null,
    });
    let expected = json!({"SendMessageResult": result, "ResponseMetadata": metadata});
    assert_eq!(sent, json!({ "SendMessageResponse": expected }));

    let received = as_json(&harness, ORDERS, "Action=ReceiveMessage").await;
    let received = &received["ReceiveMessageResponse"]["ReceiveMessageResult"];
    let handle = received["messages"][0]["ReceiptHandle"].clone();
    let message = json!({
        "Attributes": null,
        "Body": "hello",
        "MD5OfBody": "5d41402abc4b2a76b9719d911017c592",
        "MD5OfMessageAttributes": null,
        "MessageAttributes": null,
        "MessageId": id,
        "ReceiptHandle": handle,
    });
    assert_eq!(*received, json!({ "messages": [message] }));

    let purged = as_json(&harness, ORDERS, "Action=PurgeQueue").await;
    let expected = json!({"PurgeQueueResponse": {"ResponseMetadata": metadata}});
    assert_eq!(purged, expected);
    let none = as_json(&harness, ORDERS, "Action=ReceiveMessage").await;
    let expected =
        json!({"ReceiveMessageResult": {"messages": null}, "ResponseMetadata": metadata});
    assert_eq!(none, json!({ "ReceiveMessageResponse": expected }));

    let listed = as_json(&harness, "/", "Action=ListQueues").await;
    let expected = json!({"NextToken": null, "queueUrls": [url]});
    assert_eq!(listed["ListQueuesResponse"]["ListQueuesResult"], expected);
    let asks = "Action=GetQueueAttributes&AttributeName.1=DelaySeconds";
    let attributes = as_json(&harness, ORDERS, asks).await;
    let expected = json!({"Attributes": [{"Name": "DelaySeconds", "Value": "0"}]});
    let attributes = &attributes["GetQueueAttributesResponse"]["GetQueueAttributesResult"];
    assert_eq!(*attributes, expected);
}

#[tokio::test]
async fn what_nests_is_nested_in_json_too() {
    let (harness, _) = with_queue().await;
    post(
        &harness,
        ORDERS,
        "Action=TagQueue&Tag.1.Key=team&Tag.1.Value=",
    )
    .await;
    let tags = as_json(&harness, ORDERS, "Action=ListQueueTags").await;
    assert_eq!(
        tags["ListQueueTagsResponse"]["ListQueueTagsResult"],
        json!({"Tags": [{"Key": "team", "Value": ""}]})
    );
    let entry = "Action=SendMessageBatch&SendMessageBatchRequestEntry.1";
    let sends = format!(
        "{entry}.Id=a&SendMessageBatchRequestEntry.1.MessageBody=m\
         &SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=n\
         &SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=Number\
         &SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringValue=7"
    );
    let sent = as_json(&harness, ORDERS, &sends).await;
    let sent = &sent["SendMessageBatchResponse"]["SendMessageBatchResult"];
    assert_eq!(sent["Failed"], json!(null));
    assert_eq!(sent["Successful"][0]["Id"], "a");
    assert_eq!(sent["Successful"][0]["SequenceNumber"], json!(null));

    let asks = "Action=ReceiveMessage&AttributeName.1=ApproximateReceiveCount\
                &MessageAttributeName.1=n";
    let received = as_json(&harness, ORDERS, asks).await;
    let received = &received["ReceiveMessageResponse"]["ReceiveMessageResult"];
    let message = &received["messages"][0];
    assert_eq!(
        message["Attributes"],
        json!([{"Name": "ApproximateReceiveCount", "Value": "1"}])
    );
    let value = json!({
        "BinaryListValues": null, "BinaryValue": null, "DataType": "Number",
        "StringListValues": null, "StringValue": "7",
    });
    assert_eq!(
        message["MessageAttributes"],
        json!([{"Name": "n", "Value": value}])
    );

    let failed = as_json(&harness, "/", "Action=GetQueueUrl&QueueName=none").await;
    let expected = json!({
        "Error": {
            "Code": "AWS.SimpleQueueService.NonExistentQueue",
            "Message": "The specified queue does not exist for this wsdl version.",
            "Type": "Sender",
        },
        "RequestId": "ID",
    });
    assert_eq!(failed, expected);
}
