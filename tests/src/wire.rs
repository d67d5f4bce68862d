//! The two protocols that SQS is spoken to in, so that one test runs over both.
//!
//! Tests make their calls in JSON and look at answers in JSON. On [`Wire::Query`] a call is written as
//! a form before it is signed ([`form`]) and its answer, XML, is read back ([`answer`]), by a table of
//! names ([`model`]) which is not the server's. For Amazon's SDK that is done inside of it, by
//! [`sdk`](crate::sdk), so that the SDK's own signer signs the form; for single requests by [`Wire`].
//!
//! [`on_each_wire`](crate::on_each_wire) makes two tests of a function; what differs between the wires,
//! and what is tested on one of them alone, is listed in [`differences`]. `tests/wires.rs` asks two
//! servers the same, one on each wire.

pub mod answer;
pub mod differences;
pub mod form;
pub mod model;

use bytes::Bytes;
use fake_sqs::FakeSqs;
use http::Request;
use http::header::{CONTENT_TYPE, HeaderValue};

use crate::raw::{self, Answer};

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `X-Amz-Target` and JSON, since November 2023.
    Json,
    /// Forms and XML, before.
    Query,
}

impl Wire {
    /// A request that calls an operation with a JSON body, complete but for its signature.
    ///
    /// # Panics
    ///
    /// When this wire has no such call.
    #[must_use]
    pub fn call(self, server: &FakeSqs, operation: &str, body: impl Into<Bytes>) -> Request<Bytes> {
        let request = raw::call(server, operation, body);
        match self {
            Wire::Json => request,
            Wire::Query => as_form(request),
        }
    }

    /// Sends a request as it is, on a connection of its own, and reads its answer as JSON.
    ///
    /// # Panics
    ///
    /// When no answer comes, or one that this wire has not.
    pub async fn send(self, server: &FakeSqs, request: Request<Bytes>) -> Answer {
        match self {
            Wire::Json => raw::send(server, request).await,
            Wire::Query => {
                let form = match request.uri().query() {
                    Some(query) if request.body().is_empty() => query.as_bytes(),
                    _ => request.body(),
                };
                let action = action_of(form);
                let answer = raw::send(server, request).await;
                answer::as_json(&action, answer).unwrap_or_else(|error| panic!("{error}"))
            }
        }
    }
}

/// A call of the JSON protocol as one of the Query protocol.
fn as_form(mut request: Request<Bytes>) -> Request<Bytes> {
    let target = request.headers_mut().remove(raw::TARGET);
    let target = target.expect("a call of the JSON protocol");
    let target = target.to_str().expect("a target is text");
    let (_, action) = target.split_once('.').expect("a service and an operation");
    let form = form::form(action, request.body()).unwrap_or_else(|error| panic!("{error}"));
    let kind = HeaderValue::from_static(form::FORM);
    request.headers_mut().insert(CONTENT_TYPE, kind);
    request.map(|_| form.into())
}

/// The operation that a form calls; empty when it calls none.
#[must_use]
pub fn action_of(form: &[u8]) -> String {
    let mut parameters = form.split(|byte| *byte == b'&');
    let action = parameters.find_map(|parameter| parameter.strip_prefix(b"Action="));
    String::from_utf8_lossy(action.unwrap_or_default()).into_owned()
}

/// Makes two tests of each function that takes a [`Wire`], one in the module `json` and one in the
/// module `query`; what stands in parentheses behind its name is for `#[tokio::test]`.
///
/// The functions behind `alone`, which take nothing, become one test each, in the module `alone`. Each
/// must have a row in [`differences::ALONE`].
#[macro_export]
macro_rules! on_each_wire {
    (
        $($name:ident $(($($how:tt)*))?),* $(,)?
        $(; alone: $($alone:ident),* $(,)?)?
    ) => {
        mod json {
            $(
                #[tokio::test $(($($how)*))?]
                async fn $name() {
                    super::$name($crate::wire::Wire::Json).await;
                }
            )*
        }

        mod query {
            $(
                #[tokio::test $(($($how)*))?]
                async fn $name() {
                    super::$name($crate::wire::Wire::Query).await;
                }
            )*
        }

        $(
            mod alone {
                $(
                    #[tokio::test]
                    async fn $alone() {
                        $crate::wire::differences::must_be_alone(file!(), stringify!($alone));
                        super::$alone().await;
                    }
                )*
            }
        )?
    };
}
