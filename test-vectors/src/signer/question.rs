//! A case as the line that a signer is asked with.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::case::{Algorithm, Case, Context, Form, Settings};
use crate::message::Message;
use crate::timestamp;

/// What a signer is asked: sign this, for them, then, in this way. One line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    case: String,
    method: String,
    target: Bytes,
    headers: Vec<(String, Bytes)>,
    body: Bytes,
    credentials: Credentials,
    region: String,
    service: String,
    timestamp: String,
    settings: Ways,
}

/// Text where the bytes are UTF-8, and otherwise their hexadecimal digits in an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Hex { hex: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Credentials {
    access_key_id: String,
    secret_access_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_token: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Ways {
    algorithm: Algorithm,
    form: Form,
    expires_in_seconds: u64,
    #[serde(flatten)]
    settings: Settings,
}

impl Question {
    /// The question of a case, in one form.
    #[must_use]
    pub fn new(case: &Case, form: Form) -> Self {
        let (context, request) = (&case.context, &case.request);
        let headers = request
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), Bytes::new(value)));
        Self {
            case: case.name.clone(),
            method: request.method.clone(),
            target: Bytes::new(&request.target),
            headers: headers.collect(),
            body: Bytes::new(&request.body),
            credentials: Credentials {
                access_key_id: context.access_key_id.clone(),
                secret_access_key: context.secret_access_key.clone(),
                session_token: context.session_token.clone(),
            },
            region: context.region.clone(),
            service: context.service.clone(),
            timestamp: timestamp::write(context.timestamp),
            settings: Ways {
                algorithm: context.algorithm,
                form,
                expires_in_seconds: context.expires.as_secs(),
                settings: context.settings,
            },
        }
    }

    /// The line, without its line feed.
    ///
    /// # Panics
    ///
    /// Never: it is made of text and numbers.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("text and numbers are JSON")
    }

    /// Reads a line, as a signer does.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the line.
    pub fn parse(line: &str) -> Result<Self, String> {
        serde_json::from_str(line).map_err(|error| error.to_string())
    }

    /// The case, of which nothing is expected, and the form to sign it in.
    ///
    /// # Errors
    ///
    /// A sentence that says which member is wrong.
    pub fn into_case(self) -> Result<(Case, Form), String> {
        let headers = self
            .headers
            .into_iter()
            .map(|(name, value)| Ok((name, value.into_bytes()?)));
        let case = Case {
            name: self.case,
            context: Context {
                algorithm: self.settings.algorithm,
                access_key_id: self.credentials.access_key_id,
                secret_access_key: self.credentials.secret_access_key,
                session_token: self.credentials.session_token,
                region: self.region,
                service: self.service,
                timestamp: timestamp::parse(&self.timestamp)?,
                expires: Duration::from_secs(self.settings.expires_in_seconds),
                settings: self.settings.settings,
            },
            request: Message {
                method: self.method,
                target: self.target.into_bytes()?,
                headers: headers.collect::<Result<_, String>>()?,
                body: self.body.into_bytes()?,
            },
            derived_key: None,
            header: None,
            query: None,
        };
        Ok((case, self.settings.form))
    }
}

impl Bytes {
    fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex {
                hex: hex::encode(bytes),
            },
        }
    }

    fn into_bytes(self) -> Result<Vec<u8>, String> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Hex { hex } => {
                hex::decode(&hex).map_err(|error| format!("`hex` is {hex:?}: {error}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{PathEncoding, SessionToken};

    fn case() -> Case {
        Case {
            name: "odd".to_owned(),
            context: Context {
                algorithm: Algorithm::V4a,
                access_key_id: "AKID".to_owned(),
                secret_access_key: "secret".to_owned(),
                session_token: Some("token".to_owned()),
                region: "us-*".to_owned(),
                service: "s3".to_owned(),
                timestamp: timestamp::parse("2015-08-30T12:36:00Z").unwrap(),
                expires: Duration::from_secs(60),
                settings: Settings {
                    path_encoding: PathEncoding::Single,
                    session_token: SessionToken::Unsigned,
                    ..Settings::default()
                },
            },
            request: Message {
                method: "PUT".to_owned(),
                target: b"/\xff\n".to_vec(),
                headers: vec![
                    ("Host".to_owned(), b"a".to_vec()),
                    ("X-A".to_owned(), b"\xe9".to_vec()),
                ],
                body: "é\n".as_bytes().to_vec(),
            },
            derived_key: None,
            header: None,
            query: None,
        }
    }

    #[test]
    fn a_case_is_one_line_of_documented_members() {
        let line = Question::new(&case(), Form::Query).to_line();
        assert_eq!(
            line,
            r#"{"case":"odd","method":"PUT","target":{"hex":"2fff0a"},"headers":[["Host","a"],["X-A",{"hex":"e9"}]],"body":"é\n","credentials":{"access_key_id":"AKID","secret_access_key":"secret","session_token":"token"},"region":"us-*","service":"s3","timestamp":"2015-08-30T12:36:00Z","settings":{"algorithm":"sigv4a","form":"query","expires_in_seconds":60,"path_encoding":"single","path_normalization":"normalize","session_token":"unsigned","content_sha256":"omit","payload":"bytes"}}"#
        );
    }

    #[test]
    fn what_is_written_is_read() {
        for form in Form::ALL {
            let line = Question::new(&case(), form).to_line();
            let read = Question::parse(&line).unwrap().into_case();
            assert_eq!(read, Ok((case(), form)));
        }
        let line = Question::new(&case(), Form::Header).to_line();
        assert!(Question::parse("{}").is_err());
        let wrong = line.replace("2fff0a", "2ff");
        assert!(Question::parse(&wrong).unwrap().into_case().is_err());
    }
}
