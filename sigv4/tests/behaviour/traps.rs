//! Where AWS's published suite leads astray or says nothing. The suite itself runs in `test-vectors`.

use sigv4::{
    Coverage, Credentials, PathEncoding, Payload, SessionToken, SessionTokenRule, Settings, Signer,
    UNSIGNED_HEADERS, VerifySettings,
};

use crate::sample::{get, headers, line, path, query, signer, signer_with_token};
use crate::wire::{Wire, after};

const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// No path in the suite's 38 cases holds a `%`, so they pass with one encoding and with two.
#[test]
fn one_encoding_and_two_differ_where_a_path_is_encoded_and_only_there() {
    let once = Settings::general().with_path_encoding(PathEncoding::Single);
    for plain in ["/", "/a/b", "/example space/", "/é", "/-._~"] {
        assert_eq!(path(plain), line(plain, 1, once), "{plain}");
    }
    assert_eq!(path("/a%20b"), "/a%2520b");
    assert_eq!(line("/a%20b", 1, once), "/a%20b");
}

#[test]
fn a_path_is_normalised_before_it_is_encoded() {
    for (given, expected) in [
        ("", "/"),
        ("/.", "/"),
        ("/a/.", "/a/"),
        ("/a/b/..", "/a/"),
        ("/..", "/"),
        ("/example/..", "/"),
        ("//example//", "/example/"),
        ("/a/%2E%2E/b", "/a/%252E%252E/b"),
        ("/a%2F..%2Fb", "/a%252F..%252Fb"),
    ] {
        assert_eq!(path(given), expected, "{given}");
    }
}

#[test]
fn a_query_is_decoded_as_bytes_and_encoded_again() {
    for (given, expected) in [
        ("k", "k="),
        ("&a&&b&", "a=&b="),
        ("a=+&b=%2b", "a=%2B&b=%2B"),
        ("k=%ff", "k=%FF"),
        ("k=%7E%2D*!'()", "k=~-%2A%21%27%28%29"),
        ("a=1&X-Amz-Signature=00", "a=1"),
    ] {
        assert_eq!(query(given), expected, "{given}");
    }
}

/// In the query form the headers that a header-form signature adds are neither sent nor signed, the
/// token is a parameter, and the payload's hash is the body's.
#[test]
fn the_query_form_signs_what_it_sends() {
    let signer = signer_with_token(Settings::s3());
    let wire = get("/")
        .with_body("body")
        .with_header("X-Amz-Date", "old")
        .with_header("X-Amz-Security-Token", "old")
        .with_header("x-amz-content-sha256", "old")
        .presign_by(&signer, 60);
    assert_eq!(wire.headers.len(), 1);
    assert!(wire.target().contains("&X-Amz-SignedHeaders=host&"));
    assert!(wire.target().contains("&X-Amz-Security-Token=to%2Fken&"));
    let verified = wire.verify(&VerifySettings::s3(), 0).unwrap();
    assert_eq!(verified.payload, Coverage::Signed);
    assert_eq!(verified.session_token, Some(Coverage::Signed));
    // The order of the parameters on the wire does not count.
    let mut shuffled = wire.clone();
    let mut parameters: Vec<&[u8]> = wire.query.as_ref().unwrap().split(|b| *b == b'&').collect();
    parameters.reverse();
    shuffled.query = Some(parameters.join(&b'&'));
    assert_eq!(shuffled.verify(&VerifySettings::s3(), 0), Ok(verified));
    // The hash is not that of no body, nor the word for none.
    for body in ["", "UNSIGNED-PAYLOAD"] {
        let other = wire.clone().with_body(body);
        assert!(other.verify(&VerifySettings::s3(), 0).is_err());
    }
}

/// The suite's `sign_body: false` means a request without a body, not one whose body is unsigned.
#[test]
fn no_body_is_the_empty_one_and_adds_no_header() {
    let signed = get("/")
        .with_request(|request| {
            signer(Settings::general()).sign(request, Payload::Bytes(b""), after(0))
        })
        .unwrap();
    assert!(signed.canonical_request().to_string().ends_with(EMPTY));
    let names: Vec<&str> = signed.headers().map(|(name, _)| name).collect();
    assert_eq!(names, ["Authorization", "X-Amz-Date"]);
}

/// A presigned URL does not say whether its token was signed, so a verifier has to try both; in the
/// header form `SignedHeaders` says it.
#[test]
fn a_token_left_unsigned_is_found_in_both_forms_where_it_may_be() {
    for setting in [SessionToken::Signed, SessionToken::AppendedUnsigned] {
        let signer = signer_with_token(Settings::general().with_session_token(setting));
        let coverage = match setting {
            SessionToken::Signed => Coverage::Signed,
            SessionToken::AppendedUnsigned => Coverage::Unsigned,
        };
        for wire in [get("/").sign_by(&signer), get("/").presign_by(&signer, 60)] {
            let verified = wire.verify(&VerifySettings::iot(), 0).unwrap();
            assert_eq!(verified.session_token, Some(coverage));
            let strict = wire.verify(&VerifySettings::general(), 0);
            assert_eq!(strict.is_ok(), coverage == Coverage::Signed);
        }
    }
    assert_eq!(
        VerifySettings::iot().session_token,
        SessionTokenRule::MayBeUnsigned
    );
}

/// Which headers a signer leaves out is its own affair: a verifier goes by `SignedHeaders`.
#[test]
fn a_verifier_covers_every_header_that_says_it_is_signed() {
    for name in UNSIGNED_HEADERS {
        if name == "authorization" {
            continue;
        }
        let mut wire = get("/").with_header(name, "before").sign_by_hand(&[name]);
        assert!(wire.verify(&VerifySettings::general(), 0).is_ok(), "{name}");
        let at = wire.position(name);
        wire.headers[at].1 = b"after".to_vec();
        let refused = wire.verify(&VerifySettings::general(), 0).unwrap_err();
        assert!(refused.starts_with("SignatureMismatch"), "{refused}");
    }
}

/// A retry signs a request that is signed already, perhaps by other credentials.
#[test]
fn what_was_signed_before_is_signed_anew() {
    let old = signer_with_token(Settings::s3());
    let other = Signer::new(Credentials::new("OTHER", "other"), "eu-west-1", "s3");
    let headers_of = |wire: Wire| wire.headers;
    let fresh = get("/").sign(Settings::general());
    for before in [
        get("/").sign(Settings::general()),
        get("/").sign_by(&other),
        get("/").with_header("x-amz-security-token", "old"),
    ] {
        assert_eq!(headers_of(before.sign(Settings::general())), fresh.headers);
    }
    let again = get("/").sign_by(&old).sign_by(&old);
    assert_eq!(again.headers, get("/").sign_by(&old).headers);

    let fresh = get("/?a=1").presign(Settings::general(), 60);
    for before in [
        get("/?a=1").presign_by(&old, 7),
        get("/?a=1")
            .presign_by(&other, 60)
            .presign(Settings::s3(), 1),
        get("/?a=1").sign_by(&old),
        get("/?X-Amz-Date=x&X%2dAmz-Expires=y&a=1&X-Amz-Region-Set=z&X-Amz-Security-Token="),
    ] {
        let again = before.presign(Settings::general(), 60);
        assert_eq!(again.target(), fresh.target());
        assert_eq!(again.headers, fresh.headers);
    }
}

/// The suite has folds and spaces, but no tab.
#[test]
fn spaces_tabs_and_folds_are_white_space() {
    let given: [(&str, &[u8]); 2] = [("A", b"\t a\t\tb \r\n\t c \n"), ("B", b"\"a   b\"")];
    assert_eq!(headers(&given), b"a:a b c\nb:\"a b\"\n\na;b");
}

/// As upper case `Z` sorts before `_`, as lower case after it.
#[test]
fn names_are_sorted_as_bytes_in_lower_case() {
    let given: [(&str, &[u8]); 5] = [
        ("X-Z", b"1"),
        ("x_", b"2"),
        ("X-_", b"3"),
        ("x-0", b"4"),
        ("x", b"5"),
    ];
    assert_eq!(
        headers(&given),
        b"x:5\nx-0:4\nx-_:3\nx-z:1\nx_:2\n\nx;x-0;x-_;x-z;x_"
    );
}
