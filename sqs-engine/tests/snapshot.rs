//! Snapshots: what is in them comes back, and what is no snapshot is refused.

use std::convert::Infallible;

use sha2::{Digest, Sha256};
use sqs::{
    AddPermissionInput, CreateQueueInput, DeleteQueueInput, GetQueueAttributesInput,
    ListDeadLetterSourceQueuesInput, ListMessageMoveTasksInput, ListQueueTagsInput,
    MessageAttributeValue, ReceiveMessageInput, Request, Response, SendMessageInput,
    SetQueueAttributesInput, StartMessageMoveTaskInput,
};
use sqs_engine::{
    Config, Context, Engine, InFlightLimits, Outcome, Restore, RestoreError, Rules, Timestamp,
};

type Parts = Vec<Vec<u8>>;

fn context() -> Context {
    let mut context = Context::new("000000000000", "test", "us-east-1", "http://localhost");
    context.trace_header = Some("Root=1-5759e988-bd862e3fe1be46a994272793".to_owned());
    context
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + second * 1_000)
}

#[track_caller]
fn call(engine: &mut Engine, second: i64, request: impl Into<Request>) -> Response {
    match engine.handle(at(second), &context(), request.into()) {
        Outcome::Done(Ok(response)) => response,
        outcome => panic!("{outcome:?}"),
    }
}

fn snapshot(engine: &Engine) -> Parts {
    let mut parts = Vec::new();
    let put = |part: &[u8]| -> Result<(), Infallible> {
        parts.push(part.to_vec());
        Ok(())
    };
    match engine.snapshot(put) {
        Ok(()) => parts,
    }
}

fn restore<P: AsRef<[u8]>>(parts: &[P]) -> Result<Engine, RestoreError> {
    let mut restore = Restore::new();
    for part in parts {
        restore.add(part.as_ref())?;
    }
    restore.finish()
}

#[track_caller]
fn restored(engine: &Engine) -> Engine {
    let parts = snapshot(engine);
    let engine = restore(&parts).expect("restored");
    assert!(parts == snapshot(&engine), "kept whole");
    engine
}

fn attributes<const N: usize>(
    pairs: [(&str, &str); N],
) -> Option<std::collections::BTreeMap<String, String>> {
    Some(
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
    )
}

/// An engine with something of everything.
fn rich() -> Engine {
    let mut engine = Engine::new(Config {
        seed: 7,
        rules: Rules::Strict,
        limits: InFlightLimits {
            standard: 50,
            fifo: 40,
        },
    });
    let engine_mut = &mut engine;
    call(engine_mut, 0, CreateQueueInput::new("dead"));
    call(engine_mut, 0, CreateQueueInput::new("gone"));
    call(engine_mut, 1, DeleteQueueInput::new("gone"));
    call(
        engine_mut,
        1,
        CreateQueueInput {
            attributes: attributes([
                (
                    "RedrivePolicy",
                    r#"{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":"1"}"#,
                ),
                ("KmsMasterKeyId", "alias/mine"),
                ("KmsDataKeyReusePeriodSeconds", "60"),
                ("VisibilityTimeout", "5"),
            ]),
            tags: Some([("team".to_owned(), Some("orders".to_owned()))].into()),
            ..CreateQueueInput::new("orders")
        },
    );
    call(
        engine_mut,
        1,
        AddPermissionInput::new("orders", "mine", ["111122223333"], ["SendMessage"]),
    );
    call(
        engine_mut,
        1,
        CreateQueueInput {
            attributes: attributes([
                ("FifoQueue", "true"),
                ("ContentBasedDeduplication", "true"),
                ("DeduplicationScope", "messageGroup"),
                ("FifoThroughputLimit", "perMessageGroupId"),
            ]),
            ..CreateQueueInput::new("steps.fifo")
        },
    );
    for (number, group) in ["a", "b", "a", "c"].into_iter().enumerate() {
        let mut send = SendMessageInput::new("steps.fifo", format!("step {number}"));
        send.message_group_id = Some(group.to_owned());
        call(engine_mut, 2, send);
        let mut send = SendMessageInput::new("orders", format!("order {number}: \u{1F980}\n"));
        send.message_group_id = (group != "b").then(|| group.to_owned());
        send.delay_seconds = (group == "c").then_some(900);
        let value = MessageAttributeValue {
            data_type: Some("Binary.raw".to_owned()),
            binary_value: Some(vec![0, 255, 7].as_slice().into()),
            ..MessageAttributeValue::default()
        };
        send.message_attributes = Some([("blob".to_owned(), value)].into());
        call(engine_mut, 2, send);
    }
    let mut receive = ReceiveMessageInput::new("steps.fifo");
    receive.receive_request_attempt_id = Some("again".to_owned());
    call(engine_mut, 3, receive);
    // Received once and visible again after five seconds, then a dead letter.
    call(engine_mut, 3, ReceiveMessageInput::new("orders"));
    call(engine_mut, 9, ReceiveMessageInput::new("orders"));
    let mut poll = ReceiveMessageInput::new("gone-soon");
    call(engine_mut, 9, CreateQueueInput::new("gone-soon"));
    poll.wait_time_seconds = Some(20);
    poll.message_system_attribute_names = Some(vec!["All".to_owned()]);
    poll.message_attribute_names = Some(vec!["a.*".to_owned(), "b".to_owned()]);
    let waits = engine.handle(at(9), &context(), poll.into());
    assert!(matches!(waits, Outcome::Waiting(_)));
    let mut start = StartMessageMoveTaskInput::new("arn:aws:sqs:us-east-1:000000000000:dead");
    start.max_number_of_messages_per_second = Some(1);
    call(&mut engine, 9, start);
    engine
}

#[test]
fn everything_about_queues_comes_back() {
    let mut before = rich();
    let mut after = restored(&before);
    for engine in [&mut before, &mut after] {
        engine.advance(at(11));
    }
    for queue in ["dead", "orders", "steps.fifo", "gone-soon"] {
        let shown = GetQueueAttributesInput::new(queue, ["All"]);
        let (left, right) = (
            call(&mut before, 11, shown.clone()),
            call(&mut after, 11, shown),
        );
        assert_eq!(left, right, "{queue}");
        let tags = ListQueueTagsInput::new(queue);
        assert_eq!(
            call(&mut before, 11, tags.clone()),
            call(&mut after, 11, tags),
            "{queue}"
        );
    }
    let tasks = ListMessageMoveTasksInput::new("arn:aws:sqs:us-east-1:000000000000:dead");
    let (left, right) = (
        call(&mut before, 11, tasks.clone()),
        call(&mut after, 11, tasks),
    );
    assert_eq!(left, right);
    let Response::ListMessageMoveTasks(listed) = left else {
        panic!("{left:?}");
    };
    assert_eq!(listed.results.len(), 1);
    let sources = ListDeadLetterSourceQueuesInput::new("dead");
    let left = call(&mut before, 11, sources.clone());
    let Response::ListDeadLetterSourceQueues(listed) = &left else {
        panic!("{left:?}");
    };
    assert_eq!(listed.queue_urls.len(), 1);
    assert_eq!(left, call(&mut after, 11, sources));
    let again: Request = CreateQueueInput::new("gone").into();
    let left = before.handle(at(12), &context(), again.clone());
    assert!(matches!(left, Outcome::Done(Err(_))), "{left:?}");
    assert_eq!(left, after.handle(at(12), &context(), again));
    let send = SendMessageInput::new("gone-soon", "hello");
    assert_eq!(
        call(&mut before, 13, send.clone()),
        call(&mut after, 13, send)
    );
    assert!(before.inspect().waiting_polls() == 0 && after.inspect().waiting_polls() == 0);
    assert_eq!(before.poll_completed(), after.poll_completed());
}

/// What a listing does not show of a queue's attributes.
#[test]
fn a_reuse_period_without_its_key_comes_back() {
    let mut engine = Engine::new(Config::default());
    call(
        &mut engine,
        0,
        CreateQueueInput {
            attributes: attributes([("KmsDataKeyReusePeriodSeconds", "61")]),
            ..CreateQueueInput::new("q")
        },
    );
    let mut engine = restored(&engine);
    let key = attributes([("KmsMasterKeyId", "alias/mine")]);
    call(
        &mut engine,
        1,
        SetQueueAttributesInput {
            attributes: key,
            ..SetQueueAttributesInput::new("q", [("DelaySeconds", "0")])
        },
    );
    let shown = GetQueueAttributesInput::new("q", ["All"]);
    let Response::GetQueueAttributes(shown) = call(&mut engine, 1, shown) else {
        panic!("not the attributes");
    };
    assert_eq!(shown.attributes["KmsDataKeyReusePeriodSeconds"], "61");
}

#[test]
fn large_queues_come_in_several_parts() {
    let mut engine = Engine::new(Config::default());
    call(&mut engine, 0, CreateQueueInput::new("q"));
    for _ in 0..30 {
        call(
            &mut engine,
            0,
            SendMessageInput::new("q", "x".repeat(200_000)),
        );
    }
    let parts = snapshot(&engine);
    assert!(parts.len() > 6, "{}", parts.len());
    assert!(parts.iter().all(|part| part.len() < 1_300_000));
    assert_eq!(restored(&engine).inspect().counts().total(), 30);
}

#[test]
fn other_rules_hold_from_the_moment_on_that_they_are_set() {
    let mut engine = Engine::new(Config::default());
    call(&mut engine, 0, CreateQueueInput::new("q"));
    for _ in 0..3 {
        call(&mut engine, 0, SendMessageInput::new("q", "x"));
    }
    let limits = InFlightLimits {
        standard: 1,
        fifo: 1,
    };
    engine.set_rules(at(1), Rules::Relaxed, limits);
    call(&mut engine, 1, ReceiveMessageInput::new("q"));
    let full = engine.handle(at(1), &context(), ReceiveMessageInput::new("q").into());
    assert!(matches!(full, Outcome::Done(Err(_))), "{full:?}");
    call(&mut engine, 1, DeleteQueueInput::new("q"));
    call(&mut engine, 1, CreateQueueInput::new("q"));
    // The new limits are the snapshot's too.
    let mut engine = restored(&engine);
    call(&mut engine, 2, DeleteQueueInput::new("q"));
    call(&mut engine, 2, CreateQueueInput::new("q"));
}

#[test]
fn an_error_of_whoever_stores_it_ends_the_snapshot() {
    let mut calls = 0;
    let put = |_: &[u8]| {
        calls += 1;
        if calls == 2 { Err("full") } else { Ok(()) }
    };
    assert_eq!(rich().snapshot(put), Err("full"));
    assert_eq!(calls, 2);
}

#[test]
fn any_changed_byte_is_found() {
    let parts = snapshot(&rich());
    for number in 0..parts.len() {
        for byte in 0..parts[number].len() {
            let mut changed = parts.clone();
            changed[number][byte] ^= 1;
            assert!(restore(&changed).is_err(), "byte {byte} of part {number}");
        }
    }
}

#[test]
fn parts_that_are_missing_or_out_of_place_are_found() {
    let parts = snapshot(&rich());
    for number in 0..parts.len() {
        let mut fewer = parts.clone();
        fewer.remove(number);
        assert!(restore(&fewer).is_err(), "without part {number}");
        let mut more = parts.clone();
        more.insert(number, parts[number].clone());
        assert!(restore(&more).is_err(), "part {number} twice");
        let mut shorter = parts.clone();
        shorter[number].pop();
        assert!(restore(&shorter).is_err(), "part {number} shortened");
        let mut swapped = parts.clone();
        swapped.swap(number, (number + 1) % parts.len());
        assert!(restore(&swapped).is_err(), "part {number} later");
    }
    assert!(restore(&parts[..0]).is_err());
    assert!(restore(&[[]]).is_err());
}

/// With a right digest nothing but the contents speaks against a snapshot: it may be taken then, but
/// nothing panics.
#[test]
fn a_forged_snapshot_does_no_harm() {
    let parts = snapshot(&rich());
    let last = parts.len() - 1;
    let mut refused = 0;
    for number in 0..last {
        for byte in 0..parts[number].len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut forged = parts.clone();
                forged[number][byte] = value;
                let mut hash = Sha256::new();
                for part in &forged[..last] {
                    hash.update((part.len() as u64).to_be_bytes());
                    hash.update(part);
                }
                let digest: [u8; 32] = hash.finalize().into();
                let end = &mut forged[last];
                let at = end.len() - 32;
                end[at..].copy_from_slice(&digest);
                refused += usize::from(restore(&forged).is_err());
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn what_is_wrong_is_said() {
    let parts = snapshot(&rich());
    let error = |parts: &[Vec<u8>]| restore(parts).map(drop).expect_err("refused").to_string();
    assert_eq!(error(&parts[..0]), "this is no snapshot of an engine");
    assert_eq!(
        error(&[b"something else".to_vec()]),
        "this is no snapshot of an engine"
    );
    assert_eq!(
        error(&parts[..2]),
        "the snapshot is damaged at part 2: it ends too early"
    );
    let mut newer = parts.clone();
    let version = newer[0]
        .iter()
        .position(|byte| *byte == 1)
        .expect("a version");
    newer[0][version] = 200;
    assert_eq!(
        error(&newer),
        "the snapshot has version 200, and this program knows versions up to 1"
    );
}

/// A snapshot that was taken when its version was new. If this fails because something was added to
/// what a snapshot holds, the version must go up, and this one must still be read.
#[test]
fn a_snapshot_of_the_past_is_still_read() {
    let text = include_str!("snapshots/version-1.txt");
    let parts: Vec<Vec<u8>> = text
        .lines()
        .map(|line| hex::decode(line).expect("hexadecimal"))
        .collect();
    let present: Vec<String> = snapshot(&rich()).iter().map(hex::encode).collect();
    assert!(
        present.join("\n") + "\n" == text,
        "the same state is written in another way: {present:#?}"
    );
    let engine = restore(&parts).expect("restored");
    assert!(snapshot(&engine) == parts, "it is kept whole");
}
