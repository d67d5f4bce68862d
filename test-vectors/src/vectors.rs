//! Vectors of this repository: JSON files in `test-vectors/vectors/sigv4`.
//!
//! `README.md` in that folder describes the format. Each file names its source.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::case::{Algorithm, Case, Context, Expected, Settings};
use crate::error::{entries, read};
use crate::message::{self, Message};
use crate::{LoadError, timestamp};

/// Where this repository's own vectors are.
#[must_use]
pub fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "vectors", "sigv4"]
        .iter()
        .collect()
}

/// Reads every `*.json` file of a folder, in the order of their names.
///
/// # Errors
///
/// The first file that cannot be read or is not in the format, by name, with what was expected; a
/// folder without such a file; two cases of one name.
pub fn load(folder: &Path) -> Result<Vec<Case>, LoadError> {
    let mut cases: Vec<Case> = Vec::new();
    for path in entries(folder, "a folder of vectors")? {
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let text = read(&path, "vectors as JSON")?;
            for case in parse(&text).map_err(|problem| LoadError::malformed(&path, problem))? {
                if cases.iter().any(|other| other.name == case.name) {
                    let problem = format!("{:?} is the name of two cases; expected one", case.name);
                    return Err(LoadError::malformed(&path, problem));
                }
                cases.push(case);
            }
        }
    }
    if cases.is_empty() {
        return Err(LoadError::malformed(
            folder,
            "no case is in it; expected *.json files",
        ));
    }
    Ok(cases)
}

fn parse(text: &str) -> Result<Vec<Case>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.source.trim().is_empty() {
        return Err("`source` is empty; expected where the figures come from".to_owned());
    }
    file.cases.into_iter().map(CaseFile::into_case).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    cases: Vec<CaseFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    name: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(rename = "not_botocore")]
    _not_botocore: Option<String>,
    context: ContextFile,
    #[serde(default)]
    settings: Settings,
    request: RequestFile,
    derived_key: Option<String>,
    header: Option<ExpectedFile>,
    query: Option<ExpectedFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextFile {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
    region: String,
    service: String,
    timestamp: String,
    expires_in_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFile {
    method: String,
    target: String,
    headers: Vec<String>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFile {
    canonical_request: Option<Vec<String>>,
    string_to_sign: Option<Vec<String>>,
    signature: Option<String>,
    added_headers: Option<Vec<String>>,
    signed_target: Option<String>,
}

impl CaseFile {
    fn into_case(self) -> Result<Case, String> {
        let name = self.name;
        let inside = |problem: String| format!("case {name:?}: {problem}");
        let context = self.context;
        let context = Context {
            algorithm: Algorithm::V4,
            access_key_id: context.access_key_id,
            secret_access_key: context.secret_access_key,
            session_token: context.session_token,
            region: context.region,
            service: context.service,
            timestamp: timestamp::parse(&context.timestamp).map_err(inside)?,
            expires: Duration::from_secs(context.expires_in_seconds),
            settings: self.settings,
        };
        let request = self.request.into_message().map_err(inside)?;
        let expected = |file: Option<ExpectedFile>| {
            file.map(|file| file.into_expected(&request))
                .transpose()
                .map_err(inside)
        };
        let (header, query) = (expected(self.header)?, expected(self.query)?);
        if header.is_none() && query.is_none() {
            return Err(inside(
                "nothing is expected of it; give `header` or `query`".to_owned(),
            ));
        }
        Ok(Case {
            context,
            request,
            derived_key: self.derived_key,
            header,
            query,
            name,
        })
    }
}

impl RequestFile {
    fn into_message(self) -> Result<Message, String> {
        if !self.target.starts_with('/') {
            return Err(format!(
                "the target is {:?}; expected one that begins with /",
                self.target
            ));
        }
        Ok(Message {
            method: self.method,
            target: self.target.into_bytes(),
            headers: headers(&self.headers)?,
            body: self.body.into_bytes(),
        })
    }
}

impl ExpectedFile {
    /// The signed request is written as what it adds to `request`.
    fn into_expected(self, request: &Message) -> Result<Expected, String> {
        let mut signed_request = None;
        if let Some(added) = &self.added_headers {
            let signed = signed_request.get_or_insert_with(|| request.clone());
            signed.headers.extend(headers(added)?);
        }
        if let Some(target) = self.signed_target {
            let signed = signed_request.get_or_insert_with(|| request.clone());
            signed.target = target.into_bytes();
        }
        let lines = |lines: Option<Vec<String>>| lines.map(|lines| lines.join("\n"));
        let expected = Expected {
            canonical_request: lines(self.canonical_request),
            string_to_sign: lines(self.string_to_sign),
            signature: self.signature,
            signed_request,
        };
        if expected == Expected::default() {
            return Err("a form is given without any stage; expected at least one".to_owned());
        }
        Ok(expected)
    }
}

fn headers(lines: &[String]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let header = |line: &String| {
        message::header(line)
            .ok_or_else(|| format!("a header is {line:?}; expected one like \"Name:value\""))
    };
    lines.iter().map(header).collect()
}
