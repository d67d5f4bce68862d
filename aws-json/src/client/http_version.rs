//! Which version of HTTP is spoken.

/// Which version of HTTP is spoken, with the feature `http2`. Without it that is always 1.1.
///
/// Calls at the same time share one connection with HTTP/2, and have one each with HTTP/1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "http2"),
    expect(unreachable_pub, reason = "there is a choice only with that feature")
)]
#[cfg_attr(
    not(any(feature = "http2", feature = "rustls")),
    expect(dead_code, reason = "nobody asks which it is without them")
)]
pub enum HttpVersion {
    /// The version that the server chooses over TLS, by ALPN; HTTP/1.1 over plain http. The
    /// default.
    Negotiated,
    /// HTTP/1.1 only.
    Http1,
    /// HTTP/2 only. Over TLS, a server that does not choose it is one that cannot be connected
    /// to; over plain http, the server must be known to speak it.
    Http2,
}

impl Default for HttpVersion {
    fn default() -> Self {
        if cfg!(feature = "http2") {
            Self::Negotiated
        } else {
            Self::Http1
        }
    }
}

impl HttpVersion {
    /// What is offered to a server over TLS, the preferred one first. A server that is offered
    /// nothing speaks HTTP/1.1.
    #[cfg(feature = "rustls")]
    pub(super) fn alpn(self) -> Vec<Vec<u8>> {
        let offered: &[&[u8]] = match self {
            Self::Negotiated => &[b"h2", b"http/1.1"],
            Self::Http1 => &[],
            Self::Http2 => &[b"h2"],
        };
        offered.iter().map(|name| name.to_vec()).collect()
    }
}
