//! A server, and a server inside a test.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{AddrParseError, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use prometheus_client::metrics::gauge::Gauge;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::control::Control;
use crate::driver::Driver;
use crate::http::accept::Acceptor;
use crate::http::limits;
use crate::queue_handle::Remote;
use crate::{Builder, Credential, StartError};

/// The region that is meant where none is named, unless the server is told another.
pub(crate) const REGION: &str = "us-east-1";

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
#[must_use = "the server stops when this is dropped"]
pub struct FakeSqs {
    address: SocketAddr,
    credentials: Vec<Credential>,
    remote: Remote,
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

    /// Where clients on this machine reach it, like `http://127.0.0.1:40123`.
    #[must_use]
    pub fn endpoint_url(&self) -> String {
        endpoint_url(self.address)
    }

    /// The first of the credentials that it accepts.
    #[must_use]
    pub fn credentials(&self) -> &Credential {
        // The builder leaves at least one.
        &self.credentials[0]
    }

    /// The region to sign for: the one that [`Builder::region`] or the configuration file names, or
    /// `us-east-1`. Any other is served too; each has its own queues.
    #[must_use]
    pub fn region(&self) -> String {
        self.remote.control.region().to_owned()
    }

    pub(crate) fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Serves on a new thread.
    pub(crate) fn spawn(server: Server) -> Result<Self, StartError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StartError::Thread)?;
        let (address, credentials) = (server.address, server.credentials.clone());
        let remote = Remote {
            control: server.control.clone(),
            runtime: runtime.handle().clone(),
        };
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
            remote,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl fmt::Debug for FakeSqs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeSqs")
            .field("address", &self.address)
            .field("credentials", &self.credentials)
            .finish_non_exhaustive()
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
    pub(crate) connections_max: usize,
    pub(crate) driver: Arc<Driver>,
    pub(crate) control: Control,
    pub(crate) router: Router,
    pub(crate) connections: Gauge,
}

impl Server {
    /// The address that it listens on, with the real port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients on this machine reach it, like `http://127.0.0.1:9324`.
    #[must_use]
    pub fn endpoint_url(&self) -> String {
        endpoint_url(self.address)
    }

    /// The credentials that it accepts, each with its account. There is at least one.
    #[must_use]
    pub fn credentials(&self) -> &[Credential] {
        &self.credentials
    }

    /// The region that is meant where none is named. Any other is served too.
    #[must_use]
    pub fn region(&self) -> &str {
        self.control.region()
    }

    /// How many connections it serves at once. Each takes a file descriptor of the process.
    #[must_use]
    pub fn connections_max(&self) -> usize {
        self.connections_max
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
        let acceptor = Acceptor {
            listener: TcpListener::from_std(self.listener)?,
            router: self.router,
            connections_max: self.connections_max,
            open: self.connections,
            grace,
        };
        let driver = self.driver;
        let control = self.control;
        control.ready();
        let stop = async {
            stop.await;
            control.stop();
        };
        tokio::select! {
            () = acceptor.serve(stop) => Ok(()),
            never = driver.run() => match never {},
        }
    }
}

/// The URL at which clients on this machine reach a server that listens on `address`. One that
/// listens on every address (`0.0.0.0`, `[::]`) is reached on loopback.
///
/// ```
/// let url = |address: &str| address.parse().map(fake_sqs::endpoint_url);
/// assert_eq!(url("10.0.0.7:9324")?, "http://10.0.0.7:9324");
/// assert_eq!(url("0.0.0.0:9324")?, "http://127.0.0.1:9324");
/// assert_eq!(url("[::]:9324")?, "http://[::1]:9324");
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn endpoint_url(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}")
}

/// Reads an address to listen on. Of names, only `localhost` is one: it means 127.0.0.1.
///
/// # Errors
///
/// When the text is neither an IP address with a port nor `localhost` with one.
///
/// ```
/// assert_eq!(fake_sqs::listen_address("localhost:9324")?.to_string(), "127.0.0.1:9324");
/// assert_eq!(fake_sqs::listen_address("[::1]:0")?.port(), 0);
/// assert!(fake_sqs::listen_address("9324").is_err());
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn listen_address(text: &str) -> Result<SocketAddr, AddrParseError> {
    match text.strip_prefix("localhost:") {
        Some(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST).parse(),
        None => text.parse(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::time::timeout;

    use super::*;
    use crate::clock::WallClock;
    use crate::testing::{call, signed_by, signer};

    /// Longer than anything here takes.
    const BOUND: Duration = Duration::from_secs(60);

    /// The bytes of a signed call that asks for its connection to be closed.
    fn bytes(action: &str, input: &serde_json::Value) -> Vec<u8> {
        let request = signed_by(&signer(), call(action, input), WallClock::System.now());
        let mut bytes = b"POST / HTTP/1.1\r\nConnection: close\r\n".to_vec();
        for (name, value) in request.headers() {
            bytes.extend_from_slice(name.as_str().as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        let body = request.body();
        bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    async fn send(address: SocketAddr, action: &str, input: serde_json::Value) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.expect("accepted");
        stream
            .write_all(&bytes(action, &input))
            .await
            .expect("sent");
        stream
    }

    async fn answer(mut stream: TcpStream) -> String {
        let mut answer = String::new();
        let read = timeout(BOUND, stream.read_to_string(&mut answer)).await;
        read.expect("in time").expect("an answer");
        answer
    }

    async fn waiting_polls(driver: &Driver, count: usize) {
        let wait = async {
            while driver.waiting_polls() != count {
                tokio::task::yield_now().await;
            }
        };
        timeout(BOUND, wait).await.expect("in time");
    }

    #[tokio::test]
    async fn long_polls_over_a_socket_end_with_a_send_a_hang_up_or_the_server() {
        let server = Builder::new().bind().expect("a free port");
        let (address, driver) = (server.address(), Arc::clone(&server.driver));
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        let created = send(address, "CreateQueue", json!({"QueueName": "orders"})).await;
        assert!(answer(created).await.starts_with("HTTP/1.1 200 OK\r\n"));
        let queue_url = "http://localhost:9324/000000000000/orders";
        let poll = || json!({"QueueUrl": queue_url, "WaitTimeSeconds": 20});

        let gone = send(address, "ReceiveMessage", poll()).await;
        waiting_polls(&driver, 1).await;
        drop(gone);
        waiting_polls(&driver, 0).await;

        let served = send(address, "ReceiveMessage", poll()).await;
        waiting_polls(&driver, 1).await;
        let message = json!({"QueueUrl": queue_url, "MessageBody": "hello"});
        let sent = send(address, "SendMessage", message).await;
        assert!(answer(sent).await.starts_with("HTTP/1.1 200 OK\r\n"));
        assert!(answer(served).await.contains("\"Body\":\"hello\""));

        let purged = send(address, "PurgeQueue", json!({"QueueUrl": queue_url})).await;
        let purged = answer(purged).await;
        for header in [
            "content-length: 0\r\n",
            "content-type: application/x-amz-json-1.0\r\n",
            "x-amzn-requestid: ",
            "date: ",
        ] {
            assert!(purged.contains(header), "{header} is not in {purged}");
        }

        let waits = send(address, "ReceiveMessage", poll()).await;
        waiting_polls(&driver, 1).await;
        stop.send(()).expect("running");
        let ended = answer(waits).await;
        assert!(
            ended.starts_with("HTTP/1.1 200 OK\r\n") && ended.ends_with("{}"),
            "{ended}"
        );
        let result = timeout(BOUND, running)
            .await
            .expect("in time")
            .expect("no panic");
        assert!(result.is_ok(), "{result:?}");
    }
}
