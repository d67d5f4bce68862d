//! Receives from a queue and prints what came, with Amazon's client.

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = aws_config::load_from_env().await;
    let sqs = aws_sdk_sqs::Client::new(&config);
    let queue = std::env::var("QUEUE_URL")?;

    let received = sqs
        .receive_message()
        .queue_url(queue)
        .wait_time_seconds(5)
        .send()
        .await?;
    for message in received.messages.unwrap_or_default() {
        println!("{}", message.body.unwrap_or_default());
    }
    Ok(())
}
