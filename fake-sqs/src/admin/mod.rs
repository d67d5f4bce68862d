//! The control interface under `/_fake/`: unsigned JSON, for whoever runs on this machine.

mod answer;
mod clock;
mod events;
mod faults;
mod guard;
mod health;
mod members;
mod messages;
mod metrics;
mod page;
mod query;
mod queues;
mod requests;
mod reset;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post};

use self::answer::AdminError;
pub(crate) use self::events::Events;
pub(crate) use self::guard::Guard;
pub use self::guard::{ControlHost, ControlHostError};
pub(crate) use self::page::redirect_browser;
use crate::control::Control;
use crate::metrics::Metrics;

/// What the control interface works on.
#[derive(Clone)]
pub(crate) struct Admin {
    pub(crate) control: Control,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) guard: Guard,
    pub(crate) events: Events,
}

/// The control interface: everything at and below `/_fake`.
pub(crate) fn router(admin: Admin) -> Router {
    Router::new()
        .route("/_fake/health", get(health::health).fallback(only_get))
        .route("/_fake/reset", post(reset::reset).fallback(only_post))
        .merge(of_clock())
        .merge(of_queues())
        .route("/_fake/requests", get(requests::list).fallback(only_get))
        .merge(of_faults())
        .route("/_fake/{*path}", any(unknown))
        .with_state(admin.control)
        .merge(of_metrics(admin.metrics))
        .route(
            "/_fake/events",
            get(events::listen)
                .fallback(|| only("GET"))
                .with_state(admin.events),
        )
        .merge(page::router())
        .layer(middleware::from_fn_with_state(admin.guard, guarded))
}

fn of_metrics(metrics: Arc<Metrics>) -> Router {
    Router::new()
        .route("/_fake/metrics", get(metrics::show).fallback(only_get))
        .with_state(metrics)
}

fn of_clock() -> Router<Control> {
    Router::new()
        .route("/_fake/clock", get(clock::show).fallback(only_get))
        .route(
            "/_fake/clock/freeze",
            post(clock::freeze).fallback(only_post),
        )
        .route(
            "/_fake/clock/resume",
            post(clock::resume).fallback(only_post),
        )
        .route(
            "/_fake/clock/advance",
            post(clock::advance).fallback(only_post),
        )
}

fn of_faults() -> Router<Control> {
    Router::new()
        .route(
            "/_fake/faults",
            get(faults::list)
                .post(faults::add)
                .delete(faults::clear)
                .fallback(|| only("GET, POST, DELETE")),
        )
        .route(
            "/_fake/faults/{id}",
            delete(faults::remove).fallback(|| only("DELETE")),
        )
}

fn of_queues() -> Router<Control> {
    const QUEUE: &str = "/_fake/queues/{account}/{region}/{name}";
    let of_queue = |path: &str| format!("{QUEUE}{path}");
    Router::new()
        .route(
            "/_fake/queues",
            get(queues::list)
                .post(queues::create)
                .fallback(|| only("GET, POST")),
        )
        .route(
            QUEUE,
            get(queues::show)
                .delete(queues::delete)
                .fallback(|| only("GET, DELETE")),
        )
        .route(&of_queue("/purge"), post(queues::purge).fallback(only_post))
        .route(
            &of_queue("/redrive"),
            post(queues::redrive).fallback(only_post),
        )
        .route(
            &of_queue("/messages"),
            get(messages::list)
                .post(messages::send)
                .fallback(|| only("GET, POST")),
        )
        .route(
            &of_queue("/messages/receive"),
            post(messages::receive).fallback(only_post),
        )
        .route(
            &of_queue("/messages/{id}"),
            delete(messages::delete).fallback(|| only("DELETE")),
        )
        .route(
            &of_queue("/messages/{id}/release"),
            post(messages::release).fallback(only_post),
        )
}

/// Lets through only what the guard allows, whether or not there is anything at its path.
async fn guarded(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match guard.check(&parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(denied) => {
            tracing::warn!(%denied, "control request refused");
            AdminError::Denied(denied).into_response()
        }
    }
}

async fn only(allowed: &'static str) -> AdminError {
    AdminError::WrongMethod { allowed }
}

async fn only_get() -> AdminError {
    only("GET").await
}

async fn only_post() -> AdminError {
    only("POST").await
}

async fn unknown() -> AdminError {
    AdminError::UnknownPath
}
