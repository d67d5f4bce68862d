//! What a receipt handle says.

use super::Inspect;
use crate::id::MessageId;
use crate::time::Timestamp;

impl Inspect<'_> {
    /// What a receipt handle stands for, also when its message or its queue is gone. `None` if it
    /// is not one of this engine's.
    ///
    /// # Example
    ///
    /// ```
    /// use sqs::{CreateQueueInput, ReceiveMessageInput, Request, Response, SendMessageInput};
    /// use sqs_engine::{Config, Context, Engine, Outcome, Timestamp};
    ///
    /// let mut engine = Engine::new(Config::default());
    /// let me = Context::new("000000000000", "test", "us-east-1", "http://127.0.0.1:9324");
    /// let at = Timestamp::from_millis;
    /// let _ = engine.handle(at(0), &me, Request::CreateQueue(CreateQueueInput::new("orders")));
    /// let _ = engine.handle(at(0), &me, Request::SendMessage(SendMessageInput::new("orders", "hello")));
    /// let receive = Request::ReceiveMessage(ReceiveMessageInput::new("orders"));
    /// let Outcome::Done(Ok(Response::ReceiveMessage(received))) = engine.handle(at(5), &me, receive)
    /// else {
    ///     panic!("a message is there");
    /// };
    /// let message = &received.messages[0];
    /// let handle = message.receipt_handle.as_deref().unwrap_or_default();
    ///
    /// let receipt = engine.inspect().receipt(handle).expect("it was given just now");
    /// assert_eq!(Some(receipt.message().to_string()), message.message_id);
    /// assert_eq!(receipt.received_at(), at(5));
    /// assert!(receipt.holds());
    ///
    /// // The visibility timeout is 30 seconds.
    /// engine.advance(at(30_005));
    /// assert!(!engine.inspect().receipt(handle).expect("it stays readable").holds());
    /// assert!(engine.inspect().receipt("AQEB").is_none());
    /// ```
    #[must_use]
    pub fn receipt(&self, handle: &str) -> Option<ReceiptView> {
        let (receipt, message) = self.engine.ids.receipt_of(handle)?;
        let queue = self.engine.queue(receipt.queue).ok();
        let held = queue.and_then(|queue| queue.messages.get(receipt.message));
        Some(ReceiptView {
            message,
            received_at: receipt.received_at,
            holds: held.is_some_and(|message| message.is_held_by(&receipt)),
        })
    }
}

/// A view of a receipt handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptView {
    message: MessageId,
    received_at: Timestamp,
    holds: bool,
}

impl ReceiptView {
    /// The message that was received with it.
    #[must_use]
    pub fn message(&self) -> MessageId {
        self.message
    }

    /// When that was.
    #[must_use]
    pub fn received_at(&self) -> Timestamp {
        self.received_at
    }

    /// Whether that receive still holds the message: its visibility timeout is not over, nobody
    /// received the message since, and it was not deleted.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.holds
    }
}
