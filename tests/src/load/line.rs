//! A connection on which one request at a time is under way.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::uri::Scheme;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::rt::{Read, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde::Deserialize;
use sqs::Operation;
use tokio::task::JoinHandle;
use tower_service::Service;

use super::target::Target;

/// How long connecting may take.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// The longest answer that is read, in bytes: ten messages of 1 MiB, escaped, would be longer, and the
/// bodies here are never escaped.
const ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What is kept of a service's words about an error.
const WORDS_MAX: usize = 200;

/// A line to a service. It connects when it has to.
#[derive(Debug)]
pub struct Line {
    target: Arc<Target>,
    connected: Option<Connected>,
}

#[derive(Debug)]
struct Connected {
    sender: SendRequest<Full<Bytes>>,
    task: JoinHandle<()>,
}

impl Drop for Connected {
    /// What is under way is cut off: the server sees that nobody waits any more.
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Why there is no answer that is a success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing can be reached there.
    Connect(String),
    /// The connection ended before the answer was there.
    Broken(String),
    /// No answer came in time.
    Timeout(Duration),
    /// The service refused.
    Refused {
        /// Its status.
        status: StatusCode,
        /// The error's name.
        code: String,
        /// The error's words.
        message: String,
    },
    /// The answer is not one that this operation has.
    Unreadable(String),
    /// The request cannot be signed.
    Unsigned(String),
}

impl Failure {
    /// A name for the count of errors.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Connect(_) => "(no connection)",
            Self::Broken(_) => "(connection broke)",
            Self::Timeout(_) => "(no answer in time)",
            Self::Refused { code, .. } => code,
            Self::Unreadable(_) => "(unreadable answer)",
            Self::Unsigned(_) => "(not signed)",
        }
    }

    /// Whether the service may have done what it was asked for.
    #[must_use]
    pub fn may_have_happened(&self) -> bool {
        match self {
            Self::Broken(_) | Self::Timeout(_) | Self::Unreadable(_) => true,
            Self::Connect(_) | Self::Refused { .. } | Self::Unsigned(_) => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(why) => write!(f, "no connection: {why}"),
            Self::Broken(why) => write!(f, "the connection broke: {why}"),
            Self::Timeout(limit) => write!(f, "no answer came within {limit:?}"),
            Self::Refused {
                status,
                code,
                message,
            } => write!(f, "{code}: {message} (status {})", status.as_u16()),
            Self::Unreadable(why) => write!(f, "the answer cannot be read: {why}"),
            Self::Unsigned(why) => write!(f, "the request cannot be signed: {why}"),
        }
    }
}

impl Line {
    /// A line that is not connected yet.
    #[must_use]
    pub fn new(target: Arc<Target>) -> Self {
        Self {
            target,
            connected: None,
        }
    }

    /// Calls an operation; the answer's body, which must be there within `limit`.
    ///
    /// # Errors
    ///
    /// When there is none, or one that is a refusal.
    pub async fn call(
        &mut self,
        operation: Operation,
        body: Bytes,
        limit: Duration,
    ) -> Result<Bytes, Failure> {
        self.exchange(operation, body, limit)
            .await
            .and_then(Answer::success)
    }

    /// The same, and the answer whatever it is.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub async fn exchange(
        &mut self,
        operation: Operation,
        body: Bytes,
        limit: Duration,
    ) -> Result<Answer, Failure> {
        let request = self
            .target
            .request(operation, &body)
            .map_err(Failure::Unsigned)?;
        let mut connected = match self.connected.take() {
            Some(connected) if !connected.sender.is_closed() => connected,
            Some(_) | None => self.connect().await?,
        };
        let answer = async {
            let broken = |error: hyper::Error| Failure::Broken(error.to_string());
            // The connection's task may not have seen the end of the answer before.
            connected.sender.ready().await.map_err(broken)?;
            let answer = connected
                .sender
                .send_request(request)
                .await
                .map_err(broken)?;
            let (parts, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|error| Failure::Broken(error.to_string()))?;
            Ok(Answer {
                parts,
                body: body.to_bytes(),
            })
        };
        let answer = match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer?,
            Err(_elapsed) => return Err(Failure::Timeout(limit)),
        };
        // Only after a whole answer is the connection good for another request.
        self.connected = Some(connected);
        Ok(answer)
    }

    /// Why nothing can be reached there any more; nothing if something can.
    pub async fn gone(&self) -> Option<String> {
        match self.connect().await {
            Err(Failure::Connect(why)) => Some(why),
            Ok(_) | Err(_) => None,
        }
    }

    async fn connect(&self) -> Result<Connected, Failure> {
        match tokio::time::timeout(CONNECT_TIME_MAX, self.connect_in_time()).await {
            Ok(connected) => connected.map_err(|error| Failure::Connect(chain(&*error))),
            Err(_elapsed) => Err(Failure::Connect(format!(
                "the service did not accept it within {} s",
                CONNECT_TIME_MAX.as_secs()
            ))),
        }
    }

    async fn connect_in_time(&self) -> Result<Connected, Box<dyn Error + Send + Sync>> {
        let uri = self.target.endpoint().uri().clone();
        if uri.scheme() == Some(&Scheme::HTTPS) {
            return Connected::over(https().call(uri).await?).await;
        }
        let stream = http().call(uri).await?;
        Connected::over(stream).await
    }
}

impl Connected {
    async fn over<S>(stream: S) -> Result<Self, Box<dyn Error + Send + Sync>>
    where
        S: Read + Write + Send + Unpin + 'static,
    {
        let (sender, connection) = http1::handshake(stream).await?;
        let task = tokio::spawn(async move {
            // Whoever waits for an answer hears of its end.
            let _ = connection.await;
        });
        Ok(Self { sender, task })
    }
}

fn http() -> HttpConnector {
    let mut http = HttpConnector::new();
    http.set_nodelay(true);
    http.enforce_http(false);
    http
}

fn https() -> HttpsConnector<HttpConnector> {
    HttpsConnectorBuilder::new()
        .with_webpki_roots()
        .https_only()
        .enable_http1()
        .wrap_connector(http())
}

/// An error with what is behind it.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

/// An answer of the service.
#[derive(Debug)]
pub struct Answer {
    /// Its status and headers.
    pub parts: http::response::Parts,
    /// Its body.
    pub body: Bytes,
}

/// What the body of an error says.
#[derive(Deserialize)]
struct Refusal {
    #[serde(rename = "__type")]
    shape: Option<String>,
    #[serde(alias = "Message")]
    message: Option<String>,
}

impl Answer {
    /// The body of a success.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn success(self) -> Result<Bytes, Failure> {
        let status = self.parts.status;
        if status == StatusCode::OK {
            return Ok(self.body);
        }
        let said: Option<Refusal> = serde_json::from_slice(&self.body).ok();
        let (shape, message) = said.map_or((None, None), |said| (said.shape, said.message));
        let shape = shape.unwrap_or_else(|| format!("(status {})", status.as_u16()));
        let code = shape.rsplit('#').next().unwrap_or(&shape);
        Err(Failure::Refused {
            status,
            code: cut(code),
            message: cut(&message.unwrap_or_default()),
        })
    }
}

fn cut(words: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let mut kept: String = words.chars().take(WORDS_MAX).map(printable).collect();
    if words.chars().nth(WORDS_MAX).is_some() {
        kept.push('…');
    }
    kept
}
