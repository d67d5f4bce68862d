//! A typed client: a method for each operation, over the signed transport of [`aws_json`].
//!
//! ```no_run
//! use sqs::{Client, CreateQueueInput, DeleteMessageInput, ReceiveMessageInput, SendMessageInput};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::local("http://127.0.0.1:9324")?;
//!
//! let queue = client.create_queue(CreateQueueInput::new("orders")).await?;
//! let url = queue.queue_url.ok_or("no queue URL")?;
//! client.send_message(SendMessageInput::new(&url, "hi")).await?;
//!
//! // An input can also be lent, to be used again.
//! let receive = ReceiveMessageInput {
//!     max_number_of_messages: Some(10),
//!     wait_time_seconds: Some(20),
//!     ..ReceiveMessageInput::new(&url)
//! };
//! for message in client.receive_message(&receive).await?.messages {
//!     println!("{}", message.body.unwrap_or_default());
//!     if let Some(handle) = message.receipt_handle {
//!         client.delete_message(DeleteMessageInput::new(&url, handle)).await?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A refusal can be matched by either of its names, or by the row of the error table:
//!
//! ```no_run
//! # use sqs::{Client, ErrorCode, PurgeQueueInput};
//! # async fn example(client: Client) -> Result<(), sqs::client::Error> {
//! match client.purge_queue(PurgeQueueInput::new("http://127.0.0.1:9324/000000000000/a")).await {
//!     Err(error) if error.is("QueueDoesNotExist") => println!("nothing to purge"),
//!     Err(error) if ErrorCode::of(&error) == Some(ErrorCode::PurgeQueueInProgress) => {
//!         println!("purged less than a minute ago");
//!     }
//!     other => {
//!         other?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod batch;
mod endpoint;
mod entry;
#[cfg(feature = "md5")]
mod md5;
#[cfg(feature = "receiver")]
pub mod receiver;

use std::borrow::Borrow;
use std::time::Duration;

#[cfg(feature = "http2")]
pub use aws_json::client::HttpVersion;
use aws_json::client::Service;
pub use aws_json::client::{BuildError, Builder, Credentials, Endpoint, Error};

pub use self::batch::{Batches, EntryError, Report};
pub use self::endpoint::queue_endpoint;
#[cfg(feature = "md5")]
pub use self::md5::{Md5Error, Md5Mismatch, Md5Part};
use crate::operation::table::operation_table;
// The table names every shape there is.
use crate::*;

/// What the transport has to know of SQS: whose name is signed, what stands in `X-Amz-Target`, that
/// the protocol's version is 1.0, that errors have codes of the Query protocol too, and that its
/// plain name in GovCloud is the FIPS one.
#[must_use]
pub fn service() -> Service {
    Service::new(SIGNING_NAME, TARGET_PREFIX)
        .query_compatible()
        .plain_fips_in_govcloud()
}

/// A client of SQS at one endpoint. The [module](self) has an example.
///
/// It is cheap to clone, and clones share their connections. Each method takes its input by value
/// or by reference.
#[derive(Clone, Debug)]
pub struct Client {
    transport: aws_json::client::Client,
    queue_urls: QueueUrls,
    #[cfg(feature = "md5")]
    md5: md5::Checks,
}

impl Client {
    /// A client over a transport that was built for [`service`], as that of
    /// [`builder`](Self::builder) is.
    #[must_use]
    pub fn new(transport: aws_json::client::Client) -> Client {
        Client {
            transport,
            queue_urls: QueueUrls::Named,
            #[cfg(feature = "md5")]
            md5: md5::Checks::Off,
        }
    }

    /// Sends calls that name a queue to the [host in its URL](queue_endpoint), signed for the region
    /// that the host's name tells. So one client serves queues of several regions. Without this the
    /// URL is only the queue's name, and calls go where the client was built for.
    ///
    /// An endpoint that was given, in code or by the environment, is never left; nor is the client's
    /// own for a URL whose host is not one of SQS's.
    ///
    /// ```
    /// # fn main() -> Result<(), sqs::client::BuildError> {
    /// use sqs::Client;
    /// use sqs::client::Credentials;
    ///
    /// let transport = Client::builder()
    ///     .region("us-east-1")
    ///     .credentials(Credentials::new("test", "test"));
    /// # let transport = transport.endpoint("http://127.0.0.1:9324");
    /// let client = Client::new(transport.build()?).follow_queue_urls();
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn follow_queue_urls(mut self) -> Client {
        self.queue_urls = QueueUrls::Followed;
        self
    }

    /// Compares the MD5 digests in the answers of sends and receives with what was sent and what
    /// came. Without this they are not looked at: TLS already protects what travels.
    ///
    /// A difference is an error whose source is an [`Md5Error`], and which tells of each message.
    /// A sent message is in the queue all the same; received messages, also the right ones of the
    /// same receive, come back when their visibility timeout ends.
    ///
    /// ```no_run
    /// use sqs::client::Md5Error;
    /// use sqs::{Client, SendMessageInput};
    ///
    /// # async fn example(client: Client, url: &str) {
    /// let client = client.check_md5();
    /// if let Err(error) = client.send_message(SendMessageInput::new(url, "hi")).await {
    ///     for mismatch in Md5Error::of(&error).map(Md5Error::mismatches).unwrap_or_default() {
    ///         println!("damaged on its way: {:?}", mismatch.message_id());
    ///     }
    /// }
    /// # }
    /// ```
    #[cfg(feature = "md5")]
    #[must_use]
    pub fn check_md5(mut self) -> Client {
        self.md5 = md5::Checks::On;
        self
    }

    /// Settings of the transport, which [`new`](Self::new) takes once it is built. The region or the
    /// endpoint, and the credentials, must be given.
    pub fn builder() -> Builder {
        aws_json::client::Client::builder(service())
    }

    /// A client of a server on one's own machine, at this URL: calls are signed as `test` with the
    /// secret `test`, as [`aws_json::client::Client::local`] does.
    ///
    /// ```
    /// let client = sqs::Client::local("http://127.0.0.1:9324")?;
    /// assert_eq!(client.transport().region(), "us-east-1");
    /// # Ok::<(), sqs::client::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the URL cannot be an endpoint's.
    pub fn local(url: &str) -> Result<Client, BuildError> {
        aws_json::client::Client::local(service(), url).map(Client::new)
    }

    /// A client as the process's environment says, where AWS's own tools look for settings too:
    /// [`aws_json::client::config`] has the table. Its variable for SQS alone is
    /// `AWS_ENDPOINT_URL_SQS`.
    ///
    /// # Errors
    ///
    /// If no region is set, or what is set cannot be right.
    pub fn from_env() -> Result<Client, BuildError> {
        aws_json::client::Client::from_env(service()).map(Client::new)
    }

    /// The transport, for calls without a schema.
    #[must_use]
    pub fn transport(&self) -> &aws_json::client::Client {
        &self.transport
    }

    /// Calls the operation of an input.
    async fn call<I: OfQueue>(&self, input: &I) -> Result<I::Output, Error> {
        match self.endpoint_for(input.queue_url()) {
            Some(endpoint) => self.transport.at(endpoint).call::<I>(input).await,
            None => self.transport.call::<I>(input).await,
        }
    }

    /// Where a call to this queue goes, if not where the transport's go.
    fn endpoint_for(&self, queue_url: Option<&str>) -> Option<Endpoint> {
        match self.queue_urls {
            QueueUrls::Followed if !self.transport.has_given_endpoint() => {
                queue_endpoint(queue_url?)
            }
            QueueUrls::Followed | QueueUrls::Named => None,
        }
    }
}

/// What the URL of a queue is besides its name.
#[derive(Clone, Copy, Debug)]
enum QueueUrls {
    Named,
    Followed,
}

/// An operation's input, and the queue that it names.
trait OfQueue: aws_json::client::Operation<Input = Self> {
    /// None if it names none, or none by a URL.
    fn queue_url(&self) -> Option<&str>;
}

impl ErrorCode {
    /// The row of a refusal, by its shape or else by its query code. None for one that is not in
    /// the table, and for failures other than refusals.
    #[must_use]
    pub fn of(error: &Error) -> Option<ErrorCode> {
        let by_name = error.code().and_then(ErrorCode::from_name);
        by_name.or_else(|| error.query_code().and_then(ErrorCode::from_query_code))
    }
}

/// Writes the client's methods, and tells the transport what it has to know of each operation.
macro_rules! client {
    ($(
        $(#[$doc:meta])*
        $name:ident $method:ident($input:ident)
            -> $output:ident, $body:ident, $repeat:ident, $pace:ident;
    )+) => {
        $(
            impl aws_json::client::Operation for $input {
                const NAME: &'static str = Operation::$name.name();
                const SAFE_TO_RETRY: bool = Operation::$name.is_safe_to_retry();
                const LONG_POLL: bool = Operation::$name.is_long_poll();
                type Input = $input;
                type Output = $output;

                client!(@held_for $pace);
            }

            impl OfQueue for $input {
                client!(@queue_url $name);
            }

            client!(@checked $name $input);
        )+

        impl Client {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                ///
                /// When SQS refuses, or when there is no whole answer in time.
                pub async fn $method(
                    &self,
                    input: impl Borrow<$input>,
                ) -> Result<$output, Error> {
                    let input = input.borrow();
                    let output = self.call(input).await?;
                    #[cfg(feature = "md5")]
                    self.md5.check(input, &output)?;
                    Ok(output)
                }
            )+
        }
    };
    // These name a queue by its name or its ARN, or none at all.
    (@queue_url CancelMessageMoveTask) => { client!(@no_queue_url); };
    (@queue_url CreateQueue) => { client!(@no_queue_url); };
    (@queue_url GetQueueUrl) => { client!(@no_queue_url); };
    (@queue_url ListMessageMoveTasks) => { client!(@no_queue_url); };
    (@queue_url ListQueues) => { client!(@no_queue_url); };
    (@queue_url StartMessageMoveTask) => { client!(@no_queue_url); };
    (@queue_url $name:ident) => {
        fn queue_url(&self) -> Option<&str> {
            self.queue_url.as_deref()
        }
    };
    (@no_queue_url) => {
        fn queue_url(&self) -> Option<&str> {
            None
        }
    };
    // What is checked of these is written with the digests.
    (@checked ReceiveMessage $input:ident) => {};
    (@checked SendMessage $input:ident) => {};
    (@checked SendMessageBatch $input:ident) => {};
    (@checked $name:ident $input:ident) => {
        #[cfg(feature = "md5")]
        impl md5::Checked for $input {}
    };
    (@held_for Prompt) => {};
    (@held_for LongPoll) => {
        fn held_for(input: &Self) -> Duration {
            longest_wait(input.wait_time_seconds)
        }
    };
}

operation_table!(client);

/// How long SQS may hold a receive that asks for this wait. One that asks for none is held as long
/// as the queue says, which nobody knows here, so it is the longest possible.
fn longest_wait(wait_time_seconds: Option<i32>) -> Duration {
    let limit = limits::WAIT_TIME_SECONDS.max();
    let seconds = match wait_time_seconds {
        Some(seconds) => u32::try_from(seconds).unwrap_or(0).min(limit),
        None => limit,
    };
    Duration::from_secs(seconds.into())
}

#[cfg(test)]
mod tests;
