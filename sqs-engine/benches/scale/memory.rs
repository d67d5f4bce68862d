//! What the engine keeps for a message beyond the message itself.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::Extent;
use crate::report::Report;
use crate::store::{ATTRIBUTE_LEN, BODY_LEN, Kind, Sends, Store};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What a message may cost beyond its body and attributes, in bytes.
const MOST: f64 = 250.0;
/// What an allocator takes for itself and for rounding, per block: of glibc's 8 to 23 bytes, more
/// than the mean.
const PER_BLOCK: f64 = 16.0;

pub(crate) fn measure(extent: &Extent, report: &mut Report) {
    let messages = extent.weighed;
    let title = format!(
        "Memory of one of {messages} messages beyond body and attributes: at most {MOST} bytes"
    );
    report.section(title, &["bytes", "blocks", "with blocks'"]);
    for attributes in [0, 2] {
        for (state, delay) in STATES {
            let sends = Sends {
                attributes,
                delay,
                ..Sends::default()
            };
            let what = match attributes {
                0 => state.to_owned(),
                _ => format!("{state}, {attributes} attributes"),
            };
            row(&what, sends, messages, Some(MOST), report);
        }
    }
    let grouped = Sends {
        groups: 10,
        ..Sends::default()
    };
    row(
        "waiting, in one of 10 groups",
        grouped,
        messages,
        Some(MOST),
        report,
    );
    row(IN_FLIGHT_GROUPED, grouped, messages, Some(MOST), report);
    let fifo = Sends {
        kind: Kind::Fifo,
        ..grouped
    };
    // With what is kept for five minutes to know a repetition by, and the id itself, 64 characters.
    row(
        "waiting in a FIFO queue, with its id",
        fifo,
        messages,
        None,
        report,
    );
}

fn row(what: &str, sends: Sends, messages: usize, most: Option<f64>, report: &mut Report) {
    let mut store = Store::new(sends);
    let region = Region::new(ALLOCATOR);
    store.send(messages);
    if what.starts_with(IN_FLIGHT) {
        store.receive(messages);
    }
    let change = region.change();
    drop(store);
    let per_message = |count: isize| count as f64 / messages as f64;
    let bytes = difference(change.bytes_allocated, change.bytes_deallocated);
    let content = BODY_LEN + sends.attributes * ATTRIBUTE_LEN;
    let bytes = per_message(bytes) - content as f64;
    let blocks = per_message(difference(change.allocations, change.deallocations));
    let cells = vec![
        format!("{bytes:.1}"),
        format!("{blocks:.2}"),
        format!("{:.1}", bytes + blocks * PER_BLOCK),
    ];
    report.row(what, cells, bytes, most);
}

const IN_FLIGHT: &str = "in flight";
const IN_FLIGHT_GROUPED: &str = "in flight, in one of 10 groups";
const STATES: [(&str, Option<i32>); 3] =
    [("waiting", None), ("delayed", Some(900)), (IN_FLIGHT, None)];

fn difference(more: usize, less: usize) -> isize {
    more.cast_signed() - less.cast_signed()
}
