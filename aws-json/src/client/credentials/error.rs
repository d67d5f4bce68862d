//! Why there are no credentials.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::client::config::ConfigError;

/// Why there are no credentials to sign with.
///
/// It is cheap to clone: each of the calls that waited for the same credentials has it.
#[derive(Clone)]
pub struct CredentialsError(Arc<Inner>);

struct Inner {
    kind: Kind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Absent,
    Failed,
}

impl CredentialsError {
    /// There should be credentials, and they could not be had. Others are not looked for.
    ///
    /// The message is shown to people and written to logs: it must hold no secret.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(Kind::Failed, message.into())
    }

    /// There are no credentials here, as nothing says that there are. The message says what would.
    #[must_use]
    pub fn absent(message: impl Into<String>) -> Self {
        Self::of(Kind::Absent, message.into())
    }

    /// The same error with what caused it, for whoever looks into
    /// [`source`](Error::source): the message should say it as well. It must hold no secret
    /// either.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::new(Inner {
            kind: self.0.kind,
            message: self.0.message.clone(),
            source: Some(source.into()),
        }))
    }

    /// Whether nothing says that there are credentials here, so that another place may be
    /// looked at.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.0.kind == Kind::Absent
    }

    fn of(kind: Kind, message: String) -> Self {
        Self(Arc::new(Inner {
            kind,
            message,
            source: None,
        }))
    }
}

/// A setting that cannot be right is a failure.
impl From<ConfigError> for CredentialsError {
    fn from(error: ConfigError) -> Self {
        Self::new(error.to_string())
    }
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialsError")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("source", &self.0.source)
            .finish()
    }
}

impl Error for CredentialsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}
