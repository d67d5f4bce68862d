//! Where the two signers are known to differ, which of them is right, and why. Each test fails once
//! the package agrees, so that the random requests can be made wilder then.

use std::panic;

use sigv4::{PathEncoding, Settings, SignError};

use crate::{Sample, oracle, ours, try_ours};

/// Asserts that a request is signed differently, and that this repository's signature is the one that
/// both make of the request written plainly.
#[track_caller]
fn ours_is_that_of(plain: &Sample, sample: &Sample) {
    assert_eq!(
        ours(plain),
        oracle::signature(plain).unwrap(),
        "both agree on the plain request"
    );
    assert_eq!(ours(sample), ours(plain), "the two requests mean the same");
    assert_ne!(
        ours(sample),
        oracle::signature(sample).unwrap(),
        "the package agrees by now"
    );
}

/// The package turns each byte that is not UTF-8 into U+FFFD, so that requests which differ get one
/// signature. AWS's C signer keeps the bytes.
#[test]
fn bytes_that_are_no_text_are_kept() {
    let (byte, replacement) = (Sample::get("/?k=%FF"), Sample::get("/?k=%EF%BF%BD"));
    assert_eq!(oracle::signature(&byte), oracle::signature(&replacement));
    assert_ne!(ours(&byte), ours(&replacement));
    assert_eq!(ours(&replacement), oracle::signature(&replacement).unwrap());
}

/// The package reads a query as an HTML form, where `+` is a space. In a URI it is a plus, and that is
/// how AWS's C signer signs it.
#[test]
fn a_plus_is_no_space() {
    assert_eq!(
        oracle::signature(&Sample::get("/?k=a+b")),
        oracle::signature(&Sample::get("/?k=a%20b")),
    );
    ours_is_that_of(&Sample::get("/?k=a%2Bb"), &Sample::get("/?k=a+b"));
}

/// The package folds spaces only. A tab is white space in a header too (RFC 9110, section 5.6.3), and
/// AWS's C signer and botocore fold it.
#[test]
fn tabs_are_white_space_too() {
    for value in ["a\tb", "\ta b", "a b\t", "a \t b"] {
        ours_is_that_of(
            &Sample::get("/").with_header("X-Note", "a b"),
            &Sample::get("/").with_header("X-Note", value),
        );
    }
}

/// The package signs headers that end at the next hop. AWS's C signer leaves most of them out,
/// botocore `Expect`.
#[test]
fn hop_by_hop_headers_are_left_out() {
    let left_out = sigv4::UNSIGNED_HEADERS;
    let agreed = [
        "authorization",
        "transfer-encoding",
        "user-agent",
        "x-amzn-trace-id",
    ];
    for name in left_out.into_iter().filter(|name| !agreed.contains(name)) {
        ours_is_that_of(&Sample::get("/"), &Sample::get("/").with_header(name, "x"));
    }
    for name in agreed {
        let sample = Sample::get("/").with_header(name, "x");
        assert_eq!(ours(&sample), oracle::signature(&sample).unwrap(), "{name}");
    }
}

/// The package leaves `x-amz-user-agent` and `x-amz-checksum-mode` out of a presigned URL. A verifier
/// that asks for every `x-amz-` header to be signed refuses that.
#[test]
fn x_amz_headers_are_signed_in_a_presigned_url_too() {
    for name in ["X-Amz-User-Agent", "X-Amz-Checksum-Mode"] {
        let sample = Sample::get("/").with_header(name, "x");
        assert_eq!(
            ours(&sample),
            oracle::signature(&sample).unwrap(),
            "header form"
        );
        let sample = sample.presigned();
        assert_ne!(ours(&sample), oracle::signature(&sample).unwrap());
    }
}

/// The package keeps the parameters of an earlier signature and adds its own beside them.
#[test]
fn a_presigned_url_is_signed_again_without_its_old_parameters() {
    for parameter in [
        "X-Amz-Date=20110909T233600Z",
        "X-Amz-Expires=1",
        "X-Amz-Signature=00",
    ] {
        let target = format!("/?a=1&{parameter}");
        ours_is_that_of(
            &Sample::get("/?a=1").presigned(),
            &Sample::get(&target).presigned(),
        );
    }
}

/// With one encoding the package takes the path as it is spelled, so that `/~` and `/%7E`, which are
/// one path (RFC 3986, section 6.2.2), get two signatures. S3 computes the canonical spelling.
#[test]
fn single_encoding_takes_any_spelling_of_a_path() {
    let single = Settings::default().with_path_encoding(PathEncoding::Single);
    for (plain, spelled) in [("/~", "/%7E"), ("/%C3%A9", "/%c3%a9"), ("/%40%3A", "/@:")] {
        ours_is_that_of(
            &Sample::get(plain).with_settings(single),
            &Sample::get(spelled).with_settings(single),
        );
    }
}

/// The package parses the target as an `http::Uri`, which has no space in it.
#[test]
fn a_target_with_a_raw_space_can_be_signed() {
    let error = oracle::signature(&Sample::get("/example space/")).unwrap_err();
    assert!(!error.is_empty());
    let (raw, escaped) = (Sample::get("/?a b"), Sample::get("/?a%20b"));
    assert_eq!(ours(&raw), ours(&escaped));
}

/// In the query form the package signs the headers of an earlier signature along. They are not sent
/// with a presigned URL.
#[test]
fn headers_of_an_earlier_signature_are_replaced() {
    for (name, value) in [
        ("X-Amz-Date", "20110909T233600Z"),
        ("X-Amz-Security-Token", "token"),
        ("X-Amz-Content-Sha256", "00"),
    ] {
        ours_is_that_of(
            &Sample::get("/").presigned(),
            &Sample::get("/").presigned().with_header(name, value),
        );
    }
    let again = Sample::get("/").with_header("X-Amz-Date", "20110909T233600Z");
    assert_eq!(
        ours(&again),
        oracle::signature(&again).unwrap(),
        "both replace the date in headers"
    );
}

/// In the header form the package signs a payload hash and a session token that the request carries
/// as they are, though the hash may be wrong and the token another's.
#[test]
fn a_payload_hash_that_the_request_carries_is_set_right() {
    let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    ours_is_that_of(
        &Sample::get("/").with_header("X-Amz-Content-Sha256", hash),
        &Sample::get("/").with_header("X-Amz-Content-Sha256", "00"),
    );
    ours_is_that_of(
        &Sample::get("/"),
        &Sample::get("/").with_header("X-Amz-Security-Token", "another's"),
    );
}

/// The package signs a presigned URL in headers too, which makes a request with two signatures. AWS
/// refuses that, and so does this signer.
#[test]
fn a_presigned_url_is_not_signed_in_headers() {
    for parameter in [
        "X-Amz-Algorithm=x",
        "X-Amz-Credential=x",
        "X-Amz-Signature=x",
    ] {
        let sample = Sample::get(&format!("/?{parameter}"));
        assert!(oracle::signature(&sample).is_ok());
        assert_eq!(try_ours(&sample), Err(SignError::AlreadyPresigned));
    }
}

/// Without a `Host` header the package looks for one in the URI, and panics when that is relative; two
/// it joins with a comma. Neither names the host that the request goes to.
#[test]
fn a_request_without_one_host_is_an_error() {
    let mut none = Sample::get("/");
    none.headers.clear();
    assert!(panic::catch_unwind(|| oracle::signature(&none)).is_err());
    assert_eq!(try_ours(&none), Err(SignError::HostMissing));
    let two = Sample::get("/").with_header("Host", "example.com");
    assert!(oracle::signature(&two).is_ok());
    assert_eq!(try_ours(&two), Err(SignError::HostRepeated));
}
