//! The keys that are known, with what is derived from their secrets.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use sigv4::explain::{Explanation, Inquiry, Refused};
use sigv4::{Claim, Secret, SigningKey, VerifyError, VerifySettings};
use zeroize::Zeroizing;

use super::credential::{AccountId, Credential};
use super::refusal::Refusal;

/// Derived keys that are kept for one access key: one for each day and region that it was used
/// with. Further ones are derived anew for each request, after the kept ones were dropped.
const DAY_KEYS_MAX: usize = 64;

/// How signatures are checked: any region, this one service, and nothing left unsigned.
static SETTINGS: LazyLock<VerifySettings> =
    LazyLock::new(|| VerifySettings::default().with_service(sqs::SIGNING_NAME));

/// Every access key that the server accepts.
pub(crate) struct Keyring {
    known: HashMap<String, Known>,
}

impl Keyring {
    pub(crate) fn new(credentials: &[Credential]) -> Self {
        let known = credentials.iter().map(|credential| {
            (
                credential.access_key_id().to_owned(),
                Known::new(credential),
            )
        });
        Self {
            known: known.collect(),
        }
    }

    pub(crate) fn find(&self, access_key_id: &str) -> Option<&Known> {
        self.known.get(access_key_id)
    }

    /// Why a request is refused, as far as that can be found out within some milliseconds. For the
    /// log and the journal alone: it names keys.
    pub(crate) fn explain(&self, received: &Received<'_>, refused: Refused<'_>) -> Explanation {
        let known = self.known.values();
        let known = known.map(|known| (&*known.access_key_id, &known.secret));
        let Received {
            claim,
            request,
            body,
            now,
        } = *received;
        Inquiry::new(request, body, claim, now, &SETTINGS)
            .with_known(known)
            .explain(refused)
    }

    /// Whether a text is the secret of one of the keys.
    pub(crate) fn is_secret(&self, text: &str) -> bool {
        let mut known = self.known.values();
        known.any(|known| known.secret.matches(text))
    }
}

/// A request with what it says of its signature.
#[derive(Clone, Copy)]
pub(crate) struct Received<'a> {
    pub(crate) claim: &'a Claim,
    pub(crate) request: &'a sigv4::Request<'a>,
    pub(crate) body: &'a [u8],
    pub(crate) now: SystemTime,
}

/// An access key that the server accepts.
pub(crate) struct Known {
    access_key_id: Arc<str>,
    account: AccountId,
    secret: Secret,
    session_token: Option<Zeroizing<String>>,
    /// By credential scope. A key gets in only after a signature made with it was found right, so
    /// nobody without the secret can fill this.
    day_keys: Mutex<HashMap<String, Arc<SigningKey>>>,
}

impl Known {
    fn new(credential: &Credential) -> Self {
        Self {
            access_key_id: credential.access_key_id().into(),
            account: credential.account().unwrap_or_default(),
            secret: Secret::new(credential.secret_access_key()),
            session_token: credential
                .session_token()
                .map(|token| Zeroizing::new(token.to_owned())),
            day_keys: Mutex::default(),
        }
    }

    pub(crate) fn access_key_id(&self) -> Arc<str> {
        Arc::clone(&self.access_key_id)
    }

    pub(crate) fn account(&self) -> AccountId {
        self.account
    }

    /// A key with a session token is a temporary one, and its requests must carry that very token;
    /// a key without one is a lasting one, and AWS knows no token for it.
    pub(crate) fn check_session_token(&self, claim: &Claim) -> Result<(), Refusal> {
        let known = self.session_token.as_ref().map(|token| token.as_str());
        if claim.has_session_token(known) {
            return Ok(());
        }
        let (explanation, advice) = match (known, claim.session_token()) {
            (Some(_), Some(_)) => (
                "the session token is not the one that belongs to the access key",
                "use the token that the server was started with",
            ),
            (Some(_), None) => (
                "the access key is a temporary one and the request carries no session token",
                "give the client the session token too (AWS_SESSION_TOKEN)",
            ),
            (None, _) => (
                "the request carries a session token and the server knows none for the access key",
                "take the session token out of the client's settings (AWS_SESSION_TOKEN)",
            ),
        };
        Err(Refusal::session_token(explanation, advice))
    }

    /// Checks a signature with this key's secret.
    pub(crate) fn verify(&self, received: &Received<'_>) -> Result<(), VerifyError> {
        let Received {
            claim,
            request,
            body,
            now,
        } = *received;
        let scope = claim.scope();
        let kept = self.lock().get(scope.as_str()).cloned();
        let key = kept
            .clone()
            .unwrap_or_else(|| Arc::new(SigningKey::derive(&self.secret, scope)));
        // What it found besides is fixed by these settings: body and token are both covered.
        let _verified = claim.verify(request, body, &key, now, &SETTINGS)?;
        if kept.is_none() {
            let mut day_keys = self.lock();
            if day_keys.len() >= DAY_KEYS_MAX {
                day_keys.clear();
            }
            day_keys.insert(scope.as_str().to_owned(), key);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<SigningKey>>> {
        self.day_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
