//! The attributes that only FIFO queues have.

use serde::{Deserialize, Serialize};
use sqs::{Error, QueueAttributeName};

use crate::errors;
use crate::queue::attributes::boolean;

/// Which of the two kinds a queue is; it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueKind {
    Standard,
    Fifo,
}

/// FIFO's own attributes, checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FifoAttributes {
    /// Whether the body's SHA-256 stands in for a deduplication id that is not given.
    pub(crate) content_based: bool,
    /// As it is shown. What counts is the scope that the queue was created with.
    pub(crate) scope: DeduplicationScope,
    pub(crate) throughput: ThroughputLimit,
}

/// A value of one of them, as a request gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FifoChange {
    ContentBased(bool),
    /// That the queue be a FIFO queue, which it is.
    Kind,
    Scope(DeduplicationScope),
    Throughput(ThroughputLimit),
}

/// Where a deduplication id counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DeduplicationScope {
    #[default]
    Queue,
    MessageGroup,
}

/// What AWS's quota is for. Nothing is throttled here: it is kept and shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ThroughputLimit {
    #[default]
    PerQueue,
    PerMessageGroupId,
}

impl FifoAttributes {
    /// Whether the attributes go together, which takes all of them to say.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.throughput == ThroughputLimit::PerMessageGroupId
            && self.scope == DeduplicationScope::Queue
        {
            return Err(errors::invalid_attribute_because(
                QueueAttributeName::FifoThroughputLimit.name(),
                "The perMessageGroupId value is allowed only when the value for \
                 DeduplicationScope is messageGroup",
            ));
        }
        Ok(())
    }

    /// All of them, as a listing shows them.
    pub(super) fn shown(&self) -> [(QueueAttributeName, String); 4] {
        use QueueAttributeName as Name;
        [
            (Name::FifoQueue, true.to_string()),
            (
                Name::ContentBasedDeduplication,
                self.content_based.to_string(),
            ),
            (Name::DeduplicationScope, self.scope.name().to_owned()),
            (Name::FifoThroughputLimit, self.throughput.name().to_owned()),
        ]
    }
}

impl FifoChange {
    pub(super) fn content_based(value: &str) -> Result<Self, Error> {
        boolean(QueueAttributeName::ContentBasedDeduplication, value).map(Self::ContentBased)
    }

    /// A FIFO queue is one for good.
    pub(super) fn kind(value: &str) -> Result<Self, Error> {
        let name = QueueAttributeName::FifoQueue;
        if boolean(name, value)? {
            return Ok(Self::Kind);
        }
        let reason = "Modifying queue type is not supported.";
        Err(errors::invalid_attribute_because(name.name(), reason))
    }

    pub(super) fn scope(value: &str) -> Result<Self, Error> {
        DeduplicationScope::parse(value).map(Self::Scope)
    }

    pub(super) fn throughput(value: &str) -> Result<Self, Error> {
        ThroughputLimit::parse(value).map(Self::Throughput)
    }

    pub(super) fn apply(self, attributes: &mut FifoAttributes) {
        match self {
            Self::ContentBased(given) => attributes.content_based = given,
            Self::Kind => {}
            Self::Scope(given) => attributes.scope = given,
            Self::Throughput(given) => attributes.throughput = given,
        }
    }

    /// The attribute, if its value would change.
    pub(super) fn difference(self, now: &FifoAttributes) -> Option<QueueAttributeName> {
        use QueueAttributeName as Name;
        let (name, same) = match self {
            Self::ContentBased(given) => {
                (Name::ContentBasedDeduplication, now.content_based == given)
            }
            Self::Kind => return None,
            Self::Scope(given) => (Name::DeduplicationScope, now.scope == given),
            Self::Throughput(given) => (Name::FifoThroughputLimit, now.throughput == given),
        };
        (!same).then_some(name)
    }
}

impl DeduplicationScope {
    fn parse(value: &str) -> Result<Self, Error> {
        [Self::Queue, Self::MessageGroup]
            .into_iter()
            .find(|scope| scope.name() == value)
            .ok_or_else(|| errors::invalid_attribute(QueueAttributeName::DeduplicationScope.name()))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::MessageGroup => "messageGroup",
        }
    }
}

impl ThroughputLimit {
    fn parse(value: &str) -> Result<Self, Error> {
        [Self::PerQueue, Self::PerMessageGroupId]
            .into_iter()
            .find(|limit| limit.name() == value)
            .ok_or_else(|| {
                errors::invalid_attribute(QueueAttributeName::FifoThroughputLimit.name())
            })
    }

    fn name(self) -> &'static str {
        match self {
            Self::PerQueue => "perQueue",
            Self::PerMessageGroupId => "perMessageGroupId",
        }
    }
}
