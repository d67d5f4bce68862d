//! The one place that sees every request of SQS's side, from its beginning to its end: here it gets
//! its id and its protocol, and here the journal's entry is made and the metrics are counted.

use std::sync::Arc;

use aws_json::codec::headers::X_AMZN_REQUESTID;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;

use super::answer::Failure;
use super::protocol::{Protocol, Reply};
use crate::clock::Stopwatch;
use crate::driver::Driver;
use crate::journal::{End, Ended, Entry, Journal, Note};
use crate::metrics::Metrics;
use crate::seed::RequestIds;

/// What a request is observed for.
pub(crate) struct Observer {
    pub(crate) request_ids: RequestIds,
    pub(crate) journal: Arc<Journal>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) driver: Arc<Driver>,
}

/// The layer itself, for `axum::middleware::from_fn_with_state`.
pub(super) async fn observe(
    State(observer): State<Arc<Observer>>,
    mut request: Request,
    next: Next,
) -> Response {
    let journal = Arc::clone(&observer.journal);
    let note = Note::new(journal, request.method(), request.uri());
    let protocol = Protocol::of(request.method(), request.uri(), request.headers());
    let request_id = observer.request_ids.next();
    let extensions = request.extensions_mut();
    extensions.insert(note.clone());
    extensions.insert(Reply {
        protocol,
        request_id,
    });
    let observed = Observed {
        observer: &observer,
        stopwatch: Stopwatch::start(),
        note: Some(note),
    };
    let mut response = next.run(request).await;
    let id = request_id.to_string();
    // A UUID is always a header value.
    if let Ok(id) = HeaderValue::try_from(&id) {
        response.headers_mut().insert(X_AMZN_REQUESTID, id);
    }
    observed.answered(&response, id);
    response
}

/// A request that is under way. Dropped before its answer, its client has hung up, or the server cuts
/// it off.
struct Observed<'a> {
    observer: &'a Observer,
    stopwatch: Stopwatch,
    note: Option<Note>,
}

impl Observed<'_> {
    fn answered(mut self, response: &Response, request_id: String) {
        let error = response.extensions().get::<Failure>();
        let end = End::Answered {
            status: response.status().as_u16(),
            error: error.map(|Failure(error)| error.clone()),
        };
        self.end(end, Some(request_id));
    }

    fn end(&mut self, how: End, request_id: Option<String>) {
        let Some(note) = self.note.take() else {
            return;
        };
        let Observer {
            journal,
            metrics,
            driver,
            ..
        } = self.observer;
        let draft = note.take();
        let engine_time = draft.engine_time();
        let ended = Ended {
            how,
            duration: self.stopwatch.read(),
            request_id,
        };
        let entry = Entry::new(draft, ended, || driver.clock().now);
        metrics.count(&entry, engine_time);
        journal.add(entry);
    }
}

impl Drop for Observed<'_> {
    fn drop(&mut self) {
        self.end(End::HungUp, None);
    }
}
