//! Random commands at FIFO queues, against a reference that is slow and plain, and against what a
//! client may rely on.

pub(crate) mod commands;
pub(crate) mod driver;
pub(crate) mod reference;
pub(crate) mod witness;

use std::collections::BTreeMap;

use commands::{Answer, Command, Entry, Given, QUEUES, Received, Script};
use driver::Driver;
use reference::Reference;
use witness::Witness;

use crate::rig::{Receive, Restored, Retention, Side, Waking, compare, place, reach, run, seeds};

const RUNS: u64 = 250;
const COMMANDS: usize = 400;
const NO_LIMIT: u32 = 120_000;

/// 100,000 commands; each answer, each count and each deadline compared.
#[test]
fn the_engine_does_what_the_reference_does() {
    let mut seen = BTreeMap::new();
    for seed in seeds(RUNS) {
        let limit = if seed % 4 == 0 { 4 } else { NO_LIMIT };
        let mut script = Script::new(seed, Retention::Changes);
        let mut driver = Driver::new(seed, Waking::AtTheEnd, limit);
        let mut reference = Reference::new(limit);
        for number in 0..COMMANDS {
            let command = script.next(driver.client.deliveries.len(), driver.client.poll_count());
            let at = place(seed, number, &command);
            let queues = QUEUES.iter().map(|setup| setup.name);
            let answer = compare(&mut driver, &mut reference, &command, queues, &at);
            count(&mut seen, &command, &answer);
        }
    }
    let wanted = [
        "messages",
        "nothing",
        "waits",
        "poll got messages",
        "poll got nothing",
        "a repetition",
        "a receive repeated",
        "a receive not repeatable",
        "an expired handle",
    ];
    reach(&seen, 20, &wanted);
}

/// What must hold whatever the reference says, judged by what a client sees alone.
#[test]
fn order_and_deduplication_hold_and_no_message_is_lost() {
    for seed in seeds(100) {
        let mut script = Script::new(seed, Retention::Stays);
        let mut driver = Driver::new(seed, Waking::AtDeadlines, NO_LIMIT);
        let mut witness = Witness::default();
        for number in 0..COMMANDS {
            // Long waits are left out so that nothing comes to the end of its four days.
            let command =
                match script.next(driver.client.deliveries.len(), driver.client.poll_count()) {
                    Command::Tick { seconds: 43_200 } => Command::Tick { seconds: 43 },
                    command => command,
                };
            let at = place(seed, number, &command);
            witness.see(&command, &mut driver, &at);
        }
        let at = format!("{}, at the end", run(seed));
        let rest = Command::Tick {
            seconds: 2 * 43_200,
        };
        witness.see(&rest, &mut driver, &at);
        for setup in &QUEUES {
            empty(setup.name, &mut driver, &mut witness, &at);
        }
        assert_eq!(witness.left(), Vec::<usize>::new(), "{at}: lost");
    }
}

#[test]
fn the_same_commands_give_the_same_bytes_however_often_the_engine_is_woken() {
    for seed in seeds(50) {
        let first = transcript(seed, Waking::AtTheEnd);
        assert!(first.len() > COMMANDS, "there is something to compare");
        for waking in [Waking::AtTheEnd, Waking::AtDeadlines] {
            assert!(first == transcript(seed, waking), "{}", run(seed));
        }
    }
}

/// Receives and deletes until there is nothing.
fn empty(queue: &'static str, driver: &mut Driver, witness: &mut Witness, at: &str) {
    loop {
        let start = driver.client.deliveries.len();
        let receive = Command::Receive {
            queue,
            asks: Receive::all(60),
        };
        witness.see(&receive, driver, at);
        if driver.client.deliveries.len() == start {
            return;
        }
        for delivery in start..driver.client.deliveries.len() {
            witness.see(&Command::Delete { delivery }, driver, at);
        }
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
    let mut driver = Driver::new(seed, waking, NO_LIMIT);
    for number in 0..COMMANDS {
        if restored.before(number) {
            driver.client.restore();
        }
        let command = script.next(driver.client.deliveries.len(), driver.client.poll_count());
        driver.perform(&command);
    }
    driver.client.transcript
}

fn count(seen: &mut BTreeMap<&'static str, usize>, command: &Command, answer: &Answer) {
    let mut see = |what| *seen.entry(what).or_default() += 1;
    match (command, &answer.given) {
        (Command::Send { entries, .. }, Given::Sent(sent)) if repeats(entries, sent) => {
            see("a repetition");
        }
        (Command::Receive { .. }, Given::Messages(messages)) if messages.is_empty() => {
            see("nothing");
        }
        (Command::Receive { .. }, Given::Messages(messages)) => {
            see("messages");
            if messages.iter().any(Received::is_again) {
                see("a receive repeated");
            }
        }
        (Command::Receive { .. }, Given::Refused(_)) => see("a receive not repeatable"),
        (Command::Receive { .. }, Given::Waits) => see("waits"),
        (Command::Delete { .. }, Given::Refused("InvalidParameterValueException")) => {
            see("an expired handle");
        }
        _ => {}
    }
    for (_, given) in &answer.polls {
        match given {
            Given::Messages(messages) if messages.is_empty() => see("poll got nothing"),
            Given::Messages(_) => see("poll got messages"),
            Given::Refused(_) => see("poll refused"),
            Given::Done | Given::Sent(_) | Given::Waits => {}
        }
    }
}

fn repeats(entries: &[Entry], sent: &[usize]) -> bool {
    let numbers = entries.iter().map(|entry| entry.number);
    numbers.ne(sent.iter().copied())
}
