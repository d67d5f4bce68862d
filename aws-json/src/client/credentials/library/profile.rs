//! The credentials of a profile, wherever it says that they are.

use reqsign_aws_core::{ProcessCredentialProvider, SSOCredentialProvider};
use reqsign_core::ProvideCredential;

use super::process::Shell;
use super::sts::{Role, Sts};
use super::web_identity::WebIdentity;
use super::{Context, InstanceCredentials, failure, provided};
use crate::client::Credentials;
use crate::client::config::{Profile, Profiles, Settings};
use crate::client::credentials::profile::keys;
use crate::client::credentials::{
    ContainerCredentials, CredentialsError, EnvironmentCredentials, ProvideCredentials, Provided,
};
use crate::client::endpoint::check_region;

/// The credentials of a profile; nothing if it says nothing about any.
pub(in crate::client::credentials) async fn of_profile(
    profiles: &Profiles,
    profile: &Profile,
    context: &Context,
) -> Result<Option<Provided>, CredentialsError> {
    let Some(plan) = Plan::new(profiles, profile)? else {
        return Ok(None);
    };
    let sts = Sts::new(context.environment())?;
    let mut provided = plan.base.provide(context, &sts).await.map_err(|error| {
        // What a profile points at should be there.
        CredentialsError::new(format!("the profile {}: {error}", profile.name()))
    })?;
    for role in plan.roles {
        provided = sts.assume(role, provided, context).await?;
    }
    Ok(Some(provided))
}

/// What to do for the credentials of a profile.
#[derive(Debug)]
struct Plan {
    base: Base,
    /// The roles to take, one with the credentials of the other, the first with those of the base.
    roles: Vec<Role>,
}

/// Where credentials come from that no others are needed for.
#[derive(Debug)]
enum Base {
    Container,
    Environment,
    Instance,
    Keys(Credentials),
    Process(String),
    Sso(Sso),
    WebIdentity(WebIdentity),
}

/// An account and a role in IAM Identity Center.
#[derive(Debug)]
struct Sso {
    account: String,
    role: String,
    region: String,
    /// What the file with the token is named after: the session, or else the start URL.
    login: String,
}

impl Plan {
    fn new(profiles: &Profiles, first: &Profile) -> Result<Option<Self>, CredentialsError> {
        let mut roles = Vec::new();
        let mut seen = vec![first.name()];
        let mut profile = first;
        let base = loop {
            let Some(arn) = profile.get("role_arn") else {
                break Base::own(profiles, profile)?;
            };
            let role = role(profile, arn)?;
            if let Some(file) = profile.get("web_identity_token_file") {
                break Some(Base::WebIdentity(WebIdentity {
                    file: file.into(),
                    role: role.arn,
                    session: role.session,
                }));
            }
            roles.push(role);
            let name = match (
                profile.get("source_profile"),
                profile.get("credential_source"),
            ) {
                (Some(name), None) => name,
                (None, Some(source)) => break Some(Base::named(profile, source)?),
                (Some(_), Some(_)) => {
                    let problem = "is set, and so is credential_source: set one of them";
                    return Err(profile.error("source_profile", problem).into());
                }
                (None, None) => {
                    let problem = "is set, and says not for whom: set source_profile, \
                                   credential_source or web_identity_token_file";
                    return Err(profile.error("role_arn", problem).into());
                }
            };
            if name == profile.name() {
                // The profile's own keys take its role.
                break keys(profile)?.map(Base::Keys);
            }
            if seen.contains(&name) {
                let problem = format!("leads in a circle: {} -> {name}", seen.join(" -> "));
                return Err(profile.error("source_profile", &problem).into());
            }
            profile = profiles.profile(name).ok_or_else(|| {
                profile.error(
                    "source_profile",
                    &format!("is {name:?}, which is no profile"),
                )
            })?;
            seen.push(name);
        };
        roles.reverse();
        match base {
            Some(base) => Ok(Some(Self { base, roles })),
            None if roles.is_empty() => Ok(None),
            None => Err(CredentialsError::new(format!(
                "the profile {} has no credentials to take the role {} with",
                profile.name(),
                roles[0].arn
            ))),
        }
    }
}

impl Base {
    /// What a profile says without a role.
    fn own(profiles: &Profiles, profile: &Profile) -> Result<Option<Self>, CredentialsError> {
        if let Some(sso) = Sso::new(profiles, profile)? {
            return Ok(Some(Self::Sso(sso)));
        }
        if let Some(credentials) = keys(profile)? {
            return Ok(Some(Self::Keys(credentials)));
        }
        let command = profile.get("credential_process");
        Ok(command.map(|command| Self::Process(command.to_owned())))
    }

    /// What `credential_source` names.
    fn named(profile: &Profile, source: &str) -> Result<Self, CredentialsError> {
        match source {
            "Environment" => Ok(Self::Environment),
            "EcsContainer" => Ok(Self::Container),
            "Ec2InstanceMetadata" => Ok(Self::Instance),
            _ => {
                let problem = format!(
                    "is {source:?}; it must be Environment, EcsContainer or Ec2InstanceMetadata"
                );
                Err(profile.error("credential_source", &problem).into())
            }
        }
    }

    async fn provide(self, context: &Context, sts: &Sts) -> Result<Provided, CredentialsError> {
        let environment = context.environment();
        match self {
            Self::Container => {
                let container = ContainerCredentials::over(environment, context.tls());
                container.provide().await
            }
            Self::Environment => EnvironmentCredentials::new(environment).provide().await,
            Self::Instance => InstanceCredentials::new(environment).provide().await,
            Self::Keys(credentials) => Ok(Provided::new(credentials)),
            Self::Process(command) => process(command, context).await,
            Self::Sso(sso) => sso.provide(context).await,
            Self::WebIdentity(identity) => identity.exchange(context, sts).await,
        }
    }
}

impl Sso {
    fn new(profiles: &Profiles, profile: &Profile) -> Result<Option<Self>, CredentialsError> {
        let (Some(account), Some(role)) =
            (profile.get("sso_account_id"), profile.get("sso_role_name"))
        else {
            return match ["sso_account_id", "sso_role_name"]
                .iter()
                .find(|name| profile.get(name).is_some())
            {
                Some(half) => {
                    let problem = "is set: set sso_account_id and sso_role_name, both";
                    Err(profile.error(half, problem).into())
                }
                None => Ok(None),
            };
        };
        let (section, login) = match profile.get("sso_session") {
            Some(name) => {
                let section = profiles.sso_session(name).ok_or_else(|| {
                    let problem = format!("is {name:?}; there is no [sso-session {name}]");
                    profile.error("sso_session", &problem)
                })?;
                (section, name)
            }
            None => {
                let url = profile.get("sso_start_url").ok_or_else(|| {
                    profile.error("sso_account_id", "is set: set sso_session as well")
                })?;
                (profile, url)
            }
        };
        let region = section
            .get("sso_region")
            .ok_or_else(|| section.error("sso_region", "is the region of IAM Identity Center"))?;
        // It becomes part of the name of the host that is given the token.
        check_region(region).map_err(|_| {
            let problem = "cannot be a region, as eu-west-1 is one";
            section.error("sso_region", problem)
        })?;
        Ok(Some(Self {
            account: account.to_owned(),
            role: role.to_owned(),
            region: region.to_owned(),
            login: login.to_owned(),
        }))
    }

    async fn provide(self, context: &Context) -> Result<Provided, CredentialsError> {
        let mut library = SSOCredentialProvider::new()
            .with_account_id(self.account)
            .with_role_name(self.role)
            .with_region(self.region)
            .with_start_url(self.login);
        if let Some(endpoint) = Settings::read(context.environment(), "sso")?.endpoint {
            let url = format!("{}federation/credentials", endpoint.uri());
            library = library.with_endpoint(url);
        }
        let given = library.provide_credential(&context.library(None)?).await;
        let what = "IAM Identity Center gave no credentials";
        provided(given.map_err(|error| failure(what, &error))?, what)
    }
}

/// What a command prints.
async fn process(command: String, context: &Context) -> Result<Provided, CredentialsError> {
    let context = context
        .library(None)?
        .with_command_execute(Shell::new(command));
    // The library would take a command apart that the shell understands better.
    let library = ProcessCredentialProvider::new().with_command("shell");
    let given = library.provide_credential(&context).await;
    let what = "its credential_process gave no credentials";
    provided(given.map_err(|error| failure(what, &error))?, what)
}

/// The role that a profile names.
fn role(profile: &Profile, arn: &str) -> Result<Role, CredentialsError> {
    if profile.get("mfa_serial").is_some() {
        let problem = "is set, and nobody can be asked for a code here: use a session that \
                       somebody has logged in to";
        return Err(profile.error("mfa_serial", problem).into());
    }
    let seconds = match profile.get("duration_seconds") {
        None => None,
        Some(text) => {
            let seconds = text.parse().ok().filter(|s| (900..=43_200).contains(s));
            Some(seconds.ok_or_else(|| {
                let problem = format!("is {text:?}; it must be a number from 900 to 43200");
                profile.error("duration_seconds", &problem)
            })?)
        }
    };
    let text = |name| profile.get(name).map(str::to_owned);
    Ok(Role {
        arn: arn.to_owned(),
        session: text("role_session_name"),
        external_id: text("external_id"),
        seconds,
    })
}
