//! How often a receive allocates. A test binary of its own, as the allocator is the whole program's.
//!
//! The gates are for what creeps in: a copy of the body, a header that is formatted anew, a box around
//! each future. They stand a little above what is needed today, 29 and 162, so that a new version of
//! hyper or tokio does not break them by one. What breaks them is looked into; only a reason raises them.

use std::alloc::System;

use conformance::bound::within;
use conformance::stub;
use sqs::{Client, ReceiveMessageInput};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const STANDARD: &str = "http://127.0.0.1:9324/000000000000/orders";
const FIFO: &str = "http://127.0.0.1:9324/000000000000/orders.fifo";

/// Each message is 13 allocations: four texts, and a map of four attributes of two texts each.
const MESSAGES: usize = 10;

// One test: others at the same time would be counted too.
#[test]
fn a_receive_allocates_no_more_than_it_needs() {
    for (queue, messages, most) in [
        (STANDARD, 0, 32),
        (FIFO, 0, 32),
        (STANDARD, MESSAGES, 170),
        (FIFO, MESSAGES, 170),
    ] {
        let counted = allocations(queue, messages);
        println!("{messages} messages of {queue}: {counted} allocations, at most {most}");
        assert!(
            counted <= most,
            "{messages} messages of {queue}: {counted} allocations, at most {most}"
        );
    }
}

/// The allocations of one receive, once the client is connected and its caches are full: the median,
/// as the test's own harness allocates too.
fn allocations(queue: &str, messages: usize) -> usize {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let answer = match messages {
        0 => stub::EMPTY.to_owned(),
        count => stub::messages(count),
    };
    let endpoint = stub::start(answer).expect("a port");
    let client = Client::local(&endpoint).expect("an endpoint");
    for _ in 0..20 {
        assert_eq!(receive(&runtime, &client, queue), messages);
    }
    let mut counts: Vec<usize> = (0..101)
        .map(|_| {
            let region = Region::new(ALLOCATOR);
            receive(&runtime, &client, queue);
            let change = region.change();
            change.allocations + change.reallocations
        })
        .collect();
    counts.sort_unstable();
    counts[counts.len() / 2]
}

fn receive(runtime: &Runtime, client: &Client, queue: &str) -> usize {
    let input = ReceiveMessageInput {
        max_number_of_messages: Some(10),
        ..ReceiveMessageInput::new(queue)
    };
    let received = runtime.block_on(within(client.receive_message(input)));
    received.expect("an answer").messages.len()
}
