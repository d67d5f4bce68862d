//! Calls in turn, ours and theirs, then the two programs; then the table and its verdicts.
//!
//! Only the client's own thread is timed, by its processor time in and out of the kernel, so that
//! neither the service nor what else the machine does is in it. Beside the two, the bare exchange of the
//! same bytes over a socket is timed: what no client can be without.
//!
//! Allocations are counted all the while, which itself takes time for each: some hundredths of the times.

use std::alloc::System;
use std::process::ExitCode;
use std::time::Duration;

use cost::clock::thread_time;
use cost::{bare, ours, programs, stub, theirs};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Batches of each, in turn.
const ROUNDS: usize = 60;
/// Calls in a batch.
const CALLS: u32 = 100;
const QUEUE: &str = "http://127.0.0.1:9324/000000000000/orders";

/// What one call costs: the medians.
struct Call {
    time: Duration,
    allocations: usize,
    bytes: usize,
}

/// What a receive costs, by whom.
struct Receive {
    ours: Call,
    theirs: Call,
    bare: Duration,
    /// Our time, of theirs in the same round.
    ratio: f64,
    /// The same without the bare exchange's.
    own_ratio: f64,
}

fn main() -> ExitCode {
    let empty = stub::EMPTY.to_owned();
    let full = stub::messages(10);
    let empty = measure(&empty, 0);
    let full = measure(&full, 10);
    println!("\n| | `sqs` | `aws-sdk-sqs` | of it |\n|---|---|---|---|");
    calls("an empty answer", &empty);
    calls("an answer of ten messages", &full);
    eprintln!("building the two programs, optimised; this takes minutes");
    let (our_program, their_program) = (programs::measure("ours"), programs::measure("theirs"));

    let rows = [
        "built as cargo does",
        "built with `lto = \"thin\"`, `codegen-units = 1`",
    ];
    for (at, how) in rows.iter().enumerate() {
        println!(
            "| program, stripped, {how} | {:.2} MB | {:.2} MB | |",
            megabytes(our_program.bytes[at]),
            megabytes(their_program.bytes[at]),
        );
    }
    println!(
        "| crates it is built from | {} | {} | |\n",
        our_program.crates, their_program.crates,
    );

    let verdicts = [
        (
            "processor time of an empty answer, µs",
            micros(empty.ours.time),
            30.0,
        ),
        ("the same, of Amazon's", empty.ratio, 0.25),
        (
            "allocations of an empty answer",
            empty.ours.allocations as f64,
            70.0,
        ),
        (
            "program with `lto = \"thin\"`, MB",
            megabytes(our_program.bytes[1]),
            3.2,
        ),
        (
            "crates that `sqs` is built from with TLS",
            programs::crates_of_client() as f64,
            70.0,
        ),
    ];
    let mut missed = false;
    for (what, value, most) in verdicts {
        let verdict = if value <= most { "met" } else { "MISSED" };
        missed |= value > most;
        println!("{what}: {value:.2}, at most {most}: {verdict}");
    }
    if missed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn calls(what: &str, receive: &Receive) {
    let Receive { ours, theirs, .. } = receive;
    println!(
        "| {what}: processor time | {:.1} µs | {:.1} µs | {:.2} |",
        micros(ours.time),
        micros(theirs.time),
        receive.ratio,
    );
    println!(
        "| {what}: the same beyond the {:.1} µs of a bare exchange | {:.1} µs | {:.1} µs | {:.2} |",
        micros(receive.bare),
        micros(ours.time.saturating_sub(receive.bare)),
        micros(theirs.time.saturating_sub(receive.bare)),
        receive.own_ratio,
    );
    println!(
        "| {what}: allocations | {} ({} B) | {} ({} B) | {:.2} |",
        ours.allocations,
        ours.bytes,
        theirs.allocations,
        theirs.bytes,
        ours.allocations as f64 / theirs.allocations as f64,
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// What a receive costs with each client when the service answers this.
fn measure(answer: &str, messages: usize) -> Receive {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let endpoint = stub::start(answer.to_owned()).expect("a port");
    let (our_client, their_client) = (ours::client(&endpoint), theirs::client(&endpoint));
    let mut socket = runtime.block_on(bare::connect(&endpoint));
    let mut bare = |calls| {
        runtime.block_on(async {
            for _ in 0..calls {
                bare::exchange(&mut socket, answer.len()).await;
            }
        });
    };
    let mut ours = |calls| {
        runtime.block_on(async {
            for _ in 0..calls {
                assert_eq!(ours::receive(&our_client, QUEUE).await, messages);
            }
        });
    };
    let mut theirs = |calls| {
        runtime.block_on(async {
            for _ in 0..calls {
                assert_eq!(theirs::receive(&their_client, QUEUE).await, messages);
            }
        });
    };
    // Connected, and with everything in the caches that belongs there.
    ours(3 * CALLS);
    theirs(3 * CALLS);
    bare(3 * CALLS);
    let rounds: Vec<[Duration; 3]> = (0..ROUNDS)
        .map(|_| [batch(&mut ours), batch(&mut theirs), batch(&mut bare)])
        .collect();
    let times = |of: usize| median(rounds.iter().map(|round| round[of]).collect());
    let ratio = |[ours, theirs, _]: &[Duration; 3]| ours.div_duration_f64(*theirs);
    let own_ratio = |[ours, theirs, bare]: &[Duration; 3]| {
        ours.saturating_sub(*bare)
            .div_duration_f64(theirs.saturating_sub(*bare))
    };
    Receive {
        ours: cost(times(0), &mut ours),
        theirs: cost(times(1), &mut theirs),
        bare: times(2),
        ratio: median_ratio(rounds.iter().map(ratio).collect()),
        own_ratio: median_ratio(rounds.iter().map(own_ratio).collect()),
    }
}

/// The processor time of a call, among many in a row.
fn batch(call: &mut impl FnMut(u32)) -> Duration {
    let start = thread_time();
    call(CALLS);
    (thread_time() - start) / CALLS
}

fn cost(time: Duration, call: &mut impl FnMut(u32)) -> Call {
    let mut counts = Vec::new();
    for _ in 0..CALLS {
        let region = Region::new(ALLOCATOR);
        call(1);
        let change = region.change();
        counts.push((
            change.allocations + change.reallocations,
            change.bytes_allocated,
        ));
    }
    let (allocations, bytes) = median(counts);
    Call {
        time,
        allocations,
        bytes,
    }
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

fn median_ratio(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
