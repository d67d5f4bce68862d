//! The `Authorization` header: written one way, read in any order of its parameters.

use crate::algorithm::Algorithm;
use crate::error::{ClaimError, Fragment, Parameter};
use crate::text;

/// The longest header that is read, in bytes. A real one is the credential, the signature and the
/// names of the signed headers: a few hundred.
pub(crate) const AUTHORIZATION_MAX: usize = 8 * 1024;

/// The parameters of an `Authorization` header, as they stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Authorization<'a> {
    pub(crate) algorithm: Algorithm,
    pub(crate) credential: &'a str,
    pub(crate) signed_headers: &'a str,
    pub(crate) signature: &'a str,
}

impl<'a> Authorization<'a> {
    /// Reads `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, or another accepted
    /// algorithm: the parameters in any order, spaces around them or not, each once and no other.
    /// `date` says whether the request has a date, since AWS lists its absence with the missing
    /// parameters.
    ///
    /// The parameters are judged before the algorithm, as AWS does: a `Bearer` token is no
    /// `key=value` pair there.
    pub(crate) fn parse(
        value: &'a [u8],
        date: HasDate,
        accepted: &[Algorithm],
    ) -> Result<Self, ClaimError> {
        if value.len() > AUTHORIZATION_MAX {
            let what = "the length of the Authorization header in bytes";
            return Err(ClaimError::TooLarge {
                what,
                limit: AUTHORIZATION_MAX,
            });
        }
        let value = std::str::from_utf8(value)
            .map_err(|_| ClaimError::NotText {
                name: "Authorization",
            })
            .map(text::trim)?;
        let is_space = |byte| matches!(byte, b' ' | b'\t');
        let end = value.bytes().position(is_space).unwrap_or(value.len());
        let (algorithm, parameters) = value.split_at(end);
        let found = Found::read(text::trim(parameters))?;
        let (Some(credential), Some(signed_headers), Some(signature), HasDate::Yes) = (
            found.credential,
            found.signed_headers,
            found.signature,
            date,
        ) else {
            return Err(ClaimError::MissingParameters {
                parameters: found.missing(date),
            });
        };
        if let Some(name) = found.unknown {
            return Err(ClaimError::UnknownParameter {
                fragment: Fragment::new(name),
            });
        }
        let algorithm =
            Algorithm::named(algorithm, accepted).ok_or_else(|| ClaimError::Algorithm {
                fragment: Fragment::new(algorithm),
            })?;
        Ok(Self {
            algorithm,
            credential,
            signed_headers,
            signature,
        })
    }
}

/// Whether a request has a date header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HasDate {
    Yes,
    No,
}

/// The beginning of a header, up to where the names of the signed headers go, with room for them
/// and the rest.
pub(crate) fn begin(algorithm: Algorithm, credential: &str, room: usize) -> String {
    let algorithm = algorithm.name();
    let mut header = String::with_capacity(
        algorithm.len() + 12 + credential.len() + 16 + room + SIGNATURE.len() + 144,
    );
    header.push_str(algorithm);
    header.push_str(" Credential=");
    header.push_str(credential);
    header.push_str(", SignedHeaders=");
    header
}

/// The end of a header, after the names of the signed headers.
pub(crate) fn end(header: &mut String, signature: &str) {
    header.push_str(SIGNATURE);
    header.push_str(signature);
}

const SIGNATURE: &str = ", Signature=";

#[derive(Default)]
struct Found<'a> {
    credential: Option<&'a str>,
    signed_headers: Option<&'a str>,
    signature: Option<&'a str>,
    /// The name of the first parameter that is none of these.
    unknown: Option<&'a str>,
}

impl<'a> Found<'a> {
    fn read(parameters: &'a str) -> Result<Self, ClaimError> {
        let mut found = Self::default();
        if parameters.is_empty() {
            return Ok(found);
        }
        for piece in text::pieces(parameters, b',') {
            let piece = text::trim(piece);
            let value = |name: &str| piece.strip_prefix(name)?.strip_prefix('=');
            let (name, place, value) = if let Some(value) = value("Credential") {
                ("Credential", &mut found.credential, value)
            } else if let Some(value) = value("SignedHeaders") {
                ("SignedHeaders", &mut found.signed_headers, value)
            } else if let Some(value) = value("Signature") {
                ("Signature", &mut found.signature, value)
            } else if let (other, Some(_)) = text::cut(piece, b'=') {
                found.unknown.get_or_insert(other);
                continue;
            } else {
                return Err(ClaimError::NotKeyValue {
                    fragment: Fragment::new(piece),
                });
            };
            if place.replace(value).is_some() {
                return Err(ClaimError::Repeated { name });
            }
        }
        Ok(found)
    }

    fn missing(&self, date: HasDate) -> Vec<Parameter> {
        [
            (self.credential.is_none(), Parameter::Credential),
            (self.signature.is_none(), Parameter::Signature),
            (self.signed_headers.is_none(), Parameter::SignedHeaders),
            (date == HasDate::No, Parameter::Date),
        ]
        .into_iter()
        .filter_map(|(is_missing, parameter)| is_missing.then_some(parameter))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str) -> Result<Authorization<'_>, ClaimError> {
        Authorization::parse(value.as_bytes(), HasDate::Yes, &[Algorithm::HmacSha256])
    }

    #[test]
    fn order_and_spaces_do_not_count() {
        let expected = Authorization {
            algorithm: Algorithm::HmacSha256,
            credential: "c",
            signed_headers: "h",
            signature: "s",
        };
        for same in [
            "AWS4-HMAC-SHA256 Credential=c, SignedHeaders=h, Signature=s",
            "AWS4-HMAC-SHA256 Credential=c,SignedHeaders=h,Signature=s",
            " AWS4-HMAC-SHA256   Signature=s ,\tSignedHeaders=h ,  Credential=c ",
        ] {
            assert_eq!(parse(same), Ok(expected), "{same:?}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut header = begin(Algorithm::HmacSha256, "AKID/20150830/r/s/aws4_request", 4);
        let capacity = header.capacity();
        header.push_str("host");
        end(&mut header, &"0".repeat(64));
        assert_eq!(header.capacity(), capacity);
        assert_eq!(
            parse(&header).unwrap().credential,
            "AKID/20150830/r/s/aws4_request"
        );
        assert_eq!(parse(&header).unwrap().signed_headers, "host");
    }

    #[test]
    fn the_algorithm_is_one_of_the_accepted_ones() {
        let header = b"AWS4-ECDSA-P256-SHA256 Credential=c, SignedHeaders=h, Signature=s";
        let read = Authorization::parse(header, HasDate::Yes, &Algorithm::ALL).unwrap();
        assert_eq!(read.algorithm, Algorithm::EcdsaP256Sha256);
        let accepted = [Algorithm::EcdsaP256Sha256];
        let other = "AWS4-HMAC-SHA256 Credential=c, SignedHeaders=h, Signature=s";
        let fragment = Fragment::new("AWS4-HMAC-SHA256");
        assert_eq!(
            Authorization::parse(other.as_bytes(), HasDate::Yes, &accepted),
            Err(ClaimError::Algorithm { fragment })
        );
    }

    #[test]
    fn each_fault_has_its_error() {
        let fragment = Fragment::new;
        let missing = |parameters: &[Parameter]| ClaimError::MissingParameters {
            parameters: parameters.to_vec(),
        };
        let all = [
            Parameter::Credential,
            Parameter::Signature,
            Parameter::SignedHeaders,
        ];
        for (value, expected) in [
            ("", missing(&all)),
            ("AWS4-HMAC-SHA256", missing(&all)),
            ("AWS4-HMAC-SHA256 Credential=bogus", missing(&all[1..])),
            ("Basic dXNlcg==", missing(&all)),
            (
                "Bearer token",
                ClaimError::NotKeyValue {
                    fragment: fragment("token"),
                },
            ),
            (
                "AWS4-HMAC-SHA256 Credential=c, SignedHeaders",
                ClaimError::NotKeyValue {
                    fragment: fragment("SignedHeaders"),
                },
            ),
            (
                "AWS4-HMAC-SHA256 Credential=c, SignedHeaders=h, Signature=s,",
                ClaimError::NotKeyValue {
                    fragment: fragment(""),
                },
            ),
            (
                "AWS4-HMAC-SHA256 Credential=c, Credential=d",
                ClaimError::Repeated { name: "Credential" },
            ),
            (
                "AWS4-HMAC-SHA256 Credential=c, SignedHeaders=h, Signature=s, X=y",
                ClaimError::UnknownParameter {
                    fragment: fragment("X"),
                },
            ),
            (
                "AWS4-ECDSA-P256-SHA256 Credential=c, SignedHeaders=h, Signature=s",
                ClaimError::Algorithm {
                    fragment: fragment("AWS4-ECDSA-P256-SHA256"),
                },
            ),
            (
                "aws4-hmac-sha256 Credential=c, SignedHeaders=h, Signature=s",
                ClaimError::Algorithm {
                    fragment: fragment("aws4-hmac-sha256"),
                },
            ),
        ] {
            assert_eq!(parse(value), Err(expected), "{value:?}");
        }
        assert_eq!(
            Authorization::parse(
                b"AWS4-HMAC-SHA256 Signature=s",
                HasDate::No,
                &Algorithm::ALL
            ),
            Err(missing(&[
                Parameter::Credential,
                Parameter::SignedHeaders,
                Parameter::Date
            ]))
        );
        assert_eq!(
            Authorization::parse(b"\xff", HasDate::Yes, &Algorithm::ALL),
            Err(ClaimError::NotText {
                name: "Authorization"
            })
        );
        let long = "x".repeat(AUTHORIZATION_MAX + 1);
        assert!(matches!(
            parse(&long),
            Err(ClaimError::TooLarge {
                limit: AUTHORIZATION_MAX,
                ..
            })
        ));
    }
}
