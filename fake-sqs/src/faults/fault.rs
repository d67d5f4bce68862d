//! Faults as a test writes them in Rust.

use std::time::Duration;

use sqs::Operation;

use super::rule::{FaultError, Rule};
use super::spec::{AttributeSpec, CloseWhen, FaultSpec, KindSpec};
use crate::AccountId;

/// Something that is to go wrong, and at which calls.
///
/// It happens at every call that it can happen to, unless it is narrowed: to an operation, a queue,
/// an account, a region, a message group or certain messages; to the next few calls
/// ([`times`](Self::times)), or to a [`share`](Self::share) of them.
///
/// A call may be hit by several faults. Delays add up. Of those that end a call (an error, throttling,
/// a connection closed before) the one that was made first does; of the others each kind happens
/// once. A call whose signature does not hold is refused as ever, and hit by none.
///
/// Given to [`FakeSqs::fault`](crate::FakeSqs::fault), or to
/// [`Builder::fault`](crate::Builder::fault) for a server that begins with it.
///
/// # Example
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fake_sqs::{FakeSqs, Fault, Operation};
/// use sqs::{Client, CreateQueueInput, ErrorCode};
///
/// let server = FakeSqs::start().await;
/// let transport = Client::builder()
///     .endpoint(server.endpoint_url())
///     .region(server.region())
///     .credentials(server.credentials())
///     .build()?;
/// let client = Client::new(transport);
///
/// let denied = server.fault(Fault::error("AccessDenied").on(Operation::CreateQueue).times(1));
/// let refused = client.create_queue(CreateQueueInput::new("orders")).await;
/// let code = refused.err().and_then(|error| ErrorCode::of(&error));
/// assert_eq!(code, Some(ErrorCode::AccessDeniedException));
/// assert_eq!(denied.hits(), 1);
///
/// // Once is what was asked for.
/// assert!(client.create_queue(CreateQueueInput::new("orders")).await.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a fault happens when it is given to a server"]
pub struct Fault {
    spec: FaultSpec,
    /// A part that this kind does not have.
    misplaced: Option<&'static str>,
}

impl From<FaultSpec> for Fault {
    fn from(spec: FaultSpec) -> Self {
        let misplaced = None;
        Self { spec, misplaced }
    }
}

impl Fault {
    /// The call is refused with this error, and has no effect. `code` is any error of SQS's, by its
    /// shape (`QueueDoesNotExist`) or by its query code (`AWS.SimpleQueueService.NonExistentQueue`).
    /// Its text is the one that SQS usually has, unless [`saying`](Self::saying) gives another.
    pub fn error(code: impl Into<String>) -> Self {
        Self::of(KindSpec::Error {
            code: code.into(),
            message: None,
        })
    }

    /// The call is refused as SQS refuses one too many: RequestThrottled, with status 403. AWS's
    /// SDKs wait and try again.
    pub fn throttle() -> Self {
        Self::of(KindSpec::Throttle {})
    }

    /// The call takes effect, and is answered, so much later: in real time, whatever the queues'
    /// clock does, and up to [`FAULT_TIME_MAX`](crate::limits::FAULT_TIME_MAX). A client that hangs
    /// up meanwhile has not called.
    pub fn delay(by: Duration) -> Self {
        Self::of(KindSpec::Delay {
            seconds: by.as_secs_f64(),
        })
    }

    /// The connection is closed without an answer, before the call took effect.
    pub fn close_before() -> Self {
        Self::of(KindSpec::Close {
            when: CloseWhen::Before,
        })
    }

    /// The lost reply: the call takes effect, and then the connection is closed without an answer.
    pub fn close_after() -> Self {
        Self::of(KindSpec::Close {
            when: CloseWhen::After,
        })
    }

    /// A ReceiveMessage gives nothing, at once, whatever there is and however long it would wait:
    /// as a short poll that asked the wrong ones of AWS's servers.
    pub fn empty_receive() -> Self {
        Self::of(KindSpec::EmptyReceive {})
    }

    /// What a ReceiveMessage of a standard queue gives stays visible, so that it is given again:
    /// at-least-once delivery. Receives that give nothing are not counted.
    pub fn duplicate() -> Self {
        Self::of(KindSpec::Duplicate {})
    }

    /// A ReceiveMessage of a standard queue gives messages in an order that follows from the
    /// server's seed, and never the oldest first. Only receives that find two messages or more are
    /// counted.
    pub fn shuffle() -> Self {
        Self::of(KindSpec::Shuffle {})
    }

    /// This share of a batch's entries fails, at least one and drawn by the server's seed, without
    /// taking effect: with the code `InternalError` and as the service's fault, unless
    /// [`code`](Self::code) says otherwise. Narrowed to a group or to messages, it is a share of
    /// those entries.
    pub fn batch_partial(share: f64) -> Self {
        Self::of(KindSpec::BatchPartial {
            share,
            code: None,
            message: None,
        })
    }

    /// The receipt handles given to DeleteMessage or ChangeMessageVisibility, or to their batches,
    /// have expired: the messages become visible. A FIFO queue refuses the call; a standard queue
    /// answers that it went well, and nothing else happens.
    pub fn expire_handle() -> Self {
        Self::of(KindSpec::ExpireHandle {})
    }

    /// The body of the answer comes in small pieces over this time, up to
    /// [`FAULT_TIME_MAX`](crate::limits::FAULT_TIME_MAX). An answer without a body comes whole, at
    /// the end of it.
    pub fn slow_body(over: Duration) -> Self {
        Self::of(KindSpec::SlowBody {
            seconds: over.as_secs_f64(),
        })
    }

    fn of(kind: KindSpec) -> Self {
        Self {
            spec: FaultSpec::new(kind),
            misplaced: None,
        }
    }

    /// Only at calls of this operation.
    pub fn on(mut self, operation: Operation) -> Self {
        self.spec.action = Some(operation.name().to_owned());
        self
    }

    /// Only at calls about the queue of this name, whether it exists or not.
    pub fn queue(mut self, name: impl Into<String>) -> Self {
        self.spec.queue = Some(name.into());
        self
    }

    /// Only at calls about this account's queues, and at this account's calls about no queue.
    pub fn account(mut self, account: AccountId) -> Self {
        self.spec.account = Some(account.to_string());
        self
    }

    /// Only in this region.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.spec.region = Some(region.into());
        self
    }

    /// Only at messages of this group.
    ///
    /// What is narrowed to messages, by this or by one of the next four, happens at sends of such
    /// messages, at deletions and changes of visibility of such, and at receives that give one. What
    /// a receive will give is not known before, so what happens before it cannot be narrowed so.
    pub fn group(mut self, id: impl Into<String>) -> Self {
        self.spec.group = Some(id.into());
        self
    }

    /// Only at the message with this id.
    pub fn message_id(mut self, id: impl Into<String>) -> Self {
        self.spec.message.get_or_insert_default().id = Some(id.into());
        self
    }

    /// Only at messages in whose body this stands.
    pub fn body_containing(mut self, text: impl Into<String>) -> Self {
        self.spec.message.get_or_insert_default().body = Some(text.into());
        self
    }

    /// Only at messages that have this message attribute.
    pub fn attribute(mut self, name: impl Into<String>) -> Self {
        self.spec.message.get_or_insert_default().attribute = Some(AttributeSpec {
            name: name.into(),
            value: None,
        });
        self
    }

    /// Only at messages that have this message attribute with this value.
    pub fn attribute_value(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.spec.message.get_or_insert_default().attribute = Some(AttributeSpec {
            name: name.into(),
            value: Some(value.into()),
        });
        self
    }

    /// Only at the next `calls` calls, of those that it fits.
    pub fn times(mut self, calls: u64) -> Self {
        self.spec.times = Some(calls);
        self
    }

    /// Only at this share of the calls that it fits, above 0 and up to 1. Which ones follows from
    /// the server's seed. Together with [`times`](Self::times) it goes on until it has hit so many.
    pub fn share(mut self, share: f64) -> Self {
        self.spec.share = Some(share);
        self
    }

    /// What the error says: for [`error`](Self::error) and [`batch_partial`](Self::batch_partial).
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        match &mut self.spec.fault {
            KindSpec::Error { message, .. } | KindSpec::BatchPartial { message, .. } => {
                *message = Some(text.into());
            }
            KindSpec::Throttle {}
            | KindSpec::Delay { .. }
            | KindSpec::Close { .. }
            | KindSpec::EmptyReceive {}
            | KindSpec::Duplicate {}
            | KindSpec::Shuffle {}
            | KindSpec::ExpireHandle {}
            | KindSpec::SlowBody { .. } => self.misplaced = Some("message"),
        }
        self
    }

    /// With which error the entries fail: for [`batch_partial`](Self::batch_partial).
    pub fn code(mut self, given: impl Into<String>) -> Self {
        match &mut self.spec.fault {
            KindSpec::BatchPartial { code, .. } => *code = Some(given.into()),
            KindSpec::Error { code, .. } => *code = given.into(),
            KindSpec::Throttle {}
            | KindSpec::Delay { .. }
            | KindSpec::Close { .. }
            | KindSpec::EmptyReceive {}
            | KindSpec::Duplicate {}
            | KindSpec::Shuffle {}
            | KindSpec::ExpireHandle {}
            | KindSpec::SlowBody { .. } => self.misplaced = Some("code"),
        }
        self
    }

    /// What it means.
    pub(crate) fn rule(self) -> Result<Rule, FaultError> {
        match self.misplaced {
            Some(part) => Err(FaultError::misplaced(part, self.spec.fault.name())),
            None => Rule::new(self.spec),
        }
    }
}
