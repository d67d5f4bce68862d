//! Credentials of the EC2 instance that a program runs on.

use std::time::Duration;

use reqsign_aws_core::IMDSv2CredentialProvider;
use reqsign_core::ProvideCredential;

use super::{Context, failure, http_error, provided};
use crate::client::config::Environment;
use crate::client::credentials::http::Patience;
use crate::client::credentials::{CredentialsError, ProvideCredentials, ProvideFuture, Provided};

/// Credentials of an EC2 instance's role, from the [instance metadata service], version 2 only.
/// Needs the feature `credential-chain`.
///
/// | variable | what it says |
/// |---|---|
/// | `AWS_EC2_METADATA_DISABLED` | `true`: it is not asked |
/// | `AWS_EC2_METADATA_SERVICE_ENDPOINT` | where it is, `http://169.254.169.254` by default |
/// | `AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE` | `IPv6`: it is `http://[fd00:ec2::254]` |
///
/// Each of its three answers may take 1 s, and is asked for twice. If nobody is there, this is no
/// instance, and there are no credentials.
///
/// [instance metadata service]: https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-credentials.html
#[derive(Clone, Debug)]
pub struct InstanceCredentials {
    context: Context,
}

impl InstanceCredentials {
    /// The credentials of this instance.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let second = Duration::from_secs(1);
        let patience = Patience {
            connect: second,
            answer: second,
            attempts: 2,
        };
        Self {
            context: Context::new(environment, patience, None),
        }
    }

    async fn fetch(&self) -> Result<Provided, CredentialsError> {
        let environment = self.context.environment();
        if let Some(disabled) = environment.var(DISABLED)?
            && disabled.eq_ignore_ascii_case("true")
        {
            return Err(CredentialsError::absent(format!(
                "the variable {DISABLED} is true, so EC2's metadata is not asked for"
            )));
        }
        let endpoint = match environment.var(ENDPOINT)? {
            Some(endpoint) => endpoint,
            None => default_endpoint(environment.var(MODE)?.as_deref())?.to_owned(),
        };
        let endpoint = endpoint.trim_end_matches('/');
        // Made anew, so that an instance that was restored does not go on with an old token.
        let library = IMDSv2CredentialProvider::new().with_endpoint(endpoint);
        let given = library
            .provide_credential(&self.context.library(None)?)
            .await;
        let given = given.map_err(|error| match http_error(&error) {
            Some(http) if http.is_nobody() => CredentialsError::absent(format!(
                "this is no EC2 instance, as nobody answers for its metadata: {http}"
            )),
            Some(_) | None => failure("EC2's metadata gave no credentials", &error),
        })?;
        provided(given, "EC2's metadata has no credentials")
    }
}

impl ProvideCredentials for InstanceCredentials {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(self.fetch())
    }
}

const DISABLED: &str = "AWS_EC2_METADATA_DISABLED";
const ENDPOINT: &str = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
const MODE: &str = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE";

fn default_endpoint(mode: Option<&str>) -> Result<&'static str, CredentialsError> {
    match mode {
        None => Ok("http://169.254.169.254"),
        Some(mode) if mode.eq_ignore_ascii_case("IPv4") => Ok("http://169.254.169.254"),
        Some(mode) if mode.eq_ignore_ascii_case("IPv6") => Ok("http://[fd00:ec2::254]"),
        Some(mode) => Err(CredentialsError::new(format!(
            "the variable {MODE} is {mode:?}; it must be IPv4 or IPv6"
        ))),
    }
}
