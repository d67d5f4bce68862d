//! A request from any bytes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sigv4::Request;

/// 2015-08-30T12:36:00Z.
pub(crate) fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_440_938_160)
}

/// A request, as any bytes can be read as one.
pub(crate) struct Wire<'a> {
    method: &'a str,
    target: &'a [u8],
    headers: Vec<(&'a str, &'a [u8])>,
    pub(crate) body: &'a [u8],
}

impl<'a> Wire<'a> {
    /// A line with method and target, lines `name:value`, an empty line, the body. A line without a
    /// colon is a name without a value, so that nothing the fuzzer tries is lost.
    pub(crate) fn read(data: &'a [u8]) -> Self {
        let (first, mut rest) = line(data);
        let space = first.iter().position(|&byte| byte == b' ');
        let (method, target) = match space {
            Some(at) => (&first[..at], &first[at + 1..]),
            None => (first, &b""[..]),
        };
        let mut headers = Vec::new();
        while !rest.is_empty() {
            let header;
            (header, rest) = line(rest);
            if header.is_empty() {
                break;
            }
            let colon = header.iter().position(|&byte| byte == b':');
            let (name, value) = match colon {
                Some(at) => (&header[..at], &header[at + 1..]),
                None => (header, &b""[..]),
            };
            headers.push((std::str::from_utf8(name).unwrap_or("x"), value));
        }
        Self {
            method: std::str::from_utf8(method).unwrap_or("GET"),
            target,
            headers,
            body: rest,
        }
    }

    pub(crate) fn method(&self) -> &'a str {
        self.method
    }

    pub(crate) fn target(&self) -> &'a [u8] {
        self.target
    }

    /// The request with further headers.
    pub(crate) fn with<'b>(&'b self, more: &[(&'b str, &'b [u8])]) -> Vec<(&'b str, &'b [u8])> {
        self.headers.iter().chain(more).copied().collect()
    }

    pub(crate) fn request<'b>(&'b self, headers: &'b [(&'b str, &'b [u8])]) -> Request<'b> {
        Request::new(self.method, self.target, headers)
    }
}

fn line(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|&byte| byte == b'\n') {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, b""),
    }
}
