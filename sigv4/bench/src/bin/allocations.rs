//! How many allocations a signature takes. A program of its own, since counting slows allocating down.

use std::alloc::System;
use std::hint::black_box;

use sigv4_bench::cases;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Prints a line for each case that signs or verifies 118 B: who, what, and the allocations of one run,
/// separated by tabs.
fn main() {
    for mut case in cases() {
        if !case.what.ends_with(" 118 B") {
            continue;
        }
        // The first run keeps the day's key; what a case makes ready is counted by a run of nothing.
        case.time(1);
        let count = |times| {
            let region = Region::new(ALLOCATOR);
            black_box(case.time(times));
            let change = region.change();
            change.allocations + change.reallocations
        };
        let allocations = difference(count);
        println!("{}\t{}\t{allocations}", case.who, case.what);
    }
}

/// What one run more takes.
fn difference(mut count: impl FnMut(u64) -> usize) -> usize {
    let (one, two) = (count(1), count(2));
    two - one
}
