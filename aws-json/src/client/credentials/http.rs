//! The small calls to those who hand out credentials.

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};

use crate::client::connector::{Connections, Pool};
use crate::client::tls::Tls;

/// The largest answer that is read, in bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// The wait before the second attempt; it doubles before each further one.
const PAUSE: Duration = Duration::from_millis(100);

/// How patient these calls are.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// Time for a connection.
    pub(super) connect: Duration,
    /// Time for the whole answer, connection included.
    pub(super) answer: Duration,
    /// How often it is tried in all, as long as nobody answers or the answer is that of a server in
    /// trouble.
    pub(super) attempts: u32,
}

/// Makes the calls.
pub(super) struct Http {
    /// Made when it is needed, which for most providers of a chain is never.
    pool: OnceLock<Pool>,
    /// None is the default.
    tls: Option<Tls>,
    patience: Patience,
}

impl Http {
    pub(super) fn new(patience: Patience, tls: Option<&Tls>) -> Self {
        Self {
            pool: OnceLock::new(),
            tls: tls.cloned(),
            patience,
        }
    }

    /// Sends a request, which must be safe to send again, and reads the answer, whatever its
    /// status.
    pub(super) async fn send(
        &self,
        request: &Request<Bytes>,
    ) -> Result<Response<Bytes>, HttpError> {
        let mut pause = PAUSE;
        for _ in 1..self.patience.attempts {
            match self.attempt(request).await {
                Ok(answer) if !is_trouble(answer.status()) => return Ok(answer),
                Err(error) if !error.is_passing() => return Err(error),
                Ok(_) | Err(_) => {}
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.attempt(request).await
    }

    async fn attempt(&self, request: &Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let limit = self.patience.answer;
        let fail = |problem| HttpError {
            place: place(request.uri()),
            problem,
        };
        let pool = self.pool.get_or_init(|| {
            let tls = self.tls.clone().unwrap_or_default();
            Connections::for_credentials(self.patience.connect, tls)
        });
        let exchange = async {
            let mut copy = Request::new(Full::new(request.body().clone()));
            copy.method_mut().clone_from(request.method());
            copy.uri_mut().clone_from(request.uri());
            copy.headers_mut().clone_from(request.headers());
            let answer = pool.request(copy).await.map_err(|error| {
                let cause = root(&error);
                fail(if error.is_connect() {
                    Problem::Connect(cause)
                } else {
                    Problem::Broken(cause)
                })
            })?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, BODY_LIMIT).collect().await;
            let body = body.map_err(|error| {
                fail(if error.is::<http_body_util::LengthLimitError>() {
                    Problem::TooLarge
                } else {
                    Problem::Broken(root(&*error))
                })
            })?;
            Ok(Response::from_parts(head, body.to_bytes()))
        };
        tokio::time::timeout(limit, exchange)
            .await
            .unwrap_or_else(|_| Err(fail(Problem::Timeout(limit))))
    }
}

/// Why there is no answer. The request's query and headers are not in it.
#[derive(Debug)]
pub(super) struct HttpError {
    place: String,
    problem: Problem,
}

#[derive(Debug)]
enum Problem {
    Connect(String),
    Broken(String),
    Timeout(Duration),
    TooLarge,
}

impl HttpError {
    /// Whether it may be better in a moment.
    fn is_passing(&self) -> bool {
        match self.problem {
            Problem::Broken(_) | Problem::Connect(_) | Problem::Timeout(_) => true,
            Problem::TooLarge => false,
        }
    }

    /// Whether nobody is there, as far as can be told: no connection, or no answer in time.
    #[cfg(feature = "credential-chain")]
    pub(super) const fn is_nobody(&self) -> bool {
        match self.problem {
            Problem::Connect(_) | Problem::Timeout(_) => true,
            Problem::Broken(_) | Problem::TooLarge => false,
        }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match &self.problem {
            Problem::Connect(cause) => write!(f, "cannot connect to {place}: {cause}"),
            Problem::Broken(cause) => write!(f, "{place} broke off: {cause}"),
            Problem::Timeout(limit) => write!(f, "no answer from {place} within {limit:?}"),
            Problem::TooLarge => write!(f, "{place} answered more than {BODY_LIMIT} bytes"),
        }
    }
}

impl Error for HttpError {}

/// Where a request goes, for people: without a query, a user or a password.
pub(super) fn place(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("http");
    let host = uri.host().unwrap_or_default();
    let port = uri
        .port_u16()
        .map_or(String::new(), |port| format!(":{port}"));
    format!("{scheme}://{host}{port}{}", uri.path())
}

fn is_trouble(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

/// The innermost cause, which is the one that says something to people.
fn root(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.last().unwrap_or(error).to_string()
}
