//! AWS Signature Version 4: signing and verifying, every stage a value you can see.
//!
//! ```
//! use std::time::{Duration, UNIX_EPOCH};
//! use sigv4::{Claim, Credentials, Payload, Request, Secret, Signer, SigningKey, VerifySettings};
//!
//! let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
//! let signer = Signer::new(Credentials::new("test", "secret"), "us-east-1", "sqs");
//! let mut headers: Vec<(&str, &[u8])> = vec![("Host", b"localhost:9324")];
//! let signed = signer.sign(&Request::new("POST", "/", &headers), Payload::Bytes(b"{}"), now)?;
//! headers.extend(signed.headers().map(|(name, value)| (name, value.as_bytes())));
//!
//! // And on the other side:
//! let request = Request::new("POST", "/", &headers);
//! let claim = Claim::parse(&request)?;
//! let secret = Secret::new(if claim.access_key_id() == "test" { "secret" } else { "?" });
//! let key = SigningKey::derive(&secret, claim.scope());
//! claim.verify(&request, b"{}", &key, now, &VerifySettings::default().with_service("sqs"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - **Signing**: a [`Signer`] holds credentials, region, service and [`Settings`], and signs in the
//!   header form ([`Signer::sign`]) or the query form ([`Signer::presign`]). What comes back are the
//!   stages, and what to set on the request. The page [`stages`] walks through them with real bytes.
//! - **Verifying** takes three steps: [`Claim::parse`] reads who says to have signed, you find that
//!   key's secret, and [`Claim::verify`] checks scope, time, signed headers, body and signature by
//!   [`VerifySettings`]. [`VerifyError`] says which of these it was.
//! - With the feature `http`, `sign_request` and `presign_request` work on an `http::Request`, and
//!   `HeaderList` shows one as the [`Request`] that everything here takes; its page has a server's
//!   check, whole.
//! - With the feature `sigv4a`, the module `v4a` does all this by SigV4a, the asymmetric signature.
//!
//! The crate does no input or output and reads no clock: the time is always an argument.
//!
//! # How things are spelled
//!
//! Where descriptions of the algorithm leave a choice, or signers differ:
//!
//! | what | here |
//! |---|---|
//! | `+` in a query | a plus, signed as `%2B`, as RFC 3986, Amazon S3 and AWS's C signer have it; some signers read it as a space. Write a space as `%20` and a plus as `%2B` and all agree |
//! | bytes that are not UTF-8, in path, query or header value | kept as they are |
//! | a key without `=` | has an empty value: `?acl` is signed as `acl=` |
//! | empty pieces of a query, as in `a&&b` | left out |
//! | repeated keys | all kept, sorted by encoded value |
//! | `%` that no two hexadecimal digits follow | a percent sign, signed as `%25` |
//! | empty path, or one without its first slash | `/`, or given its slash |
//! | white space in a header value | spaces, tabs and line folds become one space, also between quotes; trimmed at both ends |
//! | a repeated header | values joined by a comma alone, in wire order |
//! | ports in `Host` | signed as given; `sign_request` leaves out the scheme's own when it sets `Host` |
//! | headers that are not signed | [`UNSIGNED_HEADERS`]; every other one given is |
//!
//! # What a verifier insists on
//!
//! More than the algorithm does, and as AWS does: the body that arrived is what is hashed;
//! `host` and every `x-amz-*` header that is there must be signed; a name among the signed headers
//! must be there; the time is within 15 minutes, or the presigned request's own life; the scope is of
//! the request's day. Where a request could be read in two ways it is refused: two signatures, a
//! repeated `Host` or signing header or parameter, signed headers unsorted or not in lower case.
//!
//! # Secrets
//!
//! [`Secret`], [`SigningKey`] and session tokens are wiped when dropped. They, and signatures, are in
//! no `Debug` and no error's text. Signatures and tokens are compared in constant time.

mod algorithm;
mod authorization;
mod canonical;
mod claim;
mod credentials;
mod error;
mod headers;
#[cfg(feature = "http")]
mod http;
mod key;
mod presign;
mod region;
mod request;
mod scope;
mod settings;
mod sign;
mod time;
mod uri;
#[cfg(feature = "sigv4a")]
pub mod v4a;
mod verify;

#[doc = include_str!("../docs/stages.md")]
pub mod stages {}

pub use crate::canonical::{CanonicalRequest, StringToSign};
pub use crate::claim::{Claim, Form};
pub use crate::credentials::{Credentials, Secret};
pub use crate::error::{ClaimError, Fragment, Parameter, SignError, VerifyError};
pub use crate::headers::UNSIGNED_HEADERS;
#[cfg(feature = "http")]
pub use crate::http::{HeaderList, presign_request, sign_request};
pub use crate::key::{Signature, SigningKey};
pub use crate::presign::Presigned;
pub use crate::region::region_from_host;
pub use crate::request::{Payload, Request};
pub use crate::scope::{Scope, ScopeError};
pub use crate::settings::{ContentSha256, PathEncoding, PathNormalization, SessionToken, Settings};
pub use crate::sign::{Signed, Signer};
pub use crate::time::{DateOutOfRange, DateTime};
pub use crate::verify::{Coverage, SessionTokenRule, UnsignedPayload, Verified, VerifySettings};
