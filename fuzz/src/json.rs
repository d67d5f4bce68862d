//! The JSON protocol: bodies, errors, targets.

use std::collections::BTreeMap;
use std::time::SystemTime;

use aws_json::codec::body::{SerializationError, decode, encode};
use aws_json::codec::error_body::{QueryError, Refusal};
use aws_json::codec::headers::{X_AMZN_ERRORTYPE, X_AMZN_QUERY_ERROR};
use aws_json::codec::name;
use aws_json::codec::target::Target;
use aws_json::value::BigNumber;
use http::{HeaderMap, HeaderValue};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqs::{Decoder, Operation};

/// A body, as the input of every SQS operation and as an error; and as the text of each header that
/// the protocol has.
pub fn json(data: &[u8]) {
    for &operation in Operation::ALL {
        if let Err(error) = sqs::Request::read(operation, Body(data)) {
            assert!(error.to_string().len() < 1024, "{error}");
        }
    }
    is_written_as_read::<sqs::SendMessageInput>(data);
    is_written_as_read::<sqs::SendMessageBatchInput>(data);
    is_written_as_read::<sqs::ReceiveMessageInput>(data);
    is_written_as_read::<sqs::CreateQueueInput>(data);
    is_written_as_read::<Values>(data);
    if let Ok(lossy) = decode::<LossyValues>(data) {
        encode(&lossy).expect("what was read can be written");
    }

    let mut headers = HeaderMap::new();
    names(&Refusal::read(&headers, data));
    if let Ok(value) = HeaderValue::from_bytes(data) {
        headers.insert(X_AMZN_ERRORTYPE, value.clone());
        headers.insert(X_AMZN_QUERY_ERROR, value);
        names(&Refusal::read(&headers, b"{}"));
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = QueryError::parse(text).map(|error| error.fault());
        if let Ok(target) = Target::parse(text) {
            assert_eq!(target.header_value().as_bytes(), data);
        }
    }
}

/// Every kind of value that JSON has no form for.
#[derive(Debug, PartialEq, Serialize, Deserialize, Default)]
#[serde(default)]
struct Values {
    #[serde(with = "aws_json::value::epoch_seconds")]
    e: Option<SystemTime>,
    #[serde(with = "aws_json::value::iso8601")]
    i: Vec<Option<SystemTime>>,
    #[serde(with = "aws_json::value::blob")]
    b: BTreeMap<String, Vec<u8>>,
    #[serde(with = "aws_json::value::dense")]
    d: Vec<String>,
    n: Option<BigNumber>,
    u: Option<Union>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Union {
    L(Vec<Union>),
    M(BTreeMap<String, Union>),
    #[serde(with = "aws_json::value::blob")]
    B(Vec<u8>),
    S(String),
}

/// Those that are not written as they were read, or are not equal to themselves.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct LossyValues {
    #[serde(with = "aws_json::value::http_date")]
    h: Option<SystemTime>,
    #[serde(with = "aws_json::value::float")]
    f: Vec<f32>,
    #[serde(with = "aws_json::value::float")]
    g: Option<f64>,
}

fn names(refusal: &Refusal) {
    if let (Some(camel), Some(snake)) = (refusal.name(), refusal.snake_name()) {
        assert!(!camel.is_empty());
        let _ = name::upper_camel(&snake);
    }
}

fn is_written_as_read<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(data: &[u8]) {
    if let Ok(value) = decode::<T>(data) {
        let body = encode(&value).expect("what was read can be written");
        let again: T = decode(&body).expect("what was written can be read");
        assert_eq!(again, value);
    }
}

struct Body<'a>(&'a [u8]);

impl Decoder for Body<'_> {
    type Error = SerializationError;

    fn decode<T: DeserializeOwned>(self) -> Result<T, SerializationError> {
        decode(self.0)
    }
}
