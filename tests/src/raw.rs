//! Single HTTP requests, signed by `sigv4`, which a test may spoil before they are sent.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fake_sqs::FakeSqs;
use http::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use sigv4::{Credentials, Payload, Signer};
use tokio::net::TcpStream;

use crate::bound::within;
use crate::clock;

/// The content type of AWS's JSON protocol as SQS speaks it.
pub const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

/// The content type of a form.
pub const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// The header that names the operation.
pub const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// A request that calls an operation, complete but for its signature.
///
/// # Panics
///
/// When `operation` cannot stand in a header.
#[must_use]
pub fn call(server: &FakeSqs, operation: &str, body: impl Into<Bytes>) -> Request<Bytes> {
    Request::post("/")
        .header(HOST, host(server))
        .header(CONTENT_TYPE, JSON)
        .header(TARGET, format!("AmazonSQS.{operation}"))
        .body(body.into())
        .expect("a request")
}

/// A GET of `target`, complete but for its signature.
///
/// # Panics
///
/// When `target` is no request target.
#[must_use]
pub fn get(server: &FakeSqs, target: &str) -> Request<Bytes> {
    Request::get(target)
        .header(HOST, host(server))
        .body(Bytes::new())
        .expect("a request")
}

/// A form that is posted to `path`, as clients of the older Query protocol send it, complete but for
/// its signature.
///
/// # Panics
///
/// When `path` is no request target.
#[must_use]
pub fn form(server: &FakeSqs, path: &str, parameters: impl Into<Bytes>) -> Request<Bytes> {
    Request::post(path)
        .header(HOST, host(server))
        .header(CONTENT_TYPE, FORM)
        .body(parameters.into())
        .expect("a request")
}

fn host(server: &FakeSqs) -> String {
    let url = server.endpoint_url();
    url.strip_prefix("http://")
        .expect("the server speaks plain HTTP")
        .to_owned()
}

/// Who signs, for what and when.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The access key.
    pub key: &'static str,
    /// Its secret.
    pub secret: &'static str,
    /// The region of the scope.
    pub region: &'static str,
    /// The service of the scope.
    pub service: &'static str,
    /// The time of the signature.
    pub at: SystemTime,
}

impl Default for Signature {
    /// The server's built-in credential, and now.
    fn default() -> Self {
        Signature {
            key: "test",
            secret: "test",
            region: "us-east-1",
            service: "sqs",
            at: clock::now(),
        }
    }
}

impl Signature {
    /// Signs in the header form.
    ///
    /// # Panics
    ///
    /// When the request cannot be signed.
    #[must_use]
    pub fn sign(&self, mut request: Request<Bytes>) -> Request<Bytes> {
        let body = request.body().clone();
        let signed =
            sigv4::sign_request(&self.signer(), &mut request, Payload::Bytes(&body), self.at);
        let _ = signed.expect("a request that can be signed");
        request
    }

    /// Signs in the query form, for `expires` from the time of the signature on.
    ///
    /// # Panics
    ///
    /// When the request cannot be signed.
    #[must_use]
    pub fn presign(&self, mut request: Request<Bytes>, expires: Duration) -> Request<Bytes> {
        let presigned = {
            let headers: Vec<(&str, &[u8])> = request
                .headers()
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_bytes()))
                .collect();
            let target = request.uri().to_string();
            let unsigned = sigv4::Request::new(request.method().as_str(), &target, &headers);
            let payload = Payload::Bytes(request.body());
            self.signer().presign(&unsigned, payload, self.at, expires)
        };
        let presigned = presigned.expect("a request that can be signed");
        *request.uri_mut() = presigned.target().try_into().expect("a request target");
        request
    }

    fn signer(&self) -> Signer {
        Signer::new(
            Credentials::new(self.key, self.secret),
            self.region,
            self.service,
        )
    }
}

/// What the server answers.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Answer {
    /// A header that must be there, as text.
    ///
    /// # Panics
    ///
    /// When it is not.
    #[must_use]
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let value = self
            .headers
            .get(name)
            .unwrap_or_else(|| panic!("no {name} in {self:?}"));
        value.to_str().expect("a header of text")
    }

    /// The body as text.
    ///
    /// # Panics
    ///
    /// When it is none.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    ///
    /// When it is none.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The text of an error, empty when it has none.
    ///
    /// # Panics
    ///
    /// When the body is no JSON.
    #[must_use]
    #[track_caller]
    pub fn message(&self) -> String {
        self.json()["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// Sends a request as it is, on a connection of its own.
///
/// # Panics
///
/// When no answer comes.
pub async fn send(server: &FakeSqs, request: Request<Bytes>) -> Answer {
    let stream = within(TcpStream::connect(host(server)))
        .await
        .expect("a connection");
    let (mut sender, connection) =
        within(hyper::client::conn::http1::handshake(TokioIo::new(stream)))
            .await
            .expect("HTTP");
    tokio::spawn(connection);
    let answer = within(sender.send_request(request.map(Full::new)))
        .await
        .expect("an answer");
    let (parts, body) = answer.into_parts();
    let body = within(body.collect()).await.expect("a body").to_bytes();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body,
    }
}
