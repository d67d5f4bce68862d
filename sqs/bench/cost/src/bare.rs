//! The bytes of a call without a client: what the kernel and the runtime take of any client's time.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request as long as ours is, which the [stub](crate::stub) takes for one.
const REQUEST: &str = concat!(
    "POST / HTTP/1.1\r\n",
    "host: 127.0.0.1:40000\r\n",
    "content-type: application/x-amz-json-1.0\r\n",
    "content-length: 81\r\n",
    "x-amz-target: AmazonSQS.ReceiveMessage\r\n",
    "x-amzn-query-mode: true\r\n",
    "authorization: AWS4-HMAC-SHA256 Credential=test/20150830/us-east-1/sqs/aws4_request, ",
    "SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target;x-amzn-query-mode, ",
    "Signature=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\n",
    "x-amz-date: 20150830T123600Z\r\n",
    "user-agent: aws-json/0.1.0\r\n",
    "amz-sdk-invocation-id: 00000000-0000-4000-8000-000000000000\r\n",
    "amz-sdk-request: attempt=1; max=3\r\n\r\n",
    r#"{"QueueUrl":"http://127.0.0.1:9324/000000000000/orders","MaxNumberOfMessages":10}"#,
);

/// A connection to this endpoint.
pub async fn connect(endpoint: &str) -> TcpStream {
    let address = endpoint.trim_start_matches("http://");
    let socket = TcpStream::connect(address).await.expect("the stub listens");
    socket.set_nodelay(true).expect("it is a TCP connection");
    socket
}

/// One request, and an answer of so many bytes.
pub async fn exchange(socket: &mut TcpStream, answer: usize) {
    let mut buffer = [0; 16 * 1024];
    socket.write_all(REQUEST.as_bytes()).await.expect("sent");
    let mut missing = answer;
    while missing > 0 {
        let read = socket.read(&mut buffer).await.expect("an answer");
        assert!(read > 0, "it broke off");
        missing -= read.min(missing);
    }
}
