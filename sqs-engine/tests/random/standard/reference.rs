//! Standard queues, plain and slow: lists that are searched from the front, and no index at all.
//!
//! It is written from the rules, not from the engine. Times are milliseconds.

use sqs_engine::Counts;

use super::commands::{Answer, Command, Given, QUEUES, Received};
use super::fairness::Tenants;
use crate::rig::{Poll, SECOND, Settings, Side, TWELVE_HOURS};

pub(crate) struct Reference {
    now: i64,
    /// How many messages of a queue may be in flight.
    limit: usize,
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
    settings: Settings,
    /// In order of sending.
    messages: Vec<Message>,
    tenants: Tenants,
    /// In order of arrival.
    polls: Vec<Poll>,
}

pub(crate) struct Message {
    body: String,
    pub(crate) group: Option<&'static str>,
    sent_at: i64,
    /// Hidden before this time, by its delay or by a receive.
    pub(crate) visible_from: i64,
    hidden_by: HiddenBy,
    receives: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HiddenBy {
    Delay,
    Receive,
}

#[derive(Clone)]
struct Delivery {
    life: usize,
    body: String,
    /// The how-manieth receive of the message it was.
    receive: u32,
    at: i64,
}

impl Message {
    pub(crate) fn is_in_flight(&self, now: i64) -> bool {
        self.hidden_by == HiddenBy::Receive && self.visible_from > now
    }
}

impl Reference {
    pub(crate) fn new(limit: u32) -> Self {
        let mut reference = Self {
            now: 0,
            limit: usize::try_from(limit).expect("a number of messages"),
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

    fn create(&mut self, name: &'static str) {
        self.queues.push(Queue {
            name,
            life: self.created,
            settings: Settings::default(),
            messages: Vec::new(),
            tenants: Tenants::default(),
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
                group,
                delay,
            } => {
                self.queue(queue).send(bodies, *group, *delay, now);
                Given::Done
            }
            Command::Receive { queue, asks } => {
                let poll = Poll::new(self.polls, asks, &self.queue(queue).settings, now);
                self.receive(queue, poll)
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
                queue.tenants.review(&queue.messages, now);
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
                let queue = self.queue(queue);
                queue.messages.clear();
                queue.tenants = Tenants::default();
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
                let value = i64::from(*seconds) * SECOND;
                self.queue(queue).settings.set(*attribute, value);
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

    /// For what groups have become noisy, and are so still or not.
    pub(crate) fn noise(&self) -> impl Iterator<Item = &'static str> {
        let queues = self.queues.iter();
        queues.flat_map(|queue| queue.tenants.noise.iter().copied())
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
        let (now, limit) = (self.now, self.limit);
        let queue = self.queue(name);
        let room = queue.room(limit, now);
        let given = queue.deliver(&poll, room, now);
        if given.is_empty() && poll.deadline <= now && room == 0 {
            return Given::Refused("OverLimit");
        }
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
            self.pass(next);
            self.settle();
        }
        self.pass(end);
    }

    /// Lets time pass in which nothing happens.
    fn pass(&mut self, until: i64) {
        for queue in &mut self.queues {
            queue.tenants.pass(&queue.messages, self.now, until);
        }
        self.now = until;
    }

    /// What happens by itself at this moment: messages expire, polls get what is visible, polls end.
    fn settle(&mut self) {
        let now = self.now;
        for index in 0..self.queues.len() {
            let queue = &mut self.queues[index];
            let retention = queue.settings.retention;
            queue
                .messages
                .retain(|message| message.sent_at + retention > now);
            queue.tenants.review(&queue.messages, now);
            while !self.queues[index].polls.is_empty() {
                let queue = &mut self.queues[index];
                let poll = queue.polls.remove(0);
                let given = queue.deliver(&poll, queue.room(self.limit, now), now);
                if given.is_empty() {
                    queue.polls.insert(0, poll);
                    break;
                }
                let given = self.delivered(given);
                self.answered.push((poll.number, given));
            }
        }
        let polls = self.queues.iter_mut().map(|queue| &mut queue.polls);
        self.answered.extend(Poll::end(polls, now));
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
    fn send(
        &mut self,
        bodies: &[String],
        group: Option<&'static str>,
        delay: Option<i32>,
        now: i64,
    ) {
        let delay = delay.map_or(self.settings.delay, |seconds| i64::from(seconds) * SECOND);
        if let Some(group) = group {
            self.tenants.sent(group, now);
        }
        self.messages.extend(bodies.iter().map(|body| Message {
            body: body.clone(),
            group,
            sent_at: now,
            visible_from: now + delay,
            hidden_by: HiddenBy::Delay,
            receives: 0,
        }));
    }

    /// How many more messages may be in flight.
    fn room(&self, limit: usize, now: i64) -> usize {
        let messages = self.messages.iter();
        limit.saturating_sub(messages.filter(|message| message.is_in_flight(now)).count())
    }

    fn deliver(&mut self, poll: &Poll, room: usize, now: i64) -> Vec<Delivery> {
        let timeout = poll.visibility.unwrap_or(self.settings.visibility);
        let mut taken = Vec::new();
        while taken.len() < poll.max.min(room)
            && let Some(next) = self.tenants.next(&self.messages, &taken, now)
        {
            taken.push(next);
            self.tenants.given(&self.messages, &taken, now);
        }
        let mut given = Vec::new();
        for index in taken {
            let message = &mut self.messages[index];
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
    type Command = Command;
    type Received = Received;
    type Seen = Counts;

    fn perform(&mut self, command: &Command) -> Answer {
        let given = self.give(command);
        self.settle();
        Answer {
            given,
            polls: std::mem::take(&mut self.answered),
        }
    }

    fn look(&mut self, queue: &str) -> Counts {
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
                .map(|message| message.sent_at + queue.settings.retention);
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
