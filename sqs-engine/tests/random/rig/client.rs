//! The engine as a client drives it.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use sqs::{Error, Message, Request, Response};
use sqs_engine::inspect::QueueView;
use sqs_engine::{
    Config, Context, Directives, Engine, InFlightLimits, Outcome, Restore, Rules, Timestamp,
    WaiterId,
};

use super::Given;

/// `M` is what names a message.
pub(crate) struct Client<M> {
    engine: Engine,
    context: Context,
    now: Timestamp,
    /// In order, over the whole run.
    pub(crate) deliveries: Vec<Delivery<M>>,
    /// Each receive that waited, in order.
    polls: Vec<(WaiterId, &'static str)>,
    completed: Vec<(usize, Answered)>,
    /// Everything that was answered, handles and ids included.
    pub(crate) transcript: String,
}

/// That a message was received.
pub(crate) struct Delivery<M> {
    pub(crate) queue: &'static str,
    pub(crate) message: M,
    /// When the engine was woken that gave it, in milliseconds.
    pub(crate) at: i64,
    pub(crate) handle: String,
}

/// What came of a request.
pub(crate) struct Answered {
    pub(crate) queue: &'static str,
    /// In milliseconds.
    pub(crate) at: i64,
    pub(crate) result: Result<Response, Error>,
}

/// How time passes for the engine.
#[derive(Clone, Copy)]
pub(crate) enum Waking {
    /// In one step, over everything that is due.
    AtTheEnd,
    /// At each deadline.
    AtDeadlines,
    /// Every 250 ms, whether something is due or not.
    Often,
}

pub(crate) const ACCOUNT: &str = "000000000000";
pub(crate) const REGION: &str = "us-east-1";

impl<M> Client<M> {
    pub(crate) fn new(seed: u64, limits: InFlightLimits) -> Self {
        let config = Config {
            seed,
            rules: Rules::Relaxed,
            limits,
        };
        Self {
            engine: Engine::new(config),
            context: Context::new(ACCOUNT, "test", REGION, "http://localhost"),
            now: Timestamp::from_millis(0),
            deliveries: Vec::new(),
            polls: Vec::new(),
            completed: Vec::new(),
            transcript: String::new(),
        }
    }

    /// In milliseconds.
    pub(crate) fn now(&self) -> i64 {
        self.now.as_millis()
    }

    pub(crate) fn poll_count(&self) -> usize {
        self.polls.len()
    }

    /// A request beside the run, which is not for the transcript.
    pub(crate) fn call(&mut self, input: impl Into<Request>) -> Result<Response, Error> {
        match self.engine.handle(self.now, &self.context, input.into()) {
            Outcome::Done(result) => result,
            Outcome::Waiting(_) => panic!("only a receive of the run waits"),
        }
    }

    /// What the requests from here on are told to do otherwise than usual.
    pub(crate) fn direct(&mut self, directives: Directives) {
        self.context.directives = directives;
    }

    /// A request about a queue; nothing is answered if it waits.
    pub(crate) fn ask(&mut self, queue: &'static str, request: Request) -> Option<Answered> {
        match self.engine.handle(self.now, &self.context, request) {
            Outcome::Done(result) => Some(self.answered(queue, result)),
            Outcome::Waiting(id) => {
                self.polls.push((id, queue));
                None
            }
        }
    }

    pub(crate) fn cancel(&mut self, poll: usize) {
        self.engine.cancel(self.polls[poll].0);
    }

    /// Lets time pass; the engine is woken at least once. It must not wait for a moment that it was
    /// woken at, since then waking it at its deadlines would have no end.
    pub(crate) fn pass(&mut self, millis: i64, waking: Waking) {
        let millis = u64::try_from(millis).expect("not negative");
        let end = self.now.after(Duration::from_millis(millis));
        loop {
            let next = match waking {
                Waking::AtTheEnd => end,
                Waking::AtDeadlines => self.engine.next_deadline().unwrap_or(end),
                Waking::Often if millis < 100_000 => self.now.after(Duration::from_millis(250)),
                Waking::Often => self.now.after(Duration::from_secs(60)),
            };
            self.now = next.min(end);
            self.engine.advance(self.now);
            self.collect();
            if let Some(next) = self.engine.next_deadline() {
                let now = self.now;
                assert!(next > now, "woken at {now:?}, it still waits for {next:?}");
            }
            if self.now >= end {
                return;
            }
        }
    }

    /// Goes on with an engine that is made from a snapshot of the present one.
    pub(crate) fn restore(&mut self) {
        self.collect();
        let parts = snapshot(&self.engine);
        let mut restore = Restore::new();
        for part in &parts {
            restore.add(part).expect("a part");
        }
        let restored = restore.finish().expect("an engine");
        assert!(parts == snapshot(&restored), "a snapshot is kept whole");
        assert_eq!(restored.next_deadline(), self.engine.next_deadline());
        self.engine = restored;
    }

    /// The polls that have been answered since this was asked last, by their numbers and in order.
    pub(crate) fn completed(&mut self) -> Vec<(usize, Answered)> {
        self.collect();
        std::mem::take(&mut self.completed)
    }

    /// Keeps a message that was received, under the name that it goes by.
    pub(crate) fn keep(&mut self, queue: &'static str, at: i64, message: M, handle: String) {
        self.deliveries.push(Delivery {
            queue,
            message,
            at,
            handle,
        });
    }

    pub(crate) fn view(&self, queue: &str) -> QueueView<'_> {
        self.engine
            .inspect()
            .queue(ACCOUNT, REGION, queue)
            .expect("a queue")
    }

    /// In milliseconds.
    pub(crate) fn next_deadline(&self) -> Option<i64> {
        self.engine.next_deadline().map(Timestamp::as_millis)
    }

    fn collect(&mut self) {
        while let Some((id, result)) = self.engine.poll_completed() {
            let is_it = |(poll, _): &(WaiterId, _)| *poll == id;
            let number = self.polls.iter().position(is_it).expect("a poll");
            let answered = self.answered(self.polls[number].1, result);
            self.completed.push((number, answered));
        }
    }

    fn answered(&mut self, queue: &'static str, result: Result<Response, Error>) -> Answered {
        let json = result
            .as_ref()
            .map(|response| serde_json::to_string(response).expect("JSON"));
        writeln!(self.transcript, "{json:?}").expect("a string takes all");
        let at = self.now();
        Answered { queue, at, result }
    }
}

fn snapshot(engine: &Engine) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let put = |part: &[u8]| -> Result<(), Infallible> {
        parts.push(part.to_vec());
        Ok(())
    };
    match engine.snapshot(put) {
        Ok(()) => parts,
    }
}

impl Answered {
    pub(crate) fn given<M>(self, received: impl FnMut(Message) -> M) -> Given<M> {
        match self.result {
            Err(error) => Given::Refused(error.code().name()),
            Ok(Response::ReceiveMessage(output)) => {
                Given::Messages(output.messages.into_iter().map(received).collect())
            }
            Ok(Response::SendMessageBatch(output)) => {
                assert!(output.failed.is_empty(), "failed: {:?}", output.failed);
                Given::Done
            }
            Ok(_) => Given::Done,
        }
    }
}
