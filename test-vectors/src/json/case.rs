//! Cases of the protocol, in the form of botocore's files.
//!
//! A file is a list of suites; a suite says which service is meant (`metadata`), its shapes, and its cases; a
//! case has what goes in and what must come out. Our own cases are in the same form, with two members more:
//! `server` for what a server must read, and `forbidHeaders`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aws_json::codec::content_type::Version;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::wire_form::{Shape, ShapeRef, wire_form};
use crate::LoadError;
use crate::botocore::Botocore;
use crate::error::read;

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// AWS's name of it. A request and an answer may go by the same one.
    pub id: String,
    /// Whose call it is.
    pub service: Service,
    /// The operation's name.
    pub operation: String,
    /// What is to be shown.
    pub what: What,
}

/// What a case says of its service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// What stands in `X-Amz-Target` before the operation.
    pub target_prefix: String,
    /// The protocol's version.
    pub version: Version,
    /// Whether it once spoke the Query protocol.
    pub query_mode: QueryMode,
}

/// Whether a service may be sent `x-amzn-query-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryMode {
    /// It must be sent `true`.
    Compatible,
    /// It must not be sent it.
    Forbidden,
}

/// What a case shows. Values are in the form that the wire has for them.
#[derive(Debug, Clone)]
pub enum What {
    /// A client sends this request for this input.
    Request {
        /// The input.
        input: Value,
        /// Where the client is told to send it: a URL, if that matters.
        endpoint: Option<String>,
        /// What must be sent.
        expected: Request,
    },
    /// A client makes this output of an answer.
    Response {
        /// The answer.
        answer: Answer,
        /// The output.
        output: Value,
    },
    /// A client makes this error of an answer.
    Refusal {
        /// The answer.
        answer: Answer,
        /// The error's code, or its code in the Query protocol.
        code: String,
        /// Its message, if it has one.
        message: Option<String>,
        /// Its members, message included.
        members: Value,
    },
    /// A server reads this input from a request.
    Server {
        /// What arrives.
        request: Request,
        /// The input.
        input: Value,
    },
}

/// A request as far as a case says what it is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Request {
    /// For instance `POST`.
    pub method: String,
    /// The path.
    pub uri: String,
    /// Headers that must be there with this value.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Headers that must be there.
    #[serde(default)]
    pub require_headers: Vec<String>,
    /// Headers that must not be there.
    #[serde(default)]
    pub forbid_headers: Vec<String>,
    /// The body; none if it does not matter.
    pub body: Option<String>,
    /// The host, perhaps with a path; none if it does not matter.
    pub host: Option<String>,
}

impl Request {
    /// The host without a path.
    pub(super) fn host(&self) -> Option<&str> {
        self.host.as_deref()?.split('/').next()
    }
}

/// An answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The status.
    pub status_code: u16,
    /// Its headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Its body; empty if there is none.
    #[serde(default)]
    pub body: String,
}

/// The cases of botocore that are for this protocol.
pub const PUBLISHED: [&str; 6] = [
    "tests/unit/protocols/input/json.json",
    "tests/unit/protocols/input/json_1_0.json",
    "tests/unit/protocols/input/json_1_0-query-compatible.json",
    "tests/unit/protocols/output/json.json",
    "tests/unit/protocols/output/json_1_0.json",
    "tests/unit/protocols/output/json_1_0-query-compatible.json",
];

/// Reads the cases of botocore's files.
///
/// # Errors
///
/// The first file that is missing or not in its form, or that has another number of cases than it is pinned to.
pub fn published(botocore: &Botocore) -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    for file in PUBLISHED {
        let (suites, count) = botocore.read::<Vec<Suite>>(file)?;
        let path = Path::new(file);
        let read = in_suites(path, suites)?;
        if read.len() != count {
            let problem = format!("{} cases are in it; expected {count}", read.len());
            return Err(LoadError::malformed(path, problem));
        }
        cases.extend(read);
    }
    Ok(cases)
}

/// Where this repository's own cases are.
#[must_use]
pub fn own_file() -> PathBuf {
    folder().join("own.json")
}

/// Reads a file of our own cases.
///
/// # Errors
///
/// If it cannot be read or is not in the form.
pub fn own(path: &Path) -> Result<Vec<Case>, LoadError> {
    let text = read(path, "cases as JSON")?;
    let suites = serde_json::from_str(&text);
    in_suites(
        path,
        suites.map_err(|error| LoadError::malformed(path, error.to_string()))?,
    )
}

pub(super) fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "vectors", "aws-json"]
        .iter()
        .collect()
}

fn in_suites(path: &Path, suites: Vec<Suite>) -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    for suite in suites {
        for case in suite.cases {
            let id = case.id.clone();
            let case = case
                .into_case(
                    &suite.metadata,
                    &suite.shapes,
                    suite.client_endpoint.as_deref(),
                )
                .map_err(|problem| LoadError::malformed(path, format!("case {id:?}: {problem}")))?;
            cases.push(case);
        }
    }
    Ok(cases)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Suite {
    #[serde(rename = "description")]
    _description: String,
    metadata: Metadata,
    #[serde(default)]
    shapes: BTreeMap<String, Shape>,
    client_endpoint: Option<String>,
    cases: Vec<CaseFile>,
}

/// Botocore's metadata have more members than matter here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    json_version: String,
    target_prefix: String,
    aws_query_compatible: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CaseFile {
    id: String,
    #[serde(rename = "description")]
    _description: Option<String>,
    given: Given,
    #[serde(default)]
    server: bool,
    params: Option<Value>,
    serialized: Option<Request>,
    response: Option<Answer>,
    result: Option<Value>,
    error: Option<Value>,
    error_code: Option<String>,
    error_message: Option<String>,
}

/// The operation; there is more that does not matter here.
#[derive(Deserialize)]
struct Given {
    name: String,
    input: Option<ShapeRef>,
    output: Option<ShapeRef>,
    errors: Option<Vec<ShapeRef>>,
}

impl CaseFile {
    fn into_case(
        self,
        metadata: &Metadata,
        shapes: &BTreeMap<String, Shape>,
        endpoint: Option<&str>,
    ) -> Result<Case, String> {
        let service = metadata.service()?;
        let given = self.given;
        let error_shape = given.errors.as_ref().and_then(|errors| errors.first());
        let what = match (self.serialized, self.response) {
            (Some(request), None) => {
                let params = self.params.ok_or("it has no `params`")?;
                let input = wire_form(shapes, given.input.as_ref(), params)?;
                if self.server {
                    What::Server { request, input }
                } else {
                    What::Request {
                        input,
                        endpoint: endpoint.map(ToOwned::to_owned),
                        expected: request,
                    }
                }
            }
            (None, Some(answer)) => match (self.result, self.error, self.error_code) {
                (Some(result), None, None) => What::Response {
                    answer,
                    output: wire_form(shapes, given.output.as_ref(), result)?,
                },
                (None, Some(error), Some(code)) => What::Refusal {
                    answer,
                    code,
                    message: self.error_message,
                    members: wire_form(shapes, error_shape, error)?,
                },
                _ => return Err("expected `result`, or `error` and `errorCode`".to_owned()),
            },
            _ => return Err("expected `serialized` or `response`".to_owned()),
        };
        Ok(Case {
            id: self.id,
            service,
            operation: given.name,
            what,
        })
    }
}

impl Metadata {
    fn service(&self) -> Result<Service, String> {
        Ok(Service {
            target_prefix: self.target_prefix.clone(),
            version: match self.json_version.as_str() {
                "1.0" => Version::V1_0,
                "1.1" => Version::V1_1,
                other => return Err(format!("jsonVersion is {other:?}; expected 1.0 or 1.1")),
            },
            query_mode: match self.aws_query_compatible {
                Some(_) => QueryMode::Compatible,
                None => QueryMode::Forbidden,
            },
        })
    }
}
