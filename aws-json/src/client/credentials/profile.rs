//! Credentials from a profile of AWS's shared files.

use super::{CredentialsError, Environment, ProvideCredentials, ProvideFuture, Provided};
use crate::client::Credentials;
use crate::client::config::{Profile, Profiles};
#[cfg(feature = "credential-chain")]
use crate::client::tls::Tls;

/// Credentials of the profile that `AWS_PROFILE` names, or else of the one called `default`, from
/// AWS's [shared files]. The files are read every time.
///
/// | properties, of which the first counts | where the credentials are | needs |
/// |---|---|---|
/// | `role_arn` and `source_profile` | with a role that the other profile's may take | `credential-chain` |
/// | `role_arn` and `credential_source` | with a role that the credentials in `Environment`, of the `EcsContainer` or of the `Ec2InstanceMetadata` may take | `credential-chain` |
/// | `role_arn` and `web_identity_token_file` | with a role, for the token in the file | `credential-chain` |
/// | `sso_session` or `sso_start_url`, `sso_account_id` and `sso_role_name` | in IAM Identity Center, once `aws sso login` was run | `credential-chain` |
/// | `aws_access_key_id`, `aws_secret_access_key`, `aws_session_token` | in the file | |
/// | `credential_process` | in what a command prints, which the system's shell runs | `credential-chain` |
///
/// A role may further have `role_session_name`, `external_id` and `duration_seconds`; `mfa_serial`
/// is an error, as nobody is here to ask for a code. A command talks to people on its standard
/// error, which is this program's.
///
/// A profile that needs the feature `credential-chain` where it is not built in is an error.
///
/// ```
/// use aws_json::client::config::Environment;
/// use aws_json::client::credentials::{ProfileCredentials, ProvideCredentials};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let file = "[dev]\naws_access_key_id = test\naws_secret_access_key = test\n";
/// let environment = Environment::from_iter([("HOME", "/home/me"), ("AWS_PROFILE", "dev")])
///     .file("/home/me/.aws/credentials", file);
/// let provided = ProfileCredentials::new(&environment).provide().await?;
/// assert_eq!(provided.credentials().access_key_id(), "test");
/// # Ok::<(), aws_json::client::credentials::CredentialsError>(())
/// # }).unwrap();
/// ```
///
/// [shared files]: https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
#[derive(Clone, Debug)]
pub struct ProfileCredentials {
    environment: Environment,
    #[cfg(feature = "credential-chain")]
    context: super::library::Context,
}

impl ProfileCredentials {
    /// The credentials of the profile that this environment selects.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            #[cfg(feature = "credential-chain")]
            context: super::library::Context::of_services(environment, None),
        }
    }

    /// The same with TLS as it is set.
    #[cfg(feature = "credential-chain")]
    pub(super) fn over(environment: &Environment, tls: Option<&Tls>) -> Self {
        Self {
            environment: environment.clone(),
            context: super::library::Context::of_services(environment, tls),
        }
    }

    async fn read(&self) -> Result<Provided, CredentialsError> {
        let profiles = Profiles::load(&self.environment)?;
        let Some(profile) = profiles.selected() else {
            return Err(CredentialsError::absent(
                "AWS_PROFILE is not set and no profile is called default",
            ));
        };
        #[cfg(feature = "credential-chain")]
        let provided = super::library::of_profile(&profiles, profile, &self.context).await?;
        #[cfg(not(feature = "credential-chain"))]
        let provided = of_profile(profile)?;
        provided.ok_or_else(|| {
            CredentialsError::absent(format!("the profile {} has no credentials", profile.name()))
        })
    }
}

impl ProvideCredentials for ProfileCredentials {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(self.read())
    }
}

/// The credentials that a profile itself holds.
pub(super) fn keys(profile: &Profile) -> Result<Option<Credentials>, CredentialsError> {
    const KEY: &str = "aws_access_key_id";
    const SECRET: &str = "aws_secret_access_key";
    let half = |set: &str, unset: &str| {
        profile.error(set, &format!("is set and {unset} is not: set both"))
    };
    match (profile.get(KEY), profile.get(SECRET)) {
        (Some(key), Some(secret)) => {
            let credentials = Credentials::new(key, secret);
            Ok(Some(match profile.get("aws_session_token") {
                Some(token) => credentials.with_session_token(token),
                None => credentials,
            }))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(half(KEY, SECRET).into()),
        (None, Some(_)) => Err(half(SECRET, KEY).into()),
    }
}

/// The credentials of a profile, as far as they are in the file.
#[cfg(not(feature = "credential-chain"))]
fn of_profile(profile: &Profile) -> Result<Option<Provided>, CredentialsError> {
    let needing = |names: &[&'static str]| {
        let name = names.iter().find(|name| profile.get(name).is_some())?;
        Some(profile.error(name, "needs the feature `credential-chain` of aws-json"))
    };
    if let Some(error) = needing(&["role_arn", "sso_account_id", "sso_role_name"]) {
        return Err(error.into());
    }
    match (keys(profile)?, needing(&["credential_process"])) {
        (Some(credentials), _) => Ok(Some(Provided::new(credentials))),
        (None, Some(error)) => Err(error.into()),
        (None, None) => Ok(None),
    }
}
