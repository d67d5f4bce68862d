//! Hours and days over a real socket, with nobody sleeping: the queues' time is moved.

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::operation::receive_message::builders::ReceiveMessageFluentBuilder;
use aws_sdk_sqs::types::MessageSystemAttributeName::{self, *};
use aws_sdk_sqs::types::{Message, QueueAttributeName};
use bytes::Bytes;
use conformance::bound::{patiently, within};
use conformance::raw::{self, Signature};
use conformance::wire::Wire;
use conformance::{clock, on_each_wire, sdk};
use fake_sqs::FakeSqs;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

on_each_wire! {
    half_a_day_two_weeks_and_five_minutes_pass_at_once,
    polls_that_wait_are_answered_as_they_would_have_been,
    signatures_stay_on_real_time,
}

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
const MILLISECOND: f64 = 0.001;

/// Asks the control interface, as a script in any language would.
async fn control(server: &FakeSqs, method: Method, path: &str, body: Value) -> Value {
    let mut request = raw::get(server, path).map(|_| Bytes::from(body.to_string()));
    *request.method_mut() = method;
    let answer = raw::send(server, request).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.json()
}

async fn freeze(server: &FakeSqs) -> i64 {
    let clock = control(server, Method::POST, "/_fake/clock/freeze", json!({})).await;
    clock["now"].as_i64().expect("milliseconds")
}

async fn advance(server: &FakeSqs, seconds: f64) {
    let body = json!({ "seconds": seconds });
    control(server, Method::POST, "/_fake/clock/advance", body).await;
}

/// What can be seen of a queue.
async fn look(server: &FakeSqs, name: &str) -> Value {
    let path = format!("/_fake/queues/000000000000/us-east-1/{name}");
    control(server, Method::GET, &path, json!({})).await
}

async fn counts(server: &FakeSqs, name: &str) -> Value {
    look(server, name).await["counts"].take()
}

async fn create(sqs: &Client, name: &str, attributes: &[(QueueAttributeName, &str)]) -> String {
    let mut call = sqs.create_queue().queue_name(name);
    for (name, value) in attributes {
        call = call.attributes(name.clone(), *value);
    }
    let created = within(call.send()).await.expect("created");
    created.queue_url.expect("its URL")
}

async fn send(sqs: &Client, url: &str, body: &str) {
    let call = sqs.send_message().queue_url(url).message_body(body);
    within(call.send()).await.expect("sent");
}

/// A receive that asks for all that there is to know of a message.
fn receiving(sqs: &Client, url: &str) -> ReceiveMessageFluentBuilder {
    let call = sqs.receive_message().queue_url(url);
    call.message_system_attribute_names(All)
}

async fn receive(sqs: &Client, url: &str) -> Vec<Message> {
    let received = within(receiving(sqs, url).send()).await;
    received.expect("an answer").messages.unwrap_or_default()
}

/// Starts a long poll, and returns once it is one of `count` that wait at the queue `name`.
async fn poll(
    server: &FakeSqs,
    (sqs, name, url): (&Client, &str, &str),
    count: usize,
) -> JoinHandle<Vec<Message>> {
    let call = receiving(sqs, url).wait_time_seconds(20);
    let poll = tokio::spawn(async move {
        let received = call.send().await.expect("an answer");
        received.messages.unwrap_or_default()
    });
    let waits = async {
        while look(server, name).await["waiting_polls"] != count {
            tokio::task::yield_now().await;
        }
    };
    within(waits).await;
    poll
}

async fn answer(poll: JoinHandle<Vec<Message>>) -> Vec<Message> {
    within(poll).await.expect("no panic")
}

fn attribute<'a>(message: &'a Message, name: &MessageSystemAttributeName) -> &'a str {
    let attributes = message.attributes().expect("attributes");
    attributes.get(name).map_or("", String::as_str)
}

async fn twelve_hours_of_a_visibility_timeout(server: &FakeSqs, sqs: &Client) {
    let url = create(
        sqs,
        "slow",
        &[(QueueAttributeName::VisibilityTimeout, "43200")],
    )
    .await;
    send(sqs, &url, "a").await;
    assert_eq!(receive(sqs, &url).await.len(), 1);
    advance(server, 12.0 * HOUR - MILLISECOND).await;
    assert_eq!(receive(sqs, &url).await.len(), 0, "it is in flight");
    advance(server, MILLISECOND).await;
    let again = receive(sqs, &url).await;
    assert_eq!(attribute(&again[0], &ApproximateReceiveCount), "2");
}

async fn fourteen_days_of_retention(server: &FakeSqs, sqs: &Client) {
    let url = create(
        sqs,
        "kept",
        &[(QueueAttributeName::MessageRetentionPeriod, "1209600")],
    )
    .await;
    send(sqs, &url, "a").await;
    advance(server, 14.0 * DAY - MILLISECOND).await;
    let kept = json!({"visible": 1, "delayed": 0, "in_flight": 0});
    assert_eq!(counts(server, "kept").await, kept);
    advance(server, MILLISECOND).await;
    let gone = json!({"visible": 0, "delayed": 0, "in_flight": 0});
    assert_eq!(counts(server, "kept").await, gone);
    assert_eq!(receive(sqs, &url).await.len(), 0);
}

async fn five_minutes_of_deduplication(server: &FakeSqs, sqs: &Client) {
    let url = create(sqs, "once.fifo", &[(QueueAttributeName::FifoQueue, "true")]).await;
    let send = async || {
        let call = sqs.send_message().queue_url(&url).message_body("a");
        let call = call.message_group_id("g").message_deduplication_id("d");
        let sent = within(call.send()).await.expect("accepted");
        sent.message_id.expect("an id")
    };
    let first = send().await;
    advance(server, 5.0 * MINUTE - MILLISECOND).await;
    assert_eq!(send().await, first, "it is remembered");
    advance(server, MILLISECOND).await;
    assert_ne!(send().await, first, "five minutes after the first send");
    assert_eq!(counts(server, "once.fifo").await["visible"], 2);
}

/// In real time it takes less than the shortest of the times that pass.
async fn half_a_day_two_weeks_and_five_minutes_pass_at_once(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let all = async {
        // Or the time that the calls take would pass for the queues as well.
        freeze(&server).await;
        twelve_hours_of_a_visibility_timeout(&server, &sqs).await;
        fourteen_days_of_retention(&server, &sqs).await;
        five_minutes_of_deduplication(&server, &sqs).await;
    };
    patiently(Box::pin(all)).await;
}

async fn polls_that_wait_are_answered_as_they_would_have_been(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "q", &[(QueueAttributeName::VisibilityTimeout, "5")]).await;
    let empty = create(&sqs, "empty", &[]).await;
    let frozen = freeze(&server).await;
    let late = sqs.send_message().queue_url(&url).message_body("late");
    within(late.delay_seconds(10).send()).await.expect("sent");
    let first = poll(&server, (&sqs, "q", &url), 1).await;
    let second = poll(&server, (&sqs, "q", &url), 2).await;
    let third = poll(&server, (&sqs, "q", &url), 3).await;
    let nothing = poll(&server, (&sqs, "empty", &empty), 1).await;

    advance(&server, 19.0).await;
    // The delay ends for the first, whose timeout ends for the second; the third would have the
    // message a second later, when its wait is over.
    let (first, second) = (answer(first).await, answer(second).await);
    for (received, count) in [(&first, "1"), (&second, "2")] {
        assert_eq!(received.len(), 1);
        assert_eq!(received[0].body.as_deref(), Some("late"));
        let [seen, at] = [ApproximateReceiveCount, ApproximateFirstReceiveTimestamp]
            .map(|name| attribute(&received[0], &name));
        assert_eq!((seen, at), (count, &*(frozen + 10_000).to_string()));
    }
    assert!(!third.is_finished() && !nothing.is_finished());
    assert_eq!(
        look(&server, "q").await["polls"][0]["ends_at"],
        frozen + 20_000
    );

    advance(&server, 1.0).await;
    let third = answer(third).await;
    assert_eq!(attribute(&third[0], &ApproximateReceiveCount), "3");
    assert_eq!(answer(nothing).await, []);
    assert_eq!(look(&server, "q").await["waiting_polls"], 0);
}

async fn signatures_stay_on_real_time(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    advance(&server, DAY).await;
    create(&sqs, "q", &[]).await;
    freeze(&server).await;
    let ahead = Signature {
        at: clock::now() + Duration::from_secs(24 * 3_600),
        ..Signature::default()
    };
    let answer = wire
        .send(&server, ahead.sign(wire.call(&server, "ListQueues", "{}")))
        .await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(
        answer.message().starts_with("Signature not yet current: "),
        "{answer:?}"
    );
}
