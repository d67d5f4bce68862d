//! A stand-in for a service: it takes one request and gives one answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};

use serde_json::Value;

/// What came, as far as it tells services and versions apart.
pub(crate) struct Request {
    pub(crate) target: String,
    pub(crate) content_type: String,
    pub(crate) authorization: String,
    pub(crate) body: Value,
}

/// A server on a free port of this machine.
pub(crate) struct Stub {
    address: SocketAddr,
    thread: JoinHandle<io::Result<Request>>,
}

impl Stub {
    /// Starts one that answers with this status and body.
    pub(crate) fn start(status: &'static str, body: Value) -> io::Result<Stub> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let thread = thread::spawn(move || {
            let mut stream = BufReader::new(listener.accept()?.0);
            let request = read(&mut stream)?;
            let body = body.to_string();
            let length = body.len();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.get_mut().write_all(answer.as_bytes())?;
            Ok(request)
        });
        Ok(Stub { address, thread })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The request that it answered.
    pub(crate) fn request(self) -> io::Result<Request> {
        let ended = self.thread.join();
        ended.map_err(|_| io::Error::other("the stub panicked"))?
    }
}

fn read(stream: &mut impl BufRead) -> io::Result<Request> {
    let mut request = Request {
        target: String::new(),
        content_type: String::new(),
        authorization: String::new(),
        body: Value::Null,
    };
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let line = line.trim_end();
        let Some((name, value)) = line.split_once(": ") else {
            if line.is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-amz-target" => value.clone_into(&mut request.target),
            "content-type" => value.clone_into(&mut request.content_type),
            "authorization" => value.clone_into(&mut request.authorization),
            "content-length" => length = value.parse().map_err(io::Error::other)?,
            _ => {}
        }
    }
    request.body = serde_json::from_reader(stream.take(length))?;
    Ok(request)
}
