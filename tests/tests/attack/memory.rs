//! How much memory a server takes at most while it is attacked, and how much it gives back: as the
//! system counts it, for a process of its own.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use fake_sqs::limits;

use crate::bodies::{head, many_bodies, pour};
use crate::call::{Call, Framing};
use crate::case::{Finish, Then};
use crate::target::alone;
use crate::wire::{self, connect};

/// A server in a process of its own.
struct Served {
    process: Child,
    address: SocketAddr,
}

impl Served {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_served"))
            // Or glibc keeps more of what was given back the larger it was, and when depends on the order
            // of things.
            .env("MALLOC_MMAP_THRESHOLD_", "131072")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").expect("plain HTTP");
        let address = address.parse().expect("an address");
        Self { process, address }
    }

    /// A row of what the system says about the process's memory, in KiB.
    fn memory(&self, row: &str) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.expect("the process runs");
        let value = status
            .lines()
            .find_map(|line| line.strip_prefix(row)?.strip_prefix(':'));
        let value = value.and_then(|value| value.trim().strip_suffix(" kB"));
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or_else(|| panic!("no {row} in {status}"))
    }

    /// What it has taken at most since it was last asked.
    fn most(&self) -> usize {
        let most = self.memory("VmHWM");
        fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5").expect("our own process");
        most
    }

    fn answers(&self) {
        let call = Call::new(self.address, "ListQueues", "{}").signed();
        let outcome = wire::strike(self.address, &call.bytes(), Finish::Probe);
        assert!(
            outcome.then == Then::Open && outcome.answers[0].status == 200,
            "{outcome:?}"
        );
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It ends when its input does; who is left after a failed test is ended.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn large_bodies_take_no_more_than_they_may() {
    let _alone = alone();
    let server = Served::start();
    for _ in 0..100 {
        server.answers();
    }
    let before = server.memory("VmRSS");
    server.most();
    let largest = limits::BODY_BYTES_MAX / 1024;
    for framing in [Framing::Length, Framing::Chunks(1)] {
        let stream = connect(server.address);
        let call = Call::new(server.address, "ListQueues", "{}").signed();
        let head = head(call, 100_000_000, framing);
        pour(&stream, &head, 100_000_000, framing);
        drop(stream);
        server.answers();
        let most = server.most();
        // The body as far as it is kept, and once more as its buffer grows.
        let bound = before + 3 * largest;
        assert!(
            most < bound,
            "100 MB {framing:?}: {before} KiB, then {most}"
        );
    }

    let all = limits::BODIES_BYTES_MAX / 1024;
    let waves = [0; 3].map(|_| {
        many_bodies(server.address);
        server.answers();
        (server.most(), server.memory("VmRSS"))
    });
    println!("{before} KiB before; the most and the rest after each wave: {waves:?}");
    for (most, _) in waves {
        assert!(
            most < before + all + all / 2,
            "{before} KiB, then {waves:?}"
        );
    }
    // The system's allocator may keep what it was given back, for next time. It does not add up.
    let [(first, _), _, (_, last)] = waves;
    assert!(last < first + all / 8, "{before} KiB, then {waves:?}");
}

#[test]
fn heads_that_do_not_end_take_no_more_than_they_may() {
    const CONNECTIONS: usize = 500;
    let _alone = alone();
    let server = Served::start();
    for _ in 0..100 {
        server.answers();
    }
    let before = server.memory("VmRSS");
    let bound = before + CONNECTIONS * (2 * limits::HEAD_BYTES_MAX / 1024 + 16);
    for _ in 0..3 {
        let held: Vec<TcpStream> = (0..CONNECTIONS)
            .map(|_| {
                let stream = connect(server.address);
                let head = "POST / HTTP/1.1\r\nHost: localhost\r\nX: ";
                pour(&stream, head, 60_000, Framing::AsIs);
                stream
            })
            .collect();
        server.answers();
        drop(held);
        let most = server.most();
        assert!(most < bound, "{before} KiB, then {most}, at most {bound}");
    }
    server.answers();
}
