//! Reading a request's body, whole and within bounds.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use super::limits;

/// Reads the whole body.
///
/// A body longer than `bytes_max` is read on and thrown away, so that the client, which writes
/// before it reads, sees the refusal; but not longer than [`limits::BODY_BYTES_DISCARDED_MAX`].
pub(crate) async fn read(body: Body, bytes_max: usize) -> Result<Bytes, BodyError> {
    match tokio::time::timeout(limits::BODY_TIME_MAX, collect(body, bytes_max)).await {
        Ok(result) => result,
        Err(_elapsed) => Err(BodyError::TooSlow(limits::BODY_TIME_MAX)),
    }
}

/// Why there is no body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("The request's body is longer than {0} bytes.")]
    TooLong(usize),
    #[error("The request's body did not arrive within {} seconds.", .0.as_secs())]
    TooSlow(Duration),
    #[error("The request's body broke off: {0}.")]
    Broken(axum::Error),
}

async fn collect(mut body: Body, bytes_max: usize) -> Result<Bytes, BodyError> {
    // With its length known the body is copied once; one that grows is copied again and again.
    let length = body.size_hint().exact().unwrap_or_default();
    let length = usize::try_from(length).map_or(bytes_max, |length| length.min(bytes_max));
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        // A frame that is not data is trailers, which mean nothing here.
        let Ok(data) = frame.map_err(BodyError::Broken)?.into_data() else {
            continue;
        };
        if first.len() + all.len() + data.len() > bytes_max {
            drop((first, all));
            discard(body).await?;
            return Err(BodyError::TooLong(bytes_max));
        }
        // Nearly every body is one chunk, which need not be copied.
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            if all.is_empty() {
                all.reserve(length);
            }
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

async fn discard(mut body: Body) -> Result<(), BodyError> {
    let mut discarded = 0;
    while discarded <= limits::BODY_BYTES_DISCARDED_MAX
        && let Some(frame) = body.frame().await
    {
        discarded += frame
            .map_err(BodyError::Broken)?
            .data_ref()
            .map_or(0, Bytes::len);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body::Frame;

    use super::*;

    /// A body of these chunks, which then ends or never does.
    struct Chunks {
        left: Vec<&'static [u8]>,
        then: Poll<()>,
    }

    impl http_body::Body for Chunks {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.left.is_empty() {
                return self.then.map(|()| None);
            }
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(
                self.left.remove(0),
            )))))
        }
    }

    fn chunks(left: &[&'static [u8]], then: Poll<()>) -> Body {
        Body::new(Chunks {
            left: left.to_vec(),
            then,
        })
    }

    #[tokio::test]
    async fn chunks_are_joined() {
        let cases: [(&[&'static [u8]], &[u8]); 3] = [
            (&[], b""),
            (&[b"abc"], b"abc"),
            (&[b"", b"ab", b"", b"c", b"de"], b"abcde"),
        ];
        for (left, whole) in cases {
            let body = read(chunks(left, Poll::Ready(())), 5).await;
            assert_eq!(body.expect("a short body"), whole);
        }
    }

    #[tokio::test]
    async fn one_byte_too_many_is_too_long_however_it_is_cut() {
        for left in [
            &[&b"abcdef"[..]][..],
            &[b"abc", b"def"],
            &[b"abcde", b"f", b"ghi"],
        ] {
            let result = read(chunks(left, Poll::Ready(())), 5).await;
            assert!(matches!(result, Err(BodyError::TooLong(5))), "{result:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_coming_is_given_up() {
        for left in [&[][..], &[&b"abcdef"[..]]] {
            let result = read(chunks(left, Poll::Pending), 5).await;
            assert!(matches!(result, Err(BodyError::TooSlow(_))), "{result:?}");
        }
    }
}
