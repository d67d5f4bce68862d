//! The HTTP side: which request goes where.

pub mod limits;

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod asked;
pub(crate) mod body;
mod budget;
pub(crate) mod cors;
mod head;
mod hints;
pub(crate) mod observe;
mod patience;
pub(crate) mod protocol;
pub(crate) mod sqs_route;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use http::StatusCode;
use sqs::{Error, ErrorCode};
use tracing::warn;

use self::budget::Budget;
use self::cors::Cors;
use self::observe::Observer;
use self::protocol::Reply;
use self::sqs_route::SqsRoute;
use crate::admin::{self, Admin};
use crate::auth::{self, Authenticator};

/// What the router needs.
pub(crate) struct Parts {
    pub(crate) sqs: SqsRoute,
    pub(crate) cors: Cors,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) admin: Admin,
    pub(crate) observer: Observer,
}

/// The whole server as a router: `/_fake/` is the control interface, everything else is SQS.
///
/// Nothing is nested: a signature covers the path as it was sent, and nesting takes a part of it
/// away.
pub(crate) fn router(parts: Parts) -> Router {
    let sqs = Router::new()
        .route("/", any(sqs_route::call))
        .route("/{account}/{queue}", any(sqs_route::call))
        .fallback(nowhere)
        .with_state(parts.sqs)
        .layer(middleware::from_fn_with_state(
            parts.authenticator,
            auth::authenticate,
        ))
        .layer(middleware::from_fn_with_state(
            Arc::new(parts.observer),
            observe::observe,
        ));
    let sqs = match parts.cors {
        Cors::Off => sqs,
        Cors::On => sqs.layer(middleware::from_fn(cors::cross_origin)),
    };
    let sqs = sqs.layer(middleware::from_fn(welcome));
    let budget = Budget::new(limits::BODIES_BYTES_MAX);
    admin::router(parts.admin)
        .fallback_service(sqs)
        .layer(middleware::from_fn_with_state(budget, budget::reserve))
}

/// Sends a browser that is pointed at the server to the page.
async fn welcome(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match admin::redirect_browser(&parts) {
        Some(redirect) => redirect,
        None => next.run(Request::from_parts(parts, body)).await,
    }
}

/// A path at which there is neither SQS nor the control interface.
async fn nowhere(Extension(reply): Extension<Reply>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    if !reply.protocol.can_ask(&request) {
        return asked::refuse_nothing(&request);
    }
    warn!(
        "refused: there is nothing at the path {:?}; SQS is at / and at /<account>/<queue>",
        request.uri.path()
    );
    let message = "SQS is served at / and at /<account>/<queue>, and nowhere else.";
    let error = Error::new(ErrorCode::UnknownOperationException, message);
    reply.error_with_status(&error, StatusCode::NOT_FOUND)
}
