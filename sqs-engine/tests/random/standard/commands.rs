//! What the runs are made of: commands, and what comes of them as a client sees it.

use crate::rig::{self, Attribute, Delivery, Receive, Retention, Rng};

/// The queues of a run; both are there from the start.
pub(crate) const QUEUES: [&str; 2] = ["a", "b"];

/// A command. Receipt handles are named by the how-manieth delivery gave them, polls by the
/// how-manieth to wait they were, both counted from 0 over the whole run.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Send {
        queue: &'static str,
        bodies: Vec<String>,
        group: Option<&'static str>,
        delay: Option<i32>,
    },
    Receive {
        queue: &'static str,
        asks: Receive,
    },
    Delete {
        queue: &'static str,
        delivery: usize,
    },
    Change {
        queue: &'static str,
        delivery: usize,
        seconds: i32,
    },
    Purge {
        queue: &'static str,
    },
    /// Deletes the queue and creates it again with default attributes.
    Recreate {
        queue: &'static str,
    },
    Set {
        queue: &'static str,
        attribute: Attribute,
        seconds: i32,
    },
    Cancel {
        poll: usize,
    },
    /// Lets seconds pass.
    Tick {
        seconds: i64,
    },
}

impl Command {
    /// The queue that it is about, if it is about one.
    pub(crate) fn queue(&self) -> Option<&'static str> {
        match self {
            Self::Send { queue, .. }
            | Self::Receive { queue, .. }
            | Self::Delete { queue, .. }
            | Self::Change { queue, .. }
            | Self::Purge { queue }
            | Self::Recreate { queue }
            | Self::Set { queue, .. } => Some(queue),
            Self::Cancel { .. } | Self::Tick { .. } => None,
        }
    }
}

/// The body of a message, and how often it has been received now.
pub(crate) type Received = (String, u32);

pub(crate) type Answer = rig::Answer<Received>;
pub(crate) type Given = rig::Given<Received>;

/// The source of commands.
pub(crate) struct Script {
    rng: Rng,
    sent: usize,
    retention: Retention,
    pace: Pace,
}

/// How much is sent and held at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    Easy,
    /// So much that groups become noisy by the number of their messages in flight.
    Busy,
}

impl Script {
    pub(crate) fn new(seed: u64, retention: Retention) -> Self {
        let pace = if seed % 4 == 1 {
            Pace::Busy
        } else {
            Pace::Easy
        };
        Self::drawn(Rng::new(seed), retention, pace)
    }

    pub(crate) fn drawn(rng: Rng, retention: Retention, pace: Pace) -> Self {
        Self {
            rng,
            sent: 0,
            retention,
            pace,
        }
    }

    /// Whether it was given choices, and has none left.
    pub(crate) fn is_used_up(&self) -> bool {
        self.rng.is_used_up()
    }

    /// Times are whole seconds and mostly few, so that much falls together.
    pub(crate) fn next(&mut self, deliveries: &[Delivery<String>], polls: usize) -> Command {
        let queue = self.rng.pick(&QUEUES);
        if self.pace == Pace::Busy && self.rng.below(3) == 0 {
            return Command::Receive {
                queue,
                asks: Receive::all(43_200),
            };
        }
        match self.rng.below(100) {
            0..25 => self.send(queue),
            25..55 => Command::Receive {
                queue,
                asks: Receive::pick(&mut self.rng),
            },
            55..65 if !deliveries.is_empty() => {
                let (queue, delivery) = self.delivery(deliveries);
                Command::Delete { queue, delivery }
            }
            65..73 if !deliveries.is_empty() => {
                let (queue, delivery) = self.delivery(deliveries);
                let seconds = self.rng.pick(&[0, 0, 1, 2, 5, 30, 43_195, 43_200]);
                Command::Change {
                    queue,
                    delivery,
                    seconds,
                }
            }
            73 => Command::Purge { queue },
            74 if self.rng.below(4) == 0 => Command::Recreate { queue },
            75..79 => self.set(queue),
            79..82 if polls > 0 => {
                let poll = self.rng.index(polls);
                Command::Cancel { poll }
            }
            _ => Command::Tick {
                seconds: self
                    .rng
                    .pick(&[0, 1, 1, 1, 2, 2, 3, 5, 10, 30, 59, 60, 43_200]),
            },
        }
    }

    fn send(&mut self, queue: &'static str) -> Command {
        let count = match self.pace {
            Pace::Easy => self.rng.pick(&[1, 1, 1, 2, 3, 10]),
            Pace::Busy => 10,
        };
        let bodies = (self.sent..self.sent + count)
            .map(|number| format!("m{number}"))
            .collect();
        self.sent += count;
        let delay = self
            .rng
            .pick(&[None, None, Some(0), Some(1), Some(2), Some(5), Some(900)]);
        let group = self
            .rng
            .pick(&[None, Some("x"), Some("x"), Some("y"), Some("z")]);
        Command::Send {
            queue,
            bodies,
            group,
            delay,
        }
    }

    /// Mostly one of the latest deliveries, and mostly at its own queue.
    fn delivery(&mut self, deliveries: &[Delivery<String>]) -> (&'static str, usize) {
        let among = self
            .rng
            .pick(&[1, 5, 5, 20, usize::MAX])
            .min(deliveries.len());
        let delivery = deliveries.len() - 1 - self.rng.index(among);
        let queue = if self.rng.below(20) == 0 {
            self.rng.pick(&QUEUES)
        } else {
            deliveries[delivery].queue
        };
        (queue, delivery)
    }

    fn set(&mut self, queue: &'static str) -> Command {
        let (attribute, seconds) = Attribute::pick(&mut self.rng, &[0, 0, 1, 3], self.retention);
        Command::Set {
            queue,
            attribute,
            seconds,
        }
    }
}
