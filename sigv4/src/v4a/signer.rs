//! The signer of SigV4a.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::key::{PrivateKey, PublicKey};
use super::region_set::RegionSet;
use super::signature::Signature;
use crate::credentials::Credentials;
use crate::error::SignError;
use crate::presign::Presigned;
use crate::request::{Payload, Request};
use crate::scope::Scope;
use crate::settings::Settings;
use crate::sign::{Day, Signed, Signing, check_credentials};
use crate::time::DateTime;

/// Signs requests by SigV4a for one set of credentials, a set of regions, and a service.
///
/// The key is derived when the signer is made, which costs as much as a signature: make one and use it
/// for every request, from as many threads as you like. It reads no clock and needs no random numbers.
///
/// # Example
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use sigv4::{Credentials, Payload, Request, v4a};
///
/// let regions = v4a::RegionSet::parse("*")?;
/// let signer = v4a::Signer::new(Credentials::new("test", "test"), regions, "s3")?;
/// let headers: [(&str, &[u8]); 1] = [("Host", b"bucket.accesspoint.s3-global.amazonaws.com")];
/// let request = Request::new("GET", "/key", &headers);
/// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
///
/// let signed = signer.sign(&request, Payload::Unsigned, now)?;
/// let added: Vec<_> = signed.headers().map(|(name, _)| name).collect();
/// assert_eq!(added, ["Authorization", "X-Amz-Date", "X-Amz-Region-Set"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Signer {
    credentials: Credentials,
    key: PrivateKey,
    region_set: RegionSet,
    service: String,
    settings: Settings,
}

impl Signer {
    /// A signer with the default [`Settings`]. `service` is the service's signing name, as `s3`; a name
    /// that cannot be signed for is refused by signing.
    ///
    /// # Errors
    /// [`SignError::AccessKeyId`] and [`SignError::SessionToken`] when these cannot be written;
    /// [`SignError::NoKey`], which does not happen.
    pub fn new(
        credentials: Credentials,
        region_set: RegionSet,
        service: impl Into<String>,
    ) -> Result<Self, SignError> {
        check_credentials(&credentials)?;
        let key = PrivateKey::derive(credentials.secret(), credentials.access_key_id())
            .map_err(|_| SignError::NoKey)?;
        Ok(Self {
            credentials,
            key,
            region_set,
            service: service.into(),
            settings: Settings::default(),
        })
    }

    /// The same signer with other settings.
    #[must_use]
    pub const fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What a verifier needs to check this signer's signatures.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// The regions it signs for.
    #[must_use]
    pub const fn region_set(&self) -> &RegionSet {
        &self.region_set
    }

    /// The service it signs for.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Signs in the header form, as [`crate::Signer::sign`] does: what it says of headers and of a
    /// request that was signed before holds here too. `X-Amz-Region-Set` is one more that is set.
    ///
    /// # Errors
    /// As [`crate::Signer::sign`].
    pub fn sign(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
        now: SystemTime,
    ) -> Result<Signed<Signature>, SignError> {
        let at = DateTime::from_system_time(now)?;
        self.signing(at, &self.day(at)?)
            .in_headers(request, payload)
    }

    /// Signs in the query form, as [`crate::Signer::presign`] does. `X-Amz-Region-Set` is one more
    /// parameter.
    ///
    /// # Errors
    /// As [`crate::Signer::presign`].
    pub fn presign(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
        now: SystemTime,
        expires: Duration,
    ) -> Result<Presigned<Signature>, SignError> {
        let at = DateTime::from_system_time(now)?;
        self.signing(at, &self.day(at)?)
            .in_query(request, payload, expires)
    }

    pub(super) const fn key(&self) -> &PrivateKey {
        &self.key
    }

    fn day(&self, at: DateTime) -> Result<Day<&PrivateKey>, SignError> {
        let scope = Scope::without_region(at, &self.service)?;
        Ok(Day {
            credential: format!("{}/{scope}", self.credentials.access_key_id()),
            scope,
            key: &self.key,
        })
    }

    fn signing<'a>(
        &'a self,
        at: DateTime,
        day: &'a Day<&'a PrivateKey>,
    ) -> Signing<'a, &'a PrivateKey> {
        Signing {
            credentials: &self.credentials,
            settings: &self.settings,
            day,
            at,
            region_set: Some(self.region_set.as_str()),
        }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer")
            .field("credentials", &self.credentials)
            .field("region_set", &self.region_set)
            .field("service", &self.service)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    const HOST: [(&str, &[u8]); 1] = [("Host", b"a")];

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    fn signer() -> Signer {
        let regions = RegionSet::parse("us-east-1,eu-*").unwrap();
        Signer::new(Credentials::new("AKID", "secret"), regions, "s").unwrap()
    }

    #[test]
    fn the_same_request_has_the_same_signature() {
        let request = Request::new("GET", "/", &HOST);
        let sign = || signer().sign(&request, Payload::Bytes(b""), now()).unwrap();
        assert_eq!(sign().signature().as_str(), sign().signature().as_str());
        assert!(!format!("{:?}", sign()).contains(sign().signature().as_str()));
        assert!(!format!("{:?}", signer()).contains("secret\""));
        fn check<T: Send + Sync>(_: &T) {}
        check(&signer());
    }

    #[test]
    fn a_request_signed_before_is_signed_anew() {
        let old: [(&str, &[u8]); 4] = [
            ("Host", b"a"),
            ("Authorization", b"old"),
            ("x-amz-region-set", b"old"),
            ("X-Amz-Date", b"old"),
        ];
        let again = Request::new("GET", "/?X-Amz-Region-Set=old", &old);
        let fresh = Request::new("GET", "/", &HOST);
        let minute = Duration::from_secs(60);
        let presign = |request| {
            signer()
                .presign(request, Payload::Bytes(b""), now(), minute)
                .unwrap()
        };
        assert_eq!(presign(&again).target(), presign(&fresh).target());
        assert!(
            presign(&again)
                .headers_to_remove()
                .contains(&"x-amz-region-set")
        );
        let target = String::from_utf8(presign(&fresh).target().to_vec()).unwrap();
        assert!(
            target.contains("&X-Amz-Region-Set=us-east-1%2Ceu-%2A&"),
            "{target}"
        );

        let again = Request::new("GET", "/", &old);
        let sign = |request| signer().sign(request, Payload::Bytes(b""), now()).unwrap();
        let (again, fresh) = (sign(&again), sign(&fresh));
        assert_eq!(again.canonical_request(), fresh.canonical_request());
        assert!(again.headers().eq(fresh.headers()));
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let all = || RegionSet::parse("*").unwrap();
        let refused = Signer::new(Credentials::new("a/b", "c"), all(), "s").err();
        assert_eq!(refused, Some(SignError::AccessKeyId("a/b".to_owned())));
        let token = Credentials::new("a", "b").with_session_token("");
        let refused = Signer::new(token, all(), "s").err();
        assert_eq!(refused, Some(SignError::SessionToken));
        let signer = Signer::new(Credentials::new("a", "b"), all(), "s/t").unwrap();
        let refused = signer.sign(&Request::new("GET", "/", &HOST), Payload::Unsigned, now());
        assert!(matches!(refused, Err(SignError::Scope(_))), "{refused:?}");
    }
}
