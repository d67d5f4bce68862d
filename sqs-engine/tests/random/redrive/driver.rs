//! The engine as a client drives it.

use sqs::{
    CancelMessageMoveTaskInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput,
    ListMessageMoveTasksInput, Message, PurgeQueueInput, QueueArn, Request, Response,
    SendMessageBatchInput, SendMessageBatchRequestEntry, SetQueueAttributesInput,
    StartMessageMoveTaskInput,
};
use sqs_engine::{InFlightLimits, MessageState};

use super::commands::{Answer, Command, Given, InStore, Kind, QUEUES, Received, Stored, TaskSeen};
use crate::rig::{ACCOUNT, Answered, Client, REGION, Side, Waking};

pub(crate) struct Driver {
    /// Messages go by their bodies.
    pub(crate) client: Client<String>,
    kind: Kind,
}

impl Driver {
    pub(crate) fn new(seed: u64, kind: Kind) -> Self {
        let mut driver = Self {
            client: Client::new(seed, InFlightLimits::default()),
            kind,
        };
        for queue in QUEUES {
            driver.create(queue);
        }
        driver
    }

    fn create(&mut self, queue: &str) {
        let mut input = CreateQueueInput::new(self.name(queue));
        if self.kind == Kind::Fifo {
            let on = |name: &str| (name.to_owned(), "true".to_owned());
            let attributes = [on("FifoQueue"), on("ContentBasedDeduplication")];
            input.attributes = Some(attributes.into());
        }
        self.client.call(input).expect("a queue");
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

    /// The queue that a command is about, and what is asked of it; `None` if there is nothing to
    /// ask.
    fn request(&mut self, command: &Command) -> Option<(&'static str, Request)> {
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
                let input = SendMessageBatchInput::new(self.name(queue), entries);
                (queue, input.into())
            }
            Command::Delete { delivery } => {
                let delivery = &self.client.deliveries[*delivery];
                let name = self.name(delivery.queue);
                let input = DeleteMessageInput::new(name, &delivery.handle);
                (delivery.queue, input.into())
            }
            Command::Redrive { queue, to } => {
                let policy = to.map_or_else(String::new, |(target, count)| {
                    let arn = self.arn(target);
                    format!("{{\"deadLetterTargetArn\":\"{arn}\",\"maxReceiveCount\":{count}}}")
                });
                let policy = [("RedrivePolicy", policy)];
                let input = SetQueueAttributesInput::new(self.name(queue), policy);
                (queue, input.into())
            }
            Command::Retain { queue, seconds } => {
                let retention = [("MessageRetentionPeriod", seconds.to_string())];
                let input = SetQueueAttributesInput::new(self.name(queue), retention);
                (queue, input.into())
            }
            Command::Purge { queue } => (queue, PurgeQueueInput::new(self.name(queue)).into()),
            Command::Recreate { queue } => (queue, DeleteQueueInput::new(self.name(queue)).into()),
            Command::StartTask { queue, to, rate } => {
                let input = StartMessageMoveTaskInput {
                    destination_arn: to.map(|queue| self.arn(queue)),
                    max_number_of_messages_per_second: *rate,
                    ..StartMessageMoveTaskInput::new(self.arn(queue))
                };
                (queue, input.into())
            }
            Command::StopTask { queue } => {
                let latest = self.list(queue).into_iter().next()?;
                let input = CancelMessageMoveTaskInput::new(latest.task_handle?);
                (queue, input.into())
            }
            Command::Receive { queue, asks } => (queue, asks.request(&self.name(queue))),
            Command::Tick { .. } => return None,
        })
    }

    fn given(&mut self, answered: Answered) -> Given {
        let (queue, at) = (answered.queue, answered.at);
        answered.given(|message| {
            let handle = message.receipt_handle.clone().expect("a handle");
            let body = message.body.clone().expect("a body");
            self.client.keep(queue, at, body, handle);
            received(message)
        })
    }

    fn list(&mut self, queue: &str) -> Vec<sqs::ListMessageMoveTasksResultEntry> {
        let input = ListMessageMoveTasksInput {
            max_results: Some(10),
            ..ListMessageMoveTasksInput::new(self.arn(queue))
        };
        match self.client.call(input) {
            Ok(Response::ListMessageMoveTasks(output)) => output.results,
            answer => panic!("not a list: {answer:?}"),
        }
    }

    pub(crate) fn tasks(&mut self, queue: &str) -> Vec<TaskSeen> {
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
        let queue = self.client.view(&self.name(queue));
        let messages = queue.messages().map(|message| InStore {
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
}

impl Side for Driver {
    type Command = Command;
    type Received = Received;
    type Seen = (Stored, Vec<TaskSeen>);

    fn perform(&mut self, command: &Command) -> Answer {
        let given = match command {
            Command::Tick { millis } => {
                self.client.pass(*millis, Waking::AtTheEnd);
                Given::Done
            }
            command => match self.request(command) {
                Some((queue, request)) => {
                    let answered = self.client.ask(queue, request);
                    answered.map_or(Given::Waits, |answered| self.given(answered))
                }
                None => Given::Refused("no task"),
            },
        };
        if let Command::Recreate { queue } = command {
            assert_eq!(given, Given::Done, "deleted");
            self.create(queue);
        }
        let polls = self.client.completed().into_iter();
        let polls = polls.map(|(poll, answered)| (poll, self.given(answered)));
        Answer {
            given,
            polls: polls.collect(),
        }
    }

    fn look(&mut self, queue: &str) -> (Stored, Vec<TaskSeen>) {
        (self.stored(queue), self.tasks(queue))
    }

    fn next_deadline(&self) -> Option<i64> {
        self.client.next_deadline()
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
