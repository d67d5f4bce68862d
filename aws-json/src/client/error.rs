//! Why a call failed.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::time::Duration;

use http::StatusCode;

use super::answer::Answer;
use super::connector::ConnectTimeout;
use super::credentials::CredentialsError;
use super::host_prefix::HostPrefixError;
use super::retry::{Cause, Outcome, Retryable};
use super::wire::{Failure, Reached};
use crate::codec::body::{EncodeError, SerializationError};
use crate::codec::error_body::{Fault, Refusal};
use crate::codec::name;
use crate::codec::target::TargetError;

/// How much of an answer's body an error keeps, in bytes.
pub const BODY_KEPT: usize = 1024;

/// How much of a body that nothing could be read from `Display` shows, in bytes.
const BODY_SHOWN: usize = 200;

/// Why a call failed.
///
/// A refusal is an answer with any other status than 2xx, whatever its body; it has a
/// [`status`](Self::status), and a [`code`](Self::code) if the service named the error. The
/// other failures are told apart by [`is_timeout`](Self::is_timeout) and
/// [`is_connect`](Self::is_connect).
///
/// `Display` is `Code: message (status, request id)`, with what is known of it, and for failures
/// other than refusals a sentence with the cause. Of a refusal that names no error, as a proxy's page,
/// the first 200 bytes are shown, escaped. No credentials are in it, nor in `Debug`: a
/// session token that the service repeats is replaced.
#[derive(Debug)]
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    reached: Reached,
    status: Option<StatusCode>,
    request_id: Option<String>,
    refusal: Refusal,
    /// How the body is encoded, if it says that it is.
    encoding: Option<String>,
    body: Vec<u8>,
    attempts: u32,
    retryable: Option<Retryable>,
}

/// What went wrong.
#[derive(Debug)]
pub(super) enum Kind {
    /// The input could not be written.
    Input(EncodeError),
    /// The operation's prefix cannot go before the host.
    HostPrefix(HostPrefixError),
    /// The operation's name cannot stand in the request.
    OperationName(TargetError),
    /// There is nobody to sign as.
    Credentials(CredentialsError),
    /// The request could not be signed.
    Sign(sigv4::SignError),
    /// No connection that a request could be given to.
    Connect {
        endpoint: String,
        error: hyper_util::client::legacy::Error,
    },
    /// The connection broke before the answer's head.
    Send(hyper_util::client::legacy::Error),
    /// The connection broke within the answer's body.
    Receive(hyper::Error),
    /// The answer did not end in time.
    Timeout(Duration),
    /// The answer is larger than the limit.
    TooLarge(usize),
    /// The answer is no output of the operation.
    Output(SerializationError),
    /// The service refused.
    Refusal,
    /// Whoever read the answer did not accept it.
    Rejected(Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// A failure without an answer.
    pub(super) fn new(kind: Kind) -> Self {
        Self(Box::new(Inner {
            reached: kind.reached(),
            kind,
            status: None,
            request_id: None,
            refusal: Refusal::default(),
            encoding: None,
            body: Vec::new(),
            attempts: 0,
            retryable: None,
        }))
    }

    /// A failure of an exchange, with what there is of an answer.
    pub(super) fn failed(failure: Failure) -> Self {
        match failure.answer {
            Some(answer) => Self::answered(failure.kind, answer),
            None => {
                let mut error = Self::new(failure.kind);
                error.0.reached = failure.reached;
                error
            }
        }
    }

    /// A failure after an answer's head arrived. A status other than 2xx makes it a refusal,
    /// whatever else went wrong. Of what the answer repeats of the session token, nothing is kept.
    pub(super) fn answered(kind: Kind, mut answer: Answer) -> Self {
        let refusal = answer.refusal();
        Self(Box::new(Inner {
            kind: if answer.status.is_success() {
                kind
            } else {
                Kind::Refusal
            },
            reached: Reached::Perhaps,
            status: Some(answer.status),
            request_id: answer.request_id().map(ToOwned::to_owned),
            refusal,
            encoding: answer.encoding(),
            body: answer.body.to_vec(),
            attempts: 0,
            retryable: None,
        }))
    }

    /// A whole answer that whoever stands on this client does not accept: a checksum in it is
    /// wrong, for example. The reason is the [source](StdError::source).
    pub fn rejected(reason: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(Kind::Rejected(reason.into()))
    }

    /// The same error, of a call that ended with this attempt.
    pub(super) fn after(mut self, attempts: u32, retryable: Option<Retryable>) -> Self {
        self.0.attempts = attempts;
        self.0.retryable = retryable;
        self
    }

    /// What the rules for retries look at.
    pub(super) fn cause(&self) -> Cause<'_> {
        match (&self.0.kind, self.0.status) {
            (Kind::Connect { .. }, _) => Cause::Unsent,
            (Kind::Send(_) | Kind::Receive(_) | Kind::Timeout(_), _) => match self.0.reached {
                Reached::Nobody => Cause::Unsent,
                Reached::Perhaps => Cause::BrokeOff,
            },
            (Kind::Refusal, Some(status)) => Cause::Refusal {
                status,
                names: [self.0.refusal.name(), self.0.refusal.query_code()],
            },
            (Kind::Refusal, None)
            | (
                Kind::Credentials(_)
                | Kind::HostPrefix(_)
                | Kind::Input(_)
                | Kind::OperationName(_)
                | Kind::Output(_)
                | Kind::Rejected(_)
                | Kind::Sign(_)
                | Kind::TooLarge(_),
                _,
            ) => Cause::Ours,
        }
    }

    /// AWS's name of the error, without namespace: `QueueDoesNotExist`. If the service gave
    /// only its [query code](Self::query_code), it is that. None if it gave neither, as for a
    /// proxy's error page, and for failures other than refusals.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.refusal.name().or(self.0.refusal.query_code())
    }

    /// The [code](Self::code) in lower_snake_case: `queue_does_not_exist`.
    #[must_use]
    pub fn snake_code(&self) -> Option<String> {
        self.code().map(name::snake)
    }

    /// The code that the error has in the Query protocol, where the service says so:
    /// `AWS.SimpleQueueService.NonExistentQueue`.
    #[must_use]
    pub fn query_code(&self) -> Option<&str> {
        self.0.refusal.query_code()
    }

    /// Whether this is the error of that name, as AWS spells it: either its code or its query
    /// code.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.0.refusal.name() == Some(name) || self.query_code() == Some(name)
    }

    /// What the service said about the error, for people; of a longer text the first 16 KiB.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.0.refusal.message()
    }

    /// The answer's status; none if there was no answer.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// The id that the service gave to the request, if it answered with one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Whose fault a refusal is, by the service's word or else by the status. None for failures
    /// other than refusals, and for a 3xx.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        match self.0.kind {
            Kind::Refusal => self
                .0
                .refusal
                .fault()
                .or_else(|| Fault::from_status(self.0.status?)),
            Kind::Connect { .. }
            | Kind::Credentials(_)
            | Kind::HostPrefix(_)
            | Kind::Input(_)
            | Kind::OperationName(_)
            | Kind::Output(_)
            | Kind::Receive(_)
            | Kind::Rejected(_)
            | Kind::Send(_)
            | Kind::Sign(_)
            | Kind::Timeout(_)
            | Kind::TooLarge(_) => None,
        }
    }

    /// The first 1,024 bytes of the answer's body, or what arrived of it. Empty without an
    /// answer.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.0.body
    }

    /// Whether time ran out: for the connection ([`is_connect`](Self::is_connect) is then true
    /// as well) or for the whole call. The service may have done what it was asked, unless it
    /// was the connection.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        match &self.0.kind {
            Kind::Timeout(_) => true,
            Kind::Connect { error, .. } => causes(error).any(is_connect_timeout),
            Kind::Credentials(_)
            | Kind::HostPrefix(_)
            | Kind::Input(_)
            | Kind::OperationName(_)
            | Kind::Output(_)
            | Kind::Receive(_)
            | Kind::Refusal
            | Kind::Rejected(_)
            | Kind::Send(_)
            | Kind::Sign(_)
            | Kind::TooLarge(_) => false,
        }
    }

    /// Whether no connection was made that could be used: the name is unknown, nothing listens,
    /// TLS failed, or the connection broke before anything was sent on it.
    #[must_use]
    pub fn is_connect(&self) -> bool {
        matches!(self.0.kind, Kind::Connect { .. })
    }

    /// How often the call was sent, or begun to be. 0 if what it was to send was wrong.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Why the failure may pass if the call is made once more, later; none if it will not. The
    /// client has then sent it as often as it may, or has spent its retries, or did not send it
    /// again because the [outcome is unknown](Self::is_outcome_unknown).
    #[must_use]
    pub fn retryable(&self) -> Option<Retryable> {
        self.0.retryable
    }

    /// Whether the service is asked too much, by one of AWS's throttling codes, by one that was
    /// added with [`Builder::retry_code`](super::Builder::retry_code), or by status 429.
    #[must_use]
    pub fn is_throttling(&self) -> bool {
        self.0.retryable == Some(Retryable::Throttling)
    }

    /// Whether the service may have done what it was asked, although the call failed: the
    /// connection broke or time ran out after it was made, a gateway answered 502 or 504 in place
    /// of the service, or the service's success could not be read.
    ///
    /// If not, it was not done, and the call can be made again whatever it does: the service
    /// refused, or the call did not reach it. That is so if there was no connection, if it broke
    /// before a byte of the call was written, and if an HTTP/2 server said that it had done nothing
    /// with it (`REFUSED_STREAM`). See [`UnknownOutcome`](super::UnknownOutcome).
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        match (self.cause(), self.0.reached) {
            (Cause::Ours, Reached::Nobody) => false,
            (Cause::Ours, Reached::Perhaps) => true,
            (cause, _) => cause.outcome() == Outcome::Unknown,
        }
    }

    /// Whether there were no credentials to sign with, as their provider failed or had none.
    /// Nothing was sent.
    #[must_use]
    pub fn is_credentials(&self) -> bool {
        matches!(self.0.kind, Kind::Credentials(_))
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

impl From<hyper::Error> for Kind {
    fn from(error: hyper::Error) -> Self {
        Self::Receive(error)
    }
}

impl Kind {
    /// How far the request came, as far as the kind of the failure tells.
    const fn reached(&self) -> Reached {
        match self {
            Self::Connect { .. }
            | Self::Credentials(_)
            | Self::HostPrefix(_)
            | Self::Input(_)
            | Self::OperationName(_)
            | Self::Sign(_) => Reached::Nobody,
            Self::Output(_)
            | Self::Receive(_)
            | Self::Refusal
            | Self::Rejected(_)
            | Self::Send(_)
            | Self::Timeout(_)
            | Self::TooLarge(_) => Reached::Perhaps,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::Input(error) => return write!(f, "the input cannot be sent: {error}"),
            Kind::HostPrefix(error) => return write!(f, "the call cannot be sent: {error}"),
            Kind::OperationName(error) => return write!(f, "the call cannot be sent: {error}"),
            Kind::Credentials(error) => return write!(f, "no credentials: {error}"),
            Kind::Sign(error) => return write!(f, "the call cannot be signed: {error}"),
            Kind::Connect { endpoint, error } => {
                return write!(f, "cannot connect to {endpoint}: {}", root(error));
            }
            Kind::Send(error) => return write!(f, "the call broke off: {}", root(error)),
            Kind::Rejected(error) => return write!(f, "the answer was not accepted: {error}"),
            Kind::Receive(error) => write!(f, "the answer broke off: {}", root(error))?,
            Kind::Timeout(limit) => write!(f, "no whole answer within {limit:?}")?,
            Kind::TooLarge(limit) => write!(f, "the answer is larger than {limit} bytes")?,
            Kind::Output(error) => match &self.0.encoding {
                Some(encoding) => write!(f, "the answer cannot be read: {}", Encoded(encoding))?,
                None => write!(f, "the answer cannot be read: {error}")?,
            },
            Kind::Refusal => match (self.code(), self.message()) {
                (Some(code), Some(message)) => write!(f, "{code}: {message}")?,
                (Some(code), None) => f.write_str(code)?,
                (None, Some(message)) => write!(f, "refused: {message}")?,
                (None, None) => {
                    f.write_str("refused without an error that can be read")?;
                    match &self.0.encoding {
                        Some(encoding) => write!(f, ": {}", Encoded(encoding))?,
                        None => write_body(f, self.body())?,
                    }
                }
            },
        }
        match (self.0.status, self.request_id()) {
            (Some(status), Some(id)) => write!(f, " ({}, {id})", status.as_u16()),
            (Some(status), None) => write!(f, " ({}, no request id)", status.as_u16()),
            (None, _) => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.kind {
            Kind::Connect { error, .. } | Kind::Send(error) => Some(error),
            Kind::Credentials(error) => Some(error),
            Kind::Input(error) => Some(error),
            Kind::HostPrefix(error) => Some(error),
            Kind::OperationName(error) => Some(error),
            Kind::Output(error) => Some(error),
            Kind::Receive(error) => Some(error),
            Kind::Sign(error) => Some(error),
            Kind::Rejected(error) => Some(&**error),
            Kind::Refusal | Kind::Timeout(_) | Kind::TooLarge(_) => None,
        }
    }
}

/// The body of a refusal is shown as text, in the form of a byte string. Of a success only its
/// length is: there may be what the caller asked for in it, secrets too.
impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = if self.status.is_some_and(|status| status.is_success()) {
            format!("{} bytes", self.body.len())
        } else {
            format!("b\"{}\"", self.body.escape_ascii())
        };
        let body = format_args!("{body}");
        f.debug_struct("Inner")
            .field("kind", &self.kind)
            .field("reached", &self.reached)
            .field("status", &self.status)
            .field("request_id", &self.request_id)
            .field("refusal", &self.refusal)
            .field("body", &body)
            .field("attempts", &self.attempts)
            .field("retryable", &self.retryable)
            .finish()
    }
}

/// That a body is encoded, which nobody asked for.
struct Encoded<'a>(&'a str);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is encoded as {:?}, which was not asked for", self.0)
    }
}

/// The beginning of a body, if there is one, on one line.
fn write_body(f: &mut fmt::Formatter<'_>, body: &[u8]) -> fmt::Result {
    match body {
        [] => Ok(()),
        [..] if body.len() > BODY_SHOWN => {
            write!(f, ": \"{}…\"", body[..BODY_SHOWN].escape_ascii())
        }
        [..] => write!(f, ": \"{}\"", body.escape_ascii()),
    }
}

/// Whether this says that a connection was not made in time: by our time, by that of one of the
/// host's addresses, or by the system's.
fn is_connect_timeout(error: &(dyn StdError + 'static)) -> bool {
    error.is::<ConnectTimeout>()
        || error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
}

/// An error and what caused it, outermost first.
pub(super) fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The innermost cause, which is the one that says something to people.
fn root<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    causes(error).last().unwrap_or(error)
}
