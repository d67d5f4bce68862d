//! Which protocol a request speaks, and that every error has its form in each.

use axum::body::Body;
use http::Request;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use sqs::ErrorCode;

use super::*;
use crate::seed::RequestIds;

const JSON: &str = "application/x-amz-json-1.0";
const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// What the head of a request says: method, target, `X-Amz-Target` and Content-Type.
type Head = (
    &'static str,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
);

#[track_caller]
fn assert_protocol(heads: &[Head], protocol: Protocol, can_ask: bool) {
    for head in heads {
        let (method, uri, target, content_type) = head;
        let mut request = Request::builder().method(*method).uri(*uri);
        for (name, value) in [("x-amz-target", target), ("content-type", content_type)] {
            if let Some(value) = value {
                request = request.header(name, *value);
            }
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let found = Protocol::of(&parts.method, &parts.uri, &parts.headers);
        assert_eq!(
            (found, found.can_ask(&parts)),
            (protocol, can_ask),
            "{head:?}"
        );
    }
}

#[test]
fn the_head_of_a_request_decides_its_protocol_and_whether_it_can_ask() {
    let target = Some("AmazonSQS.ListQueues");
    let action = "/?Version=1&Action=ListQueues";
    let json = [
        ("POST", "/", target, Some(JSON)),
        ("POST", "/", target, None),
        // Who names a target means it, and is told what is wrong with the rest.
        ("POST", "/", target, Some(FORM)),
        ("POST", action, target, None),
        ("POST", action, None, Some(JSON)),
        ("POST", action, None, Some("application/x-amz-json-1.1")),
        ("POST", "/?MyAction=ListQueues", None, None),
        ("POST", "/", None, Some("application/json")),
        ("POST", "/", None, None),
    ];
    assert_protocol(&json, Protocol::Json, true);
    let query = [
        ("POST", "/", None, Some(FORM)),
        (
            "POST",
            "/a/b",
            None,
            Some("Application/X-WWW-Form-URLEncoded"),
        ),
        ("POST", action, None, None),
        ("POST", action, None, Some("text/plain")),
        ("GET", action, None, None),
        // No body is read of a GET, so it says nothing about what that would be.
        ("GET", action, None, Some(JSON)),
    ];
    assert_protocol(&query, Protocol::Query(Rendering::Xml), true);
    assert_protocol(
        &[("GET", action, target, None), ("PUT", "/", target, None)],
        Protocol::Json,
        false,
    );
    let nothing = [
        ("GET", "/a/b", None, None),
        ("GET", "/", None, Some(FORM)),
        ("HEAD", action, None, None),
        ("PUT", action, None, None),
        ("DELETE", "/a/b", None, None),
    ];
    assert_protocol(&nothing, Protocol::Query(Rendering::Xml), false);
}

/// The status, the content type, the header `x-amzn-query-error`, and the body.
async fn taken(response: Response<Body>) -> (u16, String, Option<String>, String) {
    let (parts, body) = response.into_parts();
    let text = |name: &str| {
        let value = parts.headers.get(name)?;
        Some(value.to_str().expect("ASCII").to_owned())
    };
    let body = body.collect().await.expect("whole").to_bytes();
    (
        parts.status.as_u16(),
        text(CONTENT_TYPE.as_str()).unwrap_or_default(),
        text("x-amzn-query-error"),
        String::from_utf8(body.to_vec()).expect("UTF-8"),
    )
}

#[tokio::test]
async fn every_error_of_the_table_has_its_form_in_each_protocol() {
    let request_id = RequestIds::new(7).next();
    for code in ErrorCode::ALL {
        let error = Error::new(*code, "words");
        for protocol in [
            Protocol::Json,
            Protocol::Query(Rendering::Xml),
            Protocol::Query(Rendering::Json),
        ] {
            let reply = Reply {
                protocol,
                request_id,
            };
            let (status, content_type, query_error, body) = taken(reply.error(&error)).await;
            assert_eq!(status, code.status(), "{code}");
            let (query_code, fault) = (code.query_code(), code.fault());
            match protocol {
                Protocol::Json => {
                    assert_eq!(content_type, JSON);
                    assert_eq!(query_error, Some(format!("{query_code};{fault}")));
                    let shape = code.shape_id();
                    let expected = format!(r#"{{"__type":"{shape}","message":"words"}}"#);
                    assert_eq!(body, expected);
                }
                Protocol::Query(Rendering::Json) => {
                    assert_eq!(content_type, "application/json");
                    assert_eq!(query_error, None);
                    let expected = format!(
                        r#"{{"Error":{{"Code":"{query_code}","Message":"words","Type":"{fault}"}},"RequestId":"{request_id}"}}"#
                    );
                    assert_eq!(body, expected);
                }
                Protocol::Query(Rendering::Xml) => {
                    assert_eq!(content_type, "text/xml");
                    assert_eq!(query_error, None);
                    let expected = format!(
                        "<?xml version=\"1.0\"?><ErrorResponse \
                         xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error>\
                         <Type>{fault}</Type><Code>{query_code}</Code><Message>words</Message>\
                         <Detail/></Error><RequestId>{request_id}</RequestId></ErrorResponse>"
                    );
                    assert_eq!(body, expected);
                }
            }
        }
    }
}

#[test]
fn json_is_answered_to_whoever_names_it_and_xml_to_all_others() {
    let json = [
        "application/json",
        "Application/JSON; charset=utf-8",
        // What axios sends.
        "application/json, text/plain, */*",
        "text/xml;q=0.9, application/json",
        "application/json;q=0.25,application/xml; q=0.2",
        "text/xml;Q=0.5, application/json;q=0.75",
        // More digits than there may be.
        "text/xml;q=0.1, application/json;q=0.12345",
    ];
    let xml = [
        "",
        "*/*",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "text/xml, application/json",
        "application/json;q=0.5, text/xml",
        "application/json;q=0",
        "application/json;q=soon",
        "application/json;q=9",
        "application/json;Q=0.5, text/xml",
        "application/jsonp",
    ];
    for (accepted, rendering) in [(&json[..], Rendering::Json), (&xml, Rendering::Xml)] {
        for accept in accepted {
            let request = Request::post("/?Action=ListQueues").header("accept", *accept);
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            let found = Protocol::of(&parts.method, &parts.uri, &parts.headers);
            assert_eq!(found, Protocol::Query(rendering), "{accept:?}");
        }
    }
}

#[test]
fn several_headers_of_what_is_accepted_are_one_list() {
    for (accepts, rendering) in [
        (["text/plain", "application/json"], Rendering::Json),
        (["application/json;q=0.5", "text/xml"], Rendering::Xml),
    ] {
        let mut request = Request::post("/?Action=ListQueues");
        for accept in accepts {
            request = request.header("accept", accept);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let found = Protocol::of(&parts.method, &parts.uri, &parts.headers);
        assert_eq!(found, Protocol::Query(rendering), "{accepts:?}");
    }
}
