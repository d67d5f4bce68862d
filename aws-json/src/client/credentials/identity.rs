//! One set of credentials, with the signers that keep its day's keys.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sigv4::{Credentials, Signer};

/// How many regions besides the client's own have a signer kept.
const REGIONS_KEPT: usize = 16;

/// Whom calls are signed as: one set of credentials, until others take its place.
pub(in crate::client) struct Identity {
    credentials: Credentials,
    signer: Arc<Signer>,
    elsewhere: Mutex<Vec<Arc<Signer>>>,
}

impl Identity {
    /// Credentials that sign for a region, unless a call says otherwise, and a service's signing
    /// name.
    pub(in crate::client) fn new(credentials: Credentials, region: &str, service: &str) -> Self {
        Self {
            signer: Arc::new(Signer::new(credentials.clone(), region, service)),
            credentials,
            elsewhere: Mutex::default(),
        }
    }

    /// The access key id, which is not secret.
    #[cfg(test)]
    pub(super) fn access_key_id(&self) -> &str {
        self.credentials.access_key_id()
    }

    /// The signer for any region.
    pub(in crate::client) fn signer_for(&self, region: &str) -> Arc<Signer> {
        if self.signer.region() == region {
            return Arc::clone(&self.signer);
        }
        // A panic cannot leave a half-made signer behind.
        let mut kept = self
            .elsewhere
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(signer) = kept.iter().find(|signer| signer.region() == region) {
            return Arc::clone(signer);
        }
        if kept.len() == REGIONS_KEPT {
            kept.remove(0);
        }
        let signer = Arc::new(Signer::new(
            self.credentials.clone(),
            region,
            self.signer.service(),
        ));
        kept.push(Arc::clone(&signer));
        signer
    }

    /// The session token, which a service may repeat when it explains a wrong signature: to be
    /// removed from what is kept of its answer.
    pub(in crate::client) fn session_token(&self) -> Option<&str> {
        self.credentials.session_token()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("access_key_id", &self.credentials.access_key_id())
            .finish_non_exhaustive()
    }
}
