//! The way of a request on SQS's side, from its head to its answer.

use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use sqs::{Error, ErrorCode};
use tracing::warn;

use super::asked;
use super::budget::Budget;
use super::cors::{self, Cors};
use super::observe::Observer;
use super::protocol::Reply;
use super::sqs_route::SqsRoute;
use crate::admin;
use crate::auth::Authenticator;
use crate::journal::Note;

/// All that a request passes.
pub(super) struct Entrance {
    pub(super) budget: Budget,
    pub(super) cors: Cors,
    pub(super) observer: Observer,
    pub(super) authenticator: Authenticator,
    pub(super) sqs: SqsRoute,
}

/// The handler of everything that is not the control interface's.
pub(super) async fn enter(State(entrance): State<Arc<Entrance>>, request: Request) -> Response {
    let length = request.body().size_hint().upper();
    let _place = entrance.budget.place(length).await;
    let (parts, body) = request.into_parts();
    // A browser that is pointed at the server is sent to the page.
    if let Some(redirect) = admin::redirect_browser(&parts) {
        return redirect;
    }
    match entrance.cors {
        Cors::Off => entrance.observe(parts, body).await,
        Cors::On if cors::is_preflight(&parts) => cors::open(cors::preflight(&parts)),
        Cors::On => cors::open(entrance.observe(parts, body).await),
    }
}

impl Entrance {
    /// From here on a request is in the journal.
    async fn observe(&self, parts: Parts, body: Body) -> Response {
        let observed = self.observer.begin(&parts);
        let answer = self.answer((parts, body), observed.reply(), observed.note());
        let response = answer.await;
        observed.answered(response)
    }

    async fn answer(&self, request: (Parts, Body), reply: Reply, note: &Note) -> Response {
        match self.authenticator.admit(request, reply, note).await {
            Ok(request) if is_served(request.parts().uri.path()) => {
                self.sqs.call(&request, reply, note).await
            }
            Ok(request) => nowhere(request.parts(), reply),
            Err(refusal) => *refusal,
        }
    }
}

/// Whether there is SQS at a path: at `/` and at a queue's, `/<account>/<queue>`.
fn is_served(path: &str) -> bool {
    let Some(path) = path.strip_prefix('/') else {
        return false;
    };
    let is_queue = |(account, queue): (&str, &str)| {
        !account.is_empty() && !queue.is_empty() && !queue.contains('/')
    };
    path.is_empty() || path.split_once('/').is_some_and(is_queue)
}

/// A path at which there is neither SQS nor the control interface.
fn nowhere(request: &Parts, reply: Reply) -> Response {
    if !reply.protocol.can_ask(request) {
        return asked::refuse_nothing(request);
    }
    warn!(
        "refused: there is nothing at the path {:?}; SQS is at / and at /<account>/<queue>",
        request.uri.path()
    );
    let message = "SQS is served at / and at /<account>/<queue>, and nowhere else.";
    let error = Error::new(ErrorCode::UnknownOperationException, message);
    reply.error_with_status(&error, StatusCode::NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqs_is_at_the_root_and_at_queues() {
        for path in ["/", "/000000000000/orders", "/a/b.fifo"] {
            assert!(is_served(path), "{path}");
        }
        for path in ["", "*", "//", "/a", "/a/", "//b", "/a/b/", "/a/b/c"] {
            assert!(!is_served(path), "{path}");
        }
    }
}
