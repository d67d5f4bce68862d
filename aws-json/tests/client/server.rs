//! A server that records each request as it came and answers what the test says, to the byte.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_json::client::{Builder, Client, Credentials, Service};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::still;
use crate::tracing::keep_undecided;

/// The service that most tests call.
pub(crate) fn sqs() -> Service {
    Service::new("sqs", "AmazonSQS").query_compatible()
}

/// What is answered to one request.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    bytes: Vec<u8>,
    then: Then,
}

#[derive(Clone, Copy, Debug)]
enum Then {
    KeepOpen,
    Close,
    Cut,
    Reset,
    Stall(Option<Duration>),
}

impl Answer {
    /// A whole answer with its length, after which the connection stays open.
    pub(crate) fn new(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut head = format!(
            "HTTP/1.1 {status} Whatever\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self {
            bytes: [head.as_bytes(), body].concat(),
            then: Then::KeepOpen,
        }
    }

    /// A success without headers of its own.
    pub(crate) fn ok(body: impl AsRef<[u8]>) -> Self {
        Self::new(200, &[], body)
    }

    /// These bytes, after which the connection is closed.
    pub(crate) fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self {
            bytes: bytes.as_ref().to_vec(),
            then: Then::Close,
        }
    }

    /// The same answer, after which the connection is closed, which the answer does not say.
    pub(crate) fn then_close(self) -> Self {
        Self {
            then: Then::Close,
            ..self
        }
    }

    /// The same bytes, after which the connection stays open.
    pub(crate) fn then_keep_open(self) -> Self {
        Self {
            then: Then::KeepOpen,
            ..self
        }
    }

    /// These bytes, after which the connection ends without TLS's goodbye.
    pub(crate) fn cut(bytes: impl AsRef<[u8]>) -> Self {
        Self {
            bytes: bytes.as_ref().to_vec(),
            then: Then::Cut,
        }
    }

    /// These bytes, after which the connection is reset.
    pub(crate) fn reset(bytes: impl AsRef<[u8]>) -> Self {
        Self {
            bytes: bytes.as_ref().to_vec(),
            then: Then::Reset,
        }
    }

    /// These bytes, after which nothing more comes.
    pub(crate) fn stalled(bytes: impl AsRef<[u8]>) -> Self {
        Self {
            bytes: bytes.as_ref().to_vec(),
            then: Then::Stall(None),
        }
    }

    /// The same, while so much time passes on a clock that [stands still](still::Still).
    pub(crate) fn stalled_for(bytes: impl AsRef<[u8]>, time: Duration) -> Self {
        Self {
            then: Then::Stall(Some(time)),
            ..Self::stalled(bytes)
        }
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// Which connection it came on, from 0.
    pub(crate) connection: usize,
    /// The request line.
    pub(crate) line: String,
    /// The headers in the order and the spelling of the wire.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Recorded {
    /// The one header of that name.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut values = self.headers.iter().filter(|(given, _)| given == name);
        let value = values
            .next()
            .unwrap_or_else(|| panic!("no header {name}: {self:?}"));
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        &value.1
    }
}

/// A server on a free port of the loopback interface; it ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    recorded: watch::Receiver<Vec<Recorded>>,
    ended: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

impl Server {
    /// Answers one request after another, on whichever connection it comes.
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::listen(answers, None).await
    }

    /// The same over TLS.
    #[cfg(feature = "rustls")]
    pub(crate) async fn start_tls(
        answers: impl IntoIterator<Item = Answer>,
        tls: TlsAcceptor,
    ) -> Self {
        Self::listen(answers, Some(tls)).await
    }

    async fn listen(answers: impl IntoIterator<Item = Answer>, tls: Option<TlsAcceptor>) -> Self {
        keep_undecided();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (record, recorded) = watch::channel(Vec::new());
        let (count, ended) = watch::channel(0);
        let script = Script {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            recorded: record,
        };
        let task = tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let script = script.clone();
                let tls = tls.clone();
                let count = count.clone();
                tokio::spawn(async move {
                    match tls {
                        None => script.serve(stream, connection).await,
                        // A client that refuses the certificate ends the connection here.
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                script.serve(stream, connection).await;
                            }
                        }
                    }
                    count.send_modify(|count| *count += 1);
                });
            }
        });
        Self {
            address,
            recorded,
            ended,
            task,
        }
    }

    /// Waits until so many requests have come.
    pub(crate) async fn came(&self, requests: usize) {
        let mut recorded = self.recorded.clone();
        let waiting = recorded.wait_for(|recorded| recorded.len() >= requests);
        bounded(waiting).await.unwrap();
    }

    /// Waits until so many connections have ended.
    pub(crate) async fn ended(&self, connections: usize) {
        let mut ended = self.ended.clone();
        let waiting = ended.wait_for(|ended| *ended >= connections);
        bounded(waiting).await.unwrap();
    }

    /// On which connection each request came, from 0.
    pub(crate) fn connections(&self) -> Vec<usize> {
        self.recorded().iter().map(|r| r.connection).collect()
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client of this server.
    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    /// Settings for a client of this server.
    pub(crate) fn builder(&self) -> Builder {
        builder(sqs(), self.url())
    }

    /// What came so far.
    pub(crate) fn recorded(&self) -> Vec<Recorded> {
        self.recorded.borrow().clone()
    }

    /// The one request that came.
    #[track_caller]
    pub(crate) fn only_request(&self) -> Recorded {
        let recorded = self.recorded();
        assert_eq!(recorded.len(), 1, "{recorded:?}");
        recorded[0].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An address of the loopback interface where nobody listens, and nobody else can begin to.
pub(crate) struct Nobody(TcpSocket);

impl Nobody {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        Self(socket)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }
}

/// Settings with the credentials that the tests use. What fails is not sent again, unless a test
/// is about that; then it is sent at once, as the random part of each delay is none. The servers are
/// not on the other loopback interface, where that port may be somebody else's.
pub(crate) fn builder(service: Service, url: String) -> Builder {
    keep_undecided();
    Client::builder(service)
        .endpoint(url)
        .credentials(Credentials::new(KEY, SECRET))
        .max_attempts(1)
        .random_source(|| 0)
        .resolve("localhost", ([127, 0, 0, 1], 0).into())
}

pub(crate) const KEY: &str = "AKIDEXAMPLE";
pub(crate) const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/// Longer than anything takes that does not hang, on the slowest machine too.
pub(crate) const HANG: Duration = Duration::from_secs(120);

/// Runs a test's future, and fails the test if it takes longer than it possibly should.
pub(crate) async fn bounded<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(HANG, future)
        .await
        .expect("the test hangs")
}

/// A connection, plain or TLS.
trait Socket: AsyncRead + AsyncWrite + Unpin {
    fn tcp(&self) -> &TcpStream;
}

impl Socket for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Socket for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

#[derive(Clone)]
struct Script {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    recorded: watch::Sender<Vec<Recorded>>,
}

impl Script {
    async fn serve<S: Socket>(self, mut stream: S, connection: usize) {
        while let Some(request) = read_request(&mut stream, connection).await {
            let answer = self.answers.lock().unwrap().pop_front();
            self.recorded.send_modify(|recorded| recorded.push(request));
            let Some(answer) = answer else { return };
            // The client may be gone, having seen enough.
            let _ = stream.write_all(&answer.bytes).await;
            let _ = stream.flush().await;
            match answer.then {
                Then::KeepOpen => {}
                Then::Close => {
                    let _ = stream.shutdown().await;
                    return;
                }
                Then::Cut => return,
                Then::Reset => {
                    stream.tcp().set_zero_linger().unwrap();
                    return;
                }
                Then::Stall(time) => {
                    if let Some(time) = time {
                        still::pass(time).await;
                    }
                    // Ends when the client closes the connection.
                    let _ = stream.read(&mut [0]).await;
                    return;
                }
            }
        }
    }
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S, connection: usize) -> Option<Recorded> {
    let mut read = Vec::new();
    let head_end = loop {
        if let Some(at) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    };
    let mut body = read.split_off(head_end + 4);
    let head = String::from_utf8(read).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Recorded {
        connection,
        line,
        headers,
        body,
    })
}
