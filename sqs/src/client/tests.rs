//! The client against a server that records what it is sent and answers what it is told.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use aws_json::client::Operation as _;

use super::*;

/// A request as it came over the wire.
#[derive(Clone)]
pub(super) struct Recorded {
    pub(super) target: String,
    pub(super) body: String,
}

/// A server on the loopback interface, one connection after the other.
pub(super) struct Server {
    address: SocketAddr,
    requests: Receiver<Recorded>,
}

impl Server {
    /// One that gives every request the same answer.
    fn start(status: &str, headers: &str, body: &str) -> Server {
        let response = response(status, headers, body);
        Server::answering(move |_| response.clone())
    }

    /// One that gives what is made of each request; see [`response`].
    pub(super) fn answering(
        mut answer: impl FnMut(&Recorded) -> String + Send + 'static,
    ) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let (sender, requests) = mpsc::channel();
        // The thread ends with the process: nothing of it outlives the test but an idle socket.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.expect("a connection"));
                while let Some(request) = read_request(&mut stream) {
                    let response = answer(&request);
                    // Recorded first: whoever has the answer finds the request.
                    let recorded = sender.send(request);
                    let answered = stream.get_mut().write_all(response.as_bytes());
                    if recorded.is_err() || answered.is_err() {
                        return;
                    }
                }
            }
        });
        Server { address, requests }
    }

    /// The requests so far.
    pub(super) fn requests(&self) -> Vec<Recorded> {
        self.requests.try_iter().collect()
    }

    pub(super) fn client(&self) -> Client {
        let builder = Client::builder()
            .endpoint(format!("http://{}", self.address))
            .credentials(Credentials::new("test", "test"));
        Client::new(builder.build().expect("nothing is missing"))
    }
}

/// An answer's bytes.
pub(super) fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

/// Reads one request; none when the client has hung up.
fn read_request(stream: &mut impl BufRead) -> Option<Recorded> {
    let (mut target, mut length) = (String::new(), 0);
    let mut line = String::new();
    loop {
        line.clear();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-amz-target" => target = value.to_owned(),
            "content-length" => length = value.parse().expect("a length"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Recorded {
        target,
        body: String::from_utf8(body).expect("JSON is UTF-8"),
    })
}

pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// Calls each method with an empty input.
macro_rules! every_method {
    ($(
        $(#[$doc:meta])*
        $name:ident $method:ident($input:ident)
            -> $output:ident, $body:ident, $repeat:ident, $pace:ident;
    )+) => {
        async fn call_every_method(client: &Client) {
            $(
                let output = client.$method($input::default()).await.expect(stringify!($name));
                assert_eq!(output, $output::default());
            )+
        }

        #[test]
        fn the_transport_knows_what_the_table_says() {
            $(
                assert_eq!($input::NAME, Operation::$name.name());
                assert_eq!($input::SAFE_TO_RETRY, Operation::$name.is_safe_to_retry());
                assert_eq!($input::LONG_POLL, Operation::$name.is_long_poll());
                let held = !$input::held_for(&$input::default()).is_zero();
                assert_eq!(held, Operation::$name.is_long_poll(), stringify!($name));
            )+
        }
    };
}

operation_table!(every_method);

#[test]
fn every_method_calls_its_own_operation() {
    let server = Server::start("200 OK", "", "");
    block_on(call_every_method(&server.client()));
    for operation in Operation::ALL {
        let request = server.requests.try_recv().expect("one request a method");
        assert_eq!(request.target, format!("AmazonSQS.{operation}"));
        assert_eq!(request.body, "{}");
    }
    assert!(server.requests.try_recv().is_err(), "and no more than one");
}

#[test]
fn the_input_is_the_body_and_the_answer_the_output() {
    let server = Server::start("200 OK", "", r#"{"MessageId":"id"}"#);
    let input = SendMessageInput {
        delay_seconds: Some(5),
        ..SendMessageInput::new("u", "hi")
    };
    let output = block_on(server.client().send_message(&input)).expect("a success");
    assert_eq!(output.message_id.as_deref(), Some("id"));
    assert_eq!(output.sequence_number, None);
    let request = server.requests.try_recv().expect("a request");
    assert_eq!(
        request.body,
        r#"{"QueueUrl":"u","MessageBody":"hi","DelaySeconds":5}"#
    );
}

#[test]
fn a_refusal_has_both_names_and_its_row() {
    let server = Server::start(
        "400 Bad Request",
        "x-amzn-query-error: AWS.SimpleQueueService.NonExistentQueue;Sender\r\n",
        r#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"Not here."}"#,
    );
    let error = block_on(
        server
            .client()
            .receive_message(ReceiveMessageInput::new("u")),
    )
    .expect_err("a refusal");
    assert!(error.is("QueueDoesNotExist"));
    assert!(error.is("AWS.SimpleQueueService.NonExistentQueue"));
    assert_eq!(ErrorCode::of(&error), Some(ErrorCode::QueueDoesNotExist));
    assert_eq!(error.message(), Some("Not here."));
}

#[test]
fn a_refusal_by_query_code_alone_has_its_row() {
    let server = Server::start(
        "403 Forbidden",
        "x-amzn-query-error: KMS.OptInRequired;Sender\r\n",
        "",
    );
    let error = block_on(
        server
            .client()
            .send_message(SendMessageInput::new("u", "hi")),
    )
    .expect_err("a refusal");
    assert_eq!(ErrorCode::of(&error), Some(ErrorCode::KmsOptInRequired));
}

#[test]
fn what_is_not_in_the_table_has_no_row() {
    let server = Server::start("502 Bad Gateway", "", "");
    let error =
        block_on(server.client().list_queues(ListQueuesInput::new())).expect_err("a refusal");
    assert_eq!(ErrorCode::of(&error), None);
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
}

#[test]
fn a_receive_is_given_the_time_it_waits() {
    for (asked, expected) in [
        (None, 20),
        (Some(0), 0),
        (Some(7), 7),
        (Some(20), 20),
        (Some(21), 20),
        (Some(-1), 0),
    ] {
        let input = ReceiveMessageInput {
            wait_time_seconds: asked,
            ..ReceiveMessageInput::new("u")
        };
        let held = ReceiveMessageInput::held_for(&input);
        assert_eq!(held, Duration::from_secs(expected), "{asked:?}");
    }
}

#[cfg(feature = "md5")]
#[test]
fn digests_are_compared_only_where_it_was_asked_for() {
    let answer = r#"{"MessageId":"id","MD5OfMessageBody":"5d41402abc4b2a76b9719d911017c592"}"#;
    let server = Server::start("200 OK", "", answer);
    let input = SendMessageInput::new("u", "hallo");
    block_on(server.client().send_message(&input)).expect("nobody looks");
    let checking = server.client().check_md5();
    let error = block_on(checking.send_message(&input)).expect_err("another body was stored");
    let error = Md5Error::of(&error).expect("the reason");
    let [mismatch] = error.mismatches() else {
        panic!("one digest differs, not {error}")
    };
    assert_eq!(mismatch.message_id(), Some("id"));
    let right = SendMessageInput::new("u", "hello");
    block_on(checking.send_message(right)).expect("the body is the one that was sent");
}

#[test]
fn calls_can_be_moved_between_threads() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }

    let client = Server::start("200 OK", "", "").client();
    let input = ReceiveMessageInput::new("u");
    drop(assert_send(client.receive_message(&input)));
    drop(assert_send(
        client.send_message(SendMessageInput::new("u", "hi")),
    ));
}

#[test]
fn the_environment_knows_the_service_as_sqs() {
    let environment = aws_json::client::config::Environment::from_iter([
        ("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:9324"),
        ("AWS_REGION", "eu-west-1"),
    ]);
    let builder = Client::builder()
        .environment(&environment)
        .credentials(Credentials::new("test", "test"));
    let client = builder.build().expect("nothing is missing");
    assert_eq!(client.endpoint_url(), "http://127.0.0.1:9324/");
    assert_eq!(client.region(), "eu-west-1");
}

#[test]
fn the_plain_name_in_govcloud_is_the_fips_one() {
    use aws_json::client::{Endpoint, Variant};

    for (region, host) in [
        ("us-gov-west-1", "sqs.us-gov-west-1.amazonaws.com"),
        ("us-west-1", "sqs-fips.us-west-1.amazonaws.com"),
    ] {
        let endpoint = Endpoint::of(&service(), region, Variant::Fips).expect("a region");
        assert_eq!(endpoint.to_string(), format!("https://{host}/"));
    }
}
