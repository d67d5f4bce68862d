//! StartMessageMoveTask, ListMessageMoveTasks and CancelMessageMoveTask, and what a task does.
//!
//! A task takes its steps by itself, at the engine's deadlines; see `tasks` for when.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use sqs::{
    CancelMessageMoveTaskInput, CancelMessageMoveTaskOutput, Error, ErrorCode,
    ListMessageMoveTasksInput, ListMessageMoveTasksOutput, ListMessageMoveTasksResultEntry,
    Operation, QueueArn, StartMessageMoveTaskInput, StartMessageMoveTaskOutput, limits,
};

use crate::access;
use crate::checks;
use crate::engine::{Context, Engine};
use crate::errors::{self, invalid_parameter};
use crate::id::{MessageKey, QueueId};
use crate::queue::Queue;
use crate::queue::redrive::is_same_kind;
use crate::tasks::{Failure, Pace, Status, Task};

pub(super) fn start(
    engine: &mut Engine,
    context: &Context,
    input: StartMessageMoveTaskInput,
) -> Result<StartMessageMoveTaskOutput, Error> {
    let source_arn = parse_arn(Role::Source, input.source_arn)?
        .ok_or_else(|| errors::missing_parameter(Role::Source.name()))?;
    let destination_arn = parse_arn(Role::Destination, input.destination_arn)?;
    let pace = parse_pace(input.max_number_of_messages_per_second)?;

    let operation = Operation::StartMessageMoveTask;
    let source = find(engine, context, Role::Source, &source_arn, operation)?;
    let name = &engine.queue(source)?.name;
    if engine.sources.of(name, None).next().is_none() {
        let message = "Source queue must be configured as a Dead Letter Queue.";
        return Err(invalid_parameter(message));
    }
    if let Some(arn) = &destination_arn {
        find(
            engine,
            context,
            Role::Destination,
            arn,
            Operation::SendMessage,
        )?;
        check_destination(&source_arn, arn)?;
    }
    check_room(engine, context, source)?;

    let id = engine.ids.next_task();
    let task_handle = handle(&id, &source_arn);
    let messages = &engine.queue(source)?.messages;
    let mut task = Task::new(id, destination_arn, pace, engine.now, messages.arrivals());
    task.to_move = messages.counts().visible;
    engine.tasks.start(source, task);
    Ok(StartMessageMoveTaskOutput {
        task_handle: Some(task_handle),
    })
}

pub(super) fn list(
    engine: &Engine,
    context: &Context,
    input: ListMessageMoveTasksInput,
) -> Result<ListMessageMoveTasksOutput, Error> {
    let arn = parse_arn(Role::Source, input.source_arn)?
        .ok_or_else(|| errors::missing_parameter(Role::Source.name()))?;
    let max = checks::count(
        limits::LIST_MOVE_TASKS_RESULTS,
        input.max_results.unwrap_or(1),
    )
    .ok_or_else(|| {
        let message = "Value for parameter MaxResults is invalid. \
                       Reason: You must enter a number that's between 1 and 10.";
        invalid_parameter(message)
    })?;
    let operation = Operation::ListMessageMoveTasks;
    let source = find(engine, context, Role::Source, &arn, operation)?;
    let tasks = engine.tasks.of(source).take(max);
    Ok(ListMessageMoveTasksOutput {
        results: tasks.map(|task| entry(task, &arn)).collect(),
    })
}

/// The tasks of a queue, the newest first.
pub(crate) fn shown(engine: &Engine, queue: &Queue) -> Vec<ListMessageMoveTasksResultEntry> {
    let arn = &queue.name;
    let arn = QueueArn::new(&*arn.region, &*arn.account, &*arn.name);
    let tasks = engine.tasks.of(queue.id);
    tasks.map(|task| entry(task, &arn)).collect()
}

pub(super) fn cancel(
    engine: &mut Engine,
    context: &Context,
    input: CancelMessageMoveTaskInput,
) -> Result<CancelMessageMoveTaskOutput, Error> {
    let handle = input
        .task_handle
        .ok_or_else(|| errors::missing_parameter("TaskHandle"))?;
    let (id, arn) = read_handle(&handle)
        .ok_or_else(|| invalid_parameter("Value for parameter TaskHandle is invalid."))?;
    let operation = Operation::CancelMessageMoveTask;
    let source = find(engine, context, Role::Source, &arn, operation)?;
    let task = engine
        .tasks
        .of(source)
        .find(|task| task.id == id)
        .ok_or_else(|| not_found("Task does not exist."))?;
    if task.status != Status::Running {
        return Err(invalid_parameter("Only active tasks can be cancelled."));
    }
    let moved = count(task.moved);
    engine.tasks.cancel_running(source);
    Ok(CancelMessageMoveTaskOutput {
        approximate_number_of_messages_moved: moved,
    })
}

/// Lets the task at a queue take the step that is due.
pub(crate) fn step(engine: &mut Engine, source: QueueId) {
    if let Some(mut task) = engine.tasks.take_running(source) {
        task.count_step();
        task.status = advance(engine, source, &mut task);
        engine.tasks.put_back(source, task);
    }
}

fn advance(engine: &mut Engine, source: QueueId, task: &mut Task) -> Status {
    if engine.now.since(task.started_at) >= LONGEST {
        return Status::Failed(Failure::TimedOut);
    }
    for _ in 0..task.pace.batch() {
        let Some(key) = next(engine, source, task) else {
            return Status::Completed;
        };
        if let Err(failure) = move_message(engine, source, key, task) {
            return Status::Failed(failure);
        }
        task.place = Some(key);
        task.moved += 1;
    }
    match next(engine, source, task) {
        Some(_) => Status::Running,
        None => Status::Completed,
    }
}

/// The next message that the task may move. In a FIFO queue it passes over a group that is locked:
/// what was moved before its turn could never be in order again.
fn next(engine: &Engine, source: QueueId, task: &Task) -> Option<MessageKey> {
    let messages = &engine.queue(source).ok()?.messages;
    messages
        .iter_after(task.place)
        .map(|(key, _)| key)
        .find(|key| key.arrival < task.end && messages.is_free(*key))
}

/// Moves a message, which begins a new life with it: it is sent anew, under a new id, and delayed
/// if its new queue delays. It is never taken for a repetition, which would lose it. On failure it
/// stays where it is.
fn move_message(
    engine: &mut Engine,
    source: QueueId,
    key: MessageKey,
    task: &Task,
) -> Result<(), Failure> {
    let gone = |_| Failure::NoQueue;
    let destination = destination(engine, source, key, task)?;
    let (id, now) = (engine.ids.next_message(), engine.now);
    let from = engine.queue_mut(source).map_err(gone)?;
    let account = Arc::clone(&from.name.account);
    if let Some(message) = from.messages.remove(key, now) {
        let mut draft = message.into_draft();
        let to = engine.queue_mut(destination).map_err(gone)?;
        // Its sender is the one who sent it at first, in another account's queue too.
        if to.name.account != account {
            draft.extras.set_sender(&account);
        }
        to.store(id, draft, now);
    }
    Ok(())
}

/// Where a message goes: a queue that is there.
fn destination(
    engine: &Engine,
    source: QueueId,
    key: MessageKey,
    task: &Task,
) -> Result<QueueId, Failure> {
    let found = match &task.destination {
        Some(arn) => engine.directory.find_arn(arn),
        None => {
            let queue = engine.queue(source).map_err(|_| Failure::NoQueue)?;
            let message = queue.messages.get(key);
            let letter = message.and_then(|message| message.dead_letter());
            let from = &letter.ok_or(Failure::NoSource)?.source;
            engine.find(&from.account, &from.region, &from.name)
        }
    };
    found
        .filter(|id| engine.queue(*id).is_ok())
        .ok_or(Failure::NoQueue)
}

/// Which of a task's queues an ARN names.
#[derive(Clone, Copy)]
enum Role {
    Source,
    Destination,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Source => "SourceArn",
            Self::Destination => "DestinationArn",
        }
    }
}

fn parse_arn(role: Role, given: Option<String>) -> Result<Option<QueueArn>, Error> {
    let parse = |text: String| {
        text.parse().map_err(|_| {
            let name = role.name();
            invalid_parameter(format!(
                "You must use this format to specify the {name}: \
                 arn:<partition>:<service>:<region>:<account-id>:<resource-id>"
            ))
        })
    };
    given.map(parse).transpose()
}

fn parse_pace(given: Option<i32>) -> Result<Pace, Error> {
    let Some(given) = given else {
        return Ok(Pace::Unset);
    };
    u32::try_from(given)
        .ok()
        .filter(|rate| limits::MOVE_TASK_RATE.contains(*rate))
        .map(Pace::Rate)
        .ok_or_else(|| {
            let message = "Value for parameter MaxNumberOfMessagesPerSecond is invalid. \
                           Reason: You must enter a number that's between 1 and 500.";
            invalid_parameter(message)
        })
}

/// The queue of an ARN, if the caller may do `operation` there. A queue of another region is none.
fn find(
    engine: &Engine,
    context: &Context,
    role: Role,
    arn: &QueueArn,
    operation: Operation,
) -> Result<QueueId, Error> {
    let id = engine
        .directory
        .find_arn(arn)
        .filter(|_| arn.region() == context.region)
        .ok_or_else(|| {
            let name = role.name();
            not_found(format!(
                "The resource that you specified for the {name} parameter doesn't exist."
            ))
        })?;
    access::check(engine.queue(id)?, context, operation)?;
    Ok(id)
}

fn check_destination(source: &QueueArn, destination: &QueueArn) -> Result<(), Error> {
    if source == destination {
        let message = "Source queue arn and destination queue arn cannot be the same.";
        return Err(invalid_parameter(message));
    }
    if !is_same_kind(source.name(), destination.name()) {
        let message = "The source queue and destination queue must be of the same queue type.";
        return Err(invalid_parameter(message));
    }
    Ok(())
}

/// AWS says how many tasks an account runs at most, and not what it answers beyond. Among the
/// errors that its model has for this operation the one of throttling fits: it says to try later.
fn check_room(engine: &Engine, context: &Context, source: QueueId) -> Result<(), Error> {
    if engine.tasks.running().any(|running| running == source) {
        let message = "There is already a task running. Only one active task is allowed for a \
                       source queue arn at a given time.";
        return Err(invalid_parameter(message));
    }
    let is_ours = |queue: &QueueId| {
        let queue = engine.queue(*queue);
        queue.is_ok_and(|queue| *queue.name.account == *context.account)
    };
    let active = engine.tasks.running().filter(is_ours).count();
    let max = limits::ACTIVE_MOVE_TASKS;
    if u32::try_from(active).is_ok_and(|active| active < max) {
        return Ok(());
    }
    let message = format!("An account can have {max} active message move tasks at a time.");
    Err(Error::new(ErrorCode::RequestThrottled, message))
}

fn entry(task: &Task, source: &QueueArn) -> ListMessageMoveTasksResultEntry {
    ListMessageMoveTasksResultEntry {
        task_handle: (task.status == Status::Running).then(|| handle(&task.id, source)),
        status: Some(task.status.name().to_owned()),
        source_arn: Some(source.to_string()),
        destination_arn: task.destination.as_ref().map(QueueArn::to_string),
        max_number_of_messages_per_second: task.pace.rate().map(u32::cast_signed),
        approximate_number_of_messages_moved: count(task.moved),
        approximate_number_of_messages_to_move: Some(count(task.to_move)),
        failure_reason: match task.status {
            Status::Failed(failure) => Some(failure.reason().to_owned()),
            Status::Running | Status::Completed | Status::Cancelled => None,
        },
        started_timestamp: task.started_at.as_millis(),
    }
}

/// As AWS writes it: base64 of a small map.
fn handle(id: &str, source: &QueueArn) -> String {
    let (id, source) = (Value::from(id), Value::from(source.to_string()));
    BASE64.encode(format!("{{\"taskId\":{id},\"sourceArn\":{source}}}"))
}

fn read_handle(handle: &str) -> Option<(String, QueueArn)> {
    let map: Value = serde_json::from_slice(&BASE64.decode(handle).ok()?).ok()?;
    let id = map.get("taskId")?.as_str()?.to_owned();
    let source = map.get("sourceArn")?.as_str()?.parse().ok()?;
    Some((id, source))
}

fn not_found(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ResourceNotFoundException, message)
}

fn count(messages: usize) -> i64 {
    i64::try_from(messages).unwrap_or(i64::MAX)
}

const LONGEST: Duration = Duration::from_secs(limits::MOVE_TASK_SECONDS as u64);
