//! A number of any size and precision.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON number as its text: AWS's bigInteger and bigDecimal, which no Rust type holds exactly.
///
/// Equal are numbers of equal text: `1.0` is not `1`. To calculate with one, parse [`as_str`](Self::as_str) into a type of your
/// choice; [`to_f64`](Self::to_f64) gives the nearest double.
///
/// It is read from JSON text only, by serde_json and [`body::decode`](crate::codec::body::decode), and not where serde keeps a value
/// aside first: in `#[serde(flatten)]` and in untagged or internally tagged enums.
///
/// ```
/// use aws_json::value::BigNumber;
///
/// let number: BigNumber = serde_json::from_str("123456789012345678901234567890.10")?;
/// assert_eq!(number.as_str(), "123456789012345678901234567890.10");
/// assert_eq!(serde_json::to_string(&number)?, "123456789012345678901234567890.10");
/// assert_eq!(BigNumber::from(7_u64), "7".parse()?);
/// assert!("1.".parse::<BigNumber>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BigNumber(String);

impl BigNumber {
    /// The number as it stands in JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double; infinite beyond the largest.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        // JSON's numbers are among those that Rust reads.
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl FromStr for BigNumber {
    type Err = NotANumber;

    /// Reads a number as JSON writes it: no space, no `+`, no leading zeros.
    fn from_str(text: &str) -> Result<Self, NotANumber> {
        if is_number(text.as_bytes()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotANumber)
        }
    }
}

macro_rules! from_integers {
    ($($integer:ty)+) => {$(
        impl From<$integer> for BigNumber {
            fn from(number: $integer) -> Self {
                Self(number.to_string())
            }
        }
    )+};
}

from_integers!(i32 i64 i128 u32 u64 u128);

impl fmt::Display for BigNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for BigNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone())
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BigNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        raw.get().parse().map_err(D::Error::custom)
    }
}

/// A text that is no JSON number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber;

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value is not a number: expected one as JSON writes it, like -12.5e3")
    }
}

impl Error for NotANumber {}

/// RFC 8259, section 6: `-` if negative, whole part, fraction, exponent.
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, mut rest) = digits(text);
    if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
        return false;
    }
    if let Some(after) = rest.strip_prefix(b".") {
        let (fraction, after) = digits(after);
        if fraction.is_empty() {
            return false;
        }
        rest = after;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let after = match after {
            [b'+' | b'-', after @ ..] => after,
            _ => after,
        };
        let (exponent, after) = digits(after);
        return !exponent.is_empty() && after.is_empty();
    }
    rest.is_empty()
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    text.split_at(count)
}
