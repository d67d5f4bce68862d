//! Random commands at standard queues, against a reference that is slow and plain, and against the
//! engine itself.

pub(crate) mod commands;
pub(crate) mod driver;
pub(crate) mod fairness;
pub(crate) mod reference;

use std::collections::BTreeMap;

use commands::{Answer, Command, Given, QUEUES, Script};
use driver::Driver;
use reference::Reference;
use sqs_engine::InFlightLimits;

use crate::rig::{
    Attribute, Receive, Restored, Retention, Side, Waking, compare, place, reach, run, seeds,
};

const RUNS: u64 = 250;
const COMMANDS: usize = 400;

/// 100,000 commands; each answer, each count and each deadline compared.
#[test]
fn the_engine_does_what_the_reference_does() {
    let mut seen = BTreeMap::new();
    for seed in seeds(RUNS) {
        let limits = InFlightLimits {
            standard: if seed % 2 == 0 { 10 } else { 120 },
            ..InFlightLimits::default()
        };
        let mut script = Script::new(seed, Retention::Changes);
        let mut driver = Driver::with_limits(seed, Waking::AtTheEnd, limits);
        let mut reference = Reference::new(limits.standard);
        for number in 0..COMMANDS {
            let command = script.next(&driver.client.deliveries, driver.client.poll_count());
            let at = place(seed, number, &command);
            let answer = compare(&mut driver, &mut reference, &command, QUEUES, &at);
            count(&mut seen, &answer);
            for why in reference.noise() {
                *seen.entry(why).or_default() += 1;
            }
        }
    }
    let wanted = [
        "messages",
        "nothing",
        "waits",
        "poll got messages",
        "poll got nothing",
        "OverLimit",
        "noisy by number",
        "noisy by time",
    ];
    reach(&seen, 1, &wanted);
}

/// What must hold whatever the reference says, judged by what a client sees alone: no message is
/// given before its time, at another queue, or after its deletion, and none is lost.
#[test]
fn no_message_is_lost_or_comes_back_or_is_given_while_hidden() {
    for seed in seeds(100) {
        let mut script = Script::new(seed, Retention::Stays);
        let mut driver = Driver::new(seed, Waking::AtDeadlines);
        let mut witness = Witness::default();
        for number in 0..COMMANDS {
            // Long waits are left out so that nothing comes to the end of its four days.
            let command = match script.next(&driver.client.deliveries, driver.client.poll_count()) {
                Command::Tick { seconds: 43_200 } => Command::Tick { seconds: 43 },
                command => command,
            };
            let at = place(seed, number, &command);
            witness.see(&command, &mut driver, &at);
        }
        let at = format!("{}, at the end", run(seed));
        witness.see(
            &Command::Tick {
                seconds: 2 * 43_200,
            },
            &mut driver,
            &at,
        );
        let start = driver.client.deliveries.len();
        for queue in QUEUES {
            let all = Command::Receive {
                queue,
                asks: Receive::all(43_200),
            };
            while witness.see(&all, &mut driver, &at) > 0 {}
        }
        let lost = witness.not_given_since(start);
        assert!(lost.is_empty(), "{at}: lost {lost:?}");
    }
}

#[test]
fn the_same_commands_give_the_same_bytes() {
    for seed in seeds(50) {
        let first = transcript(seed, Waking::AtTheEnd);
        assert!(first.len() > COMMANDS, "there is something to compare");
        assert!(first == transcript(seed, Waking::AtTheEnd), "{}", run(seed));
    }
}

/// An engine that is woken at every moment and one that is woken seldom answer the same.
#[test]
fn how_often_the_engine_is_woken_makes_no_difference() {
    for seed in seeds(50) {
        let seldom = transcript(seed, Waking::AtTheEnd);
        assert!(
            seldom == transcript(seed, Waking::AtDeadlines),
            "{}",
            run(seed)
        );
        assert!(seldom == transcript(seed, Waking::Often), "{}", run(seed));
    }
}

/// An engine that is again and again made from its own snapshot goes on as if nothing had happened.
#[test]
fn an_engine_from_a_snapshot_gives_the_same_bytes() {
    for seed in seeds(8) {
        let first = transcript(seed, Waking::AtTheEnd);
        for (waking, restored) in [
            (Waking::AtTheEnd, Restored::Every(1)),
            (Waking::AtDeadlines, Restored::Every(13)),
        ] {
            assert!(
                first == transcript_of(seed, waking, restored),
                "{}",
                run(seed)
            );
        }
    }
}

fn transcript(seed: u64, waking: Waking) -> String {
    transcript_of(seed, waking, Restored::Never)
}

fn transcript_of(seed: u64, waking: Waking, restored: Restored) -> String {
    let mut script = Script::new(seed, Retention::Changes);
    let mut driver = Driver::new(seed, waking);
    for number in 0..COMMANDS {
        if restored.before(number) {
            driver.client.restore();
        }
        let command = script.next(&driver.client.deliveries, driver.client.poll_count());
        driver.perform(&command);
    }
    driver.client.transcript
}

fn count(seen: &mut BTreeMap<&'static str, usize>, answer: &Answer) {
    let kind = |given: &Given| match given {
        Given::Done | Given::Sent(_) => "done",
        Given::Refused(code) => code,
        Given::Messages(messages) if messages.is_empty() => "nothing",
        Given::Messages(_) => "messages",
        Given::Waits => "waits",
    };
    *seen.entry(kind(&answer.given)).or_default() += 1;
    for (_, given) in &answer.polls {
        let kind = match kind(given) {
            "messages" => "poll got messages",
            "nothing" => "poll got nothing",
            kind => kind,
        };
        *seen.entry(kind).or_default() += 1;
    }
}

/// A client's view of each message.
#[derive(Default)]
struct Witness {
    /// By body, which no two messages share.
    messages: BTreeMap<String, Seen>,
    delays: BTreeMap<&'static str, i64>,
    /// What was set last, in milliseconds; 30 seconds otherwise.
    visibilities: BTreeMap<&'static str, i64>,
    /// How long each poll hides what it gets, if it said so.
    polls: Vec<Option<i32>>,
    known_deliveries: usize,
}

struct Seen {
    queue: &'static str,
    visible_from: i64,
    /// The delivery that holds it.
    delivery: Option<usize>,
    gone: bool,
}

impl Witness {
    /// Performs a command, holds what it gives against the rules, and says how many messages it
    /// gave.
    fn see(&mut self, command: &Command, driver: &mut Driver, at: &str) -> usize {
        let before = driver.client.now();
        if let Command::Send {
            queue,
            bodies,
            delay,
            ..
        } = command
        {
            let own = delay.map(|seconds| i64::from(seconds) * 1_000);
            let delay = own.unwrap_or(self.delays.get(queue).copied().unwrap_or(0));
            for body in bodies {
                let visible_from = before + delay;
                let seen = Seen {
                    queue,
                    visible_from,
                    delivery: None,
                    gone: false,
                };
                self.messages.insert(body.clone(), seen);
            }
        }
        let answer = driver.perform(command);
        self.deliveries(command, &answer, driver, at);
        let given = driver.client.deliveries.len() - self.known_deliveries;
        self.known_deliveries = driver.client.deliveries.len();
        if answer.given == Given::Done {
            self.done(command, driver, before);
        }
        given
    }

    fn deliveries(&mut self, command: &Command, answer: &Answer, driver: &Driver, at: &str) {
        let mut timeouts = Vec::new();
        if let Command::Receive { asks, .. } = command {
            match &answer.given {
                Given::Messages(messages) => {
                    timeouts.extend(messages.iter().map(|_| asks.visibility));
                }
                Given::Waits => self.polls.push(asks.visibility),
                Given::Done | Given::Refused(_) | Given::Sent(_) => {}
            }
        }
        for (poll, given) in &answer.polls {
            if let Given::Messages(messages) = given {
                timeouts.extend(messages.iter().map(|_| self.polls[*poll]));
            }
        }
        // A change of visibility that answers a poll frees the message first.
        if let Command::Change {
            seconds: 0,
            delivery,
            ..
        } = command
            && let Some(seen) = self
                .messages
                .get_mut(&driver.client.deliveries[*delivery].message)
            && seen.delivery == Some(*delivery)
        {
            seen.visible_from = driver.client.now();
        }
        for (index, timeout) in (self.known_deliveries..).zip(timeouts) {
            let delivery = &driver.client.deliveries[index];
            let (body, time) = (&delivery.message, delivery.at);
            let seen = self
                .messages
                .get_mut(body)
                .unwrap_or_else(|| panic!("{at}: {body} unsent"));
            assert_eq!(
                seen.queue, delivery.queue,
                "{at}: {body} is given at its own queue"
            );
            assert!(!seen.gone, "{at}: {body} comes back");
            assert!(
                seen.visible_from <= time,
                "{at}: {body} is hidden until {}",
                seen.visible_from
            );
            let own = timeout.map(|seconds| i64::from(seconds) * 1_000);
            let queues = self.visibilities.get(seen.queue).copied().unwrap_or(30_000);
            seen.visible_from = time + own.unwrap_or(queues);
            seen.delivery = Some(index);
        }
    }

    fn done(&mut self, command: &Command, driver: &Driver, now: i64) {
        match command {
            Command::Delete { delivery, .. } => {
                if let Some(seen) = self
                    .messages
                    .get_mut(&driver.client.deliveries[*delivery].message)
                {
                    seen.gone = true;
                }
            }
            Command::Change {
                delivery, seconds, ..
            } => {
                // Zero is seen to above: by now a poll may hold the message.
                if let Some(seen) = self
                    .messages
                    .get_mut(&driver.client.deliveries[*delivery].message)
                    && *seconds > 0
                    && (seen.delivery == Some(*delivery) || seen.visible_from <= now)
                {
                    seen.visible_from = now + i64::from(*seconds) * 1_000;
                }
            }
            Command::Purge { queue } | Command::Recreate { queue } => {
                for seen in self
                    .messages
                    .values_mut()
                    .filter(|seen| seen.queue == *queue)
                {
                    seen.gone = true;
                }
                if matches!(command, Command::Recreate { .. }) {
                    self.delays.remove(queue);
                    self.visibilities.remove(queue);
                }
            }
            Command::Set {
                queue,
                attribute,
                seconds,
            } => {
                let millis = i64::from(*seconds) * 1_000;
                match attribute {
                    Attribute::Delay => drop(self.delays.insert(queue, millis)),
                    Attribute::Visibility => drop(self.visibilities.insert(queue, millis)),
                    Attribute::Retention | Attribute::Wait => {}
                }
            }
            Command::Send { .. }
            | Command::Receive { .. }
            | Command::Cancel { .. }
            | Command::Tick { .. } => {}
        }
    }

    /// What was sent, is not gone, and was in none of the deliveries from `start` on.
    fn not_given_since(&self, start: usize) -> Vec<&str> {
        self.messages
            .iter()
            .filter(|(_, seen)| !seen.gone && seen.delivery.is_none_or(|last| last < start))
            .map(|(body, _)| body.as_str())
            .collect()
    }
}
