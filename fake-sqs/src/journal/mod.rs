//! What was asked of the server, and what came of it.
//!
//! Every request that comes to SQS's side of the server has an entry, also one that is refused, and
//! a long poll whose client hangs up; the entry is there before the client has its answer. The
//! control interface's own requests have none.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use fake_sqs::FakeSqs;
//! use fake_sqs::journal::Filter;
//! # use sqs::*;
//!
//! let server = FakeSqs::start().await;
//! # let client = Client::new(Client::builder()
//! #     .endpoint(server.endpoint_url())
//! #     .region(server.region())
//! #     .credentials(server.credentials())
//! #     .build()?);
//! # client.create_queue(CreateQueueInput::new("orders")).await?;
//! # let sent = client.send_message(SendMessageInput::new("orders", "hello")).await?;
//! # let received = client.receive_message(ReceiveMessageInput::new("orders")).await?;
//! # let handle = received.messages[0].receipt_handle.clone().unwrap_or_default();
//! # client.delete_message(DeleteMessageInput::new("orders", handle)).await?;
//! # let id = sent.message_id.unwrap_or_default();
//! // … the code under test sends a message, receives it, and deletes it …
//! let orders = server.queue("orders");
//! assert_eq!(orders.sent(), [id.clone()]);
//! assert_eq!(orders.received(&id), 1);
//! assert_eq!(orders.deleted(&id), 1);
//!
//! let requests = server.requests_where(&Filter::new().message_id(&id));
//! let actions: Vec<_> = requests.iter().filter_map(|request| request.action).collect();
//! assert_eq!(actions, [
//!     Operation::SendMessage,
//!     Operation::ReceiveMessage,
//!     Operation::DeleteMessage,
//! ]);
//! # Ok(())
//! # }
//! ```
//!
//! The journal keeps the latest requests within [`Bounds`]. Whoever reads it later than that is told
//! how many requests are missing.

mod filter;
mod note;
mod redact;
mod request;
mod ring;
pub(crate) mod subject;
#[cfg(test)]
mod tests;

pub use self::filter::{Filter, OutcomeFilter};
pub(crate) use self::note::{End, Ended, Note, Words};
pub(crate) use self::request::Entry;
pub use self::request::{Failed, FaultHit, Outcome, Refusal, Request};
pub use self::ring::Bounds;
pub(crate) use self::ring::{Journal, Page, Query, Reach, TooManyReaders};
