//! The HTTP side: which request goes where.

pub mod limits;

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod asked;
pub(crate) mod body;
mod budget;
pub(crate) mod cors;
mod entrance;
pub(crate) mod head;
mod hints;
pub(crate) mod observe;
mod patience;
pub(crate) mod protocol;
pub(crate) mod sqs_route;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::middleware;

use self::budget::Budget;
use self::cors::Cors;
use self::entrance::Entrance;
use self::observe::Observer;
use self::sqs_route::SqsRoute;
use crate::admin::{self, Admin};
use crate::auth::Authenticator;

/// What the router needs.
pub(crate) struct Parts {
    pub(crate) sqs: SqsRoute,
    pub(crate) cors: Cors,
    pub(crate) authenticator: Authenticator,
    pub(crate) admin: Admin,
    pub(crate) observer: Observer,
}

/// The whole server as a router: `/_fake/` is the control interface, everything else is SQS.
///
/// SQS's side is one handler and no layers: each would box its request's future and clone what is
/// behind it, for every call. Nothing is nested: a signature covers the path as it was sent, and
/// nesting takes a part of it away.
pub(crate) fn router(parts: Parts) -> Router {
    let budget = Budget::new(limits::BODIES_BYTES_MAX);
    let entrance = Entrance {
        budget: budget.clone(),
        cors: parts.cors,
        observer: parts.observer,
        authenticator: parts.authenticator,
        sqs: parts.sqs,
    };
    admin::router(parts.admin)
        .layer(middleware::from_fn_with_state(budget, budget::reserve))
        .fallback_service(entrance::enter.with_state(Arc::new(entrance)))
}
