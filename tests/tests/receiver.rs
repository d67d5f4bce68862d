//! The receiver loop against our own server, over sockets and by the real clock.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use conformance::bound::{patiently, within};
use fake_sqs::FakeSqs;
use sqs::client::Credentials;
use sqs::receiver::{OnFailure, Receiver, Stats};
use sqs::{Client, CreateQueueInput, GetQueueAttributesInput, Message};
use tokio::sync::watch;

/// How many messages the long test has.
const MESSAGES: usize = 100_000;

fn client(server: &FakeSqs) -> Client {
    let transport = Client::builder()
        .endpoint(server.endpoint_url())
        .region(server.region())
        .credentials(Credentials::new(
            server.credentials().access_key_id(),
            server.credentials().secret_access_key(),
        ))
        .build()
        .expect("a client");
    Client::new(transport).check_md5()
}

async fn create<const N: usize>(sqs: &Client, name: &str, attributes: [(&str, &str); N]) -> String {
    let input = CreateQueueInput {
        attributes: Some(
            attributes
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        ),
        ..CreateQueueInput::new(name)
    };
    let created = within(sqs.create_queue(input)).await.expect("a queue");
    created.queue_url.expect("its URL")
}

/// The messages that are visible and those that are in flight.
async fn counts(sqs: &Client, url: &str) -> (usize, usize) {
    let names = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
    ];
    let output = within(sqs.get_queue_attributes(GetQueueAttributesInput::new(url, names)))
        .await
        .expect("attributes");
    let [visible, in_flight] = names.map(|name| output.attributes[name].parse().expect("a number"));
    (visible, in_flight)
}

/// What handlers have done, in order, repetitions left out; and a way to wait for it.
struct Done {
    all: Mutex<(HashSet<String>, Vec<String>)>,
    count: watch::Sender<usize>,
}

impl Done {
    fn new() -> Arc<Done> {
        Arc::new(Done {
            all: Mutex::default(),
            count: watch::Sender::new(0),
        })
    }

    fn note(&self, what: String) {
        let mut all = self.all.lock().expect("what was done");
        if all.0.insert(what.clone()) {
            all.1.push(what);
            self.count.send_replace(all.1.len());
        }
    }

    fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// However long it takes in all, it must go on.
    async fn reaches(&self, count: usize) {
        let mut counts = self.count.subscribe();
        while *counts.borrow_and_update() < count {
            let changed = patiently(counts.changed()).await;
            assert!(changed.is_ok(), "the sender is here");
        }
    }

    fn in_order(&self) -> Vec<String> {
        self.all.lock().expect("what was done").1.clone()
    }
}

/// Runs a receiver until so much is done. It looks itself, so that it stops there and not when a test
/// comes round to tell it.
async fn run<H, F>(receiver: Receiver, done: &Arc<Done>, stop_at: usize, handler: H) -> Stats
where
    H: Fn(Message) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    let looked_at = Arc::clone(done);
    let task = tokio::spawn(async move {
        let stop = looked_at.reaches(stop_at);
        receiver.run_until(stop, handler).await
    });
    done.reaches(stop_at).await;
    patiently(task).await.expect("it does not panic")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_messages_through_stops_and_starts() {
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(&sqs, "many", []).await;
    let mut ids = Vec::new();
    for start in (0..MESSAGES).step_by(1_000) {
        let bodies = (start..start + 1_000).map(|number| format!("message {number}"));
        let report = patiently(sqs.batches(&url).send(bodies)).await;
        let results = report.into_results().into_iter();
        ids.extend(results.map(|result| result.expect("it is sent").message_id));
    }
    assert_eq!(ids.len(), MESSAGES);

    let done = Done::new();
    let mut total = 0;
    // Stopped in the middle of its work each time, the last time when it is done.
    for stop_at in [10_000, 25_000, 50_000, 75_000, MESSAGES] {
        let receiver = Receiver::new(sqs.clone(), &url)
            .concurrency(200)
            .receives(3)
            .visibility_timeout(Duration::from_secs(600))
            .wait_time(Duration::from_secs(1))
            .batch_delay(Duration::from_millis(20));
        let noted = Arc::clone(&done);
        let stats = run(receiver, &done, stop_at, move |message| {
            let noted = Arc::clone(&noted);
            async move {
                // Others get their turn in the middle of a handler.
                tokio::task::yield_now().await;
                noted.note(message.message_id.ok_or("no id")?);
                Ok(())
            }
        })
        .await;
        assert_eq!(stats.received, stats.handled + stats.unhandled, "{stats:?}");
        assert_eq!(stats.handled, stats.deleted, "{stats:?}");
        assert_eq!(stats.failed_receives, 0, "{stats:?}");
        total += stats.deleted;
        // What is not handled is in the queue and visible: nothing is lost, nothing is held.
        let left = MESSAGES - done.count();
        assert_eq!(counts(&sqs, &url).await, (left, 0), "{stats:?}");
        assert!(
            stop_at == MESSAGES || left > 0,
            "it was stopped in the middle"
        );
    }
    assert_eq!(total, MESSAGES as u64);
    let handled: HashSet<String> = done.in_order().into_iter().collect();
    for id in &ids {
        assert!(handled.contains(id), "{id} was deleted and not handled");
    }
    assert_eq!(handled.len(), MESSAGES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_that_fail_panic_and_outlast_the_visibility_timeout() {
    const EACH: usize = 25;
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(&sqs, "troubled", []).await;
    let bodies = ["fail", "panic", "slow", "fine"].into_iter().cycle();
    let numbered = bodies
        .zip(0..4 * EACH)
        .map(|(body, number)| format!("{body} {number}"));
    assert!(sqs.batches(&url).send(numbered).await.is_success());

    let begun: Arc<Mutex<HashMap<String, u32>>> = Arc::default();
    let done = Done::new();
    let events: Arc<AtomicUsize> = Arc::default();
    let counted = Arc::clone(&events);
    let receiver = Receiver::new(sqs.clone(), &url)
        .concurrency(4 * EACH)
        .receives(2)
        .wait_time(Duration::from_secs(1))
        .visibility_timeout(Duration::from_secs(2))
        .on_failure(OnFailure::Show)
        .hook(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
    let (handler_begun, noted) = (Arc::clone(&begun), Arc::clone(&done));
    let stats = run(receiver, &done, 4 * EACH, move |message| {
        let (begun, noted) = (Arc::clone(&handler_begun), Arc::clone(&noted));
        async move {
            let body = message.body.expect("a body");
            let times = {
                let mut begun = begun.lock().expect("what was begun");
                let times = begun.entry(body.clone()).or_default();
                *times += 1;
                *times
            };
            match body.split(' ').next() {
                Some("fail") if times <= 2 => return Err("not yet".to_owned()),
                // Without a word on the terminal.
                Some("panic") if times == 1 => std::panic::resume_unwind(Box::new("expected")),
                // More than twice what it is hidden for, and the machine's standing still is no part of it.
                Some("slow") => {
                    for _ in 0..90 {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                }
                Some(_) | None => {}
            }
            noted.note(body);
            Ok(())
        }
    })
    .await;
    assert_eq!(counts(&sqs, &url).await, (0, 0));
    // A machine that stands still for a second may have SQS give a message twice.
    assert!(stats.handled >= 4 * EACH as u64, "{stats:?}");
    assert_eq!(stats.deleted, stats.handled, "{stats:?}");
    assert_eq!(stats.failed, 3 * EACH as u64, "{stats:?}");
    assert!(events.load(Ordering::Relaxed) >= 3 * EACH);
    assert!(stats.extended >= 2 * EACH as u64, "{stats:?}");
    for (body, times) in begun.lock().expect("what was begun").iter() {
        let expected = match body.split(' ').next() {
            Some("fail") => 3,
            Some("panic") => 2,
            Some(_) | None => 1,
        };
        assert!(*times >= expected, "{body}: {times}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_of_a_fifo_queue_in_order_with_failures_and_a_stop() {
    const GROUPS: usize = 8;
    const EACH: usize = 25;
    let server = FakeSqs::start().await;
    let sqs = client(&server);
    let url = create(
        &sqs,
        "orders.fifo",
        [("FifoQueue", "true"), ("ContentBasedDeduplication", "true")],
    )
    .await;
    let entries = (0..GROUPS * EACH).map(|number| sqs::SendMessageBatchRequestEntry {
        message_group_id: Some((number % GROUPS).to_string()),
        ..format!("{} {}", number % GROUPS, number / GROUPS).into()
    });
    assert!(sqs.batches(&url).send(entries).await.is_success());

    let done = Done::new();
    let failed: Arc<Mutex<Vec<String>>> = Arc::default();
    for stop_at in [GROUPS * EACH / 2, GROUPS * EACH] {
        let receiver = Receiver::new(sqs.clone(), &url)
            .concurrency(40)
            .wait_time(Duration::from_secs(1));
        let (handled, failing) = (Arc::clone(&done), Arc::clone(&failed));
        let stats = run(receiver, &done, stop_at, move |message| {
            let (done, failed) = (Arc::clone(&handled), Arc::clone(&failing));
            async move {
                let body = message.body.expect("a body");
                tokio::task::yield_now().await;
                let mut failed = failed.lock().expect("what failed");
                if body.ends_with('7') && !failed.contains(&body) {
                    failed.push(body);
                    return Err("not yet".to_owned());
                }
                done.note(body);
                Ok(())
            }
        })
        .await;
        assert_eq!(stats.handled, stats.deleted, "{stats:?}");
    }
    assert_eq!(counts(&sqs, &url).await, (0, 0));
    let order = done.in_order();
    for group in 0..GROUPS {
        let prefix = format!("{group} ");
        let numbers: Vec<usize> = order
            .iter()
            .filter_map(|body| body.strip_prefix(&prefix))
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert_eq!(numbers, (0..EACH).collect::<Vec<_>>(), "group {group}");
    }
}
