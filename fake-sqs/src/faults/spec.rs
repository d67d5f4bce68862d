//! A fault as it is written: in JSON, in the configuration file, and under the builder.

use serde::{Deserialize, Serialize};

/// A fault as somebody wrote it. [`Rule`](super::rule::Rule) is what it means, if it means
/// something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultSpec {
    /// The operation; `None` for all that the kind is for. Likewise below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<String>,
    /// The queue's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) queue: Option<String>,
    /// The account of the queue, or of the caller where the call names no queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) account: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<String>,
    /// The message group that a message must belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    /// What else a message must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<MessageSpec>,
    /// How many calls it hits before it is spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) times: Option<u64>,
    /// Which share of the calls it hits, above 0 and up to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) share: Option<f64>,
    pub(crate) fault: KindSpec,
}

/// Which messages are meant. What is given must all hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// A part of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attribute: Option<AttributeSpec>,
}

/// A message attribute that must be there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeSpec {
    pub(crate) name: String,
    /// Its `StringValue`; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "an object with its kind, like {\"kind\":\"throttle\"},"
)]
pub(crate) enum KindSpec {
    Error {
        code: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    Throttle {},
    Delay {
        seconds: f64,
    },
    Close {
        when: CloseWhen,
    },
    EmptyReceive {},
    Duplicate {},
    Shuffle {},
    BatchPartial {
        /// Which share of the entries fails.
        #[serde(default = "half")]
        share: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    ExpireHandle {},
    SlowBody {
        seconds: f64,
    },
}

/// When a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CloseWhen {
    /// Before the call took effect.
    Before,
    /// After it did: its answer is lost.
    After,
}

impl FaultSpec {
    /// This kind of fault for every call that it can happen to.
    pub(crate) fn new(fault: KindSpec) -> Self {
        Self {
            action: None,
            queue: None,
            account: None,
            region: None,
            group: None,
            message: None,
            times: None,
            share: None,
            fault,
        }
    }
}

impl KindSpec {
    /// The name that it has in JSON.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Error { .. } => "error",
            Self::Throttle {} => "throttle",
            Self::Delay { .. } => "delay",
            Self::Close { .. } => "close",
            Self::EmptyReceive {} => "empty_receive",
            Self::Duplicate {} => "duplicate",
            Self::Shuffle {} => "shuffle",
            Self::BatchPartial { .. } => "batch_partial",
            Self::ExpireHandle {} => "expire_handle",
            Self::SlowBody { .. } => "slow_body",
        }
    }
}

fn half() -> f64 {
    0.5
}
