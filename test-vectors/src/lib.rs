//! AWS's published vectors, typed, and a conformance runner: signatures, and the JSON protocol.
//!
//! For signatures, two sources of cases, one type for both:
//!
//! - AWS's own suite, which travels inside the crates.io package `aws-sigv4`. [`suite::locate`] finds
//!   that package's folder through `cargo metadata`, [`suite::load`] reads it. Nothing is copied here.
//!   Its v4a cases, signed by SigV4a, are read by [`suite::load_v4a`].
//! - Vectors of this repository, in `test-vectors/vectors/sigv4`, read by [`vectors::load`]: examples
//!   that AWS publishes in its documentation, and SQS requests signed by botocore.
//!
//! [`run::run`] takes cases through an implementation, a [`run::Subject`], and returns a
//! [`report::Report`]: each case signed and verified, in header form and in query form, every stage
//! compared. `cargo run -p test-vectors` is that over [`subject::Sigv4`].
//!
//! [`signer::run`] asks a program of somebody else's instead, a line for each case: `--signer`.
//!
//! For the protocol, Smithy's cases: those in botocore's source package, which [`botocore`] finds where a script
//! has put them, and the few others written here. [`json::run`] takes them through the client and the codec of
//! `aws-json`.
//!
//! [`outside`] has what a client finds outside its code: AWS's cases of endpoints, in botocore's package too, and
//! of the shared files, in the crates.io package `aws-runtime`.
//!
//! # Example
//!
//! ```
//! use test_vectors::{report::Report, run, subject::Sigv4, vectors};
//!
//! let cases = vectors::load(&vectors::folder())?;
//! let report: Report = run::run(&Sigv4, &cases);
//! assert_eq!(report.failed(), 0, "{report}");
//! # Ok::<(), test_vectors::LoadError>(())
//! ```

pub mod alter;
pub mod botocore;
pub mod case;
pub mod diff;
mod error;
pub mod json;
pub mod message;
pub mod outside;
pub mod package;
pub mod report;
pub mod run;
pub mod signer;
pub mod subject;
pub mod suite;
mod timestamp;
pub mod vectors;

pub use error::LoadError;
