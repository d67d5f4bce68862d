//! A body that comes slowly.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Sleep;

/// In how many pieces a body comes at most.
const PIECES_MAX: usize = 20;

/// The body that comes whole after this time, piece by piece. It is not empty.
pub(super) fn slow_body(mut body: Bytes, over: Duration) -> Body {
    let length = body.len().div_ceil(PIECES_MAX).max(1);
    let mut pieces = VecDeque::new();
    while !body.is_empty() {
        pieces.push_back(body.split_to(length.min(body.len())));
    }
    // There are 20 at most.
    let count = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let pause = over / count.max(1);
    Body::new(SlowBody {
        pieces,
        pause,
        sleep: Box::pin(tokio::time::sleep(pause)),
    })
}

/// A body whose pieces come one after another, each after the same pause.
struct SlowBody {
    pieces: VecDeque<Bytes>,
    pause: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl hyper::body::Body for SlowBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.pieces.is_empty() {
            return Poll::Ready(None);
        }
        ready!(self.sleep.as_mut().poll(context));
        self.sleep = Box::pin(tokio::time::sleep(self.pause));
        Poll::Ready(self.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let left: usize = self.pieces.iter().map(Bytes::len).sum();
        SizeHint::with_exact(left as u64)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_comes_whole_and_in_time() {
        for length in [1, 19, 20, 21, 1_000_000] {
            let whole = Bytes::from(vec![b'x'; length]);
            let mut body = slow_body(whole.clone(), Duration::from_secs(30));
            let mut came = Vec::new();
            let mut pieces = 0;
            let read = async {
                while let Some(frame) = body.frame().await {
                    came.extend_from_slice(&frame.expect("a piece").into_data().expect("data"));
                    pieces += 1;
                }
            };
            let early = tokio::time::timeout(Duration::from_secs(29), read).await;
            assert!(early.is_err(), "{length} bytes came too early");
            assert!(came.len() < length);
            let rest = tokio::time::timeout(Duration::from_secs(2), body.collect());
            let rest = rest.await.expect("in time").expect("whole").to_bytes();
            came.extend_from_slice(&rest);
            assert_eq!(came, whole);
            assert!(pieces < PIECES_MAX);
        }
    }
}
