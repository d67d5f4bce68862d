//! The vectors, the runner that takes `sigv4` through them, and that the runner fails what is wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod asymmetric;
mod kinds;
mod loading;
mod outside;
mod runner;
mod signer;
mod support;
