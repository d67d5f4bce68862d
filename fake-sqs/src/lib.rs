//! A local Amazon SQS for tests that verifies every signature.
//!
//! Any AWS SDK talks to it as it talks to SQS: change the endpoint, nothing else. Each call's
//! Signature Version 4 is checked as AWS checks it, so a client that would be refused there is
//! refused here, with the same error. Everything is in memory and gone with the server, unless it is
//! given [a directory](Builder::data_dir) to keep it in.
//!
//! Inside a Rust test, [`FakeSqs::start`] gives a server on a free port:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let sqs = fake_sqs::FakeSqs::start().await;
//! println!("{} accepts {}", sqs.endpoint_url(), sqs.credentials().access_key_id());
//! # }
//! ```
//!
//! A client of the crate `sqs` (with its feature `client`) is given the server's address and
//! credentials as they are; any other takes [`Credential::access_key_id`] and
//! [`Credential::secret_access_key`]:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use fake_sqs::FakeSqs;
//! use sqs::{Client, CreateQueueInput};
//!
//! let server = FakeSqs::start().await;
//! let client = Client::builder()
//!     .endpoint(server.endpoint_url())
//!     .region(server.region())
//!     .credentials(server.credentials())
//!     .build()?;
//! let client = Client::new(client);
//! let created = client.create_queue(CreateQueueInput::new("orders")).await?;
//! assert!(created.queue_url.is_some_and(|url| url.ends_with("/000000000000/orders")));
//! # Ok(())
//! # }
//! ```
//!
//! Everywhere else, the program `fake-sqs` is one: it listens on 127.0.0.1:9324 and accepts the
//! access key `test` with the secret `test`.
//!
//! # Who sees which queues
//!
//! An access key belongs to an account, and queues live under account, region and name. The region
//! is the one that the client signs for; every region is served. Queue URLs begin with the `Host`
//! of the request that asks for them, so they work from wherever the client stands.
//!
//! # What it tells
//!
//! AWS's answers are short, and many SDKs hide them. Why a call was refused, and what would be
//! right, is in the log: one line, without secrets. The server logs through [`tracing`], so a
//! test sees nothing of it until it installs a subscriber. With `tracing-subscriber` as a
//! development dependency this is enough, once in the process, before the server starts:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // The server has a thread of its own, so a subscriber of the test's thread does not hear it:
//! // it must be the process's. Another test may have installed one, which is as good.
//! let _ = tracing_subscriber::fmt().with_test_writer().try_init();
//! let sqs = fake_sqs::FakeSqs::start().await;
//! # drop(sqs);
//! # }
//! ```
//!
//! Refusals are at `WARN`, and calls at `DEBUG`. `cargo test -- --nocapture` shows what passing
//! tests log too.
//!
//! A refusal that puzzles at first: a credential has a session token or it has none. A client that
//! finds one in its environment (AWS_SESSION_TOKEN, left from another shell) sends it along, and is
//! refused with UnrecognizedClientException where the server's credential has none.
//!
//! # Faults
//!
//! What AWS does seldom, and a client must live with, happens here when a test wants it to:
//! [`FakeSqs::fault`] takes a [`Fault`] and gives a guard, with which it goes again.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use fake_sqs::{FakeSqs, Fault, Operation};
//! use sqs::{Client, CreateQueueInput, ReceiveMessageInput, SendMessageInput};
//!
//! let server = FakeSqs::start().await;
//! let client = Client::builder()
//!     .endpoint(server.endpoint_url())
//!     .region(server.region())
//!     .credentials(server.credentials())
//!     .build()?;
//! let client = Client::new(client);
//! client.create_queue(CreateQueueInput::new("orders")).await?;
//! client.send_message(SendMessageInput::new("orders", "hello")).await?;
//!
//! // At-least-once delivery: the next receive leaves its messages visible.
//! let duplicate = server.fault(Fault::duplicate().queue("orders").times(1));
//! for _ in 0..2 {
//!     let received = client.receive_message(ReceiveMessageInput::new("orders")).await?;
//!     assert_eq!(received.messages.len(), 1);
//! }
//! assert_eq!(duplicate.hits(), 1);
//!
//! // The lost reply: the message is sent, and the client does not learn of it.
//! let lost = server.fault(Fault::close_after().on(Operation::SendMessage));
//! assert!(client.send_message(SendMessageInput::new("orders", "again")).await.is_err());
//! # drop(lost);
//! # Ok(())
//! # }
//! ```
//!
//! # The control interface
//!
//! Paths under `/_fake/` are not SQS's. They take and give JSON, are not signed, and are answered
//! only when the request's `Host` is a loopback name (or one given to [`Builder::control_host`]),
//! and never to a web page of another origin.
//!
//! | request | answer |
//! |---|---|
//! | `GET /_fake/health` | 200 when the server is ready, with how much it holds; 503 before and after |
//! | `GET`, `POST`, `DELETE /_fake/faults` | what goes wrong on purpose: see [`Fault`] |
//! | `POST /_fake/reset` | everything is forgotten; `{"account":"…"}` limits it to one account |
//! | `GET /_fake/clock` | the queues' time; `POST` to `/freeze`, `/resume` and `/advance` below it |
//! | `GET /_fake/queues` | queues with their counts; below it each queue and its messages |
//! | `GET /_fake/requests` | the [`journal`]: what was asked for, and what came of it |
//! | `GET /_fake/metrics` | counts and measures, in Prometheus's text format |
//!
//! Inside a Rust test the same is at hand without HTTP: [`FakeSqs::advance`] and [`FakeSqs::freeze`]
//! move and stop the queues' time, and [`FakeSqs::queue`] looks and reaches into a queue:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), fake_sqs::ControlError> {
//! use std::time::Duration;
//!
//! use fake_sqs::FakeSqs;
//! use fake_sqs::inside::State;
//!
//! let server = FakeSqs::start().await;
//! let orders = server.create_queue("orders").await?;
//! // … the code under test sends, with a delay of 15 minutes …
//! # let mut late = sqs::SendMessageInput::new("", "hello");
//! # late.delay_seconds = Some(900);
//! # orders.send_message(late).await?;
//! assert_eq!(orders.messages(State::Delayed).await?[0].body, "hello");
//! server.advance(Duration::from_secs(900)).await?;
//! assert_eq!(orders.counts().await?.visible, 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Bounds
//!
//! Whatever comes from the network is bounded: header bytes and count, the size of a body and the
//! time it may take, connections, the journal and those who wait for it, and how long a stop waits.
//! The numbers, with their reasons, are in [`limits`].

mod admin;
mod auth;
mod builder;
mod changes;
mod clock;
mod config;
mod control;
mod declare;
mod driver;
mod faults;
mod http;
mod in_words;
pub mod inside;
pub mod journal;
mod metrics;
mod offline;
mod queue_handle;
mod readiness;
mod record;
mod requests;
mod seed;
mod server;
mod settings;
mod store;
#[cfg(test)]
mod testing;

pub use sqs::Operation;
pub use sqs_engine::{InFlightLimits, MessageId, QueueAddress, Rules, Timestamp};

pub use crate::admin::{ControlHost, ControlHostError};
pub use crate::auth::{AccountId, AccountIdError, Credential, CredentialError, SecretError};
pub use crate::builder::{Builder, StartError};
pub use crate::clock::ClockStart;
pub use crate::config::{Configuration, ConfigurationError, Problem};
pub use crate::control::ControlError;
pub use crate::declare::{MessageDeclaration, QueueDeclaration};
pub use crate::driver::AutoCreate;
pub use crate::faults::{Fault, FaultError, FaultGuard};
pub use crate::http::cors::Cors;
pub use crate::http::limits;
pub use crate::offline::Offline;
pub use crate::queue_handle::QueueHandle;
pub use crate::requests::TooFew;
pub use crate::server::{FakeSqs, Server, endpoint_url, listen_address};
pub use crate::store::{DataDirError, Replay, ReplayedFrom, replay};
