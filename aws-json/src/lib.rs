//! AWS's JSON protocol 1.0 and 1.1: a codec and a signed hyper client.
//!
//! [`codec`] is the wire format, for clients and for servers, without IO, and [`value`] the values
//! that JSON has no form for. `client`, behind the feature of that name, is a client on top of
//! them: signed calls over pooled connections.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | what it adds | crates |
//! |---|---|---|
//! | none | the codec | 19 |
//! | `client` | the client over plain http: for a local server, or behind what speaks TLS | 59 |
//! | `tls` | https too, with nothing more to set: rustls, ring's cryptography, Mozilla's roots | 68 |
//! | `rustls` | https by the caller's own rustls configuration (`client::Builder::tls_config`), with any cryptography and roots: brings neither | 65 |
//! | `http2` | HTTP/2 where a server chooses it over TLS (`client::HttpVersion`), or is known to speak it | 8 more |
//! | `compression` | inputs as gzip, for operations that take them so (`client::Operation::TAKES_GZIP`) | 4 more |
//! | `credential-chain` | credentials from profiles with roles, processes and SSO, from web identity and from EC2, where AWS's tools look for them (`client::credentials::CredentialsChain`); most of these are asked over https | 23 more |
//! | `aws-credential-types` | credentials from any provider of the AWS SDK for Rust, as aws-config's | 13 more |
//!
//! The crates are those beside this one that `cargo tree -e normal` lists. Whoever talks
//! to AWS wants `tls`. Each of the last six turns `client` on; an https endpoint without TLS is
//! an error when the client is built. No cryptography is ever installed
//! for the whole process.
//!
//! No answer is ever asked to be compressed: one that is all the same is an error.

#[cfg(feature = "client")]
pub mod client;
pub mod codec;
pub mod value;
