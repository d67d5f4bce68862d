//! Several places to look for credentials, one after the other.

use std::fmt;

use super::{
    ContainerCredentials, CredentialsError, Environment, EnvironmentCredentials,
    ProfileCredentials, ProvideCredentials, ProvideFuture, Provided,
};
#[cfg(feature = "credential-chain")]
use super::{InstanceCredentials, WebIdentityCredentials};
use crate::client::tls::Tls;

/// Looks for credentials in one place after another, and takes the first that there are.
///
/// [`new`](Self::new) looks where AWS's tools do, in their order:
///
/// | | place | what says that there are some | needs |
/// |---|---|---|---|
/// | 1 | variables: [`EnvironmentCredentials`] | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` | |
/// | 2 | a profile of the shared files: [`ProfileCredentials`] | `AWS_PROFILE`, or a profile called `default` with some | `credential-chain`, unless the keys are in the file |
/// | 3 | a token for a role: `WebIdentityCredentials` | `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN` | `credential-chain` |
/// | 4 | the container: [`ContainerCredentials`] | `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `…_FULL_URI` | |
/// | 5 | the EC2 instance: `InstanceCredentials` | that somebody answers there | `credential-chain` |
///
/// Where there should be some and they cannot be had, it ends with that error: a program does not
/// silently act as somebody else. Where there are none, the error lists what was looked at.
///
/// ```
/// use aws_json::client::config::Environment;
/// use aws_json::client::credentials::{CredentialsChain, ProvideCredentials};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let environment = Environment::from_iter([
///     ("AWS_ACCESS_KEY_ID", "test"),
///     ("AWS_SECRET_ACCESS_KEY", "test"),
/// ]);
/// let provided = CredentialsChain::new(&environment).provide().await?;
/// assert_eq!(provided.credentials().access_key_id(), "test");
/// # Ok::<(), aws_json::client::credentials::CredentialsError>(())
/// # }).unwrap();
/// ```
#[must_use]
pub struct CredentialsChain {
    links: Vec<Box<dyn ProvideCredentials>>,
}

impl CredentialsChain {
    /// The places that AWS's tools look at, in their order.
    pub fn new(environment: &Environment) -> Self {
        Self::over(environment, None)
    }

    /// The same, with TLS by this configuration where one of them is asked over https. A client
    /// that is built from an [environment](crate::client::Builder::environment) and has a
    /// [`tls_config`](crate::client::Builder::tls_config) does so by itself.
    #[cfg(feature = "rustls")]
    pub fn with_tls_config(environment: &Environment, config: rustls::ClientConfig) -> Self {
        Self::over(environment, Some(&config.into()))
    }

    /// The same with TLS as it is set; none is the default.
    pub(in crate::client) fn over(environment: &Environment, tls: Option<&Tls>) -> Self {
        #[cfg(feature = "credential-chain")]
        let profile = ProfileCredentials::over(environment, tls);
        #[cfg(not(feature = "credential-chain"))]
        let profile = ProfileCredentials::new(environment);
        #[cfg(feature = "credential-chain")]
        let third = WebIdentityCredentials::over(environment, tls);
        #[cfg(not(feature = "credential-chain"))]
        let third = WithoutWebIdentity(environment.clone());
        #[cfg(feature = "credential-chain")]
        let fifth = InstanceCredentials::new(environment);
        #[cfg(not(feature = "credential-chain"))]
        let fifth = WithoutInstance;
        Self::empty()
            .then(EnvironmentCredentials::new(environment))
            .then(profile)
            .then(third)
            .then(ContainerCredentials::over(environment, tls))
            .then(fifth)
    }

    /// No place to look at yet.
    pub const fn empty() -> Self {
        Self { links: Vec::new() }
    }

    /// The same chain with one more place to look at, after the others.
    pub fn then(mut self, provider: impl ProvideCredentials) -> Self {
        self.links.push(Box::new(provider));
        self
    }

    async fn first(&self) -> Result<Provided, CredentialsError> {
        let mut looked_at = Vec::new();
        for link in &self.links {
            match link.provide().await {
                Err(error) if error.is_absent() => looked_at.push(error.to_string()),
                found => return found,
            }
        }
        let looked_at: Vec<String> = (1..)
            .zip(looked_at)
            .map(|(place, absence)| format!("({place}) {absence}"))
            .collect();
        Err(CredentialsError::absent(if looked_at.is_empty() {
            "the chain of providers is empty".to_owned()
        } else {
            format!(
                "none are there; looked at in order: {}",
                looked_at.join("; ")
            )
        }))
    }
}

impl ProvideCredentials for CredentialsChain {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(self.first())
    }
}

impl fmt::Debug for CredentialsChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialsChain")
            .field("links", &self.links.len())
            .finish()
    }
}

/// Stands where the feature `credential-chain` would bring web identity: what is asked for and
/// not built in is no reason to act as somebody else.
#[cfg(not(feature = "credential-chain"))]
struct WithoutWebIdentity(Environment);

#[cfg(not(feature = "credential-chain"))]
impl ProvideCredentials for WithoutWebIdentity {
    fn provide(&self) -> ProvideFuture<'_> {
        const FILE: &str = "AWS_WEB_IDENTITY_TOKEN_FILE";
        let error = match self.0.var(FILE) {
            Ok(Some(_)) => CredentialsError::new(format!(
                "the variable {FILE} is set, which needs the feature `credential-chain` of aws-json"
            )),
            Ok(None) => CredentialsError::absent(format!("the variable {FILE} is not set")),
            Err(error) => error.into(),
        };
        Box::pin(std::future::ready(Err(error)))
    }
}

/// Stands where the feature `credential-chain` would bring EC2's metadata.
#[cfg(not(feature = "credential-chain"))]
struct WithoutInstance;

#[cfg(not(feature = "credential-chain"))]
impl ProvideCredentials for WithoutInstance {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(std::future::ready(Err(CredentialsError::absent(
            "EC2's metadata is asked with the feature `credential-chain` of aws-json only",
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Credentials;

    struct Failing(CredentialsError);

    impl ProvideCredentials for Failing {
        fn provide(&self) -> ProvideFuture<'_> {
            Box::pin(std::future::ready(Err(self.0.clone())))
        }
    }

    fn absent(message: &str) -> Failing {
        Failing(CredentialsError::absent(message))
    }

    #[tokio::test]
    async fn the_first_that_are_there_are_taken() {
        let chain = CredentialsChain::empty()
            .then(absent("not here"))
            .then(Credentials::new("A", "hush"))
            .then(Credentials::new("B", "hush"));
        let provided = chain.provide().await.unwrap();
        assert_eq!(provided.credentials().access_key_id(), "A");
    }

    #[tokio::test]
    async fn a_failure_ends_the_search() {
        let chain = CredentialsChain::empty()
            .then(Failing(CredentialsError::new("half a setting")))
            .then(Credentials::new("B", "hush"));
        let error = chain.provide().await.unwrap_err();
        assert!(!error.is_absent());
        assert_eq!(error.to_string(), "half a setting");
    }

    #[tokio::test]
    async fn where_there_are_none_every_place_is_told_in_order() {
        let chain = CredentialsChain::empty()
            .then(absent("no a"))
            .then(absent("no b"));
        let error = chain.provide().await.unwrap_err();
        assert!(error.is_absent());
        assert_eq!(
            error.to_string(),
            "none are there; looked at in order: (1) no a; (2) no b"
        );
    }
}
