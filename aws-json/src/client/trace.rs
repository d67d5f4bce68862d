//! What a client tells `tracing`: a span for each call, one within it for each attempt, and an
//! event for each attempt that failed. No inputs, no outputs and no credentials.

use tracing::field::Empty;
use tracing::{Span, debug, debug_span, info_span, warn};

use super::answer::Answer;
use super::attempt::Failed;
use super::call::Called;
use super::credentials::{CredentialsError, Provided};
use super::error::Error;
use super::retry::Next;
use super::service::Service;

/// The span of a call.
pub(super) fn call(service: &Service, operation: &str) -> Span {
    info_span!(
        target: "aws_json",
        "call",
        service = &*service.signing_name,
        operation,
        attempts = Empty,
        status = Empty,
        code = Empty,
        request_id = Empty,
    )
}

/// The span of an attempt, within that of its call.
pub(super) fn attempt(number: u32) -> Span {
    debug_span!(
        target: "aws_json",
        "attempt",
        attempt = number,
        status = Empty,
        code = Empty,
        request_id = Empty,
    )
}

/// How a call ended.
pub(super) fn called(span: &Span, result: &Result<Called, Error>) {
    if span.is_disabled() {
        return;
    }
    match result {
        Ok(called) => {
            span.record("attempts", called.attempts);
            record_answer(span, &called.answer);
        }
        Err(error) => {
            span.record("attempts", error.attempts());
            record_error(span, error);
        }
    }
}

/// How an attempt ended.
pub(super) fn attempted(span: &Span, result: &Result<Answer, Failed>) {
    if span.is_disabled() {
        return;
    }
    match result {
        Ok(answer) => record_answer(span, answer),
        Err(failed) => record_error(span, &failed.error),
    }
}

/// What follows on an attempt that failed.
pub(super) fn next(attempt: u32, next: &Next, error: &Error) {
    match next {
        Next::Retry { after, because } => debug!(
            target: "aws_json",
            attempt,
            delay = ?after,
            reason = because.name(),
            code = error.code(),
            status = error.status().map(|status| status.as_u16()),
            "the call is sent again"
        ),
        Next::Fail { why, .. } => debug!(
            target: "aws_json",
            attempt,
            reason = why.name(),
            code = error.code(),
            status = error.status().map(|status| status.as_u16()),
            "the call has failed"
        ),
    }
}

/// What a provider gave, or why it gave nothing.
pub(super) fn provided(result: &Result<Provided, CredentialsError>) {
    match result {
        Ok(provided) => debug!(
            target: "aws_json",
            expires = ?provided.expires(),
            "there are new credentials"
        ),
        Err(error) => warn!(
            target: "aws_json",
            %error,
            "there are no new credentials"
        ),
    }
}

fn record_answer(span: &Span, answer: &Answer) {
    span.record("status", answer.status.as_u16());
    if let Some(id) = answer.request_id() {
        span.record("request_id", id);
    }
}

fn record_error(span: &Span, error: &Error) {
    if let Some(status) = error.status() {
        span.record("status", status.as_u16());
    }
    if let Some(code) = error.code() {
        span.record("code", code);
    }
    if let Some(id) = error.request_id() {
        span.record("request_id", id);
    }
}
