//! The metrics over the router, read as Prometheus reads them.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use http::{Method, Request, header};
use serde_json::json;
use sigv4::{Credentials, Signer};

use super::OTHERS;
use crate::FakeSqs;
use crate::http::limits;
use crate::testing::{HOST, Harness, call, now, signed_by};

/// A text in Prometheus's format, version 0.0.4, taken apart: the kind of each metric, and the value
/// of each series.
struct Scrape {
    kinds: BTreeMap<String, String>,
    series: BTreeMap<(String, BTreeMap<String, String>), f64>,
}

impl Scrape {
    #[track_caller]
    fn parse(text: &str) -> Self {
        let (mut kinds, mut helped) = (BTreeMap::new(), BTreeSet::new());
        let mut series = BTreeMap::new();
        assert!(text.ends_with('\n'), "the last line must end");
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, words) = help.split_once(' ').expect(line);
                assert!(
                    !words.is_empty() && helped.insert(name.to_owned()),
                    "{line}"
                );
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect(line);
                assert!(matches!(kind, "counter" | "gauge" | "histogram"), "{line}");
                assert!(
                    kinds.insert(name.to_owned(), kind.to_owned()).is_none(),
                    "{line}"
                );
            } else {
                let (named, value) = line.rsplit_once(' ').expect(line);
                let (name, labels) = named.split_once('{').unwrap_or((named, "}"));
                assert!(
                    name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
                    "{line}"
                );
                let known = ["", "_bucket", "_sum", "_count"].iter().any(|end| {
                    name.strip_suffix(end)
                        .is_some_and(|name| kinds.contains_key(name))
                });
                assert!(known, "no TYPE before {line}");
                let labels = Self::labels(labels.strip_suffix('}').expect(line));
                let value = value.parse().expect(line);
                assert!(
                    series.insert((name.to_owned(), labels), value).is_none(),
                    "{line}"
                );
            }
        }
        Self { kinds, series }
    }

    /// No value that is tested here has a quote or a comma.
    fn labels(text: &str) -> BTreeMap<String, String> {
        let labels = text.split(',').filter(|label| !label.is_empty());
        labels
            .map(|label| {
                let (name, value) = label.split_once('=').expect(text);
                let value = value
                    .strip_prefix('"')
                    .and_then(|value| value.strip_suffix('"'));
                (name.to_owned(), value.expect(text).to_owned())
            })
            .collect()
    }

    fn get(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.series
            .get(&(name.to_owned(), labels.collect()))
            .copied()
    }
}

async fn scrape(harness: &Harness) -> Scrape {
    let request = Request::builder()
        .method(Method::GET)
        .uri("/_fake/metrics")
        .header(header::HOST, HOST)
        .body(Bytes::new())
        .expect("a request");
    let answer = harness.send(request).await;
    assert_eq!(answer.status, 200);
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    assert_eq!(answer.header("content-type"), content_type);
    Scrape::parse(answer.text())
}

#[tokio::test]
async fn what_happens_is_counted() {
    let harness = Harness::new();
    let url = "http://localhost:9324/000000000000/orders";
    harness
        .call("CreateQueue", &json!({"QueueName": "orders"}))
        .await;
    for delay in [0, 0, 900] {
        let input = json!({"QueueUrl": url, "MessageBody": "a", "DelaySeconds": delay});
        harness.call("SendMessage", &input).await;
    }
    harness
        .call("ReceiveMessage", &json!({"QueueUrl": url}))
        .await;
    harness
        .call("ReceiveMessage", &json!({"QueueUrl": "absent"}))
        .await;
    let wrong = Signer::new(Credentials::new("test", "wrong"), "us-east-1", "sqs");
    harness
        .send(signed_by(&wrong, call("ListQueues", &json!({})), now()))
        .await;

    let scrape = scrape(&harness).await;
    let requests = |action, outcome| {
        scrape.get(
            "fake_sqs_requests_total",
            &[("action", action), ("outcome", outcome)],
        )
    };
    assert_eq!(requests("SendMessage", "ok"), Some(3.0));
    assert_eq!(requests("ReceiveMessage", "ok"), Some(1.0));
    assert_eq!(requests("ReceiveMessage", "QueueDoesNotExist"), Some(1.0));
    assert_eq!(
        requests("ListQueues", "InvalidSignatureException"),
        Some(1.0)
    );
    let refused = [("reason", "Signature")];
    assert_eq!(
        scrape.get("fake_sqs_refused_signatures_total", &refused),
        Some(1.0)
    );
    for (state, count) in [("visible", 1.0), ("delayed", 1.0), ("in_flight", 1.0)] {
        let labels = [
            ("account", "000000000000"),
            ("region", "us-east-1"),
            ("queue", "orders"),
            ("state", state),
        ];
        assert_eq!(
            scrape.get("fake_sqs_messages", &labels),
            Some(count),
            "{state}"
        );
    }
    // Refused signatures do not reach the engine.
    assert_eq!(
        scrape.get("fake_sqs_engine_duration_seconds_count", &[]),
        Some(6.0)
    );
    let all = [("le", "+Inf")];
    assert_eq!(
        scrape.get("fake_sqs_engine_duration_seconds_bucket", &all),
        Some(6.0)
    );
    assert!(scrape.get("fake_sqs_engine_duration_seconds_sum", &[]) > Some(0.0));
    assert_eq!(scrape.get("fake_sqs_queues", &[]), Some(1.0));
    assert_eq!(scrape.get("fake_sqs_waiting_polls", &[]), Some(0.0));
    assert_eq!(scrape.get("fake_sqs_connections", &[]), Some(0.0));
    assert_eq!(scrape.get("fake_sqs_journal_requests", &[]), Some(7.0));
    assert!(scrape.get("fake_sqs_journal_bytes", &[]) > Some(1_000.0));
}

#[tokio::test]
async fn the_kinds_are_those_that_the_names_promise() {
    let harness = Harness::new();
    harness.call("ListQueues", &json!({})).await;
    let scrape = scrape(&harness).await;
    for (name, kind) in &scrape.kinds {
        assert!(name.starts_with("fake_sqs_"), "{name}");
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name} {kind}");
    }
    let kind = |name: &str| scrape.kinds.get(name).map(String::as_str);
    assert_eq!(kind("fake_sqs_requests_total"), Some("counter"));
    assert_eq!(kind("fake_sqs_engine_duration_seconds"), Some("histogram"));
    assert_eq!(kind("fake_sqs_connections"), Some("gauge"));
}

#[tokio::test]
async fn waiting_polls_are_shown_while_they_wait() {
    let harness = Harness::new();
    harness
        .call("CreateQueue", &json!({"QueueName": "orders"}))
        .await;
    let poll = json!({"QueueUrl": "orders", "WaitTimeSeconds": 20});
    let mut receive = std::pin::pin!(harness.call("ReceiveMessage", &poll));
    tokio::select! {
        biased;
        answer = &mut receive => panic!("{answer:?}"),
        () = tokio::task::yield_now() => {}
    }
    assert_eq!(
        scrape(&harness).await.get("fake_sqs_waiting_polls", &[]),
        Some(1.0)
    );
}

#[tokio::test]
async fn of_very_many_queues_the_rest_is_summed_up() {
    let harness = Harness::with(FakeSqs::builder().seed(1));
    let beyond = 3;
    for n in 0..limits::METRICS_QUEUES_MAX + beyond {
        let name = format!("q{n:05}");
        harness
            .call("CreateQueue", &json!({"QueueName": name}))
            .await;
        let input = json!({"QueueUrl": name, "MessageBody": "a"});
        assert_eq!(harness.call("SendMessage", &input).await.status, 200);
    }
    let scrape = scrape(&harness).await;
    let messages = scrape
        .series
        .keys()
        .filter(|(name, _)| name == "fake_sqs_messages");
    assert_eq!(messages.count(), (limits::METRICS_QUEUES_MAX + 1) * 3);
    let others = [
        ("account", ""),
        ("region", ""),
        ("queue", OTHERS),
        ("state", "visible"),
    ];
    assert_eq!(scrape.get("fake_sqs_messages", &others), Some(3.0));
}

#[tokio::test]
async fn faults_that_are_met_are_counted_by_their_kind() {
    let harness = Harness::new();
    let body = r#"{"action":"ListQueues","times":2,"fault":{"kind":"throttle"}}"#;
    let request = Request::builder()
        .method(Method::POST)
        .uri("/_fake/faults")
        .header(header::HOST, HOST)
        .body(Bytes::from_static(body.as_bytes()));
    assert_eq!(harness.send(request.expect("a request")).await.status, 200);
    for _ in 0..3 {
        harness.call("ListQueues", &json!({})).await;
    }
    let scrape = scrape(&harness).await;
    let hits = scrape.get("fake_sqs_fault_hits_total", &[("kind", "throttle")]);
    assert_eq!(hits, Some(2.0));
    let done = [("action", "ListQueues"), ("outcome", "ok")];
    assert_eq!(scrape.get("fake_sqs_requests_total", &done), Some(1.0));
}
