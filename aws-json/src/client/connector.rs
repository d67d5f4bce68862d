//! Connections: how they are made, their bounds and their pool.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use super::connection::Terse;
use super::http_version::HttpVersion;
use super::tls::{Connector, Tls};

/// The pool of connections.
pub(super) type Pool = Client<Bounded<Connector>, Full<Bytes>>;

/// How connections are made and kept.
pub(super) struct Connections {
    pub(super) connect_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) tls: Tls,
    pub(super) version: HttpVersion,
    /// Where hosts are that are not looked up, by their names in lower case.
    pub(super) addresses: HashMap<String, SocketAddr>,
}

impl Connections {
    /// Connections to those who hand out credentials.
    pub(super) fn for_credentials(connect_timeout: Duration, tls: Tls) -> Pool {
        let connections = Self {
            connect_timeout,
            idle_timeout: super::POOL_IDLE_TIMEOUT,
            tls,
            version: HttpVersion::Http1,
            addresses: HashMap::new(),
        };
        connections.pool()
    }

    pub(super) fn pool(self) -> Pool {
        let mut tcp = HttpConnector::new_with_resolver(Resolver::new(self.addresses));
        // What is https is for the connector around it to see to.
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Of a name with several addresses, each has its part of the time, so that one that
        // does not answer leaves some for the next.
        tcp.set_connect_timeout(Some(self.connect_timeout));
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(self.idle_timeout);
        #[cfg(feature = "http2")]
        builder.http2_only(self.version == HttpVersion::Http2);
        builder.build(Bounded {
            inner: Arc::new(Connector::new(tcp, self.tls, self.version)),
            limit: self.connect_timeout,
        })
    }
}

/// Makes TCP connections.
pub(super) type Tcp = HttpConnector<Resolver>;

/// Finds the addresses of a host: the one that was given for its name, or those that the system knows.
#[derive(Clone)]
pub(super) struct Resolver {
    addresses: Arc<HashMap<String, SocketAddr>>,
    system: GaiResolver,
}

impl Resolver {
    fn new(addresses: HashMap<String, SocketAddr>) -> Self {
        Self {
            addresses: Arc::new(addresses),
            system: GaiResolver::new(),
        }
    }
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.system.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let given = self.addresses.get(&name.as_str().to_ascii_lowercase());
        if let Some(address) = given.copied() {
            return Box::pin(async move { Ok(vec![address].into_iter()) });
        }
        let looked_up = self.system.call(name);
        Box::pin(async { Ok(looked_up.await?.collect::<Vec<_>>().into_iter()) })
    }
}

/// A connector with a bound on everything until the connection can be used: looking up the name,
/// TCP and TLS.
#[derive(Clone)]
pub(super) struct Bounded<C> {
    /// Shared, as the pool clones its connector for each request, whether that connects or not.
    inner: Arc<C>,
    limit: Duration,
}

/// A connection that is being made.
pub(super) type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

impl<C> Service<Uri> for Bounded<C>
where
    C: Service<Uri, Error = BoxError> + Clone + Send + Sync + 'static,
    C::Future: Send + 'static,
{
    type Response = Terse<C::Response>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // Each call has a connector of its own, and waits for it.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let mut inner = C::clone(&self.inner);
        let limit = self.limit;
        Box::pin(async move {
            let connecting = async {
                poll_fn(|context| inner.poll_ready(context)).await?;
                inner.call(uri).await.map(Terse)
            };
            tokio::time::timeout(limit, connecting)
                .await
                .unwrap_or_else(|_| Err(ConnectTimeout(limit).into()))
        })
    }
}

/// No connection within the time allowed.
#[derive(Debug)]
pub(super) struct ConnectTimeout(Duration);

impl fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no connection within {:?}", self.0)
    }
}

impl Error for ConnectTimeout {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::CONNECT_TIMEOUT;

    /// A connector whose connections are never made.
    #[derive(Clone)]
    struct Endless;

    impl Service<Uri> for Endless {
        type Response = ();
        type Error = BoxError;
        type Future = Connecting<()>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Uri) -> Self::Future {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_never_made_ends_at_the_limit() {
        let mut connector = Bounded {
            inner: Arc::new(Endless),
            limit: CONNECT_TIMEOUT,
        };
        let mut connecting = connector.call(Uri::from_static("http://localhost/"));
        let early = CONNECT_TIMEOUT - Duration::from_millis(1);
        let waited = tokio::time::timeout(early, &mut connecting).await;
        assert!(waited.is_err(), "it ended early");
        let late = Duration::from_millis(2);
        let ended = tokio::time::timeout(late, connecting).await;
        let error = ended
            .expect("it ends at the limit")
            .err()
            .expect("an error");
        assert!(error.is::<ConnectTimeout>());
        assert_eq!(error.to_string(), "no connection within 3.1s");
    }
}
