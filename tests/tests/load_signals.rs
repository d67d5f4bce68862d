//! The load tool is interrupted: it leaves no queues, says what it does, and ends at once when it is told twice.
#![cfg(unix)]

use std::process::{Output, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::any;
use conformance::bound::patiently;
use conformance::sdk;
use conformance::wire::Wire;
use fake_sqs::FakeSqs;
use http::HeaderMap;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

/// A run of an hour.
fn load(endpoint: &str, queues: &str) -> Child {
    let options = ["--seconds", "3600", "--queues", queues];
    Command::new(env!("CARGO_BIN_EXE_load"))
        .args(["--key", "test", "--secret", "test", "--endpoint", endpoint])
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the load tool")
}

async fn terminate(load: &Child) {
    let id = load.id().expect("it runs").to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status().await;
    assert!(killed.expect("kill").success());
}

fn said(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn queues_that_are_being_made_are_deleted_again() {
    let server = FakeSqs::start().await;
    let client = sdk::client(&server, Wire::Json);
    let load = load(&server.endpoint_url(), "10000");
    let listed = || async { client.list_queues().send().await.expect("a list") };
    let one_is_there = async { while listed().await.queue_urls().is_empty() {} };
    patiently(one_is_there).await;
    terminate(&load).await;
    let output = patiently(load.wait_with_output())
        .await
        .expect("its output");
    let said = said(&output);
    assert!(said.contains("load: interrupted; deleting "), "{said}");
    assert!(said.contains(" with names load-"), "{said}");
    assert_eq!(listed().await.queue_urls(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_what_the_first_one_began() {
    let calls = Arc::new(Calls::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new()
        .fallback(any(answer))
        .with_state(Arc::clone(&calls));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    let load = load(&endpoint, "1");
    let _first = patiently(calls.others.acquire()).await.expect("open");
    terminate(&load).await;
    let _deletion = patiently(calls.deletions.acquire()).await.expect("open");
    terminate(&load).await;
    let output = patiently(load.wait_with_output())
        .await
        .expect("its output");
    let said = said(&output);
    assert!(
        said.contains("load: interrupted; deleting 1 queue with names load-"),
        "{said}"
    );
    assert!(said.contains("load: interrupted again"), "{said}");
}

/// What an SQS was called that makes queues, and answers nothing else.
struct Calls {
    deletions: Semaphore,
    others: Semaphore,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            deletions: Semaphore::new(0),
            others: Semaphore::new(0),
        }
    }
}

async fn answer(State(calls): State<Arc<Calls>>, headers: HeaderMap) -> &'static str {
    match headers["x-amz-target"].as_bytes() {
        b"AmazonSQS.CreateQueue" => return r#"{"QueueUrl": "http://localhost/0/q"}"#,
        b"AmazonSQS.DeleteQueue" => calls.deletions.add_permits(1),
        _ => calls.others.add_permits(1),
    }
    std::future::pending().await
}
