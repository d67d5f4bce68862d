//! Standard queues, plain and slow: lists that are searched from the front, and no index at all.
//!
//! It is written from the rules, not from the engine. Times are milliseconds.

use sqs_engine::Counts;

use crate::commands::{Answer, Attribute, Command, Given, QUEUES, Side};

pub(crate) struct Reference {
    now: i64,
    /// In order of creation.
    queues: Vec<Queue>,
    created: usize,
    deliveries: Vec<Delivery>,
    polls: usize,
    answered: Vec<(usize, Given)>,
}

struct Queue {
    name: &'static str,
    life: usize,
    delay: i64,
    retention: i64,
    visibility: i64,
    wait: i64,
    /// In order of sending.
    messages: Vec<Message>,
    /// In order of arrival.
    polls: Vec<Poll>,
}

struct Message {
    body: String,
    sent_at: i64,
    /// Hidden before this time, by its delay or by a receive.
    visible_from: i64,
    hidden_by: HiddenBy,
    receives: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HiddenBy {
    Delay,
    Receive,
}

struct Poll {
    number: usize,
    max: usize,
    visibility: Option<i64>,
    deadline: i64,
}

#[derive(Clone)]
struct Delivery {
    life: usize,
    body: String,
    /// The how-manieth receive of the message it was.
    receive: u32,
    at: i64,
}

const SECOND: i64 = 1_000;
const TWELVE_HOURS: i64 = 43_200 * SECOND;

impl Default for Reference {
    fn default() -> Self {
        let mut reference = Self {
            now: 0,
            queues: Vec::new(),
            created: 0,
            deliveries: Vec::new(),
            polls: 0,
            answered: Vec::new(),
        };
        for queue in QUEUES {
            reference.create(queue);
        }
        reference
    }
}

impl Reference {
    fn create(&mut self, name: &'static str) {
        self.queues.push(Queue {
            name,
            life: self.created,
            delay: 0,
            retention: 345_600 * SECOND,
            visibility: 30 * SECOND,
            wait: 0,
            messages: Vec::new(),
            polls: Vec::new(),
        });
        self.created += 1;
    }

    fn queue(&mut self, name: &str) -> &mut Queue {
        self.queues
            .iter_mut()
            .find(|queue| queue.name == name)
            .expect("a queue")
    }

    fn give(&mut self, command: &Command) -> Given {
        let now = self.now;
        match command {
            Command::Send {
                queue,
                bodies,
                delay,
            } => {
                let queue = self.queue(queue);
                let delay = delay.map_or(queue.delay, |seconds| i64::from(seconds) * SECOND);
                queue.messages.extend(bodies.iter().map(|body| Message {
                    body: body.clone(),
                    sent_at: now,
                    visible_from: now + delay,
                    hidden_by: HiddenBy::Delay,
                    receives: 0,
                }));
                Given::Done
            }
            Command::Receive {
                queue,
                max,
                visibility,
                wait,
            } => {
                let wait = wait.map_or(self.queue(queue).wait, |seconds| {
                    i64::from(seconds) * SECOND
                });
                self.receive(
                    queue,
                    Poll {
                        number: self.polls,
                        max: usize::try_from(*max).expect("not negative"),
                        visibility: visibility.map(|seconds| i64::from(seconds) * SECOND),
                        deadline: now + wait,
                    },
                )
            }
            Command::Delete { queue, delivery } => {
                let delivery = self.deliveries[*delivery].clone();
                let queue = self.queue(queue);
                if queue.life != delivery.life {
                    return Given::Refused("ReceiptHandleIsInvalid");
                }
                queue
                    .messages
                    .retain(|message| message.body != delivery.body);
                Given::Done
            }
            Command::Change {
                queue,
                delivery,
                seconds,
            } => {
                let delivery = self.deliveries[*delivery].clone();
                self.queue(queue)
                    .change(&delivery, i64::from(*seconds) * SECOND, now)
            }
            Command::Purge { queue } => {
                self.queue(queue).messages.clear();
                Given::Done
            }
            Command::Recreate { queue } => {
                self.delete(queue);
                self.create(queue);
                Given::Done
            }
            Command::Set {
                queue,
                attribute,
                seconds,
            } => {
                self.queue(queue)
                    .set(*attribute, i64::from(*seconds) * SECOND);
                Given::Done
            }
            Command::Cancel { poll } => {
                for queue in &mut self.queues {
                    queue.polls.retain(|waiting| waiting.number != *poll);
                }
                Given::Done
            }
            Command::Tick { seconds } => {
                self.tick(seconds * SECOND);
                Given::Done
            }
        }
    }

    fn delete(&mut self, name: &str) {
        let index = self
            .queues
            .iter()
            .position(|queue| queue.name == name)
            .expect("a queue");
        for poll in self.queues.remove(index).polls {
            self.answered
                .push((poll.number, Given::Refused("QueueDoesNotExist")));
        }
    }

    /// A poll whose deadline is now does not wait.
    fn receive(&mut self, name: &str, poll: Poll) -> Given {
        let now = self.now;
        let queue = self.queue(name);
        let given = queue.deliver(&poll, now);
        if given.is_empty() && poll.deadline > now {
            queue.polls.push(poll);
            self.polls += 1;
            return Given::Waits;
        }
        self.delivered(given)
    }

    fn tick(&mut self, millis: i64) {
        let end = self.now + millis;
        while let Some(next) = self.next_deadline().filter(|next| *next <= end) {
            self.now = next;
            self.settle();
        }
        self.now = end;
    }

    /// What happens by itself at this moment: messages expire, polls get what is visible, polls end.
    fn settle(&mut self) {
        let now = self.now;
        for index in 0..self.queues.len() {
            let queue = &mut self.queues[index];
            let retention = queue.retention;
            queue
                .messages
                .retain(|message| message.sent_at + retention > now);
            while !self.queues[index].polls.is_empty() {
                let queue = &mut self.queues[index];
                let poll = queue.polls.remove(0);
                let given = queue.deliver(&poll, now);
                if given.is_empty() {
                    queue.polls.insert(0, poll);
                    break;
                }
                let given = self.delivered(given);
                self.answered.push((poll.number, given));
            }
        }
        let mut over = Vec::new();
        for queue in &mut self.queues {
            over.extend(queue.polls.extract_if(.., |poll| poll.deadline <= now));
        }
        over.sort_by_key(|poll| (poll.deadline, poll.number));
        let nothing = |poll: Poll| (poll.number, Given::Messages(Vec::new()));
        self.answered.extend(over.into_iter().map(nothing));
    }

    fn delivered(&mut self, deliveries: Vec<Delivery>) -> Given {
        let messages = deliveries
            .iter()
            .map(|given| (given.body.clone(), given.receive))
            .collect();
        self.deliveries.extend(deliveries);
        Given::Messages(messages)
    }
}

impl Queue {
    fn deliver(&mut self, poll: &Poll, now: i64) -> Vec<Delivery> {
        let timeout = poll.visibility.unwrap_or(self.visibility);
        let visible = self
            .messages
            .iter_mut()
            .filter(|message| message.visible_from <= now);
        let mut given = Vec::new();
        for message in visible.take(poll.max) {
            message.receives += 1;
            message.hidden_by = HiddenBy::Receive;
            message.visible_from = now + timeout;
            given.push(Delivery {
                life: self.life,
                body: message.body.clone(),
                receive: message.receives,
                at: now,
            });
        }
        given
    }

    fn set(&mut self, attribute: Attribute, value: i64) {
        match attribute {
            Attribute::Delay => self.delay = value,
            Attribute::Retention => self.retention = value,
            Attribute::Visibility => self.visibility = value,
            Attribute::Wait => self.wait = value,
        }
    }

    fn change(&mut self, delivery: &Delivery, timeout: i64, now: i64) -> Given {
        if self.life != delivery.life {
            return Given::Refused("ReceiptHandleIsInvalid");
        }
        let found = self
            .messages
            .iter_mut()
            .find(|message| message.body == delivery.body);
        let Some(message) = found else {
            return Given::Refused("InvalidParameterValueException");
        };
        if now - delivery.at + timeout > TWELVE_HOURS {
            return Given::Refused("InvalidParameterValueException");
        }
        if message.visible_from <= now || message.receives == delivery.receive {
            message.hidden_by = HiddenBy::Receive;
            message.visible_from = now + timeout;
        }
        Given::Done
    }
}

impl Side for Reference {
    fn perform(&mut self, command: &Command) -> Answer {
        let given = self.give(command);
        self.settle();
        Answer {
            given,
            polls: std::mem::take(&mut self.answered),
        }
    }

    fn counts(&self, queue: &str) -> Counts {
        let queue = self
            .queues
            .iter()
            .find(|other| other.name == queue)
            .expect("a queue");
        let (mut visible, mut delayed, mut in_flight) = (0, 0, 0);
        for message in &queue.messages {
            match message.hidden_by {
                _ if message.visible_from <= self.now => visible += 1,
                HiddenBy::Delay => delayed += 1,
                HiddenBy::Receive => in_flight += 1,
            }
        }
        let mut counts = Counts::default();
        (counts.visible, counts.delayed, counts.in_flight) = (visible, delayed, in_flight);
        counts
    }

    fn next_deadline(&self) -> Option<i64> {
        let of_queue = |queue: &Queue| {
            let visible = queue.messages.iter().map(|message| message.visible_from);
            let expired = queue
                .messages
                .iter()
                .map(|message| message.sent_at + queue.retention);
            let polls = queue.polls.iter().map(|poll| poll.deadline);
            visible
                .chain(expired)
                .chain(polls)
                .filter(|time| *time > self.now)
                .min()
        };
        self.queues.iter().filter_map(of_queue).min()
    }
}
