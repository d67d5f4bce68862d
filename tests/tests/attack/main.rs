//! Attacks on a server, over its socket: what no client sends, and what somebody might.
//!
//! An attack is a row of a table: its name, its bytes, and what must come back. After each one the
//! [target](target::Target) is looked over, and the attack has failed only if
//!
//! * a good signed request on a new connection is answered as before,
//! * every connection that it opened has given its place back,
//! * queues, messages, faults and the clock are what they were,
//! * the memory that is allocated is what it was, within a bound,
//! * nothing has panicked, and nothing stands in the log as an error.
//!
//! The families are in files of their own. [`memory`] measures a server in a process of its own too.

mod bodies;
mod call;
mod case;
mod connections;
mod control;
mod headers;
mod json;
mod memory;
mod query_protocol;
mod request_line;
mod signatures;
mod slow;
mod smuggling;
mod target;
mod watch;
mod wire;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How much of the program's memory is taken, in bytes.
fn allocated() -> isize {
    let stats = ALLOCATOR.stats();
    let signed = |bytes: usize| isize::try_from(bytes).unwrap_or(isize::MAX);
    signed(stats.bytes_allocated) - signed(stats.bytes_deallocated)
}
