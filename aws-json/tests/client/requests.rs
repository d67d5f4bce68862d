//! What is sent, and what is made of a success.

use std::time::{Duration, UNIX_EPOCH};

use aws_json::client::{Credentials, Endpoint, Error, Operation, Service};
use aws_json::codec::content_type::Version;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::server::{Answer, KEY, Recorded, SECRET, Server, bounded, builder};

/// 2015-08-30 12:36:00 UTC.
pub(crate) const NOW: Duration = Duration::from_secs(1_440_938_160);

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ReceiveInput {
    queue_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_time_seconds: Option<i32>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReceiveOutput {
    messages: Option<Vec<Message>>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Message {
    body: Option<String>,
    message_id: Option<String>,
}

struct Receive;

impl Operation for Receive {
    const NAME: &'static str = "ReceiveMessage";
    const SAFE_TO_RETRY: bool = true;
    type Input = ReceiveInput;
    type Output = ReceiveOutput;
}

struct Purge;

impl Operation for Purge {
    const NAME: &'static str = "PurgeQueue";
    const SAFE_TO_RETRY: bool = false;
    type Input = ();
    type Output = ();
}

fn receive() -> ReceiveInput {
    ReceiveInput {
        queue_url: Some("q".into()),
        wait_time_seconds: None,
    }
}

/// The headers of a request, sorted, without the signature's value.
fn headers(request: &Recorded) -> Vec<(&str, &str)> {
    let mut headers: Vec<(&str, &str)> = request
        .headers
        .iter()
        .map(|(name, value)| {
            let shown = value.split(", Signature=").next().unwrap();
            (name.as_str(), shown)
        })
        .collect();
    headers.sort_unstable();
    headers
}

/// Verifies a request as a service would.
#[track_caller]
pub(crate) fn verify(request: &Recorded, secret: &str) -> Result<(), sigv4::VerifyError> {
    let target = request.line.split(' ').nth(1).unwrap();
    let headers: Vec<(&str, &[u8])> = request
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    let parts = sigv4::Request::new("POST", target, &headers);
    let claim = sigv4::Claim::parse(&parts).unwrap();
    assert_eq!(claim.access_key_id(), KEY);
    claim
        .verify(
            &parts,
            &request.body,
            &sigv4::SigningKey::derive(&sigv4::Secret::new(secret), claim.scope()),
            UNIX_EPOCH + NOW,
            &sigv4::VerifySettings::default(),
        )
        .map(drop)
}

#[tokio::test]
async fn a_call_is_this_request() {
    let server = Server::start([Answer::ok("{}")]).await;
    let client = server
        .builder()
        .time_source(|| UNIX_EPOCH + NOW)
        .build()
        .unwrap();
    bounded(client.call::<Receive>(&receive())).await.unwrap();

    let request = server.only_request();
    assert_eq!(request.line, "POST / HTTP/1.1");
    assert_eq!(request.body, br#"{"QueueUrl":"q"}"#);
    assert_eq!(
        headers(&request),
        [
            (
                "amz-sdk-invocation-id",
                "00000000-0000-4000-8000-000000000000"
            ),
            ("amz-sdk-request", "attempt=1; max=1"),
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/sqs/aws4_request, \
                 SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target;\
                 x-amzn-query-mode"
            ),
            ("content-length", "16"),
            ("content-type", "application/x-amz-json-1.0"),
            ("host", &*format!("127.0.0.1:{}", server.port())),
            (
                "user-agent",
                concat!("aws-json/", env!("CARGO_PKG_VERSION"))
            ),
            ("x-amz-date", "20150830T123600Z"),
            ("x-amz-target", "AmazonSQS.ReceiveMessage"),
            ("x-amzn-query-mode", "true"),
        ]
    );
    verify(&request, SECRET).unwrap();
    assert!(matches!(
        verify(&request, "another secret"),
        Err(sigv4::VerifyError::SignatureMismatch { .. })
    ));
}

#[tokio::test]
async fn another_service_is_not_sent_the_query_mode() {
    let server = Server::start([Answer::ok("{}")]).await;
    let kms = Service::new("kms", "TrentService").version(Version::V1_1);
    let client = builder(kms, server.url())
        .region("eu-west-1")
        .build()
        .unwrap();
    bounded(client.call_value("list_keys", None)).await.unwrap();

    let request = server.only_request();
    assert_eq!(request.header("content-type"), "application/x-amz-json-1.1");
    assert_eq!(request.header("x-amz-target"), "TrentService.ListKeys");
    assert!(
        !request
            .headers
            .iter()
            .any(|(name, _)| name == "x-amzn-query-mode")
    );
    assert!(
        request
            .header("authorization")
            .contains("/eu-west-1/kms/aws4_request,")
    );
}

#[tokio::test]
async fn a_session_token_is_sent_and_signed() {
    let server = Server::start([Answer::ok("{}")]).await;
    let credentials = Credentials::new(KEY, SECRET).with_session_token("token==");
    let client = server
        .builder()
        .credentials(credentials)
        .time_source(|| UNIX_EPOCH + NOW)
        .build()
        .unwrap();
    bounded(client.call_value("ListQueues", None))
        .await
        .unwrap();

    let request = server.only_request();
    assert_eq!(request.header("x-amz-security-token"), "token==");
    assert!(
        request
            .header("authorization")
            .contains(";x-amz-security-token;")
    );
    verify(&request, SECRET).unwrap();
}

#[tokio::test]
async fn the_endpoints_path_is_kept_and_ends_in_a_slash() {
    for (path, line) in [
        ("", "POST / HTTP/1.1"),
        ("/", "POST / HTTP/1.1"),
        ("/custom", "POST /custom/ HTTP/1.1"),
        ("/a%20b/c/", "POST /a%20b/c/ HTTP/1.1"),
    ] {
        let server = Server::start([Answer::ok("{}")]).await;
        let client = builder(crate::server::sqs(), server.url() + path)
            .time_source(|| UNIX_EPOCH + NOW)
            .build()
            .unwrap();
        bounded(client.call_value("list_queues", None))
            .await
            .unwrap();
        let request = server.only_request();
        assert_eq!(request.line, line);
        verify(&request, SECRET).unwrap();
    }
}

#[tokio::test]
async fn a_host_whose_address_is_given_is_not_looked_up_and_keeps_its_name() {
    let server = Server::start([Answer::ok("{}"), Answer::ok("{}")]).await;
    let address = ([127, 0, 0, 1], server.port()).into();
    // The port counts where the URL has none, and a name has no case.
    for (url, host) in [
        (
            "http://sqs.test.invalid/x".to_owned(),
            "sqs.test.invalid".to_owned(),
        ),
        (
            format!("http://SQS.test.invalid:{}", server.port()),
            format!("SQS.test.invalid:{}", server.port()),
        ),
    ] {
        let client = builder(crate::server::sqs(), url)
            .resolve("Sqs.Test.invalid", address)
            .time_source(|| UNIX_EPOCH + NOW)
            .build()
            .unwrap();
        bounded(client.call_value("list_queues", None))
            .await
            .unwrap();
        let request = server.recorded().pop().unwrap();
        assert_eq!(request.header("host"), host);
        verify(&request, SECRET).unwrap();
    }
}

#[tokio::test]
async fn no_input_is_an_empty_object_and_so_is_an_empty_answer() {
    let server = Server::start([
        Answer::ok(""),
        Answer::ok("{}"),
        Answer::new(204, &[], ""),
        Answer::ok(r#"{"QueueUrls":["q"]}"#),
    ])
    .await;
    let client = server.client();
    assert_eq!(
        bounded(client.call_value("list_queues", None))
            .await
            .unwrap(),
        json!({})
    );
    let null = Value::Null;
    assert_eq!(
        bounded(client.call_value("list_queues", Some(&null)))
            .await
            .unwrap(),
        json!({})
    );
    let empty = json!({});
    assert_eq!(
        bounded(client.call_value("ListQueues", Some(&empty)))
            .await
            .unwrap(),
        json!({})
    );
    let input = json!({"MaxResults": 1, "Empty": null});
    assert_eq!(
        bounded(client.call_value("list_queues", Some(&input)))
            .await
            .unwrap(),
        json!({"QueueUrls": ["q"]})
    );
    let bodies: Vec<_> = server
        .recorded()
        .into_iter()
        .map(|r| String::from_utf8(r.body).unwrap())
        .collect();
    assert_eq!(
        bodies,
        ["{}", "{}", "{}", r#"{"Empty":null,"MaxResults":1}"#]
    );
}

#[tokio::test]
async fn an_operation_may_have_no_input_and_no_output() {
    let server = Server::start([
        Answer::ok(""),
        Answer::ok("{}"),
        Answer::ok(r#"{"Unexpected":[{"member":null}]}"#),
    ])
    .await;
    let client = server.client();
    for _ in 0..3 {
        bounded(client.call::<Purge>(&())).await.unwrap();
    }
    assert!(
        server
            .recorded()
            .iter()
            .all(|request| request.body == b"{}")
    );
}

#[tokio::test]
async fn an_output_is_read_whatever_the_answers_content_type_says() {
    let body = r#"{"Messages":[{"Body":"hi","MessageId":null,"Other":1}],"Other":{}}"#;
    let server = Server::start([
        Answer::ok(body),
        Answer::new(200, &[("content-type", "text/plain")], body),
        Answer::raw(format!("HTTP/1.1 200 OK\r\n\r\n{body}")),
        Answer::raw(format!(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            body.len()
        )),
        Answer::ok("{}"),
    ])
    .await;
    let client = server.client();
    let expected = ReceiveOutput {
        messages: Some(vec![Message {
            body: Some("hi".into()),
            message_id: None,
        }]),
    };
    for _ in 0..4 {
        assert_eq!(
            bounded(client.call::<Receive>(&receive())).await.unwrap(),
            expected
        );
    }
    // A member that is left out reads as none.
    assert_eq!(
        bounded(client.call::<Receive>(&receive())).await.unwrap(),
        ReceiveOutput { messages: None }
    );
}

#[tokio::test]
async fn calls_one_after_another_share_a_connection_and_clones_share_the_pool() {
    let server = Server::start((0..3).map(|_| Answer::ok("{}"))).await;
    let client = server.client();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    bounded(client.clone().call_value("list_queues", None))
        .await
        .unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    assert!(
        server
            .recorded()
            .iter()
            .all(|request| request.connection == 0)
    );
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_idle_is_replaced() {
    let closing = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    let server = Server::start([Answer::raw(closing), Answer::ok("{}")]).await;
    let client = server.client();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    let connections: Vec<_> = server.recorded().iter().map(|r| r.connection).collect();
    assert_eq!(connections, [0, 1]);
}

#[tokio::test]
async fn every_call_is_signed_for_its_own_time() {
    use std::sync::atomic::{AtomicU64, Ordering};

    let server = Server::start([Answer::ok("{}"), Answer::ok("{}")]).await;
    let seconds = AtomicU64::new(NOW.as_secs());
    let client = server
        .builder()
        .time_source(move || {
            // It is read twice for each call: when it is sent, and when its answer comes.
            UNIX_EPOCH + Duration::from_secs(seconds.fetch_add(43_200, Ordering::Relaxed))
        })
        .build()
        .unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    let dates: Vec<_> = server
        .recorded()
        .iter()
        .map(|r| r.header("x-amz-date").to_owned())
        .collect();
    assert_eq!(dates, ["20150830T123600Z", "20150831T123600Z"]);
    assert!(
        server.recorded()[1]
            .header("authorization")
            .contains("/20150831/")
    );
}

#[tokio::test]
async fn a_name_or_an_input_that_cannot_be_sent_is_an_error_before_anything_is_sent() {
    let server = Server::start([]).await;
    let client = server.client();
    for name in ["", "_", "list queues", "a.b", "élan"] {
        let error = bounded(client.call_value(name, None)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the call cannot be sent: the operation in X-Amz-Target is not made of ASCII \
             letters, digits and underscores",
            "{name}"
        );
        assert_eq!(
            (error.status(), error.code(), error.fault()),
            (None, None, None)
        );
    }
    let list = json!([1]);
    let error = bounded(client.call_value("list_queues", Some(&list)))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the input cannot be sent: the value is not written as a JSON object; a body must be one"
    );
    assert!(server.recorded().is_empty());
}

#[tokio::test]
async fn a_client_shows_no_secret() {
    let server = Server::start([]).await;
    let credentials = Credentials::new(KEY, SECRET).with_session_token("the-token");
    let client = server.builder().credentials(credentials).build().unwrap();
    let shown = format!("{client:?}");
    assert!(
        shown.contains("us-east-1") && shown.contains(&server.url()),
        "{shown}"
    );
    assert!(
        !shown.contains("wJalr") && !shown.contains("the-token"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_client_its_calls_and_its_errors_may_change_threads() {
    fn may_change_threads<T: Send>(value: T) -> T {
        value
    }
    let server = Server::start([Answer::ok("{}"), Answer::new(400, &[], "")]).await;
    let client = server.client();
    let (first, second) = (client.clone(), client);
    let first = tokio::spawn(async move { first.call::<Receive>(&receive()).await });
    bounded(first).await.unwrap().unwrap();
    let call = may_change_threads(second.call_value("list_queues", None));
    let error: Box<dyn std::error::Error + Send + Sync> = bounded(call).await.unwrap_err().into();
    assert!(error.downcast_ref::<Error>().is_some());
}

#[tokio::test]
async fn a_call_goes_to_another_endpoint_over_the_same_connections() {
    let servers = [
        Server::start([Answer::ok("{}"), Answer::ok("{}")]).await,
        Server::start([Answer::ok("{}"), Answer::ok("{}")]).await,
    ];
    let client = servers[0].client();
    for _ in 0..2 {
        bounded(client.call_value("x", None)).await.unwrap();
        let url = format!("{}/path", servers[1].url());
        let endpoint = Endpoint::new(&url)
            .unwrap()
            .with_region("eu-west-3")
            .unwrap();
        let elsewhere = client.at(endpoint);
        assert_eq!(elsewhere.endpoint_url(), format!("{url}/"));
        bounded(elsewhere.call_value("x", None)).await.unwrap();
    }
    for (server, line, region) in [
        (&servers[0], "POST / HTTP/1.1", "us-east-1"),
        (&servers[1], "POST /path/ HTTP/1.1", "eu-west-3"),
    ] {
        assert_eq!(server.connections(), [0, 0]);
        let request = &server.recorded()[0];
        assert_eq!(request.line, line);
        assert_eq!(request.header("host"), server.url().replace("http://", ""));
        let scope = format!("/{region}/sqs/aws4_request");
        assert!(request.header("authorization").contains(&scope));
    }
}
