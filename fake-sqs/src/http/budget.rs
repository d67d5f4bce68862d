//! All request bodies together take no more memory than this allows.
//!
//! A body that may become large has its place reserved before the first byte of it is read, and
//! keeps it until its request is answered. Reserving step by step could end with many bodies half
//! read, each waiting for the others. Small bodies need no place: as many as there are connections
//! take little.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::limits;

/// What is left of the memory for bodies, in bytes.
#[derive(Clone)]
pub(crate) struct Budget(Arc<Semaphore>);

impl Budget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes)))
    }

    /// A place for a body of that length, or of one that is not known, if it needs one.
    ///
    /// Whoever has a place gives it back in bounded time, since bodies must arrive in time and calls
    /// end, so those that wait need no bound of their own.
    pub(super) async fn place(&self, length: Option<u64>) -> Option<SemaphorePermit<'_>> {
        match place(length) {
            0 => None,
            // Nobody closes it, and so nobody fails to get a place.
            bytes => self.0.acquire_many(bytes).await.ok(),
        }
    }
}

/// The layer itself, for `axum::middleware::from_fn_with_state`.
pub(crate) async fn reserve(
    State(budget): State<Budget>,
    request: Request,
    next: Next,
) -> Response {
    let length = request.body().size_hint().upper();
    let _place = budget.place(length).await;
    next.run(request).await
}

/// How much is reserved for a body of that length, or of one that is not known. Of a body that is
/// longer than any may be, no more is kept.
fn place(length: Option<u64>) -> u32 {
    let most = limits::BODY_BYTES_MAX as u64;
    match length.map_or(most, |length| length.min(most)) {
        small if small <= limits::SMALL_BODY_BYTES => 0,
        large => u32::try_from(large).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::Router;
    use axum::body::Body;
    use axum::routing::post;
    use tokio::sync::Notify;
    use tower::ServiceExt;

    use super::*;

    #[test]
    fn only_what_may_become_large_has_a_place() {
        assert_eq!(place(Some(0)), 0);
        assert_eq!(place(Some(limits::SMALL_BODY_BYTES)), 0);
        assert_eq!(place(Some(limits::SMALL_BODY_BYTES + 1)), 65_537);
        for length in [Some(8 << 20), Some(9 << 20), Some(u64::MAX), None] {
            assert_eq!(place(length), 8 << 20, "{length:?}");
        }
    }

    #[tokio::test]
    async fn a_large_body_waits_for_a_place_and_a_small_one_does_not() {
        let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let handler = {
            let (arrived, go) = (Arc::clone(&arrived), Arc::clone(&go));
            move |body: axum::body::Bytes| async move {
                if body.len() > 10 {
                    arrived.notify_one();
                    go.notified().await;
                }
                "done"
            }
        };
        let budget = Budget::new(limits::BODY_BYTES_MAX);
        let router =
            Router::new()
                .route("/", post(handler))
                .layer(axum::middleware::from_fn_with_state(
                    budget.clone(),
                    reserve,
                ));
        let send = |length: usize| {
            let request = http::Request::post("/").body(Body::from(vec![b'x'; length]));
            let sent = router.clone().oneshot(request.expect("a request"));
            async move {
                let Ok::<_, Infallible>(response) = sent.await;
                response.status()
            }
        };
        let large = 1_000_000;
        let first = tokio::spawn(send(large));
        arrived.notified().await;
        assert_eq!(budget.0.available_permits(), limits::BODY_BYTES_MAX - large);
        let second = send(limits::BODY_BYTES_MAX);
        tokio::pin!(second);
        tokio::select! {
            biased;
            status = &mut second => panic!("there was a place: {status}"),
            status = send(1) => assert_eq!(status, 200),
        }
        go.notify_one();
        assert_eq!(first.await.expect("no panic"), 200);
    }
}
