//! What each fuzz target does with its bytes. `run` drives them; `cargo test` takes every file of
//! `corpus/` through its target.
//!
//! A target asserts more than that nothing panics: what is read is written back as it was, what is
//! signed verifies, and without the secret nothing ever does.

mod json;
mod older;
mod read;
mod signed;
mod streams;
mod v4a;
mod wire;

pub use json::json;
pub use older::{form, xml};
pub use read::{authorization, dates, query, request};
pub use signed::round_trip;
pub use streams::{chunked, events};
pub use v4a::v4a;

/// A target: its name, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("authorization", authorization),
    ("chunked", chunked),
    ("dates", dates),
    ("events", events),
    ("form", form),
    ("json", json),
    ("query", query),
    ("request", request),
    ("round_trip", round_trip),
    ("v4a", v4a),
    ("xml", xml),
];
