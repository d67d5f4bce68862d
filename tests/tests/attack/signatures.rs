//! Signatures that were changed, taken from another request, or made over less than there is.

use std::time::Duration;

use conformance::clock;
use sigv4::{Credentials, Payload, Request, Signer};

use crate::call::{Call, JSON, signer};
use crate::case::{Case, Finish, REFUSED, answered};
use crate::target::Target;
use crate::wire;

/// A call that would be seen if it were served.
fn purge(target: &Target) -> Call {
    let body = format!(
        r#"{{"QueueUrl":"http://{}/000000000000/orders"}}"#,
        target.address
    );
    Call::new(target.address, "PurgeQueue", body)
}

/// Another byte that can stand in the same place.
fn other(byte: u8) -> u8 {
    match byte {
        b'0' => b'1',
        b'a' => b'b',
        b'A' => b'B',
        byte if byte.is_ascii_digit() => b'0',
        byte if byte.is_ascii_lowercase() => b'a',
        byte if byte.is_ascii_uppercase() => b'A',
        b'/' => b'.',
        _ => b'x',
    }
}

/// The same bytes with each one changed, and each one gone, one at a time.
fn spoilt(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len()).flat_map(move |at| {
        let mut changed = bytes.to_vec();
        changed[at] = other(bytes[at]);
        let mut shorter = bytes.to_vec();
        shorter.remove(at);
        [
            (format!("byte {at} changed"), changed),
            (format!("byte {at} gone"), shorter),
        ]
    })
}

#[test]
fn no_byte_of_the_authorization_can_be_changed() {
    let target = Target::new();
    let call = purge(&target).signed();
    let authorization = call.text("Authorization").into_bytes();
    let cases = spoilt(&authorization).map(|(name, value)| {
        let mut call = call.clone();
        *call.value("Authorization") = value;
        Case::new(
            format!("Authorization: {name}"),
            call.bytes(),
            answered(REFUSED, "__type"),
        )
    });
    // A blank between the parts is no part: without it the header says the same.
    let (same, others): (Vec<_>, Vec<_>) = cases.partition(|case| {
        let text = String::from_utf8_lossy(&case.bytes);
        text.contains("request,SignedHeaders") || text.contains(",Signature=")
    });
    assert_eq!(same.len(), 2);
    target.withstands(others);
    // They are not sent: they would be served.
}

#[test]
fn no_byte_of_what_is_signed_can_be_changed() {
    let target = Target::new();
    let call = purge(&target)
        .target("/000000000000/orders?a=1&b=2")
        .signed();
    for name in ["Host", "Content-Type", "X-Amz-Target", "X-Amz-Date"] {
        let value = call.text(name).into_bytes();
        let cases = spoilt(&value).map(|(spoilt, value)| {
            let mut call = call.clone();
            *call.value(name) = value;
            Case::new(
                format!("{name}: {spoilt}"),
                call.bytes(),
                answered(REFUSED, ""),
            )
        });
        target.withstands(cases);
    }
    let cases = spoilt(&call.body).map(|(spoilt, body)| {
        Case::new(
            format!("body: {spoilt}"),
            call.clone().body(body).bytes(),
            answered(REFUSED, "__type"),
        )
    });
    target.withstands(cases);
    // The slash that a target begins with is HTTP's matter.
    let cases = spoilt(&call.target.as_bytes()[1..]).map(|(spoilt, path)| {
        let path = String::from_utf8(path).expect("text");
        let call = call.clone().target(format!("/{path}"));
        Case::new(
            format!("target: {spoilt}"),
            call.bytes(),
            answered(REFUSED, ""),
        )
    });
    target.withstands(cases);
    let methods = ["GET", "PUT", "DELETE", "HEADX", "post"];
    let cases = methods.map(|method| {
        Case::new(
            method,
            call.clone().method(method).bytes(),
            answered(REFUSED, ""),
        )
    });
    target.withstands(cases);
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn what_is_added_or_taken_away_is_missed() {
    let target = Target::new();
    let call = purge(&target).signed();
    let case =
        |name: &str, call: Call, words| Case::new(name, call.bytes(), answered(REFUSED, words));
    let replaced = |from: &str, to: &str| {
        let mut call = call.clone();
        let value = call.text("Authorization");
        assert!(value.contains(from), "{value}");
        *call.value("Authorization") = value.replacen(from, to, 1).into_bytes();
        call
    };
    let date = &call.text("X-Amz-Date")[..8].to_owned();
    let mut cases = vec![
        case(
            "no Authorization",
            call.clone().without("Authorization"),
            "AccessDenied",
        ),
        case(
            "an empty one",
            call.clone()
                .without("Authorization")
                .with("Authorization", ""),
            "IncompleteSignature",
        ),
        case(
            "no date",
            call.clone().without("X-Amz-Date"),
            "IncompleteSignature",
        ),
        case("no target", call.clone().without("X-Amz-Target"), ""),
        case("no content type", call.clone().without("Content-Type"), ""),
        case(
            "a session token more",
            call.clone().with("X-Amz-Security-Token", "token"),
            "UnrecognizedClient",
        ),
        case(
            "a header of Amazon's more",
            call.clone().with("X-Amz-Other", "1"),
            "InvalidSignature",
        ),
        case(
            "another scheme",
            replaced("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512"),
            "IncompleteSignature",
        ),
        case(
            "a scheme of old",
            replaced("AWS4-HMAC-SHA256", "AWS"),
            "IncompleteSignature",
        ),
        case(
            "the asymmetric scheme",
            replaced("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
            "",
        ),
        case(
            "no scheme",
            replaced("AWS4-HMAC-SHA256 ", ""),
            "IncompleteSignature",
        ),
        case(
            "another key",
            replaced("Credential=test/", "Credential=other/"),
            "UnrecognizedClient",
        ),
        case("no key", replaced("Credential=test/", "Credential=/"), ""),
        case(
            "another day",
            replaced(date, "20000101"),
            "InvalidSignature",
        ),
        case("a day that there is not", replaced(date, "20269999"), ""),
        case(
            "another region",
            replaced("us-east-1", "eu-west-1"),
            "InvalidSignature",
        ),
        case("no region", replaced("/us-east-1/", "//"), ""),
        case(
            "another service",
            replaced("/sqs/", "/sns/"),
            "InvalidSignature",
        ),
        case(
            "another end of the scope",
            replaced("aws4_request", "aws5_request"),
            "InvalidSignature",
        ),
        case(
            "a scope of six parts",
            replaced("aws4_request", "aws4_request/more"),
            "IncompleteSignature",
        ),
        case(
            "a scope of four parts",
            replaced("/aws4_request", ""),
            "IncompleteSignature",
        ),
        case(
            "the signature twice",
            replaced("Signature=", "Signature=00, Signature="),
            "IncompleteSignature",
        ),
        case(
            "a part that is unknown",
            replaced("Signature=", "Other=1, Signature="),
            "",
        ),
        case(
            "no signed headers",
            replaced("SignedHeaders=", "SignedHeaders=;"),
            "",
        ),
        case(
            "a signed header that is not there",
            replaced("SignedHeaders=", "SignedHeaders=a;"),
            "IncompleteSignature",
        ),
        case("a signed header twice", replaced("host;", "host;host;"), ""),
        case(
            "signed headers out of order",
            replaced("content-type;host", "host;content-type"),
            "",
        ),
        case("signed headers in capitals", replaced("host", "Host"), ""),
    ];
    for name in ["content-type;", "host;", "x-amz-date;", ";x-amz-target"] {
        cases.push(case(name, replaced(name, ""), "InvalidSignature"));
    }
    let signature = call.text("Authorization");
    let (_, signature) = signature.split_once("Signature=").expect("a signature");
    let mut of = |name: &str, to: &str| cases.push(case(name, replaced(signature, to), ""));
    of("no signature", "");
    of("zeros", &"0".repeat(64));
    of("a signature in capitals", &signature.to_uppercase());
    of("half a signature", &signature[..32]);
    of("two signatures in one", &signature.repeat(2));
    of("no digits", &"g".repeat(64));
    of("quotes", &format!("\"{signature}\""));
    of("a long signature", &"0".repeat(40_000));
    target.withstands(cases);
}

/// Signed over fewer headers than a server must insist on: whoever signs so has signed nothing that
/// says what the request does.
#[test]
fn a_signature_over_fewer_headers_is_refused() {
    let target = Target::new();
    let call = purge(&target);
    let later = |name: &str, value: &str| {
        call.clone()
            .without(name)
            .signed()
            .with(name, value)
            .bytes()
    };
    target.withstands([
        Case::new(
            "the target is not signed",
            later("X-Amz-Target", "AmazonSQS.PurgeQueue"),
            answered(403, "InvalidSignature"),
        ),
        Case::new(
            "an unknown header of Amazon's",
            later("X-Amz-Meta", "1"),
            answered(403, "InvalidSignature"),
        ),
    ]);
    // AWS insists on the host and on headers of its own; what is not signed says nothing that counts.
    let call = Call::new(target.address, "ListQueues", "{}")
        .without("Content-Type")
        .signed();
    let bytes = call.with("Content-Type", JSON).bytes();
    target.withstands([Case::new(
        "the content type is not signed",
        bytes,
        answered(200, "QueueUrls"),
    )]);
}

#[test]
fn a_request_that_was_recorded_is_good_for_nothing_else() {
    let target = Target::new();
    let list = Call::new(target.address, "ListQueues", "{}").signed();
    let good = list.bytes();
    target.withstands([
        // As on AWS: within its time a request can be sent again, and does the same again.
        Case::new("the same again", good.clone(), answered(200, "QueueUrls")),
        Case::new("and again", good, answered(200, "QueueUrls")),
    ]);
    let mut other = list.clone();
    *other.value("X-Amz-Target") = b"AmazonSQS.PurgeQueue".to_vec();
    let purge = purge(&target);
    let taken = |from: &Call| {
        let call = purge.clone().with("X-Amz-Date", from.text("X-Amz-Date"));
        call.with("Authorization", from.text("Authorization"))
    };
    let signed_at = |call: &Call, seconds_ago: i64| {
        let now = clock::now();
        let by = Duration::from_secs(seconds_ago.unsigned_abs());
        let at = if seconds_ago < 0 { now + by } else { now - by };
        call.clone().signed_at(&signer(), at).bytes()
    };
    let mismatch = || answered(403, "InvalidSignature");
    let elsewhere = list.clone().target("/000000000000/orders");
    target.withstands([
        Case::new("another operation", other.bytes(), mismatch()),
        Case::new(
            "another body",
            list.clone().body(purge.body.clone()).bytes(),
            mismatch(),
        ),
        Case::new("another path", elsewhere.bytes(), mismatch()),
        Case::new(
            "its signature at another request",
            taken(&list).bytes(),
            mismatch(),
        ),
        Case::new(
            "16 minutes old",
            signed_at(&purge, 16 * 60),
            answered(403, "Signature expired"),
        ),
        Case::new(
            "16 minutes early",
            signed_at(&purge, -16 * 60),
            answered(403, "Signature not yet current"),
        ),
        Case::new(
            "years old",
            signed_at(&purge, 400_000_000),
            answered(403, "Signature expired"),
        ),
    ]);
}

#[test]
fn other_peoples_signatures_are_refused() {
    let target = Target::new();
    let by = |key: &str, secret: &str, region: &str, service: &str| {
        let signer = Signer::new(Credentials::new(key, secret), region, service);
        purge(&target).signed_by(&signer).bytes()
    };
    let long = "x".repeat(10_000);
    target.withstands([
        Case::new(
            "an unknown key",
            by("nobody", "test", "us-east-1", "sqs"),
            answered(403, "UnrecognizedClient"),
        ),
        Case::new(
            "a long key",
            by(&long, "test", "us-east-1", "sqs"),
            answered(REFUSED, ""),
        ),
        Case::new(
            "another secret",
            by("test", "tset", "us-east-1", "sqs"),
            answered(403, "InvalidSignature"),
        ),
        Case::new(
            "another service",
            by("test", "test", "us-east-1", "s3"),
            answered(403, "correct service"),
        ),
        Case::new(
            "a long region",
            by("test", "test", &long, "sqs"),
            answered(REFUSED, ""),
        ),
        // Another region is a namespace of its own, and has no queues.
        Case::new(
            "another region",
            by("test", "test", "eu-west-1", "sqs"),
            answered(400, "QueueDoesNotExist"),
        ),
    ]);
}

/// What is remembered of scopes is bounded, however many somebody makes up.
#[test]
fn many_scopes_are_not_remembered_for_ever() {
    let target = Target::new();
    target.withstands_act("2,000 regions", || {
        for n in 0..2_000 {
            let signer = Signer::new(
                Credentials::new("test", "test"),
                format!("region-{n}"),
                "sqs",
            );
            let call = Call::new(target.address, "ListQueues", "{}").signed_by(&signer);
            let outcome = wire::strike(target.address, &call.bytes(), Finish::Probe);
            assert_eq!(outcome.answers[0].status, 200, "{outcome:?}");
        }
    });
    target.withstands_act("2,000 keys and services that there are not", || {
        for n in 0..2_000 {
            let credentials = Credentials::new(format!("key-{n}"), "secret");
            let signer = Signer::new(credentials, "us-east-1", format!("service-{n}"));
            let call = Call::new(target.address, "ListQueues", "{}").signed_by(&signer);
            let outcome = wire::strike(target.address, &call.bytes(), Finish::Probe);
            assert_eq!(outcome.answers[0].status, 403, "{outcome:?}");
        }
    });
}

/// The query form: what holds for the header holds for the parameters.
#[test]
fn no_byte_of_a_presigned_url_can_be_changed() {
    let target = Target::new();
    let call = purge(&target);
    let url = presigned(&call, Duration::from_secs(60));
    let good = call.clone().target(url.clone());
    let (path, query) = url.split_once('?').expect("a query");
    let cases = spoilt(query.as_bytes()).map(|(spoilt, query)| {
        let query = String::from_utf8(query).expect("text");
        let call = good.clone().target(format!("{path}?{query}"));
        Case::new(
            format!("query: {spoilt}"),
            call.bytes(),
            answered(REFUSED, ""),
        )
    });
    target.withstands(cases);
    let again = |more: &str| good.clone().target(format!("{url}&{more}")).bytes();
    let parameter = |name: &str| {
        query
            .split('&')
            .find(|pair| pair.starts_with(name))
            .expect("there")
            .to_owned()
    };
    let mut cases: Vec<Case> = [
        "X-Amz-Signature",
        "X-Amz-Date",
        "X-Amz-Credential",
        "X-Amz-Expires",
        "X-Amz-SignedHeaders",
        "X-Amz-Algorithm",
    ]
    .iter()
    .map(|name| {
        Case::new(
            format!("{name} twice"),
            again(&parameter(name)),
            answered(REFUSED, ""),
        )
    })
    .collect();
    cases.push(Case::new(
        "a parameter more",
        again("a=b"),
        answered(403, "InvalidSignature"),
    ));
    cases.push(Case::new(
        "a session token more",
        again("X-Amz-Security-Token=x"),
        answered(REFUSED, ""),
    ));
    let both = good
        .clone()
        .with("Authorization", call.clone().signed().text("Authorization"));
    cases.push(Case::new(
        "both forms",
        both.bytes(),
        answered(400, "IncompleteSignature"),
    ));
    let stale = |expires: u64| {
        call.clone()
            .target(presigned(&call, Duration::from_secs(expires)))
    };
    let changed = stale(60);
    for expires in ["0", "-1", "604801", "99999999999999999999", "1e3", ""] {
        let target = changed
            .target
            .replace("X-Amz-Expires=60", &format!("X-Amz-Expires={expires}"));
        cases.push(Case::new(
            format!("expires in {expires:?}"),
            changed.clone().target(target).bytes(),
            answered(REFUSED, ""),
        ));
    }
    target.withstands(cases);
}

/// The target of a call, signed in its query.
fn presigned(call: &Call, expires: Duration) -> String {
    let headers: Vec<(&str, &[u8])> = call
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_slice()))
        .collect();
    let request = Request::new(&call.method, &call.target, &headers);
    let payload = Payload::Bytes(&call.body);
    let signed = signer().presign(&request, payload, clock::now(), expires);
    let signed = signed.expect("a request that can be signed");
    String::from_utf8(signed.target().to_owned()).expect("text")
}
