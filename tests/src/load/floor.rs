//! The floor: a bare axum server that reads the same bodies and answers the same bytes, and does
//! nothing else. What a service costs is told best beside it.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpStream};

use super::target::TARGET;

/// The settings of fake-sqs for its connections.
const HEAD_TIME_MAX: Duration = Duration::from_secs(120);
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The longest list of answers that is read, in bytes.
const ANSWERS_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What the floor answers to an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canned {
    /// The value of `X-Amz-Target`.
    pub target: String,
    /// The headers that the service set; `Date` and the length are set anew.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// By the value of `X-Amz-Target`.
type Answers = Arc<HashMap<Vec<u8>, (HeaderMap, Bytes)>>;

/// Reads the answers as one line of JSON from standard input, prints where it listens, and serves
/// until standard input ends.
///
/// # Errors
///
/// When the answers cannot be read or there is no port.
pub fn run() -> io::Result<()> {
    let mut line = String::new();
    let _ = io::stdin()
        .lock()
        .take(ANSWERS_BYTES_MAX)
        .read_line(&mut line)?;
    let canned: Vec<Canned> = serde_json::from_str(&line)?;
    let answers = answers(canned)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut out = io::stdout().lock();
        writeln!(out, "floor listening on http://{}", listener.local_addr()?)?;
        out.flush()?;
        let ended = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
        tokio::select! {
            result = serve(listener, answers) => result,
            _ = ended => Ok(()),
        }
    })
}

fn answers(canned: Vec<Canned>) -> io::Result<Answers> {
    let mut answers = HashMap::new();
    for Canned {
        target,
        headers,
        body,
    } in canned
    {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(name).map_err(io::Error::other)?;
            map.insert(
                name,
                HeaderValue::try_from(value).map_err(io::Error::other)?,
            );
        }
        answers.insert(target.into_bytes(), (map, Bytes::from(body)));
    }
    Ok(Arc::new(answers))
}

/// Serves connections as fake-sqs accepts them.
async fn serve(listener: TcpListener, answers: Answers) -> io::Result<()> {
    let router = Router::new().fallback(any(answer)).with_state(answers);
    loop {
        let (stream, _peer) = listener.accept().await?;
        tokio::spawn(connection(stream, router.clone()));
    }
}

async fn connection(stream: TcpStream, router: Router) {
    // Without it answers would only be slower.
    let _ = stream.set_nodelay(true);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A client that hangs up is the usual end.
    let _ = served.await;
}

/// The body is read whole, like an extractor of any handler reads it.
async fn answer(State(answers): State<Answers>, headers: HeaderMap, _body: Bytes) -> Response {
    let known = headers
        .get(TARGET)
        .and_then(|target| answers.get(target.as_bytes()));
    let Some((headers, body)) = known else {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let mut response = Response::new(Body::from(body.clone()));
    *response.headers_mut() = headers.clone();
    response
}
