//! Where the history of an engine is written down, if it is.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use sqs_engine::{Command, Config, Effect, Engine, Timestamp, WaiterId};

use crate::clock::ClockSetting;
use crate::driver::Answer;

/// Writes down what happens to an engine, so that it can happen again.
///
/// The methods besides [`kept`](Self::kept) and [`attach`](Self::attach) are called by the driver,
/// in the order in which things happen, while it holds its lock: they take notes and leave the
/// writing to somebody else.
pub(crate) trait Recorder: Send + Sync {
    /// Whether something may happen now. If not, it must not.
    fn check(&self, access: Access) -> Result<(), NotKept>;

    /// A command is about to be performed.
    fn command(&self, now: Timestamp, command: &Command);

    /// What came of that command.
    fn effect(&self, effect: &Effect);

    /// A poll that waited has been answered, because of the last command or because of time.
    fn answered(&self, waiter: WaiterId, answer: &Answer);

    /// The last command, or time until `now`, has done all that it does.
    fn settled(&self, now: Timestamp);

    /// The clock was frozen, resumed or moved.
    fn clock(&self, now: Timestamp, setting: ClockSetting);

    /// Everything was forgotten; an engine with this configuration begins.
    fn reset(&self, config: Config);

    /// How far the notes go by now. Later marks are not less than earlier ones.
    fn mark(&self) -> Mark;

    /// Waits until everything up to the mark is where a crash does not reach it. Called without any
    /// lock, before an answer that rests on it goes out.
    fn kept(&self, mark: Mark) -> Pin<Box<dyn Future<Output = Result<(), NotKept>> + Send + '_>>;

    /// Begins to write: this is what the notes are about.
    fn attach(&self, subject: Arc<dyn Subject>);
}

/// The engine that a [`Recorder`] takes notes of, with its clock.
pub(crate) trait Subject: Send + Sync {
    /// Shows them. Nothing happens to them meanwhile.
    fn look(&self, look: &mut dyn FnMut(&Engine, ClockSetting));

    /// Puts others in their place, since what had happened to them could not be kept. The polls that
    /// wait are told so.
    fn replace(&self, reason: &NotKept, make: &mut dyn FnMut() -> (Engine, ClockSetting));
}

/// What is to happen to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It is looked at.
    Look,
    /// It may change.
    Change,
}

/// A place in the notes of a [`Recorder`]. The first is always kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(pub(crate) u64);

/// What happened could not be written down, so nobody may be told that it did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state cannot be kept: {0}")]
pub(crate) struct NotKept(pub(crate) String);
