//! An ECDSA signature as requests carry it.

use std::fmt;
use std::str::FromStr;

use p256::ecdsa;

/// The longest signature, in digits: 72 bytes of DER.
pub(super) const DIGITS_MAX: usize = 144;

/// A signature of SigV4a: `Display` is the lower-case hexadecimal of its DER form, at most 144
/// digits. `Debug` is redacted.
///
/// # Example
/// ```
/// use sigv4::v4a::Signature;
///
/// // The numbers 1 and 255. DER has one way to write them, and nothing else is read.
/// let signature: Signature = "3007020101020200ff".parse()?;
/// assert_eq!(signature.as_str(), "3007020101020200ff");
/// assert!("30060201010201ff".parse::<Signature>().is_err());
/// # Ok::<(), sigv4::v4a::MalformedSignature>(())
/// ```
#[derive(Clone)]
pub struct Signature {
    hex: String,
    value: ecdsa::Signature,
}

/// A text that is no signature: not lower-case hexadecimal digits of two positive integers below the
/// order of the curve, in DER's one form, and at most 144 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedSignature;

impl Signature {
    pub(super) fn new(value: ecdsa::Signature) -> Self {
        Self {
            hex: hex::encode(value.to_der().as_bytes()),
            value,
        }
    }

    /// The lower-case hexadecimal digits of the DER form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.hex
    }

    pub(super) const fn value(&self) -> &ecdsa::Signature {
        &self.value
    }
}

impl FromStr for Signature {
    type Err = MalformedSignature;

    fn from_str(text: &str) -> Result<Self, MalformedSignature> {
        let has_capitals = text.bytes().any(|byte| byte.is_ascii_uppercase());
        if text.len() > DIGITS_MAX || has_capitals {
            return Err(MalformedSignature);
        }
        let der = hex::decode(text).map_err(|_| MalformedSignature)?;
        let value = ecdsa::Signature::from_der(&der).map_err(|_| MalformedSignature)?;
        Ok(Self {
            hex: text.to_owned(),
            value,
        })
    }
}

impl AsRef<str> for Signature {
    fn as_ref(&self) -> &str {
        &self.hex
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature(redacted)")
    }
}

impl fmt::Display for MalformedSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the lower-case hexadecimal digits of a P-256 signature in DER")
    }
}

impl std::error::Error for MalformedSignature {}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

    #[test]
    fn only_der_in_its_one_form_is_read() {
        let below = ORDER.replace("2551", "2550");
        let longest = format!("3046022100{below}022100{below}");
        assert_eq!(longest.len(), DIGITS_MAX);
        for right in ["3006020101020101", &longest] {
            let signature: Signature = right.parse().unwrap();
            assert_eq!(signature.to_string(), right);
            assert_eq!(Signature::new(*signature.value()).to_string(), right);
        }
        for wrong in [
            "",
            "3",
            "30",
            "zz",
            "é",
            // Trailing bytes, in and after the sequence; too short.
            "300602010102010100",
            "30070201010201010000",
            "300602010102",
            // Padding that is not needed, negative numbers, zero.
            "3007020101 02020001",
            "3007020200 01020101",
            "3006020181 020101",
            "3006020100020101",
            "3006020101020100",
            // A long length for a short one; an indefinite one; another tag.
            "308106020101020101",
            "30800201010201010000",
            "3106020101020101",
            "3006030101020101",
            // Three numbers, one number.
            "3009020101020101020101",
            "3003020101",
            // The order of the curve itself, and what is longer than it.
            &format!("3026022100{ORDER}020101"),
            &format!("3027022200{ORDER}00020101"),
            &longest.to_uppercase(),
            &format!("{longest}00"),
            &"*".repeat(DIGITS_MAX),
            &"30".repeat(1 << 16),
        ] {
            let wrong = wrong.replace(' ', "");
            assert_eq!(
                wrong.parse::<Signature>().err(),
                Some(MalformedSignature),
                "{wrong}"
            );
        }
    }

    #[test]
    fn debug_shows_nothing() {
        let signature: Signature = "3006020101020101".parse().unwrap();
        assert_eq!(format!("{signature:?}"), "Signature(redacted)");
    }
}
