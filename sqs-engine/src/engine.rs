//! The state machine: commands and time in, answers out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqs::{Error, Request, Response, limits};

use crate::command::{Command, Effect};
use crate::directives::Directives;
use crate::directory::{Directory, QueueName};
use crate::errors;
use crate::id::{IdSource, QueueId};
use crate::inspect::Inspect;
use crate::ops::{self, receive::Receive};
use crate::queue::Queue;
use crate::queue::attributes::QueueAttributes;
use crate::queue::fifo_attributes::QueueKind;
use crate::snapshot::Contradiction;
use crate::sources::Sources;
use crate::tasks::Tasks;
use crate::time::Timestamp;
use crate::waiters::{Completed, WaiterId, Waiters};

/// What an engine is made with.
///
/// # Example
///
/// ```
/// use sqs_engine::{Config, Rules};
///
/// let config = Config { seed: 7, ..Config::default() };
/// assert_eq!(config.rules, Rules::Strict);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// What all ids, receipt handles and tokens follow from. Two engines with the same seed that
    /// are told the same, at the same times, answer the same, byte for byte; and each accepts the
    /// other's handles. A server that should give fresh ids at each start takes a random one.
    pub seed: u64,
    /// Whether the two rules that make one wait apply.
    pub rules: Rules,
    /// How many messages of one queue may be in flight.
    pub limits: InFlightLimits,
}

/// How many messages of one queue may be in flight at once, by the kind of queue. A test that wants
/// to see what happens at the limit sets it low.
///
/// At the limit of a standard queue a receive without a wait is refused with OverLimit, and one
/// with a wait gets nothing until there is room. A FIFO queue at its limit gives nothing, without
/// an error. Below the limit a receive gets no more messages than there is room for.
/// ([Message quotas](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html))
///
/// # Example
///
/// ```
/// use sqs_engine::{Config, InFlightLimits};
///
/// assert_eq!(Config::default().limits.standard, 120_000);
/// let limits = InFlightLimits { standard: 3, ..InFlightLimits::default() };
/// let config = Config { limits, ..Config::default() };
/// assert_eq!((config.limits.standard, config.limits.fifo), (3, 120_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlightLimits {
    /// For standard queues; 120,000 by default.
    pub standard: u32,
    /// For FIFO queues; 120,000 by default.
    pub fifo: u32,
}

impl InFlightLimits {
    /// The limit of a queue of this kind.
    pub(crate) fn of(self, kind: QueueKind) -> u32 {
        match kind {
            QueueKind::Standard => self.standard,
            QueueKind::Fifo => self.fifo,
        }
    }
}

impl Default for InFlightLimits {
    fn default() -> Self {
        Self {
            standard: limits::MESSAGES_IN_FLIGHT,
            fifo: limits::MESSAGES_IN_FLIGHT,
        }
    }
}

/// Whether AWS's two 60-second rules apply: a queue is purged at most once in 60 seconds, and the
/// name of a deleted queue is free after 60 seconds. Tests that make their queues anew turn them
/// off; nothing else changes with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rules {
    /// As AWS has it.
    #[default]
    Strict,
    /// Purge and create again at any time.
    Relaxed,
}

/// Who calls, from where, and by which address.
///
/// The engine trusts it: whoever fills it in has verified the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Context {
    /// The caller's account, 12 digits: where its queues live, and the `SenderId` of its messages.
    pub account: String,
    /// The access key the call was signed with.
    pub access_key: String,
    /// The region of the call, which together with the account is the queues' name space.
    pub region: String,
    /// What queue URLs begin with, without a slash at the end: `http://127.0.0.1:9324`.
    pub base_url: String,
    /// The `X-Amzn-Trace-Id` header that came with the call. A message sent without an
    /// `AWSTraceHeader` of its own gets this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_header: Option<String>,
    /// Faults that the call has; none by default.
    #[serde(default, skip_serializing_if = "Directives::is_empty")]
    pub directives: Directives,
}

impl Context {
    /// A call without a trace header and without faults.
    #[must_use]
    pub fn new(
        account: impl Into<String>,
        access_key: impl Into<String>,
        region: impl Into<String>,
        base_url: impl Into<String>,
    ) -> Self {
        Self {
            account: account.into(),
            access_key: access_key.into(),
            region: region.into(),
            base_url: base_url.into(),
            trace_header: None,
            directives: Directives::default(),
        }
    }
}

/// What comes of a call.
///
/// It is large because an answer is: it is moved once, from the engine to whoever asked.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a waiting poll is answered through `Engine::poll_completed`"]
pub enum Outcome {
    /// The answer.
    Done(Result<Response, Error>),
    /// A long poll that found no message. Its answer comes out of [`Engine::poll_completed`] under
    /// this id, at the latest when its wait is over.
    Waiting(WaiterId),
}

/// Amazon SQS as a state machine without clock, threads, randomness or IO.
///
/// Time comes in with every command and never goes back: an earlier time than one seen before
/// counts as the latest one seen, so a clock that is set back makes time stand still and does no
/// harm. To begin anew, make a new engine.
///
/// The one who drives it does four things:
///
/// * give each call to [`handle`](Self::handle), or each command to [`perform`](Self::perform);
/// * call [`advance`](Self::advance) when [`next_deadline`](Self::next_deadline) has come;
/// * after either, fetch what [`poll_completed`](Self::poll_completed) has, until it has nothing,
///   and ask for the next deadline again;
/// * [`cancel`](Self::cancel) the polls of clients that have gone.
///
/// Calling any of these more often than needed is safe.
///
/// # Example
///
/// ```
/// use sqs::{CreateQueueInput, ReceiveMessageInput, Request, Response, SendMessageInput};
/// use sqs_engine::{Config, Context, Engine, Outcome, Timestamp};
///
/// let mut engine = Engine::new(Config { seed: 7, ..Config::default() });
/// let me = Context::new("000000000000", "test", "us-east-1", "http://127.0.0.1:9324");
/// let second = |n: i64| Timestamp::from_millis(n * 1_000);
///
/// let create = Request::CreateQueue(CreateQueueInput::new("orders"));
/// assert!(matches!(engine.handle(second(0), &me, create), Outcome::Done(Ok(_))));
///
/// // A long poll of 20 seconds finds nothing, and waits.
/// let receive = ReceiveMessageInput {
///     wait_time_seconds: Some(20),
///     ..ReceiveMessageInput::new("orders")
/// };
/// let Outcome::Waiting(poll) = engine.handle(second(1), &me, Request::ReceiveMessage(receive))
/// else {
///     panic!("there is no message yet");
/// };
/// assert_eq!(engine.next_deadline(), Some(second(21)));
///
/// // A send answers it.
/// let send = Request::SendMessage(SendMessageInput::new("orders", "hello"));
/// assert!(matches!(engine.handle(second(5), &me, send), Outcome::Done(Ok(_))));
/// let Some((id, Ok(Response::ReceiveMessage(answer)))) = engine.poll_completed() else {
///     panic!("the message goes to the poll that waits");
/// };
/// assert_eq!((id, answer.messages.len()), (poll, 1));
/// ```
pub struct Engine {
    pub(crate) rules: Rules,
    pub(crate) limits: InFlightLimits,
    pub(crate) now: Timestamp,
    pub(crate) ids: IdSource,
    pub(crate) directory: Directory,
    pub(crate) waiters: Waiters,
    pub(crate) tasks: Tasks,
    pub(crate) sources: Sources,
    queues: BTreeMap<QueueId, Queue>,
    /// The next deadline of each queue that has one.
    deadlines: BTreeSet<(Timestamp, QueueId)>,
    /// The queues that the present command may have changed.
    touched: Vec<QueueId>,
}

impl Engine {
    /// An engine without queues, before the beginning of time.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let Config {
            seed,
            rules,
            limits,
        } = config;
        Self {
            rules,
            limits,
            now: Timestamp::MIN,
            ids: IdSource::new(seed),
            directory: Directory::default(),
            waiters: Waiters::default(),
            tasks: Tasks::default(),
            sources: Sources::default(),
            queues: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            touched: Vec::new(),
        }
    }

    /// Performs any command. What was due until `now` happens first.
    ///
    /// A command may answer polls that wait: fetch them with
    /// [`poll_completed`](Self::poll_completed) afterwards.
    pub fn perform(&mut self, now: Timestamp, command: Command) -> Effect {
        match command {
            Command::Handle { context, request } => {
                Effect::Call(self.handle(now, &context, request))
            }
            Command::Cancel { waiter } => {
                self.advance(now);
                self.cancel(waiter);
                Effect::Done
            }
            Command::RemoveAccount { account } => {
                self.remove_account(now, &account);
                Effect::Done
            }
            Command::Control { queue, action } => {
                self.advance(now);
                let done = ops::control::perform(self, &queue, action);
                self.settle();
                Effect::Control(done)
            }
        }
    }

    /// Performs a call. What was due until `now` happens first.
    ///
    /// A call may answer polls that wait: fetch them with
    /// [`poll_completed`](Self::poll_completed) afterwards.
    pub fn handle(&mut self, now: Timestamp, context: &Context, request: Request) -> Outcome {
        self.advance(now);
        let outcome = ops::perform(self, context, request);
        self.settle();
        outcome
    }

    /// Lets time pass until `now`. Each deadline on the way happens in its turn and at its own
    /// time, as if the engine had been called then.
    ///
    /// At one and the same time messages become visible, then the tasks that are due move theirs,
    /// and both are given to the polls that wait, before those polls end with nothing.
    pub fn advance(&mut self, now: Timestamp) {
        while let Some(deadline) = self.next_deadline()
            && deadline <= now
        {
            self.now = self.now.max(deadline);
            while let Some((due, queue)) = self.deadlines.first().copied()
                && due <= deadline
            {
                self.touched.push(queue);
                self.settle();
                // Without this a mistake in what a queue does when its time comes would have no end.
                debug_assert_ne!(
                    self.deadlines.first(),
                    Some(&(due, queue)),
                    "what was due at a queue did not happen"
                );
            }
            while let Some((due, source)) = self.tasks.next_step()
                && due <= deadline
            {
                ops::move_task::step(self, source);
                self.settle();
                debug_assert_ne!(
                    self.tasks.next_step(),
                    Some((due, source)),
                    "a task that was due took no step"
                );
            }
            while let Some((due, waiter)) = self.waiters.first_deadline()
                && due <= deadline
            {
                self.waiters.complete(waiter, ops::receive::nothing());
            }
            debug_assert!(
                self.next_deadline().is_none_or(|next| next > deadline),
                "what was due at {deadline:?} did not happen"
            );
        }
        self.now = self.now.max(now);
    }

    /// When something will happen by itself next; `None` if nothing will. Found without a search.
    ///
    /// Ask again after [`handle`](Self::handle), [`advance`](Self::advance) and
    /// [`cancel`](Self::cancel).
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let queue = self.deadlines.first().map(|(due, _)| *due);
        let task = self.tasks.next_step().map(|(due, _)| due);
        let waiter = self.waiters.first_deadline().map(|(due, _)| due);
        [queue, task, waiter].into_iter().flatten().min()
    }

    /// The next long poll that has been answered, in the order of the answers.
    ///
    /// Call it after [`handle`](Self::handle) and [`advance`](Self::advance) until it gives `None`.
    #[must_use = "the answer is given once"]
    pub fn poll_completed(&mut self) -> Option<Completed> {
        self.waiters.next_completed()
    }

    /// Ends a long poll whose client has gone: it gets no message any more.
    ///
    /// If it has been answered already, nothing changes: the answer is still to be fetched, and its
    /// messages stay hidden until their visibility timeout is over, as when an answer of AWS's is
    /// lost on its way.
    pub fn cancel(&mut self, waiter: WaiterId) {
        self.waiters.remove(waiter);
    }

    /// Ends every long poll whose client may have gone, as [`cancel`](Self::cancel) does: after a
    /// server was started again, none of its clients is there any more. Answers that were not
    /// fetched are forgotten.
    pub fn cancel_all(&mut self) {
        self.waiters.clear();
    }

    /// The latest time that it was told.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Forgets all that an account has: its queues, with their messages, and the names it deleted,
    /// which can be used again at once. Polls at its queues end with QueueDoesNotExist.
    pub fn remove_account(&mut self, now: Timestamp, account: &str) {
        self.advance(now);
        let queues: Vec<_> = self.directory.of_account(account).collect();
        for queue in queues {
            self.drop_queue(queue);
        }
        self.directory.remove_account(account);
    }

    /// Lets other rules and limits hold from `now` on, also in the queues that are there.
    ///
    /// What was done by the rules before stays done: a name that is not free yet does not become so.
    pub fn set_rules(&mut self, now: Timestamp, rules: Rules, limits: InFlightLimits) {
        self.advance(now);
        self.rules = rules;
        self.limits = limits;
        for queue in self.queues.values_mut() {
            queue.set_in_flight_limit(limits);
            self.touched.push(queue.id);
        }
        self.settle();
    }

    /// A read-only view, for people and tests.
    #[must_use]
    pub fn inspect(&self) -> Inspect<'_> {
        Inspect::new(self)
    }

    /// An engine without queues, as a snapshot has it.
    pub(crate) fn restored(
        ids: IdSource,
        rules: Rules,
        limits: InFlightLimits,
        now: Timestamp,
    ) -> Self {
        Self {
            ids,
            now,
            ..Self::new(Config {
                seed: 0,
                rules,
                limits,
            })
        }
    }

    /// Takes in a queue from a snapshot.
    pub(crate) fn restore_queue(&mut self, mut queue: Queue) -> Result<(), Contradiction> {
        let QueueName {
            account,
            region,
            name,
        } = &queue.name;
        if self.queues.contains_key(&queue.id)
            || self.directory.find(account, region, name).is_some()
        {
            return Err("a queue is there twice");
        }
        queue.name = self.directory.insert(account, region, name, queue.id);
        queue.scheduled = queue.next_deadline();
        if let Some(due) = queue.scheduled {
            self.deadlines.insert((due, queue.id));
        }
        self.add_queue(queue);
        Ok(())
    }

    /// Whether what a snapshot has of queues that are not there is nothing.
    pub(crate) fn check_restored(&self) -> Result<(), Contradiction> {
        let mut named = self.waiters.queues().chain(self.tasks.sources());
        if named.all(|queue| self.queues.contains_key(&queue)) {
            Ok(())
        } else {
            Err("a poll or a task is at a queue that is not there")
        }
    }

    /// Every queue, in the order in which they were created.
    pub(crate) fn queues(&self) -> impl Iterator<Item = &Queue> {
        self.queues.values()
    }

    pub(crate) fn queue(&self, id: QueueId) -> Result<&Queue, Error> {
        self.queues
            .get(&id)
            .ok_or_else(errors::queue_does_not_exist)
    }

    /// A queue, to be changed. What follows from the change (polls answered, deadlines moved) is
    /// seen to at the end of the command.
    pub(crate) fn queue_mut(&mut self, id: QueueId) -> Result<&mut Queue, Error> {
        if self.touched.last() != Some(&id) {
            self.touched.push(id);
        }
        self.queues
            .get_mut(&id)
            .ok_or_else(errors::queue_does_not_exist)
    }

    /// An attempt at receiving: first the messages that were received too often leave for the
    /// dead-letter queue, then the receive gets what it may. `None` if that is nothing.
    ///
    /// Dead letters move at an attempt only, as on AWS, and the attempt of a poll that waits is
    /// made anew whenever something happens at its queue.
    ///
    /// The caller has marked the queue as touched, or is settling it.
    pub(crate) fn attempt(
        &mut self,
        id: QueueId,
        receive: &Receive,
    ) -> Option<Result<Response, Error>> {
        let target = self.dead_letter_target(id);
        let queue = self.queues.get_mut(&id)?;
        let limit = target.map(|(_, limit)| limit);
        let (answer, dead) = receive.attempt(queue, limit, &self.ids, self.now);
        // A queue may be its own target: so the dead letters are put down after the attempt, which
        // is not to find them.
        if let Some((target, _)) = target
            && !dead.is_empty()
        {
            let source = queue.name.clone();
            self.touched.push(target);
            for (key, mut message) in dead {
                message.bury(source.clone());
                self.queues
                    .get_mut(&target)?
                    .add_dead_letter(message, key, self.now);
            }
        }
        answer
    }

    /// Where a queue's dead letters go, and after how many receives. `None` if it has no policy,
    /// and if the target was deleted: what AWS does then is not known, and here the queue goes on
    /// delivering its messages.
    fn dead_letter_target(&self, id: QueueId) -> Option<(QueueId, u32)> {
        let policy = self.queues.get(&id)?.attributes.redrive()?;
        let target = self.directory.find_arn(&policy.target)?;
        Some((target, policy.max_receive_count))
    }

    pub(crate) fn add_queue(&mut self, queue: Queue) {
        self.sources.add(&queue);
        self.queues.insert(queue.id, queue);
    }

    /// Sets a queue's attributes, its target for dead letters among them.
    pub(crate) fn set_attributes(
        &mut self,
        id: QueueId,
        attributes: QueueAttributes,
    ) -> Result<(), Error> {
        self.touched.push(id);
        let queue = self.queues.get_mut(&id);
        let queue = queue.ok_or_else(errors::queue_does_not_exist)?;
        self.sources.remove(queue);
        queue.set_attributes(attributes, self.now);
        self.sources.add(queue);
        Ok(())
    }

    /// Removes a queue and its name, and ends the polls that wait at it.
    pub(crate) fn drop_queue(&mut self, id: QueueId) -> Option<QueueName> {
        let queue = self.queues.remove(&id)?;
        if let Some(due) = queue.scheduled {
            self.deadlines.remove(&(due, id));
        }
        self.directory.remove(&queue.name);
        self.sources.remove(&queue);
        self.tasks.forget(id);
        let waiting: Vec<_> = self.waiters.of(id).collect();
        for waiter in waiting {
            self.waiters
                .complete(waiter, Err(errors::queue_does_not_exist()));
        }
        Some(queue.name)
    }

    /// Brings every queue that was touched up to the present: what is due happens, waiting polls
    /// get what is there, and the next deadline is noted.
    fn settle(&mut self) {
        while let Some(id) = self.touched.pop() {
            let Some(queue) = self.queues.get_mut(&id) else {
                continue;
            };
            queue.catch_up(self.now);
            while let Some((waiter, answer)) = self.next_answer(id) {
                self.waiters.complete(waiter, answer);
            }
            let Some(queue) = self.queues.get_mut(&id) else {
                continue;
            };
            let next = queue.next_deadline();
            if queue.scheduled != next {
                if let Some(due) = queue.scheduled {
                    self.deadlines.remove(&(due, id));
                }
                if let Some(due) = next {
                    self.deadlines.insert((due, id));
                }
                queue.scheduled = next;
            }
        }
    }

    /// The next answer to a poll that waits at a queue. Where the first poll gets nothing no other
    /// does, but for one that repeats a receive: it need not be its turn.
    fn next_answer(&mut self, id: QueueId) -> Option<Completed> {
        let (first, waiting) = self.waiters.first_of(id)?;
        let receive = Arc::clone(&waiting.receive);
        if let Some(answer) = self.attempt(id, &receive) {
            return Some((first, answer));
        }
        let polls = self.waiters.of(id).filter_map(|waiter| {
            let receive = &self.waiters.get(waiter)?.receive;
            Some(((waiter, receive), receive.attempt_id()))
        });
        let (waiter, receive) = self.queues.get_mut(&id)?.repetition(polls)?;
        let receive = Arc::clone(receive);
        Some((waiter, self.attempt(id, &receive)?))
    }

    /// The id that the queue of this name has, whoever asks.
    pub(crate) fn find(&self, account: &str, region: &str, name: &str) -> Option<QueueId> {
        self.directory.find(account, region, name)
    }

    pub(crate) fn queue_count(&self) -> usize {
        self.queues.len()
    }
}

/// The URL of a queue, as the caller reaches it.
pub(crate) fn queue_url(context: &Context, account: &str, name: &str) -> String {
    format!("{}/{account}/{name}", context.base_url)
}
