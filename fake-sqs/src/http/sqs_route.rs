//! The SQS calls themselves: from a verified request to the engine and back.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::response::Response;
use http::header::{self, HeaderMap};
use http::uri::Authority;
use sqs::{Error, Operation};
use sqs_engine::Context;

use super::protocol::Reply;
use super::{asked, hints};
use crate::auth::{Admitted, Caller};
use crate::driver::{Answer, Driver, Performed, TakenUp};
use crate::faults::{Faults, Passage};
use crate::journal::Note;
use crate::journal::subject::{self, Subject};

/// The header that tracing tools send along.
const X_AMZN_TRACE_ID: &str = "x-amzn-trace-id";

/// Longest `Host` from which queue URLs are made, in bytes: a DNS name of 253 and a port.
const HOST_BYTES_MAX: usize = 260;

/// What serves a call.
pub(crate) struct SqsRoute {
    pub(crate) driver: Arc<Driver>,
    pub(crate) faults: Arc<Faults>,
    /// Where the server listens: the host in queue URLs for a request that names none.
    pub(crate) address: SocketAddr,
}

impl SqsRoute {
    /// Serves one call.
    pub(super) async fn call(&self, request: &Admitted, reply: Reply, note: &Note) -> Response {
        if !reply.protocol.can_ask(request.parts()) {
            return asked::refuse_nothing(request.parts());
        }
        let mut passage = Passage::new(Some(note.clone()));
        let response = match self.serve(request, reply, note, &mut passage).await {
            Ok(body) => reply.success(body),
            Err(error) => reply.error(&error),
        };
        passage.finish(response).await
    }

    /// Serves one call up to the body of its answer.
    async fn serve(
        &self,
        request: &Admitted,
        reply: Reply,
        note: &Note,
        passage: &mut Passage,
    ) -> Result<Vec<u8>, Error> {
        let asked = reply.protocol.asked(request.parts(), request.body());
        let operation = asked.operation().map_err(|unasked| {
            tracing::warn!("refused: {unasked}");
            unasked.error
        })?;
        let input = asked.input(operation).inspect_err(|_| {
            let named = asked.named();
            note.asks(
                Some(operation),
                named.and_then(|named| subject::queue_named(&named)),
            );
        })?;
        let mut context = self.context(request.caller(), &request.parts().headers);
        let (driver, faults) = (&self.driver, &self.faults);
        note.asks(Some(operation), subject::queue_of(&input));
        faults.before(driver, &mut context, &input, passage).await?;
        let answer = self.perform(context, input, note).await;
        faults.after(driver, &answer, passage).await;
        log(operation, request.caller(), &answer);
        hints::log_handle(&asked, &answer);
        if let Err(error) = &answer {
            let context = self.context(request.caller(), &request.parts().headers);
            hints::log(driver, &context, &asked, error);
        }
        let body = reply.body(&answer?)?;
        note.response_body(&body);
        Ok(body)
    }

    /// Performs a call, and notes what it is about and what comes of it.
    async fn perform(&self, context: Context, request: sqs::Request, note: &Note) -> Answer {
        let subject = Subject::of(&request);
        let mut receipts = Vec::new();
        let performed = self.driver.observed(context, request, |taken: &TakenUp| {
            note.taken_up(taken.at, taken.took, subject::stale_ids(&taken.receipts));
            receipts.clone_from(&taken.receipts);
        });
        let Performed { answer, at } = performed.await;
        let concerned = subject.concerned(&receipts, &answer);
        note.done(at, concerned.message_ids, concerned.failed);
        answer
    }

    fn context(&self, caller: &Caller, headers: &HeaderMap) -> Context {
        let base_url = match host(headers) {
            Some(host) => ["http://", host].concat(),
            None => crate::endpoint_url(self.address),
        };
        let mut context = Context::new(
            caller.account.as_str(),
            &*caller.access_key_id,
            &*caller.region,
            base_url,
        );
        // An empty one is none: as an attribute it would not be accepted either.
        let trace = headers
            .get(X_AMZN_TRACE_ID)
            .and_then(|value| value.to_str().ok())
            .filter(|text| !text.is_empty());
        context.trace_header = trace.map(str::to_owned);
        context
    }
}

/// The `Host` of a request, if it can stand in a URL. The client reaches the server by it, so
/// queue URLs that are made of it work where the client stands.
pub(crate) fn host(headers: &HeaderMap) -> Option<&str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_authority =
        Authority::try_from(host).is_ok_and(|authority| !authority.as_str().contains('@'));
    (host.len() <= HOST_BYTES_MAX && is_authority).then_some(host)
}

/// One line for each call, for whoever wants to see what a client does.
fn log(operation: Operation, caller: &Caller, answer: &Answer) {
    let (account, region) = (caller.account.as_str(), &caller.region);
    match answer {
        Ok(_) => tracing::debug!(%operation, account, region, "done"),
        Err(error) => {
            let error = shown(error);
            tracing::debug!(%operation, account, region, error, "refused");
        }
    }
}

/// An error for the log. AWS's texts repeat what the request said, of whatever length and with
/// whatever characters.
fn shown(error: &Error) -> String {
    asked::one_line(&error.to_string(), asked::MESSAGE_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use sqs::ErrorCode;

    use super::*;

    #[test]
    fn an_error_that_repeats_the_request_can_neither_break_nor_fill_the_log() {
        let attribute = "A\n2026-01-01T00:00:00Z INFO forged \u{1b}[31m";
        let error = Error::new(
            ErrorCode::InvalidAttributeName,
            format!("Unknown Attribute {attribute}."),
        );
        let line = shown(&error);
        assert!(!line.contains(char::is_control), "{line:?}");
        assert!(line.contains("Unknown Attribute A\\n2026"), "{line}");

        let long = Error::new(ErrorCode::ReceiptHandleIsInvalid, "x".repeat(1_000_000));
        assert_eq!(shown(&long).len(), asked::MESSAGE_CHARS_MAX);
    }
}
