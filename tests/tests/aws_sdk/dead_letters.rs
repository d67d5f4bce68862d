//! Dead-letter queues, and the tasks that move messages out of them.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{
    ListMessageMoveTasksResultEntry, Message, MessageSystemAttributeName, QueueAttributeName,
};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::FakeSqs;

use crate::{arn, bodies, create, receive, refused, send};

on_each_wire! {
    a_message_received_too_often_is_a_dead_letter,
    sources_are_listed_in_pages,
    what_a_redrive_policy_refuses,
    a_task_moves_dead_letters_back,
    a_task_has_a_rate_runs_alone_and_is_cancelled,
    what_a_task_names_must_exist,
}

/// A server, a client, the URL of `orders` and that of `dead`, where the messages of `orders` go
/// after so many receives.
struct Pair {
    server: FakeSqs,
    sqs: Client,
    orders: String,
    dead: String,
}

async fn pair(wire: Wire, receives: u32) -> Pair {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let dead = create(&sqs, "dead").await;
    let call = sqs
        .create_queue()
        .queue_name("orders")
        .attributes(QueueAttributeName::RedrivePolicy, policy("dead", receives));
    let orders = within(call.send()).await.expect("a queue").queue_url;
    Pair {
        server,
        sqs,
        orders: orders.expect("its URL"),
        dead,
    }
}

fn policy(target: &str, receives: u32) -> String {
    let target = arn(target);
    format!(r#"{{"deadLetterTargetArn":"{target}","maxReceiveCount":{receives}}}"#)
}

/// Receives, and lets what comes be received again at once.
async fn fail(sqs: &Client, url: &str) -> Vec<Message> {
    let call = sqs
        .receive_message()
        .queue_url(url)
        .max_number_of_messages(10)
        .visibility_timeout(0);
    within(call.send())
        .await
        .expect("an answer")
        .messages
        .unwrap_or_default()
}

/// Sends messages and fails them until they are in the dead-letter queue.
async fn dead_letters(pair: &Pair, all: &[&str]) {
    for body in all {
        send(&pair.sqs, &pair.orders, body).await;
    }
    assert_eq!(bodies(&fail(&pair.sqs, &pair.orders).await), all);
    assert!(fail(&pair.sqs, &pair.orders).await.is_empty());
}

async fn tasks(sqs: &Client, source: &str) -> Vec<ListMessageMoveTasksResultEntry> {
    let call = sqs
        .list_message_move_tasks()
        .source_arn(source)
        .max_results(10);
    within(call.send())
        .await
        .expect("a list")
        .results
        .unwrap_or_default()
}

async fn a_message_received_too_often_is_a_dead_letter(wire: Wire) {
    let Pair {
        server: _server,
        sqs,
        orders,
        dead,
    } = pair(wire, 2).await;
    send(&sqs, &orders, "one").await;
    let sent = fail(&sqs, &orders).await;
    assert_eq!(bodies(&sent), ["one"]);
    assert_eq!(bodies(&fail(&sqs, &orders).await), ["one"]);
    assert!(receive(&sqs, &dead).await.is_empty());
    assert!(fail(&sqs, &orders).await.is_empty());

    let call = sqs
        .receive_message()
        .queue_url(&dead)
        .message_system_attribute_names(MessageSystemAttributeName::All);
    let messages = within(call.send()).await.expect("an answer").messages;
    let message = &messages.expect("the message")[0];
    assert_eq!(message.message_id(), sent[0].message_id());
    let attributes = message.attributes().expect("attributes");
    let rows = [
        (
            MessageSystemAttributeName::ApproximateReceiveCount,
            "3".to_owned(),
        ),
        (
            MessageSystemAttributeName::DeadLetterQueueSourceArn,
            arn("orders"),
        ),
    ];
    for (name, value) in rows {
        assert_eq!(attributes.get(&name), Some(&value));
    }
}

async fn sources_are_listed_in_pages(wire: Wire) {
    let Pair {
        server: _server,
        sqs,
        orders,
        dead,
    } = pair(wire, 1).await;
    let mut urls = vec![orders.clone()];
    for name in ["others", "returns"] {
        let call = sqs
            .create_queue()
            .queue_name(name)
            .attributes(QueueAttributeName::RedrivePolicy, policy("dead", 1));
        let created = within(call.send()).await.expect("a queue");
        urls.push(created.queue_url.expect("its URL"));
    }
    let list = |url: &str, token: Option<String>| {
        let call = sqs
            .list_dead_letter_source_queues()
            .queue_url(url)
            .max_results(2)
            .set_next_token(token);
        within(call.send())
    };
    let first = list(&dead, None).await.expect("a page");
    assert_eq!(first.queue_urls(), &urls[..2]);
    let token = first.next_token.expect("there is more");
    let second = list(&dead, Some(token)).await.expect("a page");
    assert_eq!(
        (second.queue_urls(), second.next_token()),
        (&urls[2..], None)
    );
    let none = list(&orders, None).await.expect("an answer");
    assert!(none.queue_urls().is_empty());
}

async fn what_a_redrive_policy_refuses(wire: Wire) {
    let Pair {
        server: _server,
        sqs,
        orders,
        dead,
    } = pair(wire, 1).await;
    let set = |url: &str, name: QueueAttributeName, value: String| {
        let call = sqs.set_queue_attributes().queue_url(url);
        within(call.attributes(name, value).send())
    };
    let rows = [
        (policy("none", 1), "Dead letter target does not exist."),
        (
            policy("dead", 1001),
            "Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both \
             inclusive.",
        ),
        (
            "{}".to_owned(),
            "Redrive policy does not contain mandatory attribute: deadLetterTargetArn.",
        ),
    ];
    for (value, reason) in rows {
        let name = QueueAttributeName::RedrivePolicy;
        let refused = refused(set(&orders, name, value.clone()).await);
        let text =
            format!("Value {value} for parameter RedrivePolicy is invalid. Reason: {reason}");
        assert_eq!(
            (refused.status, refused.code, refused.message),
            (400, "InvalidParameterValue".to_owned(), text)
        );
    }

    let nobody = r#"{"redrivePermission":"denyAll"}"#.to_owned();
    set(&dead, QueueAttributeName::RedriveAllowPolicy, nobody)
        .await
        .expect("it is set");
    let again = set(
        &orders,
        QueueAttributeName::RedrivePolicy,
        policy("dead", 2),
    );
    let refused = refused(again.await);
    assert_eq!(
        (refused.status, &*refused.code),
        (400, "InvalidParameterValue")
    );
}

async fn a_task_moves_dead_letters_back(wire: Wire) {
    let pair = pair(wire, 1).await;
    dead_letters(&pair, &["one", "two"]).await;
    let Pair {
        server: _server,
        sqs,
        orders,
        ..
    } = pair;
    let source = arn("dead");
    within(sqs.start_message_move_task().source_arn(&source).send())
        .await
        .expect("it starts");
    let mut moved = Vec::new();
    while moved.len() < 2 {
        let call = sqs
            .receive_message()
            .queue_url(&orders)
            .wait_time_seconds(20);
        let answer = within(call.send()).await.expect("an answer");
        moved.extend(answer.messages.unwrap_or_default());
    }
    assert_eq!(bodies(&moved), ["one", "two"]);
    let tasks = tasks(&sqs, &source).await;
    let [task] = &tasks[..] else {
        panic!("one task, not {tasks:?}");
    };
    assert_eq!(task.source_arn(), Some(&*source));
    assert_eq!(task.approximate_number_of_messages_moved(), 2);
    assert_eq!(task.approximate_number_of_messages_to_move(), Some(2));
    assert_eq!(task.destination_arn(), None);
    assert!(task.started_timestamp() > 1_700_000_000_000, "{task:?}");
}

async fn a_task_has_a_rate_runs_alone_and_is_cancelled(wire: Wire) {
    let pair = pair(wire, 1).await;
    dead_letters(&pair, &["one", "two", "three", "four", "five"]).await;
    let sqs = &pair.sqs;
    create(sqs, "others").await;
    let (source, destination) = (arn("dead"), arn("others"));
    // Or it might move all of them before it is looked at.
    pair.server.freeze().await.expect("frozen");
    let start = || {
        sqs.start_message_move_task()
            .source_arn(&source)
            .destination_arn(&destination)
            .max_number_of_messages_per_second(1)
            .send()
    };
    let started = within(start()).await.expect("it starts");
    let handle = started.task_handle().expect("a handle");

    let listed = tasks(sqs, &source).await;
    assert_eq!(listed[0].status(), Some("RUNNING"));
    assert_eq!(listed[0].task_handle(), Some(handle));
    assert_eq!(listed[0].destination_arn(), Some(&*destination));
    assert_eq!(listed[0].max_number_of_messages_per_second(), Some(1));
    assert_eq!(listed[0].approximate_number_of_messages_to_move(), Some(5));

    let twice = refused(within(start()).await);
    assert_eq!(
        (twice.status, &*twice.code, &*twice.message),
        (
            400,
            "InvalidParameterValue",
            "There is already a task running. Only one active task is allowed for a source queue \
             arn at a given time."
        )
    );

    let cancel = || sqs.cancel_message_move_task().task_handle(handle).send();
    let moved = within(cancel()).await.expect("it is cancelled");
    assert!(
        moved.approximate_number_of_messages_moved() < 5,
        "{moved:?}"
    );
    let listed = tasks(sqs, &source).await;
    assert_eq!(listed[0].status(), Some("CANCELLED"));
    assert_eq!(listed[0].task_handle(), None);
    let twice = refused(within(cancel()).await);
    assert_eq!(
        (twice.status, &*twice.code, &*twice.message),
        (
            400,
            "InvalidParameterValue",
            "Only active tasks can be cancelled."
        )
    );
}

async fn what_a_task_names_must_exist(wire: Wire) {
    let Pair {
        server: _server,
        sqs,
        ..
    } = pair(wire, 1).await;
    let absent = |which: &str| {
        format!("The resource that you specified for the {which} parameter doesn't exist.")
    };
    assert_refused!(
        sqs.start_message_move_task().source_arn(arn("none")),
        is_resource_not_found_exception,
        404,
        "ResourceNotFoundException",
        &absent("SourceArn")
    );
    assert_refused!(
        sqs.start_message_move_task()
            .source_arn(arn("dead"))
            .destination_arn(arn("none")),
        is_resource_not_found_exception,
        404,
        "ResourceNotFoundException",
        &absent("DestinationArn")
    );
    assert_refused!(
        sqs.list_message_move_tasks().source_arn(arn("none")),
        is_resource_not_found_exception,
        404,
        "ResourceNotFoundException",
        &absent("SourceArn")
    );
    // The task `x` of the queue `dead`.
    let handle = "eyJ0YXNrSWQiOiJ4Iiwic291cmNlQXJuIjoiYXJuOmF3czpzcXM6dXMtZWFzdC0xOjAwMDAwMDAwMDAwMDpkZWFkIn0=";
    assert_refused!(
        sqs.cancel_message_move_task().task_handle(handle),
        is_resource_not_found_exception,
        404,
        "ResourceNotFoundException",
        "Task does not exist."
    );
    let refused = refused(
        within(
            sqs.start_message_move_task()
                .source_arn(arn("orders"))
                .send(),
        )
        .await,
    );
    assert_eq!(
        (refused.status, &*refused.code, &*refused.message),
        (
            400,
            "InvalidParameterValue",
            "Source queue must be configured as a Dead Letter Queue."
        )
    );
}
