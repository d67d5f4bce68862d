//! The wire format of aws_json 1.0 and 1.1, for clients and for servers. No IO.
//!
//! A call is `POST /` with the operation named by the [`X-Amz-Target`](target) header, a
//! [content type](content_type) that names the protocol's version, and a JSON object as its
//! [body]. A refusal is any other status than 2xx with an [error body](error_body).
//!
//! Source: the [AWS JSON 1.0] and [AWS JSON 1.1] protocols as Smithy specifies them.
//!
//! [AWS JSON 1.0]: https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
//! [AWS JSON 1.1]: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html

pub mod body;
pub mod content_type;
pub mod error_body;
pub mod headers;
pub mod name;
pub mod target;

mod mismatch;
mod strict;
mod union;

pub(crate) use strict::PRIVATE_NUMBER;
