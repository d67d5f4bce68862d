//! Random commands at queues that send each other their dead letters, and move tasks that bring
//! them back, against a reference that is slow and plain.

pub(crate) mod commands;
pub(crate) mod driver;
pub(crate) mod reference;

use std::collections::{BTreeMap, BTreeSet};

use commands::{Answer, Command, Given, InStore, Kind, QUEUES, Script};
use driver::Driver;
use reference::Reference;

use crate::rig::{Restored, Side, compare, place, reach, run, seeds};

const RUNS: u64 = 100;
const COMMANDS: usize = 300;

/// Each answer, each count, each task and each deadline compared.
#[test]
fn dead_letters_and_move_tasks_go_as_the_reference_says() {
    let mut seen = BTreeMap::new();
    for seed in seeds(RUNS) {
        let mut script = Script::new(seed);
        let mut driver = Driver::new(seed, Kind::Standard);
        let mut reference = Reference::new();
        for number in 0..COMMANDS {
            let command = script.next(driver.client.deliveries.len());
            let at = place(seed, number, &command);
            let answer = compare(&mut driver, &mut reference, &command, QUEUES, &at);
            no_message_is_twice(&driver, &at);
            count(&mut seen, &answer, &mut driver);
        }
    }
    let wanted = [
        "a dead letter",
        "a dead letter by a poll",
        "COMPLETED",
        "CANCELLED",
        "FAILED CouldNotDetermineMessageSource",
        "a move",
        "InvalidParameterValueException",
    ];
    reach(&seen, 1, &wanted);
}

/// FIFO queues have no reference here; what must hold is seen from the stores alone: no command but
/// a delete, a purge or a deletion makes a message disappear, none is in two places, and what is in
/// flight of a group is the front of it.
#[test]
fn fifo_dead_letters_and_move_tasks_lose_nothing_and_keep_groups_whole() {
    let mut seen = BTreeMap::new();
    for seed in seeds(RUNS) {
        let mut script = Script::new(seed);
        let mut driver = Driver::new(seed, Kind::Fifo);
        for number in 0..COMMANDS {
            let command = match script.next(driver.client.deliveries.len()) {
                // Nothing is to expire.
                Command::Retain { .. } => Command::Tick { millis: 1_000 },
                command => command,
            };
            let at = place(seed, number, &command);
            let mut expected = no_message_is_twice(&driver, &at);
            let mut may_go = None;
            match &command {
                Command::Send { bodies, .. } => expected.extend(bodies.clone()),
                Command::Purge { queue } | Command::Recreate { queue } => {
                    for message in driver.stored(queue).messages {
                        expected.remove(&message.body);
                    }
                }
                Command::Delete { delivery } => {
                    may_go = Some(driver.client.deliveries[*delivery].message.clone());
                }
                Command::Receive { .. }
                | Command::Redrive { .. }
                | Command::Retain { .. }
                | Command::StartTask { .. }
                | Command::StopTask { .. }
                | Command::Tick { .. } => {}
            }
            let answer = driver.perform(&command);
            let left = no_message_is_twice(&driver, &at);
            if let Some(body) = may_go
                && !left.contains(&body)
            {
                expected.remove(&body);
            }
            assert_eq!(left, expected, "{at}");
            groups_are_whole(&driver, &at);
            count(&mut seen, &answer, &mut driver);
        }
    }
    let wanted = [
        "a dead letter",
        "a dead letter by a poll",
        "COMPLETED",
        "a move",
    ];
    reach(&seen, 1, &wanted);
}

/// An engine that is again and again made from its own snapshot goes on as if nothing had happened.
#[test]
fn an_engine_from_a_snapshot_gives_the_same_bytes() {
    for (seed, kind) in seeds(8)
        .into_iter()
        .zip([Kind::Standard, Kind::Fifo].into_iter().cycle())
    {
        let first = transcript(seed, kind, Restored::Never);
        for restored in [Restored::Every(1), Restored::Every(13)] {
            assert!(first == transcript(seed, kind, restored), "{}", run(seed));
        }
    }
}

fn transcript(seed: u64, kind: Kind, restored: Restored) -> String {
    let mut script = Script::new(seed);
    let mut driver = Driver::new(seed, kind);
    for number in 0..COMMANDS {
        if restored.before(number) {
            driver.client.restore();
        }
        let command = script.next(driver.client.deliveries.len());
        driver.perform(&command);
    }
    driver.client.transcript
}

fn groups_are_whole(driver: &Driver, at: &str) {
    for queue in QUEUES {
        let mut hidden: BTreeMap<_, bool> = BTreeMap::new();
        for InStore {
            body,
            group,
            hidden_until,
            ..
        } in driver.stored(queue).messages
        {
            let is_hidden = hidden_until.is_some();
            let before = hidden.insert(group, is_hidden).unwrap_or(true);
            assert!(before || !is_hidden, "{at}: {body} is in flight at {queue}");
        }
    }
}

/// Whatever the reference says: no message is in two places. Gives the bodies of all.
fn no_message_is_twice(driver: &Driver, at: &str) -> BTreeSet<String> {
    let mut bodies = BTreeSet::new();
    for queue in QUEUES {
        for message in driver.stored(queue).messages {
            let InStore { body, .. } = message;
            assert!(bodies.insert(body.clone()), "{at}: {body} is twice");
        }
    }
    bodies
}

fn count(seen: &mut BTreeMap<String, usize>, answer: &Answer, driver: &mut Driver) {
    let mut see = |what: &str| *seen.entry(what.to_owned()).or_default() += 1;
    let is_dead = |given: &Given| match given {
        Given::Messages(messages) => messages.iter().any(|message| message.source.is_some()),
        Given::Done | Given::Refused(_) | Given::Sent(_) | Given::Waits => false,
    };
    if is_dead(&answer.given) {
        see("a dead letter");
    }
    if answer.polls.iter().any(|(_, given)| is_dead(given)) {
        see("a dead letter by a poll");
    }
    if let Given::Refused(code) = answer.given {
        see(code);
    }
    let tasks = QUEUES.iter().flat_map(|queue| driver.tasks(queue));
    for task in tasks {
        see(&task.status);
        if task.moved > 0 {
            see("a move");
        }
    }
}
