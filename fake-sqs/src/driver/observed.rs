//! What can be told of a call besides its answer.

use std::time::Duration;

use sqs::{Request, Response};
use sqs_engine::Timestamp;
use sqs_engine::inspect::ReceiptView;

use super::{Answer, Driver, State};

/// A call that the engine has taken up. A long poll may go on waiting after that.
#[derive(Debug)]
pub(crate) struct TakenUp {
    /// The queues' time then.
    pub(crate) at: Timestamp,
    /// How long it took, with the wait for other calls.
    pub(crate) took: Duration,
    /// What the receipt handles stood for that the call named, before it was performed.
    pub(crate) receipts: Vec<Option<ReceiptView>>,
}

/// A call that is done.
#[derive(Debug)]
pub(crate) struct Performed {
    pub(crate) answer: Answer,
    /// The queues' time of the answer.
    pub(crate) at: Timestamp,
}

impl State {
    /// What the handles stand for that a request names, at this time.
    pub(super) fn receipts(
        &mut self,
        request: &Request,
        now: Timestamp,
    ) -> Vec<Option<ReceiptView>> {
        let handles = handles(request);
        if handles.is_empty() {
            return Vec::new();
        }
        self.engine.advance(now);
        let inspect = self.engine.inspect();
        let read = |handle: Option<&str>| inspect.receipt(handle?);
        handles.into_iter().map(read).collect()
    }
}

impl Driver {
    /// When the answer to a long poll was made. Its messages tell, since the clock may have been moved
    /// on since they were given.
    pub(super) fn answered_at(&self, answer: &Answer) -> Timestamp {
        let mut state = self.lock();
        let handle = match answer {
            Ok(Response::ReceiveMessage(output)) => output.messages.first(),
            Ok(_) | Err(_) => None,
        };
        let handle = handle.and_then(|message| message.receipt_handle.as_deref());
        let receipt = handle.and_then(|handle| state.engine.inspect().receipt(handle));
        receipt.map_or_else(|| state.clock.now(), |receipt| receipt.received_at())
    }
}

/// The receipt handles that a request names, in their order.
fn handles(request: &Request) -> Vec<Option<&str>> {
    match request {
        Request::DeleteMessage(input) => vec![input.receipt_handle.as_deref()],
        Request::ChangeMessageVisibility(input) => vec![input.receipt_handle.as_deref()],
        Request::DeleteMessageBatch(input) => {
            let entries = input.entries.iter().flatten();
            entries
                .map(|entry| entry.receipt_handle.as_deref())
                .take(ENTRIES_MAX)
                .collect()
        }
        Request::ChangeMessageVisibilityBatch(input) => {
            let entries = input.entries.iter().flatten();
            entries
                .map(|entry| entry.receipt_handle.as_deref())
                .take(ENTRIES_MAX)
                .collect()
        }
        // No other request names one.
        _ => Vec::new(),
    }
}

/// A batch that is accepted has 10 entries at most; of a longer one nothing is done.
const ENTRIES_MAX: usize = 10;
