//! Any number of entries, split into as many batches as they need.

use std::collections::HashSet;
use std::error::Error as StdError;
use std::fmt;
use std::iter::Peekable;
use std::sync::Arc;
use std::time::Duration;

use super::entry::{Answer, Entry};
use super::{Client, Error};
use crate::error::Fault;
use crate::limits::{BATCH_ENTRIES, BATCH_SIZE};
use crate::shapes::delete::{DeleteMessageBatchRequestEntry, DeleteMessageBatchResultEntry};
use crate::shapes::message::BatchResultErrorEntry;
use crate::shapes::send::{SendMessageBatchRequestEntry, SendMessageBatchResultEntry};
use crate::shapes::visibility::{
    ChangeMessageVisibilityBatchRequestEntry, ChangeMessageVisibilityBatchResultEntry,
};

/// Sends, deletes, or changes the visibility of any number of messages of one queue. Made by
/// [`Client::batches`].
///
/// Entries are taken in order, as many to a request as SQS allows: [ten](BATCH_ENTRIES), and of
/// messages to send together [1 MiB](BATCH_SIZE). One that is larger by itself is sent alone, for
/// SQS to refuse. Requests follow one another. Each entry has its place in the [`Report`], so its
/// `id` may be left out, and need not be unique: requests have ids of their own.
///
/// # When something fails
///
/// * A request that SQS refuses (with the client at fault) marks its entries, and the next ones are
///   still sent.
/// * A request that fails otherwise, after all that the client does to repeat it, marks its entries
///   too, and nothing more is sent: the rest would meet the same, after the same wait.
/// * Entries that SQS fails for a fault of its own are sent again if [`attempts`](Self::attempts)
///   allows.
/// * On a FIFO queue (its URL ends in `.fifo`) a message that fails stops the later ones of its
///   group, so that none overtakes it. Within one request SQS takes each by itself: a later message
///   of the group may be in the queue already, and then the failed one is not sent again either.
///
/// # Examples
///
/// ```no_run
/// # async fn example(client: sqs::Client, url: &str) {
/// let bodies = (0..25_000).map(|number| format!("order {number}"));
/// let report = client.batches(url).attempts(3).send(bodies).await;
/// for (index, error) in report.failures() {
///     println!("order {index} was not sent: {error}");
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is sent before `send`, `delete` or `change_visibility`"]
pub struct Batches<'a> {
    client: &'a Client,
    queue_url: String,
    attempts: u32,
}

impl Client {
    /// Sends, deletes, or changes any number of messages of this queue.
    pub fn batches(&self, queue_url: impl Into<String>) -> Batches<'_> {
        Batches {
            client: self,
            queue_url: queue_url.into(),
            attempts: 1,
        }
    }
}

impl Batches<'_> {
    /// How often an entry is sent at most if SQS fails it for a fault of its own, as
    /// [`BatchResultErrorEntry::sender_fault`] says. 1 by default, which is never again; 0 is 1.
    ///
    /// Such an entry is known not to be done, so even a message can be sent again and is not in the
    /// queue twice. Between attempts there are 100 ms, then twice as long each time, 5 s at most.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sends messages: entries, or just bodies.
    pub async fn send<T: Into<SendMessageBatchRequestEntry>>(
        &self,
        messages: impl IntoIterator<Item = T>,
    ) -> Report<SendMessageBatchResultEntry> {
        self.run(messages.into_iter().map(Into::into)).await
    }

    /// Deletes messages: entries, or just what was received.
    pub async fn delete<T: Into<DeleteMessageBatchRequestEntry>>(
        &self,
        messages: impl IntoIterator<Item = T>,
    ) -> Report<DeleteMessageBatchResultEntry> {
        self.run(messages.into_iter().map(Into::into)).await
    }

    /// Changes how long messages stay hidden.
    pub async fn change_visibility(
        &self,
        entries: impl IntoIterator<Item = ChangeMessageVisibilityBatchRequestEntry>,
    ) -> Report<ChangeMessageVisibilityBatchResultEntry> {
        self.run(entries.into_iter()).await
    }

    async fn run<E: Entry>(&self, entries: impl Iterator<Item = E>) -> Report<E::Done> {
        let mut work = Work {
            results: Vec::new(),
            failed_groups: self.queue_url.ends_with(".fifo").then(HashSet::new),
        };
        let mut rest = entries.peekable();
        loop {
            let mut request = work.next_request(&mut rest);
            if request.is_empty() {
                break;
            }
            let mut attempt = 1;
            while !request.is_empty() {
                if attempt > 1 {
                    tokio::time::sleep(pause(attempt)).await;
                }
                let (indexes, entries): (Vec<_>, Vec<_>) = request.into_iter().unzip();
                let (entries, answer) = E::call(self.client, &self.queue_url, entries).await;
                let sent = indexes.into_iter().zip(entries);
                match answer {
                    Ok(answer) => {
                        let left = self.attempts - attempt;
                        request = work.answered(self.client, sent.collect(), answer, left);
                    }
                    Err(error) => {
                        let next = Next::after(&error);
                        work.request_failed(sent, error);
                        if next == Next::GiveUp {
                            work.give_up(rest);
                            return work.report();
                        }
                        break;
                    }
                }
                attempt += 1;
            }
        }
        work.report()
    }
}

/// What became of each entry.
#[derive(Clone, Debug)]
pub struct Report<T> {
    results: Vec<Result<T, EntryError>>,
}

impl<T> Report<T> {
    /// The result of each entry, in the order in which the entries were given.
    pub fn results(&self) -> &[Result<T, EntryError>] {
        &self.results
    }

    /// The results, owned.
    #[must_use]
    pub fn into_results(self) -> Vec<Result<T, EntryError>> {
        self.results
    }

    /// The entries that failed, each with its place among those given, from 0.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &EntryError)> {
        let all = self.results.iter().enumerate();
        all.filter_map(|(index, result)| Some((index, result.as_ref().err()?)))
    }

    /// Whether none failed.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.results.iter().all(Result::is_ok)
    }
}

/// Why an entry failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EntryError {
    /// SQS did not do it, and says why. Its `id` is the caller's.
    Refused(BatchResultErrorEntry),
    /// The whole request failed. Whether SQS may have done what it asked all the same is known as
    /// for any call: [`Error::is_outcome_unknown`].
    Request(Arc<Error>),
    /// SQS answered, and not for this entry.
    Unanswered,
    /// It was not sent, because a message before it in its group failed.
    GroupFailed,
    /// It was not sent, because an earlier request failed and so would have this one's.
    GaveUp,
    /// The message was sent, and its digests are not those of what was sent. Only for a client
    /// that [compares them](Client::check_md5).
    #[cfg(feature = "md5")]
    Md5(super::Md5Error),
}

impl EntryError {
    /// What went wrong, as SQS names it: of an entry the code of the Query protocol, of a request
    /// its [code](Error::code).
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            EntryError::Refused(refused) => Some(&refused.code),
            EntryError::Request(error) => error.code(),
            EntryError::Unanswered | EntryError::GroupFailed | EntryError::GaveUp => None,
            #[cfg(feature = "md5")]
            EntryError::Md5(_) => None,
        }
    }

    /// Whose fault it is, where SQS says so. An entry with the sender's fault fails again if it is
    /// sent again.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        match self {
            EntryError::Refused(refused) if refused.sender_fault => Some(Fault::Sender),
            EntryError::Refused(_) => Some(Fault::Receiver),
            EntryError::Request(error) => error.fault().map(|fault| match fault {
                aws_json::codec::error_body::Fault::Sender => Fault::Sender,
                aws_json::codec::error_body::Fault::Receiver => Fault::Receiver,
            }),
            EntryError::Unanswered | EntryError::GroupFailed | EntryError::GaveUp => None,
            #[cfg(feature = "md5")]
            EntryError::Md5(_) => None,
        }
    }
}

impl fmt::Display for EntryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryError::Refused(refused) => {
                formatter.write_str(&refused.code)?;
                match &refused.message {
                    Some(message) => write!(formatter, ": {message}"),
                    None => Ok(()),
                }
            }
            EntryError::Request(error) => write!(formatter, "the batch failed: {error}"),
            EntryError::Unanswered => formatter.write_str("SQS's answer does not tell of it"),
            EntryError::GroupFailed => {
                formatter.write_str("not sent, since a message before it in its group failed")
            }
            EntryError::GaveUp => formatter.write_str("not sent, since a batch before it failed"),
            #[cfg(feature = "md5")]
            EntryError::Md5(error) => error.fmt(formatter),
        }
    }
}

impl StdError for EntryError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            EntryError::Request(error) => Some(&**error),
            EntryError::Refused(_)
            | EntryError::Unanswered
            | EntryError::GroupFailed
            | EntryError::GaveUp => None,
            #[cfg(feature = "md5")]
            EntryError::Md5(error) => Some(error),
        }
    }
}

/// What follows a request that failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    GiveUp,
}

impl Next {
    fn after(error: &Error) -> Next {
        match error.fault() {
            Some(aws_json::codec::error_body::Fault::Sender) => Next::GoOn,
            Some(aws_json::codec::error_body::Fault::Receiver) | None => Next::GiveUp,
        }
    }
}

/// The results so far.
struct Work<D> {
    /// By the entry's place. None while it is on its way.
    results: Vec<Option<Result<D, EntryError>>>,
    /// The groups of which a message failed; none where order does not matter.
    failed_groups: Option<HashSet<String>>,
}

impl<D> Work<D> {
    /// Takes as many entries as go into one request.
    fn next_request<E: Entry<Done = D>>(
        &mut self,
        rest: &mut Peekable<impl Iterator<Item = E>>,
    ) -> Vec<(usize, E)> {
        let (mut request, mut size) = (Vec::new(), 0);
        let fits = |len: usize, size: usize| {
            len == 0 || (BATCH_ENTRIES.contains(len + 1) && BATCH_SIZE.max() as usize >= size)
        };
        while let Some(entry) = rest.next_if(|entry| fits(request.len(), size + entry.size())) {
            if self.group_failed(&entry) {
                self.results.push(Some(Err(EntryError::GroupFailed)));
                continue;
            }
            size += entry.size();
            request.push((self.results.len(), entry));
            self.results.push(None);
        }
        request
    }

    /// Sorts an answer into the results, and gives what is to be sent again, if it may be.
    fn answered<E: Entry<Done = D>>(
        &mut self,
        client: &Client,
        mut sent: Vec<(usize, E)>,
        answer: Answer<D>,
        attempts_left: u32,
    ) -> Vec<(usize, E)> {
        let mut outcomes: Vec<Option<Result<D, BatchResultErrorEntry>>> = Vec::new();
        outcomes.resize_with(sent.len(), || None);
        for (position, outcome) in answer {
            if let Some(place) = outcomes.get_mut(position) {
                *place = Some(outcome);
            }
        }
        // From the last one on: whether a later message of its group is in the queue, or may be, is
        // known first.
        let mut groups_stored = HashSet::new();
        let mut failures = Vec::new();
        while let (Some((index, entry)), Some(outcome)) = (sent.pop(), outcomes.pop()) {
            let overtaken = entry.group().is_some_and(|it| groups_stored.contains(it));
            if let (Some(_), Some(group)) = (&self.failed_groups, entry.group())
                && !matches!(outcome, Some(Err(_)))
            {
                groups_stored.insert(group.to_owned());
            }
            match outcome {
                Some(Ok(mut done)) => {
                    let checked = entry.check(client, &done);
                    E::name(&mut done, entry.id());
                    self.results[index] = Some(checked.map(|()| done));
                }
                Some(Err(refused)) => {
                    let again = attempts_left > 0 && !refused.sender_fault && !overtaken;
                    failures.push((index, entry, EntryError::Refused(refused), again));
                }
                None => failures.push((index, entry, EntryError::Unanswered, false)),
            }
        }
        let mut again = Vec::new();
        for (index, entry, mut error, may_again) in failures.into_iter().rev() {
            if may_again && !self.group_failed(&entry) {
                again.push((index, entry));
                continue;
            }
            if let EntryError::Refused(refused) = &mut error {
                refused.id = entry.id().unwrap_or_default().to_owned();
            }
            self.fail(index, &entry, error);
        }
        again
    }

    fn request_failed<E: Entry<Done = D>>(
        &mut self,
        sent: impl Iterator<Item = (usize, E)>,
        error: Error,
    ) {
        let error = Arc::new(error);
        for (index, entry) in sent {
            self.fail(index, &entry, EntryError::Request(Arc::clone(&error)));
        }
    }

    fn give_up<E>(&mut self, rest: impl Iterator<Item = E>) {
        let results = rest.map(|_| Some(Err(EntryError::GaveUp)));
        self.results.extend(results);
    }

    fn fail<E: Entry<Done = D>>(&mut self, index: usize, entry: &E, error: EntryError) {
        if let (Some(groups), Some(group)) = (&mut self.failed_groups, entry.group()) {
            groups.insert(group.to_owned());
        }
        self.results[index] = Some(Err(error));
    }

    fn group_failed<E: Entry>(&self, entry: &E) -> bool {
        match (&self.failed_groups, entry.group()) {
            (Some(groups), Some(group)) => groups.contains(group),
            (Some(_), None) | (None, _) => false,
        }
    }

    fn report(self) -> Report<D> {
        let unanswered = || Err(EntryError::Unanswered);
        let results = self.results.into_iter();
        Report {
            results: results.map(|it| it.unwrap_or_else(unanswered)).collect(),
        }
    }
}

/// How long to wait before this attempt, from the second on.
fn pause(attempt: u32) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(1 << attempt.saturating_sub(2).min(16));
    doubled.min(LONGEST_PAUSE)
}

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
