//! Each way in which a signature can fail, against the whole router: status, type, query code and
//! words of the answer.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use serde_json::json;
use sigv4::{Credentials, Payload, Settings, Signer};

use super::{Authenticator, Refused};
use crate::clock::WallClock;
use crate::http::protocol::Protocol;
use crate::testing::{Answer, HOST, Harness, Log, call, now, signed, signed_by, signer};
use crate::{Credential, FakeSqs};

const ACCESS_DENIED: (u16, &str, &str) = (
    403,
    "com.amazon.coral.service#AccessDeniedException",
    "AccessDenied;Sender",
);
const UNRECOGNIZED: (u16, &str, &str) = (
    403,
    "com.amazon.coral.service#UnrecognizedClientException",
    "InvalidClientTokenId;Sender",
);
const INVALID_SIGNATURE: (u16, &str, &str) = (
    403,
    "com.amazon.coral.service#InvalidSignatureException",
    "SignatureDoesNotMatch;Sender",
);
const INCOMPLETE: (u16, &str, &str) = (
    400,
    "com.amazon.coral.service#IncompleteSignatureException",
    "IncompleteSignature;Sender",
);

const MISMATCH: &str = "The request signature we calculated does not match the signature you \
    provided. Check your AWS Secret Access Key and signing method. Consult the service \
    documentation for details.";
const INVALID_TOKEN: &str = "The security token included in the request is invalid.";

#[track_caller]
fn assert_refused(answer: &Answer, row: (u16, &str, &str), message: &str) {
    let (status, shape_id, query) = row;
    answer.assert_error(status, shape_id, query, message);
}

/// A call that would succeed if its signature did.
fn list_queues() -> Request<Bytes> {
    call("ListQueues", &json!({}))
}

async fn send(request: Request<Bytes>) -> Answer {
    Harness::new().send(request).await
}

/// A signed call whose `Authorization` is changed afterwards.
fn altered(change: impl FnOnce(&str) -> String) -> Request<Bytes> {
    let mut request = signed(list_queues());
    let authorization = request.headers()[header::AUTHORIZATION]
        .to_str()
        .expect("ASCII");
    let altered = change(authorization);
    assert_ne!(altered, authorization, "nothing was changed");
    set(&mut request, "authorization", &altered);
    request
}

fn set(request: &mut Request<Bytes>, name: &'static str, value: &str) {
    request
        .headers_mut()
        .insert(name, HeaderValue::from_str(value).expect("a value"));
}

fn with_authorization(value: &str) -> Request<Bytes> {
    let mut request = list_queues();
    set(&mut request, "authorization", value);
    set(&mut request, "x-amz-date", "20150830T123600Z");
    request
}

#[tokio::test]
async fn a_right_signature_passes() {
    let answer = send(signed(list_queues())).await;
    assert_eq!((answer.status, answer.text()), (200, "{}"));
}

#[tokio::test]
async fn no_signature_is_access_denied() {
    let message = "Access to the resource http://localhost:9324/ is denied.";
    assert_refused(&send(list_queues()).await, ACCESS_DENIED, message);

    let mut at_a_queue = list_queues();
    *at_a_queue.uri_mut() = "/000000000000/orders".parse().expect("a path");
    let message = "Access to the resource http://localhost:9324/000000000000/orders is denied.";
    assert_refused(&send(at_a_queue).await, ACCESS_DENIED, message);
}

#[tokio::test]
async fn an_unknown_key_is_an_invalid_token() {
    let stranger = Signer::new(Credentials::new("AKIDSTRANGER", "test"), "us-east-1", "sqs");
    let answer = send(signed_by(&stranger, list_queues(), now())).await;
    assert_refused(&answer, UNRECOGNIZED, INVALID_TOKEN);
}

#[tokio::test]
async fn another_secret_does_not_match() {
    for secret in ["Test", "test ", "tes", "test\n"] {
        let wrong = Signer::new(Credentials::new("test", secret), "us-east-1", "sqs");
        let answer = send(signed_by(&wrong, list_queues(), now())).await;
        assert_refused(&answer, INVALID_SIGNATURE, MISMATCH);
    }
}

#[tokio::test]
async fn what_is_changed_after_signing_does_not_match() {
    let mut body = signed(list_queues());
    *body.body_mut() = Bytes::from_static(b"{ }");
    let mut path = signed(list_queues());
    *path.uri_mut() = "/000000000000/orders".parse().expect("a path");
    let mut query = signed(list_queues());
    *query.uri_mut() = "/?a=b".parse().expect("a path");
    let mut method = signed(list_queues());
    *method.method_mut() = Method::PUT;
    let mut host = signed(list_queues());
    set(&mut host, "host", "127.0.0.1:9324");
    let mut target = signed(list_queues());
    set(&mut target, "x-amz-target", "AmazonSQS.CreateQueue");
    let mut date = signed(list_queues());
    set(&mut date, "x-amz-date", "20150830T123601Z");
    for request in [body, path, query, method, host, target, date] {
        assert_refused(&send(request).await, INVALID_SIGNATURE, MISMATCH);
    }
    let signature = altered(|text| {
        let (rest, signature) = text.split_at(text.len() - 1);
        format!("{rest}{}", if signature == "0" { "1" } else { "0" })
    });
    assert_refused(&send(signature).await, INVALID_SIGNATURE, MISMATCH);
}

#[tokio::test]
async fn a_signature_is_good_for_15_minutes_either_way() {
    const MINUTE: Duration = Duration::from_secs(60);
    const SECOND: Duration = Duration::from_secs(1);
    for at in [now() - 15 * MINUTE, now() + 15 * MINUTE] {
        let answer = send(signed_by(&signer(), list_queues(), at)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let cases = [
        (
            now() - 15 * MINUTE - SECOND,
            "Signature expired: 20150830T122059Z is now earlier than 20150830T122100Z \
             (20150830T123600Z - 15 min.)",
        ),
        (
            now() - 20 * MINUTE,
            "Signature expired: 20150830T121600Z is now earlier than 20150830T122100Z \
             (20150830T123600Z - 15 min.)",
        ),
        (
            now() + 15 * MINUTE + SECOND,
            "Signature not yet current: 20150830T125101Z is still later than 20150830T125100Z \
             (20150830T123600Z + 15 min.)",
        ),
    ];
    for (at, message) in cases {
        let answer = send(signed_by(&signer(), list_queues(), at)).await;
        assert_refused(&answer, INVALID_SIGNATURE, message);
    }
}

#[tokio::test]
async fn the_scope_must_fit() {
    let sns = Signer::new(Credentials::new("test", "test"), "us-east-1", "sns");
    let answer = send(signed_by(&sns, list_queues(), now())).await;
    let message = "Credential should be scoped to correct service: 'sqs'.";
    assert_refused(&answer, INVALID_SIGNATURE, message);

    let dotted = Signer::new(Credentials::new("test", "test"), "us.east", "sqs");
    let answer = send(signed_by(&dotted, list_queues(), now())).await;
    let message = "Credential should be scoped to a valid region, not 'us.east'.";
    assert_refused(&answer, INVALID_SIGNATURE, message);

    let answer = send(altered(|text| text.replace("/20150830/", "/20150829/"))).await;
    let message = "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date \
        from HTTP: '20150829' != '20150830', from '20150830T123600Z'.";
    assert_refused(&answer, INVALID_SIGNATURE, message);

    let answer = send(altered(|text| text.replace("aws4_request", "aws5_request"))).await;
    let message =
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5_request'.";
    assert_refused(&answer, INVALID_SIGNATURE, message);
}

#[tokio::test]
async fn any_region_is_served() {
    for region in ["us-east-1", "eu-central-1", "local", "cn-north-1", "R2_d2"] {
        let signer = Signer::new(Credentials::new("test", "test"), region, "sqs");
        let answer = send(signed_by(&signer, list_queues(), now())).await;
        assert_eq!(answer.status, 200, "{region}: {answer:?}");
    }
}

#[tokio::test]
async fn host_and_every_amz_header_must_be_signed() {
    let message = "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.";
    let answer = send(altered(|text| text.replace("host;", ""))).await;
    assert_refused(&answer, INVALID_SIGNATURE, message);

    let mut added = signed(list_queues());
    set(&mut added, "x-amz-added", "1");
    let message = "'x-amz-added' must be a 'SignedHeader' in the AWS Authorization.";
    assert_refused(&send(added).await, INVALID_SIGNATURE, message);
}

#[tokio::test]
async fn a_target_in_absolute_form_names_the_host_that_was_signed() {
    let with_target = |target: &str| {
        let mut request = signed(list_queues());
        *request.uri_mut() = target.parse().expect("a target");
        request
    };
    for own in ["http://localhost:9324/", "http://LOCALHOST:9324/"] {
        assert_eq!(send(with_target(own)).await.status, 200, "{own}");
    }
    let message = "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.";
    for other in [
        "http://sqs.example.com/",
        "http://sqs.example.com:9324/",
        "http://localhost/",
        "http://localhost:9324@sqs.example.com/",
    ] {
        assert_refused(&send(with_target(other)).await, INVALID_SIGNATURE, message);
    }
}

#[tokio::test]
async fn a_header_that_was_signed_must_be_there() {
    let mut request = signed(list_queues());
    request.headers_mut().remove(header::CONTENT_TYPE);
    let message =
        "'content-type' is named as a SignedHeader, but it does not exist in the HTTP request.";
    assert_refused(&send(request).await, INCOMPLETE, message);
}

#[tokio::test]
async fn an_authorization_that_cannot_be_read_is_incomplete() {
    let header = "AWS4-HMAC-SHA256 Credential=bogus";
    let message = "Authorization header requires 'Signature' parameter. Authorization header \
        requires 'SignedHeaders' parameter. Authorization=AWS4-HMAC-SHA256 Credential=bogus";
    assert_refused(&send(with_authorization(header)).await, INCOMPLETE, message);

    let header = "AWS4-HMAC-SHA256 nonsense";
    let message = "'nonsense' not a valid key=value pair (missing equal-sign) in Authorization \
        header: 'AWS4-HMAC-SHA256 nonsense'.";
    assert_refused(&send(with_authorization(header)).await, INCOMPLETE, message);

    let header = "AWS4-HMAC-SHA256 Credential=test/20150830, SignedHeaders=host, Signature=00";
    let message = "Credential must have exactly 5 slash-delimited elements, e.g. \
        keyid/date/region/service/term, got 'test/20150830'.";
    assert_refused(&send(with_authorization(header)).await, INCOMPLETE, message);

    let answer = send(altered(|text| text.replace("HMAC-SHA256", "HMAC-SHA1"))).await;
    assert_refused(
        &answer,
        INCOMPLETE,
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA1'.",
    );

    let mut undated = signed(list_queues());
    undated.headers_mut().remove("x-amz-date");
    let answer = send(undated).await;
    assert_eq!(answer.status, 400);
    let message = answer.json()["message"]
        .as_str()
        .expect("a message")
        .to_owned();
    let expected = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' \
        header. Authorization=AWS4-HMAC-SHA256 Credential=test/";
    assert!(message.starts_with(expected), "{message}");
}

#[tokio::test]
async fn two_signatures_are_one_too_many() {
    let mut request = signed(list_queues());
    let query = presigned(&signer(), list_queues(), Duration::from_secs(60));
    *request.uri_mut() = query.uri().clone();
    let message = "the request carries a signature both in a header and in the query.";
    assert_refused(&send(request).await, INCOMPLETE, message);
}

#[tokio::test]
async fn a_payload_left_unsigned_is_not_accepted() {
    let mut request = list_queues();
    set(&mut request, "x-amz-content-sha256", "UNSIGNED-PAYLOAD");
    sigv4::sign_request(&signer(), &mut request, Payload::Unsigned, now()).expect("signed");
    assert_refused(&send(request).await, INVALID_SIGNATURE, MISMATCH);

    let mut request = signed_by(
        &signer().with_settings(Settings::default().with_content_sha256(sigv4::ContentSha256::Add)),
        list_queues(),
        now(),
    );
    assert_eq!(send(request.clone()).await.status, 200);
    *request.body_mut() = Bytes::from_static(b"{ }");
    assert_refused(&send(request).await, INVALID_SIGNATURE, MISMATCH);
}

fn temporary(token: &str) -> Signer {
    let credentials = Credentials::new("ASIATEMP", "s").with_session_token(token);
    Signer::new(credentials, "us-east-1", "sqs")
}

fn with_temporary_credential() -> Harness {
    let credential = Credential::new("ASIATEMP", "s").expect("a credential");
    let credential = credential
        .with_session_token("right-token")
        .expect("a token");
    Harness::with(
        FakeSqs::builder()
            .credential(Credential::default())
            .credential(credential),
    )
}

#[tokio::test]
async fn a_session_token_must_be_the_key_s_own() {
    let harness = with_temporary_credential();
    let send = |signer: Signer| harness.send(signed_by(&signer, list_queues(), now()));
    assert_eq!(send(temporary("right-token")).await.status, 200);
    assert_refused(
        &send(temporary("other-token")).await,
        UNRECOGNIZED,
        INVALID_TOKEN,
    );
    let without = Signer::new(Credentials::new("ASIATEMP", "s"), "us-east-1", "sqs");
    assert_refused(&send(without).await, UNRECOGNIZED, INVALID_TOKEN);
    let needless = Credentials::new("test", "test").with_session_token("right-token");
    let needless = Signer::new(needless, "us-east-1", "sqs");
    assert_refused(&send(needless).await, UNRECOGNIZED, INVALID_TOKEN);
}

#[tokio::test]
async fn a_session_token_must_be_signed() {
    let harness = with_temporary_credential();
    let settings = Settings::default().with_session_token(sigv4::SessionToken::AppendedUnsigned);
    let signer = temporary("right-token").with_settings(settings);
    let answer = harness.send(signed_by(&signer, list_queues(), now())).await;
    let message = "'x-amz-security-token' must be a 'SignedHeader' in the AWS Authorization.";
    assert_refused(&answer, INVALID_SIGNATURE, message);
}

/// A presigned request as it is sent.
fn presigned(signer: &Signer, request: Request<Bytes>, expires: Duration) -> Request<Bytes> {
    let target = {
        let headers: Vec<(&str, &[u8])> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        let target = request.uri().to_string();
        let unsigned = sigv4::Request::new(request.method().as_str(), &target, &headers);
        let presigned = signer
            .presign(&unsigned, Payload::Bytes(request.body()), now(), expires)
            .expect("presigned");
        String::from_utf8(presigned.target().to_vec()).expect("ASCII")
    };
    let mut request = request;
    *request.uri_mut() = target.parse().expect("a target");
    request
}

fn get() -> Request<Bytes> {
    Request::builder()
        .uri("/")
        .header(header::HOST, HOST)
        .body(Bytes::new())
        .expect("a request")
}

#[tokio::test]
async fn a_presigned_call_passes_until_it_expires() {
    let hour = Duration::from_secs(3_600);
    let answer = send(presigned(&signer(), list_queues(), hour)).await;
    assert_eq!((answer.status, answer.text()), (200, "{}"));

    let mut changed = presigned(&signer(), list_queues(), hour);
    *changed.body_mut() = Bytes::from_static(b"{ }");
    assert_refused(&send(changed).await, INVALID_SIGNATURE, MISMATCH);

    let earlier = Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs");
    let mut request = list_queues();
    let target = {
        let headers: Vec<(&str, &[u8])> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        let unsigned = sigv4::Request::new("POST", "/", &headers);
        let at = now() - Duration::from_secs(61);
        let payload = Payload::Bytes(request.body());
        let presigned = earlier.presign(&unsigned, payload, at, Duration::from_secs(60));
        String::from_utf8(presigned.expect("presigned").target().to_vec()).expect("ASCII")
    };
    *request.uri_mut() = target.parse().expect("a target");
    let message = "Signature expired: 20150830T123559Z is now earlier than 20150830T123600Z";
    assert_refused(&send(request).await, INVALID_SIGNATURE, message);
}

#[tokio::test]
async fn a_presigned_call_without_a_parameter_is_incomplete() {
    let mut request = presigned(&signer(), list_queues(), Duration::from_secs(60));
    let target = request.uri().to_string().replace("X-Amz-Expires=60&", "");
    *request.uri_mut() = target.parse().expect("a target");
    let message = "AWS query-string parameters must include 'X-Amz-Expires'. Re-examine the \
        query-string parameters.";
    assert_refused(&send(request).await, INCOMPLETE, message);
}

#[tokio::test]
async fn a_get_asks_for_nothing() {
    let hour = Duration::from_secs(3_600);
    for request in [presigned(&signer(), get(), hour), signed(get()), get()] {
        let answer = send(request).await;
        assert_eq!(answer.status, 404, "{answer:?}");
        assert_eq!(answer.text(), "<UnknownOperationException/>\n");
        assert_eq!(answer.header("content-type"), "text/xml");
        assert_eq!(answer.header("x-amzn-requestid").len(), 36);
    }
}

#[tokio::test]
async fn a_get_with_a_wrong_signature_is_refused_all_the_same() {
    let wrong = Signer::new(Credentials::new("test", "wrong"), "us-east-1", "sqs");
    let request = presigned(&wrong, get(), Duration::from_secs(3_600));
    // The JSON protocol knows no GET, so this is one of the other.
    let answer = send(request).await;
    answer.assert_query_error(403, "SignatureDoesNotMatch", MISMATCH);
}

#[tokio::test]
async fn many_regions_and_days_do_not_fill_the_server() {
    let harness = Harness::new();
    for n in 0..200 {
        let signer = Signer::new(Credentials::new("test", "test"), format!("r-{n}"), "sqs");
        let answer = harness.send(signed_by(&signer, list_queues(), now())).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// What the log says of a request that is refused.
fn logged(credentials: &[Credential], request: &Request<Bytes>) -> String {
    let authenticator = Authenticator::new(credentials, WallClock::Stopped(now()));
    let (parts, body) = request.clone().into_parts();
    let Err(Refused { refusal, question }) = authenticator.check(&parts, &body, Protocol::Json)
    else {
        panic!("{parts:?} is not refused");
    };
    let explained = match question {
        Some(question) => question.answer(refusal, &parts, &body, &authenticator.keyring),
        None => refusal,
    };
    explained.to_string()
}

/// A call that a proxy has changed.
fn proxied() -> Request<Bytes> {
    let mut request = signed(list_queues());
    set(&mut request, "host", "backend:80");
    set(&mut request, "x-forwarded-host", HOST);
    request
}

#[test]
fn a_refusal_is_one_line_that_says_what_would_be_right_and_no_secret() {
    let known = Credential::new("ASIATEMP", "its-secret").expect("a credential");
    let known = known.with_session_token("right-token").expect("a token");
    let signed_with = |secret: &str, token: &str| {
        let credentials = Credentials::new("ASIATEMP", secret).with_session_token(token);
        signed_by(
            &Signer::new(credentials, "us-east-1", "sqs"),
            list_queues(),
            now(),
        )
    };
    let right = signed_with("its-secret", "right-token");
    let authorization = right.headers()[header::AUTHORIZATION]
        .to_str()
        .expect("ASCII");
    let (_, right_signature) = authorization.split_once("Signature=").expect("a signature");

    let wrong_secret = logged(
        std::slice::from_ref(&known),
        &signed_with("wrong-secret", "right-token"),
    );
    assert_eq!(
        wrong_secret,
        "Signature, access key \"ASIATEMP\": the signature is not the one computed from the \
         request: the secret differs, or the request was signed differently or changed on the \
         way; compare the client's secret with the server's, and let nothing on the way change \
         Host, path, headers or body"
    );
    let wrong_token = logged(&[known], &signed_with("its-secret", "wrong-token"));
    assert_eq!(
        wrong_token,
        "SessionToken, access key \"ASIATEMP\": the session token is not the one that belongs to \
         the access key; use the token that the server was started with"
    );
    for line in [wrong_secret, wrong_token] {
        for secret in [
            "its-secret",
            "wrong-secret",
            "right-token",
            "wrong-token",
            right_signature,
        ] {
            assert!(!line.contains(secret), "{secret} is in {line}");
        }
    }
    assert_eq!(
        logged(&[Credential::default()], &list_queues()),
        "NoSignature: the request carries no signature; every call must be signed: give the \
         client credentials"
    );
}

#[test]
fn a_refusal_says_which_mistake_it_was() {
    let known = [
        Credential::new("AKIDORDERS", "its-own-secret").expect("a credential"),
        Credential::new("AKIDOTHER", "another-secret").expect("a credential"),
    ];
    let by = |id: &str, secret: &str| {
        let signer = Signer::new(Credentials::new(id, secret), "us-east-1", "sqs");
        signed_by(&signer, list_queues(), now())
    };
    let mut proxied = by("AKIDORDERS", "its-own-secret");
    set(&mut proxied, "host", "backend:80");
    set(&mut proxied, "x-forwarded-host", HOST);
    let mut late = by("AKIDORDERS", "its-own-secret ");
    set(&mut late, "host", "127.0.0.1:9324");
    for (request, expected) in [
        (
            by("AKIDORDERS", "its-own-secret\n"),
            "Signature, access key \"AKIDORDERS\": the secret that was used has a line feed after \
             it; clean the client's secret (AWS_SECRET_ACCESS_KEY, or the file it is read from)",
        ),
        (
            by("AKIDORDERS", "another-secret"),
            "Signature, access key \"AKIDORDERS\": the secret that was used belongs to the access \
             key \"AKIDOTHER\"; give the client the access key id and the secret of one and the \
             same key",
        ),
        (
            by("AKIDORDRES", "its-own-secret"),
            "UnknownAccessKey, access key \"AKIDORDRES\": the access key id is not known, and the \
             secret that was used belongs to the access key \"AKIDORDERS\"; use an access key that \
             the verifier knows; give the client the access key id and the secret of one and the \
             same key",
        ),
        (
            proxied,
            "Signature, access key \"AKIDORDERS\": the host \"localhost:9324\" was signed and \
             \"backend:80\" arrived (a proxy's header names it); let the proxy pass Host on as it \
             came (nginx: proxy_set_header Host $http_host), or sign for the host that arrives",
        ),
        (
            late,
            "Signature, access key \"AKIDORDERS\": the secret that was used has a space after it, \
             and the host \"localhost:9324\" was signed and \"127.0.0.1:9324\" arrived (a name of \
             the local machine); clean the client's secret (AWS_SECRET_ACCESS_KEY, or the file it \
             is read from); let the proxy pass Host on as it came (nginx: proxy_set_header Host \
             $http_host), or sign for the host that arrives",
        ),
    ] {
        assert_eq!(logged(&known, &request), expected);
    }
}

/// Whatever the log says, the answer is AWS's.
#[tokio::test]
async fn an_explained_refusal_is_answered_as_any_other() {
    let log = Log::capture();
    let harness = Harness::new();
    let answer = harness.send(proxied()).await;
    assert_refused(&answer, INVALID_SIGNATURE, MISMATCH);
    // A server that goes away has logged everything.
    drop(harness);
    let line = logged(&[Credential::default()], &proxied());
    let warnings = log.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        line.contains("the host \"localhost:9324\" was signed")
            && warnings[0].ends_with(&format!("refused: {line}")),
        "{line}: {warnings:?}"
    );
}

/// However many come at once, each has its line, and some of them say that it is not the whole one.
#[tokio::test]
async fn of_a_flood_of_refusals_some_are_explained_and_all_are_logged() {
    const FLOOD: usize = 200;
    let log = Log::capture();
    let harness = Harness::new();
    for _ in 0..FLOOD {
        let answer = harness.send(proxied()).await;
        assert_refused(&answer, INVALID_SIGNATURE, MISMATCH);
    }
    drop(harness);
    let warnings = log.warnings();
    assert_eq!(warnings.len(), FLOOD);
    let is_explained = |line: &&String| line.contains("the host \"localhost:9324\" was signed");
    let is_left_out =
        |line: &&String| line.contains("what the client did wrong was not looked for");
    let explained = warnings.iter().filter(is_explained).count();
    let left_out = warnings.iter().filter(is_left_out).count();
    assert_eq!(explained + left_out, FLOOD, "{explained} and {left_out}");
    assert!(explained > 0);
}

#[test]
fn an_explanation_is_one_line_and_no_longer_than_a_log_can_take() {
    let long = "h".repeat(250);
    let mut request = call("ListQueues", &json!({}));
    set(&mut request, "host", &long);
    let path = format!("/{}/", "%E2%80%A8".repeat(30));
    *request.uri_mut() = path.parse().expect("a path");
    let mut request = signed(request);
    *request.uri_mut() = path.trim_end_matches('/').parse().expect("a path");
    set(&mut request, "x-forwarded-host", &long);
    set(&mut request, "host", &"g".repeat(250));
    let line = logged(&[Credential::default()], &request);
    assert!(
        line.contains("the path") && line.contains("the host"),
        "{line}"
    );
    assert!(line.len() < 2_000 && !line.contains('\n'), "{line}");
}

#[tokio::test]
async fn a_secret_in_the_place_of_the_key_is_not_in_the_log() {
    let known = Credential::new("AKIDORDERS", "its-secret").expect("a credential");
    let exchanged = Signer::new(
        Credentials::new("its-secret", "AKIDORDERS"),
        "us-east-1",
        "sqs",
    );
    let request = signed_by(&exchanged, list_queues(), now());
    assert_eq!(
        logged(std::slice::from_ref(&known), &request),
        "UnknownAccessKey: the access key that the request names is the secret of a credential; \
         exchange the two in the client's settings (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)"
    );
    // Whoever tries keys learns nothing from the answer.
    let harness = Harness::with(FakeSqs::builder().credential(known));
    assert_refused(&harness.send(request).await, UNRECOGNIZED, INVALID_TOKEN);
}

#[test]
fn what_a_request_says_can_neither_break_nor_fill_the_log() {
    let key = "k".repeat(1_000);
    let request = altered(|text| text.replace("=test/", &format!("={key}/")));
    let line = logged(&[Credential::default()], &request);
    assert!(line.len() < 400, "{line}");
    // A header's value can hold a tab and bytes beyond ASCII, nothing else that is odd.
    for odd in ["\t", "\u{9b}31m", "\u{2028}"] {
        let mut request = signed(list_queues());
        let value = format!(
            "AWS4-HMAC-SHA256 Credential={odd}/20150830/r/sqs/aws4_request, \
            SignedHeaders=host;x-{odd}, Signature={odd}"
        );
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("a value");
        request.headers_mut().insert(header::AUTHORIZATION, value);
        let line = logged(&[Credential::default()], &request);
        assert!(
            line.chars().all(|c| !c.is_control() && c != '\u{2028}'),
            "{line:?}"
        );
    }
}

#[tokio::test]
async fn an_access_key_that_is_empty_or_has_white_space_is_told_so() {
    let harness = Harness::new();
    let log = Log::capture();
    for (key, told) in [
        ("", "is empty; give the client an access key"),
        (
            " test",
            "has white space around it; take it out of the client's",
        ),
        (
            "test ",
            "has white space around it; take it out of the client's",
        ),
        (
            "te st",
            "has white space in it; take it out of the client's",
        ),
    ] {
        let scope = "20150830/us-east-1/sqs/aws4_request";
        let in_header = altered(|header| {
            header.replace(
                &format!("Credential=test/{scope}"),
                &format!("Credential={key}/{scope}"),
            )
        });
        let answer = harness.send(in_header).await;
        assert_eq!(answer.status, 400, "{key:?}: {answer:?}");
        let warnings = log.warnings();
        let expected = format!("the access key in the credential {told}");
        assert!(warnings[0].contains(&expected), "{key:?}: {warnings:?}");
    }
    let other = altered(|header| header.replace("/aws4_request", ""));
    harness.send(other).await;
    let warnings = log.warnings();
    assert!(
        warnings[0].contains("the credential is not id/date/region/"),
        "{warnings:?}"
    );
}
