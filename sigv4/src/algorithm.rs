//! The two algorithms that a request can be signed by.

/// How a signature is made. Which one it is shows in the scope: that of SigV4 names a region, that
/// of SigV4a does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// Signature Version 4: an HMAC with a key that both sides can derive.
    HmacSha256,
    /// SigV4a: a key pair, of which a verifier needs the public half only.
    EcdsaP256Sha256,
}

impl Algorithm {
    pub(crate) const ALL: [Self; 2] = [Self::HmacSha256, Self::EcdsaP256Sha256];

    /// The name, which begins every `Authorization` header and string to sign.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::HmacSha256 => "AWS4-HMAC-SHA256",
            Self::EcdsaP256Sha256 => "AWS4-ECDSA-P256-SHA256",
        }
    }

    /// The algorithm of a name, if it is among the accepted ones.
    pub(crate) fn named(name: &str, accepted: &[Self]) -> Option<Self> {
        let found = Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)?;
        accepted.contains(&found).then_some(found)
    }
}
