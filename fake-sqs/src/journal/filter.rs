//! Which requests of the journal are meant.

use std::fmt;

use sqs::{ErrorCode, Operation};

use super::request::{Entry, Outcome};

/// Which requests are meant: all, unless something is said, and those for which all holds that is
/// said.
///
/// ```
/// use fake_sqs::journal::{Filter, Outcome};
/// use sqs::{ErrorCode, Operation};
///
/// let failed_deletes = Filter::new()
///     .queue("orders")
///     .action(Operation::DeleteMessage)
///     .action(Operation::DeleteMessageBatch)
///     .outcome(Outcome::Partial)
///     .outcome(ErrorCode::ReceiptHandleIsInvalid);
/// # let _ = failed_deletes;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a filter does nothing until it is given to the journal"]
pub struct Filter {
    actions: Vec<Operation>,
    outcomes: Vec<OutcomeFilter>,
    account: Option<String>,
    region: Option<String>,
    queue: Option<String>,
    message_id: Option<String>,
    after: u64,
}

impl Filter {
    /// All requests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests for this action. Said more than once, any of them does.
    pub fn action(mut self, action: Operation) -> Self {
        self.actions.push(action);
        self
    }

    /// Requests of which this came. Said more than once, any of them does.
    pub fn outcome(mut self, outcome: impl Into<OutcomeFilter>) -> Self {
        self.outcomes.push(outcome.into());
        self
    }

    /// Requests of callers of this account.
    pub fn account(mut self, account: impl fmt::Display) -> Self {
        self.account = Some(account.to_string());
        self
    }

    /// Requests that were signed for this region.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Requests that name a queue of this name.
    pub fn queue(mut self, name: impl Into<String>) -> Self {
        self.queue = Some(name.into());
        self
    }

    /// Requests that have this message among their [`message_ids`](super::Request::message_ids).
    pub fn message_id(mut self, id: impl fmt::Display) -> Self {
        self.message_id = Some(id.to_string());
        self
    }

    /// Requests that ended after the one of this number.
    pub fn after(mut self, seq: u64) -> Self {
        self.after = seq;
        self
    }

    pub(super) fn first(&self) -> u64 {
        self.after
    }

    pub(super) fn takes(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        (self.actions.is_empty()
            || entry
                .action
                .is_some_and(|action| self.actions.contains(&action)))
            && is(&self.queue, entry.queue.as_deref())
            && is(&self.account, entry.account())
            && is(&self.region, entry.region())
            && self
                .message_id
                .as_ref()
                .is_none_or(|id| entry.message_ids.contains(id))
            && (self.outcomes.is_empty()
                || self.outcomes.iter().any(|outcome| outcome.takes(entry)))
    }

    /// Reads actions as a query has them: names with commas between them.
    pub(crate) fn with_actions(mut self, names: &str) -> Result<Self, FilterError> {
        for name in names.split(',') {
            let action = Operation::from_name(name);
            self = self.action(action.ok_or_else(|| FilterError::Action(shown(name)))?);
        }
        Ok(self)
    }

    /// Reads outcomes as a query has them: words or codes with commas between them.
    pub(crate) fn with_outcomes(mut self, names: &str) -> Result<Self, FilterError> {
        for name in names.split(',') {
            let outcome = OutcomeFilter::from_name(name);
            self = self.outcome(outcome.ok_or_else(|| FilterError::Outcome(shown(name)))?);
        }
        Ok(self)
    }
}

/// What may have come of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutcomeFilter {
    /// This, in a word.
    Outcome(Outcome),
    /// An answer with this error, whether for its signature or for what it asked.
    Error(ErrorCode),
    /// Whatever it was, at least one fault had a part in it.
    Fault,
}

impl OutcomeFilter {
    fn from_name(name: &str) -> Option<Self> {
        let mut outcomes = Outcome::ALL.into_iter();
        let outcome = outcomes.find(|outcome| outcome.name() == name);
        match name {
            "fault" => Some(Self::Fault),
            name => outcome.map(Self::Outcome).or_else(|| {
                // JSON's clients see the one, Query's the other.
                let code = ErrorCode::from_name(name).or_else(|| ErrorCode::from_query_code(name));
                code.map(Self::Error)
            }),
        }
    }

    fn takes(self, entry: &Entry) -> bool {
        match self {
            Self::Outcome(outcome) => entry.outcome == outcome,
            Self::Error(code) => entry.error == Some(code),
            Self::Fault => !entry.faults.is_empty(),
        }
    }
}

impl From<Outcome> for OutcomeFilter {
    fn from(outcome: Outcome) -> Self {
        Self::Outcome(outcome)
    }
}

impl From<ErrorCode> for OutcomeFilter {
    fn from(code: ErrorCode) -> Self {
        Self::Error(code)
    }
}

/// A word in a filter that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FilterError {
    #[error(
        "{0:?} is no action of SQS's; one is DeleteMessage, and more stand with commas between them"
    )]
    Action(String),
    #[error(
        "{0:?} is no outcome; there are ok, partial, refused, error, hung_up, closed, fault, and \
         the names of errors such as QueueDoesNotExist, or their codes such as \
         AWS.SimpleQueueService.NonExistentQueue, with commas between them"
    )]
    Outcome(String),
}

fn shown(name: &str) -> String {
    name.chars().take(80).collect()
}
