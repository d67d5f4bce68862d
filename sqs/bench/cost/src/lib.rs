//! What a call of SQS costs with this client and with Amazon's.
//!
//! `cargo bench --manifest-path sqs/bench/Cargo.toml` runs it and prints the table.

pub mod bare;
pub mod clock;
pub mod ours;
pub mod programs;
#[path = "../../../../tests/src/stub.rs"]
pub mod stub;
pub mod theirs;
