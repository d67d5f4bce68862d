//! What the library reads, sends and runs: nothing but through here.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HeaderValue, USER_AGENT};
use http::{Request, Response, Uri};
use reqsign_core::{Error, Result, StaticEnv};

use crate::client::attempt::USER_AGENT_VALUE;
use crate::client::config::Environment;
use crate::client::credentials::CredentialsError;
use crate::client::credentials::http::{Http, Patience};
use crate::client::redact;
use crate::client::tls::Tls;

/// For services of AWS, which are far away.
const SERVICE: Patience = Patience {
    connect: Duration::from_secs(3),
    answer: Duration::from_secs(10),
    attempts: 3,
};

/// Makes contexts for the library: they hold no variables, as all that they would say is given to
/// each provider by name.
#[derive(Clone)]
pub(in crate::client::credentials) struct Context {
    environment: Environment,
    http: Arc<Http>,
    tls: Option<Tls>,
    unanswered: Unanswered,
}

/// Why a call was not answered, which the library does not always pass on.
type Unanswered = Arc<Mutex<Option<String>>>;

impl Context {
    /// For calls to services of AWS.
    pub(in crate::client::credentials) fn of_services(
        environment: &Environment,
        tls: Option<&Tls>,
    ) -> Self {
        Self::new(environment, SERVICE, tls)
    }

    pub(super) fn new(environment: &Environment, patience: Patience, tls: Option<&Tls>) -> Self {
        Self {
            environment: environment.clone(),
            http: Arc::new(Http::new(patience, tls)),
            tls: tls.cloned(),
            unanswered: Unanswered::default(),
        }
    }

    /// Why the last call was not answered, if it was not.
    pub(super) fn unanswered(&self) -> Option<String> {
        self.unanswered.lock().ok()?.take()
    }

    /// TLS as it is set, if it is.
    pub(super) const fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    pub(super) const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// A context whose calls go to other places than the library thinks.
    pub(super) fn library(
        &self,
        endpoint: Option<Uri>,
    ) -> std::result::Result<reqsign_core::Context, CredentialsError> {
        let env = StaticEnv {
            home_dir: self.environment.home()?,
            envs: HashMap::new(),
        };
        Ok(reqsign_core::Context::new()
            .with_env(env)
            .with_file_read(Files(self.environment.clone()))
            .with_http_send(Calls {
                http: Arc::clone(&self.http),
                endpoint,
                unanswered: Arc::clone(&self.unanswered),
            }))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Files(Environment);

impl reqsign_core::FileRead for Files {
    async fn file_read(&self, path: &str) -> Result<Vec<u8>> {
        match self.0.read(Path::new(path)) {
            Ok(Some(text)) => Ok(text.into_bytes()),
            Ok(None) => Err(Error::config_invalid(format!("{path}: is not there"))),
            Err(error) => Err(Error::config_invalid(error.to_string())),
        }
    }
}

struct Calls {
    http: Arc<Http>,
    endpoint: Option<Uri>,
    unanswered: Unanswered,
}

impl reqsign_core::HttpSend for Calls {
    async fn http_send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>> {
        if let Some(endpoint) = &self.endpoint {
            *request.uri_mut() = redirected(request.uri(), endpoint)?;
        }
        let agent = HeaderValue::from_static(USER_AGENT_VALUE);
        request.headers_mut().insert(USER_AGENT, agent);
        let result = self.http.send(&request).await;
        if let Ok(mut unanswered) = self.unanswered.lock() {
            *unanswered = result.as_ref().err().map(ToString::to_string);
        }
        let mut answer =
            result.map_err(|error| Error::unexpected(error.to_string()).with_source(error))?;
        if !answer.status().is_success() {
            // Explaining a refusal, a service may repeat what it was sent.
            for secret in SECRETS
                .iter()
                .filter_map(|name| request.headers().get(*name))
            {
                redact(answer.body_mut(), secret.as_bytes());
            }
        }
        Ok(answer)
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Calls")
    }
}

/// The headers that hold secrets.
const SECRETS: [&str; 3] = [
    "x-amz-security-token",
    "x-amz-sso_bearer_token",
    "x-aws-ec2-metadata-token",
];

/// The same path and query elsewhere. Where a signature covers the host, it was made for there.
pub(super) fn redirected(uri: &Uri, endpoint: &Uri) -> Result<Uri> {
    let mut parts = uri.clone().into_parts();
    parts.scheme = endpoint.scheme().cloned();
    parts.authority = endpoint.authority().cloned();
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let path = format!("{}{path}", endpoint.path().trim_end_matches('/'));
    parts.path_and_query = Some(path.parse()?);
    Ok(Uri::from_parts(parts)?)
}

fn redact(body: &mut Bytes, secret: &[u8]) {
    if !secret.is_empty()
        && let Some(clean) = redact::without(body, secret)
    {
        *body = clean.into();
    }
}
