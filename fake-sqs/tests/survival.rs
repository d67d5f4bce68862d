//! A server with a data directory, killed again and again while clients are at work.
//!
//! No send that was acknowledged may be lost, no message that was deleted may come back, and no FIFO
//! queue may give a group's messages out of order or one twice after it was deleted. A few rounds
//! run by default; `FAKE_SQS_KILL_ROUNDS=100` runs as many as CI does.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake_sqs::Credential;
use sqs::{
    Client, CreateQueueInput, DeleteMessageInput, Message, ReceiveMessageInput, SendMessageInput,
};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longer than anything here takes.
const BOUND: Duration = Duration::from_secs(60);

const STANDARD: &str = "http://localhost/000000000000/standard";
const FIFO: &str = "http://localhost/000000000000/steps.fifo";
const GROUPS: [&str; 3] = ["a", "b", "c"];

const PROGRAM: &str = env!("CARGO_BIN_EXE_fake-sqs");

/// After how long a message that was received is visible again.
const VISIBILITY_SECONDS: u32 = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_loses_nothing() {
    let rounds = std::env::var("FAKE_SQS_KILL_ROUNDS");
    let rounds = rounds.map_or(5, |rounds| rounds.parse().expect("a number"));
    let place = Place::new("kill");
    let ledger = Arc::new(Ledger::default());
    let mut choices = 0x2545_f491_4f6c_dd1d;
    for round in 0..rounds {
        let mut server = Server::start(&place.0);
        server.prepare(round).await;
        let (operations, mut done) = watch::channel(0_u32);
        let operations = Arc::new(operations);
        let mut clients = JoinSet::new();
        for number in 0..4_u64 {
            let (ledger, operations) = (Arc::clone(&ledger), Arc::clone(&operations));
            let client = server.client();
            clients.spawn(async move {
                ledger.send(&client, round, number, &operations).await;
            });
        }
        for _ in 0..2 {
            let (ledger, operations) = (Arc::clone(&ledger), Arc::clone(&operations));
            let client = server.client();
            clients.spawn(async move { ledger.receive(&client, &operations).await });
        }
        for group in GROUPS {
            let (ledger, operations) = (Arc::clone(&ledger), Arc::clone(&operations));
            let client = server.client();
            clients.spawn(async move { ledger.step(&client, group, &operations).await });
        }
        let (steps, operations) = (Arc::clone(&ledger), Arc::clone(&operations));
        let client = server.client();
        clients.spawn(async move { steps.follow(&client, &operations).await });

        let enough = 20 + next(&mut choices) % 150;
        let enough = done.wait_for(|operations| u64::from(*operations) >= enough);
        drop(
            timeout(BOUND, enough)
                .await
                .expect("in time")
                .expect("clients"),
        );
        server.kill();
        while let Some(client) = timeout(BOUND, clients.join_next()).await.expect("in time") {
            client.expect("no client found anything wrong");
        }
    }
    let server = Server::start(&place.0);
    server.prepare(rounds).await;
    // What is received from now on does not come back, however long it takes.
    server.control("clock/freeze", "");
    ledger.settle(&server.client()).await;
    drop(server);
    let replayed = Command::new(PROGRAM).arg("replay").arg(&place.0).output();
    let replayed = replayed.expect("the program runs");
    let told = String::from_utf8_lossy(&replayed.stdout);
    assert!(replayed.status.success(), "{told}");
    assert!(told.ends_with(" on, 0 answered otherwise\n"), "{told}");
    print!("{rounds} rounds; {}; {told}", ledger.told());
}

/// The system lets no file grow beyond a limit, and later does.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_cannot_be_written_has_not_happened_and_all_goes_on_when_it_can() {
    let place = Place::new("full");
    let mut limited = Command::new("sh");
    // The signal that says so is not to end the program.
    let script = "trap '' XFSZ; exec prlimit --fsize=2000000:unlimited \"$0\" \"$@\"";
    limited.args(["-c", script, PROGRAM]);
    let mut server = Server::run(limited, &place.0);
    server.prepare(0).await;
    let client = server.client();
    let (mut sent, mut refused) = (0, 0);
    while refused < 5 {
        let body = "x".repeat(50_000);
        let answer = client
            .send_message(SendMessageInput::new(STANDARD, body))
            .await;
        match answer {
            Ok(_) => sent += 1,
            Err(error) => {
                assert_eq!(
                    (error.status().map(|status| status.as_u16()), error.code()),
                    (Some(500), Some("InternalFailure"))
                );
                refused += 1;
            }
        }
        assert!(sent < 1_000, "the limit holds");
        assert_eq!(visible(&client).await, sent, "after {refused} refusals");
    }
    let raised = Command::new("prlimit")
        .args(["--pid", &server.child.id().to_string(), "--fsize=unlimited"])
        .status();
    assert!(raised.expect("prlimit runs").success());
    let again = async {
        while client
            .send_message(SendMessageInput::new(STANDARD, "y"))
            .await
            .is_err()
        {}
    };
    timeout(BOUND, again).await.expect("it recovers");
    server.kill();
    let server = Server::start(&place.0);
    assert_eq!(visible(&server.client()).await, sent + 1);
}

/// How many messages the standard queue has.
#[cfg(target_os = "linux")]
async fn visible(client: &Client) -> usize {
    let name = "ApproximateNumberOfMessages";
    let input = sqs::GetQueueAttributesInput::new(STANDARD, [name]);
    let shown = client.get_queue_attributes(input).await.expect("shown");
    shown.attributes[name].parse().expect("a number")
}

/// What is known of the messages, from the answers alone.
#[derive(Default)]
struct Ledger {
    standard: Mutex<Standard>,
    steps: Mutex<BTreeMap<&'static str, Group>>,
}

#[derive(Default)]
struct Standard {
    /// Acknowledged.
    sent: BTreeSet<String>,
    /// Acknowledged to be deleted.
    deleted: BTreeSet<String>,
    /// Whether they are deleted is not known.
    perhaps_deleted: BTreeSet<String>,
}

/// A group whose messages are numbered.
#[derive(Default)]
struct Group {
    /// The number of the message that is to be acknowledged next.
    to_send: u64,
    /// The number of the oldest message that is not known to be deleted.
    to_follow: u64,
    /// Whether that may be deleted.
    perhaps_deleted: bool,
}

type Operations = watch::Sender<u32>;

fn count(operations: &Operations) {
    operations.send_modify(|operations| *operations += 1);
}

impl Ledger {
    /// Sends until the server is gone. Some messages are large, so that snapshots are written.
    async fn send(&self, client: &Client, round: u32, sender: u64, operations: &Operations) {
        for number in 0_u64.. {
            let length = if number % 10 == sender { 100_000 } else { 10 };
            let body = format!("{round} {sender} {number} {}", "x".repeat(length));
            let sent = client.send_message(SendMessageInput::new(STANDARD, &body));
            if let Err(error) = sent.await {
                return is_gone(&error);
            }
            self.standard.lock().expect("no panic").sent.insert(body);
            count(operations);
        }
    }

    /// Receives until the server is gone, and deletes two of three.
    async fn receive(&self, client: &Client, operations: &Operations) {
        for number in 0_u64.. {
            let messages = match receive(client, STANDARD, 5).await {
                Ok(messages) => messages,
                Err(error) => return is_gone(&error),
            };
            for (index, message) in (number..).zip(messages) {
                let (body, handle) = parts(message);
                {
                    let mut standard = self.standard.lock().expect("no panic");
                    assert!(!standard.deleted.contains(&body), "{} is back", name(&body));
                    standard.perhaps_deleted.remove(&body);
                }
                if index % 3 == 0 {
                    continue;
                }
                let deleted = client.delete_message(DeleteMessageInput::new(STANDARD, handle));
                let deleted = deleted.await;
                let mut standard = self.standard.lock().expect("no panic");
                if let Err(error) = deleted {
                    standard.perhaps_deleted.insert(body);
                    return is_gone(&error);
                }
                standard.deleted.insert(body);
                count(operations);
            }
        }
    }

    /// Sends the steps of a group until the server is gone. One whose fate is not known is sent
    /// again under its deduplication id by the next round.
    async fn step(&self, client: &Client, group: &'static str, operations: &Operations) {
        loop {
            let number = {
                let mut steps = self.steps.lock().expect("no panic");
                steps.entry(group).or_default().to_send
            };
            let mut input = SendMessageInput::new(FIFO, number.to_string());
            input.message_group_id = Some(group.to_owned());
            input.message_deduplication_id = Some(format!("{group}-{number}"));
            if let Err(error) = client.send_message(input).await {
                return is_gone(&error);
            }
            let mut steps = self.steps.lock().expect("no panic");
            steps.entry(group).or_default().to_send += 1;
            count(operations);
        }
    }

    /// Receives the steps of all groups until the server is gone, and deletes most.
    async fn follow(&self, client: &Client, operations: &Operations) {
        for number in 0_u64.. {
            let messages = match receive(client, FIFO, 20).await {
                Ok(messages) => messages,
                Err(error) => return is_gone(&error),
            };
            // Some are left to the next round.
            let few = if number % 7 == 6 { 1 } else { 10 };
            let mut held = BTreeMap::<&str, u64>::new();
            for (index, message) in messages.into_iter().enumerate() {
                let group = self.arrived(&message, &mut held);
                if index >= few {
                    continue;
                }
                let (_, handle) = parts(message);
                let deleted = client.delete_message(DeleteMessageInput::new(FIFO, handle));
                let deleted = deleted.await;
                let mut steps = self.steps.lock().expect("no panic");
                let step = steps.entry(group).or_default();
                if let Err(error) = deleted {
                    step.perhaps_deleted = true;
                    return is_gone(&error);
                }
                step.to_follow += 1;
                count(operations);
            }
        }
    }

    /// A step must be the one that follows. `held` counts those that came before it in one answer
    /// and are not deleted yet. Gives its group.
    fn arrived(&self, message: &Message, held: &mut BTreeMap<&'static str, u64>) -> &'static str {
        let group = &message.attributes["MessageGroupId"];
        let group = GROUPS.into_iter().find(|known| known == group);
        let group = group.expect("a group of ours");
        let body = message.body.as_deref().unwrap_or_default();
        let number: u64 = body.parse().expect("a number");
        let mut steps = self.steps.lock().expect("no panic");
        let step = steps.entry(group).or_default();
        let next = held.get(group).copied().unwrap_or(step.to_follow);
        if step.perhaps_deleted && !held.contains_key(group) {
            step.perhaps_deleted = false;
            step.to_follow = number.clamp(next, next + 1);
            assert_eq!(number, step.to_follow, "group {group} goes on at {next}");
        } else {
            assert_eq!(number, next, "group {group} is in order");
        }
        held.insert(group, number + 1);
        group
    }

    /// Receives what is left, which must be everything that is not deleted.
    async fn settle(&self, client: &Client) {
        let mut left = BTreeSet::new();
        loop {
            let messages = receive(client, STANDARD, 0).await.expect("received");
            if messages.is_empty() {
                break;
            }
            left.extend(messages.into_iter().map(|message| parts(message).0));
        }
        {
            let standard = self.standard.lock().expect("no panic");
            for body in &standard.deleted {
                assert!(!left.contains(body), "{} is back", name(body));
            }
            for body in &standard.sent {
                let fate = left.contains(body)
                    || standard.deleted.contains(body)
                    || standard.perhaps_deleted.contains(body);
                assert!(fate, "{} is lost", name(body));
            }
        }
        loop {
            let messages = receive(client, FIFO, 0).await.expect("received");
            if messages.is_empty() {
                break;
            }
            let mut held = BTreeMap::new();
            for message in messages {
                let group = self.arrived(&message, &mut held);
                let (_, handle) = parts(message);
                let deleted = client.delete_message(DeleteMessageInput::new(FIFO, handle));
                deleted.await.expect("deleted");
                let mut steps = self.steps.lock().expect("no panic");
                steps.entry(group).or_default().to_follow += 1;
            }
        }
        for (group, step) in &*self.steps.lock().expect("no panic") {
            let followed = step.to_follow + u64::from(step.perhaps_deleted);
            // The one after the last acknowledged may have been sent, too.
            assert!(
                followed >= step.to_send,
                "group {group} ends too early: {followed}"
            );
            assert!(
                followed <= step.to_send + 1,
                "group {group} has too many: {followed}"
            );
        }
    }

    fn told(&self) -> String {
        let standard = self.standard.lock().expect("no panic");
        let steps = self.steps.lock().expect("no panic");
        let steps: u64 = steps.values().map(|step| step.to_send).sum();
        let (sent, deleted) = (standard.sent.len(), standard.deleted.len());
        format!("{sent} messages and {steps} steps sent, {deleted} messages deleted")
    }
}

/// An error that comes of a server that is not there any more, rather than from one that is. It may
/// have gone in the middle of a success.
#[track_caller]
fn is_gone(error: &aws_json::client::Error) {
    let status = error.status().map(|status| status.as_u16());
    let broken = status == Some(200) && error.is_outcome_unknown();
    assert!(status.is_none() || broken, "{error}");
}

async fn receive(
    client: &Client,
    queue: &str,
    wait: i32,
) -> Result<Vec<Message>, aws_json::client::Error> {
    let mut input = ReceiveMessageInput::new(queue);
    input.max_number_of_messages = Some(10);
    input.wait_time_seconds = Some(wait);
    input.message_system_attribute_names = Some(vec!["MessageGroupId".to_owned()]);
    Ok(client.receive_message(input).await?.messages)
}

fn parts(message: Message) -> (String, String) {
    let (body, handle) = (message.body, message.receipt_handle);
    (body.expect("a body"), handle.expect("a handle"))
}

fn name(body: &str) -> &str {
    body.trim_end_matches('x')
}

/// Xorshift64, for when to kill.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// The program, which is killed when the test is over.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(directory: &Path) -> Self {
        Self::run(Command::new(PROGRAM), directory)
    }

    fn run(mut command: Command, directory: &Path) -> Self {
        let child = command
            .args(["--listen=127.0.0.1:0", "--log=warn", "--data-dir"])
            .arg(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("standard output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line
            .trim_end()
            .strip_prefix("fake-sqs listening on http://");
        Self {
            address: address.expect("the first line").to_owned(),
            child,
        }
    }

    /// Lets what was in flight be visible again; in the first round there must be queues first.
    async fn prepare(&self, round: u32) {
        if round == 0 {
            let client = self.client();
            let standard = CreateQueueInput::new("standard");
            client.create_queue(standard).await.expect("created");
            let mut fifo = CreateQueueInput::new("steps.fifo");
            fifo.attributes = Some([("FifoQueue".to_owned(), "true".to_owned())].into());
            client.create_queue(fifo).await.expect("created");
        }
        let body = format!(r#"{{"seconds":{VISIBILITY_SECONDS}}}"#);
        self.control("clock/advance", &body);
    }

    fn control(&self, path: &str, body: &str) {
        let mut stream = TcpStream::connect(&self.address).expect("accepted");
        stream.set_read_timeout(Some(BOUND)).expect("a timeout");
        let length = body.len();
        let request = format!(
            "POST /_fake/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    /// A client that tries once, so that what it is told is known.
    fn client(&self) -> Client {
        let client = Client::builder()
            .endpoint(format!("http://{}", self.address))
            .region("us-east-1")
            .credentials(&Credential::default())
            .max_attempts(1)
            .build();
        Client::new(client.expect("a client"))
    }

    /// As `kill -9` does.
    fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory of a test's own, which goes with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("fake-sqs-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
