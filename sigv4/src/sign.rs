//! Signing in the header form, and the signer.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use zeroize::Zeroizing;

use crate::authorization;
use crate::canonical::{CanonicalRequest, Parts, PayloadHash, StringToSign};
use crate::credentials::Credentials;
use crate::error::SignError;
use crate::headers::{self, HeaderLine};
use crate::key::{Signature, SigningKey};
use crate::presign::is_presigned;
use crate::request::{Payload, Request};
use crate::scope::{Scope, is_scope_part};
use crate::settings::{ContentSha256, SessionToken, Settings};
use crate::time::DateTime;
use crate::uri::Query;

/// Signs requests for one set of credentials, region and service.
///
/// It keeps the derived key of the day, so make one and use it for every request, from as many
/// threads as you like. It reads no clock: the time of each signature is an argument.
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::{Credentials, Payload, Request, Signer};
///
/// let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
/// let headers: [(&str, &[u8]); 2] =
///     [("Host", b"localhost:9324"), ("X-Amz-Target", b"AmazonSQS.ListQueues")];
/// let request = Request::new("POST", "/", &headers);
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
///
/// let signed = signer.sign(&request, Payload::Bytes(b"{}"), now)?;
/// let added: Vec<_> = signed.headers().map(|(name, _)| name).collect();
/// assert_eq!(added, ["Authorization", "X-Amz-Date"]);
/// # Ok::<(), sigv4::SignError>(())
/// ```
pub struct Signer {
    pub(crate) credentials: Credentials,
    region: String,
    service: String,
    pub(crate) settings: Settings,
    day: RwLock<Option<Arc<Day>>>,
}

impl Signer {
    /// A signer with the default [`Settings`]. `region` is as `us-east-1`, `service` the service's
    /// signing name, as `sqs`; names that cannot be signed for are refused by signing.
    #[must_use]
    pub fn new(
        credentials: Credentials,
        region: impl Into<String>,
        service: impl Into<String>,
    ) -> Self {
        Self {
            credentials,
            region: region.into(),
            service: service.into(),
            settings: Settings::default(),
            day: RwLock::new(None),
        }
    }

    /// The same signer with other settings.
    #[must_use]
    pub const fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The region it signs for.
    #[must_use]
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The service it signs for.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Signs in the header form.
    ///
    /// Every header of the request is signed but [`UNSIGNED_HEADERS`](crate::UNSIGNED_HEADERS).
    /// Those that signing sets (`Authorization`, `X-Amz-Date`, `X-Amz-Security-Token`,
    /// `x-amz-content-sha256`) are not taken from the request: a request that was signed before
    /// is signed anew, so a retry needs no cleaning up.
    ///
    /// # Errors
    /// [`SignError`]: no `Host` or more than one, a method or header name that is no HTTP token,
    /// a query that carries a signature, a date outside the years 0 to 9999, or credentials,
    /// region or service that cannot be written.
    pub fn sign(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
        now: SystemTime,
    ) -> Result<Signed, SignError> {
        let at = DateTime::from_system_time(now)?;
        let day = self.day(at)?;
        let payload = PayloadHash::of(payload);
        check_host(request)?;
        if is_presigned(request) {
            return Err(SignError::AlreadyPresigned);
        }

        let mut lines = headers::signable(request, &headers::SET_BY_SIGNING)?;
        lines.push(HeaderLine {
            name: headers::DATE,
            value: at.as_str().as_bytes(),
        });
        let token = self.credentials.session_token();
        if let (Some(token), SessionToken::Signed) = (token, self.settings.session_token) {
            lines.push(HeaderLine {
                name: headers::SECURITY_TOKEN,
                value: token.as_bytes(),
            });
        }
        let states_hash = self.settings.content_sha256 == ContentSha256::Add
            || request.values(headers::CONTENT_SHA256).next().is_some();
        if states_hash {
            lines.push(HeaderLine {
                name: headers::CONTENT_SHA256,
                value: payload.as_bytes(),
            });
        }
        headers::sort(&mut lines);
        let names_length = lines.iter().map(|line| line.name.len() + 1).sum();
        let mut authorization = authorization::begin(&day.credential, names_length);
        let names_at = authorization.len();
        headers::push_names(&mut authorization, &lines);

        let mut query = Query::parse(request.query, &[]);
        query.sort();
        let canonical_request = Parts {
            method: headers::checked_method(request).map_err(SignError::Method)?,
            path: request.path,
            path_encoding: self.settings.path_encoding,
            path_normalization: self.settings.path_normalization,
            query: &query,
            lines: &lines,
            signed_headers: &authorization[names_at..],
            payload: &payload,
        }
        .to_canonical_request();
        let string_to_sign = StringToSign::new(at, &day.scope, &canonical_request);
        let signature = day.key.sign(&string_to_sign);
        authorization::end(&mut authorization, signature.as_str());
        Ok(Signed {
            canonical_request,
            string_to_sign,
            signature,
            authorization,
            at,
            session_token: token.map(|token| Zeroizing::new(token.to_owned())),
            content_sha256: states_hash.then_some(payload),
        })
    }

    /// The key and texts of the day of a moment: the kept ones, or new ones that are kept from now on.
    pub(crate) fn day(&self, at: DateTime) -> Result<Arc<Day>, SignError> {
        // A panic cannot leave a half-written day behind, so a poisoned lock is as good as another.
        let kept = self
            .day
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(day) = kept.filter(|day| day.scope.date() == at.date()) {
            return Ok(day);
        }
        let day = Arc::new(Day::new(
            &self.credentials,
            at,
            &self.region,
            &self.service,
        )?);
        *self.day.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&day));
        Ok(day)
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer")
            .field("credentials", &self.credentials)
            .field("region", &self.region)
            .field("service", &self.service)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// A signature in the header form: its stages, and what to do with the request.
///
/// Set each of [`headers`](Self::headers), replacing what is there, and remove each of
/// [`headers_to_remove`](Self::headers_to_remove).
#[must_use = "the headers have to be set on the request"]
#[derive(Clone)]
pub struct Signed {
    canonical_request: CanonicalRequest,
    string_to_sign: StringToSign,
    signature: Signature,
    authorization: String,
    at: DateTime,
    session_token: Option<Zeroizing<String>>,
    content_sha256: Option<PayloadHash>,
}

impl Signed {
    /// The first stage.
    #[must_use]
    pub const fn canonical_request(&self) -> &CanonicalRequest {
        &self.canonical_request
    }

    /// The second stage.
    #[must_use]
    pub const fn string_to_sign(&self) -> &StringToSign {
        &self.string_to_sign
    }

    /// The third stage.
    #[must_use]
    pub const fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The headers to set: `Authorization`, `X-Amz-Date`, and where they apply
    /// `X-Amz-Security-Token` and `x-amz-content-sha256`. Every value is visible ASCII and spaces.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let token = self
            .session_token
            .as_ref()
            .map(|t| ("X-Amz-Security-Token", t.as_str()));
        let hash = self
            .content_sha256
            .as_ref()
            .map(|hash| (headers::CONTENT_SHA256, hash.as_str()));
        [
            ("Authorization", self.authorization.as_str()),
            ("X-Amz-Date", self.at.as_str()),
        ]
        .into_iter()
        .chain(token)
        .chain(hash)
    }

    /// The headers to remove if the request has them, in lower case: a session token that is left
    /// from other credentials.
    #[must_use]
    pub const fn headers_to_remove(&self) -> &'static [&'static str] {
        if self.session_token.is_some() {
            &[]
        } else {
            &[headers::SECURITY_TOKEN]
        }
    }
}

/// Shows the stages, neither the signature nor a session token.
impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signed")
            .field("canonical_request", &self.canonical_request)
            .field("string_to_sign", &self.string_to_sign)
            .finish_non_exhaustive()
    }
}

/// What stays the same for all signatures of a day.
pub(crate) struct Day {
    pub(crate) scope: Scope,
    /// Access key id and scope, as they stand in the signature.
    pub(crate) credential: String,
    pub(crate) key: SigningKey,
}

impl Day {
    fn new(
        credentials: &Credentials,
        at: DateTime,
        region: &str,
        service: &str,
    ) -> Result<Self, SignError> {
        let id = credentials.access_key_id();
        if !is_scope_part(id) {
            return Err(SignError::AccessKeyId(id.to_owned()));
        }
        let is_token =
            |token: &str| !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
        if !credentials.session_token().is_none_or(is_token) {
            return Err(SignError::SessionToken);
        }
        let scope = Scope::new(at, region, service)?;
        Ok(Self {
            credential: format!("{id}/{scope}"),
            key: SigningKey::derive(credentials.secret(), &scope),
            scope,
        })
    }
}

/// Whether there is one `Host`, and it says something.
pub(crate) fn check_host(request: &Request<'_>) -> Result<(), SignError> {
    let mut hosts = request.values(headers::HOST);
    let host = hosts.next().map(headers::trim).unwrap_or_default();
    if hosts.next().is_some() {
        Err(SignError::HostRepeated)
    } else if host.is_empty() {
        Err(SignError::HostMissing)
    } else {
        Ok(())
    }
}
