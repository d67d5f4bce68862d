//! The load tool: it puts signed requests on an SQS, measures it, and checks what comes back.
//!
//! [`plain`] is one mix against one service, [`compare`] the table of what fake-sqs must reach. A run is a
//! [`crew`] of [`worker`]s, one for each connection, which do the steps of a [`mix`]; the [`ledger`] knows what was
//! sent and what came. The [`floor`] is what all is measured beside.

pub mod arguments;
pub mod children;
pub mod compare;
pub mod content;
pub mod crew;
pub mod floor;
pub mod histogram;
pub mod ledger;
pub mod line;
pub mod mix;
pub mod plain;
pub mod processor;
pub mod program;
pub mod report;
pub mod sample;
pub mod session;
mod signals;
pub mod tally;
pub mod target;
pub mod wire;
pub mod worker;
