//! The engine as a client drives it.

use std::time::Duration;

use sqs::{
    CancelMessageMoveTaskInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput, Error,
    ListMessageMoveTasksInput, Message, PurgeQueueInput, QueueArn, ReceiveMessageInput, Request,
    Response, SendMessageBatchInput, SendMessageBatchRequestEntry, SetQueueAttributesInput,
    StartMessageMoveTaskInput,
};
use sqs_engine::inspect::QueueView;
use sqs_engine::{Config, Context, Engine, MessageState, Outcome, Rules, Timestamp, WaiterId};

use crate::commands::{Answer, Command, Given, InStore, Kind, QUEUES, Received, Stored, TaskSeen};

pub(crate) struct Driver {
    /// Listing tasks is a command, and changes nothing.
    engine: std::cell::RefCell<Engine>,
    context: Context,
    now: Timestamp,
    kind: Kind,
    deliveries: Vec<Delivery>,
    polls: Vec<(WaiterId, &'static str)>,
}

pub(crate) struct Delivery {
    pub(crate) body: String,
    queue: &'static str,
    handle: String,
}

impl Driver {
    pub(crate) fn new(seed: u64, kind: Kind) -> Self {
        let config = Config {
            seed,
            rules: Rules::Relaxed,
            ..Config::default()
        };
        let driver = Self {
            engine: Engine::new(config).into(),
            context: Context::new(ACCOUNT, "test", REGION, "http://localhost"),
            now: Timestamp::from_millis(0),
            kind,
            deliveries: Vec::new(),
            polls: Vec::new(),
        };
        for queue in QUEUES {
            driver.create(queue);
        }
        driver
    }

    fn create(&self, queue: &str) {
        let mut input = CreateQueueInput::new(self.name(queue));
        if self.kind == Kind::Fifo {
            let on = |name: &str| (name.to_owned(), "true".to_owned());
            let attributes = [on("FifoQueue"), on("ContentBasedDeduplication")];
            input.attributes = Some(attributes.into());
        }
        self.call(input).expect("a queue");
    }

    fn name(&self, queue: &str) -> String {
        match self.kind {
            Kind::Standard => queue.to_owned(),
            Kind::Fifo => format!("{queue}.fifo"),
        }
    }

    /// Three groups, by the end of the body.
    fn group(&self, body: &str) -> Option<String> {
        let last = body.bytes().last().expect("a body") % 3;
        (self.kind == Kind::Fifo).then(|| format!("g{last}"))
    }

    fn arn(&self, queue: &str) -> String {
        QueueArn::new(REGION, ACCOUNT, self.name(queue)).to_string()
    }

    pub(crate) fn deliveries(&self) -> &[Delivery] {
        &self.deliveries
    }

    pub(crate) fn perform(&mut self, command: &Command) -> Answer {
        let given = match command {
            Command::Tick { millis } => {
                let millis = u64::try_from(*millis).expect("not negative");
                self.now = self.now.after(Duration::from_millis(millis));
                self.engine.get_mut().advance(self.now);
                Given::Done
            }
            Command::Receive {
                queue,
                max,
                visibility,
                wait,
            } => self.receive(
                queue,
                ReceiveMessageInput {
                    max_number_of_messages: Some(*max),
                    visibility_timeout: Some(*visibility),
                    wait_time_seconds: Some(*wait),
                    message_system_attribute_names: Some(vec!["All".into()]),
                    ..ReceiveMessageInput::new(self.name(queue))
                },
            ),
            Command::Recreate { queue } => {
                self.call(DeleteQueueInput::new(self.name(queue)))
                    .expect("deleted");
                self.create(queue);
                Given::Done
            }
            command => match self.request(command).map(|request| self.call(request)) {
                Some(Ok(_)) => Given::Done,
                Some(Err(error)) => Given::Refused(error.code().name()),
                None => Given::Refused("no task"),
            },
        };
        let mut polls = Vec::new();
        while let Some((id, answer)) = self.engine.get_mut().poll_completed() {
            let is_it = |(poll, _): &(WaiterId, _)| *poll == id;
            let number = self.polls.iter().position(is_it).expect("a poll");
            let queue = self.polls[number].1;
            polls.push((number, self.given(queue, answer)));
        }
        Answer { given, polls }
    }

    fn request(&self, command: &Command) -> Option<Request> {
        Some(match command {
            Command::Send {
                queue,
                bodies,
                delay,
            } => {
                let entries = bodies.iter().map(|body| SendMessageBatchRequestEntry {
                    delay_seconds: Some(*delay).filter(|_| self.kind == Kind::Standard),
                    message_group_id: self.group(body),
                    ..SendMessageBatchRequestEntry::new(body, body)
                });
                SendMessageBatchInput::new(self.name(queue), entries).into()
            }
            Command::Delete { delivery } => {
                let Delivery { queue, handle, .. } = &self.deliveries[*delivery];
                DeleteMessageInput::new(self.name(queue), handle).into()
            }
            Command::Redrive { queue, to } => {
                let policy = to.map_or_else(String::new, |(target, count)| {
                    let arn = self.arn(target);
                    format!("{{\"deadLetterTargetArn\":\"{arn}\",\"maxReceiveCount\":{count}}}")
                });
                SetQueueAttributesInput::new(self.name(queue), [("RedrivePolicy", policy)]).into()
            }
            Command::Retain { queue, seconds } => {
                let retention = [("MessageRetentionPeriod", seconds.to_string())];
                SetQueueAttributesInput::new(self.name(queue), retention).into()
            }
            Command::Purge { queue } => PurgeQueueInput::new(self.name(queue)).into(),
            Command::StartTask { queue, to, rate } => StartMessageMoveTaskInput {
                destination_arn: to.map(|queue| self.arn(queue)),
                max_number_of_messages_per_second: *rate,
                ..StartMessageMoveTaskInput::new(self.arn(queue))
            }
            .into(),
            Command::StopTask { queue } => {
                let latest = self.list(queue).into_iter().next()?;
                CancelMessageMoveTaskInput::new(latest.task_handle?).into()
            }
            Command::Receive { .. } | Command::Recreate { .. } | Command::Tick { .. } => {
                return None;
            }
        })
    }

    fn receive(&mut self, queue: &'static str, input: ReceiveMessageInput) -> Given {
        match self.handle(input) {
            Outcome::Done(answer) => self.given(queue, answer),
            Outcome::Waiting(id) => {
                self.polls.push((id, queue));
                Given::Waits
            }
        }
    }

    fn given(&mut self, queue: &'static str, answer: Result<Response, Error>) -> Given {
        match answer {
            Err(error) => Given::Refused(error.code().name()),
            Ok(Response::ReceiveMessage(output)) => {
                for message in &output.messages {
                    let handle = message.receipt_handle.clone().expect("a handle");
                    let body = message.body.clone().expect("a body");
                    self.deliveries.push(Delivery {
                        body,
                        queue,
                        handle,
                    });
                }
                Given::Messages(output.messages.into_iter().map(received).collect())
            }
            Ok(response) => panic!("not of a receive: {response:?}"),
        }
    }

    fn call(&self, input: impl Into<Request>) -> Result<Response, Error> {
        match self.handle(input) {
            Outcome::Done(answer) => answer,
            Outcome::Waiting(_) => panic!("only a receive waits"),
        }
    }

    fn handle(&self, input: impl Into<Request>) -> Outcome {
        let mut engine = self.engine.borrow_mut();
        engine.handle(self.now, &self.context, input.into())
    }

    fn list(&self, queue: &str) -> Vec<sqs::ListMessageMoveTasksResultEntry> {
        let input = ListMessageMoveTasksInput {
            max_results: Some(10),
            ..ListMessageMoveTasksInput::new(self.arn(queue))
        };
        match self.call(input) {
            Ok(Response::ListMessageMoveTasks(output)) => output.results,
            answer => panic!("not a list: {answer:?}"),
        }
    }

    pub(crate) fn tasks(&self, queue: &str) -> Vec<TaskSeen> {
        let count = |given: i64| usize::try_from(given).expect("a count");
        let tasks = self.list(queue).into_iter().map(|task| TaskSeen {
            status: match (task.status.expect("a status"), task.failure_reason) {
                (status, None) => status,
                (status, Some(reason)) => format!("{status} {reason}"),
            },
            moved: count(task.approximate_number_of_messages_moved),
            to_move: count(
                task.approximate_number_of_messages_to_move
                    .expect("a count"),
            ),
        });
        tasks.collect()
    }

    pub(crate) fn stored(&self, queue: &str) -> Stored {
        let engine = self.engine.borrow();
        let queue = engine.inspect().queue(ACCOUNT, REGION, &self.name(queue));
        let messages = queue.as_ref().map(QueueView::messages).expect("a queue");
        let messages = messages.map(|message| InStore {
            body: message.body().to_owned(),
            group: message.group().map(str::to_owned),
            hidden_until: match message.state() {
                MessageState::Visible => None,
                MessageState::Delayed { until } | MessageState::InFlight { until } => {
                    Some(until.as_millis())
                }
                state => panic!("an unknown state: {state:?}"),
            },
            expires_at: message.expires_at().as_millis(),
            count: message.receive_count(),
        });
        Stored {
            messages: messages.collect(),
        }
    }

    pub(crate) fn next_deadline(&self) -> Option<i64> {
        self.engine
            .borrow()
            .next_deadline()
            .map(Timestamp::as_millis)
    }
}

fn received(message: Message) -> Received {
    let number = |name: &str| message.attributes[name].parse().expect("a number");
    let source = message.attributes.get("DeadLetterQueueSourceArn");
    Received {
        count: u32::try_from(number("ApproximateReceiveCount")).expect("a count"),
        sent_at: number("SentTimestamp"),
        source: source.map(|arn| {
            let arn: QueueArn = arn.parse().expect("an ARN");
            arn.name().trim_end_matches(".fifo").to_owned()
        }),
        body: message.body.expect("a body"),
    }
}

const ACCOUNT: &str = "000000000000";
const REGION: &str = "us-east-1";
