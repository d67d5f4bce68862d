//! Signing in the header form, and the signer.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use zeroize::Zeroizing;

use crate::authorization;
use crate::canonical::{CanonicalRequest, Parts, PayloadHash, StringToSign};
use crate::credentials::Credentials;
use crate::error::SignError;
use crate::headers::{self, HeaderLine};
use crate::key::{Sign, Signature, SigningKey};
use crate::presign::SIGNATURE_MARKS;
use crate::request::{Payload, Request};
use crate::scope::{Scope, is_scope_part};
use crate::settings::{ContentSha256, SessionToken, Settings};
use crate::time::DateTime;
use crate::uri::Query;

/// Signs requests for one set of credentials, region and service.
///
/// It keeps the derived key of the day, so make one and use it for every request, from as many
/// threads as you like: they do not wait for each other. It reads no clock: the time of each signature is an argument.
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
    days: [Place; PLACES],
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
            days: Default::default(),
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
    #[must_use = "the headers have to be set on the request"]
    pub fn sign(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
        now: SystemTime,
    ) -> Result<Signed, SignError> {
        let at = DateTime::from_system_time(now)?;
        self.signing(at, &*self.day(at)?)
            .in_headers(request, payload)
    }

    pub(crate) fn signing<'a>(
        &'a self,
        at: DateTime,
        day: &'a Day<SigningKey>,
    ) -> Signing<'a, SigningKey> {
        Signing {
            credentials: &self.credentials,
            settings: &self.settings,
            day,
            at,
            region_set: None,
        }
    }

    /// The key and texts of the day of a moment: the kept ones, or new ones that are kept from now on.
    pub(crate) fn day(&self, at: DateTime) -> Result<Arc<Day<SigningKey>>, SignError> {
        // A panic cannot leave a half-written day behind, so a poisoned lock is as good as another.
        let Place(place) = &self.days[PLACE.with(|place| *place)];
        let kept = place.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(day) = kept.filter(|day| day.scope.date() == at.date()) {
            return Ok(day);
        }
        let day = Arc::new(Day::new(
            &self.credentials,
            at,
            &self.region,
            &self.service,
        )?);
        *place.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&day));
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

/// One signature to be made, by either algorithm.
pub(crate) struct Signing<'a, K> {
    pub(crate) credentials: &'a Credentials,
    pub(crate) settings: &'a Settings,
    pub(crate) day: &'a Day<K>,
    pub(crate) at: DateTime,
    /// The regions it is for, where the scope does not name one.
    pub(crate) region_set: Option<&'a str>,
}

impl<K: Sign> Signing<'_, K> {
    /// Signs in the header form.
    pub(crate) fn in_headers(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
    ) -> Result<Signed<K::Signature>, SignError> {
        let payload = PayloadHash::of(payload, self.day.scope.algorithm());
        check_host(request)?;
        let mut query = Query::parse(request.query, &[]);
        if query.has_any(&SIGNATURE_MARKS) {
            return Err(SignError::AlreadyPresigned);
        }
        query.sort();
        let mut lines = headers::signable(
            request,
            self.set_by_signing(),
            self.settings.unsigned_headers,
        )?;
        lines.push(HeaderLine::new(headers::DATE, self.at.as_str().as_bytes()));
        let token = self.credentials.session_token();
        if let (Some(token), SessionToken::Signed) = (token, self.settings.session_token) {
            lines.push(HeaderLine::new(headers::SECURITY_TOKEN, token.as_bytes()));
        }
        if let Some(regions) = self.region_set {
            lines.push(HeaderLine::new(headers::REGION_SET, regions.as_bytes()));
        }
        let states_hash = self.settings.content_sha256 == ContentSha256::Add
            || matches!(payload, PayloadHash::Streaming { .. })
            || request.values(headers::CONTENT_SHA256).next().is_some();
        if states_hash {
            lines.push(HeaderLine::new(headers::CONTENT_SHA256, payload.as_bytes()));
        }
        headers::sort(&mut lines);
        let names_length = lines.iter().map(|line| line.name.text.len() + 1).sum();
        let mut authorization = authorization::begin(
            self.day.scope.algorithm(),
            &self.day.credential,
            names_length,
        );
        let names_at = authorization.len();
        headers::push_names(&mut authorization, &lines);

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
        let string_to_sign = StringToSign::new(self.at, &self.day.scope, &canonical_request);
        let signature = self.day.key.sign(&string_to_sign);
        authorization::end(&mut authorization, signature.as_ref());
        Ok(Signed {
            canonical_request,
            string_to_sign,
            signature,
            authorization,
            at: self.at,
            region_set: self.region_set.map(str::to_owned),
            session_token: token.map(|token| Zeroizing::new(token.to_owned())),
            content_sha256: states_hash.then_some(payload),
        })
    }

    /// The headers that signing sets itself, and therefore replaces.
    pub(crate) fn set_by_signing(&self) -> &'static [&'static str] {
        match self.region_set {
            Some(_) => &headers::SET_BY_SIGNING_FOR_REGIONS,
            None => &headers::SET_BY_SIGNING,
        }
    }
}

/// A signature in the header form: its stages, and what to do with the request.
///
/// Set each of [`headers`](Self::headers), replacing what is there, and remove each of
/// [`headers_to_remove`](Self::headers_to_remove).
#[derive(Clone)]
pub struct Signed<S = Signature> {
    canonical_request: CanonicalRequest,
    string_to_sign: StringToSign,
    signature: S,
    authorization: String,
    pub(crate) at: DateTime,
    region_set: Option<String>,
    session_token: Option<Zeroizing<String>>,
    content_sha256: Option<PayloadHash>,
}

impl<S> Signed<S> {
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

    /// The last stage: the string to sign under the signing key, which is the third and a secret.
    #[must_use]
    pub const fn signature(&self) -> &S {
        &self.signature
    }

    /// The headers to set: `Authorization`, `X-Amz-Date`, and where they apply
    /// `X-Amz-Region-Set`, `X-Amz-Security-Token` and `x-amz-content-sha256`. Every value is visible ASCII and spaces.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let regions = self
            .region_set
            .as_deref()
            .map(|set| ("X-Amz-Region-Set", set));
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
        .chain(regions)
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
impl<S> fmt::Debug for Signed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signed")
            .field("canonical_request", &self.canonical_request)
            .field("string_to_sign", &self.string_to_sign)
            .finish_non_exhaustive()
    }
}

/// How many keys of a day a signer keeps.
const PLACES: usize = 8;

/// Where a signer keeps the key of a day for some of the threads that use it. Even reading what is
/// shared means counting readers, and threads that count in one place wait for each other; so they
/// are spread over several, on cache lines of their own.
#[derive(Default)]
#[repr(align(64))]
struct Place(RwLock<Option<Arc<Day<SigningKey>>>>);

thread_local! {
    /// The place that this thread uses of every signer.
    static PLACE: usize = {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        THREADS.fetch_add(1, Ordering::Relaxed) % PLACES
    };
}

/// What stays the same for all signatures of a day.
pub(crate) struct Day<K> {
    pub(crate) scope: Scope,
    /// Access key id and scope, as they stand in the signature.
    pub(crate) credential: String,
    pub(crate) key: K,
}

impl Day<SigningKey> {
    fn new(
        credentials: &Credentials,
        at: DateTime,
        region: &str,
        service: &str,
    ) -> Result<Self, SignError> {
        check_credentials(credentials)?;
        let scope = Scope::new(at, region, service)?;
        Ok(Self {
            credential: [credentials.access_key_id(), scope.as_str()].join("/"),
            key: SigningKey::derive(credentials.secret(), &scope),
            scope,
        })
    }
}

/// Whether credentials can be written into a request.
pub(crate) fn check_credentials(credentials: &Credentials) -> Result<(), SignError> {
    let id = credentials.access_key_id();
    if !is_scope_part(id) {
        return Err(SignError::AccessKeyId(id.to_owned()));
    }
    let is_token = |token: &str| !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
    if !credentials.session_token().is_none_or(is_token) {
        return Err(SignError::SessionToken);
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::settings::{PathEncoding, PathNormalization};

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    fn signer() -> Signer {
        let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
        Signer::new(Credentials::new("AKIDEXAMPLE", secret), "us-east-1", "iam")
    }

    fn sign(headers: &[(&str, &[u8])]) -> Result<Signed, SignError> {
        signer().sign(
            &Request::new("GET", "/", headers),
            Payload::Bytes(b""),
            now(),
        )
    }

    fn header<'a>(signed: &'a Signed, name: &str) -> Option<&'a str> {
        signed
            .headers()
            .find(|(given, _)| *given == name)
            .map(|(_, value)| value)
    }

    /// Source: AWS General Reference, "Task 3: Calculate the signature" (the ListUsers example).
    #[test]
    fn the_worked_example_is_signed_as_published() {
        let headers: [(&str, &[u8]); 2] = [
            ("Host", b"iam.amazonaws.com"),
            (
                "Content-Type",
                b"application/x-www-form-urlencoded; charset=utf-8",
            ),
        ];
        let request = Request::new("GET", "/?Action=ListUsers&Version=2010-05-08", &headers);
        let signed = signer().sign(&request, Payload::Bytes(b""), now()).unwrap();
        let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";
        assert_eq!(signed.signature().to_string(), signature);
        assert_eq!(
            signed.headers().collect::<Vec<_>>(),
            [
                (
                    "Authorization",
                    &*format!(
                        "AWS4-HMAC-SHA256 \
                         Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
                         SignedHeaders=content-type;host;x-amz-date, Signature={signature}"
                    )
                ),
                ("X-Amz-Date", "20150830T123600Z"),
            ]
        );
    }

    /// Source: Amazon S3 API Reference, "Signature Calculations for the Authorization Header:
    /// Transferring Payload in a Single Chunk", "GET Object" and "PUT Object".
    #[test]
    fn s3_examples_are_signed_as_published() {
        let settings = Settings::default()
            .with_path_encoding(PathEncoding::Single)
            .with_path_normalization(PathNormalization::AsIs)
            .with_content_sha256(ContentSha256::Add);
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        let signer = Signer::new(
            Credentials::new("AKIAIOSFODNN7EXAMPLE", secret),
            "us-east-1",
            "s3",
        )
        .with_settings(settings);
        let now = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
        let host: (&str, &[u8]) = ("Host", b"examplebucket.s3.amazonaws.com");

        let headers = [host, ("Range", b"bytes=0-9")];
        let get = Request::new("GET", "/test.txt", &headers);
        assert_eq!(
            signer
                .sign(&get, Payload::Bytes(b""), now)
                .unwrap()
                .signature()
                .to_string(),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let headers = [
            host,
            ("Date", b"Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", b"REDUCED_REDUNDANCY"),
        ];
        let put = Request::new("PUT", "/test$file.text", &headers);
        let body = Payload::Bytes(b"Welcome to Amazon S3.");
        assert_eq!(
            signer
                .sign(&put, body, now)
                .unwrap()
                .signature()
                .to_string(),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
        let headers = [host];
        let get = Request::new("GET", "/?lifecycle", &headers);
        assert_eq!(
            signer
                .sign(&get, Payload::Bytes(b""), now)
                .unwrap()
                .signature()
                .to_string(),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        );
        let get = Request::new("GET", "/?max-keys=2&prefix=J", &headers);
        assert_eq!(
            signer
                .sign(&get, Payload::Bytes(b""), now)
                .unwrap()
                .signature()
                .to_string(),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
    }

    #[test]
    fn a_host_must_be_given_once() {
        for headers in [&[][..], &[("Host", &b""[..])], &[("Host", &b" \t"[..])]] {
            assert_eq!(
                sign(headers).err(),
                Some(SignError::HostMissing),
                "{headers:?}"
            );
        }
        let twice = [("Host", &b"a"[..]), ("host", b"b")];
        assert_eq!(sign(&twice).err(), Some(SignError::HostRepeated));
    }

    #[test]
    fn a_request_signed_before_is_signed_anew() {
        let fresh = sign(&[("Host", b"a")]).unwrap();
        let stale = sign(&[
            ("Host", b"a"),
            ("AUTHORIZATION", b"old"),
            ("x-amz-date", b"old"),
            ("X-Amz-Security-Token", b"old"),
        ])
        .unwrap();
        assert_eq!(stale.signature(), fresh.signature());
        assert_eq!(stale.headers_to_remove(), ["x-amz-security-token"]);
    }

    #[test]
    fn a_payload_hash_that_is_stated_is_stated_right() {
        let signed = sign(&[("Host", b"a"), ("X-Amz-Content-Sha256", b"old")]).unwrap();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(header(&signed, "x-amz-content-sha256"), Some(empty));
        let canonical = signed.canonical_request().to_string();
        assert!(
            canonical.contains(&format!("x-amz-content-sha256:{empty}\n")),
            "{canonical}"
        );
        assert_eq!(
            header(&sign(&[("Host", b"a")]).unwrap(), "x-amz-content-sha256"),
            None
        );
    }

    #[test]
    fn a_query_that_carries_a_signature_is_refused() {
        let headers: [(&str, &[u8]); 1] = [("Host", b"a")];
        for query in [
            "X-Amz-Signature=0",
            "a&X%2DAmz-Credential=0",
            "X-Amz-Algorithm",
        ] {
            let target = format!("/?{query}");
            let request = Request::new("GET", &target, &headers);
            let refused = signer().sign(&request, Payload::Bytes(b""), now()).err();
            assert_eq!(refused, Some(SignError::AlreadyPresigned), "{query}");
        }
    }

    #[test]
    fn a_session_token_is_signed_or_only_sent() {
        let request = Request::new("GET", "/", &[("Host", b"a")]);
        for (setting, is_signed) in [
            (SessionToken::Signed, true),
            (SessionToken::AppendedUnsigned, false),
        ] {
            let credentials = Credentials::new("a", "b").with_session_token("hush");
            let signer = Signer::new(credentials, "r", "s")
                .with_settings(Settings::default().with_session_token(setting));
            let signed = signer.sign(&request, Payload::Bytes(b""), now()).unwrap();
            assert_eq!(header(&signed, "X-Amz-Security-Token"), Some("hush"));
            assert_eq!(
                signed.canonical_request().to_string().contains("hush"),
                is_signed
            );
            assert!(signed.headers_to_remove().is_empty());
            assert!(!format!("{signed:?} {signer:?}").contains("hush"));
        }
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let request = Request::new("GET", "/", &[("Host", b"a")]);
        let refused = |signer: Signer| signer.sign(&request, Payload::Bytes(b""), now()).err();
        for id in ["", "a/b", "a,b", "a b", "a\r\nb"] {
            let signer = Signer::new(Credentials::new(id, "b"), "r", "s");
            assert_eq!(refused(signer), Some(SignError::AccessKeyId(id.to_owned())));
        }
        for token in ["", "a b", "a\nb", "é"] {
            let credentials = Credentials::new("a", "b").with_session_token(token);
            assert_eq!(
                refused(Signer::new(credentials, "r", "s")),
                Some(SignError::SessionToken)
            );
        }
        let signer = Signer::new(Credentials::new("a", "b"), "r\n", "s");
        assert!(matches!(refused(signer), Some(SignError::Scope(_))));
    }

    #[test]
    fn the_key_of_the_day_is_kept_and_changed_at_midnight() {
        let signer = signer();
        let at = |text| DateTime::parse(text).unwrap();
        let day = signer.day(at("20150830T000000Z")).unwrap();
        assert!(Arc::ptr_eq(
            &day,
            &signer.day(at("20150830T235959Z")).unwrap()
        ));
        let next = signer.day(at("20150831T000000Z")).unwrap();
        assert_eq!(next.scope.date(), "20150831");
        assert_ne!(next.key.expose_bytes(), day.key.expose_bytes());
    }

    #[test]
    fn a_signer_is_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Signer>();
    }
}
