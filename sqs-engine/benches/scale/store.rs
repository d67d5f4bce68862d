//! An engine with one queue, and the calls that the measurements are made of.

use std::time::Duration;

use sqs::{
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageBatchInput,
    DeleteMessageBatchRequestEntry, DeleteMessageInput, MessageAttributeValue, PurgeQueueInput,
    ReceiveMessageInput, Request, Response, SendMessageBatchInput, SendMessageBatchRequestEntry,
    SendMessageInput,
};
use sqs_engine::{Config, Context, Engine, InFlightLimits, Outcome, Timestamp};

/// How long the body of each message is, in bytes.
pub(crate) const BODY_LEN: usize = 100;

pub(crate) struct Store {
    engine: Engine,
    me: Context,
    now: Timestamp,
    sent: u64,
    /// What each message has besides its body.
    pub(crate) sends: Sends,
}

/// What the messages of a store are like.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sends {
    /// How many attributes each has.
    pub(crate) attributes: usize,
    /// Over how many groups they are spread; zero for no groups.
    pub(crate) groups: u64,
    pub(crate) delay: Option<i32>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Standard,
    Fifo,
}

impl Kind {
    fn queue(self) -> &'static str {
        match self {
            Self::Standard => "orders",
            Self::Fifo => "orders.fifo",
        }
    }
}

impl Store {
    pub(crate) fn new(sends: Sends) -> Self {
        let mut store = Self {
            engine: Engine::new(Config {
                limits: InFlightLimits {
                    standard: u32::MAX,
                    fifo: u32::MAX,
                },
                ..Config::default()
            }),
            me: Context::new("000000000000", "test", "us-east-1", "http://localhost"),
            now: Timestamp::from_millis(1_700_000_000_000),
            sent: 0,
            sends,
        };
        let mut create = CreateQueueInput::new(store.queue());
        if sends.kind == Kind::Fifo {
            let attributes = ["FifoQueue", "ContentBasedDeduplication"];
            let attributes = attributes.map(|name| (name.to_owned(), "true".to_owned()));
            create.attributes = Some(attributes.into());
        }
        store.call(create.into());
        store
    }

    /// A store with that many messages waiting.
    pub(crate) fn with(sends: Sends, messages: usize) -> Self {
        let mut store = Self::new(sends);
        store.send(messages);
        store
    }

    fn queue(&self) -> &'static str {
        self.sends.kind.queue()
    }

    /// Performs a call, a millisecond after the one before.
    pub(crate) fn call(&mut self, request: Request) -> Response {
        self.now = self.now.after(Duration::from_millis(1));
        match self.engine.handle(self.now, &self.me, request) {
            Outcome::Done(Ok(response)) => response,
            Outcome::Done(Err(error)) => panic!("refused: {error}"),
            Outcome::Waiting(_) => panic!("no call of this bench waits"),
        }
    }

    pub(crate) fn send_request(&mut self) -> Request {
        let entry = self.entry();
        SendMessageInput {
            delay_seconds: entry.delay_seconds,
            message_attributes: entry.message_attributes,
            message_group_id: entry.message_group_id,
            ..SendMessageInput::new(self.queue(), entry.message_body.unwrap_or_default())
        }
        .into()
    }

    pub(crate) fn send_batch_request(&mut self) -> Request {
        let entries: Vec<_> = (0..BATCH).map(|_| self.entry()).collect();
        SendMessageBatchInput::new(self.queue(), entries).into()
    }

    fn entry(&mut self) -> SendMessageBatchRequestEntry {
        let number = self.sent;
        self.sent += 1;
        let body = format!("{number:0BODY_LEN$}");
        let mut entry = SendMessageBatchRequestEntry::new(format!("e{number}"), body);
        entry.delay_seconds = self.sends.delay;
        if self.sends.groups > 0 {
            entry.message_group_id = Some(format!("group-{}", number % self.sends.groups));
        }
        if self.sends.attributes > 0 {
            let attributes = (0..self.sends.attributes).map(|which| {
                let value = MessageAttributeValue::string(ATTRIBUTE_VALUE);
                (format!("{ATTRIBUTE_NAME}{which}"), value)
            });
            entry.message_attributes = Some(attributes.collect());
        }
        entry
    }

    pub(crate) fn receive_request(&self, max: usize) -> Request {
        ReceiveMessageInput {
            max_number_of_messages: i32::try_from(max).ok(),
            visibility_timeout: Some(43_200),
            ..ReceiveMessageInput::new(self.queue())
        }
        .into()
    }

    pub(crate) fn delete_request(&self, handle: &str) -> Request {
        DeleteMessageInput::new(self.queue(), handle).into()
    }

    pub(crate) fn delete_batch_request(&self, handles: &[String]) -> Request {
        let entries = handles.iter().enumerate().map(|(number, handle)| {
            DeleteMessageBatchRequestEntry::new(format!("e{number}"), handle)
        });
        DeleteMessageBatchInput::new(self.queue(), entries).into()
    }

    pub(crate) fn change_request(&self, handle: &str, seconds: i32) -> Request {
        ChangeMessageVisibilityInput::new(self.queue(), handle, seconds).into()
    }

    pub(crate) fn purge_request(&self) -> Request {
        PurgeQueueInput::new(self.queue()).into()
    }

    /// Lets the retention of all messages end.
    pub(crate) fn expire(&mut self) {
        self.now = self.now.after(Duration::from_secs(345_600));
        self.engine.advance(self.now);
        assert_eq!(
            self.engine.inspect().counts().total(),
            0,
            "all have expired"
        );
    }

    pub(crate) fn send(&mut self, messages: usize) {
        for _ in 0..messages {
            let request = self.send_request();
            self.call(request);
        }
    }

    /// Receives that many messages, ten at a time, and gives their handles.
    pub(crate) fn receive(&mut self, messages: usize) -> Vec<String> {
        let mut received = Vec::with_capacity(messages);
        while received.len() < messages {
            let request = self.receive_request(BATCH.min(messages - received.len()));
            let answer = self.call(request);
            let before = received.len();
            received.extend(handles(answer));
            assert!(received.len() > before, "the queue has too few messages");
        }
        received
    }

    pub(crate) fn delete(&mut self, handles: Vec<String>) {
        for handle in handles {
            let request = self.delete_request(&handle);
            self.call(request);
        }
    }

    /// Makes received messages visible again.
    pub(crate) fn give_back(&mut self, handles: Vec<String>) {
        for handle in handles {
            let request = self.change_request(&handle, 0);
            self.call(request);
        }
    }
}

/// The handles of what a receive gave.
pub(crate) fn handles(response: Response) -> Vec<String> {
    let Response::ReceiveMessage(output) = response else {
        panic!("not an answer to ReceiveMessage");
    };
    let handles = output.messages.into_iter();
    handles
        .filter_map(|message| message.receipt_handle)
        .collect()
}

/// How many entries a batch has.
pub(crate) const BATCH: usize = 10;
const ATTRIBUTE_NAME: &str = "attribute-";
const ATTRIBUTE_VALUE: &str = "some value";
/// What SQS counts of each attribute: name, type and value.
pub(crate) const ATTRIBUTE_LEN: usize =
    ATTRIBUTE_NAME.len() + 1 + "String".len() + ATTRIBUTE_VALUE.len();
