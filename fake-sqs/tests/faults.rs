//! Faults over real sockets, met by the client of `sqs`, which tries again what is safe to.

use std::time::Duration;

use fake_sqs::{FakeSqs, Fault, Operation};
use sqs::{
    Client, CreateQueueInput, DeleteMessageInput, Message, ReceiveMessageInput, SendMessageInput,
};
use tokio::time::timeout;

/// How long anything here may take.
const BOUND: Duration = Duration::from_secs(60);

fn client(server: &FakeSqs) -> Client {
    let transport = Client::builder()
        .endpoint(server.endpoint_url())
        .region(server.region())
        .credentials(server.credentials())
        .build();
    Client::new(transport.expect("a client"))
}

async fn create(client: &Client, name: &str) -> String {
    let mut input = CreateQueueInput::new(name);
    if name.ends_with(".fifo") {
        let fifo = ("FifoQueue".to_owned(), "true".to_owned());
        input.attributes = Some([fifo].into());
    }
    let created = timeout(BOUND, client.create_queue(input)).await;
    let created = created.expect("in time").expect("created");
    created.queue_url.expect("a URL")
}

async fn receive(client: &Client, input: ReceiveMessageInput) -> Vec<Message> {
    let received = timeout(BOUND, client.receive_message(input)).await;
    received.expect("in time").expect("received").messages
}

fn all(url: &str) -> ReceiveMessageInput {
    let mut input = ReceiveMessageInput::new(url);
    input.max_number_of_messages = Some(10);
    input
}

fn bodies(messages: &[Message]) -> Vec<&str> {
    let bodies = messages.iter().map(|message| message.body.as_deref());
    bodies.map(Option::unwrap_or_default).collect()
}

#[tokio::test]
async fn a_connection_is_closed_before_or_after_the_call_took_effect() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let url = create(&client, "orders").await;
    let send = async |body: &str| {
        let sent = timeout(
            BOUND,
            client.send_message(SendMessageInput::new(&url, body)),
        )
        .await;
        sent.expect("in time")
    };
    // Sending is not safe to repeat, so the client gives up and says so.
    {
        let before = server.fault(Fault::close_before().on(Operation::SendMessage));
        let error = send("A").await.expect_err("no answer");
        assert_eq!(error.status(), None, "{error}");
        assert_eq!(before.hits(), 1);
    }
    {
        let after = server.fault(Fault::close_after().on(Operation::SendMessage));
        let error = send("B").await.expect_err("no answer");
        assert_eq!(error.status(), None, "{error}");
        assert_eq!(after.hits(), 1);
    }
    send("C").await.expect("the faults are gone");
    assert_eq!(bodies(&receive(&client, all(&url)).await), ["B", "C"]);
}

#[tokio::test]
async fn what_is_safe_to_repeat_survives_a_lost_reply() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let url = create(&client, "orders").await;
    let send = SendMessageInput::new(&url, "A");
    client.send_message(send).await.expect("sent");
    let received = receive(&client, all(&url)).await;
    let handle = received[0].receipt_handle.as_deref().expect("a handle");

    let lost = server.fault(Fault::close_after().on(Operation::DeleteMessage).times(1));
    let delete = client.delete_message(DeleteMessageInput::new(&url, handle));
    timeout(BOUND, delete)
        .await
        .expect("in time")
        .expect("the client tries again");
    assert_eq!(lost.hits(), 1);
}

#[tokio::test]
async fn a_fifo_send_that_is_repeated_after_a_lost_reply_gives_one_message() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let url = create(&client, "orders.fifo").await;
    let mut input = SendMessageInput::new(&url, "A");
    input.message_group_id = Some("g".to_owned());
    input.message_deduplication_id = Some("d".to_owned());

    let lost = server.fault(Fault::close_after().group("g").times(1));
    let first = timeout(BOUND, client.send_message(input.clone())).await;
    first.expect("in time").expect_err("no answer");
    assert_eq!(lost.hits(), 1);
    let second = timeout(BOUND, client.send_message(input)).await;
    let second = second.expect("in time").expect("sent");

    let received = receive(&client, all(&url)).await;
    assert_eq!(bodies(&received), ["A"]);
    assert_eq!(received[0].message_id, second.message_id);
}

#[tokio::test]
async fn an_attempt_id_gives_again_what_a_lost_reply_gave() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let url = create(&client, "orders.fifo").await;
    for body in ["A", "B"] {
        let mut input = SendMessageInput::new(&url, body);
        input.message_group_id = Some("g".to_owned());
        input.message_deduplication_id = Some(body.to_owned());
        client.send_message(input).await.expect("sent");
    }
    let lost = server.fault(Fault::close_after().on(Operation::ReceiveMessage).times(1));
    let mut input = all(&url);
    input.receive_request_attempt_id = Some("attempt-1".to_owned());
    // The client tries again by itself. Without the id it would get nothing: the messages are in
    // flight, for somebody who does not have them.
    assert_eq!(bodies(&receive(&client, input).await), ["A", "B"]);
    assert_eq!(lost.hits(), 1);
    assert_eq!(bodies(&receive(&client, all(&url)).await), [""; 0]);
}

#[tokio::test]
async fn a_receive_loses_its_reply_if_it_gives_a_certain_message() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let url = create(&client, "orders").await;
    let poison = Fault::close_after().on(Operation::ReceiveMessage);
    let lost = server.fault(poison.body_containing("poison").times(1));
    for body in ["good", "poison"] {
        let send = SendMessageInput::new(&url, body);
        client.send_message(send).await.expect("sent");
    }
    let one = || ReceiveMessageInput::new(&url);
    assert_eq!(bodies(&receive(&client, one()).await), ["good"]);
    assert_eq!(lost.hits(), 0);
    // The reply with the other one is lost, and the client, which tries again, finds nothing.
    assert_eq!(bodies(&receive(&client, one()).await), [""; 0]);
    assert_eq!(lost.hits(), 1);
}

#[tokio::test]
async fn a_guard_takes_its_fault_along_unless_it_is_to_stay() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let refused = async || {
        client
            .list_queues(sqs::ListQueuesInput::default())
            .await
            .is_err()
    };
    let guard = server.fault(Fault::error("AccessDenied"));
    assert!(refused().await);
    assert_eq!((guard.id(), guard.hits()), (1, 1));
    drop(guard);
    assert!(!refused().await);
    server.fault(Fault::error("AccessDenied")).keep();
    assert!(refused().await);
}

#[tokio::test]
#[should_panic(expected = "there can be no such fault: queue: duplicate is for standard queues")]
async fn a_fault_that_cannot_be_panics_where_it_is_made() {
    let server = FakeSqs::start().await;
    server.fault(Fault::duplicate().queue("q.fifo")).keep();
}

#[tokio::test]
async fn a_poll_that_is_delayed_and_hangs_up_takes_nothing() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let url = create(&client, "orders").await;
    let send = SendMessageInput::new(&url, "A");
    client.send_message(send).await.expect("sent");
    {
        let delayed =
            server.fault(Fault::delay(Duration::from_secs(60)).on(Operation::ReceiveMessage));
        let taken_up = async {
            while delayed.hits() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            answer = client.receive_message(all(&url)) => panic!("it is delayed: {answer:?}"),
            taken_up = timeout(BOUND, taken_up) => taken_up.expect("in time"),
        }
    }
    assert_eq!(bodies(&receive(&client, all(&url)).await), ["A"]);
}

#[tokio::test]
async fn a_short_delay_and_a_slow_body_are_no_harm() {
    let server = FakeSqs::start().await;
    let client = client(&server);
    let moment = Duration::from_millis(10);
    let delayed = server.fault(Fault::delay(moment));
    let slow = server.fault(Fault::slow_body(moment));
    let url = create(&client, "orders").await;
    assert!(url.ends_with("/000000000000/orders"));
    assert_eq!((delayed.hits(), slow.hits()), (1, 1));
}

#[tokio::test]
async fn a_signature_that_does_not_hold_is_refused_before_any_fault() {
    let server = FakeSqs::start().await;
    let close = server.fault(Fault::close_before());
    let transport = Client::builder()
        .endpoint(server.endpoint_url())
        .region(server.region())
        .credentials(sigv4::Credentials::new("test", "wrong"))
        .build();
    let client = Client::new(transport.expect("a client"));
    let refused = client.list_queues(sqs::ListQueuesInput::default()).await;
    let error = refused.expect_err("the secret is wrong");
    let status = error.status().map(|status| status.as_u16());
    assert_eq!(status, Some(403), "{error}");
    assert_eq!(close.hits(), 0);
}
