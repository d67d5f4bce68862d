//! Inputs that are sent as gzip.

use std::io::Read;
use std::time::UNIX_EPOCH;

use aws_json::client::config::Environment;
use aws_json::client::{Builder, Compression, Operation};
use serde_json::json;

use crate::requests::{NOW, verify};
use crate::server::{Answer, Recorded, SECRET, Server, bounded};

/// An operation whose service takes its input compressed.
struct Put;

impl Operation for Put {
    const NAME: &'static str = "PutMetricData";
    const SAFE_TO_RETRY: bool = true;
    const TAKES_GZIP: bool = true;
    type Input = serde_json::Value;
    type Output = ();
}

/// One that is told nothing of compression.
struct Plain;

impl Operation for Plain {
    const NAME: &'static str = "PutMetricData";
    const SAFE_TO_RETRY: bool = true;
    type Input = serde_json::Value;
    type Output = ();
}

/// What is sent, answer by answer, for an input of so many bytes.
async fn sent<O: Operation<Input = serde_json::Value>>(
    len: usize,
    answers: Vec<Answer>,
    set: impl FnOnce(Builder) -> Builder,
) -> Vec<Recorded> {
    let server = Server::start(answers).await;
    let builder = server.builder().time_source(|| UNIX_EPOCH + NOW);
    let client = set(builder).build().unwrap();
    let input = json!({"data": "x".repeat(len - r#"{"data":""}"#.len())});
    bounded(client.call::<O>(&input)).await.unwrap();
    server.recorded()
}

fn is_encoded(request: &Recorded) -> bool {
    let mut names = request.headers.iter().map(|(name, _)| name);
    names.any(|name| name == "content-encoding")
}

fn unzipped(request: &Recorded) -> String {
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&request.body[..]);
    decoder.read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn a_large_input_is_sent_as_gzip_and_signed_so_in_each_attempt() {
    let answers = vec![Answer::new(503, &[], ""), Answer::ok("")];
    let requests = sent::<Put>(10_240, answers, |builder| builder.max_attempts(2)).await;
    assert_eq!(requests.len(), 2);
    for request in &requests {
        assert_eq!(request.header("content-encoding"), "gzip");
        assert_eq!(request.header("content-type"), "application/x-amz-json-1.0");
        let length = request.body.len().to_string();
        assert_eq!(request.header("content-length"), length);
        let signed = request.header("authorization");
        assert!(
            signed.contains("SignedHeaders=content-encoding;"),
            "{signed}"
        );
        verify(request, SECRET).unwrap();
        let text = unzipped(request);
        assert!(text.len() == 10_240 && request.body.len() < 1_000);
        assert!(text.starts_with(r#"{"data":"xx"#) && text.ends_with("xx\"}"));
    }
}

#[tokio::test]
async fn what_is_small_or_not_taken_compressed_is_sent_as_it_is() {
    let ok = || vec![Answer::ok("")];
    let environment = Environment::from_iter([("AWS_DISABLE_REQUEST_COMPRESSION", "true")]);
    let limit = |builder: Builder| builder.compression(Compression::From(100));
    for requests in [
        sent::<Put>(10_239, ok(), |builder| builder).await,
        sent::<Plain>(20_000, ok(), |builder| builder).await,
        sent::<Plain>(20_000, ok(), limit).await,
        sent::<Put>(99, ok(), limit).await,
        sent::<Put>(20_000, ok(), |b| b.compression(Compression::Off)).await,
        sent::<Put>(20_000, ok(), |b| b.environment(&environment)).await,
    ] {
        assert!(!is_encoded(&requests[0]));
        assert!(requests[0].body.starts_with(br#"{"data":"xx"#));
    }
    // The code counts before the environment.
    let both = sent::<Put>(100, ok(), |b| limit(b).environment(&environment)).await;
    assert_eq!(unzipped(&both[0]).len(), 100);
    let server = Server::start(ok()).await;
    let client = limit(server.builder()).build().unwrap();
    let input = json!({"data": "x".repeat(1_000)});
    let call = client.call_value("put_metric_data", Some(&input));
    bounded(call).await.unwrap();
    assert!(!is_encoded(&server.only_request()));
}
