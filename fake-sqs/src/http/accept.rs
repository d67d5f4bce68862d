//! The accept loop: connections in, each served by hyper within the bounds of [`limits`].
//!
//! It is not `axum::serve`, because that offers no bound on headers, connections or the time that a
//! stop takes.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tracing::{debug, warn};

use super::limits;

/// How long the loop waits after a failed accept when no connection's end wakes it earlier.
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `stop` completes; then accepts nothing more, lets the
/// answers under way finish for at most `grace`, and closes what is left.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
    grace: Duration,
) {
    let (stopping, _) = watch::channel(());
    let mut connections = JoinSet::new();
    tokio::select! {
        never = accept(&listener, &router, &stopping, &mut connections) => match never {},
        () = stop => {}
    }
    drop(listener);
    drop(stopping);
    let drained = tokio::time::timeout(grace, async {
        while connections.join_next().await.is_some() {}
    });
    if drained.await.is_err() {
        warn!(
            connections = connections.len(),
            "closing connections that are still busy"
        );
    }
    connections.shutdown().await;
}

async fn accept(
    listener: &TcpListener,
    router: &Router,
    stopping: &watch::Sender<()>,
    connections: &mut JoinSet<()>,
) -> Infallible {
    let permits = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
    loop {
        let permit = permit(&permits).await;
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _peer)) => stream,
                Err(error) => {
                    recover(&error, connections).await;
                    continue;
                }
            },
            // Ended tasks are taken out as they end, so that the set does not grow.
            Some(_) = connections.join_next() => continue,
        };
        connections.spawn(connection(
            stream,
            router.clone(),
            stopping.subscribe(),
            permit,
        ));
    }
}

/// The right to one more connection, which goes back when the connection's task drops it.
async fn permit(permits: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    if permits.available_permits() == 0 {
        warn!(
            limit = limits::CONNECTIONS_MAX,
            "too many connections; further ones wait"
        );
    }
    match Arc::clone(permits).acquire_owned().await {
        Ok(permit) => permit,
        Err(_closed) => unreachable!("nobody closes this semaphore"),
    }
}

/// A failed accept concerns either the one connection (it was reset before we took it) or the whole
/// process (no file descriptor is free). In the second case trying again at once would spin, so
/// the loop waits until a connection ends, or a moment when there is none of ours.
async fn recover(error: &io::Error, connections: &mut JoinSet<()>) {
    if matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    ) {
        return;
    }
    warn!(%error, connections = connections.len(), "cannot accept a connection");
    let ended = async {
        if connections.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    };
    // Either outcome is the same to the caller: try again.
    let _ = tokio::time::timeout(RETRY_AFTER, ended).await;
}

/// Serves one connection to its end.
async fn connection(
    stream: TcpStream,
    router: Router,
    mut stopping: watch::Receiver<()>,
    permit: OwnedSemaphorePermit,
) {
    if let Err(error) = stream.set_nodelay(true) {
        debug!(%error, "cannot turn off Nagle's algorithm");
    }
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIME_MAX)
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut served = pin!(served);
    let result = tokio::select! {
        result = served.as_mut() => result,
        // The sender is dropped when the server stops.
        _ = stopping.changed() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = result {
        debug!(%error, "connection ended with an error");
    }
    drop(permit);
}
