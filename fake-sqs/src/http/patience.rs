//! A connection whose client does not take what it asked for is given up.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that fails when a write makes no progress for a time. Reads wait as they always do:
/// how long a request may take is bounded elsewhere.
pub(crate) struct Patient<S> {
    stream: S,
    limit: Duration,
    /// Runs while a write waits.
    waited: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, limit: Duration) -> Self {
        Self {
            stream,
            limit,
            waited: None,
        }
    }

    /// Passes on what a write came to, and ends it when it has waited too long.
    fn bounded<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waited = None;
            return written;
        }
        let limit = self.limit;
        let waited = self.waited.get_or_insert_with(|| Box::pin(sleep(limit)));
        match waited.as_mut().poll(context) {
            Poll::Ready(()) => {
                let message = "the client does not take its answer";
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, message)))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, shut)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up_and_one_that_is_slow_is_not() {
        let limit = Duration::from_secs(30);
        let (server, mut client) = duplex(16);
        let mut server = Patient::new(server, limit);
        let slow = tokio::spawn(async move {
            let mut taken = [0; 16];
            for _ in 0..10 {
                sleep(limit - Duration::from_secs(1)).await;
                client.read_exact(&mut taken).await.expect("sent");
            }
            client
        });
        server.write_all(&[0; 160]).await.expect("taken, slowly");
        let _client = slow.await.expect("no panic");
        let error = server.write_all(&[0; 17]).await.expect_err("not taken");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
