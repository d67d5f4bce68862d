//! What the connections do.

mod batch;
mod cycle;
mod drain;
mod poll;
mod send;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use sqs::Operation;

use super::content::Stamp;
use super::line::Failure;
use super::tally::Tally;
use super::wire::{self, Batch, Message, Queue, Received};
use super::worker::Worker;

pub use self::poll::{POLL_TIME, Wakes};

/// A mix of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mix {
    /// SendMessage, and nothing else; after the run what was sent is received and checked.
    Send,
    /// SendMessage, ReceiveMessage and DeleteMessage in turn, on each connection.
    Cycle,
    /// The same with batches of ten messages.
    Batch,
    /// Like cycle, to FIFO queues and in groups.
    Fifo,
    /// Half of the connections wait in long polls of up to 20 s, the others wake them by sending.
    Poll,
    /// All connections wait in long polls, first in quiet; then one more connection wakes them, one at a time.
    Idle,
}

impl Mix {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Cycle => "cycle",
            Self::Batch => "batch",
            Self::Fifo => "fifo",
            Self::Poll => "poll",
            Self::Idle => "idle",
        }
    }

    /// How its messages are counted.
    #[must_use]
    pub fn counts(self) -> &'static str {
        match self {
            Self::Send => "sent",
            Self::Cycle | Self::Batch | Self::Fifo => "sent, received and deleted",
            Self::Poll | Self::Idle => "sent, and received by a poll that waited",
        }
    }
}

/// What a worker has to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// [`Mix::Send`], one message at a time or ten.
    Send(Amount),
    /// [`Mix::Cycle`] and [`Mix::Fifo`].
    Cycle,
    /// [`Mix::Batch`].
    Batch,
    /// One of the polls of [`Mix::Poll`] and [`Mix::Idle`].
    Poll(std::sync::Arc<Wakes>),
    /// What wakes polls, again and again.
    Wake(std::sync::Arc<Wakes>),
    /// What is left is received and deleted, by that many connections.
    Drain(u16),
}

/// How many messages a request sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// One.
    One,
    /// A batch of ten, on each lane until it has sent that many.
    Tens(u32),
}

/// How often the deletion of a message is tried.
const DELETIONS_MAX: usize = 8;

/// How long after the end of a run it is tried again.
const DELETION_TIME_MAX: Duration = Duration::from_secs(2);

/// A message that came and is to be deleted.
struct Came<'a> {
    /// Which one it is, unless that is not known.
    stamp: Option<Stamp>,
    handle: Cow<'a, str>,
}

impl AsRef<str> for Came<'_> {
    fn as_ref(&self) -> &str {
        &self.handle
    }
}

impl Task {
    /// Does it, to the end of the worker's window.
    pub async fn run(self, mut worker: Worker) -> Tally {
        match self {
            Self::Send(Amount::One) => send::run(&mut worker).await,
            Self::Send(Amount::Tens(messages)) => send::fill(&mut worker, messages).await,
            Self::Cycle => cycle::run(&mut worker).await,
            Self::Batch => batch::run(&mut worker).await,
            Self::Poll(wakes) => poll::wait(&mut worker, &wakes).await,
            Self::Wake(wakes) => poll::wake(&mut worker, &wakes).await,
            Self::Drain(connections) => drain::run(&mut worker, connections).await,
        }
        worker.finish()
    }
}

/// The steps that mixes are made of.
impl Worker {
    /// Sends the next message of a lane; whether it was accepted.
    async fn send(&mut self, queue: &Queue, lane: u16) -> Option<Stamp> {
        let stamp = self.session.ledger.next(lane)?;
        let group = self.session.ledger.group(lane);
        let body = wire::send_message(queue, &self.session.ledger, stamp, group);
        let answer = self.call(Operation::SendMessage, body).await?;
        let sent: wire::Sent<'_> = self.read(&answer).await?;
        if sent.id.is_empty() {
            let failure = Failure::Unreadable("a message without an id".to_owned());
            self.failed(&failure).await;
            return None;
        }
        self.session.ledger.accepted(stamp);
        Some(stamp)
    }

    /// Sends the next ten messages of a lane; how many were accepted.
    async fn send_batch(&mut self, queue: &Queue, lane: u16) -> Option<usize> {
        let session = std::sync::Arc::clone(&self.session);
        let stamps: Vec<Stamp> = (0..wire::BATCH)
            .map_while(|_| session.ledger.next(lane))
            .collect();
        if stamps.is_empty() {
            return None;
        }
        let group = session.ledger.group(lane);
        let body = wire::send_message_batch(queue, &session.ledger, &stamps, group);
        let answer = self.call(Operation::SendMessageBatch, body).await?;
        let batch: Batch<'_> = self.read(&answer).await?;
        for entry in &batch.successful {
            let place: Option<usize> = entry.id.parse().ok();
            if let Some(stamp) = place.and_then(|place| stamps.get(place)) {
                session.ledger.accepted(*stamp);
            }
        }
        self.count_failed(&batch).await;
        Some(batch.successful.len())
    }

    /// Deletes what came; how many were deleted. What fails is tried again: a message that stays keeps all that
    /// is behind it in its group.
    async fn delete(&mut self, queue: &Queue, mut came: Vec<Came<'_>>) -> usize {
        let all = came.len();
        for _ in 0..DELETIONS_MAX {
            self.delete_once(queue, &mut came).await;
            if came.is_empty() || !self.goes_on_until(self.window.end + DELETION_TIME_MAX) {
                break;
            }
        }
        for stamp in came.iter().filter_map(|came| came.stamp) {
            self.session.ledger.undeleted(stamp);
        }
        all - came.len()
    }

    /// Leaves what was not deleted.
    async fn delete_once(&mut self, queue: &Queue, came: &mut Vec<Came<'_>>) -> Option<()> {
        if let [only] = came.as_slice() {
            let body = wire::delete_message(queue, &only.handle);
            self.call(Operation::DeleteMessage, body).await?;
            came.clear();
            return Some(());
        }
        let body = wire::delete_message_batch(queue, came);
        let answer = self.call(Operation::DeleteMessageBatch, body).await?;
        let batch: Batch<'_> = self.read(&answer).await?;
        self.count_failed(&batch).await;
        let mut is_deleted = [false; wire::BATCH];
        let places = batch.successful.iter();
        for place in places.filter_map(|entry| entry.id.parse::<usize>().ok()) {
            if let Some(is_deleted) = is_deleted.get_mut(place) {
                *is_deleted = true;
            }
        }
        let mut is_deleted = is_deleted.into_iter();
        came.retain(|_| is_deleted.next() != Some(true));
        Some(())
    }

    /// Receives up to that many messages and deletes what came; how many were deleted.
    async fn take(&mut self, queue: &Queue, most: usize, wait: Duration) -> Option<usize> {
        let answer = self.receive(queue, most, wait).await?;
        let received: Received<'_> = self.read(&answer).await?;
        if received.messages.is_empty() {
            self.tally.empty += 1;
            return Some(0);
        }
        let messages = received.messages.into_iter();
        let came = messages.map(|message| self.came(message)).collect();
        let deleted = self.delete(queue, came).await;
        (deleted > 0).then_some(deleted)
    }

    /// Enters what came into the ledger.
    fn came<'a>(&self, message: Message<'a>) -> Came<'a> {
        Came {
            stamp: self.session.ledger.arrived(&message.body),
            handle: message.handle,
        }
    }

    async fn count_failed(&mut self, batch: &Batch<'_>) {
        if batch.failed.is_empty() {
            return;
        }
        for entry in &batch.failed {
            self.count_failure(&entry.code);
        }
        if batch.successful.is_empty() {
            let failure = Failure::Unreadable("no entry of a batch succeeded".to_owned());
            self.failed(&failure).await;
        }
    }

    async fn read<'a, T: serde::Deserialize<'a>>(&mut self, answer: &'a [u8]) -> Option<T> {
        match serde_json::from_slice(answer) {
            Ok(read) => Some(read),
            Err(error) => {
                self.failed(&Failure::Unreadable(error.to_string())).await;
                None
            }
        }
    }

    /// Counts messages that went the whole way, if it is measured.
    fn count(&mut self, messages: Option<usize>) {
        self.count_at(crate::clock::moment(), messages.unwrap_or_default());
    }

    fn count_at(&mut self, moment: Instant, messages: usize) {
        if self.window.holds(moment) {
            self.tally.messages += messages as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fake_sqs::FakeSqs;

    use super::*;
    use crate::bound::patiently;
    use crate::load::crew::{Job, Run};
    use crate::load::ledger::Promise;
    use crate::load::session::{Session, Shape};
    use crate::load::target::Target;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_full_ledger_ends_a_run() {
        let server = FakeSqs::start().await;
        for mix in [Mix::Send, Mix::Cycle, Mix::Batch, Mix::Fifo] {
            let promise = match mix {
                Mix::Fifo => Promise::Fifo,
                Mix::Send | Mix::Cycle | Mix::Batch | Mix::Poll | Mix::Idle => Promise::Standard,
            };
            let shape = Shape {
                promise,
                queues: 1,
                groups: 2,
                connections: 2,
                size: 64,
            };
            let endpoint = server.endpoint_url().parse().expect("an endpoint");
            let target = Target::new(endpoint, "test", "test", "us-east-1");
            let session = Session::open(&Arc::new(target), shape).await;
            let mut session = session.expect("queues");
            session.ledger = session.ledger.with_room(20);
            let hour = Duration::from_secs(3_600);
            let run = Run::new(Job::Mix(mix), 2, Duration::ZERO, hour);
            let session = Arc::new(session);
            let outcome = patiently(run.run(&session, None)).await.expect("an end");
            let messages = outcome.tally.messages;
            assert!((20..=40).contains(&messages), "{mix:?}: {messages}");
            assert!(outcome.measured < hour && session.ledger.is_full());
        }
    }
}
