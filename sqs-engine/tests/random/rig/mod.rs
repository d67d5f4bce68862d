//! What the random runs have in common, whatever their commands are.

mod client;
mod receive;
mod rng;
mod settings;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt::Debug;

pub(crate) use client::{ACCOUNT, Answered, Client, Delivery, REGION, Waking};
pub(crate) use receive::{Poll, Receive};
pub(crate) use rng::Rng;
pub(crate) use settings::{Attribute, Retention, Settings};

/// In milliseconds.
pub(crate) const SECOND: i64 = 1_000;

/// How long a message may be held at most, in milliseconds.
pub(crate) const TWELVE_HOURS: i64 = 43_200 * SECOND;

const SEED: &str = "SQS_ENGINE_SEED";

/// The seeds from 0 to `count`, or the one that was asked for.
pub(crate) fn seeds(count: u64) -> Vec<u64> {
    match std::env::var(SEED) {
        Ok(seed) => vec![seed.parse().expect("SQS_ENGINE_SEED is a number")],
        Err(_) => (0..count).collect(),
    }
}

/// How to come to a run again.
pub(crate) fn run(seed: u64) -> String {
    format!("{SEED}={seed}")
}

/// Where in a run it is.
pub(crate) fn place(seed: u64, number: usize, command: &impl Debug) -> String {
    format!("{}, command {number}: {command:?}", run(seed))
}

/// The runs reach what they are for, each thing `least` times. One run alone need not.
pub(crate) fn reach<K>(seen: &BTreeMap<K, usize>, least: usize, wanted: &[&str])
where
    K: Borrow<str> + Debug + Ord,
{
    println!("{seen:?}");
    if std::env::var(SEED).is_ok() {
        return;
    }
    for what in wanted {
        let times = seen.get(*what).copied().unwrap_or_default();
        assert!(times >= least, "seldom seen: {what}");
    }
}

/// How many commands apart an engine is made anew from a snapshot of itself.
#[derive(Clone, Copy)]
pub(crate) enum Restored {
    Never,
    Every(usize),
}

impl Restored {
    /// Whether it is before this command of a run.
    pub(crate) fn before(self, number: usize) -> bool {
        match self {
            Self::Never => false,
            Self::Every(count) => number.is_multiple_of(count),
        }
    }
}

/// What a command gives, and which polls it answered, by their numbers and in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer<M> {
    pub(crate) given: Given<M>,
    pub(crate) polls: Vec<(usize, Given<M>)>,
}

/// `M` is what can be seen of a message that is received.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Given<M> {
    Done,
    Refused(&'static str),
    /// For each entry the message that its answer names, where it may name another.
    Sent(Vec<usize>),
    Messages(Vec<M>),
    Waits,
}

/// A side of the comparison: the engine, or the reference.
pub(crate) trait Side {
    type Command;
    type Received: Debug + PartialEq;
    /// What can be seen of a queue besides its answers.
    type Seen: Debug + PartialEq;

    fn perform(&mut self, command: &Self::Command) -> Answer<Self::Received>;

    fn look(&mut self, queue: &str) -> Self::Seen;

    /// In milliseconds.
    fn next_deadline(&self) -> Option<i64>;
}

/// Has both sides perform a command. They must answer the same, show the same of each queue, and
/// wait for the same moment.
pub(crate) fn compare<C, M, S>(
    engine: &mut impl Side<Command = C, Received = M, Seen = S>,
    reference: &mut impl Side<Command = C, Received = M, Seen = S>,
    command: &C,
    queues: impl IntoIterator<Item = &'static str>,
    at: &str,
) -> Answer<M>
where
    M: Debug + PartialEq,
    S: Debug + PartialEq,
{
    let answer = engine.perform(command);
    assert_eq!(answer, reference.perform(command), "{at}");
    for queue in queues {
        let (left, right) = (engine.look(queue), reference.look(queue));
        assert_eq!(left, right, "{at}: at {queue}");
    }
    let (left, right) = (engine.next_deadline(), reference.next_deadline());
    assert_eq!(left, right, "{at}: next deadline");
    answer
}
