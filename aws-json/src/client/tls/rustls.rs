//! Connections of plain http, and of https by rustls.

use std::error::Error;
use std::fmt;
use std::task::{Context, Poll};

use http::Uri;
use http::uri::Scheme;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::Connection;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use super::NoTls;
use crate::client::connector::{BoxError, Connecting, Tcp};
use crate::client::http_version::HttpVersion;

/// What there is to set: rustls's configuration, if there is one.
#[derive(Clone)]
pub(in crate::client) struct Tls(Option<ClientConfig>);

impl Default for Tls {
    fn default() -> Self {
        #[cfg(feature = "tls")]
        let config = Some(with_ring_and_mozillas_roots());
        #[cfg(not(feature = "tls"))]
        let config = None;
        Self(config)
    }
}

impl From<ClientConfig> for Tls {
    fn from(config: ClientConfig) -> Self {
        Self(Some(config))
    }
}

impl Tls {
    /// Whether an endpoint may be https.
    pub(in crate::client) const fn is_available(&self) -> bool {
        self.0.is_some()
    }
}

/// Ring's cryptography and Mozilla's roots, which are handed over, not installed for the process.
#[cfg(feature = "tls")]
fn with_ring_and_mozillas_roots() -> ClientConfig {
    use std::sync::Arc;

    use hyper_rustls::ConfigBuilderExt;
    use rustls::crypto::ring;

    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring has suites for both versions of TLS")
        .with_webpki_roots()
        .with_no_client_auth()
}

/// Makes TCP connections, with TLS over them where the endpoint is https.
#[derive(Clone)]
pub(in crate::client) struct Connector {
    tcp: Tcp,
    https: Option<HttpsConnector<Tcp>>,
    version: HttpVersion,
}

impl Connector {
    pub(in crate::client) fn new(tcp: Tcp, tls: Tls, version: HttpVersion) -> Self {
        let https = tls.0.map(|mut config| {
            config.alpn_protocols = version.alpn();
            HttpsConnector::from((tcp.clone(), config))
        });
        Self {
            tcp,
            https,
            version,
        }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        if uri.scheme() != Some(&Scheme::HTTPS) {
            let connecting = self.tcp.call(uri);
            return Box::pin(async { Ok(MaybeHttpsStream::Http(connecting.await?)) });
        }
        let Some(https) = &mut self.https else {
            return Box::pin(async { Err(NoTls.into()) });
        };
        let connecting = https.call(uri);
        let version = self.version;
        Box::pin(async move {
            let stream = connecting.await?;
            // The preface of HTTP/2 would be sent to a server that chose nothing.
            if version == HttpVersion::Http2 && !stream.connected().is_negotiated_h2() {
                return Err(NoHttp2.into());
            }
            Ok(stream)
        })
    }
}

/// The server did not choose HTTP/2, and nothing else is to be spoken.
#[derive(Debug)]
struct NoHttp2;

impl fmt::Display for NoHttp2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server does not speak HTTP/2")
    }
}

impl Error for NoHttp2 {}
