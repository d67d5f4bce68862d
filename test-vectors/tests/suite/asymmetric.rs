//! The signatures of the v4a cases, those published and our own, by another library's curve.

use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};
use test_vectors::case::{Case, Form};
use test_vectors::run::Subject;
use test_vectors::subject::Sigv4;

use crate::support::asymmetric_suite_of_aws;

/// Whether a signature in hexadecimal is right, says ring, under a key in hexadecimal.
fn ring_verifies(case: &Case, string_to_sign: &str, signature: &str) -> bool {
    let key = UnparsedPublicKey::new(
        &ECDSA_P256_SHA256_ASN1,
        bytes(case.derived_key.as_ref().unwrap()),
    );
    key.verify(string_to_sign.as_bytes(), &bytes(signature))
        .is_ok()
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

#[test]
fn another_library_verifies_each_signature_under_the_published_key() {
    let (mut checked, mut different) = (0, 0);
    for case in asymmetric_suite_of_aws().cases {
        for form in Form::ALL {
            let expected = case.expected(form).unwrap();
            let text = expected.string_to_sign.as_ref().unwrap();
            let published = expected.signature.clone().unwrap();
            let sent = expected.signed_request.as_ref().unwrap().signature();
            let ours = Sigv4.sign(&case, form).unwrap().signature;
            different += usize::from(sent.as_ref() != Some(&published));
            for signature in [published, sent.unwrap(), ours] {
                assert!(
                    ring_verifies(&case, text, &signature),
                    "{form} {}",
                    case.name
                );
                let other = format!("{text} ");
                assert!(!ring_verifies(&case, &other, &signature), "{}", case.name);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 3 * 2 * 38);
    assert_eq!(
        different,
        2 * 38,
        "a signature is published twice, made anew each time"
    );
}

/// A verifier that takes the lower of the two values of S only would refuse about half of them.
#[test]
fn about_half_of_the_published_signatures_have_a_high_s() {
    let half_of_the_order = "7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8";
    let cases = asymmetric_suite_of_aws().cases;
    let signatures: Vec<String> = cases
        .iter()
        .flat_map(|case| Form::ALL.map(|form| case.expected(form).unwrap()))
        .flat_map(|expected| {
            let sent = expected.signed_request.as_ref().unwrap().signature();
            [expected.signature.clone().unwrap(), sent.unwrap()]
        })
        .collect();
    let high = signatures
        .iter()
        .filter(|signature| {
            // S is the last integer: its bytes are those after the first one, its tag and length.
            let first = usize::from_str_radix(&signature[6..8], 16).unwrap();
            let s = signature[8 + 2 * first + 4..].trim_start_matches("00");
            format!("{s:0>64}").as_str() > half_of_the_order
        })
        .count();
    assert_eq!((high, signatures.len()), (70, 152));
}
