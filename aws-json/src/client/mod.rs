//! A client: signed calls over pooled connections, plain or TLS.
//!
//! # Connections
//!
//! They are made when a call needs one and kept for the next, for [fifteen
//! seconds](POOL_IDLE_TIMEOUT) without use: services drop them at about twenty, and a call that
//! meets that moment fails. A connection is used again only after a whole answer that is no sign
//! of trouble at the other end; after a timeout, a break, a 500, 502, 503 or 504, or a call that
//! was dropped, the next call makes its own, which a load balancer may lead to another machine.
//!
//! Name look-up, TCP and TLS together have [3.1 s](CONNECT_TIMEOUT); an attempt, connection
//! included, has [30 s](ATTEMPT_TIMEOUT) and what the service may hold it for. Of an answer, 100 headers and
//! about 400 KiB of head are read (16 KiB with HTTP/2), and [16 MiB](RESPONSE_LIMIT) of body.
//! Redirects are not followed, proxies that variables name are not asked, and no answer is asked
//! to be compressed; inputs are where the [operation takes it](Operation::TAKES_GZIP).
//!
//! # What a failure tells
//!
//! | what happened | [`is_connect`](Error::is_connect) | [`is_timeout`](Error::is_timeout) | [`status`](Error::status) | [`is_outcome_unknown`](Error::is_outcome_unknown) |
//! |---|---|---|---|---|
//! | no name, nobody listens, TLS refused, a connection that breaks before use | yes | | | no |
//! | no connection in time | yes | yes | | no |
//! | a connection from the pool found closed before a byte was written | another one is used, unasked | | | |
//! | a break, or what is not HTTP, before the answer's head ends | | | | yes |
//! | an HTTP/2 stream refused | | | | no |
//! | time runs out on a connection before the head ends | | yes | | yes |
//! | a break, or time runs out, within a success | | if it is that | yes | yes |
//! | a success that is too large or cannot be read | | | yes | yes |
//! | 502 or 504 that names no error, whole or not | | | yes | yes |
//! | any other answer but a success, whole or not | | | yes | no |
//!
//! Those before the last three are tried again, and of the answers those that may pass: see
//! [`Client`]. An operation that must not be done twice is not, where the last column says yes.

mod answer;
mod attempt;
mod builder;
mod call;
mod clock;
#[cfg(feature = "compression")]
mod compression;
pub mod config;
mod connection;
mod connector;
pub mod credentials;
mod endpoint;
mod error;
mod host_prefix;
mod http_version;
mod partition;
mod random;
mod redact;
mod retry;
mod service;
mod skew;
mod tls;
mod trace;
mod wire;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use serde::de::DeserializeOwned;
use serde_json::Value;
pub use sigv4::Credentials;

pub use self::builder::{
    ATTEMPT_TIMEOUT, BuildError, Builder, CONNECT_TIMEOUT, POOL_IDLE_TIMEOUT, RESPONSE_LIMIT,
};
use self::call::{Call, Called};
use self::clock::Clock;
#[cfg(feature = "compression")]
pub use self::compression::{COMPRESSION_MIN, Compression};
use self::credentials::Signers;
pub use self::endpoint::{Endpoint, EndpointError, Variant};
use self::error::Kind;
pub use self::error::{BODY_KEPT, Error};
use self::host_prefix::HostPrefix;
#[cfg(feature = "http2")]
pub use self::http_version::HttpVersion;
use self::random::Random;
use self::retry::{Nature, Policy};
pub use self::retry::{Retryable, UnknownOutcome};
pub use self::service::{Operation, Service};
use self::skew::ClientSkew;
pub use self::skew::ClockSkew;
use self::wire::Wire;
use crate::codec::{body, name};

/// A client of one service at one endpoint.
///
/// It is cheap to clone, and clones share their connections. Its calls need a tokio runtime with
/// IO and time. A call that is dropped before it ends stops where it is; the service may have
/// done it all the same.
///
/// # Retries
///
/// A failure that may pass ([`Retryable`]) is sent again, by the rules that AWS's own clients
/// have shared since 2026 ("retry behavior 2.1"):
///
/// - There are up to three attempts, and four for `DynamoDB`: [`Builder::max_attempts`].
/// - The second begins after a random part of 50 ms (`DynamoDB`: 25 ms), and after throttling of
///   a second. This doubles with each attempt, up to 20 s. The service may lengthen it by up to
///   5 s, with the header `x-amz-retry-after`.
/// - A client has 500 tokens. A retry costs 14, after throttling 5, which its success gives back;
///   a success without retries gives 1. Without tokens a failure is an error at once, so that a
///   service in trouble is not asked thrice as much; that of a
///   [long poll](Operation::LONG_POLL) still waits first, since its caller will just ask again.
/// - An operation that must not be done twice is not sent again when nobody knows whether it was
///   done: [`UnknownOutcome`].
///
/// A signature that is refused because the clocks differ is made anew for the service's time:
/// [`ClockSkew`].
///
/// # Timeouts
///
/// Each attempt has its own, [`Builder::attempt_timeout`]; [`Builder::call_timeout`] bounds the
/// whole call.
///
/// # Tracing
///
/// With a subscriber of the crate `tracing`, each call is a span `call` (target `aws_json`, level
/// info) with the fields `service`, `operation`, `attempts`, `status`, `code` and `request_id`.
/// Each attempt is a span `attempt` in it (level debug) with `attempt`, `status`, `code` and
/// `request_id`, and each failed one is followed by an event (level debug) with the `reason` why
/// it is sent again, after which `delay`, or why it is not. What is sent, what is answered and
/// credentials are never told.
///
/// ```no_run
/// use aws_json::client::{Client, Credentials, Service};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder(Service::new("sqs", "AmazonSQS").query_compatible())
///     .endpoint("http://127.0.0.1:9324")
///     .credentials(Credentials::new("test", "test"))
///     .build()?;
/// let input = serde_json::json!({"QueueName": "orders"});
/// let output = client.call_value("create_queue", Some(&input)).await?;
/// println!("{}", output["QueueUrl"]);
///
/// match client.call_value("get_queue_url", Some(&serde_json::json!({"QueueName": "x"}))).await {
///     Err(error) if error.is("QueueDoesNotExist") => println!("{error}"),
///     other => println!("{}", other?),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    endpoint: Arc<Endpoint>,
    origin: EndpointOrigin,
}

/// Where an endpoint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndpointOrigin {
    /// It is the service's own in the region.
    Region,
    /// It, or which of the service's own it is, was said in code or by the environment.
    Given,
}

struct Inner {
    service: Service,
    signers: Signers,
    attempt_timeout: Duration,
    call_timeout: Option<Duration>,
    retries: Policy,
    /// How the first attempt of every call is counted.
    first_attempt: HeaderValue,
    skew: ClientSkew,
    wire: Wire,
    clock: Clock,
    random: Random,
    #[cfg(feature = "compression")]
    compression: Compression,
}

impl Client {
    /// Settings of a client for this service. The region or the endpoint, and the credentials,
    /// must be given.
    pub fn builder(service: Service) -> Builder {
        Builder::new(service)
    }

    /// A client of a server on one's own machine, at this URL. Calls are signed as `test` with
    /// the secret `test`, for `us-east-1` unless the host's name tells another region: what local
    /// servers take. Any other setting needs a [`builder`](Self::builder).
    ///
    /// ```
    /// use aws_json::client::{Client, Service};
    ///
    /// let sqs = Service::new("sqs", "AmazonSQS").query_compatible();
    /// let client = Client::local(sqs, "http://127.0.0.1:9324")?;
    /// assert_eq!(client.region(), "us-east-1");
    /// # Ok::<(), aws_json::client::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the URL cannot be an endpoint's.
    pub fn local(service: Service, url: &str) -> Result<Self, BuildError> {
        Self::builder(service)
            .endpoint(url)
            .credentials(Credentials::new("test", "test"))
            .build()
    }

    /// A client as the process's environment says, where AWS's own tools look for settings too:
    /// [`config`] has the table. Any other setting needs a [`builder`](Self::builder) with its
    /// [`environment`](Builder::environment).
    ///
    /// # Errors
    ///
    /// If no region is set, or what is set cannot be right.
    pub fn from_env(service: Service) -> Result<Self, BuildError> {
        Self::builder(service)
            .environment(&config::Environment::process())
            .build()
    }

    /// Calls an operation.
    ///
    /// # Errors
    ///
    /// [`Error`] if the service refuses, if there is no whole answer in time, or if what is sent
    /// or answered is not what the protocol asks for.
    pub async fn call<O: Operation>(&self, input: &O::Input) -> Result<O::Output, Error> {
        let endpoint = self.endpoint_of::<O>(input)?;
        let encoded = body::encode(input).map_err(|error| Error::new(Kind::Input(error)))?;
        #[cfg(feature = "compression")]
        let (encoded, content_encoding) = if O::TAKES_GZIP {
            self.inner.compression.apply(encoded)
        } else {
            (encoded, None)
        };
        #[cfg(not(feature = "compression"))]
        let content_encoding = None;
        let call = Call {
            endpoint,
            operation: O::NAME,
            input: encoded,
            content_encoding,
            held_for: O::held_for(input),
            nature: Nature {
                safe_to_retry: O::SAFE_TO_RETRY,
                long_poll: O::LONG_POLL,
            },
        };
        output(self.inner.call(&call).await?)
    }

    /// Calls an operation by its name, in lower_snake_case (`receive_message`) or as AWS spells
    /// it, with a JSON object as its input. No input is `{}`, and so is an empty answer.
    ///
    /// Nothing is known of the operation, so it is one that must not be done twice, no long poll,
    /// without a [host prefix](Operation::HOST_PREFIX), and its input is not compressed.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call); also if the input is not an object.
    pub async fn call_value(&self, operation: &str, input: Option<&Value>) -> Result<Value, Error> {
        let input = match input {
            Some(input) => body::encode(input).map_err(|error| Error::new(Kind::Input(error)))?,
            None => Bytes::from_static(b"{}"),
        };
        let call = Call {
            endpoint: Cow::Borrowed(&self.endpoint),
            operation: &name::upper_camel(operation),
            input,
            content_encoding: None,
            held_for: Duration::ZERO,
            nature: Nature {
                safe_to_retry: false,
                long_poll: false,
            },
        };
        output(self.inner.call(&call).await?)
    }

    /// The same client for calls that go to another endpoint, signed for its region: to a queue
    /// by the host in its URL, for example. Everything else is shared: the connections and the
    /// credentials, what is known of the service's clock, and the tokens for retries.
    ///
    /// It is made for a call or for many. An https endpoint without TLS, which
    /// [`Builder::build`] refuses, cannot be connected to.
    ///
    /// ```
    /// use aws_json::client::{Client, Credentials, Endpoint, Service};
    ///
    /// let client = Client::builder(Service::new("sqs", "AmazonSQS"))
    ///     .endpoint("http://127.0.0.1:9324")
    ///     .credentials(Credentials::new("test", "test"))
    ///     .build()?;
    /// let endpoint = Endpoint::new("http://127.0.0.1:9325")?.with_region("eu-west-1")?;
    /// let elsewhere = client.at(endpoint);
    /// assert_eq!((client.region(), elsewhere.region()), ("us-east-1", "eu-west-1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(&self, endpoint: Endpoint) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            endpoint: Arc::new(endpoint),
            origin: EndpointOrigin::Given,
        }
    }

    /// Whether the endpoint was given, in code or by the environment, or else is the service's
    /// own in the region. Which [`Variant`] of its own it is counts as given too, but for the
    /// plain one. What is built on the client chooses no other endpoint than one that was given.
    #[must_use]
    pub fn has_given_endpoint(&self) -> bool {
        self.origin == EndpointOrigin::Given
    }

    /// Where calls go, ending in a slash.
    #[must_use]
    pub fn endpoint_url(&self) -> String {
        self.endpoint.to_string()
    }

    /// The region that calls are signed for.
    #[must_use]
    pub fn region(&self) -> &str {
        self.endpoint.region()
    }

    /// Where calls of an operation go.
    fn endpoint_of<O: Operation>(&self, input: &O::Input) -> Result<Cow<'_, Endpoint>, Kind> {
        let Some(prefix) = HostPrefix::of::<O>(input).map_err(Kind::HostPrefix)? else {
            return Ok(Cow::Borrowed(&self.endpoint));
        };
        let endpoint = self.endpoint.with_host_prefix(&prefix);
        endpoint.map(Cow::Owned).map_err(Kind::HostPrefix)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("service", &self.inner.service)
            .field("endpoint", self.endpoint.uri())
            .field("region", &self.endpoint.region())
            .finish_non_exhaustive()
    }
}

fn output<T: DeserializeOwned>(called: Called) -> Result<T, Error> {
    body::decode(&called.answer.body).map_err(|error| {
        Error::answered(Kind::Output(error), called.answer).after(called.attempts, None)
    })
}

#[cfg(test)]
mod tests;
