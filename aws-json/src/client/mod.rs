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
//! Name look-up, TCP and TLS together have [3.1 s](CONNECT_TIMEOUT); a call, connection included,
//! has [30 s](ATTEMPT_TIMEOUT) and what the service may hold it for. Of an answer, 100 headers and
//! about 400 KiB of head are read (16 KiB with HTTP/2), and [16 MiB](RESPONSE_LIMIT) of body.
//! Redirects are not followed, proxies that variables name are not asked, and nothing is
//! compressed.
//!
//! # What a failure tells
//!
//! | what happened | [`is_connect`](Error::is_connect) | [`is_timeout`](Error::is_timeout) | [`status`](Error::status) | [`may_have_arrived`](Error::may_have_arrived) |
//! |---|---|---|---|---|
//! | no name, nobody listens, TLS refused, a connection that breaks before use | yes | | | no |
//! | no connection in time | yes | yes | | no |
//! | a connection from the pool found closed before a byte was written | another one is used, unasked | | | |
//! | a break, or what is not HTTP, before the answer's head ends | | | | yes |
//! | an HTTP/2 stream refused | | | | no |
//! | time runs out on a connection before the head ends | | yes | | yes |
//! | a break, or time runs out, within a success | | if it is that | yes | yes |
//! | any answer but a success, whole or not | | | yes | yes |

mod answer;
mod builder;
mod clock;
pub mod config;
mod connector;
pub mod credentials;
mod endpoint;
mod error;
mod host_prefix;
mod http_version;
mod partition;
mod service;
mod tls;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use http::{Method, Request};
use http_body_util::Full;
use serde::de::DeserializeOwned;
use serde_json::Value;
pub use sigv4::Credentials;
use sigv4::Payload;

use self::answer::Answer;
pub use self::builder::{
    ATTEMPT_TIMEOUT, BuildError, Builder, CONNECT_TIMEOUT, POOL_IDLE_TIMEOUT, RESPONSE_LIMIT,
};
use self::clock::Clock;
use self::credentials::{Identity, Signers};
pub use self::endpoint::{Endpoint, EndpointError, Variant};
use self::error::Kind;
pub use self::error::{BODY_KEPT, Error};
#[cfg(feature = "http2")]
pub use self::http_version::HttpVersion;
use self::service::QueryMode;
pub use self::service::{Operation, Service};
use self::wire::Wire;
use crate::codec::headers::{X_AMZ_TARGET, X_AMZN_QUERY_MODE};
use crate::codec::target::Target;
use crate::codec::{body, name};

/// A client of one service at one endpoint.
///
/// It is cheap to clone, and clones share their connections. Its calls need a tokio runtime with
/// IO and time. A call is sent once: nothing is retried, except that a request is sent again on
/// another connection when none of it was sent on the first.
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
}

struct Inner {
    service: Service,
    endpoint: Endpoint,
    signers: Signers,
    attempt_timeout: Duration,
    wire: Wire,
    clock: Clock,
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
        let input_body = body::encode(input).map_err(|error| Error::new(Kind::Input(error)))?;
        let answer = self.send(O::NAME, &input_body, O::held_for(input)).await?;
        output(answer)
    }

    /// Calls an operation by its name, in lower_snake_case (`receive_message`) or as AWS spells
    /// it, with a JSON object as its input. No input is `{}`, and so is an empty answer.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call); also if the input is not an object.
    pub async fn call_value(&self, operation: &str, input: Option<&Value>) -> Result<Value, Error> {
        let input_body = match input {
            Some(input) => body::encode(input).map_err(|error| Error::new(Kind::Input(error)))?,
            None => Bytes::from_static(b"{}"),
        };
        let operation = name::upper_camel(operation);
        let answer = self.send(&operation, &input_body, Duration::ZERO).await?;
        output(answer)
    }

    /// Where calls go, ending in a slash.
    #[must_use]
    pub fn endpoint_url(&self) -> String {
        self.inner.endpoint.to_string()
    }

    /// The region that calls are signed for.
    #[must_use]
    pub fn region(&self) -> &str {
        self.inner.endpoint.region()
    }

    /// Sends one signed request and reads the whole answer, which is a success.
    async fn send(
        &self,
        operation: &str,
        input: &Bytes,
        held_for: Duration,
    ) -> Result<Answer, Error> {
        let now = self.inner.clock.now();
        let identity = self.inner.signers.current(now).await;
        let identity = identity.map_err(|error| Error::new(Kind::Credentials(error)))?;
        let request = self
            .signed_request(operation, input, &identity, now)
            .map_err(Error::new)?;
        let limit = self.inner.attempt_timeout.saturating_add(held_for);
        let answer = self
            .inner
            .wire
            .exchange(request, identity, limit)
            .await
            .map_err(Error::failed)?;
        if answer.status.is_success() {
            Ok(answer)
        } else {
            Err(Error::answered(Kind::Refusal, answer))
        }
    }

    /// The request of a call, signed for now.
    fn signed_request(
        &self,
        operation: &str,
        input: &Bytes,
        identity: &Identity,
        now: SystemTime,
    ) -> Result<Request<Full<Bytes>>, Kind> {
        let inner = &*self.inner;
        let service = &inner.service;
        let target = Target::new(&service.target_prefix, operation).map_err(Kind::OperationName)?;
        let mut request = Request::new(Full::new(input.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = inner.endpoint.uri().clone();
        let headers = request.headers_mut();
        // Set before signing, so that what is signed and what hyper sends cannot differ.
        headers.insert(HOST, inner.endpoint.host_header().clone());
        headers.insert(CONTENT_TYPE, service.version.header_value());
        headers.insert(CONTENT_LENGTH, HeaderValue::from(input.len()));
        headers.insert(X_AMZ_TARGET, target.header_value());
        match service.query_mode {
            QueryMode::Compatible => {
                headers.insert(X_AMZN_QUERY_MODE, HeaderValue::from_static("true"));
            }
            QueryMode::Unsaid => {}
        }
        headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
        let payload = Payload::Bytes(input);
        sigv4::sign_request(identity.signer(), &mut request, payload, now).map_err(Kind::Sign)?;
        Ok(request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("service", &self.inner.service)
            .field("endpoint", &self.inner.endpoint.uri())
            .field("region", &self.inner.endpoint.region())
            .finish_non_exhaustive()
    }
}

fn output<T: DeserializeOwned>(answer: Answer) -> Result<T, Error> {
    body::decode(&answer.body).map_err(|error| Error::answered(Kind::Output(error), answer))
}

/// Sent with every call and, like every signer's, not signed.
const USER_AGENT_VALUE: &str = concat!("aws-json/", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests;
