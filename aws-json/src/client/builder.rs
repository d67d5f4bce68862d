//! Settings of a client.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[cfg(feature = "rustls")]
use rustls::ClientConfig;
use sigv4::Credentials;

use super::attempt::attempt_header;
use super::clock::Clock;
#[cfg(feature = "compression")]
use super::compression::Compression;
use super::config::{ConfigError, Environment, Settings};
use super::connector::Connections;
use super::credentials::{CredentialsChain, ProvideCredentials, Signers};
use super::endpoint::{Endpoint, EndpointError, Variant, Wanted};
use super::http_version::HttpVersion;
use super::random::Random;
use super::retry::{Policy, Retryable, UnknownOutcome};
use super::service::Service;
use super::skew::{ClientSkew, ClockSkew};
use super::tls::{NoTls, Tls};
use super::wire::Wire;
use super::{Client, Inner};
use crate::codec::target::Target;

/// Time for a connection to be made, unless [`Builder::connect_timeout`] says otherwise.
pub const CONNECT_TIMEOUT: Duration = Duration::from_millis(3_100);
/// Time for an attempt of a call, unless [`Builder::attempt_timeout`] says otherwise.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// Time after which an unused connection is closed. Services drop them at about twenty seconds,
/// and a call on a connection that is just being dropped fails.
pub const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(15);
/// The largest answer that is read, in bytes, unless [`Builder::response_limit`] says otherwise.
pub const RESPONSE_LIMIT: usize = 16 * 1024 * 1024;

/// Settings of a [`Client`], from [`Client::builder`].
///
#[cfg_attr(feature = "tls", doc = "```")]
#[cfg_attr(not(feature = "tls"), doc = "```no_run")]
/// use aws_json::client::{BuildError, Client, Credentials, EndpointError, Service};
///
/// let sqs = Service::new("sqs", "AmazonSQS").query_compatible();
/// let client = Client::builder(sqs.clone())
///     .region("eu-west-1")
///     .credentials(Credentials::new("test", "test"))
///     .build()?;
/// assert_eq!(client.endpoint_url(), "https://sqs.eu-west-1.amazonaws.com/");
/// let missing = BuildError::Endpoint(EndpointError::NoRegion);
/// assert_eq!(Client::builder(sqs).build().unwrap_err(), missing);
/// # Ok::<(), BuildError>(())
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    service: Service,
    endpoint: Option<String>,
    region: Option<String>,
    variant: Option<Variant>,
    environment: Option<Environment>,
    credentials: Option<Given>,
    attempt_timeout: Duration,
    call_timeout: Option<Duration>,
    response_limit: usize,
    max_attempts: Option<u32>,
    unknown_outcome: UnknownOutcome,
    retry_codes: Vec<(Cow<'static, str>, Retryable)>,
    clock_skew: Option<ClockSkew>,
    connections: Connections,
    clock: Clock,
    random: Random,
    #[cfg(feature = "compression")]
    compression: Option<Compression>,
}

impl Builder {
    pub(super) fn new(service: Service) -> Self {
        Self {
            service,
            endpoint: None,
            region: None,
            variant: None,
            environment: None,
            credentials: None,
            attempt_timeout: ATTEMPT_TIMEOUT,
            call_timeout: None,
            response_limit: RESPONSE_LIMIT,
            max_attempts: None,
            unknown_outcome: UnknownOutcome::default(),
            retry_codes: Vec::new(),
            clock_skew: None,
            connections: Connections {
                connect_timeout: CONNECT_TIMEOUT,
                idle_timeout: POOL_IDLE_TIMEOUT,
                tls: Tls::default(),
                version: HttpVersion::default(),
                addresses: HashMap::new(),
            },
            clock: Clock::default(),
            random: Random::default(),
            #[cfg(feature = "compression")]
            compression: None,
        }
    }

    /// Where calls go instead of to AWS's own endpoint in the region: `http://` or `https://`, a
    /// host, and perhaps a port and a path. The path is kept and ends in a slash.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// The region of the service, which requests are signed for. With an
    /// [`endpoint`](Self::endpoint) it is by default what its host's name tells
    /// ([`Endpoint::new`]); without one it must be given.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Which of AWS's names in the region calls go to, [`Variant::Plain`] by default. Any other
    /// excludes an [`endpoint`](Self::endpoint).
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = Some(variant);
        self
    }

    /// Reads what is not set in code from this environment, when the client is built: its region,
    /// endpoint, retries and credentials, as [`config`](super::config) has them in a table.
    pub fn environment(mut self, environment: &Environment) -> Self {
        self.environment = Some(environment.clone());
        self
    }

    /// The credentials that requests are signed with, or what they can be made from. There is no
    /// default.
    pub fn credentials(mut self, credentials: impl Into<Credentials>) -> Self {
        self.credentials = Some(Given::Credentials(credentials.into()));
        self
    }

    /// What to ask for credentials, instead of giving [`credentials`](Self::credentials): those
    /// that end are asked for anew before they do, and when the service calls them expired. It
    /// is first asked by the first call.
    pub fn credentials_provider(mut self, provider: impl ProvideCredentials) -> Self {
        self.credentials = Some(Given::Provider(Arc::new(provider)));
        self
    }

    /// How long an attempt of a call may take, from the connection to the answer's last byte,
    /// plus [`Operation::held_for`](super::Operation::held_for). 30 s by default, which is longer
    /// than SQS holds a long poll.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = timeout;
        self
    }

    /// How long a whole call may take, with its credentials, all attempts and the waits between
    /// them, plus [`Operation::held_for`](super::Operation::held_for) once. There is no such bound
    /// by default, only that of each attempt.
    ///
    /// An attempt that is under way when the time is up ends as a timeout. If the time would be
    /// up before the next attempt begins, the error of the last one is returned at once.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = Some(timeout);
        self
    }

    /// How often a call is sent at most, the first time included: 1 for no retries. 3 by default,
    /// 4 for `DynamoDB`. [`Client`] tells what is sent again.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = Some(attempts);
        self
    }

    /// What becomes of an operation that must not be done twice when nobody knows whether it was
    /// done. By default it is an error.
    pub fn unknown_outcome(mut self, choice: UnknownOutcome) -> Self {
        self.unknown_outcome = choice;
        self
    }

    /// A code, by either of its names, that is retried in this way, beside AWS's own lists:
    /// `KmsThrottled` as [`Retryable::Throttling`], for example. As [`Retryable::ClockSkew`] it
    /// counts only if the clocks differ.
    pub fn retry_code(mut self, code: impl Into<Cow<'static, str>>, kind: Retryable) -> Self {
        self.retry_codes.push((code.into(), kind));
        self
    }

    /// What is done about a clock that differs from the service's. By default signatures are made
    /// for the service's time, as its last answer told it.
    pub fn clock_skew(mut self, choice: ClockSkew) -> Self {
        self.clock_skew = Some(choice);
        self
    }

    /// Which inputs are sent compressed, of operations that
    /// [take it](super::Operation::TAKES_GZIP). By default it is those of 10,240 bytes and more.
    #[cfg(feature = "compression")]
    pub fn compression(mut self, choice: Compression) -> Self {
        self.compression = Some(choice);
        self
    }

    /// How long making a connection may take: the name's look-up, TCP and TLS together. 3.1 s by
    /// default. It runs within the attempt's timeout.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connections.connect_timeout = timeout;
        self
    }

    /// Where a host is, so that its name is not looked up: as curl's `--resolve` says it. For a
    /// tunnel, or a server on this machine that stands for AWS. The request, its signature and TLS
    /// go by the host's name still. The address's port counts where the endpoint names none. Given
    /// for the same host again, the last one counts.
    pub fn resolve(mut self, host: &str, address: SocketAddr) -> Self {
        let host = host.to_ascii_lowercase();
        self.connections.addresses.insert(host, address);
        self
    }

    /// How long an unused connection is kept. 15 s by default.
    pub fn pool_idle_timeout(mut self, timeout: Duration) -> Self {
        self.connections.idle_timeout = timeout;
        self
    }

    /// The largest body of an answer that is read, in bytes. 16 MiB by default. A longer one is
    /// an error, or is cut here if it is a refusal. Its head is bounded by hyper: 100 headers,
    /// about 400 KiB.
    pub fn response_limit(mut self, bytes: usize) -> Self {
        self.response_limit = bytes;
        self
    }

    /// TLS by this configuration, with its cryptography, roots and client certificate. By
    /// default, with the feature `tls`, it is ring's cryptography and Mozilla's roots. Its list
    /// of ALPN protocols is not used: that is for the HTTP versions that the client speaks.
    ///
    /// The provider of the cryptography is the configuration's own, and the process's default
    /// one, if there is one, is neither asked nor set:
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use aws_json::client::{BuildError, Client, Credentials, Service};
    /// # use tokio_rustls::rustls;
    /// use rustls::crypto::CryptoProvider;
    /// use rustls::{ClientConfig, RootCertStore};
    ///
    /// # fn example(
    /// // ring's, aws-lc-rs's or any other
    /// provider: CryptoProvider,
    /// roots: RootCertStore,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let config = ClientConfig::builder_with_provider(Arc::new(provider))
    ///     .with_safe_default_protocol_versions()?
    ///     .with_root_certificates(roots)
    ///     .with_no_client_auth();
    /// let client = Client::builder(Service::new("sqs", "AmazonSQS").query_compatible())
    ///     .endpoint("https://sqs.eu-west-1.amazonaws.com")
    ///     .credentials(Credentials::new("test", "test"))
    ///     .tls_config(config)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rustls")]
    pub fn tls_config(mut self, config: ClientConfig) -> Self {
        self.connections.tls = config.into();
        self
    }

    /// Which version of HTTP is spoken. By default it is the one that the server chooses over
    /// TLS, and HTTP/1.1 over plain http.
    #[cfg(feature = "http2")]
    pub fn http_version(mut self, version: HttpVersion) -> Self {
        self.connections.version = version;
        self
    }

    /// Where the time of signatures comes from. By default it is the system's clock; a service
    /// refuses a time that is off by more than fifteen minutes.
    pub fn time_source(mut self, source: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Clock::new(source);
        self
    }

    /// Where random numbers come from: which part of its longest delay a retry waits, the upper
    /// half of one number for each, from 0 for no delay; and the ids of calls. By default each
    /// is from the standard library's hasher, whose keys are random. Tests give their own.
    pub fn random_source(mut self, source: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.random = Random::new(source);
        self
    }

    /// The client. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the endpoint or the credentials are missing, or a setting cannot be
    /// right.
    pub fn build(self) -> Result<Client, BuildError> {
        let service = self.service;
        if !is_scope_part(&service.signing_name)
            || Target::new(&service.target_prefix, "X").is_err()
        {
            return Err(BuildError::Service);
        }
        let settings = match &self.environment {
            Some(environment) => Settings::read(environment, &service.snake_id())?,
            None => Settings::default(),
        };
        let given = self.endpoint.as_deref().map(Endpoint::new).transpose()?;
        let wanted = Wanted {
            given: given.or(settings.endpoint),
            region: self.region.as_deref(),
            usual_region: settings.region.as_deref(),
            variant: self.variant.unwrap_or(settings.variant),
        };
        let origin = wanted.origin();
        let endpoint = wanted.resolve(&service)?;
        let region = endpoint.region();
        let chain = self.environment.as_ref().map(|environment| {
            let chain = CredentialsChain::over(environment, Some(&self.connections.tls));
            Given::Provider(Arc::new(chain))
        });
        let credentials = self.credentials.or(chain);
        let credentials = credentials.ok_or(BuildError::NoCredentials)?;
        let signers = match credentials {
            Given::Credentials(credentials) => {
                Signers::fixed(credentials, region, &service.signing_name)
            }
            Given::Provider(provider) => {
                let random = self.random.clone();
                Signers::provided(provider, region, &service.signing_name, random)
            }
        };
        if endpoint.is_https() && !self.connections.tls.is_available() {
            return Err(BuildError::NoTls);
        }
        let skew = self.clock_skew.or(settings.clock_skew);
        let mut retries = Policy::new(service.retries);
        let max_attempts = self.max_attempts.or(settings.max_attempts);
        retries.max_attempts = max_attempts.unwrap_or(retries.max_attempts);
        retries.unknown_outcome = self.unknown_outcome;
        retries.codes = self.retry_codes;
        if retries.max_attempts == 0 {
            return Err(BuildError::NoAttempts);
        }
        Ok(Client {
            endpoint: Arc::new(endpoint),
            origin,
            inner: Arc::new(Inner {
                service,
                signers,
                attempt_timeout: self.attempt_timeout,
                call_timeout: self.call_timeout,
                first_attempt: attempt_header(1, retries.max_attempts),
                retries,
                skew: ClientSkew::new(skew.unwrap_or_default()),
                wire: Wire {
                    pool: self.connections.pool(),
                    response_limit: self.response_limit,
                },
                clock: self.clock,
                random: self.random,
                #[cfg(feature = "compression")]
                compression: self
                    .compression
                    .or(settings.compression)
                    .unwrap_or_default(),
            }),
        })
    }
}

/// What was given to sign with.
enum Given {
    Credentials(Credentials),
    Provider(Arc<dyn ProvideCredentials>),
}

/// Why a client could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// The endpoint or the region is missing or cannot be one.
    Endpoint(EndpointError),
    /// A variable or a shared file says what cannot be right.
    Config(ConfigError),
    /// No credentials were given.
    NoCredentials,
    /// The service's signing name or target prefix cannot be one.
    Service,
    /// The endpoint is https, and neither the feature `tls` is on nor, with the feature
    /// `rustls`, a configuration (`Builder::tls_config`) given.
    NoTls,
    /// A call cannot be sent less than once.
    NoAttempts,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(error) => error.fmt(f),
            Self::Config(error) => error.fmt(f),
            Self::NoCredentials => f.write_str("no credentials were given"),
            Self::Service => f.write_str(
                "the service's signing name is not made of letters, digits and hyphens, or its \
                 target prefix not of letters, digits, underscores and dots",
            ),
            Self::NoTls => NoTls.fmt(f),
            Self::NoAttempts => f.write_str("a call has at least one attempt, not 0"),
        }
    }
}

impl Error for BuildError {}

impl From<ConfigError> for BuildError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<EndpointError> for BuildError {
    fn from(error: EndpointError) -> Self {
        Self::Endpoint(error)
    }
}

/// Whether this can stand between the slashes of a signature's scope.
fn is_scope_part(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}
