//! Message move tasks: which run, which have run, and when each takes its next step.
//!
//! What a step does is in `ops::move_task`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sqs::{QueueArn, limits};

use crate::id::{MessageKey, QueueId};
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// The tasks of all queues.
#[derive(Default)]
pub(crate) struct Tasks {
    /// By the queue that they empty, the newest first. Only the newest can be running.
    by_source: BTreeMap<QueueId, VecDeque<Task>>,
    /// The next step of each task that runs.
    steps: BTreeSet<(Timestamp, QueueId)>,
}

/// One task. It goes through its queue once, from the oldest message on, and moves what is visible
/// when it comes to it.
///
/// It leaves alone what arrives after its start, or a message that fails again at its source could
/// go round for ever.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Task {
    /// A UUID.
    pub(crate) id: String,
    /// None sends each message back to where it came from.
    #[serde(with = "arn")]
    pub(crate) destination: Option<QueueArn>,
    pub(crate) pace: Pace,
    pub(crate) status: Status,
    pub(crate) started_at: Timestamp,
    /// How many messages were visible at the start.
    pub(crate) to_move: usize,
    pub(crate) moved: usize,
    /// The first arrival that is not the task's any more.
    pub(crate) end: u64,
    /// The last message that it moved.
    pub(crate) place: Option<MessageKey>,
    steps: u64,
}

/// How fast a task goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pace {
    /// This many messages a second, evenly spread, the first of them when its time has come.
    Rate(u32),
    /// As AWS's when no rate is given: it says that it chooses one by the size of the backlog. Here
    /// it is 100 messages every 10 ms: a hundred dead letters are back at once for whoever watches,
    /// and among a million others no client waits long for its turn.
    Unset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Status {
    Running,
    Completed,
    /// At once: there is no step under way that a cancellation would have to wait for, so nobody
    /// ever sees AWS's CANCELLING.
    Cancelled,
    Failed(Failure),
}

/// Why a task failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Failure {
    /// The destination, or the queue that a message came from, is gone.
    NoQueue,
    /// A message was sent to the dead-letter queue directly, so there is nowhere to return it to.
    NoSource,
    /// It has run for as long as a task may.
    TimedOut,
}

impl Tasks {
    /// Starts a task at a queue that has none running.
    pub(crate) fn start(&mut self, source: QueueId, task: Task) {
        self.steps.insert((task.next_step(), source));
        let tasks = self.by_source.entry(source).or_default();
        tasks.push_front(task);
        tasks.truncate(limits::MOVE_TASKS_KEPT as usize);
    }

    /// The tasks of a queue, the newest first.
    pub(crate) fn of(&self, source: QueueId) -> impl Iterator<Item = &Task> {
        self.by_source.get(&source).into_iter().flatten()
    }

    /// The queues at which a task runs.
    pub(crate) fn running(&self) -> impl Iterator<Item = QueueId> {
        self.steps.iter().map(|(_, source)| *source)
    }

    /// When the next step is due, and at which queue.
    pub(crate) fn next_step(&self) -> Option<(Timestamp, QueueId)> {
        self.steps.first().copied()
    }

    /// Takes out the task that runs at a queue, for a step: [`put_back`](Self::put_back) it.
    pub(crate) fn take_running(&mut self, source: QueueId) -> Option<Task> {
        let tasks = self.by_source.get_mut(&source)?;
        let due = tasks
            .front()
            .filter(|task| task.status == Status::Running)?
            .next_step();
        self.steps.remove(&(due, source));
        tasks.pop_front()
    }

    pub(crate) fn put_back(&mut self, source: QueueId, task: Task) {
        if task.status == Status::Running {
            self.steps.insert((task.next_step(), source));
        }
        self.by_source.entry(source).or_default().push_front(task);
    }

    pub(crate) fn cancel_running(&mut self, source: QueueId) {
        if let Some(mut task) = self.take_running(source) {
            task.status = Status::Cancelled;
            self.put_back(source, task);
        }
    }

    /// The tasks of each queue that has any, for a snapshot.
    pub(crate) fn all(&self) -> impl Iterator<Item = (QueueId, Vec<Task>)> {
        let lists = self.by_source.iter();
        lists.map(|(source, tasks)| (*source, tasks.iter().cloned().collect()))
    }

    /// What a snapshot has of a queue's.
    pub(crate) fn restore(
        &mut self,
        source: QueueId,
        tasks: Vec<Task>,
    ) -> Result<(), Contradiction> {
        if tasks.iter().any(|task| task.pace == Pace::Rate(0)) {
            return Err("a task moves nothing");
        }
        if let Some(newest) = tasks.first()
            && newest.status == Status::Running
        {
            self.steps.insert((newest.next_step(), source));
        }
        self.by_source.insert(source, tasks.into());
        Ok(())
    }

    /// The queues that have or had tasks.
    pub(crate) fn sources(&self) -> impl Iterator<Item = QueueId> {
        self.by_source.keys().copied()
    }

    /// Forgets the tasks of a queue that is no more.
    pub(crate) fn forget(&mut self, source: QueueId) {
        // What runs leaves the schedule with it.
        drop(self.take_running(source));
        self.by_source.remove(&source);
    }
}

impl Task {
    pub(crate) fn new(
        id: String,
        destination: Option<QueueArn>,
        pace: Pace,
        now: Timestamp,
        end: u64,
    ) -> Self {
        Self {
            id,
            destination,
            pace,
            status: Status::Running,
            started_at: now,
            to_move: 0,
            moved: 0,
            end,
            place: None,
            steps: 0,
        }
    }

    /// Notes that a step was made.
    pub(crate) fn count_step(&mut self) {
        self.steps += 1;
    }

    /// Counted from the start, so that no rounding adds up.
    fn next_step(&self) -> Timestamp {
        let steps = self.steps.saturating_add(1);
        let millis = match self.pace {
            Pace::Rate(rate) => steps.saturating_mul(1_000).div_ceil(u64::from(rate)),
            Pace::Unset => steps.saturating_mul(10),
        };
        self.started_at.after(Duration::from_millis(millis))
    }
}

/// An ARN as its text.
mod arn {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        arn: &Option<QueueArn>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        arn.as_ref().map(ToString::to_string).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<QueueArn>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        let arn = text.map(|text| text.parse()).transpose();
        arn.map_err(D::Error::custom)
    }
}

impl Pace {
    /// How many messages a step moves.
    pub(crate) fn batch(self) -> usize {
        match self {
            Self::Rate(_) => 1,
            Self::Unset => 100,
        }
    }

    /// The rate, if one was given.
    pub(crate) fn rate(self) -> Option<u32> {
        match self {
            Self::Rate(rate) => Some(rate),
            Self::Unset => None,
        }
    }
}

impl Status {
    /// AWS's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Cancelled => "CANCELLED",
            Self::Failed(_) => "FAILED",
        }
    }
}

impl Failure {
    /// AWS's word for the first; the second is what others have found, the third is ours.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::NoQueue => "AWS.SimpleQueueService.NonExistentQueue",
            Self::NoSource => "CouldNotDetermineMessageSource",
            Self::TimedOut => "TaskTimedOut",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start_and_end(tasks: &mut Tasks, source: QueueId, number: usize) {
        let now = Timestamp::from_millis(0);
        let task = Task::new(number.to_string(), None, Pace::Unset, now, 0);
        tasks.start(source, task);
        tasks.cancel_running(source);
    }

    #[test]
    fn the_last_ten_tasks_of_a_queue_are_kept() {
        let mut tasks = Tasks::default();
        (0..13).for_each(|number| start_and_end(&mut tasks, QueueId(1), number));
        let kept: Vec<_> = tasks.of(QueueId(1)).map(|task| task.id.as_str()).collect();
        assert_eq!(kept, ["12", "11", "10", "9", "8", "7", "6", "5", "4", "3"]);
    }

    #[test]
    fn nothing_is_left_of_the_tasks_of_a_queue_that_is_gone() {
        let mut tasks = Tasks::default();
        start_and_end(&mut tasks, QueueId(1), 0);
        tasks.forget(QueueId(1));
        assert!(tasks.by_source.is_empty());
    }

    #[test]
    fn a_rate_is_kept_to_the_millisecond_over_any_number_of_steps() {
        let start = Timestamp::from_millis(0);
        for rate in [1, 3, 7, 300, 499, 500] {
            let mut task = Task::new(String::new(), None, Pace::Rate(rate), start, 0);
            for second in 1..=100 {
                let end = start.after(Duration::from_secs(second));
                while task.next_step() <= end {
                    task.count_step();
                }
                assert_eq!(task.steps, second * u64::from(rate), "{rate} a second");
            }
        }
    }
}
