//! AWS's JSON protocol 1.0 and 1.1: a codec and a signed hyper client.
//!
//! [`codec`] is the wire format, for clients and for servers, without IO. `client`, behind the
//! feature of that name, is a client on top of it: signed calls over pooled connections.

#[cfg(feature = "client")]
pub mod client;
pub mod codec;
