//! An access key, its secret, and perhaps a session token.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// What stands before the secret in the key of the first HMAC.
const PREFIX: &[u8] = b"AWS4";

/// A secret access key. Shown by no `Debug`, wiped when dropped.
///
/// # Example
/// ```
/// let secret = sigv4::Secret::new("test");
/// assert_eq!(format!("{secret:?}"), "Secret(redacted)");
/// ```
#[derive(Clone)]
pub struct Secret {
    /// `AWS4` and the secret: the key of the first HMAC, kept ready so that no derivation copies it.
    prefixed: Zeroizing<Vec<u8>>,
}

impl Secret {
    /// Takes a secret of any length; nothing of it is trimmed.
    #[must_use]
    pub fn new(secret: impl AsRef<[u8]>) -> Self {
        let secret = secret.as_ref();
        let mut prefixed = Vec::with_capacity(PREFIX.len() + secret.len());
        prefixed.extend_from_slice(PREFIX);
        prefixed.extend_from_slice(secret);
        Self {
            prefixed: Zeroizing::new(prefixed),
        }
    }

    /// Whether this is the secret, compared in a time that depends on the lengths alone. A server
    /// recognises by it a secret that a client sent in the place of its access key id, before it
    /// writes that into a log.
    ///
    /// ```
    /// let secret = sigv4::Secret::new("test");
    /// assert!(secret.matches("test"));
    /// assert!(!secret.matches("test "));
    /// ```
    #[must_use]
    pub fn matches(&self, text: impl AsRef<[u8]>) -> bool {
        self.prefixed[PREFIX.len()..].ct_eq(text.as_ref()).into()
    }

    /// The secret itself.
    pub(crate) fn expose_bytes(&self) -> &[u8] {
        &self.prefixed[PREFIX.len()..]
    }

    pub(crate) fn prefixed(&self) -> &[u8] {
        &self.prefixed
    }

    /// `AWS4A` and the secret: the key from which SigV4a derives its pair.
    #[cfg(feature = "sigv4a")]
    pub(crate) fn prefixed_for_pairs(&self) -> Zeroizing<Vec<u8>> {
        let mut prefixed = Zeroizing::new(Vec::with_capacity(self.prefixed.len() + 1));
        prefixed.extend_from_slice(PREFIX);
        prefixed.push(b'A');
        prefixed.extend_from_slice(&self.prefixed[PREFIX.len()..]);
        prefixed
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// Who signs: an access key id, its secret, and for temporary credentials the session token.
///
/// # Example
/// ```
/// use sigv4::Credentials;
///
/// let credentials = Credentials::new("AKIDEXAMPLE", "wJalrXUtnFEMI").with_session_token("hush");
/// assert_eq!(credentials.access_key_id(), "AKIDEXAMPLE");
/// assert!(!format!("{credentials:?}").contains("hush"));
/// ```
#[derive(Clone)]
pub struct Credentials {
    access_key_id: String,
    secret: Secret,
    session_token: Option<Zeroizing<String>>,
}

impl Credentials {
    /// Long-lived credentials. The id must be visible ASCII without `/` and `,`, which signing checks.
    #[must_use]
    pub fn new(access_key_id: impl Into<String>, secret_access_key: impl AsRef<[u8]>) -> Self {
        Self {
            access_key_id: access_key_id.into(),
            secret: Secret::new(secret_access_key),
            session_token: None,
        }
    }

    /// The same with the token that temporary credentials come with. It must be visible ASCII,
    /// which signing checks.
    #[must_use]
    pub fn with_session_token(mut self, token: impl Into<String>) -> Self {
        self.session_token = Some(Zeroizing::new(token.into()));
        self
    }

    /// The access key id, which is not secret.
    #[must_use]
    pub fn access_key_id(&self) -> &str {
        &self.access_key_id
    }

    /// The secret, to derive a [`SigningKey`](crate::SigningKey) from.
    #[must_use]
    pub const fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The session token. It is as good as a password while it lasts: keep it out of logs.
    #[must_use]
    pub fn session_token(&self) -> Option<&str> {
        self.session_token.as_ref().map(|token| token.as_str())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("access_key_id", &self.access_key_id)
            .field("secret", &self.secret)
            .field(
                "session_token",
                &self.session_token.as_ref().map(|_| "redacted"),
            )
            .finish()
    }
}
