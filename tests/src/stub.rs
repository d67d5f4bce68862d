//! A service that answers each request with the same bytes and does nothing else: it verifies nothing
//! and, once a connection is there, allocates nothing, so that what is counted is the client's.
//!
//! The bench of `sqs` has it too.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// An answer without messages, with the headers that AWS sends.
pub const EMPTY: &str = concat!(
    "HTTP/1.1 200 OK\r\n",
    "x-amzn-RequestId: 2b1f8b0c-97a1-5c5f-8f4c-d53e1e0d0000\r\n",
    "Date: Sun, 30 Aug 2015 12:36:00 GMT\r\n",
    "Content-Type: application/x-amz-json-1.0\r\n",
    "connection: keep-alive\r\n",
    "Content-Length: 2\r\n\r\n{}",
);

/// An answer with this many messages of 256 B, each with four attributes.
#[must_use]
pub fn messages(count: usize) -> String {
    let body = "x".repeat(256);
    let message = format!(
        concat!(
            r#"{{"MessageId":"2b1f8b0c-97a1-5c5f-8f4c-d53e1e0d0000","ReceiptHandle":"{}","#,
            r#""MD5OfBody":"c7a139a2b8e92164276f778917ba10b9","Body":"{}","Attributes":{{"#,
            r#""SenderId":"AIDAEXAMPLE","SentTimestamp":"1440938160000","#,
            r#""ApproximateReceiveCount":"1","ApproximateFirstReceiveTimestamp":"1440938160001"}}}}"#,
        ),
        "h".repeat(200),
        body,
    );
    let messages = vec![message; count].join(",");
    let body = format!(r#"{{"Messages":[{messages}]}}"#);
    let head = EMPTY.replace("Content-Length: 2\r\n\r\n{}", "");
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// The longest request that it reads, head and body.
const REQUEST_LIMIT: usize = 64 * 1024;

/// Starts it; the endpoint it listens at.
///
/// # Errors
///
/// If there is no port.
pub fn start(answer: String) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || serve(stream, &answer));
        }
    });
    Ok(endpoint)
}

/// Answers requests until the client hangs up.
fn serve(mut stream: TcpStream, answer: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; REQUEST_LIMIT];
    let mut filled = 0;
    loop {
        if let Some(length) = request_length(&buffer[..filled]) {
            buffer.copy_within(length..filled, 0);
            filled -= length;
            stream.write_all(answer.as_bytes())?;
            continue;
        }
        match stream.read(&mut buffer[filled..])? {
            0 => return Ok(()),
            more => filled += more,
        }
    }
}

/// The length of the request that the bytes begin with, if it is whole.
fn request_length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let name = b"content-length:";
    let at = bytes[..head]
        .windows(name.len())
        .position(|part| part.eq_ignore_ascii_case(name))?;
    let digits = bytes[at + name.len()..head].trim_ascii_start();
    let body = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    (bytes.len() >= head + body).then_some(head + body)
}
