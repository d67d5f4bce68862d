//! `GET /_fake/events`: word of changes, as server-sent events, for the page.
//!
//! An event says only that something changed; whoever shows something asks for it anew. So what is
//! sent does not grow with what happens, and a listener that reads slowly misses nothing.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use hyper::body::Frame;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::AdminError;
use crate::changes::{Changes, Listener};
use crate::http::limits;

/// The least time between two events.
const PAUSE: Duration = Duration::from_millis(250);

/// How long nothing is sent before a comment is, by which either side notices that the other has
/// gone.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// What begins the stream: how long a browser waits before it connects again, in milliseconds, and
/// a first event, so that the listener knows that it listens.
const BEGINNING: &str = "retry: 1000\ndata: {\"version\":0}\n\n";

const COMMENT: &str = ": nothing changed\n\n";

/// What listeners listen to.
#[derive(Clone)]
pub(crate) struct Events {
    changes: Arc<Changes>,
    places: Arc<Semaphore>,
}

impl Events {
    pub(crate) fn new(changes: Arc<Changes>) -> Self {
        Self {
            changes,
            places: Arc::new(Semaphore::new(limits::EVENT_LISTENERS_MAX)),
        }
    }
}

/// Streams events until the listener goes or the server stops.
pub(super) async fn listen(State(events): State<Events>) -> Result<Response, AdminError> {
    let Ok(place) = events.places.try_acquire_owned() else {
        return Err(AdminError::TooManyListeners);
    };
    let stream = Stream::new(events.changes.listen(), place);
    let mut response = Response::new(Body::new(stream));
    let headers = response.headers_mut();
    let content_type = HeaderValue::from_static("text/event-stream");
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A body of events.
struct Stream {
    next: Pin<Box<dyn Future<Output = Option<Sent>> + Send>>,
}

/// What is sent, and who then listens on.
struct Sent {
    bytes: Bytes,
    listening: Listening,
}

/// Dropping it gives its place to another.
struct Listening {
    listener: Listener,
    _place: OwnedSemaphorePermit,
}

impl Stream {
    fn new(listener: Listener, place: OwnedSemaphorePermit) -> Self {
        let listening = Listening {
            listener,
            _place: place,
        };
        let sent = Sent {
            bytes: Bytes::from_static(BEGINNING.as_bytes()),
            listening,
        };
        Self {
            next: Box::pin(async { Some(sent) }),
        }
    }
}

impl hyper::body::Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.next.as_mut().poll(context).map(|next| {
            let Sent { bytes, listening } = next?;
            self.next = Box::pin(listening.next());
            Some(Ok(Frame::data(bytes)))
        })
    }
}

impl Listening {
    /// What is sent next; nothing when the server stops.
    async fn next(mut self) -> Option<Sent> {
        tokio::select! {
            () = self.listener.closed() => return None,
            () = tokio::time::sleep(PAUSE) => {}
        }
        let bytes = match tokio::time::timeout(SILENCE_MAX, self.listener.changed()).await {
            Ok(version) => format!("data: {{\"version\":{}}}\n\n", version?).into(),
            Err(_elapsed) => Bytes::from_static(COMMENT.as_bytes()),
        };
        let listening = self;
        Some(Sent { bytes, listening })
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use tokio::time::timeout;

    use super::*;

    async fn frame(response: &mut Response) -> Option<String> {
        let frame = response.body_mut().frame().await?;
        let data = frame.expect("no error").into_data().expect("data");
        Some(String::from_utf8(data.to_vec()).expect("UTF-8"))
    }

    /// The next frame, which comes after the pause and no sooner.
    async fn frame_after_pause(response: &mut Response) -> Option<String> {
        let just = Duration::from_millis(1);
        let early = timeout(PAUSE - just, frame(response)).await;
        assert!(early.is_err(), "{early:?}");
        timeout(2 * just, frame(response)).await.expect("in time")
    }

    async fn listener(events: &Events) -> Response {
        let mut response = listen(State(events.clone())).await.expect("a place");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(frame(&mut response).await.as_deref(), Some(BEGINNING));
        response
    }

    #[tokio::test(start_paused = true)]
    async fn changes_in_quick_succession_are_one_event() {
        let changes = Arc::new(Changes::new());
        let events = Events::new(Arc::clone(&changes));
        let mut response = listener(&events).await;
        for _ in 0..1_000 {
            changes.tell();
        }
        let event = frame_after_pause(&mut response).await;
        assert_eq!(event.as_deref(), Some("data: {\"version\":1000}\n\n"));
        changes.tell();
        let event = frame_after_pause(&mut response).await;
        assert_eq!(event.as_deref(), Some("data: {\"version\":1001}\n\n"));
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_broken_by_a_comment() {
        let events = Events::new(Arc::new(Changes::new()));
        let mut response = listener(&events).await;
        for _ in 0..3 {
            assert_eq!(frame(&mut response).await.as_deref(), Some(COMMENT));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_stops_ends_the_stream_at_once() {
        let changes = Arc::new(Changes::new());
        let events = Events::new(Arc::clone(&changes));
        let mut pausing = listener(&events).await;
        let mut waiting = listener(&events).await;
        let waits = frame(&mut waiting);
        assert!(timeout(2 * PAUSE, waits).await.is_err());
        changes.close();
        let mut late = listener(&events).await;
        for response in [&mut pausing, &mut waiting, &mut late] {
            let ended = timeout(Duration::ZERO, frame(response)).await;
            assert_eq!(ended, Ok(None), "at once");
        }
    }

    #[tokio::test]
    async fn there_is_room_for_so_many_listeners_and_a_place_is_free_again() {
        let events = Events::new(Arc::new(Changes::new()));
        let mut responses = Vec::new();
        for _ in 0..limits::EVENT_LISTENERS_MAX {
            responses.push(listener(&events).await);
        }
        let refused = listen(State(events.clone())).await;
        assert!(matches!(refused, Err(AdminError::TooManyListeners)));
        responses.pop();
        listener(&events).await;
    }
}
