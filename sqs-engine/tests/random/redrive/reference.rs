//! Dead letters and move tasks, plain and slow: lists that are searched from the front.
//!
//! It is written from the rules, not from the engine. Times are milliseconds.

use super::commands::{Answer, Command, Given, InStore, QUEUES, Received, Stored, TaskSeen};
use crate::rig::{Poll, SECOND, Settings, Side};

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
    settings: Settings,
    redrive: Option<(&'static str, u32)>,
    /// By the time from which their retention runs, then by arrival.
    messages: Vec<Message>,
    arrivals: usize,
    polls: Vec<Poll>,
    /// The newest last.
    tasks: Vec<Task>,
}

#[derive(Clone)]
struct Message {
    body: String,
    sent_at: i64,
    kept_from: i64,
    arrival: usize,
    visible_from: i64,
    count: u32,
    /// How often it was received in this queue.
    here: u32,
    source: Option<&'static str>,
}

struct Delivery {
    life: usize,
    kept_from: i64,
    arrival: usize,
}

struct Task {
    to: Option<&'static str>,
    rate: Option<i64>,
    started_at: i64,
    steps: i64,
    moved: usize,
    to_move: usize,
    /// What arrives from here on stays.
    end: usize,
    place: Option<(i64, usize)>,
    /// `RUNNING`, or how it ended.
    status: &'static str,
}

const NO_SOURCE: &str = "FAILED CouldNotDetermineMessageSource";

impl Reference {
    pub(crate) fn new() -> Self {
        let mut reference = Self {
            now: 0,
            queues: Vec::new(),
            created: 0,
            deliveries: Vec::new(),
            polls: 0,
            answered: Vec::new(),
        };
        QUEUES.iter().for_each(|queue| reference.create(queue));
        reference
    }

    fn give(&mut self, command: &Command) -> Given {
        let now = self.now;
        match command {
            Command::Send {
                queue,
                bodies,
                delay,
            } => {
                for body in bodies {
                    let visible_from = now + i64::from(*delay) * SECOND;
                    self.queue(queue).send(body.clone(), now, visible_from);
                }
                self.settle(queue);
            }
            Command::Receive { queue, asks } => {
                let poll = Poll::new(self.polls, asks, &self.queue(queue).settings, now);
                return self.receive(queue, poll);
            }
            Command::Delete { delivery } => {
                let Delivery {
                    life,
                    kept_from,
                    arrival,
                } = self.deliveries[*delivery];
                let Some(queue) = self.queues.iter_mut().find(|queue| queue.life == life) else {
                    return Given::Refused("ReceiptHandleIsInvalid");
                };
                let at = (kept_from, arrival);
                queue
                    .messages
                    .retain(|message| (message.kept_from, message.arrival) != at);
            }
            Command::Redrive { queue, to } => {
                self.queue(queue).redrive = *to;
                self.settle(queue);
            }
            Command::Retain { queue, seconds } => {
                self.queue(queue).settings.retention = seconds * SECOND;
                self.settle(queue);
            }
            Command::Purge { queue } => self.queue(queue).messages.clear(),
            Command::Recreate { queue } => {
                let index = self.index(queue);
                for poll in self.queues.remove(index).polls {
                    let gone = Given::Refused("QueueDoesNotExist");
                    self.answered.push((poll.number, gone));
                }
                self.create(queue);
            }
            Command::StartTask { queue, to, rate } => {
                return self.start(queue, *to, rate.map(i64::from));
            }
            Command::StopTask { queue } => {
                let task = self.queue(queue).tasks.last_mut();
                let Some(task) = task.filter(|task| task.status == "RUNNING") else {
                    return Given::Refused("no task");
                };
                task.status = "CANCELLED";
            }
            Command::Tick { millis } => self.tick(now + millis),
        }
        Given::Done
    }

    fn create(&mut self, name: &'static str) {
        self.queues.push(Queue {
            name,
            life: self.created,
            settings: Settings::default(),
            redrive: None,
            messages: Vec::new(),
            arrivals: 0,
            polls: Vec::new(),
            tasks: Vec::new(),
        });
        self.created += 1;
    }

    fn index(&self, name: &str) -> usize {
        let mut queues = self.queues.iter();
        queues
            .position(|queue| queue.name == name)
            .expect("a queue")
    }

    fn queue(&mut self, name: &str) -> &mut Queue {
        let index = self.index(name);
        &mut self.queues[index]
    }

    fn receive(&mut self, name: &'static str, poll: Poll) -> Given {
        let (given, target) = self.attempt(name, &poll);
        let given = if given.is_empty() && poll.deadline > self.now {
            self.polls += 1;
            self.queue(name).polls.push(poll);
            Given::Waits
        } else {
            Given::Messages(given)
        };
        if let Some(target) = target {
            self.settle(target);
        }
        self.settle(name);
        given
    }

    /// What a receive gets, and where it sent dead letters.
    fn attempt(&mut self, name: &str, poll: &Poll) -> (Vec<Received>, Option<&'static str>) {
        let now = self.now;
        let queue = self.queue(name);
        let (source, redrive) = (queue.name, queue.redrive);
        let (mut given, mut dead) = (Vec::new(), Vec::new());
        let mut index = 0;
        while index < queue.messages.len() && given.len() < poll.max {
            let message = &mut queue.messages[index];
            if message.visible_from > now {
                index += 1;
            } else if redrive.is_some_and(|(_, limit)| message.here >= limit) {
                dead.push(queue.messages.remove(index));
            } else {
                message.here += 1;
                message.count += 1;
                message.visible_from = now + poll.visibility.unwrap_or(queue.settings.visibility);
                given.push(message.clone());
                index += 1;
            }
        }
        let life = queue.life;
        for message in &given {
            self.deliveries.push(Delivery {
                life,
                kept_from: message.kept_from,
                arrival: message.arrival,
            });
        }
        let target = redrive
            .map(|(target, _)| target)
            .filter(|_| !dead.is_empty());
        for message in dead {
            let target = self.queue(target.expect("a target"));
            target.take_in(Message {
                here: 0,
                source: Some(source),
                ..message
            });
        }
        (given.into_iter().map(Received::from).collect(), target)
    }

    /// What follows from a change at a queue: messages expire, polls attempt anew, and what they
    /// send away does the same where it comes to.
    fn settle(&mut self, name: &'static str) {
        let mut changed = vec![name];
        while let Some(name) = changed.pop() {
            let now = self.now;
            let queue = self.queue(name);
            let retention = queue.settings.retention;
            queue
                .messages
                .retain(|message| message.kept_from + retention > now);
            while !self.queue(name).polls.is_empty() {
                let poll = self.queue(name).polls.remove(0);
                let (given, target) = self.attempt(name, &poll);
                changed.extend(target);
                if given.is_empty() {
                    self.queue(name).polls.insert(0, poll);
                    break;
                }
                self.answered.push((poll.number, Given::Messages(given)));
            }
        }
    }

    fn start(&mut self, name: &str, to: Option<&'static str>, rate: Option<i64>) -> Given {
        let (now, is_target) = (self.now, |queue: &Queue| {
            queue.redrive.is_some_and(|(target, _)| target == name)
        });
        let refused = Given::Refused("InvalidParameterValueException");
        if !self.queues.iter().any(is_target) || to == Some(name) {
            return refused;
        }
        let queue = self.queue(name);
        if queue
            .tasks
            .last()
            .is_some_and(|task| task.status == "RUNNING")
        {
            return refused;
        }
        let visible = |message: &&Message| message.visible_from <= now;
        let task = Task {
            to,
            rate,
            started_at: now,
            steps: 0,
            moved: 0,
            to_move: queue.messages.iter().filter(visible).count(),
            end: queue.arrivals,
            place: None,
            status: "RUNNING",
        };
        queue.tasks.push(task);
        Given::Done
    }

    /// Each moment in its turn: first what is hidden becomes visible or expires, then tasks take
    /// their steps, then polls end.
    fn tick(&mut self, end: i64) {
        while let Some(next) = self.next_deadline().filter(|next| *next <= end) {
            self.now = next;
            let names: Vec<_> = self.queues.iter().map(|queue| queue.name).collect();
            let before = next - 1;
            for name in &names {
                if self.queue(name).next_change(before) == Some(next) {
                    self.settle(name);
                }
            }
            for name in &names {
                self.step(name);
            }
            let polls = self.queues.iter_mut().map(|queue| &mut queue.polls);
            self.answered.extend(Poll::end(polls, next));
        }
        self.now = end;
    }

    fn step(&mut self, name: &'static str) {
        let now = self.now;
        let Some(mut task) = self.queue(name).tasks.pop() else {
            return;
        };
        let mut touched = vec![name];
        if task.status == "RUNNING" && task.next_step() == now {
            task.steps += 1;
            let batch = if task.rate.is_some() { 1 } else { 100 };
            for _ in 0..batch {
                let Some(message) = self.queue(name).next_of(&task, now) else {
                    break;
                };
                let Some(to) = task.to.or(message.source) else {
                    task.status = NO_SOURCE;
                    break;
                };
                task.place = Some((message.kept_from, message.arrival));
                task.moved += 1;
                self.queue(name)
                    .messages
                    .retain(|other| other.body != message.body);
                self.queue(to).send(message.body, now, now);
                touched.push(to);
            }
            if task.status == "RUNNING" && self.queue(name).next_of(&task, now).is_none() {
                task.status = "COMPLETED";
            }
        }
        self.queue(name).tasks.push(task);
        while let Some(name) = touched.pop() {
            self.settle(name);
        }
    }

    fn stored(&self, name: &str) -> Stored {
        let queue = &self.queues[self.index(name)];
        let messages = queue.messages.iter().map(|message| InStore {
            body: message.body.clone(),
            group: None,
            hidden_until: Some(message.visible_from).filter(|time| *time > self.now),
            expires_at: message.kept_from + queue.settings.retention,
            count: message.count,
        });
        Stored {
            messages: messages.collect(),
        }
    }

    fn tasks(&self, name: &str) -> Vec<TaskSeen> {
        let tasks = self.queues[self.index(name)].tasks.iter().rev().take(10);
        tasks
            .map(|task| TaskSeen {
                status: task.status.to_owned(),
                moved: task.moved,
                to_move: task.to_move,
            })
            .collect()
    }
}

impl Side for Reference {
    type Command = Command;
    type Received = Received;
    type Seen = (Stored, Vec<TaskSeen>);

    fn perform(&mut self, command: &Command) -> Answer {
        let given = self.give(command);
        Answer {
            given,
            polls: std::mem::take(&mut self.answered),
        }
    }

    fn look(&mut self, queue: &str) -> (Stored, Vec<TaskSeen>) {
        (self.stored(queue), self.tasks(queue))
    }

    fn next_deadline(&self) -> Option<i64> {
        let of_queue = |queue: &Queue| {
            let task = queue.tasks.last().filter(|task| task.status == "RUNNING");
            let polls = queue.polls.iter().map(|poll| poll.deadline);
            queue
                .next_change(self.now)
                .into_iter()
                .chain(task.map(Task::next_step))
                .chain(polls)
                .min()
        };
        self.queues.iter().filter_map(of_queue).min()
    }
}

impl Queue {
    fn send(&mut self, body: String, now: i64, visible_from: i64) {
        self.take_in(Message {
            body,
            sent_at: now,
            kept_from: now,
            arrival: 0,
            visible_from,
            count: 0,
            here: 0,
            source: None,
        });
    }

    fn take_in(&mut self, message: Message) {
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.messages.push(Message { arrival, ..message });
        self.messages
            .sort_by_key(|message| (message.kept_from, message.arrival));
    }

    /// When time alone changes something next, after `now`.
    fn next_change(&self, now: i64) -> Option<i64> {
        let times = self.messages.iter().flat_map(|message| {
            [
                message.visible_from,
                message.kept_from + self.settings.retention,
            ]
        });
        times.filter(|time| *time > now).min()
    }

    fn next_of(&self, task: &Task, now: i64) -> Option<Message> {
        let is_next = |message: &&Message| {
            message.arrival < task.end
                && message.visible_from <= now
                && task
                    .place
                    .is_none_or(|place| (message.kept_from, message.arrival) > place)
        };
        self.messages.iter().find(is_next).cloned()
    }
}

impl Task {
    /// The steps of a rate are rounded up to the millisecond, each from the start.
    fn next_step(&self) -> i64 {
        let steps = self.steps + 1;
        self.started_at
            + match self.rate {
                Some(rate) => (steps * SECOND + rate - 1) / rate,
                None => steps * 10,
            }
    }
}

impl From<Message> for Received {
    fn from(message: Message) -> Self {
        Self {
            body: message.body,
            count: message.count,
            sent_at: message.sent_at,
            source: message.source.map(str::to_owned),
        }
    }
}
