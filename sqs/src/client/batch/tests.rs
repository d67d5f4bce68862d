//! Against a server that fails the entries whose bodies say so.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::client::tests::{Recorded, Server, block_on, response};
use crate::{DeleteMessageBatchRequestEntry, Message, MessageAttributeValue};

const STANDARD: &str = "http://127.0.0.1/000000000000/orders";
const FIFO: &str = "http://127.0.0.1/000000000000/orders.fifo";

/// Answers each entry by the first word of its body: `refuse`, `fail` (SQS's fault), `twice` (fails
/// the first time), `forget` (not answered); any other is stored. A body that begins with `down`
/// fails the whole request with a 503, one with `never` with a 400.
fn queue() -> Server {
    let mut seen: HashMap<String, u32> = HashMap::new();
    Server::answering(move |request| {
        let entries = entries(request);
        let begins = |word| {
            let bodies = entries.iter().filter_map(|it| it["MessageBody"].as_str());
            bodies.into_iter().any(|body| body.starts_with(word))
        };
        if begins("down") {
            return response("503 Service Unavailable", "", "");
        }
        if begins("never") {
            let body = r#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"No."}"#;
            return response("400 Bad Request", "", body);
        }
        let (mut successful, mut failed) = (Vec::new(), Vec::new());
        for entry in &entries {
            let id = &entry["Id"];
            let body = entry["MessageBody"].as_str().unwrap_or_default();
            let times = seen.entry(body.to_owned()).or_default();
            *times += 1;
            let mut fail = |sender: bool, code: &str| {
                failed.push(json!({"Id": id, "SenderFault": sender, "Code": code}));
            };
            match (body.split(' ').next(), *times) {
                (Some("refuse"), _) => fail(true, "InvalidMessageContents"),
                (Some("fail"), _) | (Some("twice"), 1) => fail(false, "InternalError"),
                (Some("forget"), _) => {}
                (_, _) => successful.push(json!({"Id": id, "MessageId": format!("of {body}")})),
            }
        }
        let body = json!({"Successful": successful, "Failed": failed}).to_string();
        response("200 OK", "", &body)
    })
}

fn entries(request: &Recorded) -> Vec<Value> {
    let body: Value = serde_json::from_str(&request.body).expect("JSON");
    body["Entries"].as_array().expect("entries").clone()
}

/// The bodies of each request.
fn bodies(server: &Server) -> Vec<Vec<String>> {
    let of = |request: &Recorded| {
        let entries = entries(request);
        let body = |entry: &Value| entry["MessageBody"].as_str().expect("a body").to_owned();
        entries.iter().map(body).collect()
    };
    server.requests().iter().map(of).collect()
}

/// `group: body`.
fn grouped(text: &str) -> SendMessageBatchRequestEntry {
    let (group, body) = text.split_once(": ").expect("a group");
    SendMessageBatchRequestEntry {
        message_group_id: Some(group.to_owned()),
        ..body.into()
    }
}

/// What became of each, in few words.
fn outcomes<T>(report: &Report<T>) -> Vec<&str> {
    let word = |result: &Result<T, EntryError>| match result {
        Ok(_) => "ok",
        Err(EntryError::Refused(_)) => "refused",
        Err(EntryError::Request(_)) => "request",
        Err(EntryError::Unanswered) => "unanswered",
        Err(EntryError::GroupFailed) => "group",
        Err(EntryError::GaveUp) => "gave up",
        #[cfg(feature = "md5")]
        Err(EntryError::Md5(_)) => "md5",
    };
    report.results().iter().map(word).collect()
}

#[test]
fn requests_have_ten_entries_and_results_keep_their_order() {
    let server = queue();
    let client = server.client();
    let all: Vec<String> = (0..25).map(|number| format!("n {number}")).collect();
    let report = block_on(client.batches(STANDARD).send(all.clone()));
    assert!(report.is_success());
    let ids: Vec<_> = report
        .into_results()
        .into_iter()
        .map(|result| result.expect("a success").message_id)
        .collect();
    let expected: Vec<_> = all.iter().map(|body| format!("of {body}")).collect();
    assert_eq!(ids, expected);
    assert_eq!(
        bodies(&server),
        [&all[..10], &all[10..20], &all[20..]].map(<[String]>::to_vec)
    );
}

#[test]
fn nothing_is_sent_for_nothing() {
    let server = queue();
    let client = server.client();
    let none: [&str; 0] = [];
    let report = block_on(client.batches(STANDARD).send(none));
    assert!(report.is_success() && report.results().is_empty());
    assert!(server.requests().is_empty());
}

#[test]
fn requests_have_a_mebibyte_with_attributes_counted_in() {
    let server = queue();
    let client = server.client();
    let max = BATCH_SIZE.max() as usize;
    let attribute = [("color".to_owned(), MessageAttributeValue::string("blue"))];
    let attribute_size = "color".len() + "String".len() + "blue".len();
    let half = "é".repeat(max / 4);
    let with_attribute = SendMessageBatchRequestEntry {
        message_attributes: Some(attribute.into()),
        ..half[..max / 2 - attribute_size - attribute_size % 2].into()
    };
    let left = max - with_attribute.size();
    let sent: [SendMessageBatchRequestEntry; 6] = [
        // These fill a request to the byte.
        with_attribute,
        "x".repeat(left).into(),
        // And the next to one byte more than there is.
        half.as_str().into(),
        "x".repeat(max / 2 + 1).into(),
        // Too large by itself: SQS may have its say.
        "x".repeat(max + 1).into(),
        "y".into(),
    ];
    let report = block_on(client.batches(STANDARD).send(sent));
    assert!(report.is_success());
    let counts: Vec<_> = server
        .requests()
        .iter()
        .map(|it| entries(it).len())
        .collect();
    assert_eq!(counts, [2, 1, 1, 1, 1]);
}

#[test]
fn ids_are_the_callers_and_need_not_be_unique() {
    let server = queue();
    let client = server.client();
    let named = |id: &str, body: &str| SendMessageBatchRequestEntry::new(id, body);
    let sent = [
        named("same", "a"),
        named("same", "b"),
        "c".into(),
        named("not an id!", "refuse"),
    ];
    let report = block_on(client.batches(STANDARD).send(sent));
    let ids: Vec<_> = report
        .results()
        .iter()
        .map(|result| match result {
            Ok(done) => done.id.as_str(),
            Err(EntryError::Refused(refused)) => refused.id.as_str(),
            Err(other) => panic!("{other}"),
        })
        .collect();
    assert_eq!(ids, ["same", "same", "", "not an id!"]);
    let request = &server.requests()[0];
    let wire: Vec<_> = entries(request).iter().map(|it| it["Id"].clone()).collect();
    assert_eq!(wire, ["0", "1", "2", "3"]);
}

#[test]
fn each_failure_has_its_place_code_and_fault() {
    let server = queue();
    let client = server.client();
    let sent = ["a", "refuse b", "fail c", "forget d", "e"];
    let report = block_on(client.batches(STANDARD).send(sent));
    assert_eq!(
        outcomes(&report),
        ["ok", "refused", "refused", "unanswered", "ok"]
    );
    let failures: Vec<_> = report
        .failures()
        .map(|(index, error)| (index, error.code(), error.fault(), error.to_string()))
        .collect();
    let text = "SQS's answer does not tell of it".to_owned();
    assert_eq!(
        failures,
        [
            (
                1,
                Some("InvalidMessageContents"),
                Some(Fault::Sender),
                "InvalidMessageContents".to_owned()
            ),
            (
                2,
                Some("InternalError"),
                Some(Fault::Receiver),
                "InternalError".to_owned()
            ),
            (3, None, None, text),
        ]
    );
    assert!(!report.is_success());
}

#[test]
fn what_failed_by_the_services_fault_is_sent_again_as_often_as_allowed() {
    let server = queue();
    let client = server.client();
    let sent = ["a", "refuse b", "fail c", "twice d"];
    let report = block_on(client.batches(STANDARD).attempts(3).send(sent));
    assert_eq!(outcomes(&report), ["ok", "refused", "refused", "ok"]);
    assert_eq!(
        bodies(&server),
        [
            vec!["a", "refuse b", "fail c", "twice d"],
            vec!["fail c", "twice d"],
            vec!["fail c"],
        ]
    );
}

#[test]
fn a_refused_request_marks_its_entries_and_the_rest_is_sent() {
    let server = queue();
    let client = server.client();
    let mut sent = vec!["never"; 10];
    sent.push("a");
    let report = block_on(client.batches(STANDARD).attempts(3).send(sent));
    let (marked, rest) = report.results().split_at(10);
    for result in marked {
        let error = result.as_ref().expect_err("its request failed");
        assert_eq!(error.code(), Some("QueueDoesNotExist"));
        assert_eq!(error.fault(), Some(Fault::Sender));
        assert!(
            error
                .to_string()
                .starts_with("the batch failed: QueueDoesNotExist: No.")
        );
    }
    assert!(rest[0].is_ok());
    assert_eq!(server.requests().len(), 2, "a refusal is not repeated");
}

#[test]
fn after_a_failed_request_nothing_more_is_sent() {
    let server = queue();
    let client = server.client();
    let sent: Vec<_> = std::iter::repeat_n("down", 10).chain(["a", "b"]).collect();
    let report = block_on(client.batches(STANDARD).send(sent));
    let mut expected = vec!["request"; 10];
    expected.extend(["gave up"; 2]);
    assert_eq!(outcomes(&report), expected);
    let all_down = bodies(&server).concat().iter().all(|body| body == "down");
    assert!(all_down);
}

#[test]
fn in_a_fifo_queue_a_failure_stops_its_group() {
    let server = queue();
    let client = server.client();
    let first = ["a: refuse", "b: 1", "a: 2", "b: 3", "c: forget"].map(grouped);
    let fill = (0..5).map(|number| grouped(&format!("d: {number}")));
    let then = ["a: 4", "b: 5", "c: 6", "b: 7"].map(grouped);
    let sent: Vec<_> = first.into_iter().chain(fill).chain(then).collect();
    let report = block_on(client.batches(FIFO).send(sent.clone()));
    let mut expected = vec!["refused", "ok", "ok", "ok", "unanswered"];
    expected.extend(["ok"; 5]);
    expected.extend(["group", "ok", "group", "ok"]);
    assert_eq!(outcomes(&report), expected);
    assert_eq!(bodies(&server)[1], ["5", "7"]);
    // On a standard queue a group has no order to keep.
    let report = block_on(client.batches(STANDARD).send(sent));
    assert_eq!(report.failures().count(), 2);
}

#[test]
fn in_a_fifo_queue_what_was_overtaken_is_not_sent_again() {
    let server = queue();
    let client = server.client();
    let sent = ["a: twice 1", "a: 2", "b: 3", "b: twice 4", "b: fail 5"].map(grouped);
    let report = block_on(client.batches(FIFO).attempts(2).send(sent));
    assert_eq!(
        outcomes(&report),
        ["refused", "ok", "ok", "ok", "refused"],
        "2 is stored, so 1 would come after it"
    );
    assert_eq!(
        bodies(&server)[1..],
        [vec!["twice 4".to_owned(), "fail 5".to_owned()]]
    );
    let sent = ["a: refuse 6", "a: twice 7"].map(grouped);
    let report = block_on(client.batches(FIFO).attempts(2).send(sent));
    assert_eq!(outcomes(&report), ["refused", "refused"]);
}

#[test]
fn deletions_and_changes_are_split_too() {
    let server = queue();
    let client = server.client();
    let messages: Vec<Message> = (0..12)
        .map(|number| Message {
            message_id: Some(format!("m{number}")),
            receipt_handle: Some(format!("h{number}")),
            ..Message::default()
        })
        .collect();
    let report = block_on(client.batches(STANDARD).delete(&messages));
    let ids: Vec<_> = report
        .into_results()
        .into_iter()
        .map(|result| result.expect("a success").id)
        .collect();
    assert_eq!((ids.len(), ids[11].as_str()), (12, "m11"));
    let entry = |number| ChangeMessageVisibilityBatchRequestEntry::new("x", "h", number);
    let report = block_on(
        client
            .batches(STANDARD)
            .change_visibility((0..11).map(entry)),
    );
    assert_eq!(report.results().len(), 11);
    assert!(report.is_success());
    let requests = server.requests();
    let targets: Vec<_> = requests
        .iter()
        .map(|it| (it.target.as_str(), entries(it).len()))
        .collect();
    assert_eq!(
        targets,
        [
            ("AmazonSQS.DeleteMessageBatch", 10),
            ("AmazonSQS.DeleteMessageBatch", 2),
            ("AmazonSQS.ChangeMessageVisibilityBatch", 10),
            ("AmazonSQS.ChangeMessageVisibilityBatch", 1),
        ]
    );
    assert_eq!(entries(&requests[3])[0]["VisibilityTimeout"], 10);
    let unnamed = DeleteMessageBatchRequestEntry::default();
    assert_eq!(entries(&requests[1])[1]["ReceiptHandle"], "h11");
    assert_eq!(unnamed.id, None);
}

#[test]
fn pauses_grow_up_to_a_bound() {
    let millis: Vec<_> = (2..10).map(|attempt| pause(attempt).as_millis()).collect();
    assert_eq!(millis, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    assert_eq!(pause(u32::MAX), LONGEST_PAUSE);
}

#[test]
fn helpers_can_be_moved_between_threads() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }

    let client = queue().client();
    let batches = client.batches(STANDARD);
    drop(assert_send(batches.send(["a"])));
}
