//! An hour of a busy queue: many commands in little time, and the faults that a client must live with,
//! with the reference beside it all the way.
//!
//! `cargo test` has a few minutes of virtual time. With `SQS_ENGINE_SOAK=<seeds>` it is an hour for each
//! of so many seeds; `SQS_ENGINE_SEED=<seed>` is one alone.

use std::collections::BTreeMap;
use std::fmt::Debug;

use sqs_engine::{Directives, InFlightLimits, ReceiveFault};

use crate::rig::{Given, Retention, Rng, SECOND, Side, Waking, compare, place, reach, seeds};
use crate::{fifo, standard};

const SOAK: &str = "SQS_ENGINE_SOAK";

/// Commands of a run at most, for an hour: it has about 15,000.
const COMMANDS_MAX: usize = 100_000;

/// How many seeds, and how long each run is, in milliseconds.
fn extent() -> (u64, i64) {
    match std::env::var(SOAK) {
        Ok(count) => (count.parse().expect("a number of seeds"), 3_600 * SECOND),
        Err(_) => (2, 300 * SECOND),
    }
}

/// What goes wrong with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// It does not arrive.
    Lost,
    /// The server stops before it, and goes on from what it has kept.
    Restart,
    /// A receive gives nothing, whatever there is.
    Empty,
}

/// What can go wrong with a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Receive,
    /// It may get lost.
    Loose,
    /// Time passes in any case, and what is sent is counted where a reference numbers it.
    Sure,
}

impl Fault {
    /// About one command in ten has one.
    fn draw(rng: &mut Rng, kind: Kind) -> Option<Self> {
        match rng.below(100) {
            0..4 if kind != Kind::Sure => Some(Self::Lost),
            4 => Some(Self::Restart),
            5..15 if kind == Kind::Receive => Some(Self::Empty),
            _ => None,
        }
    }

    fn name(fault: Option<Self>) -> &'static str {
        match fault {
            None => "none",
            Some(Self::Lost) => "lost",
            Some(Self::Restart) => "restart",
            Some(Self::Empty) => "empty",
        }
    }
}

/// The engine's side of a soak.
trait Soaked: Side {
    fn now(&self) -> i64;

    fn kind(command: &Self::Command) -> Kind;

    fn direct(&mut self, directives: Directives);

    fn restart(&mut self);
}

impl Soaked for standard::driver::Driver {
    fn now(&self) -> i64 {
        self.client.now()
    }

    fn kind(command: &Self::Command) -> Kind {
        use standard::commands::Command;
        match command {
            Command::Receive { .. } => Kind::Receive,
            Command::Tick { .. } => Kind::Sure,
            Command::Send { .. }
            | Command::Delete { .. }
            | Command::Change { .. }
            | Command::Purge { .. }
            | Command::Recreate { .. }
            | Command::Set { .. }
            | Command::Cancel { .. } => Kind::Loose,
        }
    }

    fn direct(&mut self, directives: Directives) {
        self.client.direct(directives);
    }

    fn restart(&mut self) {
        self.client.restore();
    }
}

impl Soaked for fifo::driver::Driver {
    fn now(&self) -> i64 {
        self.client.now()
    }

    fn kind(command: &Self::Command) -> Kind {
        use fifo::commands::Command;
        match command {
            Command::Receive { .. } => Kind::Receive,
            Command::Tick { .. } | Command::Send { .. } => Kind::Sure,
            Command::Delete { .. }
            | Command::Change { .. }
            | Command::Purge { .. }
            | Command::Recreate { .. }
            | Command::Set { .. }
            | Command::Cancel { .. } => Kind::Loose,
        }
    }

    fn direct(&mut self, directives: Directives) {
        self.client.direct(directives);
    }

    fn restart(&mut self) {
        self.client.restore();
    }
}

type Seen = BTreeMap<&'static str, usize>;

/// Goes on until so much time has passed.
fn soak<E, R>(
    seed: u64,
    (engine, reference): (&mut E, &mut R),
    mut next: impl FnMut(&E) -> E::Command,
    queues: &[&'static str],
    seen: &mut Seen,
) where
    E: Soaked<Command: Debug>,
    R: Side<Command = E::Command, Received = E::Received, Seen = E::Seen>,
{
    let (_, end) = extent();
    let mut faults = Rng::new(!seed);
    let mut number = 0;
    while engine.now() < end {
        let command = next(engine);
        let fault = Fault::draw(&mut faults, E::kind(&command));
        *seen.entry(Fault::name(fault)).or_default() += 1;
        let at = format!("{}, {fault:?}", place(seed, number, &command));
        number += 1;
        assert!(number < COMMANDS_MAX, "{at}: too many commands");
        match fault {
            Some(Fault::Lost) => continue,
            Some(Fault::Restart) => engine.restart(),
            Some(Fault::Empty) => {
                engine.direct(Directives::default().receiving(ReceiveFault::Empty));
                let answer = engine.perform(&command);
                engine.direct(Directives::default());
                assert_eq!(answer.given, Given::Messages(Vec::new()), "{at}");
                assert!(answer.polls.is_empty(), "{at}: {answer:?}");
                continue;
            }
            None => {}
        }
        compare(engine, reference, &command, queues.iter().copied(), &at);
    }
    println!(
        "seed {seed}: {number} commands in {} s",
        engine.now() / SECOND
    );
}

const WANTED: [&str; 4] = ["empty", "lost", "none", "restart"];

#[test]
fn an_hour_at_standard_queues() {
    use standard::commands::{Command, QUEUES, Script};
    use standard::driver::Driver;
    use standard::reference::Reference;
    let mut seen = Seen::new();
    for seed in seeds(extent().0) {
        let mut script = Script::new(seed, Retention::Changes);
        let limits = InFlightLimits::default();
        let mut driver = Driver::with_limits(seed, Waking::AtDeadlines, limits);
        let mut reference = Reference::new(limits.standard);
        let next = |driver: &Driver| {
            let client = &driver.client;
            match script.next(&client.deliveries, client.poll_count()) {
                // Long waits are left out, so that much happens in an hour.
                Command::Tick { seconds } => Command::Tick {
                    seconds: seconds % 4,
                },
                command => command,
            }
        };
        soak(
            seed,
            (&mut driver, &mut reference),
            next,
            &QUEUES,
            &mut seen,
        );
    }
    reach(&seen, 10, &WANTED);
}

#[test]
fn an_hour_at_fifo_queues() {
    use fifo::commands::{Command, QUEUES, Script};
    use fifo::driver::Driver;
    use fifo::reference::Reference;
    const LIMIT: u32 = 120_000;
    let queues: Vec<&str> = QUEUES.iter().map(|setup| setup.name).collect();
    let mut seen = Seen::new();
    for seed in seeds(extent().0) {
        let mut script = Script::new(seed, Retention::Changes);
        let mut driver = Driver::new(seed, Waking::AtDeadlines, LIMIT);
        let mut reference = Reference::new(LIMIT);
        let next = |driver: &Driver| {
            let client = &driver.client;
            match script.next(client.deliveries.len(), client.poll_count()) {
                Command::Tick { seconds } => Command::Tick {
                    seconds: seconds % 4,
                },
                command => command,
            }
        };
        soak(
            seed,
            (&mut driver, &mut reference),
            next,
            &queues,
            &mut seen,
        );
    }
    reach(&seen, 10, &WANTED);
}
