//! Settings from outside the code: environment variables and AWS's shared files.
//!
//! A client reads none of them unless it is told to, by [`Client::from_env`] or by
//! [`Builder::environment`]. What the code sets itself always counts first; then each of these,
//! in the order of its row. A variable that is empty counts as one that is not set.
//!
//! | setting | in code | variable | profile | otherwise |
//! |---|---|---|---|---|
//! | region | [`region`](super::Builder::region), or what the host of an endpoint tells | `AWS_REGION`, `AWS_DEFAULT_REGION` | `region` | with an endpoint `us-east-1`, without one an error |
//! | endpoint | [`endpoint`](super::Builder::endpoint) | `AWS_ENDPOINT_URL_<SERVICE>`, `AWS_ENDPOINT_URL` | `endpoint_url` of the service in the section that `services` names, `endpoint_url` | AWS's own in the region |
//! | whether the two cells before are passed over | | `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` | `ignore_configured_endpoint_urls` | `false` |
//! | FIPS | [`variant`](super::Builder::variant) | `AWS_USE_FIPS_ENDPOINT` | `use_fips_endpoint` | `false` |
//! | dual stack | [`variant`](super::Builder::variant) | `AWS_USE_DUALSTACK_ENDPOINT` | `use_dualstack_endpoint` | `false` |
//! | attempts, from 1 | [`max_attempts`](super::Builder::max_attempts) | `AWS_MAX_ATTEMPTS` | `max_attempts` | 3, for `DynamoDB` 4 |
//! | no correction of the clock | [`clock_skew`](super::Builder::clock_skew) | `AWS_DISABLE_CLOCK_SKEW_CORRECTION` | `disable_clock_skew_correction` | `false` |
//! | inputs are not compressed (feature `compression`) | `Builder::compression` | `AWS_DISABLE_REQUEST_COMPRESSION` | `disable_request_compression` | `false` |
//! | from how many bytes on they are, 0 to 10,485,760 | `Builder::compression` | `AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES` | `request_min_compression_size_bytes` | 10,240 |
//! | credentials | [`credentials`](super::Builder::credentials), [`credentials_provider`](super::Builder::credentials_provider) | as [`CredentialsChain`] | | an error of the first call |
//! | the profile | [`Environment::set`] | `AWS_PROFILE` | | `default`, if there is one |
//! | the configuration file | [`Environment::set`] | `AWS_CONFIG_FILE` | | `.aws/config` in the user's folder |
//! | the credentials file | [`Environment::set`] | `AWS_SHARED_CREDENTIALS_FILE` | | `.aws/credentials` there |
//!
//! `<SERVICE>` is the service's id ([`Service::id`]) in capitals, `SQS` or `DYNAMODB_STREAMS`;
//! in files it is written small. The user's folder is [`Environment::home`].
//!
//! `AWS_RETRY_MODE` and `retry_mode` are not read: there is one way to retry, which
//! [`Client`](super::Client) tells. No region is asked from EC2.
//!
//! FIPS or dual stack is an error together with an endpoint, wherever each is set. What cannot be
//! right is an error that names the variable, or the file and its line.
//!
//! ```
//! use aws_json::client::config::Environment;
//! use aws_json::client::{Client, Credentials, Service};
//!
//! let environment = Environment::from_iter([
//!     ("AWS_ENDPOINT_URL", "http://localhost:4566"),
//!     ("AWS_ENDPOINT_URL_SQS", "http://localhost:9324"),
//!     ("AWS_REGION", "eu-west-1"),
//! ]);
//! let client = Client::builder(Service::new("sqs", "AmazonSQS"))
//!     .environment(&environment)
//!     .credentials(Credentials::new("test", "test"))
//!     .build()?;
//! assert_eq!(client.endpoint_url(), "http://localhost:9324/");
//! assert_eq!(client.region(), "eu-west-1");
//! # Ok::<(), aws_json::client::BuildError>(())
//! ```
//!
//! [`Builder::environment`]: super::Builder::environment
//! [`Builder`]: super::Builder
//! [`Client::from_env`]: super::Client::from_env
//! [`CredentialsChain`]: super::credentials::CredentialsChain
//! [`Service::id`]: super::Service::id

mod environment;
mod error;
mod profiles;
mod sections;
mod settings;

pub use self::environment::{Environment, FILE_LIMIT};
pub use self::error::ConfigError;
pub use self::profiles::{Profile, Profiles};
pub(super) use self::settings::Settings;
