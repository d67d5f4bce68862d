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
//! // And on the other side, with the secret of `claim.access_key_id()`:
//! let request = Request::new("POST", "/", &headers);
//! let claim = Claim::parse(&request)?;
//! let key = SigningKey::derive(&Secret::new("secret"), claim.scope());
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
//! - **Streamed bodies** are signed and verified piece by piece; no signed piece comes out unverified:
//!   `aws-chunked`, with trailers or without, by [`Signer::sign_chunked`] and
//!   [`Claim::verify_chunked`]; event streams by [`Signer::sign_events`] and
//!   [`Claim::verify_events`]. They go from bytes to bytes, in pieces of any size, and hold no more
//!   than a limit. [`Claim::verify`] refuses them.
//! - **Explaining**: a refusal says that a signature does not match; [`explain`] finds out why, among
//!   the mistakes that people, programs and proxies make.
//! - With the feature `http`, `sign_request` and `presign_request` work on an `http::Request`, and
//!   `HeaderList` shows one as the [`Request`] that everything here takes; its page has a server's
//!   check, whole.
//! - With the feature `sigv4a`, the module `v4a` does all this by SigV4a, the asymmetric signature.
//!
//! The crate does no input or output and reads no clock: the time is always an argument.
//!
//! # Services and spellings
//!
//! [`Settings::general`] suits every AWS service but a few; [`Settings::s3`] and [`Settings::iot`] are
//! two of these, and the page [`services`] lists the others. Where descriptions of the
//! algorithm leave a choice (`+`, white space, bytes that are not UTF-8, repeated headers, ports),
//! the page [`spelling`] says what is done here.
//!
//! # What a verifier insists on
//!
//! More than the algorithm does, and as AWS does: the body that arrived is what is hashed;
//! `host` and every `x-amz-*` header that is there must be signed; a name among the signed headers
//! must be there; the time is within 15 minutes, or the presigned request's own life; the scope is of
//! the request's day. Where a request could be read in two ways it is refused: two signatures, a
//! repeated `Host` or signing header or parameter, signed headers unsorted or not in lower case.
//!
//! # Limits
//!
//! | what | limit | else |
//! |---|---|---|
//! | life of a presigned request | 1 second to 7 days, for signing and for verifying | [`SignError::Expires`], [`ClaimError::Expires`] |
//! | age of a request in the header form | 15 minutes either way, [`VerifySettings::tolerance`] | [`VerifyError::Expired`], [`VerifyError::NotYetCurrent`] |
//! | dates | the years 0 to 9999, whole seconds | [`DateOutOfRange`] |
//! | `Authorization` | 8 KiB | [`ClaimError::TooLarge`] |
//! | query of a request to verify | 64 KiB, 1024 parameters | [`ClaimError::TooLarge`] |
//! | signed headers of a request to verify | 128 | [`ClaimError::TooLarge`] |
//! | session token of a request to verify | 64 KiB | [`ClaimError::TooLarge`] |
//! | signed chunk to verify | 1 MiB, [`ChunkLimits::chunk_bytes`] | [`ChunkedFault`] |
//! | trailers | 16 KiB, [`ChunkLimits::trailer_bytes`], 16 names of at most 128 bytes | [`ChunkedFault`], [`ChunkedHeadError`] |
//! | message of an event stream | 24 MiB, [`EventVerifier::with_message_limit`] | [`SignError::EventTooLarge`], [`EventError::TooLarge`] |
//! | search for an explanation | [`explain::HASHES_MAX`] hashes | it says that it did not try everything |
//!
//! Other bodies, and the number and size of headers that are not signed, are for whoever reads the request
//! to bound. Signing has no other limit of its own.
//!
//! # Secrets
//!
//! [`Secret`], [`SigningKey`] and session tokens are wiped when dropped. They, and signatures, are in
//! no `Debug` and no error's text. Signatures and tokens are compared in constant time.

mod algorithm;
mod authorization;
mod canonical;
mod chain;
mod chunked;
mod claim;
mod credentials;
mod error;
mod event;
pub mod explain;
mod headers;
#[cfg(feature = "http")]
mod http;
mod key;
mod presets;
mod presign;
mod region;
mod request;
mod scope;
mod settings;
mod short;
mod sign;
mod streaming;
mod text;
mod time;
mod uri;
#[cfg(feature = "sigv4a")]
pub mod v4a;
mod verify;

#[doc = include_str!("../docs/services.md")]
pub mod services {}

#[doc = include_str!("../docs/spelling.md")]
pub mod spelling {}

#[doc = include_str!("../docs/stages.md")]
pub mod stages {}

/// The example of the registry's page runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use crate::canonical::{CanonicalRequest, StringToSign};
pub use crate::chain::ChunkSigner;
pub use crate::chunked::{
    ChunkLimits, ChunkedDecoder, ChunkedEncoder, ChunkedError, ChunkedEvent, ChunkedFault,
    EncodeError, Trailer, VerifyChunkedError,
};
pub use crate::claim::{Claim, Form};
pub use crate::credentials::{Credentials, Secret};
pub use crate::error::{ClaimError, Fragment, Parameter, SignError, VerifyError};
pub use crate::event::{Event, EventError, EventSigner, EventVerifier, VerifyEventsError};
pub use crate::headers::UNSIGNED_HEADERS;
#[cfg(feature = "http")]
pub use crate::http::{
    HeaderList, presign_request, sign_chunked_request, sign_events_request, sign_request,
};
pub use crate::key::{Signature, SigningKey};
pub use crate::presign::Presigned;
pub use crate::region::{region_from_host, region_in_host};
pub use crate::request::{Payload, Request};
pub use crate::scope::{Scope, ScopeError};
pub use crate::settings::{ContentSha256, PathEncoding, PathNormalization, SessionToken, Settings};
pub use crate::sign::{Signed, Signer};
pub use crate::streaming::{ChunkedHeadError, StreamingPayload};
pub use crate::time::{DateOutOfRange, DateTime};
pub use crate::verify::{Coverage, SessionTokenRule, UnsignedPayload, Verified, VerifySettings};
