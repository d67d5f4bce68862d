//! Credentials of a role for somebody whom another identity provider vouches for.

use std::path::{Path, PathBuf};

use reqsign_aws_core::AssumeRoleWithWebIdentityCredentialProvider;
use reqsign_core::ProvideCredential;

use super::sts::Sts;
use super::{Context, failure, provided};
use crate::client::config::Environment;
use crate::client::credentials::{CredentialsError, ProvideCredentials, ProvideFuture, Provided};
use crate::client::tls::Tls;

/// Credentials of a role that a token in a file entitles to, by STS's [AssumeRoleWithWebIdentity]:
/// those of EKS's service accounts and of many CI systems. Needs the feature `credential-chain`.
///
/// | variable | what it says |
/// |---|---|
/// | `AWS_WEB_IDENTITY_TOKEN_FILE` | the file with the token, which is read every time |
/// | `AWS_ROLE_ARN` | the role |
/// | `AWS_ROLE_SESSION_NAME` | the session's name, `aws-json` by default |
///
/// STS is asked in the region of `AWS_REGION` or `AWS_DEFAULT_REGION`, or at its one global
/// endpoint; or at `AWS_ENDPOINT_URL_STS` or `AWS_ENDPOINT_URL`.
///
/// [AssumeRoleWithWebIdentity]: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
#[derive(Clone, Debug)]
pub struct WebIdentityCredentials {
    context: Context,
}

impl WebIdentityCredentials {
    /// The credentials that this environment's variables lead to.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self::over(environment, None)
    }

    /// The same with TLS as it is set.
    pub(in crate::client::credentials) fn over(
        environment: &Environment,
        tls: Option<&Tls>,
    ) -> Self {
        Self {
            context: Context::of_services(environment, tls),
        }
    }

    async fn fetch(&self) -> Result<Provided, CredentialsError> {
        let environment = self.context.environment();
        let Some(file) = environment.var(FILE)? else {
            return Err(CredentialsError::absent(format!(
                "the variable {FILE} is not set"
            )));
        };
        let Some(role) = environment.var(ROLE)? else {
            return Err(CredentialsError::new(format!(
                "the variable {FILE} is set and {ROLE} is not: set both"
            )));
        };
        let identity = WebIdentity {
            file: file.into(),
            role,
            session: environment.var("AWS_ROLE_SESSION_NAME")?,
        };
        identity
            .exchange(&self.context, &Sts::new(environment)?)
            .await
    }
}

impl ProvideCredentials for WebIdentityCredentials {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(self.fetch())
    }
}

const FILE: &str = "AWS_WEB_IDENTITY_TOKEN_FILE";
const ROLE: &str = "AWS_ROLE_ARN";

/// What is exchanged for credentials.
#[derive(Debug)]
pub(super) struct WebIdentity {
    pub(super) file: PathBuf,
    pub(super) role: String,
    pub(super) session: Option<String>,
}

impl WebIdentity {
    pub(super) async fn exchange(
        self,
        context: &Context,
        sts: &Sts,
    ) -> Result<Provided, CredentialsError> {
        let Self {
            file,
            role,
            session,
        } = self;
        let token = context
            .environment()
            .read(Path::new(&file))?
            .ok_or_else(|| {
                CredentialsError::new(format!("the token's file {} is not there", file.display()))
            })?;
        let what = format!(
            "the role {role} cannot be taken with the token in {}",
            file.display()
        );
        let mut library = AssumeRoleWithWebIdentityCredentialProvider::new()
            .with_role_arn(role)
            .with_subject_token(token.trim())
            .with_role_session_name(session.unwrap_or_else(|| super::sts::SESSION.to_owned()));
        if let Some(region) = &sts.region {
            library = library
                .with_region(region.clone())
                .with_regional_sts_endpoint();
        }
        let given = library
            .provide_credential(&context.library(sts.endpoint.clone())?)
            .await;
        let given = given.map_err(|error| failure(&what, &error))?;
        provided(given, &what)
    }
}
