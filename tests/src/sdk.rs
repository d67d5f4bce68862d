//! Amazon's SDK for Rust, pointed at a server under test.
//!
//! It is built without default features and gets one HTTP client that speaks plain HTTP, so
//! that no TLS stack of its own is compiled.

use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::{BehaviorVersion, Builder, Credentials, Region};
use aws_sdk_sqs::{Client, Config};
use fake_sqs::FakeSqs;

/// A client with the server's own credentials, in its region.
#[must_use]
pub fn client(server: &FakeSqs) -> Client {
    Client::from_conf(config(server).build())
}

/// A client that signs with another key and secret.
#[must_use]
pub fn client_with_credentials(server: &FakeSqs, key: &str, secret: &str) -> Client {
    let config = config(server).credentials_provider(credentials(key, secret));
    Client::from_conf(config.build())
}

/// A client that signs nothing.
#[must_use]
pub fn client_without_credentials(server: &FakeSqs) -> Client {
    Client::from_conf(config_without_credentials(server).allow_no_auth().build())
}

/// What [`client`] is made of, for a test that changes a part of it.
///
/// Nothing is tried again: a refusal is what a test wants to see.
#[must_use]
pub fn config(server: &FakeSqs) -> Builder {
    let own = server.credentials();
    config_without_credentials(server)
        .credentials_provider(credentials(own.access_key_id(), own.secret_access_key()))
}

fn config_without_credentials(server: &FakeSqs) -> Builder {
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(server.endpoint_url())
        .region(Region::new(server.region()))
        .retry_config(RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
}

fn credentials(key: &str, secret: &str) -> Credentials {
    Credentials::new(key, secret, None, None, "tests")
}
