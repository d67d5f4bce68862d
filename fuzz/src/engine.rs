//! The engine: commands that the fuzzer makes up, and runs whose choices it makes.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use sqs_engine::{Command, Config, Engine, MessageState, Restore, Rules, Timestamp};

use crate::replay;

/// Commands of an input at most.
const COMMANDS_MAX: usize = 60;

/// Lines of milliseconds that pass and a command in JSON, as a history has it. A second engine is made
/// anew from its own snapshot before every command; both must answer the same, show the same, and
/// hold together.
pub fn engine(data: &[u8]) {
    let mut engine = new();
    let mut restored = new();
    let mut now = Timestamp::from_millis(1_440_938_160_000);
    for line in data.split(|&byte| byte == b'\n').take(COMMANDS_MAX) {
        let Some((millis, command)) = read(line) else {
            continue;
        };
        now = now.after(Duration::from_millis(millis));
        restored = again(&restored);
        let effect = engine.perform(now, command.clone());
        assert_eq!(
            restored.perform(now, command.clone()),
            effect,
            "{command:?}"
        );
        while let Some(completed) = engine.poll_completed() {
            assert_eq!(restored.poll_completed(), Some(completed), "{command:?}");
        }
        assert!(restored.poll_completed().is_none(), "{command:?}");
        assert!(snapshot(&engine) == snapshot(&restored), "{command:?}");
        holds_together(&engine);
    }
    // Whatever is due happens, and does not wait for itself.
    for _ in 0..COMMANDS_MAX {
        let Some(next) = engine.next_deadline() else {
            break;
        };
        assert!(
            next > engine.now() || engine.now() == Timestamp::from_millis(0),
            "{next:?}"
        );
        engine.advance(next);
        holds_together(&engine);
    }
}

/// Choices of a run beside its reference: see there.
pub fn model(data: &[u8]) {
    replay::play(data);
}

fn new() -> Engine {
    Engine::new(Config {
        seed: 7,
        rules: Rules::Strict,
        ..Config::default()
    })
}

fn read(line: &[u8]) -> Option<(u64, Command)> {
    let space = line.iter().position(|&byte| byte == b' ')?;
    let millis = std::str::from_utf8(&line[..space])
        .ok()?
        .parse::<u32>()
        .ok()?;
    let command = serde_json::from_slice(&line[space + 1..]).ok()?;
    Some((u64::from(millis), command))
}

fn snapshot(engine: &Engine) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let put = |part: &[u8]| -> Result<(), Infallible> {
        parts.push(part.to_vec());
        Ok(())
    };
    match engine.snapshot(put) {
        Ok(()) => parts,
    }
}

/// An engine from a snapshot of this one.
fn again(engine: &Engine) -> Engine {
    let mut restore = Restore::new();
    for part in snapshot(engine) {
        restore.add(&part).expect("a part");
    }
    restore.finish().expect("an engine")
}

/// What is counted is there, each message once and in one queue.
fn holds_together(engine: &Engine) {
    let mut ids = BTreeSet::new();
    for queue in engine.inspect().queues() {
        let (mut visible, mut delayed, mut in_flight) = (0, 0, 0);
        for message in queue.messages() {
            assert!(
                ids.insert(message.id()),
                "{:?} is there twice",
                message.id()
            );
            match message.state() {
                MessageState::Visible => visible += 1,
                MessageState::Delayed { .. } => delayed += 1,
                MessageState::InFlight { .. } => in_flight += 1,
                other => panic!("a state that is not counted: {other:?}"),
            }
        }
        let counts = queue.counts();
        let counted = (counts.visible, counts.delayed, counts.in_flight);
        assert_eq!(counted, (visible, delayed, in_flight), "{}", queue.arn());
        assert_eq!(
            queue.polls().count(),
            queue.waiting_polls(),
            "{}",
            queue.arn()
        );
        let grouped: usize = queue.groups().map(|group| group.messages()).sum();
        let all = visible + delayed + in_flight;
        assert!(
            grouped == 0 || grouped == all,
            "{}: {grouped} of {all}",
            queue.arn()
        );
    }
    assert_eq!(engine.inspect().counts().total(), ids.len());
}
