//! `GET /_fake/metrics`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

use crate::metrics::{self, Metrics};

/// What was counted and what there is, in Prometheus's text format.
pub(super) async fn show(State(metrics): State<Arc<Metrics>>) -> Response {
    let mut response = match metrics.text() {
        Ok(text) => Response::new(Body::from(text)),
        Err(error) => {
            tracing::error!(%error, "the metrics could not be written");
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            response
        }
    };
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(metrics::CONTENT_TYPE),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
