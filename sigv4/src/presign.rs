//! Signing in the query form: a request that carries its signature in its URL.

use std::fmt;
use std::time::{Duration, SystemTime};

use zeroize::Zeroizing;

use crate::canonical::{CanonicalRequest, Parts, PayloadHash, StringToSign};
use crate::error::SignError;
use crate::headers;
use crate::key::{Sign, Signature};
use crate::request::{Payload, Request};
use crate::settings::SessionToken;
use crate::sign::{Signer, Signing, check_host};
use crate::time::DateTime;
use crate::uri::{self, Query};

/// The longest life of a presigned request: seven days, in seconds.
pub(crate) const EXPIRES_MAX_SECONDS: u64 = 604_800;

/// Some signers for Amazon S3 state the payload's hash in the query.
const CONTENT_SHA256_PARAMETER: &str = "X-Amz-Content-Sha256";

/// The query parameters that signing sets itself, and therefore replaces.
pub(crate) const SIGNING_PARAMETERS: [&str; 9] = [
    "X-Amz-Algorithm",
    CONTENT_SHA256_PARAMETER,
    "X-Amz-Credential",
    "X-Amz-Date",
    "X-Amz-Expires",
    "X-Amz-Region-Set",
    "X-Amz-Security-Token",
    "X-Amz-Signature",
    "X-Amz-SignedHeaders",
];

impl Signer {
    /// Signs in the query form, for a request that lives `expires` from `now` on: between 1 second
    /// and 7 days, a fraction of a second dropped.
    ///
    /// Every header given is signed but [`UNSIGNED_HEADERS`](crate::UNSIGNED_HEADERS), so give those that
    /// whoever uses the URL will send: `Host` at least. Signing parameters already in the query
    /// are replaced, however their names are encoded, and so is an `X-Amz-Content-Sha256`, which is
    /// set to this payload's. A session token stands before the signature that covers it, or after
    /// one that does not ([`SessionToken`]). The payload is the body's real hash, except for Amazon S3, which wants
    /// [`Payload::Unsigned`].
    ///
    /// # Errors
    /// [`SignError`], as for [`sign`](Self::sign), [`SignError::Expires`] and
    /// [`SignError::StreamingPresigned`].
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Credentials, Payload, Request, Signer};
    ///
    /// let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
    /// let headers: [(&str, &[u8]); 1] = [("Host", b"localhost:9324")];
    /// let request = Request::new("GET", "/?Action=ListQueues", &headers);
    /// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    ///
    /// let presigned =
    ///     signer.presign(&request, Payload::Bytes(b""), now, Duration::from_secs(60))?;
    /// let target = String::from_utf8(presigned.target().to_vec()).unwrap();
    /// assert!(target.starts_with("/?Action=ListQueues&X-Amz-Algorithm=AWS4-HMAC-SHA256&"));
    /// # Ok::<(), sigv4::SignError>(())
    /// ```
    #[must_use = "the request has to be sent to the new target"]
    pub fn presign(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
        now: SystemTime,
        expires: Duration,
    ) -> Result<Presigned, SignError> {
        let at = DateTime::from_system_time(now)?;
        self.signing(at, &*self.day(at)?)
            .in_query(request, payload, expires)
    }
}

impl<K: Sign> Signing<'_, K> {
    /// Signs in the query form.
    pub(crate) fn in_query(
        &self,
        request: &Request<'_>,
        payload: Payload<'_>,
        expires: Duration,
    ) -> Result<Presigned<K::Signature>, SignError> {
        let seconds = expires.as_secs();
        if !(1..=EXPIRES_MAX_SECONDS).contains(&seconds) {
            return Err(SignError::Expires(expires));
        }
        if matches!(payload, Payload::Streaming(_)) {
            return Err(SignError::StreamingPresigned);
        }
        check_host(request)?;
        let mut lines = headers::signable(
            request,
            self.set_by_signing(),
            self.settings.unsigned_headers,
        )?;
        headers::sort(&mut lines);
        let mut signed_headers = String::new();
        headers::push_names(&mut signed_headers, &lines);

        let token = self.credentials.session_token();
        let (signed_token, appended_token) = match self.settings.session_token {
            SessionToken::Signed => (token, None),
            SessionToken::AppendedUnsigned => (None, token),
        };
        let mut parameters = Parameters::default();
        parameters.add("X-Amz-Algorithm", self.day.scope.algorithm().name());
        parameters.add("X-Amz-Credential", &self.day.credential);
        parameters.add("X-Amz-Date", self.at.as_str());
        parameters.add("X-Amz-Expires", &seconds.to_string());
        parameters.add("X-Amz-SignedHeaders", &signed_headers);
        if let Some(regions) = self.region_set {
            parameters.add("X-Amz-Region-Set", regions);
        }
        if let Some(token) = signed_token {
            parameters.add("X-Amz-Security-Token", token);
        }
        let payload = PayloadHash::of(payload, self.day.scope.algorithm());
        let wire = request.query.unwrap_or_default();
        if uri::pieces(wire).any(|(_, key, _)| uri::is_named(key, CONTENT_SHA256_PARAMETER)) {
            parameters.add(CONTENT_SHA256_PARAMETER, payload.as_str());
        }
        let mut query = Query::parse(request.query, &SIGNING_PARAMETERS);
        for (name, value) in parameters.iter() {
            query.push(name, value);
        }
        query.sort();

        let canonical_request = Parts {
            method: headers::checked_method(request).map_err(SignError::Method)?,
            path: request.path,
            path_encoding: self.settings.path_encoding,
            path_normalization: self.settings.path_normalization,
            query: &query,
            lines: &lines,
            signed_headers: &signed_headers,
            payload: &payload,
        }
        .to_canonical_request();
        let string_to_sign = StringToSign::new(self.at, &self.day.scope, &canonical_request);
        let signature = self.day.key.sign(&string_to_sign);
        parameters.add("X-Amz-Signature", signature.as_ref());
        if let Some(token) = appended_token {
            parameters.add("X-Amz-Security-Token", token);
        }
        let (target, query_at) = presigned_target(request, &parameters);
        Ok(Presigned {
            canonical_request,
            string_to_sign,
            signature,
            parameters,
            target,
            query_at,
            headers_to_remove: self.set_by_signing(),
        })
    }
}

/// A signature in the query form: its stages, and the request's new target.
///
/// Send the request to [`target`](Self::target) with the headers that were signed, less those of
/// [`headers_to_remove`](Self::headers_to_remove).
#[derive(Clone)]
pub struct Presigned<S = Signature> {
    canonical_request: CanonicalRequest,
    string_to_sign: StringToSign,
    signature: S,
    parameters: Parameters,
    target: Vec<u8>,
    query_at: usize,
    headers_to_remove: &'static [&'static str],
}

impl<S> Presigned<S> {
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

    /// The whole new target: the path as it was (`/` if it was empty), `?`, and the new query.
    /// Where the old one was a legal URI, this is one.
    #[must_use]
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    /// The whole new query: the old parameters, spelled as they were, without signing parameters;
    /// then the new ones.
    #[must_use]
    pub fn query(&self) -> &[u8] {
        &self.target[self.query_at..]
    }

    /// The parameters that signing added, in order, not encoded.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.parameters.iter()
    }

    /// The headers to remove if the request has them, in lower case: those of a signature in the
    /// header form.
    #[must_use]
    pub const fn headers_to_remove(&self) -> &'static [&'static str] {
        self.headers_to_remove
    }
}

/// Shows the stages, neither the signature nor a session token.
impl<S> fmt::Debug for Presigned<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presigned")
            .field("canonical_request", &self.canonical_request)
            .field("string_to_sign", &self.string_to_sign)
            .finish_non_exhaustive()
    }
}

/// Names and plain values; wiped when dropped, since a session token is among them.
#[derive(Clone, Default)]
struct Parameters(Vec<(&'static str, Zeroizing<String>)>);

impl Parameters {
    fn add(&mut self, name: &'static str, value: &str) {
        self.0.push((name, Zeroizing::new(value.to_owned())));
    }

    fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

/// The parameters that show that a query carries a signature, whole or in part. The others of a
/// signature can stand in a query for another reason.
pub(crate) const SIGNATURE_MARKS: [&str; 3] =
    ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"];

/// Whether a query carries a signature, whole or in part.
pub(crate) fn is_presigned(request: &Request<'_>) -> bool {
    let is_mark = |key| SIGNATURE_MARKS.iter().any(|name| uri::is_named(key, name));
    uri::pieces(request.query.unwrap_or_default()).any(|(_, key, _)| is_mark(key))
}

/// The new target, and where its query begins.
fn presigned_target(request: &Request<'_>, parameters: &Parameters) -> (Vec<u8>, usize) {
    let mut target = Vec::new();
    target.extend_from_slice(if request.path.is_empty() {
        b"/"
    } else {
        request.path
    });
    target.push(b'?');
    let query_at = target.len();
    let wire = request.query.unwrap_or_default();
    for (range, key, _) in uri::pieces(wire) {
        if !SIGNING_PARAMETERS
            .iter()
            .any(|name| uri::is_named(key, name))
        {
            target.extend_from_slice(&wire[range]);
            target.push(b'&');
        }
    }
    for (at, (name, value)) in parameters.iter().enumerate() {
        if at > 0 {
            target.push(b'&');
        }
        target.extend_from_slice(name.as_bytes());
        target.push(b'=');
        uri::write_plain(&mut target, value.as_bytes());
    }
    (target, query_at)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::credentials::Credentials;
    use crate::settings::{PathEncoding, PathNormalization, Settings};

    const HOST: [(&str, &[u8]); 1] = [("Host", b"a")];

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    fn presign(
        target: &str,
        headers: &[(&str, &[u8])],
        seconds: u64,
    ) -> Result<Presigned, SignError> {
        let signer = Signer::new(Credentials::new("AKID", "b"), "r", "s");
        let request = Request::new("GET", target, headers);
        signer.presign(
            &request,
            Payload::Bytes(b""),
            now(),
            Duration::from_secs(seconds),
        )
    }

    /// Source: Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters".
    #[test]
    fn the_s3_example_is_presigned_as_published() {
        let settings = Settings::default()
            .with_path_encoding(PathEncoding::Single)
            .with_path_normalization(PathNormalization::AsIs);
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        let signer = Signer::new(
            Credentials::new("AKIAIOSFODNN7EXAMPLE", secret),
            "us-east-1",
            "s3",
        )
        .with_settings(settings);
        let headers: [(&str, &[u8]); 1] = [("Host", b"examplebucket.s3.amazonaws.com")];
        let request = Request::new("GET", "/test.txt", &headers);
        let now = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
        let day = Duration::from_secs(86_400);
        let presigned = signer
            .presign(&request, Payload::Unsigned, now, day)
            .unwrap();
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        assert_eq!(presigned.signature().to_string(), signature);
        assert_eq!(
            String::from_utf8_lossy(presigned.target()),
            format!(
                "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256\
                 &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
                 &X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
                 &X-Amz-Signature={signature}"
            )
        );
    }

    #[test]
    fn a_url_signed_before_is_signed_anew() {
        let fresh = presign("/p?a=+&b", &HOST, 60).unwrap();
        let once = String::from_utf8(fresh.target().to_vec()).unwrap();
        assert!(once.starts_with("/p?a=+&b&X-Amz-Algorithm="), "{once}");
        let respelled = once.replacen("X-Amz-Date", "X%2dAmz-Date", 1);
        for signed_before in [
            &once,
            &respelled,
            &format!("{once}&X-Amz-Security-Token=old"),
        ] {
            let again = presign(signed_before, &HOST, 60).unwrap();
            assert_eq!(String::from_utf8_lossy(again.target()), once);
        }
        assert!(once.ends_with(&String::from_utf8_lossy(fresh.query()).into_owned()));
    }

    /// Who encodes the name of a parameter does not hide that a signature is there.
    #[test]
    fn a_signature_is_seen_however_its_names_are_encoded() {
        for name in SIGNATURE_MARKS {
            let encoded: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
            let first = format!("%58{}", &name[1..]);
            for (key, expected) in [
                (name, true),
                (&name.replace('-', "%2D"), true),
                (&encoded, true),
                (&first, true),
                (&name.to_lowercase(), false),
                (&name[..name.len() - 1], false),
            ] {
                let target = format!("/?a&{key}=");
                let request = Request::new("GET", &target, &[]);
                assert_eq!(is_presigned(&request), expected, "{key}");
            }
        }
    }

    #[test]
    fn a_payload_hash_stated_in_the_query_is_stated_right() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let stated = format!("X-Amz-Content-Sha256={empty}");
        for old in ["UNSIGNED-PAYLOAD", "", "00&X-Amz-Content-Sha256=11"] {
            let target = format!("/?a=1&X-Amz-Content-Sha256={old}");
            let presigned = presign(&target, &HOST, 60).unwrap();
            let target = String::from_utf8_lossy(presigned.target()).into_owned();
            assert_eq!(target.matches("X-Amz-Content-Sha256=").count(), 1);
            assert!(target.contains(&stated), "{target}");
            let canonical = presigned.canonical_request().to_string();
            assert!(canonical.contains(&format!("&{stated}&")), "{canonical}");
        }
        let fresh = presign("/?a=1", &HOST, 60).unwrap();
        assert!(!String::from_utf8_lossy(fresh.target()).contains("Sha256="));
    }

    #[test]
    fn headers_of_a_header_form_signature_are_left_out() {
        let headers: [(&str, &[u8]); 4] = [
            ("Host", b"a"),
            ("Authorization", b"old"),
            ("X-Amz-Date", b"old"),
            ("X-Amz-Content-Sha256", b"old"),
        ];
        let presigned = presign("/", &headers, 60).unwrap();
        assert_eq!(
            presigned.signature(),
            presign("/", &HOST, 60).unwrap().signature()
        );
        assert!(
            presigned
                .headers_to_remove()
                .contains(&"x-amz-content-sha256")
        );
    }

    #[test]
    fn a_life_is_one_second_to_seven_days() {
        for seconds in [1, 604_800] {
            assert!(presign("/", &HOST, seconds).is_ok());
        }
        for seconds in [0, 604_801, u64::MAX] {
            let expected = SignError::Expires(Duration::from_secs(seconds));
            assert_eq!(presign("/", &HOST, seconds).err(), Some(expected));
        }
    }

    #[test]
    fn a_session_token_is_signed_or_appended() {
        let request = Request::new("GET", "", &HOST);
        for (setting, is_signed) in [
            (SessionToken::Signed, true),
            (SessionToken::AppendedUnsigned, false),
        ] {
            let credentials = Credentials::new("AKID", "b").with_session_token("hu/sh");
            let signer = Signer::new(credentials, "r", "s")
                .with_settings(Settings::default().with_session_token(setting));
            let minute = Duration::from_secs(60);
            let presigned = signer
                .presign(&request, Payload::Bytes(b""), now(), minute)
                .unwrap();
            let target = String::from_utf8_lossy(presigned.target()).into_owned();
            assert!(target.starts_with("/?X-Amz-Algorithm="), "{target}");
            let names: Vec<&str> = presigned.parameters().map(|(name, _)| name).collect();
            let last_two = match is_signed {
                true => ["X-Amz-Security-Token", "X-Amz-Signature"],
                false => ["X-Amz-Signature", "X-Amz-Security-Token"],
            };
            assert_eq!(names[names.len() - 2..], last_two);
            assert!(target.contains("&X-Amz-Security-Token=hu%2Fsh"), "{target}");
            assert_eq!(
                presigned
                    .canonical_request()
                    .to_string()
                    .contains("hu%2Fsh"),
                is_signed
            );
            assert!(
                presigned
                    .parameters()
                    .any(|p| p == ("X-Amz-Security-Token", "hu/sh"))
            );
            assert!(!format!("{presigned:?}").contains("hu%2Fsh"));
        }
    }
}
