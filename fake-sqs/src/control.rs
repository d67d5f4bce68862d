//! What can be asked of a running server besides SQS calls.
//!
//! The control interface under `/_fake/` and the in-process handle both go through here, so that
//! neither can do what the other cannot.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use sqs::{
    CreateQueueInput, ReceiveMessageInput, Request, Response, SendMessageInput, SendMessageOutput,
    StartMessageMoveTaskInput,
};
use sqs_engine::{Context, ControlAction, MessageId, Missing, QueueAddress};

use crate::AccountId;
use crate::driver::{AdvanceError, Driver};
use crate::faults::Faults;
use crate::inside::{
    Clock, Cursors, Message, MessagePage, MessageQuery, QueueDetails, QueuePage, QueueQuery,
};
use crate::journal::Journal;
use crate::readiness::{Phase, Readiness};
use crate::record::NotKept;

/// What stands for the access key in calls that the control interface makes for a queue's owner.
const ACCESS_KEY: &str = "fake-sqs";

/// The controls of one server.
#[derive(Clone)]
pub(crate) struct Control {
    driver: Arc<Driver>,
    journal: Arc<Journal>,
    readiness: Arc<Readiness>,
    faults: Arc<Faults>,
    account: AccountId,
    region: Arc<str>,
    endpoint_url: Arc<str>,
}

/// What is meant where a queue is named and nothing more.
pub(crate) struct Home {
    pub(crate) account: AccountId,
    pub(crate) region: String,
}

impl Control {
    /// `endpoint_url` is where clients on this machine reach the server.
    pub(crate) fn new(
        driver: Arc<Driver>,
        journal: Arc<Journal>,
        faults: Arc<Faults>,
        home: Home,
        endpoint_url: &str,
    ) -> Self {
        Self {
            driver,
            journal,
            readiness: Arc::new(Readiness::new()),
            faults,
            account: home.account,
            region: home.region.into(),
            endpoint_url: endpoint_url.into(),
        }
    }

    /// What goes wrong on purpose.
    pub(crate) fn faults(&self) -> &Arc<Faults> {
        &self.faults
    }

    /// Where clients on this machine reach the server.
    pub(crate) fn endpoint_url(&self) -> &str {
        &self.endpoint_url
    }

    /// The account that is meant where none is named.
    pub(crate) fn account(&self) -> AccountId {
        self.account
    }

    /// The region that is meant where none is named.
    pub(crate) fn region(&self) -> &str {
        &self.region
    }

    /// The requests that were made.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What the server is to hold is there, and calls are served from now on.
    pub(crate) fn ready(&self) {
        self.readiness.reach(Phase::Ready);
    }

    /// The server stops: nobody waits any more.
    pub(crate) fn stop(&self) {
        self.readiness.reach(Phase::Stopping);
        self.driver.close();
        self.journal.close();
    }

    /// Whether the server is ready, and how much it holds.
    pub(crate) fn health(&self) -> Health {
        let totals = self.driver.totals();
        let phase = self.readiness.phase();
        Health {
            phase,
            status: phase.name(),
            version: env!("CARGO_PKG_VERSION"),
            queues: totals.queues,
            messages: totals.messages,
            clock: totals.clock,
        }
    }

    /// What the queues' clock shows.
    pub(crate) fn clock(&self) -> Clock {
        self.driver.clock()
    }

    /// Stops the queues' time.
    pub(crate) async fn freeze(&self) -> Result<Clock, ControlError> {
        Ok(self.driver.freeze().await?)
    }

    /// Lets the queues' time go on from where it stands.
    pub(crate) async fn resume(&self) -> Result<Clock, ControlError> {
        Ok(self.driver.resume().await?)
    }

    /// Moves the queues' time forward.
    pub(crate) async fn advance(&self, by: Duration) -> Result<Clock, ControlError> {
        Ok(self.driver.move_time(by).await?)
    }

    /// Forgets everything in `scope`.
    pub(crate) async fn reset(&self, scope: ResetScope) -> Result<(), ControlError> {
        match scope {
            ResetScope::Everything => {
                self.faults.reset();
                self.driver.reset().await?;
                self.journal.clear();
            }
            ResetScope::Account(account) => {
                self.faults.reset_account(account);
                self.driver.reset_account(account.as_str()).await?;
                self.journal.clear_account(account.as_str());
            }
        }
        Ok(())
    }

    /// A page of the queues.
    pub(crate) fn queues(&self, query: &QueueQuery, base_url: &str) -> QueuePage {
        self.driver.look(|inspect| query.page(inspect, base_url))
    }

    /// One queue, with what is in it besides messages.
    pub(crate) fn queue(
        &self,
        queue: &QueueAddress,
        cursors: &Cursors,
        base_url: &str,
    ) -> Result<QueueDetails, ControlError> {
        let details = self.driver.look(|inspect| {
            let view = inspect.queue(&queue.account, &queue.region, &queue.name)?;
            Some(QueueDetails::describe(view, cursors, base_url))
        });
        details.ok_or_else(|| ControlError::NoQueue(queue.clone()))
    }

    /// A page of the messages of a queue.
    pub(crate) fn messages(
        &self,
        queue: &QueueAddress,
        query: &MessageQuery,
    ) -> Result<MessagePage, ControlError> {
        let page = self.driver.look(|inspect| {
            let view = inspect.queue(&queue.account, &queue.region, &queue.name)?;
            Some(query.page(view))
        });
        let page = page.ok_or_else(|| ControlError::NoQueue(queue.clone()))?;
        page.map_err(|_| ControlError::Place)
    }

    /// Creates a queue for its account, though one of its name may just have been deleted.
    pub(crate) async fn create(
        &self,
        queue: &QueueAddress,
        attributes: BTreeMap<String, String>,
        tags: BTreeMap<String, String>,
    ) -> Result<(), ControlError> {
        self.act(queue, ControlAction::FreeName).await?;
        let mut input = CreateQueueInput::new(&*queue.name);
        input.attributes = Some(attributes);
        let tags = tags.into_iter().map(|(key, value)| (key, Some(value)));
        input.tags = Some(tags.collect());
        self.call_as_owner(queue, input).await?;
        Ok(())
    }

    /// Sends a message as the owner of its queue would; `input` need not name the queue.
    pub(crate) async fn send(
        &self,
        queue: &QueueAddress,
        mut input: SendMessageInput,
    ) -> Result<SendMessageOutput, ControlError> {
        self.check_exists(queue)?;
        input.queue_url = Some(queue.name.clone());
        match self.call_as_owner(queue, input).await? {
            Response::SendMessage(output) => Ok(output),
            // Each operation has its own output.
            _ => Ok(SendMessageOutput::default()),
        }
    }

    /// Receives messages as the owner of a queue would, and shows them as they are afterwards; `input`
    /// need not name the queue.
    pub(crate) async fn receive(
        &self,
        queue: &QueueAddress,
        mut input: ReceiveMessageInput,
    ) -> Result<Vec<Message>, ControlError> {
        self.check_exists(queue)?;
        input.queue_url = Some(queue.name.clone());
        let received = match self.call_as_owner(queue, input).await? {
            Response::ReceiveMessage(output) => output.messages,
            // Each operation has its own output.
            _ => Vec::new(),
        };
        let (account, region, name) = (&queue.account, &queue.region, &queue.name);
        let shown = self.driver.look(|inspect| {
            let view = inspect.queue(account, region, name)?;
            let handles = received.iter().filter_map(|m| m.receipt_handle.as_deref());
            let messages = handles.filter_map(|handle| view.message_of(handle));
            Some(messages.map(Message::from).collect())
        });
        // Without the queue there is none left.
        Ok(shown.unwrap_or_default())
    }

    /// Starts a move task as the owner of a dead-letter queue would, and gives its handle; `input`
    /// need not name the queue.
    pub(crate) async fn redrive(
        &self,
        queue: &QueueAddress,
        mut input: StartMessageMoveTaskInput,
    ) -> Result<String, ControlError> {
        let cursors = Cursors::default();
        input.source_arn = Some(self.queue(queue, &cursors, "")?.queue.arn);
        match self.call_as_owner(queue, input).await? {
            Response::StartMessageMoveTask(output) => Ok(output.task_handle.unwrap_or_default()),
            // Each operation has its own output.
            _ => Ok(String::new()),
        }
    }

    /// Reaches into a queue past SQS's rules.
    pub(crate) async fn act(
        &self,
        queue: &QueueAddress,
        action: ControlAction,
    ) -> Result<(), ControlError> {
        let done = self.driver.control(queue.clone(), action).await?;
        done.map_err(|missing| match (missing, action) {
            (
                Missing::Message,
                ControlAction::DeleteMessage { id } | ControlAction::ReleaseMessage { id },
            ) => ControlError::NoMessage {
                queue: queue.clone(),
                id,
            },
            _ => ControlError::NoQueue(queue.clone()),
        })
    }

    fn check_exists(&self, queue: &QueueAddress) -> Result<(), ControlError> {
        let (account, region, name) = (&queue.account, &queue.region, &queue.name);
        let exists = self
            .driver
            .look(|inspect| inspect.queue(account, region, name).is_some());
        if exists {
            Ok(())
        } else {
            Err(ControlError::NoQueue(queue.clone()))
        }
    }

    async fn call_as_owner(
        &self,
        queue: &QueueAddress,
        request: impl Into<Request>,
    ) -> Result<Response, ControlError> {
        // No URL is shown of what it answers.
        let context = Context::new(&*queue.account, ACCESS_KEY, &*queue.region, "");
        let answer = self.driver.call(context, request.into()).await;
        answer.map_err(ControlError::Refused)
    }
}

/// Why what was asked of a server is not done. The text says what would be right.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// There is no such queue.
    #[error(
        "there is no queue {} in {} of account {}; GET /_fake/queues lists those there are",
        .0.name, .0.region, .0.account
    )]
    NoQueue(QueueAddress),
    /// The queue has no such message: it was deleted, it expired, or it is in another queue.
    #[error(
        "the queue {} has no message {id}; GET /_fake/queues/{queue}/messages lists those it has",
        .queue.name
    )]
    NoMessage {
        /// The queue.
        queue: QueueAddress,
        /// The message.
        id: MessageId,
    },
    /// SQS refuses it, in its own words.
    #[error("{0}")]
    Refused(sqs::Error),
    /// A list was to go on from a place that is not one of its own.
    #[error(
        "`after` is no place in this list; give the `after` of an earlier answer for the same state, as it is"
    )]
    Place,
    /// The queues' clock would go beyond the year 9999.
    #[error(
        "the queues' clock would go beyond the year 9999; advance it by less, or reset the server"
    )]
    TooFar,
    /// What happened could not be written to where the state is kept.
    #[error("the state cannot be kept: {0}")]
    NotKept(String),
    /// The server has stopped.
    #[error("the server has stopped")]
    Stopped,
}

impl From<NotKept> for ControlError {
    fn from(NotKept(reason): NotKept) -> Self {
        Self::NotKept(reason)
    }
}

impl From<AdvanceError> for ControlError {
    fn from(error: AdvanceError) -> Self {
        match error {
            AdvanceError::TooFar(_) => Self::TooFar,
            AdvanceError::NotKept(not_kept) => not_kept.into(),
        }
    }
}

/// How much a reset forgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResetScope {
    Everything,
    Account(AccountId),
}

/// The answer to a health check.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Health {
    #[serde(skip)]
    pub(crate) phase: Phase,
    status: &'static str,
    version: &'static str,
    queues: usize,
    messages: usize,
    clock: Clock,
}
