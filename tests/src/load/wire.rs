//! Requests as text, and what matters of the answers: by hand, so that the load costs little.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;

use super::content::Stamp;
use super::ledger::Ledger;

/// Messages in a batch.
pub const BATCH: usize = 10;

/// How long a message that was received stays hidden, in seconds: longer than a run waits for anything,
/// so that none is given twice because the load was slow.
const HIDDEN_SECONDS: u32 = 600;

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Its URL as it stands in JSON, with its quotes.
    url: String,
}

impl Queue {
    /// A queue of that name and URL.
    #[must_use]
    pub fn new(name: String, url: &str) -> Self {
        let url = serde_json::Value::from(url).to_string();
        Self { name, url }
    }

    fn request(&self, capacity: usize) -> String {
        let mut body = String::with_capacity(self.url.len() + 16 + capacity);
        body.push_str(r#"{"QueueUrl":"#);
        body.push_str(&self.url);
        body
    }
}

/// Where a message goes: nothing, or the group of a FIFO queue.
pub type Group = Option<u16>;

/// `CreateQueue`.
#[must_use]
pub fn create_queue(name: &str) -> String {
    let fifo = if name.ends_with(".fifo") {
        r#","FifoQueue":"true""#
    } else {
        ""
    };
    format!(
        r#"{{"QueueName":"{name}","Attributes":{{"VisibilityTimeout":"{HIDDEN_SECONDS}"{fifo}}}}}"#
    )
}

/// A request that names a queue and nothing else.
#[must_use]
pub fn of_queue(queue: &Queue) -> String {
    let mut body = queue.request(0);
    body.push('}');
    body
}

/// `GetQueueUrl`.
#[must_use]
pub fn get_queue_url(queue: &Queue) -> String {
    format!(r#"{{"QueueName":"{}"}}"#, queue.name)
}

/// `GetQueueAttributes`, all of them.
#[must_use]
pub fn get_queue_attributes(queue: &Queue) -> String {
    let mut body = queue.request(32);
    body.push_str(r#","AttributeNames":["All"]}"#);
    body
}

/// `ListQueues`, a page of a thousand.
#[must_use]
pub fn list_queues(prefix: &str, after: Option<&str>) -> String {
    let next = after.map(|token| format!(r#","NextToken":{}"#, serde_json::Value::from(token)));
    let next = next.unwrap_or_default();
    format!(r#"{{"QueueNamePrefix":"{prefix}","MaxResults":1000{next}}}"#)
}

/// `SendMessage`.
#[must_use]
pub fn send_message(queue: &Queue, ledger: &Ledger, stamp: Stamp, group: Group) -> String {
    let mut body = queue.request(ledger.content().size() + 128);
    body.push_str(r#","MessageBody":""#);
    ledger.content().write(stamp, &mut body);
    body.push('"');
    in_group(stamp, group, &mut body);
    body.push('}');
    body
}

/// `SendMessageBatch`; the ids of the entries are their places.
#[must_use]
pub fn send_message_batch(
    queue: &Queue,
    ledger: &Ledger,
    stamps: &[Stamp],
    group: Group,
) -> String {
    let mut body = queue.request(stamps.len() * (ledger.content().size() + 160));
    body.push_str(r#","Entries":["#);
    for (id, stamp) in stamps.iter().enumerate() {
        separate(id, &mut body);
        // Writing to text does not fail.
        let _ = write!(body, r#"{{"Id":"{id}","MessageBody":""#);
        ledger.content().write(*stamp, &mut body);
        body.push('"');
        in_group(*stamp, group, &mut body);
        body.push('}');
    }
    body.push_str("]}");
    body
}

fn in_group(stamp: Stamp, group: Group, body: &mut String) {
    let Some(group) = group else { return };
    let Stamp { lane, number } = stamp;
    // Writing to text does not fail.
    let _ = write!(
        body,
        r#","MessageGroupId":"{group}","MessageDeduplicationId":"{lane}-{number}""#
    );
}

/// `ReceiveMessage`.
#[must_use]
pub fn receive_message(queue: &Queue, most: usize, wait_seconds: u64) -> String {
    let mut body = queue.request(64);
    // Writing to text does not fail.
    let _ = write!(
        body,
        r#","MaxNumberOfMessages":{most},"WaitTimeSeconds":{wait_seconds}}}"#
    );
    body
}

/// `DeleteMessage`.
#[must_use]
pub fn delete_message(queue: &Queue, handle: &str) -> String {
    let mut body = queue.request(handle.len() + 32);
    body.push_str(r#","ReceiptHandle":"#);
    quoted(handle, &mut body);
    body.push('}');
    body
}

/// `DeleteMessageBatch`.
#[must_use]
pub fn delete_message_batch(queue: &Queue, handles: &[impl AsRef<str>]) -> String {
    let lengths = handles.iter().map(|handle| handle.as_ref().len() + 48);
    let mut body = queue.request(lengths.sum());
    body.push_str(r#","Entries":["#);
    for (id, handle) in handles.iter().enumerate() {
        separate(id, &mut body);
        // Writing to text does not fail.
        let _ = write!(body, r#"{{"Id":"{id}","ReceiptHandle":"#);
        quoted(handle.as_ref(), &mut body);
        body.push('}');
    }
    body.push_str("]}");
    body
}

fn separate(index: usize, body: &mut String) {
    if index > 0 {
        body.push(',');
    }
}

/// A handle is the service's text; most need no escape.
fn quoted(text: &str, body: &mut String) {
    let is_plain = |b: u8| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\';
    if text.bytes().all(is_plain) {
        body.push('"');
        body.push_str(text);
        body.push('"');
    } else {
        body.push_str(&serde_json::Value::from(text).to_string());
    }
}

/// What `ReceiveMessage` gives.
#[derive(Debug, Deserialize)]
pub struct Received<'a> {
    /// The messages; none is an answer too.
    #[serde(rename = "Messages", borrow, default)]
    pub messages: Vec<Message<'a>>,
}

/// A message that was received.
#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    /// Its body.
    #[serde(rename = "Body", borrow)]
    pub body: Cow<'a, str>,
    /// What it is deleted with.
    #[serde(rename = "ReceiptHandle", borrow)]
    pub handle: Cow<'a, str>,
}

/// What `SendMessage` gives.
#[derive(Debug, Deserialize)]
pub struct Sent<'a> {
    /// The message's id: without one it was not accepted.
    #[serde(rename = "MessageId", borrow)]
    pub id: Cow<'a, str>,
}

/// What a batch comes to.
#[derive(Debug, Deserialize)]
pub struct Batch<'a> {
    /// What was done.
    #[serde(rename = "Successful", borrow, default)]
    pub successful: Vec<Entry<'a>>,
    /// What was not.
    #[serde(rename = "Failed", borrow, default)]
    pub failed: Vec<FailedEntry<'a>>,
}

/// An entry of a batch that was done.
#[derive(Debug, Deserialize)]
pub struct Entry<'a> {
    /// Its place, as it was sent.
    #[serde(rename = "Id", borrow)]
    pub id: Cow<'a, str>,
}

/// An entry of a batch that failed.
#[derive(Debug, Deserialize)]
pub struct FailedEntry<'a> {
    /// Its error.
    #[serde(rename = "Code", borrow)]
    pub code: Cow<'a, str>,
}

/// What `CreateQueue` gives.
#[derive(Debug, Deserialize)]
pub struct Created {
    /// The queue's URL.
    #[serde(rename = "QueueUrl")]
    pub url: String,
}

/// What `ListQueues` gives.
#[derive(Debug, Deserialize)]
pub struct Listed {
    /// The URLs of a page.
    #[serde(rename = "QueueUrls", default)]
    pub urls: Vec<String>,
    /// Where the next page begins.
    #[serde(rename = "NextToken")]
    pub next: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::load::content::Content;
    use crate::load::ledger::Promise;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).expect(text)
    }

    #[test]
    fn requests_are_what_sqs_reads() {
        let queue = Queue::new("q.fifo".to_owned(), "http://a/\"0\"/q");
        let ledger = Ledger::new(Content::new(1, 64), Promise::Fifo, 1, 1);
        let stamp = Stamp { lane: 0, number: 3 };
        let url = "http://a/\"0\"/q";
        let mut text = String::new();
        ledger.content().write(stamp, &mut text);
        for (request, right) in [
            (of_queue(&queue), json!({"QueueUrl": url})),
            (get_queue_url(&queue), json!({"QueueName": "q.fifo"})),
            (
                get_queue_attributes(&queue),
                json!({"QueueUrl": url, "AttributeNames": ["All"]}),
            ),
            (
                list_queues("a", Some("x\"")),
                json!({"QueueNamePrefix": "a", "MaxResults": 1000, "NextToken": "x\""}),
            ),
            (
                create_queue("q.fifo"),
                json!({"QueueName": "q.fifo",
                       "Attributes": {"VisibilityTimeout": "600", "FifoQueue": "true"}}),
            ),
            (
                send_message(&queue, &ledger, stamp, Some(7)),
                json!({"QueueUrl": url, "MessageBody": text, "MessageGroupId": "7",
                       "MessageDeduplicationId": "0-3"}),
            ),
            (
                send_message_batch(&queue, &ledger, &[stamp, stamp], None),
                json!({"QueueUrl": url, "Entries": [{"Id": "0", "MessageBody": text},
                                                    {"Id": "1", "MessageBody": text}]}),
            ),
            (
                receive_message(&queue, 10, 20),
                json!({"QueueUrl": url, "MaxNumberOfMessages": 10, "WaitTimeSeconds": 20}),
            ),
            (
                delete_message(&queue, "h\\\n"),
                json!({"QueueUrl": url, "ReceiptHandle": "h\\\n"}),
            ),
            (
                delete_message_batch(&queue, &["a", "b\""]),
                json!({"QueueUrl": url, "Entries": [{"Id": "0", "ReceiptHandle": "a"},
                                                    {"Id": "1", "ReceiptHandle": "b\""}]}),
            ),
        ] {
            assert_eq!(json(&request), right);
        }
    }

    #[test]
    fn answers_are_read_with_and_without_escapes() {
        let text = r#"{"Messages":[{"Body":"a\"b","ReceiptHandle":"h","MD5OfBody":"x"}]}"#;
        let received: Received<'_> = serde_json::from_str(text).expect(text);
        assert_eq!(received.messages[0].body, "a\"b");
        let none: Received<'_> = serde_json::from_str("{}").expect("no messages");
        assert!(none.messages.is_empty());
    }
}
