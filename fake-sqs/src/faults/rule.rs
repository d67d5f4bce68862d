//! What a fault means: checked, and ready to be compared with calls.

use std::fmt;
use std::time::Duration;

use sqs::{Error, ErrorCode, Operation};

use super::selector::{MessageSelector, Selector, queue_less, takes_messages};
use super::spec::{CloseWhen, FaultSpec, KindSpec};
use super::texts;
use crate::config::nearest;
use crate::http::asked::{MESSAGE_CHARS_MAX, alike, one_line, shown};
use crate::http::limits::{FAULT_TEXT_BYTES_MAX, FAULT_TIME_MAX};

/// The code of an entry that fails for no reason of its own, as AWS writes it there.
const INTERNAL_ERROR: &str = "InternalError";

/// What AWS says with it.
const INTERNAL_ERROR_TEXT: &str = "We encountered an internal error. Please try again.";

/// Why there can be no such fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct FaultError {
    key: &'static str,
    reason: String,
}

impl FaultError {
    /// The part of the fault that is wrong, by its name in JSON: `fault.code`, `message.id`.
    #[must_use]
    pub fn key(&self) -> &str {
        self.key
    }

    fn new(key: &'static str, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { key, reason }
    }

    pub(super) fn misplaced(part: &str, kind: &str) -> Self {
        Self::new("fault", format!("the kind {kind} has no {part}"))
    }

    pub(crate) fn too_many(max: usize) -> Self {
        let reason = format!("there are {max} already; remove some with DELETE /_fake/faults");
        Self::new("faults", reason)
    }
}

/// A fault.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// As it was written.
    pub(super) spec: FaultSpec,
    pub(super) selector: Selector,
    pub(super) kind: Kind,
}

/// What happens.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Delay(Duration),
    Error(Error),
    CloseBefore,
    CloseAfter,
    SlowBody(Duration),
    EmptyReceive,
    Shuffle,
    Duplicate,
    ExpireHandle,
    BatchPartial(Partial),
}

/// How entries of a batch fail.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub(super) share: f64,
    pub(super) sender_fault: bool,
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Rule {
    /// Checks a fault.
    ///
    /// # Errors
    ///
    /// [`FaultError`] for a value that means nothing, and for parts that do not go together.
    pub(crate) fn new(spec: FaultSpec) -> Result<Self, FaultError> {
        if spec.times == Some(0) {
            let reason = "it would never happen; 1 is the least, and without it there is no end";
            return Err(FaultError::new("times", reason));
        }
        if let Some(given) = spec.share {
            share("share", given)?;
        }
        let kind = Kind::new(&spec.fault)?;
        let rule = Self {
            selector: selector(&spec)?,
            kind,
            spec,
        };
        rule.check_action()?;
        rule.check_messages()?;
        Ok(rule)
    }

    /// Whether the kind can happen to the operation, and to the queue.
    fn check_action(&self) -> Result<(), FaultError> {
        let name = self.spec.fault.name();
        if let (Some(action), Some(possible)) = (self.selector.action, self.kind.actions())
            && !possible.contains(&action)
        {
            let possible: Vec<_> = possible.iter().map(|action| action.name()).collect();
            let reason = format!(
                "{name} cannot happen to {action}, but to {}",
                list(&possible)
            );
            return Err(FaultError::new("action", reason));
        }
        if let Some(queue) = &self.selector.queue {
            if self.kind.is_for_standard_queues() && queue.ends_with(".fifo") {
                let reason = format!(
                    "{name} is for standard queues: a FIFO queue gives its messages once and in order"
                );
                return Err(FaultError::new("queue", reason));
            }
            if let Some(action) = self.selector.action
                && queue_less(action)
            {
                let reason = format!("{action} names no queue");
                return Err(FaultError::new("queue", reason));
            }
        }
        Ok(())
    }

    /// Whether the messages that are meant can be known in time.
    fn check_messages(&self) -> Result<(), FaultError> {
        let Some(messages) = &self.selector.messages else {
            return Ok(());
        };
        let key = if self.spec.message.is_some() {
            "message"
        } else {
            "group"
        };
        let name = self.spec.fault.name();
        match (&self.kind, self.selector.action) {
            (Kind::EmptyReceive | Kind::Shuffle, _) => {
                let reason = format!(
                    "{name} cannot be narrowed to messages: it happens before it is known which \
                     ones the receive would give"
                );
                Err(FaultError::new(key, reason))
            }
            (
                Kind::Delay(_) | Kind::Error(_) | Kind::CloseBefore,
                Some(Operation::ReceiveMessage),
            ) => {
                let reason = format!(
                    "{name} happens before it is known which messages the receive gives; what can \
                     be narrowed to them is close with \"when\":\"after\", duplicate and slow_body"
                );
                Err(FaultError::new(key, reason))
            }
            (_, Some(action)) if !takes_messages(action) => {
                let reason = format!("{action} is about no message");
                Err(FaultError::new(key, reason))
            }
            (_, Some(Operation::SendMessage | Operation::SendMessageBatch))
                if messages.id.is_some() =>
            {
                let reason = "a message has no id before it is sent; choose it by its body";
                Err(FaultError::new("message.id", reason))
            }
            _ => Ok(()),
        }
    }
}

/// As it was written, for the log: on one line, and cut where it is long.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = serde_json::to_string(&self.spec).map_err(|_| fmt::Error)?;
        f.write_str(&one_line(&written, MESSAGE_CHARS_MAX))
    }
}

impl Kind {
    fn new(spec: &KindSpec) -> Result<Self, FaultError> {
        Ok(match spec {
            KindSpec::Error { code, message } => {
                let code = error_code(code)?;
                let message = text("fault.message", message.as_deref())?;
                Self::Error(Error::new(code, message.unwrap_or(texts::usual(code))))
            }
            KindSpec::Throttle {} => {
                let code = ErrorCode::RequestThrottled;
                Self::Error(Error::new(code, texts::usual(code)))
            }
            KindSpec::Delay { seconds: by } => Self::Delay(seconds(*by)?),
            KindSpec::Close { when } => match when {
                CloseWhen::Before => Self::CloseBefore,
                CloseWhen::After => Self::CloseAfter,
            },
            KindSpec::EmptyReceive {} => Self::EmptyReceive,
            KindSpec::Duplicate {} => Self::Duplicate,
            KindSpec::Shuffle {} => Self::Shuffle,
            KindSpec::BatchPartial {
                share: given,
                code,
                message,
            } => Self::BatchPartial(Partial::new(*given, code.as_deref(), message.as_deref())?),
            KindSpec::ExpireHandle {} => Self::ExpireHandle,
            KindSpec::SlowBody { seconds: over } => Self::SlowBody(seconds(*over)?),
        })
    }

    /// The operations that it can happen to; `None` for all.
    pub(super) fn actions(&self) -> Option<&'static [Operation]> {
        match self {
            Self::Delay(_)
            | Self::Error(_)
            | Self::CloseBefore
            | Self::CloseAfter
            | Self::SlowBody(_) => None,
            Self::EmptyReceive | Self::Shuffle | Self::Duplicate => {
                Some(&[Operation::ReceiveMessage])
            }
            Self::ExpireHandle => Some(&[
                Operation::ChangeMessageVisibility,
                Operation::ChangeMessageVisibilityBatch,
                Operation::DeleteMessage,
                Operation::DeleteMessageBatch,
            ]),
            Self::BatchPartial(_) => Some(&[
                Operation::ChangeMessageVisibilityBatch,
                Operation::DeleteMessageBatch,
                Operation::SendMessageBatch,
            ]),
        }
    }

    /// Whether AWS never does it to a FIFO queue.
    pub(super) fn is_for_standard_queues(&self) -> bool {
        match self {
            Self::Shuffle | Self::Duplicate => true,
            Self::Delay(_)
            | Self::Error(_)
            | Self::CloseBefore
            | Self::CloseAfter
            | Self::SlowBody(_)
            | Self::EmptyReceive
            | Self::ExpireHandle
            | Self::BatchPartial(_) => false,
        }
    }
}

impl Partial {
    fn new(given: f64, code: Option<&str>, message: Option<&str>) -> Result<Self, FaultError> {
        share("fault.share", given)?;
        let message = text("fault.message", message)?;
        Ok(match code {
            None | Some(INTERNAL_ERROR) => Self {
                share: given,
                sender_fault: false,
                code: INTERNAL_ERROR,
                message: message.unwrap_or(INTERNAL_ERROR_TEXT).to_owned(),
            },
            Some(code) => {
                let code = error_code(code)?;
                Self {
                    share: given,
                    sender_fault: code.fault() == sqs::Fault::Sender,
                    code: code.query_code(),
                    message: message.unwrap_or(texts::usual(code)).to_owned(),
                }
            }
        })
    }
}

fn selector(spec: &FaultSpec) -> Result<Selector, FaultError> {
    let action = spec.action.as_deref().map(action).transpose()?;
    let queue = text("queue", spec.queue.as_deref())?;
    if let Some(queue) = queue
        && queue.contains(['/', ':'])
    {
        let reason = format!(
            "it is the queue's name alone, like \"orders\", and not {}",
            shown(queue)
        );
        return Err(FaultError::new("queue", reason));
    }
    let account = spec.account.as_deref().map(|account| {
        let parsed = account.parse();
        parsed.map_err(|error: crate::AccountIdError| FaultError::new("account", error.to_string()))
    });
    let region = text("region", spec.region.as_deref())?;
    Ok(Selector {
        action,
        queue: queue.map(str::to_owned),
        account: account.transpose()?,
        region: region.map(str::to_owned),
        messages: messages(spec)?,
    })
}

fn messages(spec: &FaultSpec) -> Result<Option<MessageSelector>, FaultError> {
    let group = text("group", spec.group.as_deref())?;
    let message = spec.message.clone().unwrap_or_default();
    let id = text("message.id", message.id.as_deref())?;
    let body = text("message.body", message.body.as_deref())?;
    if let Some(attribute) = &message.attribute {
        text("message.attribute.name", Some(&attribute.name))?;
        text("message.attribute.value", attribute.value.as_deref())?;
    }
    let selector = MessageSelector {
        group: group.map(str::to_owned),
        id: id.map(str::to_owned),
        body: body.map(str::to_owned),
        attribute: message.attribute,
    };
    if spec.message.is_some() && selector.is_any() {
        let reason = "it names no message; it has an id, a body (a part of it) or an attribute";
        return Err(FaultError::new("message", reason));
    }
    Ok((!selector.is_any()).then_some(selector))
}

fn action(name: &str) -> Result<Operation, FaultError> {
    Operation::from_name(name).ok_or_else(|| {
        let right = match alike(name) {
            Some(operation) => format!("perhaps {operation} is meant"),
            None => "one is ReceiveMessage".to_owned(),
        };
        let reason = format!("SQS has no operation {}; {right}", shown(name));
        FaultError::new("action", reason)
    })
}

fn error_code(name: &str) -> Result<ErrorCode, FaultError> {
    let known = ErrorCode::from_name(name).or_else(|| ErrorCode::from_query_code(name));
    known.ok_or_else(|| {
        let all = ErrorCode::ALL.iter();
        let all = all.flat_map(|code| [code.name(), code.query_code()]);
        let right = match nearest(name, all) {
            Some(meant) => format!("perhaps {meant} is meant"),
            None => "one is QueueDoesNotExist".to_owned(),
        };
        let reason = format!("SQS has no error {}; {right}", shown(name));
        FaultError::new("fault.code", reason)
    })
}

/// A text that is not empty and not too long, if there is one.
fn text<'a>(key: &'static str, given: Option<&'a str>) -> Result<Option<&'a str>, FaultError> {
    match given {
        Some("") => Err(FaultError::new(key, "it is empty; leave it out")),
        Some(text) if text.len() > FAULT_TEXT_BYTES_MAX => {
            let reason = format!("it is longer than {FAULT_TEXT_BYTES_MAX} bytes");
            Err(FaultError::new(key, reason))
        }
        given => Ok(given),
    }
}

fn share(key: &'static str, given: f64) -> Result<(), FaultError> {
    if given > 0.0 && given <= 1.0 {
        return Ok(());
    }
    let reason = format!("a share is above 0 and up to 1, as 0.1 for every tenth, and not {given}");
    Err(FaultError::new(key, reason))
}

fn seconds(given: f64) -> Result<Duration, FaultError> {
    let max = FAULT_TIME_MAX.as_secs();
    let time = Duration::try_from_secs_f64(given).ok();
    time.filter(|time| *time <= FAULT_TIME_MAX).ok_or_else(|| {
        let reason = format!("it is from 0 to {max} seconds, and not {given}");
        FaultError::new("fault.seconds", reason)
    })
}

/// `A, B or C`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} or {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
