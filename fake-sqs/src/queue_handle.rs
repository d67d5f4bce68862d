//! A queue of a server in this process, to look into and to reach into.

use std::future::Future;
use std::time::Duration;

use sqs::{SendMessageInput, StartMessageMoveTaskInput};
use sqs_engine::{ControlAction, Counts, MessageId, QueueAddress, Timestamp};
use tokio::runtime;
use tokio::task::JoinHandle;

use crate::control::{Control, ControlError, ResetScope};
use crate::http::limits;
use crate::inside::{
    Clock, Cursors, DeduplicationId, Group, Message, MessageQuery, Queue, QueueDetails, State,
};
use crate::{AccountId, FakeSqs};

/// The controls of a server, and the runtime that it runs on.
///
/// What is asked for is done there, so it does not matter what the caller's runtime can do, nor
/// whether it is blocked meanwhile.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(crate) control: Control,
    pub(crate) runtime: runtime::Handle,
}

impl Remote {
    /// Does something on the server's runtime.
    async fn run<T, F>(&self, ask: impl FnOnce(Control) -> F) -> Result<T, ControlError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, ControlError>> + Send + 'static,
    {
        // It panicked, or the runtime has ended.
        self.spawn(ask).await.unwrap_or(Err(ControlError::Stopped))
    }

    /// The same, for what has an error of its own.
    pub(crate) fn spawn<F>(&self, ask: impl FnOnce(Control) -> F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.runtime.spawn(ask(self.control.clone()))
    }
}

/// Time, which moves only as far as a test wants it to.
///
/// Signatures stay on real time: they are checked as ever, whatever the queues' clock shows.
impl FakeSqs {
    /// The queues' time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.remote().control.clock().now
    }

    /// Moves the queues' time forward, whether it is frozen or not. Everything that is due on the way
    /// happens, each thing at its own time, as if time had passed; long polls that end by it have
    /// their answers when this returns.
    ///
    /// Fractions of a millisecond are left out.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), fake_sqs::ControlError> {
    /// use std::time::Duration;
    ///
    /// use fake_sqs::FakeSqs;
    ///
    /// let sqs = FakeSqs::start().await;
    /// let orders = sqs.create_queue("orders").await?;
    /// orders.send("hello").await?;
    /// // Messages are kept for four days unless the queue says otherwise.
    /// sqs.advance(Duration::from_secs(4 * 24 * 3_600)).await?;
    /// assert_eq!(orders.counts().await?.total(), 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ControlError::TooFar`] beyond the year 9999, and then nothing has happened.
    pub async fn advance(&self, by: Duration) -> Result<Clock, ControlError> {
        let advance = |control: Control| async move { control.advance(by).await };
        self.remote().run(advance).await
    }

    /// Stops the queues' time. Long polls that wait go on waiting.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), fake_sqs::ControlError> {
    /// use std::time::Duration;
    ///
    /// use fake_sqs::FakeSqs;
    ///
    /// let sqs = FakeSqs::start().await;
    /// let frozen = sqs.freeze().await?;
    /// assert_eq!(sqs.now(), frozen.now);
    /// sqs.advance(Duration::from_secs(30)).await?;
    /// assert_eq!(sqs.now(), frozen.now.after(Duration::from_secs(30)));
    /// sqs.resume().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ControlError::Stopped`] or [`ControlError::NotKept`].
    pub async fn freeze(&self) -> Result<Clock, ControlError> {
        let freeze = |control: Control| async move { control.freeze().await };
        self.remote().run(freeze).await
    }

    /// Lets the queues' time go on from where it stands; it does not catch up with real time.
    ///
    /// # Errors
    ///
    /// As [`freeze`](Self::freeze).
    pub async fn resume(&self) -> Result<Clock, ControlError> {
        let resume = |control: Control| async move { control.resume().await };
        self.remote().run(resume).await
    }

    /// Forgets everything, as if the server had just been started: queues, the names of deleted ones,
    /// messages, the journal, and how the clock was set. Long polls that wait hear that their queue
    /// is gone.
    ///
    /// # Errors
    ///
    /// As [`freeze`](Self::freeze).
    pub async fn reset(&self) -> Result<(), ControlError> {
        let reset = |control: Control| async move { control.reset(ResetScope::Everything).await };
        self.remote().run(reset).await
    }

    /// A queue of the first credential's account in the server's [`region`](Self::region). It need
    /// not exist yet.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), fake_sqs::ControlError> {
    /// use fake_sqs::inside::State;
    /// use fake_sqs::FakeSqs;
    ///
    /// let sqs = FakeSqs::start().await;
    /// sqs.create_queue("orders").await?;
    /// // … the code under test sends here, with any client …
    /// # sqs.queue("orders").send("hello").await?;
    /// let messages = sqs.queue("orders").messages(State::Visible).await?;
    /// assert_eq!(messages[0].body, "hello");
    /// assert_eq!(messages[0].receive_count, 0, "looking is not receiving");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn queue(&self, name: impl Into<String>) -> QueueHandle {
        let account = self.remote().control.account();
        QueueHandle {
            address: QueueAddress::new(account.as_str(), self.remote().control.region(), name),
            remote: self.remote().clone(),
        }
    }

    /// Creates a queue with SQS's default attributes, as [`QueueHandle::create`] does.
    ///
    /// # Errors
    ///
    /// As [`QueueHandle::create`].
    pub async fn create_queue(&self, name: impl Into<String>) -> Result<QueueHandle, ControlError> {
        let queue = self.queue(name);
        queue.create::<&str, &str>([]).await?;
        Ok(queue)
    }
}

/// A queue of a server in this process: made by [`FakeSqs::queue`].
///
/// It looks without receiving, and reaches in without signing. Whatever it does is done on the
/// server's own runtime.
#[derive(Clone)]
pub struct QueueHandle {
    remote: Remote,
    address: QueueAddress,
}

impl std::fmt::Debug for QueueHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("QueueHandle").field(&self.address).finish()
    }
}

impl QueueHandle {
    pub(crate) fn control(&self) -> &Control {
        &self.remote.control
    }

    /// The queue of this name in another account.
    #[must_use]
    pub fn of_account(mut self, account: AccountId) -> Self {
        account.as_str().clone_into(&mut self.address.account);
        self
    }

    /// The queue of this name in another region.
    #[must_use]
    pub fn in_region(mut self, region: impl Into<String>) -> Self {
        self.address.region = region.into();
        self
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &QueueAddress {
        &self.address
    }

    /// Its URL, for clients on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let QueueAddress { account, name, .. } = &self.address;
        format!("{}/{account}/{name}", self.remote.control.endpoint_url())
    }

    /// Creates it with these attributes, as CreateQueue does. A queue of its name may have been
    /// deleted a moment ago.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), fake_sqs::ControlError> {
    /// let sqs = fake_sqs::FakeSqs::start().await;
    /// let orders = sqs.queue("orders.fifo");
    /// orders.create([("FifoQueue", "true"), ("VisibilityTimeout", "5")]).await?;
    /// assert_eq!(orders.describe().await?.attributes["VisibilityTimeout"], "5");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ControlError::Refused`] where SQS would refuse it: a name or an attribute that cannot be, or
    /// a queue of this name with other attributes.
    pub async fn create<N, V>(
        &self,
        attributes: impl IntoIterator<Item = (N, V)>,
    ) -> Result<(), ControlError>
    where
        N: Into<String>,
        V: Into<String>,
    {
        let attributes = attributes.into_iter();
        let attributes = attributes.map(|(name, value)| (name.into(), value.into()));
        let (address, attributes) = (self.address.clone(), attributes.collect());
        let create =
            |control: Control| async move { control.create(&address, attributes, [].into()).await };
        self.remote.run(create).await
    }

    /// Deletes it. Its name is free at once.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn delete(&self) -> Result<(), ControlError> {
        self.act(ControlAction::DeleteQueue).await
    }

    /// Its attributes, tags and counts.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn describe(&self) -> Result<Queue, ControlError> {
        Ok(self.look(Cursors::default()).await?.queue)
    }

    /// How many messages it has in each state.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn counts(&self) -> Result<Counts, ControlError> {
        Ok(self.describe().await?.counts)
    }

    /// How many long polls wait at it.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn waiting_polls(&self) -> Result<usize, ControlError> {
        Ok(self.describe().await?.waiting_polls)
    }

    /// Its messages in a state: those visible with the oldest first, the others with those first that
    /// become visible first. None is received by it.
    ///
    /// They are copied a page at a time, so what happens meanwhile may be seen or not.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn messages(&self, state: State) -> Result<Vec<Message>, ControlError> {
        self.messages_where(Some(state)).await
    }

    /// Its messages in whatever state, those first whose retention ends first.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn all_messages(&self) -> Result<Vec<Message>, ControlError> {
        self.messages_where(None).await
    }

    /// Its message groups, and what blocks each, if it is a FIFO queue.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn groups(&self) -> Result<Vec<Group>, ControlError> {
        let mut all = Vec::new();
        let mut groups_after = None;
        loop {
            let cursors = Cursors {
                limit: limits::CONTROL_PAGE_MAX,
                groups_after,
                dedup_after: None,
            };
            let details = self.look(cursors).await?;
            all.extend(details.groups);
            groups_after = details.groups_after;
            if groups_after.is_none() {
                return Ok(all);
            }
        }
    }

    /// The deduplication ids that it remembers, oldest first, if it is a FIFO queue.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn deduplication_ids(&self) -> Result<Vec<DeduplicationId>, ControlError> {
        let mut all = Vec::new();
        let mut dedup_after = None;
        loop {
            let cursors = Cursors {
                limit: limits::CONTROL_PAGE_MAX,
                groups_after: None,
                dedup_after,
            };
            let details = self.look(cursors).await?;
            all.extend(details.dedup);
            dedup_after = details.dedup_after;
            if dedup_after.is_none() {
                return Ok(all);
            }
        }
    }

    /// Sends a message with this body, and gives its id. In a FIFO queue a message needs a group:
    /// [`send_message`](Self::send_message).
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`], and [`ControlError::Refused`] where SQS would refuse it.
    pub async fn send(&self, body: impl Into<String>) -> Result<MessageId, ControlError> {
        let input = SendMessageInput {
            message_body: Some(body.into()),
            ..SendMessageInput::default()
        };
        self.send_message(input).await
    }

    /// Sends a message as SendMessage does, and gives its id. The input need not name the queue.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_message(&self, input: SendMessageInput) -> Result<MessageId, ControlError> {
        let address = self.address.clone();
        let send = |control: Control| async move { control.send(&address, input).await };
        let sent = self.remote.run(send).await?;
        let id = sent.message_id.unwrap_or_default().parse();
        // Every message that is sent has an id.
        id.map_err(|_| ControlError::Stopped)
    }

    /// Removes a message, in whatever state it is.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] or [`ControlError::NoMessage`].
    pub async fn delete_message(&self, id: MessageId) -> Result<(), ControlError> {
        self.act(ControlAction::DeleteMessage { id }).await
    }

    /// Makes a message visible now, as if its delay or its visibility timeout were over.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] or [`ControlError::NoMessage`].
    pub async fn release(&self, id: MessageId) -> Result<(), ControlError> {
        self.act(ControlAction::ReleaseMessage { id }).await
    }

    /// Removes all messages, and in a FIFO queue what it remembers of sends and receives. It may be
    /// done at any time, and a PurgeQueue need not wait 60 seconds because of it.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`] if there is none.
    pub async fn purge(&self) -> Result<(), ControlError> {
        self.act(ControlAction::Purge).await
    }

    /// Starts a move task that brings the messages of this dead-letter queue back to where they came
    /// from, and gives its handle. They move as the queues' time passes: a hundred each 10 ms.
    ///
    /// # Errors
    ///
    /// [`ControlError::NoQueue`], and [`ControlError::Refused`] where SQS would refuse it: if it is
    /// no queue's dead-letter queue, or if a task runs already.
    pub async fn redrive(&self) -> Result<String, ControlError> {
        let address = self.address.clone();
        let input = StartMessageMoveTaskInput::default();
        let redrive = |control: Control| async move { control.redrive(&address, input).await };
        self.remote.run(redrive).await
    }

    async fn messages_where(&self, state: Option<State>) -> Result<Vec<Message>, ControlError> {
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let query = MessageQuery {
                state,
                limit: limits::CONTROL_PAGE_MAX,
                after,
            };
            let address = self.address.clone();
            let look = |control: Control| async move { control.messages(&address, &query) };
            let page = self.remote.run(look).await?;
            all.extend(page.messages);
            after = page.after;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    async fn look(&self, cursors: Cursors) -> Result<QueueDetails, ControlError> {
        let address = self.address.clone();
        let look = |control: Control| async move {
            let endpoint_url = control.endpoint_url().to_owned();
            control.queue(&address, &cursors, &endpoint_url)
        };
        self.remote.run(look).await
    }

    async fn act(&self, action: ControlAction) -> Result<(), ControlError> {
        let address = self.address.clone();
        let act = |control: Control| async move { control.act(&address, action).await };
        self.remote.run(act).await
    }
}
