//! The attributes of a queue that the runs change.

use super::Rng;

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
