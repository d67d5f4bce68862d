//! Runs whose choices are given: what a fuzzer plays, and what a find of it is played again by.

use sqs_engine::InFlightLimits;

use crate::rig::{Client, Restored, Retention, Rng, Waking, compare};
use crate::{fifo, redrive, standard};

/// Commands of a run at most: of the simple and slow references the time for one grows with what is
/// in the queues.
const COMMANDS_MAX: usize = 300;

/// Plays what the bytes say: the first decides what is played, each further one is a choice. The
/// engine and its reference must answer and show the same, and an engine that is made from a
/// snapshot must go on as the one that it was made from.
pub(crate) fn play(bytes: &[u8]) {
    let Some((&first, choices)) = bytes.split_first() else {
        return;
    };
    let choices = Rng::given(choices);
    let restored = match first / 8 % 4 {
        0 => Restored::Never,
        1 => Restored::Every(1),
        2 => Restored::Every(7),
        _ => Restored::Every(50),
    };
    match first % 8 {
        0 => play_standard(choices, restored, standard::commands::Pace::Easy, 120),
        1 => play_standard(choices, restored, standard::commands::Pace::Easy, 10),
        2 => play_standard(choices, restored, standard::commands::Pace::Busy, 120),
        3 | 4 => play_fifo(choices, restored, 120_000),
        5 => play_fifo(choices, restored, 4),
        _ => play_redrive(choices, restored),
    }
}

fn play_standard(choices: Rng, restored: Restored, pace: standard::commands::Pace, limit: u32) {
    use standard::{commands, driver, reference};
    let limits = InFlightLimits {
        standard: limit,
        ..InFlightLimits::default()
    };
    let mut script = commands::Script::drawn(choices, Retention::Changes, pace);
    let mut driver = driver::Driver::with_limits(0, Waking::AtTheEnd, limits);
    let mut reference = reference::Reference::new(limit);
    for number in 0..COMMANDS_MAX {
        if script.is_used_up() {
            return;
        }
        restore(&mut driver.client, restored, number);
        let command = script.next(&driver.client.deliveries, driver.client.poll_count());
        let at = format!("command {number}: {command:?}");
        let queues = commands::QUEUES;
        compare(&mut driver, &mut reference, &command, queues, &at);
    }
}

fn play_fifo(choices: Rng, restored: Restored, limit: u32) {
    use fifo::{commands, driver, reference};
    let mut script = commands::Script::new(choices, Retention::Changes);
    let mut driver = driver::Driver::new(0, Waking::AtTheEnd, limit);
    let mut reference = reference::Reference::new(limit);
    for number in 0..COMMANDS_MAX {
        if script.is_used_up() {
            return;
        }
        restore(&mut driver.client, restored, number);
        let command = script.next(driver.client.deliveries.len(), driver.client.poll_count());
        let at = format!("command {number}: {command:?}");
        let queues = commands::QUEUES.iter().map(|setup| setup.name);
        compare(&mut driver, &mut reference, &command, queues, &at);
    }
}

fn play_redrive(choices: Rng, restored: Restored) {
    use redrive::{commands, driver, reference};
    let mut script = commands::Script::new(choices);
    let mut driver = driver::Driver::new(0, commands::Kind::Standard);
    let mut reference = reference::Reference::new();
    for number in 0..COMMANDS_MAX {
        if script.is_used_up() {
            return;
        }
        restore(&mut driver.client, restored, number);
        let command = script.next(driver.client.deliveries.len());
        let at = format!("command {number}: {command:?}");
        compare(&mut driver, &mut reference, &command, commands::QUEUES, &at);
    }
}

fn restore<M>(client: &mut Client<M>, restored: Restored, number: usize) {
    if restored.before(number) {
        client.restore();
    }
}

/// Every way to begin, with choices of all values.
#[test]
fn any_bytes_can_be_played() {
    for first in 0..32 {
        let mut rng = Rng::new(u64::from(first));
        let byte = |_| u8::try_from(rng.below(256)).expect("a byte");
        let choices: Vec<u8> = (0..600).map(byte).collect();
        play(&[&[first], &choices[..]].concat());
    }
    play(&[]);
    play(&[0]);
}
