//! What the engine promises to whoever drives it, beyond the behaviour of queues.

use std::collections::BTreeSet;
use std::time::Duration;

use sqs::{
    CreateQueueInput, DeleteMessageInput, ErrorCode, ListDeadLetterSourceQueuesInput,
    ListQueuesInput, MessageAttributeValue, ReceiveMessageInput, ReceiveMessageOutput, Request,
    Response, SendMessageInput,
};
use sqs_engine::inspect::MessageView;
use sqs_engine::{Config, Context, Engine, MessageState, Outcome, Rules, Timestamp, WaiterId};

fn engine() -> (Engine, Context) {
    let engine = Engine::new(Config {
        seed: 1,
        ..Config::default()
    });
    (engine, context("000000000000"))
}

fn context(account: &str) -> Context {
    Context::new(account, "test", "us-east-1", "http://localhost")
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1_000)
}

#[track_caller]
fn done(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Done(Ok(response)) => response,
        outcome => panic!("not done: {outcome:?}"),
    }
}

#[track_caller]
fn waiting(outcome: Outcome) -> WaiterId {
    match outcome {
        Outcome::Waiting(id) => id,
        Outcome::Done(answer) => panic!("does not wait: {answer:?}"),
    }
}

fn create(name: &str) -> Request {
    CreateQueueInput::new(name).into()
}

fn send(body: &str) -> Request {
    SendMessageInput::new("q", body).into()
}

fn receive(wait: i32) -> Request {
    ReceiveMessageInput {
        wait_time_seconds: Some(wait),
        ..ReceiveMessageInput::new("q")
    }
    .into()
}

fn messages(response: Response) -> Vec<sqs::Message> {
    match response {
        Response::ReceiveMessage(ReceiveMessageOutput { messages, .. }) => messages,
        response => panic!("not of a receive: {response:?}"),
    }
}

#[test]
fn a_time_that_goes_back_counts_as_the_latest() {
    let (mut engine, me) = engine();
    done(engine.handle(at(100), &me, create("q")));
    done(engine.handle(at(50), &me, send("hello")));
    assert_eq!(engine.inspect().now(), at(100));
    engine.advance(at(0));
    assert_eq!(engine.inspect().now(), at(100));
    let queue = engine
        .inspect()
        .queue("000000000000", "us-east-1", "q")
        .expect("a queue");
    assert_eq!(
        queue.messages().next().expect("a message").sent_at(),
        at(100)
    );
}

#[test]
fn the_ends_of_time_do_no_harm() {
    for now in [Timestamp::MIN, Timestamp::MAX] {
        let (mut engine, me) = engine();
        done(engine.handle(now, &me, create("q")));
        done(engine.handle(now, &me, send("hello")));
        let _ = engine.handle(now, &me, receive(20));
        let delayed = SendMessageInput {
            delay_seconds: Some(9),
            ..SendMessageInput::new("q", "a")
        };
        done(engine.handle(now, &me, delayed.into()));
        engine.advance(Timestamp::MAX);
        assert_eq!(engine.inspect().counts().total(), 0, "all has expired");
    }
}

#[test]
fn the_next_deadline_is_the_nearest_of_all() {
    let (mut engine, me) = engine();
    assert_eq!(engine.next_deadline(), None);
    done(engine.handle(at(0), &me, create("q")));
    assert_eq!(
        engine.next_deadline(),
        None,
        "an empty queue waits for nothing"
    );

    let poll = waiting(engine.handle(at(0), &me, receive(20)));
    assert_eq!(engine.next_deadline(), Some(at(20)));
    engine.cancel(poll);
    assert_eq!(engine.next_deadline(), None);

    done(engine.handle(at(1), &me, send("hello")));
    assert_eq!(
        engine.next_deadline(),
        Some(at(1 + 345_600)),
        "the end of its retention"
    );
    let received = messages(done(engine.handle(at(2), &me, receive(0))));
    assert_eq!(
        engine.next_deadline(),
        Some(at(32)),
        "the end of its visibility timeout"
    );
    let handle = received[0].receipt_handle.as_deref().expect("a handle");
    done(engine.handle(at(3), &me, DeleteMessageInput::new("q", handle).into()));
    assert_eq!(engine.next_deadline(), None);
}

/// Or the memory of a queue that is used no more would never be given back.
#[test]
fn a_fifo_queue_that_is_left_alone_forgets_by_itself() {
    let (mut engine, me) = engine();
    let create = CreateQueueInput {
        attributes: Some([("FifoQueue".into(), "true".into())].into()),
        ..CreateQueueInput::new("q.fifo")
    };
    done(engine.handle(at(0), &me, create.into()));
    for (second, id) in [(1, "a"), (20, "b")] {
        let send = SendMessageInput {
            message_group_id: Some("g".into()),
            message_deduplication_id: Some(id.into()),
            ..SendMessageInput::new("q.fifo", "hello")
        };
        done(engine.handle(at(second), &me, send.into()));
        let receive = ReceiveMessageInput {
            receive_request_attempt_id: Some(id.into()),
            ..ReceiveMessageInput::new("q.fifo")
        };
        for message in messages(done(engine.handle(at(second + 10), &me, receive.into()))) {
            let handle = message.receipt_handle.expect("a handle");
            let delete = DeleteMessageInput::new("q.fifo", handle);
            done(engine.handle(at(second + 10), &me, delete.into()));
        }
    }
    assert_eq!(
        engine.next_deadline(),
        Some(at(320)),
        "the deduplication ids"
    );
    engine.advance(at(320));
    assert_eq!(engine.next_deadline(), Some(at(330)), "the attempt ids");
    engine.advance(at(330));
    assert_eq!(engine.next_deadline(), None);
}

#[test]
fn cancelling_is_safe_at_any_time() {
    let (mut engine, me) = engine();
    done(engine.handle(at(0), &me, create("q")));
    let poll = waiting(engine.handle(at(0), &me, receive(20)));
    done(engine.handle(at(1), &me, send("hello")));
    // Answered already: the answer stays, and so does the message in flight.
    engine.cancel(poll);
    engine.cancel(poll);
    let (id, answer) = engine.poll_completed().expect("an answer");
    assert_eq!((id, messages(answer.expect("messages")).len()), (poll, 1));
    assert_eq!(engine.inspect().counts().in_flight, 1);
    assert_eq!(engine.poll_completed(), None);
    engine.cancel(poll);
    assert_eq!(engine.inspect().waiting_polls(), 0);
}

/// Each send answers one of 2,000 polls, the oldest, and leaves the others alone.
#[test]
fn many_polls_are_served_in_the_order_of_their_arrival() {
    let (mut engine, me) = engine();
    done(engine.handle(at(0), &me, create("q")));
    let polls: Vec<_> = (0..2_000)
        .map(|_| waiting(engine.handle(at(0), &me, receive(20))))
        .collect();
    for (number, poll) in polls.iter().enumerate().take(1_000) {
        done(engine.handle(at(1), &me, send("hello")));
        let (id, _) = engine.poll_completed().expect("an answer");
        assert_eq!(id, *poll);
        assert_eq!(engine.poll_completed(), None);
        assert_eq!(engine.inspect().waiting_polls(), 2_000 - number - 1);
    }
    engine.advance(at(20));
    let ended: Vec<_> = std::iter::from_fn(|| engine.poll_completed())
        .map(|(id, _)| id)
        .collect();
    assert_eq!(ended, polls[1_000..]);
}

#[test]
fn pages_list_every_queue_once_also_while_queues_come_and_go() {
    let mut engine = Engine::new(Config {
        seed: 1,
        rules: Rules::Relaxed,
        ..Config::default()
    });
    let me = context("000000000000");
    for number in 0..250 {
        done(engine.handle(at(0), &me, create(&format!("q{number:03}"))));
    }
    let mut listed = BTreeSet::new();
    let mut token = None;
    loop {
        let input = ListQueuesInput {
            max_results: Some(20),
            next_token: token,
            ..ListQueuesInput::default()
        };
        let Response::ListQueues(page) = done(engine.handle(at(0), &me, input.into())) else {
            panic!("not a page");
        };
        // The place stays good when the queue is gone at which the page ended.
        let last = page.queue_urls.last().expect("a queue").clone();
        for url in page.queue_urls {
            assert!(listed.insert(url.clone()), "{url} is listed twice");
        }
        done(engine.handle(at(0), &me, sqs::DeleteQueueInput::new(last).into()));
        token = page.next_token;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(listed.len(), 250);
}

#[test]
fn pages_list_every_source_of_a_dead_letter_queue_once() {
    let (mut engine, me) = engine();
    done(engine.handle(at(0), &me, create("dead")));
    for number in 0..50 {
        let mut input = CreateQueueInput::new(format!("q{number:02}"));
        if number % 2 == 0 {
            let arn = "arn:aws:sqs:us-east-1:000000000000:dead";
            let policy = format!("{{\"deadLetterTargetArn\":\"{arn}\",\"maxReceiveCount\":1}}");
            input.attributes = Some([("RedrivePolicy".to_owned(), policy)].into());
        }
        done(engine.handle(at(0), &me, input.into()));
    }
    let mut listed = Vec::new();
    let mut token = None;
    loop {
        let input = ListDeadLetterSourceQueuesInput {
            max_results: Some(10),
            next_token: token,
            ..ListDeadLetterSourceQueuesInput::new("dead")
        };
        let answer = done(engine.handle(at(0), &me, input.into()));
        let Response::ListDeadLetterSourceQueues(page) = answer else {
            panic!("not a page");
        };
        listed.extend(page.queue_urls);
        token = page.next_token;
        // A token is good for the listing that gave it and for no other.
        if let Some(token) = &token {
            let other = ListDeadLetterSourceQueuesInput {
                next_token: Some(token.clone()),
                ..ListDeadLetterSourceQueuesInput::new("q00")
            };
            let refused = engine.handle(at(0), &me, other.into());
            let Outcome::Done(Err(error)) = refused else {
                panic!("not refused: {refused:?}");
            };
            assert_eq!(error.message(), "Invalid or expired next token.");
        } else {
            break;
        }
    }
    let sources = (0..50).step_by(2);
    let urls = sources.map(|number| format!("http://localhost/000000000000/q{number:02}"));
    assert_eq!(listed, urls.collect::<Vec<_>>());
}

#[test]
fn without_max_results_a_thousand_queues_are_listed_and_no_token() {
    let (mut engine, me) = engine();
    for number in 0..1_001 {
        done(engine.handle(at(0), &me, create(&format!("q{number}"))));
    }
    let Response::ListQueues(all) = done(engine.handle(at(0), &me, ListQueuesInput::new().into()))
    else {
        panic!("not a list");
    };
    assert_eq!((all.queue_urls.len(), all.next_token), (1_000, None));
}

#[test]
fn an_account_is_removed_with_all_it_has() {
    let (mut engine, me) = engine();
    let other = context("111122223333");
    done(engine.handle(at(0), &me, create("deleted")));
    done(engine.handle(at(0), &me, sqs::DeleteQueueInput::new("deleted").into()));
    for caller in [&me, &other] {
        done(engine.handle(at(0), caller, create("q")));
        done(engine.handle(at(0), caller, send("hello")));
        assert_eq!(
            messages(done(engine.handle(at(0), caller, receive(0)))).len(),
            1
        );
    }
    let mine = waiting(engine.handle(at(0), &me, receive(20)));
    let theirs = waiting(engine.handle(at(0), &other, receive(10)));

    engine.remove_account(at(1), "000000000000");
    let (id, answer) = engine.poll_completed().expect("an answer");
    assert_eq!(id, mine);
    assert_eq!(
        answer.expect_err("no queue").code(),
        ErrorCode::QueueDoesNotExist
    );
    assert_eq!(engine.poll_completed(), None);
    assert_eq!(engine.inspect().queue_count(), 1);
    assert_eq!(
        engine.next_deadline(),
        Some(at(10)),
        "the other account's poll"
    );
    for name in ["q", "deleted"] {
        done(engine.handle(at(1), &me, create(name)));
    }
    engine.advance(at(10));
    assert_eq!(engine.poll_completed().expect("an answer").0, theirs);
}

#[test]
fn views_show_everything_and_change_nothing() {
    let (mut engine, me) = engine();
    let mut other = context("111122223333");
    other.region = "eu-west-1".into();
    done(engine.handle(at(0), &me, create("q")));
    done(engine.handle(at(0), &other, create("others")));
    let first = SendMessageInput {
        message_attributes: Some([("color".into(), MessageAttributeValue::string("blue"))].into()),
        message_group_id: Some("g".into()),
        ..SendMessageInput::new("q", "first")
    };
    done(engine.handle(at(1), &me, first.into()));
    done(engine.handle(at(2), &me, receive(0)));
    done(engine.handle(at(3), &me, send("second")));
    let delayed = SendMessageInput {
        delay_seconds: Some(9),
        ..SendMessageInput::new("q", "third")
    };
    done(engine.handle(at(4), &me, delayed.into()));
    let _ = waiting(
        engine.handle(
            at(4),
            &other,
            ReceiveMessageInput {
                wait_time_seconds: Some(5),
                ..ReceiveMessageInput::new("others")
            }
            .into(),
        ),
    );

    let before = engine.next_deadline();
    let inspect = engine.inspect();
    let names: Vec<_> = inspect
        .queues()
        .map(|queue| queue.name().to_owned())
        .collect();
    assert_eq!(names, ["q", "others"]);
    assert_eq!((inspect.queue_count(), inspect.waiting_polls()), (2, 1));
    assert!(inspect.queue("000000000000", "eu-west-1", "q").is_none());

    let queue = inspect
        .queue("000000000000", "us-east-1", "q")
        .expect("a queue");
    assert_eq!(
        (queue.account(), queue.region()),
        ("000000000000", "us-east-1")
    );
    assert_eq!(queue.arn(), "arn:aws:sqs:us-east-1:000000000000:q");
    assert_eq!(queue.attributes()["VisibilityTimeout"], "30");
    assert_eq!((queue.waiting_polls(), queue.purged_at()), (0, None));
    let counts = queue.counts();
    assert_eq!(
        (counts.visible, counts.delayed, counts.in_flight),
        (1, 1, 1)
    );
    assert_eq!(inspect.counts(), counts);

    let seen: Vec<_> = queue.messages().collect();
    let bodies: Vec<_> = seen.iter().map(MessageView::body).collect();
    assert_eq!(bodies, ["first", "second", "third"]);
    let states: Vec<_> = seen.iter().map(MessageView::state).collect();
    let expected = [
        MessageState::InFlight { until: at(32) },
        MessageState::Visible,
        MessageState::Delayed { until: at(13) },
    ];
    assert_eq!(states, expected);
    assert_eq!((seen[0].receive_count(), seen[1].receive_count()), (1, 0));
    assert_eq!(
        (seen[0].first_received_at(), seen[1].first_received_at()),
        (Some(at(2)), None)
    );
    assert_eq!((seen[0].group(), seen[1].group()), (Some("g"), None));
    assert_eq!(
        seen[0].expires_at(),
        at(1).after(Duration::from_secs(345_600))
    );
    assert_eq!(seen[0].body_md5(), "8b04d5e3775d298e78455efc5ca404d5");
    let color = &seen[0].message_attributes()["color"];
    assert_eq!(color, &MessageAttributeValue::string("blue"));

    let rest: Vec<_> = queue
        .messages_after(Some(seen[0].place()))
        .map(|m| m.body())
        .collect();
    assert_eq!(rest, ["second", "third"]);
    assert_eq!(engine.next_deadline(), before);
}

/// A selection of very many names costs no more than it must.
#[test]
fn views_show_what_only_messages_of_fifo_queues_have() {
    let (mut engine, me) = engine();
    let fifo = CreateQueueInput {
        attributes: Some([("FifoQueue".into(), "true".into())].into()),
        ..CreateQueueInput::new("q.fifo")
    };
    done(engine.handle(at(0), &me, fifo.into()));
    done(engine.handle(at(0), &me, create("q")));
    done(engine.handle(at(0), &me, send("hello")));
    let sent = SendMessageInput {
        message_group_id: Some("g".into()),
        message_deduplication_id: Some("d".into()),
        ..SendMessageInput::new("q.fifo", "hello")
    };
    let Response::SendMessage(sent) = done(engine.handle(at(0), &me, sent.into())) else {
        panic!("not sent");
    };
    let inspect = engine.inspect();
    let message = |queue: &str| {
        let queue = inspect.queue("000000000000", "us-east-1", queue);
        queue
            .expect("a queue")
            .messages()
            .next()
            .expect("it was sent")
    };
    let of_fifo = message("q.fifo");
    assert_eq!(
        (of_fifo.group(), of_fifo.deduplication_id()),
        (Some("g"), Some("d"))
    );
    assert!(of_fifo.sequence_number().is_some());
    assert_eq!(of_fifo.sequence_number(), sent.sequence_number);
    let of_standard = message("q");
    assert_eq!(
        (
            of_standard.deduplication_id(),
            of_standard.sequence_number()
        ),
        (None, None)
    );
}

#[test]
fn views_show_groups_and_what_blocks_them_and_the_ids_that_are_remembered() {
    let (mut engine, me) = engine();
    let fifo = CreateQueueInput {
        attributes: Some([("FifoQueue".into(), "true".into())].into()),
        ..CreateQueueInput::new("q.fifo")
    };
    done(engine.handle(at(0), &me, fifo.into()));
    for (second, group, id) in [(0, "g", "1"), (1, "h", "2"), (2, "g", "3"), (3, "h", "2")] {
        let sent = SendMessageInput {
            message_group_id: Some(group.into()),
            message_deduplication_id: Some(id.into()),
            ..SendMessageInput::new("q.fifo", id)
        };
        done(engine.handle(at(second), &me, sent.into()));
    }
    done(engine.handle(at(4), &me, ReceiveMessageInput::new("q.fifo").into()));

    let seen = |engine: &Engine| {
        let inspect = engine.inspect();
        let queue = inspect
            .queue("000000000000", "us-east-1", "q.fifo")
            .expect("a queue");
        let groups: Vec<_> = queue
            .groups()
            .map(|group| {
                let blocked_by = group.blocked_by().map(|message| message.body().to_owned());
                (group.name().to_owned(), group.messages(), blocked_by)
            })
            .collect();
        let ids: Vec<_> = queue
            .deduplication_ids()
            .map(|id| (id.id().to_owned(), id.group().to_owned(), id.forgotten_at()))
            .collect();
        let after: Vec<_> = queue
            .groups_after(Some("g"))
            .map(|group| group.name().to_owned())
            .collect();
        assert_eq!(after, ["h"]);
        let first = queue.messages().next().expect("a message");
        if let Some(id) = queue.deduplication_ids().find(|id| id.id() == "1") {
            assert_eq!(id.message(), first.id());
            assert_eq!(Some(id.sequence_number()), first.sequence_number());
        }
        (groups, ids)
    };
    let id = |id: &str, group: &str, second| (id.to_owned(), group.to_owned(), at(second));
    let group = |name: &str, messages, blocked_by: Option<&str>| {
        (name.to_owned(), messages, blocked_by.map(str::to_owned))
    };
    let (groups, ids) = seen(&engine);
    assert_eq!(groups, [group("g", 2, Some("1")), group("h", 1, None)]);
    assert_eq!(
        ids,
        [id("1", "g", 300), id("2", "h", 301), id("3", "g", 302)]
    );
    engine.advance(at(301));
    let (groups, ids) = seen(&engine);
    assert_eq!(groups, [group("g", 2, None), group("h", 1, None)]);
    assert_eq!(ids, [id("3", "g", 302)]);
}

#[test]
fn a_hundred_thousand_prefixes_are_looked_through_quickly() {
    let (mut engine, me) = engine();
    done(engine.handle(at(0), &me, create("q")));
    let attributes = (0..10).map(|n| (format!("a{n}"), MessageAttributeValue::string("x")));
    for _ in 0..10 {
        let message = SendMessageInput {
            message_attributes: Some(attributes.clone().collect()),
            ..SendMessageInput::new("q", "hello")
        };
        done(engine.handle(at(0), &me, message.into()));
    }
    let names = (0..100_000)
        .map(|n| format!("b{n}.*"))
        .chain(["a1.*".into(), "a2".into()]);
    let input = ReceiveMessageInput {
        max_number_of_messages: Some(10),
        message_attribute_names: Some(names.collect()),
        ..ReceiveMessageInput::new("q")
    };
    for message in messages(done(engine.handle(at(0), &me, input.into()))) {
        let names: Vec<_> = message.message_attributes.into_keys().collect();
        assert_eq!(names, ["a1", "a2"]);
    }
}
