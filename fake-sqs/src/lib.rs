//! A local Amazon SQS for tests that verifies every signature.
//!
//! Any AWS SDK talks to it as it talks to SQS: change the endpoint, nothing else. Each call's
//! Signature Version 4 is checked as AWS checks it, so a client that would be refused there is
//! refused here, with the same error. Nothing is stored but in memory.
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
//! Everywhere else, the program `fake-sqs` is one: it listens on 127.0.0.1:9324 and accepts the
//! access key `test` with the secret `test`.
//!
//! # Who sees which queues
//!
//! An access key belongs to an account, and queues live under account, region and name. The region
//! is the one that the client signs for; every region is served. Queue URLs begin with the `Host`
//! of the request that asks for them, so they work from wherever the client stands.
//!
//! # The control interface
//!
//! Paths under `/_fake/` are not SQS's. They take and give JSON, are not signed, and are answered
//! only when the request's `Host` is a loopback name (or one given to [`Builder::control_host`]),
//! and never to a web page of another origin.
//!
//! | request | answer |
//! |---|---|
//! | `GET /_fake/health` | 200 when the server is ready, with how much it holds |
//! | `POST /_fake/reset` | everything is forgotten; `{"account":"…"}` limits it to one account |
//!
//! # Bounds
//!
//! Whatever comes from the network is bounded: header bytes and count, the size of a body and the
//! time it may take, connections, and how long a stop waits. The numbers, with their reasons, are
//! in [`limits`].

mod admin;
mod auth;
mod builder;
mod clock;
mod control;
mod driver;
mod http;
mod seed;
mod server;
#[cfg(test)]
mod testing;

pub use sqs_engine::{InFlightLimits, Rules};

pub use crate::admin::{ControlHost, ControlHostError};
pub use crate::auth::{AccountId, AccountIdError, Credential, CredentialError, SecretError};
pub use crate::builder::{Builder, StartError};
pub use crate::http::limits;
pub use crate::server::{FakeSqs, Server, endpoint_url};
