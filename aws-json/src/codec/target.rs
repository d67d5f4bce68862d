//! The `X-Amz-Target` header: which operation of which service a request is for.

use std::error::Error;
use std::fmt;

use http::header::{HeaderMap, HeaderValue};

use super::headers::X_AMZ_TARGET;

/// A parsed `X-Amz-Target`, such as `AmazonSQS.ReceiveMessage`. Its `Display` is the header's
/// value.
///
/// Both parts hold ASCII letters, digits and underscores; the prefix may hold dots as well
/// (`com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101`), so the last dot is the border.
///
/// ```
/// use aws_json::codec::target::Target;
///
/// let target = Target::parse("AmazonSQS.ReceiveMessage")?;
/// assert_eq!(target.prefix(), "AmazonSQS");
/// assert_eq!(target.operation(), "ReceiveMessage");
/// assert_eq!(target, Target::new("AmazonSQS", "ReceiveMessage")?);
/// # Ok::<(), aws_json::codec::target::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target<'a> {
    prefix: &'a str,
    operation: &'a str,
}

impl<'a> Target<'a> {
    /// A target from the service's prefix and AWS's name of the operation.
    ///
    /// # Errors
    ///
    /// [`TargetError::Prefix`] or [`TargetError::Operation`] if that part is empty or holds a
    /// character which no such name has.
    pub fn new(prefix: &'a str, operation: &'a str) -> Result<Self, TargetError> {
        if !prefix.split('.').all(is_identifier) {
            return Err(TargetError::Prefix);
        }
        if !is_identifier(operation) {
            return Err(TargetError::Operation);
        }
        Ok(Self { prefix, operation })
    }

    /// Parses the header's value.
    ///
    /// # Errors
    ///
    /// [`TargetError::NoDot`] without a dot, otherwise as [`Target::new`].
    pub fn parse(value: &'a str) -> Result<Self, TargetError> {
        let (prefix, operation) = value.rsplit_once('.').ok_or(TargetError::NoDot)?;
        Self::new(prefix, operation)
    }

    /// Parses the header among those of a request.
    ///
    /// # Errors
    ///
    /// [`TargetError::Missing`] without the header, [`TargetError::Repeated`] if there is more
    /// than one, otherwise as [`Target::parse`].
    pub fn from_headers(headers: &'a HeaderMap) -> Result<Self, TargetError> {
        let mut values = headers.get_all(X_AMZ_TARGET).iter();
        let value = values.next().ok_or(TargetError::Missing)?;
        if values.next().is_some() {
            return Err(TargetError::Repeated);
        }
        Self::parse(value.to_str().map_err(|_| TargetError::Operation)?)
    }

    /// What stands before the operation: the service's name in the protocol.
    #[must_use]
    pub const fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// AWS's name of the operation.
    #[must_use]
    pub const fn operation(&self) -> &'a str {
        self.operation
    }

    /// The header's value.
    ///
    /// # Panics
    ///
    /// Never: a target holds nothing that a header may not.
    #[must_use]
    pub fn header_value(&self) -> HeaderValue {
        let value = [self.prefix, ".", self.operation].concat();
        HeaderValue::try_from(value).expect("a target is visible ASCII")
    }
}

impl fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.prefix, self.operation)
    }
}

/// Why an `X-Amz-Target` could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TargetError {
    /// There is no `X-Amz-Target` header.
    Missing,
    /// There is more than one.
    Repeated,
    /// No dot separates the service from the operation.
    NoDot,
    /// The part before the last dot is not a service's prefix.
    Prefix,
    /// The part after the last dot is not an operation's name.
    Operation,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => {
                "the X-Amz-Target header is missing; it names the operation, as in \
                 AmazonSQS.ReceiveMessage"
            }
            Self::Repeated => "the X-Amz-Target header is there more than once",
            Self::NoDot => "X-Amz-Target has no dot between the service and the operation",
            Self::Prefix => {
                "the service in X-Amz-Target is not made of ASCII letters, digits, underscores \
                 and dots between them"
            }
            Self::Operation => {
                "the operation in X-Amz-Target is not made of ASCII letters, digits and \
                 underscores"
            }
        })
    }
}

impl Error for TargetError {}

fn is_identifier(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_dot_is_the_border() {
        let value = "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents";
        let target = Target::parse(value).unwrap();
        assert_eq!(
            target.prefix(),
            "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101"
        );
        assert_eq!(target.operation(), "LookupEvents");
        assert_eq!(target.to_string(), value);
        assert_eq!(target.header_value(), value);
    }

    #[test]
    fn each_fault_has_its_error() {
        for (value, error) in [
            ("", TargetError::NoDot),
            ("ReceiveMessage", TargetError::NoDot),
            (".ReceiveMessage", TargetError::Prefix),
            ("Amazon SQS.ReceiveMessage", TargetError::Prefix),
            ("a..ReceiveMessage", TargetError::Prefix),
            ("AmazonSQS.", TargetError::Operation),
            ("AmazonSQS.Receive-Message", TargetError::Operation),
            ("AmazonSQS.ReceiveMessage ", TargetError::Operation),
            ("AmazonSQS.Réceive", TargetError::Operation),
        ] {
            assert_eq!(Target::parse(value), Err(error), "{value:?}");
        }
    }

    #[test]
    fn one_header_is_wanted() {
        let mut headers = HeaderMap::new();
        assert_eq!(Target::from_headers(&headers), Err(TargetError::Missing));
        headers.insert(
            X_AMZ_TARGET,
            HeaderValue::from_static("AmazonSQS.ListQueues"),
        );
        assert_eq!(
            Target::from_headers(&headers).unwrap().operation(),
            "ListQueues"
        );
        headers.append(
            X_AMZ_TARGET,
            HeaderValue::from_static("AmazonSQS.ListQueues"),
        );
        assert_eq!(Target::from_headers(&headers), Err(TargetError::Repeated));
        headers.insert(X_AMZ_TARGET, HeaderValue::from_bytes(b"A.\xff").unwrap());
        assert_eq!(Target::from_headers(&headers), Err(TargetError::Operation));
    }
}
