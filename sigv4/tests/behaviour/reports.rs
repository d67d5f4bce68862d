//! What users of other signers and verifiers reported. Each test names the report that it answers,
//! as `owner/repository#number` on GitHub.

use sigv4::{
    CanonicalRequest, Claim, Payload, Request, Secret, SessionToken, Settings, SigningKey,
    VerifySettings,
};

use crate::sample::{get, headers, line, path, query, signer_with_token};
use crate::wire::{SECRET, Wire, after};

fn general() -> VerifySettings {
    VerifySettings::general()
}

fn mismatches(wire: &Wire, settings: &VerifySettings) -> bool {
    wire.verify(settings, 0)
        .is_err_and(|error| error.starts_with("SignatureMismatch"))
}

/// awslabs/aws-c-auth#162: the suite's paths look encoded once though two encodings are documented.
/// They are not encoded on the way in; what is, gets the second.
#[test]
fn one_encoding_is_added_to_what_is_sent() {
    assert_eq!(path("/example space/"), "/example%20space/");
    assert_eq!(path("/example%20space/"), "/example%2520space/");
}

/// chimera-nas/chimera#702: an S3 server encoded the path as it came once more, `%20` to `%2520`.
#[test]
fn an_s3_path_is_not_encoded_again() {
    assert_eq!(line("/my%20key", 1, Settings::s3()), "/my%20key");
    let wire = get("/my%20key").sign(Settings::s3());
    assert!(wire.verify(&VerifySettings::s3(), 0).is_ok());
    assert!(mismatches(&wire, &general()));
}

/// source-cooperative/data.source.coop#176: a proxy made the canonical path of the decoded one, so
/// that an encoded slash became a real one.
#[test]
fn an_s3_path_is_not_decoded_for_good() {
    assert_eq!(line("/a%2Fb%25", 1, Settings::s3()), "/a%2Fb%25");
    let mut wire = get("/a%2Fb").sign(Settings::s3());
    assert!(wire.verify(&VerifySettings::s3(), 0).is_ok());
    wire.path = b"/a/b".to_vec();
    assert!(mismatches(&wire, &VerifySettings::s3()));
}

/// smithy-lang/smithy-rs#4237: parameters were sorted before they were encoded.
#[test]
fn parameters_are_sorted_as_they_are_encoded() {
    // `[` sorts after `A`, its encoding `%5B` before it. A raw byte sorts last, encoded first.
    assert_eq!(query("A=1&[=2"), "%5B=2&A=1");
    assert_eq!(query("k=A&k=["), "k=%5B&k=A");
    assert_eq!(query("é=1&z=2"), "%C3%A9=1&z=2");
}

/// mhart/aws4#103, tedder/requests-aws4auth#21: sorted as texts, `select-type` came before `select`.
#[test]
fn select_comes_before_select_type() {
    assert_eq!(
        query("list-type=2&select-type=1&select=2"),
        "list-type=2&select=2&select-type=1"
    );
}

/// smithy-lang/smithy-rs#1308: `//` must collapse for most services. versity/versitygw#2274: it must
/// not for the keys of S3.
#[test]
fn two_slashes_are_one_but_for_s3() {
    assert_eq!(path("/a//b"), "/a/b");
    assert_eq!(line("/a//b", 1, Settings::s3()), "/a//b");
    assert_eq!(line("//", 1, Settings::s3()), "//");
    assert_eq!(line("/a/../b/.", 1, Settings::s3()), "/a/../b/.");
}

/// curl/curl#20543: plus and space were both signed as `%20`, so that no plus could be.
#[test]
fn a_plus_can_be_signed() {
    let wire = get("/?k=1+1").sign(Settings::general());
    for (sent, expected) in [("k=1+1", true), ("k=1%2B1", true), ("k=1%201", false)] {
        let received = Wire {
            query: Some(sent.into()),
            ..wire.clone()
        };
        assert_eq!(received.verify(&general(), 0).is_ok(), expected, "{sent}");
    }
}

/// curl/curl#10129 and curl/curl#8107: `?versioning` was signed without its equal sign.
#[test]
fn a_key_without_a_value_gets_its_equal_sign() {
    assert_eq!(query("versioning"), "versioning=");
    assert_eq!(query("b&a=1&c"), "a=1&b=&c=");
}

/// aws/aws-sdk-net#4493: the client library sent two values as one line, `a, b`, while the signer had
/// joined them by a comma alone. What is signed is the lines that are given, and a verifier takes those
/// that come.
#[test]
fn one_line_with_two_values_is_not_two_lines() {
    let two: [(&str, &[u8]); 2] = [("A", b"a"), ("A", b"b")];
    let one: [(&str, &[u8]); 1] = [("A", b"a, b")];
    assert_eq!(headers(&two), b"a:a,b\n\na");
    assert_eq!(headers(&one), b"a:a, b\n\na");

    let mut wire = get("/")
        .with_header("A", "a")
        .with_header("A", "b")
        .sign(Settings::general());
    assert!(wire.verify(&general(), 0).is_ok());
    let at = wire.position("A");
    wire.headers.remove(at + 1);
    wire.headers[at].1 = b"a, b".to_vec();
    assert!(mismatches(&wire, &general()));
    wire.headers[at].1 = b"a,b".to_vec();
    assert!(wire.verify(&general(), 0).is_ok());
}

/// curl/curl#16743: a repeated header was left as two canonical lines.
#[test]
fn a_repeated_header_is_one_canonical_line() {
    let apart: [(&str, &[u8]); 3] = [("A", b"1"), ("B", b"2"), ("a", b"3")];
    assert_eq!(headers(&apart), b"a:1,3\nb:2\n\na;b");
}

/// aws/aws-sdk-php#161: the values of a repeated header were sorted.
#[test]
fn the_values_of_a_repeated_header_keep_their_order() {
    let given: [(&str, &[u8]); 4] = [("A", b"z"), ("A", b"a"), ("A", b"p"), ("A", b"a")];
    assert_eq!(headers(&given), b"a:z,a,p,a\n\na");
}

/// KumoCorp/kumomta#522: white space was trimmed at the ends and left inside, and a missing host was
/// signed as an empty one.
#[test]
fn white_space_inside_is_folded_and_a_missing_host_is_an_error() {
    assert_eq!(headers(&[("A", b"  a   b  c ")]), b"a:a b c\n\na");
    let wire = Wire {
        headers: Vec::new(),
        ..get("/")
    };
    let signer = crate::sample::signer(Settings::general());
    let refused =
        wire.with_request(|request| signer.sign(request, Payload::Bytes(b""), after(0)).err());
    assert_eq!(refused, Some(sigv4::SignError::HostMissing));
}

/// smithy-lang/smithy-rs#711: showing the canonical request of a header that is not UTF-8 panicked.
#[test]
fn a_header_that_is_not_text_can_be_signed_and_shown() {
    let given: [(&str, &[u8]); 1] = [("A", b"caf\xe9")];
    let request = Request::new("GET", "/", &given);
    let settings = Settings::general();
    let canonical = CanonicalRequest::new(&request, Payload::Unsigned, &settings).unwrap();
    assert!(canonical.to_string().contains("a:caf\u{fffd}\n"));
    assert!(canonical.as_bytes().starts_with(b"GET\n/\n\na:caf\xe9\n"));
    assert!(format!("{canonical:?}").contains("caf"));
}

/// aws/aws-sdk-java-v2#2624: metadata that is not ASCII was signed in another encoding than sent.
#[test]
fn metadata_that_is_not_ascii_is_signed_as_the_bytes_that_are_sent() {
    for value in ["café".as_bytes(), b"caf\xe9"] {
        let wire = get("/")
            .with_header("x-amz-meta-name", value)
            .sign(Settings::s3());
        assert!(wire.verify(&VerifySettings::s3(), 0).is_ok());
        let mut recoded = wire.clone();
        let at = recoded.position("x-amz-meta-name");
        recoded.headers[at].1 = "caf\u{fffd}".into();
        assert!(mismatches(&recoded, &VerifySettings::s3()));
    }
}

/// awslabs/aws-sdk-rust#1244, aws/aws-cli#2883: the scheme's own port was signed in `Host` but not
/// sent. aws/aws-sdk-java-v2#2725: another port was sent but not signed.
#[cfg(feature = "http")]
#[test]
fn the_port_in_host_is_signed_as_it_is_sent() {
    for (uri, host) in [
        ("https://a.example:443/", "a.example"),
        ("http://a.example:80/", "a.example"),
        ("https://a.example:80/", "a.example:80"),
        ("http://localhost:9324/", "localhost:9324"),
        ("http://[::1]:80/", "[::1]"),
    ] {
        let mut request = http::Request::get(uri).body(()).unwrap();
        let signer = crate::sample::signer(Settings::general());
        let signed =
            sigv4::sign_request(&signer, &mut request, Payload::Bytes(b""), after(0)).unwrap();
        assert_eq!(request.headers()["host"], host);
        let line = format!("\nhost:{host}\n");
        assert!(signed.canonical_request().to_string().contains(&line));
        #[cfg(feature = "sigv4a")]
        {
            use sigv4::{Credentials, v4a};
            let regions = v4a::RegionSet::parse("*").unwrap();
            let signer = v4a::Signer::new(Credentials::new("AKID", "b"), regions, "s3").unwrap();
            let mut request = http::Request::get(uri).body(()).unwrap();
            let signed =
                v4a::sign_request(&signer, &mut request, Payload::Bytes(b""), after(0)).unwrap();
            assert_eq!(request.headers()["host"], host);
            assert!(signed.canonical_request().to_string().contains(&line));
        }
    }
}

/// hashicorp/terraform#36412: Cloudflare rewrites a signed `Accept-Encoding`.
/// pgbackrest/pgbackrest#1341: proxies touch a signed `Content-Length`.
#[test]
fn headers_that_proxies_change_can_be_left_unsigned() {
    let left_out = Settings::s3().with_unsigned_headers(&["Accept-Encoding", "content-length"]);
    for (settings, survives) in [(left_out, true), (Settings::s3(), false)] {
        let wire = get("/")
            .with_header("accept-encoding", "identity")
            .with_header("Content-Length", "0")
            .sign(settings);
        for (name, value) in [("accept-encoding", "gzip, br"), ("content-length", "00")] {
            let mut changed = wire.clone();
            let at = changed.position(name);
            changed.headers[at].1 = value.into();
            assert_eq!(changed.verify(&VerifySettings::s3(), 0).is_ok(), survives);
        }
    }
}

/// gaul/s3proxy#648, noobaa/noobaa-core#8490, faiscadev/fakecloud#1577: presigned URLs were given the
/// 15 minutes of the header form, so that links for seven days died and links for a second lived on.
#[test]
fn a_presigned_url_lives_as_long_as_it_says_and_no_longer() {
    for seconds in [1, 60, 604_800] {
        let wire = get("/").presign(Settings::general(), seconds);
        let end = i64::try_from(seconds).unwrap();
        for (at, expected) in [(0, true), (end, true), (end + 1, false), (-900, true)] {
            let verified = wire.verify(&general(), at);
            assert_eq!(verified.is_ok(), expected, "{seconds} {at} {verified:?}");
        }
        assert!(wire.verify(&general(), -901).is_err());
    }
    // What says to live longer is not read at all, whoever signed it.
    for longer in ["604801", "9999999", "0", "-1", "1e3", ""] {
        let mut wire = get("/").presign(Settings::general(), 3600);
        let query = String::from_utf8(wire.query.take().unwrap()).unwrap();
        let given = format!("X-Amz-Expires={longer}");
        wire.query = Some(query.replace("X-Amz-Expires=3600", &given).into_bytes());
        let error = wire.with_request(|request| Claim::parse(request).unwrap_err());
        assert!(
            matches!(error, sigv4::ClaimError::Expires { .. }),
            "{error}"
        );
    }
}

/// mhart/aws4#30, soto-project/soto-core#453: IoT wants the token appended after signing, S3 wants it
/// signed.
#[test]
fn the_token_is_appended_for_iot_and_signed_for_s3() {
    let iot = get("/mqtt").presign_by(&signer_with_token(Settings::iot()), 60);
    assert!(iot.target().ends_with("&X-Amz-Security-Token=to%2Fken"));
    assert!(iot.verify(&VerifySettings::iot(), 0).is_ok());
    assert!(mismatches(&iot, &general()));
    // The signature is the one without a token.
    let plain = get("/mqtt").presign(Settings::general(), 60);
    assert_eq!(
        iot.target(),
        format!("{}&X-Amz-Security-Token=to%2Fken", plain.target())
    );

    let s3 = get("/key").presign_by(&signer_with_token(Settings::s3()), 60);
    assert!(s3.verify(&VerifySettings::s3(), 0).is_ok());
    assert_eq!(Settings::s3().session_token, SessionToken::Signed);
    let mut another = s3.clone();
    let query = String::from_utf8(another.query.take().unwrap()).unwrap();
    another.query = Some(query.replace("to%2Fken", "other").into_bytes());
    assert!(mismatches(&another, &VerifySettings::s3()));
}

/// adam-fowler/aws-signer-v4#5: an empty path must be signed as `/`.
#[test]
fn an_empty_path_is_the_root() {
    for settings in [Settings::general(), Settings::s3(), Settings::iot()] {
        assert_eq!(line("", 1, settings), "/");
        assert_eq!(line("?a", 1, settings), "/");
    }
    assert!(
        get("")
            .presign(Settings::s3(), 60)
            .target()
            .starts_with("/?")
    );
}

/// minio/minio#5334, s3s-project/s3s#616: signatures were compared byte by byte until the first that
/// differs. Here they and tokens are compared whole, in constant time; what a test can show is
/// that each digit counts and that no signature and no token is equal to a part of itself.
#[test]
fn every_digit_of_a_signature_counts() {
    let wire = get("/").sign_by(&signer_with_token(Settings::general()));
    let header = wire.header("Authorization");
    let signature = header.len() - 64;
    let with = |changed: String| {
        let mut wire = wire.clone();
        let at = wire.position("Authorization");
        wire.headers[at].1 = changed.into_bytes();
        mismatches(&wire, &general())
    };
    for digit in signature..header.len() {
        let mut changed = header.clone().into_bytes();
        changed[digit] = if changed[digit] == b'0' { b'1' } else { b'0' };
        assert!(with(String::from_utf8(changed).unwrap()), "{digit}");
    }
    for length in [0, 1, 32, 63] {
        assert!(with(header[..signature + length].to_owned()));
    }
    wire.with_request(|request| {
        let claim = Claim::parse(request).unwrap();
        assert!(claim.has_session_token(Some("to/ken")));
        for other in [
            None,
            Some(""),
            Some("to/ke"),
            Some("to/ken "),
            Some("To/ken"),
        ] {
            assert!(!claim.has_session_token(other));
        }
    });
}

/// s3s-project/s3s#659: the header form had no window, so that a request could be sent again for ever.
#[test]
fn a_request_in_the_header_form_is_good_for_fifteen_minutes() {
    let wire = get("/").sign(Settings::general());
    for (at, expected) in [(-901, false), (-900, true), (900, true), (901, false)] {
        assert_eq!(wire.verify(&general(), at).is_ok(), expected, "{at}");
    }
    for at in [86_400, 7 * 86_400, 365 * 86_400] {
        let refused = wire.verify(&general(), at).unwrap_err();
        assert!(refused.starts_with("Expired"), "{refused}");
    }
    // A key that is good for a day does not make the request so.
    wire.with_request(|request| {
        let claim = Claim::parse(request).unwrap();
        let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
        let late = after(901);
        assert!(claim.verify(request, b"", &key, late, &general()).is_err());
    });
}

/// chimera-nas/chimera#1056: a body that announces chunk signatures was taken without checking them.
#[test]
fn a_body_signed_in_chunks_is_not_taken_as_it_comes() {
    for announced in [
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
        "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    ] {
        let zeros = "0".repeat(64);
        let body = format!("5;chunk-signature={zeros}\r\nhello\r\n");
        // The head is signed right; whoever sends the chunks does not know the key.
        let names = [
            "x-amz-content-sha256",
            "x-amz-decoded-content-length",
            "x-amz-trailer",
        ];
        let names = if announced.ends_with("TRAILER") {
            &names[..]
        } else {
            &names[..2]
        };
        let values = [announced, "5", "x-amz-checksum-crc32c"];
        let wire = names
            .iter()
            .zip(values)
            .fold(get("/").with_body(&body), |wire, (name, value)| {
                wire.with_header(name, value)
            })
            .sign_by_hand(names);
        for settings in [general(), VerifySettings::s3()] {
            let refused = wire.verify(&settings, 0).unwrap_err();
            assert!(refused.starts_with("StreamingPayload"), "{refused}");
        }
        wire.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
            let settings = VerifySettings::s3();
            let (_, mut decoder) = claim
                .verify_chunked(request, &key, after(0), &settings)
                .unwrap();
            // A line with a signature is no line of the kind without.
            assert!(decoder.decode(&mut body.as_bytes()).is_err(), "{announced}");
        });
    }
}
