//! Sends a message, receives it, and deletes it.
//!
//! Where is a matter of configuration, as for AWS's own tools. At AWS, with a region and credentials
//! in the environment or in the shared files:
//!
//! ```sh
//! AWS_PROFILE=my-profile cargo run -p sqs --example round_trip --features client,tls
//! ```
//!
//! and at a local server:
//!
//! ```sh
//! export AWS_ENDPOINT_URL_SQS=http://127.0.0.1:9324 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
//! cargo run -p sqs --example round_trip --features client
//! ```

use sqs::{Client, CreateQueueInput, DeleteMessageInput, ReceiveMessageInput, SendMessageInput};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sqs = Client::from_env()?;
    let created = sqs
        .create_queue(CreateQueueInput::new("round-trip"))
        .await?;
    let url = created.queue_url.ok_or("no queue URL")?;
    sqs.send_message(SendMessageInput::new(&url, "hello"))
        .await?;
    let receive = ReceiveMessageInput {
        wait_time_seconds: Some(20),
        ..ReceiveMessageInput::new(&url)
    };
    for message in sqs.receive_message(receive).await?.messages {
        println!("{}", message.body.unwrap_or_default());
        let handle = message.receipt_handle.ok_or("no receipt handle")?;
        sqs.delete_message(DeleteMessageInput::new(&url, handle))
            .await?;
    }
    Ok(())
}
