//! What was sent and what came back: nothing may be lost, altered, doubled or out of order.
//!
//! Two bits are kept for a message, so the memory is bounded by [`MESSAGES_MAX`].

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::content::{Content, Stamp, Strange};

/// Messages that a run sends at most: 2^26, for which the ledger takes 16 MiB.
pub const MESSAGES_MAX: u32 = 1 << 26;

/// Faults that are kept to be told; further ones are counted.
const FAULTS_TOLD_MAX: usize = 5;

/// What the queues promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Each message arrives at least once, in any order.
    Standard,
    /// Each message arrives once, and those of a sender in a group in order.
    Fifo,
}

/// Whether what is found is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    Strict,
    /// What answers is the floor, which says the same each time. Everything is looked at as it is for a
    /// queue, at the same cost, and nothing is a fault.
    Lenient,
}

/// What must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A message came that nobody here sent.
    Foreign,
    /// A body is not what was sent.
    Altered(Stamp),
    /// A number came that was not given out yet.
    Unsent(Stamp),
    /// A FIFO queue gave a message twice.
    Doubled(Stamp),
    /// A FIFO queue gave a message after a later one of its group.
    OutOfOrder(Stamp, u32),
    /// A message that was accepted never came.
    Lost(Stamp),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("a message came that this run did not send"),
            Self::Altered(stamp) => write!(f, "the body of {stamp} is not what was sent"),
            Self::Unsent(stamp) => write!(f, "{stamp} came and was never sent"),
            Self::Doubled(stamp) => write!(f, "{stamp} came twice from a FIFO queue"),
            Self::OutOfOrder(stamp, later) => {
                write!(f, "{stamp} came after message {later} of its group")
            }
            Self::Lost(stamp) => write!(f, "{stamp} was accepted and is lost"),
        }
    }
}

/// The account of all messages of a run.
#[derive(Debug)]
pub struct Ledger {
    content: Content,
    promise: Promise,
    judgement: Judgement,
    lanes: Vec<Mutex<Lane>>,
    groups: u16,
    /// Groups in which a message may wait for its deletion: what is behind it does not come, and it may come again.
    stuck: Mutex<BTreeSet<u16>>,
    numbers_max: u32,
    is_full: AtomicBool,
    faults: Mutex<Vec<Fault>>,
    has_faults: AtomicBool,
    fault_count: AtomicU64,
    doubled: AtomicU64,
    /// What was accepted less what has come: below zero while a message is faster than its sender's
    /// answer.
    open: AtomicI64,
}

/// The messages of one sender, in one group if there are groups.
#[derive(Debug, Default)]
struct Lane {
    next: u32,
    accepted: Bits,
    arrived: Bits,
    arrived_last: Option<u32>,
}

impl Ledger {
    /// An account for that many lanes, which send in turn to that many groups of a FIFO queue.
    #[must_use]
    pub fn new(content: Content, promise: Promise, lanes: u16, groups: u16) -> Self {
        Self {
            content,
            promise,
            judgement: Judgement::Strict,
            lanes: (0..lanes).map(|_| Mutex::default()).collect(),
            groups: groups.max(1),
            stuck: Mutex::default(),
            numbers_max: MESSAGES_MAX / u32::from(lanes.max(1)),
            is_full: AtomicBool::new(false),
            faults: Mutex::default(),
            has_faults: AtomicBool::new(false),
            fault_count: AtomicU64::new(0),
            doubled: AtomicU64::new(0),
            open: AtomicI64::new(0),
        }
    }

    /// A new account of the same messages, for the floor: it finds no fault.
    #[must_use]
    pub fn unjudged(&self) -> Self {
        let lanes = u16::try_from(self.lanes.len()).unwrap_or(u16::MAX);
        Self {
            judgement: Judgement::Lenient,
            ..Self::new(self.content.clone(), self.promise, lanes, self.groups)
        }
    }

    /// The same with room for so many messages of each sender.
    #[cfg(test)]
    pub(super) fn with_room(mut self, messages: u32) -> Self {
        self.numbers_max = messages;
        self
    }

    /// What the bodies are.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The next message to send on a lane; none when the lane has sent all that it may.
    pub fn next(&self, lane: u16) -> Option<Stamp> {
        let mut kept = self.lane(lane)?;
        let number = kept.next;
        if number >= self.numbers_max {
            self.is_full.store(true, Ordering::Relaxed);
            return None;
        }
        kept.next += 1;
        Some(Stamp { lane, number })
    }

    /// Whether a lane has sent all that it may.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// The group that a lane sends to; none in a standard queue.
    #[must_use]
    pub fn group(&self, lane: u16) -> Option<u16> {
        match self.promise {
            Promise::Standard => None,
            Promise::Fifo => Some(lane % self.groups),
        }
    }

    /// A message came and could not be deleted.
    pub fn undeleted(&self, stamp: Stamp) {
        if let Some(group) = self.group(stamp.lane) {
            lock(&self.stuck).insert(group);
        }
    }

    fn is_stuck(&self, stamp: Stamp) -> bool {
        let group = self.group(stamp.lane);
        group.is_some_and(|group| lock(&self.stuck).contains(&group))
    }

    /// The service has accepted a message.
    pub fn accepted(&self, stamp: Stamp) {
        if let Some(mut lane) = self.lane(stamp.lane) {
            lane.accepted.set(stamp.number);
            self.open.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// About how many messages were accepted and have not come yet: exactly, when nothing is under way.
    #[must_use]
    pub fn open(&self) -> i64 {
        self.open.load(Ordering::Relaxed)
    }

    /// A message has come: which one, unless that is not known.
    pub fn arrived(&self, body: &str) -> Option<Stamp> {
        match self.check(body) {
            Ok(stamp) => Some(stamp),
            Err(fault) => {
                if self.judgement == Judgement::Strict {
                    self.found(fault);
                }
                None
            }
        }
    }

    fn check(&self, body: &str) -> Result<Stamp, Fault> {
        let stamp = self.content.read(body).map_err(|strange| match strange {
            Strange::Foreign => Fault::Foreign,
            Strange::Altered(stamp) => Fault::Altered(stamp),
        })?;
        let mut lane = self.lane(stamp.lane).ok_or(Fault::Unsent(stamp))?;
        if stamp.number >= lane.next {
            return Err(Fault::Unsent(stamp));
        }
        let came_before = lane.arrived.set(stamp.number);
        if !came_before {
            self.open.fetch_sub(1, Ordering::Relaxed);
        }
        match self.promise {
            Promise::Standard => {
                if came_before {
                    self.doubled.fetch_add(1, Ordering::Relaxed);
                }
            }
            Promise::Fifo => {
                if came_before && self.is_stuck(stamp) {
                    self.doubled.fetch_add(1, Ordering::Relaxed);
                    return Ok(stamp);
                }
                if came_before {
                    return Err(Fault::Doubled(stamp));
                }
                if let Some(last) = lane.arrived_last.filter(|last| *last > stamp.number) {
                    return Err(Fault::OutOfOrder(stamp, last));
                }
                lane.arrived_last = Some(stamp.number);
            }
        }
        Ok(stamp)
    }

    /// How many messages were accepted and have not come yet.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.lanes.iter().map(|lane| lock(lane).missing()).sum()
    }

    /// Makes what is missing now a fault, but for that many messages, which may be in answers that never came.
    /// In a FIFO queue each of these may keep its group locked, so all that is missing in as many groups is not
    /// judged, nor what is behind a message that was not deleted. How many messages are not judged for that.
    pub fn judge_missing(&self, excused: u64) -> u64 {
        if self.missing() <= excused && self.promise == Promise::Standard {
            return 0;
        }
        let mut stuck = lock(&self.stuck).clone();
        let (mut left, mut unjudged) = (excused, 0);
        for (index, lane) in (0_u16..).zip(&self.lanes) {
            let lane = lock(lane);
            let missing = lane.missing();
            if let Some(group) = self.group(index).filter(|_| missing > 0) {
                if left > 0 && stuck.insert(group) {
                    left -= 1;
                }
                if stuck.contains(&group) {
                    unjudged += missing;
                    continue;
                }
            }
            for number in (0..lane.next).filter(|number| lane.is_missing(*number)) {
                if left > 0 {
                    left -= 1;
                    continue;
                }
                self.found(Fault::Lost(Stamp {
                    lane: index,
                    number,
                }));
            }
        }
        unjudged
    }

    /// How often a message came again that may: from a standard queue, or after its deletion failed.
    #[must_use]
    pub fn doubled(&self) -> u64 {
        self.doubled.load(Ordering::Relaxed)
    }

    /// Whether something was found that must not be.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.has_faults.load(Ordering::Relaxed)
    }

    /// How many faults there were, and the first of them.
    #[must_use]
    pub fn faults(&self) -> (u64, Vec<Fault>) {
        let count = self.fault_count.load(Ordering::Relaxed);
        (count, lock(&self.faults).clone())
    }

    fn found(&self, fault: Fault) {
        self.fault_count.fetch_add(1, Ordering::Relaxed);
        let mut faults = lock(&self.faults);
        if faults.len() < FAULTS_TOLD_MAX {
            faults.push(fault);
        }
        self.has_faults.store(true, Ordering::Relaxed);
    }

    fn lane(&self, lane: u16) -> Option<MutexGuard<'_, Lane>> {
        self.lanes.get(usize::from(lane)).map(lock)
    }
}

impl Lane {
    fn is_missing(&self, number: u32) -> bool {
        self.accepted.has(number) && !self.arrived.has(number)
    }

    fn missing(&self) -> u64 {
        let both = self.accepted.0.iter().enumerate();
        both.map(|(index, accepted)| {
            let arrived = self.arrived.0.get(index).copied().unwrap_or(0);
            u64::from((accepted & !arrived).count_ones())
        })
        .sum()
    }
}

/// A set of numbers that are given out in turn.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// Whether it was in already.
    fn set(&mut self, number: u32) -> bool {
        let (index, bit) = place(number);
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        let was = self.0[index] & bit != 0;
        self.0[index] |= bit;
        was
    }

    fn has(&self, number: u32) -> bool {
        let (index, bit) = place(number);
        self.0.get(index).is_some_and(|bits| bits & bit != 0)
    }
}

fn place(number: u32) -> (usize, u64) {
    ((number / u64::BITS) as usize, 1 << (number % u64::BITS))
}

/// What is half done after a panic is only a count.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(promise: Promise) -> Ledger {
        Ledger::new(Content::new(1, 64), promise, 2, 2)
    }

    fn send(ledger: &Ledger, lane: u16) -> (Stamp, String) {
        let stamp = ledger.next(lane).expect("room");
        let mut body = String::new();
        ledger.content().write(stamp, &mut body);
        ledger.accepted(stamp);
        (stamp, body)
    }

    #[test]
    fn what_arrives_once_and_in_order_is_right() {
        for promise in [Promise::Standard, Promise::Fifo] {
            let ledger = ledger(promise);
            let bodies: Vec<_> = (0..200).map(|n| send(&ledger, n % 2)).collect();
            assert_eq!(ledger.missing(), 200);
            for (stamp, body) in &bodies {
                assert_eq!(ledger.arrived(body), Some(*stamp));
            }
            assert_eq!(ledger.judge_missing(0), 0);
            assert_eq!(ledger.faults(), (0, Vec::new()));
            assert_eq!((ledger.doubled(), ledger.missing()), (0, 0));
        }
    }

    #[test]
    fn what_was_accepted_and_does_not_come_is_lost() {
        let ledger = ledger(Promise::Standard);
        let (first, _) = send(&ledger, 1);
        let (_, body) = send(&ledger, 1);
        // Not accepted, so nobody misses it.
        let _refused = ledger.next(0);
        ledger.arrived(&body);
        ledger.judge_missing(1);
        assert!(!ledger.has_faults(), "one is excused");
        ledger.judge_missing(0);
        assert_eq!(ledger.faults(), (1, vec![Fault::Lost(first)]));
    }

    #[test]
    fn doubled_is_a_fault_of_a_fifo_queue_and_a_count_of_a_standard_one() {
        for (promise, doubled, faults) in [(Promise::Standard, 1, 0), (Promise::Fifo, 0, 1)] {
            let ledger = ledger(promise);
            let (_, body) = send(&ledger, 0);
            ledger.arrived(&body);
            ledger.arrived(&body);
            assert_eq!((ledger.doubled(), ledger.faults().0), (doubled, faults));
        }
    }

    #[test]
    fn order_counts_within_a_lane_of_a_fifo_queue() {
        let ledger = ledger(Promise::Fifo);
        let (first, first_body) = send(&ledger, 0);
        let (_, second_body) = send(&ledger, 0);
        let (_, other_body) = send(&ledger, 1);
        ledger.arrived(&other_body);
        ledger.arrived(&second_body);
        assert!(!ledger.has_faults());
        ledger.arrived(&first_body);
        assert_eq!(ledger.faults(), (1, vec![Fault::OutOfOrder(first, 1)]));
    }

    #[test]
    fn what_is_behind_a_message_that_stays_is_not_judged() {
        let ledger = Ledger::new(Content::new(1, 64), Promise::Fifo, 4, 3);
        let (stays, body) = send(&ledger, 0);
        ledger.arrived(&body);
        ledger.undeleted(stays);
        // Lanes 0 and 3 are of one group.
        let _behind = [send(&ledger, 0), send(&ledger, 3)];
        let (lost, _) = send(&ledger, 1);
        assert_eq!(ledger.arrived(&body), Some(stays), "it may come again");
        assert_eq!((ledger.judge_missing(0), ledger.doubled()), (2, 1));
        assert_eq!(ledger.faults(), (1, vec![Fault::Lost(lost)]));
    }

    #[test]
    fn what_an_answer_that_never_came_may_have_locked_is_not_judged() {
        let ledger = Ledger::new(Content::new(1, 64), Promise::Fifo, 4, 3);
        let _behind = [send(&ledger, 0), send(&ledger, 0), send(&ledger, 3)];
        let (lost, _) = send(&ledger, 1);
        assert_eq!(ledger.judge_missing(1), 3);
        assert_eq!(ledger.faults(), (1, vec![Fault::Lost(lost)]));
        let (_, other) = send(&ledger, 2);
        ledger.arrived(&other);
        ledger.arrived(&other);
        assert_eq!(ledger.faults().0, 2, "another group is judged as ever");
    }

    #[test]
    fn what_nobody_sent_is_a_fault() {
        let ledger = ledger(Promise::Standard);
        let mut body = String::new();
        let early = Stamp { lane: 0, number: 0 };
        ledger.content().write(early, &mut body);
        assert_eq!(ledger.arrived(&body), None);
        assert_eq!(ledger.arrived("hello"), None);
        let mut nobody = String::new();
        let lane = Stamp { lane: 2, number: 0 };
        ledger.content().write(lane, &mut nobody);
        assert_eq!(ledger.arrived(&nobody), None);
        let faults = vec![Fault::Unsent(early), Fault::Foreign, Fault::Unsent(lane)];
        assert_eq!(ledger.faults(), (3, faults));
    }

    #[test]
    fn the_floor_is_not_judged() {
        let ledger = ledger(Promise::Fifo).unjudged();
        let (stamp, body) = send(&ledger, 0);
        assert_eq!(ledger.arrived(&body), Some(stamp));
        assert_eq!(ledger.arrived(&body), None);
        assert_eq!(ledger.arrived("hello"), None);
        assert!(!ledger.has_faults());
    }

    #[test]
    fn numbers_end() {
        let ledger = ledger(Promise::Standard).with_room(1);
        assert!(ledger.next(0).is_some() && !ledger.is_full());
        assert!(ledger.next(0).is_none() && ledger.is_full());
        assert!(ledger.next(1).is_some(), "each lane has its own");
        assert!(ledger.next(2).is_none(), "there are two lanes");
    }
}
