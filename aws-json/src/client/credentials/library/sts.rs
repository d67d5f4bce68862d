//! STS, where roles are taken.

use std::fmt;
use std::time::Duration;

use http::Uri;
use http::request::Parts;
use reqsign_aws_core::{AssumeRoleCredentialProvider, Credential};
use reqsign_core::{Error, ProvideCredential, Result, SignRequest, Signer};
use sigv4::Payload;

use super::context::redirected;
use super::{Context, failure, provided};
use crate::client::Credentials;
use crate::client::clock::Clock;
use crate::client::config::{Environment, Settings};
use crate::client::credentials::{CredentialsError, Provided};

/// The name of a session that was given none.
pub(super) const SESSION: &str = "aws-json";

/// Where STS is.
pub(super) struct Sts {
    /// Its region; none is its global endpoint.
    pub(super) region: Option<String>,
    /// Where it is instead of where the library thinks.
    pub(super) endpoint: Option<Uri>,
}

/// A role that somebody who has credentials takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Role {
    pub(super) arn: String,
    pub(super) session: Option<String>,
    pub(super) external_id: Option<String>,
    pub(super) seconds: Option<u32>,
}

impl Sts {
    pub(super) fn new(environment: &Environment) -> std::result::Result<Self, CredentialsError> {
        let settings = Settings::read(environment, "sts")?;
        Ok(Self {
            region: settings.region,
            endpoint: settings.endpoint.map(|endpoint| endpoint.uri().clone()),
        })
    }

    /// The credentials of a role for whom these credentials are.
    pub(super) async fn assume(
        &self,
        role: Role,
        by: Provided,
        context: &Context,
    ) -> std::result::Result<Provided, CredentialsError> {
        let what = format!("the role {} cannot be taken", role.arn);
        let signing = Signing {
            by: by.credentials,
            region: self.region.clone(),
            endpoint: self.endpoint.clone(),
            clock: Clock::default(),
        };
        let library_context = context.library(None)?;
        let signer = Signer::new(library_context.clone(), Known, signing);
        let session = role.session.unwrap_or_else(|| SESSION.to_owned());
        let mut library =
            AssumeRoleCredentialProvider::new(role.arn, signer).with_role_session_name(session);
        if let Some(region) = &self.region {
            library = library
                .with_region(region.clone())
                .with_regional_sts_endpoint();
        }
        if let Some(id) = role.external_id {
            library = library.with_external_id(id);
        }
        if let Some(seconds) = role.seconds {
            library = library.with_duration_seconds(seconds);
        }
        let given = library.provide_credential(&library_context).await;
        let given = given.map_err(|error| match context.unanswered() {
            Some(unanswered) => CredentialsError::new(format!("{what}: {unanswered}")),
            None => failure(&what, &error),
        })?;
        provided(given, &what)
    }
}

/// The library wants credentials to sign with, and these are known to [`Signing`] already.
#[derive(Debug)]
struct Known;

impl ProvideCredential for Known {
    type Credential = Credential;

    async fn provide_credential(
        &self,
        _: &reqsign_core::Context,
    ) -> Result<Option<Self::Credential>> {
        Ok(Some(Credential {
            access_key_id: "known".to_owned(),
            secret_access_key: "known".to_owned(),
            ..Credential::default()
        }))
    }
}

/// Signs what the library sends to STS, for where it will go.
struct Signing {
    by: Credentials,
    region: Option<String>,
    endpoint: Option<Uri>,
    clock: Clock,
}

impl SignRequest for Signing {
    type Credential = Credential;

    async fn sign_request<'a>(
        &'a self,
        _: &'a reqsign_core::Context,
        parts: &'a mut Parts,
        _: Option<&'a Credential>,
        _: Option<Duration>,
    ) -> Result<()> {
        let mut head = http::Request::new(());
        *head.method_mut() = parts.method.clone();
        *head.uri_mut() = match &self.endpoint {
            Some(endpoint) => redirected(&parts.uri, endpoint)?,
            None => parts.uri.clone(),
        };
        *head.headers_mut() = parts.headers.clone();
        let hash = head
            .headers_mut()
            .remove("x-amz-content-sha256")
            .and_then(|hash| parse_hash(hash.as_bytes()))
            .ok_or_else(|| Error::request_invalid("the request's body is not known"))?;
        let region = self.region.as_deref().unwrap_or("us-east-1");
        let signer = sigv4::Signer::new(self.by.clone(), region, "sts");
        sigv4::sign_request(&signer, &mut head, Payload::Sha256(hash), self.clock.now())
            .map_err(|error| Error::request_invalid(error.to_string()))?;
        let (head, ()) = head.into_parts();
        parts.uri = head.uri;
        parts.headers = head.headers;
        Ok(())
    }
}

impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signing")
            .field("by", &self.by)
            .finish_non_exhaustive()
    }
}

/// The 32 bytes of a hash in hexadecimal.
fn parse_hash(text: &[u8]) -> Option<[u8; 32]> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut hash = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(digits[0])? << 4 | digit(digits[1])?;
    }
    Some(hash)
}
