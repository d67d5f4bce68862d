//! Requests as no client sends them: spoiled, stale, unsigned, presigned. What the server answers
//! is looked at as it comes over the wire.

use std::time::Duration;

use bytes::Bytes;
use conformance::raw::{self, Answer, Signature, TARGET};
use conformance::wire::Wire;
use conformance::{clock, on_each_wire};
use fake_sqs::FakeSqs;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use sigv4::{ContentSha256, Credentials, Payload, Settings, Signer};

on_each_wire! {
    a_signed_request_is_answered,
    an_operation_without_output_answers_an_empty_body,
    no_signature,
    unknown_key,
    wrong_secret,
    another_body_path_query_method_or_header,
    a_signature_cut_or_bent,
    sixteen_minutes_old_or_early,
    fourteen_minutes_old_or_early_is_good,
    wrong_service,
    any_region_is_good,
    date_of_the_scope_is_another_day,
    host_not_signed,
    amazons_headers_must_be_signed,
    a_signed_header_that_is_not_there,
    malformed_authorization,
    two_authorization_headers,
    the_path_of_a_queue_is_as_good_as_the_root,
    a_presigned_post_is_answered,
    a_presigned_request_lives_as_long_as_it_says,
    a_presigned_request_that_was_changed,
    a_payload_left_unsigned_is_refused;

    alone:
    unknown_operation,
    bodies_that_are_no_json_object,
    members_of_the_wrong_type,
    a_zero_length_body_is_an_empty_object,
    a_signed_get_is_not_found,
    a_presigned_get_is_verified_and_then_not_found,
}

const MISMATCH: &str = "The request signature we calculated does not match the signature you \
    provided. Check your AWS Secret Access Key and signing method. Consult the service \
    documentation for details.";

/// A refusal: the status, the shape's name in `com.amazon.coral.service#`, the code of the Query
/// protocol.
type Refusal = (u16, &'static str, &'static str);

const SIGNATURE: Refusal = (403, "InvalidSignatureException", "SignatureDoesNotMatch");
const INCOMPLETE: Refusal = (400, "IncompleteSignatureException", "IncompleteSignature");
const DENIED: Refusal = (403, "AccessDeniedException", "AccessDenied");
const UNKNOWN_KEY: Refusal = (403, "UnrecognizedClientException", "InvalidClientTokenId");
const UNKNOWN_OPERATION: Refusal = (400, "UnknownOperationException", "InvalidAction");
const MALFORMED: Refusal = (400, "SerializationException", "MalformedInput");

/// Asserts that an answer is this refusal, and returns its text.
#[track_caller]
fn refusal(answer: &Answer, (status, shape, code): Refusal) -> String {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.json()["__type"],
        format!("com.amazon.coral.service#{shape}")
    );
    assert_eq!(
        answer.header("x-amzn-query-error"),
        format!("{code};Sender")
    );
    assert_eq!(answer.header("content-type"), "application/x-amz-json-1.0");
    assert_eq!(answer.header("x-amzn-requestid").len(), 36);
    assert_eq!(
        answer.header("content-length"),
        answer.body.len().to_string()
    );
    assert!(answer.headers.contains_key("date"));
    answer.message()
}

/// Asserts that an answer is this refusal in the Query protocol, which has no shapes; it is what a
/// GET is refused in, since the JSON protocol knows none.
#[track_caller]
fn query_refusal(answer: &Answer, (status, _, code): Refusal) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), "text/xml");
    let request_id = answer.header("x-amzn-requestid");
    for part in [
        format!("<Error><Type>Sender</Type><Code>{code}</Code><Message>"),
        format!("</Error><RequestId>{request_id}</RequestId></ErrorResponse>"),
    ] {
        assert!(answer.text().contains(&part), "{answer:?}");
    }
}

/// Sends a request for ListQueues that `spoil` has had its hands on after it was signed.
async fn spoiled(wire: Wire, spoil: impl FnOnce(&mut Request<Bytes>)) -> Answer {
    let server = FakeSqs::start().await;
    let mut request = Signature::default().sign(wire.call(&server, "ListQueues", "{}"));
    spoil(&mut request);
    wire.send(&server, request).await
}

/// Replaces `from` by `to` in the Authorization header, where it must be.
fn authorization(request: &mut Request<Bytes>, from: &str, to: &str) {
    let value = request.headers()[AUTHORIZATION].to_str().expect("text");
    assert!(value.contains(from), "no {from} in {value}");
    let value = HeaderValue::try_from(value.replace(from, to)).expect("a header");
    request.headers_mut().insert(AUTHORIZATION, value);
}

fn scope_date(request: &Request<Bytes>) -> String {
    let date = request.headers()["x-amz-date"].to_str().expect("text");
    date[..8].to_owned()
}

async fn a_signed_request_is_answered(wire: Wire) {
    let answer = spoiled(wire, |_| {}).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body, "{}");
    assert_eq!(answer.header("content-type"), "application/x-amz-json-1.0");
    assert_eq!(answer.header("content-length"), "2");
    assert_eq!(answer.header("x-amzn-requestid").len(), 36);
    assert!(!answer.headers.contains_key("x-amzn-query-error"));
}

async fn an_operation_without_output_answers_an_empty_body(wire: Wire) {
    let server = FakeSqs::start().await;
    let sign = |operation, body: Value| {
        Signature::default().sign(wire.call(&server, operation, body.to_string()))
    };
    let created = wire
        .send(&server, sign("CreateQueue", json!({"QueueName": "orders"})))
        .await;
    let url = created.json()["QueueUrl"].clone();
    let purged = wire
        .send(&server, sign("PurgeQueue", json!({"QueueUrl": url})))
        .await;
    assert_eq!(purged.status, StatusCode::OK);
    assert_eq!(purged.body, "");
    assert_eq!(purged.header("content-type"), "application/x-amz-json-1.0");
    assert_eq!(purged.header("content-length"), "0");
}

async fn no_signature(wire: Wire) {
    let server = FakeSqs::start().await;
    let answer = wire
        .send(&server, wire.call(&server, "ListQueues", "{}"))
        .await;
    let text = refusal(&answer, DENIED);
    assert!(
        text.starts_with(&format!("Access to the resource {}", server.endpoint_url())),
        "{text}"
    );
    assert!(text.ends_with(" is denied."), "{text}");
}

async fn unknown_key(wire: Wire) {
    let server = FakeSqs::start().await;
    let signature = Signature {
        key: "AKIDEXAMPLE",
        ..Signature::default()
    };
    let answer = wire
        .send(
            &server,
            signature.sign(wire.call(&server, "ListQueues", "{}")),
        )
        .await;
    assert_eq!(
        refusal(&answer, UNKNOWN_KEY),
        "The security token included in the request is invalid."
    );
}

async fn wrong_secret(wire: Wire) {
    let server = FakeSqs::start().await;
    let signature = Signature {
        secret: "wrong",
        ..Signature::default()
    };
    let answer = wire
        .send(
            &server,
            signature.sign(wire.call(&server, "ListQueues", "{}")),
        )
        .await;
    let text = refusal(&answer, SIGNATURE);
    assert!(text.starts_with(MISMATCH), "{text}");
}

async fn another_body_path_query_method_or_header(wire: Wire) {
    type Spoil = fn(&mut Request<Bytes>);
    let rows: [(&str, Spoil); 8] = [
        ("another body", |request| *request.body_mut() = "[]".into()),
        ("a longer body", |request| {
            *request.body_mut() = "{} ".into();
        }),
        ("no body", |request| *request.body_mut() = Bytes::new()),
        ("another path", |request| {
            *request.uri_mut() = "/other".parse().expect("a path");
        }),
        ("a query", |request| {
            *request.uri_mut() = "/?a=b".parse().expect("a target");
        }),
        ("another method", |request| {
            *request.method_mut() = Method::PUT;
        }),
        ("another content type", |request| {
            let mut other = request.headers()[CONTENT_TYPE].as_bytes().to_vec();
            other.push(b';');
            let other = HeaderValue::from_bytes(&other).expect("a header");
            request.headers_mut().insert(CONTENT_TYPE, other);
        }),
        ("another host", |request| {
            request
                .headers_mut()
                .insert(HOST, HeaderValue::from_static("localhost"));
        }),
    ];
    let target: (&str, Spoil) = ("another target", |request| {
        let other = HeaderValue::from_static("AmazonSQS.CreateQueue");
        request.headers_mut().insert(TARGET, other);
    });
    let target = wire.calls_by_header().then_some(target);
    for (what, spoil) in rows.into_iter().chain(target) {
        let answer = spoiled(wire, spoil).await;
        assert_eq!(answer.status, 403, "{what}");
        let text = refusal(&answer, SIGNATURE);
        assert!(text.starts_with(MISMATCH), "{what}: {text}");
    }
}

async fn a_signature_cut_or_bent(wire: Wire) {
    let rows: [fn(&str) -> String; 4] = [
        |signature| signature[..63].to_owned(),
        |signature| format!("{signature}0"),
        |signature| "0".repeat(signature.len()),
        |signature| signature.to_uppercase(),
    ];
    for bend in rows {
        let answer = spoiled(wire, |request| {
            let value = request.headers()[AUTHORIZATION].to_str().expect("text");
            let (_, signature) = value.split_once("Signature=").expect("a signature");
            let signature = signature.to_owned();
            authorization(request, &signature, &bend(&signature));
        });
        assert!(refusal(&answer.await, SIGNATURE).starts_with(MISMATCH));
    }
}

async fn sixteen_minutes_old_or_early(wire: Wire) {
    let server = FakeSqs::start().await;
    let sixteen_minutes = Duration::from_secs(16 * 60);
    let rows = [
        (
            clock::now() - sixteen_minutes,
            "Signature expired: ",
            " is now earlier than ",
            " - 15 min.)",
        ),
        (
            clock::now() + sixteen_minutes,
            "Signature not yet current: ",
            " is still later than ",
            " + 15 min.)",
        ),
    ];
    for (at, start, middle, end) in rows {
        let signature = Signature {
            at,
            ..Signature::default()
        };
        let request = signature.sign(wire.call(&server, "ListQueues", "{}"));
        let date = request.headers()["x-amz-date"]
            .to_str()
            .expect("text")
            .to_owned();
        let text = refusal(&wire.send(&server, request).await, SIGNATURE);
        // `<start><date><middle><limit> (<now><end>`, every time as in X-Amz-Date.
        let times = text
            .strip_prefix(&format!("{start}{date}{middle}"))
            .and_then(|rest| rest.strip_suffix(end))
            .unwrap_or_else(|| panic!("{text}"));
        let (limit, now) = times.split_once(" (").expect("the server's time");
        assert_eq!((limit.len(), now.len()), (16, 16), "{text}");
        assert!(
            limit.ends_with('Z') && now.ends_with('Z') && limit != now,
            "{text}"
        );
    }
}

async fn fourteen_minutes_old_or_early_is_good(wire: Wire) {
    let server = FakeSqs::start().await;
    let fourteen_minutes = Duration::from_secs(14 * 60);
    for at in [
        clock::now() - fourteen_minutes,
        clock::now() + fourteen_minutes,
    ] {
        let signature = Signature {
            at,
            ..Signature::default()
        };
        let request = signature.sign(wire.call(&server, "ListQueues", "{}"));
        assert_eq!(wire.send(&server, request).await.status, StatusCode::OK);
    }
}

async fn wrong_service(wire: Wire) {
    let server = FakeSqs::start().await;
    let signature = Signature {
        service: "sns",
        ..Signature::default()
    };
    let answer = wire
        .send(
            &server,
            signature.sign(wire.call(&server, "ListQueues", "{}")),
        )
        .await;
    assert_eq!(
        refusal(&answer, SIGNATURE),
        "Credential should be scoped to correct service: 'sqs'."
    );
}

async fn any_region_is_good(wire: Wire) {
    let server = FakeSqs::start().await;
    for region in ["eu-central-1", "local", "mars-north-1"] {
        let signature = Signature {
            region,
            ..Signature::default()
        };
        let request = signature.sign(wire.call(&server, "ListQueues", "{}"));
        assert_eq!(
            wire.send(&server, request).await.status,
            StatusCode::OK,
            "{region}"
        );
    }
}

async fn date_of_the_scope_is_another_day(wire: Wire) {
    let mut dates = (String::new(), String::new());
    let answer = spoiled(wire, |request| {
        let at = request.headers()["x-amz-date"]
            .to_str()
            .expect("text")
            .to_owned();
        dates = (scope_date(request), at);
        authorization(request, &format!("/{}/", dates.0), "/20150830/");
    });
    let text = refusal(&answer.await, SIGNATURE);
    let (day, at) = dates;
    assert_eq!(
        text,
        format!(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from \
             HTTP: '20150830' != '{day}', from '{at}'."
        )
    );
}

async fn host_not_signed(wire: Wire) {
    let answer = spoiled(wire, |request| authorization(request, "host;", ""));
    assert_eq!(
        refusal(&answer.await, SIGNATURE),
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
    );
}

async fn amazons_headers_must_be_signed(wire: Wire) {
    let target = wire.calls_by_header().then_some("x-amz-target");
    for header in target.into_iter().chain(["x-amz-date"]) {
        let answer = spoiled(wire, |request| {
            authorization(request, &format!(";{header}"), "");
        });
        refusal(&answer.await, SIGNATURE);
    }
    let added = spoiled(wire, |request| {
        request
            .headers_mut()
            .insert("x-amz-added", HeaderValue::from_static("1"));
    });
    refusal(&added.await, SIGNATURE);
    // What proxies add is nobody's business.
    let proxied = spoiled(wire, |request| {
        request
            .headers_mut()
            .insert("x-forwarded-for", HeaderValue::from_static("10.0.0.1"));
    });
    assert_eq!(proxied.await.status, StatusCode::OK);
}

async fn a_signed_header_that_is_not_there(wire: Wire) {
    let answer = spoiled(wire, |request| {
        authorization(request, "SignedHeaders=", "SignedHeaders=absent;");
    });
    assert_eq!(
        refusal(&answer.await, INCOMPLETE),
        "'absent' is named as a SignedHeader, but it does not exist in the HTTP request."
    );
}

async fn malformed_authorization(wire: Wire) {
    let bogus = "AWS4-HMAC-SHA256 Credential=bogus";
    let answer = spoiled(wire, |request| {
        request
            .headers_mut()
            .insert(AUTHORIZATION, HeaderValue::from_static(bogus));
    });
    let text = refusal(&answer.await, INCOMPLETE);
    for part in [
        "Authorization header requires 'Signature' parameter.",
        "Authorization header requires 'SignedHeaders' parameter.",
        "Authorization=AWS4-HMAC-SHA256 Credential=bogus",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }

    let answer = spoiled(wire, |request| {
        authorization(request, "Signature=", "Signature");
    });
    let text = refusal(&answer.await, INCOMPLETE);
    let part = "not a valid key=value pair (missing equal-sign) in Authorization header: '";
    assert!(text.contains(part), "{text}");

    let rows: [(&str, &str); 4] = [
        ("AWS4-HMAC-SHA256 ", "AWS4-HMAC-SHA512 "),
        ("/aws4_request", "/aws4"),
        ("SignedHeaders=", "SignedHeaders=;;"),
        ("Credential=test/", "Credential="),
    ];
    for (from, to) in rows {
        let answer = spoiled(wire, |request| authorization(request, from, to)).await;
        assert!(answer.status.is_client_error(), "{to}: {answer:?}");
        assert_ne!(
            answer.header("x-amzn-query-error"),
            "InternalFailure;Receiver"
        );
    }
}

async fn two_authorization_headers(wire: Wire) {
    let answer = spoiled(wire, |request| {
        let value = request.headers()[AUTHORIZATION].clone();
        request.headers_mut().append(AUTHORIZATION, value);
    });
    assert!(answer.await.status.is_client_error());
}

async fn unknown_operation() {
    let server = FakeSqs::start().await;
    let targets = [
        "AmazonSQS.Bogus",
        "AmazonSQS.listqueues",
        "Other.ListQueues",
        "ListQueues",
        "",
    ];
    for target in targets {
        let mut request = raw::call(&server, "ListQueues", "{}");
        request
            .headers_mut()
            .insert(TARGET, HeaderValue::from_static(target));
        let answer = raw::send(&server, Signature::default().sign(request)).await;
        refusal(&answer, UNKNOWN_OPERATION);
    }
    let mut request = raw::call(&server, "ListQueues", "{}");
    request.headers_mut().remove(TARGET);
    refusal(
        &raw::send(&server, Signature::default().sign(request)).await,
        UNKNOWN_OPERATION,
    );
}

async fn bodies_that_are_no_json_object() {
    let server = FakeSqs::start().await;
    for body in [
        "{",
        "not json",
        "[]",
        "\"text\"",
        "7",
        "{\"a\":}",
        "{} {}",
        "\u{feff}{}",
    ] {
        let request = raw::call(&server, "ListQueues", body);
        let answer = raw::send(&server, Signature::default().sign(request)).await;
        refusal(&answer, MALFORMED);
    }
    let request = raw::call(&server, "ListQueues", vec![b'{', 0xff, b'}']);
    refusal(
        &raw::send(&server, Signature::default().sign(request)).await,
        MALFORMED,
    );
}

async fn members_of_the_wrong_type() {
    let server = FakeSqs::start().await;
    let rows = [
        (
            "ReceiveMessage",
            r#"{"WaitTimeSeconds":"1"}"#,
            "STRING_VALUE can not be converted to an Integer",
        ),
        (
            "ReceiveMessage",
            r#"{"WaitTimeSeconds":true}"#,
            "TRUE_VALUE can not be converted to an Integer",
        ),
        (
            "SendMessage",
            r#"{"MessageBody":7}"#,
            "NUMBER_VALUE can not be converted to a String",
        ),
        (
            "SendMessage",
            r#"{"MessageBody":{}}"#,
            "Start of structure or map found where not expected.",
        ),
        (
            "SendMessage",
            r#"{"MessageBody":[]}"#,
            "Start of list found where not expected",
        ),
    ];
    for (operation, body, text) in rows {
        let request = raw::call(&server, operation, body);
        let answer = raw::send(&server, Signature::default().sign(request)).await;
        assert_eq!(refusal(&answer, MALFORMED), text, "{operation} {body}");
    }
}

async fn a_zero_length_body_is_an_empty_object() {
    let server = FakeSqs::start().await;
    let request = Signature::default().sign(raw::call(&server, "ListQueues", ""));
    assert_eq!(raw::send(&server, request).await.status, StatusCode::OK);
}

async fn the_path_of_a_queue_is_as_good_as_the_root(wire: Wire) {
    let server = FakeSqs::start().await;
    let create = wire.call(&server, "CreateQueue", r#"{"QueueName":"orders"}"#);
    let created = wire.send(&server, Signature::default().sign(create)).await;
    let body = json!({"QueueUrl": created.json()["QueueUrl"]}).to_string();
    let mut request = wire.call(&server, "ReceiveMessage", body);
    *request.uri_mut() = "/000000000000/orders".parse().expect("a path");
    let answer = wire.send(&server, Signature::default().sign(request)).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
}

async fn a_signed_get_is_not_found() {
    let server = FakeSqs::start().await;
    for target in ["/000000000000/orders", "/"] {
        let answer = raw::send(
            &server,
            Signature::default().sign(raw::get(&server, target)),
        )
        .await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{target}");
        assert_eq!(answer.body.trim_ascii(), b"<UnknownOperationException/>");
    }
    // Without a signature it asks for nothing that could be denied; with a wrong one it is refused.
    let answer = raw::send(&server, raw::get(&server, "/000000000000/orders")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let wrong = Signature {
        secret: "wrong",
        ..Signature::default()
    };
    let answer = raw::send(
        &server,
        wrong.sign(raw::get(&server, "/000000000000/orders")),
    )
    .await;
    query_refusal(&answer, SIGNATURE);
}

const HOUR: Duration = Duration::from_secs(3600);

async fn a_presigned_post_is_answered(wire: Wire) {
    let server = FakeSqs::start().await;
    let signature = Signature::default();
    let body = json!({"QueueName": "orders"}).to_string();
    let request = signature.presign(wire.call(&server, "CreateQueue", body), HOUR);
    assert!(!request.headers().contains_key(AUTHORIZATION));
    let answer = wire.send(&server, request).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert_eq!(
        answer.json()["QueueUrl"],
        format!("{}/000000000000/orders", server.endpoint_url())
    );
}

async fn a_presigned_get_is_verified_and_then_not_found() {
    let server = FakeSqs::start().await;
    let request = || raw::get(&server, "/000000000000/orders?Version=2012-11-05");
    let good = Signature::default().presign(request(), HOUR);
    assert_eq!(raw::send(&server, good).await.status, StatusCode::NOT_FOUND);
    let wrong = Signature {
        secret: "wrong",
        ..Signature::default()
    }
    .presign(request(), HOUR);
    query_refusal(&raw::send(&server, wrong).await, SIGNATURE);
}

async fn a_presigned_request_lives_as_long_as_it_says(wire: Wire) {
    let server = FakeSqs::start().await;
    let two_hours_ago = Signature {
        at: clock::now() - 2 * HOUR,
        ..Signature::default()
    };
    let call = || wire.call(&server, "ListQueues", "{}");
    let answer = wire
        .send(&server, two_hours_ago.presign(call(), 3 * HOUR))
        .await;
    assert_eq!(
        answer.status,
        StatusCode::OK,
        "older than 15 minutes, and good: {answer:?}"
    );
    let answer = wire
        .send(&server, two_hours_ago.presign(call(), HOUR))
        .await;
    assert!(refusal(&answer, SIGNATURE).starts_with("Signature expired: "));
    let tomorrow = Signature {
        at: clock::now() + 24 * HOUR,
        ..Signature::default()
    };
    let answer = wire.send(&server, tomorrow.presign(call(), HOUR)).await;
    assert!(refusal(&answer, SIGNATURE).starts_with("Signature not yet current: "));
}

async fn a_presigned_request_that_was_changed(wire: Wire) {
    let server = FakeSqs::start().await;
    let presigned = || Signature::default().presign(wire.call(&server, "ListQueues", "{}"), HOUR);
    let retarget = |from: &str, to: &str| {
        let mut request = presigned();
        let target = request.uri().to_string();
        assert!(target.contains(from), "no {from} in {target}");
        *request.uri_mut() = target.replace(from, to).parse().expect("a target");
        request
    };
    for (from, to) in [
        ("X-Amz-Expires=3600", "X-Amz-Expires=3601"),
        ("X-Amz-Signature=", "X-Amz-Signature=0"),
        ("?", "?Action=DeleteQueue&"),
        ("us-east-1", "eu-west-1"),
    ] {
        let answer = wire.send(&server, retarget(from, to)).await;
        assert_eq!(answer.status, 403, "{to}");
        refusal(&answer, SIGNATURE);
    }

    let mut other_body = presigned();
    *other_body.body_mut() = "[]".into();
    refusal(&wire.send(&server, other_body).await, SIGNATURE);

    if wire.calls_by_header() {
        let mut other_target = presigned();
        let value = HeaderValue::from_static("AmazonSQS.CreateQueue");
        other_target.headers_mut().insert(TARGET, value);
        refusal(&wire.send(&server, other_target).await, SIGNATURE);
    }

    for (from, to) in [
        ("X-Amz-Expires=3600", "X-Amz-Expires=604801"),
        ("X-Amz-Expires=3600", "X-Amz-Expires=0"),
        ("X-Amz-Expires=3600", "X-Amz-Expires=soon"),
        ("X-Amz-Expires=3600&", ""),
        ("X-Amz-Date=", "X-Amz-Date=yesterday"),
    ] {
        let answer = wire.send(&server, retarget(from, to)).await;
        assert!(answer.status.is_client_error(), "{to}: {answer:?}");
    }
}

async fn a_payload_left_unsigned_is_refused(wire: Wire) {
    let server = FakeSqs::start().await;
    let settings = Settings::default().with_content_sha256(ContentSha256::Add);
    let signer = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
    let signer = signer.with_settings(settings);
    type Covered = fn(&[u8]) -> Payload<'_>;
    let rows: [(Covered, StatusCode); 2] = [
        (|_| Payload::Unsigned, StatusCode::FORBIDDEN),
        // Signed in the same way, the real hash is accepted.
        (|body| Payload::Bytes(body), StatusCode::OK),
    ];
    for (covered, status) in rows {
        let mut request = wire.call(&server, "ListQueues", "{}");
        let body = request.body().clone();
        let signed = sigv4::sign_request(&signer, &mut request, covered(&body), clock::now());
        let _ = signed.expect("a request that can be signed");
        assert!(request.headers().contains_key("x-amz-content-sha256"));
        let answer = wire.send(&server, request).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
}
