//! The engine as a client drives it.

use std::fmt::Write as _;
use std::time::Duration;

use sqs::{
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput, Error,
    PurgeQueueInput, ReceiveMessageInput, Request, Response, SendMessageBatchInput,
    SendMessageBatchRequestEntry, SetQueueAttributesInput,
};
use sqs_engine::{
    Config, Context, Counts, Engine, InFlightLimits, Outcome, Rules, Timestamp, WaiterId,
};

use crate::commands::{Answer, Attribute, Command, Given, QUEUES, Side};

pub(crate) struct Driver {
    engine: Engine,
    context: Context,
    now: Timestamp,
    waking: Waking,
    pub(crate) deliveries: Vec<Delivery>,
    /// The queue of each delivery.
    pub(crate) delivery_queues: Vec<&'static str>,
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
    /// Every 250 ms, whether something is due or not.
    Often,
}

pub(crate) struct Delivery {
    pub(crate) queue: &'static str,
    pub(crate) body: String,
    /// When the engine was woken that gave it.
    pub(crate) at: Timestamp,
    handle: String,
}

impl Driver {
    pub(crate) fn new(seed: u64, waking: Waking) -> Self {
        Self::with_limits(seed, waking, InFlightLimits::default())
    }

    pub(crate) fn with_limits(seed: u64, waking: Waking, limits: InFlightLimits) -> Self {
        let mut driver = Self {
            engine: Engine::new(Config {
                seed,
                rules: Rules::Relaxed,
                limits,
            }),
            context: Context::new("000000000000", "test", "us-east-1", "http://localhost"),
            now: Timestamp::from_millis(0),
            waking,
            deliveries: Vec::new(),
            delivery_queues: Vec::new(),
            polls: Vec::new(),
            transcript: String::new(),
        };
        for queue in QUEUES {
            let created = driver.call(CreateQueueInput::new(queue));
            assert!(matches!(created, Outcome::Done(Ok(_))));
        }
        driver
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn poll_count(&self) -> usize {
        self.polls.len()
    }

    fn call(&mut self, input: impl Into<Request>) -> Outcome {
        self.engine.handle(self.now, &self.context, input.into())
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
            Command::Receive {
                queue,
                max,
                visibility,
                wait,
            } => ReceiveMessageInput {
                max_number_of_messages: Some(*max),
                visibility_timeout: *visibility,
                wait_time_seconds: *wait,
                message_system_attribute_names: Some(vec!["All".into()]),
                ..ReceiveMessageInput::new(*queue)
            }
            .into(),
            Command::Delete { queue, delivery } => {
                DeleteMessageInput::new(*queue, &self.deliveries[*delivery].handle).into()
            }
            Command::Change {
                queue,
                delivery,
                seconds,
            } => {
                let handle = &self.deliveries[*delivery].handle;
                ChangeMessageVisibilityInput::new(*queue, handle, *seconds).into()
            }
            Command::Purge { queue } => PurgeQueueInput::new(*queue).into(),
            Command::Recreate { queue } => DeleteQueueInput::new(*queue).into(),
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
                SetQueueAttributesInput::new(*queue, [(name, seconds.to_string())]).into()
            }
            Command::Cancel { .. } | Command::Tick { .. } => return None,
        })
    }

    fn tick(&mut self, seconds: i64, polls: &mut Vec<(usize, Given)>) {
        let end = self.now.after(Duration::from_secs(
            seconds.try_into().expect("not negative"),
        ));
        while self.now < end {
            let next = match self.waking {
                Waking::AtTheEnd => end,
                Waking::AtDeadlines => self.engine.next_deadline().unwrap_or(end),
                Waking::Often if seconds < 100 => self.now.after(Duration::from_millis(250)),
                Waking::Often => self.now.after(Duration::from_secs(60)),
            };
            self.now = next.min(end);
            self.engine.advance(self.now);
            self.collect(polls);
        }
    }

    fn collect(&mut self, polls: &mut Vec<(usize, Given)>) {
        while let Some((id, answer)) = self.engine.poll_completed() {
            let poll = self
                .polls
                .iter()
                .position(|(poll, _)| *poll == id)
                .expect("a poll");
            let queue = self.polls[poll].1;
            polls.push((poll, self.given(queue, answer)));
        }
    }

    fn given(&mut self, queue: &'static str, answer: Result<Response, Error>) -> Given {
        let json = answer
            .as_ref()
            .map(|response| serde_json::to_string(response).expect("JSON"));
        writeln!(self.transcript, "{json:?}").expect("a string takes all");
        match answer {
            Err(error) => Given::Refused(error.code().name()),
            Ok(Response::ReceiveMessage(output)) => {
                let messages = output.messages.into_iter().map(|message| {
                    let body = message.body.expect("a body");
                    let count = message.attributes["ApproximateReceiveCount"].parse();
                    let handle = message.receipt_handle.expect("a handle");
                    let at = self.now;
                    self.delivery_queues.push(queue);
                    self.deliveries.push(Delivery {
                        queue,
                        body: body.clone(),
                        at,
                        handle,
                    });
                    (body, count.expect("a number"))
                });
                Given::Messages(messages.collect())
            }
            Ok(Response::SendMessageBatch(output)) => {
                assert!(
                    output.failed.is_empty(),
                    "an entry failed: {:?}",
                    output.failed
                );
                Given::Done
            }
            Ok(_) => Given::Done,
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
        if let Some(request) = self.request(command) {
            let queue = command.queue().expect("requests name a queue");
            given = match self.call(request) {
                Outcome::Done(answer) => self.given(queue, answer),
                Outcome::Waiting(id) => {
                    self.polls.push((id, queue));
                    Given::Waits
                }
            };
        }
        if let Command::Recreate { queue } = command {
            let created = self.call(CreateQueueInput::new(*queue));
            assert!(matches!(created, Outcome::Done(Ok(_))));
        }
        self.collect(&mut polls);
        Answer { given, polls }
    }

    fn counts(&self, queue: &str) -> Counts {
        let inspect = self.engine.inspect();
        inspect
            .queue("000000000000", "us-east-1", queue)
            .expect("a queue")
            .counts()
    }

    fn next_deadline(&self) -> Option<i64> {
        self.engine.next_deadline().map(Timestamp::as_millis)
    }
}
