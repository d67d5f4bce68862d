//! A server, and a server inside a test.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::driver::Driver;
use crate::http::{accept, limits};
use crate::{Builder, Credential, StartError};

/// The region that examples and tests use. Any other is served too.
const REGION: &str = "us-east-1";

/// A running server inside this process.
///
/// It listens on a port of its own, so servers side by side know nothing of each other, and runs
/// on a thread and a runtime of its own, so a test that blocks its own thread cannot starve it.
/// Dropping it stops it: the port is closed when the drop returns, and calls that are under way
/// are cut off.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use fake_sqs::FakeSqs;
///
/// let sqs = FakeSqs::start().await;
/// assert!(sqs.endpoint_url().starts_with("http://127.0.0.1:"));
/// assert_eq!(sqs.credentials().access_key_id(), "test");
/// assert_eq!(sqs.credentials().secret_access_key(), "test");
/// assert_eq!(sqs.region(), "us-east-1");
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the server stops when this is dropped"]
pub struct FakeSqs {
    address: SocketAddr,
    credentials: Vec<Credential>,
    /// Dropped to stop the server.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl FakeSqs {
    /// Starts a server on a free port of 127.0.0.1, with the built-in credential and everything in
    /// memory. It takes a few milliseconds at most.
    ///
    /// # Panics
    ///
    /// When the system has no free port or gives no thread: a test can do nothing about either.
    /// [`builder`](Self::builder) offers the same with an error.
    pub async fn start() -> Self {
        match Self::builder().start().await {
            Ok(server) => server,
            Err(error) => panic!("fake-sqs did not start: {error}"),
        }
    }

    /// What can be chosen about a server.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Where clients reach it, like `http://127.0.0.1:40123`.
    #[must_use]
    pub fn endpoint_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The first of the credentials that it accepts.
    #[must_use]
    pub fn credentials(&self) -> &Credential {
        // The builder leaves at least one.
        &self.credentials[0]
    }

    /// A region to sign for. Any works; each has its own queues.
    #[must_use]
    pub fn region(&self) -> &'static str {
        REGION
    }

    /// Serves on a new thread.
    pub(crate) fn spawn(server: Server) -> Result<Self, StartError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StartError::Thread)?;
        let (address, credentials) = (server.address, server.credentials.clone());
        let (stop, stopped) = oneshot::channel::<Infallible>();
        let stopped = async {
            // It ends when its sender is dropped, since nothing can be sent.
            let _ = stopped.await;
        };
        let serve = move || {
            if let Err(error) = runtime.block_on(server.serve(stopped, Duration::ZERO)) {
                tracing::error!(%error, "the server ended");
            }
        };
        let thread = thread::Builder::new()
            .name("fake-sqs".to_owned())
            .spawn(serve);
        let thread = thread.map_err(StartError::Thread)?;
        Ok(Self {
            address,
            credentials,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for FakeSqs {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A server that panicked is a stopped server.
            let _ = thread.join();
        }
    }
}

/// A server that has its port and does not serve yet. Made by [`Builder::bind`].
///
/// This is for programs that bring their own runtime; tests are better served by [`FakeSqs`].
#[must_use = "a server serves only while it runs"]
pub struct Server {
    pub(crate) listener: std::net::TcpListener,
    pub(crate) address: SocketAddr,
    pub(crate) credentials: Vec<Credential>,
    pub(crate) driver: Arc<Driver>,
    pub(crate) router: Router,
}

impl Server {
    /// The address that it listens on, with the real port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The credentials that it accepts, each with its account. There is at least one.
    #[must_use]
    pub fn credentials(&self) -> &[Credential] {
        &self.credentials
    }

    /// Serves until `stop` completes. Then no connection is accepted any more, long polls that
    /// wait are answered at once and without messages, and other calls have
    /// [`STOP_TIME_MAX`](limits::STOP_TIME_MAX) to end.
    ///
    /// # Errors
    ///
    /// When the runtime cannot take over the listening socket.
    ///
    /// # Panics
    ///
    /// When it is not called on a tokio runtime with IO and time.
    pub async fn run(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        self.serve(stop, limits::STOP_TIME_MAX).await
    }

    async fn serve(self, stop: impl Future<Output = ()>, grace: Duration) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let driver = self.driver;
        let stop = async {
            stop.await;
            driver.close();
        };
        tokio::select! {
            () = accept::serve(listener, self.router, stop, grace) => Ok(()),
            never = driver.run() => match never {},
        }
    }
}
