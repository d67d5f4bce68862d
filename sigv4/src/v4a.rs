//! SigV4a: the asymmetric signature, good for several regions at once. Behind the feature `sigv4a`.
//!
//! It differs from Signature Version 4 in three things. The key is a pair on the curve P-256, derived
//! from secret and access key id without day or region, and a verifier needs its public half only.
//! The scope names no region; the regions stand in `X-Amz-Region-Set`, a list with wildcards, which is
//! signed. And the signature is ECDSA's, in the hexadecimal of its DER form. Everything else (the
//! canonical request, which headers count, the times, the body) is what it is in SigV4, and is the
//! same code here.
//!
//! ```
//! use std::time::{Duration, UNIX_EPOCH};
//! use sigv4::{Credentials, Payload, Request, VerifySettings, v4a};
//!
//! let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
//! let regions = v4a::RegionSet::parse("us-east-1,eu-*")?;
//! let signer = v4a::Signer::new(Credentials::new("AKID", "secret"), regions, "s3")?;
//! let mut headers: Vec<(&str, &[u8])> = vec![("Host", b"example.com")];
//! let signed = signer.sign(&Request::new("GET", "/", &headers), Payload::Bytes(b""), now)?;
//! headers.extend(signed.headers().map(|(name, value)| (name, value.as_bytes())));
//!
//! // And on the other side, in Frankfurt, where only the public key is known:
//! let public_key = signer.public_key();
//! let request = Request::new("GET", "/", &headers);
//! let claim = v4a::Claim::parse(&request)?;
//! assert_eq!(claim.access_key_id(), "AKID");
//! let settings = VerifySettings::default().with_service("s3").with_region("eu-central-1");
//! claim.verify(&request, b"", public_key, now, &settings)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server that accepts both algorithms parses an [`AnyClaim`]. Bodies in chunks are signed and verified
//! with [`Signer::sign_chunked`] and [`Claim::verify_chunked`]; event streams are not, as they are not by
//! AWS's own signer in C.
//!
//! Signatures made here are deterministic (RFC 6979): no random numbers are needed. Verifying accepts
//! every valid one, also with a high S, as AWS's signers make in half of all cases; so whoever sees one
//! signature can write it in a second way, and a signature is no id to recognise a request by.
//!
//! Source: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html>, and AWS's signing
//! suite.

mod chunked;
mod claim;
#[cfg(feature = "http")]
mod http;
mod key;
mod region_set;
mod signature;
mod signer;

pub use self::chunked::encoded_length;
pub use self::claim::{AnyClaim, Claim};
#[cfg(feature = "http")]
pub use self::http::{presign_request, sign_chunked_request, sign_request};
pub use self::key::{DeriveError, NoSuchKey, PrivateKey, PublicKey};
pub use self::region_set::{RegionSet, RegionSetError};
pub use self::signature::{MalformedSignature, Signature};
pub use self::signer::Signer;
