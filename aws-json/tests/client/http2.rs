//! HTTP/2: where it is spoken, and what can go wrong with it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use aws_json::client::{ATTEMPT_TIMEOUT, Builder, Client, Error, HttpVersion, Operation};
use bytes::Bytes;
use h2::Reason;
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::server::{Answer, Nobody, Server, bounded, builder, sqs};
use crate::still::{Still, pass};

/// What is answered to one request.
enum Reply {
    /// A whole answer.
    Whole(u16, Bytes),
    /// A whole answer once there are so many requests in all.
    After(usize),
    /// A whole answer, and no further request on this connection.
    Last,
    /// The head and some of the body, and then this end of the stream.
    Broken(Reason),
    /// A head with a header of this length.
    Head(usize),
    /// This end of the stream.
    Refused(Reason),
    /// Nothing.
    Stalled,
}

fn ok() -> Reply {
    Reply::Whole(200, Bytes::from_static(b"{}"))
}

/// A request as it came.
#[derive(Clone, Debug)]
struct Recorded {
    connection: usize,
    uri: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// A server that speaks HTTP/2 and nothing else.
struct Http2 {
    port: u16,
    recorded: watch::Receiver<Vec<Recorded>>,
    task: JoinHandle<()>,
}

#[derive(Clone)]
struct Script {
    replies: Arc<Mutex<VecDeque<Reply>>>,
    recorded: watch::Sender<Vec<Recorded>>,
}

impl Http2 {
    async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (record, recorded) = watch::channel(Vec::new());
        let script = Script {
            replies: Arc::new(Mutex::new(replies.into_iter().collect())),
            recorded: record,
        };
        let task = tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(script.clone().serve(stream, connection));
            }
        });
        Self {
            port,
            recorded,
            task,
        }
    }

    fn builder(&self) -> Builder {
        builder(sqs(), format!("http://127.0.0.1:{}", self.port)).http_version(HttpVersion::Http2)
    }

    fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    fn recorded(&self) -> Vec<Recorded> {
        self.recorded.borrow().clone()
    }

    fn connections(&self) -> Vec<usize> {
        self.recorded().iter().map(|r| r.connection).collect()
    }

    /// Waits until so many requests have come.
    async fn came(&self, requests: usize) {
        let mut recorded = self.recorded.clone();
        let waiting = recorded.wait_for(|recorded| recorded.len() >= requests);
        bounded(waiting).await.unwrap();
    }
}

impl Drop for Http2 {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Script {
    async fn serve<S: AsyncRead + AsyncWrite + Unpin>(self, stream: S, connection: usize) {
        let Ok(mut server) = h2::server::handshake(stream).await else {
            return;
        };
        // Ends when the client closes the connection.
        while let Some(Ok((request, respond))) = server.accept().await {
            let reply = self.replies.lock().unwrap().pop_front();
            let Some(reply) = reply else { return };
            if matches!(reply, Reply::Last) {
                server.graceful_shutdown();
            }
            tokio::spawn(self.clone().answer(connection, request, reply, respond));
        }
    }

    async fn answer(
        self,
        connection: usize,
        request: Request<h2::RecvStream>,
        reply: Reply,
        mut respond: SendResponse<Bytes>,
    ) {
        let (head, mut incoming) = request.into_parts();
        let mut body = Vec::new();
        while let Some(data) = incoming.data().await {
            body.extend_from_slice(&data.unwrap());
        }
        self.recorded.send_modify(|recorded| {
            recorded.push(Recorded {
                connection,
                uri: head.uri.to_string(),
                headers: head.headers,
                body,
            });
        });
        let answer = |status| Response::builder().status(status).body(()).unwrap();
        match reply {
            Reply::Whole(status, body) => {
                let mut stream = respond.send_response(answer(status), false).unwrap();
                stream.send_data(body, true).unwrap();
            }
            Reply::After(requests) => {
                let mut recorded = self.recorded.subscribe();
                let waiting = recorded.wait_for(|recorded| recorded.len() >= requests);
                waiting.await.unwrap();
                respond.send_response(answer(200), true).unwrap();
            }
            Reply::Last => {
                respond.send_response(answer(200), true).unwrap();
            }
            Reply::Broken(reason) => {
                let mut stream = respond.send_response(answer(200), false).unwrap();
                stream.send_data(Bytes::from_static(b"{"), false).unwrap();
                // What is reset at once is not sent first.
                stream.reserve_capacity(1);
                tokio::task::yield_now().await;
                stream.send_reset(reason);
            }
            Reply::Head(length) => {
                let mut answer = answer(200);
                let long = HeaderValue::try_from("x".repeat(length)).unwrap();
                answer.headers_mut().insert("x-long", long);
                respond.send_response(answer, true).unwrap();
            }
            Reply::Refused(reason) => respond.send_reset(reason),
            Reply::Stalled => std::future::pending().await,
        }
    }
}

#[tokio::test]
async fn a_server_that_is_known_to_speak_it_is_spoken_to() {
    let server = Http2::start([Reply::Whole(200, Bytes::from_static(b"{\"a\":1}"))]).await;
    let input = serde_json::json!({"b": 2});
    let output = bounded(server.client().call_value("get_it", Some(&input))).await;
    assert_eq!(output.unwrap(), serde_json::json!({"a": 1}));
    let request = &server.recorded()[0];
    let host = format!("127.0.0.1:{}", server.port);
    assert_eq!(request.uri, format!("http://{host}/"));
    assert_eq!(request.body, b"{\"b\":2}");
    // The one that is signed is the one that the server routes by.
    assert_eq!(request.headers["host"], host.as_str());
    assert_eq!(request.headers["content-length"], "7");
    assert_eq!(request.headers["x-amz-target"], "AmazonSQS.GetIt");
    let signature = request.headers["authorization"].to_str().unwrap();
    assert!(signature.contains("content-length;content-type;host;x-amz-date"));
}

#[tokio::test]
async fn calls_at_the_same_time_share_a_connection() {
    let server = Http2::start([ok(), Reply::After(4), Reply::After(4), Reply::After(4)]).await;
    let client = server.client();
    bounded(client.call_value("x", None)).await.unwrap();
    let (a, b, c) = bounded(Box::pin(async {
        tokio::join!(
            client.call_value("x", None),
            client.call_value("x", None),
            client.call_value("x", None),
        )
    }))
    .await;
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(server.connections(), [0, 0, 0, 0]);
}

/// Ten calls at once of a client that has no connection yet.
async fn ten_at_once(client: &Client) -> Vec<Result<serde_json::Value, Error>> {
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call_value("x", None).await })
        })
        .collect();
    let mut results = Vec::new();
    for call in calls {
        results.push(bounded(call).await.unwrap());
    }
    results
}

#[tokio::test]
async fn the_first_calls_wait_for_one_connection() {
    let server = Http2::start((0..10).map(|_| ok())).await;
    for result in ten_at_once(&server.client()).await {
        result.unwrap();
    }
    assert_eq!(server.connections(), [0; 10]);
}

#[tokio::test]
async fn first_calls_that_wait_for_a_connection_in_vain_did_not_arrive() {
    let nobody = Nobody::new();
    let client = builder(sqs(), nobody.url())
        .http_version(HttpVersion::Http2)
        .build()
        .unwrap();
    for result in ten_at_once(&client).await {
        let error = result.unwrap_err();
        assert!(error.is_connect() && !error.is_outcome_unknown(), "{error}");
    }
}

#[tokio::test]
async fn an_answer_larger_than_a_window_is_read_up_to_the_limit() {
    let body = Bytes::from(format!("{{\"a\":\"{}\"}}", "x".repeat(8 << 20)));
    let server = Http2::start([
        Reply::Whole(200, body.clone()),
        Reply::Whole(200, body.clone()),
    ])
    .await;
    let output = bounded(server.client().call_value("x", None))
        .await
        .unwrap();
    assert_eq!(output["a"].as_str().unwrap().len(), 8 << 20);
    let client = server.builder().response_limit(1_000).build().unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the answer is larger than 1000 bytes (200, no request id)"
    );
}

#[tokio::test]
async fn a_head_has_an_end() {
    let server = Http2::start([Reply::Head(15_000), Reply::Head(17_000)]).await;
    let client = server.client();
    bounded(client.call_value("x", None)).await.unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert!(error.is_outcome_unknown() && !error.is_timeout());
    assert_eq!(error.status(), None);
}

#[tokio::test]
async fn a_refused_stream_is_a_call_that_did_not_arrive() {
    for (reason, arrived) in [
        (Reason::REFUSED_STREAM, false),
        (Reason::INTERNAL_ERROR, true),
        (Reason::CANCEL, true),
    ] {
        let server = Http2::start([Reply::Refused(reason)]).await;
        let error = bounded(server.client().call_value("x", None))
            .await
            .unwrap_err();
        let told = error.to_string();
        assert!(told.starts_with("the call broke off: "), "{told}");
        assert_eq!(error.is_outcome_unknown(), arrived, "{reason:?}");
        assert!(!error.is_connect() && !error.is_timeout());
    }
}

/// An operation that must not be done twice.
struct Unsafe;

impl Operation for Unsafe {
    const NAME: &'static str = "Unsafe";
    const SAFE_TO_RETRY: bool = false;
    type Input = ();
    type Output = ();
}

#[tokio::test]
async fn a_refused_stream_is_sent_again_whatever_the_operation() {
    for (reason, sent) in [(Reason::REFUSED_STREAM, 2), (Reason::INTERNAL_ERROR, 1)] {
        let server = Http2::start([Reply::Refused(reason), ok()]).await;
        let client = server.builder().max_attempts(2).build().unwrap();
        let result = bounded(client.call::<Unsafe>(&())).await;
        assert_eq!(result.is_ok(), sent == 2, "{result:?}");
        assert_eq!(server.recorded().len(), sent);
    }
}

#[tokio::test]
async fn a_stream_that_is_reset_within_its_answer_is_an_answer_that_broke_off() {
    let server = Http2::start([Reply::Broken(Reason::INTERNAL_ERROR), ok()]).await;
    let client = server.client();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert!(error.is_outcome_unknown());
    assert!(error.to_string().contains(" broke off: "), "{error}");
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn a_connection_in_trouble_is_left_and_what_is_under_way_on_it_ends_well() {
    for trouble in [Reply::Whole(503, Bytes::new()), Reply::Stalled] {
        let stalls = matches!(trouble, Reply::Stalled);
        let server = Http2::start([ok(), Reply::After(4), trouble, ok()]).await;
        let patient = server.client();
        bounded(patient.call_value("x", None)).await.unwrap();
        let under_way = patient.clone();
        let under_way = tokio::spawn(async move { under_way.call_value("x", None).await });
        server.came(2).await;
        let call = bounded(patient.call_value("x", None));
        if stalls {
            // Dropped, it leaves the connection as a call does that runs out of time.
            tokio::select! {
                _ = call => panic!("it was answered"),
                () = server.came(3) => {}
            }
        } else {
            call.await.unwrap_err();
        }
        bounded(patient.call_value("x", None)).await.unwrap();
        assert!(bounded(under_way).await.unwrap().is_ok());
        assert_eq!(server.connections(), [0, 0, 0, 1]);
    }
}

#[tokio::test]
async fn a_stream_that_stalls_is_a_timeout_after_which_another_connection_is_made() {
    let _still = Still::begin();
    let server = Http2::start([Reply::Stalled, ok()]).await;
    let client = server.client();
    let stall = async {
        server.came(1).await;
        pass(ATTEMPT_TIMEOUT).await;
    };
    let call = client.call_value("x", None);
    let (result, ()) = bounded(Box::pin(async { tokio::join!(call, stall) })).await;
    let error = result.unwrap_err();
    assert!(error.is_timeout() && !error.is_connect() && error.is_outcome_unknown());
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn a_server_that_says_goodbye_is_connected_to_anew() {
    let server = Http2::start([Reply::Last, ok()]).await;
    let client = server.client();
    bounded(client.call_value("x", None)).await.unwrap();
    bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn a_server_of_http_1_is_no_answer() {
    let server = Server::start([Answer::ok("{}")]).await;
    let client = server
        .builder()
        .http_version(HttpVersion::Http2)
        .build()
        .unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    assert_eq!(error.status(), None);
    assert!(!error.is_timeout());
}

#[tokio::test]
async fn plain_http_is_http_1_unless_told_otherwise() {
    for version in [HttpVersion::Negotiated, HttpVersion::Http1] {
        let server = Server::start([Answer::ok("{}")]).await;
        let client = server.builder().http_version(version).build().unwrap();
        bounded(client.call_value("x", None)).await.unwrap();
        assert_eq!(server.only_request().line, "POST / HTTP/1.1");
    }
}

#[cfg(feature = "rustls")]
mod over_tls {
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ALL_VERSIONS;

    use super::*;
    use crate::tls::{server_config, trusting};

    /// Which version a server is spoken to in, or what the error is.
    async fn spoken(ours: HttpVersion, theirs: &[&[u8]]) -> Result<u8, String> {
        let mut config = server_config(ALL_VERSIONS);
        config.alpn_protocols = theirs.iter().map(|name| name.to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!(
            "https://localhost:{}",
            listener.local_addr().unwrap().port()
        );
        let client = builder(sqs(), url)
            .tls_config(trusting())
            .http_version(ours)
            .build()
            .unwrap();
        let (record, _) = watch::channel(Vec::new());
        let script = Script {
            replies: Arc::new(Mutex::new([ok()].into())),
            recorded: record,
        };
        let serving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let stream = acceptor.accept(stream).await.ok()?;
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                tokio::spawn(script.serve(stream, 0));
                return Some(2);
            }
            // Reads to see whether it is a request at all.
            let mut stream = stream;
            let mut read = [0; 4];
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut read)
                .await
                .ok()?;
            assert_eq!(&read, b"POST");
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
            tokio::io::AsyncWriteExt::write_all(&mut stream, answer)
                .await
                .ok()?;
            tokio::spawn(async move {
                // Kept open until the client closes it.
                let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
            });
            Some(1)
        });
        match bounded(client.call_value("x", None)).await {
            Ok(_) => Ok(bounded(serving).await.unwrap().expect("a version")),
            Err(error) => {
                assert!(error.is_connect() && !error.is_timeout(), "{error}");
                assert_eq!(bounded(serving).await.unwrap(), None);
                Err(error.to_string())
            }
        }
    }

    #[tokio::test]
    async fn the_first_calls_at_once_all_succeed() {
        let mut config = server_config(ALL_VERSIONS);
        config.alpn_protocols = vec![H2.to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!(
            "https://localhost:{}",
            listener.local_addr().unwrap().port()
        );
        let (record, recorded) = watch::channel(Vec::new());
        let script = Script {
            replies: Arc::new(Mutex::new((0..10).map(|_| ok()).collect())),
            recorded: record,
        };
        let serving = tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, script) = (acceptor.clone(), script.clone());
                tokio::spawn(async move {
                    // Of several that are begun, the client drops all but one.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        script.serve(stream, connection).await;
                    }
                });
            }
        });
        let client = builder(sqs(), url).tls_config(trusting()).build().unwrap();
        for result in ten_at_once(&client).await {
            result.unwrap();
        }
        let recorded = recorded.borrow().clone();
        assert_eq!(recorded.len(), 10);
        let first = recorded[0].connection;
        assert!(recorded.iter().all(|request| request.connection == first));
        serving.abort();
    }

    const H2: &[u8] = b"h2";
    const HTTP1: &[u8] = b"http/1.1";

    #[tokio::test]
    async fn the_server_chooses_the_version() {
        use HttpVersion::{Http1, Negotiated};
        for (ours, theirs, spoken_version) in [
            (Negotiated, &[H2, HTTP1][..], 2),
            (Negotiated, &[H2], 2),
            (Negotiated, &[HTTP1, H2], 1),
            (Negotiated, &[HTTP1], 1),
            (Negotiated, &[], 1),
            (Http1, &[H2, HTTP1], 1),
            (Http1, &[], 1),
            (HttpVersion::Http2, &[HTTP1, H2], 2),
        ] {
            let spoken = spoken(ours, theirs).await;
            assert_eq!(spoken, Ok(spoken_version), "{ours:?} {theirs:?}");
        }
    }

    #[tokio::test]
    async fn http_2_only_does_not_put_up_with_less() {
        for (theirs, cause) in [
            (&[HTTP1][..], "NoApplicationProtocol"),
            (&[], "the server does not speak HTTP/2"),
        ] {
            let error = spoken(HttpVersion::Http2, theirs).await.unwrap_err();
            assert!(error.ends_with(cause), "{error}");
        }
    }
}
