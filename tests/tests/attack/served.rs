//! A server in a process of its own, whose memory a test can look at: it says where it listens, and
//! serves until its standard input ends.

use std::io::{self, Read};

use fake_sqs::FakeSqs;
use fake_sqs::journal::Bounds;

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    // A journal that is full soon, so that its growing is no leak.
    let journal = Bounds {
        requests: 16,
        bytes: 64 * 1024,
    };
    let server = FakeSqs::builder().journal(journal).start().await;
    let server = server.map_err(io::Error::other)?;
    println!("{}", server.endpoint_url());
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
