//! The one place where the engine meets tokio.
//!
//! The engine is a state machine that is told the time; the driver tells it. It keeps the engine
//! behind a standard mutex that is held for one command and never across an await, wakes the
//! engine when its next deadline comes, and hands each long poll its answer through a oneshot.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqs::{Error, ErrorCode, ReceiveMessageOutput, Request, Response};
use sqs_engine::{Config, Context, Engine, InFlightLimits, Outcome, Rules, Timestamp, WaiterId};
use tokio::sync::{Notify, oneshot};

use crate::clock::QueueClock;
use crate::seed::Seed;

/// What a call comes to.
pub(crate) type Answer = Result<Response, Error>;

/// Gives commands and time to an engine.
pub(crate) struct Driver {
    seed: Seed,
    rules: Rules,
    limits: InFlightLimits,
    state: Mutex<State>,
    /// Told when the timer must look at the next deadline again.
    rearm: Notify,
}

struct State {
    engine: Engine,
    clock: QueueClock,
    /// The polls that wait, each with the end of its oneshot.
    polls: HashMap<WaiterId, oneshot::Sender<Answer>>,
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
    pub(crate) now: Timestamp,
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
    pub(crate) fn new(seed: Seed, rules: Rules, limits: InFlightLimits) -> Self {
        let state = State {
            engine: engine(seed, rules, limits),
            clock: QueueClock::new(),
            polls: HashMap::new(),
            generation: 0,
            armed: None,
            closed: false,
        };
        Self {
            seed,
            rules,
            limits,
            state: Mutex::new(state),
            rearm: Notify::new(),
        }
    }

    /// Performs a call. A long poll completes when its answer is there; dropping the future before
    /// that takes the poll back, so that no message is given to a client that has gone.
    pub(crate) async fn call(&self, context: &Context, request: Request) -> Answer {
        let poll = match self.begin(context, request) {
            Begun::Done(answer) => return answer,
            Begun::Waiting(poll) => poll,
        };
        let mut poll = poll;
        match (&mut poll.answer).await {
            Ok(answer) => answer,
            Err(_dropped) => Err(queue_does_not_exist()),
        }
    }

    fn begin(&self, context: &Context, request: Request) -> Begun<'_> {
        let mut state = self.lock();
        let now = state.clock.now();
        let outcome = state.engine.handle(now, context, request);
        let begun = match outcome {
            Outcome::Done(answer) => Begun::Done(answer),
            Outcome::Waiting(waiter) if state.closed => {
                state.engine.cancel(waiter);
                Begun::Done(Ok(no_messages()))
            }
            Outcome::Waiting(waiter) => {
                let (sender, answer) = oneshot::channel();
                state.polls.insert(waiter, sender);
                Begun::Waiting(Poll {
                    driver: self,
                    waiter,
                    generation: state.generation,
                    answer,
                })
            }
        };
        self.settle(&mut state);
        begun
    }

    /// Lets time pass in the engine, for ever: sleeps until the next deadline and acts on it.
    pub(crate) async fn run(&self) -> Infallible {
        loop {
            let sleep = self.advance();
            tokio::select! {
                () = self.rearm.notified() => {}
                () = sleep_for(sleep) => {}
            }
        }
    }

    /// Does what is due, and says how long it is until the next deadline.
    fn advance(&self) -> Option<Duration> {
        let mut state = self.lock();
        let now = state.clock.now();
        state.engine.advance(now);
        state.deliver();
        state.armed = state.engine.next_deadline();
        state.armed.map(|deadline| deadline.since(now))
    }

    /// Forgets everything and begins anew. Polls that wait are told that their queue is gone.
    pub(crate) fn reset(&self) {
        let mut state = self.lock();
        state.engine = engine(self.seed, self.rules, self.limits);
        state.generation += 1;
        for (_, poll) in state.polls.drain() {
            // The client may have gone, and then nobody needs the answer.
            let _ = poll.send(Err(queue_does_not_exist()));
        }
        self.settle(&mut state);
    }

    /// Forgets one account's queues, with all that belongs to them.
    pub(crate) fn reset_account(&self, account: &str) {
        let mut state = self.lock();
        let now = state.clock.now();
        state.engine.remove_account(now, account);
        self.settle(&mut state);
    }

    /// How much there is, and what time it is for the queues.
    pub(crate) fn totals(&self) -> Totals {
        let mut state = self.lock();
        let now = state.clock.now();
        state.engine.advance(now);
        self.settle(&mut state);
        let inspect = state.engine.inspect();
        Totals {
            queues: inspect.queue_count(),
            messages: inspect.counts().total(),
            now,
        }
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
        let polls = std::mem::take(&mut state.polls);
        for (waiter, poll) in polls {
            state.engine.cancel(waiter);
            // The client may have gone, and then nobody needs the answer.
            let _ = poll.send(Ok(no_messages()));
        }
    }

    /// What follows after any change: answered polls get their answers, and the timer is woken if
    /// it would sleep too long. A timer that wakes too early only finds nothing to do, so a deadline
    /// that moved back is left to it.
    fn settle(&self, state: &mut State) {
        state.deliver();
        let next = state.engine.next_deadline();
        let sooner = match (next, state.armed) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(next), Some(armed)) => next < armed,
        };
        if sooner {
            state.armed = next;
            self.rearm.notify_one();
        }
    }

    /// A panic while the lock was held would have come from the engine; what it was doing is then
    /// half done at worst, and the other queues still deserve their answers.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deliver(&mut self) {
        while let Some((waiter, answer)) = self.engine.poll_completed() {
            if let Some(poll) = self.polls.remove(&waiter) {
                // The client may have gone, and then nobody needs the answer.
                let _ = poll.send(answer);
            }
        }
    }
}

enum Begun<'a> {
    Done(Answer),
    Waiting(Poll<'a>),
}

/// A long poll that waits. Dropped before it is answered, it is taken back.
struct Poll<'a> {
    driver: &'a Driver,
    waiter: WaiterId,
    generation: u64,
    answer: oneshot::Receiver<Answer>,
}

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        let mut state = self.driver.lock();
        if state.generation == self.generation && state.polls.remove(&self.waiter).is_some() {
            state.engine.cancel(self.waiter);
        }
    }
}

/// A new engine. Its seed is logged, so that a run can be had again.
fn engine(seed: Seed, rules: Rules, limits: InFlightLimits) -> Engine {
    let seed = seed.value();
    let rules_told = match rules {
        Rules::Strict => "",
        Rules::Relaxed => "; relaxed: no 60-second rules",
    };
    tracing::info!("starting empty; seed {seed} (--seed {seed} repeats the ids){rules_told}");
    Engine::new(Config {
        seed,
        rules,
        limits,
    })
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sqs::{CreateQueueInput, DeleteQueueInput, ReceiveMessageInput, SendMessageInput};
    use tokio::task::JoinHandle;
    use tokio::time::timeout;

    use super::*;

    /// Longer than any wait here, in time that tokio moves by itself when nothing else is to do.
    const BOUND: Duration = Duration::from_secs(60);

    fn context() -> Context {
        Context::new("000000000000", "test", "us-east-1", "http://localhost")
    }

    /// A driver whose time passes, with the queue `orders`.
    async fn running() -> Arc<Driver> {
        let driver = Arc::new(Driver::new(
            Seed::Given(1),
            Rules::Strict,
            InFlightLimits::default(),
        ));
        let timer = Arc::clone(&driver);
        tokio::spawn(async move { timer.run().await });
        driver
            .call(&context(), CreateQueueInput::new("orders").into())
            .await
            .expect("created");
        driver
    }

    fn receive(wait_seconds: i32) -> Request {
        let mut input = ReceiveMessageInput::new("orders");
        input.wait_time_seconds = Some(wait_seconds);
        input.into()
    }

    async fn send(driver: &Driver, body: &str, delay_seconds: Option<i32>) {
        let mut input = SendMessageInput::new("orders", body);
        input.delay_seconds = delay_seconds;
        driver.call(&context(), input.into()).await.expect("sent");
    }

    /// Starts a long poll and returns once the engine has it.
    async fn poll(driver: &Arc<Driver>, wait_seconds: i32) -> JoinHandle<Answer> {
        let before = waiting(driver);
        let caller = Arc::clone(driver);
        let poll =
            tokio::spawn(async move { caller.call(&context(), receive(wait_seconds)).await });
        while waiting(driver) == before {
            tokio::task::yield_now().await;
        }
        poll
    }

    async fn bodies(poll: JoinHandle<Answer>) -> Vec<String> {
        let answer = timeout(BOUND, poll)
            .await
            .expect("in time")
            .expect("no panic");
        match answer {
            Ok(Response::ReceiveMessage(output)) => output
                .messages
                .into_iter()
                .filter_map(|message| message.body)
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    /// Polls that the engine holds; the driver must hold as many.
    fn waiting(driver: &Driver) -> usize {
        let state = driver.lock();
        let engine = state.engine.inspect().waiting_polls();
        assert_eq!(state.polls.len(), engine);
        engine
    }

    #[tokio::test(start_paused = true)]
    async fn a_send_answers_the_poll_that_waits_longest() {
        let driver = running().await;
        let first = poll(&driver, 20).await;
        let second = poll(&driver, 20).await;
        send(&driver, "A", None).await;
        send(&driver, "B", None).await;
        assert_eq!(bodies(first).await, ["A"]);
        assert_eq!(bodies(second).await, ["B"]);
        assert_eq!(waiting(&driver), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_poll_ends_when_its_time_is_up() {
        let driver = running().await;
        let started = driver.totals().now;
        let poll = poll(&driver, 7).await;
        assert_eq!(bodies(poll).await, [""; 0]);
        let waited = driver.totals().now.since(started);
        assert!(
            (Duration::from_secs(7)..Duration::from_millis(7_100)).contains(&waited),
            "{waited:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_that_comes_first_is_kept_though_it_was_set_last() {
        let driver = running().await;
        let started = driver.totals().now;
        let long = poll(&driver, 20).await;
        send(&driver, "late", Some(3)).await;
        assert_eq!(bodies(long).await, ["late"]);
        let waited = driver.totals().now.since(started);
        assert!(
            (Duration::from_secs(3)..Duration::from_millis(3_100)).contains(&waited),
            "{waited:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_hangs_up_gets_no_message() {
        let driver = running().await;
        let gone = poll(&driver, 20).await;
        let stays = poll(&driver, 20).await;
        gone.abort();
        assert!(gone.await.expect_err("aborted").is_cancelled());
        assert_eq!(waiting(&driver), 1);
        send(&driver, "A", None).await;
        assert_eq!(bodies(stays).await, ["A"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_poll_at_a_queue_that_goes_is_told_so() {
        let driver = running().await;
        let deleted = poll(&driver, 20).await;
        let delete = DeleteQueueInput::new("orders");
        driver
            .call(&context(), delete.into())
            .await
            .expect("deleted");
        let answer = timeout(BOUND, deleted)
            .await
            .expect("in time")
            .expect("no panic");
        assert_eq!(
            answer.expect_err("gone").code(),
            ErrorCode::QueueDoesNotExist
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_reset_ends_polls_and_leaves_later_ones_alone() {
        let driver = running().await;
        let before = poll(&driver, 20).await;
        driver.reset();
        driver
            .call(&context(), CreateQueueInput::new("orders").into())
            .await
            .expect("created");
        // The new engine counts its waiters from the start: this one has the id of the old one,
        // which is taken back only now.
        let after = poll(&driver, 20).await;
        let answer = timeout(BOUND, before)
            .await
            .expect("in time")
            .expect("no panic");
        assert_eq!(
            answer.expect_err("gone").code(),
            ErrorCode::QueueDoesNotExist
        );
        assert_eq!(waiting(&driver), 1);
        send(&driver, "A", None).await;
        assert_eq!(bodies(after).await, ["A"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reset_of_an_account_ends_its_polls() {
        let driver = running().await;
        let poll = poll(&driver, 20).await;
        driver.reset_account("111111111111");
        assert_eq!(waiting(&driver), 1);
        driver.reset_account("000000000000");
        let answer = timeout(BOUND, poll)
            .await
            .expect("in time")
            .expect("no panic");
        assert_eq!(
            answer.expect_err("gone").code(),
            ErrorCode::QueueDoesNotExist
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_driver_that_closes_answers_polls_and_lets_none_wait() {
        let driver = running().await;
        let started = driver.totals().now;
        let poll = poll(&driver, 20).await;
        driver.close();
        assert_eq!(bodies(poll).await, [""; 0]);
        let late = driver.call(&context(), receive(20)).await;
        assert_eq!(late, Ok(no_messages()));
        assert_eq!(driver.totals().now, started);
        assert_eq!(waiting(&driver), 0);
    }

    #[test]
    fn a_given_seed_gives_the_same_engine_after_a_reset() {
        let driver = Driver::new(Seed::Given(1), Rules::Strict, InFlightLimits::default());
        let first = id_of_a_message(&driver);
        driver.reset();
        assert_eq!(id_of_a_message(&driver), first);

        let driver = Driver::new(Seed::Drawn, Rules::Strict, InFlightLimits::default());
        let first = id_of_a_message(&driver);
        driver.reset();
        assert_ne!(id_of_a_message(&driver), first);
    }

    fn id_of_a_message(driver: &Driver) -> String {
        let done = |request| match driver.begin(&context(), request) {
            Begun::Done(answer) => answer.expect("done"),
            Begun::Waiting(_) => panic!("nothing waits here"),
        };
        done(CreateQueueInput::new("orders").into());
        match done(SendMessageInput::new("orders", "A").into()) {
            Response::SendMessage(output) => output.message_id.expect("an id"),
            other => panic!("{other:?}"),
        }
    }
}
