//! Move tasks in numbers that a script would not show.

use sqs::{
    CancelMessageMoveTaskInput, CreateQueueInput, Error, ErrorCode, ListMessageMoveTasksInput,
    ListMessageMoveTasksResultEntry, QueueArn, Request, Response, SendMessageBatchInput,
    SendMessageBatchRequestEntry, StartMessageMoveTaskInput,
};
use sqs_engine::{Config, Context, Engine, Outcome, Timestamp};

struct World {
    engine: Engine,
    account: String,
    now: Timestamp,
}

impl World {
    fn new() -> Self {
        Self {
            engine: Engine::new(Config::default()),
            account: "000000000000".into(),
            now: at(0),
        }
    }

    fn call(&mut self, input: impl Into<Request>) -> Result<Response, Error> {
        let me = Context::new(&self.account, "test", "us-east-1", "http://localhost");
        match self.engine.handle(self.now, &me, input.into()) {
            Outcome::Done(answer) => answer,
            Outcome::Waiting(_) => panic!("nothing waits here"),
        }
    }

    fn arn(&self, queue: &str) -> String {
        QueueArn::new("us-east-1", &self.account, queue).to_string()
    }

    /// A queue whose dead letters go to another.
    fn create(&mut self, name: &str, dead: &str) {
        let retention = ("MessageRetentionPeriod".to_owned(), "1209600".to_owned());
        let create = |name: &str, attributes| CreateQueueInput {
            attributes: Some(attributes),
            ..CreateQueueInput::new(name)
        };
        self.call(create(dead, [retention.clone()].into()))
            .expect("a dead-letter queue");
        let arn = self.arn(dead);
        let policy = format!("{{\"deadLetterTargetArn\":\"{arn}\",\"maxReceiveCount\":1}}");
        let policy = ("RedrivePolicy".to_owned(), policy);
        self.call(create(name, [retention, policy].into()))
            .expect("a queue");
    }

    fn send(&mut self, queue: &str, count: usize) {
        for first in (0..count).step_by(10) {
            let numbers = first..count.min(first + 10);
            let entries = numbers.map(|n| SendMessageBatchRequestEntry::new(n.to_string(), "x"));
            self.call(SendMessageBatchInput::new(queue, entries))
                .expect("sent");
        }
    }

    fn start(&mut self, dead: &str, rate: Option<i32>) -> Result<String, Error> {
        let input = StartMessageMoveTaskInput {
            destination_arn: Some(self.arn("q")),
            max_number_of_messages_per_second: rate,
            ..StartMessageMoveTaskInput::new(self.arn(dead))
        };
        match self.call(input)? {
            Response::StartMessageMoveTask(output) => Ok(output.task_handle.expect("a handle")),
            response => panic!("not of a start: {response:?}"),
        }
    }

    fn latest(&mut self, dead: &str) -> ListMessageMoveTasksResultEntry {
        match self.call(ListMessageMoveTasksInput::new(self.arn(dead))) {
            Ok(Response::ListMessageMoveTasks(output)) => output.results[0].clone(),
            answer => panic!("not a list: {answer:?}"),
        }
    }

    fn tick(&mut self, millis: i64) {
        self.now = Timestamp::from_millis(self.now.as_millis() + millis);
        self.engine.advance(self.now);
    }

    fn stored(&self, queue: &str) -> usize {
        let inspect = self.engine.inspect();
        let queue = inspect.queue(&self.account, "us-east-1", queue);
        queue.expect("a queue").counts().total()
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1_000)
}

#[track_caller]
fn refusal<T: std::fmt::Debug>(answer: Result<T, Error>) -> (ErrorCode, String) {
    let error = answer.expect_err("a refusal");
    (error.code(), error.into_message())
}

#[test]
fn without_a_rate_a_hundred_are_moved_every_ten_milliseconds() {
    let mut world = World::new();
    world.create("q", "dead");
    world.send("dead", 250);
    world.start("dead", None).expect("a task");
    for (millis, moved, status) in [
        (9, 0, "RUNNING"),
        (1, 100, "RUNNING"),
        (9, 100, "RUNNING"),
        (1, 200, "RUNNING"),
        (10, 250, "COMPLETED"),
        (10, 250, "COMPLETED"),
    ] {
        world.tick(millis);
        assert_eq!(
            (world.stored("q"), world.stored("dead")),
            (moved, 250 - moved)
        );
        let task = world.latest("dead");
        assert_eq!(task.status.as_deref(), Some(status));
        let told = usize::try_from(task.approximate_number_of_messages_moved);
        assert_eq!(told, Ok(moved));
    }
}

#[test]
fn one_step_of_time_over_many_steps_of_a_task_moves_each_at_its_own_time() {
    let mut world = World::new();
    world.create("q", "dead");
    world.send("dead", 100);
    world.start("dead", Some(7)).expect("a task");
    world.tick(9_999);
    assert_eq!(world.stored("q"), 69);
    let inspect = world.engine.inspect();
    let queue = inspect.queue("000000000000", "us-east-1", "q");
    let sent: Vec<_> = queue
        .expect("a queue")
        .messages()
        .map(|message| message.sent_at().as_millis())
        .collect();
    // A seventh of a second each, counted from the start and rounded up.
    let expected: Vec<_> = (1..70).map(|n: i64| (n * 1_000 + 6) / 7).collect();
    assert_eq!(sent, expected);
}

#[test]
fn a_task_runs_for_36_hours_at_most() {
    let hours_36: u32 = 36 * 3_600;
    let each_second = usize::try_from(hours_36).expect("a count");
    let mut world = World::new();
    world.create("q", "dead");
    world.send("dead", each_second + 10);
    world.start("dead", Some(1)).expect("a task");
    world.tick(i64::from(hours_36) * 1_000 - 1);
    assert_eq!(world.latest("dead").status.as_deref(), Some("RUNNING"));
    world.tick(1);
    let task = world.latest("dead");
    assert_eq!(task.status.as_deref(), Some("FAILED"));
    assert_eq!(task.failure_reason.as_deref(), Some("TaskTimedOut"));
    assert_eq!(world.stored("q"), each_second - 1);
    assert_eq!(world.stored("dead"), 11);
}

#[test]
fn an_account_runs_a_hundred_tasks_at_a_time() {
    let mut world = World::new();
    world.create("q", "dead");
    for number in 0..=100 {
        world.create(&format!("q{number}"), &format!("dead{number}"));
    }
    let handles: Vec<_> = (0..100)
        .map(|number| {
            let dead = format!("dead{number}");
            world.send(&dead, 1);
            world.start(&dead, Some(1)).expect("a task")
        })
        .collect();
    let (code, message) = refusal(world.start("dead100", Some(1)));
    assert_eq!(code, ErrorCode::RequestThrottled);
    assert_eq!(
        message,
        "An account can have 100 active message move tasks at a time."
    );

    // Another account has its own hundred.
    world.account = "111122223333".into();
    world.create("q", "dead");
    world.start("dead", Some(1)).expect("a task");
    world.account = "000000000000".into();

    world
        .call(CancelMessageMoveTaskInput::new(&handles[7]))
        .expect("cancelled");
    world.start("dead100", Some(1)).expect("there is room");
    refusal(world.start("dead7", Some(1)));

    // What has ended makes room too, and so does a queue that is gone.
    world.tick(1_000);
    world.start("dead7", Some(1)).expect("all others are done");
}

#[test]
fn the_handle_of_an_earlier_task_does_not_cancel_the_one_that_runs() {
    let mut world = World::new();
    world.create("q", "dead");
    let earlier = world.start("dead", Some(1)).expect("a task");
    world.tick(1_000);
    world.send("dead", 3);
    let later = world.start("dead", Some(1)).expect("a task");
    assert_ne!(earlier, later);
    let (code, message) = refusal(world.call(CancelMessageMoveTaskInput::new(earlier)));
    assert_eq!(code, ErrorCode::InvalidParameterValueException);
    assert_eq!(message, "Only active tasks can be cancelled.");
    world.tick(1_000);
    assert_eq!(world.latest("dead").status.as_deref(), Some("RUNNING"));
    assert_eq!(world.stored("q"), 1);
}

#[test]
fn an_account_that_is_removed_takes_its_tasks_with_it() {
    let mut world = World::new();
    world.create("q", "dead");
    world.send("dead", 3);
    world.start("dead", Some(1)).expect("a task");
    let now = world.now;
    world.engine.remove_account(now, "000000000000");
    assert_eq!(world.engine.next_deadline(), None);
}
