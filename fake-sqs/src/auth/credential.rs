//! Who may call: access keys with their secrets, and the accounts they belong to.

use std::fmt;
use std::str::FromStr;

use zeroize::Zeroizing;

/// Characters in an access key id at most; AWS's own bound (IAM API reference, `AccessKey`).
const ACCESS_KEY_ID_CHARS_MAX: usize = 128;

/// Bytes in a secret or a session token at most. AWS states no bound; its session tokens stay below
/// 4 KiB.
const SECRET_BYTES_MAX: usize = 16 * 1024;

/// An AWS account's number: exactly twelve digits.
///
/// Queues of different accounts never meet: two credentials with two accounts are two worlds.
///
/// ```
/// use fake_sqs::AccountId;
///
/// let account: AccountId = "123456789012".parse()?;
/// assert_eq!(account.as_str(), "123456789012");
/// assert_eq!(AccountId::default().as_str(), "000000000000");
/// assert!("12345".parse::<AccountId>().is_err());
/// # Ok::<(), fake_sqs::AccountIdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId([u8; 12]);

impl AccountId {
    /// The twelve digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only digits get in, so this is never the empty string.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Default for AccountId {
    /// `000000000000`, the account of credentials that name none.
    fn default() -> Self {
        Self([b'0'; 12])
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AccountId {
    type Err = AccountIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match <[u8; 12]>::try_from(text.as_bytes()) {
            Ok(digits) if digits.iter().all(u8::is_ascii_digit) => Ok(Self(digits)),
            Ok(_) | Err(_) => Err(AccountIdError),
        }
    }
}

/// A text that is not an account's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an account is exactly 12 digits, like 000000000000")]
pub struct AccountIdError;

/// An access key with its secret: what a client signs with, and the server verifies against.
///
/// As text it is `KEY:SECRET` or `KEY:SECRET:ACCOUNT`: the key ends at the first colon, and a last
/// colon that is followed by exactly twelve digits begins the account. Everything between is the
/// secret, colons included. `Debug` shows neither the secret nor the session token.
///
/// ```
/// use fake_sqs::Credential;
///
/// let credential: Credential = "AKIDORDERS:a:secret:123456789012".parse()?;
/// assert_eq!(credential.access_key_id(), "AKIDORDERS");
/// assert_eq!(credential.secret_access_key(), "a:secret");
/// assert_eq!(credential.account().map(|account| account.to_string()).as_deref(), Some("123456789012"));
/// assert!(!format!("{credential:?}").contains("a:secret"));
/// # Ok::<(), fake_sqs::CredentialError>(())
/// ```
#[derive(Clone)]
pub struct Credential {
    access_key_id: String,
    secret_access_key: Zeroizing<String>,
    session_token: Option<Zeroizing<String>>,
    account: Option<AccountId>,
}

impl Credential {
    /// A credential of the server's default account.
    ///
    /// # Errors
    ///
    /// [`CredentialError`] when the key is empty, longer than 128 characters, or has a character
    /// that cannot stand in a credential scope (white space, `/`, `,`, `=`, `:`, anything that is
    /// not printable ASCII); and when the secret is empty, longer than 16 KiB, or has a control
    /// character.
    pub fn new(
        access_key_id: impl Into<String>,
        secret_access_key: impl Into<String>,
    ) -> Result<Self, CredentialError> {
        let access_key_id = access_key_id.into();
        let secret_access_key = Zeroizing::new(secret_access_key.into());
        check_access_key_id(&access_key_id)?;
        check_secret(&secret_access_key).map_err(CredentialError::Secret)?;
        Ok(Self {
            access_key_id,
            secret_access_key,
            session_token: None,
            account: None,
        })
    }

    /// The same credential as one of this account.
    #[must_use]
    pub fn with_account(mut self, account: AccountId) -> Self {
        self.account = Some(account);
        self
    }

    /// The same credential as a temporary one: requests that are signed with its key must carry
    /// this session token, and sign it. Requests signed with a credential that has none must
    /// carry none: a token that is left over in the client's environment, as AWS_SESSION_TOKEN, is
    /// refused.
    ///
    /// # Errors
    ///
    /// [`CredentialError::SessionToken`] when the token is empty, longer than 16 KiB, or has
    /// anything but visible ASCII, which no request could carry.
    pub fn with_session_token(
        mut self,
        session_token: impl Into<String>,
    ) -> Result<Self, CredentialError> {
        let session_token = Zeroizing::new(session_token.into());
        check_session_token(&session_token).map_err(CredentialError::SessionToken)?;
        self.session_token = Some(session_token);
        Ok(self)
    }

    /// The public half, which requests name.
    #[must_use]
    pub fn access_key_id(&self) -> &str {
        &self.access_key_id
    }

    /// The secret half, for a client's configuration.
    #[must_use]
    pub fn secret_access_key(&self) -> &str {
        &self.secret_access_key
    }

    /// The session token that requests must carry, if any.
    #[must_use]
    pub fn session_token(&self) -> Option<&str> {
        self.session_token.as_ref().map(|token| token.as_str())
    }

    /// The account, when this credential names one; otherwise it gets the server's default.
    #[must_use]
    pub fn account(&self) -> Option<AccountId> {
        self.account
    }
}

impl Default for Credential {
    /// The built-in credential: key `test`, secret `test`.
    fn default() -> Self {
        Self {
            access_key_id: "test".to_owned(),
            secret_access_key: Zeroizing::new("test".to_owned()),
            session_token: None,
            account: None,
        }
    }
}

/// What a client in the same process signs with, session token included.
///
/// ```
/// use fake_sqs::Credential;
///
/// let credential = Credential::new("AKIDORDERS", "its secret")?.with_session_token("token")?;
/// let credentials = sigv4::Credentials::from(&credential);
/// assert_eq!(credentials.access_key_id(), "AKIDORDERS");
/// assert!(credentials.secret().matches("its secret"));
/// assert_eq!(credentials.session_token(), Some("token"));
/// # Ok::<(), fake_sqs::CredentialError>(())
/// ```
impl From<&Credential> for sigv4::Credentials {
    fn from(credential: &Credential) -> Self {
        let credentials = Self::new(credential.access_key_id(), credential.secret_access_key());
        match credential.session_token() {
            Some(token) => credentials.with_session_token(token),
            None => credentials,
        }
    }
}

impl FromStr for Credential {
    type Err = CredentialError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (access_key_id, rest) = text.split_once(':').ok_or(CredentialError::NoSecret)?;
        let account_apart = rest
            .rsplit_once(':')
            .and_then(|(secret, last)| Some((secret, last.parse().ok()?)));
        match account_apart {
            Some((secret, account)) => Ok(Self::new(access_key_id, secret)?.with_account(account)),
            None => Self::new(access_key_id, rest),
        }
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("access_key_id", &self.access_key_id)
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

/// Why a credential cannot be used. No variant holds the text it is about, since that text may be
/// a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// There is no colon, so where the key ends and the secret begins is not known.
    #[error("a credential is KEY:SECRET or KEY:SECRET:ACCOUNT; this one has no colon")]
    NoSecret,
    /// The part before the first colon cannot be an access key id.
    #[error(
        "the access key id, which ends at the first colon, must be 1 to 128 printable ASCII \
         characters without white space, '/', ',', '=' or ':'"
    )]
    AccessKeyId,
    /// The part after the first colon cannot be a secret.
    #[error("the secret, which begins after the first colon, {0}")]
    Secret(SecretError),
    /// The session token cannot be one.
    #[error("the session token {0}")]
    SessionToken(SecretError),
}

/// What is wrong with a secret or a session token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// It has no characters.
    #[error("must not be empty")]
    Empty,
    /// It is longer than 16 KiB.
    #[error("must not be longer than {SECRET_BYTES_MAX} bytes")]
    TooLong,
    /// It has a line break or another control character, usually from the file it was read from.
    #[error("must not hold a line break or another control character")]
    ControlCharacter,
    /// It has white space or characters beyond ASCII, which a session token cannot have.
    #[error("must be visible ASCII")]
    NotVisibleAscii,
}

fn check_access_key_id(text: &str) -> Result<(), CredentialError> {
    let allowed = |b: u8| b.is_ascii_graphic() && !matches!(b, b'/' | b',' | b'=' | b':');
    if (1..=ACCESS_KEY_ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(allowed) {
        Ok(())
    } else {
        Err(CredentialError::AccessKeyId)
    }
}

fn check_secret(text: &str) -> Result<(), SecretError> {
    if text.is_empty() {
        Err(SecretError::Empty)
    } else if text.len() > SECRET_BYTES_MAX {
        Err(SecretError::TooLong)
    } else if text.chars().any(char::is_control) {
        Err(SecretError::ControlCharacter)
    } else {
        Ok(())
    }
}

fn check_session_token(text: &str) -> Result<(), SecretError> {
    check_secret(text)?;
    if text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(())
    } else {
        Err(SecretError::NotVisibleAscii)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key, secret and account of a credential given as text.
    fn parts(text: &str) -> (String, String, Option<String>) {
        let credential: Credential = text.parse().expect(text);
        (
            credential.access_key_id().to_owned(),
            credential.secret_access_key().to_owned(),
            credential.account().map(|account| account.to_string()),
        )
    }

    fn expected(
        key: &str,
        secret: &str,
        account: Option<&str>,
    ) -> (String, String, Option<String>) {
        (
            key.to_owned(),
            secret.to_owned(),
            account.map(str::to_owned),
        )
    }

    #[test]
    fn the_key_ends_at_the_first_colon_and_the_account_is_twelve_digits_at_the_end() {
        let cases = [
            ("test:test", expected("test", "test", None)),
            ("k:s:123456789012", expected("k", "s", Some("123456789012"))),
            ("k:s:12345678901", expected("k", "s:12345678901", None)),
            ("k:s:1234567890123", expected("k", "s:1234567890123", None)),
            ("k:s:12345678901x", expected("k", "s:12345678901x", None)),
            ("k:a:b:c", expected("k", "a:b:c", None)),
            (
                "k:a:b:123456789012",
                expected("k", "a:b", Some("123456789012")),
            ),
            ("k:s:", expected("k", "s:", None)),
            // Twelve digits after the first colon are the secret: there is no last colon besides.
            ("k:123456789012", expected("k", "123456789012", None)),
            ("k:wJalr/+=x", expected("k", "wJalr/+=x", None)),
        ];
        for (text, expected) in cases {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn bad_text_is_refused_for_its_reason() {
        let long_key = format!("{}:s", "k".repeat(129));
        let long_secret = format!("k:{}", "s".repeat(SECRET_BYTES_MAX + 1));
        let cases = [
            ("", CredentialError::NoSecret),
            ("test", CredentialError::NoSecret),
            (":secret", CredentialError::AccessKeyId),
            ("k/2:secret", CredentialError::AccessKeyId),
            ("k 2:secret", CredentialError::AccessKeyId),
            ("k\u{e9}:secret", CredentialError::AccessKeyId),
            (&long_key, CredentialError::AccessKeyId),
            ("k:", CredentialError::Secret(SecretError::Empty)),
            (
                "k::123456789012",
                CredentialError::Secret(SecretError::Empty),
            ),
            (
                "k:secret\n",
                CredentialError::Secret(SecretError::ControlCharacter),
            ),
            (&long_secret, CredentialError::Secret(SecretError::TooLong)),
        ];
        for (text, expected) in cases {
            assert_eq!(
                text.parse::<Credential>().expect_err(text),
                expected,
                "{text:?}"
            );
        }
    }

    #[test]
    fn neither_debug_nor_an_error_shows_a_secret() {
        let credential = Credential::new("AKID", "hunter2")
            .and_then(|credential| credential.with_session_token("token2"))
            .expect("a credential");
        let shown = format!("{credential:?}");
        assert!(shown.contains("AKID"), "{shown}");
        assert!(
            !shown.contains("hunter2") && !shown.contains("token2"),
            "{shown}"
        );
        let error = "AK/ID:hunter2".parse::<Credential>().expect_err("a slash");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }

    #[test]
    fn a_session_token_is_checked_like_a_secret() {
        let with = |token: &str| Credential::default().with_session_token(token).map(|_| ());
        assert_eq!(with("t/+="), Ok(()));
        for (token, error) in [
            ("", SecretError::Empty),
            ("a\r", SecretError::ControlCharacter),
            ("a b", SecretError::NotVisibleAscii),
            ("\u{e9}", SecretError::NotVisibleAscii),
        ] {
            assert_eq!(
                with(token),
                Err(CredentialError::SessionToken(error)),
                "{token:?}"
            );
        }
    }
}
