//! AWS's JSON protocol 1.0 and 1.1: a codec and a signed hyper client.
//!
//! [`codec`] is the wire format, for clients and for servers, without IO.

pub mod codec;
