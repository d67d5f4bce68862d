//! The one place where the engine meets tokio.
//!
//! The engine is a state machine that is told the time; the driver tells it. It keeps the engine
//! behind a standard mutex that is held for one command and never across an await, wakes the
//! engine when its next deadline comes, and hands each long poll its answer through a oneshot.

mod auto_create;
mod declared;
mod observed;
mod recorded;
mod setup;
mod time;

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqs::{Error, ErrorCode, ReceiveMessageOutput, Request, Response};
use sqs_engine::inspect::Inspect;
use sqs_engine::{
    Command, Context, ControlAction, Effect, Engine, Missing, Outcome, QueueAddress, Timestamp,
    WaiterId,
};
use tokio::sync::{Notify, oneshot};

pub use self::auto_create::AutoCreate;
pub(crate) use self::observed::{Performed, TakenUp};
pub(crate) use self::setup::Setup;
pub(crate) use self::time::AdvanceError;
use crate::changes::Changes;
use crate::clock::{Clock, ClockMode, QueueClock, Stopwatch};
use crate::record::{Access, Mark, NotKept, Subject};

/// What a call comes to.
pub(crate) type Answer = Result<Response, Error>;

/// Gives commands and time to an engine.
pub(crate) struct Driver {
    setup: Setup,
    shared: Arc<Shared>,
}

/// What the recorder sees of a driver.
struct Shared {
    state: Mutex<State>,
    /// Told when the timer must look at the next deadline again.
    rearm: Notify,
    changes: Arc<Changes>,
}

struct State {
    engine: Engine,
    clock: QueueClock,
    /// The polls that wait, each with the end of its oneshot.
    polls: HashMap<WaiterId, oneshot::Sender<Given>>,
    /// Counts resets: a waiter's id means nothing to a later engine.
    generation: u64,
    /// What the timer sleeps until.
    armed: Option<Timestamp>,
    /// After [`Driver::close`] polls no longer wait.
    closed: bool,
}

/// What the control interface says of the engine as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) queues: usize,
    pub(crate) messages: usize,
    pub(crate) clock: Clock,
}

/// A name space of queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) account: String,
    pub(crate) region: String,
}

impl Place {
    pub(crate) fn new(account: &str, region: &str) -> Self {
        Self {
            account: account.to_owned(),
            region: region.to_owned(),
        }
    }
}

impl Driver {
    /// A driver with an empty engine. Its deadlines pass only while [`run`](Self::run) runs.
    pub(crate) fn new(mut setup: Setup) -> Self {
        let (engine, clock) = setup.beginning();
        let state = State {
            engine,
            clock,
            polls: HashMap::new(),
            generation: 0,
            armed: None,
            closed: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            rearm: Notify::new(),
            changes: Arc::clone(&setup.changes),
        });
        if let Some(recorder) = &setup.recorder {
            recorder.attach(Arc::clone(&shared) as Arc<dyn Subject>);
        }
        Self { setup, shared }
    }

    /// Performs a call. A long poll completes when its answer is there; dropping the future before
    /// that takes the poll back, so that no message is given to a client that has gone.
    pub(crate) async fn call(&self, context: Context, request: Request) -> Answer {
        self.observed(context, request, |_| {}).await.answer
    }

    /// The same, and tells more of it: `taken_up` hears of the call before it may have to wait.
    pub(crate) async fn observed(
        &self,
        context: Context,
        request: Request,
        taken_up: impl FnOnce(&TakenUp),
    ) -> Performed {
        let (taken, begun) = self.begin(context, request);
        taken_up(&taken);
        let (given, at) = match begun {
            Begun::Done(given) => (given, taken.at),
            Begun::Waiting(mut poll) => match (&mut poll.given).await {
                Ok(given) => {
                    let at = self.answered_at(&given.answer);
                    (given, at)
                }
                Err(_dropped) => {
                    let answer = Err(queue_does_not_exist());
                    let at = self.clock().now;
                    return Performed { answer, at };
                }
            },
        };
        let answer = match self.kept(given.mark).await {
            Ok(()) => given.answer,
            Err(not_kept) => Err(internal_failure(&not_kept)),
        };
        Performed { answer, at }
    }

    /// Reaches into a queue from outside.
    pub(crate) async fn control(
        &self,
        queue: QueueAddress,
        action: ControlAction,
    ) -> Result<Result<(), Missing>, NotKept> {
        let (effect, mark) = {
            let mut state = self.lock();
            self.check(Access::Change)?;
            let effect = self.perform(&mut state, Command::Control { queue, action });
            self.settle(&mut state);
            (effect, self.mark())
        };
        self.kept(mark).await?;
        match effect {
            Effect::Control(done) => Ok(done),
            // Only a control command was given.
            Effect::Call(_) | Effect::Done => Ok(Ok(())),
        }
    }

    fn begin(&self, context: Context, request: Request) -> (TakenUp, Begun<'_>) {
        let stopwatch = Stopwatch::start();
        let mut state = self.lock();
        let at = state.clock.now();
        let receipts = state.receipts(&request, at);
        let begun = self.begin_in(&mut state, context, request);
        self.settle(&mut state);
        drop(state);
        let taken = TakenUp {
            at,
            took: stopwatch.read(),
            receipts,
        };
        (taken, begun)
    }

    fn begin_in(&self, state: &mut State, context: Context, request: Request) -> Begun<'_> {
        let command = Command::Handle { context, request };
        let access = self.access(&command);
        if let Err(not_kept) = self.check(access) {
            return Begun::Done(Given {
                answer: Err(internal_failure(&not_kept)),
                mark: Mark::default(),
            });
        }
        if let Command::Handle { context, request } = &command {
            self.create_if_missing(state, context, request);
        }
        let effect = self.perform(state, command);
        let outcome = match effect {
            Effect::Call(outcome) => outcome,
            // Only a call was given.
            Effect::Control(_) | Effect::Done => Outcome::Done(Err(queue_does_not_exist())),
        };
        match outcome {
            Outcome::Done(answer) => Begun::Done(Given {
                mark: match access {
                    Access::Look => Mark::default(),
                    Access::Change => self.mark_for(&answer),
                },
                answer,
            }),
            Outcome::Waiting(waiter) if state.closed => {
                let _done = self.perform(state, Command::Cancel { waiter });
                Begun::Done(Given {
                    answer: Ok(no_messages()),
                    mark: Mark::default(),
                })
            }
            Outcome::Waiting(waiter) => {
                let (sender, given) = oneshot::channel();
                state.polls.insert(waiter, sender);
                Begun::Waiting(Poll {
                    driver: self,
                    waiter,
                    generation: state.generation,
                    given,
                })
            }
        }
    }

    /// Changes the engine. Nothing but this does, besides time and a [`reset`](Self::reset); so
    /// what is recorded here is the whole history. [`settle`](Self::settle) afterwards.
    fn perform(&self, state: &mut State, command: Command) -> Effect {
        let now = state.clock.now();
        if let Some(recorder) = &self.setup.recorder {
            // What an earlier command answered is written down with that one.
            self.deliver(state);
            recorder.command(now, &command);
        }
        let effect = state.engine.perform(now, command);
        if let Some(recorder) = &self.setup.recorder {
            recorder.effect(&effect);
        }
        effect
    }

    /// Lets time pass in the engine, for ever: sleeps until the next deadline and acts on it.
    pub(crate) async fn run(&self) -> Infallible {
        loop {
            let sleep = self.advance();
            tokio::select! {
                () = self.shared.rearm.notified() => {}
                () = sleep_for(sleep) => {}
            }
        }
    }

    /// Does what is due, and says how long it is until the next deadline.
    fn advance(&self) -> Option<Duration> {
        let mut state = self.lock();
        let now = state.clock.now();
        state.engine.advance(now);
        self.deliver(&mut state);
        self.setup.changes.tell();
        state.armed = state.engine.next_deadline();
        match state.clock.read().mode {
            ClockMode::Running => state.armed.map(|deadline| deadline.since(now)),
            ClockMode::Frozen => None,
        }
    }

    /// Forgets everything and begins anew, with the queues that are declared. Polls that wait are told that their queue is gone.
    pub(crate) async fn reset(&self) -> Result<(), NotKept> {
        let mark = {
            let mut state = self.lock();
            self.check(Access::Change)?;
            let config = self.setup.config();
            if let Some(recorder) = &self.setup.recorder {
                recorder.reset(config);
            }
            state.engine = Engine::new(config);
            state.clock = self.setup.clock();
            state.generation += 1;
            self.make_declared(&mut state, |_| true);
            let mark = self.mark();
            for (_, poll) in state.polls.drain() {
                let answer = Err(queue_does_not_exist());
                // The client may have gone, and then nobody needs the answer.
                let _ = poll.send(Given { answer, mark });
            }
            self.settle(&mut state);
            // What the timer sleeps until was a time of the clock that has gone.
            self.shared.rearm.notify_one();
            mark
        };
        self.kept(mark).await
    }

    /// Forgets one account's queues, with all that belongs to them; those that are declared are made
    /// again.
    pub(crate) async fn reset_account(&self, account: &str) -> Result<(), NotKept> {
        let mark = {
            let mut state = self.lock();
            self.check(Access::Change)?;
            let command = Command::RemoveAccount {
                account: account.to_owned(),
            };
            let _done = self.perform(&mut state, command);
            self.make_declared(&mut state, |queue| queue.account == account);
            self.settle(&mut state);
            self.mark()
        };
        self.kept(mark).await
    }

    /// Looks at what there is at present. Whoever looks holds the lock, so what is to be shown is
    /// copied and put into words afterwards.
    pub(crate) fn look<T>(&self, look: impl FnOnce(Inspect<'_>) -> T) -> T {
        let mut state = self.lock();
        let now = state.clock.now();
        state.engine.advance(now);
        self.deliver(&mut state);
        look(state.engine.inspect())
    }

    /// How much there is, and what time it is for the queues.
    pub(crate) fn totals(&self) -> Totals {
        let clock = self.clock();
        self.look(|inspect| Totals {
            queues: inspect.queue_count(),
            messages: inspect.counts().total(),
            clock,
        })
    }

    /// Where a queue of this name is: the place itself, or else one in the same account, in the same
    /// region, or anywhere.
    pub(crate) fn nearest(&self, name: &str, place: &Place) -> Option<Place> {
        let state = self.lock();
        let inspect = state.engine.inspect();
        let found = inspect.queues_named(name);
        let nearest = found.min_by_key(|queue| {
            (
                queue.account() != place.account,
                queue.region() != place.region,
            )
        })?;
        Some(Place::new(nearest.account(), nearest.region()))
    }

    /// How many long polls wait.
    #[cfg(test)]
    pub(crate) fn waiting_polls(&self) -> usize {
        self.lock().polls.len()
    }

    /// Ends all long polls as if their time were up, and lets no further one wait: the server
    /// stops.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.setup.changes.close();
        let polls = std::mem::take(&mut state.polls);
        for (waiter, poll) in polls {
            let _done = self.perform(&mut state, Command::Cancel { waiter });
            let (answer, mark) = (Ok(no_messages()), Mark::default());
            // The client may have gone, and then nobody needs the answer.
            let _ = poll.send(Given { answer, mark });
        }
        self.deliver(&mut state);
    }

    /// What follows after any change: answered polls get their answers, listeners hear of it, and the
    /// timer is woken if it would sleep too long. A timer that wakes too early only finds nothing to
    /// do, so a deadline that moved back is left to it.
    fn settle(&self, state: &mut State) {
        self.deliver(state);
        self.setup.changes.tell();
        let next = state.engine.next_deadline();
        let sooner = match (next, state.armed) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(next), Some(armed)) => next < armed,
        };
        if sooner {
            state.armed = next;
            self.shared.rearm.notify_one();
        }
    }

    /// Gives the polls that have been answered their answers.
    fn deliver(&self, state: &mut State) {
        while let Some((waiter, answer)) = state.engine.poll_completed() {
            if let Some(recorder) = &self.setup.recorder {
                recorder.answered(waiter, &answer);
            }
            if let Some(poll) = state.polls.remove(&waiter) {
                let mark = self.mark_for(&answer);
                // The client may have gone, and then nobody needs the answer.
                let _ = poll.send(Given { answer, mark });
            }
        }
        if let Some(recorder) = &self.setup.recorder {
            recorder.settled(state.engine.now());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }
}

impl Shared {
    /// A panic while the lock was held would have come from the engine; what it was doing is then
    /// half done at worst, and the other queues still deserve their answers.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer, and what must be safe before it goes out.
struct Given {
    answer: Answer,
    mark: Mark,
}

enum Begun<'a> {
    Done(Given),
    Waiting(Poll<'a>),
}

/// A long poll that waits. Dropped before it is answered, it is taken back.
struct Poll<'a> {
    driver: &'a Driver,
    waiter: WaiterId,
    generation: u64,
    given: oneshot::Receiver<Given>,
}

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        let mut state = self.driver.lock();
        if state.generation == self.generation && state.polls.remove(&self.waiter).is_some() {
            let waiter = self.waiter;
            let _done = self.driver.perform(&mut state, Command::Cancel { waiter });
            self.driver.settle(&mut state);
        }
    }
}

async fn sleep_for(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => pending().await,
    }
}

fn no_messages() -> Response {
    Response::ReceiveMessage(ReceiveMessageOutput::default())
}

fn queue_does_not_exist() -> Error {
    Error::new(
        ErrorCode::QueueDoesNotExist,
        "The specified queue does not exist.",
    )
}

/// What a client hears when its call was performed but may not survive: AWS's error for what went
/// wrong inside. The call may be sent again.
fn internal_failure(not_kept: &NotKept) -> Error {
    tracing::debug!(%not_kept, "a call is answered with an error");
    Error::new(ErrorCode::InternalFailure, not_kept.to_string())
}

#[cfg(test)]
mod tests;
