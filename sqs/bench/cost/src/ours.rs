//! This project's client.

use sqs::client::Credentials;
use sqs::{Client, ReceiveMessageInput};

/// A client at this endpoint.
#[must_use]
pub fn client(endpoint: &str) -> Client {
    let transport = Client::builder()
        .endpoint(endpoint)
        .credentials(Credentials::new("test", "test"))
        .build();
    Client::new(transport.expect("the settings are right"))
}

/// One receive; how many messages came.
pub async fn receive(client: &Client, queue: &str) -> usize {
    let input = ReceiveMessageInput {
        max_number_of_messages: Some(10),
        ..ReceiveMessageInput::new(queue)
    };
    let received = client.receive_message(input).await.expect("an answer");
    received.messages.len()
}
