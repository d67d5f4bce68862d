//! A server in this process: looked into, reached into, and moved in time.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fake_sqs::inside::{ClockMode, State};
use fake_sqs::{Configuration, ControlError, FakeSqs, Rules, Timestamp};
use sqs::{Client, GetQueueUrlInput, MessageAttributeValue, ReceiveMessageInput, SendMessageInput};

/// Longer than anything here takes.
const BOUND: Duration = Duration::from_secs(60);

fn client(server: &FakeSqs) -> Client {
    let client = Client::builder()
        .endpoint(server.endpoint_url())
        .region(server.region())
        .credentials(server.credentials())
        .build();
    Client::new(client.expect("a client"))
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(flavor = "current_thread")]
async fn a_queue_is_looked_into_and_reached_into() {
    let server = FakeSqs::start().await;
    let orders = server.create_queue("orders").await.expect("created");
    assert_eq!(
        orders.url(),
        format!("{}/000000000000/orders", server.endpoint_url())
    );
    assert_eq!(
        orders.address().to_string(),
        "000000000000/us-east-1/orders"
    );
    server.freeze().await.expect("frozen");
    let id = orders.send("hello").await.expect("sent");
    let input = SendMessageInput {
        message_body: Some("late".to_owned()),
        delay_seconds: Some(60),
        message_attributes: Some([("color".into(), MessageAttributeValue::string("blue"))].into()),
        ..SendMessageInput::default()
    };
    let late = orders.send_message(input).await.expect("sent");
    let received = client(&server)
        .receive_message(ReceiveMessageInput::new(orders.url()))
        .await
        .expect("received");
    assert_eq!(received.messages[0].message_id, Some(id.to_string()));

    let counts = orders.counts().await.expect("counted");
    assert_eq!(
        (counts.visible, counts.delayed, counts.in_flight),
        (0, 1, 1)
    );
    let held = orders.messages(State::InFlight).await.expect("seen");
    assert_eq!(held[0].receipt_handle, received.messages[0].receipt_handle);
    assert_eq!(held[0].visible_at, Some(server.now().after(seconds(30))));
    assert_eq!(held[0].receive_count, 1);
    let delayed = orders.messages(State::Delayed).await.expect("seen");
    assert_eq!((delayed[0].id, &*delayed[0].body), (late, "late"));
    assert_eq!(
        delayed[0].message_attributes["color"],
        MessageAttributeValue::string("blue")
    );

    orders.release(late).await.expect("released");
    orders.release(id).await.expect("released");
    let visible = orders.messages(State::Visible).await.expect("seen");
    assert_eq!(visible.len(), 2);
    orders.delete_message(id).await.expect("deleted");
    let again = orders.delete_message(id).await;
    assert!(matches!(again, Err(ControlError::NoMessage { id: gone, .. }) if gone == id));
    orders.purge().await.expect("purged");
    assert!(orders.all_messages().await.expect("seen").is_empty());

    orders.delete().await.expect("deleted");
    let gone = orders.counts().await.expect_err("it is gone");
    assert_eq!(
        gone.to_string(),
        "there is no queue orders in us-east-1 of account 000000000000; \
         GET /_fake/queues lists those there are"
    );
}

#[tokio::test(flavor = "current_thread")]
async fn a_servers_region_is_that_of_its_queues_and_clients() {
    let text = "region = 'eu-west-1'\n[[queues]]\nname = 'orders'";
    let configuration = Configuration::parse("fake-sqs.toml", text).expect("right");
    let builder = FakeSqs::builder().configuration(configuration);
    let server = builder.clone().start().await.expect("started");
    assert_eq!(server.region(), "eu-west-1");
    let orders = server.queue("orders");
    let client = client(&server);
    let found = client.get_queue_url(GetQueueUrlInput::new("orders")).await;
    let found = found.expect("declared");
    assert_eq!(found.queue_url, Some(orders.url()));
    orders.send("hello").await.expect("it is there");

    // What is given in code wins, here as everywhere.
    let server = builder.region("eu-north-1").start().await.expect("started");
    assert_eq!(server.region(), "eu-north-1");
    server.queue("orders").send("hello").await.expect("sent");
}

#[tokio::test(flavor = "current_thread")]
async fn a_fifo_queue_shows_its_groups_and_what_it_remembers() {
    let server = FakeSqs::start().await;
    let queue = server.queue("q.fifo").in_region("eu-west-1");
    queue
        .create([("FifoQueue", "true")])
        .await
        .expect("created");
    let refused = queue.send("no group").await.expect_err("it needs one");
    assert!(matches!(refused, ControlError::Refused(_)), "{refused}");
    // More than are shown at once.
    for number in 0..1_001 {
        let input = SendMessageInput {
            message_body: Some(number.to_string()),
            message_group_id: Some(format!("{number:04}")),
            message_deduplication_id: Some(number.to_string()),
            ..SendMessageInput::default()
        };
        queue.send_message(input).await.expect("sent");
    }
    let groups = queue.groups().await.expect("seen");
    assert_eq!(groups.len(), 1_001);
    assert_eq!((&*groups[1_000].name, groups[1_000].messages), ("1000", 1));
    assert_eq!(groups[0].blocked_by, None);
    let ids = queue.deduplication_ids().await.expect("seen");
    assert_eq!((ids.len(), &*ids[1_000].id), (1_001, "1000"));
    let messages = queue.all_messages().await.expect("seen");
    assert_eq!((messages.len(), &*messages[1_000].body), (1_001, "1000"));
    let elsewhere = server.queue("q.fifo").counts().await;
    assert!(matches!(elsewhere, Err(ControlError::NoQueue(_))));
}

#[tokio::test(flavor = "current_thread")]
async fn dead_letters_come_back_as_time_passes() {
    let server = FakeSqs::builder()
        .rules(Rules::Relaxed)
        .start()
        .await
        .expect("started");
    let dead = server.create_queue("dead").await.expect("created");
    let arn = dead.describe().await.expect("seen").arn;
    let policy = format!(r#"{{"deadLetterTargetArn":"{arn}","maxReceiveCount":1}}"#);
    let queue = server.queue("q");
    let attributes = [
        ("RedrivePolicy", policy.as_str()),
        ("VisibilityTimeout", "0"),
    ];
    queue.create(attributes).await.expect("created");
    queue.send("m").await.expect("sent");
    let sqs = client(&server);
    for _ in 0..2 {
        let receive = ReceiveMessageInput::new(queue.url());
        sqs.receive_message(receive).await.expect("received");
    }
    assert_eq!(dead.counts().await.expect("counted").visible, 1);
    server.freeze().await.expect("frozen");
    dead.redrive().await.expect("started");
    assert_eq!(queue.counts().await.expect("counted").visible, 0);
    server
        .advance(Duration::from_millis(10))
        .await
        .expect("advanced");
    assert_eq!(queue.counts().await.expect("counted").visible, 1);
    let refused = queue.redrive().await.expect_err("no dead-letter queue");
    assert!(matches!(refused, ControlError::Refused(_)), "{refused}");
}

#[tokio::test(flavor = "current_thread")]
async fn time_is_frozen_moved_and_resumed() {
    let server = FakeSqs::start().await;
    let frozen = server.freeze().await.expect("frozen");
    assert_eq!((frozen.mode, server.now()), (ClockMode::Frozen, frozen.now));
    let moved = server.advance(seconds(1_000_000)).await.expect("advanced");
    assert_eq!(moved.now, frozen.now.after(seconds(1_000_000)));
    let resumed = server.resume().await.expect("resumed");
    assert_eq!(resumed.mode, ClockMode::Running);
    assert!(resumed.now >= moved.now);
    assert!((990_000_000..=1_000_000_000).contains(&resumed.offset_millis));
    server.create_queue("orders").await.expect("created");
    server.reset().await.expect("reset");
    assert!(server.queue("orders").counts().await.is_err());
    assert!(server.now() < frozen.now.after(seconds(1_000)));
    let too_far = server.advance(Duration::MAX).await;
    assert!(matches!(too_far, Err(ControlError::TooFar)));
    assert!(server.now() < Timestamp::from_millis(253_402_300_800_000));
}

/// A test's runtime may be able to do nothing, and its only thread may be blocked, while a client on
/// another one waits for an answer.
#[test]
fn a_blocked_test_does_not_starve_the_server() {
    let runtime = || {
        let builder = &mut tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime")
    };
    // Neither time nor IO.
    let bare = tokio::runtime::Builder::new_current_thread().build();
    let bare = bare.expect("a runtime");
    let server = bare.block_on(FakeSqs::start());
    bare.block_on(server.freeze()).expect("frozen");
    let orders = bare
        .block_on(server.create_queue("orders"))
        .expect("created");
    let (sqs, url) = (client(&server), orders.url());
    let (sender, answered) = mpsc::channel();
    let poll = thread::spawn(move || {
        let receive = ReceiveMessageInput {
            wait_time_seconds: Some(20),
            ..ReceiveMessageInput::new(url)
        };
        let answer = runtime().block_on(sqs.receive_message(receive));
        sender
            .send(answer.expect("an answer").messages)
            .expect("the test waits");
    });
    while bare.block_on(orders.waiting_polls()).expect("counted") == 0 {
        assert!(!poll.is_finished(), "it was to wait");
        thread::yield_now();
    }
    bare.block_on(server.advance(seconds(20)))
        .expect("advanced");
    assert!(answered.recv_timeout(BOUND).expect("an answer").is_empty());
    poll.join().expect("no panic");
}

#[tokio::test(flavor = "current_thread")]
async fn a_handle_outlives_its_server_and_says_so() {
    let server = FakeSqs::start().await;
    let orders = server.create_queue("orders").await.expect("created");
    drop(server);
    let stopped = orders.counts().await.expect_err("it has stopped");
    assert!(matches!(stopped, ControlError::Stopped), "{stopped}");
}
