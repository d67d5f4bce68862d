//! The engine as a client drives it.

use sqs::{
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput, Message,
    PurgeQueueInput, Request, SendMessageBatchInput, SendMessageBatchRequestEntry,
    SetQueueAttributesInput,
};
use sqs_engine::{Counts, InFlightLimits};

use super::commands::{Answer, Command, Given, QUEUES, Received};
use crate::rig::{Answered, Client, Side, Waking};

pub(crate) struct Driver {
    /// Messages go by their bodies.
    pub(crate) client: Client<String>,
    waking: Waking,
}

impl Driver {
    pub(crate) fn new(seed: u64, waking: Waking) -> Self {
        Self::with_limits(seed, waking, InFlightLimits::default())
    }

    pub(crate) fn with_limits(seed: u64, waking: Waking, limits: InFlightLimits) -> Self {
        let mut driver = Self {
            client: Client::new(seed, limits),
            waking,
        };
        for queue in QUEUES {
            driver.create(queue);
        }
        driver
    }

    fn create(&mut self, queue: &str) {
        let created = self.client.call(CreateQueueInput::new(queue));
        created.expect("a queue");
    }

    fn request(&self, command: &Command) -> Option<Request> {
        Some(match command {
            Command::Send {
                queue,
                bodies,
                group,
                delay,
            } => {
                let entries = bodies.iter().map(|body| SendMessageBatchRequestEntry {
                    delay_seconds: *delay,
                    message_group_id: group.map(str::to_owned),
                    ..SendMessageBatchRequestEntry::new(body, body)
                });
                SendMessageBatchInput::new(*queue, entries).into()
            }
            Command::Receive { queue, asks } => asks.request(queue),
            Command::Delete { queue, delivery } => {
                DeleteMessageInput::new(*queue, &self.client.deliveries[*delivery].handle).into()
            }
            Command::Change {
                queue,
                delivery,
                seconds,
            } => {
                let handle = &self.client.deliveries[*delivery].handle;
                ChangeMessageVisibilityInput::new(*queue, handle, *seconds).into()
            }
            Command::Purge { queue } => PurgeQueueInput::new(*queue).into(),
            Command::Recreate { queue } => DeleteQueueInput::new(*queue).into(),
            Command::Set {
                queue,
                attribute,
                seconds,
            } => {
                let value = (attribute.name(), seconds.to_string());
                SetQueueAttributesInput::new(*queue, [value]).into()
            }
            Command::Cancel { .. } | Command::Tick { .. } => return None,
        })
    }

    fn given(&mut self, answered: Answered) -> Given {
        let (queue, at) = (answered.queue, answered.at);
        answered.given(|message| self.received(queue, at, message))
    }

    fn received(&mut self, queue: &'static str, at: i64, message: Message) -> Received {
        let body = message.body.expect("a body");
        let count = message.attributes["ApproximateReceiveCount"].parse();
        let handle = message.receipt_handle.expect("a handle");
        self.client.keep(queue, at, body.clone(), handle);
        (body, count.expect("a number"))
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
        if let Some(request) = self.request(command) {
            let queue = command.queue().expect("requests name a queue");
            let answered = self.client.ask(queue, request);
            given = answered.map_or(Given::Waits, |answered| self.given(answered));
        }
        if let Command::Recreate { queue } = command {
            self.create(queue);
        }
        let polls = self.client.completed().into_iter();
        let polls = polls.map(|(poll, answered)| (poll, self.given(answered)));
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
