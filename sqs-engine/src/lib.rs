//! Amazon SQS's behaviour as a pure, deterministic state machine.
//!
//! No clock is read, nothing is sent or stored anywhere, nothing is random: commands and the time
//! come in, answers come out, and the same commands at the same times with the same seed give the
//! same answers, byte for byte. So a twelve-hour timeout is tested in microseconds, and a history
//! can be run again.
//!
//! * [`Engine`] takes calls and time; [`Outcome`] is what comes of a call.
//! * [`Command`] is whatever changes an engine, as a value to be kept and done again.
//! * [`Context`] says who calls; [`Config`] what the engine is made with.
//! * [`Directives`] are faults that a call is to have.
//! * [`inspect`] shows what is inside without changing it.
//!
//! The operations themselves have no API of their own here: they are [`sqs::Request`] in and
//! [`sqs::Response`] out, refused with [`sqs::Error`].
//!
//! # Where things are
//!
//! | module | what |
//! |---|---|
//! | `engine` | time, deadlines, who waits |
//! | `command` | what changes an engine, as a value |
//! | `directives` | what a call is told to do otherwise than usual |
//! | `ops/<family>` | what each operation does; twin of `sqs::shapes::<family>`, where it says what each takes |
//! | `queue` | a queue, its attributes, its messages and the order in which they are offered |
//! | `access` | which queue a URL means, and whether the caller may use it |
//! | `policy` | what a queue's policy says, and how permissions are added to it |
//! | `directory` | names, by account and region |
//! | `waiters` | long polls |
//! | `tasks` | message move tasks |
//! | `id`, `digest`, `time` | ids and receipt handles, packed attributes, points in time |

mod access;
mod checks;
mod command;
mod digest;
mod directives;
mod directory;
mod engine;
mod errors;
mod id;
pub mod inspect;
mod ops;
mod policy;
mod queue;
mod snapshot;
mod sources;
mod tasks;
mod time;
mod waiters;

pub use command::{Command, ControlAction, Effect, Missing, QueueAddress};
pub use directives::{Directives, ReceiveFault};
pub use engine::{Config, Context, Engine, InFlightLimits, Outcome, Rules};
pub use id::{MessageId, MessageIdError};
pub use queue::message::MessageState;
pub use queue::messages::Counts;
pub use snapshot::{Restore, RestoreError};
pub use time::Timestamp;
pub use waiters::{Completed, WaiterId};
