//! AWS Signature Version 4: signing and verifying, every stage a value you can see.

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
mod verify;

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
