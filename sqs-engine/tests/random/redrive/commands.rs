//! What the runs are made of: commands, and what can be seen of them.

use crate::rig::{self, Receive, Rng};

/// The queues of a run; all are there from the start.
pub(crate) const QUEUES: [&str; 4] = ["a", "b", "c", "d"];

/// A command. Handles are named by the how-manieth delivery gave them, polls by the how-manieth to
/// wait they were, both counted from 0 over the whole run.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Send {
        queue: &'static str,
        bodies: Vec<String>,
        delay: i32,
    },
    Receive {
        queue: &'static str,
        asks: Receive,
    },
    Delete {
        delivery: usize,
    },
    Redrive {
        queue: &'static str,
        to: Option<(&'static str, u32)>,
    },
    Retain {
        queue: &'static str,
        seconds: i64,
    },
    Purge {
        queue: &'static str,
    },
    /// Deletes the queue and creates it again.
    Recreate {
        queue: &'static str,
    },
    StartTask {
        queue: &'static str,
        to: Option<&'static str>,
        rate: Option<i32>,
    },
    /// Cancels the latest task.
    StopTask {
        queue: &'static str,
    },
    Tick {
        millis: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) body: String,
    pub(crate) count: u32,
    pub(crate) sent_at: i64,
    /// The queue that a dead letter came from.
    pub(crate) source: Option<String>,
}

/// What is in a queue, those first that expire first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) messages: Vec<InStore>,
}

/// The kind of all queues of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Standard,
    Fifo,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InStore {
    pub(crate) body: String,
    /// In a FIFO queue.
    pub(crate) group: Option<String>,
    /// Until when it is hidden or delayed; none if it is visible.
    pub(crate) hidden_until: Option<i64>,
    pub(crate) expires_at: i64,
    pub(crate) count: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TaskSeen {
    /// With the reason, if it failed.
    pub(crate) status: String,
    pub(crate) moved: usize,
    pub(crate) to_move: usize,
}

pub(crate) type Answer = rig::Answer<Received>;
pub(crate) type Given = rig::Given<Received>;

/// The source of commands.
pub(crate) struct Script {
    rng: Rng,
    sent: usize,
}

impl Script {
    pub(crate) fn new(choices: impl Into<Rng>) -> Self {
        Self {
            rng: choices.into(),
            sent: 0,
        }
    }

    /// Whether it was given choices, and has none left.
    pub(crate) fn is_used_up(&self) -> bool {
        self.rng.is_used_up()
    }

    /// Times are few and mostly short, so that much falls together.
    pub(crate) fn next(&mut self, deliveries: usize) -> Command {
        let queue = self.rng.pick(&QUEUES);
        match self.rng.below(100) {
            0..18 => {
                let count = self.rng.pick(&[1, 1, 2, 3]);
                let bodies = (self.sent..self.sent + count).map(|n| format!("m{n}"));
                let bodies = bodies.collect();
                self.sent += count;
                let delay = self.rng.pick(&[0, 0, 0, 1, 5]);
                Command::Send {
                    queue,
                    bodies,
                    delay,
                }
            }
            18..58 => Command::Receive {
                queue,
                asks: Receive {
                    max: self.rng.pick(&[1, 1, 2, 10]),
                    visibility: Some(self.rng.pick(&[0, 0, 1, 1, 2, 5])),
                    wait: Some(self.rng.pick(&[0, 0, 0, 1, 5, 20])),
                    attempt: None,
                },
            },
            58..62 if deliveries > 0 => {
                let back = self.rng.index(deliveries.min(5));
                Command::Delete {
                    delivery: deliveries - 1 - back,
                }
            }
            62..70 => {
                let target = self.rng.pick(&QUEUES);
                let count = self.rng.pick(&[1, 1, 1, 2, 3]);
                let to = self.rng.pick(&[Some(()), Some(()), Some(()), None]);
                let to = to.map(|()| (target, count));
                Command::Redrive { queue, to }
            }
            70 => Command::Retain {
                queue,
                seconds: self.rng.pick(&[60, 345_600, 345_600]),
            },
            71 if self.rng.below(2) == 0 => Command::Purge { queue },
            72 => Command::Recreate { queue },
            73..80 => Command::StartTask {
                queue,
                to: self
                    .rng
                    .pick(&[None, None, Some("a"), Some("b"), Some("c")]),
                rate: self.rng.pick(&[None, Some(1), Some(1), Some(3), Some(500)]),
            },
            80 => Command::StopTask { queue },
            _ => Command::Tick {
                millis: self.rng.pick(&[
                    0, 10, 333, 1_000, 1_000, 1_000, 2_000, 5_000, 20_000, 60_000,
                ]),
            },
        }
    }
}
