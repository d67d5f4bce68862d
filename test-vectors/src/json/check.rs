//! A case, and what is not as it should be about it.

use aws_json::client::Error;
use aws_json::codec::content_type::Version;
use aws_json::codec::error_body::Fault;
use aws_json::codec::target::Target;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::case::{Answer, Case, QueryMode, Request, Service, What};
use super::exchange::{Called, Caller, Endpoint, verify};
use super::shapes::{self, ErrorMembers};
use crate::message::Message;
use crate::report::Failure;

/// Runs a case.
pub(super) fn check(runtime: &Runtime, case: &Case) -> Vec<Failure> {
    let checked = match &case.what {
        What::Request {
            input,
            endpoint,
            expected,
        } => request(runtime, case, input, endpoint.as_deref(), expected),
        What::Response { answer, output } => response(runtime, case, answer, output),
        What::Refusal {
            answer,
            code,
            message,
            members,
        } => {
            let expected = ExpectedError {
                answer,
                code,
                message: message.as_deref(),
                members,
            };
            refusal(runtime, case, &expected)
        }
        What::Server { request, input } => server(case, request, input),
    };
    checked.unwrap_or_else(|problem| vec![Failure::new("the case", "that it can be run", &problem)])
}

type Checked = Result<Vec<Failure>, String>;

fn request(
    runtime: &Runtime,
    case: &Case,
    input: &Value,
    endpoint: Option<&str>,
    expected: &Request,
) -> Checked {
    let answer = Answer {
        status_code: 200,
        headers: [].into(),
        body: "{}".to_owned(),
    };
    let host = expected.host();
    let caller = Caller {
        runtime,
        service: &case.service,
        endpoint: endpoint.zip(host).map(|(url, host)| Endpoint { url, host }),
        answer: &answer,
    };
    let called = call(&caller, &case.operation, input)?;
    let mut failures = Failures::default();
    if let Err(error) = called.output {
        failures.push("the call", "that it succeeds", &error.to_string());
    }
    match &called.request {
        Some(sent) => failures.request(&case.service, sent, expected),
        None => failures.push("the request", "that one is sent", "none"),
    }
    Ok(failures.0)
}

fn response(runtime: &Runtime, case: &Case, answer: &Answer, output: &Value) -> Checked {
    let caller = Caller {
        runtime,
        service: &case.service,
        endpoint: None,
        answer,
    };
    let called = call(&caller, &case.operation, &json!({}))?;
    let mut failures = Failures::default();
    match called.output {
        Ok(read) => failures.json("the output", output, &read),
        Err(error) => failures.push("the call", "that it succeeds", &error.to_string()),
    }
    Ok(failures.0)
}

/// What a client must make of a refusal.
struct ExpectedError<'a> {
    answer: &'a Answer,
    code: &'a str,
    message: Option<&'a str>,
    members: &'a Value,
}

fn refusal(runtime: &Runtime, case: &Case, expected: &ExpectedError<'_>) -> Checked {
    let caller = Caller {
        runtime,
        service: &case.service,
        endpoint: None,
        answer: expected.answer,
    };
    let called = call(&caller, &case.operation, &json!({}))?;
    let mut failures = Failures::default();
    match called.output {
        Ok(_) => failures.push("the call", "that it is refused", "it succeeds"),
        Err(error) => failures.error(&error, expected),
    }
    Ok(failures.0)
}

fn server(case: &Case, request: &Request, input: &Value) -> Checked {
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        headers.append(
            HeaderName::try_from(name).map_err(|error| error.to_string())?,
            HeaderValue::try_from(value).map_err(|error| error.to_string())?,
        );
    }
    let mut failures = Failures::default();
    let version = Version::from_headers(&headers);
    failures.text(
        "the version",
        case.service.version.content_type(),
        version.map_or("none", Version::content_type),
    );
    let expected = format!("{}.{}", case.service.target_prefix, case.operation);
    match Target::from_headers(&headers) {
        Ok(target) => failures.text("the target", &expected, &target.to_string()),
        Err(error) => failures.push("the target", &expected, &error.to_string()),
    }
    let body = request.body.as_deref().unwrap_or_default();
    let read = shapes::reread(&case.operation, body.as_bytes())
        .ok_or_else(|| no_shape(&case.operation))?;
    match read {
        Ok(read) => failures.json("the input", input, &read),
        Err(error) => failures.push("the body", "that it is read", &error),
    }
    Ok(failures.0)
}

fn call(caller: &Caller<'_>, operation: &str, input: &Value) -> Result<Called, String> {
    shapes::call(caller, operation, input).ok_or_else(|| no_shape(operation))?
}

fn no_shape(operation: &str) -> String {
    format!("src/json/shapes.rs has no operation {operation}")
}

#[derive(Default)]
struct Failures(Vec<Failure>);

impl Failures {
    fn push(&mut self, stage: &str, expected: &str, got: &str) {
        self.0.push(Failure::new(stage, expected, got));
    }

    fn text(&mut self, stage: &str, expected: &str, got: &str) {
        if expected != got {
            self.push(stage, expected, got);
        }
    }

    fn json(&mut self, stage: &str, expected: &Value, got: &Value) {
        self.text(stage, &pretty(expected), &pretty(got));
    }

    fn request(&mut self, service: &Service, sent: &Message, expected: &Request) {
        if let Err(refusal) = verify(sent) {
            self.push("the signature", "a right one", &refusal);
        }
        self.text("the method", &expected.method, &sent.method);
        self.text("the path", &expected.uri, &lossy(&sent.target));
        for (name, value) in &expected.headers {
            self.header(name, sent, value);
        }
        if let Some(host) = expected.host() {
            self.header("Host", sent, host);
        }
        for name in &expected.require_headers {
            if sent.header(name).is_none() {
                self.push(&format!("the header {name}"), "that it is there", "missing");
            }
        }
        // Asked for in words, of every service that is not query-compatible.
        let query_mode = match service.query_mode {
            QueryMode::Compatible => None,
            QueryMode::Forbidden => Some("x-amzn-query-mode"),
        };
        let forbidden = expected.forbid_headers.iter().map(String::as_str);
        for name in forbidden.chain(query_mode) {
            if let Some(value) = sent.header(name) {
                self.push(
                    &format!("the header {name}"),
                    "that it is not there",
                    &lossy(value),
                );
            }
        }
        if let Some(body) = &expected.body {
            match (
                serde_json::from_str(body),
                serde_json::from_slice(&sent.body),
            ) {
                (Ok(expected), Ok(got)) => self.json("the body", &expected, &got),
                (_, _) => self.text("the body", body, &lossy(&sent.body)),
            }
        }
    }

    fn header(&mut self, name: &str, sent: &Message, expected: &str) {
        let stage = format!("the header {name}");
        let given = sent
            .headers
            .iter()
            .filter(|(given, _)| given.eq_ignore_ascii_case(name));
        let values: Vec<String> = given.map(|(_, value)| lossy(value)).collect();
        self.text(&stage, expected, &values.join("\n"));
    }

    fn error(&mut self, error: &Error, expected: &ExpectedError<'_>) {
        if !error.is(expected.code) {
            self.push("the code", expected.code, error.code().unwrap_or("none"));
        }
        let status = error.status().map_or(0, |status| status.as_u16());
        self.text(
            "the status",
            &expected.answer.status_code.to_string(),
            &status.to_string(),
        );
        self.text(
            "the message",
            expected.message.unwrap_or("none"),
            error.message().unwrap_or("none"),
        );
        let fault = match expected.answer.status_code {
            500.. => Fault::Receiver,
            _ => Fault::Sender,
        };
        if error.fault() != Some(fault) {
            self.push("the fault", fault.name(), &format!("{:?}", error.fault()));
        }
        let members = aws_json::codec::body::decode::<ErrorMembers>(error.body());
        match members
            .map_err(|error| error.to_string())
            .and_then(|m| shapes::written(&m))
        {
            Ok(members) => self.json("the members", expected.members, &members),
            Err(problem) => self.push("the members", &pretty(expected.members), &problem),
        }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
