//! One call of the client to a server that answers what a case says, over a socket.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_json::client::{Client, Credentials, Error, Operation};
use serde_json::Value;
use sigv4::{Claim, Secret, SigningKey, VerifySettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::case::{Answer, QueryMode, Service};
use super::shapes;
use crate::message::Message;

/// What came of a call.
pub(super) struct Called {
    /// What the client sent; none if it sent nothing.
    pub(super) request: Option<Message>,
    /// The output as the codec writes it.
    pub(super) output: Result<Value, Error>,
}

/// Calls operations of one service, each time at a new server.
pub(super) struct Caller<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) service: &'a Service,
    /// Where the client is told to send it, if that matters.
    pub(super) endpoint: Option<Endpoint<'a>>,
    /// What is answered.
    pub(super) answer: &'a Answer,
}

/// An endpoint, and the host that the client must come to.
#[derive(Clone, Copy)]
pub(super) struct Endpoint<'a> {
    pub(super) url: &'a str,
    pub(super) host: &'a str,
}

/// Who signs, and when.
const ACCESS_KEY_ID: &str = "AKIDEXAMPLE";
const SECRET_ACCESS_KEY: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const NOW: Duration = Duration::from_secs(1_440_938_160);

/// No call takes longer; it fails then.
const LIMIT: Duration = Duration::from_secs(10);

/// More than any case sends.
const REQUEST_LIMIT: usize = 1024 * 1024;

impl Caller<'_> {
    /// Calls an operation with an input that is in the form of the wire.
    pub(super) fn call<O: Operation>(&self, input: &Value) -> Result<Called, String>
    where
        O::Input: serde::de::DeserializeOwned + Sized,
        O::Output: serde::Serialize,
    {
        let input: O::Input = shapes::read(input)?;
        self.runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
            let client = self.client(listener.local_addr().map_err(failed)?)?;
            let recorded = Mutex::new(None);
            let output = tokio::select! {
                output = client.call::<O>(&input) => output,
                error = self.serve(&listener, &recorded) => return Err(error),
            };
            Ok(Called {
                request: recorded
                    .into_inner()
                    .unwrap_or_else(PoisonError::into_inner),
                output: match output {
                    Ok(output) => Ok(shapes::written(&output)?),
                    Err(error) => Err(error),
                },
            })
        })
    }

    fn client(&self, server: SocketAddr) -> Result<Client, String> {
        let service = &self.service;
        let target_prefix = service.target_prefix.clone();
        let mut client =
            aws_json::client::Service::new(SIGNING_NAME, target_prefix).version(service.version);
        if service.query_mode == QueryMode::Compatible {
            client = client.query_compatible();
        }
        let mut builder = Client::builder(client);
        builder = match self.endpoint {
            // The case's own host, which is this server by the name that the client must come to.
            Some(Endpoint { url, host }) => builder
                .endpoint(url.replacen("https://", "http://", 1))
                .resolve(host, server),
            None => builder.endpoint(format!("http://{server}")),
        };
        builder
            .credentials(Credentials::new(ACCESS_KEY_ID, SECRET_ACCESS_KEY))
            .time_source(now)
            .attempt_timeout(LIMIT)
            // Some cases answer what would be tried again.
            .max_attempts(1)
            .build()
            .map_err(|error| error.to_string())
    }

    /// Answers one request after another; ends only with an error.
    async fn serve(&self, listener: &TcpListener, recorded: &Mutex<Option<Message>>) -> String {
        loop {
            let exchange = async {
                let (mut stream, _) = listener.accept().await.map_err(failed)?;
                let request = receive(&mut stream).await?;
                *recorded.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
                stream
                    .write_all(&self.answer.to_bytes())
                    .await
                    .map_err(failed)?;
                stream.shutdown().await.map_err(failed)
            };
            if let Err(error) = exchange.await {
                return error;
            }
        }
    }
}

impl Answer {
    fn to_bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Whatever\r\n", self.status_code);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!(
            "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
            self.body.len(),
            self.body
        ));
        head.into_bytes()
    }
}

/// Whether the request is signed as this caller signs; why not, if it is not.
pub(super) fn verify(request: &Message) -> Result<(), String> {
    let headers = request.header_slices();
    let borrowed = sigv4::Request::new(&request.method, &request.target, &headers);
    let claim = Claim::parse(&borrowed).map_err(|error| error.to_string())?;
    let key = SigningKey::derive(&Secret::new(SECRET_ACCESS_KEY), claim.scope());
    let settings = VerifySettings::default()
        .with_region("us-east-1")
        .with_service(SIGNING_NAME);
    claim
        .verify(&borrowed, &request.body, &key, now(), &settings)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

const SIGNING_NAME: &str = "foo";

fn now() -> SystemTime {
    UNIX_EPOCH + NOW
}

/// Reads a request with its length.
async fn receive(stream: &mut TcpStream) -> Result<Message, String> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        more(stream, &mut bytes).await?;
    };
    let text = std::str::from_utf8(&bytes[..head]).map_err(|error| error.to_string())?;
    let mut request = Message::parse(&text.trim_end().replace("\r\n", "\n"))?;
    for (_, value) in &mut request.headers {
        *value = value.trim_ascii().to_vec();
    }
    let length = match request.header("content-length") {
        Some(value) => std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse().ok()),
        None => Some(0),
    };
    let length: usize = length.ok_or("its Content-Length is not a number")?;
    while bytes.len() - head < length {
        more(stream, &mut bytes).await?;
    }
    request.body = bytes.split_off(head);
    Ok(request)
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Result<(), String> {
    if bytes.len() > REQUEST_LIMIT {
        return Err(format!("the request is longer than {REQUEST_LIMIT} bytes"));
    }
    match stream.read_buf(bytes).await.map_err(failed)? {
        0 => Err("the client closed the connection within its request".to_owned()),
        _ => Ok(()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
fn failed(error: std::io::Error) -> String {
    format!("the server of the case: {error}")
}
