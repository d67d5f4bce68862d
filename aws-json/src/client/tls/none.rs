//! Connections of plain http, and an error for https.

use std::task::{Context, Poll};

use http::Uri;
use http::uri::Scheme;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::NoTls;
use crate::client::connector::{BoxError, Connecting, Tcp};
use crate::client::http_version::HttpVersion;

/// What there is to set.
#[derive(Clone, Default)]
pub(in crate::client) struct Tls(());

impl Tls {
    /// Whether an endpoint may be https.
    pub(in crate::client) const fn is_available(&self) -> bool {
        false
    }
}

/// Makes TCP connections.
#[derive(Clone)]
pub(in crate::client) struct Connector {
    tcp: Tcp,
}

impl Connector {
    pub(in crate::client) const fn new(tcp: Tcp, _: Tls, _: HttpVersion) -> Self {
        Self { tcp }
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        if uri.scheme() == Some(&Scheme::HTTPS) {
            return Box::pin(async { Err(NoTls.into()) });
        }
        let connecting = self.tcp.call(uri);
        Box::pin(async { connecting.await.map_err(Into::into) })
    }
}
