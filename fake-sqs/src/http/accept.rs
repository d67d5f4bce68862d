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
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::metrics::gauge::Gauge;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tracing::{debug, warn};

use super::patience::Patient;
use super::{head, limits};
use crate::clock::Sparingly;

/// How long the loop waits after a failed accept when no connection's end wakes it earlier.
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// An extension of an answer that is not to go out: its connection is closed instead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unanswered;

/// Why a connection is closed in place of an answer.
#[derive(Debug, thiserror::Error)]
#[error("a fault closes it without an answer")]
struct Closed;

/// What serves connections.
pub(crate) struct Acceptor {
    pub(crate) listener: TcpListener,
    pub(crate) router: Router,
    /// How many connections are served at once; further ones wait.
    pub(crate) connections_max: usize,
    /// Shows how many are open.
    pub(crate) open: Gauge,
    /// How long answers that are under way may take when the server stops.
    pub(crate) grace: Duration,
}

impl Acceptor {
    /// Serves until `stop` completes; then accepts nothing more, lets the answers under way
    /// finish within the grace, and closes what is left.
    pub(crate) async fn serve(self, stop: impl Future<Output = ()>) {
        let (stopping, _) = watch::channel(());
        let mut connections = JoinSet::new();
        tokio::select! {
            never = self.accept(&stopping, &mut connections) => match never {},
            () = stop => {}
        }
        drop(self.listener);
        drop(stopping);
        let drained = tokio::time::timeout(self.grace, async {
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
        &self,
        stopping: &watch::Sender<()>,
        connections: &mut JoinSet<()>,
    ) -> Infallible {
        let permits = Arc::new(Semaphore::new(self.connections_max));
        let (mut full, mut failed) = (Sparingly::default(), Sparingly::default());
        loop {
            if permits.available_permits() == 0 && full.may_tell(limits::WARNING_PERIOD) {
                warn!(
                    limit = self.connections_max,
                    "too many connections; further ones wait"
                );
            }
            let permit = permit(&permits).await;
            let stream = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _peer)) => stream,
                    Err(error) => {
                        recover(&error, connections, &mut failed).await;
                        continue;
                    }
                },
                // Ended tasks are taken out as they end, so that the set does not grow.
                Some(_) = connections.join_next() => continue,
            };
            let router = self.router.clone();
            let open = Open::new(&self.open);
            connections.spawn(connection(
                stream,
                router,
                stopping.subscribe(),
                (permit, open),
            ));
        }
    }
}

/// An open connection, as long as this lives.
struct Open(Gauge);

impl Open {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The right to one more connection, which goes back when the connection's task drops it.
async fn permit(permits: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    match Arc::clone(permits).acquire_owned().await {
        Ok(permit) => permit,
        Err(_closed) => unreachable!("nobody closes this semaphore"),
    }
}

/// A failed accept concerns either the one connection (it was reset before we took it) or the whole
/// process (no file descriptor is free). In the second case trying again at once would spin, so
/// the loop waits until a connection ends, or a moment when there is none of ours.
async fn recover(error: &io::Error, connections: &mut JoinSet<()>, told: &mut Sparingly) {
    if matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    ) {
        return;
    }
    if told.may_tell(limits::WARNING_PERIOD) {
        warn!(%error, connections = connections.len(), "cannot accept a connection");
    }
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
    held: (OwnedSemaphorePermit, Open),
) {
    if let Err(error) = stream.set_nodelay(true) {
        debug!(%error, "cannot turn off Nagle's algorithm");
    }
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request| {
        let answer = head::check(&request).map(|()| router.call(request));
        async move {
            let answer = match answer {
                Ok(answer) => answer.await,
                Err(wrong) => {
                    warn!("refused: {wrong}");
                    Ok(wrong.response())
                }
            };
            let Ok(answer) = answer;
            match answer.extensions().get::<Unanswered>() {
                // hyper answers no request whose service fails, and closes the connection.
                Some(Unanswered) => Err(Closed),
                None => Ok(answer),
            }
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIME_MAX)
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .serve_connection(
            TokioIo::new(Patient::new(stream, limits::WRITE_TIME_MAX)),
            service,
        );
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
        tell(&error);
    }
    drop(held);
}

/// What is logged of a connection that ended in an error: a client that speaks another protocol does
/// not show the answer that it got to that, so the log says it.
fn tell(error: &hyper::Error) {
    if error.is_parse_too_large() {
        warn!("refused: {}", head::Wrong::TooLarge);
    } else if error.is_parse() {
        warn!(
            "refused: a connection sent what is no request of HTTP/1.1 ({error}); perhaps the \
             client uses https:// or HTTP/2: this server speaks plain HTTP/1.1, so its URL begins \
             with http://"
        );
    } else {
        debug!(%error, "connection ended with an error");
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::{Notify, oneshot};
    use tokio::task::JoinHandle;
    use tokio::time::timeout;

    use super::*;

    /// Longer than anything here takes.
    const BOUND: Duration = Duration::from_secs(60);

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    /// A loopback address that nobody else uses, so that nobody takes over a port of it that was
    /// given back. macOS has only the usual one.
    const ALONE: [u8; 4] = if cfg!(target_os = "macos") {
        [127, 0, 0, 1]
    } else {
        [127, 0, 77, 3]
    };

    struct Server {
        address: SocketAddr,
        open: Gauge,
        stop: oneshot::Sender<()>,
        task: JoinHandle<()>,
    }

    async fn start(router: Router, connections_max: usize, grace: Duration) -> Server {
        start_at([127, 0, 0, 1], router, connections_max, grace).await
    }

    async fn start_at(
        address: [u8; 4],
        router: Router,
        connections_max: usize,
        grace: Duration,
    ) -> Server {
        let address = SocketAddr::from((address, 0));
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (open, (stop, stopped)) = (Gauge::default(), oneshot::channel());
        let acceptor = Acceptor {
            listener,
            router,
            connections_max,
            open: open.clone(),
            grace,
        };
        let task = tokio::spawn(acceptor.serve(async {
            let _ = stopped.await;
        }));
        Server {
            address,
            open,
            stop,
            task,
        }
    }

    fn quick() -> Router {
        Router::new().route("/", get(|| async { "done" }))
    }

    async fn ask(address: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.expect("accepted");
        stream.write_all(REQUEST).await.expect("sent");
        stream
    }

    async fn answer(mut stream: TcpStream) -> String {
        let mut answer = String::new();
        let read = timeout(BOUND, stream.read_to_string(&mut answer)).await;
        // A reset is one way to close.
        let _ = read.expect("in time");
        answer
    }

    /// How many requests were served at once, when five clients come together.
    async fn most_at_once(connections_max: usize) -> usize {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let handler = {
            let most = Arc::clone(&most);
            move || async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                while most.load(Ordering::SeqCst) < connections_max {
                    tokio::task::yield_now().await;
                }
                // Whoever gets here too is one too many.
                for _ in 0..1_000 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                "done"
            }
        };
        let router = Router::new().route("/", get(handler));
        let server = start(router, connections_max, BOUND).await;
        let mut clients = Vec::new();
        for _ in 0..5 {
            clients.push(ask(server.address).await);
        }
        for client in clients {
            assert!(answer(client).await.ends_with("done"));
        }
        most.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn connections_beyond_the_limit_wait_until_others_end() {
        assert_eq!(most_at_once(5).await, 5);
        assert_eq!(most_at_once(2).await, 2);
        assert_eq!(most_at_once(1).await, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn headers_that_do_not_come_close_the_connection() {
        // Tokio moves no time by itself while this task waits, which it does for `BOUND` at most.
        let (_still, moving) = mpsc::channel::<()>();
        let stood = tokio::task::spawn_blocking(move || moving.recv_timeout(BOUND));
        let server = start(quick(), 9, BOUND).await;
        let mut stream = TcpStream::connect(server.address).await.expect("accepted");
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: local")
            .await
            .expect("sent");
        while server.open.get() == 0 {
            assert!(!stood.is_finished(), "nobody takes the connection");
            tokio::task::yield_now().await;
        }
        // By now it is served, or is once this task has let others run.
        tokio::task::yield_now().await;
        tokio::time::advance(limits::HEAD_TIME_MAX).await;
        let moment = Duration::from_secs(1);
        let answer = timeout(moment, answer(stream)).await.expect("in time");
        assert!(!answer.contains("200"), "{answer}");
    }

    #[tokio::test]
    async fn an_answer_under_way_is_finished_when_the_server_stops() {
        let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let handler = {
            let (arrived, go) = (Arc::clone(&arrived), Arc::clone(&go));
            move || async move {
                arrived.notify_one();
                go.notified().await;
                "done"
            }
        };
        let router = Router::new().route("/", get(handler));
        let server = start_at(ALONE, router, 9, BOUND).await;
        let busy = ask(server.address).await;
        let idle = TcpStream::connect(server.address).await.expect("accepted");
        arrived.notified().await;
        server.stop.send(()).expect("running");
        assert_eq!(answer(idle).await, "");
        assert!(
            TcpStream::connect(server.address).await.is_err(),
            "the port still accepts"
        );
        go.notify_one();
        assert!(answer(busy).await.ends_with("done"));
        timeout(BOUND, server.task)
            .await
            .expect("in time")
            .expect("no panic");
    }

    #[tokio::test]
    async fn an_answer_that_takes_too_long_is_cut_off() {
        let arrived = Arc::new(Notify::new());
        let handler = {
            let arrived = Arc::clone(&arrived);
            move || async move {
                arrived.notify_one();
                std::future::pending::<&str>().await
            }
        };
        let router = Router::new().route("/", get(handler));
        let server = start(router, 9, Duration::ZERO).await;
        let stuck = ask(server.address).await;
        arrived.notified().await;
        server.stop.send(()).expect("running");
        assert_eq!(answer(stuck).await, "");
        timeout(BOUND, server.task)
            .await
            .expect("in time")
            .expect("no panic");
    }
}
