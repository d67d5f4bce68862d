//! Credentials from whatever the AWS SDK for Rust can ask for them.

use std::error::Error;
use std::fmt;

use aws_credential_types::provider;

use super::{CredentialsError, ProvideCredentials, ProvideFuture, Provided};
use crate::client::Credentials;

/// A provider of the AWS SDK for Rust, asked for this client: the one in an `SdkConfig` of
/// aws-config, or any other. Needs the feature `aws-credential-types`.
///
/// ```
/// use aws_credential_types::provider::SharedCredentialsProvider;
/// use aws_json::client::credentials::SdkCredentials;
/// use aws_json::client::{Client, Service};
///
/// # fn build(sdk_config_credentials: SharedCredentialsProvider)
/// # -> Result<Client, aws_json::client::BuildError> {
/// // aws_config::load_defaults(version).await.credentials_provider()
/// let provider: SharedCredentialsProvider = sdk_config_credentials;
/// let client = Client::builder(Service::new("sqs", "AmazonSQS"))
///     .endpoint("https://sqs.eu-west-1.amazonaws.com")
///     .credentials_provider(SdkCredentials::new(provider))
///     .build()?;
/// # Ok(client)
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SdkCredentials<P> {
    provider: P,
}

impl<P: provider::ProvideCredentials + 'static> SdkCredentials<P> {
    /// Asks this provider.
    #[must_use]
    pub const fn new(provider: P) -> Self {
        Self { provider }
    }

    async fn ask(&self) -> Result<Provided, CredentialsError> {
        let given = self.provider.provide_credentials().await;
        let given = given.map_err(|error| match error {
            provider::error::CredentialsError::CredentialsNotLoaded(_) => {
                CredentialsError::absent(text(&error)).with_source(error)
            }
            _ => CredentialsError::new(text(&error)).with_source(error),
        })?;
        let credentials = Credentials::new(given.access_key_id(), given.secret_access_key());
        let provided = Provided::new(match given.session_token() {
            Some(token) => credentials.with_session_token(token),
            None => credentials,
        });
        Ok(match given.expiry() {
            Some(expires) => provided.expiring(expires),
            None => provided,
        })
    }
}

impl<P: provider::ProvideCredentials + 'static> ProvideCredentials for SdkCredentials<P> {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(self.ask())
    }
}

/// What the SDK says; its errors tell their causes apart from themselves.
fn text(error: &provider::error::CredentialsError) -> String {
    let mut text = format!("the AWS SDK's provider: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        // A formatter that fails is none of ours.
        let _ = fmt::Write::write_fmt(&mut text, format_args!(": {error}"));
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use aws_credential_types::credential_fn::provide_credentials_fn;
    use aws_credential_types::provider::SharedCredentialsProvider;

    use super::*;

    #[tokio::test]
    async fn credentials_keep_their_token_and_their_end() {
        let expires = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        let sdk = provide_credentials_fn(move || async move {
            let token = Some("hush-token".to_owned());
            Ok(aws_credential_types::Credentials::new(
                "A",
                "hush-secret",
                token,
                Some(expires),
                "test",
            ))
        });
        let provider = SdkCredentials::new(SharedCredentialsProvider::new(sdk));
        let provided = provider.provide().await.unwrap();
        assert_eq!(provided.credentials().access_key_id(), "A");
        assert!(provided.credentials().secret().matches("hush-secret"));
        assert_eq!(provided.credentials().session_token(), Some("hush-token"));
        assert_eq!(provided.expires(), Some(expires));
    }

    #[tokio::test]
    async fn absence_and_failure_are_told_apart_and_with_their_causes() {
        use provider::error::CredentialsError as SdkError;

        async fn error(make: fn() -> SdkError) -> CredentialsError {
            let sdk = provide_credentials_fn(move || async move { Err(make()) });
            SdkCredentials::new(sdk).provide().await.unwrap_err()
        }
        let absent = error(|| SdkError::not_loaded("no profile")).await;
        assert!(absent.is_absent());
        let failed = error(|| SdkError::provider_error("STS said 503")).await;
        assert!(!failed.is_absent());
        assert_eq!(
            failed.to_string(),
            "the AWS SDK's provider: an error occurred while loading credentials: STS said 503"
        );
        assert!(Error::source(&failed).is_some());
    }
}
