//! A request as bytes, signed before it is spoiled.

use std::net::SocketAddr;
use std::time::SystemTime;

use conformance::clock;
use sigv4::{Credentials, Payload, Request, Signer};

/// The content type of the JSON protocol.
pub(crate) const JSON: &str = "application/x-amz-json-1.0";

/// A request: nothing in it need be what HTTP allows.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) version: &'static str,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    /// How the body's end is known.
    pub(crate) framing: Framing,
}

/// How a body is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By a `Content-Length`, which is right.
    Length,
    /// In chunks of this length.
    Chunks(usize),
    /// By nothing that is added to the headers.
    AsIs,
}

impl Call {
    /// An operation, not signed yet.
    pub(crate) fn new(host: SocketAddr, operation: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::post(host, "/", body)
            .with("Content-Type", JSON)
            .with("X-Amz-Target", format!("AmazonSQS.{operation}"))
    }

    /// A POST with no header but `Host`.
    pub(crate) fn post(host: SocketAddr, target: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            method: "POST".to_owned(),
            target: target.to_owned(),
            version: "HTTP/1.1",
            headers: Vec::new(),
            body: body.into(),
            framing: Framing::Length,
        }
        .with("Host", host.to_string())
    }

    /// With one header more.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Without the headers of that name.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(given, _)| !given.eq_ignore_ascii_case(name));
        self
    }

    /// With this method.
    pub(crate) fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// With this target.
    pub(crate) fn target(mut self, target: impl Into<String>) -> Self {
        self.target = target.into();
        self
    }

    /// With this body.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// With this framing of the body.
    pub(crate) fn framed(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// The value of a header that is there, to change.
    pub(crate) fn value(&mut self, name: &str) -> &mut Vec<u8> {
        let found = self
            .headers
            .iter_mut()
            .find(|(given, _)| given.eq_ignore_ascii_case(name));
        &mut found.unwrap_or_else(|| panic!("no header {name}")).1
    }

    /// The value of a header that is there, as text.
    pub(crate) fn text(&self, name: &str) -> String {
        let value = self.clone().value(name).clone();
        String::from_utf8(value).expect("text")
    }

    /// Signed now with the built-in credential.
    pub(crate) fn signed(self) -> Self {
        self.signed_by(&signer())
    }

    pub(crate) fn signed_by(self, signer: &Signer) -> Self {
        self.signed_at(signer, clock::now())
    }

    pub(crate) fn signed_at(mut self, signer: &Signer, at: SystemTime) -> Self {
        let added: Vec<_> = {
            let headers: Vec<(&str, &[u8])> = self
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_slice()))
                .collect();
            let request = Request::new(&self.method, &self.target, &headers);
            let signed = signer.sign(&request, Payload::Bytes(&self.body), at);
            let signed = signed.expect("a request that can be signed");
            signed
                .headers()
                .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()))
                .collect()
        };
        self.headers.extend(added);
        self
    }

    /// What goes over the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes =
            format!("{} {} {}\r\n", self.method, self.target, self.version).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(name.as_bytes());
            bytes.extend(b": ");
            bytes.extend(value);
            bytes.extend(b"\r\n");
        }
        match self.framing {
            Framing::Length => {
                bytes.extend(format!("Content-Length: {}\r\n\r\n", self.body.len()).bytes());
                bytes.extend(&self.body);
            }
            Framing::Chunks(length) => {
                bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                for chunk in self.body.chunks(length) {
                    bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
                    bytes.extend(chunk);
                    bytes.extend(b"\r\n");
                }
                bytes.extend(b"0\r\n\r\n");
            }
            Framing::AsIs => {
                bytes.extend(b"\r\n");
                bytes.extend(&self.body);
            }
        }
        bytes
    }
}

/// The built-in credential's signer.
pub(crate) fn signer() -> Signer {
    Signer::new(Credentials::new("test", "test"), "us-east-1", "sqs")
}
