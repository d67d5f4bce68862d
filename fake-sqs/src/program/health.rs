//! `fake-sqs health`: one request to a server's health address, over a plain socket.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use http::Uri;
use http::uri::PathAndQuery;

/// How long connecting, and each read or write, may take.
pub(crate) const STEP_TIME_MAX: Duration = Duration::from_secs(2);

/// How much of an answer is read, in bytes. Health answers take a few hundred.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// Asks the server at `endpoint` whether it is ready. No step takes longer than `step_time_max`.
pub(crate) fn check(endpoint: &str, step_time_max: Duration) -> Result<(), HealthError> {
    let authority = authority(endpoint)?;
    let answer = match ask(&authority, step_time_max) {
        Ok(answer) => answer,
        Err(error) => return Err(HealthError::Unreachable { authority, error }),
    };
    let line = answer.split(|&b| b == b'\r').next().unwrap_or_default();
    match line
        .strip_prefix(b"HTTP/1.1 ")
        .and_then(|rest| rest.first_chunk())
    {
        Some(b"200") => Ok(()),
        Some(_) | None => Err(HealthError::NotReady {
            authority,
            status: shown(line, 80),
            body: shown(body(&answer), 200),
        }),
    }
}

/// Why a server does not count as ready.
#[derive(Debug)]
pub(crate) enum HealthError {
    /// The endpoint cannot be asked; no server is to blame.
    Endpoint(String),
    /// Nothing answers.
    Unreachable { authority: String, error: io::Error },
    /// Something answers, but not with 200.
    NotReady {
        authority: String,
        /// Its status line.
        status: String,
        /// The beginning of what it says.
        body: String,
    },
}

impl fmt::Display for HealthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(endpoint) => write!(
                f,
                "--endpoint is {endpoint:?}; it must be http://HOST:PORT, like \
                 http://127.0.0.1:9324"
            ),
            Self::Unreachable { authority, error } => {
                write!(f, "nothing answers at http://{authority}: {error}")
            }
            Self::NotReady {
                authority,
                status,
                body,
            } => {
                write!(f, "http://{authority} is not ready: it answered {status:?}")?;
                match body.as_str() {
                    "" => Ok(()),
                    body => write!(f, ", {body:?}"),
                }
            }
        }
    }
}

/// What follows the head of an answer.
fn body(answer: &[u8]) -> &[u8] {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.map_or(&[], |end| &answer[end + 4..])
}

fn shown(bytes: &[u8], chars_max: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim().chars().take(chars_max).collect()
}

/// Host and port of an endpoint, and nothing else: a path would be a misunderstanding.
fn authority(endpoint: &str) -> Result<String, HealthError> {
    let wrong = || HealthError::Endpoint(endpoint.to_owned());
    let uri: Uri = endpoint.parse().map_err(|_| wrong())?;
    match (
        uri.scheme_str(),
        uri.authority(),
        uri.path_and_query().map(PathAndQuery::as_str),
    ) {
        (Some("http"), Some(authority), None | Some("/")) if !authority.as_str().contains('@') => {
            let port = authority.port_u16().unwrap_or(80);
            Ok(format!("{}:{port}", authority.host()))
        }
        _ => Err(wrong()),
    }
}

fn ask(authority: &str, step_time_max: Duration) -> io::Result<Vec<u8>> {
    let mut stream = connect(authority, step_time_max)?;
    stream.set_read_timeout(Some(step_time_max))?;
    stream.set_write_timeout(Some(step_time_max))?;
    let request =
        format!("GET /_fake/health HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer)?;
    Ok(answer)
}

fn connect(authority: &str, time_max: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in authority.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, time_max) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tokio::net::TcpSocket;

    use super::*;

    /// Longer than anything here takes.
    const BOUND: Duration = Duration::from_secs(60);

    /// What `check` says about a server that answers `answer`.
    fn check_against(answer: &'static str) -> Result<(), HealthError> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request");
                request.push(byte[0]);
            }
            stream.write_all(answer.as_bytes()).expect("an answer");
            String::from_utf8(request).expect("ASCII")
        });
        let result = check(&format!("http://{address}"), BOUND);
        let request = server.join().expect("the server ends");
        let expected = format!("GET /_fake/health HTTP/1.1\r\nHost: {address}\r\n");
        assert!(request.starts_with(&expected), "{request}");
        result
    }

    #[test]
    fn only_200_is_ready() {
        assert!(check_against("HTTP/1.1 200 OK\r\n\r\n{}").is_ok());
        for answer in [
            "HTTP/1.1 503 Service Unavailable\r\n\r\n",
            "SSH-2.0-x\r\n",
            "",
        ] {
            assert!(
                matches!(check_against(answer), Err(HealthError::NotReady { .. })),
                "{answer}"
            );
        }
    }

    #[test]
    fn a_refusal_is_told_with_its_words_and_its_sender() {
        let answer = "HTTP/1.1 403 Forbidden\r\na: b\r\n\r\n{\"error\": \"another Host\"}\n";
        let error = check_against(answer).expect_err("403").to_string();
        assert!(error.starts_with("http://127.0.0.1:"), "{error}");
        let expected = r#" is not ready: it answered "HTTP/1.1 403 Forbidden", "{\"error\": "#;
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn nothing_there_is_unreachable() {
        // It holds the port, so that nobody else gets it, and never listens.
        let silent = TcpSocket::new_v4().expect("a socket");
        let any = "127.0.0.1:0".parse().expect("an address");
        silent.bind(any).expect("a free port");
        let address = silent.local_addr().expect("an address");
        let result = check(&format!("http://{address}"), BOUND);
        assert!(
            matches!(result, Err(HealthError::Unreachable { .. })),
            "{result:?}"
        );
        let error = result.expect_err("nothing is there").to_string();
        let expected = format!("nothing answers at http://{address}: ");
        assert!(error.starts_with(&expected), "{error}");
    }

    #[test]
    fn an_endpoint_is_a_plain_http_address() {
        assert_eq!(
            authority("http://127.0.0.1:9324/").expect("good"),
            "127.0.0.1:9324"
        );
        assert_eq!(authority("http://sqs").expect("good"), "sqs:80");
        assert_eq!(authority("http://[::1]:1").expect("good"), "[::1]:1");
        for endpoint in [
            "",
            "sqs:9324",
            "https://sqs",
            "http://",
            "http://a/b",
            "http://u@a",
        ] {
            assert!(authority(endpoint).is_err(), "{endpoint}");
        }
    }
}
