//! Long lists, a page at a time: what a page costs does not depend on how long the list is.

use serde::Serialize;
use sqs_engine::QueueAddress;
use sqs_engine::inspect::{
    DuePlace, Inspect, MessageView, Place, PlaceError, QueueFilter, QueueView,
};

use super::{Message, Queue, QueueDetails, State};
use crate::http::limits;

/// Which queues to show.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueQuery {
    pub(crate) account: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) prefix: String,
    pub(crate) limit: usize,
    pub(crate) after: Option<QueueAddress>,
}

/// A page of queues.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QueuePage {
    pub(crate) queues: Vec<Queue>,
    /// The last of them, if there are more.
    pub(crate) after: Option<String>,
}

impl QueueQuery {
    pub(crate) fn page(&self, inspect: Inspect<'_>, base_url: &str) -> QueuePage {
        let filter = QueueFilter {
            account: self.account.as_deref(),
            region: self.region.as_deref(),
            prefix: &self.prefix,
        };
        let mut found = inspect.queues_after(filter, self.after.as_ref());
        let queues: Vec<Queue> = found
            .by_ref()
            .take(self.limit)
            .map(|view| Queue::describe(view, base_url))
            .collect();
        let last = queues.last().filter(|_| found.next().is_some());
        let after = last.map(|queue| {
            QueueAddress::new(&*queue.account, &*queue.region, &*queue.name).to_string()
        });
        QueuePage { queues, after }
    }
}

/// Where the lists inside a queue go on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursors {
    pub(crate) limit: usize,
    pub(crate) groups_after: Option<String>,
    pub(crate) dedup_after: Option<String>,
}

impl QueueDetails {
    pub(crate) fn describe(view: QueueView<'_>, cursors: &Cursors, base_url: &str) -> Self {
        let mut groups_left = view.groups_after(cursors.groups_after.as_deref());
        let groups: Vec<super::Group> = groups_left
            .by_ref()
            .take(cursors.limit)
            .map(Into::into)
            .collect();
        let more_groups = groups_left.next().is_some();
        // A sequence number is never empty, so this is before all.
        let mut ids_left =
            view.deduplication_ids_after(cursors.dedup_after.as_deref().unwrap_or_default());
        let dedup: Vec<super::DeduplicationId> = ids_left
            .by_ref()
            .take(cursors.limit)
            .map(Into::into)
            .collect();
        let more_ids = ids_left.next().is_some();
        let last_group = groups.last().filter(|_| more_groups);
        let last_id = dedup.last().filter(|_| more_ids);
        Self {
            queue: Queue::describe(view, base_url),
            groups_after: last_group.map(|group| group.name.clone()),
            dedup_after: last_id.map(|id| id.sequence_number.clone()),
            polls: view
                .polls()
                .take(limits::CONTROL_PAGE_MAX)
                .map(Into::into)
                .collect(),
            move_tasks: view.move_tasks(),
            groups,
            dedup,
        }
    }
}

/// Which messages of a queue to show.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageQuery {
    /// Those in whatever state, if none is given.
    pub(crate) state: Option<State>,
    pub(crate) limit: usize,
    /// What an earlier page with the same state gave.
    pub(crate) after: Option<String>,
}

/// A page of messages. It may hold fewer than were asked for though there are more: it has at most
/// [`CONTROL_PAGE_BYTES`](limits::CONTROL_PAGE_BYTES) of bodies, unless one alone is longer, and
/// visible messages are looked for among
/// [`CONTROL_PAGE_LOOKS`](limits::CONTROL_PAGE_LOOKS) at most.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct MessagePage {
    pub(crate) messages: Vec<Message>,
    /// Where to go on, if there are more.
    pub(crate) after: Option<String>,
}

impl MessageQuery {
    /// Those hidden have an index by their deadline, and that is their order. The others are in the
    /// order in which their retention ends.
    pub(crate) fn page(&self, queue: QueueView<'_>) -> Result<MessagePage, PlaceError> {
        let due = || parse::<DuePlace>(self.after.as_deref());
        let due_place = |view: &MessageView<'_>| view.due_place().map(|place| place.to_string());
        let place = |view: &MessageView<'_>| Some(view.place().to_string());
        Ok(match self.state {
            Some(State::Delayed) => self.fill(queue.delayed_after(due()?), due_place),
            Some(State::InFlight) => self.fill(queue.in_flight_after(due()?), due_place),
            Some(State::Visible) if queue.counts().visible == 0 => MessagePage::default(),
            Some(State::Visible) | None => {
                let after = parse::<Place>(self.after.as_deref())?;
                self.fill(queue.messages_after(after), place)
            }
        })
    }

    fn fill<'a>(
        &self,
        messages: impl Iterator<Item = MessageView<'a>>,
        place: impl Fn(&MessageView<'a>) -> Option<String>,
    ) -> MessagePage {
        let mut page = MessagePage::default();
        let mut bytes = 0;
        let mut last = None;
        for (looks, view) in messages.enumerate() {
            let is_asked_for = self.state.is_none_or(|state| state == view.state().into());
            let length = if is_asked_for { view.body().len() } else { 0 };
            let is_full = page.messages.len() >= self.limit
                || looks >= limits::CONTROL_PAGE_LOOKS
                || (bytes + length > limits::CONTROL_PAGE_BYTES && !page.messages.is_empty());
            if is_full {
                page.after = last.as_ref().and_then(place);
                break;
            }
            if is_asked_for {
                bytes += length;
                page.messages.push(view.into());
            }
            last = Some(view);
        }
        page
    }
}

fn parse<T: std::str::FromStr>(after: Option<&str>) -> Result<Option<T>, T::Err> {
    after.map(str::parse).transpose()
}

#[cfg(test)]
mod tests {
    use sqs::{CreateQueueInput, SendMessageInput};
    use sqs_engine::{Config, Context, Engine, Timestamp};

    use super::*;

    /// The messages of a queue, many of which are delayed, and the last of which is visible.
    fn engine(delayed: usize) -> Engine {
        let mut engine = Engine::new(Config::default());
        let context = Context::new("000000000000", "test", "us-east-1", "");
        let mut call = |request| drop(engine.handle(Timestamp::from_millis(0), &context, request));
        call(CreateQueueInput::new("q").into());
        for _ in 0..delayed {
            let mut input = SendMessageInput::new("q", "late");
            input.delay_seconds = Some(900);
            call(input.into());
        }
        call(SendMessageInput::new("q", "now").into());
        engine
    }

    fn page(engine: &Engine, state: State, after: Option<String>) -> MessagePage {
        let queue = engine.inspect().queue("000000000000", "us-east-1", "q");
        let query = MessageQuery {
            state: Some(state),
            limit: 10,
            after,
        };
        query.page(queue.expect("a queue")).expect("a place")
    }

    #[test]
    fn a_page_looks_at_so_many_messages_and_no_more() {
        let engine = engine(limits::CONTROL_PAGE_LOOKS);
        let first = page(&engine, State::Visible, None);
        assert_eq!(first.messages, []);
        assert!(first.after.is_some(), "there is more to look at");
        let second = page(&engine, State::Visible, first.after);
        assert_eq!(second.messages.len(), 1);
        assert_eq!(second.messages[0].body, "now");
        assert_eq!(second.after, None);
        // Those hidden are found without looking at others.
        let delayed = page(&engine, State::Delayed, None);
        assert_eq!(
            (delayed.messages.len(), delayed.after.is_some()),
            (10, true)
        );
        assert_eq!(page(&engine, State::InFlight, None).messages, []);
    }

    #[test]
    fn a_page_ends_before_the_body_that_is_too_much() {
        let mut engine = engine(0);
        let context = Context::new("000000000000", "test", "us-east-1", "");
        // The limit of SQS is lower; nine bodies of a mebibyte are more than a page has.
        for _ in 0..9 {
            let input = SendMessageInput::new("q", "x".repeat(1024 * 1024));
            let _ = engine.handle(Timestamp::from_millis(1), &context, input.into());
        }
        let first = page(&engine, State::Visible, None);
        assert_eq!(first.messages.len(), 8, "the short one, and seven");
        let second = page(&engine, State::Visible, first.after);
        assert_eq!((second.messages.len(), second.after), (2, None));
    }
}
