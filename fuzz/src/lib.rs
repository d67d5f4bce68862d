//! What each fuzz target does with its bytes. `run` drives them; `cargo test` takes every file of
//! `corpus/` through its target.
//!
//! A target asserts more than that nothing panics: what is read is written back as it was, what is
//! signed verifies, and without the secret nothing ever does.

mod engine;
mod json;
mod older;
mod path;
mod read;
mod signed;
mod streams;
mod v4a;
mod wire;

/// The random runs of `sqs-engine` and their references, from its tests: what each file is for is said
/// there. Some of what they have is for those tests alone.
#[allow(dead_code)]
#[path = "../../sqs-engine/tests/random"]
mod random {
    pub(crate) mod fifo {
        pub(crate) mod commands;
        pub(crate) mod driver;
        pub(crate) mod reference;
    }
    pub(crate) mod redrive {
        pub(crate) mod commands;
        pub(crate) mod driver;
        pub(crate) mod reference;
    }
    pub(crate) mod replay;
    pub(crate) mod rig;
    pub(crate) mod standard {
        pub(crate) mod commands;
        pub(crate) mod driver;
        pub(crate) mod fairness;
        pub(crate) mod reference;
    }
}
use random::{fifo, redrive, replay, rig, standard};

pub use engine::{engine, model};
pub use json::json;
pub use older::{form, xml};
pub use path::path;
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
    ("engine", engine),
    ("events", events),
    ("form", form),
    ("json", json),
    ("model", model),
    ("path", path),
    ("query", query),
    ("request", request),
    ("round_trip", round_trip),
    ("v4a", v4a),
    ("xml", xml),
];
