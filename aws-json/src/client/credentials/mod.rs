//! The credentials that calls are signed with: where they come from, and how they are kept.
//!
//! A client is given either credentials, or something that it asks for them
//! ([`ProvideCredentials`]): a provider from here, a chain of them, or one of your own.

mod cache;
mod chain;
mod container;
mod document;
mod environment;
mod error;
mod http;
mod identity;
#[cfg(feature = "credential-chain")]
mod library;
mod profile;
#[cfg(feature = "aws-credential-types")]
mod sdk;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use sigv4::Credentials;

pub(super) use self::cache::Signers;
pub use self::cache::{PROVIDE_TIMEOUT, REFRESH_AHEAD};
pub use self::chain::CredentialsChain;
pub use self::container::ContainerCredentials;
pub use self::environment::EnvironmentCredentials;
pub use self::error::CredentialsError;
pub(super) use self::identity::Identity;
#[cfg(feature = "credential-chain")]
pub use self::library::{InstanceCredentials, WebIdentityCredentials};
pub use self::profile::ProfileCredentials;
#[cfg(feature = "aws-credential-types")]
pub use self::sdk::SdkCredentials;
use super::config::Environment;

/// What [`ProvideCredentials::provide`] returns.
pub type ProvideFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Provided, CredentialsError>> + Send + 'a>>;

/// Something that credentials can be asked from, again and again: those that end are asked for
/// anew before they do.
///
/// The client keeps what it is given, so a provider need not. It asks once for however many calls
/// are waiting, in a task of its own that ends after [`PROVIDE_TIMEOUT`].
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use aws_json::client::Credentials;
/// use aws_json::client::credentials::{ProvideCredentials, ProvideFuture, Provided};
///
/// struct Vault;
///
/// impl ProvideCredentials for Vault {
///     fn provide(&self) -> ProvideFuture<'_> {
///         Box::pin(async {
///             let credentials = Credentials::new("test", "test").with_session_token("test");
///             Ok(Provided::new(credentials)
///                 .expiring(UNIX_EPOCH + Duration::from_secs(4_102_444_800)))
///         })
///     }
/// }
/// ```
pub trait ProvideCredentials: Send + Sync + 'static {
    /// Credentials that can be used now.
    ///
    /// # Errors
    ///
    /// [`CredentialsError::absent`] if there are none here, so that another provider may be
    /// asked; [`CredentialsError::new`] if there should be some and they could not be had.
    fn provide(&self) -> ProvideFuture<'_>;
}

/// Credentials from a provider, with the time at which they end.
#[derive(Clone)]
pub struct Provided {
    pub(super) credentials: Credentials,
    pub(super) expires: Option<SystemTime>,
}

impl Provided {
    /// Credentials that do not end.
    #[must_use]
    pub fn new(credentials: impl Into<Credentials>) -> Self {
        Self {
            credentials: credentials.into(),
            expires: None,
        }
    }

    /// The same credentials, which are not used from this time on.
    #[must_use]
    pub fn expiring(mut self, expires: SystemTime) -> Self {
        self.expires = Some(expires);
        self
    }

    /// The credentials.
    #[must_use]
    pub const fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// When they end, if they do.
    #[must_use]
    pub const fn expires(&self) -> Option<SystemTime> {
        self.expires
    }
}

impl From<Credentials> for Provided {
    fn from(credentials: Credentials) -> Self {
        Self::new(credentials)
    }
}

impl fmt::Debug for Provided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provided")
            .field("access_key_id", &self.credentials.access_key_id())
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

/// Credentials are a provider of themselves.
impl ProvideCredentials for Credentials {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(std::future::ready(Ok(Provided::new(self.clone()))))
    }
}

impl<P: ProvideCredentials + ?Sized> ProvideCredentials for Arc<P> {
    fn provide(&self) -> ProvideFuture<'_> {
        (**self).provide()
    }
}

impl<P: ProvideCredentials + ?Sized> ProvideCredentials for Box<P> {
    fn provide(&self) -> ProvideFuture<'_> {
        (**self).provide()
    }
}
