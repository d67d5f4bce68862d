//! The engine as a client drives it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use sha2::{Digest, Sha256};
use sqs::{
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput, Error,
    Message, PurgeQueueInput, ReceiveMessageInput, Request, Response, SendMessageBatchInput,
    SendMessageBatchRequestEntry, SendMessageBatchResultEntry, SetQueueAttributesInput,
};
use sqs_engine::{
    Config, Context, Counts, Engine, InFlightLimits, Outcome, Rules, Timestamp, WaiterId,
};

use crate::commands::{Answer, Attribute, Command, Entry, Given, QUEUES, Received, Setup, Side};

pub(crate) struct Driver {
    engine: Engine,
    context: Context,
    now: Timestamp,
    waking: Waking,
    /// Each message by its id: the entry that sent it, and its sequence number.
    messages: BTreeMap<String, (Entry, String)>,
    pub(crate) deliveries: Vec<Delivery>,
    polls: Vec<(WaiterId, &'static str)>,
    /// Everything that was answered, handles and ids included.
    pub(crate) transcript: String,
}

/// How time passes for the engine.
#[derive(Clone, Copy)]
pub(crate) enum Waking {
    /// In one step, over everything that is due.
    AtTheEnd,
    /// At each deadline.
    AtDeadlines,
}

pub(crate) struct Delivery {
    pub(crate) queue: &'static str,
    pub(crate) message: usize,
    /// When the engine was woken that gave it.
    pub(crate) at: i64,
    handle: String,
}

impl Driver {
    pub(crate) fn new(seed: u64, waking: Waking, limit: u32) -> Self {
        let limits = InFlightLimits {
            fifo: limit,
            ..InFlightLimits::default()
        };
        let mut driver = Self {
            engine: Engine::new(Config {
                seed,
                rules: Rules::Relaxed,
                limits,
            }),
            context: Context::new("000000000000", "test", "us-east-1", "http://localhost"),
            now: Timestamp::from_millis(0),
            waking,
            messages: BTreeMap::new(),
            deliveries: Vec::new(),
            polls: Vec::new(),
            transcript: String::new(),
        };
        for setup in &QUEUES {
            driver.create(setup);
        }
        driver
    }

    pub(crate) fn now(&self) -> i64 {
        self.now.as_millis()
    }

    pub(crate) fn poll_count(&self) -> usize {
        self.polls.len()
    }

    fn create(&mut self, setup: &Setup) {
        let scope = if setup.by_group {
            "messageGroup"
        } else {
            "queue"
        };
        let content_based = setup.content_based.to_string();
        let attributes = [
            ("FifoQueue", "true"),
            ("DeduplicationScope", scope),
            ("ContentBasedDeduplication", &content_based),
        ];
        let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let input = CreateQueueInput {
            attributes: Some(attributes.into()),
            ..CreateQueueInput::new(setup.name)
        };
        assert!(matches!(self.call(input), Outcome::Done(Ok(_))));
    }

    fn call(&mut self, input: impl Into<Request>) -> Outcome {
        self.engine.handle(self.now, &self.context, input.into())
    }

    /// The queue that a command is about, and what is asked of it; `None` if it is no request.
    fn request(&self, command: &Command) -> Option<(&'static str, Request)> {
        let handle = |delivery: &usize| {
            let delivery = &self.deliveries[*delivery];
            (delivery.queue, &delivery.handle)
        };
        Some(match command {
            Command::Send { queue, entries } => {
                let entries = entries.iter().map(|entry| SendMessageBatchRequestEntry {
                    delay_seconds: entry.delay,
                    message_group_id: Some(entry.group.to_owned()),
                    message_deduplication_id: entry.id.clone(),
                    ..SendMessageBatchRequestEntry::new(entry.number.to_string(), &entry.body)
                });
                (queue, SendMessageBatchInput::new(*queue, entries).into())
            }
            Command::Receive {
                queue,
                max,
                visibility,
                wait,
                attempt,
            } => {
                let input = ReceiveMessageInput {
                    max_number_of_messages: Some(*max),
                    visibility_timeout: *visibility,
                    wait_time_seconds: *wait,
                    receive_request_attempt_id: attempt.map(str::to_owned),
                    message_system_attribute_names: Some(vec!["All".into()]),
                    ..ReceiveMessageInput::new(*queue)
                };
                (queue, input.into())
            }
            Command::Delete { delivery } => {
                let (queue, handle) = handle(delivery);
                (queue, DeleteMessageInput::new(queue, handle).into())
            }
            Command::Change { delivery, seconds } => {
                let (queue, handle) = handle(delivery);
                let input = ChangeMessageVisibilityInput::new(queue, handle, *seconds);
                (queue, input.into())
            }
            Command::Purge { queue } => (queue, PurgeQueueInput::new(*queue).into()),
            Command::Recreate { queue } => (queue, DeleteQueueInput::new(*queue).into()),
            Command::Set {
                queue,
                attribute,
                seconds,
            } => {
                let name = match attribute {
                    Attribute::Delay => "DelaySeconds",
                    Attribute::Retention => "MessageRetentionPeriod",
                    Attribute::Visibility => "VisibilityTimeout",
                    Attribute::Wait => "ReceiveMessageWaitTimeSeconds",
                };
                let input = SetQueueAttributesInput::new(*queue, [(name, seconds.to_string())]);
                (queue, input.into())
            }
            Command::Cancel { .. } | Command::Tick { .. } => return None,
        })
    }

    fn tick(&mut self, seconds: i64, polls: &mut Vec<(usize, Given)>) {
        let seconds = seconds.try_into().expect("not negative");
        let end = self.now.after(Duration::from_secs(seconds));
        while self.now < end {
            let next = match self.waking {
                Waking::AtTheEnd => end,
                Waking::AtDeadlines => self.engine.next_deadline().unwrap_or(end),
            };
            self.now = next.min(end);
            self.engine.advance(self.now);
            self.collect(polls);
        }
    }

    fn collect(&mut self, polls: &mut Vec<(usize, Given)>) {
        while let Some((id, answer)) = self.engine.poll_completed() {
            let is_it = |(poll, _): &(WaiterId, _)| *poll == id;
            let poll = self.polls.iter().position(is_it).expect("a poll");
            let queue = self.polls[poll].1;
            polls.push((poll, self.given(queue, answer, &[])));
        }
    }

    /// What was answered; `sent` are the entries if it is a send.
    fn given(
        &mut self,
        queue: &'static str,
        answer: Result<Response, Error>,
        sent: &[Entry],
    ) -> Given {
        let json = answer
            .as_ref()
            .map(|response| serde_json::to_string(response).expect("JSON"));
        writeln!(self.transcript, "{json:?}").expect("a string takes all");
        match answer {
            Err(error) => Given::Refused(error.code().name()),
            Ok(Response::ReceiveMessage(output)) => {
                let messages = output.messages.into_iter();
                Given::Messages(
                    messages
                        .map(|message| self.received(queue, message))
                        .collect(),
                )
            }
            Ok(Response::SendMessageBatch(output)) => {
                assert!(output.failed.is_empty(), "failed: {:?}", output.failed);
                let answers = output.successful.into_iter().zip(sent);
                Given::Sent(
                    answers
                        .map(|(answer, entry)| self.sent(answer, entry))
                        .collect(),
                )
            }
            Ok(_) => Given::Done,
        }
    }

    /// The message that the answer to an entry names, which has the sequence number that it had.
    fn sent(&mut self, answer: SendMessageBatchResultEntry, entry: &Entry) -> usize {
        let number = answer.sequence_number.expect("a sequence number");
        let sent = (entry.clone(), number.clone());
        let (first, first_number) = self.messages.entry(answer.message_id).or_insert(sent);
        assert_eq!(
            number, *first_number,
            "of {entry:?}, which repeats {first:?}"
        );
        first.number
    }

    fn received(&mut self, queue: &'static str, message: Message) -> Received {
        let id = message.message_id.expect("an id");
        let (entry, number) = &self.messages[&id];
        assert_eq!(message.body.as_ref(), Some(&entry.body));
        assert_eq!(message.attributes["SequenceNumber"], *number);
        assert_eq!(message.attributes["MessageGroupId"], entry.group);
        let content = hex::encode(Sha256::digest(&entry.body));
        let deduplication_id = entry.id.as_ref().unwrap_or(&content);
        assert_eq!(
            message.attributes["MessageDeduplicationId"],
            *deduplication_id
        );
        let count = &message.attributes["ApproximateReceiveCount"];
        let handle = message.receipt_handle.expect("a handle");
        self.deliveries.push(Delivery {
            queue,
            message: entry.number,
            at: self.now.as_millis(),
            handle: handle.clone(),
        });
        let same = |delivery: &Delivery| delivery.handle == handle;
        Received {
            message: entry.number,
            count: count.parse().expect("a number"),
            delivery: self.deliveries.len() - 1,
            handle: self.deliveries.iter().position(same).expect("a delivery"),
        }
    }
}

impl Side for Driver {
    fn perform(&mut self, command: &Command) -> Answer {
        let mut polls = Vec::new();
        let mut given = Given::Done;
        if let Command::Tick { seconds } = command {
            self.tick(*seconds, &mut polls);
        }
        if let Command::Cancel { poll } = command {
            self.engine.cancel(self.polls[*poll].0);
        }
        if let Some((queue, request)) = self.request(command) {
            let mut sent: &[Entry] = &[];
            if let Command::Send { entries, .. } = command {
                sent = entries;
            }
            given = match self.call(request) {
                Outcome::Done(answer) => self.given(queue, answer, sent),
                Outcome::Waiting(id) => {
                    self.polls.push((id, queue));
                    Given::Waits
                }
            };
        }
        if let Command::Recreate { queue } = command {
            let setup = QUEUES.iter().find(|setup| setup.name == *queue);
            self.create(setup.expect("a queue"));
        }
        self.collect(&mut polls);
        Answer { given, polls }
    }

    fn counts(&self, queue: &str) -> Counts {
        let inspect = self.engine.inspect();
        let queue = inspect.queue("000000000000", "us-east-1", queue);
        queue.expect("a queue").counts()
    }

    fn next_deadline(&self) -> Option<i64> {
        self.engine.next_deadline().map(Timestamp::as_millis)
    }
}
