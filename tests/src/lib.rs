//! End-to-end tests of the workspace: real clients over real sockets, and the layering.
//!
//! The tests are in `tests/`; what they share is here:
//!
//! * [`sdk`] makes Amazon's own client for a server under test,
//! * [`raw`] signs and sends single requests, and lets a test spoil them in between,
//! * [`wire`] has the same calls made in the JSON protocol and in the Query protocol,
//! * [`stub`] answers without doing anything, for tests of what a client costs,
//! * [`bound`] ends every wait,
//! * [`clock`] is the one file of this package that reads the time,
//! * [`load`] puts load on a service, measures it and checks what comes back (the program `load`),
//! * [`layering`] says which crate may use what, and finds what breaks that.
//!
//! What only other languages can show is in `python/` (boto3), `cli/` (the AWS CLI) and `js/` (Amazon's
//! SDK for JavaScript).

pub mod bound;
pub mod clock;
pub mod layering;
pub mod load;
pub mod raw;
pub mod sdk;
pub mod stub;
pub mod wire;

/// README's Rust examples run as tests of this package.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
