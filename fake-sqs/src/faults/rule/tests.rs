use serde_json::{Value, json};

use super::*;

fn rule(written: Value) -> Result<Rule, String> {
    let spec: FaultSpec = serde_json::from_value(written).map_err(|error| error.to_string())?;
    Rule::new(spec).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_refused(written: &Value, beginning: &str) {
    let error = rule(written.clone()).map(|_| ()).expect_err(beginning);
    assert!(error.starts_with(beginning), "{written}: {error}");
}

#[test]
fn every_kind_is_read_and_written_as_it_was() {
    for fault in [
        json!({"kind": "error", "code": "OverLimit"}),
        json!({"kind": "error", "code": "OverLimit", "message": "Enough."}),
        json!({"kind": "throttle"}),
        json!({"kind": "delay", "seconds": 0.25}),
        json!({"kind": "close", "when": "before"}),
        json!({"kind": "close", "when": "after"}),
        json!({"kind": "empty_receive"}),
        json!({"kind": "duplicate"}),
        json!({"kind": "shuffle"}),
        json!({"kind": "batch_partial", "share": 0.25}),
        json!({"kind": "batch_partial", "share": 1.0, "code": "OverLimit", "message": "No."}),
        json!({"kind": "expire_handle"}),
        json!({"kind": "slow_body", "seconds": 300.0}),
    ] {
        let written = json!({"fault": fault});
        let rule = rule(written.clone()).expect("a fault");
        assert_eq!(rule.spec.fault.name(), fault["kind"]);
        assert_eq!(serde_json::to_value(&rule.spec).expect("written"), written);
    }
    let written = json!({
        "action": "DeleteMessageBatch", "queue": "orders", "account": "123456789012",
        "region": "eu-west-1", "group": "g", "times": 3, "share": 0.5,
        "message": {"id": "i", "body": "b", "attribute": {"name": "n", "value": "v"}},
        "fault": {"kind": "expire_handle"},
    });
    let rule = rule(written.clone()).expect("a fault");
    assert_eq!(serde_json::to_value(&rule.spec).expect("written"), written);
}

#[test]
fn an_error_is_named_either_way_and_says_what_it_usually_says() {
    for code in [
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
    ] {
        let rule = rule(json!({"fault": {"kind": "error", "code": code}})).expect("a fault");
        let Kind::Error(error) = rule.kind else {
            panic!("{:?}", rule.kind)
        };
        assert_eq!(error.code(), ErrorCode::QueueDoesNotExist);
        assert_eq!(error.message(), "The specified queue does not exist.");
    }
}

#[test]
fn entries_fail_as_the_services_fault_unless_a_code_says_otherwise() {
    let query_code = "AWS.SimpleQueueService.NonExistentQueue";
    for (fault, expected) in [
        (
            json!({"kind": "batch_partial"}),
            (0.5, false, "InternalError"),
        ),
        (
            json!({"kind": "batch_partial", "share": 0.1, "code": "InternalError"}),
            (0.1, false, "InternalError"),
        ),
        (
            json!({"kind": "batch_partial", "code": "QueueDoesNotExist"}),
            (0.5, true, query_code),
        ),
    ] {
        let rule = rule(json!({"fault": fault})).expect("a fault");
        let Kind::BatchPartial(partial) = rule.kind else {
            panic!("{:?}", rule.kind)
        };
        assert_eq!(
            (partial.share, partial.sender_fault, partial.code),
            expected
        );
    }
}

#[test]
fn a_value_that_means_nothing_is_refused_with_what_would_be_right() {
    for (fault, expected) in [
        (
            json!({"kind": "error", "code": "Bogus"}),
            "fault.code: SQS has no error \"Bogus\"; one is QueueDoesNotExist",
        ),
        (
            json!({"kind": "error", "code": "overlimit"}),
            "fault.code: SQS has no error \"overlimit\"; perhaps OverLimit is meant",
        ),
        (
            json!({"kind": "error", "code": "SignatureDoesNtMatch"}),
            "fault.code: SQS has no error \"SignatureDoesNtMatch\"; perhaps SignatureDoesNotMatch is \
             meant",
        ),
        (
            json!({"kind": "error", "code": "OverLimit", "message": ""}),
            "fault.message: it is empty; leave it out",
        ),
        (
            json!({"kind": "delay", "seconds": -1.0}),
            "fault.seconds: it is from 0 to 300 seconds, and not -1",
        ),
        (
            json!({"kind": "slow_body", "seconds": 301}),
            "fault.seconds: it is from 0 to 300 seconds, and not 301",
        ),
        (
            json!({"kind": "batch_partial", "share": 0.0}),
            "fault.share: a share is above 0 and up to 1, as 0.1 for every tenth, and not 0",
        ),
    ] {
        let refused = rule(json!({"fault": fault})).map(|_| ());
        assert_eq!(refused, Err(expected.to_owned()));
    }
}

#[test]
fn a_selector_that_means_nothing_is_refused_with_what_would_be_right() {
    for (key, value, beginning) in [
        ("share", json!(1.5), "share: a share is above 0 and up to 1"),
        ("times", json!(0), "times: it would never happen"),
        (
            "action",
            json!("sendmessage"),
            "action: SQS has no operation \"sendmessage\"; perhaps SendMessage is meant",
        ),
        (
            "action",
            json!("SendMesage"),
            "action: SQS has no operation \"SendMesage\"; perhaps SendMessage is meant",
        ),
        (
            "action",
            json!("SendMessage".repeat(90_000)),
            "action: SQS has no operation \"SendMessageSendMessage",
        ),
        (
            "action",
            json!("Bogus"),
            "action: SQS has no operation \"Bogus\"; one is ReceiveMessage",
        ),
        ("queue", json!(""), "queue: it is empty; leave it out"),
        (
            "queue",
            json!("http://localhost/000000000000/orders"),
            "queue: it is the queue's name alone, like \"orders\", and not \"http",
        ),
        ("message", json!({}), "message: it names no message"),
        ("account", json!("12"), "account: "),
        (
            "group",
            json!("g".repeat(1_025)),
            "group: it is longer than 1024 bytes",
        ),
    ] {
        assert_refused(
            &json!({key: value, "fault": {"kind": "throttle"}}),
            beginning,
        );
    }
    let written = json!({"queue": "orders", "action": "ListQueues", "fault": {"kind": "throttle"}});
    assert_refused(&written, "queue: ListQueues names no queue");
}

#[test]
fn what_is_not_known_is_refused() {
    for written in [
        json!({}),
        json!({"fault": {}}),
        json!({"fault": {"kind": "bogus"}}),
        json!({"fault": {"kind": "throttle", "code": "OverLimit"}}),
        json!({"fault": {"kind": "close"}}),
        json!({"fault": {"kind": "close", "when": "later"}}),
        json!({"fault": {"kind": "delay"}}),
        json!({"fault": {"kind": "throttle"}, "que": "orders"}),
        json!({"fault": {"kind": "throttle"}, "times": -1}),
        json!({"fault": {"kind": "throttle"}, "message": {"text": "x"}}),
        json!({"fault": {"kind": "throttle"}, "message": {"attribute": {"value": "x"}}}),
    ] {
        assert!(rule(written.clone()).is_err(), "{written}");
    }
}

#[test]
fn a_fault_is_for_what_it_can_happen_to() {
    for (kind, action, possible) in [
        (
            "batch_partial",
            "SendMessage",
            "ChangeMessageVisibilityBatch, DeleteMessageBatch or SendMessageBatch",
        ),
        ("duplicate", "DeleteMessage", "ReceiveMessage"),
        ("shuffle", "SendMessage", "ReceiveMessage"),
        ("empty_receive", "ListQueues", "ReceiveMessage"),
        (
            "expire_handle",
            "ReceiveMessage",
            "ChangeMessageVisibility, ChangeMessageVisibilityBatch, DeleteMessage or \
             DeleteMessageBatch",
        ),
    ] {
        let refused = rule(json!({"action": action, "fault": {"kind": kind}}));
        let expected = format!("action: {kind} cannot happen to {action}, but to {possible}");
        assert_eq!(refused.map(|_| ()), Err(expected));
    }
    for kind in ["shuffle", "duplicate"] {
        let written = json!({"queue": "orders.fifo", "fault": {"kind": kind}});
        assert_refused(&written, &format!("queue: {kind} is for standard queues"));
    }
}

#[test]
fn messages_are_chosen_only_where_they_can_be_known() {
    let body = json!({"body": "x"});
    for kind in ["shuffle", "empty_receive"] {
        let written = json!({"message": body, "fault": {"kind": kind}});
        assert_refused(&written, &format!("message: {kind} cannot be narrowed"));
    }
    for fault in [
        json!({"kind": "throttle"}),
        json!({"kind": "delay", "seconds": 1}),
        json!({"kind": "close", "when": "before"}),
    ] {
        let on = |action: Option<&str>| json!({"action": action, "fault": fault, "message": body});
        assert_refused(&on(Some("ReceiveMessage")), "message: ");
        assert!(rule(on(None)).is_ok());
        assert!(rule(on(Some("SendMessage"))).is_ok());
    }
    for fault in [
        json!({"kind": "duplicate"}),
        json!({"kind": "close", "when": "after"}),
        json!({"kind": "slow_body", "seconds": 1}),
    ] {
        let written = json!({"action": "ReceiveMessage", "fault": fault, "message": body});
        assert!(rule(written).is_ok(), "{fault}");
    }
    let throttle = json!({"kind": "throttle"});
    let written = json!({"action": "PurgeQueue", "fault": throttle, "message": body});
    assert_refused(&written, "message: PurgeQueue is about no message");
    let written = json!({"action": "PurgeQueue", "fault": throttle, "group": "g"});
    assert_refused(&written, "group: PurgeQueue is about no message");
    let written = json!({"action": "SendMessage", "fault": throttle, "message": {"id": "x"}});
    assert_refused(
        &written,
        "message.id: a message has no id before it is sent",
    );
}
