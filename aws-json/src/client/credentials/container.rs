//! Credentials from the container that a program runs in.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderValue, USER_AGENT};
use http::uri::Scheme;
use http::{Request, StatusCode, Uri};
use serde_json::Value;

use super::http::{Http, Patience, place};
use super::{CredentialsError, Environment, ProvideCredentials, ProvideFuture, Provided, document};
use crate::client::attempt::USER_AGENT_VALUE;
use crate::client::redact;
use crate::client::tls::Tls;

/// Credentials of the role of an ECS task, an EKS pod or a Greengrass component, from the
/// [container credentials endpoint].
///
/// | variable | what it says |
/// |---|---|
/// | `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` | the path at `http://169.254.170.2`; counts first |
/// | `AWS_CONTAINER_CREDENTIALS_FULL_URI` | the whole URI: `https`, or `http` to this machine, `169.254.170.2`, `169.254.170.23` or `fd00:ec2::23` |
/// | `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` | the file with what to send as `Authorization`; counts first, and is read every time |
/// | `AWS_CONTAINER_AUTHORIZATION_TOKEN` | what to send as `Authorization` |
///
/// A connection may take 2 s and an answer 5 s; there are three attempts.
///
/// [container credentials endpoint]: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
pub struct ContainerCredentials {
    environment: Environment,
    http: Http,
}

impl ContainerCredentials {
    /// The credentials that this environment's variables lead to.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self::over(environment, None)
    }

    /// The same with TLS as it is set.
    pub(super) fn over(environment: &Environment, tls: Option<&Tls>) -> Self {
        let patience = Patience {
            connect: Duration::from_secs(2),
            answer: Duration::from_secs(5),
            attempts: 3,
        };
        Self {
            environment: environment.clone(),
            http: Http::new(patience, tls),
        }
    }

    async fn fetch(&self) -> Result<Provided, CredentialsError> {
        let uri = self.uri()?;
        let place = place(&uri);
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
        let token = self.token()?;
        if let Some(token) = &token {
            headers.insert(AUTHORIZATION, token.clone());
        }
        let answer = self.http.send(&request).await.map_err(|error| {
            CredentialsError::new(format!(
                "the container's credentials cannot be had: {error}"
            ))
        })?;
        if answer.status() != StatusCode::OK {
            return Err(refusal(
                &place,
                answer.status(),
                answer.body(),
                token.as_ref(),
            ));
        }
        document::read(answer.body()).map_err(|problem| {
            CredentialsError::new(format!(
                "the answer of {place} cannot be read as credentials: {problem}"
            ))
        })
    }

    /// Where to ask.
    fn uri(&self) -> Result<Uri, CredentialsError> {
        if let Some(path) = self.environment.var(RELATIVE)? {
            let uri = format!("http://169.254.170.2{path}").parse().ok();
            return uri.filter(|_| path.starts_with('/')).ok_or_else(|| {
                CredentialsError::new(format!(
                    "the variable {RELATIVE} is {path:?}; it must be a path that begins with /"
                ))
            });
        }
        let Some(text) = self.environment.var(FULL)? else {
            return Err(CredentialsError::absent(format!(
                "the variables {RELATIVE} and {FULL} are not set"
            )));
        };
        // It may hold a secret in its query or before an @, so only the host is shown.
        let uri: Uri = text
            .parse()
            .ok()
            .filter(|uri: &Uri| uri.host().is_some_and(|host| !host.is_empty()))
            .ok_or_else(|| CredentialsError::new(format!("the variable {FULL} is not a URI")))?;
        if is_allowed(&uri) {
            return Ok(uri);
        }
        Err(CredentialsError::new(format!(
            "the variable {FULL} leads to the host {:?} in the clear; it must be https, or http to \
             this machine (127.0.0.1, [::1], localhost), 169.254.170.2, 169.254.170.23 or \
             [fd00:ec2::23]",
            uri.host().unwrap_or_default()
        )))
    }

    /// What is sent as `Authorization`.
    fn token(&self) -> Result<Option<HeaderValue>, CredentialsError> {
        let (name, token) = if let Some(path) = self.environment.var(TOKEN_FILE)? {
            let Some(token) = self.environment.read(Path::new(&path))? else {
                return Err(CredentialsError::new(format!(
                    "the file {path:?} that the variable {TOKEN_FILE} names is not there"
                )));
            };
            // An editor ends a file's last line.
            let end = token.trim_end_matches(['\r', '\n']).len();
            (TOKEN_FILE, Some(token[..end].to_owned()))
        } else {
            (TOKEN, self.environment.var(TOKEN)?)
        };
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Ok(None);
        };
        let mut value = HeaderValue::try_from(token).map_err(|_| {
            CredentialsError::new(format!(
                "the token of the variable {name} cannot be sent: it must be one line of visible \
                 characters"
            ))
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

impl ProvideCredentials for ContainerCredentials {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(self.fetch())
    }
}

impl std::fmt::Debug for ContainerCredentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContainerCredentials")
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}

const RELATIVE: &str = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const FULL: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const TOKEN: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
const TOKEN_FILE: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

/// How much of what a refusal says is shown, in characters.
const SAID: usize = 200;

/// Whether a token may be sent there, and credentials taken from there.
fn is_allowed(uri: &Uri) -> bool {
    if uri.scheme() == Some(&Scheme::HTTPS) {
        return true;
    }
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(ip) => {
            ip.is_loopback()
                || ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]
                    .iter()
                    .any(|allowed| Ok(ip) == allowed.parse())
        }
        Err(_) => uri.scheme() == Some(&Scheme::HTTP) && bare.eq_ignore_ascii_case("localhost"),
    }
}

/// What a refusal says, in its members `code` and `message`, without the token.
fn refusal(
    place: &str,
    status: StatusCode,
    body: &[u8],
    token: Option<&HeaderValue>,
) -> CredentialsError {
    let document: Value = serde_json::from_str(&String::from_utf8_lossy(body)).unwrap_or_default();
    let member = |names: [&str; 2]| names.iter().find_map(|name| document.get(name)?.as_str());
    let said: Vec<&str> = [member(["code", "Code"]), member(["message", "Message"])]
        .into_iter()
        .flatten()
        .collect();
    let mut said = said.join(": ");
    if let Some(clean) = token.and_then(|it| redact::text_without(&said, it.as_bytes())) {
        said = clean;
    }
    let said: String = said
        .chars()
        .take(SAID)
        .flat_map(char::escape_debug)
        .collect();
    let separator = if said.is_empty() { "" } else { ": " };
    CredentialsError::new(format!(
        "{place} refused to give the container's credentials ({}){separator}{said}",
        status.as_u16()
    ))
}
