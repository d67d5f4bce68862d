//! What is made of refusals and of answers that are none of the service's.

use aws_json::client::{Credentials, Error};
use aws_json::codec::error_body::Fault;

use crate::server::{Answer, KEY, Nobody, SECRET, Server, bounded};

/// The error of a call that is answered so.
async fn error(answer: Answer) -> Error {
    let server = Server::start([answer]).await;
    bounded(server.client().call_value("get_queue_url", None))
        .await
        .unwrap_err()
}

/// The status of an error, as a number.
fn status(error: &Error) -> Option<u16> {
    error.status().map(|status| status.as_u16())
}

#[tokio::test]
async fn a_refusal_as_sqs_writes_it() {
    let body = r#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}"#;
    let error = error(Answer::new(
        400,
        &[
            ("content-type", "application/x-amz-json-1.0"),
            ("x-amzn-requestid", "d2c4"),
            (
                "x-amzn-query-error",
                "AWS.SimpleQueueService.NonExistentQueue;Sender",
            ),
        ],
        body,
    ))
    .await;
    assert_eq!(error.code(), Some("QueueDoesNotExist"));
    assert_eq!(error.snake_code().as_deref(), Some("queue_does_not_exist"));
    assert_eq!(
        error.query_code(),
        Some("AWS.SimpleQueueService.NonExistentQueue")
    );
    assert!(error.is("QueueDoesNotExist"));
    assert!(error.is("AWS.SimpleQueueService.NonExistentQueue"));
    assert!(!error.is("QueueNameExists") && !error.is(""));
    assert_eq!(error.message(), Some("The specified queue does not exist."));
    assert_eq!(status(&error), Some(400));
    assert_eq!(error.request_id(), Some("d2c4"));
    assert_eq!(error.fault(), Some(Fault::Sender));
    assert_eq!(error.body(), body.as_bytes());
    assert!(!error.is_timeout() && !error.is_connect());
    assert_eq!(
        error.to_string(),
        "QueueDoesNotExist: The specified queue does not exist. (400, d2c4)"
    );
}

// The places where AWS's services put an error's type, as Smithy's protocol cases for this
// protocol list them, with and without a namespace and a URL.
#[tokio::test]
async fn the_type_is_found_wherever_a_service_puts_it() {
    for (header, body) in [
        (Some("FooError"), "{}"),
        (
            Some("FooError:http://internal.amazon.com/coral/com.amazon.coral.validate/"),
            "{}",
        ),
        (
            Some("aws.protocoltests.json10#FooError:http://internal.amazon.com/coral/"),
            "{}",
        ),
        (None, r#"{"code":"FooError"}"#),
        (None, r#"{"code":"aws.protocoltests.json10#FooError"}"#),
        (
            None,
            r#"{"code":"aws.protocoltests.json10#FooError:http://internal.amazon.com/"}"#,
        ),
        (None, r#"{"__type":"FooError"}"#),
        (None, r#"{"__type":"aws.protocoltests.json10#FooError"}"#),
        (None, r#"{"__type":"a.different.namespace#FooError"}"#),
        (
            None,
            r#"{"__type":"aws.protocoltests.json10#FooError:http://internal.amazon.com/"}"#,
        ),
        (
            None,
            r#"{"__type":"FooError","ErrorDetails":[{"__type":"other#ErrorDetails"}]}"#,
        ),
    ] {
        let headers: Vec<_> = header
            .map(|value| ("X-Amzn-Errortype", value))
            .into_iter()
            .collect();
        let error = error(Answer::new(500, &headers, body)).await;
        assert_eq!(error.code(), Some("FooError"), "{header:?} {body}");
        assert_eq!(error.snake_code().as_deref(), Some("foo_error"));
        assert_eq!(error.fault(), Some(Fault::Receiver));
        assert_eq!(error.to_string(), "FooError (500, no request id)");
    }
}

#[tokio::test]
async fn a_type_inside_a_member_is_not_the_errors() {
    for body in [
        r#"{"ErrorDetails":[{"__type":"FooError"}]}"#,
        r#"{"Nested":{"__type":"FooError","code":"FooError"}}"#,
    ] {
        assert_eq!(error(Answer::new(400, &[], body)).await.code(), None);
    }
}

#[tokio::test]
async fn a_query_error_that_does_not_split_is_ignored() {
    for value in ["", "Only", "Only;", ";Sender"] {
        let error = error(Answer::new(
            400,
            &[("x-amzn-query-error", value)],
            r#"{"__type":"ns#A"}"#,
        ))
        .await;
        assert_eq!(
            (error.query_code(), error.code()),
            (None, Some("A")),
            "{value:?}"
        );
        assert_eq!(error.fault(), Some(Fault::Sender));
    }
}

#[tokio::test]
async fn a_query_code_alone_names_the_error_and_its_fault_counts_before_the_statuss() {
    let headers = [
        ("x-amzn-query-error", "Busy;Receiver"),
        ("x-amz-request-id", "r7"),
    ];
    let error = error(Answer::new(400, &headers, "")).await;
    assert_eq!(error.code(), Some("Busy"));
    assert!(error.is("Busy"));
    assert_eq!(error.fault(), Some(Fault::Receiver));
    assert_eq!(error.to_string(), "Busy (400, r7)");
}

#[tokio::test]
async fn an_answer_that_is_not_json_never_hides_the_status() {
    for (code, body, shown) in [
        (502, "<html><h1>Bad gateway</h1></html>", "<html>"),
        (503, "", ""),
        (400, "Bad Request", "Bad Request"),
        (500, r#"{"__type":"ns#Cut","mess"#, "{\"__type\""),
        (404, "null", "null"),
        (403, r#"["__type"]"#, "["),
        (307, "moved", "moved"),
    ] {
        let error = error(Answer::new(code, &[("content-type", "text/html")], body)).await;
        assert_eq!(status(&error), Some(code));
        assert_eq!(
            (error.code(), error.snake_code(), error.message()),
            (None, None, None)
        );
        assert!(error.body().starts_with(shown.as_bytes()));
        let told = match body.escape_default().to_string() {
            text if text.is_empty() => text,
            text => format!(": \"{text}\""),
        };
        assert_eq!(
            error.to_string(),
            format!("refused without an error that can be read{told} ({code}, no request id)")
        );
    }
}

#[tokio::test]
async fn a_body_of_bytes_that_are_no_text_is_kept() {
    let error = error(Answer::new(500, &[], b"\xff\x00\xfe")).await;
    assert_eq!(
        (status(&error), error.body()),
        (Some(500), &b"\xff\x00\xfe"[..])
    );
    assert_eq!(
        error.to_string(),
        r#"refused without an error that can be read: "\xff\x00\xfe" (500, no request id)"#
    );
}

#[tokio::test]
async fn a_body_is_shown_as_text_and_display_shows_the_beginning_of_a_long_one() {
    let error = error(Answer::new(502, &[], format!("<p>\n{}", "x".repeat(500)))).await;
    let debug = format!("{error:?}");
    assert!(debug.contains(r#"body: b"<p>\nxxx"#), "{debug}");
    let told = error.to_string();
    assert!(told.contains(r#": "<p>\nxxx"#), "{told}");
    assert!(told.ends_with("xxx…\" (502, no request id)"), "{told}");
    assert_eq!(told.matches('x').count(), 196, "{told}");
}

#[tokio::test]
async fn a_message_without_a_type_is_told() {
    let error = error(Answer::new(403, &[], r#"{"Message":"Missing token"}"#)).await;
    assert_eq!(
        (error.code(), error.message()),
        (None, Some("Missing token"))
    );
    assert_eq!(
        error.to_string(),
        "refused: Missing token (403, no request id)"
    );
}

#[tokio::test]
async fn one_kibibyte_of_a_refusals_body_is_kept() {
    let error = error(Answer::new(500, &[], "x".repeat(5_000))).await;
    assert_eq!(error.body(), "x".repeat(1_024).as_bytes());
}

#[tokio::test]
async fn a_refusal_that_breaks_off_is_still_a_refusal() {
    let error = error(Answer::raw(
        "HTTP/1.1 503 Slow Down\r\nx-amzn-requestid: r1\r\ncontent-length: 999\r\n\r\n{\"__ty",
    ))
    .await;
    assert_eq!(status(&error), Some(503));
    assert_eq!(error.request_id(), Some("r1"));
    assert_eq!(error.body(), b"{\"__ty");
    assert_eq!(error.fault(), Some(Fault::Receiver));
    assert_eq!(
        error.to_string(),
        r#"refused without an error that can be read: "{\"__ty" (503, r1)"#
    );
}

#[tokio::test]
async fn a_success_that_breaks_off_is_an_error_with_its_status() {
    let error = error(Answer::raw(
        "HTTP/1.1 200 OK\r\nx-amzn-requestid: r1\r\ncontent-length: 999\r\n\r\n{}",
    ))
    .await;
    assert_eq!(
        (status(&error), error.request_id()),
        (Some(200), Some("r1"))
    );
    assert_eq!((error.code(), error.fault()), (None, None));
    assert!(
        error.to_string().starts_with("the answer broke off: "),
        "{error}"
    );
    assert!(error.to_string().ends_with(" (200, r1)"), "{error}");
}

#[tokio::test]
async fn a_success_that_cannot_be_read_is_an_error_with_its_status() {
    for (body, text) in [
        (
            "<html>",
            "The body is not valid JSON: expected value at line 1 column 1.",
        ),
        ("[1]", "Start of list found where not expected"),
    ] {
        let error = error(Answer::new(200, &[("x-amzn-requestid", "r1")], body)).await;
        assert_eq!((status(&error), error.code()), (Some(200), None));
        assert_eq!(error.body(), body.as_bytes());
        assert_eq!(
            error.to_string(),
            format!("the answer cannot be read: {text} (200, r1)")
        );
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), text);
    }
}

#[tokio::test]
async fn a_connection_that_ends_without_an_answer_is_neither_a_refusal_nor_a_failure_to_connect() {
    for bytes in [
        "",
        "HTTP/1.1 200 OK\r\ncontent-le",
        "SSH-2.0-OpenSSH_9.2\r\n",
    ] {
        let error = error(Answer::raw(bytes)).await;
        assert_eq!(
            (status(&error), error.code(), error.fault()),
            (None, None, None)
        );
        assert!(!error.is_connect() && !error.is_timeout(), "{bytes:?}");
        assert!(error.body().is_empty());
        assert!(
            error.to_string().starts_with("the call broke off: "),
            "{error}"
        );
    }
}

#[tokio::test]
async fn nobody_listening_is_a_failure_to_connect() {
    let nobody = Nobody::new();
    let client = crate::server::builder(crate::server::sqs(), nobody.url())
        .build()
        .unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is_connect() && !error.is_timeout());
    assert_eq!(error.status(), None);
    let expected = format!("cannot connect to {}/: Connection refused", nobody.url());
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[tokio::test]
async fn a_session_token_that_the_service_repeats_is_removed() {
    const TOKEN: &str = "FwoGZXIvYXdzEHUaDHush";
    let message = format!("canonical string: x-amz-security-token:{TOKEN} and {TOKEN}");
    let body = format!(r#"{{"__type":"ns#InvalidSignatureException","message":"{message}"}}"#);
    let server = Server::start([
        Answer::new(403, &[], &body),
        Answer::ok(format!("[\"{TOKEN}\"]")),
        // The border of what is kept lies within the token.
        Answer::new(500, &[], format!("{}{TOKEN}", "x".repeat(1_015))),
        // Escaped, as JSON may be.
        Answer::new(403, &[], body.replace("FwoG", "\\u0046woG")),
    ])
    .await;
    let client = server
        .builder()
        .credentials(Credentials::new(KEY, SECRET).with_session_token(TOKEN))
        .build()
        .unwrap();
    for _ in 0..4 {
        let error = bounded(client.call_value("list_queues", None))
            .await
            .unwrap_err();
        let kept = String::from_utf8(error.body().to_vec()).unwrap();
        for shown in [error.to_string(), format!("{error:?}"), kept] {
            assert!(
                !shown.contains("woGZXI") && !shown.contains(SECRET),
                "{shown}"
            );
        }
        if error.status().unwrap() == 403 {
            assert_eq!(
                error.message(),
                Some("canonical string: x-amz-security-token:(redacted) and (redacted)")
            );
        }
    }
}

#[tokio::test]
async fn credentials_that_cannot_be_signed_with_are_an_error_before_anything_is_sent() {
    let server = Server::start([]).await;
    for (credentials, text) in [
        (
            Credentials::new(KEY, SECRET).with_session_token(""),
            "the call cannot be signed: the session token is empty or not visible ASCII",
        ),
        (
            Credentials::new(KEY, SECRET).with_session_token("hush\n"),
            "the call cannot be signed: the session token is empty or not visible ASCII",
        ),
    ] {
        let client = server.builder().credentials(credentials).build().unwrap();
        let error = bounded(client.call_value("list_queues", None))
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(error.status().is_none() && !error.is_connect() && !error.is_timeout());
    }
    let bad_key = server
        .builder()
        .credentials(Credentials::new("a b/c", SECRET))
        .build()
        .unwrap();
    let error = bounded(bad_key.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(
        error.to_string().starts_with("the call cannot be signed: "),
        "{error}"
    );
    assert!(server.recorded().is_empty());
}

#[tokio::test]
async fn a_session_token_is_removed_however_it_is_spelled_and_wherever_it_stands() {
    const TOKEN: &str = "FwoGZXIvYXdzEHUaDH/ush+and=more==";
    let slashed = TOKEN.replace('/', "\\/");
    let in_url = TOKEN
        .replace('/', "%2F")
        .replace('+', "%2B")
        .replace('=', "%3D");
    let in_html = TOKEN
        .replace('/', "&#x2F;")
        .replace('+', "&#43;")
        .replace('=', "&#x3D;");
    let id = |value| [("x-amzn-requestid", value), ("x-amzn-errortype", value)];
    let answers = [
        // Not in the message.
        Answer::new(
            400,
            &[],
            format!(r#"{{"message":"no","sent":"{slashed}"}}"#),
        ),
        Answer::new(400, &[], format!(r#"{{"message":"{in_url}"}}"#)),
        Answer::new(400, &[], format!(r#"{{"__type":"ns#{TOKEN}"}}"#)),
        Answer::new(502, &[], format!("<p>{in_html}</p>")),
        Answer::new(400, &id(TOKEN), ""),
        Answer::new(
            400,
            &[("x-amzn-query-error", &format!("{TOKEN};Sender"))],
            "",
        ),
        Answer::new(200, &[("content-encoding", TOKEN)], "x"),
        // Cut off.
        Answer::cut(format!(
            "HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\n{}",
            &TOKEN[..30]
        )),
    ];
    let count = answers.len();
    let server = Server::start(answers).await;
    let client = server
        .builder()
        .credentials(Credentials::new(KEY, SECRET).with_session_token(TOKEN))
        .build()
        .unwrap();
    for number in 0..count {
        let error = bounded(client.call_value("x", None)).await.unwrap_err();
        let kept = String::from_utf8(error.body().to_vec()).unwrap();
        for shown in [error.to_string(), format!("{error:?}"), kept] {
            assert!(!shown.contains("EHUaDH"), "{number}: {shown}");
        }
    }
}

#[tokio::test]
async fn debug_does_not_show_what_a_success_holds() {
    let body = r#"{"SecretString":"hush","Version":"#;
    let error = error(Answer::new(200, &[], body)).await;
    assert_eq!(error.body(), body.as_bytes());
    for shown in [error.to_string(), format!("{error:?}")] {
        assert!(!shown.contains("hush"), "{shown}");
    }
}

#[tokio::test]
async fn a_success_is_a_success_whatever_stands_in_it() {
    let headers = [
        ("x-amzn-errortype", "QueueDoesNotExist"),
        (
            "x-amzn-query-error",
            "AWS.SimpleQueueService.NonExistentQueue;Sender",
        ),
    ];
    let body = r#"{"__type":"ns#QueueDoesNotExist","code":"X","message":"No."}"#;
    for status in [200, 201, 299] {
        let server = Server::start([Answer::new(status, &headers, body)]).await;
        let client = server.builder().build().unwrap();
        let output = bounded(client.call_value("x", None)).await.unwrap();
        assert_eq!(output["message"], "No.");
    }
}

#[tokio::test]
async fn what_an_error_is_called_and_says_has_an_end() {
    let (name, text) = ("N".repeat(100_000), "é".repeat(100_000));
    let body = format!(r#"{{"__type":"ns#{name}","message":"{text}"}}"#);
    let query = format!("{};Sender", "Q".repeat(10_000));
    let error = error(Answer::new(400, &[("x-amzn-query-error", &query)], body)).await;
    assert_eq!(error.code().unwrap().len(), 256);
    assert_eq!(error.query_code().unwrap().len(), 256);
    assert_eq!(error.message().unwrap().len(), 16 * 1024);
    assert!(error.to_string().len() < 20_000);
}
