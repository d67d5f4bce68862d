//! The credentials that calls are signed with.

use sigv4::{Credentials, Signer};

use super::service::Service;

/// Gives the signer for a call. Today it is made once, from fixed credentials; credentials that
/// end and are fetched anew would be kept here, with a signer for each.
pub(super) struct Signers {
    signer: Signer,
    credentials: Credentials,
}

impl Signers {
    pub(super) fn fixed(credentials: Credentials, region: &str, service: &Service) -> Self {
        Self {
            signer: Signer::new(credentials.clone(), region, &*service.signing_name),
            credentials,
        }
    }

    pub(super) const fn current(&self) -> &Signer {
        &self.signer
    }

    /// The session token, which a service may repeat when it explains a wrong signature: to be
    /// removed from what is kept of its answer.
    pub(super) fn session_token(&self) -> Option<&str> {
        self.credentials.session_token()
    }
}
