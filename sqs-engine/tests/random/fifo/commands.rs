//! What the runs are made of: commands, and what comes of them as a client sees it.

use crate::rig::{self, Attribute, Receive, Retention, Rng};

/// A queue of the runs; both are there from the start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) name: &'static str,
    /// Whether deduplication ids count by group, and may be left out.
    pub(crate) by_group: bool,
    pub(crate) content_based: bool,
}

pub(crate) const QUEUES: [Setup; 2] = [
    Setup {
        name: "a.fifo",
        by_group: false,
        content_based: false,
    },
    Setup {
        name: "b.fifo",
        by_group: true,
        content_based: true,
    },
];

/// A command. Receipt handles are named by the how-manieth delivery gave them, polls by the
/// how-manieth to wait they were, messages by the how-manieth entry sent them; all counted from 0
/// over the whole run.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Send {
        queue: &'static str,
        entries: Vec<Entry>,
    },
    Receive {
        queue: &'static str,
        asks: Receive,
    },
    Delete {
        delivery: usize,
    },
    Change {
        delivery: usize,
        seconds: i32,
    },
    Purge {
        queue: &'static str,
    },
    /// Deletes the queue and creates it again as it was at first.
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

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) number: usize,
    pub(crate) body: String,
    pub(crate) group: &'static str,
    /// The deduplication id; if there is none, the content stands in for it.
    pub(crate) id: Option<String>,
    pub(crate) delay: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) message: usize,
    /// How often it has been received now.
    pub(crate) count: u32,
    pub(crate) delivery: usize,
    /// The first delivery that gave this handle.
    pub(crate) handle: usize,
}

impl Received {
    /// Whether the handle was given before.
    pub(crate) fn is_again(&self) -> bool {
        self.handle < self.delivery
    }
}

pub(crate) type Answer = rig::Answer<Received>;
pub(crate) type Given = rig::Given<Received>;

/// The source of commands.
pub(crate) struct Script {
    rng: Rng,
    sent: usize,
    retention: Retention,
}

const GROUPS: [&str; 4] = ["w", "x", "y", "z"];

impl Script {
    pub(crate) fn new(choices: impl Into<Rng>, retention: Retention) -> Self {
        Self {
            rng: choices.into(),
            sent: 0,
            retention,
        }
    }

    /// Whether it was given choices, and has none left.
    pub(crate) fn is_used_up(&self) -> bool {
        self.rng.is_used_up()
    }

    /// Times are whole seconds and mostly few, so that much falls together; some are as long as
    /// deduplication and attempts are remembered.
    pub(crate) fn next(&mut self, deliveries: usize, polls: usize) -> Command {
        let setup = &QUEUES[self.rng.index(QUEUES.len())];
        let queue = setup.name;
        match self.rng.below(100) {
            0..25 => self.send(setup),
            25..52 => self.receive(queue),
            52..66 if deliveries > 0 => Command::Delete {
                delivery: self.delivery(deliveries),
            },
            66..74 if deliveries > 0 => Command::Change {
                delivery: self.delivery(deliveries),
                seconds: self.rng.pick(&[0, 0, 1, 2, 5, 30, 43_195, 43_200]),
            },
            74 if self.rng.below(2) == 0 => Command::Purge { queue },
            75 if self.rng.below(4) == 0 => Command::Recreate { queue },
            76..80 => self.set(queue),
            80..83 if polls > 0 => Command::Cancel {
                poll: self.rng.index(polls),
            },
            _ => Command::Tick {
                seconds: self
                    .rng
                    .pick(&[0, 1, 1, 1, 2, 2, 3, 5, 10, 30, 59, 60, 299, 300, 43_200]),
            },
        }
    }

    fn send(&mut self, setup: &Setup) -> Command {
        let count = self.rng.pick(&[1, 1, 1, 2, 3, 10]);
        let entries = (0..count).map(|_| {
            let number = self.sent;
            self.sent += 1;
            let repeated = usize::try_from(self.rng.below(12)).expect("a number");
            let is_new = self.rng.below(3) > 0;
            let unique = if is_new { number } else { repeated };
            let content_based = setup.content_based && self.rng.below(2) == 0;
            Entry {
                number,
                body: format!("body {unique}"),
                group: self.rng.pick(&GROUPS),
                id: (!content_based).then(|| format!("id{unique}")),
                delay: self.rng.pick(&[None, None, Some(0)]),
            }
        });
        Command::Send {
            queue: setup.name,
            entries: entries.collect(),
        }
    }

    fn receive(&mut self, queue: &'static str) -> Command {
        let attempts = [None, None, None, Some("t1"), Some("t2"), Some("t3")];
        let mut asks = Receive::pick(&mut self.rng);
        asks.attempt = self.rng.pick(&attempts);
        Command::Receive { queue, asks }
    }

    /// Mostly one of the latest.
    fn delivery(&mut self, deliveries: usize) -> usize {
        let among = self.rng.pick(&[1, 5, 5, 20, usize::MAX]).min(deliveries);
        deliveries - 1 - self.rng.index(among)
    }

    fn set(&mut self, queue: &'static str) -> Command {
        let delays = [0, 0, 1, 3, 60];
        let (attribute, seconds) = Attribute::pick(&mut self.rng, &delays, self.retention);
        Command::Set {
            queue,
            attribute,
            seconds,
        }
    }
}
