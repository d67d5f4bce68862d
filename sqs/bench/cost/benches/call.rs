//! Calls in turn, ours and theirs, then the two programs; then the table and its verdicts.
//!
//! Only the client's own thread is timed, by its processor time, so that neither the service nor what
//! else the machine does is in it.

use std::alloc::System;
use std::process::ExitCode;
use std::time::Duration;

use cost::clock::thread_time;
use cost::{ours, programs, stub, theirs};
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

fn main() -> ExitCode {
    let empty = stub::EMPTY.to_owned();
    let full = stub::messages(10);
    let (ours_empty, theirs_empty) = measure(&empty, 0);
    let (ours_full, theirs_full) = measure(&full, 10);
    println!("building the two programs, optimised; this takes minutes");
    let (our_program, their_program) = (programs::measure("ours"), programs::measure("theirs"));

    println!("\n| | `sqs` | `aws-sdk-sqs` |\n|---|---|---|");
    calls("an empty answer", &ours_empty, &theirs_empty);
    calls("an answer of ten messages", &ours_full, &theirs_full);
    let rows = [
        "built as cargo does",
        "built with `lto = \"thin\"`, `codegen-units = 1`",
    ];
    for (at, how) in rows.iter().enumerate() {
        println!(
            "| program, stripped, {how} | {:.2} MB | {:.2} MB |",
            megabytes(our_program.bytes[at]),
            megabytes(their_program.bytes[at]),
        );
    }
    println!(
        "| crates it is built from | {} | {} |\n",
        our_program.crates, their_program.crates,
    );

    let ratio = ours_empty.time.as_secs_f64() / theirs_empty.time.as_secs_f64();
    let verdicts = [
        (
            "processor time of an empty answer, µs",
            micros(ours_empty.time),
            30.0,
        ),
        ("the same, of Amazon's", ratio, 0.25),
        (
            "allocations of an empty answer",
            ours_empty.allocations as f64,
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

fn calls(what: &str, ours: &Call, theirs: &Call) {
    println!(
        "| {what}: processor time | {:.1} µs | {:.1} µs |",
        micros(ours.time),
        micros(theirs.time)
    );
    println!(
        "| {what}: allocations | {} ({} B) | {} ({} B) |",
        ours.allocations, ours.bytes, theirs.allocations, theirs.bytes
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// What a receive costs with each client when the service answers this.
fn measure(answer: &str, messages: usize) -> (Call, Call) {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let endpoint = stub::start(answer.to_owned()).expect("a port");
    let (our_client, their_client) = (ours::client(&endpoint), theirs::client(&endpoint));
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
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times.0.push(batch(&mut ours));
        times.1.push(batch(&mut theirs));
    }
    (cost(times.0, &mut ours), cost(times.1, &mut theirs))
}

/// The processor time of a call, among many in a row.
fn batch(call: &mut impl FnMut(u32)) -> Duration {
    let start = thread_time();
    call(CALLS);
    (thread_time() - start) / CALLS
}

fn cost(times: Vec<Duration>, call: &mut impl FnMut(u32)) -> Call {
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
        time: median(times),
        allocations,
        bytes,
    }
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}
