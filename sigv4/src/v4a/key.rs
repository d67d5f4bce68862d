//! The pair of keys, derived from a secret.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, Mac};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::ecdsa::{self, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::signature::Signature;
use crate::algorithm::Algorithm;
use crate::canonical::{StringToSign, write_string_to_sign};
use crate::credentials::Secret;
use crate::key::{Check, Sign, keyed};
use crate::scope::Scope;
use crate::time::DateTime;

/// The order of the curve P-256, less two: the greatest number that a key is made of, by adding one.
/// Source: FIPS 186-4, appendix D.1.2.3.
const ORDER_LESS_TWO: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x4f,
];

/// The last counter that is tried.
const COUNTER_MAX: u8 = 254;

/// The private key of an access key: signs for every region, service and day. Wiped when dropped,
/// redacted in `Debug`.
///
/// # Example
/// ```
/// use sigv4::{Secret, v4a::PrivateKey};
///
/// // The key of AWS's signing suite.
/// let secret = Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
/// let key = PrivateKey::derive(&secret, "AKIDEXAMPLE")?;
/// assert!(key.public_key().to_string().starts_with("04b6618f6a65740a99e650b33b6b4b5b"));
/// # Ok::<(), sigv4::v4a::DeriveError>(())
/// ```
#[derive(Clone)]
pub struct PrivateKey {
    key: SigningKey,
    public: PublicKey,
}

/// No counter up to 254 gave a key. The chance of that is less than one in 2^8000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeriveError;

impl PrivateKey {
    /// Derives the key of an access key id and its secret, as NIST SP 800-108 has it, in counter mode
    /// with HMAC-SHA256. Costs a multiplication on the curve, so it pays to keep the key.
    ///
    /// # Errors
    /// [`DeriveError`], which does not happen.
    pub fn derive(secret: &Secret, access_key_id: &str) -> Result<Self, DeriveError> {
        let key = first_key(candidates(secret, access_key_id)).ok_or(DeriveError)?;
        let public = PublicKey(*key.verifying_key());
        Ok(Self { key, public })
    }

    /// The public half, which a verifier needs.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The signature of a string to sign: the same each time (RFC 6979).
    #[must_use]
    pub fn sign(&self, string_to_sign: &StringToSign) -> Signature {
        let hash = Sha256::digest(string_to_sign.as_str().as_bytes());
        Signature::new(signed(&self.key, &hash))
    }

    /// The 32 bytes of the key, for comparison with published values. They are a secret.
    #[must_use]
    pub fn expose_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.key.to_bytes().into())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey(redacted, of {:?})", self.public)
    }
}

impl Sign for &PrivateKey {
    type Signature = Signature;

    fn sign(&self, string_to_sign: &StringToSign) -> Signature {
        PrivateKey::sign(self, string_to_sign)
    }
}

impl fmt::Display for DeriveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no key on the curve P-256 derives from this secret")
    }
}

impl std::error::Error for DeriveError {}

/// The public key of an access key: all that a verifier needs, and no secret. `Display` and `Debug`
/// show it in SEC 1's uncompressed form, 130 hexadecimal digits; [`FromStr`] reads that and the
/// compressed form.
///
/// # Example
/// ```
/// use sigv4::v4a::PublicKey;
///
/// // As `public-key.json` of AWS's signing suite gives it.
/// let x = "b6618f6a65740a99e650b33b6b4b5bd0d43b176d721a3edfea7e7d2d56d936b1";
/// let y = "865ed22a7eadc9c5cb9d2cbaca1b3699139fedc5043dc6661864218330c8e518";
/// let key = PublicKey::from_hex_coordinates(x, y)?;
/// assert_eq!(key.to_string(), format!("04{x}{y}"));
/// assert_eq!(format!("02{x}").parse::<PublicKey>()?, key);
/// # Ok::<(), sigv4::v4a::NoSuchKey>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// What is no public key: not a point on the curve P-256, or not written as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchKey;

impl PublicKey {
    /// The key at a point, whose two coordinates are numbers of 32 bytes, the most significant first.
    ///
    /// # Errors
    /// [`NoSuchKey`] when the point is not on the curve.
    pub fn from_coordinates(x: &[u8; 32], y: &[u8; 32]) -> Result<Self, NoSuchKey> {
        let mut point = [4; 65];
        point[1..33].copy_from_slice(x);
        point[33..].copy_from_slice(y);
        Self::from_sec1_bytes(&point)
    }

    /// The same with the coordinates in hexadecimal, 64 digits each.
    ///
    /// # Errors
    /// [`NoSuchKey`] when they are not 64 digits each, or the point is not on the curve.
    pub fn from_hex_coordinates(x: &str, y: &str) -> Result<Self, NoSuchKey> {
        let coordinate = |text: &str| {
            let mut bytes = [0; 32];
            hex::decode_to_slice(text, &mut bytes).map_err(|_| NoSuchKey)?;
            Ok(bytes)
        };
        Self::from_coordinates(&coordinate(x)?, &coordinate(y)?)
    }

    /// The key in a form of SEC 1, section 2.3.3: 65 bytes uncompressed, or 33 compressed.
    ///
    /// # Errors
    /// [`NoSuchKey`] when it is neither, or the point is not on the curve.
    pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, NoSuchKey> {
        match (bytes.len(), bytes.first()) {
            (65, Some(4)) | (33, Some(2 | 3)) => VerifyingKey::from_sec1_bytes(bytes)
                .map(Self)
                .map_err(|_| NoSuchKey),
            _ => Err(NoSuchKey),
        }
    }

    /// SEC 1's uncompressed form: the byte 4 and the two coordinates.
    #[must_use]
    pub fn to_sec1_bytes(&self) -> [u8; 65] {
        let point = self.0.to_sec1_point(false);
        let mut bytes = [0; 65];
        bytes.copy_from_slice(point.as_bytes());
        bytes
    }

    /// Whether a signature of a string to sign was made with this key's private half.
    ///
    /// [`Claim::verify`](super::Claim::verify) is what a server wants; this is for looking at a
    /// signature by itself.
    #[must_use]
    pub fn verifies(&self, string_to_sign: &str, signature: &Signature) -> bool {
        self.verifies_hash(&Sha256::digest(string_to_sign.as_bytes()), signature)
    }

    fn verifies_hash(&self, hash: &[u8], signature: &Signature) -> bool {
        self.0.verify_prehash(hash, signature.value()).is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = NoSuchKey;

    fn from_str(text: &str) -> Result<Self, NoSuchKey> {
        if text.len() > 2 * 65 {
            return Err(NoSuchKey);
        }
        Self::from_sec1_bytes(&hex::decode(text).map_err(|_| NoSuchKey)?)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.to_sec1_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl Check for PublicKey {
    fn is_right(&self, claimed: &str, at: DateTime, scope: &Scope, hash: [u8; 32]) -> bool {
        let Ok(signature) = claimed.parse() else {
            return false;
        };
        let mut string_to_sign = Sha256::new();
        write_string_to_sign(&mut string_to_sign, at, scope, hash);
        self.verifies_hash(&string_to_sign.finalize(), &signature)
    }
}

impl fmt::Display for NoSuchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a point on the curve P-256, as coordinates or in a form of SEC 1")
    }
}

impl std::error::Error for NoSuchKey {}

fn signed(key: &SigningKey, hash: &[u8]) -> ecdsa::Signature {
    key.sign_prehash(hash)
        .expect("a hash as long as the curve's order is signed by any key")
}

/// The key of the first number that makes one.
fn first_key(mut numbers: impl Iterator<Item = Zeroizing<[u8; 32]>>) -> Option<SigningKey> {
    let number = numbers.find_map(|number| private(&number))?;
    SigningKey::from_slice(&*number).ok()
}

/// The numbers that the counters give, one after the other.
fn candidates<'a>(
    secret: &Secret,
    access_key_id: &'a str,
) -> impl Iterator<Item = Zeroizing<[u8; 32]>> + use<'a> {
    let keyed = keyed(&secret.prefixed_for_pairs());
    (1..=COUNTER_MAX).map(move |counter| candidate(keyed.clone(), access_key_id, counter))
}

/// The number that a counter gives. `00000001`: the first and only block; `00000100`: of 256 bits.
fn candidate(mut mac: Hmac<Sha256>, access_key_id: &str, counter: u8) -> Zeroizing<[u8; 32]> {
    mac.update(&[0, 0, 0, 1]);
    mac.update(Algorithm::EcdsaP256Sha256.name().as_bytes());
    mac.update(&[0]);
    mac.update(access_key_id.as_bytes());
    mac.update(&[counter]);
    mac.update(&[0, 0, 1, 0]);
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// One more than a number, unless that is no private key. Every number takes the same steps; only
/// that one was passed over can be seen, which tells nothing of the next.
fn private(number: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
    let mut borrow = 0;
    let mut carry = 1;
    let mut sum = Zeroizing::new([0; 32]);
    for place in (0..32).rev() {
        let limit = u16::from(ORDER_LESS_TWO[place]);
        // Bit 8 and up are set where more was taken away than there was.
        borrow = (limit
            .wrapping_sub(u16::from(number[place]))
            .wrapping_sub(borrow)
            >> 8)
            & 1;
        let digit = u16::from(number[place]) + carry;
        carry = digit >> 8;
        sum[place] = digit.to_le_bytes()[0];
    }
    (borrow == 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "q+jcrXGc+0zWN6uzclKVhvMmUsIfRPa4rlRandom";
    const ID: &str = "AKISORANDOMAASORANDOM";

    /// Source: aws-c-auth, tests/key_derivation_tests.c; the private key of the second one, which
    /// that test only derives: soto, SigV4aTests; of the third one: AWS's signing suite, and the
    /// tests of aws-sigv4.
    #[test]
    fn the_published_keys_are_derived() {
        let long = format!("{ID}{}f", "F".repeat(306));
        for (secret, id, private, public) in [
            (
                SECRET,
                ID,
                "7fd3bd010c0d9c292141c2b77bfbde1042c92e6836fff749d1269ec890fca1bd",
                Some(
                    "0415d242ceebf8d8169fd6a8b5a746c41140414c3b07579038da06af89190fffcb\
                     0515242cedd82e94799482e4c0514b505afccf2c0c98d6a553bf539f424c5ec0",
                ),
            ),
            (
                SECRET,
                &long,
                "bc0fd68955922f2cccd5c27f8aa04394a467ef1076d889b66569c6d2e764faf3",
                None,
            ),
            (
                "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                "AKIDEXAMPLE",
                "7efc8c0e65a324242818c5a50c891c6060b6a00717b7ba3cbe3c5d765be9259c",
                Some(
                    "04b6618f6a65740a99e650b33b6b4b5bd0d43b176d721a3edfea7e7d2d56d936b1\
                     865ed22a7eadc9c5cb9d2cbaca1b3699139fedc5043dc6661864218330c8e518",
                ),
            ),
        ] {
            let key = PrivateKey::derive(&Secret::new(secret), id).unwrap();
            assert_eq!(hex::encode(*key.expose_bytes()), private);
            if let Some(public) = public {
                assert_eq!(key.public_key().to_string(), public);
            }
        }
    }

    /// The numbers are Python's: HMAC-SHA256 of the input written out, with each counter.
    #[test]
    fn the_counter_goes_on_until_a_number_makes_a_key() {
        let secret = Secret::new(SECRET);
        let numbers: Vec<String> = candidates(&secret, ID).map(|n| hex::encode(*n)).collect();
        assert_eq!(numbers.len(), 254);
        for (counter, number) in [
            (
                1,
                "7fd3bd010c0d9c292141c2b77bfbde1042c92e6836fff749d1269ec890fca1bc",
            ),
            (
                2,
                "29ba69b9724aaf3d0bd0e293fed474a5d551efc56fe98553d0db6319cffb4955",
            ),
            (
                254,
                "081eac641c900fa26e28fe06787a785a9523396c5cf095145581bfa3571732d1",
            ),
        ] {
            assert_eq!(numbers[counter - 1], number, "{counter}");
        }
        let too_great = || Zeroizing::new([0xff; 32]);
        let first = |more: usize, last: u8| {
            let passed_over = (0..more).map(|_| too_great());
            let key = first_key(passed_over.chain([Zeroizing::new([last; 32])]))?;
            Some(hex::encode(key.to_bytes()))
        };
        let three = format!("{}04", "03".repeat(31));
        assert_eq!(first(0, 3), Some(three.clone()));
        assert_eq!(first(253, 3), Some(three));
        assert_eq!(first(1, 0xff), None);
    }

    #[test]
    fn a_number_makes_a_key_up_to_the_order_less_two() {
        let plus = |places: &[(usize, u8)]| {
            let mut number = ORDER_LESS_TWO;
            for &(place, value) in places {
                number[place] = value;
            }
            private(&number).map(|sum| hex::encode(*sum))
        };
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325";
        assert_eq!(plus(&[]), Some(format!("{order}50")));
        assert_eq!(plus(&[(31, 0x4e)]), Some(format!("{order}4f")));
        // The order less one, the order, and more; then less, in one place or another.
        assert_eq!(plus(&[(31, 0x50)]), None);
        assert_eq!(plus(&[(31, 0x51)]), None);
        assert_eq!(plus(&[(31, 0xff)]), None);
        assert_eq!(plus(&[(4, 1), (31, 0)]), None);
        assert!(plus(&[(0, 0xfe), (31, 0xff)]).is_some());
        assert_eq!(private(&[0xff; 32]), None);
        // Zero, and a carry through all places but the first.
        assert_eq!(
            hex::encode(*private(&[0; 32]).unwrap()),
            format!("{}01", "00".repeat(31))
        );
        let mut number = [0xff; 32];
        number[0] = 0;
        assert_eq!(
            hex::encode(*private(&number).unwrap()),
            format!("01{}", "00".repeat(31))
        );
    }

    #[test]
    fn what_is_no_point_is_no_key() {
        let x = "b6618f6a65740a99e650b33b6b4b5bd0d43b176d721a3edfea7e7d2d56d936b1";
        let y = "865ed22a7eadc9c5cb9d2cbaca1b3699139fedc5043dc6661864218330c8e518";
        for (x, y) in [
            (x, x),
            ("", ""),
            (&x[2..], y),
            (x, &y.replace('8', "g")),
            (&"f".repeat(64), y),
            (&"0".repeat(64), &"0".repeat(64)),
        ] {
            assert_eq!(
                PublicKey::from_hex_coordinates(x, y),
                Err(NoSuchKey),
                "{x} {y}"
            );
        }
        for wrong in [
            "",
            "00",
            "04",
            "é",
            &format!("04{x}"),
            &format!("05{x}"),
            &format!("02{}", "f".repeat(64)),
            &format!("06{x}{y}"),
            &format!("04{x}{y}00"),
        ] {
            assert_eq!(wrong.parse::<PublicKey>(), Err(NoSuchKey), "{wrong}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = PrivateKey::derive(&Secret::new("secret"), "AKID").unwrap();
        let shown = format!("{key:?}");
        assert!(
            !shown.contains(&hex::encode(*key.expose_bytes())),
            "{shown}"
        );
        assert!(shown.contains(&key.public_key().to_string()), "{shown}");
    }
}
