//! Many servers in one process, and tests that block.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use fake_sqs::{Credential, FakeSqs, QueueDeclaration};
use sqs::{Client, GetQueueUrlInput, ReceiveMessageInput, SendMessageInput};

/// How long anything here may take.
const BOUND: Duration = Duration::from_secs(60);

/// A loopback address that nobody else uses, so that nobody takes over a port of it that was given
/// back. macOS has only the usual one.
const ALONE: [u8; 4] = if cfg!(target_os = "macos") {
    [127, 0, 0, 1]
} else {
    [127, 0, 77, 2]
};

const SERVERS: usize = 50;

fn client(server: &FakeSqs) -> Client {
    let client = Client::builder()
        .endpoint(server.endpoint_url())
        .region(server.region())
        .credentials(server.credentials())
        .build();
    Client::new(client.expect("a client"))
}

/// What a server answers to a request for its health, by means that block this thread.
fn health(server: &FakeSqs) -> String {
    let endpoint = server.endpoint_url();
    let address = endpoint.strip_prefix("http://").expect("plain http");
    let mut stream = TcpStream::connect(address).expect("the port accepts");
    stream.set_read_timeout(Some(BOUND)).expect("a timeout");
    stream
        .write_all(b"GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[tokio::test(flavor = "current_thread")]
async fn fifty_servers_share_nothing_and_serve_a_test_that_blocks() {
    let mut servers = Vec::new();
    for number in 0..SERVERS {
        let server = FakeSqs::builder()
            .listen((ALONE, 0).into())
            .credential(Credential::new("test", format!("secret-{number}")).expect("a credential"))
            .queue(QueueDeclaration::new("orders").message(format!("of {number}").as_str()))
            .start();
        servers.push(server.await.expect("started"));
    }
    for (number, server) in servers.iter().enumerate() {
        // The only thread of the test's own runtime is blocked here.
        assert!(health(server).contains("\"messages\":1"), "server {number}");
        let client = client(server);
        let url = client.get_queue_url(GetQueueUrlInput::new("orders")).await;
        let url = url.expect("declared").queue_url.expect("a URL");
        let received = client.receive_message(ReceiveMessageInput::new(&url)).await;
        let messages = received.expect("received").messages;
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].body.as_deref(), Some(&*format!("of {number}")));
    }
    // Dropped means stopped, and the others go on.
    let first = servers.remove(0);
    let endpoint = first.endpoint_url();
    drop(first);
    let address = endpoint.strip_prefix("http://").expect("plain http");
    assert!(
        TcpStream::connect(address).is_err(),
        "the port still accepts"
    );
    let client = client(&servers[0]);
    let sent = client
        .send_message(SendMessageInput::new("orders", "another"))
        .await;
    assert!(sent.is_ok(), "{sent:?}");
}
