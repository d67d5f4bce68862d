//! A receive: what it asks for, and how the references let it wait.

use sqs::{ReceiveMessageInput, Request};

use super::settings::Settings;
use super::{Given, Rng, SECOND};

/// What a receive asks for. Times are seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receive {
    pub(crate) max: i32,
    pub(crate) visibility: Option<i32>,
    pub(crate) wait: Option<i32>,
    pub(crate) attempt: Option<&'static str>,
}

impl Receive {
    /// As many as there may be, at once.
    pub(crate) fn all(visibility: i32) -> Self {
        Self {
            max: 10,
            visibility: Some(visibility),
            wait: Some(0),
            attempt: None,
        }
    }

    pub(crate) fn pick(rng: &mut Rng) -> Self {
        let visibilities = [None, None, Some(0), Some(1), Some(2), Some(5), Some(43_200)];
        let waits = [None, Some(0), Some(0), Some(1), Some(2), Some(5), Some(20)];
        Self {
            max: rng.pick(&[1, 1, 2, 3, 10]),
            visibility: rng.pick(&visibilities),
            wait: rng.pick(&waits),
            attempt: None,
        }
    }

    pub(crate) fn request(&self, queue: &str) -> Request {
        let input = ReceiveMessageInput {
            max_number_of_messages: Some(self.max),
            visibility_timeout: self.visibility,
            wait_time_seconds: self.wait,
            receive_request_attempt_id: self.attempt.map(str::to_owned),
            message_system_attribute_names: Some(vec!["All".into()]),
            ..ReceiveMessageInput::new(queue)
        };
        input.into()
    }
}

/// A receive as a reference keeps it. Times are milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Poll {
    /// If it waits.
    pub(crate) number: usize,
    pub(crate) max: usize,
    pub(crate) visibility: Option<i64>,
    pub(crate) deadline: i64,
    pub(crate) attempt: Option<&'static str>,
}

impl Poll {
    pub(crate) fn new(number: usize, asks: &Receive, queue: &Settings, now: i64) -> Self {
        let millis = |seconds| i64::from(seconds) * SECOND;
        Self {
            number,
            max: usize::try_from(asks.max).expect("not negative"),
            visibility: asks.visibility.map(millis),
            deadline: now + asks.wait.map_or(queue.wait, millis),
            attempt: asks.attempt,
        }
    }

    /// Ends those whose time has come: they are answered with nothing, in the order in which it
    /// came.
    pub(crate) fn end<'a, M>(
        queues: impl IntoIterator<Item = &'a mut Vec<Self>>,
        now: i64,
    ) -> impl Iterator<Item = (usize, Given<M>)> {
        let mut over = Vec::new();
        for polls in queues {
            over.extend(polls.extract_if(.., |poll| poll.deadline <= now));
        }
        over.sort_by_key(|poll| (poll.deadline, poll.number));
        let nothing = |poll: Self| (poll.number, Given::Messages(Vec::new()));
        over.into_iter().map(nothing)
    }
}
