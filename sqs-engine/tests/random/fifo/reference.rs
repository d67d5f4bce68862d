//! FIFO queues, plain and slow: lists that are searched from the front, and no index at all.
//!
//! It is written from the rules, not from the engine. Times are milliseconds.

use sqs_engine::Counts;

use super::commands::{Answer, Command, Entry, Given, QUEUES, Received, Setup};
use crate::rig::{Attribute, Poll, SECOND, Settings, Side, TWELVE_HOURS};

pub(crate) struct Reference {
    now: i64,
    /// How many messages of a queue may be in flight.
    limit: usize,
    /// In order of creation.
    queues: Vec<Queue>,
    created: usize,
    /// Each with the queue that gave it.
    deliveries: Vec<(&'static str, Delivery)>,
    polls: usize,
    answered: Vec<(usize, Given)>,
}

struct Queue {
    setup: &'static Setup,
    life: usize,
    settings: Settings,
    /// In order of sending.
    messages: Vec<Message>,
    /// The groups whose oldest message is visible, in the order in which they came to be so.
    turns: Vec<&'static str>,
    accepted: Vec<Accepted>,
    attempts: Vec<Attempt>,
    /// In order of arrival.
    polls: Vec<Poll>,
}

struct Message {
    number: usize,
    group: &'static str,
    sent_at: i64,
    state: State,
    receives: u32,
    timeout_changed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Visible,
    Delayed(i64),
    InFlight(i64),
}

/// A send that was not a repetition.
struct Accepted {
    at: i64,
    group: &'static str,
    /// What was given, or what stands in for it.
    id: String,
    message: usize,
}

struct Attempt {
    at: i64,
    id: &'static str,
    given: Vec<Delivery>,
}

#[derive(Clone, Copy)]
struct Delivery {
    life: usize,
    message: usize,
    /// The how-manieth receive of the message it was.
    receive: u32,
    at: i64,
}

const FIVE_MINUTES: i64 = 300 * SECOND;
const INVALID: Given = Given::Refused("InvalidParameterValueException");

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
        for setup in &QUEUES {
            reference.create(setup);
        }
        reference
    }

    fn create(&mut self, setup: &'static Setup) {
        self.queues.push(Queue {
            setup,
            life: self.created,
            settings: Settings::default(),
            messages: Vec::new(),
            turns: Vec::new(),
            accepted: Vec::new(),
            attempts: Vec::new(),
            polls: Vec::new(),
        });
        self.created += 1;
    }

    fn queue(&mut self, name: &str) -> &mut Queue {
        self.queues
            .iter_mut()
            .find(|queue| queue.setup.name == name)
            .expect("a queue")
    }

    fn give(&mut self, command: &Command) -> Given {
        let now = self.now;
        match command {
            Command::Send { queue, entries } => {
                let queue = self.queue(queue);
                Given::Sent(entries.iter().map(|entry| queue.send(entry, now)).collect())
            }
            Command::Receive { queue, asks } => {
                let poll = Poll::new(self.polls, asks, &self.queue(queue).settings, now);
                self.receive(queue, poll)
            }
            Command::Delete { delivery } => {
                let (queue, delivery) = self.deliveries[*delivery];
                self.queue(queue).delete(delivery)
            }
            Command::Change { delivery, seconds } => {
                let (queue, delivery) = self.deliveries[*delivery];
                let timeout = i64::from(*seconds) * SECOND;
                self.queue(queue).change(delivery, timeout, now)
            }
            Command::Purge { queue } => {
                let queue = self.queue(queue);
                queue.messages.clear();
                queue.turns.clear();
                queue.accepted.clear();
                queue.attempts.clear();
                Given::Done
            }
            Command::Recreate { queue } => {
                let setup = self.queue(queue).setup;
                self.remove(queue);
                self.create(setup);
                Given::Done
            }
            Command::Set {
                queue,
                attribute,
                seconds,
            } => {
                let value = i64::from(*seconds) * SECOND;
                self.queue(queue).set(*attribute, value, now);
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

    fn remove(&mut self, name: &str) {
        let is_it = |queue: &Queue| queue.setup.name == name;
        let index = self.queues.iter().position(is_it).expect("a queue");
        for poll in self.queues.remove(index).polls {
            self.answered
                .push((poll.number, Given::Refused("QueueDoesNotExist")));
        }
    }

    /// A poll whose deadline is now does not wait.
    fn receive(&mut self, name: &'static str, poll: Poll) -> Given {
        let (now, limit) = (self.now, self.limit);
        let queue = self.queue(name);
        match queue.deliver(&poll, limit, now) {
            Err(refused) => refused,
            Ok(given) if given.is_empty() && poll.deadline > now => {
                queue.polls.push(poll);
                self.polls += 1;
                Given::Waits
            }
            Ok(given) => self.delivered(name, given),
        }
    }

    fn tick(&mut self, millis: i64) {
        let end = self.now + millis;
        while let Some(next) = self.next_deadline().filter(|next| *next <= end) {
            self.now = next;
            self.settle();
        }
        self.now = end;
    }

    /// What happens by itself at this moment: messages expire, then others become visible, polls
    /// get what there is, polls end.
    fn settle(&mut self) {
        let (now, limit) = (self.now, self.limit);
        for index in 0..self.queues.len() {
            self.queues[index].expire(now);
            self.queues[index].wake(now);
            let name = self.queues[index].setup.name;
            while let Some((poll, given)) = self.queues[index].answer(limit, now) {
                let given =
                    given.map_or_else(|refused| refused, |given| self.delivered(name, given));
                self.answered.push((poll.number, given));
            }
        }
        let polls = self.queues.iter_mut().map(|queue| &mut queue.polls);
        self.answered.extend(Poll::end(polls, now));
    }

    /// Two deliveries have the same handle if they are the same receive of the same message.
    fn delivered(&mut self, queue: &'static str, given: Vec<Delivery>) -> Given {
        let mut messages = Vec::new();
        for delivery in given {
            self.deliveries.push((queue, delivery));
            let same = |(_, other): &(_, Delivery)| {
                (other.message, other.receive) == (delivery.message, delivery.receive)
            };
            messages.push(Received {
                message: delivery.message,
                count: delivery.receive,
                delivery: self.deliveries.len() - 1,
                handle: self.deliveries.iter().position(same).expect("it is there"),
            });
        }
        Given::Messages(messages)
    }
}

impl Queue {
    /// Gives the message that was sent, or that it would repeat.
    fn send(&mut self, entry: &Entry, now: i64) -> usize {
        let id = match &entry.id {
            Some(id) => id.clone(),
            None => format!("content {}", entry.body),
        };
        let by_group = self.setup.by_group;
        let before = self.accepted.iter().find(|accepted| {
            now < accepted.at + FIVE_MINUTES
                && accepted.id == id
                && (!by_group || accepted.group == entry.group)
        });
        if let Some(accepted) = before {
            return accepted.message;
        }
        self.accepted.push(Accepted {
            at: now,
            group: entry.group,
            id,
            message: entry.number,
        });
        self.messages.push(Message {
            number: entry.number,
            group: entry.group,
            sent_at: now,
            state: if self.settings.delay > 0 {
                State::Delayed(now + self.settings.delay)
            } else {
                State::Visible
            },
            receives: 0,
            timeout_changed: false,
        });
        self.review(entry.group);
        entry.number
    }

    /// Whether it is the group's turn some time, after something happened to it.
    fn review(&mut self, group: &'static str) {
        let oldest = self.messages.iter().find(|message| message.group == group);
        let can_give = oldest.is_some_and(|message| message.state == State::Visible);
        if !can_give {
            self.turns.retain(|turn| *turn != group);
        } else if !self.turns.contains(&group) {
            self.turns.push(group);
        }
    }

    fn message(&mut self, number: usize) -> Option<&mut Message> {
        let mut messages = self.messages.iter_mut();
        messages.find(|message| message.number == number)
    }

    fn put(&mut self, number: usize, state: State) {
        let message = self.message(number).expect("a message");
        message.state = state;
        let group = message.group;
        self.review(group);
    }

    fn hide(&mut self, number: usize, timeout: i64, now: i64) {
        let state = if timeout > 0 {
            State::InFlight(now + timeout)
        } else {
            State::Visible
        };
        self.put(number, state);
    }

    fn deliver(&mut self, poll: &Poll, limit: usize, now: i64) -> Result<Vec<Delivery>, Given> {
        let timeout = poll.visibility.unwrap_or(self.settings.visibility);
        let before = self
            .attempts
            .iter()
            .find(|attempt| Some(attempt.id) == poll.attempt && now < attempt.at + FIVE_MINUTES);
        if let Some(attempt) = before {
            let given = attempt.given.clone();
            if !given.iter().all(|delivery| self.is_untouched(delivery)) {
                return Err(INVALID);
            }
            for delivery in &given {
                self.hide(delivery.message, timeout, now);
            }
            return Ok(given);
        }
        let room = limit - self.in_flight().min(limit);
        let taken = self.next(poll.max.min(room));
        let mut given = Vec::new();
        for number in taken {
            let life = self.life;
            let message = self.message(number).expect("a message");
            message.receives += 1;
            message.timeout_changed = false;
            given.push(Delivery {
                life,
                message: number,
                receive: message.receives,
                at: now,
            });
            self.put(number, State::InFlight(now + timeout));
        }
        for delivery in &given {
            self.hide(delivery.message, timeout, now);
        }
        if let Some(id) = poll.attempt
            && !given.is_empty()
        {
            let given = given.clone();
            self.attempts.push(Attempt { at: now, id, given });
        }
        Ok(given)
    }

    /// Takes the first poll that gets something, or is refused. Mostly that is the first one, but a
    /// later one may repeat a receive when there is nothing else.
    fn answer(&mut self, limit: usize, now: i64) -> Option<(Poll, Result<Vec<Delivery>, Given>)> {
        (0..self.polls.len()).find_map(|place| {
            let poll = self.polls[place];
            let given = self.deliver(&poll, limit, now);
            let gets = !given.as_ref().is_ok_and(Vec::is_empty);
            gets.then(|| (self.polls.remove(place), given))
        })
    }

    /// Group after group, each from its oldest message up to the first that is not visible.
    fn next(&self, max: usize) -> Vec<usize> {
        let mut taken = Vec::new();
        for group in &self.turns {
            for message in self
                .messages
                .iter()
                .filter(|message| message.group == *group)
            {
                if message.state != State::Visible || taken.len() == max {
                    break;
                }
                taken.push(message.number);
            }
        }
        taken
    }

    fn in_flight(&self) -> usize {
        let is_in_flight = |message: &&Message| matches!(message.state, State::InFlight(_));
        self.messages.iter().filter(is_in_flight).count()
    }

    fn is_held(&self, delivery: &Delivery) -> bool {
        self.messages.iter().any(|message| {
            message.number == delivery.message
                && message.receives == delivery.receive
                && matches!(message.state, State::InFlight(_))
        })
    }

    fn is_untouched(&self, delivery: &Delivery) -> bool {
        self.is_held(delivery)
            && self
                .messages
                .iter()
                .any(|message| message.number == delivery.message && !message.timeout_changed)
    }

    fn delete(&mut self, delivery: Delivery) -> Given {
        if self.life != delivery.life {
            return Given::Refused("ReceiptHandleIsInvalid");
        }
        if self.message(delivery.message).is_none() {
            return Given::Done;
        }
        if !self.is_held(&delivery) {
            return INVALID;
        }
        self.drop_message(delivery.message);
        Given::Done
    }

    fn drop_message(&mut self, number: usize) {
        let group = self.message(number).expect("a message").group;
        self.messages.retain(|message| message.number != number);
        self.review(group);
    }

    fn change(&mut self, delivery: Delivery, timeout: i64, now: i64) -> Given {
        if self.life != delivery.life {
            return Given::Refused("ReceiptHandleIsInvalid");
        }
        if !self.is_held(&delivery) || now - delivery.at + timeout > TWELVE_HOURS {
            return INVALID;
        }
        self.hide(delivery.message, timeout, now);
        let message = self.message(delivery.message).expect("a message");
        message.timeout_changed = true;
        Given::Done
    }

    fn set(&mut self, attribute: Attribute, value: i64, now: i64) {
        self.settings.set(attribute, value);
        if attribute == Attribute::Delay {
            self.delay_anew(now);
        }
    }

    /// The delay is that of every message that nobody has received.
    fn delay_anew(&mut self, now: i64) {
        let new = self.messages.iter().filter(|message| message.receives == 0);
        let new: Vec<_> = new
            .map(|message| (message.number, message.sent_at))
            .collect();
        for (number, sent_at) in new {
            let until = sent_at + self.settings.delay;
            let state = if until > now {
                State::Delayed(until)
            } else {
                State::Visible
            };
            self.put(number, state);
        }
    }

    fn expire(&mut self, now: i64) {
        let retention = self.settings.retention;
        let old = |message: &&Message| message.sent_at + retention <= now;
        let old: Vec<_> = self
            .messages
            .iter()
            .filter(old)
            .map(|old| old.number)
            .collect();
        for number in old {
            self.drop_message(number);
        }
    }

    fn wake(&mut self, now: i64) {
        let due = self
            .messages
            .iter()
            .filter_map(|message| match message.state {
                State::Delayed(until) | State::InFlight(until) => Some((until, message.number)),
                State::Visible => None,
            });
        let mut due: Vec<_> = due.filter(|(until, _)| *until <= now).collect();
        due.sort_unstable();
        for (_, number) in due {
            self.put(number, State::Visible);
        }
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
        let is_it = |other: &&Queue| other.setup.name == queue;
        let queue = self.queues.iter().find(is_it).expect("a queue");
        let mut counts = Counts::default();
        for message in &queue.messages {
            match message.state {
                State::Visible => counts.visible += 1,
                State::Delayed(_) => counts.delayed += 1,
                State::InFlight(_) => counts.in_flight += 1,
            }
        }
        counts
    }

    fn next_deadline(&self) -> Option<i64> {
        let of_queue = |queue: &Queue| {
            let due = queue
                .messages
                .iter()
                .filter_map(|message| match message.state {
                    State::Visible => None,
                    State::Delayed(until) | State::InFlight(until) => Some(until),
                });
            let messages = queue.messages.iter();
            let expired = messages.map(|message| message.sent_at + queue.settings.retention);
            let polls = queue.polls.iter().map(|poll| poll.deadline);
            // What is remembered goes by itself at the latest when all of it is old.
            let sends = queue.accepted.iter().map(|accepted| accepted.at);
            let receives = queue.attempts.iter().map(|attempt| attempt.at);
            let memory = [sends.max(), receives.max()].into_iter().flatten();
            let forgotten = memory.map(|at| at + FIVE_MINUTES);
            let forgotten = forgotten.filter(|at| *at > self.now);
            due.chain(expired).chain(polls).chain(forgotten).min()
        };
        self.queues.iter().filter_map(of_queue).min()
    }
}
