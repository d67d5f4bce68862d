//! Amazon's client.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::{BehaviorVersion, Config, Credentials, Region};

/// A client at this endpoint.
#[must_use]
pub fn client(endpoint: &str) -> Client {
    Client::from_conf(
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .endpoint_url(endpoint)
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "bench"))
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build(),
    )
}

/// One receive; how many messages came.
pub async fn receive(client: &Client, queue: &str) -> usize {
    let request = client
        .receive_message()
        .queue_url(queue)
        .max_number_of_messages(10);
    let received = request.send().await.expect("an answer");
    received.messages.map_or(0, |messages| messages.len())
}
