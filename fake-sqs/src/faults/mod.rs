//! Faults on purpose: what AWS does seldom, and a client must live with.
//!
//! | file | what |
//! |---|---|
//! | `spec` | a fault as it is written in JSON and TOML |
//! | `fault` | the same for tests in Rust, as a builder |
//! | `rule` | what it means, checked |
//! | `selector` | which calls and messages it is for |
//! | `book` | the faults that there are, and how often each happened |
//! | `visit` | which of them a call meets |
//! | `passage` | a call on its way through them |
//! | `guard` | the faults of a test, which go when it ends |
//! | `slow`, `texts` | a body that comes slowly; what SQS usually says with each error |

mod book;
mod fault;
mod guard;
mod passage;
mod rule;
mod selector;
mod slow;
mod spec;
#[cfg(test)]
mod tests;
mod texts;
mod visit;

pub(crate) use self::book::{FaultId, Faults, Listed};
pub use self::fault::Fault;
pub use self::guard::FaultGuard;
pub(crate) use self::passage::Passage;
pub use self::rule::FaultError;
pub(crate) use self::rule::Rule;
pub(crate) use self::spec::FaultSpec;
