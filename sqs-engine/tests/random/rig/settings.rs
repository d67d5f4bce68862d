//! The attributes of a queue that the runs change.

use super::{Rng, SECOND};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    Delay,
    Retention,
    Visibility,
    Wait,
}

/// Whether messages may expire in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retention {
    Changes,
    Stays,
}

impl Attribute {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Delay => "DelaySeconds",
            Self::Retention => "MessageRetentionPeriod",
            Self::Visibility => "VisibilityTimeout",
            Self::Wait => "ReceiveMessageWaitTimeSeconds",
        }
    }

    /// An attribute and its seconds, delays from among those given.
    pub(crate) fn pick(rng: &mut Rng, delays: &[i32], retention: Retention) -> (Self, i32) {
        match rng.below(4) {
            0 => (Self::Delay, rng.pick(delays)),
            1 => (Self::Visibility, rng.pick(&[0, 1, 5, 30])),
            2 => (Self::Wait, rng.pick(&[0, 0, 1, 5])),
            _ => match retention {
                Retention::Changes => (Self::Retention, rng.pick(&[60, 61, 120, 345_600])),
                Retention::Stays => (Self::Delay, 0),
            },
        }
    }
}

/// The attributes of a queue as a reference keeps them, in milliseconds.
pub(crate) struct Settings {
    pub(crate) delay: i64,
    pub(crate) retention: i64,
    pub(crate) visibility: i64,
    pub(crate) wait: i64,
}

impl Settings {
    pub(crate) fn set(&mut self, attribute: Attribute, value: i64) {
        match attribute {
            Attribute::Delay => self.delay = value,
            Attribute::Retention => self.retention = value,
            Attribute::Visibility => self.visibility = value,
            Attribute::Wait => self.wait = value,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            delay: 0,
            retention: 345_600 * SECOND,
            visibility: 30 * SECOND,
            wait: 0,
        }
    }
}
