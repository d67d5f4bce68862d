//! The one place that sees every request of SQS's side, from its beginning to its end: here it gets
//! its id and its protocol, and here the journal's entry is made and the metrics are counted.

use std::sync::Arc;

use aws_json::codec::headers::X_AMZN_REQUESTID;
use axum::response::Response;
use http::HeaderValue;
use http::request::Parts;

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

impl Observer {
    /// A request begins.
    pub(super) fn begin(&self, request: &Parts) -> Observed<'_> {
        let journal = Arc::clone(&self.journal);
        let protocol = Protocol::of(&request.method, &request.uri, &request.headers);
        Observed {
            observer: self,
            stopwatch: Stopwatch::start(),
            note: Note::new(journal, &request.method, &request.uri),
            reply: Reply {
                protocol,
                request_id: self.request_ids.next(),
            },
            is_answered: false,
        }
    }
}

/// A request that is under way. Dropped before its answer, its client has hung up, or the server cuts
/// it off.
pub(super) struct Observed<'a> {
    observer: &'a Observer,
    stopwatch: Stopwatch,
    note: Note,
    reply: Reply,
    is_answered: bool,
}

impl Observed<'_> {
    /// What is known of it.
    pub(super) fn note(&self) -> &Note {
        &self.note
    }

    /// How it is answered.
    pub(super) fn reply(&self) -> Reply {
        self.reply
    }

    /// It has its answer, which gets its id.
    pub(super) fn answered(mut self, mut response: Response) -> Response {
        let id = self.reply.request_id.to_string();
        // A UUID is always a header value.
        if let Ok(id) = HeaderValue::try_from(&id) {
            response.headers_mut().insert(X_AMZN_REQUESTID, id);
        }
        let error = response.extensions().get::<Failure>();
        let end = End::Answered {
            status: response.status().as_u16(),
            error: error.map(|Failure(error)| error.clone()),
        };
        self.is_answered = true;
        self.end(end, Some(id));
        response
    }

    fn end(&self, how: End, request_id: Option<String>) {
        let Observer {
            journal,
            metrics,
            driver,
            ..
        } = self.observer;
        let draft = self.note.take();
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
        if !self.is_answered {
            self.end(End::HungUp, None);
        }
    }
}
