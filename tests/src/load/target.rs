//! The service under load: where it is, and who calls it.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderValue};
use http::uri::{Authority, Scheme, Uri};
use http::{HeaderName, Request};
use http_body_util::Full;
use sigv4::{Credentials, Payload, Signer};
use sqs::Operation;

use crate::clock;

/// The content type of the JSON protocol as SQS speaks it.
const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

/// The header that names the operation.
pub(super) const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Where a service is: `http://localhost:9324`, or `https://sqs.eu-central-1.amazonaws.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    uri: Uri,
    host: HeaderValue,
}

/// Why a text is no endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoEndpoint(String);

impl fmt::Display for NoEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no endpoint: it is http:// or https://, a host and perhaps a port, as in \
             http://127.0.0.1:9324",
            self.0
        )
    }
}

impl std::error::Error for NoEndpoint {}

impl FromStr for Endpoint {
    type Err = NoEndpoint;

    fn from_str(text: &str) -> Result<Self, NoEndpoint> {
        let wrong = || NoEndpoint(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let is_http = [Some(&Scheme::HTTP), Some(&Scheme::HTTPS)].contains(&uri.scheme());
        let authority = uri.authority().ok_or_else(wrong)?;
        let has_more = uri.path().len() > 1 || uri.query().is_some();
        if !is_http || has_more || authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(wrong());
        }
        let host = HeaderValue::from_str(authority.as_str()).map_err(|_| wrong())?;
        Ok(Self { uri, host })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.uri.to_string();
        f.write_str(text.trim_end_matches('/'))
    }
}

impl Endpoint {
    /// For whoever connects.
    #[must_use]
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Whether it is called over TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.uri.scheme() == Some(&Scheme::HTTPS)
    }

    /// The port on this machine, if it is one.
    #[must_use]
    pub fn local_port(&self) -> Option<u16> {
        let authority: &Authority = self.uri.authority()?;
        let host = authority.host();
        let is_local = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        let usual = if self.is_https() { 443 } else { 80 };
        is_local.then(|| authority.port_u16().unwrap_or(usual))
    }
}

/// A service, with the caller who signs.
#[derive(Debug)]
pub struct Target {
    endpoint: Endpoint,
    signer: Signer,
}

impl Target {
    /// A service that is called with this key.
    #[must_use]
    pub fn new(endpoint: Endpoint, key: &str, secret: &str, region: &str) -> Self {
        Self::signed_with(endpoint, Credentials::new(key, secret), region)
    }

    /// A service that is called with these credentials, which may have a session token.
    #[must_use]
    pub fn signed_with(endpoint: Endpoint, credentials: Credentials, region: &str) -> Self {
        Self {
            endpoint,
            signer: Signer::new(credentials, region, sqs::SIGNING_NAME),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A call, signed now.
    ///
    /// # Errors
    ///
    /// When key, secret or region cannot be written in a signature; the text says which.
    pub fn request(
        &self,
        operation: Operation,
        body: &Bytes,
    ) -> Result<Request<Full<Bytes>>, String> {
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = http::Method::POST;
        let headers = request.headers_mut();
        headers.insert(HOST, self.endpoint.host.clone());
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(TARGET, target_of(operation));
        sigv4::sign_request(
            &self.signer,
            &mut request,
            Payload::Bytes(body),
            clock::now(),
        )
        .map_err(|error| error.to_string())?;
        Ok(request)
    }
}

fn target_of(operation: Operation) -> HeaderValue {
    let text = match operation {
        Operation::SendMessage => "AmazonSQS.SendMessage",
        Operation::ReceiveMessage => "AmazonSQS.ReceiveMessage",
        Operation::DeleteMessage => "AmazonSQS.DeleteMessage",
        other => {
            let text = format!("{}.{}", sqs::TARGET_PREFIX, other.name());
            return HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""));
        }
    };
    HeaderValue::from_static(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_told_from_other_texts() {
        for (text, port) in [
            ("http://localhost:9324", Some(9324)),
            ("http://127.0.0.1/", Some(80)),
            ("http://[::1]:1", Some(1)),
            ("https://localhost", Some(443)),
            ("https://sqs.us-east-1.amazonaws.com", None),
        ] {
            let endpoint: Endpoint = text.parse().expect(text);
            assert_eq!(endpoint.local_port(), port, "{text}");
            assert_eq!(endpoint.to_string(), text.trim_end_matches('/'));
        }
        for text in [
            "",
            "localhost:9324",
            "ftp://a",
            "http://",
            "http://a/queue",
            "http://u:p@a",
        ] {
            let error = text.parse::<Endpoint>().expect_err(text);
            assert!(error.to_string().contains("is no endpoint"), "{error}");
        }
    }

    #[test]
    fn a_request_is_signed_and_names_its_operation() {
        let endpoint = "http://localhost:9324".parse().expect("an endpoint");
        let target = Target::new(endpoint, "test", "test", "us-east-1");
        for operation in Operation::ALL {
            let request = target
                .request(*operation, &Bytes::from_static(b"{}"))
                .expect("signed");
            let headers = request.headers();
            assert_eq!(headers[TARGET], format!("AmazonSQS.{operation}"));
            assert_eq!(headers[HOST], "localhost:9324");
            assert!(headers.contains_key("authorization"));
        }
        assert!(!format!("{target:?}").contains("secret_access_key: \"test\""));
    }

    #[test]
    fn a_session_token_is_sent_and_signed() {
        let endpoint = "http://localhost:9324".parse().expect("an endpoint");
        let credentials = Credentials::new("test", "test").with_session_token("hush");
        let target = Target::signed_with(endpoint, credentials, "us-east-1");
        let request = target.request(Operation::SendMessage, &Bytes::from_static(b"{}"));
        let headers = request.expect("signed").headers().clone();
        assert_eq!(headers["x-amz-security-token"], "hush");
        let signature = headers["authorization"].to_str().expect("text");
        assert!(signature.contains("x-amz-security-token"), "{signature}");
    }
}
