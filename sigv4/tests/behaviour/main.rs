//! The crate from outside: what is signed verifies, what counts and what does not, and that no
//! input makes it panic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod chunked;
mod equivalents;
mod events;
mod holes;
mod hostile;
mod properties;
mod reports;
mod sample;
mod traps;
mod wire;
