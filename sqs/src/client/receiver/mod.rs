//! A loop that receives messages, has them handled, and deletes those that were.
//!
//! ```no_run
//! use sqs::receiver::{OnFailure, Receiver};
//! use sqs::{Client, Message};
//!
//! async fn handle(message: Message) -> Result<(), std::num::ParseIntError> {
//!     let number: u64 = message.body.unwrap_or_default().parse()?;
//!     println!("order {number}");
//!     Ok(())
//! }
//!
//! # async fn example(client: Client, url: &str, stop: tokio::sync::oneshot::Receiver<()>) {
//! let stats = Receiver::new(client, url)
//!     .concurrency(50)
//!     .on_failure(OnFailure::ShowAfter(std::time::Duration::from_secs(60)))
//!     .run_until(stop, handle)
//!     .await;
//! println!("{} of {} handled", stats.handled, stats.received);
//! # }
//! ```
//!
//! # What it promises
//!
//! * A message is deleted only after its handler gave `Ok`. One whose handler fails, panics, takes
//!   too long or never ran comes again: each is handled at least once. It may be handled more than
//!   once, as with any use of SQS.
//! * It holds no more messages than it handles at once
//!   ([`concurrency`](Receiver::concurrency)). While a message is held, its visibility is extended
//!   each time a third of the timeout has passed, up to ten messages to a request.
//! * Messages of a FIFO queue's group are handled one after another, in order. When one fails, those
//!   behind it are made visible again unhandled. Receives have attempt ids, so that one whose answer
//!   is lost is repeated with the same messages.
//! * Deletions and changes of visibility go out ten at a time, or after
//!   [`batch_delay`](Receiver::batch_delay).
//! * When it is told to stop, it receives nothing new, lets running handlers finish, makes visible
//!   again what it holds beyond that, and sends what is left to delete. SQS cannot be told that a
//!   receive under way is no longer wanted, so it is waited for, up to
//!   [`wait_time`](Receiver::wait_time), and what it brings is made visible again. All of it takes
//!   [`stop_timeout`](Receiver::stop_timeout) at most. After that handlers are aborted and their
//!   messages made visible again, for which there are ten seconds more.
//! * It goes on after any failure. When receiving fails, after the client's own repeats, it waits a
//!   second, then twice as long each time, up to twenty. What fails is logged through [`tracing`] as
//!   a warning, and told to the [hook](Receiver::hook).
//!
//! It needs a tokio runtime with IO and time; handlers are tasks of it.

mod clock;
mod driver;
mod event;
mod flight;
mod outbox;
mod queue;
mod stats;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use self::driver::{Driver, Handler};
pub use self::event::{BoxError, Event, Failure};
use self::queue::{Attempts, SqsQueue};
use self::stats::Counters;
pub use self::stats::Stats;
use super::Client;
use crate::attributes::MessageSystemAttributeName;
use crate::limits::{VISIBILITY_TIMEOUT, WAIT_TIME_SECONDS};
use crate::shapes::receive::{Message, ReceiveMessageInput};

/// Receives the messages of one queue. The [module](self) says how.
pub struct Receiver {
    client: Client,
    queue_url: String,
    system_attributes: Vec<String>,
    attributes: Vec<String>,
    settings: Settings,
    hook: Arc<Hook>,
    counters: Arc<Counters>,
}

/// What is called with each event.
type Hook = dyn Fn(&Event<'_>) + Send + Sync;

impl Receiver {
    /// A receiver of this queue, with everything else as its setters say.
    #[must_use]
    pub fn new(client: Client, queue_url: impl Into<String>) -> Receiver {
        let queue_url = queue_url.into();
        Receiver {
            client,
            settings: Settings::of(&queue_url),
            queue_url,
            system_attributes: Vec::new(),
            attributes: Vec::new(),
            hook: Arc::new(|_| {}),
            counters: Arc::default(),
        }
    }

    /// How many messages are held at most: handlers that run, and messages of a FIFO queue that
    /// wait for others of their group. 10 by default, and at least 1.
    #[must_use]
    pub fn concurrency(mut self, messages: usize) -> Receiver {
        self.settings.concurrency = messages.max(1);
        self
    }

    /// How many receives are under way at most. 1 by default, and at least 1. Each brings ten
    /// messages at most, so more are for handlers that are quick.
    #[must_use]
    pub fn receives(mut self, receives: usize) -> Receiver {
        self.settings.receives = receives.max(1);
        self
    }

    /// How long a receive waits for a message, in whole seconds, [at most 20](WAIT_TIME_SECONDS),
    /// which is the default. It is how long a stop may take when there are no messages.
    #[must_use]
    pub fn wait_time(mut self, wait: Duration) -> Receiver {
        let seconds = whole_seconds(wait).min(WAIT_TIME_SECONDS.max());
        self.settings.wait_seconds = seconds;
        self
    }

    /// How long a received message is hidden at a time, in whole seconds, 1 to
    /// [43200](VISIBILITY_TIMEOUT) (12 hours). 30 s by default. A handler may take longer; this is
    /// how long a message waits for others when the whole program is gone.
    #[must_use]
    pub fn visibility_timeout(mut self, timeout: Duration) -> Receiver {
        let seconds = whole_seconds(timeout).clamp(1, VISIBILITY_TIMEOUT.max());
        self.settings.visibility_seconds = seconds;
        self
    }

    /// How long a handler may take, after which it is aborted and has failed. A minute less than 12
    /// hours by default, and at most: SQS hides a message no longer.
    #[must_use]
    pub fn handler_timeout(mut self, timeout: Duration) -> Receiver {
        self.settings.handler_timeout = timeout.min(LONGEST_HANDLER);
        self
    }

    /// What becomes of a message that was not handled. [`OnFailure::Show`] by default.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Receiver {
        self.settings.on_failure = on_failure;
        self
    }

    /// How long a deletion waits for others to go with it. 100 ms by default; none on a FIFO queue,
    /// where a group waits for it. At most a sixth of the
    /// [`visibility_timeout`](Self::visibility_timeout), so that none comes too late.
    #[must_use]
    pub fn batch_delay(mut self, delay: Duration) -> Receiver {
        self.settings.batch_delay = delay;
        self
    }

    /// How long stopping may take. 30 s by default, and at most as long as a
    /// [handler](Self::handler_timeout) may.
    #[must_use]
    pub fn stop_timeout(mut self, timeout: Duration) -> Receiver {
        self.settings.stop_timeout = timeout.min(LONGEST_HANDLER);
        self
    }

    /// The system attributes that messages come with; none by default. On a FIFO queue
    /// `MessageGroupId` is always among them.
    #[must_use]
    pub fn message_system_attribute_names<T: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = T>,
    ) -> Receiver {
        self.system_attributes = names.into_iter().map(Into::into).collect();
        self
    }

    /// The sender's attributes that messages come with, by name, by prefix (`order.*`), or `All`;
    /// none by default.
    #[must_use]
    pub fn message_attribute_names<T: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = T>,
    ) -> Receiver {
        self.attributes = names.into_iter().map(Into::into).collect();
        self
    }

    /// Calls this with whatever goes wrong. It is called from the loop, so it must not block.
    #[must_use]
    pub fn hook(mut self, hook: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Receiver {
        self.hook = Arc::new(hook);
        self
    }

    /// What was done so far. It can be asked while the receiver runs.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.counters.stats()
    }

    /// Receives until `stop` is ready, then stops as the [module](self) says, and gives the
    /// [`stats`](Self::stats).
    ///
    /// The handler gets each message and says whether it is done. When this future is dropped
    /// instead, handlers are aborted at once, and what is held comes back when its visibility
    /// timeout ends.
    pub async fn run_until<H, F, E>(&self, stop: impl Future, handler: H) -> Stats
    where
        H: Fn(Message) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let handler: Handler = Arc::new(move |message| {
            let work = handler(message);
            Box::pin(async move { work.await.map_err(Into::into) })
        });
        let queue_url = self.queue_url.clone();
        let hook = Arc::clone(&self.hook);
        let tell = move |event: &Event<'_>| {
            tracing::warn!(queue = queue_url, "{event}");
            hook(event);
        };
        let queue = SqsQueue {
            client: self.client.clone(),
            receive: self.receive_input(),
            attempts: match self.settings.order {
                Order::Any => None,
                Order::Groups => Some(Attempts::new()),
            },
        };
        let counters = Arc::clone(&self.counters);
        let driver = Driver::new(queue, self.settings, handler, Box::new(tell), counters);
        driver.run_until(stop).await;
        self.stats()
    }

    fn receive_input(&self) -> ReceiveMessageInput {
        let mut system = self.system_attributes.clone();
        if self.settings.order == Order::Groups {
            system.push(MessageSystemAttributeName::MessageGroupId.name().to_owned());
        }
        ReceiveMessageInput {
            message_system_attribute_names: Some(system).filter(|names| !names.is_empty()),
            message_attribute_names: Some(self.attributes.clone())
                .filter(|names| !names.is_empty()),
            visibility_timeout: i32::try_from(self.settings.visibility_seconds).ok(),
            wait_time_seconds: i32::try_from(self.settings.wait_seconds).ok(),
            ..ReceiveMessageInput::new(&self.queue_url)
        }
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Receiver")
            .field("client", &self.client)
            .field("queue_url", &self.queue_url)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// What becomes of a message that was not handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// It is visible again at once.
    Show,
    /// It is visible again after this time, in whole seconds, at most
    /// [12 hours](VISIBILITY_TIMEOUT) less what its handler took.
    ShowAfter(Duration),
    /// It is left alone, and visible again when its visibility timeout ends, which is within
    /// [`visibility_timeout`](Receiver::visibility_timeout).
    Leave,
}

/// What was chosen.
#[derive(Clone, Copy, Debug)]
struct Settings {
    concurrency: usize,
    receives: usize,
    wait_seconds: u32,
    visibility_seconds: u32,
    handler_timeout: Duration,
    on_failure: OnFailure,
    batch_delay: Duration,
    stop_timeout: Duration,
    order: Order,
}

impl Settings {
    fn of(queue_url: &str) -> Settings {
        let order = Order::of(queue_url);
        Settings {
            concurrency: 10,
            receives: 1,
            wait_seconds: WAIT_TIME_SECONDS.max(),
            visibility_seconds: 30,
            handler_timeout: LONGEST_HANDLER,
            on_failure: OnFailure::Show,
            batch_delay: match order {
                Order::Any => Duration::from_millis(100),
                Order::Groups => Duration::ZERO,
            },
            stop_timeout: Duration::from_secs(30),
            order,
        }
    }
}

/// The order in which messages are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// As they come.
    Any,
    /// Those of a group one after another.
    Groups,
}

impl Order {
    /// On a standard queue a group only makes the queue fair.
    fn of(queue_url: &str) -> Order {
        if queue_url.ends_with(".fifo") {
            Order::Groups
        } else {
            Order::Any
        }
    }
}

/// At least as long, in the unit of SQS.
fn whole_seconds(duration: Duration) -> u32 {
    let more = u64::from(duration.subsec_nanos() > 0);
    u32::try_from(duration.as_secs().saturating_add(more)).unwrap_or(u32::MAX)
}

/// SQS hides a message for 12 hours after its receive and no longer. This leaves it a minute.
const LONGEST_HANDLER: Duration = Duration::from_secs(43_200 - 60);

#[cfg(test)]
mod tests;
