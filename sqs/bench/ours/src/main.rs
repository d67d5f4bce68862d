//! Receives from a queue and prints what came.

use sqs::{Client, ReceiveMessageInput};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sqs = Client::from_env()?;
    let queue = std::env::var("QUEUE_URL")?;

    let input = ReceiveMessageInput {
        wait_time_seconds: Some(5),
        ..ReceiveMessageInput::new(queue)
    };
    for message in sqs.receive_message(input).await?.messages {
        println!("{}", message.body.unwrap_or_default());
    }
    Ok(())
}
