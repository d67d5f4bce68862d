//! The requests: what an SQS client sends.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Who signs, and for what.
pub const ACCESS_KEY_ID: &str = "AKIDEXAMPLE";
/// Forty characters, since one of the packages takes no other.
pub const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// The region.
pub const REGION: &str = "us-east-1";
/// The service.
pub const SERVICE: &str = "sqs";
/// The one host.
pub const HOST: &str = "sqs.us-east-1.amazonaws.com";

/// A request to sign.
pub struct Workload {
    /// Its name in every report.
    pub name: &'static str,
    /// The method.
    pub method: &'static str,
    /// Path and query.
    pub target: String,
    /// The headers, in the order in which they are sent.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Workload {
    /// A ReceiveMessage with a body of this many bytes, 107 at least.
    #[must_use]
    pub fn post(name: &'static str, length: usize) -> Self {
        let mut body = br#"{"QueueUrl":"https://sqs.us-east-1.amazonaws.com/123456789012/orders","MaxNumberOfMessages":10"#.to_vec();
        body.resize(length - 1, b' ');
        body.push(b'}');
        Self {
            name,
            method: "POST",
            target: "/".to_owned(),
            headers: vec![
                ("host", HOST),
                ("content-type", "application/x-amz-json-1.0"),
                ("x-amz-target", "AmazonSQS.ReceiveMessage"),
            ],
            body,
        }
    }

    /// A GET with twenty parameters, not in canonical order, every other one with bytes to encode.
    #[must_use]
    pub fn get(name: &'static str) -> Self {
        let parameter = |at: usize| match at % 2 {
            0 => format!("Attribute.{at}.Name=VisibilityTimeout.{at}"),
            _ => format!("Attribute.{at}.Value=thirty%20seconds%2F{at}"),
        };
        let query: Vec<String> = (1..=20).rev().map(parameter).collect();
        Self {
            name,
            method: "GET",
            target: format!("/123456789012/orders?{}", query.join("&")),
            headers: vec![("host", HOST)],
            body: Vec::new(),
        }
    }

    /// All four.
    #[must_use]
    pub fn all() -> [Self; 4] {
        [
            Self::post("118 B", 118),
            Self::post("1 KiB", 1024),
            Self::post("256 KiB", 256 * 1024),
            Self::get("GET 20"),
        ]
    }

    /// The headers as bytes.
    #[must_use]
    pub fn header_bytes(&self) -> Vec<(&'static str, &'static [u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (*name, value.as_bytes()))
            .collect()
    }
}

/// The moment of every signature: 2015-08-30T12:36:00Z.
#[must_use]
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_440_938_160)
}
