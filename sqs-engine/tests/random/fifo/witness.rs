//! What a client may rely on, held against what it sees.

use std::collections::BTreeMap;

use super::commands::{Answer, Command, Entry, Given, QUEUES, Received};
use super::driver::Driver;
use crate::rig::{Attribute, Side};

/// A client's view of each message that was accepted.
#[derive(Default)]
pub(crate) struct Witness {
    messages: BTreeMap<usize, Seen>,
    /// The first entry after the last purge or creation of a queue; what was before is forgotten.
    begun: BTreeMap<&'static str, usize>,
    /// How long each poll hides what it gets, if it said so.
    polls: Vec<Option<i32>>,
    /// What was set last, in milliseconds; 30 seconds otherwise.
    visibilities: BTreeMap<&'static str, i64>,
    /// How many entries.
    sent: usize,
}

struct Seen {
    queue: &'static str,
    entry: Entry,
    sent_at: i64,
    /// The handle that holds it, and until when.
    held: Option<(usize, i64)>,
    gone: bool,
}

impl Witness {
    /// Performs a command and holds what it gives against the rules.
    pub(crate) fn see(&mut self, command: &Command, driver: &mut Driver, at: &str) {
        let now = driver.client.now();
        let answer = driver.perform(command);
        match (command, &answer.given) {
            (Command::Send { queue, entries }, Given::Sent(sent)) => {
                self.sent(queue, entries, sent, now, at);
            }
            (Command::Delete { delivery }, Given::Done) => {
                let message = driver.client.deliveries[*delivery].message;
                if let Some(seen) = self.messages.get_mut(&message) {
                    seen.gone = true;
                }
            }
            (Command::Change { delivery, seconds }, Given::Done) => {
                let message = driver.client.deliveries[*delivery].message;
                if let Some(seen) = self.messages.get_mut(&message)
                    && let Some((_, until)) = &mut seen.held
                {
                    *until = now + i64::from(*seconds) * 1_000;
                }
            }
            (Command::Purge { queue } | Command::Recreate { queue }, Given::Done) => {
                self.begun.insert(queue, self.sent);
                let here = |seen: &&mut Seen| seen.queue == *queue;
                for seen in self.messages.values_mut().filter(here) {
                    seen.gone = true;
                }
                if matches!(command, Command::Recreate { .. }) {
                    self.visibilities.remove(queue);
                }
            }
            _ => {}
        }
        self.receives(command, &answer, driver, at);
        if let Command::Set {
            queue,
            attribute: Attribute::Visibility,
            seconds,
        } = command
        {
            let millis = i64::from(*seconds) * 1_000;
            self.visibilities.insert(queue, millis);
        }
    }

    /// An id is accepted once in five minutes, and a repetition names the message that was.
    fn sent(&mut self, queue: &'static str, entries: &[Entry], sent: &[usize], now: i64, at: &str) {
        let setup = QUEUES.iter().find(|setup| setup.name == queue);
        let by_group = setup.expect("a queue").by_group;
        for (entry, sent) in entries.iter().zip(sent) {
            self.sent = entry.number + 1;
            let begun = self.begun.get(queue).copied();
            let same = |seen: &&Seen| {
                let content = |entry: &Entry| match &entry.id {
                    Some(id) => (true, id.clone()),
                    None => (false, entry.body.clone()),
                };
                seen.queue == queue
                    && begun.is_none_or(|begun| seen.entry.number >= begun)
                    && content(&seen.entry) == content(entry)
                    && (!by_group || seen.entry.group == entry.group)
                    && now < seen.sent_at + 300_000
            };
            let first = self.messages.values().find(same);
            let expected = first.map_or(entry.number, |first| first.entry.number);
            assert_eq!(*sent, expected, "{at}: {entry:?}");
            if first.is_none() {
                let seen = Seen {
                    queue,
                    entry: entry.clone(),
                    sent_at: now,
                    held: None,
                    gone: false,
                };
                self.messages.insert(entry.number, seen);
            }
        }
    }

    fn receives(&mut self, command: &Command, answer: &Answer, driver: &Driver, at: &str) {
        let time = |messages: &[Received]| {
            let first = messages.first().map(|first| first.delivery);
            first.map_or(0, |first| driver.client.deliveries[first].at)
        };
        if let Command::Receive { queue, asks } = command {
            match &answer.given {
                Given::Messages(messages) => {
                    self.received(queue, messages, asks.visibility, time(messages), at);
                }
                Given::Waits => self.polls.push(asks.visibility),
                Given::Done | Given::Refused(_) | Given::Sent(_) => {}
            }
        }
        for (poll, given) in &answer.polls {
            if let Given::Messages(messages) = given
                && let Some(first) = messages.first()
            {
                let queue = self.messages[&first.message].queue;
                self.received(queue, messages, self.polls[*poll], time(messages), at);
            }
        }
    }

    /// Everything before a message in its group is gone, or is given in the same answer before it;
    /// and nobody holds it, unless the same receive is given again.
    fn received(
        &mut self,
        queue: &'static str,
        messages: &[Received],
        visibility: Option<i32>,
        now: i64,
        at: &str,
    ) {
        let own = visibility.map(|seconds| i64::from(seconds) * 1_000);
        let queues = self.visibilities.get(queue).copied().unwrap_or(30_000);
        let until = now + own.unwrap_or(queues);
        for (index, given) in messages.iter().enumerate() {
            let seen = &self.messages[&given.message];
            let entry = &seen.entry;
            assert_eq!(seen.queue, queue, "{at}: {entry:?}");
            assert!(!seen.gone, "{at}: {entry:?} comes back");
            let is_free = seen.held.is_none_or(|(_, until)| until <= now);
            let is_same = seen.held.is_some_and(|(handle, _)| handle == given.handle);
            assert!(is_free || is_same, "{at}: {entry:?} is held");
            let before = self.messages.range(..given.message).filter(|(_, other)| {
                other.queue == queue && other.entry.group == entry.group && !other.gone
            });
            for (number, _) in before {
                let is_given = messages[..index]
                    .iter()
                    .any(|given| given.message == *number);
                assert!(is_given, "{at}: {number} is before {entry:?}");
            }
        }
        for given in messages {
            let seen = self.messages.get_mut(&given.message).expect("a message");
            seen.held = Some((given.handle, until));
        }
    }

    /// What was accepted and is not gone.
    pub(crate) fn left(&self) -> Vec<usize> {
        let left = self.messages.iter().filter(|(_, seen)| !seen.gone);
        left.map(|(number, _)| *number).collect()
    }
}
