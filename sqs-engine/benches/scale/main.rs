//! What it costs to have many messages: the time of each operation beside a small queue, and the
//! memory of a message.
//!
//! ```text
//! cargo bench -p sqs-engine               measures, and prints what holds and what does not
//! cargo bench -p sqs-engine -- --check    the same, and fails if a target is missed
//! cargo bench -p sqs-engine -- --test     a few seconds on small queues: that it runs, no more;
//!                                         `cargo test` does the same
//! ```
//!
//! Every target is a ratio or a number of bytes, so that it means the same on any machine. The two
//! sizes of a ratio are measured in turns, round by round: whatever else the machine does falls on
//! both alike. That is why this has a harness of its own: those at hand measure one thing to its end
//! and then the next, and keep their results to themselves.

mod clock;
mod costs;
mod memory;
mod report;
mod store;

use std::process::ExitCode;

use report::Report;

/// How much is measured.
pub(crate) struct Extent {
    /// Messages of the queue that is called small.
    small: usize,
    /// Messages of the queue that is called large.
    large: usize,
    /// The same, of a FIFO queue.
    large_fifo: usize,
    /// How often the two are measured in turn.
    rounds: usize,
    /// Messages stored to weigh one.
    weighed: usize,
}

const FULL: Extent = Extent {
    small: 1_000,
    large: 1_000_000,
    large_fifo: 200_000,
    rounds: 51,
    weighed: 200_000,
};

const QUICK: Extent = Extent {
    small: 1_000,
    large: 5_000,
    large_fifo: 5_000,
    rounds: 3,
    weighed: 5_000,
};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    let names_a_test = arguments.iter().any(|argument| !argument.starts_with('-'));
    if given("--list") || names_a_test && !given("--bench") {
        // Who asks for a list of tests, or for some of them by name, does not mean this.
        return ExitCode::SUCCESS;
    }
    // Cargo says `--bench` when it benches and nothing when it tests.
    let quick = given("--test") || !given("--bench");
    let extent = if quick { QUICK } else { FULL };

    let mut report = Report::default();
    memory::measure(&extent, &mut report);
    costs::measure(&extent, &mut report);
    print!("{report}");
    if quick {
        println!("\nA quick run: it shows that the bench runs; its numbers mean little.");
        return ExitCode::SUCCESS;
    }
    match report.missed() {
        0 => println!("\nEvery target is met."),
        missed => println!("\nTargets missed: {missed}."),
    }
    if given("--check") && report.missed() > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
