use super::*;

fn read(body: &str) -> Refusal {
    Refusal::read(&HeaderMap::new(), body.as_bytes())
}

fn with_header(name: &'static str, value: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_static(value));
    headers
}

#[test]
fn version_1_1_writes_the_bare_name() {
    let body = ErrorBody::new("com.amazonaws.kms#NotFoundException").to_bytes(Version::V1_1);
    assert_eq!(&body[..], br#"{"__type":"NotFoundException"}"#);
}

#[test]
fn an_answer_has_status_and_content_type_and_only_the_headers_asked_for() {
    let answer = ErrorBody::new("a#B")
        .with_message("quote \" and line\n")
        .to_response(StatusCode::FORBIDDEN, Version::V1_1);
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert_eq!(answer.headers().len(), 1);
    assert_eq!(answer.headers()[CONTENT_TYPE], "application/x-amz-json-1.1");
    assert_eq!(
        &answer.body()[..],
        br#"{"__type":"B","message":"quote \" and line\n"}"#
    );
}

#[test]
fn what_a_server_writes_a_client_reads() {
    for version in [Version::V1_0, Version::V1_1] {
        let answer = ErrorBody::new("com.amazonaws.sqs#QueueNameExists")
            .with_message("m")
            .with_query_error(QueryError::new("QueueAlreadyExists", Fault::Receiver).unwrap())
            .to_response(StatusCode::BAD_REQUEST, version);
        let refusal = Refusal::read(answer.headers(), answer.body());
        assert_eq!(refusal.name(), Some("QueueNameExists"));
        assert_eq!(refusal.message(), Some("m"));
        assert_eq!(refusal.query_code(), Some("QueueAlreadyExists"));
        assert_eq!(refusal.fault(), Some(Fault::Receiver));
    }
}

#[test]
fn a_query_code_that_would_break_the_header_is_refused() {
    for code in ["", "a;b", "a b", "a\r\nb", "é"] {
        assert_eq!(
            QueryError::new(code, Fault::Sender),
            Err(QueryCodeError),
            "{code:?}"
        );
    }
}

#[test]
fn a_query_error_has_two_parts() {
    for value in ["", ";", "Code", "Code;", ";Sender", " ; Sender"] {
        assert_eq!(QueryError::parse(value), None, "{value:?}");
    }
    let error = QueryError::parse("Code;Customer").unwrap();
    assert_eq!((error.code(), error.fault()), ("Code", None));
}

#[test]
fn the_type_is_read_from_the_header_then_dunder_type_then_code() {
    let body = r#"{"code":"ByCode","__type":"ns#ByType"}"#;
    let headers = with_header("x-amzn-errortype", "ByHeader:http://amazon.com/x#y");
    assert_eq!(
        Refusal::read(&headers, body.as_bytes()).name(),
        Some("ByHeader")
    );
    assert_eq!(read(body).name(), Some("ByType"));
    assert_eq!(read(r#"{"code":"ns#ByCode:x"}"#).name(), Some("ByCode"));
    assert_eq!(read(r#"{"code":404}"#).name(), Some("404"));
}

#[test]
fn a_type_that_is_cut_to_nothing_is_passed_over() {
    let headers = with_header("x-amzn-errortype", ":http://amazon.com");
    let refusal = Refusal::read(&headers, br#"{"__type":"ns#","code":"ByCode"}"#);
    assert_eq!(refusal.name(), Some("ByCode"));
}

#[test]
fn nested_and_differently_spelt_types_do_not_count() {
    for body in [
        r#"{"Nested":{"__type":"Inner","code":"Inner"}}"#,
        r#"{"Code":"Member","__Type":"Member","type":"Member"}"#,
        r#"{"__type":null,"code":{"__type":"Inner"}}"#,
        r#"{"__type":["Inner"],"code":1.5}"#,
        r#"[{"__type":"Inner"}]"#,
    ] {
        assert_eq!(read(body).name(), None, "{body}");
    }
}

#[test]
fn the_message_goes_by_three_names_and_may_be_absent() {
    assert_eq!(
        read(r#"{"Message":"b","message":"a","errorMessage":"c"}"#).message(),
        Some("a")
    );
    assert_eq!(
        read(r#"{"message":null,"Message":"b","errorMessage":"c"}"#).message(),
        Some("b")
    );
    assert_eq!(
        read(r#"{"message":{"x":[1]},"errorMessage":"c"}"#).message(),
        Some("c")
    );
    assert_eq!(read(r#"{"message":null}"#).message(), None);
    assert_eq!(
        read(r#"{"__type":"ns#Known","message":7,"code":true}"#).name(),
        Some("Known")
    );
    assert_eq!(
        read(r#"{"message":"first","message":"last"}"#).message(),
        Some("last")
    );
}

#[test]
fn a_body_that_is_not_an_error_body_reads_as_nothing() {
    for body in [
        "",
        "{}",
        "null",
        "<html>Bad gateway</html>",
        r#"{"__type":"ns#Cut","mess"#,
        "7",
    ] {
        assert_eq!(read(body), Refusal::default(), "{body}");
    }
    assert_eq!(
        Refusal::read(&HeaderMap::new(), b"\xff\xfe"),
        Refusal::default()
    );
    let deep = "[".repeat(100_000);
    assert_eq!(read(&deep), Refusal::default());
}

#[test]
fn headers_are_read_beside_a_body_that_is_not_json() {
    let mut headers = with_header("x-amzn-errortype", "ServiceUnavailable");
    headers.insert(
        X_AMZN_QUERY_ERROR,
        HeaderValue::from_static("Unavailable;Receiver"),
    );
    let refusal = Refusal::read(&headers, b"<html>");
    assert_eq!(refusal.name(), Some("ServiceUnavailable"));
    assert_eq!(refusal.query_code(), Some("Unavailable"));
    assert_eq!(refusal.fault(), Some(Fault::Receiver));
}

#[test]
fn a_status_tells_whose_fault() {
    assert_eq!(
        Fault::from_status(StatusCode::NOT_FOUND),
        Some(Fault::Sender)
    );
    assert_eq!(
        Fault::from_status(StatusCode::BAD_GATEWAY),
        Some(Fault::Receiver)
    );
    assert_eq!(Fault::from_status(StatusCode::FOUND), None);
}
