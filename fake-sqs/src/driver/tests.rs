use std::sync::Arc;

use sqs::{CreateQueueInput, DeleteQueueInput, ReceiveMessageInput, SendMessageInput};
use sqs_engine::{Config, InFlightLimits, Rules};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::*;
use crate::clock::{ClockSetting, ClockStart, WallClock};
use crate::record::Recorder;
use crate::seed::Seed;

/// Longer than any wait here, in time that tokio moves by itself when nothing else is to do.
const BOUND: Duration = Duration::from_secs(60);

fn context() -> Context {
    Context::new("000000000000", "test", "us-east-1", "http://localhost")
}

fn setup(seed: Seed) -> Setup {
    Setup {
        seed,
        rules: Rules::Strict,
        limits: InFlightLimits::default(),
        auto_create: AutoCreate::Off,
        clock: ClockStart::now(),
        wall: WallClock::Stopped(crate::testing::now()),
        declared: Vec::new(),
        changes: Arc::new(Changes::new()),
        recorder: None,
        restored: None,
    }
}

/// A driver whose time passes, with the queue `orders`.
async fn running() -> Arc<Driver> {
    let driver = Arc::new(Driver::new(setup(Seed::Given(1))));
    let timer = Arc::clone(&driver);
    tokio::spawn(async move { timer.run().await });
    driver
        .call(context(), CreateQueueInput::new("orders").into())
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
    driver.call(context(), input.into()).await.expect("sent");
}

/// Starts a long poll and returns once the engine has it.
async fn poll(driver: &Arc<Driver>, wait_seconds: i32) -> JoinHandle<Answer> {
    let before = waiting(driver);
    let caller = Arc::clone(driver);
    let poll = tokio::spawn(async move { caller.call(context(), receive(wait_seconds)).await });
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
    let started = driver.totals().clock.now;
    let poll = poll(&driver, 7).await;
    assert_eq!(bodies(poll).await, [""; 0]);
    let waited = driver.totals().clock.now.since(started);
    assert!(
        (Duration::from_secs(7)..Duration::from_millis(7_100)).contains(&waited),
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_comes_first_is_kept_though_it_was_set_last() {
    let driver = running().await;
    let started = driver.totals().clock.now;
    let long = poll(&driver, 20).await;
    send(&driver, "late", Some(3)).await;
    assert_eq!(bodies(long).await, ["late"]);
    let waited = driver.totals().clock.now.since(started);
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
        .call(context(), delete.into())
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
    driver.reset().await.expect("reset");
    driver
        .call(context(), CreateQueueInput::new("orders").into())
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
    driver.reset_account("111111111111").await.expect("reset");
    assert_eq!(waiting(&driver), 1);
    driver.reset_account("000000000000").await.expect("reset");
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
    let started = driver.totals().clock.now;
    let poll = poll(&driver, 20).await;
    driver.close();
    assert_eq!(bodies(poll).await, [""; 0]);
    let late = driver.call(context(), receive(20)).await;
    assert_eq!(late, Ok(no_messages()));
    assert_eq!(driver.totals().clock.now, started);
    assert_eq!(waiting(&driver), 0);
}

#[tokio::test]
async fn a_given_seed_gives_the_same_engine_after_a_reset() {
    let driver = Driver::new(setup(Seed::Given(1)));
    let first = id_of_a_message(&driver);
    driver.reset().await.expect("reset");
    assert_eq!(id_of_a_message(&driver), first);

    let driver = Driver::new(setup(Seed::Drawn));
    let first = id_of_a_message(&driver);
    driver.reset().await.expect("reset");
    assert_ne!(id_of_a_message(&driver), first);
}

fn id_of_a_message(driver: &Driver) -> String {
    let done = |request| match driver.begin(context(), request).1 {
        Begun::Done(given) => given.answer.expect("done"),
        Begun::Waiting(_) => panic!("nothing waits here"),
    };
    done(CreateQueueInput::new("orders").into());
    match done(SendMessageInput::new("orders", "A").into()) {
        Response::SendMessage(output) => output.message_id.expect("an id"),
        other => panic!("{other:?}"),
    }
}

/// What a recorder was told, in words.
#[derive(Default)]
struct Notes {
    told: Mutex<Vec<String>>,
    full: std::sync::atomic::AtomicBool,
}

impl Notes {
    fn note(&self, what: String) {
        self.told.lock().expect("no panic").push(what);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.lock().expect("no panic"))
    }
}

impl Recorder for Notes {
    fn check(&self, _access: Access) -> Result<(), NotKept> {
        Ok(())
    }

    fn settled(&self, _now: Timestamp) {}

    fn attach(&self, _subject: Arc<dyn Subject>) {}

    fn command(&self, _now: Timestamp, command: &Command) {
        let name = match command {
            Command::Handle { request, .. } => request.operation().to_string(),
            Command::Control { action, .. } => format!("{action:?}"),
            other => format!("{other:?}"),
        };
        self.note(name);
    }

    fn effect(&self, effect: &Effect) {
        let word = match effect {
            Effect::Call(Outcome::Done(Ok(_))) | Effect::Control(Ok(())) | Effect::Done => "done",
            Effect::Call(Outcome::Waiting(_)) => "waits",
            Effect::Call(Outcome::Done(Err(_))) | Effect::Control(Err(_)) => "refused",
        };
        self.note(word.to_owned());
    }

    fn answered(&self, _waiter: WaiterId, answer: &Answer) {
        self.note(format!("answered {}", answer.is_ok()));
    }

    fn clock(&self, _now: Timestamp, setting: ClockSetting) {
        let word = match setting {
            ClockSetting::Running { .. } => "running",
            ClockSetting::Frozen { .. } => "frozen",
        };
        self.note(word.to_owned());
    }

    fn reset(&self, config: Config) {
        self.note(format!("reset with seed {}", config.seed));
    }

    fn mark(&self) -> Mark {
        Mark(self.told.lock().expect("no panic").len() as u64)
    }

    fn kept(
        &self,
        _mark: Mark,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(), NotKept>> + Send + '_>> {
        let full = self.full.load(std::sync::atomic::Ordering::Relaxed);
        Box::pin(async move {
            if full {
                Err(NotKept("the disk is full".to_owned()))
            } else {
                Ok(())
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_recorder_is_told_everything_that_changes_the_engine() {
    let notes = Arc::new(Notes::default());
    let mut setup = setup(Seed::Given(1));
    setup.recorder = Some(Arc::clone(&notes) as Arc<dyn Recorder>);
    let driver = Arc::new(Driver::new(setup));
    let create = CreateQueueInput::new("orders");
    driver
        .call(context(), create.into())
        .await
        .expect("created");
    let answered = poll(&driver, 20).await;
    send(&driver, "A", None).await;
    assert_eq!(bodies(answered).await, ["A"]);
    let gone = poll(&driver, 20).await;
    gone.abort();
    assert!(gone.await.expect_err("aborted").is_cancelled());
    driver.freeze().await.expect("frozen");
    driver.reset_account("1").await.expect("reset");
    driver.reset().await.expect("reset");
    let expected = [
        "reset with seed 1",
        "CreateQueue",
        "done",
        "ReceiveMessage",
        "waits",
        "SendMessage",
        "done",
        "answered true",
        "ReceiveMessage",
        "waits",
        "Cancel { waiter: WaiterId(1) }",
        "done",
        "frozen",
        "RemoveAccount { account: \"1\" }",
        "done",
        "reset with seed 1",
    ];
    assert_eq!(notes.take(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_rests_on_what_cannot_be_kept_is_an_error() {
    let notes = Arc::new(Notes::default());
    let mut setup = setup(Seed::Given(1));
    setup.recorder = Some(Arc::clone(&notes) as Arc<dyn Recorder>);
    let driver = Driver::new(setup);
    notes.full.store(true, std::sync::atomic::Ordering::Relaxed);
    let create = CreateQueueInput::new("orders");
    let answer = driver.call(context(), create.into()).await;
    let error = answer.expect_err("not kept");
    assert_eq!(error.code(), ErrorCode::InternalFailure);
    assert_eq!(
        error.message(),
        "the state cannot be kept: the disk is full"
    );
    assert!(driver.freeze().await.is_err());
    assert!(driver.reset().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_listener_hears_of_changes() {
    let driver = running().await;
    let mut listener = driver.setup.changes.listen();
    let silence = timeout(Duration::ZERO, listener.changed());
    assert!(silence.await.is_err(), "nothing changed");
    send(&driver, "A", None).await;
    timeout(BOUND, listener.changed())
        .await
        .expect("in time")
        .expect("it lives");
}

#[tokio::test(start_paused = true)]
async fn a_frozen_clock_stops_deadlines_and_an_advance_lets_them_happen() {
    let driver = running().await;
    driver.freeze().await.expect("frozen");
    let frozen = driver.clock().now;
    let poll = poll(&driver, 20).await;
    send(&driver, "late", Some(3)).await;
    // Far longer than the poll would wait if time passed.
    tokio::time::advance(BOUND).await;
    assert_eq!(driver.clock().now, frozen);
    assert_eq!(waiting(&driver), 1);
    let reading = driver.move_time(Duration::from_millis(2_999)).await;
    assert_eq!(waiting(&driver), 1);
    assert_eq!(
        reading.expect("moved").now,
        frozen.after(Duration::from_millis(2_999))
    );
    driver
        .move_time(Duration::from_millis(1))
        .await
        .expect("moved");
    assert_eq!(waiting(&driver), 0, "answered before the advance returned");
    assert_eq!(bodies(poll).await, ["late"]);
}

#[tokio::test(start_paused = true)]
async fn time_goes_on_from_where_it_stood() {
    let driver = running().await;
    driver.freeze().await.expect("frozen");
    let frozen = driver.clock().now;
    let poll = poll(&driver, 20).await;
    tokio::time::advance(Duration::from_secs(100)).await;
    driver.resume().await.expect("resumed");
    // The timer slept without a deadline and must have one now.
    assert_eq!(bodies(poll).await, [""; 0]);
    let waited = driver.clock().now.since(frozen);
    assert!(
        (Duration::from_secs(20)..Duration::from_millis(20_100)).contains(&waited),
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_reset_lets_time_go_on_that_was_frozen_or_moved() {
    for seconds in [0, 1_000_000] {
        let driver = running().await;
        // The timer sleeps until the end of this poll, and is not to wake.
        let before = poll(&driver, 1).await;
        driver.freeze().await.expect("frozen");
        let by = Duration::from_secs(seconds);
        driver.move_time(by).await.expect("moved");
        tokio::task::yield_now().await;
        driver.reset().await.expect("reset");
        drop(before);
        assert_eq!(driver.clock().mode, ClockMode::Running);
        assert_eq!(driver.clock().offset_millis, 0);
        let create = CreateQueueInput::new("orders");
        let created = driver.call(context(), create.into()).await;
        created.expect("created");
        let after = poll(&driver, 20).await;
        assert_eq!(bodies(after).await, [""; 0]);
    }
}
