//! Which settings go together: one constructor for each kind of service.

use crate::settings::{ContentSha256, PathEncoding, PathNormalization, SessionToken, Settings};
use crate::verify::{SessionTokenRule, UnsignedPayload, VerifySettings};

/// Presets. Each is the sum of explicit settings, and any of them can be changed after.
impl Settings {
    /// The general AWS service, which all are but those below; the same as `default()`: the path is
    /// normalised and encoded twice, the session token signed, no `x-amz-content-sha256` added.
    ///
    /// ```
    /// assert_eq!(sigv4::Settings::general(), sigv4::Settings::default());
    /// ```
    #[must_use]
    pub const fn general() -> Self {
        Self {
            path_encoding: PathEncoding::Double,
            path_normalization: PathNormalization::Normalize,
            session_token: SessionToken::Signed,
            content_sha256: ContentSha256::Omit,
            unsigned_headers: &[],
        }
    }

    /// Amazon S3 and what speaks its protocol: the path is signed as it is, encoded once, and the
    /// header form states the payload's hash in `x-amz-content-sha256`. The signing name is `s3`.
    ///
    /// A presigned URL is made with [`Payload::Unsigned`](crate::Payload::Unsigned).
    ///
    /// Source: Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
    ///
    /// # Example
    /// The published one, "GET Object":
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Credentials, Payload, Request, Settings, Signer};
    ///
    /// let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    /// let credentials = Credentials::new("AKIAIOSFODNN7EXAMPLE", secret);
    /// let signer = Signer::new(credentials, "us-east-1", "s3").with_settings(Settings::s3());
    /// let headers: [(&str, &[u8]); 2] =
    ///     [("Host", b"examplebucket.s3.amazonaws.com"), ("Range", b"bytes=0-9")];
    /// let request = Request::new("GET", "/test.txt", &headers);
    /// let now = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
    ///
    /// let signed = signer.sign(&request, Payload::Bytes(b""), now)?;
    /// let signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
    /// assert_eq!(signed.signature().to_string(), signature);
    /// # Ok::<(), sigv4::SignError>(())
    /// ```
    #[must_use]
    pub const fn s3() -> Self {
        Self::general()
            .with_path_encoding(PathEncoding::Single)
            .with_path_normalization(PathNormalization::AsIs)
            .with_content_sha256(ContentSha256::Add)
    }

    /// AWS IoT's MQTT over WebSocket: as [`general`](Self::general), but the session token is
    /// appended after signing. Presign a `GET` of `/mqtt` with the service name
    /// `iotdevicegateway` and an empty payload.
    ///
    /// Source: AWS IoT Core Developer Guide, "Device communication protocols".
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Credentials, Payload, Request, Settings, Signer};
    ///
    /// let credentials = Credentials::new("AKID", "secret").with_session_token("token");
    /// let signer = Signer::new(credentials, "eu-west-1", "iotdevicegateway")
    ///     .with_settings(Settings::iot());
    /// let headers: [(&str, &[u8]); 1] = [("Host", b"example-ats.iot.eu-west-1.amazonaws.com")];
    /// let request = Request::new("GET", "/mqtt", &headers);
    /// let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    ///
    /// let minute = Duration::from_secs(60);
    /// let presigned = signer.presign(&request, Payload::Bytes(b""), now, minute)?;
    /// assert!(presigned.target().ends_with(b"&X-Amz-Security-Token=token"));
    /// assert!(!presigned.canonical_request().to_string().contains("Token"));
    /// # Ok::<(), sigv4::SignError>(())
    /// ```
    #[must_use]
    pub const fn iot() -> Self {
        Self::general().with_session_token(SessionToken::AppendedUnsigned)
    }
}

/// Presets, the counterparts of those of [`Settings`]. None names a region or a service: a server
/// adds its own.
impl VerifySettings {
    /// The general AWS service; the same as `default()`.
    ///
    /// ```
    /// assert_eq!(sigv4::VerifySettings::general(), sigv4::VerifySettings::default());
    /// ```
    #[must_use]
    pub fn general() -> Self {
        Self::default()
    }

    /// What speaks Amazon S3's protocol: the path is taken as it is, encoded once, and
    /// `UNSIGNED-PAYLOAD` is allowed, as S3 allows it and presigned URLs need it.
    /// [`Verified::payload`](crate::Verified::payload) says whether the body was covered.
    ///
    /// ```
    /// use sigv4::{PathEncoding, UnsignedPayload, VerifySettings};
    ///
    /// let settings = VerifySettings::s3().with_service("s3");
    /// assert_eq!(settings.path_encoding, PathEncoding::Single);
    /// // For a server that takes no body on trust:
    /// let strict = settings.with_unsigned_payload(UnsignedPayload::Refused);
    /// assert_eq!(strict.unsigned_payload, UnsignedPayload::Refused);
    /// ```
    #[must_use]
    pub fn s3() -> Self {
        Self::default()
            .with_path_encoding(PathEncoding::Single)
            .with_path_normalization(PathNormalization::AsIs)
            .with_unsigned_payload(UnsignedPayload::Allowed)
    }

    /// AWS IoT's MQTT over WebSocket: the session token may have been added after signing.
    ///
    /// ```
    /// use sigv4::{SessionTokenRule, VerifySettings};
    ///
    /// let settings = VerifySettings::iot().with_service("iotdevicegateway");
    /// assert_eq!(settings.session_token, SessionTokenRule::MayBeUnsigned);
    /// ```
    #[must_use]
    pub fn iot() -> Self {
        Self::default().with_session_token(SessionTokenRule::MayBeUnsigned)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::claim::Claim;
    use crate::credentials::Credentials;
    use crate::key::SigningKey;
    use crate::request::{Payload, Request};
    use crate::sign::Signer;

    fn verifies(sign: Settings, verify: &VerifySettings, payload: Payload<'_>) -> bool {
        let credentials = Credentials::new("AKID", "secret").with_session_token("token");
        let key_of = credentials.secret().clone();
        let signer = Signer::new(credentials, "r", "s").with_settings(sign);
        let headers: [(&str, &[u8]); 1] = [("Host", b"a")];
        let request = Request::new("GET", "/a//b%20c", &headers);
        let now = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        let presigned = signer
            .presign(&request, payload, now, Duration::from_secs(60))
            .unwrap();
        let request = Request::new("GET", presigned.target(), &headers);
        let claim = Claim::parse(&request).unwrap();
        let key = SigningKey::derive(&key_of, claim.scope());
        claim.verify(&request, b"", &key, now, verify).is_ok()
    }

    #[test]
    fn each_preset_verifies_what_its_counterpart_signs_and_no_other() {
        let presets = [
            (Settings::general(), VerifySettings::general()),
            (Settings::s3(), VerifySettings::s3()),
            (Settings::iot(), VerifySettings::iot()),
        ];
        for (at, (sign, _)) in presets.iter().enumerate() {
            for (other, (_, verify)) in presets.iter().enumerate() {
                // What allows an unsigned token also takes a signed one.
                let expected = at == other || (at, other) == (0, 2);
                assert_eq!(
                    verifies(*sign, verify, Payload::Bytes(b"")),
                    expected,
                    "{at} {other}"
                );
            }
        }
        for (_, verify) in &presets {
            let allowed = verify.unsigned_payload == UnsignedPayload::Allowed;
            assert_eq!(allowed, *verify == VerifySettings::s3());
        }
        assert!(verifies(
            Settings::s3(),
            &VerifySettings::s3(),
            Payload::Unsigned
        ));
    }
}
