//! One signer, many threads.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Duration;

use sigv4::{Payload, Request, Signer};

use crate::clock;
use crate::ours;
use crate::workload::{Workload, now};

/// Nanoseconds per signature and thread: one thread, two threads with a signer each, two threads that
/// share one.
#[derive(Clone, Copy)]
pub struct Threads {
    /// One thread.
    pub alone: f64,
    /// Two threads, a signer each: what the machine does to two threads that share nothing.
    pub apart: f64,
    /// Two threads, one signer.
    pub shared: f64,
}

/// Signs 118 B from one thread and from two: the medians of interleaved rounds.
#[must_use]
pub fn measure() -> Threads {
    let signers = [ours::signer(), ours::signer()];
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..200 {
        times[0].push(run(&[&signers[0]]));
        times[1].push(run(&[&signers[0], &signers[1]]));
        times[2].push(run(&[&signers[0], &signers[0]]));
    }
    let [alone, apart, shared] = times.map(|mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    Threads {
        alone,
        apart,
        shared,
    }
}

const SIGNATURES: u32 = 2000;

fn run(signers: &[&Signer]) -> f64 {
    let workload = Workload::post("118 B", 118);
    let start_together = Barrier::new(signers.len());
    let time = |signer: &Signer| {
        let headers = workload.header_bytes();
        start_together.wait();
        clock::time(|| {
            for _ in 0..SIGNATURES {
                let request = Request::new(workload.method, &workload.target, &headers);
                let signed = signer.sign(&request, Payload::Bytes(&workload.body), now());
                let _ = black_box(signed.unwrap());
            }
        })
    };
    let total: Duration = std::thread::scope(|scope| {
        let time = &time;
        let running: Vec<_> = signers
            .iter()
            .map(|&signer| scope.spawn(move || time(signer)))
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    total.as_nanos() as f64 / f64::from(SIGNATURES) / signers.len() as f64
}
