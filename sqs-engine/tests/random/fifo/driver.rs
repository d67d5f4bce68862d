//! The engine as a client drives it.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use sqs::{
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput, Message,
    PurgeQueueInput, Request, Response, SendMessageBatchInput, SendMessageBatchRequestEntry,
    SendMessageBatchResultEntry, SetQueueAttributesInput,
};
use sqs_engine::{Counts, InFlightLimits};

use super::commands::{Answer, Command, Entry, Given, QUEUES, Received, Setup};
use crate::rig::{Answered, Client, Delivery, Side, Waking};

pub(crate) struct Driver {
    /// Messages go by the numbers of the entries that sent them.
    pub(crate) client: Client<usize>,
    waking: Waking,
    /// Each message by its id: the entry that sent it, and its sequence number.
    messages: BTreeMap<String, (Entry, String)>,
}

impl Driver {
    pub(crate) fn new(seed: u64, waking: Waking, limit: u32) -> Self {
        let limits = InFlightLimits {
            fifo: limit,
            ..InFlightLimits::default()
        };
        let mut driver = Self {
            client: Client::new(seed, limits),
            waking,
            messages: BTreeMap::new(),
        };
        for setup in &QUEUES {
            driver.create(setup);
        }
        driver
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
        self.client.call(input).expect("a queue");
    }

    /// The queue that a command is about, and what is asked of it; `None` if it is no request.
    fn request(&self, command: &Command) -> Option<(&'static str, Request)> {
        let handle = |delivery: &usize| {
            let delivery = &self.client.deliveries[*delivery];
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
            Command::Receive { queue, asks } => (queue, asks.request(queue)),
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
                let value = (attribute.name(), seconds.to_string());
                let input = SetQueueAttributesInput::new(*queue, [value]);
                (queue, input.into())
            }
            Command::Cancel { .. } | Command::Tick { .. } => return None,
        })
    }

    /// What was answered; `sent` are the entries if it is a send.
    fn given(&mut self, mut answered: Answered, sent: &[Entry]) -> Given {
        let (queue, at) = (answered.queue, answered.at);
        let mut successful = Vec::new();
        if let Ok(Response::SendMessageBatch(output)) = &mut answered.result {
            successful = std::mem::take(&mut output.successful);
        }
        let given = answered.given(|message| self.received(queue, at, message));
        if successful.is_empty() {
            return given;
        }
        let answers = successful.into_iter().zip(sent);
        let sent = answers.map(|(answer, entry)| self.sent(answer, entry));
        Given::Sent(sent.collect())
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

    fn received(&mut self, queue: &'static str, at: i64, message: Message) -> Received {
        let id = message.message_id.expect("an id");
        let (entry, sequence) = &self.messages[&id];
        assert_eq!(message.body.as_ref(), Some(&entry.body));
        assert_eq!(message.attributes["SequenceNumber"], *sequence);
        assert_eq!(message.attributes["MessageGroupId"], entry.group);
        let content = hex::encode(Sha256::digest(&entry.body));
        let deduplication_id = entry.id.as_ref().unwrap_or(&content);
        assert_eq!(
            message.attributes["MessageDeduplicationId"],
            *deduplication_id
        );
        let count = &message.attributes["ApproximateReceiveCount"];
        let handle = message.receipt_handle.expect("a handle");
        let number = entry.number;
        self.client.keep(queue, at, number, handle.clone());
        let deliveries = &self.client.deliveries;
        let same = |delivery: &Delivery<usize>| delivery.handle == handle;
        Received {
            message: number,
            count: count.parse().expect("a number"),
            delivery: deliveries.len() - 1,
            handle: deliveries.iter().position(same).expect("a delivery"),
        }
    }
}

impl Side for Driver {
    type Command = Command;
    type Received = Received;
    type Seen = Counts;

    fn perform(&mut self, command: &Command) -> Answer {
        let mut given = Given::Done;
        if let Command::Tick { seconds } = command {
            self.client.pass(seconds * 1_000, self.waking);
        }
        if let Command::Cancel { poll } = command {
            self.client.cancel(*poll);
        }
        if let Some((queue, request)) = self.request(command) {
            let mut sent: &[Entry] = &[];
            if let Command::Send { entries, .. } = command {
                sent = entries;
            }
            let answered = self.client.ask(queue, request);
            given = answered.map_or(Given::Waits, |answered| self.given(answered, sent));
        }
        if let Command::Recreate { queue } = command {
            let setup = QUEUES.iter().find(|setup| setup.name == *queue);
            self.create(setup.expect("a queue"));
        }
        let polls = self.client.completed().into_iter();
        let polls = polls.map(|(poll, answered)| (poll, self.given(answered, &[])));
        Answer {
            given,
            polls: polls.collect(),
        }
    }

    fn look(&mut self, queue: &str) -> Counts {
        self.client.view(queue).counts()
    }

    fn next_deadline(&self) -> Option<i64> {
        self.client.next_deadline()
    }
}
