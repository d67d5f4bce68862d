//! What a call is told to do otherwise than SQS usually does.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sqs::BatchResultErrorEntry;

/// Faults that happen inside one call, for tests of clients that must live with them.
///
/// Each is something that AWS's distributed service does now and then and an exact fake never would.
/// They travel in the [`Context`](crate::Context) of the call, so that a history that is run again
/// has them too. By default there are none.
///
/// What does not apply to a call is ignored.
///
/// # Example
///
/// ```
/// use sqs::{CreateQueueInput, ReceiveMessageInput, Response, SendMessageInput};
/// use sqs_engine::{Config, Context, Directives, Engine, Outcome, ReceiveFault, Timestamp};
///
/// let mut engine = Engine::new(Config::default());
/// let mut me = Context::new("000000000000", "test", "us-east-1", "http://127.0.0.1:9324");
/// let now = Timestamp::from_millis(0);
/// let _ = engine.handle(now, &me, CreateQueueInput::new("orders").into());
/// let _ = engine.handle(now, &me, SendMessageInput::new("orders", "hello").into());
///
/// me.directives = Directives::default().receiving(ReceiveFault::Empty);
/// let receive = ReceiveMessageInput::new("orders");
/// let Outcome::Done(Ok(Response::ReceiveMessage(answer))) = engine.handle(now, &me, receive.into())
/// else {
///     panic!("a short poll is answered at once");
/// };
/// assert!(answer.messages.is_empty(), "though there is a message");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Directives {
    /// `None` for nearly every call, which is to carry nothing for the sake of the others.
    given: Option<Box<Given>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Given {
    #[serde(skip_serializing_if = "Option::is_none")]
    receive: Option<ReceiveFault>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed_entries: Vec<BatchResultErrorEntry>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    expired_handles: BTreeSet<String>,
}

/// How a ReceiveMessage can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ReceiveFault {
    /// It gives nothing, at once, whatever there is and however long it would wait: as a short
    /// poll that asked the wrong ones of AWS's servers.
    Empty,
    /// A standard queue gives its messages in an order that follows from the seed, and the oldest
    /// not first if there are others. A receive that finds nothing and waits is told what comes in
    /// the usual order. A FIFO queue keeps its order.
    Shuffled {
        /// What the order follows from.
        seed: u64,
    },
}

impl Directives {
    /// With this fault for a ReceiveMessage.
    #[must_use]
    pub fn receiving(mut self, fault: ReceiveFault) -> Self {
        self.given.get_or_insert_default().receive = Some(fault);
        self
    }

    /// With one more entry of a batch that fails, told like this in the answer and without taking
    /// effect. An id that the batch does not have means nothing. A batch that is refused as a whole
    /// stays so.
    #[must_use]
    pub fn failing_entry(mut self, entry: BatchResultErrorEntry) -> Self {
        let given = self.given.get_or_insert_default();
        given.failed_entries.push(entry);
        self
    }

    /// With one more receipt handle that has expired though its time is not over, for
    /// DeleteMessage, ChangeMessageVisibility and their batches.
    ///
    /// The message becomes visible, if the handle's receive still held it. In a FIFO queue the call
    /// is then refused as AWS refuses an expired handle. In a standard queue it is answered as a
    /// success and has no effect, which AWS reserves the right to do with a handle that is not the
    /// message's latest.
    #[must_use]
    pub fn expiring(mut self, handle: impl Into<String>) -> Self {
        let given = self.given.get_or_insert_default();
        given.expired_handles.insert(handle.into());
        self
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given.is_none()
    }

    /// How an entry of a batch fails, if it does.
    pub(crate) fn failed_entry(&self, id: &str) -> Option<&BatchResultErrorEntry> {
        let mut entries = self.given.iter().flat_map(|given| &given.failed_entries);
        entries.find(|entry| entry.id == id)
    }

    /// Whether a receipt handle has expired before its time.
    pub(crate) fn expires(&self, handle: &str) -> bool {
        let given = self.given.as_ref();
        given.is_some_and(|given| given.expired_handles.contains(handle))
    }

    /// Whether a receive gives nothing.
    pub(crate) fn gives_nothing(&self) -> bool {
        self.receive() == Some(ReceiveFault::Empty)
    }

    /// What the order of a receive follows from, if it is not the usual one.
    pub(crate) fn shuffle(&self) -> Option<u64> {
        match self.receive() {
            Some(ReceiveFault::Shuffled { seed }) => Some(seed),
            Some(ReceiveFault::Empty) | None => None,
        }
    }

    fn receive(&self) -> Option<ReceiveFault> {
        self.given.as_ref()?.receive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Context};

    #[test]
    fn a_command_is_written_with_its_faults_and_without_if_there_are_none() {
        let mut context = Context::new("1", "k", "r", "u");
        let plain = serde_json::to_string(&context).expect("written");
        assert!(!plain.contains("directives"), "{plain}");
        for directives in [
            Directives::default().receiving(ReceiveFault::Empty),
            Directives::default().receiving(ReceiveFault::Shuffled { seed: u64::MAX }),
            Directives::default().expiring("AQEB"),
            Directives::default().failing_entry(BatchResultErrorEntry {
                id: "a".into(),
                sender_fault: true,
                code: "InvalidParameterValue".into(),
                message: None,
            }),
        ] {
            assert!(!directives.is_empty());
            context.directives = directives;
            let request = sqs::ReceiveMessageInput::new("q").into();
            let command = Command::Handle {
                context: context.clone(),
                request,
            };
            let written = serde_json::to_string(&command).expect("written");
            let read: Command = serde_json::from_str(&written).expect("read");
            assert_eq!(read, command);
        }
    }
}
