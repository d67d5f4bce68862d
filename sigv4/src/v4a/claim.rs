//! What a request says of its own SigV4a signature, and checking it.

use std::time::SystemTime;

use super::key::PublicKey;
use super::region_set::RegionSet;
use crate::algorithm::Algorithm;
use crate::claim::{Form, parameter_value, text_of};
use crate::error::{ClaimError, Fragment, Parameter, VerifyError};
use crate::headers;
use crate::request::Request;
use crate::scope::Scope;
use crate::streaming::StreamingPayload;
use crate::time::DateTime;
use crate::verify::{Body, Verified, VerifySettings};

/// The SigV4a signature a request carries: who says to have signed it, when, and for which regions.
///
/// It is read by the same rules as [`crate::Claim`] and within the same limits, and used in the same
/// three steps; instead of a key derived for the day it takes the signer's [`PublicKey`].
#[derive(Clone, Debug)]
pub struct Claim {
    claim: crate::Claim,
    region_set: RegionSet,
}

impl Claim {
    /// Reads the signature of a request, in whichever form it is.
    ///
    /// # Errors
    /// [`ClaimError`], as [`crate::Claim::parse`]; [`ClaimError::Algorithm`] for a signature by
    /// SigV4, [`ClaimError::RegionSet`] for a malformed set of regions.
    pub fn parse(request: &Request<'_>) -> Result<Self, ClaimError> {
        let claim = crate::Claim::parse_accepting(request, &[Algorithm::EcdsaP256Sha256])?;
        Self::with_region_set(claim, request)
    }

    /// The access key id, by which to find the public key. In the header form the signature does not
    /// cover it.
    #[must_use]
    pub fn access_key_id(&self) -> &str {
        self.claim.access_key_id()
    }

    /// The credential scope, as the request states it. Its region is empty.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        self.claim.scope()
    }

    /// The regions that the request says it is for.
    #[must_use]
    pub const fn region_set(&self) -> &RegionSet {
        &self.region_set
    }

    /// When the request says it was signed.
    #[must_use]
    pub const fn date_time(&self) -> DateTime {
        self.claim.date_time()
    }

    /// The names of the headers it says are signed: in lower case, sorted, each once.
    pub fn signed_headers(&self) -> impl Iterator<Item = &str> {
        self.claim.signed_headers()
    }

    /// The session token that came with it; see [`crate::Claim::session_token`].
    #[must_use]
    pub fn session_token(&self) -> Option<&str> {
        self.claim.session_token()
    }

    /// Whether exactly this session token came with it, or none if `expected` is none, compared in a
    /// time that depends on the lengths alone.
    #[must_use]
    pub fn has_session_token(&self, expected: Option<&str>) -> bool {
        self.claim.has_session_token(expected)
    }

    /// Where the signature stands.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.claim.form()
    }

    /// Checks the claim against the request it was parsed from, its real body, the public key of its
    /// access key, and the time now: in the order and by the rules of [`crate::Claim::verify`].
    ///
    /// If [`VerifySettings::region`] is set, the region set must cover it.
    ///
    /// # Errors
    /// [`VerifyError`], as [`crate::Claim::verify`]. What is not a signature in DER is a mismatch.
    pub fn verify(
        &self,
        request: &Request<'_>,
        body: &[u8],
        key: &PublicKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        self.check(request, Body::Whole(body), key, now, settings)
    }

    /// The same for a body that is still to come, in pieces.
    pub(super) fn verify_head(
        &self,
        request: &Request<'_>,
        payload: StreamingPayload,
        key: &PublicKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        self.check(request, Body::Streamed(payload), key, now, settings)
    }

    /// The signature, as the request carries it.
    pub(super) fn signature(&self) -> &str {
        self.claim.signature()
    }

    fn check(
        &self,
        request: &Request<'_>,
        body: Body<'_>,
        key: &PublicKey,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<Verified, VerifyError> {
        let regions = &self.region_set;
        self.claim
            .check_scope(settings, regions.as_str(), |region| regions.covers(region))?;
        self.claim
            .check_all_but_scope(request, body, key, now, settings)
    }

    fn with_region_set(claim: crate::Claim, request: &Request<'_>) -> Result<Self, ClaimError> {
        let name = Parameter::RegionSet.query_name();
        let parameters = vec![Parameter::RegionSet];
        let given = match claim.form() {
            Form::Header => match single(request, headers::REGION_SET, name)? {
                Some(value) => text_of(name, value)?.to_owned(),
                None => return Err(ClaimError::MissingParameters { parameters }),
            },
            Form::Query { .. } => match parameter_value(request.query.unwrap_or_default(), name)? {
                Some(value) => value.into_owned(),
                None => return Err(ClaimError::MissingQueryParameters { parameters }),
            },
        };
        let region_set = RegionSet::parse(&given).map_err(|_| ClaimError::RegionSet {
            fragment: Fragment::new(given),
        })?;
        Ok(Self { claim, region_set })
    }
}

/// The signature a request carries, by either algorithm: for a server that accepts both.
///
/// # Example
/// ```
/// use sigv4::{Request, v4a::AnyClaim};
///
/// let headers: [(&str, &[u8]); 4] = [
///     ("Host", b"example.com"),
///     ("X-Amz-Date", b"20150830T123600Z"),
///     ("X-Amz-Region-Set", b"*"),
///     ("Authorization", b"AWS4-ECDSA-P256-SHA256 \
///         Credential=AKIDEXAMPLE/20150830/service/aws4_request, \
///         SignedHeaders=host;x-amz-date;x-amz-region-set, Signature=3045"),
/// ];
/// match AnyClaim::parse(&Request::new("GET", "/", &headers))? {
///     AnyClaim::V4(claim) => panic!("{claim:?}: find the secret, derive the day's key, verify"),
///     AnyClaim::V4a(claim) => assert!(claim.region_set().covers("us-east-1")),
/// }
/// # Ok::<(), sigv4::ClaimError>(())
/// ```
#[derive(Clone, Debug)]
pub enum AnyClaim {
    /// By Signature Version 4.
    V4(crate::Claim),
    /// By SigV4a.
    V4a(Claim),
}

impl AnyClaim {
    /// Reads the signature of a request, by whichever algorithm and in whichever form it is.
    ///
    /// # Errors
    /// [`ClaimError`], as [`crate::Claim::parse`] and [`Claim::parse`].
    pub fn parse(request: &Request<'_>) -> Result<Self, ClaimError> {
        let claim = crate::Claim::parse_accepting(request, &Algorithm::ALL)?;
        match claim.scope().algorithm() {
            Algorithm::HmacSha256 => Ok(Self::V4(claim)),
            Algorithm::EcdsaP256Sha256 => Claim::with_region_set(claim, request).map(Self::V4a),
        }
    }

    /// The access key id, by which to find the secret or the public key.
    #[must_use]
    pub fn access_key_id(&self) -> &str {
        match self {
            Self::V4(claim) => claim.access_key_id(),
            Self::V4a(claim) => claim.access_key_id(),
        }
    }
}

/// The one value of a header, if it is there. `header` is in lower case, `name` for the message.
fn single<'a>(
    request: &Request<'a>,
    header: &'static str,
    name: &'static str,
) -> Result<Option<&'a [u8]>, ClaimError> {
    let mut values = request.values(header);
    let value = values.next();
    if values.next().is_some() {
        return Err(ClaimError::Repeated { name });
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::credentials::Credentials;
    use crate::request::Payload;
    use crate::v4a::Signer;

    const BODY: &[u8] = b"{}";
    const DATE: (&str, &[u8]) = ("X-Amz-Date", b"20150830T123600Z");
    const REGIONS: (&str, &[u8]) = ("X-Amz-Region-Set", b"us-east-1");
    const GOOD: (&str, &[u8]) = (
        "Authorization",
        b"AWS4-ECDSA-P256-SHA256 Credential=AKID/20150830/s3/aws4_request, \
          SignedHeaders=host;x-amz-date;x-amz-region-set, Signature=00",
    );
    const GOOD_QUERY: &str = "X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256\
                              &X-Amz-Credential=AKID%2F20150830%2Fs3%2Faws4_request\
                              &X-Amz-Date=20150830T123600Z&X-Amz-Expires=60\
                              &X-Amz-SignedHeaders=host&X-Amz-Signature=00";

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    fn signer(regions: &str) -> Signer {
        let regions = RegionSet::parse(regions).unwrap();
        Signer::new(Credentials::new("AKID", "secret"), regions, "s3").unwrap()
    }

    /// Signs a request for these regions in both forms, and verifies both.
    fn verify(
        regions: &str,
        key: &PublicKey,
        settings: &VerifySettings,
    ) -> [Result<Verified, VerifyError>; 2] {
        let mut headers: Vec<(&str, &[u8])> = vec![("Host", b"a")];
        let request = Request::new("POST", "/a?b", &headers);
        let payload = Payload::Bytes(BODY);
        let signer = signer(regions);
        let presigned = signer
            .presign(&request, payload, now(), Duration::from_secs(60))
            .unwrap();
        let signed = signer.sign(&request, payload, now()).unwrap();

        let request = Request::new("POST", presigned.target(), &headers);
        let claim = Claim::parse(&request).unwrap();
        let query = claim.verify(&request, BODY, key, now(), settings);
        headers.extend(
            signed
                .headers()
                .map(|(name, value)| (name, value.as_bytes())),
        );
        let request = Request::new("POST", "/a?b", &headers);
        let claim = Claim::parse(&request).unwrap();
        [claim.verify(&request, BODY, key, now(), settings), query]
    }

    #[test]
    fn the_region_must_be_in_the_set() {
        let key = *signer("*").public_key();
        for (regions, region, expected) in [
            ("us-east-1", "us-east-1", true),
            ("us-east-1", "us-east-2", false),
            ("us-east-1,eu-*", "eu-west-1", true),
            ("*", "anywhere-1", true),
        ] {
            let settings = VerifySettings::default()
                .with_region(region)
                .with_service("s3");
            for result in verify(regions, &key, &settings) {
                let error = VerifyError::Region {
                    found: regions.to_owned(),
                    expected: region.to_owned(),
                };
                match result {
                    Ok(_) => assert!(expected, "{regions} {region}"),
                    Err(refused) => assert_eq!((refused, expected), (error, false)),
                }
            }
        }
        let elsewhere = VerifySettings::default().with_service("sqs");
        for result in verify("*", &key, &elsewhere) {
            assert!(
                matches!(result, Err(VerifyError::Service { .. })),
                "{result:?}"
            );
        }
    }

    #[test]
    fn another_key_does_not_verify() {
        let other = Signer::new(
            Credentials::new("AKID", "secret2"),
            RegionSet::parse("*").unwrap(),
            "s3",
        );
        let key = *other.unwrap().public_key();
        for result in verify("*", &key, &VerifySettings::default()) {
            assert!(
                matches!(result, Err(VerifyError::SignatureMismatch { .. })),
                "{result:?}"
            );
        }
    }

    #[test]
    fn a_signature_may_be_the_other_of_two_and_must_be_der() {
        let signer = signer("*");
        let headers: [(&str, &[u8]); 1] = [("Host", b"a")];
        let request = Request::new("GET", "/", &headers);
        let signed = signer.sign(&request, Payload::Bytes(b""), now()).unwrap();
        let value = *signed.signature().value();
        let (r, s) = (value.r(), value.s());
        let other = p256::ecdsa::Signature::from_scalars(*r, -*s).unwrap();
        let other = crate::v4a::Signature::new(other);
        assert_ne!(other.as_str(), signed.signature().as_str());
        for (signature, expected) in [
            (signed.signature().as_str(), true),
            (other.as_str(), true),
            (&signed.signature().as_str().to_uppercase(), false),
            (&format!("{}00", other.as_str()), false),
            (&hex::encode(value.to_bytes()), false),
            ("", false),
            ("3006020101020101", false),
        ] {
            let headers: Vec<(&str, String)> = signed
                .headers()
                .map(|(name, value)| (name, value.replace(signed.signature().as_str(), signature)))
                .collect();
            let mut all: Vec<(&str, &[u8])> = vec![("Host", b"a")];
            all.extend(
                headers
                    .iter()
                    .map(|(name, value)| (*name, value.as_bytes())),
            );
            let request = Request::new("GET", "/", &all);
            let claim = Claim::parse(&request).unwrap();
            let settings = VerifySettings::default();
            let result = claim.verify(&request, b"", signer.public_key(), now(), &settings);
            match result {
                Ok(_) => assert!(expected, "{signature}"),
                Err(VerifyError::SignatureMismatch { .. }) => assert!(!expected, "{signature}"),
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn each_algorithm_is_read_where_it_is_asked_for() {
        let asymmetric = [GOOD, DATE, REGIONS];
        let asymmetric = Request::new("GET", "/", &asymmetric);
        let v4: [(&str, &[u8]); 2] = [
            DATE,
            (
                "Authorization",
                b"AWS4-HMAC-SHA256 Credential=AKID/20150830/r/s3/aws4_request, \
                  SignedHeaders=host, Signature=00",
            ),
        ];
        let v4 = Request::new("GET", "/", &v4);
        assert!(matches!(AnyClaim::parse(&v4), Ok(AnyClaim::V4(_))));
        assert!(matches!(AnyClaim::parse(&asymmetric), Ok(AnyClaim::V4a(_))));
        assert_eq!(
            AnyClaim::parse(&asymmetric).unwrap().access_key_id(),
            "AKID"
        );
        let algorithm = |name| {
            let fragment = Fragment::new(name);
            Some(ClaimError::Algorithm { fragment })
        };
        assert_eq!(Claim::parse(&v4).err(), algorithm("AWS4-HMAC-SHA256"));
        assert_eq!(
            crate::Claim::parse(&asymmetric).err(),
            algorithm("AWS4-ECDSA-P256-SHA256")
        );
        let target = format!("/?{GOOD_QUERY}&X-Amz-Region-Set=%2A");
        let presigned = Request::new("GET", &target, &[]);
        assert!(matches!(AnyClaim::parse(&presigned), Ok(AnyClaim::V4a(_))));
        assert!(crate::Claim::parse(&presigned).is_err());
    }

    #[test]
    fn both_forms_give_their_parts() {
        let headers = [GOOD, DATE, REGIONS];
        let claim = Claim::parse(&Request::new("GET", "/", &headers)).unwrap();
        assert_eq!(claim.scope().to_string(), "20150830/s3/aws4_request");
        assert_eq!(claim.region_set().as_str(), "us-east-1");
        assert_eq!(claim.date_time().to_string(), "20150830T123600Z");
        assert_eq!(claim.signed_headers().count(), 3);
        assert_eq!((claim.session_token(), claim.form()), (None, Form::Header));
        let target = format!("/?{GOOD_QUERY}&X-Amz-Region-Set=a%2Cb&X-Amz-Security-Token=hush");
        let claim = Claim::parse(&Request::new("GET", &target, &[])).unwrap();
        assert_eq!(claim.region_set().as_str(), "a,b");
        assert!(claim.has_session_token(Some("hush")));
        assert!(!format!("{claim:?}").contains("hush"));
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let parameters = vec![Parameter::RegionSet];
        let refused =
            |headers: &[(&str, &[u8])]| Claim::parse(&Request::new("GET", "/", headers)).err();
        assert_eq!(
            refused(&[GOOD, DATE]),
            Some(ClaimError::MissingParameters {
                parameters: parameters.clone()
            })
        );
        let name = "X-Amz-Region-Set";
        assert_eq!(
            refused(&[GOOD, DATE, REGIONS, REGIONS]),
            Some(ClaimError::Repeated { name })
        );
        assert_eq!(
            refused(&[GOOD, DATE, ("X-Amz-Region-Set", b"\xff")]),
            Some(ClaimError::NotText { name })
        );
        let fragment = Fragment::new("a,,b");
        let malformed = Some(ClaimError::RegionSet { fragment });
        assert_eq!(
            refused(&[GOOD, DATE, ("X-Amz-Region-Set", b"a,,b")]),
            malformed
        );
        let query = |more: &str| {
            let target = format!("/?{GOOD_QUERY}{more}");
            Claim::parse(&Request::new("GET", &target, &[])).err()
        };
        assert_eq!(
            query(""),
            Some(ClaimError::MissingQueryParameters { parameters })
        );
        assert_eq!(query("&X-Amz-Region-Set=a%2C%2Cb"), malformed);
        let twice = "&X-Amz-Region-Set=a&X-Amz-Region-Set=b";
        assert_eq!(query(twice), Some(ClaimError::Repeated { name }));

        // A credential with a region is one of SigV4.
        let five = String::from_utf8_lossy(GOOD.1).replace("/s3/", "/us-east-1/s3/");
        assert!(matches!(
            refused(&[("Authorization", five.as_bytes()), DATE, REGIONS]),
            Some(ClaimError::Credential { .. })
        ));
    }

    #[test]
    fn the_region_set_must_be_signed() {
        let unsigned = String::from_utf8_lossy(GOOD.1).replace(";x-amz-region-set", "");
        let headers: [(&str, &[u8]); 4] = [
            ("Host", b"a"),
            ("Authorization", unsigned.as_bytes()),
            DATE,
            REGIONS,
        ];
        let request = Request::new("GET", "/", &headers);
        let claim = Claim::parse(&request).unwrap();
        let key = *signer("*").public_key();
        let refused = claim.verify(&request, b"", &key, now(), &VerifySettings::default());
        let expected = VerifyError::HeaderNotSigned("x-amz-region-set".to_owned());
        assert_eq!(refused, Err(expected));
    }
}
