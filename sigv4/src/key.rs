//! The signing key of a day, and the signature it makes.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::canonical::{Gathered, Sink, StringToSign, write_string_to_sign};
use crate::credentials::Secret;
use crate::scope::{Scope, TERMINATOR};
use crate::time::DateTime;

/// The key derived from a secret for one day, region and service, with its HMAC state prepared.
///
/// Deriving takes four HMACs, more than signing a small request, so it pays to keep the key:
/// [`Signer`](crate::Signer) does so for the day, and a server keeps one for each access key and
/// scope it met. It cannot be turned back into the secret, but signs for its scope, so it is
/// guarded like one: redacted in `Debug`, wiped when dropped.
///
/// Source: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>,
/// step "Derive a signing key".
///
/// # Example
/// ```
/// use sigv4::{DateTime, Scope, Secret, SigningKey};
///
/// let secret = Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
/// let at = DateTime::parse("20150830T123600Z").unwrap();
/// let key = SigningKey::derive(&secret, &Scope::new(at, "us-east-1", "iam")?);
/// assert_eq!(key.expose_bytes()[..4], [0xc4, 0xaf, 0xb1, 0xcc]);
/// # Ok::<(), sigv4::ScopeError>(())
/// ```
#[derive(Clone)]
pub struct SigningKey {
    bytes: Zeroizing<[u8; 32]>,
    prepared: Hmac<Sha256>,
}

impl SigningKey {
    /// Derives the key of a scope. Its terminator is taken as `aws4_request`, whatever it says.
    #[must_use]
    pub fn derive(secret: &Secret, scope: &Scope) -> Self {
        Self::derive_for(
            secret,
            [scope.date(), scope.region(), scope.service(), TERMINATOR],
        )
    }

    /// Derives the key of any four parts of a scope.
    pub(crate) fn derive_for(secret: &Secret, [day, region, service, end]: [&str; 4]) -> Self {
        // One place for all of them: each key overwrites the one that it was derived from.
        let mut bytes = digest(keyed(secret.prefixed()), day);
        for part in [region, service, end] {
            let mut mac = keyed(&*bytes);
            mac.update(part.as_bytes());
            *bytes = mac.finalize().into_bytes().into();
        }
        let prepared = keyed(&*bytes);
        Self { bytes, prepared }
    }

    /// The signature of a string to sign.
    #[must_use]
    pub fn sign(&self, string_to_sign: &StringToSign) -> Signature {
        let mut mac = self.mac();
        mac.update(string_to_sign.as_str().as_bytes());
        Signature::of(mac)
    }

    /// The 32 bytes of the key, for comparison with published values. They are a secret.
    #[must_use]
    pub fn expose_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The prepared state, ready to be fed the string to sign.
    pub(crate) fn mac(&self) -> Hmac<Sha256> {
        self.prepared.clone()
    }
}

/// What makes signatures: where signing by one algorithm differs from signing by another.
pub(crate) trait Sign {
    /// Its `Display` is what stands in the request.
    type Signature: Clone + AsRef<str>;

    fn sign(&self, string_to_sign: &StringToSign) -> Self::Signature;
}

/// What checks signatures: where verifying by one algorithm differs from verifying by another.
pub(crate) trait Check {
    /// Whether a claimed signature is right for a canonical request of this hash.
    fn is_right(&self, claimed: &str, at: DateTime, scope: &Scope, hash: [u8; 32]) -> bool;
}

impl Sign for SigningKey {
    type Signature = Signature;

    fn sign(&self, string_to_sign: &StringToSign) -> Signature {
        Self::sign(self, string_to_sign)
    }
}

impl Check for SigningKey {
    fn is_right(&self, claimed: &str, at: DateTime, scope: &Scope, hash: [u8; 32]) -> bool {
        let mut mac = self.mac();
        let mut text = Gathered::<_, 192>::new(&mut mac);
        write_string_to_sign(&mut text, at, scope, hash);
        text.flush();
        Signature::of(mac).matches(claimed)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(redacted)")
    }
}

/// A signature: `Display` is its 64 lower-case hexadecimal digits, `Debug` is redacted.
#[derive(Clone, Copy)]
pub struct Signature {
    hex: [u8; 64],
}

impl Signature {
    pub(crate) fn of(mac: Hmac<Sha256>) -> Self {
        Self {
            hex: hex_of(&mac.finalize().into_bytes().into()),
        }
    }

    /// Reads 64 lower-case hexadecimal digits and nothing else: a signature that is known to be
    /// right, as the seed of a [`ChunkSigner`](crate::ChunkSigner). To judge one that came with a
    /// request, use [`matches`](Self::matches).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex: [u8; 64] = text.as_bytes().try_into().ok()?;
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        hex.iter().all(is_digit).then_some(Self { hex })
    }

    /// The 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Every byte was written as a hexadecimal digit, so this is always text.
        std::str::from_utf8(&self.hex).unwrap_or_default()
    }

    /// The 32 bytes that the digits stand for.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        hex::decode_to_slice(self.hex, &mut bytes).expect("64 digits are 32 bytes");
        bytes
    }

    /// Whether a text is this signature, compared in a time that depends on its length alone.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        is_same_hex(&self.hex, text.as_bytes())
    }
}

impl AsRef<str> for Signature {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature(redacted)")
    }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        is_same_hex(&self.hex, &other.hex)
    }
}

impl Eq for Signature {}

impl Sink for Hmac<Sha256> {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Whether a text is these digits, compared in a time that depends on its length alone: eight bytes at
/// a time, since what makes a comparison take constant time costs the same for eight as for one.
pub(crate) fn is_same_hex(digits: &[u8; 64], text: &[u8]) -> bool {
    fn words(text: &[u8; 64]) -> [u64; 8] {
        let (words, _) = text.as_chunks();
        std::array::from_fn(|at| u64::from_ne_bytes(words[at]))
    }
    let Ok(text) = text.try_into() else {
        return false;
    };
    words(digits).ct_eq(&words(text)).into()
}

/// 32 bytes as 64 lower-case hexadecimal digits.
pub(crate) fn hex_of(bytes: &[u8; 32]) -> [u8; 64] {
    // Arithmetic instead of a table: the compiler does many digits at a time.
    const fn digit(value: u8) -> u8 {
        value + if value < 10 { b'0' } else { b'a' - 10 }
    }
    let mut text = [0; 64];
    for (pair, byte) in text.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    text
}

pub(crate) fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes a key of any length")
}

fn digest(mut mac: Hmac<Sha256>, data: &str) -> Zeroizing<[u8; 32]> {
    mac.update(data.as_bytes());
    Zeroizing::new(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worked_example() -> SigningKey {
        let at = DateTime::parse("20150830T123600Z").unwrap();
        let secret = Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        SigningKey::derive(&secret, &Scope::new(at, "us-east-1", "iam").unwrap())
    }

    /// Source: AWS General Reference, "Examples of how to derive a signing key".
    #[test]
    fn the_published_key_is_derived() {
        assert_eq!(
            hex::encode(worked_example().expose_bytes()),
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
        );
    }

    #[test]
    fn a_secret_longer_than_a_hash_block_is_a_key_too() {
        let at = DateTime::parse("20150830T123600Z").unwrap();
        let scope = Scope::new(at, "us-east-1", "iam").unwrap();
        let long = SigningKey::derive(&Secret::new("x".repeat(300)), &scope);
        let longer = SigningKey::derive(&Secret::new("x".repeat(301)), &scope);
        assert_ne!(long.expose_bytes(), longer.expose_bytes());
    }

    #[test]
    fn a_signature_matches_its_own_text_only() {
        let signature = Signature::of(worked_example().mac());
        let text = signature.to_string();
        assert!(signature.matches(&text));
        for wrong in [
            "",
            &text[..63],
            &format!("{text}0"),
            &text.to_uppercase(),
            "é",
        ] {
            assert!(!signature.matches(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn debug_shows_neither_key_nor_signature() {
        let key = worked_example();
        assert_eq!(format!("{key:?}"), "SigningKey(redacted)");
        assert_eq!(
            format!("{:?}", Signature::of(key.mac())),
            "Signature(redacted)"
        );
    }
}
