//! TLS over connections, with the feature `rustls`; without it, connections of plain http only.

#[cfg(not(feature = "rustls"))]
mod none;
#[cfg(feature = "rustls")]
mod rustls;

use std::error::Error;
use std::fmt;

#[cfg(not(feature = "rustls"))]
pub(super) use self::none::{Connector, Tls};
#[cfg(feature = "rustls")]
pub(super) use self::rustls::{Connector, Tls};

/// An endpoint is https, and there is nothing here to speak TLS with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoTls;

impl fmt::Display for NoTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if cfg!(feature = "rustls") {
            "the endpoint is https, and TLS has no cryptography: it needs the feature \
             `tls` of aws-json, or a `tls_config`"
        } else {
            "the endpoint is https, and TLS is not built in: it needs the feature `tls` of aws-json"
        })
    }
}

impl Error for NoTls {}
