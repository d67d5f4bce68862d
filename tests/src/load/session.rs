//! The queues of a run: made with names that nobody else has, and deleted when it is over.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use sqs::Operation;
use tokio::task::JoinSet;

use super::content::Content;
use super::ledger::{Ledger, Promise};
use super::line::{Failure, Line};
use super::target::Target;
use super::wire::{self, Queue};
use crate::clock;

/// How long making or deleting a queue may take.
const CALL_TIME_MAX: Duration = Duration::from_secs(10);

/// Connections over which queues are deleted.
const CLOSERS: usize = 16;

/// Failures on one of them after which the rest of its queues is not tried any more.
const FAILURES_MAX: u32 = 3;

/// What a session is made of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Standard or FIFO queues.
    pub promise: Promise,
    /// How many.
    pub queues: usize,
    /// Groups of FIFO queues.
    pub groups: u16,
    /// Senders.
    pub connections: u16,
    /// The length of a message's body in bytes.
    pub size: usize,
}

/// Queues, and the account of what is in them.
#[derive(Debug)]
pub struct Session {
    /// Where they are.
    pub target: Arc<Target>,
    /// What all their names begin with.
    pub prefix: String,
    /// The queues.
    pub queues: Vec<Queue>,
    /// What was sent and what came.
    pub ledger: Ledger,
    /// What it is made of.
    pub shape: Shape,
}

/// How the making of queues ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// All are there.
    All,
    /// It was to stop.
    Stopped,
}

impl Session {
    /// Makes the queues.
    ///
    /// # Errors
    ///
    /// When one cannot be made. Those that were made are deleted again.
    pub async fn open(target: &Arc<Target>, shape: Shape) -> Result<Self, Failure> {
        let mut session = Self::new(target, shape);
        if let Err(failure) = session.make(pin!(std::future::pending())).await {
            session.close().await;
            return Err(failure);
        }
        Ok(session)
    }

    /// A session without queues.
    #[must_use]
    pub fn new(target: &Arc<Target>, shape: Shape) -> Self {
        let run = run_number();
        // A sender has a lane of its own in each of its groups.
        let lanes = match shape.promise {
            Promise::Standard => shape.connections,
            Promise::Fifo => shape.groups.max(shape.connections),
        };
        Self {
            target: Arc::clone(target),
            prefix: format!("load-{run:08x}-"),
            queues: Vec::with_capacity(shape.queues),
            ledger: Ledger::new(
                Content::new(run, shape.size),
                shape.promise,
                lanes,
                shape.groups,
            ),
            shape,
        }
    }

    /// Makes the queues, until `stop` completes: the one that is being made then is still made, so that it is
    /// known and can be deleted.
    ///
    /// # Errors
    ///
    /// When one cannot be made.
    pub async fn make(
        &mut self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Made, Failure> {
        let mut line = Line::new(Arc::clone(&self.target));
        for index in 0..self.shape.queues {
            let mut create = pin!(self.create(&mut line, index));
            tokio::select! {
                made = &mut create => made?,
                () = &mut stop => {
                    create.await?;
                    return Ok(Made::Stopped);
                }
            }
        }
        Ok(Made::All)
    }

    /// The same queues at the floor, which says the same to each request whatever there is.
    #[must_use]
    pub fn at_floor(&self, floor: &Arc<Target>) -> Self {
        Self {
            target: Arc::clone(floor),
            prefix: self.prefix.clone(),
            queues: self.queues.clone(),
            ledger: self.ledger.unjudged(),
            shape: self.shape,
        }
    }

    async fn create(&mut self, line: &mut Line, index: usize) -> Result<(), Failure> {
        let ending = match self.shape.promise {
            Promise::Fifo => ".fifo",
            Promise::Standard => "",
        };
        let name = format!("{}{index}{ending}", self.prefix);
        let body = wire::create_queue(&name).into();
        let answer = line
            .call(Operation::CreateQueue, body, CALL_TIME_MAX)
            .await?;
        let created: wire::Created = read(&answer)?;
        self.queues.push(Queue::new(name, &created.url));
        Ok(())
    }

    /// Deletes the queues, as far as the service lets us; how many are left.
    pub async fn close(&self) -> usize {
        let share = self.queues.len().div_ceil(CLOSERS).max(1);
        let shares = self.queues.chunks(share);
        let closers: JoinSet<usize> = shares
            .map(|share| delete(Line::new(Arc::clone(&self.target)), share.to_vec()))
            .collect();
        closers.join_all().await.into_iter().sum()
    }

    /// The queue with this number, or the one that it comes to when they are counted round.
    #[must_use]
    pub fn queue(&self, number: usize) -> &Queue {
        &self.queues[number % self.queues.len()]
    }
}

/// Deletes queues; how many are left.
async fn delete(mut line: Line, queues: Vec<Queue>) -> usize {
    let (mut left, mut failures) = (0, 0);
    for queue in &queues {
        if failures >= FAILURES_MAX {
            left += 1;
            continue;
        }
        let body = wire::of_queue(queue).into();
        let deleted = line.call(Operation::DeleteQueue, body, CALL_TIME_MAX).await;
        if deleted.is_err() {
            left += 1;
            failures += 1;
        }
    }
    left
}

/// Reads an answer.
///
/// # Errors
///
/// When it is not what the operation answers.
pub fn read<T: DeserializeOwned>(answer: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(answer).map_err(|error| Failure::Unreadable(error.to_string()))
}

/// A number that another run, at another time or in another process, does not have.
fn run_number() -> u32 {
    let since = clock::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let moment = since.as_secs().rotate_left(32) ^ u64::from(since.subsec_nanos());
    let mixed = (moment ^ u64::from(std::process::id()) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u32::try_from(mixed >> 32).unwrap_or_default()
}
