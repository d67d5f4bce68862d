//! Connections: TCP, TLS, their bounds and their pool.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use rustls::crypto::ring;
use tower_service::Service;

/// The pool of connections.
pub(super) type Pool = Client<Bounded<HttpsConnector<HttpConnector>>, Full<Bytes>>;

/// How connections are made and kept.
#[derive(Clone)]
pub(super) struct Connections {
    pub(super) connect_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) tls: Option<ClientConfig>,
}

impl Connections {
    /// Connections to those who hand out credentials.
    pub(super) fn for_credentials(connect_timeout: Duration) -> Pool {
        let connections = Self {
            connect_timeout,
            idle_timeout: super::POOL_IDLE_TIMEOUT,
            tls: None,
        };
        connections.pool().expect("ring has suites for TLS")
    }

    pub(super) fn pool(self) -> Result<Pool, rustls::Error> {
        let mut tcp = HttpConnector::new();
        // It is asked for https as well, by the TLS connector around it.
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let mut tls = match self.tls {
            Some(tls) => tls,
            None => default_tls()?,
        };
        // The connector panics on a list of its own. Without one, HTTP/1.1 is spoken.
        tls.alpn_protocols.clear();
        let https = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(self.idle_timeout)
            .build(Bounded {
                inner: https,
                limit: self.connect_timeout,
            }))
    }
}

/// Mozilla's roots and ring's cryptography, which is handed over, not installed for the process.
fn default_tls() -> Result<ClientConfig, rustls::Error> {
    Ok(
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_webpki_roots()
            .with_no_client_auth(),
    )
}

/// A connector with a bound on everything until the connection can be used: looking up the name,
/// TCP and TLS.
#[derive(Clone)]
pub(super) struct Bounded<C> {
    inner: C,
    limit: Duration,
}

impl<C> Service<Uri> for Bounded<C>
where
    C: Service<Uri>,
    C::Error: Into<Box<dyn Error + Send + Sync>>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.inner.call(uri);
        let limit = self.limit;
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected.map_err(Into::into),
                Err(_) => Err(ConnectTimeout(limit).into()),
            }
        })
    }
}

/// No connection within the time allowed.
#[derive(Debug)]
pub(super) struct ConnectTimeout(Duration);

impl std::fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no connection within {:?}", self.0)
    }
}

impl Error for ConnectTimeout {}
