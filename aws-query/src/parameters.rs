//! A request's parameters: form encoding, taken apart strictly.

use std::borrow::Cow;
use std::fmt;

use crate::error::{ReadError, quoted};

/// The most parameters that a request may have, empty pairs not counted.
///
/// The largest legal request of SQS is a SendMessageBatch of 10 entries with 10 attributes each,
/// which is less than 500 parameters. There is room for requests with too many of something, so that
/// the service can say of what.
pub const MAX_PARAMETERS: usize = 4096;

/// Parameters that belong to the request and not to its operation: which operation and version it
/// is, and the signature in its three versions. Those that begin with `X-Amz-`, as in a presigned
/// URL, are others.
///
/// From AWS's [common parameters] and, for the older two, those of its API before 2012.
///
/// [common parameters]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonParameters.html
const COMMON: &[&str] = &[
    "AWSAccessKeyId",
    "Action",
    "Expires",
    "SecurityToken",
    "Signature",
    "SignatureMethod",
    "SignatureVersion",
    "Timestamp",
    "Version",
];

/// What is expected of a name and a value.
const UTF_8: &str = "UTF-8";

/// Part of a request that holds parameters.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// The query string, without the question mark. A `+` stands for itself.
    ///
    /// That is how Signature Version 4 signs it: `+` goes into the canonical query string as `%2B`,
    /// and a space as `%20`. A `+` that was meant as a space therefore never arrives with a valid
    /// signature, and reading it as one would read something else than what was signed.
    Query(&'a [u8]),
    /// A body of `application/x-www-form-urlencoded`. A `+` is a space, as in every HTML form; the
    /// signature covers the bytes and leaves their meaning alone.
    Form(&'a [u8]),
}

/// What a request's query string and body say, decoded.
///
/// * Pairs are separated by `&`, and a name from its value by the first `=`. A pair without `=` has
///   an empty value. Nothing between two `&` is no pair.
/// * Percent-encoding is read strictly: a `%` without two hexadecimal digits is refused, and so is
///   what is not UTF-8 after decoding.
/// * A name may be there once, in all sources together.
/// * At most [`MAX_PARAMETERS`]. The caller bounds the bytes.
///
/// Parameters that no member asks for are ignored when a shape is [read](crate::Model::read), as AWS
/// ignores them.
///
/// ```
/// use aws_query::{Parameters, Source};
///
/// let parameters = Parameters::parse([
///     Source::Query(b"Action=SendMessage&Version=2012-11-05"),
///     Source::Form(b"MessageBody=1+%2B+1"),
/// ])?;
/// assert_eq!(parameters.action(), Some("SendMessage"));
/// assert_eq!(parameters.get("MessageBody"), Some("1 + 1"));
///
/// let twice = Parameters::parse([Source::Form(b"QueueUrl=a&QueueUrl=a")]);
/// assert!(twice.unwrap_err().to_string().contains("the parameter QueueUrl is there twice"));
/// # Ok::<(), aws_query::ReadError>(())
/// ```
///
/// `Debug` shows the names alone: a message is nobody else's business, nor is a session token.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Parameters<'a> {
    /// Those of the operation, sorted by name.
    operation: Vec<Parameter<'a>>,
    /// Those of the request, sorted by name.
    common: Vec<Parameter<'a>>,
}

/// A name and its value, decoded.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: Cow<'a, str>,
}

impl<'a> Parameters<'a> {
    /// Takes the sources apart.
    ///
    /// # Errors
    ///
    /// When a source is not form-encoded, a name is there twice, or there are too many.
    pub fn parse(
        sources: impl IntoIterator<Item = Source<'a>>,
    ) -> Result<Parameters<'a>, ReadError> {
        let mut parameters = Parameters::default();
        for source in sources {
            parameters.add(source)?;
        }
        for list in [&mut parameters.operation, &mut parameters.common] {
            list.sort_by(|one, other| one.name.cmp(&other.name));
            let twice = list.windows(2).find(|pair| pair[0].name == pair[1].name);
            if let Some(pair) = twice {
                return Err(ReadError::Duplicate {
                    parameter: quoted(&pair[0].name),
                });
            }
        }
        Ok(parameters)
    }

    /// The value of the parameter with exactly this name, the request's own ones included.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let list = if is_common(name) {
            &self.common
        } else {
            &self.operation
        };
        let found = list.binary_search_by(|parameter| (*parameter.name).cmp(name));
        found.ok().map(|index| &*list[index].value)
    }

    /// The operation that is asked for: the parameter `Action`.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.get("Action")
    }

    /// The version of the API that is meant: the parameter `Version`.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.get("Version")
    }

    /// The operation's parameters by name: without `Action`, `Version` and what belongs to a
    /// signature.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.operation
            .iter()
            .map(|parameter| (&*parameter.name, &*parameter.value))
    }

    /// Adds a parameter that the request says in another way, if it is not there: SQS takes
    /// `QueueUrl` from the path.
    pub fn or_insert(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) {
        let name = name.into();
        let list = if is_common(&name) {
            &mut self.common
        } else {
            &mut self.operation
        };
        let found = list.binary_search_by(|parameter| parameter.name.cmp(&name));
        if let Err(index) = found {
            let value = value.into();
            list.insert(index, Parameter { name, value });
        }
    }

    /// The operation's parameters, sorted by name.
    pub(crate) fn operation(&self) -> &[Parameter<'a>] {
        &self.operation
    }

    fn add(&mut self, source: Source<'a>) -> Result<(), ReadError> {
        let bytes = source.bytes();
        let mut offset = 0;
        for pair in bytes.split(|&byte| byte == b'&') {
            if !pair.is_empty() {
                if self.operation.len() + self.common.len() == MAX_PARAMETERS {
                    return Err(ReadError::TooMany);
                }
                let equals = pair.iter().position(|&byte| byte == b'=');
                let (name, value) = match equals {
                    Some(at) => (&pair[..at], &pair[at + 1..]),
                    None => (pair, &pair[pair.len()..]),
                };
                let parameter = Parameter {
                    name: source.decode(name, offset)?,
                    value: source.decode(value, offset + pair.len() - value.len())?,
                };
                if is_common(&parameter.name) {
                    self.common.push(parameter);
                } else {
                    self.operation.push(parameter);
                }
            }
            offset += pair.len() + 1;
        }
        Ok(())
    }
}

impl<'a> Source<'a> {
    fn bytes(self) -> &'a [u8] {
        match self {
            Source::Query(bytes) | Source::Form(bytes) => bytes,
        }
    }

    fn place(self) -> &'static str {
        match self {
            Source::Query(_) => "query string",
            Source::Form(_) => "body",
        }
    }

    /// `encoded` without its encoding; it begins at this offset of the source.
    fn decode(self, encoded: &'a [u8], offset: usize) -> Result<Cow<'a, str>, ReadError> {
        let plus = match self {
            Source::Query(_) => b'+',
            Source::Form(_) => b' ',
        };
        let error = |at: usize, expected| ReadError::Encoding {
            place: self.place(),
            offset: offset + at,
            expected,
        };
        let is_plain = |&byte: &u8| byte != b'%' && (byte != b'+' || plus == b'+');
        if encoded.iter().all(is_plain) {
            return match std::str::from_utf8(encoded) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(found) => Err(error(found.valid_up_to(), UTF_8)),
            };
        }
        let mut decoded = Vec::with_capacity(encoded.len());
        let mut at = 0;
        while let Some(&byte) = encoded.get(at) {
            match byte {
                b'%' => {
                    let digits = (encoded.get(at + 1), encoded.get(at + 2));
                    let (Some(high), Some(low)) = (digits.0.and_then(hex), digits.1.and_then(hex))
                    else {
                        return Err(error(at, "two hexadecimal digits after the percent sign"));
                    };
                    decoded.push(high << 4 | low);
                    at += 3;
                }
                b'+' => {
                    decoded.push(plus);
                    at += 1;
                }
                other => {
                    decoded.push(other);
                    at += 1;
                }
            }
        }
        // Where in the encoded bytes it is does not follow from where it is in the decoded ones.
        match String::from_utf8(decoded) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(_) => Err(error(0, UTF_8)),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes().len();
        write!(formatter, "{}({bytes} bytes)", self.place())
    }
}

impl fmt::Debug for Parameters<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.common.iter().chain(&self.operation);
        formatter
            .debug_set()
            .entries(all.map(|parameter| &parameter.name))
            .finish()
    }
}

fn is_common(name: &str) -> bool {
    let prefix = name.as_bytes().get(..6);
    prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"X-Amz-")) || COMMON.contains(&name)
}

fn hex(digit: &u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
